//! RFC 3986's character classes as one table: every class has its ABNF line (Appendix A) above it. The classes of
//! RFC 2396 are in `rfc2396`, in other bits of the same table.
//!
//! Two users read it: the full parser asks [`is`] about one byte, and the kernels in `simd`
//! look 64 bytes up at a time in [`RFC3986`], [`RFC2396`] or [`URLS`], which hold the few classes that they test.

#[cfg(target_arch = "x86_64")]
use super::pairs::Pairs;
use super::rfc2396;

pub use super::class::Class;

/// `ALPHA = %x41-5A / %x61-7A` (RFC 5234 B.1)
pub const ALPHA: Class = 1 << 0;
/// `DIGIT = %x30-39` (RFC 5234 B.1)
pub const DIGIT: Class = 1 << 1;
/// `HEXDIG = DIGIT / "A" / "B" / "C" / "D" / "E" / "F"`; strings of ABNF match in either case
pub const HEXDIG: Class = 1 << 2;
/// `unreserved = ALPHA / DIGIT / "-" / "." / "_" / "~"` (2.3)
pub const UNRESERVED: Class = 1 << 3;
/// `sub-delims = "!" / "$" / "&" / "'" / "(" / ")" / "*" / "+" / "," / ";" / "="` (2.2)
pub const SUB_DELIMS: Class = 1 << 4;
/// `gen-delims = ":" / "/" / "?" / "#" / "[" / "]" / "@"` (2.2)
pub const GEN_DELIMS: Class = 1 << 5;
/// `scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )`: a byte after the first (3.1)
pub const SCHEME: Class = 1 << 6;
/// `userinfo = *( unreserved / pct-encoded / sub-delims / ":" )`, triplets apart (3.2.1)
pub const USERINFO: Class = 1 << 7;
/// `reg-name = *( unreserved / pct-encoded / sub-delims )`, triplets apart (3.2.2)
pub const REG_NAME: Class = 1 << 8;
/// `pchar = unreserved / pct-encoded / sub-delims / ":" / "@"`, triplets apart (3.3)
pub const PCHAR: Class = 1 << 9;
/// `query = *( pchar / "/" / "?" )`, and `fragment` alike, triplets apart (3.4, 3.5)
pub const QUERY: Class = 1 << 10;
/// `path`: segments of pchar and the slashes between them, triplets apart (3.3)
pub const PATH: Class = 1 << 11;
/// The address of an `IPvFuture`: `1*( unreserved / sub-delims / ":" )` (3.2.2)
pub const IPVFUTURE: Class = 1 << 12;
/// `segment-nz-nc = 1*( unreserved / pct-encoded / sub-delims / "@" )`, triplets apart (3.3)
pub const SEGMENT_NC: Class = 1 << 13;
/// `query` without the delimiters that programs read in it: `&` or `;` between pairs, `=` inside a pair, `+` for
/// a space (3.4; HTML 4.01, 17.13.4.1 and B.2.2)
pub const QUERY_VALUE: Class = 1 << 14;
/// Letters, digits and hyphens of a domain name's labels, and the dots between them (RFC 1034 3.5, RFC 1123 2.1)
pub const LDH: Class = 1 << 15;

/// The classes of every byte; none for bytes from 0x80 up, which no class has.
const CLASSES: [Class; 256] = {
    let mut table = [0; 256];
    let mut byte = 0usize;
    while byte < 128 {
        table[byte] = classes_of(byte as u8);
        byte += 1;
    }
    table
};

const fn classes_of(b: u8) -> Class {
    let unreserved = b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~');
    let sub_delim = matches!(b, b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=');
    let gen_delim = matches!(b, b':' | b'/' | b'?' | b'#' | b'[' | b']' | b'@');
    let pchar = unreserved || sub_delim || matches!(b, b':' | b'@');

    let mut set = 0;
    if b.is_ascii_alphabetic() {
        set |= ALPHA;
    }
    if b.is_ascii_digit() {
        set |= DIGIT;
    }
    if b.is_ascii_hexdigit() {
        set |= HEXDIG;
    }
    if unreserved {
        set |= UNRESERVED;
    }
    if b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.') {
        set |= LDH;
    }
    if sub_delim {
        set |= SUB_DELIMS;
    }
    if gen_delim {
        set |= GEN_DELIMS;
    }
    if b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.') {
        set |= SCHEME;
    }
    if unreserved || sub_delim || b == b':' {
        set |= USERINFO | IPVFUTURE;
    }
    if unreserved || sub_delim {
        set |= REG_NAME;
    }
    if pchar && b != b':' {
        set |= SEGMENT_NC;
    }
    if pchar {
        set |= PCHAR | QUERY | PATH;
    }
    if b == b'/' {
        set |= QUERY | PATH;
    }
    if b == b'?' {
        set |= QUERY;
    }
    if set & QUERY != 0 && !matches!(b, b'&' | b';' | b'=' | b'+') {
        set |= QUERY_VALUE;
    }
    set | rfc2396::classes_of(b)
}

