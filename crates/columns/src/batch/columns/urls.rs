//! The columns of the URLs by the URL Standard.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_buffer::Buffer;
use urimill_uri::simd::Parts;

use crate::batch::memory::Memory;
use crate::batch::rows::Rows;
use crate::batch::urls::FoundUrl;
use crate::batch::views::{Place, Texts};

/// The serializations that were written, as a buffer.
pub(crate) fn written(rows: &mut Rows, memory: &Memory<u8>) -> Option<Buffer> {
    let bytes = &mut rows.urls.bytes;
    (!bytes.is_empty()).then(|| {
        // A view is made from twelve bytes, however short its text is.
        bytes.resize(bytes.len() + 16, 0);
        memory.lend(std::mem::replace(bytes, memory.take()))
    })
}

/// The serializations of the URLs, or their hosts; null if there is none. `as_read` are the parts of the rows that are
/// URLs as they were read, and `urls` is the result of [`written`].
pub(crate) fn column(
    (rows, texts): (&Rows, &Texts<'_>),
    urls: Option<&Buffer>,
    as_read: &Parts<'_>,
    part: impl Fn(&FoundUrl) -> Option<(u32, u32)>,
) -> ArrayRef {
    let written = texts.buffer_count();
    let with_urls = texts.with(urls.cloned());
    let place = |row: u32, url: &FoundUrl| -> Option<Place> {
        let (from, len) = part(url)?;
        Some(match url.is_written {
            true => (written, url.start + from, len),
            false => texts.read_at(row, (url.start + from, len)),
        })
    };
    let listed = rows.urls.found.iter();
    let listed = listed.map(|(row, url)| (*row, url.as_ref().and_then(|url| place(*row, url))));
    if rows.urls.others_are_as_read {
        return Arc::new(texts.column_but_for(texts.part(*as_read), &with_urls, listed));
    }
    let (views, valid) = with_urls.sparse(listed.filter_map(|(row, place)| place.map(|place| (row, place))));
    Arc::new(with_urls.strings(views, Some(valid)))
}
