//! ARC and WAT files, compared with readers that go by the lengths that records state.

use regex::bytes::Regex;
use serde_json::Value;
use std::sync::LazyLock;
use urimill::read::format::InputFormat;

use super::{Row, Trial, reader, row};

/// URI, address, time and media type; in version 2 also status, checksum, location, offset and file name; and the
/// length.
static VERSIONS: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    let begin = r"^([A-Za-z][-+.A-Za-z0-9]*:[^\n]*) (-|[0-9A-Fa-f.:]{2,}) ([0-9]{12}|[0-9]{14}) ([^ \n]+) ";
    let more = "([^ \n]*) ([^ \n]*) ([^ \n]*) [^ \n]* [^ \n]* ";
    [begin.to_owned(), [begin, more].concat()]
        .map(|text| Regex::new(&format!("(?-u){text}([0-9]{{1,18}})\r?$")).expect("an expression"))
});

fn line_end(bytes: &[u8], from: usize) -> Option<usize> {
    memchr::memchr(b'\n', bytes.get(from..)?).map(|at| from + at)
}

fn arc(text: &str) -> Option<Vec<Row>> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    loop {
        let blank = bytes[at..].iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
        if at + blank == bytes.len() {
            return Some(found);
        }
        // A record but the first follows a line end, or its URI shows that it begins.
        if blank == 0 && at > 0 && !text.get(at..).is_some_and(|rest| rest.starts_with("http://")) {
            return None;
        }
        at += blank;
        let end = line_end(bytes, at)?;
        let line = &bytes[at..end];
        let [one, two] = [0, 1].map(|version| VERSIONS[version].captures(line));
        let fields = one.xor(two)?;
        let get = |number: usize| {
            let text = String::from_utf8_lossy(&fields[number]).into_owned();
            if text == "-" { String::new() } else { text }
        };
        let digits = get(fields.len() - 1);
        at = end + 1 + digits.parse::<usize>().ok()?;
        if at > bytes.len() {
            return None;
        }
        let length = digits.trim_start_matches('0');
        let length = if length.is_empty() { "0" } else { length };
        let [uri, ip, mime] = [1, 2, 4].map(get);
        let mut own = row(&[("uri", &uri), ("ip_address", &ip), ("mime", &mime), ("content_length", length)]);
        if fields.len() > 6 {
            own.extend(row(&[("checksum", &get(6)), ("location", &get(7))]));
        }
        if !uri.starts_with("filedesc:") {
            found.push(own);
        }
    }
}

#[test]
fn arc_files() {
    let seed = "filedesc://a 0.0.0.0 20050604120000 text/plain 4\n1 0\n\nhttp://LLLone/ 192.0.2.1 20050604120000 text/TTTone 13\n\
                HTTP/1.0 200\n\nhttp://LLLtwo/ 192.0.2.1 20050604120000 text/TTTtwo 200 CCCtwo http:RRRtwo 5 NNNtwo 4\nabc\n\n\
                http://LLLsix/ 2001:db8::1 20050604120000 text/TTTsix 7\na\n\nb\n\nc\n";
    let marks =
        &[("uri", "LLL"), ("mime", "TTT"), ("checksum", "CCC"), ("location", "RRR"), ("extra", "NNN")];
    let pieces = &[" ", "\n", "\r", "-", "0", "1", "2", "3", "5", "7", "9", ".", ":", "\n\n"];
    Trial { format: reader(InputFormat::Arc), seeds: &[seed], pieces, marks, other: arc, is_strict: true }
        .run();
}

/// The fields of a record, its block, and the records after it.
type Record<'a> = (Vec<(&'a str, &'a str)>, &'a str, &'a str);

