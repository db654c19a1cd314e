//! Columns that pass through from a table, converted for a format: unchanged if it has such a type, in the nearest one
//! otherwise, and refused if there is none, before any row is written. So the sinks get only types that they can hold.

use std::ops::RangeInclusive;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, new_empty_array};
use arrow_buffer::ArrowNativeType;
use arrow_cast::{CastOptions, can_cast_types, cast_with_options};
use arrow_data::ArrayData;
use arrow_json::writer::{EncoderOptions, make_encoder};
use arrow_schema::{
    ArrowError, DataType, Field, FieldRef, Fields, IntervalUnit, Schema, SchemaRef, TimeUnit,
};
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::option_name::OptionName;

use super::plain_types::is_offset;
use super::{Format, check_schema, encode_error};

/// `schema` with its last `passed` columns as the format holds them.
///
/// # Errors
/// Usage, if it has no type for one.
pub fn fit(format: Format, schema: &SchemaRef, passthrough: usize, name: &str) -> Result<SchemaRef> {
    let own = schema.fields().len().saturating_sub(passthrough);
    let mut fields: Vec<FieldRef> = schema.fields().iter().take(own).cloned().collect();
    for field in schema.fields().iter().skip(own) {
        let held = held(format, field.data_type()).filter(|held| {
            let changes = held != field.data_type();
            !changes || can_cast_types(field.data_type(), held)
        });
        let fitting = held.map(|held| Arc::new(field.as_ref().clone().with_data_type(held)));
        match fitting.filter(|field| takes(format, field)) {
            Some(field) => fields.push(field),
            None => return Err(refused(format, field, name)),
        }
    }
    Ok(Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())))
}

fn refused(format: Format, field: &Field, name: &str) -> Error {
    const CHARS: usize = 200;
    let mut data_type = field.data_type().to_string();
    if let Some((end, _)) = data_type.char_indices().nth(CHARS) {
        data_type.replace_range(end.., "…");
    }
    Error::usage(format!(
        "cannot write {name}: the column {:?} is {data_type}, for which {} has no type; leave it out with {}, or \
         choose another format",
        field.name(),
        format.name(),
        OptionName::Keep.named()
    ))
}

/// The type that replaces another in a format; `None` if there is none.
fn held(format: Format, data_type: &DataType) -> Option<DataType> {
    let is_text = is_text(format);
    let within = |field: &FieldRef| -> Option<FieldRef> {
        let held = held(format, field.data_type())?;
        Some(if held == *field.data_type() {
            field.clone()
        } else {
            Arc::new(field.as_ref().clone().with_data_type(held))
        })
    };
    Some(match data_type {
        // Seconds have no annotation in Parquet: they would be read as numbers.
        DataType::Timestamp(TimeUnit::Second, zone) if format == Format::Parquet => {
            DataType::Timestamp(TimeUnit::Millisecond, zone.clone())
        }
        DataType::Time32(TimeUnit::Second) if format == Format::Parquet => {
            DataType::Time32(TimeUnit::Millisecond)
        }
        // Days, counted in milliseconds.
        DataType::Date64 if !is_arrow(format) => DataType::Date32,
        DataType::Duration(_) | DataType::Interval(IntervalUnit::MonthDayNano)
            if format == Format::Parquet =>
        {
            return None;
        }
        // Text needs an offset instead of a name; the moment is the same.
        DataType::Timestamp(unit, Some(zone)) if is_text && !is_offset(zone) => {
            DataType::Timestamp(*unit, Some("+00:00".into()))
        }
        DataType::Dictionary(_, values) if format == Format::Parquet && is_bytes(values) => data_type.clone(),
        // An Arrow file has one dictionary per column, and each batch may come with its own.
        DataType::Dictionary(_, values) => held(format, values)?,
        DataType::RunEndEncoded(_, values) => match held(format, values.data_type())? {
            plain if is_arrow(format) && plain == *values.data_type() => data_type.clone(),
            plain => plain,
        },
        DataType::Union(fields, _) => {
            let is_as_it_is =
                |field: &FieldRef| held(format, field.data_type()).as_ref() == Some(field.data_type());
            let holds = is_arrow(format) && fields.iter().all(|(_, field)| is_as_it_is(field));
            return holds.then(|| data_type.clone());
        }
        DataType::List(element) => DataType::List(within(element)?),
        DataType::LargeList(element) => DataType::LargeList(within(element)?),
        DataType::ListView(element) => DataType::ListView(within(element)?),
        DataType::LargeListView(element) => DataType::LargeListView(within(element)?),
        DataType::FixedSizeList(element, size) => DataType::FixedSizeList(within(element)?, *size),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(within).collect::<Option<Fields>>()?),
        DataType::Map(entries, sorted) => DataType::Map(within(entries)?, *sorted),
        other => other.clone(),
    })
}

/// Whether moments are written as dates and times.
pub(super) fn is_text(format: Format) -> bool {
    matches!(format, Format::Csv | Format::Tsv | Format::Jsonl)
}

