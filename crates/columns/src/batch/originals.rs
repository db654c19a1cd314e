//! The records of a batch as they were read, found from its rows, whatever its columns: for code that compares the rows
//! with the input. Used after the slow path.

use std::borrow::Cow;

use urimill_uri::Reject;

use super::records::TargetForm;
use super::{Column, Normalizer};

/// A record as it was read, found from its row.
#[derive(Debug, Clone, Copy)]
pub struct Original<'a> {
    /// The text as read; empty for a null.
    pub text: &'a [u8],
    /// The column that holds the text: `Raw` or `RawBytes`, or `Uri` if that is the text as read.
    pub column: Column,
    /// The reason why it is not a URI reference, if it is not one.
    pub reject: Option<Reject>,
    /// Whether the record states that it has no reference.
    pub is_null: bool,
    /// How its text is read, if not as a reference.
    form: Option<TargetForm>,
}

impl<'a> Original<'a> {
    /// The reference that the text means.
    pub fn reference(&self) -> Cow<'a, [u8]> {
        match self.form {
            None => Cow::Borrowed(self.text),
            Some(form) => Cow::Owned([form.prefix(), self.text].concat()),
        }
    }
}

impl Normalizer {
    /// Returns the records of the last batch, in the order of its rows.
    pub fn originals(&self) -> impl Iterator<Item = Original<'_>> {
        let rows = &self.rows;
        let mut rewritten =
            rows.rewritten.iter().map(|rewritten| (rewritten.row, rewritten.is_utf8)).peekable();
        let mut rejects = rows.rejects.iter().peekable();
        (0..rows.splits.len() as u32).map(move |row| {
            let column = match rewritten.next_if(|&(rewritten, _)| rewritten == row) {
                Some((_, true)) => Column::Raw,
                Some((_, false)) => Column::RawBytes,
                None => Column::Uri,
            };
            let reject = rejects.next_if(|(rejected, _)| *rejected == row).map(|&(_, reject)| reject);
            let is_null = rows.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row as usize));
            Original { text: rows.raw(row), column, reject, is_null, form: rows.form(row) }
        })
    }
}
