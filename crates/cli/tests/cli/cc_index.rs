//! Common Crawl's table: `--schema cc-index` of every format, and how it treats records that it cannot hold.

use std::fs::File;

use arrow::datatypes::{DataType, TimeUnit};
use parquet::basic::{LogicalType, TimeUnit as ParquetUnit};
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::{Value, json};

use super::logs::corpora;
use super::run::{Run, dir, names, urimill, write};
use super::table::{Row, batches, jsonl, read};

const TEXT: DataType = DataType::Utf8;
const TIME: DataType = DataType::Timestamp(TimeUnit::Millisecond, None);

/// The columns of the columnar index, as its documentation lists them: name, type, whether it may be null.
const COLUMNS: [(&str, DataType, bool); 30] = [
    ("url_surtkey", TEXT, false),
    ("url", TEXT, false),
    ("url_host_name", TEXT, false),
    ("url_host_tld", TEXT, true),
    ("url_host_2nd_last_part", TEXT, true),
    ("url_host_3rd_last_part", TEXT, true),
    ("url_host_4th_last_part", TEXT, true),
    ("url_host_5th_last_part", TEXT, true),
    ("url_host_registry_suffix", TEXT, true),
    ("url_host_registered_domain", TEXT, true),
    ("url_host_private_suffix", TEXT, true),
    ("url_host_private_domain", TEXT, true),
    ("url_host_name_reversed", TEXT, true),
    ("url_protocol", TEXT, false),
    ("url_port", DataType::Int32, true),
    ("url_path", TEXT, false),
    ("url_query", TEXT, true),
    ("fetch_time", TIME, false),
    ("fetch_status", DataType::Int16, false),
    ("fetch_redirect", TEXT, true),
    ("content_digest", TEXT, true),
    ("content_mime_type", TEXT, true),
    ("content_mime_detected", TEXT, true),
    ("content_charset", TEXT, true),
    ("content_languages", TEXT, true),
    ("content_truncated", TEXT, true),
    ("warc_filename", TEXT, false),
    ("warc_record_offset", DataType::Int32, false),
    ("warc_record_length", DataType::Int32, false),
    ("warc_segment", TEXT, false),
];

/// A line of an index as Common Crawl writes it.
const LINE: &str = "com,example,shop)/a/b?q=1 20180116070444 {\"url\": \"https://www.Shop.example.com:8443/a/B?q=1\", \
    \"mime\": \"text/html\", \"mime-detected\": \"application/xhtml+xml\", \"status\": \"301\", \
    \"digest\": \"sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\", \"length\": \"1234\", \"offset\": \"2147483647\", \
    \"filename\": \"crawl-data/CC-MAIN-2018-05/segments/1516084886237.6/crawldiagnostics/CC-MAIN-1.warc.gz\", \
    \"charset\": \"UTF-8\", \"languages\": \"deu,eng\", \"redirect\": \"https://h/\", \"truncated\": \"length\"}\n";

/// A record of an index, with these members in place of its own or beside them; `null` takes one away.
fn cdxj(members: &Value) -> String {
    let mut object = json!({
        "url": "http://h.example/", "status": "200", "length": "7", "offset": "9", "filename": "f.warc.gz",
    });
    for (name, value) in members.as_object().expect("an object") {
        match value {
            Value::Null => drop(object.as_object_mut().expect("an object").remove(name)),
            value => object[name] = value.clone(),
        }
    }
    format!("key 20180116070444 {object}\n")
}

fn cc_index(options: &str) -> Run {
    urimill(&format!("normalize --schema cc-index {options}"))
}

/// The rows as JSON Lines.
fn rows(options: &str, stdin: &str) -> Vec<Row> {
    jsonl(&cc_index(&format!("--to jsonl {options}")).stdin(stdin).ok().stdout)
}

fn assert_has(row: &Row, expected: &Value, what: &str) {
    for (name, value) in expected.as_object().expect("an object") {
        assert_eq!(&row[name], value, "{what}: {name} of {row:?}");
    }
}

