//! Percent-encoding (RFC 3986 section 2): data on its way into a component, and out of it again. Behind the
//! parser, because decoding comes after splitting (2.4); before the ladder and `repair`, which encode too.
//!
//! What a component can hold is a class of `grammar::chars`. A run of such bytes is found by look-up and copied
//! at once; what stands between two runs is written as triplets from a table. Where there is only one run the
//! text is its own encoding, and nothing is copied.
//!
//! Two things are called encoding, and only one of them is right for a given text (2.4):
//! - *Data* (a file name, a search term) may hold a percent sign that means itself: [`encode`] makes it `%25`,
//!   and [`decode`] gives the data back, whatever it is.
//! - A text that is *encoded in part* (a link from a page) holds triplets that would otherwise be encoded
//!   twice: [`encode_rest`] keeps them.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use memchr::memchr;

use crate::error::Error;
use crate::grammar::chars::{self, Class, hex_value, is};
use crate::grammar::{Spec, rfc2396};
use crate::uri::{AsText, Code};

/// Where data is put, which decides what of it may stand for itself.
///
/// Each part can hold all that the rule of the grammar can that it is named after, delimiters among them: a
/// part that is put together from several pieces of data (`name=value&name=value`) wants each encoded by
/// itself, as [`Part::Segment`], [`Part::QueryValue`] or [`Part::Unreserved`], before the delimiters go between
/// them (2.2, 2.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// `userinfo` (3.2.1), with its colons.
    Userinfo,
    /// `reg-name` (3.2.2); with the errata without `sub-delims`. RFC 2396 (3.2.2, 3.2.1) has no triplets in a
    /// hostname but in a `reg_name`: its characters but for `:` and `@`, which in a server are delimiters.
    Host,
    /// A whole path (3.3), with its slashes.
    Path,
    /// `segment` (3.3): one piece of a path, so that a slash is data. RFC 2396's has its `;` before parameters.
    Segment,
    /// `segment-nz-nc` (3.3, 4.2), `rel_segment` of RFC 2396: the first segment of a relative reference, in which
    /// a colon would end a scheme.
    FirstSegment,
    /// `query` (3.4), with its `=`, `&` and so on.
    Query,
    /// A name or a value of the pairs that most queries are made of (3.4): of a query's characters not `&`, `;`,
    /// `=` and `+`.
    QueryValue,
    /// `fragment` (3.5).
    Fragment,
    /// Any place at all: nothing but `unreserved` stands for itself (2.3).
    Unreserved,
}

impl Part {
    /// Every part, in the order in which they stand in a URI.
    pub const ALL: [Part; 9] = [
        Part::Userinfo,
        Part::Host,
        Part::Path,
        Part::Segment,
        Part::FirstSegment,
        Part::Query,
        Part::QueryValue,
        Part::Fragment,
        Part::Unreserved,
    ];

    /// The name on the command line. It is stable.
    pub const fn as_str(self) -> &'static str {
        match self {
            Part::Userinfo => "userinfo",
            Part::Host => "host",
            Part::Path => "path",
            Part::Segment => "segment",
            Part::FirstSegment => "first-segment",
            Part::Query => "query",
            Part::QueryValue => "query-value",
            Part::Fragment => "fragment",
            Part::Unreserved => "unreserved",
        }
    }

    /// Whether `byte` may stand for itself here. A percent sign never may: it begins a triplet.
    pub const fn holds(self, byte: u8, spec: Spec) -> bool {
        is(byte, self.class(spec))
    }

    /// The one class of `grammar` that stands for itself here.
    const fn class(self, spec: Spec) -> Class {
        match (self, spec) {
            (Part::Userinfo, Spec::Rfc2396) => rfc2396::USERINFO,
            (Part::Path, Spec::Rfc2396) => rfc2396::PATH,
            (Part::Query | Part::Fragment, Spec::Rfc2396) => rfc2396::URIC,
            (Part::Unreserved, Spec::Rfc2396) => rfc2396::UNRESERVED,
            // Erratum 4942.
            (Part::Host, Spec::Rfc3986Errata) => chars::UNRESERVED,
            (Part::Userinfo, _) => chars::USERINFO,
            (Part::Path, _) => chars::PATH,
            (Part::Query | Part::Fragment, _) => chars::QUERY,
            (Part::Unreserved, _) => chars::UNRESERVED,
            // What RFC 2396 has for these adds up to the same characters.
            (Part::Host, _) => chars::REG_NAME,
            (Part::Segment, _) => chars::PCHAR,
            (Part::FirstSegment, _) => chars::SEGMENT_NC,
            (Part::QueryValue, _) => chars::QUERY_VALUE,
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Part {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|part| part.as_str() == name).ok_or_else(|| {
            let known = Self::ALL.map(Part::as_str).join(", ");
            Error::usage(format!("there is no component {name:?}: use one of {known}"))
        })
    }
}

