//! Parquet and Arrow tables as inputs: they keep their columns and gain urimill's.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, DictionaryArray, Int64Array, Int64Builder, LargeListBuilder, MapBuilder, RecordBatch,
    StringArray, StringBuilder, StructArray,
};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, FieldRef, Int8Type, Schema, TimeUnit};
use arrow::ipc::writer::{FileWriter, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::SortingColumn;
use serde_json::json;

use super::run::{dir, names, urimill, write};
use super::table::{Row, as_read, batches, read};
use urimill_testkit::paths::repository;

/// Links of pages; one is null, one empty, one no reference.
fn links() -> RecordBatch {
    let urls = [Some("HTTP://example.com:80/%7Ea"), None, Some(""), Some("../b c"), Some("?q")];
    let pages = ["http://example.com/x/", "http://h/", "http://example.com/y", "http://h/", "http://h/z"];
    let moments = cast(
        &Int64Array::from(vec![1, 2, 3, 4, 5]),
        &DataType::Timestamp(TimeUnit::Microsecond, Some("Europe/Berlin".into())),
    );
    let columns: [(&str, ArrayRef); 4] = [
        ("host", Arc::new(StringArray::from(vec!["a", "b", "c", "d", "e"]))),
        ("url", Arc::new(StringArray::from(urls.to_vec()))),
        ("when", moments.expect("a cast")),
        ("page", Arc::new(StringArray::from(pages.to_vec()))),
    ];
    let field =
        |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), *name == "url");
    let pandas = [("pandas".to_owned(), "{}".to_owned())].into();
    let schema = Schema::new_with_metadata(columns.iter().map(field).collect::<Vec<_>>(), pandas);
    RecordBatch::try_new(Arc::new(schema), columns.map(|(_, array)| array).to_vec()).expect("a batch")
}

fn parquet(path: &Path, batch: &RecordBatch) {
    let file = File::create(path).expect("a file");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).expect("a writer");
    writer.write(batch).expect("rows");
    writer.close().expect("a file");
}

fn stream(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).expect("a writer");
    writer.write(batch).expect("rows");
    writer.into_inner().expect("a stream")
}

fn arrow_file(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = FileWriter::try_new(Vec::new(), &batch.schema()).expect("a writer");
    writer.write(batch).expect("rows");
    writer.into_inner().expect("a file")
}

fn cells(rows: &[Row], columns: &[&str]) -> Vec<serde_json::Value> {
    rows.iter().map(|row| columns.iter().map(|name| row[*name].clone()).collect()).collect()
}

#[test]
fn a_table_keeps_its_columns_and_gains_ours() {
    let dir = dir();
    parquet(&dir.path().join("links.parquet"), &links());
    write(dir.path(), "links.arrow", arrow_file(&links()));
    write(dir.path(), "links.arrows", stream(&links()));
    for input in ["links.parquet --from parquet", "links.arrow --from arrow", "links.arrows --from arrow"] {
        for output in ["parquet", "arrow", "arrows", "jsonl"] {
            let line = format!("normalize {input} --uri-field url --force --summary json -o t.{output}");
            let summary = urimill(&line).within(dir.path()).ok().summary();
            let rows = read(&dir.path().join(format!("t.{output}")));
            let columns = ["record", "uri", "raw", "host", "error", "field_host", "page"];
            let expected = [
                json!([
                    1,
                    "http://example.com/~a",
                    "HTTP://example.com:80/%7Ea",
                    "example.com",
                    null,
                    "a",
                    "http://example.com/x/"
                ]),
                json!([2, null, null, null, null, "b", "http://h/"]),
                json!([3, "", null, null, null, "c", "http://example.com/y"]),
                json!([4, "../b c", null, null, "path_invalid_char", "d", "http://h/"]),
                json!([5, "?q", null, null, null, "e", "http://h/z"]),
            ];
            assert_eq!(cells(&rows, &columns), expected, "{line}");
            let counts = ["lines", "records", "valid", "rejects", "nulls", "blank", "bytes"]
                .map(|name| &summary[name]);
            assert_eq!(counts.map(|count| count.as_u64()), [5, 5, 3, 1, 1, 0, 34].map(Some), "{line}");
        }
    }
    // Types and nullability are those of the input; what its writer said of the whole table is not repeated.
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(File::open(dir.path().join("t.parquet")).expect("a file"));
    let reader = reader.expect("Parquet");
    let when = reader.schema().field_with_name("when").expect("kept").clone();
    let utc = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    assert_eq!((when.data_type(), when.is_nullable()), (&utc, false));
    let pairs = reader.metadata().file_metadata().key_value_metadata().expect("ours");
    assert!(pairs.iter().all(|pair| pair.key.starts_with("urimill.")), "{pairs:?}");
    let batch = &batches(&dir.path().join("t.arrow"))[0];
    assert_eq!(batch["when"].data_type(), links()["when"].data_type());
    assert_eq!(batch.schema().metadata().get("pandas"), None);
}