#[test]
fn the_columns_are_those_of_the_columnar_index() {
    let dir = dir();
    cc_index("--from cdxj -o t.parquet").stdin(LINE).within(dir.path()).ok();
    let path = dir.path().join("t.parquet");
    let schema = batches(&path)[0].schema();
    let utc = DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into()));
    let found: Vec<_> =
        schema.fields().iter().map(|f| (f.name().as_str(), f.data_type(), f.is_nullable())).collect();
    assert_eq!(found.len(), COLUMNS.len());
    for ((name, data_type, nullable), found) in COLUMNS.iter().zip(found) {
        let data_type = if *data_type == TIME { &utc } else { data_type };
        assert_eq!(found, (*name, data_type, *nullable));
    }
    let reader = SerializedFileReader::new(File::open(&path).expect("a file")).expect("Parquet");
    let file = reader.metadata().file_metadata();
    let keys = file.key_value_metadata().expect("pairs");
    let says = |key: &str, value: &str| {
        keys.iter().any(|pair| pair.key == key && pair.value.as_deref() == Some(value))
    };
    assert!(says("urimill.schema", "cc-index") && says("urimill.level", "none"), "{keys:?}");
    let logical = |name: &str| {
        let columns = file.schema_descr().columns();
        let column = columns.iter().find(|column| column.name() == name).expect("a column");
        column.logical_type_ref().cloned()
    };
    assert_eq!(logical("fetch_status"), Some(LogicalType::integer(16, true)));
    assert_eq!(logical("fetch_time"), Some(LogicalType::timestamp(true, ParquetUnit::MILLIS)));
}

#[test]
fn a_record_of_the_index_is_a_row() {
    let expected = json!({
        "url_surtkey": "com,example,shop:8443)/a/b?q=1", "url": "https://www.Shop.example.com:8443/a/B?q=1",
        "url_host_name": "www.shop.example.com", "url_host_tld": "com", "url_host_2nd_last_part": "example",
        "url_host_3rd_last_part": "shop", "url_host_4th_last_part": "www", "url_host_5th_last_part": null,
        "url_host_registry_suffix": "com", "url_host_registered_domain": "example.com",
        "url_host_private_suffix": "com", "url_host_private_domain": "example.com",
        "url_host_name_reversed": "com.example.shop.www", "url_protocol": "https", "url_port": 8443,
        "url_path": "/a/B", "url_query": "q=1", "fetch_time": "2018-01-16T07:04:44Z", "fetch_status": 301,
        "fetch_redirect": "https://h/", "content_digest": "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
        "content_mime_type": "text/html", "content_mime_detected": "application/xhtml+xml",
        "content_charset": "UTF-8", "content_languages": "deu,eng", "content_truncated": "length",
        "warc_filename": "crawl-data/CC-MAIN-2018-05/segments/1516084886237.6/crawldiagnostics/CC-MAIN-1.warc.gz",
        "warc_record_offset": 2147483647, "warc_record_length": 1234, "warc_segment": "1516084886237.6",
    });
    let found = rows("--from cdxj", LINE);
    assert_eq!(found.len(), 1);
    assert_eq!(Value::Object(found[0].clone()), expected);
    let dir = dir();
    for name in ["t.parquet", "t.arrow", "t.arrows", "t.jsonl"] {
        cc_index(&format!("--from cdxj -o {name}")).stdin(LINE).within(dir.path()).ok();
        assert_eq!(read(&dir.path().join(name)), found, "{name}");
    }
    let csv = cc_index("--from cdxj --to csv").stdin(LINE).ok();
    let header = csv.text().lines().next().expect("a header");
    assert_eq!(header, COLUMNS.map(|(name, ..)| name).join(","));
}

#[test]
fn keys_are_those_of_the_index() {
    let Some(corpora) = corpora() else { return };
    for (file, format, count) in [("pywb_iana.cdxj", "cdxj", 171), ("pywb_iana.cdx", "cdx", 171)] {
        let dir = dir();
        let run = cc_index(&format!("--from {format} --fill --keep urlkey -o t.parquet --summary json"));
        let done = run.arg(corpora.join(file)).within(dir.path()).ok();
        // Records of revisits have no status there.
        assert_eq!(done.summary()["filled"], json!({ "fetch_status": 123 }), "{file}");
        let rows = read(&dir.path().join("t.parquet"));
        assert_eq!(rows.len(), count, "{file}");
        for row in &rows {
            assert_eq!(row["url_surtkey"], row["urlkey"], "{file}: {row:?}");
        }
        let expected = json!({
            "url_surtkey": "org,iana)/_css/2013.1/fonts/inconsolata.otf",
            "url": "http://www.iana.org/_css/2013.1/fonts/Inconsolata.otf", "url_host_name": "www.iana.org",
            "url_host_tld": "org", "url_host_2nd_last_part": "iana", "url_host_3rd_last_part": "www",
            "url_host_4th_last_part": null, "url_host_registry_suffix": "org",
            "url_host_registered_domain": "iana.org", "url_host_name_reversed": "org.iana.www",
            "url_protocol": "http", "url_port": null, "url_path": "/_css/2013.1/fonts/Inconsolata.otf",
            "url_query": null, "fetch_time": "2014-01-26T20:09:12Z", "fetch_status": 0, "fetch_redirect": null,
            "content_digest": "LNMEDYOENSOEI5VPADCKL3CB6N3GWXPR", "content_mime_type": "warc/revisit",
            "content_mime_detected": null, "warc_filename": "iana.warc.gz", "warc_record_offset": 667073,
            "warc_record_length": 546, "warc_segment": "",
        });
        assert_has(&rows[2], &expected, file);
    }
}

