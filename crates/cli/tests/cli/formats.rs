//! Every format holds the same table, in types that every reader knows.

use std::collections::HashMap;
use std::fs::File;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use serde_json::{Value, json};
use urimill::domain::SuffixList;

use super::run::{dir, urimill, write};
use super::table::{Row, batches, read};
use urimill_testkit::paths::repository;

const FILES: [&str; 5] = ["t.parquet", "t.arrow", "t.arrows", "t.csv", "t.jsonl"];

fn oddities() -> std::path::PathBuf {
    repository().join("datasets/oddities.txt")
}

/// (name, type, may be null)
const COLUMNS: &[(&str, DataType, bool)] = &[
    ("record", DataType::Int64, false),
    ("uri", DataType::Utf8, true),
    ("raw", DataType::Utf8, true),
    ("scheme", DataType::Utf8, true),
    ("userinfo", DataType::Utf8, true),
    ("host", DataType::Utf8, true),
    ("host_kind", DataType::Utf8, true),
    ("port", DataType::Int32, true),
    ("path", DataType::Utf8, true),
    ("query", DataType::Utf8, true),
    ("fragment", DataType::Utf8, true),
    ("flags", DataType::Int32, false),
    ("error", DataType::Utf8, true),
    ("error_offset", DataType::Int32, true),
    ("raw_bytes", DataType::Binary, true),
    ("source", DataType::Utf8, false),
    ("offset", DataType::Int64, false),
    ("fingerprint", DataType::Int64, true),
    ("host_address", DataType::Utf8, true),
    ("scheme_end", DataType::Int32, true),
    ("host_start", DataType::Int32, true),
    ("host_end", DataType::Int32, true),
    ("path_start", DataType::Int32, true),
    ("path_end", DataType::Int32, true),
    ("query_end", DataType::Int32, true),
    ("host_ascii", DataType::Utf8, true),
    ("host_unicode", DataType::Utf8, true),
    ("host_reversed", DataType::Utf8, true),
    ("tld", DataType::Utf8, true),
    ("public_suffix", DataType::Utf8, true),
    ("registered_domain", DataType::Utf8, true),
    ("private_suffix", DataType::Utf8, true),
    ("private_domain", DataType::Utf8, true),
];

const POSITIONS: &str = "+scheme_end,+host_start,+host_end,+path_start,+path_end,+query_end";

const DOMAINS: &str = "+host_ascii,+host_unicode,+host_reversed,+tld,+public_suffix,+registered_domain,\
                       +private_suffix,+private_domain,+host_parts";

const FORMS: &str = "+surt,+query_params,+query_params_raw,+flag_names --canonical w3lib";

fn assert_plain(schema: &Schema, name: &str) {
    let fields: Vec<_> =
        schema.fields().iter().map(|f| (f.name().as_str(), f.data_type(), f.is_nullable())).collect();
    let text = |name, nullable| Field::new(name, DataType::Utf8, nullable);
    let param = DataType::Struct(vec![text("key", false), text("value", true)].into());
    let params = DataType::List(Arc::new(Field::new("element", param, false)));
    let labels = DataType::List(Arc::new(Field::new("element", DataType::Utf8, false)));
    let expected: Vec<_> = COLUMNS
        .iter()
        .map(|(name, data_type, nullable)| (*name, data_type, *nullable))
        .chain([
            ("host_parts", &labels, true),
            ("surt", &DataType::Utf8, true),
            ("query_params", &params, true),
            ("query_params_raw", &params, true),
            ("flag_names", &labels, false),
            ("canonical", &DataType::Utf8, true),
        ])
        .collect();
    assert_eq!(fields, expected, "{name}");
}

/// A row of any format in the form that Parquet's rows have here: flags as a number.
fn numbered(mut row: Row, bits: &HashMap<String, i64>) -> Row {
    let names: Vec<String> = match &row["flags"] {
        Value::Array(names) => names.iter().map(|n| n.as_str().expect("a name").to_owned()).collect(),
        Value::String(names) => names.split('|').filter(|n| !n.is_empty()).map(str::to_owned).collect(),
        _ => return row,
    };
    row.insert("flags".into(), names.iter().map(|name| bits[name]).sum::<i64>().into());
    row
}

