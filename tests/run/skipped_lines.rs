//! The option `skip_lines`: the records after the lines, and the inputs that are refused.

use std::path::Path;

use urimill::OptionName;
use urimill::run::{Conversion, InputFormat, Output};

/// `record`, `offset` and `uri` of the rows of a file with this text.
fn rows(
    folder: &Path,
    text: &[u8],
    set: impl FnOnce(Conversion) -> Conversion,
) -> Result<String, urimill::Error> {
    let (input, table) = (folder.join("in"), folder.join("t.csv"));
    std::fs::write(&input, text).expect("a file");
    let run = Conversion::new().inputs([&input]).columns(["record", "offset", "uri"]);
    set(run).write_to(Output::to(&table).force(true)).run()?;
    Ok(std::fs::read_to_string(table).expect("a table"))
}

#[test]
fn records_begin_after_the_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let bom = "\u{feff}Title\n/a\n";
    let csv = "My links, 2026\n\"unended\npage,href\n1,/a\n2,/b\n";
    let quoted = "a \"title\npage,href\n1,\"/a\n\"\n";
    let crlf = "x\r\n\r\n/a\r\n";
    let log = "# made by hand\n192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 512\n";
    let href = |run: Conversion| run.format(InputFormat::Csv).uri_field("href");
    let cases: [(&str, u64, bool, &str); 10] = [
        ("/a\n/b\n/c\n", 0, false, "1,0,/a\n2,3,/b\n3,6,/c\n"),
        ("/a\n/b\n/c\n", 2, false, "1,6,/c\n"),
        ("/a\n/b\n/c", 2, false, "1,6,/c\n"),
        ("/a\n/b\n", 2, false, ""),
        ("/a", 1, false, ""),
        ("", 3, false, ""),
        (bom, 1, false, "1,9,/a\n"),
        (crlf, 2, false, "1,5,/a\n"),
        (csv, 2, true, "1,34,/a\n2,39,/b\n"),
        (quoted, 1, true, "1,19,/a\n"),
    ];
    for (text, lines, is_csv, expected) in cases {
        for (chunk, verify) in [(1 << 20, false), (1, false), (3, true)] {
            let set = |run: Conversion| {
                let run = run.skip_lines(lines).chunk(chunk).verify(verify);
                if is_csv {
                    href(run).normalize(urimill::run::NormalizeOptions::new().repair(true))
                } else {
                    run
                }
            };
            let found =
                rows(folder.path(), text.as_bytes(), set).unwrap_or_else(|error| panic!("{text:?}: {error}"));
            let found = found.strip_prefix("record,offset,uri\n").unwrap_or(&found);
            let is_empty = expected.is_empty() && !found.contains('/');
            assert!(is_empty || found == expected, "{text:?}, {lines}, {chunk}: {found}");
        }
    }
    // The format is detected from the lines that follow.
    let found = rows(folder.path(), log.as_bytes(), |run| run.skip_lines(1)).expect("a log");
    assert_eq!(found, "record,offset,uri\n1,15,/a\n");
}

#[test]
fn inputs_that_are_no_text_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let archive = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/\r\nWARC-Date: 2026-11-20T10:00:00Z\r\n\
                   Content-Length: 0\r\n\r\n\r\n\r\n";
    for format in [InputFormat::Auto, InputFormat::Warc] {
        let set = |run: Conversion| run.skip_lines(1).format(format);
        let error = rows(folder.path(), archive.as_bytes(), set).expect_err("an archive");
        assert_eq!(error.option(), Some(OptionName::SkipLines), "{error}");
        assert!(error.to_string().contains("skip_lines applies to text formats, and "), "{error}");
    }
}
