//! Readers that are not ours: pyarrow, DuckDB, Polars and ClickHouse read what urimill writes.
//!
//! - `cases`: the tables, one line each;
//! - `made`: small inputs with what logs have of odd;
//! - `python`: where the readers are, and what happens where they are not;
//! - `engines.py`, `readers.py`: each engine reads each file, and every column must be that of the JSON Lines file;
//! - `pages`, `pages.py`: the links of pages beside those of BeautifulSoup;
//! - `indexes`, `indexes.py`: indexes of web archives beside cdxj-indexer and pywb, which replays by them.
//! - `report`, `report.py`, `browser.py`: the figures of reports beside DuckDB's, and their pages in a browser;
//! - `warehouses`, `warehouses.py`: the commands and queries of `docs/WAREHOUSES.md`, run as they stand there;
//! - `walkthrough`, `duckdb_program.py`: README, the tutorial and the guide, each command with the output that they show.

mod cases;
mod documents;
mod indexes;
mod made;
mod pages;
mod python;
mod report;
mod run;
mod walkthrough;
mod warehouses;

use serde_json::{Map, Value, json};
use urimill_testkit::samples::LOGS;

use cases::{CASES, Case, EVERY_SINK, Sink};
use run::Scratch;

#[test]
fn every_reader_finds_the_same_table() {
    let Some(python) = python::interpreter() else { return };
    let scratch = Scratch::new();
    made::inputs(scratch.path());
    let schema = scratch.schema("table");
    let of_logs = cases::of_logs();
    let cases = CASES.iter().chain(&of_logs);
    let mut cases: Vec<_> = cases.filter_map(|case| tables(&scratch, &schema, case)).collect();
    cases.push(rejects(&scratch, &schema));
    cases.push(directories(&scratch, &schema));
    let plan = json!({ "flags": flags(&schema), "cases": cases });
    println!("{}", python.run("readers.py", scratch.path(), &plan));
}

/// The bit of each flag by its name.
fn flags(schema: &Value) -> Map<String, Value> {
    let flags = schema["flags"].as_array().expect("flags").iter();
    flags.map(|flag| (flag["name"].as_str().expect("a name").to_owned(), flag["bit"].clone())).collect()
}

/// The class of each column of which urimill says the type, those of a log's fields included: as
/// `engines.py` calls them.
fn declared(schema: &Value, line: &str) -> Map<String, Value> {
    let class = |column: &Value| {
        let class = match column["type"].as_str().expect("a type") {
            "Utf8" => "text",
            "Int16" => "int16",
            "Int32" => "int32",
            "Int64" => "int64",
            "Binary" => "bytes",
            "Timestamp(ms, UTC)" => "time",
            "List<Utf8>" => "texts",
            "List<Struct<key Utf8, value Utf8?>>" => "params",
            "List<Struct<segment Int32, key Utf8, value Utf8?>>" => "segments",
            other => panic!("what is {other} to a warehouse?"),
        };
        (column["name"].as_str().expect("a name").to_owned(), Value::from(class))
    };
    let columns = schema["columns"].as_array().expect("columns").iter();
    let words: Vec<_> = line.split(' ').collect();
    let format = words.iter().position(|word| *word == "--from").map_or("lines", |at| words[at + 1]);
    let fields = schema["fields"][format].as_array().into_iter().flatten();
    columns.chain(fields).map(class).collect()
}

/// Writes a table in every format; `None` where its input is not there.
fn tables(scratch: &Scratch, schema: &Value, case: &Case) -> Option<Value> {
    let line = scratch.fill(case.line, schema)?;
    let (truth, rows) = scratch.write(&line, case.name, &Sink { format: "jsonl", options: "" });
    let mut files = vec![json!(["jsonl", truth])];
    for sink in case.sinks {
        files.push(json!([sink.format, scratch.write(&line, case.name, sink).0]));
    }
    if !case.partitions.is_empty() {
        let folder = scratch.folder(case.name);
        scratch.urimill(&format!("{line} {} --to parquet -o {folder}/", case.partitions));
        files.push(json!(["hive", folder]));
    }
    let mut declared = declared(schema, case.line);
    if case.line.contains("--schema cc-index") {
        declared = self::declared(&scratch.schema("cc-index"), "");
        for place in ["warc_record_offset", "warc_record_length"] {
            declared.extend(case.line.contains("--wide-offsets").then(|| (place.to_owned(), "int64".into())));
        }
    }
    Some(json!({
        "name": case.name, "truth": truth, "rows": rows, "declared": declared, "files": files,
        "filters": case.filters, "line": line,
    }))
}

/// Rejects have a table of their own beside the first.
fn rejects(scratch: &Scratch, schema: &Value) -> Value {
    let declared = declared(schema, "");
    let mut files = Vec::new();
    let mut rows = Value::Null;
    for (format, end) in [("jsonl", "jsonl"), ("parquet", "parquet"), ("arrow", "arrow"), ("csv", "csv")] {
        let line = format!("normalize oddities.txt -o valid.{end} --rejects rejects.{end}");
        rows = scratch.urimill(&line)["rejects"].clone();
        files.push(json!([format, format!("rejects.{end}")]));
    }
    json!({
        "name": "rejects", "truth": "rejects.jsonl", "rows": rows, "declared": declared, "files": files,
        "filters": false, "line": "",
    })
}

/// A directory with hive partitions that others made, by one run for each.
fn directories(scratch: &Scratch, schema: &Value) -> Value {
    let mut declared = declared(schema, "");
    declared.insert("list".to_owned(), "text".into());
    let mut truth = String::new();
    for list in ["oddities", "sample"] {
        let folder = scratch.folder(&format!("lists/list={list}"));
        scratch.urimill(&format!("normalize {list}.txt -o {folder}/part-0.parquet"));
        scratch.urimill(&format!("normalize {list}.txt -o {list}.jsonl"));
        for row in scratch.read(&format!("{list}.jsonl")).lines() {
            let members = row.strip_suffix('}').expect("an object");
            truth.push_str(&format!("{members},\"list\":\"{list}\"}}\n"));
        }
    }
    scratch.file("lists.jsonl", &truth);
    json!({
        "name": "directories", "truth": "lists.jsonl", "rows": truth.lines().count(), "declared": declared,
        "files": [["hive", "lists"]], "filters": false, "line": "",
    })
}

/// A table of cases is only as good as what it covers.
#[test]
fn cases_have_every_format_and_every_codec() {
    let schema = Scratch::new().schema("table");
    let of_logs = cases::of_logs();
    // All formats of logs are read by a few engines, each of which has logs here.
    let others: Vec<&str> = urimill::read::format::log_formats()
        .map(|(name, _)| name)
        .filter(|name| LOGS.iter().all(|(_, format)| format != name))
        .collect();
    let formats = schema["fields"].as_object().expect("formats").keys();
    for format in formats.filter(|format| !others.contains(&format.as_str())) {
        let from = format!("--from {format}");
        let is_read = CASES
            .iter()
            .chain(&of_logs)
            .any(|case| case.line.split_once(&from).is_some_and(|(_, rest)| !rest.starts_with('-')));
        assert!(is_read, "no case {from}");
    }
    for codec in ["snappy", "lz4", "none"] {
        assert!(EVERY_SINK.iter().any(|sink| sink.options.contains(codec)), "no Parquet file with {codec}");
    }
}
