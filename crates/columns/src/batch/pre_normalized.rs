//! Rows before normalization changed them: the reference as read or repaired, and resolved if there is a base. The slow
//! path stores it here, for columns that are derived from it (`columns::canonical_forms`).

use urimill_uri::simd::Split;
use urimill_uri::{Host, HostKind};

/// The rows of a batch that normalization changed, before the change. In the order of the rows.
#[derive(Debug, Default)]
pub(super) struct PreNormalized {
    /// Whether a column needs them.
    is_wanted: bool,
    rows: Vec<Row>,
    /// Texts that were written: repaired texts and targets.
    arena: Vec<u8>,
}

/// A row before normalization.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) row: u32,
    at: At,
    pub(super) split: Split,
    pub(super) kind: Option<HostKind>,
}

/// The start of its text.
#[derive(Debug, Clone, Copy)]
enum At {
    /// In the buffer that the row was read from.
    Read(u32),
    /// In the arena.
    Arena(u32),
}

impl PreNormalized {
    /// Stores rows if a column needs them.
    pub(super) fn new(is_wanted: bool) -> Self {
        PreNormalized { is_wanted, ..PreNormalized::default() }
    }

    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.arena.clear();
    }

    /// The number of bytes written.
    pub(super) fn written(&self) -> usize {
        self.arena.len()
    }

    /// The rows.
    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Stores a row whose text is the text as read.
    pub(super) fn keep_read(&mut self, row: u32, start: u32, parsed: (&Split, Option<Host>)) {
        self.push(row, At::Read(start), parsed);
    }

    /// Stores a row whose text was written.
    pub(super) fn keep(&mut self, row: u32, text: &[u8], parsed: (&Split, Option<Host>)) {
        if self.is_wanted && self.rows.last().is_none_or(|last| last.row != row) {
            let start = self.arena.len() as u32;
            self.arena.extend_from_slice(text);
            self.push(row, At::Arena(start), parsed);
        }
    }

    /// The first version stored for a row counts.
    fn push(&mut self, row: u32, at: At, (split, host): (&Split, Option<Host>)) {
        if self.is_wanted && self.rows.last().is_none_or(|last| last.row != row) {
            self.rows.push(Row { row, at, split: *split, kind: host.map(Host::kind) });
        }
    }

    /// The text of a row; `read` returns a text of the input, by offset and length.
    pub(super) fn text<'a>(&'a self, row: &Row, read: impl FnOnce(u32, u32) -> &'a [u8]) -> &'a [u8] {
        match row.at {
            At::Read(start) => read(start, row.split.end),
            At::Arena(start) => &self.arena[start as usize..][..row.split.end as usize],
        }
    }
}
