//! Decoding: from the text of a component, already split off, to the data that it stands for.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

use memchr::memchr;

use super::Part;
use crate::grammar::Spec;
use crate::grammar::chars::{self, HEX_VALUES, hex_value};
use crate::reference::AsText;
use crate::reject::Code;

/// Why a text cannot be decoded, or data cannot be encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The byte that is wrong; the text's length where bytes are missing.
    pub offset: usize,
}

/// The fault of a text that is to be decoded or encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// It ends inside a triplet (2.1).
    PercentTruncated,
    /// A byte inside a triplet that is not a hexadecimal digit (2.1).
    PercentInvalidDigit,
    /// A byte that the part cannot hold: it is data that has not been encoded, or the text has not been split
    /// yet (2.4).
    OutsidePart,
    /// Data for a host that is not UTF-8: percent-encoding must not be used for it (3.2.2).
    NotUtf8,
}

impl FaultKind {
    /// A stable code; where [`Code`] has the same fault, its code.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            FaultKind::PercentTruncated => Code::PercentTruncated.as_str(),
            FaultKind::PercentInvalidDigit => Code::PercentInvalidDigit.as_str(),
            FaultKind::OutsidePart => "invalid_char",
            FaultKind::NotUtf8 => Code::NotUtf8.as_str(),
        }
    }

    /// What the code means, for people.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            FaultKind::PercentTruncated => Code::PercentTruncated.sentence(),
            FaultKind::PercentInvalidDigit => Code::PercentInvalidDigit.sentence(),
            FaultKind::OutsidePart => "a character that the component cannot hold",
            FaultKind::NotUtf8 => "a byte that is not UTF-8, for which a host has no percent-encoding",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} (byte {})", self.kind.as_str(), self.kind.sentence(), self.offset)
    }
}

impl core::error::Error for Fault {}

/// The data that a text stands for: its triplets as the bytes that they mean (2.1), everything else unchanged, also a
/// `+`. Borrowed where there are no triplets.
///
/// The text is a component or a piece of one. Split a URI before decoding, or delimiters and data can no longer be
/// distinguished; and decode a text only once, or data that looks like a triplet is lost (2.4). The data need not be
/// UTF-8: it is bytes.
///
/// ```
/// use urimill_uri::UriRef;
/// use urimill_uri::encode::{FaultKind, decode};
///
/// let uri = UriRef::parse("http://example.com/AC%2FDC/100%2525?q=%E9")?;
/// let segments: Vec<_> = uri.path().split('/').map(|segment| decode(segment).unwrap()).collect();
/// assert_eq!(segments, [&b""[..], b"AC/DC", b"100%25"]);
/// assert_eq!(*decode("%E9").unwrap(), [0xE9]);
/// let fault = decode("a%4").unwrap_err();
/// assert_eq!((fault.kind, fault.offset), (FaultKind::PercentTruncated, 3));
/// # Ok::<(), urimill_uri::Reject>(())
/// ```
///
/// # Errors
/// Where a percent sign does not begin a triplet.
pub fn decode<T: AsText + ?Sized>(text: &T) -> Result<Cow<'_, [u8]>, Fault> {
    decoded(text.as_bytes(), until_percent, false)
}

/// [`decode`] for a text that must be valid in `part`, so that a text that was not split is an error.
///
/// ```
/// use urimill_uri::Spec;
/// use urimill_uri::encode::{FaultKind, Part, decode_part};
///
/// let decoded = |text| decode_part(text, Part::Segment, Spec::Rfc3986);
/// assert_eq!(*decoded("AC%2FDC").unwrap(), *b"AC/DC");
/// let fault = decoded("AC/DC").unwrap_err();
/// assert_eq!((fault.kind, fault.offset), (FaultKind::OutsidePart, 2));
/// ```
///
/// # Errors
/// Fails as [`decode`] does, and where the text has a byte that the part allows only as a triplet.
pub fn decode_part<T: AsText + ?Sized>(text: &T, part: Part, spec: Spec) -> Result<Cow<'_, [u8]>, Fault> {
    let class = part.class(spec);
    decoded(text.as_bytes(), |text| chars::run(text, class), false)
}

/// [`decode`] as browsers do it: a percent sign that does not begin a triplet stands for itself.
///
/// ```
/// use urimill_uri::encode::decode_leniently;
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

/// `plain` returns how many bytes at the start of a text stand for themselves; a triplet follows them.
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
    // Every triplet makes the output shorter than the input.
    Ok(if out.len() == text.len() { Cow::Borrowed(text) } else { Cow::Owned(out) })
}

/// The byte that the triplet at the start of `text` stands for.
#[inline(always)]
pub(crate) fn triplet(text: &[u8]) -> Result<u8, Fault> {
    if let [b'%', high, low, ..] = text {
        let (high, low) = (HEX_VALUES[usize::from(*high)], HEX_VALUES[usize::from(*low)]);
        if high | low < 16 {
            return Ok(high << 4 | low);
        }
    }
    Err(fault(text))
}

/// The bytes that a valid text means, each triplet decoded once, where `+` means `plus`.
pub(crate) fn decoded_bytes(piece: &[u8], plus: u8) -> impl Iterator<Item = u8> {
    let mut rest = piece;
    core::iter::from_fn(move || {
        let (&first, behind) = rest.split_first()?;
        if first == b'%'
            && let Ok(byte) = triplet(rest)
        {
            rest = &rest[3..];
            return Some(byte);
        }
        rest = behind;
        Some(if first == b'+' { plus } else { first })
    })
}

/// Why `text` does not begin with a triplet.
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
