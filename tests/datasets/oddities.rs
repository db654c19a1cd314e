//! `datasets/README.md` against `datasets/oddities.txt`, and its verdicts against another parser.

use fluent_uri::UriRef;

use crate::dataset;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A row of the README's tables.
struct Row {
    line: usize,
    text: Vec<u8>,
    verdict: String,
    oddity: String,
    sections: String,
}

/// The rows whose first cell is a number, in the file's order.
fn rows() -> Vec<Row> {
    let readme = String::from_utf8(dataset("README.md")).expect("the README is UTF-8");
    let cells = |line: &str| -> Vec<String> {
        // A bar inside a cell is written `\|`.
        line.replace("\\|", "\u{1}").split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect()
    };
    let mut rows = Vec::new();
    for cells in readme.lines().map(cells) {
        if let [_, number, text, verdict, oddity, sections, _] = &cells[..]
            && let Ok(line) = number.parse()
        {
            let text = if text == "(nothing)" { Vec::new() } else { unescape(text.trim_matches('`')) };
            let [verdict, oddity, sections] = [verdict, oddity, sections].map(String::clone);
            rows.push(Row { line, text, verdict, oddity, sections });
        }
    }
    rows
}

/// Undoes the README's escapes: `\xHH` is a byte, `\(text*N)` a repetition.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        if let Some(hex) = escape.strip_prefix('x') {
            bytes.push(u8::from_str_radix(&hex[..2], 16).expect("two hexadecimal digits behind \\x"));
            rest = &hex[2..];
        } else {
            let (group, behind) = escape[1..].split_once(')').expect("a group ends in a bracket");
            let (part, count) = group.split_once('*').expect("a group has a count");
            bytes.extend_from_slice(part.repeat(count.parse().expect("the count is a number")).as_bytes());
            rest = behind;
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

/// The lines of the file, without the byte-order mark before the first.
fn lines() -> Vec<Vec<u8>> {
    let file = dataset("oddities.txt");
    let text = file.strip_prefix(BYTE_ORDER_MARK).expect("oddities.txt begins with a byte-order mark");
    text.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect()
}

#[test]
fn escapes_are_undone() {
    let cases: [(&str, &[u8]); 5] = [
        ("plain %41", b"plain %41"),
        ("a\\x00b", b"a\0b"),
        ("\\xFF\\x0D", b"\xFF\r"),
        ("\\(ab*3)c", b"abababc"),
        ("(a)*2\\x5Cx41", b"(a)*2\\x41"),
    ];
    for (text, expected) in cases {
        assert_eq!(unescape(text), expected, "{text}");
    }
}

#[test]
fn the_tables_name_every_line() {
    let (rows, lines) = (rows(), lines());
    for (index, (row, line)) in rows.iter().zip(&lines).enumerate() {
        assert_eq!(row.line, index + 1, "the rows are numbered as the lines are");
        assert_eq!(row.text.escape_ascii().to_string(), line.escape_ascii().to_string(), "line {}", row.line);
        assert!(!row.oddity.is_empty() && !row.sections.is_empty(), "line {} says what and where", row.line);
    }
    assert_eq!(rows.len(), lines.len());
}

/// RFC 3986, Appendix A, as another project implements it.
#[test]
fn the_verdicts_are_right() {
    for row in rows() {
        let record = row.text.strip_suffix(b"\r").unwrap_or(&row.text);
        let uri = std::str::from_utf8(record).ok().and_then(|text| UriRef::parse(text).ok());
        let expected = match (record.is_empty(), uri) {
            (true, _) => "skip",
            (false, Some(_)) => "valid",
            (false, None) => "reject",
        };
        assert_eq!(row.verdict, expected, "line {}: {}", row.line, record.escape_ascii());
    }
}

/// Bytes that git or an editor would repair: they are the reason for the file.
#[test]
fn the_odd_bytes_are_still_there() {
    let file = dataset("oddities.txt");
    let count = |needle: &[u8]| file.windows(needle.len()).filter(|window| *window == needle).count();
    assert!(file.starts_with(BYTE_ORDER_MARK));
    assert_eq!(count(b"\r\n"), 4, "CRLF");
    assert_eq!(count(b"\0"), 1, "NUL");
    assert_eq!(count(b"\n\n"), 1, "blank line");
    assert!(std::str::from_utf8(&file).is_err(), "Latin-1");
    assert!(!file.ends_with(b"\n"), "no newline at the end");
}