/// Whether `byte` is in one of the classes of `set`.
#[inline(always)]
#[must_use]
pub const fn is(byte: u8, set: Class) -> bool {
    CLASSES[byte as usize] & set != 0
}

/// The length of the prefix of `text` that is in `class`, which is one class.
#[inline]
#[must_use]
pub fn run(text: &[u8], class: Class) -> usize {
    // Four look-ups and one branch: a branch per byte takes half as long again, and most runs are short.
    let (blocks, _) = text.as_chunks::<4>();
    let in_class =
        |block: &[u8; 4]| block.iter().fold(class, |common, &byte| common & CLASSES[usize::from(byte)]) != 0;
    let from = 4 * blocks.iter().position(|block| !in_class(block)).unwrap_or(blocks.len());
    from + text[from..].iter().take_while(|&&byte| is(byte, class)).count()
}

/// The value of a hexadecimal digit; `None` for another byte.
#[inline]
#[must_use]
pub const fn hex_value(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

/// The entry of [`HEX_VALUES`] for bytes that are not digits: all bits, so that one such byte shows in a union of
/// several.
pub const NO_DIGIT: u8 = 0xff;

/// [`hex_value`] as a table.
pub static HEX_VALUES: [u8; 256] = {
    let mut table = [NO_DIGIT; 256];
    let mut byte = 0;
    while byte < 256 {
        if let Some(value) = hex_value(byte as u8) {
            table[byte] = value;
        }
        byte += 1;
    }
    table
};

/// The table of the kernels: for each byte its membership in the three classes that they test as bits 0 to 2, and its
/// delimiter as bits 3 to 7.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct KernelTable {
    /// By byte. From 0x80 up all entries are the same: a stop, and nothing else.
    pub bytes: [u8; 256],
    /// The same entries with each bit as the lowest of its own byte, for look-ups that add up.
    pub spread: [u64; 256],
    /// The three classes once more, for look-ups by nibble: `nibbles[class][low]` has bit `high`
    /// set where the byte `high << 4 | low` (`high` below 8) is in the class. Then the stops with the `%`.
    pub nibbles: [[u8; 16]; 4],
    /// Properties of a byte that depend on it and on the byte before it.
    #[cfg(target_arch = "x86_64")]
    pub pairs: Pairs,
}

impl KernelTable {
    /// Class bit: a host made of these alone needs no change of case and no triplet looked at.
    pub const HOST: u8 = 1 << 0;
    /// Class bit: hexadecimal digit.
    pub const HEX: u8 = 1 << 1;
    /// Class bit: not allowed in path, query or fragment (the `%` of a triplet is). It is the highest bit; bytes in no
    /// other class have it too.
    pub const STOP: u8 = 1 << 7;

    /// The index of the stops in [`KernelTable::nibbles`].
    pub const STOP_NIBBLES: usize = 2;
    /// The index of the stops with the `%`.
    pub const FAULT_NIBBLES: usize = 3;

    const IN_NIBBLES: [u8; 3] = [Self::HOST, Self::HEX, Self::STOP];