/// (url, what the row says)
#[test]
fn parts_of_a_url_are_as_the_index_has_them() {
    let cases = [
        (
            "http://a.b.c.d.example.co.uk/",
            json!({
                "url_host_tld": "uk", "url_host_2nd_last_part": "co", "url_host_3rd_last_part": "example",
                "url_host_4th_last_part": "d", "url_host_5th_last_part": "c", "url_host_registry_suffix": "co.uk",
                "url_host_registered_domain": "example.co.uk",
            }),
        ),
        // Both sections of the list.
        (
            "http://me.github.io/",
            json!({
                "url_host_registry_suffix": "io", "url_host_registered_domain": "github.io",
                "url_host_private_suffix": "github.io", "url_host_private_domain": "me.github.io",
            }),
        ),
        // Lower case, one dot at the end less; the path as it is.
        (
            "HTTP://WWW.Example.COM./%7ea/../B",
            json!({
                "url": "HTTP://WWW.Example.COM./%7ea/../B", "url_host_name": "www.example.com", "url_protocol": "http",
                "url_path": "/%7ea/../B", "url_host_name_reversed": "com.example.www",
            }),
        ),
        // IDNA.
        (
            "http://b%C3%BCcher.example/",
            json!({
                "url_host_name": "xn--bcher-kva.example", "url_host_2nd_last_part": "xn--bcher-kva",
            }),
        ),
        // Addresses have no parts.
        (
            "http://192.0.2.1:80/a",
            json!({
                "url_host_name": "192.0.2.1", "url_host_tld": null, "url_host_2nd_last_part": null, "url_port": 80,
                "url_host_name_reversed": null, "url_host_registry_suffix": null,
            }),
        ),
        ("http://[2001:DB8::1]/", json!({ "url_host_name": "[2001:db8::1]", "url_host_tld": null })),
        // Ports where one is written.
        ("https://h:443/", json!({ "url_port": 443, "url_host_name": "h", "url_host_tld": "h" })),
        ("https://h:/", json!({ "url_port": null })),
        ("https://h:99999/", json!({ "url_port": null })),
        // Undefined and empty differ.
        ("http://h?", json!({ "url_path": "", "url_query": "" })),
        (
            "http://h/a?b=C&d#e",
            json!({ "url_path": "/a", "url_query": "b=C&d", "url": "http://h/a?b=C&d#e" }),
        ),
        ("http:///a", json!({ "url_host_name": "", "url_path": "/a" })),
    ];
    let input: String = cases.iter().map(|(url, _)| format!("{url}\n")).collect();
    let found = rows("--fill --summary json", &input);
    assert_eq!(found.len(), cases.len());
    for (row, (url, expected)) in found.iter().zip(&cases) {
        assert_eq!(row["url"], *url);
        assert_has(row, expected, url);
    }
}

/// (members of the record, column, reason, the value instead)
fn unfit() -> Vec<(Value, &'static str, &'static str, Value)> {
    vec![
        (json!({ "status": null }), "fetch_status", "missing", json!(0)),
        (json!({ "status": "-" }), "fetch_status", "missing", json!(0)),
        (json!({ "status": "ok" }), "fetch_status", "not_a_number", json!(0)),
        (json!({ "status": "32768" }), "fetch_status", "out_of_range", json!(0)),
        (json!({ "filename": null }), "warc_filename", "missing", json!("")),
        (json!({ "offset": null }), "warc_record_offset", "missing", json!(0)),
        (json!({ "offset": "x" }), "warc_record_offset", "not_a_number", json!(0)),
        (json!({ "length": "-" }), "warc_record_length", "missing", json!(0)),
        // No host, no scheme.
        (json!({ "url": "dns:h.example" }), "url_host_name", "missing", json!("")),
        (json!({ "url": "/a" }), "url_surtkey", "missing", json!("")),
    ]
}

