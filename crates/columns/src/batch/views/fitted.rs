//! Arrays of views with no more of their buffers than they use. A view names a place in a buffer, and every slice of an
//! array names all of its buffers: written piece by piece, or pickled, each piece would carry the whole input.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::ByteViewType;
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericByteViewArray, GenericListArray, MapArray, OffsetSizeTrait,
    StructArray,
};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_data::ByteView;
use arrow_schema::{ArrowError, DataType};
use urimill_uri::simd::INLINE;

/// The texts are copied if the part of a buffer that they span has more than this many times their bytes.
const SPARSE: usize = 4;
/// Buffers that have at most this many times the bytes of their texts stay as they are.
const SLACK: usize = 2;

/// The array with buffers that have at most about four times the bytes of the texts in it, also within lists, structs
/// and maps. Neighbouring texts are not copied: their buffer is cut.
///
/// ```
/// use std::sync::Arc;
/// use arrow::array::{Array, ArrayRef, AsArray, StringViewArray};
/// use urimill::batch::fitted;
///
/// let texts = StringViewArray::from_iter_values((0..1000).map(|n| format!("http://example.com/{n}")));
/// let two: ArrayRef = Arc::new(texts.slice(500, 2));
/// let two = fitted(&two);
/// assert_eq!(two.as_string_view().value(1), "http://example.com/501");
/// assert!(two.as_string_view().data_buffers().iter().all(|buffer| buffer.len() < 100));
/// ```
#[must_use]
pub fn fitted(array: &ArrayRef) -> ArrayRef {
    if !holds_views(array.data_type()) {
        return array.clone();
    }
    // A part of a valid array is valid.
    nested(array).unwrap_or_else(|_| array.clone())
}

fn holds_views(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8View | DataType::BinaryView => true,
        DataType::Struct(fields) => fields.iter().any(|field| holds_views(field.data_type())),
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => holds_views(field.data_type()),
        _ => false,
    }
}

fn nested(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let nulls = array.nulls().cloned();
    Ok(match array.data_type() {
        DataType::Utf8View => Arc::new(views(array.as_string_view())),
        DataType::BinaryView => Arc::new(views(array.as_binary_view())),
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns().iter().map(fitted).collect();
            Arc::new(StructArray::try_new(fields.clone(), columns, nulls)?)
        }
        DataType::List(_) => Arc::new(list(array.as_list::<i32>())?),
        DataType::LargeList(_) => Arc::new(list(array.as_list::<i64>())?),
        DataType::FixedSizeList(field, size) if *size > 0 => {
            let values = fitted(array.as_fixed_size_list().values());
            Arc::new(FixedSizeListArray::try_new(field.clone(), *size, values, nulls)?)
        }
        DataType::Map(field, ordered) => {
            let map = array.as_map();
            let (offsets, from, len) = rebased(map.offsets());
            let entries: ArrayRef = Arc::new(map.entries().slice(from, len));
            let entries = fitted(&entries).as_struct().clone();
            Arc::new(MapArray::try_new(field.clone(), offsets, entries, nulls, *ordered)?)
        }
        _ => array.clone(),
    })
}

fn list<O: OffsetSizeTrait>(list: &GenericListArray<O>) -> Result<GenericListArray<O>, ArrowError> {
    let (DataType::List(field) | DataType::LargeList(field)) = list.data_type() else {
        return Ok(list.clone());
    };
    let (offsets, from, len) = rebased(list.offsets());
    let values = fitted(&list.values().slice(from, len));
    GenericListArray::try_new(field.clone(), offsets, values, list.nulls().cloned())
}

/// Offsets from 0 on, with the first element that they span and the number of elements.
fn rebased<O: OffsetSizeTrait>(offsets: &OffsetBuffer<O>) -> (OffsetBuffer<O>, usize, usize) {
    let (first, last) = (offsets[0], offsets[offsets.len() - 1]);
    let own: ScalarBuffer<O> = offsets.iter().map(|&offset| offset - first).collect();
    (OffsetBuffer::new(own), first.as_usize(), (last - first).as_usize())
}

/// The part of a buffer that views use.
#[derive(Clone)]
struct Used {
    from: usize,
    to: usize,
    /// The sum of their lengths.
    bytes: usize,
}

fn views<V: ByteViewType>(array: &GenericByteViewArray<V>) -> GenericByteViewArray<V> {
    let buffers = array.data_buffers();
    let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
    let is_given = |row: usize| nulls.is_none_or(|nulls| nulls.is_valid(row));
    let mut used = vec![Used { from: usize::MAX, to: 0, bytes: 0 }; buffers.len()];
    for (row, &view) in array.views().iter().enumerate() {
        let view = ByteView::from(view);
        if view.length > INLINE && is_given(row) {
            let (start, len) = (view.offset as usize, view.length as usize);
            let used = &mut used[view.buffer_index as usize];
            *used =
                Used { from: used.from.min(start), to: used.to.max(start + len), bytes: used.bytes + len };
        }
    }
    let bytes: usize = used.iter().map(|used| used.bytes).sum();
    if buffers.iter().map(Buffer::len).sum::<usize>() <= SLACK * bytes {
        return array.clone();
    }

    // The new number of each buffer; `None` if its texts are copied.
    let mut cut = Vec::new();
    let mut numbers = Vec::with_capacity(buffers.len());
    for (buffer, used) in buffers.iter().zip(&used) {
        let is_sparse = used.to.saturating_sub(used.from) > SPARSE * used.bytes;
        numbers.push((used.bytes > 0 && !is_sparse).then(|| {
            cut.push(buffer.slice_with_length(used.from, used.to - used.from));
            cut.len() as u32 - 1
        }));
    }
    let (mut copied, number) = (Vec::new(), cut.len() as u32);
    let moved = array.views().iter().enumerate().map(|(row, &view)| {
        let mut view = ByteView::from(view);
        let len = view.length as usize;
        if view.length <= INLINE {
            return view.as_u128();
        }
        if !is_given(row) {
            return 0;
        }
        let (buffer, start) = (view.buffer_index as usize, view.offset as usize);
        if let Some(number) = numbers[buffer] {
            view.buffer_index = number;
            view.offset = (start - used[buffer].from) as u32;
        } else {
            view.buffer_index = number;
            view.offset = copied.len() as u32;
            copied.extend_from_slice(&buffers[buffer][start..start + len]);
        }
        view.as_u128()
    });
    let moved: ScalarBuffer<u128> = moved.collect();
    if !copied.is_empty() {
        cut.push(Buffer::from_vec(copied));
    }
    made(moved, cut, array.nulls().cloned())
}

fn made<V: ByteViewType>(
    views: ScalarBuffer<u128>,
    buffers: Vec<Buffer>,
    nulls: Option<NullBuffer>,
) -> GenericByteViewArray<V> {
    if cfg!(debug_assertions) {
        return GenericByteViewArray::new(views, buffers, nulls);
    }
    // SAFETY: each view has the length and the first bytes of one of a valid array, and names the same bytes.
    unsafe { GenericByteViewArray::new_unchecked(views, buffers, nulls) }
}
