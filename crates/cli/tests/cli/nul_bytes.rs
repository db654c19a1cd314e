//! Logs that were truncated in place while their writer kept its offset: NUL bytes before lines, in every format, are
//! not part of a value, and a header after them is a header.

use urimill_testkit::samples::{LOGS, log};

use super::log_formats::rows;
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
    for (file, format) in LOGS {
        inputs.push(((*format).to_owned(), log(file)));
    }
    // Headers that change, and one after missing bytes.
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

/// A table of fields, as a logger writes it: a hole before any of its records, before the header, or between quotes.
#[test]
fn nul_bytes_before_a_record_of_fields_are_no_part_of_it() {
    let hole = "\0".repeat(5000);
    let quoted = "\"http://h/2\",\"2\nx\"\n";
    // (the options, the input, the URIs and the other field of its rows)
    let table = [
        ("csv --uri-field 1", format!("{hole}http://h/1,1\n{quoted}"), ["1", "2\nx"]),
        ("csv --uri-field 1", format!("{hole}\"http://h/1\",1\n{hole}{quoted}"), ["1", "2\nx"]),
        ("csv --uri-field url", format!("{hole}url,n\nhttp://h/1,1\n{hole}{quoted}"), ["1", "2\nx"]),
        ("csv --uri-field url", format!("url,n\nhttp://h/1,1\n{hole}{quoted}"), ["1", "2\nx"]),
        (
            "csv --comment # --uri-field url",
            format!("{hole}#c\nurl,n\nhttp://h/1,1\n{hole}#\n{quoted}"),
            ["1", "2\nx"],
        ),
        ("tsv --uri-field 1", format!("{hole}http://h/1\t1\n\0\0http://h/2\t2\n"), ["1", "2"]),
        ("csv --no-quotes --uri-field 1", format!("{hole}http://h/1,\"1\n\0http://h/2,2\n"), ["\"1", "2"]),
    ];
    for (format, text, others) in table {
        for chunk in ["", "--chunk 300"] {
            let found = rows(&format!("--from {format} {chunk}"), &text);
            let expected = ["http://h/1", "http://h/2"].into_iter().zip(others);
            let row = |row: &Row| (row["uri"].clone(), row.get("n").or_else(|| row.get("field_2")).cloned());
            let expected = expected.map(|(uri, other)| (uri.into(), Some(other.into())));
            assert!(found.iter().map(row).eq(expected), "{format} {chunk}: {found:?}");
        }
    }
}

/// A hole of any length at the beginning is skipped in every format, lists too, and alone it is not a text.
#[test]
fn a_hole_at_the_beginning_is_passed_over() {
    let list = ("lines", "http://h/1\n");
    for (format, line) in OTHERS.into_iter().chain([list]) {
        for len in [16, 65_536, 3_000_000] {
            let text = "\0".repeat(len) + &line.repeat(2);
            let expected = rows(&format!("--from {format}"), line.repeat(2));
            for options in [format!("--from {format}"), format!("--from {format} --chunk 1")] {
                let found = rows(&options, &text);
                let uris = |rows: &[Row]| rows.iter().map(|row| row["uri"].clone()).collect::<Vec<_>>();
                assert_eq!(uris(&found), uris(&expected), "{options} {len}");
            }
            let done = urimill(&format!("normalize --from {format} --to csv")).stdin(&text).ok();
            let said = done.stderr.replace(',', "");
            assert!(
                said.contains(&format!("passed over before lines: {len} NUL bytes")),
                "{format} {len}: {said}"
            );
        }
    }
    let done = urimill("normalize --to jsonl --columns uri,offset").stdin("\0".repeat(100) + "/a\n/b\n").ok();
    assert_eq!(done.text(), "{\"uri\":\"/a\",\"offset\":100}\n{\"uri\":\"/b\",\"offset\":103}\n");
    let done = urimill("normalize --to uris").stdin("\0".repeat(3_000_000) + OTHERS[0].1).ok();
    assert!(done.text() == "http://h/\n" && done.stderr.contains("as heritrix"), "{}", done.stderr);
    urimill("normalize --to csv").stdin("\0".repeat(3_000_000)).fails(2, &["binary"]);
    // Fewer are bytes like others.
    assert_eq!(rows("--from lines", "\0\0/a\n/b\n")[0]["error"], "path_invalid_char");
}

#[test]
fn inputs_with_holes_are_verified_and_found_together() {
    let folder = super::run::dir();
    let line = "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 1 \"-\" \"-\"\n";
    super::run::write(folder.path(), "a.log", "\0".repeat(100_000) + line);
    super::run::write(folder.path(), "b.log", "\0".repeat(3_000_000) + line);
    for inputs in ["a.log b.log", "b.log a.log"] {
        let done =
            urimill(&format!("normalize {inputs} -o out.csv --force --verify")).within(folder.path()).ok();
        assert!(done.stderr.contains("3,100,000 NUL bytes"), "{}", done.stderr);
    }
}