#[test]
fn each_reference_against_its_page() {
    let dir = dir();
    parquet(&dir.path().join("links.parquet"), &links());
    let line = "normalize links.parquet --from parquet --uri-field 2 --base-field page --repair -o t.jsonl";
    urimill(line).within(dir.path()).ok();
    let uris = ["http://example.com/~a", "", "http://example.com/y", "http://h/b%20c", "http://h/z?q"];
    let rows = read(&dir.path().join("t.jsonl"));
    let found: Vec<_> = rows.iter().map(|row| row["uri"].as_str().unwrap_or_default()).collect();
    assert_eq!(found, uris);
    assert!(!rows[0].contains_key("page") && rows[0].contains_key("when"));
}

#[test]
fn rejects_take_their_columns_along() {
    let dir = dir();
    write(dir.path(), "links.arrow", arrow_file(&links()));
    let line = "normalize links.arrow --from arrow --uri-field url -o t.parquet --rejects bad.parquet --summary json";
    let summary = urimill(line).within(dir.path()).ok().summary();
    assert_eq!((summary["rejects"].as_u64(), read(&dir.path().join("t.parquet")).len()), (Some(1), 4));
    let bad = batches(&dir.path().join("bad.parquet"));
    let schema = bad[0].schema();
    let columns: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    // Rows of a table have no offset in bytes.
    let expected =
        ["source", "record", "uri", "error", "error_offset", "raw_bytes", "field_host", "when", "page"];
    assert_eq!(columns, expected);
    let row = &read(&dir.path().join("bad.parquet"))[0];
    assert_eq!((&row["record"], &row["field_host"]), (&json!(4), &json!("d")));

    urimill("normalize links.arrow --from arrow --uri-field url --on-invalid fail -o f.csv")
        .within(dir.path())
        .fails(1, &["record 4 of links.arrow", "path_invalid_char", "../b c"]);
    assert!(!names(dir.path()).contains(&"f.csv".to_owned()));
}

#[test]
fn columns_that_are_chosen() {
    let dir = dir();
    write(dir.path(), "t.arrows", stream(&links()));
    // (options, the header of CSV)
    let cases = [
        ("--columns uri,error", "uri,error"),
        ("--columns uri --keep when,host", "uri,when,field_host"),
        ("--columns uri --keep all", "uri,field_host,when,page"),
        ("--columns uri --keep url", "uri,url"),
        ("--columns uri,source --keep 4", "uri,source,page"),
        ("--columns uri --base-field page --keep all", "uri,base,field_host,when,page"),
    ];
    for (options, header) in cases {
        let line = format!("normalize t.arrows --from arrow --uri-field url --to csv {options}");
        let done = urimill(&line).within(dir.path()).ok();
        assert_eq!(done.text().lines().next(), Some(header), "{options}");
        assert_eq!(done.text().lines().count(), 6, "{options}");
    }
    let text = urimill("normalize t.arrows --from arrow --uri-field url").within(dir.path()).ok();
    assert_eq!(text.text(), "http://example.com/~a\n\n\n../b c\n?q\n");
    assert!(text.stderr.contains("5 rows = 3 valid records + 1 reject + 1 null"), "{}", text.stderr);
    assert!(text.stderr.contains("34 B of URIs"), "{}", text.stderr);
}

