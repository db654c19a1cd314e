//! String columns made from others without copying their texts: parts of texts, and columns with a few rows changed.
//! Used by `sources`.

use arrow_array::builder::make_view;
use arrow_array::{Array, StringViewArray};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use arrow_data::ByteView;
use arrow_schema::ArrowError;
use urimill_uri::simd;

/// Views of up to this many bytes hold their text.
const INLINE: usize = simd::INLINE as usize;

/// `array` with each text replaced by a part of it; if `part` returns `None` the row is null.
pub(super) fn parts(
    array: &StringViewArray,
    part: impl for<'t> Fn(&'t str) -> Option<&'t str>,
) -> Result<StringViewArray, ArrowError> {
    let mut valid = Vec::with_capacity(array.len());
    let views: Vec<u128> = array
        .iter()
        .zip(array.views())
        .map(|(text, &view)| {
            let found = text.and_then(|text| part(text).map(|part| (text, part)));
            valid.push(found.is_some());
            found.map_or(0, |(text, part)| {
                if part.len() == text.len() {
                    return view;
                }
                // A part too long for a view's own bytes comes from a text that is too long too, so it lies in a
                // buffer.
                let whole = ByteView::from(view);
                let before = part.as_ptr().addr().wrapping_sub(text.as_ptr().addr());
                make_view(part.as_bytes(), whole.buffer_index, whole.offset.wrapping_add(before as u32))
            })
        })
        .collect();
    with_views(array, views, valid, None)
}

/// `array` with the texts of those rows replaced for which `change` returns one.
pub(super) fn changed(
    array: &StringViewArray,
    change: impl Fn(usize) -> Option<String>,
) -> Result<StringViewArray, ArrowError> {
    let mut written = Vec::new();
    let buffer = array.data_buffers().len() as u32;
    let mut valid: Vec<bool> = (0..array.len()).map(|row| array.is_valid(row)).collect();
    let mut views = array.views().to_vec();
    for (row, (view, valid)) in views.iter_mut().zip(&mut valid).enumerate() {
        match change(row) {
            Some(text) => {
                *view = make_view(text.as_bytes(), buffer, written.len() as u32);
                *valid = true;
                if text.len() > INLINE {
                    written.extend_from_slice(text.as_bytes());
                }
            }
            None if !*valid => *view = 0,
            None => {}
        }
    }
    with_views(array, views, valid, Some(Buffer::from_vec(written)))
}

/// The same text in every row.
pub(super) fn constant(text: &str, count: usize) -> Result<StringViewArray, ArrowError> {
    let view = make_view(text.as_bytes(), 0, 0);
    let views = ScalarBuffer::from(vec![view; count]);
    StringViewArray::try_new(views, vec![Buffer::from_slice_ref(text.as_bytes())], None)
}

/// Checks that every view is UTF-8 in its buffer, which costs less than copying the texts.
fn with_views(
    array: &StringViewArray,
    views: Vec<u128>,
    valid: Vec<bool>,
    more: Option<Buffer>,
) -> Result<StringViewArray, ArrowError> {
    let buffers: Vec<Buffer> = array.data_buffers().iter().cloned().chain(more).collect();
    let nulls = NullBuffer::from(valid);
    let nulls = Some(nulls).filter(|nulls| nulls.null_count() > 0);
    StringViewArray::try_new(ScalarBuffer::from(views), buffers, nulls)
}
