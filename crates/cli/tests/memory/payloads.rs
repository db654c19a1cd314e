//! Payloads of web archives that are searched for URIs: long ones, and short ones that decode to long ones.

use std::io::Write;

use super::inputs::{RecordSource, measure};

/// A response whose body is so many bytes long.
fn head(fields: &str, length: usize) -> Vec<u8> {
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n{fields}\r\n");
    let length = http.len() + length;
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/\r\nContent-Type: application/http\r\n\
         Content-Length: {length}\r\n\r\n{http}"
    )
    .into_bytes()
}

fn packed(piece: &[u8], times: usize) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    (0..times).for_each(|_| encoder.write_all(piece).unwrap());
    encoder.finish().unwrap()
}

/// Payloads of so many bytes take at most three eighths of a gibibyte of memory, with two threads.
fn take_bounded_memory(bytes: usize) {
    let uris = "see http://h/a and <http://h/b>, www.h.example\n".repeat(1 << 14).into_bytes();
    let blanks = vec![b' '; 1 << 20];
    let of = |piece: &[u8]| bytes / piece.len();
    let plain = |piece: &[u8]| -> RecordSource {
        (head("", piece.len() * of(piece)), piece.to_vec(), of(piece), b"\r\n\r\n".to_vec())
    };
    let gzip = |piece: &[u8]| -> RecordSource {
        let body = packed(piece, of(piece));
        (head("Content-Encoding: gzip\r\n", body.len()), body, 1, b"\r\n\r\n".to_vec())
    };
    // Two records, so that one has to wait for its turn.
    let (first, second) = (packed(&uris, of(&uris)), packed(&uris, of(&uris)));
    let fields = "Content-Encoding: gzip\r\n";
    let one = [head(fields, first.len()), first, b"\r\n\r\n".to_vec()].concat();
    let other = [head(fields, second.len()), second, b"\r\n\r\n".to_vec()].concat();
    let chunk = [format!("{:x}\r\n", uris.len()).as_bytes(), &uris, b"\r\n"].concat();
    let end = b"0\r\n\r\n";
    let chunked = (
        head("Transfer-Encoding: chunked\r\n", chunk.len() * of(&uris) + end.len()),
        chunk,
        of(&uris),
        [&end[..], b"\r\n\r\n"].concat(),
    );
    let table: Vec<(&str, RecordSource)> = vec![
        ("many URIs", plain(&uris)),
        ("many URIs in chunks", chunked),
        ("many URIs, packed", gzip(&uris)),
        ("many URIs in two records", (one, other, 1, Vec::new())),
        ("no URIs", plain(&blanks)),
        ("a URI that does not end", plain(&b"http://h/".repeat(1 << 16))),
        ("an angle bracket that does not end", plain(&b"<http://h/ ".repeat(1 << 16))),
    ];
    for (what, feed) in table {
        for form in ["uris", "jsonl"] {
            let line = format!("extract --from warc --threads 2 --to {form}");
            let feed = (feed.0.clone(), feed.1.clone(), feed.2, feed.3.clone());
            let (code, mebibytes, stderr) = measure(&line, feed);
            println!("{what}, {form}: {mebibytes} MiB");
            assert_eq!((code, &*stderr), (Some(0), ""), "{what}");
            assert!((2..384).contains(&mebibytes), "{what}: {mebibytes} MiB");
        }
    }
}

#[test]
fn long_payloads_take_bounded_memory() {
    take_bounded_memory(40 << 20);
}

#[test]
#[ignore = "takes minutes"]
fn payloads_of_a_gibibyte_take_bounded_memory() {
    take_bounded_memory(1 << 30);
}
