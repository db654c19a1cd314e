//! Divides batches by the values of some columns: decides which directory each row belongs to. Runs in the workers,
//! before the directory's `router`; the first step there.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, ListArray, RecordBatch, StructArray, UInt32Array};
use arrow_cast::cast;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_row::{RowConverter, SortField};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use arrow_select::take::take_record_batch;
use urimill_base::error::{Error, ErrorKind, Result, did_you_mean};
use urimill_base::option_name::OptionName;

use super::hive::segment;
use super::transform::Transform;
use crate::plain_types::is_offset;
use crate::sizes::open_bytes;

/// The columns that partition, and the columns of the files.
pub(crate) struct Partitioner {
    by: Vec<Key>,
    rest: Vec<usize>,
    files: SchemaRef,
    /// A batch of one partition with this many bytes is passed on unchanged.
    enough: usize,
}

/// The basis of the partitions: a column, or a part of its values.
struct Key {
    column: usize,
    /// The name in its directories.
    name: String,
    transform: Option<Transform>,
}

/// A batch whose rows are in the order of their partitions; within one, in the order of the input.
pub(crate) struct Parted {
    pub(crate) rows: RecordBatch,
    /// Bytes of all rows.
    pub(crate) bytes: usize,
    pub(crate) pieces: Vec<Piece>,
    /// Whether the rows still refer to the chunk that was read: then they must not be kept.
    pub(crate) is_borrowed: bool,
}

/// Rows of one partition.
pub(crate) struct Piece {
    /// The directory.
    pub(crate) path: String,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

impl Partitioner {
    /// # Errors
    /// `Usage`: a column does not exist, is named twice, or has values without names, or no column is left.
    pub(crate) fn new(schema: &SchemaRef, by: &[String], enough: usize) -> Result<Self> {
        let mut keys: Vec<Key> = Vec::new();
        for name in by {
            // A column may have a colon in its name.
            let parts = name.split_once(':').filter(|_| schema.index_of(name).is_err());
            let (name, transform) = match parts {
                Some((column, part)) => (column, Some(Transform::of(part)?)),
                None => (name.as_str(), None),
            };
            let Ok(place) = schema.index_of(name) else {
                let names: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
                return Err(Error::usage(format!(
                    "cannot partition by {name:?}: the table has no such column{}; it has {} ({} adds others)",
                    did_you_mean(name, names.iter().copied()),
                    names.join(", "),
                    OptionName::Columns.named()
                )));
            };
            let directory = transform.map_or_else(|| name.to_owned(), |transform| transform.name(name));
            if keys.iter().any(|key| key.name == directory) {
                return Err(Error::usage(format!("cannot partition by {directory} twice; name it once")));
            }
            let data_type = schema.field(place).data_type();
            let (takes, what) = match transform {
                None => (has_names(data_type), "texts, integers or times"),
                Some(transform @ Transform::Hash(_)) => (transform.takes(data_type), "texts or integers"),
                Some(transform) => (transform.takes(data_type), "times"),
            };
            if !takes {
                let of = if transform.is_some() {
                    format!("the values of {name}")
                } else {
                    "its values".to_owned()
                };
                return Err(Error::usage(format!(
                    "cannot partition by {directory}: {of} are {data_type}; take a column of {what}"
                )));
            }
            // The files keep a column, and readers would get another with the same name from the directories.
            if transform.is_some() && schema.index_of(&directory).is_ok() {
                return Err(Error::usage(format!(
                    "cannot partition by {name}: its directories would be called by {directory}, which is a column of the \
                     table; leave that out"
                )));
            }
            keys.push(Key { column: place, name: directory, transform });
        }
        let divides =
            |column: &usize| keys.iter().any(|key| key.column == *column && key.transform.is_none());
        let rest: Vec<usize> = (0..schema.fields().len()).filter(|column| !divides(column)).collect();
        if rest.is_empty() {
            return Err(Error::usage(
                "cannot partition by all columns: the files do not contain these, and would be empty; drop one",
            ));
        }
        let files = schema.project(&rest).map_err(failed)?;
        Ok(Partitioner { by: keys, rest, files: Arc::new(files), enough })
    }

    /// The columns of the files: all that do not partition.
    pub(crate) fn file_schema(&self) -> &SchemaRef {
        &self.files
    }

    /// Whether there is only one partition, the directory itself.
    pub(crate) fn is_single(&self) -> bool {
        self.by.is_empty()
    }

