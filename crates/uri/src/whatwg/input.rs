//! Prepares an input before the first state (4.4): decodes it, and removes the bytes that no URL has.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

/// A decoded and cleaned input, and the changes to its bytes.
pub(super) struct Input<'a> {
    original: &'a [u8],
    /// Bytes that were trimmed at the beginning.
    trimmed: usize,
    /// UTF-8 without tabs and newlines.
    pub(super) text: Cow<'a, [u8]>,
    /// Something was trimmed or removed.
    pub(super) is_stripped: bool,
    /// The first byte that was trimmed at the ends, and the first tab or newline between them.
    pub(super) stripped_at: [Option<usize>; 2],
}

impl<'a> Input<'a> {
    pub(super) fn new(original: &'a [u8]) -> Input<'a> {
        let is_utf8 = original.is_ascii() || core::str::from_utf8(original).is_ok();
        let is_kept = |byte: &u8| *byte > b' ';
        let start = original.iter().position(is_kept).unwrap_or(original.len());
        let end = original.iter().rposition(is_kept).map_or(start, |at| at + 1);
        let trimmed = &original[start..end];
        let control = memchr::memchr3(b'\t', b'\n', b'\r', trimmed);
        let mut text = match is_utf8 {
            true => Cow::Borrowed(trimmed),
            false => Cow::Owned(String::from_utf8_lossy(trimmed).into_owned().into_bytes()),
        };
        if control.is_some() {
            text = Cow::Owned(text.iter().copied().filter(|byte| !is_removed(*byte)).collect::<Vec<u8>>());
        }
        let first_trimmed = if start > 0 { 0 } else { end };
        let stripped_at =
            [(trimmed.len() < original.len()).then_some(first_trimmed), control.map(|at| start + at)];
        let is_stripped = stripped_at.iter().any(Option::is_some);
        Input { original, trimmed: start, text, is_stripped, stripped_at }
    }

    /// The byte of the input for an offset in the cleaned text.
    pub(super) fn original_offset(&self, offset: usize) -> usize {
        if offset >= self.text.len() {
            return self.original.len();
        }
        if matches!(self.text, Cow::Borrowed(_)) {
            return self.trimmed + offset;
        }
        let mut left = offset;
        let mut at = self.trimmed;
        for chunk in self.original[self.trimmed..].utf8_chunks() {
            for &byte in chunk.valid().as_bytes() {
                if !is_removed(byte) {
                    if left == 0 {
                        return at;
                    }
                    left -= 1;
                }
                at += 1;
            }
            if !chunk.invalid().is_empty() {
                // U+FFFD has three bytes.
                if left < 3 {
                    return at;
                }
                left -= 3;
                at += chunk.invalid().len();
            }
        }
        self.original.len()
    }
}

/// ASCII tab or newline (Infra 4.6).
fn is_removed(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r')
}
