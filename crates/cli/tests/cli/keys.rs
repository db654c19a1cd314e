//! `dedupe --by`: rows for each distinct key instead of each normal form, compared with the columns of `normalize`.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray, TimestampMillisecondArray};
use parquet::arrow::ArrowWriter;
use serde_json::{Value, json};

use super::run::{dir, urimill, write};
use super::table::{Row, jsonl, read};

const LIST: &str = "http://www.Example.com/a?utm_source=x\nhttps://example.com/a\n../b\n<\n\n<\nhttp://[::1]/\nhttps://example.com/a#f\n\
mailto:a@b.example\nhttp://EXAMPLE.com:80/a\nhttp://other.example.co.uk/\n";

const CSV: &str = "url,visitor,at\nhttp://h/,a,1\nHTTP://h,b,2\n|,a,3\nhttp://g/,,4\nhttp://g/,,4\n,a,5\nhttp://f/,,6\n,,7\n\
http://h/x,b,8\n,b,9\n";

/// The expected answer of `dedupe`, by the table of `normalize` with the key in the column `name`.
fn distinct(table: &[Row], name: &str) -> Vec<Value> {
    let mut rows: Vec<(Value, Value, u64)> = Vec::new();
    for row in table {
        let is_keyed = !row["uri"].is_null() && row["error"].is_null() && !row[name].is_null();
        let key = match &row[name] {
            _ if !is_keyed => Value::Null,
            Value::String(text) => json!(text),
            other => json!(other.to_string()),
        };
        let group = if is_keyed { json!([key]) } else { json!([row["uri"], row["error"], row["raw_bytes"]]) };
        match rows.iter_mut().find(|(other, ..)| *other == group) {
            Some((_, _, records)) => *records += 1,
            None => {
                let first = json!([key, row["uri"], row["error"], row["record"]]);
                rows.push((group, first, 1));
            }
        }
    }
    rows.into_iter().map(|(_, first, records)| json!([first, records])).collect()
}

fn agree(dir: &Path, by: &str, options: &str, columns: &str) {
    let line = format!(
        "normalize in {options} --columns record,uri,error,raw_bytes{columns} --on-invalid keep -o all.jsonl --force"
    );
    urimill(&line).within(dir).ok();
    let table = read(&dir.join("all.jsonl"));
    let column = if columns.is_empty() { by } else { columns.rsplit(',').next().unwrap_or(by) };
    let expected = distinct(&table, column);
    for (format, memory) in [("jsonl", "1M"), ("parquet", "64M"), ("csv", "64M")] {
        let line = format!("dedupe in {options} --by {by} --verify --memory {memory} -o d.{format} --force");
        let done = urimill(&line).within(dir).ok();
        let rows = read(&dir.join(format!("d.{format}")));
        let found: Vec<Value> = rows
            .iter()
            .map(|row| {
                let number = |name: &str| match &row[name] {
                    Value::String(digits) => json!(digits.parse::<u64>().expect("a number")),
                    number => number.clone(),
                };
                let first = json!([row["key"], row["uri"], row["error"], number("first_record")]);
                json!([first, number("records")])
            })
            .collect();
        assert_eq!(found, expected, "{line}: {}", done.stderr);
    }
    // A list has the first URI of each.
    let done = urimill(&format!("dedupe in {options} --by {by} --verify -o d.txt --force")).within(dir).ok();
    assert!(done.stderr.contains("verified"), "{by}: {}", done.stderr);
}

#[test]
fn columns_of_the_uri_are_keys() {
    let dir = dir();
    write(dir.path(), "in", LIST.repeat(30));
    for (by, options) in [
        ("surt", ""),
        ("host", ""),
        ("host", "--base http://h.example/a/b"),
        ("registered_domain", ""),
        ("scheme", "--repair"),
        ("port", ""),
        ("path", ""),
        ("fingerprint", ""),
        ("canonical", "--canonical w3lib"),
        ("canonical", "--canonical crawler-commons --drop-tracking"),
        ("canonical", "--canonical wayback --drop-params utm_*"),
        ("host", "--level none"),
    ] {
        agree(dir.path(), by, options, &format!(",{by}"));
    }
}