/// Data as it stands in `part`: every byte that the part cannot hold as a triplet with upper-case digits (2.1),
/// and every percent sign as `%25` (2.4). Borrowed where there is none of them.
///
/// Whatever the data, [`decode`] gives it back, and the text can stand in its part. What no encoding of bytes
/// can do is left to whoever puts the parts together: a segment `.` or `..` means a folder even as `%2E`
/// (6.2.2), and a path without authority must not begin with `//` (3.3).
///
/// ```
/// use urimill::Spec;
/// use urimill::encode::{Part, encode};
///
/// let encoded = |data, part| encode(data, part, Spec::Rfc3986);
/// assert_eq!(encoded("100 %", Part::Segment), "100%20%25");
/// assert_eq!(encoded("AC/DC", Part::Segment), "AC%2FDC");
/// assert_eq!(encoded("AC/DC", Part::Path), "AC/DC");
/// assert_eq!(encoded("a+b=ü&c", Part::QueryValue), "a%2Bb%3D%C3%BC%26c");
/// assert_eq!(encoded("!", Part::Unreserved), "%21");
/// assert_eq!(encode("!", Part::Unreserved, Spec::Rfc2396), "!");
/// ```
pub fn encode<T: AsText + ?Sized>(data: &T, part: Part, spec: Spec) -> Cow<'_, str> {
    encoded::<T, false>(data, part.class(spec))
}

/// [`encode`] for a text that is encoded in part: triplets stay as they are, so that doing it twice is doing it
/// once (2.4). A percent sign without two hexadecimal digits behind it is data.
///
/// ```
/// use urimill::Spec;
/// use urimill::encode::{Part, encode_rest};
///
/// assert_eq!(encode_rest("/a b%20c/100%", Part::Path, Spec::Rfc3986), "/a%20b%20c/100%25");
/// assert_eq!(encode_rest("/a%20b%20c/100%25", Part::Path, Spec::Rfc3986), "/a%20b%20c/100%25");
/// ```
pub fn encode_rest<T: AsText + ?Sized>(text: &T, part: Part, spec: Spec) -> Cow<'_, str> {
    encoded::<T, true>(text, part.class(spec))
}

fn encoded<T: AsText + ?Sized, const KEEP: bool>(text: &T, class: Class) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let kept = kept::<KEEP>(bytes, class);
    if kept == bytes.len() {
        // All classes are of ASCII characters.
        return Cow::Borrowed(text.as_text().unwrap_or_default());
    }
    let mut out = Vec::with_capacity(bytes.len() + (bytes.len() - kept).min(64) * 2);
    out.extend_from_slice(&bytes[..kept]);
    write::<KEEP>(&bytes[kept..], class, &mut out);
    Cow::Owned(String::from_utf8(out).expect("triplets and the characters of all classes are ASCII"))
}

/// [`encode_rest`] for a class, appended to `out`.
pub(crate) fn write_rest(text: &[u8], class: Class, out: &mut Vec<u8>) {
    write::<true>(text, class, out);
}

