//! One record of a format whose records are not lines: its place in the chunk, and its fields. Shared by these formats.

use std::ops::Range;

use super::base::Within;
use super::framing::FramedRecord;
use super::keep::SelectedFields;
use super::span;
use crate::batch::{Cell, Records, Text};

/// No format has more fields.
pub(in crate::read) const PLACES: usize = 24;

/// The fields of one record, by the format's own places.
pub(in crate::read) type Cells = [Cell; PLACES];

/// The result for a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::read) enum Is {
    Row,
    /// It describes others, and has no row.
    NoRow,
}

/// A record in a chunk.
pub(in crate::read) struct Place<'a> {
    pub(in crate::read) bytes: &'a [u8],
    pub(in crate::read) range: Range<usize>,
    pub(in crate::read) head: &'a FramedRecord,
    /// The name of the file.
    pub(in crate::read) name: Option<Text>,
    /// Which places are kept.
    pub(in crate::read) chosen: &'a SelectedFields,
    /// The base against which `xml:base` in the document is resolved.
    pub(in crate::read) within: &'a Within,
}

impl Place<'_> {
    /// Whether a field is wanted.
    pub(in crate::read) fn wants(&self, place: u8) -> bool {
        self.chosen.places.iter().any(|&(kept, _)| kept == place)
    }

    /// All of the record.
    pub(in crate::read) fn whole(&self) -> crate::simd::Span {
        span(self.range.start, self.range.end)
    }

    /// A row with this URI, which the record may lack, or which may be empty.
    pub(in crate::read) fn row(&self, uri: Option<Option<Text>>, records: &mut Records) -> Is {
        match uri {
            None => records.push_absent(self.whole(), None),
            Some(None) => records.push_null(self.head.start, None),
            Some(Some(text)) => records.push(self.head.start, text, None),
        }
        Is::Row
    }

    /// The record has another form from this byte of the chunk on.
    pub(in crate::read) fn malformed(&self, at: usize, records: &mut Records) -> Is {
        let at = at.clamp(self.range.start, self.range.end) - self.range.start;
        records.push_malformed(self.head.start, self.whole(), at as u32, false);
        Is::Row
    }
}

/// A number as a field.
pub(in crate::read) fn number(number: Option<u64>, records: &mut Records) -> Cell {
    number.map_or(Cell::NULL, |number| {
        records.unescape(|out| out.extend_from_slice(number.to_string().as_bytes())).into()
    })
}
