//! The answers of web-archive index servers: CDX of seven words, the same as JSON, and CDXJ as objects alone. Samples
//! of real servers are also read by a regular expression, and compared row by row.

use std::fs;

use regex::bytes::Regex;
use serde_json::{Value, json};

use super::logs::corpora;
use super::run::{dir, urimill, write};
use super::table::{Row, jsonl, read};

const SEVEN: &str = "com,example)/a 20020120142510 http://example.com:80/a text/html 200 HT2D 1792\n";
const HEADER: &str = r#"["urlkey","timestamp","original","mimetype","statuscode","digest","length"]"#;

/// The rows that a command makes of a text.
fn rows(options: &str, input: &str) -> Vec<Row> {
    let done = urimill(&format!("normalize --to jsonl --on-invalid keep {options}")).stdin(input).ok();
    jsonl(&done.stdout)
}

fn assert_has(row: &Row, expected: &Value, what: &str) {
    for (name, value) in expected.as_object().expect("an object") {
        assert_eq!(&row[name], value, "{what}: {name} of {row:?}");
    }
}

/// `20020120142510` as the column `time` has it.
fn moment(digits: &str) -> String {
    let part = |from: usize, to: usize| &digits[from..to];
    let (date, time) = ((part(0, 4), part(4, 6), part(6, 8)), (part(8, 10), part(10, 12), part(12, 14)));
    format!("{}-{}-{}T{}:{}:{}Z", date.0, date.1, date.2, time.0, time.1, time.2)
}

