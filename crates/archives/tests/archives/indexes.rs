//! The lines of CDX and CDXJ, and the answers of web-archive index servers: CDX of seven words, the same as JSON, and
//! CDXJ as objects alone. Samples of real servers are also read by a regular expression, and compared row by row.

use std::fs;

use regex::bytes::Regex;
use serde_json::{Value, json};
use urimill_testkit::paths::shared;
use urimill_testkit::reading::assert_has;

use super::rows;

const SEVEN: &str = "com,example)/a 20020120142510 http://example.com:80/a text/html 200 HT2D 1792\n";

const HEADER: &str = r#"["urlkey","timestamp","original","mimetype","statuscode","digest","length"]"#;

/// `20020120142510` as the column `time` has it.
fn moment(digits: &str) -> String {
    let part = |from: usize, to: usize| &digits[from..to];
    let (date, time) = ((part(0, 4), part(4, 6), part(6, 8)), (part(8, 10), part(10, 12), part(12, 14)));
    format!("{}-{}-{}T{}:{}:{}Z", date.0, date.1, date.2, time.0, time.1, time.2)
}

/// (format, an input of one record, what its row says)
#[rustfmt::skip]
fn records() -> Vec<(&'static str, String, Value)> {
    let good = json!({"error": null, "uri": "http://example.com/a", "urlkey": "com,example)/a", "time": "2002-01-20T14:25:10Z",
        "mime": "text/html", "status": 200, "digest": "HT2D", "length": 1792, "redirect": null, "meta": null,
        "file_offset": null, "filename": null, "extra": null, "field_errors": null});
    let row = r#"["com,example)/a","20020120142510","http://example.com:80/a","text/html","200","HT2D","1792"]"#;
    const C: &str = "cdx";
    vec![
        (C, SEVEN.into(), good.clone()),
        (C, SEVEN.replace("text/html 200", "warc/revisit -"), json!({"mime": "warc/revisit", "status": null, "length": 1792,
            "field_errors": null})),
        // Eight words are of no form, or the URI has a space in it: what precedes it is what it is.
        (C, SEVEN.replace('\n', " 7"), json!({"error": "record_malformed", "error_offset": 78, "uri": format!("{} 7", SEVEN.trim()),
            "time": "2002-01-20T14:25:10Z", "urlkey": "com,example)/a", "mime": null, "status": null, "length": null,
            "field_errors": null})),
        // Shorter lines lack what they lack.
        (C, "k 20020120142510 http://h/ a/b 200 D".into(), json!({"error": null, "digest": "D", "length": null,
            "redirect": null, "field_errors": "redirect:missing,file_offset:missing,filename:missing"})),
        // As JSON: with and without a header, with and without the outer array.
        (C, format!("[{HEADER},\n{row}]\n"), good.clone()),
        (C, format!("{HEADER}\n{row}\n"), good.clone()),
        (C, format!("{HEADER}\r\n{row}\r\n]\r\n"), good.clone()),
        (C, format!("[{row}]"), good.clone()),
        (C, format!("[{HEADER},\n[\"k\", \"20020120142510\", \"http:\\/\\/h\\/\\u0061\", null, \"-\", \"D\", 7]]\n"),
            json!({"error": null, "uri": "http://h/a", "mime": null, "status": null, "length": 7, "field_errors": null})),
        // Fields that were asked for with fl=.
        (C, "[[\"timestamp\",\"original\"],\n[\"20020120142510\",\"http://h/\"]]\n".into(),
            json!({"error": null, "uri": "http://h/", "time": "2002-01-20T14:25:10Z", "urlkey": null, "field_errors": null})),
        (C, "[[\"original\"],\n[\"http://h/\"]]\n".into(), json!({"error": null, "uri": "http://h/", "time": null})),
        (C, "[[\"original\",\"dupecount\",\"offset\",\"x\"],\n[\"http://h/\",\"3\",\"12\",[1]]]\n".into(),
            json!({"error": null, "file_offset": 12, "extra": "{\"dupecount\":\"3\",\"x\":[1]}"})),
        // A header that names no URI, a row too short, one too long, and what is not an array.
        (C, "[[\"timestamp\",\"statuscode\"],\n[\"20020120142510\",\"200\"]]\n".into(), json!({"error": "field_missing"})),
        (C, format!("[{HEADER},\n[\"k\",\"20020120142510\"]]\n"), json!({"error": "field_missing"})),
        (C, format!("[{HEADER},\n[\"203\",\"20020120142510\"]]\n"), json!({"error": "field_missing"})),
        (C, format!("[{HEADER},\n[\"k\",\"20020120142510\",\"http://h/\"]]\n"), json!({"error": null, "status": null,
            "field_errors": "mime:missing,status:missing,digest:missing,length:missing"})),
        (C, "[[\"original\"],\n[\"http://h/\",\"x\"]]\n".into(), json!({"error": "record_malformed", "error_offset": 13,
            "uri": "[\"http://h/\",\"x\"]]"})),
        (C, "[[\"original\"],\n[\"http://h/\" \"x\"]]\n".into(), json!({"error": "record_malformed", "error_offset": 13})),
        // Objects alone, as Common Crawl's and pywb's servers answer.
        ("cdxj", "{\"urlkey\": \"k\", \"timestamp\": \"20240518015810\", \"url\": \"http://h/\", \"encoding\": \"UTF-8\", \"x\": 1}".into(),
            json!({"error": null, "uri": "http://h/", "urlkey": "k", "time": "2024-05-18T01:58:10Z", "charset": "UTF-8",
                "extra": "{\"x\":1}", "field_errors": null})),
        ("cdxj", "{\"url\": \"http://h/\", \"status\": \"200\"}".into(), json!({"error": null, "urlkey": null, "time": null,
            "status": 200, "field_errors": null})),
        ("cdxj", "{\"timestamp\": \"20240518015810\"}".into(), json!({"error": "field_missing"})),
        ("cdxj", "{\"url\": \"http://h/\"".into(), json!({"error": "record_malformed", "error_offset": 19})),
        // After key and time such members are others.
        ("cdxj", "k 20240518015810 {\"url\": \"http://h/\", \"timestamp\": \"1\"}".into(), json!({"error": null,
            "urlkey": "k", "time": "2024-05-18T01:58:10Z", "extra": "{\"timestamp\":\"1\"}"})),
    ]
}