#[test]
fn a_record_that_lacks_a_value_ends_the_run() {
    let dir = dir();
    let good = cdxj(&json!({}));
    for (members, column, reason, _) in unfit() {
        let line = cdxj(&members);
        let said = format!("record 3 of standard input has no value that fits {column} ({reason})");
        let url = members["url"].as_str().unwrap_or("http://h.example/");
        for threads in [1, 3] {
            let run = cc_index(&format!("--from cdxj -o t.parquet --threads {threads} --chunk 100"));
            let run = run.stdin(format!("{good}{good}{line}{}", line.repeat(9))).within(dir.path());
            run.fails(1, &[&said, url, "--rejects", "--fill"]);
        }
        assert!(names(dir.path()).is_empty());
    }
    let time = good.replace("20180116070444", "20181316070444");
    let run = cc_index("--from cdxj --to csv").stdin(time);
    let done = run.go();
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    done.says("time", &["fetch_time (not_a_time)", "--fill"]);
    // Outside the grammar it has no columns at all.
    let done = cc_index("--from cdxj --to csv").stdin(cdxj(&json!({ "url": "http://h/%" }))).go();
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    done.says("url", &["is no URI reference", "percent_truncated", "http://h/%", "--rejects", "--fill"]);
}

#[test]
fn rejects_take_what_the_table_cannot_hold() {
    let dir = dir();
    for (members, column, reason, _) in unfit() {
        let input = format!("{}{}", cdxj(&json!({})), cdxj(&members));
        let run = cc_index("--from cdxj -o good.parquet --rejects bad.jsonl --force --summary json");
        let done = run.stdin(input).within(dir.path()).ok();
        let example = &done.summary()["by_code"]["field_unfit"]["example"];
        assert_eq!((&example["field"], &example["record"]), (&json!(column), &json!(2)), "{members}");
        assert_eq!(read(&dir.path().join("good.parquet")).len(), 1, "{members}");
        let rejects = read(&dir.path().join("bad.jsonl"));
        assert_eq!(rejects.len(), 1, "{members}");
        let url = members["url"].as_str().unwrap_or("http://h.example/");
        let expected = json!({ "record": 2, "uri": url, "error": "field_unfit", "error_offset": null });
        assert_has(&rejects[0], &expected, column);
        let faults = rejects[0]["field_errors"].as_str().expect("a fault");
        let is_told = faults.split(',').any(|fault| {
            let (name, found) = fault.split_once(':').expect("a reason");
            // A fault that the format's reader finds is reported for the field.
            found == reason && [column, "status", "file_offset"].contains(&name)
        });
        assert!(is_told, "{members}: {faults}");
        // The other fields come along.
        if members.get("filename").is_none() {
            assert_eq!(rejects[0]["filename"], "f.warc.gz", "{members}");
        }
    }
    let run = cc_index("--from cdxj -o good.jsonl --rejects bad.jsonl --force --summary json");
    let input =
        format!("{}key 1 {{]\n{}", cdxj(&json!({ "url": "http://h/%", "status": "x" })), cdxj(&json!({})));
    let done = run.stdin(input).within(dir.path()).ok();
    let summary = done.summary();
    assert_eq!((&summary["valid"], &summary["rejects"]), (&json!(1), &json!(2)));
    let rejects = read(&dir.path().join("bad.jsonl"));
    assert_has(
        &rejects[0],
        &json!({ "error": "percent_truncated", "field_errors": "status:not_a_number" }),
        "%",
    );
    assert_has(&rejects[1], &json!({ "error": "record_malformed", "field_errors": null }), "{]");
}