/// (options, an input of one record, what its row says)
#[rustfmt::skip]
fn records() -> Vec<(&'static str, String, Value)> {
    let good = json!({"error": null, "uri": "http://example.com/a", "urlkey": "com,example)/a", "time": "2002-01-20T14:25:10Z",
        "mime": "text/html", "status": 200, "digest": "HT2D", "length": 1792, "redirect": null, "meta": null,
        "file_offset": null, "filename": null, "extra": null, "field_errors": null});
    let row = r#"["com,example)/a","20020120142510","http://example.com:80/a","text/html","200","HT2D","1792"]"#;
    const C: &str = "--from cdx";
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
        (C, format!("[{HEADER},\n[\"k\",\"20020120142510\",\"http://h/\"]]\n"), json!({"error": null, "status": null,
            "field_errors": "mime:missing,status:missing,digest:missing,length:missing"})),
        (C, "[[\"original\"],\n[\"http://h/\",\"x\"]]\n".into(), json!({"error": "record_malformed", "error_offset": 13,
            "uri": "[\"http://h/\",\"x\"]]"})),
        (C, "[[\"original\"],\n[\"http://h/\" \"x\"]]\n".into(), json!({"error": "record_malformed", "error_offset": 13})),
        // Objects alone, as Common Crawl's and pywb's servers answer.
        ("--from cdxj", "{\"urlkey\": \"k\", \"timestamp\": \"20240518015810\", \"url\": \"http://h/\", \"encoding\": \"UTF-8\", \"x\": 1}".into(),
            json!({"error": null, "uri": "http://h/", "urlkey": "k", "time": "2024-05-18T01:58:10Z", "charset": "UTF-8",
                "extra": "{\"x\":1}", "field_errors": null})),
        ("--from cdxj", "{\"url\": \"http://h/\", \"status\": \"200\"}".into(), json!({"error": null, "urlkey": null, "time": null,
            "status": 200, "field_errors": null})),
        ("--from cdxj", "{\"timestamp\": \"20240518015810\"}".into(), json!({"error": "field_missing"})),
        ("--from cdxj", "{\"url\": \"http://h/\"".into(), json!({"error": "record_malformed", "error_offset": 19})),
        // After key and time such members are others.
        ("--from cdxj", "k 20240518015810 {\"url\": \"http://h/\", \"timestamp\": \"1\"}".into(), json!({"error": null,
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

#[test]
fn auto_finds_what_servers_answer() {
    let object = "{\"urlkey\": \"k\", \"timestamp\": \"20240518015810\", \"url\": \"http://h/\"}\n";
    let cases = [
        (SEVEN.to_owned(), "cdx"),
        (
            format!("[{HEADER},\n[\"k\",\"20020120142510\",\"http://h/\",\"a/b\",\"200\",\"D\",\"7\"]]\n"),
            "cdx",
        ),
        ("[[\"original\"],\n[\"http://h/\"]]\n".to_owned(), "cdx"),
        (format!("{HEADER}\n"), "cdx"),
        (object.to_owned(), "cdxj"),
    ];
    for (input, format) in cases {
        let done = urimill("normalize --from auto --summary none --to jsonl").stdin(&input).ok();
        done.says(&input, &[&format!("read the input as {format}")]);
        let same =
            urimill(&format!("normalize --from {format} --summary none --to jsonl")).stdin(&input).ok();
        assert_eq!(done.text(), same.text(), "{input}");
    }
}

#[test]
fn arrays_that_are_no_lines_are_refused() {
    for input in [
        format!("[{HEADER},[\"k\",\"20020120142510\",\"http://h/\",\"a/b\",\"200\",\"D\",\"7\"]]"),
        format!("[\n{HEADER},\n[\"k\",\"20020120142510\",\"http://h/\",\"a/b\",\"200\",\"D\",\"7\"]\n]\n"),
        "[\n  [\n    \"urlkey\",\n    \"original\"\n  ]\n]\n".to_owned(),
    ] {
        for from in ["cdx", "auto"] {
            let run = urimill(&format!("normalize --from {from} --to csv")).stdin(&input).go();
            assert_eq!(run.code, Some(2), "{input}");
            assert!(run.stdout.is_empty() && run.stderr.contains("jq -c '.[]'"), "{}", run.stderr);
        }
    }
}

/// Inputs may differ in form, each has its own header; and rows do not depend on where chunks are cut.
#[test]
fn each_input_has_its_own_form() {
    let dir = dir();
    let count = 500;
    let (mut arrays, mut words) = (format!("[{HEADER}"), String::new());
    for n in 0..count {
        arrays.push_str(&format!(
            ",\n[\"k{n}\",\"20020120142510\",\"http://h/{n}\",\"a/b\",\"200\",\"\\u0041{n}\",\"{n}\"]"
        ));
        words.push_str(&format!("k{n} 20020120142510 http://h/{n} a/b 200 A{n} {n}\n"));
    }
    write(dir.path(), "a.json", arrays + "]\n");
    write(dir.path(), "b.cdx", words);
    for sizes in ["--threads 1", "--threads 3 --chunk 700"] {
        let line = format!("normalize a.json b.cdx --from cdx -o t.parquet --force --summary json {sizes}");
        let done = urimill(&line).within(dir.path()).ok();
        assert_eq!(done.summary()["rejects"], json!(0));
        let rows = read(&dir.path().join("t.parquet"));
        assert_eq!(rows.len(), 2 * count);
        for (n, row) in rows.iter().enumerate() {
            let at = n % count;
            assert_has(
                row,
                &json!({"record": at + 1, "uri": format!("http://h/{at}"), "digest": format!("A{at}"), "length": at}),
                &line,
            );
        }
    }
}

#[test]
fn samples_of_servers_are_what_a_regular_expression_reads() {
    let Some(corpora) = corpora() else { return };
    let text = |name: &str| fs::read(corpora.join("logs").join(name)).expect("a sample");
    let seven = r"(?-u)(\S+) ([0-9]{14}) (\S+) (\S+) (\S+) (\S+) ([0-9]+)\n";
    let arrays = r#"(?-u)\["([^"]*)","([0-9]{14})","([^"]*)","([^"]*)","([^"]*)","([^"]*)","([0-9]*)"\]"#;
    let names = ["urlkey", "time", "raw", "mime", "status", "digest", "length"];
    let mut compared = 0;
    for (name, pattern) in [("wayback_wb.cdx", seven), ("wayback_wbjson.json", arrays)] {
        let bytes = text(name);
        let done = urimill("normalize --from auto --to jsonl --summary none").stdin(&bytes).ok();
        let rows = jsonl(&done.stdout);
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
    let done = urimill("normalize --from auto --to jsonl --summary none").stdin(&bytes).ok();
    let row = &jsonl(&done.stdout)[0];
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
