//! One record of a format whose records are not lines: its place in the chunk, and its fields. Shared by these formats.

use std::ops::Range;

use urimill_columns::batch::{Cell, Records, Text};

use super::base::Within;
use super::framing::FramedRecord;
use super::keep::SelectedFields;
use super::span;

/// No format has more fields.
pub const PLACES: usize = 24;

/// The fields of one record, by the format's own places.
pub type Cells = [Cell; PLACES];

/// The result for a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Is {
    /// A row.
    Row,
    /// It describes others, and has no row.
    NoRow,
}

/// A record in a chunk.
pub struct Place<'a> {
    /// The chunk.
    pub bytes: &'a [u8],
    /// Where in the chunk the header of the record stands.
    pub range: Range<usize>,
    /// The record.
    pub head: &'a FramedRecord,
    /// The name of the file.
    pub name: Option<Text>,
    /// Which places are kept.
    pub(crate) chosen: &'a SelectedFields,
    /// The base against which `xml:base` in the document is resolved.
    pub within: &'a Within,
}

impl Place<'_> {
    /// Whether a field is wanted.
    pub fn wants(&self, place: u8) -> bool {
        self.chosen.places.iter().any(|&(kept, _)| kept == place)
    }

    /// All of the record.
    pub fn whole(&self) -> urimill_uri::simd::Span {
        span(self.range.start, self.range.end)
    }

    /// A row with this URI, which the record may lack, or which may be empty.
    pub fn row(&self, uri: Option<Option<Text>>, records: &mut Records) -> Is {
        match uri {
            None => records.push_absent(self.whole(), None),
            Some(None) => records.push_null(self.head.start, None),
            Some(Some(text)) => records.push(self.head.start, text, None),
        }
        Is::Row
    }

    /// The record has another form from this byte of the chunk on.
    pub fn malformed(&self, at: usize, records: &mut Records) -> Is {
        let at = at.clamp(self.range.start, self.range.end) - self.range.start;
        records.push_malformed(self.head.start, self.whole(), at as u32, false);
        Is::Row
    }
}

/// A number as a field.
pub fn number(number: Option<u64>, records: &mut Records) -> Cell {
    number.map_or(Cell::NULL, |number| {
        records.unescape(|out| out.extend_from_slice(number.to_string().as_bytes())).into()
    })
}