#[test]
fn fill_writes_what_stands_in_and_counts_it() {
    for (members, column, _, value) in unfit() {
        let done = cc_index("--from cdxj --fill --to jsonl --summary json").stdin(cdxj(&members)).ok();
        let rows = jsonl(&done.stdout);
        assert_eq!((rows.len(), &rows[0][column]), (1, &value), "{members}");
        assert_eq!(done.summary()["filled"][column], json!(1), "{members}");
        assert_eq!(done.summary()["valid"], json!(1), "{members}");
    }
    let time = cdxj(&json!({})).replace("20180116070444", "2018");
    assert_has(
        &rows("--from cdxj --fill", &time)[0],
        &json!({ "fetch_time": "1970-01-01T00:00:00Z" }),
        "time",
    );
    // A record outside the grammar keeps its text, and the code says what it is.
    let done = cc_index("--from cdxj --fill --columns +error,+raw_bytes --to jsonl --summary json")
        .stdin(cdxj(&json!({ "url": "http://h/%" })))
        .ok();
    let expected = json!({
        "url": "http://h/%", "url_surtkey": "", "url_host_name": "", "url_protocol": "", "url_path": "",
        "fetch_status": 200, "warc_record_offset": 9, "error": "percent_truncated", "raw_bytes": null,
    });
    assert_has(&jsonl(&done.stdout)[0], &expected, "%");
    let summary = done.summary();
    assert_eq!((&summary["rejects"], &summary["filled"]), (&json!(1), &json!({})));
    // Or goes where it is sent, or ends the run.
    let dir = dir();
    let input = format!("{}{}", cdxj(&json!({ "url": "http://h/%" })), cdxj(&json!({ "status": null })));
    let run = cc_index("--from cdxj --fill -o good.jsonl --rejects bad.jsonl");
    run.stdin(&input).within(dir.path()).ok();
    assert_eq!(read(&dir.path().join("good.jsonl"))[0]["fetch_status"], json!(0));
    assert_eq!(read(&dir.path().join("bad.jsonl"))[0]["error"], json!("percent_truncated"));
    cc_index("--from cdxj --fill --to jsonl --on-invalid fail")
        .stdin(&input)
        .fails(1, &["percent_truncated"]);
}

#[test]
fn places_beyond_32_bits_do_not_wrap() {
    let (last, first) = ("2147483647", "2147483648");
    for (member, column) in [("offset", "warc_record_offset"), ("length", "warc_record_length")] {
        let line = |value: &str| cdxj(&json!({ member: value }));
        assert_eq!(rows("--from cdxj", &line(last))[0][column], json!(i32::MAX));
        for (value, options) in [(first, ""), (first, "--fill"), ("99999999999999999999", "--fill")] {
            let run = cc_index(&format!("--from cdxj --to jsonl {options}")).stdin(line(value));
            run.fails(1, &[column, "out_of_range", "--wide-offsets", "--rejects"]);
        }
        let dir = dir();
        let run = cc_index("--from cdxj --fill -o good.jsonl --rejects bad.jsonl");
        run.stdin(format!("{}{}", line(first), line(last))).within(dir.path()).ok();
        assert_eq!(read(&dir.path().join("good.jsonl"))[0][column], json!(i32::MAX));
        let reject = &read(&dir.path().join("bad.jsonl"))[0];
        assert_has(reject, &json!({ "record": 1, "field_errors": format!("{column}:out_of_range") }), member);
        let wide = rows("--from cdxj --wide-offsets", &line("5000000000"));
        assert_eq!(wide[0][column], json!(5_000_000_000u64));
    }
    let dir = dir();
    cc_index("--from cdxj --wide-offsets -o t.parquet").stdin(LINE).within(dir.path()).ok();
    let schema = batches(&dir.path().join("t.parquet"))[0].schema();
    for (name, expected, _) in COLUMNS {
        let is_place = name == "warc_record_offset" || name == "warc_record_length";
        let expected = if is_place { DataType::Int64 } else { expected };
        let found = schema.field_with_name(name).expect("a column").data_type().clone();
        assert!(found == expected || expected == TIME, "{name}: {found}");
    }
}

