//! CSV, JSON Lines and URIs as a reader of text finds them; undefined and empty values differ.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BooleanArray, Float64Array, Int32Array, RecordBatch, StringArray,
    StringViewArray, TimestampMillisecondArray,
};
use arrow::datatypes::{DataType, Int32Type, Int64Type};
use serde_json::{Map, Value, json};
use urimill_base::error::ErrorKind;
use urimill_write::{Format, Target, create};

use super::table::{batch, batches, options, plain, write};

fn text(format: Format, batches: &[RecordBatch]) -> String {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("t");
    write(&path, format, batches, &options(), 2);
    std::fs::read_to_string(path).expect("UTF-8")
}

fn column(name: &str, array: impl Array + 'static) -> (String, ArrayRef, bool) {
    (name.to_owned(), Arc::new(array), true)
}

fn table(columns: impl IntoIterator<Item = (String, ArrayRef, bool)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length")
}

fn two_columns(value: Option<&str>) -> RecordBatch {
    let one = |v| [v].into_iter().collect::<StringViewArray>();
    table([column("a", one(Some("x"))), column("b", one(value))])
}

#[test]
fn csv_fields_by_rfc_4180() {
    let cases: &[(Option<&str>, &str, &str)] = &[
        (None, "x,", "a null is an empty field"),
        (Some(""), "x,\"\"", "an empty string is told apart"),
        (Some("plain text, long enough"), "x,\"plain text, long enough\"", "2-6: commas"),
        (Some("say \"no\""), "x,\"say \"\"no\"\"\"", "2-7: quotes doubled"),
        (Some("\""), "x,\"\"\"\"", "2-7"),
        (Some("a\nb"), "x,\"a\nb\"", "2-6: line breaks"),
        (Some("a\rb"), "x,\"a\rb\"", "2-6: line breaks"),
        (Some("a b"), "x,a b", "2-4: spaces are part of a field"),
        (Some(" a"), "x,\" a\"", "ClickHouse trims what has no quotes"),
        (Some("a\t"), "x,\"a\t\"", "tabs too"),
        (Some("\\N"), "x,\"\\N\"", "and takes this for a null"),
        (Some("\\n"), "x,\\n", "but not this"),
        (Some("http://h/?q=a;b|c#d'e"), "x,http://h/?q=a;b|c#d'e", "nothing else is quoted"),
    ];
    for (value, line, section) in cases {
        assert_eq!(text(Format::Csv, &[two_columns(*value)]), format!("a,b\n{line}\n"), "{section}");
    }
}

#[test]
fn csv_of_one_column_has_a_blank_line_for_a_null() {
    let hosts: StringViewArray = [Some("h"), None, Some("")].into_iter().collect();
    assert_eq!(text(Format::Csv, &[table([column("host", hosts)])]), "host\nh\n\n\"\"\n");
}

#[test]
fn csv_of_no_rows_is_its_header() {
    assert_eq!(text(Format::Csv, &[two_columns(None).slice(0, 0)]), "a,b\n");
}

#[test]
fn flags_by_name_and_bytes_in_hexadecimal() {
    let flags = Int32Array::from(vec![Some(0), Some(1), Some(6), Some(1 << 31 | 1), None]);
    let raw: BinaryArray =
        [None, Some(&b""[..]), Some(b"\x00\xff"), Some(b"\x0a"), None].into_iter().collect();
    let input = table([column("flags", flags), column("raw_bytes", raw)]);
    assert_eq!(
        text(Format::Csv, std::slice::from_ref(&input)),
        "flags,raw_bytes\n\
         \"\",\n\
         has_userinfo,\"\"\n\
         has_password|rare_ipv4,00ff\n\
         has_userinfo|bit_31,0a\n\
         ,\n"
    );
    assert_eq!(
        text(Format::Jsonl, &[input]),
        "{\"flags\":[],\"raw_bytes\":null}\n\
         {\"flags\":[\"has_userinfo\"],\"raw_bytes\":\"\"}\n\
         {\"flags\":[\"has_password\",\"rare_ipv4\"],\"raw_bytes\":\"00ff\"}\n\
         {\"flags\":[\"has_userinfo\",\"bit_31\"],\"raw_bytes\":\"0a\"}\n\
         {\"flags\":null,\"raw_bytes\":null}\n"
    );
}

#[test]
fn extra_columns_are_written_by_their_types() {
    let input = table([
        column("ok", BooleanArray::from(vec![Some(true), None])),
        column("score", Float64Array::from(vec![Some(0.5), None])),
        column("time", TimestampMillisecondArray::from(vec![Some(0), None])),
        column("status", StringArray::from(vec![Some("200"), None])),
    ]);
    assert_eq!(
        text(Format::Csv, std::slice::from_ref(&input)),
        "ok,score,time,status\ntrue,0.5,1970-01-01T00:00:00,200\n,,,\n"
    );
    assert_eq!(
        text(Format::Jsonl, &[input]),
        "{\"ok\":true,\"score\":0.5,\"time\":\"1970-01-01T00:00:00\",\"status\":\"200\"}\n\
         {\"ok\":null,\"score\":null,\"time\":null,\"status\":null}\n"
    );
}

