//! Web archives that tests read: their records and members.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

/// One member of gzip.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// A record of a WARC file with these lines of its header, the length of its block among them, and the two empty lines.
pub fn record(fields: &[&str], block: &[u8]) -> Vec<u8> {
    let mut bytes = b"WARC/1.0\r\n".to_vec();
    fields.iter().for_each(|field| bytes.extend_from_slice(format!("{field}\r\n").as_bytes()));
    bytes.extend_from_slice(format!("Content-Length: {}\r\n\r\n", block.len()).as_bytes());
    bytes.extend_from_slice(block);
    bytes.extend_from_slice(b"\r\n\r\n");
    bytes
}

/// The records of a crawler: about itself, the request, the response, a page that contains text like records, and a
/// revisit.
pub fn warc() -> Vec<Vec<u8>> {
    let page = [b"HTTP/1.1 404 Not Found\r\n\r\n".to_vec(), record(&["WARC-Target-URI: http://inner/"], b"")];
    vec![
        record(
            &[
                "WARC-Type: warcinfo",
                "WARC-Date: 2024-04-12T10:13:54Z",
                "WARC-Record-ID: <urn:uuid:1>",
                "WARC-Filename: a.warc.gz",
                "Content-Type: application/warc-fields",
            ],
            b"software: a crawler\r\n",
        ),
        record(
            &[
                "WARC-Type: request",
                "WARC-Date: 2024-04-12T10:13:55Z",
                "WARC-Record-ID: <urn:uuid:2>",
                "Content-Type: application/http; msgtype=request",
                "WARC-Warcinfo-ID: <urn:uuid:1>",
                "WARC-IP-Address: 192.0.2.7",
                "WARC-Target-URI: http://Example.org/a",
            ],
            b"GET /a HTTP/1.1\r\nHost: example.org\r\n\r\n",
        ),
        record(
            &[
                "WARC-Type: response",
                "WARC-Date: 2024-04-12T10:13:55.123456Z",
                "WARC-Record-ID: <urn:uuid:3>",
                "Content-Type: application/http; msgtype=response",
                "WARC-Concurrent-To: <urn:uuid:2>",
                "WARC-Concurrent-To: <urn:uuid:1>",
                "WARC-IP-Address: 192.0.2.7",
                "WARC-Target-URI: http://example.org/a",
                "WARC-Payload-Digest: sha1:ABC",
                "WARC-Identified-Payload-Type: text/html",
            ],
            &page.concat(),
        ),
        record(
            &[
                "WARC-Type: revisit",
                "WARC-Date: 2024-04-12T10:13:56Z",
                "WARC-Record-ID: <urn:uuid:4>",
                "Content-Type: application/http; msgtype=response",
                "WARC-Target-URI: <http://example.org/b>",
            ],
            b"HTTP/1.0  304\r\n\r\n",
        ),
        record(
            &[
                "WARC-Type: metadata",
                "WARC-Date: 2024-04-12T10:13:57Z",
                "WARC-Record-ID: <urn:uuid:5>",
                "Content-Type: application/json",
                "WARC-Target-URI: urn:x:y",
            ],
            &vec![b'{'; 300_000],
        ),
    ]
}

/// A record of this type with these lines of its header.
pub fn typed(kind: &str, fields: &[&str], block: &str) -> Vec<u8> {
    let mut text = format!("WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Date: 2024-04-12T10:13:55Z\r\n");
    text.push_str("WARC-Record-ID: <urn:uuid:1>\r\n");
    fields.iter().for_each(|field| text.push_str(&format!("{field}\r\n")));
    text.push_str(&format!("Content-Length: {}\r\n\r\n{block}\r\n\r\n", block.len()));
    text.into_bytes()
}

/// A record of metadata about a record of `kind`, as Common Crawl writes it.
fn described(target: &str, kind: &str, payload: &Value) -> (String, String) {
    let block = json!({
        "Container": {
            "Filename": "CC-MAIN-1.warc.gz", "Compressed": true, "Offset": "466",
            "Gzip-Metadata": {"Deflate-Length": "1234", "Header-Length": "10", "Inflated-Length": "5000"},
        },
        "Envelope": {
            "Format": "WARC", "WARC-Header-Length": "300",
            "WARC-Header-Metadata": {
                "WARC-Type": kind, "WARC-Target-URI": target, "WARC-IP-Address": "192.0.2.7",
                "WARC-Payload-Digest": "sha1:ABC", "WARC-Identified-Payload-Type": "text/html",
            },
            "Payload-Metadata": payload,
        },
    });
    (format!("WARC-Target-URI: {target}"), block.to_string())
}

fn answered() -> Value {
    json!({
        "Actual-Content-Type": "application/http; msgtype=response",
        "HTTP-Response-Metadata": {
            "Response-Message": {"Version": "HTTP/1.1", "Status": "404", "Reason": "Not Found"},
            "Headers": {"content-Type": "text/html ; charset=UTF-8", "Server": "x"},
            "HTML-Metadata": {"Head": {"Title": "A \"title\" {", "Metas": [{"Title": "no"}]}, "Links": []},
        },
    })
}

