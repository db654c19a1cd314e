//! The records of a batch as its rows know them, whatever columns it has: for whoever holds the rows against what was
//! read. Beside `columns`, after the second look.

use super::{Column, Normalizer};

/// A record as it was read, found from its row.
#[derive(Debug, Clone, Copy)]
pub struct Original<'a> {
    /// The text as read; empty for a null.
    pub text: &'a [u8],
    /// The column that holds the text: `Raw` or `RawBytes`, or `Uri` if that is the text as read.
    pub column: Column,
    /// Whether the record is a reject.
    pub is_reject: bool,
}

impl Normalizer {
    /// Returns the records of the last batch, in the order of its rows.
    pub fn originals(&self) -> impl Iterator<Item = Original<'_>> {
        let rows = &self.rows;
        let mut moved = rows.moved.iter().map(|moved| (moved.row, moved.is_utf8)).peekable();
        let mut rejects = rows.rejects.iter().map(|&(row, _)| row).peekable();
        (0..rows.splits.len() as u32).map(move |row| {
            let column = match moved.next_if(|&(moved, _)| moved == row) {
                Some((_, true)) => Column::Raw,
                Some((_, false)) => Column::RawBytes,
                None => Column::Uri,
            };
            let is_reject = rejects.next_if_eq(&row).is_some();
            Original { text: rows.raw(row), column, is_reject }
        })
    }
}