#[test]
fn every_field_is_in_its_column() {
    for (options, input, expected) in records() {
        let rows = rows(options, &input);
        assert_eq!(rows.len(), 1, "{options}: {input}");
        assert_has(&rows[0], &expected, &input);
    }
}

/// (format, a line, what its row says)
#[rustfmt::skip]
fn broken() -> Vec<(&'static str, &'static [u8], Value)> {
    vec![
        ("cdx", b"k 20140126200624 http://h/ a/b 200 A - - 1 2 f.gz g", json!({"error": "record_malformed"})),
        ("cdx", b"k 20140126200624 http://h/ a/b 200 A - 2 f.gz", json!({"error": null, "file_offset": 2,
            "length": null, "meta": null, "filename": "f.gz", "field_errors": null})),
        ("cdx", b"k 20140126200624 http://h/ a/b 200 A - - 2 f.gz", json!({"error": null, "file_offset": 2,
            "length": null, "filename": "f.gz", "field_errors": null})),
        ("cdx", b"k 2014012620 http://h/ a/b 200 A - - 1 2 f", json!({"time": null, "uri": "http://h/",
            "field_errors": "time:not_a_time"})),
        // The header names them.
        ("cdx", b" CDX a b e s\nhttp://h/ 20140126200624 192.0.2.1 404", json!({"record": 1, "uri": "http://h/",
            "time": "2014-01-26T20:06:24Z", "status": 404, "urlkey": null, "extra": "{\"e\":\"192.0.2.1\"}",
            "field_errors": null})),
        // … and no URI.
        ("cdx", b" CDX b s\n20140126200624 404", json!({"error": "field_missing"})),
        ("cdxj", b"k 20140126200624 {\"url\": \"http:\\/\\/h/\\u0061\", \"mime-detected\": \"t\", \"length\": 7, \"z\": [1, {}]}",
            json!({"error": null, "uri": "http://h/a", "mime_detected": "t", "length": 7, "extra": "{\"z\":[1, {}]}"})),
        ("cdxj", b"k 20140126200624 {\"url\": \"http://h/\", \"status\": \"-\", \"offset\": \"x\", \"mime\": null}",
            json!({"error": null, "status": null, "file_offset": null, "mime": null, "field_errors": "file_offset:not_a_number"})),
        ("cdxj", b"k 20140126200624 {\"url\": \"http://h/\"", json!({"error": "record_malformed", "error_offset": 36})),
        ("cdxj", b"k 20140126200624 {\"url\": \"http://h/\"} x", json!({"error": "record_malformed", "error_offset": 38})),
        ("cdxj", b"k 20140126200624 {\"mime\": \"a\"}", json!({"error": "field_missing"})),
        ("cdxj", b"k 20140126200624", json!({"error": "record_malformed", "error_offset": 16})),
    ]
}

#[test]
fn a_broken_line_keeps_its_row() {
    for (format, line, expected) in broken() {
        let what = format!("{format}: {}", line.escape_ascii());
        let rows = rows(format, [line, b"\n"].concat());
        assert_eq!(rows.len(), 1, "{what}");
        assert_has(&rows[0], &expected, &what);
    }
}

