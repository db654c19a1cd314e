//! Logs and indexes: each format's fields with their types, and the treatment of broken records.

use std::path::PathBuf;

use arrow::datatypes::{DataType, TimeUnit};
use serde_json::{Value, json};

use super::run::{dir, urimill, write};
use super::table::{Row, batches, jsonl, read};
use urimill_testkit::paths;

/// The corpora, if they are there; in CI they must be.
pub(crate) fn corpora() -> Option<PathBuf> {
    Some(paths::shared()?.join("corpora"))
}

const TEXT: DataType = DataType::Utf8;

fn time() -> DataType {
    DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into()))
}

/// The columns that a format adds, in order.
fn columns(format: &str) -> Vec<(&'static str, DataType)> {
    let mut columns = match format {
        "heritrix" => vec![
            ("time", time()),
            ("status", DataType::Int32),
            ("size", DataType::Int64),
            ("hop_path", TEXT),
            ("via", TEXT),
            ("mime", TEXT),
            ("thread", DataType::Int32),
            ("fetch_time", time()),
            ("fetch_ms", DataType::Int64),
            ("digest", TEXT),
            ("source_tag", TEXT),
            ("annotations", TEXT),
            ("extra", TEXT),
        ],
        "cdx" => vec![
            ("urlkey", TEXT),
            ("time", time()),
            ("mime", TEXT),
            ("status", DataType::Int32),
            ("digest", TEXT),
            ("redirect", TEXT),
            ("meta", TEXT),
            ("length", DataType::Int64),
            ("file_offset", DataType::Int64),
            ("filename", TEXT),
            ("extra", TEXT),
        ],
        "cdxj" => vec![
            ("urlkey", TEXT),
            ("time", time()),
            ("mime", TEXT),
            ("mime_detected", TEXT),
            ("status", DataType::Int32),
            ("digest", TEXT),
            ("length", DataType::Int64),
            ("file_offset", DataType::Int64),
            ("filename", TEXT),
            ("charset", TEXT),
            ("languages", TEXT),
            ("redirect", TEXT),
            ("truncated", TEXT),
            ("extra", TEXT),
        ],
        _ => vec![
            ("client", TEXT),
            ("ident", TEXT),
            ("user", TEXT),
            ("time", time()),
            ("method", TEXT),
            ("protocol", TEXT),
            ("status", DataType::Int32),
            ("size", DataType::Int64),
            ("referer", TEXT),
            ("user_agent", TEXT),
            ("rest", TEXT),
            ("vhost", TEXT),
            ("vhost_port", DataType::Int32),
            ("forwarded_for", TEXT),
            ("extra", TEXT),
            ("client_port", DataType::Int32),
        ],
    };
    columns.push(("field_errors", TEXT));
    columns
}

/// Whether a row has these members; the others do not matter.
fn assert_has(row: &Row, expected: &Value, what: &str) {
    for (name, value) in expected.as_object().expect("an object") {
        assert_eq!(&row[name], value, "{what}: {name} of {row:?}");
    }
}

/// (format, file, rows, rejects, a row's number from 1 and what the file says there)
#[test]
fn corpora_have_every_field_typed() {
    let Some(corpora) = corpora() else { return };
    let dir = dir();
    let files = [
        (
            "heritrix",
            "heritrix_crawl.log",
            2500,
            0,
            5,
            json!({
                "time": "2012-05-23T15:06:29.436Z", "status": 301, "size": 0,
                "uri": "http://www.xn--sterbrogades-dyrlger-y0b29a.dk/", "hop_path": null, "via": null,
                "mime": "text/html", "thread": 40, "fetch_time": "2012-05-23T15:06:29.380Z", "fetch_ms": 50,
                "digest": "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
                "source_tag": "http://www.xn--sterbrogades-dyrlger-y0b29a.dk/", "annotations": "content-size:470,3t",
                "extra": null, "field_errors": null, "error": null,
            }),
        ),
        (
            "cdx",
            "pywb_iana.cdx",
            171,
            0,
            3,
            json!({
                "record": 3, "urlkey": "org,iana)/_css/2013.1/fonts/inconsolata.otf", "time": "2014-01-26T20:09:12Z",
                "uri": "http://www.iana.org/_css/2013.1/fonts/Inconsolata.otf", "mime": "warc/revisit",
                "status": null, "digest": "LNMEDYOENSOEI5VPADCKL3CB6N3GWXPR", "redirect": null, "meta": null,
                "length": 546, "file_offset": 667073, "filename": "iana.warc.gz", "extra": null, "field_errors": null,
            }),
        ),
        (
            "cdx",
            "openwayback_test-cdx.txt",
            2144,
            0,
            3,
            json!({
                "urlkey": "org,archive)/", "time": "2012-01-03T09:25:42Z", "uri": "http://archive.org/",
                "status": 302, "redirect": "http://www.archive.org/index.php", "meta": null, "length": 488,
                "file_offset": 24136753,
                "filename": "WIDE-20120103092034-crawl424/WIDE-20120103092034-00003.warc.gz",
            }),
        ),
        (
            "cdxj",
            "pywb_iana.cdxj",
            171,
            0,
            3,
            json!({
                "urlkey": "org,iana)/_css/2013.1/fonts/inconsolata.otf", "time": "2014-01-26T20:09:12Z",
                "uri": "http://www.iana.org/_css/2013.1/fonts/Inconsolata.otf", "mime": "warc/revisit",
                "status": null, "digest": "LNMEDYOENSOEI5VPADCKL3CB6N3GWXPR", "length": 546, "file_offset": 667073,
                "filename": "iana.warc.gz", "extra": null, "field_errors": null,
            }),
        ),
        (
            "clf",
            "apache_access_semicomplete.log",
            10_000,
            1,
            1,
            json!({
                "uri": "http://semicomplete.com/presentations/logstash-monitorama-2013/images/kibana-search.png",
                "client": "83.149.9.216", "ident": null, "user": null, "time": "2015-05-17T10:05:03Z",
                "method": "GET", "protocol": "HTTP/1.1", "status": 200, "size": 203023,
                "referer": "http://semicomplete.com/presentations/logstash-monitorama-2013/",
                "user_agent": "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_9_1) AppleWebKit/537.36 (KHTML, like Gecko) \
                               Chrome/32.0.1700.77 Safari/537.36",
                "rest": null, "field_errors": null,
            }),
        ),
    ];
    for (format, file, count, rejects, number, expected) in files {
        let base = if format == "clf" { "--base http://semicomplete.com/" } else { "" };
        let line = format!("normalize --from {format} {base} -o {file}.parquet --summary json");
        let done = urimill(&line).arg(corpora.join(file)).within(dir.path()).ok();
        let summary = done.summary();
        assert_eq!((&summary["records"], &summary["rejects"]), (&json!(count), &json!(rejects)), "{file}");
        let path = dir.path().join(format!("{file}.parquet"));
        let schema = batches(&path)[0].schema();
        let found: Vec<_> =
            schema.fields().iter().map(|f| (f.name().as_str(), f.data_type().clone())).collect();
        assert_eq!(found[15..], columns(format), "{file}");
        let rows = read(&path);
        assert_eq!(rows.len(), count, "{file}");
        assert_has(&rows[number - 1], &expected, file);
        assert!(rows.iter().all(|row| row["field_errors"].is_null()), "{file}");
    }
}

