//! Percent-encoding (RFC 3986 section 2): puts data into a component and takes it out again. It comes after the parser,
//! because decoding comes after splitting (2.4), and before the ladder and `repair`, which use it.
//!
//! What a component can hold is a class of `grammar::chars`. A run of such bytes is found by table look-up and copied
//! at once; the bytes between two runs are written as triplets from a table. If there is only one run, the text is its
//! own encoding and nothing is copied.
//!
//! Two things are called encoding, and only one of them is right for a given text (2.4):
//! - *Data* (a file name, a search term) may hold a percent sign that means itself: [`encode`] makes it `%25`, and
//!   [`decode`] gives any data back.
//! - A *partly encoded* text (a link from a page) holds triplets that [`encode`] would encode twice: [`encode_rest`]
//!   keeps them.

mod decode;
mod host;
pub(crate) mod params;
mod part;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

#[cfg(any(feature = "audit", feature = "canonical"))]
pub(crate) use decode::decoded_bytes;
#[cfg(any(feature = "audit", feature = "canonical"))]
pub(crate) use decode::triplet;
pub use decode::{Fault, FaultKind, decode, decode_leniently, decode_part};
pub(crate) use host::host_not_utf8;
pub use params::{QueryParam, QueryParams, query_params};
pub use part::Part;

use crate::grammar::Spec;
use crate::grammar::chars::{self, Class, is};
use crate::reference::AsText;

/// Data encoded for `part`: bytes that the part cannot hold become triplets with upper-case digits (2.1), and every
/// percent sign becomes `%25` (2.4). Borrowed if there are none of these.
///
/// For any data, [`decode`] gives it back, and the text is valid in its part. The code that joins the parts must handle
/// two cases that no encoding of bytes can: a segment `.` or `..` means a folder even as `%2E` (6.2.2), and a path
/// without authority must not begin with `//` (3.3).
///
/// ```
/// use urimill_uri::Spec;
/// use urimill_uri::encode::{Part, encode};
///
/// let encoded = |data, part| encode(data, part, Spec::Rfc3986).unwrap();
/// assert_eq!(encoded("100 %", Part::Segment), "100%20%25");
/// assert_eq!(encoded("AC/DC", Part::Segment), "AC%2FDC");
/// assert_eq!(encoded("AC/DC", Part::Path), "AC/DC");
/// assert_eq!(encoded("a+b=ü&c", Part::QueryValue), "a%2Bb%3D%C3%BC%26c");
/// assert_eq!(encoded("!", Part::Unreserved), "%21");
/// assert_eq!(encode("!", Part::Unreserved, Spec::Rfc2396)?, "!");
/// assert!(encode(b"\xFF", Part::Host, Spec::Rfc3986).is_err());
/// # Ok::<(), urimill_uri::encode::Fault>(())
/// ```
///
/// # Errors
/// [`FaultKind::NotUtf8`], for a host alone, where the data is not UTF-8: percent-encoding stands for UTF-8 there and
/// for nothing else (3.2.2). RFC 2396 has no such rule.
pub fn encode<T: AsText + ?Sized>(data: &T, part: Part, spec: Spec) -> Result<Cow<'_, str>, Fault> {
    if holds_utf8_alone(part, spec)
        && let Err(error) = core::str::from_utf8(data.as_bytes())
    {
        return Err(not_utf8(error.valid_up_to()));
    }
    Ok(encoded::<T, false>(data, part.class(spec)))
}

/// [`encode`] for a partly encoded text: triplets stay as they are, so a second call changes nothing (2.4). A percent
/// sign without two hexadecimal digits after it is data.
///
/// ```
/// use urimill_uri::Spec;
/// use urimill_uri::encode::{Part, encode_rest};
///
/// assert_eq!(encode_rest("/a b%20c/100%", Part::Path, Spec::Rfc3986)?, "/a%20b%20c/100%25");
/// assert_eq!(encode_rest("/a%20b%20c/100%25", Part::Path, Spec::Rfc3986)?, "/a%20b%20c/100%25");
/// # Ok::<(), urimill_uri::encode::Fault>(())
/// ```
///
/// # Errors
/// Fails as [`encode`] does; triplets count as the bytes that they stand for.
pub fn encode_rest<T: AsText + ?Sized>(text: &T, part: Part, spec: Spec) -> Result<Cow<'_, str>, Fault> {
    if holds_utf8_alone(part, spec)
        && let Some(at) = host_not_utf8(text.as_bytes())
    {
        return Err(not_utf8(at));
    }
    Ok(encoded::<T, true>(text, part.class(spec)))
}

fn holds_utf8_alone(part: Part, spec: Spec) -> bool {
    part == Part::Host && spec != Spec::Rfc2396
}

fn not_utf8(offset: usize) -> Fault {
    Fault { kind: FaultKind::NotUtf8, offset }
}

fn encoded<T: AsText + ?Sized, const KEEP: bool>(text: &T, class: Class) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let kept = kept::<KEEP>(bytes, class);
    if kept == bytes.len() {
        // All classes contain only ASCII characters.
        return Cow::Borrowed(text.as_text().unwrap_or_default());
    }
    let mut out = Vec::with_capacity(bytes.len() + (bytes.len() - kept).min(64) * 2);
    out.extend_from_slice(&bytes[..kept]);
    write::<KEEP>(&bytes[kept..], class, &mut out);
    Cow::Owned(String::from_utf8(out).expect("triplets and the characters of all classes are ASCII"))
}

/// [`encode_rest`] for a class, appended to `out`.
#[cfg(feature = "idna")]
pub(crate) fn write_rest(text: &[u8], class: Class, out: &mut Vec<u8>) {
    write::<true>(text, class, out);
}

/// The length of the prefix of `text` that stays as it is; with triplets in it if `KEEP`.
#[inline(always)]
fn kept<const KEEP: bool>(text: &[u8], class: Class) -> usize {
    let mut at = chars::run(text, class);
    while KEEP && text.get(at) == Some(&b'%') && decode::triplet(&text[at..]).is_ok() {
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
        // Bytes to encode come in runs: a character outside ASCII has at least two bytes.
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

/// The triplet of every byte.
pub(crate) static TRIPLETS: [[u8; 3]; 256] = {
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
