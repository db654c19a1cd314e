//! Columns of names (`flag_names`, `disagreement`): one list per row, in the order of their bits.

use std::sync::Arc;

use arrow_array::{ArrayRef, ListArray};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use urimill_base::error::Result;

use crate::batch::column::label_field;
use crate::batch::views::Constants;

/// The lists of `count` rows. Rows that are not listed have no names; the others are in order.
///
/// # Errors
/// Internal, where arrow refuses the lists.
pub(crate) fn column<N: Iterator<Item = &'static str>>(
    count: usize,
    listed: impl Iterator<Item = (u32, N)>,
) -> Result<ArrayRef> {
    // Each name is in memory once per batch, however many rows have it.
    let mut known: Vec<&'static str> = Vec::new();
    let mut chosen = Vec::new();
    let mut ends = Vec::with_capacity(count + 1);
    for (row, names) in listed {
        debug_assert!(ends.len() <= row as usize + 1, "rows are judged in order");
        // A batch has at most 65,536 rows, and a row 32 names.
        ends.resize(row as usize + 1, chosen.len() as i32);
        for name in names {
            let number = known.iter().position(|&one| one == name).unwrap_or_else(|| {
                known.push(name);
                known.len() - 1
            });
            chosen.push(number as u8);
        }
    }
    let texts = Constants::new(known.into_iter()).chosen(&chosen);
    ends.resize(count + 1, chosen.len() as i32);
    let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
    let lists = ListArray::try_new(label_field(), offsets, Arc::new(texts), None);
    Ok(Arc::new(lists.map_err(super::internal)?))
}
