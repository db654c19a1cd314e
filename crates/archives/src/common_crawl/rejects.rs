//! The rows that the table cannot hold, as a separate table: like urimill's other rejects, with the code `field_unfit`
//! for those without a required value, and the columns concerned in `field_errors`.

use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::filter::{filter, filter_record_batch};
use urimill_columns::batch::{Column, Columns, FIELD_ERRORS, Options};
use urimill_uri::Code;

use super::fit::{Faults, field_faults};
use super::{Whole, mask, with_rows};

/// The position of each record, its text and the reason; then its fields, and their faults.
pub(super) fn schema(options: &Options) -> SchemaRef {
    let schema = options.extra.extend(&Columns::rejects().schema());
    if options.extra.width() > 0 {
        return schema;
    }
    let fields = schema.fields().iter().map(|field| field.as_ref().clone());
    let faults = Field::new(FIELD_ERRORS, DataType::Utf8View, true);
    Arc::new(Schema::new(fields.chain([faults]).collect::<Vec<_>>()))
}

/// The rows of `out`, some of which are `unfit`.
pub(super) fn rows(
    batch: &Whole<'_>,
    out: &BooleanBuffer,
    unfit: &BooleanBuffer,
    faults: &Faults,
) -> Result<RecordBatch, ArrowError> {
    let schema = batch.table.rejects.clone();
    let numbers: Vec<u32> = out.set_indices_u32().collect();
    let out = mask(out.clone());
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for column in Columns::rejects().iter() {
        let array = batch.own(column).ok_or_else(|| {
            ArrowError::SchemaError(format!("there is no column {} for rejects", column.as_str()))
        })?;
        let array = filter(array, &out)?;
        arrays.push(if column == Column::Error { codes(&array, &numbers, unfit) } else { array });
    }
    let from = batch.table.from.iter().count();
    let fields: Vec<usize> = (from..from + batch.table.fields.len()).collect();
    let fields = filter_record_batch(&batch.batch.project(&fields)?, &out)?;
    arrays.extend(fields.columns().iter().cloned());
    let mut reasons = StringViewBuilder::with_capacity(numbers.len());
    for &row in &numbers {
        // A record outside the grammar lacks its parts, which its code implies.
        let is_unfit = unfit.value(row as usize);
        match is_unfit {
            true => reasons.append_option(faults.of(batch, row)),
            false => reasons.append_option(field_faults(batch, row)),
        }
    }
    arrays.push(Arc::new(reasons.finish()));
    with_rows(schema, arrays, numbers.len())
}

/// The codes of rejects, with that of unfit rows filled in.
fn codes(codes: &ArrayRef, rows: &[u32], unfit: &BooleanBuffer) -> ArrayRef {
    let mut column = StringViewBuilder::with_capacity(rows.len());
    for (code, &row) in codes.as_string_view().iter().zip(rows) {
        let is_unfit = unfit.value(row as usize);
        column.append_option(if is_unfit { Some(Code::FieldUnfit.as_str()) } else { code });
    }
    Arc::new(column.finish())
}