    /// The table for texts of a class, in which the byte `without` stops a run too.
    const fn new(text: Class, without: Option<u8>) -> Self {
        let mut bytes = [0u8; 256];
        let mut spread = [0u64; 256];
        let mut nibbles = [[0u8; 16]; 4];
        let (mut host, mut faults) = (0u128, 0u128);
        let mut byte = 0usize;
        while byte < 256 {
            let b = byte as u8;
            let mut set = 0;
            let is_left_out = matches!(without, Some(left_out) if left_out == b);
            if !is(b, text) && b != b'%' || is_left_out {
                set |= Self::STOP;
            }
            if b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'.' {
                set |= Self::HOST;
            }
            if b.is_ascii_hexdigit() {
                set |= Self::HEX;
            }
            let mut class = 0;
            while class < 3 && byte < 128 {
                if set & Self::IN_NIBBLES[class] != 0 {
                    nibbles[class][byte & 15] |= 1 << (byte >> 4);
                }
                class += 1;
            }
            if byte < 128 && (set & Self::STOP != 0 || b == b'%') {
                nibbles[Self::FAULT_NIBBLES][byte & 15] |= 1 << (byte >> 4);
                faults |= 1 << byte;
            }
            if byte < 128 && set & Self::HOST != 0 {
                host |= 1 << byte;
            }
            let mut delimiter = 0;
            while delimiter < Delimiter::ALL.len() {
                if Delimiter::ALL[delimiter].byte() == b {
                    set |= Delimiter::ALL[delimiter].bits();
                }
                delimiter += 1;
            }
            bytes[byte] = set;
            let mut bit = 0;
            while bit < 8 {
                spread[byte] |= ((set >> bit & 1) as u64) << (8 * bit);
                bit += 1;
            }
            byte += 1;
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (host, faults);
        KernelTable {
            bytes,
            spread,
            nibbles,
            #[cfg(target_arch = "x86_64")]
            pairs: Pairs::new(host, faults),
        }
    }
}

/// The bytes that the kernels search for individually.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Delimiter {
    /// `:`
    Colon = b':',
    /// `/`
    Slash = b'/',
    /// `?`
    Question = b'?',
    /// `.`
    Dot = b'.',
    /// `%`
    Percent = b'%',
    /// `-`
    Hyphen = b'-',
}

impl Delimiter {
    /// All of them.
    pub const ALL: [Delimiter; 6] = [
        Delimiter::Colon,
        Delimiter::Slash,
        Delimiter::Question,
        Delimiter::Dot,
        Delimiter::Percent,
        Delimiter::Hyphen,
    ];

    /// The byte.
    #[inline(always)]
    #[must_use]
    pub const fn byte(self) -> u8 {
        self as u8
    }

    /// Its bits in an entry of [`KernelTable::bytes`]: one for those searched for in every record; the colon, which is
    /// rarely needed, has two bits of others.
    #[inline(always)]
    #[must_use]
    pub const fn bits(self) -> u8 {
        match self {
            Delimiter::Slash => 1 << 3,
            Delimiter::Question => 1 << 4,
            Delimiter::Percent => 1 << 5,
            Delimiter::Dot => 1 << 6,
            Delimiter::Hyphen => 1 << 2,
            Delimiter::Colon => Delimiter::Dot.bits() | Delimiter::Hyphen.bits(),
        }
    }
}

/// The characters that the kernels take for text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Charset {
    /// RFC 3986's.
    Rfc3986,
    /// RFC 2396's.
    Rfc2396,
    /// Those that the URL Standard leaves as they are.
    Urls,
}

impl Charset {
    /// Its table.
    #[inline]
    pub(crate) const fn table(self) -> &'static KernelTable {
        match self {
            Charset::Rfc3986 => &RFC3986,
            Charset::Rfc2396 => &RFC2396,
            Charset::Urls => &URLS,
        }
    }
}

/// RFC 3986's table for the kernels.
pub static RFC3986: KernelTable = KernelTable::new(QUERY, None);

/// The URL Standard's table for the kernels: the characters that RFC 3986 allows and the standard leaves as they are.
/// `'` is not among them: the standard encodes it in a query.
pub static URLS: KernelTable = KernelTable::new(QUERY, Some(b'\''));

/// RFC 2396's. A path, an opaque part, a query and a fragment all hold `uric` and triplets.
pub static RFC2396: KernelTable = KernelTable::new(rfc2396::URIC, None);

#[cfg(test)]
mod tests {
    use super::*;

