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

/// (options, a record, what its row says)
fn broken() -> Vec<(&'static str, &'static [u8], Value)> {
    const H: &str = "--from heritrix";
    const C: &str = "--from clf";
    vec![
        // Too few fields for the URI.
        (H, b"2012-05-23T15:06:28.689Z 1 56", json!({"error": "field_missing", "uri": "2012-05-23T15:06:28.689Z 1 56",
            "time": null, "field_errors": null})),
        // `-` is null, and that is not a reject.
        (H, b"2012-05-23T15:06:28.689Z 1 56 - - - - - - - - -", json!({"error": null, "uri": null, "status": 1, "size": 56})),
        // Too few for all.
        (H, b"2012-05-23T15:06:28Z -9998 - http://h/ LL", json!({"error": null, "uri": "http://h/", "status": -9998,
            "size": null, "time": "2012-05-23T15:06:28Z", "hop_path": "LL", "digest": null,
            "field_errors": "via:missing,mime:missing,thread:missing,fetch_time:missing,fetch_ms:missing,\
                             digest:missing,source_tag:missing,annotations:missing"})),
        // A URI outside the grammar keeps the other fields.
        (H, b"2012-05-23T15:06:28.689Z 200 5 http://h/% - - a/b #1 20120523150627325+7 - - - {\"a\": 1}",
            json!({"error": "percent_truncated", "status": 200, "thread": 1, "fetch_ms": 7, "extra": "{\"a\": 1}"})),
        // Malformed values.
        (H, b"2012-02-30T15:06:28.689Z 2x 99999999999999999999 http://h/ - - - 1 - - - -",
            json!({"error": null, "time": null, "status": null, "size": null, "thread": null, "fetch_time": null,
                "field_errors": "time:not_a_time,status:not_a_number,size:out_of_range,thread:not_a_number"})),
        (H, b"2012-05-23T15:06:28.689Z 9999999999 1 http://h/ - - \xff #1 20120523150627325 - - -",
            json!({"status": null, "mime": "\u{fffd}", "fetch_time": "2012-05-23T15:06:27.325Z", "fetch_ms": null,
                "field_errors": "status:out_of_range,mime:not_utf8"})),
        ("--from cdx", b"k 20140126200624 http://h/ a/b 200 A - - 1 2 f.gz g", json!({"error": "record_malformed"})),
        ("--from cdx", b"k 20140126200624 http://h/ a/b 200 A - 2 f.gz", json!({"error": null, "file_offset": 2,
            "length": null, "meta": null, "filename": "f.gz", "field_errors": null})),
        ("--from cdx", b"k 20140126200624 http://h/ a/b 200 A - - 2 f.gz", json!({"error": null, "file_offset": 2,
            "length": null, "filename": "f.gz", "field_errors": null})),
        ("--from cdx", b"k 2014012620 http://h/ a/b 200 A - - 1 2 f", json!({"time": null, "uri": "http://h/",
            "field_errors": "time:not_a_time"})),
        // The header names them.
        ("--from cdx", b" CDX a b e s\nhttp://h/ 20140126200624 192.0.2.1 404", json!({"record": 1, "uri": "http://h/",
            "time": "2014-01-26T20:06:24Z", "status": 404, "urlkey": null, "extra": "{\"e\":\"192.0.2.1\"}",
            "field_errors": null})),
        // … and no URI.
        ("--from cdx", b" CDX b s\n20140126200624 404", json!({"error": "field_missing"})),
        ("--from cdxj", b"k 20140126200624 {\"url\": \"http:\\/\\/h/\\u0061\", \"mime-detected\": \"t\", \"length\": 7, \"z\": [1, {}]}",
            json!({"error": null, "uri": "http://h/a", "mime_detected": "t", "length": 7, "extra": "{\"z\":[1, {}]}"})),
        ("--from cdxj", b"k 20140126200624 {\"url\": \"http://h/\", \"status\": \"-\", \"offset\": \"x\", \"mime\": null}",
            json!({"error": null, "status": null, "file_offset": null, "mime": null, "field_errors": "file_offset:not_a_number"})),
        ("--from cdxj", b"k 20140126200624 {\"url\": \"http://h/\"", json!({"error": "record_malformed", "error_offset": 36})),
        ("--from cdxj", b"k 20140126200624 {\"url\": \"http://h/\"} x", json!({"error": "record_malformed", "error_offset": 38})),
        ("--from cdxj", b"k 20140126200624 {\"mime\": \"a\"}", json!({"error": "field_missing"})),
        ("--from cdxj", b"k 20140126200624", json!({"error": "record_malformed", "error_offset": 16})),
        (C, b"h - - [17/May/2015:12:05:03 +0200] \"GET /a HTTP/1.0\" 200 -", json!({"error": null, "uri": "/a",
            "time": "2015-05-17T10:05:03Z", "size": null, "referer": null, "rest": null, "field_errors": null})),
        (C, b"h - a b [17/May/2015:12:05:03 -0330] \"GET /a\" 200 1 \"r\\\"s\" \"\\xe9\" 7 8", json!({"uri": "/a", "user": "a b",
            "time": "2015-05-17T15:35:03Z", "method": "GET", "protocol": null, "referer": "r\"s",
            "user_agent": "\\xe9", "rest": "7 8"})),
        // Requests without a URI keep their rows.
        (C, b"h - - [17/May/2015:12:05:03 +0000] \"-\" 408 0", json!({"error": null, "uri": null,
            "status": 408, "method": null, "time": "2015-05-17T12:05:03Z"})),
        (C, b"h - - [17/May/2015:12:05:03 +0000] \"\\x16\\x03\\x01\" 400 0", json!({"error": "record_malformed", "status": 400})),
        (C, b"h - - [17/May/2015:12:05:03 +0000] \"OPTIONS * HTTP/1.0\" 200 0", json!({"error": null, "uri": null, "method": "OPTIONS",
            "protocol": "HTTP/1.0"})),
        (C, b"h - - [17/May/2015:12:05:03 +0000] \"CONNECT h:443 HTTP/1.0\" 200 0", json!({"error": null, "host": "h", "port": 443,
            "scheme": null, "raw": "h:443", "method": "CONNECT"})),
        // A text that the server has escaped is the one that was requested.
        (C, b"h - - [17/May/2015:12:05:03 +0000] \"GET /a\\\"b HTTP/1.0\" 200 0", json!({"error": "path_invalid_char", "uri": "/a\"b"})),
        (C, b"h - - [17/May/2015:12:05:03 +0000] \"GET /a b HTTP/1.0\" 200 0", json!({"error": "path_invalid_char", "uri": "/a b"})),
        (C, b"h - - [32/May/2015:12:05:03 +0000] \"GET /a HTTP/1.0\" x 0", json!({"error": null,
            "field_errors": "time:not_a_time,status:not_a_number"})),
        (C, b"h - - [17/May/2015:12:05:03 +0000] \"GET /a HTTP/1.0 200 0", json!({"error": "record_malformed", "error_offset": 57})),
        (C, b"h - -", json!({"error": "record_malformed"})),
        ("--from jsonl --uri-field u", b"{\"a\": 1}", json!({"error": "field_missing", "extra": "{\"a\":1}"})),
        ("--from jsonl --uri-field u", b"{\"u\": 5, \"a\": 1}", json!({"error": "record_malformed", "error_offset": 6,
            "uri": "{\"u\": 5, \"a\": 1}", "extra": "{\"a\":1}"})),
        ("--from jsonl --uri-field u", b"{\"u\": \"/\", \"a\": tru}", json!({"error": "record_malformed", "error_offset": 16})),
        ("--from jsonl --uri-field u", b"{\"u\": \"/\", \"a\": [1}", json!({"error": "record_malformed"})),
        ("--from jsonl --uri-field u", b"{\"u\": \"/\\q\"}", json!({"error": "record_malformed", "error_offset": 8})),
        ("--from jsonl --uri-field u", b"{\"u\": \"/\\ud83d\\ude00\", \"\\u0061\": {\"}\": \"\\\"\"}}",
            json!({"error": "path_invalid_char", "uri": "/\u{1f600}", "extra": "{\"\\u0061\":{\"}\": \"\\\"\"}}"})),
        ("--from jsonl --uri-field u", b" { } ", json!({"error": "field_missing"})),
    ]
}

