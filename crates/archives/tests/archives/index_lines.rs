//! Lines of indexes and of crawl.log prove the places of their fields.

use serde_json::{Value, json};

use super::rows;

const KEY: &str = "com,example)/a 20140126200624";
const DIGEST: &str = "OSSAPWJ23L56IYVRW3GFEAR4MCJMGPTB";

/// (options, a line, where it stops being of the format, if it does)
fn lines() -> Vec<(&'static str, String, Option<usize>)> {
    let eleven = |rest: &str| format!("{KEY} http://h/ {rest}");
    const HEADER: &str = " CDX N b a m s k r V g\n";
    vec![
        ("cdx", eleven(&format!("text/html 203 {DIGEST} - - 1 2 f.gz")), None),
        ("cdx", eleven("unk - - http://r/ AIF 1 2 /d/f"), None),
        ("cdx", eleven("html> 200 VSND /r - 1 2 s3://b/f.warc.gz"), None),
        ("cdx", format!("example.com/a 2014 http://example.com/a text/html 203 {DIGEST} 9"), None),
        ("cdx", "рф,пример)/ 2014 http://h/ text/html 203 D 9".into(), None),
        // A number may be broken, if it looks like no other field.
        ("cdx", eleven("- html> A - - 1 2 f.gz"), None),
        ("cdx", eleven("- text/html A - - 1 2 f.gz"), Some(42)),
        ("cdx", eleven("- html> A - - x 2 f.gz"), Some(42)),
        // Two fields in each other's place.
        ("cdx", eleven(&format!("text/html {DIGEST} 203 - - 1 2 f.gz")), Some(50)),
        ("cdx", eleven(&format!("{DIGEST} 203 text/html - - 1 2 f.gz")), Some(40)),
        ("cdx", eleven(&format!("text/html 203 - {DIGEST} - 1 2 f.gz")), Some(56)),
        ("cdx", eleven(&format!("text/html 203 {DIGEST} - f.gz 1 2 -")), Some(89)),
        ("cdx", eleven(&format!("text/html 22581 {DIGEST} - - 203 2 f.gz")), Some(50)),
        ("cdx", eleven("text/html 203 - 12 - - 2 f.gz"), Some(56)),
        (
            "cdx",
            format!("203 20140126200624 http://h/ text/html com,example)/a {DIGEST} - - 1 2 f.gz"),
            Some(39),
        ),
        (
            "cdx",
            format!("text/html 20140126200624 http://h/ com,example)/a 203 {DIGEST} - - 1 2 f.gz"),
            Some(0),
        ),
        ("cdx", format!("{KEY} a.warc.gz text/html 203 {DIGEST} - - 1 2 http://h/"), Some(30)),
        ("cdx", format!("{KEY} - text/html 203 {DIGEST} http://h/ - 1 2 a.warc.gz"), Some(79)),
        ("cdx", format!("com,example)/a 1792 http://h/ text/html 203 {DIGEST} 20140126200624"), Some(15)),
        // Too few fields.
        ("cdx", format!("{HEADER}{KEY} http://h/ text/html 203 A - 12"), Some(60)),
        ("cdx", format!("{HEADER}{KEY} http://h/ text/html 203 A 12 f.gz"), Some(59)),
        ("cdx", eleven("text/html A 12"), Some(50)),
        ("cdx", eleven("text/html 203 A"), None),
        // The same in arrays.
        (
            "cdx",
            format!("[\"com,example)/a\",\"2014\",\"http://h/\",\"text/html\",\"203\",\"{DIGEST}\",\"9\"]"),
            None,
        ),
        (
            "cdx",
            format!("[\"com,example)/a\",\"2014\",\"http://h/\",\"203\",\"text/html\",\"{DIGEST}\",\"9\"]"),
            Some(43),
        ),
        (
            "cdx",
            format!("[\"203\",\"2014\",\"http://h/\",\"text/html\",\"com,example)/a\",\"{DIGEST}\",\"9\"]"),
            Some(38),
        ),
        ("cdx", "[\"com,example)/a\",\"2014\",\"http://h/\",\"text/html\",\"A\",\"9\"]".into(), Some(49)),
        ("cdx", "[\"".into(), Some(2)),
        // Key and time before an object.
        ("cdxj", format!("{KEY} {{\"url\": \"http://h/\"}}"), None),
        ("cdxj", "20140126200624 com,example)/a {\"url\": \"http://h/\"}".into(), Some(0)),
        ("cdxj", "com,example)/a com,example)/b {\"url\": \"http://h/\"}".into(), Some(15)),
        ("cdxj", "com,example)/a - {\"url\": \"http://h/\"}".into(), Some(15)),
        // crawl.log: each word has a form, or differs from the others.
        (
            "heritrix",
            crawled("203 2621", &format!("text/plain #1 20120523150629017+51 sha1:{DIGEST} tag 3t")),
            None,
        ),
        ("heritrix", crawled("203 2621", "text #1 - - http://h/ err=a,3t {\"a\": \"b c\"}"), None),
        ("heritrix", crawled("-9998 -", "unknown #1 - - 1234 Q:x"), None),
        ("heritrix", crawled("203 2621", &format!("no-type #1 20120523150629017+51 {DIGEST} - -")), None),
        ("heritrix", crawled("2621 203", "text/plain #1 - - - -"), Some(25)),
        ("heritrix", crawled("- 203", "text/plain #1 - - - -"), Some(25)),
        ("heritrix", crawled("text/plain 2621", "203 #1 - - - -"), Some(25)),
        ("heritrix", crawled("203 2621", "203 #1 - - - -"), Some(57)),
        ("heritrix", crawled("203 2621", "text/plain x1 - - - -"), Some(68)),
        (
            "heritrix",
            crawled("203 2621", &format!("text/plain #1 sha1:{DIGEST} 20120523150629017+51 - -")),
            Some(71),
        ),
        ("heritrix", crawled("203 2621", "text/plain #1 - tag - -"), Some(73)),
        ("heritrix", crawled("203 2621", &format!("text/plain #1 - - sha1:{DIGEST} -")), Some(75)),
        ("heritrix", crawled("203 2621", "text/plain #1 - - 3t tag"), Some(75)),
        ("heritrix", crawled("203 2621", "text/plain #1 - - 3t http://h/"), Some(75)),
        ("heritrix", crawled("203 2621", "text/plain #1 - - tag 3t -"), Some(82)),
        ("heritrix", crawled("203 2621", "text/plain #1 - - - tag 3t"), Some(81)),
        ("heritrix", crawled("203 2621", "text/plain #1 - - -").replace(" LE ", " via "), Some(44)),
    ]
}