#[test]
fn tables_are_found_by_their_first_bytes() {
    let dir = dir();
    parquet(&dir.path().join("t.log"), &links());
    let auto = "normalize --from auto --uri-field url --to jsonl --summary none";
    let done = urimill(auto).arg("t.log").within(dir.path()).ok();
    assert_eq!((done.text().lines().count(), &*done.stderr), (5, "urimill: read the input as parquet\n"));
    for bytes in [stream(&links()), arrow_file(&links())] {
        let piped = urimill(auto).stdin(&bytes).ok();
        assert_eq!(&*piped.stderr, "urimill: read the input as arrow\n");
        assert_eq!(urimill(&auto.replace("auto", "arrow")).stdin(&bytes).ok().text(), piped.text());
        assert_eq!(piped.text().lines().count(), 5);
    }
}

/// A zone with a name has no offset here: the moment is given in UTC.
#[test]
fn moments_in_named_zones_divide_a_table() {
    let dir = dir();
    let links = links();
    parquet(&dir.path().join("in.parquet"), &links);
    // A dictionary of moments, and one that no calendar has.
    let zone = DataType::Timestamp(TimeUnit::Second, Some("Europe/Berlin".into()));
    let packed = DataType::Dictionary(Box::new(DataType::Int8), Box::new(zone.clone()));
    let micros = DataType::Timestamp(TimeUnit::Microsecond, Some("Europe/Berlin".into()));
    let last = cast(&Int64Array::from(vec![i64::MAX; 5]), &micros).expect("a cast");
    let few = cast(&Int64Array::from(vec![0, 0, 1, 1, 1]), &zone).expect("a cast");
    let few =
        DictionaryArray::<Int8Type>::try_new(vec![0, 0, 1, 1, 1].into(), few.slice(1, 2)).expect("keys");
    assert_eq!(few.data_type(), &packed);
    let columns = [("url", links.column(1).clone()), ("last", last), ("few", Arc::new(few))];
    write(dir.path(), "in.arrow", arrow_file(&RecordBatch::try_from_iter(columns).expect("a batch")));
    let micro = |n: usize| format!("when=1970-01-01T00%3A00%3A00.00000{n}Z");
    let second = |n: usize| format!("few=1970-01-01T00%3A00%3A0{n}Z");
    for (file, column, expected) in [
        ("in.parquet", "when", (1..=5).map(micro).collect()),
        ("in.arrow", "few", vec![second(0), second(1)]),
    ] {
        for sort in ["", " --sort-by uri"] {
            let from = file.trim_start_matches("in.");
            let line = format!(
                "normalize {file} --from {from} --uri-field url -o out/ --force --partition-by {column}"
            );
            urimill(&(line + sort)).within(dir.path()).ok();
            let found: Vec<_> =
                names(&dir.path().join("out")).into_iter().filter(|name| !name.starts_with('_')).collect();
            assert_eq!(found, expected, "{column}{sort}");
        }
    }
    urimill("normalize in.arrow --from arrow --uri-field url -o no/ --partition-by last")
        .within(dir.path())
        .fails(3, &["cannot partition by last", "beyond the calendar"]);
    // Parquet counts no seconds.
    let last = cast(&Int64Array::from(vec![i64::MAX; 5]), &zone).expect("a cast");
    let columns = [("url", links.column(1).clone()), ("last", last)];
    write(dir.path(), "late.arrow", arrow_file(&RecordBatch::try_from_iter(columns).expect("a batch")));
    urimill("normalize late.arrow --from arrow --uri-field url -o no.parquet")
        .within(dir.path())
        .fails(3, &["cannot write no.parquet", "\"last\"", "parquet", "--keep"]);
}