/// How many bytes `text` begins with that stay as they are; triplets among them where `KEEP`.
#[inline(always)]
fn kept<const KEEP: bool>(text: &[u8], class: Class) -> usize {
    let mut at = chars::run(text, class);
    while KEEP && text.get(at) == Some(&b'%') && triplet(&text[at..]).is_ok() {
        at += 3;
        at += chars::run(&text[at..], class);
    }
    at
}

fn write<const KEEP: bool>(text: &[u8], class: Class, out: &mut Vec<u8>) {
    let mut rest = text;
    loop {
        let (same, behind) = rest.split_at(kept::<KEEP>(rest, class));
        out.extend_from_slice(same);
        // What is encoded comes in runs: a character outside ASCII is two bytes at least.
        let stays = |&byte: &u8| is(byte, class) || KEEP && byte == b'%';
        let Some((&first, others)) = behind.split_first() else { return };
        let (run, behind) = others.split_at(others.iter().position(stays).unwrap_or(others.len()));
        out.reserve(3 + 3 * run.len());
        out.extend_from_slice(&TRIPLETS[usize::from(first)]);
        for &byte in run {
            out.extend_from_slice(&TRIPLETS[usize::from(byte)]);
        }
        rest = behind;
    }
}

/// Why a text cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// The byte that is wrong; the text's length where bytes are missing.
    pub offset: usize,
}

/// What is wrong with a text that is to be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// It ends inside a triplet (2.1).
    PercentTruncated,
    /// A byte inside a triplet that is no hexadecimal digit (2.1).
    PercentInvalidDigit,
    /// A byte that the part cannot hold: it is data that has not been encoded, or the text has not been split
    /// yet (2.4).
    OutsidePart,
}

impl FaultKind {
    /// A stable code; where [`Code`] has the same fault, its code.
    pub const fn as_str(self) -> &'static str {
        match self {
            FaultKind::PercentTruncated => Code::PercentTruncated.as_str(),
            FaultKind::PercentInvalidDigit => Code::PercentInvalidDigit.as_str(),
            FaultKind::OutsidePart => "invalid_char",
        }
    }

    /// What the code means, for people.
    pub const fn sentence(self) -> &'static str {
        match self {
            FaultKind::PercentTruncated => Code::PercentTruncated.sentence(),
            FaultKind::PercentInvalidDigit => Code::PercentInvalidDigit.sentence(),
            FaultKind::OutsidePart => "a character that the component cannot hold",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} (byte {})", self.kind.as_str(), self.kind.sentence(), self.offset)
    }
}

impl std::error::Error for Fault {}

/// The data that a text stands for: its triplets as the bytes that they mean (2.1), everything else as it is,
/// also a `+`. Borrowed where there are no triplets.
///
/// The text is a component or a piece of one. A whole URI has to be split first, or delimiters and data cannot
/// be told apart afterwards; and a text is decoded once, or data that looks like a triplet is lost (2.4). The
/// data need not be UTF-8: it is bytes.
///
/// ```
/// use urimill::UriRef;
/// use urimill::encode::{FaultKind, decode};
///
/// let uri = UriRef::parse("http://example.com/AC%2FDC/100%2525?q=%E9")?;
/// let segments: Vec<_> = uri.path().split('/').map(|segment| decode(segment).unwrap()).collect();
/// assert_eq!(segments, [&b""[..], b"AC/DC", b"100%25"]);
/// assert_eq!(*decode("%E9").unwrap(), [0xE9]);
/// let fault = decode("a%4").unwrap_err();
/// assert_eq!((fault.kind, fault.offset), (FaultKind::PercentTruncated, 3));
/// # Ok::<(), urimill::Reject>(())
/// ```
///
/// # Errors
/// Where a percent sign does not begin a triplet.
pub fn decode<T: AsText + ?Sized>(text: &T) -> Result<Cow<'_, [u8]>, Fault> {
    decoded(text.as_bytes(), until_percent, false)
}

