//! The index as a table: the members of its lines as columns, in the order of the lines.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray, TimestampMillisecondArray,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use serde_json::{Map, Value};
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_columns::batch::time_of_digits;
use urimill_write::{PageLimits, SortKey};

/// The order of the rows: by key and time, as the lines of a text are.
pub const SORTED_BY: [SortKey; 2] =
    [SortKey { column: 0, descending: false }, SortKey { column: 1, descending: false }];

/// The size of the table's pages: for a row a lookup decompresses a page of each column, and the dictionary of the
/// column, however far it is from the row.
pub const PAGES: PageLimits = PageLimits { bytes: 128 << 10, rows: 2_000, dictionary: 64 << 10 };

/// The columns of texts that are members of a line, by the members' names.
const TEXTS: [(&str, &str); 8] = [
    ("url", "url"),
    ("mime", "mime"),
    ("mime-detected", "mime_detected"),
    ("digest", "digest"),
    ("filename", "filename"),
    ("redirect", "redirect"),
    ("method", "method"),
    ("requestBody", "request_body"),
];

/// The columns of an index.
#[must_use]
pub fn schema() -> SchemaRef {
    let text = |name: &str, is_nullable| Field::new(name, DataType::Utf8, is_nullable);
    let mut fields =
        vec![text("urlkey", false), text("timestamp", false), Field::new("time", time_type(), true)];
    fields.extend(TEXTS.map(|(_, name)| text(name, !matches!(name, "url" | "filename"))));
    fields.extend([
        Field::new("status", DataType::Int32, true),
        Field::new("offset", DataType::Int64, false),
        Field::new("length", DataType::Int64, true),
    ]);
    Arc::new(Schema::new(fields))
}

/// The lines of a batch as a table.
pub(super) fn of_lines(lines: &RecordBatch) -> Result<RecordBatch> {
    let lines = lines.column(0).as_string::<i32>();
    let (mut keys, mut timestamps) = (StringBuilder::new(), StringBuilder::new());
    let (mut statuses, mut offsets, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
    let mut texts = TEXTS.map(|_| StringBuilder::new());
    for line in (0..lines.len()).map(|row| lines.value(row)) {
        let wrong =
            || Error::new(ErrorKind::Internal, format!("a line of an index that cannot be read: {line}"));
        let (key, rest) = line.split_once(' ').ok_or_else(wrong)?;
        let (timestamp, members) = rest.split_once(' ').ok_or_else(wrong)?;
        let members: Map<String, Value> = serde_json::from_str(members).map_err(|_| wrong())?;
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        keys.append_value(key);
        timestamps.append_value(timestamp);
        for (builder, (member, _)) in texts.iter_mut().zip(TEXTS) {
            builder.append_option(text(member));
        }
        statuses.push(text("status").and_then(|status| status.parse().ok()));
        offsets.push(text("offset").and_then(|offset| offset.parse::<i64>().ok()).ok_or_else(wrong)?);
        lengths.push(text("length").and_then(|length| length.parse().ok()));
    }
    let timestamps = timestamps.finish();
    let times = times(&timestamps);
    let mut columns: Vec<ArrayRef> = vec![Arc::new(keys.finish()), Arc::new(timestamps), times];
    columns.extend(texts.map(|mut text| Arc::new(text.finish()) as ArrayRef));
    let numbers: [ArrayRef; 3] = [
        Arc::new(Int32Array::from(statuses)),
        Arc::new(Int64Array::from(offsets)),
        Arc::new(Int64Array::from(lengths)),
    ];
    columns.extend(numbers);
    RecordBatch::try_new(schema(), columns).map_err(internal)
}

/// Times of fourteen digits; null if they are not in the calendar.
fn times(timestamps: &StringArray) -> ArrayRef {
    let time = |digits: &str| time_of_digits(digits.get(..14)?.as_bytes());
    let times: TimestampMillisecondArray = timestamps.iter().map(|digits| time(digits?)).collect();
    Arc::new(times.with_timezone("UTC"))
}

fn time_type() -> DataType {
    DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into()))
}

fn internal(error: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Internal, format!("cannot write an index: {error}"))
}