/// Columns before a key may have any number of leaves: what is declared is the key itself.
#[test]
fn a_key_behind_nested_columns_is_declared_as_itself() {
    let dir = dir();
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
    let mut lists = LargeListBuilder::new(Int64Builder::new());
    for n in 0..3 {
        map.keys().append_value("k");
        map.values().append_value(n);
        map.append(true).expect("an entry");
        lists.append_value([Some(n), None]);
    }
    let map: ArrayRef = Arc::new(map.finish());
    let pair: [(FieldRef, ArrayRef); 2] = [
        (Arc::new(Field::new("x", DataType::Int64, false)), Arc::new(Int64Array::from(vec![1, 2, 3]))),
        (Arc::new(Field::new("map", map.data_type().clone(), false)), map.clone()),
    ];
    let columns: [(&str, ArrayRef); 5] = [
        ("url", Arc::new(StringArray::from(vec!["http://c/", "http://b/", "http://a/"]))),
        ("map", map),
        ("lists", Arc::new(lists.finish())),
        ("pair", Arc::new(StructArray::from(pair.to_vec()))),
        ("key", Arc::new(Int64Array::from(vec![3, 1, 2]))),
    ];
    parquet(&dir.path().join("in.parquet"), &RecordBatch::try_from_iter(columns).expect("a batch"));
    for (keys, expected) in
        [("key", vec!["key"]), ("key:desc,uri", vec!["key", "uri"]), ("uri,pair", vec!["uri"])]
    {
        let line = format!(
            "normalize in.parquet --from parquet --uri-field url -o out.parquet --force --sort-by {keys}"
        );
        urimill(&line).within(dir.path()).ok();
        let file = File::open(dir.path().join("out.parquet")).expect("a file");
        let metadata = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet").metadata().clone();
        let group = metadata.row_group(0);
        let declared = group.sorting_columns().expect("an order").iter();
        let name = |key: &SortingColumn| group.column(key.column_idx as usize).column_path().string();
        assert_eq!(declared.map(name).collect::<Vec<_>>(), expected, "{keys}");
    }
}

#[test]
fn what_is_wrong_is_said_in_one_sentence() {
    let dir = dir();
    parquet(&dir.path().join("t.parquet"), &links());
    let bytes = std::fs::read(dir.path().join("t.parquet")).expect("a file");
    write(dir.path(), "cut.parquet", &bytes[..bytes.len() - 100]);
    let mut damaged = bytes.clone();
    damaged[4..200].fill(0xff);
    write(dir.path(), "damaged.parquet", &damaged);
    write(dir.path(), "lines.txt", "http://h/\n");
    let cases: &[(&str, i32, &[&str])] = &[
        ("t.parquet --from parquet", 2, &["t.parquet", "--uri-field", "\"host\", \"url\", \"page\""]),
        ("t.parquet --from auto", 2, &["t.parquet", "--uri-field"]),
        ("t.parquet --from parquet --uri-field nix", 2, &["\"nix\"", "\"host\", \"url\", \"page\""]),
        ("t.parquet --from parquet --uri-field when", 2, &["\"when\"", "Timestamp", "\"url\""]),
        ("t.parquet --from parquet --uri-field url --header yes", 2, &["--header"]),
        ("t.parquet --from parquet --uri-field url --columns +offset --to csv", 2, &["offset", "record"]),
        ("t.parquet --from parquet --uri-field url --keep nix --to csv", 2, &["\"nix\"", "\"when\""]),
        ("t.parquet --from arrow --uri-field url", 3, &["t.parquet", "not an Arrow stream"]),
        ("lines.txt --from parquet --uri-field url", 3, &["lines.txt", "not a Parquet file"]),
        ("cut.parquet --from parquet --uri-field url", 3, &["cut.parquet", "truncated"]),
        ("damaged.parquet --from parquet --uri-field url -o out.parquet", 3, &["damaged.parquet", "damaged"]),
        (
            "t.parquet lines.txt --from parquet --uri-field url -o out.parquet",
            3,
            &["lines.txt", "not a Parquet file"],
        ),
    ];
    for (options, code, parts) in cases {
        urimill(&format!("normalize {options}")).within(dir.path()).fails(*code, parts);
    }
    assert!(!names(dir.path()).contains(&"out.parquet".to_owned()));
    let pipe = urimill("normalize --from parquet --uri-field url").stdin(&bytes);
    pipe.fails(2, &["Parquet from standard input", "give a file"]);
    // Nothing of the input speaks to a terminal.
    let name = "\u{1b}[31mred";
    let batch = RecordBatch::try_from_iter([(name, links()["url"].clone())]).expect("a batch");
    let done = urimill("normalize --from arrow --uri-field nix").stdin(stream(&batch)).go();
    assert!(!done.stderr.contains('\u{1b}') && done.stderr.contains("red"), "{:?}", done.stderr);
}

