//! Plain types, for files and other programs: inside, strings are views into the chunk that was read; many readers of
//! Arrow data lack views and dictionaries, so Arrow output has plain `Utf8` and `Binary`.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::timezone::Tz;
use arrow_array::{Array, ArrayRef, ListArray, RecordBatch, RecordBatchOptions, StructArray};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema, SchemaRef};
use urimill_columns::batch::{plain_bytes, plain_strings};

use super::SinkOptions;

/// Returns `schema` with plain types: `Utf8View` as `Utf8`, `BinaryView` as `Binary`, a dictionary as its values,
/// also inside lists and structs. Names, order, nullability and metadata stay.
pub fn export_schema(schema: &Schema) -> Schema {
    let fields = schema.fields().iter().map(exit_field);
    Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone())
}

/// The schema for readers of Arrow IPC, with the caller's key-value pairs as its metadata. Columns that pass through
/// from a table keep their types: a reader of that table can read them.
pub fn file_schema(schema: &Schema, options: &SinkOptions) -> SchemaRef {
    let metadata: HashMap<_, _> = options.metadata.iter().cloned().collect();
    let own = schema.fields().len().saturating_sub(options.passthrough);
    let plain = export_schema(schema);
    let fields = plain.fields().iter().take(own).chain(schema.fields().iter().skip(own));
    Arc::new(Schema::new_with_metadata(fields.cloned().collect::<Vec<_>>(), metadata))
}

fn exit_field(field: &FieldRef) -> Field {
    field.as_ref().clone().with_data_type(exit_type(field.data_type()))
}

fn exit_type(inside: &DataType) -> DataType {
    match inside {
        DataType::Utf8View => DataType::Utf8,
        DataType::BinaryView => DataType::Binary,
        DataType::Dictionary(_, values) => exit_type(values),
        DataType::List(element) => DataType::List(Arc::new(exit_field(element))),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(exit_field).collect()),
        other => other.clone(),
    }
}

/// Casts the columns of `batch` to the types of `schema`, which [`export_schema`] made from the batch's schema.
///
/// # Errors
/// If a column's strings reach 2 GiB, which the offsets of `Utf8` cannot address.
pub fn to_plain(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(c, f)| to_type(c, f.data_type())).collect::<Result<Vec<_>, _>>()?;
    // Without columns only the row count remains.
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema.clone(), columns, &options)
}

/// Whether a time zone is an offset from UTC. Names are not, even if arrow could interpret them, which depends on what
/// else the program is built with.
pub(super) fn is_offset(zone: &str) -> bool {
    zone.starts_with(['+', '-']) && zone.parse::<Tz>().is_ok()
}

/// `batch` for writers of text: moments in UTC get the offset, which Arrow's display knows without a table of zones.
pub(super) fn without_zone_names(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let is_utc =
        |data_type: &DataType| matches!(data_type, DataType::Timestamp(_, Some(zone)) if &**zone == "UTC");
    if !batch.schema_ref().fields().iter().any(|field| is_utc(field.data_type())) {
        return Ok(batch.clone());
    }
    let with_offset = |data_type: &DataType| match data_type {
        DataType::Timestamp(unit, Some(_)) if is_utc(data_type) => {
            DataType::Timestamp(*unit, Some("+00:00".into()))
        }
        other => other.clone(),
    };
    let fields = batch.schema_ref().fields().iter();
    let fields = fields.map(|f| f.as_ref().clone().with_data_type(with_offset(f.data_type())));
    let schema = Schema::new_with_metadata(fields.collect::<Vec<_>>(), batch.schema_ref().metadata().clone());
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns
        .map(|(c, f)| if c.data_type() == f.data_type() { Ok(c.clone()) } else { cast(c, f.data_type()) });
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::new(schema), columns, &options)
}

fn to_type(column: &ArrayRef, plain: &DataType) -> Result<ArrayRef, ArrowError> {
    match (column.data_type(), plain) {
        (inside, plain) if inside == plain => Ok(column.clone()),
        // Arrow's `cast` would do the same, but panics if the bytes exceed 2 GiB.
        (DataType::Utf8View, DataType::Utf8) => {
            Ok(Arc::new(plain_strings(column.as_string_view()).map_err(too_long(column.len()))?))
        }
        (DataType::BinaryView, DataType::Binary) => {
            Ok(Arc::new(plain_bytes(column.as_binary_view()).map_err(too_long(column.len()))?))
        }
        (DataType::List(_), DataType::List(element)) => {
            let (_, offsets, values, nulls) = column.as_list::<i32>().clone().into_parts();
            let values = to_type(&values, element.data_type())?;
            Ok(Arc::new(ListArray::try_new(element.clone(), offsets, values, nulls)?))
        }
        (DataType::Struct(_), DataType::Struct(fields)) => {
            let (_, columns, nulls) = column.as_struct().clone().into_parts();
            let columns =
                columns.iter().zip(fields).map(|(column, field)| to_type(column, field.data_type()));
            Ok(Arc::new(StructArray::try_new(fields.clone(), columns.collect::<Result<_, _>>()?, nulls)?))
        }
        _ => cast(column, plain),
    }
}

fn too_long(rows: usize) -> impl Fn(usize) -> ArrowError {
    move |bytes| {
        let sentence = format!("the {rows} rows of a batch hold {bytes} bytes in one column");
        ArrowError::InvalidArgumentError(format!("{sentence}; Utf8 ends at 2 GiB"))
    }
}
