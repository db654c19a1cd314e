//! Columns that pass through from tables: the result of each format for every type, and the types that it refuses.

use std::path::Path;
use std::sync::Arc;

use arrow::array::types::IntervalMonthDayNano;
use arrow::array::{
    Array, ArrayRef, BooleanArray, FixedSizeBinaryArray, Int32Array, IntervalMonthDayNanoArray,
    IntervalYearMonthArray, ListArray, MapBuilder, NullArray, RecordBatch, RunArray, StringArray,
    StringBuilder, StructArray, Time32SecondArray, TimestampMicrosecondArray, UnionArray, new_null_array,
};
use arrow::buffer::OffsetBuffer;
use arrow::compute::{cast, concat};
use arrow::datatypes::{DataType, Field, FieldRef, Fields, Int32Type, Schema, TimeUnit, UnionFields};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tempfile::TempDir;
use urimill_base::error::ErrorKind;
use urimill_write::{Format, SinkOptions, Target, create};

use crate::table::{FLAGS, drive, write};

/// Three rows, the second null.
fn numbers() -> ArrayRef {
    Arc::new(Int32Array::from(vec![Some(1), None, Some(86_400)]))
}

fn texts() -> ArrayRef {
    Arc::new(StringArray::from(vec![Some("a"), None, Some("a text that no view holds")]))
}

fn to(array: &ArrayRef, data_type: DataType) -> ArrayRef {
    cast(array, &data_type).expect("a cast")
}

fn dictionary(array: &ArrayRef) -> ArrayRef {
    let values = Box::new(array.data_type().clone());
    to(array, DataType::Dictionary(Box::new(DataType::Int8), values))
}

fn moments(unit: TimeUnit, zone: Option<&str>) -> ArrayRef {
    to(&to(&numbers(), DataType::Int64), DataType::Timestamp(unit, zone.map(Into::into)))
}

fn list(values: ArrayRef) -> ArrayRef {
    let field = Arc::new(Field::new("item", values.data_type().clone(), true));
    Arc::new(ListArray::new(
        field,
        OffsetBuffer::from_lengths([1, 0, 2]),
        values,
        Some(vec![true, false, true].into()),
    ))
}

fn structure(name: &str, values: ArrayRef) -> ArrayRef {
    let field: FieldRef = Arc::new(Field::new(name, values.data_type().clone(), true));
    let valid: Vec<_> = (0..values.len()).map(|row| row != 1).collect();
    Arc::new(StructArray::new(Fields::from(vec![field]), vec![values], Some(valid.into())))
}

fn map() -> ArrayRef {
    let mut map = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
    map.keys().append_value("k");
    map.values().append_null();
    map.append(true).expect("one value a key");
    map.append(false).expect("none");
    map.append(true).expect("none");
    Arc::new(map.finish())
}

fn numbered_map() -> ArrayRef {
    let field = |name, nullable| Field::new(name, DataType::Int32, nullable);
    let entries = StructArray::from(vec![
        (Arc::new(field("keys", false)), Arc::new(Int32Array::from(vec![1, 2, 3])) as ArrayRef),
        (Arc::new(field("values", true)), numbers()),
    ]);
    let field = Arc::new(Field::new("entries", entries.data_type().clone(), false));
    Arc::new(arrow::array::MapArray::new(field, OffsetBuffer::from_lengths([1, 1, 1]), entries, None, false))
}

fn union() -> ArrayRef {
    let fields = UnionFields::from_fields(vec![Field::new("a", DataType::Int32, true)]);
    Arc::new(UnionArray::try_new(fields, vec![0; 3].into(), None, vec![numbers()]).expect("a union"))
}

fn runs() -> ArrayRef {
    let ends = Int32Array::from(vec![2, 3]);
    Arc::new(RunArray::<Int32Type>::try_new(&ends, &StringArray::from(vec![Some("r"), None])).expect("runs"))
}

/// A column; its type in Parquet, read without Arrow's own schema; its first value in JSON Lines, and in CSV. `None` is
/// refused.
type Case = (ArrayRef, Option<DataType>, Option<&'static str>, Option<&'static str>);