/// A line of crawl.log with these words around the URI, the path and the referrer.
fn crawled(before: &str, behind: &str) -> String {
    format!("2012-05-23T15:06:29.072Z {before} http://h/ LE http://v/ {behind}")
}

/// It is unknown which of the last two words a line of 11 words has.
#[test]
fn the_eleventh_word_of_crawl_log_alone_is_in_no_column() {
    for (last, missing) in [("3t", "source_tag:missing,annotations:missing"), ("-", "annotations:missing")] {
        let line = crawled("203 2621", &format!("text/plain #1 - - {last}\n"));
        let row = &rows("heritrix", line)[0];
        let found = [&row["error"], &row["source_tag"], &row["annotations"], &row["field_errors"]];
        assert_eq!(found, [&Value::Null, &Value::Null, &Value::Null, &json!(missing)], "{last}");
    }
}

#[test]
fn every_field_of_an_index_proves_its_place() {
    for (format, line, fault) in lines() {
        let rows = rows(format, format!("{line}\n"));
        assert_eq!(rows.len(), 1, "{line}");
        let own = line.lines().last().expect("a line");
        match fault {
            None => assert_eq!(rows[0]["error"], Value::Null, "{line}: {:?}", rows[0]),
            Some(at) => {
                let found = [&rows[0]["error"], &rows[0]["error_offset"], &rows[0]["uri"]];
                assert_eq!(found, [&json!("record_malformed"), &json!(at), &json!(own)], "{line}");
                let columns = ["urlkey", "time", "mime", "status", "digest", "redirect", "filename"];
                assert!(
                    columns.iter().all(|column| rows[0].get(*column).is_none_or(Value::is_null)),
                    "{line}: {:?}",
                    rows[0]
                );
            }
        }
    }
}

/// Without a header a line of 10 fields is one of 11 that lacks its length, if those before it have 11.
#[test]
fn the_first_line_says_how_many_fields_there_are() {
    let eleven = format!("{KEY} http://h/ text/html 203 {DIGEST} - - 1 2 f.gz\n");
    let ten = format!("{KEY} http://h/ text/html 203 {DIGEST} - - 2 f.gz\n");
    let nine = format!("{KEY} http://h/ text/html 203 {DIGEST} - 2 f.gz\n");
    let broken = format!("{KEY} http://h/\n");
    // (lines, which of them are malformed)
    for (lines, malformed) in [
        ([&eleven, &ten, &nine], [false, true, false]),
        ([&nine, &ten, &eleven], [false, true, false]),
        ([&ten, &nine, &eleven], [false, true, true]),
        ([&broken, &ten, &eleven], [false, false, false]),
    ] {
        let rows = rows("cdx", lines.map(String::as_str).concat());
        let found: Vec<_> = rows.iter().map(|row| row["error"] == json!("record_malformed")).collect();
        assert_eq!(found, malformed, "{lines:?}");
    }
}