#[test]
fn fields_are_keys() {
    let dir = dir();
    write(dir.path(), "in", CSV);
    for by in ["visitor", "at"] {
        agree(dir.path(), by, "--from csv --uri-field url", &format!(",{by}"));
    }
    let log = |client: &str, status: u32, path: &str| {
        format!("{client} - - [17/May/2015:10:05:03 +0000] \"GET {path} HTTP/1.1\" {status} 5 \"-\" \"x\"\n")
    };
    let lines = [("a", 200, "/"), ("b", 200, "/x"), ("a", 404, "/x"), ("a", 200, "/|"), ("b", 200, "/")];
    let lines: String = lines.iter().map(|&(client, status, path)| log(client, status, path)).collect();
    write(dir.path(), "in", &lines);
    for by in ["client", "status"] {
        agree(dir.path(), by, "", &format!(",{by}"));
    }
    // A moment as a text.
    let done = urimill("dedupe in --by time --to jsonl").within(dir.path()).ok();
    assert_eq!(jsonl(&done.stdout)[0]["key"], "2015-05-17T10:05:03Z");
    // A column of a table is a key, too.
    urimill("normalize in --columns +client -o t.parquet").within(dir.path()).ok();
    let done = urimill("dedupe t.parquet --uri-field uri --by client --to jsonl").within(dir.path()).ok();
    let keys: Vec<_> = jsonl(&done.stdout).iter().map(|row| row["key"].clone()).collect();
    assert_eq!(keys, [json!("a"), json!("b"), Value::Null]);
}

/// Whatever zones the program knows by their names.
#[test]
fn moments_are_keys_in_utc() {
    let dir = dir();
    for zone in ["UTC", "Europe/Berlin", "+02:00"] {
        let at = TimestampMillisecondArray::from(vec![Some(0), Some(1), None, Some(0)]).with_timezone(zone);
        let url = StringArray::from(vec!["http://a/", "http://b/", "http://c/", "http://d/"]);
        let columns = [("url", Arc::new(url) as ArrayRef), ("at", Arc::new(at) as ArrayRef)];
        let batch = RecordBatch::try_from_iter(columns).expect("a batch");
        let file = File::create(dir.path().join("in.parquet")).expect("a file");
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).expect("a writer");
        writer.write(&batch).and_then(|()| writer.close()).expect("a table");
        urimill("dedupe in.parquet --uri-field url --by at --verify -o out.jsonl --force")
            .within(dir.path())
            .ok();
        let keys: Vec<_> = read(&dir.path().join("out.jsonl")).iter().map(|row| row["key"].clone()).collect();
        let expected = [json!("1970-01-01T00:00:00Z"), json!("1970-01-01T00:00:00.001Z"), Value::Null];
        assert_eq!(keys, expected, "{zone}");
    }
}

#[test]
fn the_rung_of_different_forms_is_the_key() {
    let list = "http://b/x\nHTTP://b/x\nhttp://www.b/x\nhttp://b/x\nhttps://a/\n";
    let done = urimill("dedupe --by surt --to jsonl").stdin(list).ok();
    let found: Vec<Value> = jsonl(&done.stdout)
        .iter()
        .map(|row| json!([row["uri"], row["key"], row["records"], row["distinct"], row["merged"]]))
        .collect();
    assert_eq!(
        found,
        [json!(["http://b/x", "b)/x", 4, 3, "identical,case,key"]), json!(["https://a/", "a)/", 1, 1, null])]
    );
    assert!(done.stderr.contains("2 rows = 2 different by surt + 0 distinct rejects\n"), "{}", done.stderr);
    assert_eq!(urimill("dedupe --by uri").stdin(list).ok().text(), urimill("dedupe").stdin(list).ok().text());
}

#[test]
fn keys_that_make_no_sense() {
    let dir = dir();
    write(dir.path(), "in", LIST);
    write(dir.path(), "in.csv", CSV);
    let cases: &[(&str, &[&str])] = &[
        ("in --by canonical", &["--by canonical needs a form: give --canonical"]),
        (
            "in --canonical w3lib",
            &["--canonical does not affect which records are equal: say --by canonical"],
        ),
        ("in --by host --drop-tracking", &["--drop-tracking does not affect"]),
        ("in --by host --psl list", &["--psl does not affect which records are equal"]),
        ("in --by record", &["--by record does not say which records are equal: choose from uri, scheme"]),
        ("in --by client --from lines", &["--by client needs a format with fields", "--from"]),
        ("in --by client", &["client"]),
        ("in.csv --from csv --uri-field url --by nosuch", &["nosuch"]),
    ];
    for (line, parts) in cases {
        urimill(&format!("dedupe {line} -o d.csv")).within(dir.path()).fails(2, parts);
    }
}