/// A value that a format cannot hold is reported before any row is written.
#[test]
fn types_that_an_output_lacks_are_refused() {
    let dir = dir();
    let durations =
        cast(&Int64Array::from(vec![1; 5]), &DataType::Duration(TimeUnit::Second)).expect("a cast");
    let batch = RecordBatch::try_from_iter([("url", links()["url"].clone()), ("took", durations)]);
    write(dir.path(), "t.arrow", arrow_file(&batch.expect("a batch")));
    let line = "normalize t.arrow --from arrow --uri-field url";
    urimill(&format!("{line} -o t.parquet"))
        .within(dir.path())
        .fails(2, &["\"took\"", "Duration", "--keep", "parquet"]);
    urimill(&format!("{line} -o t.csv --rejects r.parquet"))
        .within(dir.path())
        .fails(2, &["r.parquet", "\"took\""]);
    assert_eq!(names(dir.path()), ["t.arrow"]);
    urimill(&format!("{line} -o t.parquet --keep none")).within(dir.path()).ok();
    urimill(&format!("{line} -o t.csv")).within(dir.path()).ok();
}

/// A table that urimill made, read again: its URIs have the components that they had, and its bytes do not depend on
/// threads.
#[test]
fn a_table_of_our_own_read_again() {
    let dir = dir();
    let sample = repository().join("datasets");
    for list in ["sample.txt", "oddities.txt"] {
        let text = std::fs::read(sample.join(list)).expect("a dataset");
        write(dir.path(), "list.txt", &text);
        urimill("normalize list.txt -o first.parquet --force").within(dir.path()).ok();
        let again = "normalize first.parquet --from parquet --uri-field uri --force --summary json";
        let summary =
            urimill(&format!("{again} --threads 1 -o second.parquet")).within(dir.path()).ok().summary();
        urimill(&format!("{again} --threads 3 -o third.parquet")).within(dir.path()).ok();
        let bytes = |name: &str| std::fs::read(dir.path().join(name)).expect("a file");
        assert!(bytes("second.parquet") == bytes("third.parquet"), "{list}");
        let (first, second) =
            (read(&dir.path().join("first.parquet")), read(&dir.path().join("second.parquet")));
        assert_eq!(first.len(), second.len(), "{list}");
        assert_eq!(summary["records"].as_u64(), Some(first.len() as u64));
        for (first, second) in first.iter().zip(&second) {
            for name in ["scheme", "userinfo", "host", "host_kind", "port", "path", "query", "fragment"] {
                assert_eq!(first[name], second[name], "{name} of {first:?}");
                let kept = if name == "flags" { name.to_owned() } else { format!("field_{name}") };
                assert_eq!(first[name], second[&kept], "{kept} of {first:?}");
            }
            // A text that was not UTF-8 is now, with U+FFFD in it.
            if first["error"] != json!("not_utf8") {
                assert_eq!(first["error"], second["error"], "{first:?}");
                assert_eq!(first["uri"], second["uri"]);
                assert_eq!(as_read(second), first["uri"].as_str().expect("a text").as_bytes());
            }
        }
    }
}