/// Whether every moment has a date, within the library's calendar, which ends in the year 262,000. Databases write the
/// largest number for infinity.
fn has_dates(data: &ArrayData) -> bool {
    const SECONDS: i64 = 8_200_000_000_000;
    const DAY: i64 = 86_400;
    fn seconds(unit: TimeUnit) -> i64 {
        match unit {
            TimeUnit::Second => 1,
            TimeUnit::Millisecond => 1_000,
            TimeUnit::Microsecond => 1_000_000,
            TimeUnit::Nanosecond => 1_000_000_000,
        }
    }
    fn all<T: ArrowNativeType + Into<i64>>(data: &ArrayData, range: RangeInclusive<i64>) -> bool {
        let values = &data.buffer::<T>(0)[..data.len()];
        let is_null = |row| data.nulls().is_some_and(|nulls| nulls.is_null(row));
        values.iter().enumerate().all(|(row, &value)| range.contains(&value.into()) || is_null(row))
    }
    let own = match data.data_type() {
        DataType::Timestamp(unit, _) => {
            let most = SECONDS.saturating_mul(seconds(*unit));
            all::<i64>(data, -most..=most)
        }
        DataType::Date32 => all::<i32>(data, -SECONDS / DAY..=SECONDS / DAY),
        DataType::Time32(unit) => all::<i32>(data, 0..=DAY * seconds(*unit) - 1),
        DataType::Time64(unit) => all::<i64>(data, 0..=DAY * seconds(*unit) - 1),
        _ => true,
    };
    own && data.child_data().iter().all(has_dates)
}

fn is_arrow(format: Format) -> bool {
    matches!(format, Format::Arrow | Format::ArrowStream)
}

fn is_bytes(data_type: &DataType) -> bool {
    use DataType::*;
    matches!(data_type, Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView)
}

/// Whether the library that writes a format accepts a column.
fn takes(format: Format, field: &FieldRef) -> bool {
    match format {
        Format::Parquet => {
            #[cfg(feature = "parquet")]
            let takes = {
                let schema = Schema::new(vec![field.clone()]);
                parquet::arrow::ArrowSchemaConverter::new().convert(&schema).is_ok()
            };
            #[cfg(not(feature = "parquet"))]
            let takes = false;
            takes
        }
        Format::Csv | Format::Tsv | Format::Jsonl => {
            make_encoder(field, &new_empty_array(field.data_type()), &EncoderOptions::default()).is_ok()
        }
        Format::Arrow | Format::ArrowStream | Format::Uris => true,
    }
}

/// The batches that a sink takes, and their form in its file.
pub struct Fit {
    given: SchemaRef,
    pub(super) fitting: SchemaRef,
    /// Whether batches need neither casts nor checks of their values.
    fits: bool,
    pub(super) format: Format,
    /// The name of the target.
    pub(super) name: String,
}

impl Fit {
    pub(super) fn new(format: Format, given: SchemaRef, passthrough: usize, name: &str) -> Result<Fit> {
        let fitting = fit(format, &given, passthrough, name)?;
        let fits = fitting == given && (passthrough == 0 || !is_text(format));
        Ok(Fit { given, fitting, fits, format, name: name.to_owned() })
    }

    /// A batch with its columns in the types of the format.
    ///
    /// # Errors
    /// `Data` if it holds a value that the format cannot; `Internal` if it has another schema.
    pub(super) fn batch(&self, batch: RecordBatch) -> Result<RecordBatch> {
        check_schema(&batch, &self.given, &self.name)?;
        if self.fits {
            return Ok(batch);
        }
        let batch = fit_batch(&batch, &self.fitting).map_err(|error| match error {
            ArrowError::CastError(why) => {
                let sentence = format!(
                    "cannot write {}: {why}; leave it out with {}, or choose another format",
                    self.name,
                    OptionName::Keep.named()
                );
                Error::new(ErrorKind::Data, sentence)
            }
            other => encode_error(&self.name, other),
        })?;
        if is_text(self.format)
            && let Some(at) = batch.columns().iter().position(|column| !has_dates(&column.to_data()))
        {
            let column = self.fitting.field(at).name();
            let sentence = format!(
                "cannot write {}: the column {column:?} has a time beyond the calendar, which text cannot \
                 show; leave it out with {}, or choose another format",
                self.name,
                OptionName::Keep.named()
            );
            return Err(Error::new(ErrorKind::Data, sentence));
        }
        Ok(batch)
    }
}

/// `batch` with its columns in the types of `fitting`.
///
/// # Errors
/// `CastError` if there is a value that the other type cannot hold: it does not become a null.
pub fn fit_batch(batch: &RecordBatch, fitting: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let options = CastOptions { safe: false, ..CastOptions::default() };
    let fit = |(column, field): (&ArrayRef, &FieldRef)| match column.data_type() == field.data_type() {
        true => Ok(column.clone()),
        false => cast_with_options(column, field.data_type(), &options).map_err(|error| {
            let name = field.name();
            ArrowError::CastError(format!(
                "the column {name:?} has a value that the format cannot hold ({error})"
            ))
        }),
    };
    let columns = batch.columns().iter().zip(fitting.fields()).map(fit);
    let counted = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(fitting.clone(), columns.collect::<Result<_, _>>()?, &counted)
}
