//! `urimill check`: its faults, their places, and its words.

use std::fs;
use std::io::Write;

use serde_json::Value;

use super::run::{dir, urimill, write};
use urimill_testkit::paths::repository;

fn rows(stdout: &[u8]) -> Vec<Value> {
    stdout
        .split(|&b| b == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap_or_else(|e| panic!("{e}: {}", line.escape_ascii())))
        .collect()
}

#[test]
fn every_reject_with_its_place_and_a_caret() {
    let records = "http://example.com/\n\nhttp://exa mple.com/\r\n/漢字|\n\u{7}/a\n:\n/%4\nhttp://h:8a/\n";
    let done = urimill("check").stdin(records).go();
    let expected = "\
standard input:3:11: host_invalid_char: a character that a host cannot hold: ' ' U+0020
  http://exa mple.com/
            ^
standard input:4:2: path_invalid_char: a character that a path cannot hold: '漢' U+6F22
  /漢字|
   ^
standard input:5:1: path_invalid_char: a character that a path cannot hold: U+0007
  \\u{7}/a
  ^
standard input:6:1: scheme_empty: there is no scheme before the colon: ':' U+003A
  :
  ^
standard input:7:4: percent_truncated: a percent sign without two hexadecimal digits after it: the end of the text
  /%4
     ^
standard input:8:12: port_invalid_char: a character that is not a digit in the port
  http://h:8a/
             ^
";
    assert_eq!(done.text(), expected);
    assert_eq!((done.code, done.stderr.as_str()), (Some(1), "urimill: 7 records, 6 rejects\n"));
}

#[test]
fn nothing_found_is_exit_code_0() {
    let done = urimill("check").stdin("http://a/\n\n/b\n").ok();
    assert_eq!((done.text(), done.stderr.as_str()), ("", "urimill: 2 records, 0 rejects\n"));
    let done = urimill("check --quiet").stdin("http://a/\n").ok();
    assert_eq!((done.text(), done.stderr.as_str()), ("", ""));
    assert_eq!(urimill("check").stdin("").ok().stderr, "urimill: 0 records, 0 rejects\n");
    assert_eq!(urimill("check -q").stdin("/ ").go().stderr, "");
}

