//! The minimum and maximum of a page of texts and of a column chunk, by which readers skip pages: compared bytewise, as
//! the format orders texts, and cut, because a record may be huge.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use parquet::basic::{BoundaryOrder, Type};
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnIndexBuilder;
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::statistics::{Statistics, ValueStatistics};

/// The most bytes of a bound.
pub(crate) const LONGEST: usize = 64;

/// A bound: a value, or a text that is certainly beyond it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Bound {
    bytes: Vec<u8>,
    is_exact: bool,
}

/// The bounds of some values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bounds {
    min: Bound,
    max: Bound,
}

impl Bounds {
    /// The bounds of values with this minimum and maximum.
    pub(crate) fn new(min: &[u8], max: &[u8], is_utf8: bool) -> Bounds {
        Bounds { min: below(min, is_utf8), max: above(max, is_utf8) }
    }

    /// The bounds of the values of a text array; `None` if all are null.
    pub(crate) fn of(array: &dyn Array) -> Option<Bounds> {
        fn ends<'a>(mut values: impl Iterator<Item = &'a [u8]>) -> Option<(&'a [u8], &'a [u8])> {
            let first = values.next()?;
            Some(values.fold((first, first), |(min, max), value| (min.min(value), max.max(value))))
        }
        let (min, max) = match array.data_type() {
            DataType::Utf8View => ends(array.as_string_view().iter().flatten().map(str::as_bytes)),
            DataType::Utf8 => ends(array.as_string::<i32>().iter().flatten().map(str::as_bytes)),
            DataType::BinaryView => ends(array.as_binary_view().iter().flatten()),
            _ => ends(array.as_binary::<i32>().iter().flatten()),
        }?;
        Some(Bounds::new(min, max, is_utf8(array.data_type())))
    }

    /// Widens them to include `other`.
    pub(crate) fn add(&mut self, other: &Bounds) {
        // If two bounds are equal, the one that is a value is preferred.
        let less = (&other.min.bytes, !other.min.is_exact) < (&self.min.bytes, !self.min.is_exact);
        let greater = (&other.max.bytes, other.max.is_exact) > (&self.max.bytes, self.max.is_exact);
        if less {
            self.min.clone_from(&other.min);
        }
        if greater {
            self.max.clone_from(&other.max);
        }
    }
}

/// Whether a text column's values are UTF-8.
pub(crate) fn is_utf8(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::Utf8View)
}

/// The end of a whole character at or before [`LONGEST`].
fn cut(value: &[u8], is_utf8: bool) -> usize {
    let begins_character = |&at: &usize| !is_utf8 || value[at] & 0xC0 != 0x80;
    (0..=LONGEST).rev().find(begins_character).unwrap_or(LONGEST)
}

fn below(value: &[u8], is_utf8: bool) -> Bound {
    let is_exact = value.len() <= LONGEST;
    let end = if is_exact { value.len() } else { cut(value, is_utf8) };
    Bound { bytes: value[..end].to_vec(), is_exact }
}

fn above(value: &[u8], is_utf8: bool) -> Bound {
    if value.len() > LONGEST {
        let beginning = &value[..cut(value, is_utf8)];
        if let Some(bytes) = next(beginning, is_utf8) {
            return Bound { bytes, is_exact: false };
        }
    }
    // No short text is greater than such a value.
    Bound { bytes: value.to_vec(), is_exact: true }
}

/// The least text that is not longer than `beginning` and greater than all texts that begin with it: its last character
/// that has a successor of the same length is replaced by that, and the rest is dropped.
fn next(beginning: &[u8], is_utf8: bool) -> Option<Vec<u8>> {
    if !is_utf8 {
        let last = beginning.iter().rposition(|&byte| byte < u8::MAX)?;
        let mut bytes = beginning[..=last].to_vec();
        bytes[last] += 1;
        return Some(bytes);
    }
    let text = std::str::from_utf8(beginning).ok()?;
    text.char_indices().rev().find_map(|(at, character)| {
        let next = char::from_u32(character as u32 + 1)?;
        (next.len_utf8() == character.len_utf8()).then(|| format!("{}{next}", &text[..at]).into_bytes())
    })
}

/// The statistics of a column chunk's values, collected page by page.
pub(crate) struct ChunkBounds {
    index: ColumnIndexBuilder,
    all: Option<Bounds>,
    last: Option<Bounds>,
    nulls: u64,
    ascends: bool,
    descends: bool,
}

impl ChunkBounds {
    pub(crate) fn new() -> Self {
        let index = ColumnIndexBuilder::new(Type::BYTE_ARRAY);
        ChunkBounds { index, all: None, last: None, nulls: 0, ascends: true, descends: true }
    }

    /// Adds a page with this many nulls; without bounds it has only nulls.
    pub(crate) fn page(&mut self, bounds: Option<&Bounds>, nulls: usize) {
        self.nulls += nulls as u64;
        let Some(bounds) = bounds else {
            return self.index.append(true, Vec::new(), Vec::new(), nulls as i64);
        };
        let (min, max) = (&bounds.min.bytes, &bounds.max.bytes);
        if let Some(last) = &self.last {
            self.ascends &= last.min.bytes <= *min && last.max.bytes <= *max;
            self.descends &= last.min.bytes >= *min && last.max.bytes >= *max;
        }
        self.index.append(false, min.clone(), max.clone(), nulls as i64);
        self.last = Some(bounds.clone());
        match &mut self.all {
            Some(all) => all.add(bounds),
            None => self.all = Some(bounds.clone()),
        }
    }

    /// The statistics of the chunk and the index of its pages.
    pub(crate) fn finish(mut self) -> Result<(Statistics, ColumnIndexMetaData), ParquetError> {
        self.index.set_boundary_order(match (self.ascends, self.descends) {
            (true, _) => BoundaryOrder::ASCENDING,
            (false, true) => BoundaryOrder::DESCENDING,
            (false, false) => BoundaryOrder::UNORDERED,
        });
        let (min, max) = self.all.map_or((None, None), |all| (Some(all.min), Some(all.max)));
        let is_exact = |bound: &Option<Bound>| bound.as_ref().is_some_and(|bound| bound.is_exact);
        let exact = (is_exact(&min), is_exact(&max));
        let value = |bound: Option<Bound>| bound.map(|bound| ByteArray::from(bound.bytes));
        let statistics = ValueStatistics::new(value(min), value(max), None, Some(self.nulls), false)
            .with_min_is_exact(exact.0)
            .with_max_is_exact(exact.1);
        Ok((Statistics::ByteArray(statistics), self.index.build()?))
    }
}