#[test]
fn a_uri_without_a_scheme_is_one_of_http() {
    // (the original URI of a line, the row's)
    let cases = [
        (
            "www.example.com:80/a?b",
            json!({"uri": "http://www.example.com/a?b", "host": "www.example.com", "scheme": "http"}),
        ),
        ("0-0-0.example/", json!({"uri": "http://0-0-0.example/", "host": "0-0-0.example"})),
        ("192.0.2.1:8080", json!({"uri": "http://192.0.2.1:8080/", "port": 8080})),
        // A scheme, and what may be one.
        ("dns:www.example.com", json!({"uri": "dns:www.example.com", "scheme": "dns"})),
        ("h.example:a/", json!({"uri": "h.example:a/", "scheme": "h.example"})),
        ("http://h/", json!({"uri": "http://h/"})),
    ];
    for (uri, expected) in cases {
        let line = format!("key 20010424210551 {uri} text/html 200 A - - 1 2 f.arc.gz");
        assert_has(&rows("cdx", format!("{line}\n"))[0], &expected, uri);
    }
}

#[test]
fn samples_of_servers_are_what_a_regular_expression_reads() {
    let Some(corpora) = shared().map(|shared| shared.join("corpora")) else { return };
    let text = |name: &str| fs::read(corpora.join("logs").join(name)).expect("a sample");
    let seven = r"(?-u)(\S+) ([0-9]{14}) (\S+) (\S+) (\S+) (\S+) ([0-9]+)\n";
    let arrays = r#"(?-u)\["([^"]*)","([0-9]{14})","([^"]*)","([^"]*)","([^"]*)","([^"]*)","([0-9]*)"\]"#;
    let names = ["urlkey", "time", "raw", "mime", "status", "digest", "length"];
    let mut compared = 0;
    for (name, pattern) in [("wayback_wb.cdx", seven), ("wayback_wbjson.json", arrays)] {
        let bytes = text(name);
        let rows = rows("cdx", &bytes);
        let found: Vec<_> = Regex::new(pattern).expect("an expression").captures_iter(&bytes).collect();
        assert_eq!(rows.len(), found.len(), "{name}");
        for (row, found) in rows.iter().zip(&found) {
            for (at, column) in names.iter().enumerate() {
                let text = std::str::from_utf8(&found[at + 1]).expect("UTF-8");
                let value = match (*column, text) {
                    (_, "-") => Value::Null,
                    ("time", digits) => json!(moment(digits)),
                    ("status" | "length", digits) => json!(digits.parse::<i64>().expect("a number")),
                    (_, text) => json!(text),
                };
                assert_eq!(row[*column], value, "{name}: {column}");
                compared += 1;
            }
            assert!(row["field_errors"].is_null() && row["error"].is_null(), "{name}: {row:?}");
        }
    }
    assert_eq!(compared, 4 * names.len());

    let bytes = text("ccidx.jsonl");
    let row = &rows("cdxj", &bytes)[0];
    let member = |name: &str| {
        let pattern = format!(r#"(?-u)"{name}": "([^"]*)""#);
        let found = Regex::new(&pattern).expect("an expression").captures(&bytes).expect(name);
        String::from_utf8(found[1].to_vec()).expect("UTF-8")
    };
    for (column, name) in [
        ("urlkey", "urlkey"),
        ("uri", "url"),
        ("mime", "mime"),
        ("mime_detected", "mime-detected"),
        ("digest", "digest"),
        ("filename", "filename"),
        ("languages", "languages"),
        ("charset", "encoding"),
    ] {
        assert_eq!(row[column], json!(member(name)), "{column}");
    }
    assert_eq!(row["time"], json!(moment(&member("timestamp"))));
    let numbers = json!([row["status"], row["length"], row["file_offset"]]).to_string();
    assert_eq!(numbers, format!("[{},{},{}]", member("status"), member("length"), member("offset")));
    assert!(row["extra"].is_null() && row["field_errors"].is_null());
}

#[test]
fn a_line_of_white_space_is_no_record() {
    // (format, a line)
    let cases = [
        ("cdx", SEVEN.trim_end()),
        ("cdxj", "com,h)/ 20240101000000 {\"url\":\"http://h/\"}"),
        (
            "heritrix",
            "2012-05-23T15:06:28Z 200 1 http://h/1 LE - text/html #0 20120523150627325+1 sha1:A - -",
        ),
    ];
    for (format, line) in cases {
        let input = format!(" \t \n{line}\n\t\n   \n\r\n{line} \r\n\n{line}\n");
        let rows = rows(format, input);
        let found: Vec<_> = rows.iter().map(|row| (&row["record"], &row["error"])).collect();
        assert_eq!(
            found,
            [(&json!(2), &Value::Null), (&json!(6), &Value::Null), (&json!(8), &Value::Null)],
            "{format}"
        );
    }
}