/// The fields of a CSV text by its grammar (RFC 4180 section 2): a bare empty field is a null.
fn parse_csv(text: &str) -> Vec<Vec<Option<String>>> {
    let (mut rows, mut row) = (Vec::new(), Vec::new());
    let mut rest = text;
    while !rest.is_empty() {
        let field = match rest.strip_prefix('"') {
            Some(quoted) => {
                let mut field = String::new();
                rest = quoted;
                loop {
                    let (part, behind) = rest.split_once('"').expect("a closing quote");
                    field.push_str(part);
                    rest = behind;
                    match rest.strip_prefix('"') {
                        Some(behind) => rest = behind,
                        None => break Some(field),
                    }
                    field.push('"');
                }
            }
            None => {
                let (bare, behind) = rest.split_at(rest.find([',', '\n']).expect("a separator"));
                rest = behind;
                (!bare.is_empty()).then(|| bare.to_owned())
            }
        };
        row.push(field);
        if rest.starts_with('\n') {
            rows.push(std::mem::take(&mut row));
        }
        rest = &rest[1..];
    }
    rows
}

/// A value of the plain table as text formats spell it; flags by name.
fn spelled(batch: &RecordBatch, column: usize, row: usize) -> Option<Value> {
    let array = batch.column(column);
    if array.is_null(row) {
        return None;
    }
    Some(match array.data_type() {
        DataType::Int64 => json!(array.as_primitive::<Int64Type>().value(row)),
        DataType::Int32 if batch.schema().field(column).name() == "flags" => {
            match array.as_primitive::<Int32Type>().value(row) {
                0 => json!([]),
                3 => json!(["has_userinfo", "has_password"]),
                bits => {
                    assert_eq!(bits, 1 << 20 | 4);
                    json!(["rare_ipv4", "bit_20"])
                }
            }
        }
        DataType::Int32 => json!(array.as_primitive::<Int32Type>().value(row)),
        DataType::Utf8 => json!(array.as_string::<i32>().value(row)),
        _ => {
            json!(array.as_binary::<i32>().value(row).iter().map(|b| format!("{b:02x}")).collect::<String>())
        }
    })
}

#[test]
fn csv_reads_back_equal() {
    let input = batches(&[20, 1, 30]);
    let expected = plain(&input);
    let rows = parse_csv(&text(Format::Csv, &input));
    let names: Vec<_> = expected.schema().fields().iter().map(|f| Some(f.name().clone())).collect();
    assert_eq!(rows[0], names);
    assert_eq!(rows.len(), 52);
    for (r, row) in rows[1..].iter().enumerate() {
        let as_text = |value| match value {
            Value::Array(names) => {
                names.iter().map(|n| n.as_str().expect("a name")).collect::<Vec<_>>().join("|")
            }
            Value::String(text) => text,
            number => number.to_string(),
        };
        let expected: Vec<_> = (0..row.len()).map(|c| spelled(&expected, c, r).map(as_text)).collect();
        assert_eq!(row, &expected, "row {r}");
    }
}

#[test]
fn json_lines_read_back_equal() {
    let input = batches(&[20, 1, 30]);
    let expected = plain(&input);
    let text = text(Format::Jsonl, &input);
    let lines: Vec<&str> = text.split_terminator('\n').collect();
    assert_eq!(lines.len(), 51);
    for (r, line) in lines.into_iter().enumerate() {
        let found: Map<String, Value> = serde_json::from_str(line).expect("an object");
        let schema = expected.schema();
        let members = schema.fields().iter().enumerate();
        let expected: Map<String, Value> = members
            .map(|(c, f)| (f.name().clone(), spelled(&expected, c, r).unwrap_or(Value::Null)))
            .collect();
        assert_eq!(found, expected, "row {r}");
    }
}

#[test]
fn uris_are_one_a_line_rejects_included() {
    let input = batch(0, 4);
    assert_eq!(
        text(Format::Uris, &[input]),
        "http://example.com/a/long/path?q=1#top\nhttp://:@h:8080?#\n\nsay \"no\", twice\r\n"
    );
    let two_lines: StringArray = [Some("a\nb\n"), Some("c")].into_iter().collect();
    assert_eq!(text(Format::Uris, &[table([column("uri", two_lines)])]), "a%0Ab%0A\nc\n");
}

#[test]
fn uris_need_their_column() {
    let dir = tempfile::tempdir().expect("a directory");
    let target = Target::create(&dir.path().join("t"), false).expect("a target");
    let error = create(Format::Uris, target, two_columns(None).schema(), &options()).err().expect("an error");
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert!(error.to_string().contains("no column uri"), "{error}");
}