#[rustfmt::skip]
fn cases() -> Vec<Case> {
    use DataType::*;
    use TimeUnit::*;
    let utc = |unit| Some(Timestamp(unit, Some("UTC".into())));
    let small = to(&numbers(), Int64).slice(0, 2);
    let bytes: ArrayRef = to(&texts(), Binary);
    let fixed: ArrayRef = Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size([Some(b"a\xff"), None].into_iter(), 2).expect("two bytes each"));
    let interval = Arc::new(IntervalMonthDayNanoArray::from(vec![Some(IntervalMonthDayNano::new(1, 2, 3)), None]));
    let months: ArrayRef = Arc::new(IntervalYearMonthArray::from(vec![Some(14), None]));
    let same = |array: ArrayRef, json, csv| (array.clone(), Some(array.data_type().clone()), Some(json), Some(csv));
    let element = |data_type| Some(List(Arc::new(Field::new("element", data_type, true))));
    let member = |name, data_type| Some(Struct(Fields::from(vec![Field::new(name, data_type, true)])));
    vec![
        same(Arc::new(BooleanArray::from(vec![Some(true), None])), "true", "true"),
        same(to(&small, Int8), "1", "1"),
        same(to(&numbers(), UInt64), "1", "1"),
        same(to(&small, Float16), "1.0", "1"),
        same(to(&small, Float64), "1.0", "1.0"),
        same(to(&numbers(), Decimal128(20, 2)), "1.00", "1.00"),
        (to(&numbers(), Decimal256(50, 1)), Some(Decimal256(50, 1)), Some("1.0"), Some("1.0")),
        same(to(&numbers(), Date32), "\"1970-01-02\"", "1970-01-02"),
        (to(&to(&numbers(), Date32), Date64), Some(Date32), Some("\"1970-01-02\""), Some("1970-01-02")),
        (moments(Second, None), Some(Timestamp(Millisecond, None)), Some("\"1970-01-01T00:00:01\""), Some("1970-01-01T00:00:01")),
        (moments(Second, Some("Europe/Berlin")), utc(Millisecond), Some("\"1970-01-01T00:00:01Z\""), Some("1970-01-01T00:00:01Z")),
        (moments(Nanosecond, Some("+02:00")), utc(Nanosecond), Some("\"1970-01-01T02:00:00.000000001+02:00\""), Some("1970-01-01T02:00:00.000000001+02:00")),
        (to(&numbers(), Time32(Second)).slice(0, 2), Some(Time32(Millisecond)), Some("\"00:00:01\""), Some("00:00:01")),
        same(to(&small, Time64(Microsecond)), "\"00:00:00.000001\"", "00:00:00.000001"),
        (to(&small, Duration(Second)), None, Some("\"PT1S\""), Some("PT1S")),
        (interval, None, Some("\"1 mons 2 days 0.000000003 secs\""), Some("1 mons 2 days 0.000000003 secs")),
        same(texts(), "\"a\"", "a"),
        (to(&texts(), LargeUtf8), Some(Utf8), Some("\"a\""), Some("a")),
        (to(&texts(), Utf8View), Some(Utf8), Some("\"a\""), Some("a")),
        same(bytes.clone(), "\"61\"", "61"),
        (to(&bytes, LargeBinary), Some(Binary), Some("\"61\""), Some("61")),
        (to(&bytes, BinaryView), Some(Binary), Some("\"61\""), Some("61")),
        same(fixed, "\"61ff\"", "61ff"),
        (dictionary(&texts()), Some(Utf8), Some("\"a\""), Some("a")),
        (dictionary(&to(&texts(), LargeUtf8)), Some(Utf8), Some("\"a\""), Some("a")),
        (dictionary(&numbers()), Some(Int32), Some("1"), Some("1")),
        (runs(), Some(Utf8), Some("\"r\""), Some("r")),
        (Arc::new(NullArray::new(3)), Some(Null), Some("null"), Some("")),
        (list(texts()), element(Utf8), Some("[\"a\"]"), Some("\"[\"\"a\"\"]\"")),
        (to(&list(numbers()), LargeList(Arc::new(Field::new("x", Int32, true)))), element(Int32), Some("[1]"), Some("[1]")),
        (list(dictionary(&texts())), element(Utf8), Some("[\"a\"]"), Some("\"[\"\"a\"\"]\"")),
        // Its name is one of urimill's columns, whose numbers are written as names of flags.
        (structure("flags", numbers()), member("flags", Int32), Some("{\"flags\":1}"), Some("\"{\"\"flags\"\":1}\"")),
        (structure("t", moments(Second, Some("Asia/Tokyo"))), member("t", Timestamp(Millisecond, Some("UTC".into()))), Some("{\"t\":\"1970-01-01T00:00:01Z\"}"), Some("\"{\"\"t\"\":\"\"1970-01-01T00:00:01Z\"\"}\"")),
        (structure("d", to(&small, Duration(Second)).slice(0, 2)), None, Some("{\"d\":\"PT1S\"}"), Some("\"{\"\"d\"\":\"\"PT1S\"\"}\"")),
        (map(), None, Some("{\"k\":null}"), Some("\"{\"\"k\"\":null}\"")),
        (numbered_map(), None, None, None),
        (union(), None, None, None),
        (months, None, Some("\"1 years 2 mons\""), Some("1 years 2 mons")),
    ]
}

