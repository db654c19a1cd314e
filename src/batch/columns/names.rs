//! Columns of names (`flag_names`, `disagreement`): one list per row, in the order of their bits.

use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::{ArrayRef, ListArray};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};

use crate::batch::column::label_field;
use crate::error::Result;

/// The lists of `count` rows. Rows that are not listed have no names; the others are in order.
///
/// # Errors
/// Internal, where arrow refuses the lists.
pub(in crate::batch) fn column<N: Iterator<Item = &'static str>>(
    count: usize,
    listed: impl Iterator<Item = (u32, N)>,
) -> Result<ArrayRef> {
    // A name is in memory once per batch, however many rows have it.
    let mut texts = StringViewBuilder::new().with_deduplicate_strings();
    let mut ends = Vec::with_capacity(count + 1);
    let mut end = 0;
    for (row, names) in listed {
        debug_assert!(ends.len() <= row as usize + 1, "rows are judged in order");
        ends.resize(row as usize + 1, end);
        for name in names {
            texts.append_value(name);
            // A batch has at most 65,536 rows, and a row 32 names.
            end += 1;
        }
    }
    ends.resize(count + 1, end);
    let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
    let lists = ListArray::try_new(label_field(), offsets, Arc::new(texts.finish()), None);
    Ok(Arc::new(lists.map_err(super::internal)?))
}
