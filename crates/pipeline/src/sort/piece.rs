//! Sorted rows that are in memory together: a batch of the input sorted on its own, or a block of a run.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, UInt32Array, UInt64Array};
use arrow_buffer::ScalarBuffer;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::take::take_record_batch;
use urimill_write::to_plain;

use super::keys::{Keyer, Keys};

/// The overhead of a column in each piece.
const COLUMN_OVERHEAD: usize = 640;

/// Sorted rows, with the data that merging them needs.
#[derive(Debug)]
pub(super) struct SortedRows {
    /// The table's columns in their plain types, then the rows' numbers in the input.
    pub(super) batch: RecordBatch,
    pub(super) keys: Keys,
    /// The rows' numbers in the input.
    pub(super) numbers: ScalarBuffer<u64>,
    /// For each row its approximate size in memory, which depends only on the row.
    pub(super) widths: Vec<u32>,
    /// Approximate bytes in memory.
    pub(super) memory: usize,
}

/// The table's schema, which has plain types, with the rows' numbers at the end.
pub(super) fn numbered(schema: &Schema) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| field.as_ref().clone());
    // Never visible outside, so another column may have the name.
    let number = Field::new("number", DataType::UInt64, false);
    Arc::new(Schema::new(fields.chain([number]).collect::<Vec<_>>()))
}

impl SortedRows {
    /// The rows of `batch`, sorted; the first of them is row `first` of the input. The piece does not refer to the
    /// memory of the batch.
    pub(super) fn sort(
        batch: &RecordBatch,
        first: u64,
        keyer: &Keyer,
        (plain_schema, numbered): (&SchemaRef, &SchemaRef),
    ) -> Result<SortedRows, ArrowError> {
        let order = keyer.keys(batch)?.order();
        let numbers = UInt64Array::from_iter_values(order.iter().map(|&row| first + u64::from(row)));
        let sorted = to_plain(&take_record_batch(batch, &UInt32Array::from(order))?, plain_schema)?;
        let columns = sorted.columns().iter().cloned().chain([Arc::new(numbers) as ArrayRef]);
        SortedRows::of(RecordBatch::try_new(numbered.clone(), columns.collect())?, keyer)
    }

    /// Rows that are sorted already.
    pub(super) fn of(batch: RecordBatch, keyer: &Keyer) -> Result<SortedRows, ArrowError> {
        let keys = keyer.keys(&batch)?;
        let numbers = batch.columns().last().and_then(|numbers| numbers.as_primitive_opt::<UInt64Type>());
        let numbers = numbers.map(|numbers| numbers.values().clone());
        let numbers = numbers.ok_or_else(|| ArrowError::SchemaError("rows without numbers".to_owned()))?;
        let mut ends = vec![0; batch.num_rows()];
        batch.columns().iter().for_each(|column| add_ends(column.as_ref(), &mut ends));
        let mut before = 0;
        let mut width = |end: usize| {
            let width = end - before;
            before = end;
            u32::try_from(width).unwrap_or(u32::MAX)
        };
        let widths: Vec<u32> = ends.iter().map(|&end| width(end)).collect();
        let values = ends.last().copied().unwrap_or(0) + size_of_val(widths.as_slice());
        let memory = values + keys.memory() + batch.num_columns() * COLUMN_OVERHEAD;
        Ok(SortedRows { batch, keys, numbers, widths, memory })
    }

    pub(super) fn rows(&self) -> usize {
        self.batch.num_rows()
    }
}

/// For each row, adds the bytes of `array` from the first row to the end of that row.
fn add_ends(array: &dyn Array, ends: &mut [usize]) {
    let mut add = |end: &dyn Fn(usize) -> usize| {
        for (row, sum) in ends.iter_mut().enumerate() {
            // One byte for the null flag.
            *sum += end(row) + row + 1;
        }
    };
    let below = |values: &dyn Array| {
        let mut ends = vec![0; values.len() + 1];
        add_ends(values, &mut ends[1..]);
        ends
    };
    macro_rules! offsets {
        ($array:expr, $offset:ty) => {{
            let offsets = $array.value_offsets();
            let first = offsets.first().copied().unwrap_or_default();
            add(&|row| (offsets[row + 1] - first) as usize + size_of::<$offset>() * (row + 1));
        }};
    }
    macro_rules! lists {
        ($offsets:expr, $values:expr) => {{
            let (offsets, ends) = ($offsets, below($values));
            let first = offsets.first().map_or(0, |&first| ends[first as usize]);
            add(&|row| ends[offsets[row + 1] as usize] - first + size_of_val(&offsets[row]) * (row + 1));
        }};
    }
    match array.data_type() {
        DataType::Utf8 => offsets!(array.as_string::<i32>(), i32),
        DataType::LargeUtf8 => offsets!(array.as_string::<i64>(), i64),
        DataType::Binary => offsets!(array.as_binary::<i32>(), i32),
        DataType::LargeBinary => offsets!(array.as_binary::<i64>(), i64),
        DataType::List(_) => {
            let lists = array.as_list::<i32>();
            lists!(lists.value_offsets(), lists.values().as_ref())
        }
        DataType::LargeList(_) => {
            let lists = array.as_list::<i64>();
            lists!(lists.value_offsets(), lists.values().as_ref())
        }
        DataType::Map(..) => {
            let maps = array.as_map();
            lists!(maps.value_offsets(), maps.entries())
        }
        DataType::Struct(_) => {
            array.as_struct().columns().iter().for_each(|column| add_ends(column.as_ref(), ends));
        }
        DataType::FixedSizeBinary(width) => add(&|row| *width as usize * (row + 1)),
        DataType::FixedSizeList(_, length) => {
            let ends = below(array.as_fixed_size_list().values().as_ref());
            add(&|row| ends[*length as usize * (row + 1)]);
        }
        other => {
            let width = other.primitive_width().unwrap_or(1);
            add(&|row| width * (row + 1));
        }
    }
}
