//! Thousands of columns: their number times that of rows and threads is bounded, whatever is in them.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow::ipc::writer::FileWriter;
use parquet::arrow::ArrowWriter;

use super::inputs::measure;

/// A CSV file: `url` and other names, then rows of a URI and values, or of a URI alone.
fn csv(dir: &Path, columns: usize, rows: usize, has_values: bool) -> PathBuf {
    let mut text = String::from("url");
    (1..columns).for_each(|column| write!(text, ",f{column}").unwrap());
    text.push('\n');
    for row in 0..rows {
        write!(text, "http://h/{row}").unwrap();
        (1..columns)
            .filter(|_| has_values)
            .for_each(|column| write!(text, ",{}", (row + column) % 10).unwrap());
        text.push('\n');
    }
    let path = dir.join(format!("{columns}x{rows}.csv"));
    fs::write(&path, text).unwrap();
    path
}

/// The same as a table of numbers.
fn table(columns: usize, rows: usize) -> RecordBatch {
    let uris = StringArray::from_iter_values((0..rows).map(|row| format!("http://h/{row}")));
    let numbers =
        |column: usize| (0..rows as i64).map(|row| row * column as i64 % 100).collect::<Int64Array>();
    let others = (1..columns).map(|column| (format!("f{column}"), Arc::new(numbers(column)) as ArrayRef));
    RecordBatch::try_from_iter([("url".to_owned(), Arc::new(uris) as ArrayRef)].into_iter().chain(others))
        .unwrap()
}

fn run(what: &str, line: &str, code: i32, most: u64) {
    let (found, mebibytes, stderr) = measure(line, Default::default());
    println!("{what}: {mebibytes} MiB");
    assert_eq!(found, Some(code), "{what}: {stderr}");
    assert!((2..most).contains(&mebibytes), "{what}: {mebibytes} MiB");
}

#[test]
fn short_rows_under_many_names_take_little_memory() {
    let dir = tempfile::tempdir().unwrap();
    for (columns, rows, to) in [(300, 20_000, "csv"), (30_000, 300, "csv"), (300, 20_000, "parquet")] {
        let path = csv(dir.path(), columns, rows, false);
        let line = format!(
            "normalize {} --from csv --uri-field url --threads 2 --max-record 1M --to {to}",
            path.display()
        );
        run(&format!("{columns} columns of nothing to {to}"), &line, 0, 230);
    }
}

/// Twice as many columns take no more than they may: in Parquet, where each takes some memory, they are refused.
#[test]
fn tens_of_thousands_of_columns_take_bounded_memory() {
    let dir = tempfile::tempdir().unwrap();
    for columns in [30_000, 60_000] {
        let path = csv(dir.path(), columns, 8, false);
        let names: String = (1..columns).map(|column| format!(" f{column}")).collect();
        let w3c = dir.path().join("w3c.log");
        let row = format!("2024-01-01 00:00:00 /a{}\n", " -".repeat(columns - 1));
        fs::write(&w3c, format!("#Fields: date time cs-uri-stem{names}\n{}", row.repeat(8))).unwrap();
        let members: String = (1..columns).map(|column| format!(",\"f{column}\":1")).collect();
        let jsonl = dir.path().join("t.jsonl");
        fs::write(&jsonl, format!("{{\"url\":\"http://h/\"{members}}}\n").repeat(8)).unwrap();
        let table = [
            ("CSV", path, "csv --uri-field url", 256),
            ("W3C", w3c, "w3c", 288),
            ("JSON Lines", jsonl, "jsonl --uri-field url --keep all", 256),
        ];
        for (what, path, from, most) in table {
            let to = |to: &str| format!("normalize {} --from {from} --threads 2 --to {to}", path.display());
            run(&format!("{columns} columns of {what} to CSV"), &to("csv"), 0, most);
            // Objects have one column for all members that are not named.
            if what != "JSON Lines" {
                run(&format!("{columns} columns of {what} to Parquet"), &to("parquet"), 2, most);
            }
        }
    }
}

#[test]
fn ten_thousand_columns_work() {
    let dir = tempfile::tempdir().unwrap();
    let path = csv(dir.path(), 10_000, 60, true);
    for to in ["parquet", "arrow", "jsonl"] {
        let line = format!("normalize {} --from csv --uri-field url --threads 2 --to {to}", path.display());
        run(&format!("ten thousand columns to {to}"), &line, 0, 512);
    }
}

/// As of the formats of tables.
#[test]
fn wide_tables_are_read_in_bounded_memory() {
    let dir = tempfile::tempdir().unwrap();
    let batch = table(2_000, 1_000);
    let (parquet, arrow) = (dir.path().join("t.parquet"), dir.path().join("t.arrow"));
    let mut writer = ArrowWriter::try_new(fs::File::create(&parquet).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let mut writer = FileWriter::try_new(fs::File::create(&arrow).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    for (path, format) in [(parquet, "parquet"), (arrow, "arrow")] {
        let line =
            format!("normalize {} --from {format} --uri-field url --threads 2 --to parquet", path.display());
        run(&format!("2,000 columns of {format}"), &line, 0, 512);
    }
}

#[test]
#[ignore = "takes a minute: files, and directories of them, that grow while thousands of columns are open"]
fn thousands_of_columns_with_many_rows_take_bounded_memory() {
    let dir = tempfile::tempdir().unwrap();
    let path = csv(dir.path(), 3_000, 30_000, true);
    for to in ["t.parquet", "t.arrow", "t/ --partition-by f1", "s.parquet --sort-by f2"] {
        let line = format!(
            "normalize {} --from csv --uri-field url --threads 2 -o {}/{to}",
            path.display(),
            dir.path().display()
        );
        run(to, &line, 0, 768);
    }
}
