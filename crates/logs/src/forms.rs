//! The forms of values that distinguish a field from its neighbours: names of ciphers, versions of TLS, codes, resource
//! names. A definition names one after an equals sign (`{ssl_cipher=cipher}`). A line whose fields do not have their forms
//! has lost or gained a field, or is of another format. One pass over the bytes of a value finds whether it has its form.

/// Names and forms of values that a format defines.
pub(crate) type Values = &'static [(&'static str, Form)];

/// The form of a value: its bytes, words and beginnings. `-` is a value of every form, and so is the empty text, but
/// where the least number of bytes is known.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Form {
    /// The kinds of bytes that it may have, that it may begin with, and that it may end with.
    pub(crate) allowed: u32,
    pub(crate) first: u32,
    pub(crate) last: u32,
    /// It has a byte of each of these.
    pub(crate) needs: [u32; 2],
    /// Instead, it may begin so, and have neither quotes nor spaces.
    pub(crate) prefixes: &'static [&'static str],
    /// Instead, it may be one of these.
    pub(crate) words: &'static [&'static str],
    /// It never begins so.
    pub(crate) never: &'static [&'static str],
    /// It begins in one of these ways.
    pub(crate) begins: &'static [&'static str],
    /// It begins with a scheme and two slashes.
    pub(crate) is_url: bool,
    /// Nothing is known of its beginning but the first byte.
    pub(crate) is_open: bool,
    /// It has no more bytes than the first, and no fewer than the second.
    pub(crate) most: usize,
    pub(crate) least: usize,
    /// It is a number, which nothing but a number can be taken for.
    pub(crate) is_number: bool,
}

pub(super) const DIGIT: u32 = 1;
/// Letters that hexadecimal numbers have, and others.
pub(super) const LOWER_HEX: u32 = 1 << 1;
pub(super) const LOWER_REST: u32 = 1 << 2;
pub(super) const UPPER_HEX: u32 = 1 << 3;
pub(super) const UPPER_REST: u32 = 1 << 4;
pub(super) const DASH: u32 = 1 << 5;
pub(super) const UNDERSCORE: u32 = 1 << 6;
pub(super) const DOT: u32 = 1 << 7;
pub(super) const COLON: u32 = 1 << 8;
pub(super) const SLASH: u32 = 1 << 9;
pub(super) const BAR: u32 = 1 << 10;
pub(super) const COMMA: u32 = 1 << 11;
pub(super) const PLUS: u32 = 1 << 12;
pub(super) const EQUALS: u32 = 1 << 13;
pub(super) const SPACE: u32 = 1 << 14;
pub(super) const BRACKET: u32 = 1 << 15;
pub(super) const QUOTE: u32 = 1 << 16;
/// All other printable bytes, in ASCII or not.
pub(super) const OTHER: u32 = 1 << 17;
pub(super) const CONTROL: u32 = 1 << 18;
pub(super) const PERCENT: u32 = 1 << 19;

pub(super) const LOWER: u32 = LOWER_HEX | LOWER_REST;
pub(super) const UPPER: u32 = UPPER_HEX | UPPER_REST;
pub(super) const LETTER: u32 = LOWER | UPPER;
/// Every kind.
pub(super) const ANY: u32 = u32::MAX;
pub(super) const WORD: u32 = ANY & !(QUOTE | SPACE | CONTROL);
pub(super) const NAME: u32 = LETTER | DIGIT | DASH | UNDERSCORE | DOT;

const fn kind(byte: u8) -> u32 {
    match byte {
        b'0'..=b'9' => DIGIT,
        b'a'..=b'f' => LOWER_HEX,
        b'g'..=b'z' => LOWER_REST,
        b'A'..=b'F' => UPPER_HEX,
        b'G'..=b'Z' => UPPER_REST,
        b'-' => DASH,
        b'_' => UNDERSCORE,
        b'.' => DOT,
        b':' => COLON,
        b'/' => SLASH,
        b'|' => BAR,
        b',' => COMMA,
        b'+' => PLUS,
        b'=' => EQUALS,
        b' ' => SPACE,
        b'[' | b']' => BRACKET,
        b'"' => QUOTE,
        b'%' => PERCENT,
        0..=0x1f | 0x7f => CONTROL,
        _ => OTHER,
    }
}

/// The kinds that a text names: words, and single characters, with spaces between.
///
/// # Errors
/// The words that are allowed, if one names no kind.
pub(crate) fn kinds_named(text: &str) -> Result<u32, String> {
    const NAMED: &[(&str, u32)] = &[
        ("digits", DIGIT),
        ("lower", LOWER),
        ("upper", UPPER),
        ("letters", LETTER),
        ("hex", DIGIT | LOWER_HEX | UPPER_HEX),
        ("name", NAME),
        ("word", WORD),
        ("space", SPACE),
        ("brackets", BRACKET),
        ("others", OTHER),
        ("any", ANY),
    ];
    text.split_whitespace().try_fold(0, |kinds, word| {
        let own = NAMED.iter().find(|(name, _)| *name == word).map(|(_, kind)| *kind);
        let sign = || match word.as_bytes() {
            [byte] => Some(kind(*byte)).filter(|kind| kind & (LETTER | DIGIT | OTHER | CONTROL) == 0),
            _ => None,
        };
        own.or_else(sign).map(|kind| kinds | kind).ok_or_else(|| {
            let names: Vec<_> = NAMED.iter().map(|(name, _)| *name).collect();
            format!(
                "{word:?} is no kind of bytes: those are {} and the signs - _ . : / | , + = \" %",
                names.join(", ")
            )
        })
    })
}