/// warcinfo, and metadata about a warcinfo, a request and a response.
pub fn wat() -> Vec<Vec<u8>> {
    let about = |target: &str, kind: &str, payload: &Value| {
        let (target, block) = described(target, kind, payload);
        typed("metadata", &[&target, "Content-Type: application/json"], &block)
    };
    let info = typed("warcinfo", &["Content-Type: application/warc-fields"], "software: x\r\n");
    let request = json!({"HTTP-Request-Metadata": {"Headers": {"Accept": "*"}}});
    vec![
        info,
        about("CC-MAIN-1.warc.gz", "warcinfo", &json!({})),
        about("http://example.org/a", "request", &request),
        about("http://example.org/a", "response", &answered()),
    ]
}

/// The records of an ARC file of version 1, and one of version 2.
pub fn arc() -> Vec<Vec<u8>> {
    let info = "1 0 Archive\nURL IP-address Archive-date Content-type Archive-length\n\n";
    let line = |head: &str, block: &str| format!("{head} {}\n{block}\n", block.len()).into_bytes();
    vec![
        line("filedesc://a.arc 0.0.0.0 20050604120000 text/plain", info),
        line("dns:example.org 192.0.2.1 20050604120000 text/dns", "20050604120000\nexample.org.\n"),
        line(
            "http://Example.org/a 192.0.2.7 20050604120001 text/html",
            "HTTP/1.1 404 Not Found\r\n\r\n<p>\n\nhttp://x/ 1.1.1.1 20050604120000 a/b 5\n",
        ),
        line("http://example.org/a b 192.0.2.7 20050604120002 image/png", "HTTP/1.0 200 OK\r\n\r\n"),
        line(
            "http://example.org/2 192.0.2.7 20050604120003 text/html 301 CHECK http://l/ 99 a.arc",
            "HTTP/1.0 301\n",
        ),
    ]
}

/// A record of a WARC file with these fields, each of which ends with CR LF.
pub fn record_of(fields: &str, block: &[u8]) -> Vec<u8> {
    let head = format!("WARC/1.0\r\n{fields}Content-Length: {}\r\n\r\n", block.len());
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// The response for a page, with these fields of HTTP.
pub fn response(page: &str, fields: &str, body: &[u8]) -> Vec<u8> {
    let http = [format!("HTTP/1.1 200 OK\r\n{fields}\r\n").as_bytes(), body].concat();
    let fields = format!(
        "WARC-Type: response\r\nWARC-Target-URI: {page}\r\nContent-Type: application/http;msgtype=response\r\n"
    );
    record_of(&fields, &http)
}

/// The response for a page of HTML.
pub fn html(page: &str, body: &str) -> Vec<u8> {
    response(page, "Content-Type: text/html\r\n", body.as_bytes())
}

/// A WARC file with pages of each kind, and records that hold none.
pub fn pages() -> Vec<u8> {
    let page = "<title>t</title><a href='/a' rel=nofollow> A <b>B</b></a><img src=b.png alt=C>";
    let http = "WARC-Type: response\r\nContent-Type: application/http\r\n";
    [
        record_of(
            "WARC-Type: warcinfo\r\nContent-Type: application/warc-fields\r\n",
            b"software: <a href=no>\r\n",
        ),
        record_of(
            "WARC-Type: request\r\nWARC-Target-URI: http://h/\r\nContent-Type: application/http\r\n",
            b"GET / HTTP/1.1\r\n\r\n",
        ),
        html("http://h/1/", page),
        response("http://h/2", "Content-Type: text/html\r\nContent-Encoding: gzip\r\n", &gzip(b"<a href=c>")),
        response(
            "http://h/3",
            "Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n",
            b"5\r\n<a hr\r\n5\r\nef=d>\r\n0\r\n\r\n",
        ),
        response("http://h/4", "Content-Type: text/css\r\n", b"@import 'e'; f{g:url(h)}"),
        response("http://h/5", "Content-Type: image/svg+xml\r\n", b"<svg><a xlink:href='i'/></svg>"),
        response("http://h/6", "Content-Type: image/png\r\n", b"<a href=no>"),
        html("http://h/7", "nothing"),
        record_of(
            "WARC-Type: resource\r\nWARC-Target-URI: http://h/8\r\nContent-Type: application/rss+xml\r\n",
            b"<rss><link>j</link></rss>",
        ),
        record_of(
            &format!("{http}WARC-Target-URI: http://h/9\r\n"),
            b"HTTP/1.1 200\r\nContent-Type: text/html\r\nContent-Encoding: compress\r\n\r\nx",
        ),
        response("http://h/10", "", b"<html><a href=k>"),
        response("http://h/11", "", b"no markup"),
    ]
    .concat()
}