fn as_text(row: Row) -> Row {
    let text = |name: &str, value: Value| match value {
        Value::Number(n) => Value::String(n.to_string()),
        Value::Array(params) if name != "flag_names" && params.iter().all(Value::is_object) => {
            json!(params).to_string().into()
        }
        Value::Array(labels) => {
            labels.iter().map(|label| label.as_str().expect("a label")).collect::<Vec<_>>().join("|").into()
        }
        other => other,
    };
    row.into_iter().map(|(name, value)| (name.clone(), text(&name, value))).collect()
}

#[test]
fn all_formats_hold_the_same_table() {
    let dir = dir();
    let schema: Value = serde_json::from_slice(&urimill("schema --to json").ok().stdout).expect("JSON");
    let bit = |flag: &Value| Some((flag["name"].as_str()?.to_owned(), flag["bit"].as_i64()?));
    let bits: HashMap<_, _> = schema["flags"].as_array().expect("flags").iter().filter_map(bit).collect();
    let table = |name: &str| {
        let columns = format!("+source,+offset,+fingerprint,{POSITIONS},{DOMAINS},{FORMS}");
        let line = format!("normalize --chunk 700 -o {name} --columns {columns}");
        let done = urimill(&line).arg(oddities()).within(dir.path()).ok();
        assert_eq!(done.text(), "", "{name}");
        let rows = read(&dir.path().join(name)).into_iter().map(|row| numbered(row, &bits));
        rows.collect::<Vec<_>>()
    };
    let [parquet, arrow, stream, csv, jsonl] = FILES.map(table);
    assert_eq!(parquet.len(), 219);
    for (row, others) in parquet.iter().zip(arrow.iter().zip(stream.iter().zip(&jsonl))) {
        assert_eq!((row, row, row), (others.0, others.1.0, others.1.1));
    }
    for row in &parquet {
        let names = row["flag_names"].as_array().expect("a list");
        let sum = names.iter().map(|name| bits[name.as_str().expect("a name")]).sum::<i64>();
        assert_eq!(row["flags"], sum, "{row:?}");
    }
    assert!(parquet.iter().any(|row| row["flag_names"].as_array().is_some_and(|names| names.len() > 1)));
    for (row, other) in parquet.into_iter().zip(csv) {
        assert_eq!(as_text(row), as_text(other));
    }
}

#[test]
fn names_of_flags_are_a_list() {
    let dir = dir();
    let input = "http://u:p@h/\nhttp://h/\n/a b\nHTTP://h:80/%7e\n";
    let text = |to: &str| {
        urimill(&format!("normalize --columns flag_names --to {to}")).stdin(input).ok().text().to_owned()
    };
    // Empty where no flag is set, never null.
    assert_eq!(
        text("csv"),
        "flag_names\nhas_userinfo|has_password\n\"\"\n\"\"\npercent_decoded|case_changed|port_dropped\n"
    );
    assert_eq!(
        text("jsonl"),
        "{\"flag_names\":[\"has_userinfo\",\"has_password\"]}\n{\"flag_names\":[]}\n{\"flag_names\":[]}\n\
         {\"flag_names\":[\"percent_decoded\",\"case_changed\",\"port_dropped\"]}\n"
    );
    // Rules for ports are for this column too, and outputs with it are verified, sorted or not.
    std::fs::write(dir.path().join("rules"), "http flag 8080\n").expect("a file");
    let rules = "normalize --port-rules rules --columns flag_names --to csv";
    let flagged = urimill(rules).within(dir.path()).stdin("http://h:8080/\n").ok();
    assert_eq!(flagged.text(), "flag_names\nport_well_known_mismatch\n");
    for name in FILES {
        for options in ["--columns +flag_names", "--columns uri,flag_names --sort-by flag_names"] {
            let line = format!("normalize --verify --force {options} -o {name}");
            urimill(&line).within(dir.path()).stdin(input).ok();
        }
    }
}

