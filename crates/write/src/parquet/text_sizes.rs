//! The sizes of texts in pages that are made here.

use arrow_array::Array;
use arrow_schema::DataType;
use urimill_uri::simd;

use crate::sizes::each_validity_word;

/// Views of up to this many bytes hold their value.
pub(crate) const INLINE: usize = simd::INLINE as usize;

/// The bytes copied of a longer value at a time: most are not longer, and a copy of constant length needs no call and
/// no branch.
pub(crate) const BLOCK: usize = 64;

/// Bytes of the values of an array that [`is_text`], including the length that a page has before each.
pub(crate) fn plain_bytes(array: &dyn Array) -> usize {
    let mut all = 0;
    each_validity_word(array, |values, bytes| all += 4 * values + bytes);
    all
}

/// Whether pages of such a column can be made here.
pub(crate) fn is_text(data_type: &DataType) -> bool {
    use DataType::{Binary, BinaryView, Utf8, Utf8View};
    matches!(data_type, Utf8View | BinaryView | Utf8 | Binary)
}