/// The kind of a byte.
#[inline]
pub(super) fn kind_of(byte: u8) -> u32 {
    KINDS[usize::from(byte)]
}

/// The kinds of all bytes of a text; eight at a time, because most of what it takes to check a log is this.
#[inline]
fn kinds_of(text: &[u8]) -> u32 {
    let all = |bytes: &[u8]| bytes.iter().fold(0, |seen, &byte| seen | kind_of(byte));
    let (eights, rest) = text.as_chunks::<8>();
    eights.iter().fold(all(rest), |seen, eight| seen | all(eight))
}

static KINDS: [u32; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = kind(byte as u8);
        byte += 1;
    }
    kinds
};

impl Form {
    pub(crate) const fn of(allowed: u32) -> Form {
        Form {
            allowed,
            first: ANY,
            last: ANY,
            needs: [ANY; 2],
            prefixes: &[],
            words: &[],
            never: &[],
            begins: &[],
            is_url: false,
            is_open: true,
            most: usize::MAX,
            least: 0,
            is_number: false,
        }
    }

    pub(super) const fn words(words: &'static [&'static str]) -> Form {
        Form { words, ..Form::of(0) }
    }

    pub(super) const fn prefixes(prefixes: &'static [&'static str]) -> Form {
        Form { prefixes, ..Form::of(0) }
    }

    pub(super) const fn first(self, first: u32) -> Form {
        Form { first, ..self }
    }

    pub(super) const fn last(self, last: u32) -> Form {
        Form { last, ..self }
    }

    pub(super) const fn needs(self, a: u32, b: u32) -> Form {
        Form { needs: [a, b], ..self }
    }

    pub(super) const fn or_words(self, words: &'static [&'static str]) -> Form {
        Form { words, ..self }
    }

    pub(super) const fn number(self) -> Form {
        Form { is_number: true, ..self }
    }

    pub(super) const fn least(self, least: usize) -> Form {
        Form { least, ..self }
    }

    pub(super) const fn most(self, most: usize) -> Form {
        Form { most, ..self }
    }

    pub(super) const fn url(self) -> Form {
        Form { is_url: true, is_open: false, ..self }
    }

    pub(super) const fn never(self, never: &'static [&'static str]) -> Form {
        Form { never, is_open: false, ..self }
    }

    pub(super) const fn begins(self, begins: &'static [&'static str]) -> Form {
        Form { begins, is_open: false, ..self }
    }

    pub(super) const fn or_prefixes(self, prefixes: &'static [&'static str]) -> Form {
        Form { prefixes, ..self }
    }

    /// Whether a text that is not `-` has the form.
    #[inline]
    pub(super) fn has(&self, text: &[u8]) -> bool {
        let (&[first, ..], &[.., last]) = (text, text) else { return self.least == 0 };
        self.allowed != 0
            && kind_of(first) & self.first != 0
            && kind_of(last) & self.last != 0
            && text.len() >= self.least
            && text.len() <= self.most
            && self.has_bytes(text)
            && (self.is_open || self.has_beginning(text))
            || self.is_other(text)
    }

    /// Whether a text begins as it may.
    #[inline(never)]
    fn has_beginning(&self, text: &[u8]) -> bool {
        let begins = |prefix: &&str| begins(text, prefix);
        (self.begins.is_empty() || self.begins.iter().any(begins))
            && !self.never.iter().any(begins)
            && (!self.is_url || is_url(text))
    }

    /// Whether a text is one of those that it may be instead.
    #[inline(never)]
    fn is_other(&self, text: &[u8]) -> bool {
        self.words.iter().any(|word| word.len() == text.len() && begins(text, word))
            || self.prefixes.iter().any(|prefix| begins(text, prefix)) && kinds_of(text) & !WORD == 0
    }

    /// Whether a text has the bytes that it may have, and those that it must have.
    #[inline]
    fn has_bytes(&self, text: &[u8]) -> bool {
        if self.allowed == ANY && self.needs == [ANY; 2] {
            return true;
        }
        let seen = kinds_of(text);
        seen & !self.allowed == 0 && seen & self.needs[0] != 0 && seen & self.needs[1] != 0
    }

    /// The kinds of bytes that a text of the form begins and ends with, and whether more must be known of it.
    pub(super) fn ends(&self) -> (u32, u32, bool) {
        let is_open = self.words.is_empty() && self.prefixes.is_empty();
        let is_known = (self.allowed, self.needs, self.most) == (ANY, [ANY; 2], usize::MAX) && self.is_open;
        if is_open { (self.first, self.last, !is_known) } else { (ANY, ANY, true) }
    }

    /// Whether every text without quotes is of the form.
    pub(super) fn is_any_but_quotes(&self) -> bool {
        *self == Form::of(self.allowed) && self.allowed | QUOTE == ANY
    }

    /// Whether `-` alone is of the form.
    pub(super) fn is_none(&self) -> bool {
        self.allowed == 0 && self.words.is_empty() && self.prefixes.is_empty()
    }
}

/// Whether a text begins so; most texts that do not have another first byte.
#[inline]
pub(super) fn begins(text: &[u8], prefix: &str) -> bool {
    text.first() == prefix.as_bytes().first() && text.starts_with(prefix.as_bytes())
}

/// Whether a text begins with a scheme and two slashes.
fn is_url(text: &[u8]) -> bool {
    let scheme = text.iter().take_while(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b)).count();
    scheme > 0 && text[scheme..].starts_with(b"://")
}
