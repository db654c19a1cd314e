//! Reads each format back with a reader that is not ours, as JSON objects.

use std::fs::{self, File};
use std::path::Path;

use arrow::array::RecordBatch;
use arrow::compute::cast;
use arrow::datatypes::DataType;
use arrow::json::writer::{LineDelimited, WriterBuilder};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Map, Value};

pub(crate) type Row = Map<String, Value>;

/// The rows of a file, whose format its name tells. Bytes are hexadecimal; in CSV everything is text,
/// and what is not there (no quotes either) is null.
pub(crate) fn read(path: &Path) -> Vec<Row> {
    match path.extension().and_then(|e| e.to_str()).expect("an extension") {
        "jsonl" => jsonl(&fs::read(path).expect("a file")),
        "csv" => csv(&fs::read(path).expect("a file")),
        _ => rows(&batches(path)),
    }
}

/// The batches of a Parquet, Arrow file or Arrow stream.
pub(crate) fn batches(path: &Path) -> Vec<RecordBatch> {
    let file = File::open(path).expect("a file");
    let whole = |batch: Result<RecordBatch, _>| batch.expect("a batch");
    match path.extension().and_then(|e| e.to_str()) {
        Some("parquet") => {
            let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
            reader.build().expect("a reader").map(whole).collect()
        }
        Some("arrow") => {
            arrow::ipc::reader::FileReader::try_new(file, None).expect("Arrow").map(whole).collect()
        }
        Some("arrows") => {
            arrow::ipc::reader::StreamReader::try_new(file, None).expect("Arrow").map(whole).collect()
        }
        other => panic!("{other:?} has no batches"),
    }
}

fn rows(batches: &[RecordBatch]) -> Vec<Row> {
    let mut writer = WriterBuilder::new().with_explicit_nulls(true).build::<_, LineDelimited>(Vec::new());
    let batches: Vec<_> = batches.iter().map(with_offsets).collect();
    writer.write_batches(&batches.iter().collect::<Vec<_>>()).expect("JSON");
    writer.finish().expect("JSON");
    jsonl(&writer.into_inner())
}

/// Moments with an offset in place of the zone's name, for which Arrow's display would want a table of zones.
fn with_offsets(batch: &RecordBatch) -> RecordBatch {
    let columns = batch.schema_ref().fields().iter().zip(batch.columns()).map(|(field, column)| {
        let moved = match column.data_type() {
            DataType::Timestamp(unit, Some(_)) => {
                cast(column, &DataType::Timestamp(*unit, Some("+00:00".into()))).expect("a cast")
            }
            _ => column.clone(),
        };
        (field.name().clone(), moved, field.is_nullable())
    });
    RecordBatch::try_from_iter_with_nullable(columns).expect("the same batch")
}

pub(crate) fn jsonl(bytes: &[u8]) -> Vec<Row> {
    let lines = bytes.split_inclusive(|&b| b == b'\n');
    lines.map(|line| serde_json::from_slice(line).expect("an object")).collect()
}

/// RFC 4180, by its grammar.
fn csv(bytes: &[u8]) -> Vec<Row> {
    let text = std::str::from_utf8(bytes).expect("UTF-8");
    let mut records: Vec<Vec<Value>> = vec![Vec::new()];
    let mut chars = text.chars().peekable();
    while chars.peek().is_some() {
        let mut field = String::new();
        let quoted = chars.next_if_eq(&'"').is_some();
        while let Some(c) = chars.next_if(|&c| quoted || !matches!(c, ',' | '\n')) {
            if quoted && c == '"' && chars.next_if_eq(&'"').is_none() {
                break;
            }
            field.push(c);
        }
        let is_null = !quoted && field.is_empty();
        let record = records.last_mut().expect("at least one");
        record.push(if is_null { Value::Null } else { Value::String(field) });
        match chars.next() {
            Some(',') => {}
            Some('\n') => records.push(Vec::new()),
            other => panic!("{other:?} behind a field"),
        }
    }
    assert_eq!(records.pop(), Some(Vec::new()), "the last line ends");
    let mut records = records.into_iter();
    let header = records.next().expect("a header");
    let name = |name: &Value| name.as_str().expect("a name").to_owned();
    records
        .map(|record| {
            assert_eq!(record.len(), header.len(), "{record:?}");
            header.iter().map(name).zip(record).collect()
        })
        .collect()
}

/// The bytes of a record as its row tells them: `raw_bytes`, else `raw`, else `uri`.
pub(crate) fn as_read(row: &Row) -> Vec<u8> {
    let text = |name: &str| row.get(name).and_then(Value::as_str);
    match text("raw_bytes") {
        Some(digits) => hexadecimal(digits),
        None => text("raw").or(text("uri")).expect("a text").as_bytes().to_vec(),
    }
}

fn hexadecimal(digits: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).expect("two digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}
