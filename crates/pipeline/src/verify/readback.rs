//! The values of requested columns, read back from a finished output as texts, for each format.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};
use data_encoding::HEXLOWER_PERMISSIVE;
use urimill_write::Format;
use urimill_write::text::csv::{is_formula, separator};

use super::text_rows::{csv_fields, json_members};
use super::value::Value;

/// The requested columns; `None` for one that an output does not have.
#[derive(Debug, Default)]
pub(super) struct ReadbackColumns {
    columns: Vec<Option<usize>>,
    names: Vec<Option<String>>,
    /// Which of them hold bytes, which texts write as hexadecimal digits.
    are_bytes: Vec<bool>,
    /// Whether CSV is written for spreadsheets.
    pub(super) is_safe: bool,
}

impl ReadbackColumns {
    /// Columns of `schema`, by number.
    pub(super) fn new(schema: &Schema, columns: Vec<Option<usize>>) -> ReadbackColumns {
        let field = |column: &Option<usize>| column.map(|column| schema.field(column));
        let names = columns.iter().map(|column| field(column).map(|field| field.name().clone()));
        let is_bytes = |column| {
            field(column).is_some_and(|f| matches!(f.data_type(), DataType::Binary | DataType::BinaryView))
        };
        ReadbackColumns {
            names: names.collect(),
            are_bytes: columns.iter().map(is_bytes).collect(),
            columns,
            is_safe: false,
        }
    }

    /// Sets whether the CSV was written for spreadsheets.
    pub(super) fn safe(self, is_safe: bool) -> ReadbackColumns {
        ReadbackColumns { is_safe, ..self }
    }

    /// Whether the output has the requested column with this number.
    pub(super) fn reads_back(&self, asked: usize) -> bool {
        self.columns.get(asked).is_some_and(Option::is_some)
    }

    /// Calls `each` with the values of every row. `None` if a column has a type that none of urimill's own has.
    pub(super) fn of_batch(&self, batch: &RecordBatch, mut each: impl FnMut(&[Value<'_>])) -> Option<()> {
        let columns: Vec<Option<&ArrayRef>> =
            self.columns.iter().map(|column| column.map(|column| batch.column(column))).collect();
        let mut values = vec![None; columns.len()];
        for row in 0..batch.num_rows() {
            for (value, column) in values.iter_mut().zip(&columns) {
                *value = match column {
                    Some(column) if column.is_valid(row) => Some(value_of(column, row)?),
                    _ => None,
                };
            }
            each(&values);
        }
        Some(())
    }

    /// The same for one row of a text format.
    pub(super) fn of_text(&self, format: Format, row: &[u8], each: impl FnOnce(&[Value<'_>])) -> Option<()> {
        let mut values = vec![None; self.columns.len()];
        match format {
            Format::Csv | Format::Tsv => csv_fields(row, separator(format), |number, value| {
                if let Some(at) = self.columns.iter().position(|&column| column == Some(number)) {
                    values[at] = if self.is_safe { value.map(without_apostrophe) } else { value };
                }
            })?,
            Format::Jsonl => values = json_members(row, &self.names)?,
            // Its only column.
            _ => {
                let line = row.strip_suffix(b"\n").unwrap_or(row);
                let at = self.names.iter().position(|name| name.as_deref() == Some("uri"))?;
                values[at] = Some(Cow::Borrowed(line));
            }
        }
        for (value, _) in values.iter_mut().zip(&self.are_bytes).filter(|(_, is_bytes)| **is_bytes) {
            if let Some(digits) = value.take() {
                *value = Some(Cow::Owned(HEXLOWER_PERMISSIVE.decode(&digits).ok()?));
            }
        }
        each(&values);
        Some(())
    }
}

fn value_of(column: &ArrayRef, row: usize) -> Option<Cow<'_, [u8]>> {
    Some(match column.data_type() {
        DataType::Utf8 => Cow::Borrowed(column.as_string::<i32>().value(row).as_bytes()),
        DataType::Binary => Cow::Borrowed(column.as_binary::<i32>().value(row)),
        DataType::Int64 => Cow::Owned(column.as_primitive::<Int64Type>().value(row).to_string().into_bytes()),
        _ => return None,
    })
}

/// The text of a cell that was written for spreadsheets.
fn without_apostrophe(cell: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    if cell.first() != Some(&b'\'') || !is_formula(&cell) {
        return cell;
    }
    match cell {
        Cow::Borrowed(cell) => Cow::Borrowed(&cell[1..]),
        Cow::Owned(mut cell) => {
            cell.remove(0);
            Cow::Owned(cell)
        }
    }
}
