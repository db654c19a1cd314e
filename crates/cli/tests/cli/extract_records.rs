//! `urimill extract` from records: texts in web archives, texts of fields, and inputs that hold no text.

use std::io::Write;

use serde_json::{Value, json};

use super::run::{dir, urimill, write};
use super::table::jsonl;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn record(fields: &str, block: &[u8]) -> Vec<u8> {
    let head = format!("WARC/1.0\r\n{fields}Content-Length: {}\r\n\r\n", block.len());
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

fn response(page: &str, fields: &str, body: &[u8]) -> Vec<u8> {
    let http = [format!("HTTP/1.1 200 OK\r\n{fields}\r\n").as_bytes(), body].concat();
    let fields = format!(
        "WARC-Type: response\r\nWARC-Target-URI: {page}\r\nContent-Type: application/http;msgtype=response\r\n"
    );
    record(&fields, &http)
}

/// A page in each way that archives hold them, and records that are not text.
fn archive() -> Vec<u8> {
    let html = b"<a href=\"http://one.example/\">1</a>";
    let request = b"GET / HTTP/1.1\r\nReferer: http://no.example/\r\n\r\n";
    [
        record("WARC-Type: warcinfo\r\nContent-Type: application/warc-fields\r\n", b"isPartOf: http://no.example/\r\n"),
        response("http://h/1", "Content-Type: text/html\r\nX: http://no.example/\r\n", html),
        response("http://h/2", "Content-Type: text/html\r\nContent-Encoding: gzip\r\n", &gzip(b"http://two.example/")),
        response("http://h/3", "Transfer-Encoding: chunked\r\n", b"a\r\nhttp://thr\r\n9\r\nee.exampl\r\n1\r\ne\r\n0\r\n\r\n"),
        response("http://h/4", "Content-Type: image/png\r\n", b"http://no.example/"),
        response("http://h/5", "Content-Type: text/html\r\nContent-Encoding: compress\r\n", b"http://no.example/"),
        record("WARC-Type: request\r\nWARC-Target-URI: http://h/1\r\nContent-Type: application/http;msgtype=request\r\n", request),
        record("WARC-Type: conversion\r\nWARC-Target-URI: <http://h/6>\r\nContent-Type: text/plain\r\n", b"See http://six.example/."),
    ]
    .concat()
}

#[test]
fn what_a_web_archive_holds() {
    let dir = dir();
    write(dir.path(), "a.warc", archive());
    write(dir.path(), "b.warc.gz", gzip(&archive()));
    let uris = "http://one.example/\nhttp://two.example/\nhttp://three.example\nhttp://six.example/\n";
    for line in
        ["extract a.warc", "extract a.warc --from warc", "extract b.warc.gz", "extract a.warc --threads 1"]
    {
        let done = urimill(line).within(dir.path()).ok();
        assert_eq!(done.text(), uris, "{line}: {}", done.stderr);
        assert_eq!(
            done.stderr, "urimill: not searched: 1 record, whose payload cannot be decoded\n",
            "{line}"
        );
    }
    let done = urimill("extract --from warc --records conversion").stdin(archive()).ok();
    assert_eq!(done.text(), "http://six.example/\n");
    let done = urimill("extract a.warc --to jsonl").within(dir.path()).ok();
    let found: Vec<Value> = jsonl(&done.stdout)
        .iter()
        .map(|row| json!([row["source"], row["record"], row["page"], row["offset"], row["uri"]]))
        .collect();
    assert_eq!(
        found,
        [
            json!(["a.warc", 2, "http://h/1", 9, "http://one.example/"]),
            json!(["a.warc", 3, "http://h/2", 0, "http://two.example/"]),
            json!(["a.warc", 4, "http://h/3", 0, "http://three.example"]),
            json!(["a.warc", 8, "http://h/6", 4, "http://six.example/"]),
        ]
    );
    // Beside texts, in one call.
    write(dir.path(), "c.txt", "http://text.example/\n");
    let done = urimill("extract c.txt a.warc c.txt").within(dir.path()).ok();
    assert_eq!(done.text(), format!("http://text.example/\n{uris}http://text.example/\n"));
    let done = urimill("extract").stdin(archive()).go();
    assert_eq!(done.code, Some(2));
    assert!(
        done.stderr.contains("standard input looks like a web archive: say --from warc"),
        "{}",
        done.stderr
    );
}

#[test]
fn arc_files() {
    let block = b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=http://one.example/>";
    let info = b"1 0 Example\nURL IP-address Archive-date Content-type Archive-length\n";
    let arc = [
        format!("filedesc://a.arc 0.0.0.0 20010101000000 text/plain {}\n", info.len()).as_bytes(),
        info,
        format!("\nhttp://h/1 192.0.2.1 20010101000000 text/html {}\n", block.len()).as_bytes(),
        block,
        b"\n",
    ]
    .concat();
    let dir = dir();
    write(dir.path(), "a.arc", &arc);
    for line in ["extract a.arc --to jsonl", "extract a.arc --from arc --to jsonl"] {
        let done = urimill(line).within(dir.path()).ok();
        let rows = jsonl(&done.stdout);
        assert_eq!(rows.len(), 1, "{line}: {}", done.text());
        assert_eq!(
            json!([rows[0]["page"], rows[0]["uri"]]),
            json!(["http://h/1", "http://one.example/"]),
            "{line}"
        );
    }
}

#[test]
fn texts_of_fields() {
    let dir = dir();
    let csv = "id,body\n1,\"See http://a.example/,\nand <http://b.exa\nmple/>\"\n2,\n3,http://c.example/\n";
    write(dir.path(), "t.csv", csv);
    let objects = "{\"body\": \"http:\\/\\/a.example\\/\", \"x\": \"http://no.example/\"}\n{\"body\": \"\\u003chttp://b.example/\\u003e\"}\n{\"x\": 1}\n";
    write(dir.path(), "t.jsonl", objects);
    urimill("normalize t.csv --from csv --uri-field id --columns record,body -o t.parquet")
        .within(dir.path())
        .ok();
    // (arguments, the URIs with their records)
    let cases: &[(&str, &[(&str, i64)])] = &[
        (
            "t.csv --from csv --uri-field body",
            &[("http://a.example/", 1), ("http://b.example/", 1), ("http://c.example/", 3)],
        ),
        (
            "t.csv --uri-field body",
            &[("http://a.example/", 1), ("http://b.example/", 1), ("http://c.example/", 3)],
        ),
        ("t.jsonl --uri-field body", &[("http://a.example/", 1), ("http://b.example/", 2)]),
        (
            "t.parquet --uri-field body",
            &[("http://a.example/", 1), ("http://b.example/", 1), ("http://c.example/", 3)],
        ),
    ];
    for (line, expected) in cases {
        let done = urimill(&format!("extract {line} --to jsonl")).within(dir.path()).ok();
        let found: Vec<_> =
            jsonl(&done.stdout).iter().map(|row| json!([row["uri"], row["record"]])).collect();
        let expected: Vec<_> = expected.iter().map(|(uri, record)| json!([uri, record])).collect();
        assert_eq!(found, expected, "{line}: {}", done.stderr);
    }
    // Without a field it is the whole text, as it is written.
    let done = urimill("extract t.csv").within(dir.path()).ok();
    assert_eq!(done.text(), "http://a.example/\nhttp://b.example/\nhttp://c.example/\n");
    assert_eq!(
        urimill("extract t.jsonl").within(dir.path()).ok().text(),
        "http://no.example/\nhttp://b.example/\n"
    );
}

#[test]
fn lines_of_logs_and_other_encodings() {
    let dir = dir();
    let log = "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET http://a.example/ HTTP/1.1\" 200 5 \"http://b.example/\" \"x\"\n";
    write(dir.path(), "log", log);
    for line in [
        "extract log",
        "extract log --from clf",
        "extract log --log-format combined",
        "extract log --from lines",
    ] {
        assert_eq!(
            urimill(line).within(dir.path()).ok().text(),
            "http://a.example/\nhttp://b.example/\n",
            "{line}"
        );
    }
    let text: Vec<u8> = "<http://a.example/ä>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    write(dir.path(), "utf-16", text);
    let done = urimill("extract utf-16 --encoding utf-16le --from lines").within(dir.path()).ok();
    assert_eq!(done.text(), "http://a.example/%C3%A4\n");
}

#[test]
fn what_holds_no_text_is_refused() {
    let dir = dir();
    write(dir.path(), "t.csv", "id,url\n1,http://h/\n");
    urimill("normalize t.csv --from csv --uri-field url -o t.parquet").within(dir.path()).ok();
    write(dir.path(), "a.pdf", "%PDF-1.4\nhttp://a.example/ \n");
    write(dir.path(), "image", [b"\x89PNG\r\n\x1a\n".as_slice(), &[0; 100], b"http://a.example/ "].concat());
    // (arguments, what the sentence has in it)
    let cases: &[(&str, &[&str])] = &[
        ("t.parquet", &["t.parquet is a table: name the column whose text is searched with --uri-field"]),
        ("a.pdf", &["a.pdf looks like a PDF document"]),
        ("image", &["image looks like a PNG image"]),
        ("t.csv --from csv", &["--from csv needs the field of the URI", "--uri-field"]),
        ("t.csv --from csv --uri-field id,url", &["one URI of each record is looked at"]),
        ("t.csv --records response --from csv", &["--records"]),
    ];
    for (line, parts) in cases {
        urimill(&format!("extract {line}")).within(dir.path()).fails(2, parts);
    }
    // Who says that it is text is taken at their word.
    assert_eq!(urimill("extract image --from lines").within(dir.path()).ok().text(), "http://a.example/\n");
    assert_eq!(urimill("extract a.pdf --from lines").within(dir.path()).ok().text(), "http://a.example/\n");
}

#[test]
fn damaged_inputs() {
    let dir = dir();
    let lines: String =
        (0..20_000u32).map(|n| format!("http://{:x}.example/\n", n.wrapping_mul(0x9e37_79b9))).collect();
    let whole = gzip(lines.as_bytes());
    write(dir.path(), "cut.gz", &whole[..whole.len() / 2]);
    let done = urimill("extract cut.gz").within(dir.path()).go();
    assert!(done.code == Some(3) && done.stderr.contains("cut.gz"), "{}", done.stderr);
    write(dir.path(), "cut.warc.gz", &gzip(&archive())[..300]);
    for input in ["cut.gz", "cut.warc.gz"] {
        let line = format!("extract {input} t.txt --on-damage keep -o found.txt --force");
        write(dir.path(), "t.txt", "http://last.example/\n");
        let done = urimill(&line).within(dir.path()).go();
        assert_eq!(done.code, Some(3), "{input}: {}", done.stderr);
        let found = std::fs::read_to_string(dir.path().join("found.txt")).expect("an output");
        assert!(found.ends_with("http://last.example/\n"), "{input}");
        assert!(found.lines().count() > 1 || input == "cut.warc.gz", "{input}");
    }
}

/// A message with a part in each encoding.
const MESSAGE: &str = "From: <a@h>\r\nMessage-ID: <1@h.example>\r\nList-Unsubscribe: <http://h.example/unsubscribe>\r\n\
    MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n\
    --x\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
    See http://one.exam=\r\nple/?a=3Db.\r\n\
    --x\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n\
    PGEgaHJlZj0iaHR0cDovL3R3by5leGFtcGxlLz9hJmFtcDtiIj5jPC9hPg==\r\n\
    --x\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\nIGh0dHA6Ly9uby5leGFtcGxlLyA=\r\n\
    --x\r\nContent-Type: message/rfc822\r\n\r\nSubject: d\r\n\r\nhttp://three.example/\r\n--x--\r\n";

#[test]
fn mail_is_decoded() {
    let dir = dir();
    let uris = "http://h.example/unsubscribe\nhttp://one.example/?a=b\nhttp://two.example/?a&b\nhttp://three.example/\n";
    write(dir.path(), "a.eml", MESSAGE);
    write(dir.path(), "b.gz", gzip(MESSAGE.as_bytes()));
    write(
        dir.path(),
        "c",
        format!("From a\n{MESSAGE}\nFrom b\nSubject: http://four.example/\n\nhttp=\n://no.example/\n"),
    );
    for (line, expected) in [
        ("extract a.eml", uris.to_owned()),
        ("extract b.gz", uris.to_owned()),
        ("extract c", format!("{uris}http://four.example/\n")),
        ("extract --threads 3 c", format!("{uris}http://four.example/\n")),
    ] {
        let done = urimill(line).within(dir.path()).ok();
        assert!(done.text().starts_with(&expected), "{line}: {}", done.text());
    }
    assert_eq!(urimill("extract").stdin(MESSAGE).ok().text(), uris);
    let rows = jsonl(&urimill("extract --to jsonl").stdin(MESSAGE).ok().stdout);
    assert_eq!(rows[1]["page"], json!("mid:1@h.example"));
    // In the decoded part.
    assert_eq!((&rows[1]["offset"], &rows[2]["offset"]), (&json!(4), &json!(9)));
    // A part without its last boundary is decoded all the same (RFC 2046, 5.1.2).
    let cut = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/html\n\
        Content-Transfer-Encoding: quoted-printable\n\n<a href=3D\"http://h=\n.example/?a&amp;b\">\n";
    assert_eq!(urimill("extract").stdin(cut).ok().text(), "http://h.example/?a&b\n");
    // A text that only mentions mail is a text.
    let done = urimill("extract").stdin("The line From: a=3Db, http://h=3Dx/").ok();
    assert_eq!(done.text(), "http://h=3Dx/\n");
}
