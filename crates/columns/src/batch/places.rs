//! Texts by position: the buffer and offset of an array's values or of a chunk's fields.

use arrow_buffer::Buffer;
use urimill_uri::simd::{PADDING, Span};

/// The length of a text in an array from which on it is too long, whatever the options say: so that its change, which at
/// most triples it, has offsets in an arena.
pub(super) const LONGEST_TEXT: usize = (i32::MAX as usize - PADDING) / 3;

/// The length of a base from which on it is none: its targets have the same offsets.
pub(super) const LONGEST_BASE: usize = LONGEST_TEXT / 2;

/// One text per row, by position.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) buffers: Vec<Buffer>,
    /// One per row; empty for a null.
    pub(super) spans: Vec<Span>,
    /// Runs of rows in one buffer: the number of the buffer, and the end of the run.
    pub(super) runs: Vec<(u32, usize)>,
}

impl Places {
    #[inline]
    pub(super) fn push(&mut self, buffer: u32, span: Span) {
        self.spans.push(span);
        match self.runs.last_mut() {
            Some((last, to)) if *last == buffer => *to += 1,
            _ => self.runs.push((buffer, self.spans.len())),
        }
    }

    /// Keeps only the first rows.
    pub(super) fn truncate(&mut self, rows: usize) {
        self.spans.truncate(rows);
        while let Some((_, to)) = self.runs.last_mut().filter(|(_, to)| *to > rows) {
            *to = rows;
            let before = self.runs.len().checked_sub(2).map_or(0, |before| self.runs[before].1);
            if before < rows {
                break;
            }
            self.runs.pop();
        }
    }

    pub(super) fn clear(&mut self) {
        self.buffers.clear();
        self.spans.clear();
        self.runs.clear();
    }

    /// The text of a row.
    #[inline(always)]
    pub(super) fn text(&self, row: usize) -> &[u8] {
        let run = match self.runs.len() {
            1 => 0,
            _ => self.runs.partition_point(|&(_, to)| to <= row),
        };
        let span = self.spans[row];
        &self.buffers[self.runs[run].0 as usize].as_slice()[span.start as usize..][..span.len as usize]
    }
}

/// The text of a field: a span of the chunk, or of a separate buffer if the format had escaped it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// Its position in the chunk.
    Read(Span),
    /// Its position in the memory of [`Records::unescape`](super::Records::unescape).
    Unescaped(Span),
}

impl Text {
    /// A part of it.
    #[inline]
    pub fn part(self, from: u32, len: u32) -> Text {
        match self {
            Text::Read(span) => Text::Read(Span { start: span.start + from, len }),
            Text::Unescaped(span) => Text::Unescaped(Span { start: span.start + from, len }),
        }
    }
}
