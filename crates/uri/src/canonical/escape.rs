//! Triplets in a buffer that is being written: decoded repeatedly, decoded one by one, and encoded again. The canonical
//! forms differ mostly in the characters concerned.

use alloc::vec::Vec;
use memchr::memchr;

use crate::encode::{TRIPLETS, triplet};

/// Appends `text` with its triplets decoded until none is left: `%2525` and `%25%32%35` are `%`. Returns whether there
/// were any: in valid text, only decoded bytes can need [`escape`] afterwards.
///
/// One pass suffices: after each byte that follows a decoded percent sign, the end of the output is checked for a triplet
/// that it completes, which is decoded in place. Triplets never overlap, so the order does not matter.
pub(super) fn unescape_repeatedly(text: &[u8], out: &mut Vec<u8>) -> bool {
    let Some(first) = memchr(b'%', text) else {
        out.extend_from_slice(text);
        return false;
    };
    let from = out.len();
    out.extend_from_slice(&text[..first]);
    let mut rest = &text[first..];
    while let [byte, behind @ ..] = rest {
        if !may_become_triplet(&out[from..]) {
            // Nothing that is pending could become a triplet.
            if *byte != b'%' {
                let len = memchr(b'%', rest).unwrap_or(rest.len());
                out.extend_from_slice(&rest[..len]);
                rest = &rest[len..];
                continue;
            }
            if let Ok(byte) = triplet(rest) {
                out.push(byte);
                rest = &rest[3..];
                continue;
            }
        }
        out.push(*byte);
        rest = behind;
        while let Some(at) = out.len().checked_sub(3).filter(|&at| at >= from && out[at] == b'%')
            && let Ok(byte) = triplet(&out[at..])
        {
            out.truncate(at);
            out.push(byte);
        }
    }
    true
}

/// Whether a text ends in a percent sign, or in one and another byte.
#[inline(always)]
fn may_become_triplet(text: &[u8]) -> bool {
    matches!(text, [.., b'%'] | [.., b'%', _])
}

/// Whether a byte stays as it is by rule 3 of the form of web archives.
pub(super) const fn stays(byte: u8) -> bool {
    byte > b' ' && byte < 0x7F && byte != b'#' && byte != b'%'
}

/// Percent-encodes the bytes of `out[from..]` for which `stays` is false, with upper-case digits.
pub(super) fn escape(out: &mut Vec<u8>, from: usize, stays: impl Fn(u8) -> bool) {
    let count = out[from..].iter().filter(|&&byte| !stays(byte)).count();
    if count == 0 {
        return;
    }
    // From the end, where the free space is.
    let mut read = out.len();
    out.resize(read + 2 * count, 0);
    let mut write = out.len();
    while read < write {
        read -= 1;
        let byte = out[read];
        if stays(byte) {
            write -= 1;
            out[write] = byte;
        } else {
            write -= 3;
            out[write..write + 3].copy_from_slice(&TRIPLETS[usize::from(byte)]);
        }
    }
}

/// Appends a valid text with those triplets undone for which `undone` is true, and the digits of the others in
/// upper case.
pub(super) fn unescape_where(text: &[u8], undone: impl Fn(u8) -> bool, out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = memchr(b'%', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        match triplet(rest) {
            Ok(byte) if undone(byte) => out.push(byte),
            Ok(byte) => out.extend_from_slice(&TRIPLETS[usize::from(byte)]),
            // Only in invalid text.
            Err(_) => {
                out.push(b'%');
                rest = &rest[1..];
                continue;
            }
        }
        rest = &rest[3..];
    }
    out.extend_from_slice(rest);
}
