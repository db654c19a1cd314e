//! String and binary arrays as records by position: only texts that are inline in views are copied.

use arrow_array::cast::AsArray;
use arrow_array::types::ByteArrayType;
use arrow_array::{AnyDictionaryArray, Array, GenericByteArray};
use arrow_buffer::{ArrowNativeType, Buffer};
use arrow_data::ByteView;
use arrow_schema::DataType;
use arrow_select::take::take;
use urimill_base::error::{Error, Result};
use urimill_uri::simd::{PADDING, Span};

use super::columns;
use super::places::{LONGEST_TEXT, Places};

/// The bytes of a large array's values that one buffer spans here: offsets within it have 31 bits.
const WINDOW: usize = 1 << 30;

/// Whether URIs can be read from arrays of this type.
pub fn holds_texts(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => true,
        DataType::Dictionary(_, values) => {
            !matches!(**values, DataType::Dictionary(..)) && holds_texts(values)
        }
        _ => false,
    }
}

/// Adds the positions of an array's values to `places`: of a value that is too long, whatever the options say, that of
/// its first [`LONGEST_TEXT`] bytes.
///
/// # Errors
/// Usage: it is not an array of strings or bytes.
pub(super) fn places(array: &dyn Array, places: &mut Places) -> Result<()> {
    places.clear();
    places.spans.reserve(array.len());
    match array.data_type() {
        DataType::Utf8 => contiguous(array.as_string::<i32>(), places),
        DataType::LargeUtf8 => contiguous(array.as_string::<i64>(), places),
        DataType::Binary => contiguous(array.as_binary::<i32>(), places),
        DataType::LargeBinary => contiguous(array.as_binary::<i64>(), places),
        DataType::Utf8View => {
            let array = array.as_string_view();
            views(array.views(), array.data_buffers(), array, places)
        }
        DataType::BinaryView => {
            let array = array.as_binary_view();
            views(array.views(), array.data_buffers(), array, places)
        }
        DataType::Dictionary(..) if holds_texts(array.data_type()) => {
            return dictionary(array.as_any_dictionary(), places);
        }
        other => return Err(no_texts(other)),
    }
    Ok(())
}

/// The error for an array of another type than [`holds_texts`] names.
pub fn no_texts(data_type: &DataType) -> Error {
    Error::usage(format!(
        "URIs cannot be read from an array of {data_type}: give Utf8, LargeUtf8, Utf8View, Binary, LargeBinary, \
         BinaryView or a dictionary of these"
    ))
}

fn contiguous<T: ByteArrayType>(array: &GenericByteArray<T>, places: &mut Places) {
    let offsets = array.value_offsets();
    let (first, last) = (offsets[0].as_usize(), offsets[array.len()].as_usize());
    if array.null_count() == 0 && last - first <= WINDOW && first < last {
        places.buffers.push(array.values().slice(first));
        let at = |offset: &T::Offset| (offset.as_usize() - first) as u32;
        let span = |pair: &[T::Offset]| Span {
            start: at(&pair[0]),
            len: (at(&pair[1]) - at(&pair[0])).min(LONGEST_TEXT as u32),
        };
        places.spans.extend(offsets.windows(2).map(span));
        places.runs.push((0, array.len()));
        return;
    }
    let mut window = 0;
    for row in 0..array.len() {
        let (from, to) = (offsets[row].as_usize(), offsets[row + 1].as_usize());
        let to = if array.is_null(row) { from } else { to.min(from + LONGEST_TEXT) };
        if places.buffers.is_empty() || to - window > WINDOW {
            window = from;
            places.buffers.push(array.values().slice(window));
        }
        let span = Span { start: (from - window) as u32, len: (to - from) as u32 };
        places.push(places.buffers.len() as u32 - 1, span);
    }
}

/// Rows with the same key share a place.
fn dictionary(array: &dyn AnyDictionaryArray, places: &mut Places) -> Result<()> {
    // A slice of a long array does not look at all values.
    if array.len() < array.values().len() {
        let values = take(array.values(), array.keys(), None);
        return self::places(&values.map_err(columns::internal)?, places);
    }
    let mut values = Places::default();
    self::places(array.values().as_ref(), &mut values)?;
    let mut buffers = Vec::with_capacity(values.spans.len());
    for &(buffer, to) in &values.runs {
        buffers.resize(to, buffer);
    }
    places.buffers = values.buffers;
    if places.buffers.is_empty() {
        places.buffers.push(Buffer::from_vec(vec![0u8; PADDING]));
    }
    // An array without values has only null rows, and the library has no keys for it.
    let keys = if values.spans.is_empty() { vec![0; array.len()] } else { array.normalized_keys() };
    for (row, key) in keys.into_iter().enumerate() {
        match array.is_null(row) {
            true => places.push(0, Span { start: 0, len: 0 }),
            false => places.push(buffers[key], values.spans[key]),
        }
    }
    Ok(())
}

/// A slice of an array has all buffers of the array: only those that its rows use become buffers of the batch.
fn views(views: &[u128], data: &[Buffer], array: &dyn Array, places: &mut Places) {
    // The first buffer is that of the texts inline in views.
    places.buffers.push(Buffer::from_vec(Vec::<u8>::new()));
    let mut within = Vec::new();
    // By buffer of the array its number here; 0 where no row has used it.
    let mut numbers = vec![0; data.len()];
    for (row, &view) in views.iter().enumerate() {
        let len = if array.is_null(row) { 0 } else { view as u32 };
        if len <= 12 {
            // A text inline in its view: so short that the views of its components are inline, too.
            places.push(0, Span { start: within.len() as u32, len });
            within.extend_from_slice(&(view >> 32).to_le_bytes()[..len as usize]);
            continue;
        }
        let view = ByteView::from(view);
        let (buffer, number) = (&data[view.buffer_index as usize], &mut numbers[view.buffer_index as usize]);
        let (start, len) = (view.offset, len.min(LONGEST_TEXT as u32));
        if u64::from(start) + u64::from(len) > i32::MAX as u64 {
            places.buffers.push(buffer.slice(start as usize));
            places.push(places.buffers.len() as u32 - 1, Span { start: 0, len });
            continue;
        }
        if *number == 0 {
            *number = places.buffers.len() as u32;
            places.buffers.push(buffer.clone());
        }
        places.push(*number, Span { start, len });
    }
    within.resize(within.len() + PADDING, 0);
    places.buffers[0] = Buffer::from_vec(within);
}