#[test]
fn other_formats_have_what_they_have() {
    let heritrix = "2012-05-23T15:06:29.436Z   301   0 http://h.example/a LE http://v/ text/html #040 \
        20120523150629380+50 sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ - 3t\n\
        2012-05-23T15:06:30.100Z -9998   - http://h.example/b - - unknown #040 - - - -\n\
        2012-05-23T15:06:31.000Z     1  56 dns:h.example P - text/dns #048 20120523150627325+74 - - -\n";
    let places = ["warc_filename", "warc_record_offset", "warc_record_length", "warc_segment"];
    let lists = ["fetch_time", "fetch_status", "warc_filename"];
    let clf = "h - - [17/May/2015:12:05:03 +0200] \"GET /a?b HTTP/1.1\" 404 1 \"-\" \"-\"\n";
    let csv = "id,url,time\n1,http://h.example/,x\n";
    let jsonl = "{\"url\": \"http://h.example/\", \"status\": 5}\n";
    // (options, input, columns that it lacks, what the first row says)
    let cases: [(&str, &str, &[&str], Value); 6] = [
        (
            "--from heritrix",
            heritrix,
            &places,
            json!({
                "url": "http://h.example/a", "fetch_time": "2012-05-23T15:06:29.380Z", "fetch_status": 301,
                "content_digest": "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "content_mime_type": "text/html",
                "warc_filename": "", "warc_record_offset": 0, "warc_segment": "",
            }),
        ),
        ("--from auto", heritrix, &places, json!({ "url": "http://h.example/a", "fetch_status": 301 })),
        (
            "--from clf --base http://h.example/",
            clf,
            &places,
            json!({
                "url": "http://h.example/a?b", "url_path": "/a", "url_query": "b", "url_surtkey": "example,h)/a?b",
                "fetch_time": "2015-05-17T10:05:03Z", "fetch_status": 404, "content_mime_type": null,
            }),
        ),
        (
            "--from lines",
            "http://h.example/\n",
            &lists,
            json!({
                "url_surtkey": "example,h)/", "fetch_time": "1970-01-01T00:00:00Z", "fetch_status": 0,
                "content_digest": null,
            }),
        ),
        ("--from csv --uri-field url", csv, &lists, json!({ "fetch_time": "1970-01-01T00:00:00Z" })),
        ("--from jsonl --uri-field url", jsonl, &lists, json!({ "fetch_status": 0 })),
    ];
    for (options, input, lacking, expected) in cases {
        let done = cc_index(&format!("--to jsonl {options}")).stdin(input).go();
        assert_eq!(done.code, Some(2), "{options}: {}", done.stderr);
        assert!(lacking.iter().chain(&["--fill"]).all(|part| done.stderr.contains(part)), "{}", done.stderr);
        assert_has(&rows(&format!("{options} --fill"), input)[0], &expected, options);
    }
    // Not fetched, it has the time of its line; without a host, the empty string.
    let found = rows("--from heritrix --fill", heritrix);
    let late =
        json!({ "fetch_time": "2012-05-23T15:06:30.1Z", "fetch_status": -9998, "content_digest": null });
    let is_late =
        found[1]["fetch_time"].as_str().is_some_and(|time| time.starts_with("2012-05-23T15:06:30.1"));
    assert!(is_late && found[1]["fetch_status"] == late["fetch_status"], "{:?}", found[1]);
    assert_has(
        &found[2],
        &json!({ "url_host_name": "", "url_protocol": "dns", "url_path": "h.example" }),
        "dns",
    );
    // Messages before anything is read come for missing files, too.
    cc_index("--from heritrix -o t.parquet nowhere").fails(2, &["warc_filename", "--fill"]);
    // An index without places.
    let cdx =
        " CDX N b a m s k r V g\nexample,h)/ 20120101000000 http://h.example/ text/html 200 A - 1 f.gz\n";
    cc_index("--from cdx --to csv").stdin(cdx).go().says("cdx", &["warc_record_length (missing)"]);
}

#[test]
fn extra_columns_follow_the_table() {
    let names = |options: &str| {
        let row = rows(&format!("--from cdxj {options}"), LINE).remove(0);
        let behind: Vec<(String, Value)> =
            row.into_iter().filter(|(name, _)| COLUMNS.iter().all(|(own, ..)| own != name)).collect();
        Value::Array(behind.into_iter().map(|(name, value)| json!([name, value])).collect())
    };
    // (options, names and values)
    let cases = [
        ("", json!([])),
        ("--keep none", json!([])),
        ("--columns +error,+record", json!([["error", null], ["record", 1]])),
        ("--columns +surt", json!([["surt", "com,example,shop:8443)/a/b?q=1"]])),
        ("--crawl C", json!([["crawl", "C"]])),
        (
            "--columns +crawl,+subset,+record",
            json!([["crawl", "CC-MAIN-2018-05"], ["record", 1], ["subset", "crawldiagnostics"]]),
        ),
        (
            "--columns +crawl --crawl C --subset a-longer-one",
            json!([["crawl", "C"], ["subset", "a-longer-one"]]),
        ),
        ("--keep urlkey", json!([["field_errors", null], ["urlkey", "com,example,shop)/a/b?q=1"]])),
        (
            "--canonical w3lib --drop-params q",
            json!([["canonical", "https://www.shop.example.com:8443/a/B"]]),
        ),
    ];
    for (options, mut expected) in cases {
        let mut found = names(options);
        // JSON objects of the test's reader are sorted by name.
        for list in [&mut found, &mut expected] {
            list.as_array_mut().expect("a list").sort_by_key(|pair| pair[0].to_string());
        }
        assert_eq!(found, expected, "{options}");
    }
    // The columns are in the order of the file; a field with the name of a column gets another name.
    let input =
        "2012-05-23T15:06:29.436Z 301 0 http://h.example/a LE - text/html #040 20120523150629380+50 - - -\n";
    let done = cc_index("--from heritrix --fill --to csv --keep fetch_time,via --columns +flags --crawl C")
        .stdin(input);
    let header = done.ok().text().lines().next().expect("a header").to_owned();
    assert!(header.ends_with("warc_segment,crawl,flags,field_fetch_time,via,field_errors"), "{header}");
    // A value that was filled in is among the faults.
    let row = &rows("--from cdxj --fill --keep urlkey", &cdxj(&json!({ "status": null })))[0];
    assert_eq!(row["field_errors"], "fetch_status:missing");
}

