//! A field of a row by its place in the bytes.

use urimill_columns::batch::{Records, Text};

use crate::format::quotes::undouble;
use crate::format::span;

/// A field by its place: its text, whether that has doubled quotes, and where it ends.
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) is_escaped: bool,
    pub(super) is_quoted: bool,
    /// The place of the separator or line end after it, or the end of the bytes.
    pub(super) stop: usize,
}

impl Found {
    /// Whether the field is empty and not in quotes.
    pub(super) fn is_null(&self) -> bool {
        self.start == self.end && !self.is_quoted
    }

    pub(super) fn text(&self, bytes: &[u8], records: &mut Records) -> Text {
        match self.is_escaped {
            true => records.unescape(|out| self.write(bytes, out)),
            false => Text::Read(span(self.start, self.end)),
        }
    }

    /// Appends the text; writes a doubled quote as one.
    pub(super) fn write(&self, bytes: &[u8], out: &mut Vec<u8>) {
        let text = &bytes[self.start..self.end];
        if self.is_escaped { undouble(text, out) } else { out.extend_from_slice(text) }
    }
}

/// The number of NUL bytes before a record, left where a log was truncated in place or by a crash. They are not part of
/// the record.
pub(super) fn hole(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|&&b| b == 0).count()
}