fn table(column: &ArrayRef, name: &str) -> RecordBatch {
    let own: ArrayRef = Arc::new(StringArray::from(vec!["/"; column.len()]));
    let own = to(&own, DataType::Utf8View);
    let flags: ArrayRef = Arc::new(Int32Array::from(vec![0; column.len()]));
    let schema = Schema::new(vec![
        Field::new("uri", DataType::Utf8View, true),
        Field::new("flags", DataType::Int32, false),
        Field::new(name, column.data_type().clone(), true),
    ]);
    RecordBatch::try_new(Arc::new(schema), vec![own, flags, column.clone()]).expect("a batch")
}

fn options() -> SinkOptions {
    SinkOptions { flag_names: FLAGS, passthrough: 1, ..SinkOptions::default() }
}

/// Whether the format takes the column; a refusal comes at once, with nothing published.
fn takes(path: &Path, format: Format, batch: &RecordBatch) -> bool {
    let target = Target::create(path, true).expect("the test's own directory");
    match create(format, target, batch.schema(), &options()) {
        Ok(sink) => {
            drop(sink);
            write(path, format, &[batch.slice(0, 1), batch.slice(1, batch.num_rows() - 1)], &options(), 2);
            true
        }
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
            for part in ["\"kept\"", format.name(), "with keep"] {
                assert!(error.to_string().contains(part), "{part} is not in {error}");
            }
            assert!(!path.exists());
            false
        }
    }
}

fn whole(batches: impl Iterator<Item = RecordBatch>) -> ArrayRef {
    let columns: Vec<_> = batches.map(|batch| batch["kept"].clone()).collect();
    concat(&columns.iter().map(AsRef::as_ref).collect::<Vec<_>>()).expect("one type")
}