/// (file name, crawl, segment, subset)
#[test]
fn the_name_of_the_file_tells_crawl_segment_and_subset() {
    let cases = [
        (
            "crawl-data/CC-MAIN-2018-05/segments/15.6/warc/a.warc.gz",
            json!("CC-MAIN-2018-05"),
            "15.6",
            json!("warc"),
        ),
        ("common-crawl/crawl-data/C/segments/1/robotstxt/a", json!("C"), "1", json!("robotstxt")),
        ("crawl-data/EOT-2020/segments/IA-000/warc/a", json!("EOT-2020"), "IA-000", json!("warc")),
        ("crawl-data/C/segments/1/a.warc.gz", json!("C"), "1", Value::Null),
        ("/segments/1234567890123456/", Value::Null, "1234567890123456", Value::Null),
        ("a.warc.gz", Value::Null, "", Value::Null),
    ];
    for (name, crawl, segment, subset) in cases {
        let row = &rows("--from cdxj --columns +crawl,+subset", &cdxj(&json!({ "filename": name })))[0];
        let expected =
            json!({ "crawl": crawl, "warc_segment": segment, "subset": subset, "warc_filename": name });
        assert_has(row, &expected, name);
    }
}

/// The index is divided by them: they need no columns asked for beside.
#[test]
fn crawl_and_subset_divide_a_directory() {
    let dir = dir();
    let name = "crawl-data/CC-MAIN-2018-05/segments/15.6/warc/a.warc.gz";
    write(dir.path(), "in.cdxj", cdxj(&json!({ "filename": name })) + &cdxj(&json!({ "filename": "b" })));
    let null = "__HIVE_DEFAULT_PARTITION__";
    // (options, files)
    let cases = [
        ("", vec!["crawl=CC-MAIN-2018-05/subset=warc".to_owned(), format!("crawl={null}/subset={null}")]),
        ("--crawl C", vec!["crawl=C/subset=warc".to_owned(), format!("crawl=C/subset={null}")]),
        ("--crawl C --subset s", vec!["crawl=C/subset=s".to_owned()]),
        (
            "--columns +subset,+flags",
            vec!["crawl=CC-MAIN-2018-05/subset=warc".to_owned(), format!("crawl={null}/subset={null}")],
        ),
    ];
    for (options, expected) in cases {
        let line = format!("--from cdxj -o out/ --force --partition-by crawl,subset {options}");
        let run = cc_index(&line).arg("in.cdxj").within(dir.path());
        run.ok();
        for directory in expected {
            let rows = read(&dir.path().join("out").join(&directory).join("part-00000.parquet"));
            assert!(!rows.is_empty(), "{directory}");
            let columns = COLUMNS.len() + usize::from(options.contains("flags"));
            assert!(rows.iter().all(|row| row.len() == columns), "{options}: {rows:?}");
        }
    }
}