fn record(text: &str) -> Option<Record<'_>> {
    let (header, rest) = text.strip_prefix("WARC/1.0\r\n")?.split_once("\r\n\r\n")?;
    let is_name =
        |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') && !name.is_empty();
    let field = |line: &'_ str| -> Option<(usize, usize)> {
        let colon = line.find(": ").filter(|&at| is_name(&line[..at]))?;
        Some((colon, colon + 2))
    };
    let mut fields = Vec::new();
    for line in header.split("\r\n") {
        let (end, from) = field(line)?;
        if line.contains(['\r', '\n', '\t']) || fields.iter().any(|(own, _)| *own == &line[..end]) {
            return None;
        }
        fields.push((&line[..end], &line[from..]));
    }
    let length: usize = fields.iter().find(|(name, _)| *name == "Content-Length")?.1.parse().ok()?;
    let (block, rest) = rest.split_at_checked(length)?;
    Some((fields, block, rest.strip_prefix("\r\n\r\n")?))
}

fn wat(mut text: &str) -> Option<Vec<Row>> {
    let mut found = Vec::new();
    while !text.is_empty() {
        let (fields, block, rest) = record(text)?;
        text = rest;
        let field = |name: &str| fields.iter().find(|(own, _)| *own == name).map_or("", |(_, value)| value);
        let object = super::documents::document(block).filter(Value::is_object)?;
        let paths = [
            ("container_filename", "/Container/Filename"),
            ("envelope_type", "/Envelope/WARC-Header-Metadata/WARC-Type"),
            ("warc_payload_digest", "/Envelope/WARC-Header-Metadata/WARC-Payload-Digest"),
            ("title", "/Envelope/Payload-Metadata/HTTP-Response-Metadata/HTML-Metadata/Head/Title"),
        ];
        let mut own = super::documents::columns(&object, &paths)?;
        let (uri, kind, id) = (field("WARC-Target-URI"), field("WARC-Type"), field("WARC-Record-ID"));
        let is_plain = |text: &str| !text.is_empty() && !text.contains(|c: char| c.is_ascii_whitespace());
        if [uri, kind, id].iter().any(|text| !is_plain(text)) || uri.starts_with('<') {
            return None;
        }
        own.extend(row(&[("uri", uri), ("warc_type", kind), ("warc_record_id", id)]));
        // A warcinfo record without a target has no row of its own.
        found.push(own);
    }
    Some(found)
}

#[test]
fn wat_files() {
    let record = |tag: &str| {
        let block = format!(
            "{{\"Container\":{{\"Filename\":\"NNN{tag}\",\"Offset\":\"5\"}},\"Envelope\":{{\"WARC-Header-Metadata\":{{\"WARC-Type\":\
             \"EEE{tag}\",\"WARC-Payload-Digest\":\"DDD{tag}\"}},\"Payload-Metadata\":{{\"HTTP-Response-Metadata\":{{\"Headers\":\
             {{\"Content-Type\":\"PPP{tag}\"}},\"HTML-Metadata\":{{\"Head\":{{\"Title\":\"TTT{tag}\"}}}}}}}}}}}}"
        );
        format!(
            "WARC/1.0\r\nWARC-Type: KKK{tag}\r\nWARC-Target-URI: http://LLL{tag}/\r\nWARC-Record-ID: <urn:III{tag}>\r\n\
             Content-Type: application/CCC{tag}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
    };
    let seed = [record("one"), record("two")].concat();
    let format = reader(InputFormat::Wat);
    let marks = &[
        ("uri", "LLL"),
        ("warc_type", "KKK"),
        ("warc_record_id", "III"),
        ("content_type", "CCC"),
        ("container_filename", "NNN"),
        ("envelope_type", "EEE"),
        ("warc_payload_digest", "DDD"),
        ("payload_type", "PPP"),
        ("title", "TTT"),
    ];
    let pieces = &["{", "}", "\"", ",", ":", "\\", " ", "\r", "\n", "\r\n", "null", "\"a\":1,", "5"];
    Trial { format, seeds: &[&seed], pieces, marks, other: wat, is_strict: false }.run();
}
