//! A field of a row by its place in the bytes.

use memchr::memchr2;
use urimill_columns::batch::{Records, Text};

use crate::format::quotes::{Rule, quoted, undouble};
use crate::format::{Behind, Cut, line_end, quotes, span};

/// A field by its place: its text, whether that has doubled quotes, and where it ends.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// Where its text begins, without the quotes around it.
    pub start: usize,
    /// Where its text ends.
    pub end: usize,
    /// Whether quotes in it are doubled.
    pub is_escaped: bool,
    /// Whether quotes enclose it.
    pub is_quoted: bool,
    /// The place of the separator or line end after it, or the end of the bytes.
    pub stop: usize,
}

impl Rule<'_> {
    /// The field that begins at `start`.
    #[inline]
    pub fn field(&self, bytes: &[u8], start: usize) -> Place {
        if self.has_quotes
            && let Some((close, is_escaped)) = quoted(bytes, start, *self)
        {
            return Place { start: start + 1, end: close, is_escaped, is_quoted: true, stop: close + 1 };
        }
        let stop = memchr2(self.separator, b'\n', &bytes[start..]).map_or(bytes.len(), |found| start + found);
        let stop = if bytes.get(stop) == Some(&b'\n') { line_end(bytes, start, stop) } else { stop };
        Place { start, end: stop, is_escaped: false, is_quoted: false, stop }
    }

    /// After a field that ends at `stop`: where the next field of the record begins, or else the next record.
    ///
    /// # Errors
    /// Where the next record begins, if it was the last field.
    #[inline]
    pub fn behind(&self, bytes: &[u8], stop: usize) -> Result<usize, usize> {
        match bytes.get(stop) {
            Some(&byte) if byte == self.separator => Ok(stop + 1),
            Some(b'\r') => Err((stop + 2).min(bytes.len())),
            _ => Err((stop + 1).min(bytes.len())),
        }
    }

    /// Where the last whole record ends in `bytes`: see [`crate::format::RecordFormat::cut`].
    pub fn cut(self, bytes: &[u8], behind: Behind) -> Option<Cut> {
        quotes::cut(bytes, self, behind)
    }
}

impl Place {
    /// Whether the field is empty and not in quotes.
    pub(super) fn is_null(&self) -> bool {
        self.start == self.end && !self.is_quoted
    }

    /// The text; writes a doubled quote as one.
    pub fn text(&self, bytes: &[u8], records: &mut Records) -> Text {
        match self.is_escaped {
            true => records.unescape(|out| self.write(bytes, out)),
            false => Text::Read(span(self.start, self.end)),
        }
    }

    /// Appends the text; writes a doubled quote as one.
    pub fn write(&self, bytes: &[u8], out: &mut Vec<u8>) {
        let text = &bytes[self.start..self.end];
        if self.is_escaped { undouble(text, out) } else { out.extend_from_slice(text) }
    }
}

/// The number of NUL bytes before a record, left where a log was truncated in place or by a crash. They are not part of
/// the record.
pub(super) fn hole(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|&&b| b == 0).count()
}
