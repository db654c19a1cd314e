//! Rows of a table on their way to a worker: limited in number and size, in the types of the table, and copied if the
//! data that they were decoded from are large.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, Int32Type, Int64Type, RunEndIndexType};
use arrow_array::{AnyDictionaryArray, Array, ArrayRef, RecordBatch, RecordBatchOptions, make_array};
use arrow_cast::cast;
use arrow_data::transform::MutableArrayData;
use arrow_schema::{DataType, SchemaRef};

/// The most rows handed out at once.
const MOST_ROWS: usize = 1 << 14;

/// Fewer rows if they have more bytes than this; values of a dictionary count each time that they occur.
const MOST_BYTES: usize = 16 << 20;

/// Rows are copied out of data larger than this, so that they do not keep all of it alive.
const LARGE: usize = 32 << 20;

/// The rows of `batch` from `from` on that go to a worker at once, in the types of `schema`.
///
/// # Errors
/// If a value does not fit its type.
pub(crate) fn next(batch: &RecordBatch, from: usize, schema: &SchemaRef) -> Result<RecordBatch, String> {
    let mut rows = batch.slice(from, MOST_ROWS.min(batch.num_rows() - from));
    while rows.num_rows() > 1 && bytes_of(rows.columns()) > MOST_BYTES {
        rows = rows.slice(0, rows.num_rows() / 2);
    }
    let is_large = rows.num_rows() < batch.num_rows() && batch.get_array_memory_size() > LARGE;
    let own = |(column, field): (&ArrayRef, &Arc<arrow_schema::Field>)| {
        let typed = match column.data_type() == field.data_type() {
            true => column.clone(),
            false => cast(column, field.data_type()).map_err(|error| error.to_string())?,
        };
        if is_large { copied(&typed) } else { Ok(typed) }
    };
    let columns = rows.columns().iter().zip(schema.fields()).map(own).collect::<Result<Vec<_>, String>>()?;
    let counted = RecordBatchOptions::new().with_row_count(Some(rows.num_rows()));
    RecordBatch::try_new_with_options(schema.clone(), columns, &counted).map_err(|error| error.to_string())
}

/// The values in newly allocated memory.
fn copied(array: &ArrayRef) -> Result<ArrayRef, String> {
    Ok(match array.data_type() {
        DataType::Utf8View => Arc::new(array.as_string_view().gc()),
        DataType::BinaryView => Arc::new(array.as_binary_view().gc()),
        _ => {
            let data = array.to_data();
            let mut copy = MutableArrayData::new(vec![&data], false, data.len());
            copy.try_extend(0, 0, data.len()).map_err(|error| error.to_string())?;
            make_array(copy.freeze())
        }
    })
}

fn bytes_of(columns: &[ArrayRef]) -> usize {
    columns.iter().map(|column| bytes(column.as_ref())).fold(0, usize::saturating_add)
}

/// The bytes of an array's values if they were stored one after the other.
fn bytes(array: &dyn Array) -> usize {
    fn of_runs<R: RunEndIndexType>(array: &dyn Array) -> usize {
        let Some(runs) = array.as_run_opt::<R>() else { return 0 };
        let values = runs.values_slice();
        let each = bytes(values.as_ref()).div_ceil(values.len().max(1));
        // Not estimated by the number of values: all values of a run may be the longest one.
        let longest = longest(values.as_ref(), each);
        longest.saturating_mul(runs.len())
    }
    match array.data_type() {
        DataType::Utf8View => array.as_string_view().lengths().map(|length| length as usize).sum(),
        DataType::BinaryView => array.as_binary_view().lengths().map(|length| length as usize).sum(),
        DataType::Dictionary(..) => of_dictionary(array.as_any_dictionary()),
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => of_runs::<Int16Type>(array),
            DataType::Int32 => of_runs::<Int32Type>(array),
            _ => of_runs::<Int64Type>(array),
        },
        DataType::Struct(_) => bytes_of(array.as_struct().columns()),
        DataType::List(_) => {
            let (list, ends) = (array.as_list::<i32>(), array.as_list::<i32>().value_offsets());
            within(list.values(), ends[0] as usize, ends[list.len()] as usize)
        }
        DataType::LargeList(_) => {
            let (list, ends) = (array.as_list::<i64>(), array.as_list::<i64>().value_offsets());
            within(list.values(), ends[0] as usize, ends[list.len()] as usize)
        }
        DataType::Map(..) => {
            let (map, ends) = (array.as_map(), array.as_map().value_offsets());
            let entries: ArrayRef = Arc::new(map.entries().clone());
            within(&entries, ends[0] as usize, ends[map.len()] as usize)
        }
        DataType::FixedSizeList(_, size) => {
            let list = array.as_fixed_size_list();
            let values = bytes(list.values().as_ref());
            // A list may have any number of elements that take no bytes, such as nulls.
            values.max(list.len().saturating_mul(usize::try_from(*size).unwrap_or(0)))
        }
        _ => array.to_data().get_slice_memory_size().unwrap_or(0),
    }
}

fn within(values: &ArrayRef, from: usize, to: usize) -> usize {
    bytes(values.slice(from, to.saturating_sub(from)).as_ref())
}

fn of_dictionary(array: &dyn AnyDictionaryArray) -> usize {
    let values = array.values();
    if values.is_empty() {
        return 0;
    }
    let all = bytes(values.as_ref());
    // Few values of few bytes need not be counted individually.
    if all.saturating_mul(array.len()) <= MOST_BYTES {
        return all;
    }
    let mut each = vec![None; values.len()];
    let valid =
        array.normalized_keys().into_iter().enumerate().filter(|&(row, _)| array.keys().is_valid(row));
    valid
        .map(|(_, key)| *each[key].get_or_insert_with(|| bytes(values.slice(key, 1).as_ref())))
        .fold(0, usize::saturating_add)
}

fn longest(values: &dyn Array, least: usize) -> usize {
    (0..values.len()).map(|at| bytes(values.slice(at, 1).as_ref())).max().unwrap_or(0).max(least)
}
