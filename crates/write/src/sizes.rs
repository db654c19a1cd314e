//! The sizes of the rows of a batch: their texts, and their overhead in an open row group.

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use urimill_columns::batch::ORDINARY_COLUMNS;

/// Rows that are counted at a time, one per bit of a word.
pub(super) const VALIDITY_ROWS: usize = 64;

/// The overhead of a column, and of a value that is not null, in an open row group.
const OPEN_COLUMN: usize = 128;
const OPEN_VALUE: usize = 24;

/// Bytes that the rows of `batch` take in an open row group. For as many columns as most tables have only texts count;
/// for the others, of which there may be thousands, each column and value counts as well.
pub(super) fn open_bytes(batch: &RecordBatch) -> usize {
    let others = batch.columns().iter().skip(ORDINARY_COLUMNS);
    let overhead = others.map(|column| OPEN_COLUMN + OPEN_VALUE * (column.len() - column.null_count()));
    referenced_bytes(batch) + overhead.sum::<usize>()
}

/// The logical size of the rows of `batch`: for strings their length, not the size of the buffers viewed.
pub(super) fn referenced_bytes(batch: &RecordBatch) -> usize {
    fn column(array: &dyn Array) -> usize {
        match array.data_type() {
            DataType::Utf8View | DataType::BinaryView => value_bytes(array),
            DataType::List(_) => {
                let list = array.as_list::<i32>();
                let ends = list.value_offsets();
                let (from, to) = (ends[0] as usize, ends[list.len()] as usize);
                size_of_val(ends) + column(&list.values().slice(from, to - from))
            }
            DataType::Struct(_) => array.as_struct().columns().iter().map(|a| column(a.as_ref())).sum(),
            _ => array.to_data().get_slice_memory_size().unwrap_or(0),
        }
    }
    batch.columns().iter().map(|a| column(a.as_ref())).sum()
}

/// Calls `f` for each [`VALIDITY_ROWS`] rows of an array of texts with the number of its values that are not
/// null, and their bytes.
pub(super) fn each_validity_word(array: &dyn Array, mut f: impl FnMut(usize, usize)) {
    let (rows, lengths) = (array.len(), Lengths::of(array));
    let stretches = (0..rows).step_by(VALIDITY_ROWS).map(|from| (from, rows.min(from + VALIDITY_ROWS)));
    let Some(nulls) = array.nulls().filter(|nulls| nulls.null_count() > 0) else {
        return stretches.for_each(|(from, to)| f(to - from, lengths.sum(from, to)));
    };
    for ((from, to), valid) in stretches.zip(nulls.inner().bit_chunks().iter_padded()) {
        let values = valid.count_ones() as usize;
        let bytes = match values {
            0 => 0,
            all if all == to - from => lengths.sum(from, to),
            _ => {
                let valid = (from..to).filter(|row| valid >> (row - from) & 1 != 0);
                valid.map(|row| lengths.sum(row, row + 1)).sum()
            }
        };
        f(values, bytes);
    }
}

/// Bytes of the values of an array of texts.
fn value_bytes(array: &dyn Array) -> usize {
    let mut all = 0;
    each_validity_word(array, |_, bytes| all += bytes);
    all
}

/// The lengths of a text array's values, including nulls.
enum Lengths<'a> {
    Views(&'a [u128]),
    Offsets(&'a [i32]),
}

impl<'a> Lengths<'a> {
    fn of(array: &'a dyn Array) -> Self {
        match array.data_type() {
            DataType::Utf8View => Lengths::Views(array.as_string_view().views()),
            DataType::BinaryView => Lengths::Views(array.as_binary_view().views()),
            DataType::Utf8 => Lengths::Offsets(array.as_string::<i32>().value_offsets()),
            _ => Lengths::Offsets(array.as_binary::<i32>().value_offsets()),
        }
    }

    /// The sum for the rows `from..to`.
    fn sum(&self, from: usize, to: usize) -> usize {
        match self {
            // The low quarter of a view.
            Lengths::Views(views) => views[from..to].iter().map(|&view| view as u32 as usize).sum(),
            // Offsets ascend.
            Lengths::Offsets(offsets) => (offsets[to] - offsets[from]) as usize,
        }
    }
}
