//! `--spec whatwg`, the columns of the URL Standard, and records in which it and the RFC differ.

use std::fs;

use serde_json::{Value, json};

use super::run::{dir, urimill, write};

const RECORDS: &str = "http://example.com/a\nHTTP://EXAMPLE.com:80\nhttp://a.example\\@b.example/x\nhttp://0x7f.1/\n\
                       http://[::1\n//h/a\n";

#[test]
fn a_table_by_the_url_standard() {
    let done =
        urimill("normalize --spec whatwg --to csv --columns uri,raw,host,path,error,error_offset -o -")
            .stdin(RECORDS)
            .ok();
    let expected = "\
uri,raw,host,path,error,error_offset
http://example.com/a,,example.com,/a,,
http://example.com/,HTTP://EXAMPLE.com:80,example.com,/,,
http://a.example/@b.example/x,http://a.example\\@b.example/x,a.example,/@b.example/x,,
http://127.0.0.1/,http://0x7f.1/,127.0.0.1,/,,
http://[::1,,,,IPv6-unclosed,11
//h/a,,,,missing-scheme-non-relative-URL,0
";
    assert_eq!(done.text(), expected);
    assert!(done.stderr.contains("3 rewritten\n"), "{}", done.stderr);
}

#[test]
fn columns_beside_those_of_the_rfc() {
    let done = urimill(
        "normalize --to csv --columns host,whatwg_uri,whatwg_host,disagreement -o - --base http://b/",
    )
    .stdin("http://a.example\\@b.example/x\n\\\\c\nd\n")
    .ok();
    let expected = "\
host,whatwg_uri,whatwg_host,disagreement
,http://a.example/@b.example/x,a.example,host_differs|backslash_authority|invalid_for_rfc
,http://c/,c,host_differs|backslash_authority|invalid_for_rfc
b,http://b/d,b,\"\"
";
    assert_eq!(done.text(), expected);
    assert!(done.stderr.contains("        2  disagreement backslash_authority\n"), "{}", done.stderr);
}

#[test]
fn disagreeing_records_go_to_the_rejects() {
    let dir = dir();
    write(dir.path(), "in.txt", RECORDS);
    let command =
        "normalize in.txt -o t.jsonl --rejects r.jsonl --on-disagreement reject --summary json --columns uri";
    let summary: Value = urimill(command).within(dir.path()).ok().summary();
    let lines = |name: &str| fs::read_to_string(dir.path().join(name)).expect("the output").lines().count();
    assert_eq!((lines("t.jsonl"), lines("r.jsonl")), (3, 3));
    let count = |code: &str| summary["by_code"][code]["count"].clone();
    assert_eq!(count("disagreement"), json!(1), "{summary}");
    // A text that the RFC rejects has the RFC's code.
    assert_eq!((count("userinfo_invalid_char"), count("host_ipv6_malformed")), (json!(1), json!(1)));
    assert_eq!(summary["disagreements"]["host_differs"], json!(2));
    assert_eq!(summary["spec"], "rfc3986");
}

#[test]
fn inputs_with_the_same_url_are_one_row() {
    let records = "http://h/a\nhttp:\\\\H\\a\nhttp://h/%61\n";
    let text = urimill("dedupe --spec whatwg --to csv -o -").stdin(records).ok().text().to_owned();
    assert!(text.contains("http://h/a,") && text.contains("http://h/%61,"), "{text}");
    assert_eq!(text.lines().count(), 3, "{text}");
}

/// (arguments, standard output)
const CHECKS: &[(&str, &str)] = &[
    (
        "check --spec whatwg",
        "standard input:5:12: IPv6-unclosed: the bracket of the IPv6 address is not closed: the end of the text\n  \
         http://[::1\n             ^\n\
         standard input:6:1: missing-scheme-non-relative-URL: there is no scheme, and no base to resolve against: \
         '/' U+002F\n  //h/a\n  ^\n",
    ),
    (
        "check --spec rfc3986,whatwg",
        "standard input:3: validity\n  http://a.example\\@b.example/x\n    validity      rfc3986  \
         userinfo_invalid_char\n                  whatwg   valid\n\
         standard input:4: host, host_kind, normal_form\n  http://0x7f.1/\n    host          rfc3986  0x7f.1\n\
         \x20                 whatwg   127.0.0.1\n    host_kind     rfc3986  reg_name\n\
         \x20                 whatwg   ipv4\n    normal_form   rfc3986  http://0x7f.1/\n\
         \x20                 whatwg   http://127.0.0.1/\n\
         standard input:6: validity\n  //h/a\n    validity      rfc3986  valid\n\
         \x20                 whatwg   missing-scheme-non-relative-URL\n",
    ),
];

#[test]
fn checks_by_the_url_standard() {
    for (arguments, expected) in CHECKS {
        let done = urimill(arguments).stdin(RECORDS).go();
        assert_eq!((done.text(), done.code), (*expected, Some(1)), "{arguments}");
    }
    // A file of another format goes another way.
    let dir = dir();
    write(dir.path(), "in.csv", "url\nhttp://h/\nhttp://[::1\n");
    let done = urimill("check --spec whatwg --from csv --uri-field url in.csv").within(dir.path()).go();
    assert!(done.text().starts_with("in.csv:2:12: IPv6-unclosed"), "{}", done.text());
}

#[test]
fn an_explanation_shows_both() {
    let done = urimill("explain --to json http://0x7f.1/%7Ea").go();
    let told: Value = serde_json::from_slice(done.text().as_bytes()).expect("JSON");
    assert_eq!(told["reference"]["normal_form"], "http://0x7f.1/~a");
    let expected = json!({
        "href": "http://127.0.0.1/%7Ea",
        "host": "127.0.0.1",
        "failure": null,
        "disagreement": ["host_differs", "numeric_host"],
        "validation_errors": [{
            "error": "IPv4-non-decimal-part",
            "sentence": "a part of the IPv4 address is octal or hexadecimal",
            "offset": 7,
            "state": "host state",
        }],
    });
    assert_eq!(told["whatwg"], expected);
    let text = urimill("explain http:///h").go().text().to_owned();
    assert!(text.contains("whatwg       http://h/\n"), "{text}");
    assert!(text.contains("(byte 7, special authority ignore slashes state)"), "{text}");
    assert!(text.contains("disagreement extra_slashes: there are not exactly two slashes"), "{text}");
    // If the two agree, nothing is reported.
    let text = urimill("explain http://example.com/").go().text().to_owned();
    assert!(!text.contains("whatwg"), "{text}");
}

#[test]
fn references_are_resolved_as_browsers_do() {
    let done = urimill("resolve --spec whatwg --base http://h/a/b ..\\c //x?q https:d").ok();
    assert_eq!(done.text(), "http://h/c\nhttp://x/?q\nhttps://d/\n");
    let done = urimill("resolve --spec whatwg --base mailto:a@b c").go();
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("has an opaque path"), "{}", done.stderr);
    let done = urimill("resolve --spec whatwg --base http://h/ --level case c").go();
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("--level is for the RFCs"), "{}", done.stderr);
}
