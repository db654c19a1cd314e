//! WAT files: the records that they describe; and which records of archives become rows.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::run::{dir, urimill, write};
use super::table::{Row, jsonl};

pub(super) fn record(kind: &str, fields: &[&str], block: &str) -> Vec<u8> {
    let mut text = format!("WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Date: 2024-04-12T10:13:55Z\r\n");
    text.push_str("WARC-Record-ID: <urn:uuid:1>\r\n");
    fields.iter().for_each(|field| text.push_str(&format!("{field}\r\n")));
    text.push_str(&format!("Content-Length: {}\r\n\r\n{block}\r\n\r\n", block.len()));
    text.into_bytes()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn rows(options: &str, stored: &[u8]) -> Vec<Row> {
    jsonl(&urimill(&format!("normalize --to jsonl {options}")).stdin(stored).ok().stdout)
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

fn response() -> Value {
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
fn wat() -> Vec<Vec<u8>> {
    let about = |target: &str, kind: &str, payload: &Value| {
        let (target, block) = described(target, kind, payload);
        record("metadata", &[&target, "Content-Type: application/json"], &block)
    };
    let info = record("warcinfo", &["Content-Type: application/warc-fields"], "software: x\r\n");
    let request = json!({"HTTP-Request-Metadata": {"Headers": {"Accept": "*"}}});
    vec![
        info,
        about("CC-MAIN-1.warc.gz", "warcinfo", &json!({})),
        about("http://example.org/a", "request", &request),
        about("http://example.org/a", "response", &response()),
    ]
}

#[test]
fn wat_blocks_describe_the_records() {
    let expected = [
        json!({"record": 2, "uri": "CC-MAIN-1.warc.gz", "envelope_type": "warcinfo", "http_status": null}),
        json!({"record": 3, "uri": "http://example.org/a", "envelope_type": "request", "http_status": null,
               "payload_type": null, "title": null, "field_errors": null}),
        json!({
            "record": 4, "uri": "http://example.org/a", "warc_type": "metadata", "envelope_type": "response",
            "container_filename": "CC-MAIN-1.warc.gz", "container_offset": 466, "container_length": 1234,
            "http_status": 404, "payload_type": "text/html", "title": "A \"title\" {",
            "warc_ip_address": "192.0.2.7", "warc_payload_digest": "sha1:ABC", "content_type": "application/json",
            "warc_identified_payload_type": "text/html", "field_errors": null, "error": null, "extra": null,
        }),
    ];
    let members: Vec<u8> = wat().iter().flat_map(|record| gzip(record)).collect();
    for stored in [wat().concat(), members] {
        for options in
            ["--from wat", "--from wat --chunk 1", "--from wat --chunk 2000 --threads 3", "--from auto"]
        {
            let rows = rows(options, &stored);
            assert_eq!(rows.len(), expected.len(), "{options}");
            for (row, expected) in rows.iter().zip(&expected) {
                for (name, value) in expected.as_object().expect("an object") {
                    assert_eq!(row.get(name), Some(value), "{options}: {name} of {row:?}");
                }
            }
        }
    }
    let done = urimill("normalize --to csv").stdin(wat().concat()).ok();
    assert!(done.stderr.contains("read the input as wat"), "{}", done.stderr);
}

/// (block, what its row says): what is not as it should be costs its own column, or the record its URI.
#[test]
fn blocks_in_all_forms() {
    let target = "http://h/";
    let whole = |block: &str| {
        let bytes = record("metadata", &["WARC-Target-URI: http://h/"], block);
        String::from_utf8(bytes[..bytes.len() - 4].to_vec()).expect("text")
    };
    let at = |block: &str, byte: usize| whole(block).len() - block.len() + byte;
    let table: Vec<(&str, Value)> = vec![
        ("", json!({"uri": target, "http_status": null, "field_errors": null})),
        ("text: {}", json!({"uri": target, "http_status": null})),
        ("{}", json!({"uri": target, "title": null})),
        ("{\"Container\":[]}", json!({"uri": target, "container_offset": null, "field_errors": null})),
        ("{\"Container\":{\"Offset\":7}}", json!({"uri": target, "container_offset": 7})),
        (
            "{\"Container\":{\"Offset\":\"x\",\"Filename\":null}}",
            json!({"container_offset": null, "container_filename": null,
                   "field_errors": "container_offset:not_a_number"}),
        ),
        // The first of two members with the same name counts.
        ("{\"Container\":{\"Offset\":1,\"Offset\":2}}", json!({"container_offset": 1})),
        ("{\"Container\":{\"Filen\\u0061me\":\"a\\n\\u00e9\"}}", json!({"container_filename": "a\né"})),
        // A text in a text is not one of its members.
        (
            "{\"Container\":{\"x\":\"\\\"Offset\\\":9}\",\"y\":[{\"Offset\":8},\"]\"],\"Offset\":1}}",
            json!({"container_offset": 1}),
        ),
        (
            "{\"Container\":{\"Offset\":1",
            json!({"error": "record_malformed", "uri": whole("{\"Container\":{\"Offset\":1"),
                   "error_offset": at("{\"Container\":{\"Offset\":1", 24), "container_offset": null,
                   "warc_type": "metadata"}),
        ),
        ("{\"a\" 1}", json!({"error": "record_malformed", "error_offset": at("{\"a\" 1}", 5)})),
    ];
    for (block, expected) in table {
        let stored = [
            record("metadata", &["WARC-Target-URI: http://h/"], block),
            record("metadata", &["WARC-Target-URI: http://behind/"], "{\"Container\":{\"Offset\":3}}"),
        ];
        let rows = rows("--from wat", &stored.concat());
        assert_eq!(rows.len(), 2, "{block}");
        for (name, value) in expected.as_object().expect("an object") {
            assert_eq!(rows[0].get(name), Some(value), "{block}: {name} of {:?}", rows[0]);
        }
        assert_eq!(
            (&rows[1]["uri"], &rows[1]["container_offset"]),
            (&json!("http://behind/"), &json!(3)),
            "{block}"
        );
    }
}

/// A block that is too long to be held costs its columns alone.
#[test]
fn a_block_longer_than_memory_allows() {
    let block = format!("{{\"Container\":{{\"Offset\":1}},\"x\":\"{}\"}}", "x".repeat(17 << 20));
    let stored = [
        record("metadata", &["WARC-Target-URI: http://h/"], &block),
        record("metadata", &["WARC-Target-URI: http://behind/"], "{\"Container\":{\"Offset\":3}}"),
    ];
    let rows = rows("--from wat --columns uri,error --keep container_offset,title", &stored.concat());
    let expected = json!([
        {"uri": "http://h/", "error": null, "container_offset": null, "title": null,
         "field_errors": "container_offset:too_long,title:too_long"},
        {"uri": "http://behind/", "error": null, "container_offset": 3, "title": null, "field_errors": null},
    ]);
    assert_eq!(json!(rows), expected);
}

/// (options, numbers of the records that are rows)
#[test]
fn records_by_type() {
    let http = "HTTP/1.1 200 OK\r\n\r\n";
    let warc = [
        record("warcinfo", &[], ""),
        record("request", &["WARC-Target-URI: http://h/1"], "GET / HTTP/1.1\r\n\r\n"),
        record("response", &["WARC-Target-URI: http://h/2"], http),
        record("Revisit", &["WARC-Target-URI: http://h/3"], http),
        b"junk\r\n\r\n".to_vec(),
        record("metadata", &["WARC-Target-URI: http://h/4"], ""),
        // A record without its type is not skipped silently.
        b"WARC/1.0\r\nWARC-Target-URI: http://h/5\r\nContent-Length: 0\r\n\r\n\r\n\r\n".to_vec(),
        record("response", &["WARC-Target-URI: http://h/6"], http),
    ];
    let table: [(&str, &[u8], &[i64]); 7] = [
        ("", &warc.concat(), &[2, 3, 4, 5, 6, 7, 8]),
        ("--records all", &warc.concat(), &[2, 3, 4, 5, 6, 7, 8]),
        ("--records response", &warc.concat(), &[3, 5, 7, 8]),
        ("--records response,revisit", &warc.concat(), &[3, 4, 5, 7, 8]),
        // A warcinfo has no target.
        ("--from warc --records warcinfo", &warc.concat(), &[5, 7]),
        ("--from wat --records response", &wat().concat(), &[4]),
        ("--from wat --records response --keep none", &wat().concat(), &[4]),
    ];
    for (options, stored, expected) in table {
        for chunk in ["", "--chunk 1"] {
            let rows = rows(&format!("{options} {chunk}"), stored);
            let records: Vec<i64> =
                rows.iter().map(|row| row["record"].as_i64().expect("a number")).collect();
            assert_eq!(records, expected, "{options} {chunk}");
        }
    }
    let done = urimill("normalize --to csv --records response").stdin(warc.concat()).ok();
    assert!(done.stderr.contains("+ 4 passed over"), "{}", done.stderr);
    let done = urimill("normalize --records answer").go();
    assert!(done.code == Some(2) && done.stderr.contains("no record type \"answer\""), "{}", done.stderr);
    urimill("normalize --from clf --records response").fails(2, &["--records is for web archives"]);
}

/// An archive is an archive, whatever its blocks hold.
#[test]
fn an_archive_of_images_is_an_archive() {
    let block: String = (0..4000u32).map(|n| char::from((n % 32) as u8)).collect();
    let stored = record("resource", &["WARC-Target-URI: http://h/", "Content-Type: image/png"], &block);
    assert_eq!(
        rows("--from auto --columns uri --keep none", &stored),
        rows("--from warc --columns uri --keep none", &stored)
    );
}

/// (record, media type of its payload)
#[test]
fn payload_types() {
    let response = "Content-Type: application/http; msgtype=response";
    let header = |fields: &str| format!("HTTP/1.1 200 OK\r\n{fields}\r\n<html>Content-Type: no</html>");
    let long = header(&format!("X: {}\r\nContent-Type: text/html\r\n", "x".repeat(40_000)));
    let cut = header(&format!("X: {}\r\nContent-Type: text/html\r\n", "x".repeat((32 << 10) - 40)));
    let table: [(&str, String, Option<&str>); 11] = [
        (response, header("Content-Type: text/html\r\n"), Some("text/html")),
        (response, header("Server: x\r\ncontent-type:  image/PNG;a=b\r\n"), Some("image/PNG")),
        (response, header("Content-Type: a/b\r\nContent-Type: c/d\r\n"), Some("a/b")),
        (response, header("Content-Type: ;x\r\n"), None),
        (response, header("Content-Type:\r\nContent-Type: c/d\r\n"), Some("c/d")),
        (response, header(""), None),
        (response, "HTTP/1.1 200 OK\nContent-Type: a/b\n\nContent-Type: c/d\n".into(), Some("a/b")),
        (response, String::new(), None),
        // A header longer than is held, and one whose value is cut off.
        (response, long, None),
        (response, cut, None),
        (
            "Content-Type: text/plain; charset=x",
            "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\n\r\n".into(),
            Some("text/plain"),
        ),
    ];
    for (field, block, expected) in &table {
        let stored = record("response", &["WARC-Target-URI: http://h/", field], block);
        for chunk in ["", "--chunk 1"] {
            let rows = rows(&format!("--from warc --keep payload_type --columns uri {chunk}"), &stored);
            assert_eq!(rows[0]["payload_type"], json!(expected), "{}", &block[..block.len().min(80)]);
        }
    }
}

/// The table of an index, made of the archive itself: each row can be fetched by its offset and length.
#[test]
fn an_index_of_an_archive() {
    let http = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\n\r\n<html>";
    let field = "Content-Type: application/http; msgtype=response";
    let records: Vec<Vec<u8>> = (0..5)
        .map(|n| record("response", &[&format!("WARC-Target-URI: http://example.org/{n}"), field], http))
        .collect();
    let stored: Vec<u8> = records.iter().flat_map(|record| gzip(record)).collect();
    let dir = dir();
    write(dir.path(), "a.warc.gz", &stored);
    let line =
        "normalize a.warc.gz --records response,revisit --schema cc-index --crawl C --subset warc --to jsonl";
    let rows = jsonl(&urimill(line).within(dir.path()).ok().stdout);
    assert_eq!(rows.len(), records.len());
    for (row, record) in rows.iter().zip(&records) {
        assert_eq!(row["warc_filename"], "a.warc.gz");
        assert_eq!((&row["fetch_status"], &row["content_mime_type"]), (&json!(200), &json!("text/html")));
        let place = |name: &str| row[name].as_u64().expect("a number") as usize;
        let (offset, length) = (place("warc_record_offset"), place("warc_record_length"));
        let mut read = Vec::new();
        let mut member = flate2::read::GzDecoder::new(&stored[offset..offset + length]);
        std::io::Read::read_to_end(&mut member, &mut read).expect("a member");
        assert_eq!(read, *record);
    }
    // A WAT describes other files.
    let line = "normalize --from wat --records response --schema cc-index --crawl C --subset wat --to jsonl";
    let rows = jsonl(&urimill(line).stdin(wat().concat()).ok().stdout);
    assert_eq!(rows.len(), 1);
    assert_eq!(
        (&rows[0]["warc_filename"], &rows[0]["warc_record_offset"], &rows[0]["warc_record_length"]),
        (&json!("CC-MAIN-1.warc.gz"), &json!(466), &json!(1234))
    );
}