    pub(crate) fn part(&self, batch: &RecordBatch) -> Result<Parted> {
        let groups = self.groups(batch)?;
        let rows = batch.project(&self.rest).map_err(failed)?;
        if let [path] = &groups.paths[..] {
            let pieces = vec![Piece { path: path.clone(), from: 0, to: batch.num_rows() }];
            let bytes = open_bytes(&rows);
            let is_borrowed = bytes >= self.enough;
            let rows = if is_borrowed { rows } else { compact(&rows).map_err(failed)? };
            return Ok(Parted { rows, bytes, pieces, is_borrowed });
        }
        let (order, pieces) = groups.order();
        let rows = take_record_batch(&rows, &order).and_then(|rows| compact(&rows)).map_err(failed)?;
        Ok(Parted { bytes: open_bytes(&rows), rows, pieces, is_borrowed: false })
    }

    /// The directory of each row.
    fn groups(&self, batch: &RecordBatch) -> Result<Groups> {
        let rows = batch.num_rows();
        if rows == 0 {
            return Ok(Groups { rows: Vec::new(), paths: Vec::new() });
        }
        let mut groups = Groups { rows: vec![0; rows], paths: vec![String::new()] };
        for key in &self.by {
            let values = Values::of(batch, key)?;
            let name = &key.name;
            let segments = values.first.iter().map(|&row| segment(name, values.text(row, name)?.as_deref()));
            groups.refine(&values.rows, &segments.collect::<Result<Vec<_>>>()?);
        }
        Ok(groups)
    }
}

/// Rows by their directory.
struct Groups {
    /// For each row the number of its directory.
    rows: Vec<u32>,
    /// For each directory its path; in the order of the first rows.
    paths: Vec<String>,
}

impl Groups {
    /// Divides them further, row by row by a number, for which there are names.
    fn refine(&mut self, rows: &[u32], names: &[String]) {
        let mut pairs = Numbers::default();
        for (group, &more) in self.rows.iter_mut().zip(rows) {
            *group = pairs.number((*group, more));
        }
        // Different values may have the same name: null and the empty string do.
        let mut paths = Numbers::default();
        let numbers: Vec<u32> = pairs
            .all
            .iter()
            .map(|&(group, more)| {
                let (before, name) = (&self.paths[group as usize], &names[more as usize]);
                paths.number(if before.is_empty() { name.clone() } else { format!("{before}/{name}") })
            })
            .collect();
        if paths.all.len() < numbers.len() {
            self.rows.iter_mut().for_each(|group| *group = numbers[*group as usize]);
        }
        self.paths = paths.all;
    }

    /// The rows, group by group, and which of them make each.
    fn order(self) -> (UInt32Array, Vec<Piece>) {
        let mut ends = vec![0usize; self.paths.len()];
        self.rows.iter().for_each(|&group| ends[group as usize] += 1);
        let mut at = 0;
        for end in &mut ends {
            (at, *end) = (at + *end, at);
        }
        let mut order = vec![0; self.rows.len()];
        for (row, &group) in self.rows.iter().enumerate() {
            let place = &mut ends[group as usize];
            // Fits in u32: views address no more rows than that, and batches are far smaller.
            order[*place] = row as u32;
            *place += 1;
        }
        let mut from = 0;
        let piece = |(path, to)| {
            let piece = Piece { path, from, to };
            from = to;
            piece
        };
        (order.into(), self.paths.into_iter().zip(ends).map(piece).collect())
    }
}

/// Values numbered in the order of their first occurrence.
struct Numbers<T> {
    numbers: HashMap<T, u32>,
    all: Vec<T>,
    last: u32,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Numbers { numbers: HashMap::new(), all: Vec::new(), last: 0 }
    }
}

impl<T: Eq + Hash + Clone> Numbers<T> {
    fn number(&mut self, thing: T) -> u32 {
        // In logs a value often repeats.
        if self.all.get(self.last as usize) != Some(&thing) {
            let next = self.all.len() as u32;
            self.last = *self.numbers.entry(thing.clone()).or_insert(next);
            if self.last == next {
                self.all.push(thing);
            }
        }
        self.last
    }
}

/// A column by its distinct values.
struct Values {
    /// For each row the number of its value.
    rows: Vec<u32>,
    /// For each value the first row that has it.
    first: Vec<usize>,
    column: ArrayRef,
    transform: Option<Transform>,
}