#[test]
fn types_are_plain_and_metadata_tells_how_it_was_made() {
    let dir = dir();
    let list = SuffixList::embedded();
    let made = [
        ("urimill.version", env!("CARGO_PKG_VERSION")),
        ("urimill.specification", "rfc3986"),
        ("urimill.level", "percent"),
        ("urimill.repair", "true"),
        ("urimill.default_scheme", "https"),
        ("urimill.public_suffix_list", list.version()),
        ("urimill.canonical", "w3lib"),
        ("urimill.drop_params", "[\"a*\",\"b\"]"),
        ("urimill.tracking_parameters", "1"),
    ];
    for name in &FILES[..3] {
        let columns = format!("+source,+offset,+fingerprint,+host_address,{POSITIONS},{DOMAINS},{FORMS}");
        let options = "--level percent --repair --default-scheme HTTPS --drop-tracking --drop-params a*,b";
        urimill(&format!("normalize {options} -o {name} --columns {columns}"))
            .arg(oddities())
            .within(dir.path())
            .ok();
        let path = dir.path().join(name);
        let found: HashMap<String, String> = if *name == "t.parquet" {
            let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).expect("a file"));
            let reader = reader.expect("Parquet");
            assert_plain(reader.schema(), name);
            let pairs = reader.metadata().file_metadata().key_value_metadata().expect("metadata");
            pairs.iter().map(|p| (p.key.clone(), p.value.clone().unwrap_or_default())).collect()
        } else {
            let schema = batches(&path)[0].schema();
            assert_plain(&schema, name);
            schema.metadata().clone()
        };
        let expected = made.map(|(key, value)| (key.to_owned(), value.to_owned()));
        // These and no others: an ARROW:schema would ask readers for types they lack.
        assert_eq!(found, HashMap::from(expected), "{name}");
    }
}

#[test]
fn parquet_pages_and_row_groups_are_as_asked() {
    let dir = dir();
    let codecs = ["zstd", "snappy", "lz4", "none"];
    for (at, codec) in codecs.into_iter().enumerate() {
        let line = format!("normalize --compression {codec} --row-group-rows 50 -o {codec}.parquet");
        urimill(&line).arg(oddities()).within(dir.path()).ok();
        let path = dir.path().join(format!("{codec}.parquet"));
        let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).expect("a file"));
        let metadata = reader.expect("Parquet").metadata().clone();
        let rows: Vec<_> = metadata.row_groups().iter().map(|group| group.num_rows()).collect();
        assert_eq!(rows, [50, 50, 50, 50, 19]);
        let found = metadata.row_group(0).column(0).compression();
        let is_right = match at {
            0 => matches!(found, Compression::ZSTD(_)),
            1 => found == Compression::SNAPPY,
            2 => found == Compression::LZ4_RAW,
            _ => found == Compression::UNCOMPRESSED,
        };
        assert!(is_right, "{codec}: {found:?}");
        assert_eq!(read(&path).len(), 219);
    }
}

#[test]
fn a_table_without_rows_is_a_table() {
    let dir = dir();
    for name in FILES {
        urimill(&format!("normalize -o {name}")).stdin("\n\r\n").within(dir.path()).ok();
        assert_eq!(read(&dir.path().join(name)), Vec::<Row>::new(), "{name}");
    }
}

#[test]
fn the_file_name_selects_the_format_and_to_overrides_it() {
    let dir = dir();
    let first = |name: &str, options: &str| -> Vec<u8> {
        urimill(&format!("normalize -o {name} {options}")).stdin("HTTP://a").within(dir.path()).ok();
        std::fs::read(dir.path().join(name)).expect("a file")[..6].to_vec()
    };
    // (name, options, the file's first six bytes)
    let names: &[(&str, &str, &[u8])] = &[
        ("a.pq", "", b"PAR1\x15\x04"),
        ("a.PARQUET", "", b"PAR1\x15\x04"),
        ("a.feather", "", b"ARROW1"),
        ("a.ipc", "", b"ARROW1"),
        ("a.arrows", "", b"\xff\xff\xff\xff"),
        ("a.csv", "", b"record"),
        ("a.ndjson", "", b"{\"reco"),
        ("a.txt", "", b"http:/"),
        ("a.uris", "", b"http:/"),
        ("b.txt", "--to csv", b"record"),
        ("b", "--to jsonl", b"{\"reco"),
        ("b.csv", "--to parquet", b"PAR1\x15\x04"),
        ("c", "--to arrow", b"ARROW1"),
        ("d", "--to arrow-stream", b"\xff\xff\xff\xff"),
        ("e", "--to uris", b"http:/"),
    ];
    for (name, options, beginning) in names {
        let found = first(name, options);
        assert!(found.starts_with(&beginning[..4]), "{name} {options}: {}", found.escape_ascii());
    }
}

#[test]
fn standard_output_gets_the_bytes_that_a_file_gets() {
    let dir = dir();
    for (name, format) in FILES.into_iter().zip(["parquet", "arrow", "arrow-stream", "csv", "jsonl"]) {
        urimill(&format!("normalize -o {name}")).arg(oddities()).within(dir.path()).ok();
        let done = urimill(&format!("normalize --to {format}")).arg(oddities()).ok();
        assert!(done.stdout == std::fs::read(dir.path().join(name)).expect("a file"), "{format}");
        let summary =
            urimill(&format!("normalize --summary json -o s.{name}")).arg(oddities()).within(dir.path());
        let output = summary.ok().summary()["output"].clone();
        let expected = json!({ "name": format!("s.{name}"), "format": format, "bytes": done.stdout.len() });
        assert_eq!(output, expected);
    }
}