#[test]
fn a_broken_record_keeps_its_row() {
    for (options, record, expected) in broken() {
        let what = format!("{options}: {}", record.escape_ascii());
        // Alone it would be taken for another format, or for one without that field.
        let done = urimill(&format!("normalize --to jsonl --on-invalid keep {options}"))
            .stdin([record as &[u8], b"\n"].concat())
            .ok();
        let rows = jsonl(&done.stdout);
        assert_eq!(rows.len(), 1, "{what}");
        assert_has(&rows[0], &expected, &what);
    }
}

#[test]
fn moments() {
    // (format, field, moment or null)
    let forms: &[(&str, &str, Option<&str>)] = &[
        ("heritrix", "2012-05-23T15:06:28.689Z", Some("2012-05-23T15:06:28.689Z")),
        ("heritrix", "2012-05-23T15:06:28Z", Some("2012-05-23T15:06:28Z")),
        ("heritrix", "2012-05-23T15:06:28.5Z", Some("2012-05-23T15:06:28.500Z")),
        ("heritrix", "2012-05-23T15:06:28.6891239Z", Some("2012-05-23T15:06:28.689Z")),
        ("heritrix", "20120523150628", Some("2012-05-23T15:06:28Z")),
        ("heritrix", "20120523150628689", Some("2012-05-23T15:06:28.689Z")),
        ("heritrix", "2012-05-23T15:06:28.689", None),
        ("heritrix", "2012-05-23T15:06:28.Z", None),
        ("heritrix", "2012-05-23 15:06:28Z", None),
        ("heritrix", "2012-05-23T24:00:00Z", None),
        ("heritrix", "2012-05-23T23:60:00Z", None),
        ("heritrix", "2012-13-23T15:06:28Z", None),
        ("heritrix", "2000-02-29T00:00:00Z", Some("2000-02-29T00:00:00Z")),
        ("heritrix", "1900-02-29T00:00:00Z", None),
        ("heritrix", "2023-02-29T00:00:00Z", None),
        ("heritrix", "1969-12-31T23:59:59.999Z", Some("1969-12-31T23:59:59.999Z")),
        ("heritrix", "0001-01-01T00:00:00Z", Some("0001-01-01T00:00:00Z")),
        ("clf", "29/Feb/2016:00:30:00 +0100", Some("2016-02-28T23:30:00Z")),
        ("clf", "31/Dec/2015:23:59:59 -0001", Some("2016-01-01T00:00:59Z")),
        ("clf", "31/dec/2015:23:59:59 +0000", None),
        ("clf", "31/Nov/2015:23:59:59 +0000", None),
        ("clf", "31/Dec/2015:23:59:59 +2400", None),
        ("clf", "31/Dec/2015:23:59:59", None),
    ];
    for (format, field, moment) in forms {
        let record = match *format {
            "clf" => format!("h - - [{field}] \"GET / HTTP/1.0\" 200 0"),
            _ => format!("{} 1 1 http://h/ - - - - - - - -", field.replace(' ', "_")),
        };
        let done = urimill(&format!("normalize --from {format} --to jsonl")).stdin(record + "\n").ok();
        let row = &jsonl(&done.stdout)[0];
        assert_eq!(row["time"], json!(moment), "{field}");
        let fault = moment.is_none().then_some("time:not_a_time");
        assert_eq!(row["field_errors"], json!(fault), "{field}");
    }
}
