//! The columns of what the URL Standard sees.

use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::{ArrayRef, ListArray, StringViewArray};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};

use crate::batch::column::label_field;
use crate::batch::memory::Memory;
use crate::batch::rows::Rows;
use crate::batch::urls::FoundUrl;
use crate::batch::views::{Place, Texts};
use crate::error::Result;

/// The serializations of the URLs, or their hosts; null where there is none.
pub(in crate::batch) fn column(
    (rows, texts): (&Rows, &Texts<'_>),
    memory: &Memory<u8>,
    part: impl Fn(&FoundUrl) -> Option<(u32, u32)>,
) -> Arc<StringViewArray> {
    let written = texts.buffer_count();
    let mut bytes = memory.take();
    bytes.extend_from_slice(&rows.urls.bytes);
    let texts = texts.with_written(bytes, memory);
    let place = |url: &FoundUrl| -> Option<(u32, Place)> {
        let (from, len) = part(url)?;
        let place = match url.is_written {
            true => (written, url.start + from, len),
            false => texts.read_at(url.row, (url.start + from, len)),
        };
        Some((url.row, place))
    };
    let (views, valid) = texts.sparse(rows.urls.found.iter().filter_map(place));
    Arc::new(texts.strings(views, Some(valid)))
}

/// The lists of disagreements of `count` rows.
///
/// # Errors
/// Internal, where arrow refuses the lists.
pub(in crate::batch) fn disagreements(count: usize, rows: &Rows) -> Result<ArrayRef> {
    // A name is in memory once per batch, however many rows have it.
    let mut names = StringViewBuilder::new().with_deduplicate_strings();
    let mut ends = Vec::with_capacity(count + 1);
    let mut end = 0;
    for &(row, found) in &rows.urls.disagreements {
        ends.resize(row as usize + 1, end);
        for one in found.iter() {
            names.append_value(one.as_str());
            // A batch has at most 65,536 rows, and a row 13 names.
            end += 1;
        }
    }
    ends.resize(count + 1, end);
    let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
    let lists = ListArray::try_new(label_field(), offsets, Arc::new(names.finish()), None);
    Ok(Arc::new(lists.map_err(super::internal)?))
}
