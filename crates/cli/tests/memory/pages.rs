//! Pages whose references take much more than their bytes would.

use super::inputs::{RecordSource, measure};

/// A record of a WARC with this head and this block.
fn record(fields: &str, block: Vec<u8>) -> RecordSource {
    let head =
        format!("WARC/1.0\r\nWARC-Target-URI: http://h/\r\n{fields}Content-Length: {}\r\n\r\n", block.len());
    (head.into_bytes(), block, 1, b"\r\n\r\n".to_vec())
}

fn page(begin: &str, piece: &str, bytes: usize) -> RecordSource {
    let end = if begin.ends_with('\'') { "'>" } else { "" };
    let block = [begin, &piece.repeat(bytes / piece.len()), end].concat().into_bytes();
    record("WARC-Type: resource\r\nContent-Type: text/html\r\n", block)
}

/// A message of 15 MiB.
fn mail(begin: &str, piece: &str) -> RecordSource {
    let head = format!("MIME-Version: 1.0\nContent-Type: {begin}");
    let head = if piece.starts_with("--") { format!("{head}\n\n") } else { head };
    (head.into_bytes(), piece.repeat((15 << 20) / piece.len()).into_bytes(), 1, Vec::new())
}

/// (what it is, input, what is said): at most three eighths of a gibibyte of memory each, with two threads.
#[test]
fn pages_take_bounded_memory() {
    let mib = 1 << 20;
    let wat = ["{\"Envelope\":[", &"0,".repeat(7 * mib), "0]}"].concat();
    let base = format!("<base href='http://h/{}/'>", "b".repeat(7900));
    let table: Vec<(&str, RecordSource, &str)> = vec![
        ("a reference in two bytes", page("<a ping='", "a ", 15 * mib), "1,048,576 rows"),
        ("anchors that never end", page("", "<a href=a>b", 4 * mib), "381,300 rows"),
        ("svg in svg", page("", "<svg><desc>", 16 * mib), "1 without"),
        ("an attribute of 15 MiB", page("<a href='", "a", 15 * mib), "1 reject"),
        ("a long base", page(&base, "<a href>", 1 << 16), "8,193 rows"),
        ("a long text", page("<a href=a>", "b ", 16 * mib), "1 row"),
        ("mail of empty parts", mail("multipart/mixed; boundary=x", "--x\n"), "1 page"),
        (
            "mail of parts in parts",
            mail("multipart/mixed; boundary=x", "--x\nContent-Type: multipart/mixed; boundary=x\n\n"),
            "1 page",
        ),
        ("mail of header fields", mail("text/html\n", "To: a,a,a,a,a,a,a,a\n"), "1 page"),
        ("mail of addresses", mail("text/html\nTo: ", "a@b,"), "1 page"),
        ("mail of parameters", mail("text/html; ", "a=b;"), "1 page"),
        ("JSON of numbers", record("WARC-Type: metadata\r\n", wat.into_bytes()), "0 pages"),
    ];
    for (what, feed, said) in table {
        let kind = match what.split(' ').next() {
            Some("JSON") => "wat",
            Some("mail") => "mail",
            _ => "warc",
        };
        let (code, mebibytes, stderr) = measure(&format!("links --to csv --threads 2 --from {kind}"), feed);
        println!("{what}: {mebibytes} MiB");
        assert_eq!(code, Some(0), "{what}: {stderr}");
        assert!(stderr.contains(said), "{what}: {stderr}");
        assert!((2..384).contains(&mebibytes), "{what}: {mebibytes} MiB");
    }
}