#[test]
fn every_type_is_written_or_refused_in_every_format() {
    let dir = TempDir::new().expect("a directory");
    let mut wrong = Vec::new();
    let differs = |wrong: &mut Vec<_>, found: &str, expected: &str| {
        if found != expected {
            wrong.push((found.to_owned(), expected.to_owned()));
        }
    };
    for (column, in_parquet, json, csv) in cases() {
        let data_type = column.data_type();
        let batch = table(&column, "kept");

        let path = dir.path().join("t.parquet");
        let is_map_or_months = matches!(
            data_type,
            DataType::Map(..) | DataType::Interval(arrow::datatypes::IntervalUnit::YearMonth)
        );
        let taken = takes(&path, Format::Parquet, &batch);
        assert_eq!(taken, in_parquet.is_some() || is_map_or_months, "{data_type} in Parquet");
        if let Some(expected) = in_parquet {
            let reader =
                ParquetRecordBatchReaderBuilder::try_new(std::fs::File::open(&path).expect("a file"));
            let read = whole(
                reader.expect("Parquet").build().expect("a reader").map(|batch| batch.expect("a batch")),
            );
            assert_eq!(read.data_type(), &expected, "{data_type} in Parquet");
            let plain = cast(&column, &expected).expect("a cast");
            assert_eq!(&read, &plain, "{data_type} in Parquet");
        }
        let _ = std::fs::remove_file(&path);

        for (format, name) in [(Format::Arrow, "t.arrow"), (Format::ArrowStream, "t.arrows")] {
            let path = dir.path().join(name);
            assert!(takes(&path, format, &batch), "{data_type} in {name}");
            let bytes = std::io::Cursor::new(std::fs::read(&path).expect("a file"));
            let read = match format {
                Format::Arrow => whole(
                    arrow::ipc::reader::FileReader::try_new(bytes, None)
                        .expect("Arrow")
                        .map(|batch| batch.expect("a batch")),
                ),
                _ => whole(
                    arrow::ipc::reader::StreamReader::try_new(bytes, None)
                        .expect("Arrow")
                        .map(|batch| batch.expect("a batch")),
                ),
            };
            let expected = match data_type {
                DataType::Dictionary(_, values) => cast(&column, values).expect("a cast"),
                DataType::List(element) if matches!(element.data_type(), DataType::Dictionary(..)) => {
                    cast(&column, &DataType::new_list(DataType::Utf8, true)).expect("a cast")
                }
                _ => column.clone(),
            };
            assert_eq!(read.data_type(), expected.data_type());
            assert_eq!(read.to_data(), expected.to_data(), "{data_type} in {name}");
        }

        let path = dir.path().join("t.jsonl");
        assert_eq!(takes(&path, Format::Jsonl, &batch), json.is_some(), "{data_type} in JSON");
        if let Some(json) = json {
            let text = std::fs::read_to_string(&path).expect("text");
            let line = format!("{{\"uri\":\"/\",\"flags\":[],\"kept\":{json}}}");
            differs(&mut wrong, text.lines().next().unwrap_or_default(), &line);
            assert_eq!(text.lines().count(), column.len());
        }
        let _ = std::fs::remove_file(&path);

        let path = dir.path().join("t.csv");
        assert_eq!(takes(&path, Format::Csv, &batch), csv.is_some(), "{data_type} in CSV");
        if let Some(csv) = csv {
            let text = std::fs::read_to_string(&path).expect("text");
            differs(&mut wrong, text.lines().nth(1).unwrap_or_default(), &format!("/,\"\",{csv}"));
            let last = column.len() - 1;
            let is_null = column.logical_nulls().is_some_and(|nulls| nulls.is_null(last));
            let ends = text.lines().last().expect("lines").ends_with("\"\",");
            assert_eq!(ends, is_null, "{data_type} in CSV: {text}");
        }
        let _ = std::fs::remove_file(&path);
    }
    assert!(wrong.is_empty(), "found and expected: {wrong:#?}");
}

/// Columns of logs have the same names; a table may use such a name for something else.
#[test]
fn a_field_name_of_logs_may_have_any_type() {
    let dir = TempDir::new().expect("a directory");
    let path = dir.path().join("t.parquet");
    for name in ["time", "size", "status", "urlkey", "digest", "extra", "fetch_ms", "via", "annotations"] {
        for (column, ..) in cases().into_iter().filter(|(_, in_parquet, ..)| in_parquet.is_some()) {
            let batch = table(&column, name);
            write(&path, Format::Parquet, &[batch.clone(), batch], &options(), 1);
            let reader =
                ParquetRecordBatchReaderBuilder::try_new(std::fs::File::open(&path).expect("a file"));
            let rows: usize = reader
                .expect("Parquet")
                .build()
                .expect("a reader")
                .map(|rows| rows.expect("rows").num_rows())
                .sum();
            assert_eq!(rows, 2 * column.len(), "{name} of {}", column.data_type());
        }
    }
}