    /// Each class against the list of its characters, read off the ABNF of Appendix A.
    #[test]
    fn classes_are_the_abnf() {
        const ALNUM: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
        let rows: [(&str, Class, &str); 18] = [
            ("unreserved", UNRESERVED, "-._~"),
            ("scheme", SCHEME, "+-."),
            ("userinfo", USERINFO, "-._~!$&'()*+,;=:"),
            ("reg-name", REG_NAME, "-._~!$&'()*+,;="),
            ("pchar", PCHAR, "-._~!$&'()*+,;=:@"),
            ("query", QUERY, "-._~!$&'()*+,;=:@/?"),
            ("path", PATH, "-._~!$&'()*+,;=:@/"),
            ("ipvfuture", IPVFUTURE, "-._~!$&'()*+,;=:"),
            ("segment-nz-nc", SEGMENT_NC, "-._~!$&'()*+,;=@"),
            ("letters, digits, hyphens, dots", LDH, "-."),
            ("query value", QUERY_VALUE, "-._~!$'()*,:@/?"),
            ("alphanumeric", ALPHA | DIGIT, ""),
            ("RFC 2396 unreserved", rfc2396::UNRESERVED, "-_.!~*'()"),
            ("RFC 2396 uric", rfc2396::URIC, "-_.!~*'();/?:@&=+$,"),
            ("RFC 2396 userinfo", rfc2396::USERINFO, "-_.!~*'();:&=+$,"),
            ("RFC 2396 reg_name", rfc2396::REG_NAME, "-_.!~*'()$,;:@&=+"),
            ("RFC 2396 pchar", rfc2396::PCHAR, "-_.!~*'():@&=+$,"),
            ("RFC 2396 path_segments", rfc2396::PATH, "-_.!~*'():@&=+$,;/"),
        ];
        for (name, class, others) in rows {
            for byte in 0..=255u8 {
                let expected = ALNUM.as_bytes().contains(&byte) || others.as_bytes().contains(&byte);
                assert_eq!(is(byte, class), expected, "{name}: byte {byte:#04x}");
            }
        }
        for byte in 0..=255u8 {
            assert_eq!(is(byte, GEN_DELIMS), b":/?#[]@".contains(&byte), "gen-delims {byte:#04x}");
            assert_eq!(is(byte, SUB_DELIMS), b"!$&'()*+,;=".contains(&byte), "sub-delims {byte:#04x}");
            assert_eq!(is(byte, HEXDIG), hex_value(byte).is_some(), "HEXDIG {byte:#04x}");
            assert_eq!(is(byte, rfc2396::RESERVED), b";/?:@&=+$,".contains(&byte), "reserved {byte:#04x}");
        }
    }

    #[test]
    fn the_nibbles_say_what_the_bytes_say() {
        for (table, byte) in
            [&RFC3986, &URLS, &RFC2396].into_iter().flat_map(|table| (0..=255u8).map(move |b| (table, b)))
        {
            let bits = table.bytes[usize::from(byte)];
            let in_classes = KernelTable::IN_NIBBLES.map(|class| bits & class != 0);
            let is_fault = bits & KernelTable::STOP != 0 || byte == b'%';
            for (class, wanted) in in_classes.into_iter().chain([is_fault]).enumerate() {
                // Bytes that the kernel treats as a stop and a fault without a look-up.
                let by_nibble = match byte {
                    ..128 => table.nibbles[class][usize::from(byte & 15)] & (1 << (byte >> 4)) != 0,
                    _ => class >= KernelTable::STOP_NIBBLES,
                };
                assert_eq!(by_nibble, wanted, "class {class} of {byte:#04x}");
            }
        }
    }

    /// All pairs of a byte that no control character precedes and a byte below 0x80.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_nibbles_of_pairs_say_what_the_bytes_say() {
        for pairs in [&RFC3986, &RFC2396, &URLS].map(|table| &table.pairs) {
            for (nibbles, bits) in [(&pairs.odd, Pairs::ODD), (&pairs.fault, Pairs::FAULT)] {
                for (before, byte) in (0x20..0x80u8).flat_map(|before| (0..0x80u8).map(move |b| (before, b)))
                {
                    let wanted =
                        pairs.before.0[usize::from(before)] & pairs.byte.0[usize::from(byte)] & bits != 0;
                    let place = 0x30u8.saturating_sub(before) & 15;
                    let found = nibbles.before[usize::from(place)]
                        & nibbles.low[usize::from(byte & 15)]
                        & nibbles.high[usize::from(byte >> 4)];
                    assert_eq!(found != 0, wanted, "{before:#04x} before {byte:#04x}");
                }
            }
        }
    }
}