/// [`decode`] for a text that must be able to stand in `part`: so one that has not been split is noticed.
///
/// ```
/// use urimill::Spec;
/// use urimill::encode::{FaultKind, Part, decode_part};
///
/// let decoded = |text| decode_part(text, Part::Segment, Spec::Rfc3986);
/// assert_eq!(*decoded("AC%2FDC").unwrap(), *b"AC/DC");
/// let fault = decoded("AC/DC").unwrap_err();
/// assert_eq!((fault.kind, fault.offset), (FaultKind::OutsidePart, 2));
/// ```
///
/// # Errors
/// Those of [`decode`], and where a byte can only be encoded in the part.
pub fn decode_part<T: AsText + ?Sized>(text: &T, part: Part, spec: Spec) -> Result<Cow<'_, [u8]>, Fault> {
    let class = part.class(spec);
    decoded(text.as_bytes(), |text| chars::run(text, class), false)
}

/// [`decode`] as browsers have it: a percent sign that begins no triplet stands for itself.
///
/// ```
/// use urimill::encode::decode_leniently;
///
/// assert_eq!(*decode_leniently("100% %41%4"), *b"100% A%4");
/// ```
pub fn decode_leniently<T: AsText + ?Sized>(text: &T) -> Cow<'_, [u8]> {
    let bytes = text.as_bytes();
    decoded(bytes, until_percent, true).unwrap_or(Cow::Borrowed(bytes))
}

fn until_percent(text: &[u8]) -> usize {
    memchr(b'%', text).unwrap_or(text.len())
}

/// `plain` tells how many bytes a text begins with that stand for themselves; what follows them is a triplet.
fn decoded(text: &[u8], plain: impl Fn(&[u8]) -> usize, is_lenient: bool) -> Result<Cow<'_, [u8]>, Fault> {
    let mut at = plain(text);
    if at == text.len() {
        return Ok(Cow::Borrowed(text));
    }
    let mut out = Vec::with_capacity(text.len());
    out.extend_from_slice(&text[..at]);
    while at < text.len() {
        match triplet(&text[at..]) {
            Ok(byte) => {
                out.push(byte);
                at += 3;
            }
            Err(_) if is_lenient => {
                out.push(b'%');
                at += 1;
            }
            Err(fault) => return Err(Fault { offset: at + fault.offset, ..fault }),
        }
        // Triplets come in runs.
        if text.get(at) != Some(&b'%') {
            let same = plain(&text[at..]);
            out.extend_from_slice(&text[at..at + same]);
            at += same;
        }
    }
    // Every triplet makes it shorter.
    Ok(if out.len() == text.len() { Cow::Borrowed(text) } else { Cow::Owned(out) })
}

/// The byte that the triplet means which `text` begins with.
#[inline(always)]
fn triplet(text: &[u8]) -> Result<u8, Fault> {
    if let [b'%', high, low, ..] = text {
        let (high, low) = (DIGITS[usize::from(*high)], DIGITS[usize::from(*low)]);
        if high | low < 16 {
            return Ok(high << 4 | low);
        }
    }
    Err(fault(text))
}

/// Why `text` begins with no triplet.
#[cold]
fn fault(text: &[u8]) -> Fault {
    let fault = |kind, offset| Fault { kind, offset };
    if text.first() != Some(&b'%') {
        return fault(FaultKind::OutsidePart, 0);
    }
    match text[1..].iter().take(2).position(|&byte| hex_value(byte).is_none()) {
        Some(at) => fault(FaultKind::PercentInvalidDigit, 1 + at),
        None => fault(FaultKind::PercentTruncated, text.len()),
    }
}

/// What no hexadecimal digit means.
const NO_DIGIT: u8 = 0xFF;

/// [`hex_value`] as a table.
static DIGITS: [u8; 256] = {
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

/// Every byte as a triplet.
static TRIPLETS: [[u8; 3]; 256] = {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut table = [[b'%', 0, 0]; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte][1] = DIGITS[byte >> 4];
        table[byte][2] = DIGITS[byte & 15];
        byte += 1;
    }
    table
};