impl Values {
    fn of(batch: &RecordBatch, key: &Key) -> Result<Values> {
        let column = plain(batch.column(key.column)).map_err(failed)?;
        let column: ArrayRef = match key.transform {
            Some(transform) => Arc::new(transform.numbers(&column).map_err(failed)?),
            None => column,
        };
        let rows = match column.data_type() {
            data_type if is_text(data_type) => {
                let texts = cast(&column, &DataType::Utf8View).map_err(failed)?;
                let mut numbers = Numbers::default();
                texts.as_string_view().iter().map(|text| numbers.number(text)).collect::<Vec<_>>()
            }
            data_type => {
                let converter = RowConverter::new(vec![SortField::new(data_type.clone())]).map_err(failed)?;
                let keys = converter.convert_columns(std::slice::from_ref(&column)).map_err(failed)?;
                let mut numbers = Numbers::default();
                keys.iter().map(|key| numbers.number(key)).collect()
            }
        };
        let mut first = Vec::new();
        for (row, &number) in rows.iter().enumerate() {
            if number as usize == first.len() {
                first.push(row);
            }
        }
        Ok(Values { rows, first, column, transform: key.transform })
    }

    /// `Data` if a moment of the column `name` has no text.
    fn text(&self, row: usize, name: &str) -> Result<Option<String>> {
        if self.column.is_null(row) {
            return Ok(None);
        }
        if let Some(transform) = self.transform {
            return Ok(Some(transform.text(self.column.as_primitive::<Int64Type>().value(row))));
        }
        const FORMAT: FormatOptions<'static> = FormatOptions::new().with_display_error(false);
        let formatter = ArrayFormatter::try_new(&self.column, &FORMAT).map_err(failed)?;
        formatter.value(row).try_to_string().map(Some).map_err(|_| {
            Error::new(
                ErrorKind::Data,
                format!(
                    "cannot partition by {name}: it has a time beyond the calendar, which cannot name a \
                     directory; partition by another column"
                ),
            )
        })
    }
}

/// A column whose values have texts: a dictionary as its values unless it is text; moments in a zone that has a name
/// instead of an offset in UTC, as in text files.
fn plain(column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    match column.data_type() {
        data_type if is_text(data_type) => Ok(column.clone()),
        DataType::Dictionary(_, values) => plain(&cast(column, values)?),
        DataType::Timestamp(unit, Some(zone)) if !is_offset(zone) => {
            cast(column, &DataType::Timestamp(*unit, Some("+00:00".into())))
        }
        _ => Ok(column.clone()),
    }
}

fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_text(values),
        other => matches!(other, DataType::Utf8View | DataType::Utf8 | DataType::LargeUtf8),
    }
}

/// Whether values of a type have a text that is complete and means the same everywhere.
fn has_names(data_type: &DataType) -> bool {
    use DataType::{Boolean, Date32, Date64, Dictionary, Timestamp};
    match data_type {
        Dictionary(_, values) => has_names(values),
        Boolean | Date32 | Date64 | Timestamp(..) => true,
        other if is_text(other) => true,
        other => other.is_integer(),
    }
}

/// The same rows, without references to the chunk that was read.
pub(crate) fn compact(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns().iter().map(compact_column).collect::<Result<Vec<_>, _>>()?;
    RecordBatch::try_new(batch.schema(), columns)
}

fn compact_column(column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    Ok(match column.data_type() {
        DataType::Utf8View => Arc::new(column.as_string_view().gc()),
        DataType::BinaryView => Arc::new(column.as_binary_view().gc()),
        DataType::List(_) => {
            let (element, offsets, values, nulls) = column.as_list::<i32>().clone().into_parts();
            Arc::new(ListArray::try_new(element, offsets, compact_column(&values)?, nulls)?)
        }
        DataType::Struct(_) => {
            let (fields, columns, nulls) = column.as_struct().clone().into_parts();
            let columns = columns.iter().map(compact_column).collect::<Result<_, _>>()?;
            Arc::new(StructArray::try_new(fields, columns, nulls)?)
        }
        _ => column.clone(),
    })
}

fn failed(error: ArrowError) -> Error {
    crate::encode_error("a partition", error)
}

/// An empty batch of a schema.
pub(crate) fn nothing(schema: &Schema) -> RecordBatch {
    RecordBatch::new_empty(Arc::new(schema.clone()))
}
