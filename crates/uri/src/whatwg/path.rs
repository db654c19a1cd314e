//! Paths (4.4, path state): segments are appended to the URL that is being written, each with the slash before it.

use alloc::vec::Vec;

use super::percent_encode as sets;
use super::scheme::Special;
use crate::simd;
use crate::standard::Standard;

/// A path that is being written: it begins at `start` of `out`.
pub(super) struct Path<'o> {
    pub(super) out: &'o mut Vec<u8>,
    pub(super) start: usize,
    pub(super) special: Option<Special>,
}

impl Path<'_> {
    /// Whether a byte ends a segment.
    fn is_slash(&self, byte: u8) -> bool {
        byte == b'/' || byte == b'\\' && self.special.is_some()
    }

    /// Appends all segments of `text`, which has neither query nor fragment and begins after a slash.
    pub(super) fn append(&mut self, text: &[u8]) {
        if self.special != Some(Special::File) && is_plain(text) {
            self.out.push(b'/');
            self.out.extend_from_slice(text);
            return;
        }
        let mut rest = text;
        loop {
            let end = rest.iter().position(|&byte| self.is_slash(byte));
            let (segment, after) = match end {
                Some(at) => (&rest[..at], Some(&rest[at + 1..])),
                None => (rest, None),
            };
            self.push(segment, after.is_none());
            match after {
                Some(after) => rest = after,
                None => return,
            }
        }
    }

    fn push(&mut self, segment: &[u8], is_last: bool) {
        match dots(segment) {
            2 => {
                self.shorten();
                if is_last {
                    self.out.push(b'/');
                }
            }
            1 => {
                if is_last {
                    self.out.push(b'/');
                }
            }
            _ => {
                let is_first = self.out.len() == self.start;
                self.out.push(b'/');
                if is_first && self.special == Some(Special::File) && is_windows_drive_letter(segment) {
                    self.out.extend_from_slice(&[segment[0], b':']);
                    return;
                }
                sets::write(segment, sets::PATH, self.out);
            }
        }
    }

    /// Shorten a URL's path (4.2).
    pub(super) fn shorten(&mut self) {
        let path = &self.out[self.start..];
        if self.special == Some(Special::File) && is_normalized_windows_drive(path) {
            return;
        }
        if let Some(slash) = memchr::memrchr(b'/', path) {
            self.out.truncate(self.start + slash);
        }
    }
}

/// Whether the kernels' verdict shows that no segment of a path is encoded or removed: no segment begins with a dot,
/// encoded or not.
fn is_plain(text: &[u8]) -> bool {
    simd::text_run(text, (Standard::Whatwg, None)) == text.len()
        && !matches!(text, [b'.' | b'%', ..])
        && memchr::memchr2_iter(b'.', b'%', text).all(|at| at == 0 || text[at - 1] != b'/')
}

/// Whether a path has one segment, a normalized Windows drive letter.
fn is_normalized_windows_drive(path: &[u8]) -> bool {
    matches!(path, [b'/', letter, b':'] if letter.is_ascii_alphabetic())
}

/// The drive at the beginning of a path: a letter and a colon as its first segment.
pub(super) fn windows_drive_of(path: &[u8]) -> Option<&[u8]> {
    let drive = path.get(..3)?;
    (is_normalized_windows_drive(drive) && path.get(3).is_none_or(|&byte| byte == b'/')).then_some(drive)
}

/// Windows drive letter (4.2).
pub(super) fn is_windows_drive_letter(text: &[u8]) -> bool {
    matches!(text, [letter, b':' | b'|'] if letter.is_ascii_alphabetic())
}

/// Starts with a Windows drive letter (4.2).
pub(super) fn starts_with_windows_drive_letter(text: &[u8]) -> bool {
    text.get(..2).is_some_and(is_windows_drive_letter)
        && text.get(2).is_none_or(|byte| matches!(byte, b'/' | b'\\' | b'?' | b'#'))
}

/// 1 for a single-dot, 2 for a double-dot URL path segment, 0 for all others (4.2).
pub(super) fn dots(segment: &[u8]) -> u8 {
    if segment.len() > 6 {
        return 0;
    }
    let (mut rest, mut count) = (segment, 0);
    loop {
        rest = match rest {
            [] => return if count <= 2 { count } else { 0 },
            [b'.', rest @ ..] | [b'%', b'2', b'e' | b'E', rest @ ..] => rest,
            _ => return 0,
        };
        count += 1;
    }
}