/// Cells that a spreadsheet would take for formulas, and what --csv-safe makes of them: it can be taken back.
#[test]
#[rustfmt::skip]
fn formulas_are_texts_where_they_are_to_be() {
    // (text, cell)
    let table: &[(&str, &str)] = &[
        ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@a", "'@a"), ("\t=1", "'\t=1"),
        ("'=1", "''=1"), ("''-1", "'''-1"), ("'a'", "'a'"), ("'", "'"), ("a=1", "a=1"), (" =1", "\" =1\""),
        ("=a,\"b\"", "\"'=a,\"\"b\"\"\""), ("http://h/=1", "http://h/=1"),
    ];
    let dir = dir();
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let input: String = table.iter().map(|(text, _)| format!("http://h/,{}\n", quoted(text))).collect();
    write(dir.path(), "in.csv", format!("u,=name\n{input}"));
    let line = "normalize in.csv --from csv --uri-field u --columns uri,port,fingerprint --keep all --summary none";
    let done = urimill(&format!("{line} --to csv --csv-safe")).within(dir.path()).ok();
    let header = done.text().lines().next().expect("a header");
    assert!(header.starts_with("uri,port,fingerprint,") && header.contains(",'=name,"), "{header}");
    let fields = |text: &str| text.lines().nth(1).map(|row| row.split(',').take(3).collect::<Vec<_>>().join(","));
    let before = fields(done.text()).expect("a row");
    for ((text, cell), row) in table.iter().zip(done.text().lines().skip(1)) {
        // A number may begin with a sign, and stays one.
        assert!(row.starts_with(&before) && row.contains(&format!(",{cell},")), "{text}: {row}");
    }
    let plain = urimill(&format!("{line} --to csv")).within(dir.path()).ok();
    assert!(plain.text().contains(",=1+1,"), "{}", plain.text());
}

#[test]
fn safe_cells_can_be_verified() {
    let dir = dir();
    write(dir.path(), "in.txt", "=1+1\n-x\n'+y\n@z b\nhttp://h/\n+a\\\n");
    let line = "normalize in.txt --csv-safe --verify --summary json -o t.csv --rejects r.csv";
    let done = urimill(line).within(dir.path()).ok();
    assert_eq!(done.summary()["verified_records"], true, "{}", done.stderr);
    let table = std::fs::read_to_string(dir.path().join("t.csv")).expect("a file");
    let uris: Vec<_> = table.lines().skip(1).filter_map(|row| row.split(',').nth(1)).collect();
    assert_eq!(uris, ["'=1+1", "'-x", "''+y", "http://h/"]);
    let rejects = std::fs::read_to_string(dir.path().join("r.csv")).expect("a file");
    assert!(rejects.contains(",'@z b,") && rejects.contains(",'+a\\,"), "{rejects}");
    urimill("dedupe in.txt --csv-safe --verify --summary none -o d.csv").within(dir.path()).ok();
    let table = std::fs::read_to_string(dir.path().join("d.csv")).expect("a file");
    assert!(table.contains("\n'=1+1,"), "{table}");
    for line in [
        "normalize in.txt --csv-safe",
        "normalize in.txt --csv-safe -o t.parquet",
        "dedupe in.txt --csv-safe",
    ] {
        urimill(line).within(dir.path()).fails(2, &["--csv-safe needs a CSV output"]);
    }
    urimill("normalize in.txt --csv-safe --summary none -o t.parquet --rejects b.csv")
        .within(dir.path())
        .ok();
}

#[test]
fn metadata_of_distinct_uris_tells_the_specification() {
    let dir = dir();
    for (options, specification, level) in
        [("", "rfc3986", Some("scheme")), ("--spec whatwg", "whatwg", None)]
    {
        urimill(&format!("dedupe --force {options} -o t.arrow")).within(dir.path()).stdin("http://h/\n").ok();
        let schema = batches(&dir.path().join("t.arrow"))[0].schema();
        let found = ["urimill.specification", "urimill.level"].map(|key| schema.metadata().get(key).cloned());
        assert_eq!(found, [Some(specification.to_owned()), level.map(str::to_owned)], "{options}");
    }
}
