//! Logs that were truncated in place while their writer kept its offset: NUL bytes before lines, in every format, are no
//! part of a value, and a header after them is one.

use super::log_formats::{SAMPLES, rows, sample};
use super::run::urimill;
use super::table::Row;

/// (format, lines)
const OTHERS: [(&str, &str); 7] = [
    ("heritrix", "2012-05-23T15:06:28.689Z 200 56 http://h/ P - text/dns #048 20120523150627325+74 - - 3t\n"),
    ("cdx", "h)/ 20140126200624 http://h/ text/html 200 A - - 1 2 f.gz\n"),
    ("cdx", "[\"h)/\", \"20140126200624\", \"http://h/\", \"text/html\", \"200\", \"A\", \"3\"]\n"),
    ("cdxj", "h)/ 20140126200624 {\"url\": \"http://h/\", \"status\": \"200\"}\n"),
    ("cdxj", "{\"urlkey\": \"h)/\", \"timestamp\": \"20140126200624\", \"url\": \"http://h/\"}\n"),
    ("clf", "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 1 \"-\" \"-\"\n"),
    ("jsonl --uri-field url", "{\"url\": \"http://h/\", \"n\": 1}\n"),
];

#[test]
fn nul_bytes_before_a_line_are_no_part_of_it() {
    let mut inputs: Vec<(String, String)> =
        OTHERS.iter().map(|(format, line)| ((*format).to_owned(), line.repeat(3))).collect();
    for (file, format) in SAMPLES {
        inputs.push(((*format).to_owned(), sample(file)));
    }
    // Headers that change, and one that stands after bytes that are missing.
    let header = |names: &str| format!("#Fields: date time {names}\n");
    let line = |fields: &str| format!("2024-01-01 00:00:00 {fields}\n");
    inputs.push((
        "w3c".to_owned(),
        [header("cs-method cs-uri-stem"), line("GET /a"), header("cs-uri-stem cs-method"), line("/b GET")]
            .concat()
            .repeat(40),
    ));
    for (format, text) in inputs {
        let expected = rows(&format!("--from {format}"), &text);
        assert!(!expected.is_empty(), "{format}");
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for every in [1, 2, 3] {
            let holes = lines.iter().enumerate().map(|(at, line)| match at % every {
                0 => format!("{}{line}", "\0".repeat(100)),
                _ => (*line).to_owned(),
            });
            let text: String = holes.collect();
            for chunk in ["", "--chunk 300"] {
                let found = rows(&format!("--from {format} {chunk}"), &text);
                let without_place = |row: &Row| {
                    let mut row = row.clone();
                    row.remove("offset");
                    row
                };
                let [found, expected] = [&found, &expected].map(|rows| rows.iter().map(without_place));
                assert!(found.eq(expected), "{format} {chunk}, every {every}");
            }
        }
    }
    urimill("normalize --from cdx --to csv").stdin("\0".repeat(300)).fails(2, &["binary"]);
}

#[test]
fn a_line_that_a_crash_has_cut_is_a_reject() {
    for (format, line) in OTHERS {
        let cut = &line[..line.len() / 2];
        for after in ["", "\n", line] {
            let text = [line, cut, &"\0".repeat(4096), after].concat();
            let found = rows(&format!("--from {format}"), &text);
            let errors: Vec<bool> = found.iter().map(|row| !row["error"].is_null()).collect();
            assert_eq!(errors[..2], [false, true], "{format}: {found:?}");
        }
    }
}
