//! The keys that rows are compared by: the bytes of the only column, or several columns encoded so that their bytes
//! compare as they do. Nulls come last.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, BooleanArray, RecordBatch};
use arrow_row::{RowConverter, Rows, SortField};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef, SortOptions};
use arrow_select::nullif::nullif;
use std::sync::Arc;
use urimill_base::error::{Error, Result};
use urimill_write::{SortKey, export_schema, to_plain};

/// Makes the keys of batches.
#[derive(Debug)]
pub(super) struct Keyer {
    columns: Vec<usize>,
    /// In this many of these, the first ones, empty texts are null.
    dividing: usize,
    /// The plain types of the key columns, as in files.
    plain_schema: SchemaRef,
    /// Absent if the key is a single ascending text.
    converter: Option<RowConverter>,
}

/// The key of each row of a batch.
#[derive(Debug)]
pub(super) enum Keys {
    /// The column itself.
    Texts(BinaryArray),
    Rows(Rows),
}

impl Keyer {
    pub(super) fn new(schema: &Schema, keys: &[SortKey], dividing: usize) -> Result<Keyer> {
        if keys.is_empty() {
            return Err(Error::usage("cannot sort by nothing: name a column"));
        }
        let columns: Vec<usize> = keys.iter().map(|key| key.column).collect();
        let plain_schema =
            schema.project(&columns).map_err(|error| Error::usage(format!("cannot sort: {error}")))?;
        let plain_schema = export_schema(&plain_schema);
        let is_text = |field: &DataType| matches!(field, DataType::Utf8 | DataType::Binary);
        let converter = match (plain_schema.fields().as_ref(), keys) {
            ([field], [key]) if is_text(field.data_type()) && !key.descending => None,
            (fields, keys) => Some(converter(fields, keys)?),
        };
        Ok(Keyer { columns, dividing, plain_schema: Arc::new(plain_schema), converter })
    }

    /// The keys of a batch, with internal or plain types.
    pub(super) fn keys(&self, batch: &RecordBatch) -> Result<Keys, ArrowError> {
        let plain_schema = to_plain(&batch.project(&self.columns)?, &self.plain_schema)?;
        let mut columns = plain_schema.columns().to_vec();
        for column in columns.iter_mut().take(self.dividing) {
            *column = without_empty(column)?;
        }
        Ok(match &self.converter {
            Some(converter) => Keys::Rows(converter.convert_columns(&columns)?),
            None => Keys::Texts(match columns[0].as_binary_opt() {
                Some(bytes) => bytes.clone(),
                // The same buffers.
                None => BinaryArray::from(columns[0].as_string::<i32>().clone()),
            }),
        })
    }
}

/// A column whose empty texts are null.
fn without_empty(column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let is_empty: BooleanArray = match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().iter().map(|text| Some(text == Some(""))).collect(),
        DataType::LargeUtf8 => column.as_string::<i64>().iter().map(|text| Some(text == Some(""))).collect(),
        _ => return Ok(column.clone()),
    };
    nullif(column, &is_empty)
}

fn converter(fields: &[Arc<arrow_schema::Field>], keys: &[SortKey]) -> Result<RowConverter> {
    let sort_fields: Vec<SortField> = fields
        .iter()
        .zip(keys)
        .map(|(field, key)| {
            let options = SortOptions { descending: key.descending, nulls_first: false };
            SortField::new_with_options(field.data_type().clone(), options)
        })
        .collect();
    // Every type of a table can be ordered; the library names the others.
    RowConverter::new(sort_fields)
        .map_err(|error| Error::usage(format!("cannot sort by such columns: {error}")))
}

impl Keys {
    /// The key of a row; `None` if it is null.
    #[inline]
    pub(super) fn get(&self, row: usize) -> Option<&[u8]> {
        match self {
            Keys::Texts(texts) if texts.is_null(row) => None,
            Keys::Texts(texts) => Some(texts.value(row)),
            Keys::Rows(rows) => Some(rows.row(row).data()),
        }
    }

    /// The memory of the keys besides the columns of the batch, in bytes.
    pub(super) fn memory(&self) -> usize {
        match self {
            Keys::Texts(_) => 0,
            Keys::Rows(rows) => rows.size(),
        }
    }

    fn len(&self) -> usize {
        match self {
            Keys::Texts(texts) => texts.len(),
            Keys::Rows(rows) => rows.num_rows(),
        }
    }

    /// The rows in the order of their keys; rows with equal keys keep their order.
    pub(super) fn order(&self) -> Vec<u32> {
        let keys: Vec<Option<&[u8]>> = (0..self.len()).map(|row| self.get(row)).collect();
        let mut entries: Vec<Entry> = Vec::with_capacity(keys.len());
        // Within u32: a batch has fewer rows.
        let rows = || keys.iter().zip(0u32..);
        entries.extend(rows().filter_map(|(key, row)| key.map(|_| Entry { head: 0, row })));
        sort(&|row: u32| keys[row as usize].unwrap_or_default(), &mut entries, 0, 0);
        let sorted = entries.iter().map(|entry| entry.row);
        sorted.chain(rows().filter(|(key, _)| key.is_none()).map(|(_, row)| row)).collect()
    }
}

/// A row being sorted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    /// Eight bytes of its key as a big-endian number, zeros after its end.
    head: u64,
    row: u32,
}

/// Groups up to this size are sorted by whole keys.
const SMALL: usize = 12;

/// After this many heads whole keys are compared too: those of one batch can be equal for megabytes.
const LEVELS: u32 = 16;

/// Sorts rows whose keys are equal up to `depth`: by the next eight bytes as one number, then each group in which these
/// are equal by the bytes after them. The keys of one site begin alike, and comparing whole keys would read the same
/// beginning again and again.
fn sort<'a>(key: &impl Fn(u32) -> &'a [u8], entries: &mut [Entry], depth: usize, level: u32) {
    let rest = |row: u32| &key(row)[depth..];
    if entries.len() <= SMALL || level == LEVELS {
        entries.sort_unstable_by(|a, b| rest(a.row).cmp(rest(b.row)).then(a.row.cmp(&b.row)));
        return;
    }
    for entry in entries.iter_mut() {
        entry.head = head(rest(entry.row));
    }
    entries.sort_unstable();
    for group in entries.chunk_by_mut(|a, b| a.head == b.head) {
        if group.len() == 1 {
            continue;
        }
        // Zeros may be bytes of the key or padding: keys that end here come first, the shorter before the longer.
        let length = |entry: &Entry| rest(entry.row).len().min(9);
        if group.iter().any(|entry| length(entry) < 9) {
            group.sort_unstable_by_key(|entry| (length(entry), entry.row));
        }
        let longer = group.partition_point(|entry| length(entry) < 9);
        sort(key, &mut group[longer..], depth + 8, level + 1);
    }
}

fn head(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(eight) => u64::from_be_bytes(*eight),
        None => {
            let mut eight = [0; 8];
            eight[..bytes.len()].copy_from_slice(bytes);
            u64::from_be_bytes(eight)
        }
    }
}
