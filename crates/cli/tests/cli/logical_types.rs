//! The logical types of a table's columns, which say more than the types in which they are stored: they stay in
//! Parquet, and texts show them.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{ConvertedType, LogicalType};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::{ByteArray, FixedLenByteArray, Int96};
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::run::{dir, urimill};

const UUID: [u8; 16] = *b"\x55\x0e\x84\x00\xe2\x9b\x41\xd4\xa7\x16\x44\x66\x55\x44\x00\x00";

/// One value of a column.
enum Value {
    Bytes(&'static [u8]),
    Fixed(&'static [u8]),
    Int32(i32),
    Int64(i64),
    /// Nanoseconds of a day, and a Julian day.
    Int96(u64, u32),
}

/// A file with the URI `http://h/` and another column, which has the value and a null.
fn parquet(path: &Path, column: &str, value: &Value) {
    let message = format!("message m {{ REQUIRED BYTE_ARRAY url (STRING); {column} }}");
    let schema = Arc::new(parse_message_type(&message).expect("a schema"));
    // A value within a group is a level deeper.
    let own = if column.contains("GROUP") { 2 } else { 1 };
    let levels = [own, 0];
    let mut writer = SerializedFileWriter::new(File::create(path).expect("a file"), schema, Arc::default())
        .expect("a writer");
    let mut group = writer.next_row_group().expect("rows");
    let mut columns = 0;
    while let Some(mut column) = group.next_column().expect("a column") {
        let uri = ByteArray::from("http://h/");
        let written = match (column.untyped(), value) {
            (ColumnWriter::ByteArrayColumnWriter(to), _) if columns == 0 => {
                to.write_batch(&[uri.clone(), uri], None, None)
            }
            (ColumnWriter::ByteArrayColumnWriter(to), Value::Bytes(bytes)) => {
                to.write_batch(&[ByteArray::from(*bytes)], Some(&levels), None)
            }
            (ColumnWriter::FixedLenByteArrayColumnWriter(to), Value::Fixed(bytes)) => {
                to.write_batch(&[FixedLenByteArray::from(bytes.to_vec())], Some(&levels), None)
            }
            (ColumnWriter::Int32ColumnWriter(to), Value::Int32(number)) => {
                to.write_batch(&[*number], Some(&levels), None)
            }
            (ColumnWriter::Int64ColumnWriter(to), Value::Int64(number)) => {
                to.write_batch(&[*number], Some(&levels), None)
            }
            (ColumnWriter::Int96ColumnWriter(to), Value::Int96(nanos, day)) => {
                let words = vec![*nanos as u32, (*nanos >> 32) as u32, *day];
                to.write_batch(&[Int96::from(words)], Some(&levels), None)
            }
            _ => panic!("a value of another type"),
        };
        written.expect("values");
        column.close().expect("a column");
        columns += 1;
    }
    group.close().expect("rows");
    writer.close().expect("a file");
}

/// The type of the column `c` of a Parquet file.
fn meaning(path: &Path) -> String {
    let reader = SerializedFileReader::new(File::open(path).expect("a file")).expect("Parquet");
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let leaf = schema.columns().iter().find(|leaf| leaf.path().parts()[0] == "c").expect("the column");
    match (leaf.logical_type_ref(), leaf.converted_type()) {
        (Some(LogicalType::Uuid), _) => "UUID".to_owned(),
        (Some(LogicalType::Json), _) => "JSON".to_owned(),
        (Some(LogicalType::String), _) => "STRING".to_owned(),
        (Some(LogicalType::Float16), _) => "FLOAT16".to_owned(),
        (Some(LogicalType::Decimal(decimal)), _) => {
            format!("DECIMAL({},{})", decimal.precision, decimal.scale)
        }
        (Some(LogicalType::Time(time)), _) => format!("TIME({:?},{})", time.unit, time.is_adjusted_to_u_t_c),
        (Some(LogicalType::Timestamp(time)), _) => {
            format!("TIMESTAMP({:?},{})", time.unit, time.is_adjusted_to_u_t_c)
        }
        (None, ConvertedType::NONE) => leaf.physical_type().to_string(),
        (logical, converted) => format!("{logical:?} {converted}"),
    }
}

/// (the column, its value, the type of the column of Parquet that is written, the value in CSV, and in JSON Lines)
#[test]
#[rustfmt::skip]
fn logical_types_stay_in_parquet_and_texts_show_them() {
    const DAY: u32 = 2_440_588;
    let table: &[(&str, Value, &str, &str, &str)] = &[
        ("OPTIONAL FIXED_LEN_BYTE_ARRAY (16) c (UUID);", Value::Fixed(&UUID), "UUID",
         "550e8400-e29b-41d4-a716-446655440000", "\"550e8400-e29b-41d4-a716-446655440000\""),
        ("OPTIONAL GROUP c { OPTIONAL FIXED_LEN_BYTE_ARRAY (16) u (UUID); }", Value::Fixed(&UUID), "UUID",
         "\"{\"\"u\"\":\"\"550e8400-e29b-41d4-a716-446655440000\"\"}\"", "{\"u\":\"550e8400-e29b-41d4-a716-446655440000\"}"),
        ("OPTIONAL FIXED_LEN_BYTE_ARRAY (16) c;", Value::Fixed(&UUID), "FIXED_LEN_BYTE_ARRAY",
         "550e8400e29b41d4a716446655440000", "\"550e8400e29b41d4a716446655440000\""),
        ("OPTIONAL BYTE_ARRAY c (JSON);", Value::Bytes(b"{\"a\": 1}"), "JSON", "\"{\"\"a\"\": 1}\"", "\"{\\\"a\\\": 1}\""),
        ("OPTIONAL BYTE_ARRAY c (ENUM);", Value::Bytes(b"BLUE"), "STRING", "BLUE", "\"BLUE\""),
        ("OPTIONAL GROUP c { OPTIONAL BYTE_ARRAY e (ENUM); }", Value::Bytes(b"BLUE"), "STRING", "\"{\"\"e\"\":\"\"BLUE\"\"}\"", "{\"e\":\"BLUE\"}"),
        ("OPTIONAL BYTE_ARRAY c (BSON);", Value::Bytes(b"\x05\0\0\0\0"), "BYTE_ARRAY", "0500000000", "\"0500000000\""),
        ("OPTIONAL FIXED_LEN_BYTE_ARRAY (2) c (FLOAT16);", Value::Fixed(&[0, 0x3e]), "FLOAT16", "1.5", "1.5"),
        ("OPTIONAL INT32 c (DECIMAL(5,2));", Value::Int32(12_345), "DECIMAL(5,2)", "123.45", "123.45"),
        ("OPTIONAL INT64 c (DECIMAL(18,3));", Value::Int64(-1), "DECIMAL(18,3)", "-0.001", "-0.001"),
        ("OPTIONAL BYTE_ARRAY c (DECIMAL(20,1));", Value::Bytes(b"\x01\0"), "DECIMAL(20,1)", "25.6", "25.6"),
        ("OPTIONAL INT64 c (TIME(MICROS,true));", Value::Int64(1), "TIME(MICROS,true)", "00:00:00.000001", "\"00:00:00.000001\""),
        ("OPTIONAL INT32 c (TIME(MILLIS,false));", Value::Int32(1), "TIME(MILLIS,false)", "00:00:00.001", "\"00:00:00.001\""),
        ("OPTIONAL INT64 c (TIMESTAMP(MICROS,true));", Value::Int64(1), "TIMESTAMP(MICROS,true)", "1970-01-01T00:00:00.000001Z", "\"1970-01-01T00:00:00.000001Z\""),
        ("OPTIONAL INT64 c (TIMESTAMP(NANOS,false));", Value::Int64(1), "TIMESTAMP(NANOS,false)", "1970-01-01T00:00:00.000000001", "\"1970-01-01T00:00:00.000000001\""),
        ("OPTIONAL INT96 c;", Value::Int96(1_000, DAY), "TIMESTAMP(MICROS,false)", "1970-01-01T00:00:00.000001", "\"1970-01-01T00:00:00.000001\""),
        // Beyond the nanoseconds of 64 bits: what warehouses write for "for ever".
        ("OPTIONAL INT96 c;", Value::Int96(0, DAY + 2_932_896), "TIMESTAMP(MICROS,false)", "9999-12-31T00:00:00", "\"9999-12-31T00:00:00\""),
    ];
    let dir = dir();
    for (number, (column, value, expected, csv, jsonl)) in table.iter().enumerate() {
        let name = format!("{number}.parquet");
        parquet(&dir.path().join(&name), column, value);
        let run = |to: &str| {
            let line = format!("normalize {name} --uri-field url --columns uri --keep c {to}");
            urimill(&line).within(dir.path()).ok().text().to_owned()
        };
        run(&format!("-o {number}-out.parquet"));
        assert_eq!(meaning(&dir.path().join(format!("{number}-out.parquet"))), *expected, "{column}");
        assert_eq!(run("--to csv -o -"), format!("uri,c\nhttp://h/,{csv}\nhttp://h/,\n"), "{column}");
        let null = jsonl_row("null");
        assert_eq!(run("--to jsonl -o -"), format!("{}{null}", jsonl_row(jsonl)), "{column}");
        // The written columns have the same types for urimill, and so does an Arrow file.
        run(&format!("-o {number}.arrow"));
        for again in [format!("{number}-out.parquet"), format!("{number}.arrow")] {
            let line = format!("normalize {again} --uri-field uri --columns uri --keep c --to csv -o -");
            let text = urimill(&line).within(dir.path()).ok().text().to_owned();
            assert_eq!(text, format!("uri,c\nhttp://h/,{csv}\nhttp://h/,\n"), "{again}: {column}");
        }
    }
}

fn jsonl_row(value: &str) -> String {
    format!("{{\"uri\":\"http://h/\",\"c\":{value}}}\n")
}

#[test]
fn an_interval_whose_months_would_be_lost_is_refused() {
    let dir = dir();
    let column = "OPTIONAL FIXED_LEN_BYTE_ARRAY (12) c (INTERVAL);";
    parquet(&dir.path().join("t.parquet"), column, &Value::Fixed(b"\x01\0\0\0\0\0\0\0\0\0\0\0"));
    urimill("normalize t.parquet --uri-field url --to csv -o -")
        .within(dir.path())
        .fails(3, &["t.parquet", "\"c\"", "interval, whose months would be lost", "--keep"]);
    urimill("normalize t.parquet --uri-field url --keep none --to csv -o -").within(dir.path()).ok();
}

#[test]
fn bytes_do_not_become_uuids_beside_those_of_another_file() {
    let dir = dir();
    let column = |of: &str| format!("OPTIONAL FIXED_LEN_BYTE_ARRAY (16) c {of};");
    parquet(&dir.path().join("a.parquet"), &column("(UUID)"), &Value::Fixed(&UUID));
    parquet(&dir.path().join("b.parquet"), &column(""), &Value::Fixed(&UUID));
    for (names, first) in [("a.parquet b.parquet", "a.parquet"), ("b.parquet a.parquet", "b.parquet")] {
        let said = format!("in {first} it is");
        urimill(&format!("normalize {names} --uri-field url -o t.csv"))
            .within(dir.path())
            .fails(2, &["the column \"c\"", "(arrow.uuid)", &said, "--keep"]);
    }
}