/// Arguments, a record, and the code and offset of what is wrong.
type Required = (&'static str, &'static str, Option<(&'static str, i64)>);

/// (options, record, code and offset if it is malformed): RFC 3986 3, 4.1, 4.3; RFC 2396 3, 4.1
const REQUIRED: &[Required] = &[
    ("reference", "../a#b", None),
    ("uri", "http://h/#b", None),
    ("uri", "HTTP://u@h:1/#b", None),
    ("uri", "foo:", None),
    ("uri", "/a", Some(("scheme_missing", 0))),
    ("uri", "//h/a", Some(("scheme_missing", 0))),
    ("uri", "1a", Some(("scheme_missing", 0))),
    ("uri", "a/b", Some(("scheme_missing", 1))),
    ("uri", "a+b.c-1", Some(("scheme_missing", 7))),
    ("uri", "a%41", Some(("scheme_missing", 1))),
    ("uri", "a b", Some(("path_invalid_char", 1))),
    // White space before a reference is not part of it.
    ("uri --from lines", " \thttp://h/", None),
    ("uri --from lines", " \t/a", Some(("scheme_missing", 2))),
    ("absolute-uri", " http://h/#b", Some(("fragment_not_allowed", 10))),
    ("absolute-uri", "http://h/a?b", None),
    ("absolute-uri", "mailto:a@b", None),
    ("absolute-uri", "http://h/a?b#c", Some(("fragment_not_allowed", 12))),
    ("absolute-uri", "http://u@h/#", Some(("fragment_not_allowed", 11))),
    ("absolute-uri", "a#b", Some(("scheme_missing", 1))),
    ("absolute-uri --spec rfc2396", "mailto:a?b", None),
    ("absolute-uri --spec rfc2396", "mailto:a?b#c", Some(("fragment_not_allowed", 10))),
    ("uri --spec rfc2396", "http://h/#b", Some(("fragment_not_allowed", 9))),
    ("uri --spec rfc2396", "foo:", Some(("path_empty", 4))),
    ("uri --spec rfc3986-errata", "http://h/#b", None),
];

#[test]
fn the_form_that_a_record_has_to_have() {
    for (options, record, expected) in REQUIRED {
        let done = urimill(&format!("check -q --to jsonl --require {options}")).stdin(*record).go();
        let found: Vec<_> = rows(&done.stdout)
            .iter()
            .map(|row| (row["error"].as_str().expect("a code").to_owned(), row["error_offset"].as_i64()))
            .collect();
        let expected: Vec<_> =
            expected.iter().map(|(code, offset)| ((*code).to_owned(), Some(*offset))).collect();
        assert_eq!(found, expected, "{options}: {record}");
        assert_eq!(done.code, Some(i32::from(!expected.is_empty())), "{options}: {record}");
    }
    let done = urimill("check --require absolute-uri").stdin("http://h/\n\nhttp://h/a#b\n").go();
    let expected = "\
standard input:3:11: fragment_not_allowed: there is a fragment, which is not part of an absolute URI: '#' U+0023
  http://h/a#b
            ^
";
    assert_eq!((done.text(), done.stderr.as_str()), (expected, "urimill: 2 records, 1 reject\n"));
    let done = urimill("check --require url").go();
    assert!(done.code == Some(2) && done.stderr.contains("reference, uri, absolute-uri"), "{}", done.stderr);
    urimill("check --require uri --spec rfc2396,rfc3986").fails(2, &["--require is for one specification"]);
}

#[test]
fn the_same_as_json_lines() {
    let done = urimill("check --to jsonl").stdin(b"/\xc3\xa9\xff\n\xef\xbb\xbf\n".as_slice()).go();
    let rows = rows(&done.stdout);
    let expected = serde_json::json!({
        "source": "standard input", "record": 1, "column": 2, "error": "not_utf8", "error_offset": 1,
        "component": "path", "sentence": "the record is not UTF-8", "text": "/é\u{fffd}",
    });
    assert_eq!(rows[0], expected);
    assert_eq!(rows.len(), 2, "a byte-order mark counts as one at the beginning alone");
}

/// Rejects are those that `normalize` finds, by record, code and offset.
#[test]
fn the_rejects_of_the_table() {
    let root = repository();
    for spec in ["rfc3986", "rfc3986-errata", "rfc2396"] {
        let run = |command| urimill(&format!("{command} --spec {spec} --to jsonl datasets/oddities.txt"));
        let place = |row: &Value| [&row["record"], &row["error"], &row["error_offset"]].map(Value::clone);
        let found: Vec<_> = rows(&run("check").within(root).go().stdout).iter().map(place).collect();
        let table = rows(&run("normalize").within(root).ok().stdout);
        let rejects = table.iter().filter(|row| !row["error"].is_null()).map(place);
        assert_eq!(found, rejects.collect::<Vec<_>>(), "{spec}");
        assert!(found.len() > 50, "{spec}");
    }
}

#[test]
fn inputs_are_those_of_normalize() {
    let dir = dir();
    write(dir.path(), "a.txt", "\u{feff}/a b\n");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(b"/a\n/b c\n").expect("memory");
    write(dir.path(), "b.txt", gzip.finish().expect("memory"));
    let done = urimill("check *.txt --to jsonl -q").within(dir.path()).go();
    let places: Vec<_> = rows(&done.stdout)
        .iter()
        .map(|row| (row["source"].as_str().expect("text").to_owned(), row["record"].as_i64()))
        .collect();
    assert_eq!(places, [("a.txt".to_owned(), Some(1)), ("b.txt".to_owned(), Some(2))]);
    urimill("check nosuch").fails(3, &["nosuch"]);
}

#[test]
fn neither_threads_nor_chunks_change_a_byte() {
    let dir = dir();
    let root = repository();
    let mut bytes = fs::read(root.join("datasets/oddities.txt")).expect("the oddities");
    bytes.extend(format!("\n/{} \n", "a".repeat(5000)).into_bytes());
    write(dir.path(), "in.txt", bytes.repeat(20));
    for line in
        ["check in.txt", "check in.txt --to jsonl", "check in.txt --spec rfc2396,rfc3986 --base http://a/b"]
    {
        let one = urimill(&format!("{line} --threads 1")).within(dir.path()).go();
        assert_eq!(one.code, Some(1), "{}", one.stderr);
        for more in ["--threads 3 --chunk 700", "--threads 2 --chunk 1", "--threads 1 --chunk 64K"] {
            let other = urimill(&format!("{line} {more}")).within(dir.path()).go();
            assert!(other.stdout == one.stdout && other.stderr == one.stderr, "{line} {more}");
        }
    }
}

#[test]
fn long_records_are_shown_around_the_fault() {
    let done = urimill("check").stdin(format!("/{}|{}\n", "a".repeat(3000), "b".repeat(3000))).go();
    let lines: Vec<&str> = done.text().lines().collect();
    assert_eq!(
        lines[0],
        "standard input:1:3002: path_invalid_char: a character that a path cannot hold: '|' U+007C"
    );
    assert_eq!(lines[1], format!("  …{}|{}…", "a".repeat(60), "b".repeat(37)));
    assert_eq!(lines[2], format!("  {}^", " ".repeat(61)));
}

/// Too long to be a record, and too long to be held: the records after them are checked nevertheless.
#[test]
fn records_that_are_too_long() {
    let input = format!("/{}\n/a b\n/{}\n/c d\n", "a".repeat(2000), "b".repeat(17 << 20));
    let done = urimill("check --to jsonl --max-record 1000").stdin(&input).go();
    let places: Vec<_> = rows(&done.stdout)
        .iter()
        .map(|row| (row["record"].as_i64(), row["error"].as_str().map(str::to_owned), row["column"].as_i64()))
        .collect();
    let row = |record, error: &str, column| (Some(record), Some(error.to_owned()), Some(column));
    let expected = [
        row(1, "too_long", 1001),
        row(2, "path_invalid_char", 3),
        row(3, "too_long", 1001),
        row(4, "path_invalid_char", 3),
    ];
    assert_eq!(places, expected);
    let done = urimill("check --max-record 1000").stdin(&input).go();
    assert!(done.stdout.len() < 1000, "the line of a long record is short");
    let done = urimill("check --spec rfc2396,rfc3986 --max-record 1000").stdin(&input).ok();
    assert_eq!(done.stderr, "urimill: 4 records, 0 differ\n");
}

#[test]
fn colours_where_they_are_asked_for() {
    let done = urimill("check --color always").stdin("/a b\n").go();
    let expected = "\x1b[1mstandard input:1:3:\x1b[0m \x1b[1;31mpath_invalid_char\x1b[0m: \
                    a character that a path cannot hold: ' ' U+0020\n  /a b\n    \x1b[1;31m^\x1b[0m\n";
    assert_eq!(done.text(), expected);
    assert!(!urimill("check").stdin("/a b\n").go().text().contains('\x1b'));
    // User information is set apart from the rest (3.2.1), and no caret moves.
    for (text, line) in [
        ("http://joe@h/a b", "  http://\x1b[31mjoe\x1b[0m@h/a b\n                \x1b[1;31m^"),
        ("http://joe:pw@h/a b", "  http://\x1b[31mjoe:***\x1b[0m@h/a b\n                    \x1b[1;31m^"),
        ("http:/joe@h/a b", "  http:/\x1b[31mjoe\x1b[0m@h/a b\n"),
    ] {
        let done = urimill("check --color always").stdin(text).go();
        assert!(done.text().contains(line), "{text}: {}", done.text());
    }
    let done = urimill("check --color always --spec rfc2396,rfc3986").stdin("http://joe@[::1]/").go();
    assert!(done.text().contains("http://\x1b[31mjoe\x1b[0m@[::1]/"), "{}", done.text());
}

#[test]
fn nothing_of_the_input_speaks_to_the_terminal() {
    let dir = dir();
    let name = "a\x1b[2J.txt";
    write(dir.path(), name, b"/\x1b[31m\x07\x9b\xe2\x80\xae \r/\n\xc2\x9b1m\n".as_slice());
    for line in ["check", "check --spec rfc2396,rfc3986 --base x:y"] {
        let done = urimill(line).arg(name).within(dir.path()).go();
        assert!(!done.text().chars().any(|c| c.is_control() && c != '\n'), "{line}: {:?}", done.text());
        assert!(!done.text().contains('\u{202e}'), "{line}: {:?}", done.text());
    }
}

#[test]
fn the_records_on_which_specifications_differ() {
    let records = "http://example.com/\nmailto:a?b\nhttp://[::1]/\n/a b\n/%21\n";
    let done = urimill("check --spec rfc2396,rfc3986").stdin(records).go();
    let expected = "\
standard input:2: path, query
  mailto:a?b
    path          rfc2396  a?b
                  rfc3986  a
    query         rfc2396  -
                  rfc3986  b
standard input:3: validity
  http://[::1]/
    validity      rfc2396  host_invalid_char
                  rfc3986  valid
standard input:5: normal_form
  /%21
    normal_form   rfc2396  /!
                  rfc3986  /%21
";
    assert_eq!(done.text(), expected);
    assert_eq!((done.code, done.stderr.as_str()), (Some(1), "urimill: 5 records, 3 differ\n"));
    let done = urimill("check --spec rfc2396,rfc3986").stdin("http://example.com/a;b?c\n").ok();
    assert_eq!((done.text(), done.stderr.as_str()), ("", "urimill: 1 record, 0 differ\n"));
    // White space before a reference is not part of it.
    for refang in ["", "--refang"] {
        urimill(&format!("check --spec rfc3986,whatwg {refang}")).stdin(" http://h/\n").ok();
        let done = urimill(&format!("check --spec rfc2396,rfc3986 {refang}")).stdin(" http://[::1]/\n").go();
        assert!(done.text().contains("rfc3986  valid"), "{}", done.text());
    }
}

#[test]
fn differences_as_json_lines() {
    let line =
        "check --spec rfc3986,rfc2396,rfc3986-errata --to jsonl --base http://a/b/c/d?q --level syntax";
    let done = urimill(line).stdin("?y\n").go();
    let values =
        |new: &str, old: &str| serde_json::json!({ "rfc3986": new, "rfc2396": old, "rfc3986-errata": new });
    let expected = serde_json::json!({
        "source": "standard input", "record": 1, "text": "?y",
        "differences": [
            { "aspect": "resolution", "values": values("http://a/b/c/d?y", "http://a/b/c/?y") },
            { "aspect": "normal_form", "values": values("http://a/b/c/d?y", "http://a/b/c/?y") },
        ],
    });
    assert_eq!(rows(&done.stdout), [expected]);
}

#[test]
fn mistakes() {
    urimill("check --spec rfc2396,rfc2396").fails(2, &["rfc2396", "twice"]);
    urimill("check --base http://a/").fails(2, &["--spec rfc2396,rfc3986"]);
    urimill("check --level case").fails(2, &["--spec rfc2396,rfc3986"]);
    urimill("check --spec rfc2396,rfc3986 --base /a").fails(2, &["\"/a\"", "no scheme"]);
    let done = urimill("check --spec rfc2396,rfc1738").go();
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("'rfc1738'"), "{}", done.stderr);
}
