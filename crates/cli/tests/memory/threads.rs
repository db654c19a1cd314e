//! `--memory` holds where many threads read long pages and texts: twice as many of them take no more.

use std::io::Write;
use std::path::Path;

use super::inputs::{RecordSource, measure};

/// A response of so many bytes of this text, packed.
fn packed(kind: &str, piece: &str, bytes: usize) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(piece.repeat(bytes / piece.len()).as_bytes()).unwrap();
    let body = encoder.finish().unwrap();
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/{kind}\r\nContent-Encoding: gzip\r\n\r\n");
    let head = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/\r\nContent-Type: application/http\r\n\
         Content-Length: {}\r\n\r\n{http}",
        http.len() + body.len()
    );
    [head.as_bytes(), &body, b"\r\n\r\n"].concat()
}

/// Writes `count` files to a folder of their own; returns their paths as arguments.
fn files(dir: &Path, (end, piece, bytes): (&str, &str, usize), count: usize) -> String {
    let text = piece.repeat(bytes / piece.len());
    let one = |number: usize| {
        let path = dir.join(format!("{number}.{end}"));
        std::fs::write(&path, &text).unwrap();
        path.display().to_string()
    };
    (0..count).map(one).collect::<Vec<_>>().join(" ")
}

/// (command, what its inputs are, bytes of each): of 12 and of 24 inputs memory is less than what is allowed and 100 MiB,
/// which a run takes in any case.
#[test]
fn memory_holds_for_many_threads() {
    const KIB: usize = 1 << 10;
    let table = [
        ("links --from markdown", "md of *a", 512 * KIB),
        ("links --from markdown", "md of a\n", 512 * KIB),
        ("links --from markdown", "md of [a](b)", 128 * KIB),
        ("links --from html", "html of <a href=a>b</a>", 128 * KIB),
        ("links --from html", "html of <svg><desc>", 512 * KIB),
        ("links --from css", "css of a{b:url(c)}", 128 * KIB),
        ("links --from warc", "warc of <a href=a>b</a>", 128 * KIB),
        ("links --from warc", "warc of a b", 12_000 * KIB),
        ("extract --from warc", "warc of see http://h/a\n", 256 * KIB),
        ("extract --from warc", "warc of a b", 12_000 * KIB),
    ];
    for (command, what, bytes) in table {
        for count in [12, 24] {
            let dir = tempfile::tempdir().unwrap();
            let (kind, piece) = what.split_once(" of ").unwrap();
            let (inputs, feed): (String, RecordSource) = match kind {
                "warc" => ("-".to_owned(), (Vec::new(), packed("html", piece, bytes), count, Vec::new())),
                _ => (files(dir.path(), (kind, piece, bytes), count), Default::default()),
            };
            let to =
                if command.starts_with("links") { "csv --base http://h/ --summary none" } else { "uris" };
            let line = format!("{command} {inputs} --to {to} --threads 16 --memory 256M");
            let (code, mebibytes, said) = measure(&line, feed);
            println!("{command}, {count} {kind} of {piece:?}: {mebibytes} MiB");
            assert_eq!(code, Some(0), "{what}: {said}");
            assert!((2..256 + 100).contains(&mebibytes), "{command}, {count} {what}: {mebibytes} MiB");
        }
    }
}