#[test]
fn wrong_usage_is_refused() {
    // (options, the message)
    let cases: &[(&str, &[&str])] = &[
        ("--schema cc-index --from cdxj", &["uris", "-o FILE"]),
        ("--schema cc-index --from cdxj --to csv --columns url,fetch_time", &["fixed", "\"url\""]),
        ("--schema cc-index --from cdxj --to csv --columns -url", &["fixed", "\"-url\""]),
        ("--schema cc-index --from cdxj --to csv --columns +nix", &["\"nix\""]),
        ("--schema cc-index --from cdxj --to csv --columns +canonical", &["--canonical"]),
        ("--schema cc-index --from cdxj --to csv --keep nix", &["\"nix\"", "urlkey"]),
        ("--schema cc-index --from auto --to csv --keep nix", &["\"nix\"", "urlkey"]),
        ("--schema cc-index --from cdxj --to csv --level scheme", &["--level"]),
        ("--schema cc-index --from cdxj --to csv --on-invalid keep", &["--fill"]),
        ("--schema cc-index --from cdxj --to csv --on-invalid reject", &["--rejects"]),
        ("--schema cc-index --from parquet --to csv", &["drop --schema", "not tables"]),
        ("--schema cc-index --from arrow --to csv --fill", &["drop --schema", "not tables"]),
        ("--from cdxj --to csv --fill", &["--fill", "--schema cc-index"]),
        ("--from cdxj --to csv --crawl X", &["--crawl", "--schema cc-index"]),
        ("--schema table --to csv --wide-offsets", &["--wide-offsets", "--schema cc-index"]),
    ];
    for (options, parts) in cases {
        let done = urimill(&format!("normalize {options}")).stdin(LINE).go();
        assert_eq!((done.code, done.text()), (Some(2), ""), "{options}: {}", done.stderr);
        assert!(parts.iter().all(|part| done.stderr.contains(part)), "{options}: {}", done.stderr);
    }
    cc_index("--from cdxj --to csv --on-invalid keep --fill --level none").stdin(LINE).ok();
}

#[test]
fn the_table_does_not_depend_on_threads_or_chunks() {
    const UNFIT: usize = 58 + 57 + 57;
    let mut input = String::new();
    for number in 0..400 {
        let members = match number % 7 {
            0 => json!({ "status": null, "url": format!("http://10.0.0.{}/{number}", number % 256) }),
            1 => json!({ "url": format!("http://h/%zz{number}"), "digest": "sha1:AAAAAAAAAAAAAAAA" }),
            2 => {
                json!({ "offset": "99999999999", "filename": format!("x/segments/segment-{number:09}/warc/y") })
            }
            _ => {
                json!({ "url": format!("http://h{number}.example.com/{number}?q={number}"), "offset": number.to_string() })
            }
        };
        input.push_str(&cdxj(&members));
    }
    let dir = dir();
    write(dir.path(), "a.cdxj", &input);
    let mut first = None;
    for sizes in ["--threads 1", "--threads 3 --chunk 3000", "--threads 8 --chunk 500"] {
        let run = cc_index(&format!("a.cdxj --from cdxj -o t.parquet --rejects r.parquet --force {sizes}"));
        run.within(dir.path()).ok();
        let rows = [read(&dir.path().join("t.parquet")).len(), read(&dir.path().join("r.parquet")).len()];
        assert_eq!(rows, [400 - UNFIT, UNFIT], "{sizes}");
        let rows = read(&dir.path().join("t.parquet"));
        assert_eq!(*first.get_or_insert_with(|| rows.clone()), rows, "{sizes}");
    }
}

#[test]
fn schema_prints_the_columns() {
    let text = urimill("schema --schema cc-index").ok();
    for (name, ..) in COLUMNS {
        assert!(text.text().contains(name), "{name}");
    }
    let done = urimill("schema --schema cc-index --to json").ok();
    let printed: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let found: Vec<_> =
        printed["columns"].as_array().expect("a list").iter().map(|c| (&c["name"], &c["nullable"])).collect();
    for ((name, _, nullable), found) in COLUMNS.iter().zip(&found) {
        assert_eq!((&json!(name), &json!(nullable)), *found);
    }
    assert_eq!(found.len(), COLUMNS.len());
}

/// The table by the URL Standard, and what it sees beside the RFC.
#[test]
fn the_index_by_the_url_standard() {
    let line = |url: &str| cdxj(&json!({ "url": url }));
    let found = rows("--from cdxj --fill --spec whatwg", &line(r"HTTP:\\Example.com:080\a/%2e%2E/b?'"));
    let names = ["url", "url_host_name", "url_protocol", "url_port", "url_path", "url_query", "url_surtkey"];
    let expected =
        json!(["http://example.com/b?%27", "example.com", "http", null, "/b", "%27", "com,example)/b?'"]);
    assert_eq!(json!(names.map(|name| &found[0][name])), expected);

    let columns = "--from cdxj --fill --columns +whatwg_uri,+whatwg_host,+disagreement";
    let found = rows(columns, &line("http://0x7f.1/%2e/a"));
    let names = ["url", "url_host_name", "whatwg_uri", "whatwg_host", "disagreement"];
    let expected = json!([
        "http://0x7f.1/%2e/a",
        "0x7f.1",
        "http://127.0.0.1/a",
        "127.0.0.1",
        ["host_differs", "numeric_host", "dot_encoded"]
    ]);
    assert_eq!(json!(names.map(|name| &found[0][name])), expected);
}