/// Lines of each format, good and bad.
fn mixed(format: &str, count: usize) -> String {
    let good = |n: usize| match format {
        "heritrix" => format!(
            "2012-05-23T15:06:28.{:03}Z   200   {n} HTTP://h/{n} LE - text/html #0{} 20120523150627325+{n} sha1:A - -\n",
            n % 1000,
            n % 50
        ),
        "cdx" => format!("h)/{n} 20140126200624 http://h/{n} text/html 200 A - - {n} {} f.gz\n", n * 7),
        "cdxj" => format!(
            "h)/{n} 20140126200624 {{\"url\": \"http:\\/\\/h/{n}\", \"status\": \"{n}\", \"x\": [{n}]}}\n"
        ),
        "jsonl" => format!("{{\"url\": \"http://h/{n}\", \"n\": {n}, \"s\": \"\\u00e9\"}}\n"),
        _ => format!(
            "h - - [17/May/2015:10:05:03 +0000] \"GET /{n} HTTP/1.1\" 200 {n} \"-\" \"a \\\"b\\\" {n}\"\n"
        ),
    };
    let line = |n: usize| match n % 5 {
        0 => "\n".to_owned(),
        1 => format!("broken {n}\r\n"),
        2 => good(n).replace("200", "x"),
        _ => good(n),
    };
    (0..count).map(line).collect()
}

#[test]
fn tables_do_not_depend_on_threads_and_chunks() {
    let dir = dir();
    for format in ["heritrix", "cdx", "cdxj", "jsonl", "clf"] {
        let uri = if format == "jsonl" { "--uri-field url" } else { "" };
        write(dir.path(), "in.log", mixed(format, 2000));
        let mut first: Option<Vec<u8>> = None;
        for (threads, chunk) in [(1, 1 << 20), (1, 100), (3, 1000), (8, 5000)] {
            let line = format!(
                "normalize in.log --from {format} {uri} --to csv --columns +offset,+source --threads {threads} \
                 --chunk {chunk}"
            );
            let stdout = urimill(&line).within(dir.path()).ok().stdout;
            assert!(stdout.len() > 100_000, "{format}");
            assert!(*first.get_or_insert_with(|| stdout.clone()) == stdout, "{format}: {threads}, {chunk}");
        }
    }
}

/// (a record, what its row says)
fn broken() -> Vec<(&'static [u8], Value)> {
    vec![
        (b"{\"a\": 1}", json!({"error": "field_missing", "extra": "{\"a\":1}"})),
        (
            b"{\"u\": 5, \"a\": 1}",
            json!({"error": "record_malformed", "error_offset": 6,
            "uri": "{\"u\": 5, \"a\": 1}", "extra": "{\"a\":1}"}),
        ),
        (b"{\"u\": \"/\", \"a\": tru}", json!({"error": "record_malformed", "error_offset": 16})),
        (b"{\"u\": \"/\", \"a\": [1}", json!({"error": "record_malformed"})),
        (b"{\"u\": \"/\\q\"}", json!({"error": "record_malformed", "error_offset": 8})),
        (
            b"{\"u\": \"/\\ud83d\\ude00\", \"\\u0061\": {\"}\": \"\\\"\"}}",
            json!({"error": "path_invalid_char", "uri": "/\u{1f600}", "extra": "{\"\\u0061\":{\"}\": \"\\\"\"}}"}),
        ),
        (b" { } ", json!({"error": "field_missing"})),
    ]
}

#[test]
fn a_broken_object_keeps_its_row() {
    for (record, expected) in broken() {
        let what = record.escape_ascii().to_string();
        // Alone it would be taken for another format, or for one without that field.
        let done = urimill("normalize --to jsonl --on-invalid keep --from jsonl --uri-field u")
            .stdin([record, b"\n"].concat())
            .ok();
        let rows = jsonl(&done.stdout);
        assert_eq!(rows.len(), 1, "{what}");
        assert_has(&rows[0], &expected, &what);
    }
}
