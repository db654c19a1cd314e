//! The columns of the URLs by the URL Standard.

use std::sync::Arc;

use arrow_array::StringViewArray;

use crate::batch::memory::Memory;
use crate::batch::rows::Rows;
use crate::batch::urls::FoundUrl;
use crate::batch::views::{Place, Texts};

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
