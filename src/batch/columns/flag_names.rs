//! The column of flag names: one list per row, of the flags that are set, in the order of their bits.

use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::{ArrayRef, ListArray};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};

use crate::audit::Flags;
use crate::batch::column::label_field;
use crate::error::Result;

/// The lists of `count` rows, of which those listed have flags.
///
/// # Errors
/// Internal, where arrow refuses the lists.
pub(in crate::batch) fn column(count: usize, listed: &[(u32, Flags)]) -> Result<ArrayRef> {
    // A name is in memory once per batch, however many rows have it.
    let mut names = StringViewBuilder::new().with_deduplicate_strings();
    let mut ends = Vec::with_capacity(count + 1);
    let mut end = 0;
    debug_assert!(listed.is_sorted_by_key(|&(row, _)| row), "rows are judged in order");
    for &(row, flags) in listed {
        ends.resize(row as usize + 1, end);
        for name in flags.names() {
            names.append_value(name);
            // A batch has at most 65,536 rows, and a row 32 flags.
            end += 1;
        }
    }
    ends.resize(count + 1, end);
    let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
    let lists = ListArray::try_new(label_field(), offsets, Arc::new(names.finish()), None);
    Ok(Arc::new(lists.map_err(super::internal)?))
}