/// The largest number means infinity to some databases; text has no date for it.
#[test]
fn times_beyond_the_calendar_end_a_text_run() {
    let dir = TempDir::new().expect("a directory");
    let infinite: ArrayRef = Arc::new(TimestampMicrosecondArray::from(vec![Some(0), None, Some(i64::MAX)]));
    let times: ArrayRef = Arc::new(Time32SecondArray::from(vec![86_399, 0, 86_400]));
    for column in [infinite.clone(), list(infinite.clone()), structure("t", infinite), times] {
        let batch = table(&column, "kept");
        write(&dir.path().join("t.parquet"), Format::Parquet, std::slice::from_ref(&batch), &options(), 1);
        write(&dir.path().join("t.arrow"), Format::Arrow, std::slice::from_ref(&batch), &options(), 1);
        for (format, name) in [(Format::Csv, "t.csv"), (Format::Jsonl, "t.jsonl")] {
            let path = dir.path().join(name);
            let target = Target::create(&path, true).expect("the test's own directory");
            let sink = create(format, target, batch.schema(), &options()).expect("a sink");
            let error = drive(sink, std::slice::from_ref(&batch), 1).expect_err("no date");
            assert_eq!(error.kind(), ErrorKind::Data);
            assert!(error.to_string().contains("\"kept\""), "{error}");
            assert!(!path.exists());
        }
    }
}

/// Arrow's metadata of a column: extension types are made of it.
#[test]
fn metadata_of_columns_is_preserved() {
    let dir = TempDir::new().expect("a directory");
    let path = dir.path().join("t.arrow");
    let pairs = [("ARROW:extension:name", "geoarrow.wkb"), ("own", "value")]
        .map(|(k, v)| (k.to_owned(), v.to_owned()));
    let batch = table(&to(&texts(), DataType::Utf8View), "kept");
    let fields = batch
        .schema()
        .fields()
        .iter()
        .map(|field| match field.name().as_str() {
            "kept" => field.as_ref().clone().with_metadata(pairs.clone().into()),
            _ => field.as_ref().clone(),
        })
        .collect::<Vec<_>>();
    let batch =
        RecordBatch::try_new(Arc::new(Schema::new(fields)), batch.columns().to_vec()).expect("a batch");
    write(&path, Format::Arrow, &[batch], &options(), 1);
    let file = std::fs::File::open(&path).expect("a file");
    let schema = arrow::ipc::reader::FileReader::try_new(file, None).expect("Arrow").schema();
    assert_eq!(schema.field(2).metadata(), &pairs.into());
    // urimill's own columns are written as plain text.
    assert_eq!(
        (schema.field(0).data_type(), schema.field(2).data_type()),
        (&DataType::Utf8, &DataType::Utf8View)
    );
}

/// A dictionary of 3 values for each batch gives a file of one column of texts, not an error.
#[test]
fn each_batch_may_have_its_own_dictionary() {
    let dir = TempDir::new().expect("a directory");
    let batches: Vec<_> = ["a", "b"]
        .map(|text| {
            let texts: ArrayRef = Arc::new(StringArray::from(vec![text; 3]));
            table(&dictionary(&texts), "kept")
        })
        .into();
    for (format, name) in
        [(Format::Arrow, "t.arrow"), (Format::ArrowStream, "t.arrows"), (Format::Parquet, "t.parquet")]
    {
        write(&dir.path().join(name), format, &batches, &options(), 1);
    }
    let file = std::fs::File::open(dir.path().join("t.arrow")).expect("a file");
    let read = whole(
        arrow::ipc::reader::FileReader::try_new(file, None)
            .expect("Arrow")
            .map(|batch| batch.expect("a batch")),
    );
    let expected: ArrayRef = Arc::new(StringArray::from(vec!["a", "a", "a", "b", "b", "b"]));
    assert_eq!(&read, &expected);
}

#[test]
fn a_table_of_only_nulls_is_written() {
    let dir = TempDir::new().expect("a directory");
    for (column, in_parquet, ..) in cases() {
        let nulls = new_null_array(column.data_type(), 4);
        if in_parquet.is_some() {
            write(&dir.path().join("t.parquet"), Format::Parquet, &[table(&nulls, "kept")], &options(), 1);
        }
        write(&dir.path().join("t.arrow"), Format::Arrow, &[table(&nulls, "kept")], &options(), 1);
    }
}
