//! `urimill index` over many archives: one that cannot be indexed ends the run, or with `--on-damage` loses its own
//! lines.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;

use super::run::{dir, urimill, write};

fn page(number: usize) -> Vec<u8> {
    let block = "HTTP/1.1 200 OK\r\n\r\n";
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h.example/{number}\r\nWARC-Date: \
         2026-11-20T10:00:00Z\r\nContent-Type: application/http\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
    .into_bytes()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn keys(text: &str) -> Vec<&str> {
    text.lines().map(|line| line.split(' ').next().expect("a key")).collect()
}

#[test]
fn an_archive_that_cannot_be_had_costs_itself() {
    let dir = dir();
    write(dir.path(), "1.warc.gz", gzip(&page(1)));
    write(dir.path(), "3.warc", page(3));
    let many: Vec<u8> = (20..60).flat_map(page).collect();
    let mut cut = gzip(&page(2));
    cut.truncate(cut.len() / 2);
    let mut broken = page(2);
    broken[0] = b'X';
    let mut flipped = gzip(&page(2));
    flipped[1] ^= 1;
    // (what, bytes, exit code and message without --on-damage, its keys with --on-damage)
    type Case = (&'static str, Vec<u8>, i32, &'static str, Vec<&'static str>);
    let table: Vec<Case> = vec![
        ("compressed as a whole", gzip(&many), 2, "is compressed as a whole", vec!["example,h)/20"]),
        ("cut off", cut, 3, "is truncated", vec![]),
        ("its first byte", broken, 2, "2.warc.gz", vec![]),
        ("its magic number", flipped, 2, "2.warc.gz", vec![]),
        ("no archive", b"http://h/\n".to_vec(), 2, "2.warc.gz", vec![]),
    ];
    for (what, bytes, code, said, own) in table {
        write(dir.path(), "2.warc.gz", bytes);
        let line = "index 1.warc.gz 2.warc.gz 3.warc --summary none";
        urimill(line).within(dir.path()).fails(code, &[said]);
        let mut expected = ["example,h)/1", "example,h)/3"].into_iter().chain(own).collect::<Vec<_>>();
        expected.sort_unstable();
        for options in ["--on-damage keep", "--on-damage skip --threads 1", "--on-damage skip --chunk 1"] {
            let done = urimill(&format!("{line} {options}")).within(dir.path()).go();
            assert_eq!(done.code, Some(3), "{what} {options}: {}", done.stderr);
            assert!(done.stderr.contains("2.warc.gz"), "{what} {options}: {}", done.stderr);
            assert_eq!(keys(done.text()), expected, "{what} {options}");
        }
        // Alone there is nothing to be written.
        if code == 2 && what != "compressed as a whole" {
            let done = urimill("index 2.warc.gz --summary none --on-damage skip").within(dir.path()).go();
            assert_eq!((done.code, done.text()), (Some(2), ""), "{what}: {}", done.stderr);
        }
    }
    // The summary accounts for all records, and names each file once.
    write(dir.path(), "2.warc.gz", gzip(&many));
    let done =
        urimill("index 1.warc.gz 2.warc.gz 3.warc -o i.cdxj --summary json --on-damage skip --chunk 1")
            .within(dir.path())
            .go();
    let summary = done.stderr.lines().find(|line| line.starts_with('{')).expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(summary).expect("JSON");
    assert_eq!((&summary["records"], &summary["lines"]), (&42.into(), &3.into()));
    assert_eq!(summary["left_out"]["unreachable"], 39);
    assert_eq!(summary["damaged"].as_array().map(Vec::len), Some(1), "{summary}");
}

/// U+FFFD would name another file, or none.
#[cfg(unix)]
#[test]
fn a_name_that_is_not_utf8_is_an_error_of_its_file() {
    use std::os::unix::ffi::OsStrExt;
    let dir = dir();
    let odd = dir.path().join(OsStr::from_bytes(b"b\xff.warc"));
    std::fs::write(odd, page(2)).expect("a file");
    write(dir.path(), "a.warc", page(1));
    urimill("index *.warc --summary none").within(dir.path()).fails(2, &["is not UTF-8", "rename it"]);
    let done = urimill("index *.warc --summary none --on-damage keep").within(dir.path()).go();
    assert_eq!((done.code, keys(done.text())), (Some(3), vec!["example,h)/1"]), "{}", done.stderr);
    assert!(done.stderr.contains("is not UTF-8"), "{}", done.stderr);
    let line = "normalize --from warc --keep filename --columns uri --to csv --summary none";
    let done = urimill(&format!("{line} *.warc")).within(dir.path()).ok();
    let expected = "uri,filename,field_errors\nhttp://h.example/1,a.warc,\nhttp://h.example/2,b\u{fffd}.warc,filename:not_utf8\n";
    assert_eq!(done.text(), expected);
}

#[test]
fn a_revisit_without_a_digest_has_none() {
    let block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let archive = format!(
        "WARC/1.0\r\nWARC-Type: revisit\r\nWARC-Target-URI: http://h/\r\nWARC-Date: 2026-11-20T10:00:00Z\r\n\
         Content-Type: application/http\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    );
    let start = "h)/ 20261120100000 ";
    // (options, how the line goes on)
    for (options, rest) in [
        ("", "{\"url\": \"http://h/\", \"mime\": \"warc/revisit\", \"status\": \"200\", \"length\""),
        ("--like pywb", "{\"url\": \"http://h/\", \"mime\": \"warc/revisit\", \"length\""),
        ("--to cdx", "http://h/ warc/revisit 200 - - - "),
        ("--to cdx9 --like pywb", "http://h/ warc/revisit - - - 0 "),
    ] {
        let done = urimill(&format!("index --summary none {options}")).stdin(archive.as_bytes()).ok();
        let line = done.text().lines().last().expect("a line");
        assert!(line.starts_with(&format!("{start}{rest}")), "{options}: {line}");
    }
}

/// An input without records has an empty index; one of garbage has none.
#[test]
fn what_is_no_archive_is_refused() {
    let dir = dir();
    let write = |name: &str, bytes: &[u8]| write(dir.path(), name, bytes);
    write("a.txt", b"prose, of some words\nand more\n");
    write("a.bin", &[0, 1, 2, 3, 255, 254]);
    write("a.zip", b"PK\x03\x04\0\0\0\0");
    write("a.html", b"<html></html>");
    for name in ["a.txt", "a.bin", "a.zip", "a.html"] {
        for options in ["", "--on-damage skip", "--from warc", "--from arc --on-damage keep"] {
            let done = urimill(&format!("index {name} -o out.cdxj {options}")).within(dir.path()).go();
            assert_eq!(done.code, Some(2), "{name} {options}: {}", done.stderr);
            assert!(!Path::new(&dir.path().join("out.cdxj")).exists(), "{name} {options}");
        }
    }
}
