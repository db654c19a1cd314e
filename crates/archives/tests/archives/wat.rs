//! WAT files: the records that they describe; and which records of archives become rows.

use serde_json::{Value, json};
use urimill_testkit::archives::{gzip, typed, wat};
use urimill_testkit::reading::assert_has;

use super::rows;

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
        for options in ["wat", "wat --chunk 1", "wat --chunk 2000 --threads 3"] {
            let rows = rows(options, &stored);
            assert_eq!(rows.len(), expected.len(), "{options}");
            for (row, expected) in rows.iter().zip(&expected) {
                assert_has(row, expected, options);
            }
        }
    }
}

/// (block, what its row says): what is not as it should be costs its own column, or the record its URI.
#[test]
fn what_is_wrong_with_a_block_costs_its_column() {
    let target = "http://h/";
    let whole = |block: &str| {
        let bytes = typed("metadata", &["WARC-Target-URI: http://h/"], block);
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
            typed("metadata", &["WARC-Target-URI: http://h/"], block),
            typed("metadata", &["WARC-Target-URI: http://behind/"], "{\"Container\":{\"Offset\":3}}"),
        ];
        let rows = rows("wat", stored.concat());
        assert_eq!(rows.len(), 2, "{block}");
        assert_has(&rows[0], &expected, block);
        assert_eq!(
            (&rows[1]["uri"], &rows[1]["container_offset"]),
            (&json!("http://behind/"), &json!(3)),
            "{block}"
        );
    }
}

/// A block that is too long to be held costs its columns alone.
#[test]
fn a_block_that_is_too_long_costs_its_columns() {
    let block = format!("{{\"Container\":{{\"Offset\":1}},\"x\":\"{}\"}}", "x".repeat(17 << 20));
    let stored = [
        typed("metadata", &["WARC-Target-URI: http://h/"], &block),
        typed("metadata", &["WARC-Target-URI: http://behind/"], "{\"Container\":{\"Offset\":3}}"),
    ];
    let rows = rows("wat --columns uri,error --keep container_offset,title", stored.concat());
    let expected = json!([
        {"uri": "http://h/", "error": null, "container_offset": null, "title": null,
         "field_errors": "container_offset:too_long,title:too_long"},
        {"uri": "http://behind/", "error": null, "container_offset": 3, "title": null, "field_errors": null},
    ]);
    assert_eq!(json!(rows), expected);
}

/// (options, numbers of the records that are rows)
#[test]
fn records_are_chosen_by_their_type() {
    let http = "HTTP/1.1 200 OK\r\n\r\n";
    let warc = [
        typed("warcinfo", &[], ""),
        typed("request", &["WARC-Target-URI: http://h/1"], "GET / HTTP/1.1\r\n\r\n"),
        typed("response", &["WARC-Target-URI: http://h/2"], http),
        typed("Revisit", &["WARC-Target-URI: http://h/3"], http),
        b"junk\r\n\r\n".to_vec(),
        typed("metadata", &["WARC-Target-URI: http://h/4"], ""),
        // A record without its type is not skipped silently.
        b"WARC/1.0\r\nWARC-Target-URI: http://h/5\r\nContent-Length: 0\r\n\r\n\r\n\r\n".to_vec(),
        typed("response", &["WARC-Target-URI: http://h/6"], http),
    ];
    let table: [(&str, &[u8], &[i64]); 7] = [
        ("warc", &warc.concat(), &[2, 3, 4, 5, 6, 7, 8]),
        ("warc --records all", &warc.concat(), &[2, 3, 4, 5, 6, 7, 8]),
        ("warc --records response", &warc.concat(), &[3, 5, 7, 8]),
        ("warc --records response,revisit", &warc.concat(), &[3, 4, 5, 7, 8]),
        // A warcinfo has no target.
        ("warc --records warcinfo", &warc.concat(), &[5, 7]),
        ("wat --records response", &wat().concat(), &[4]),
        ("wat --records response --keep none", &wat().concat(), &[4]),
    ];
    for (options, stored, expected) in table {
        for chunk in ["", "--chunk 1"] {
            let rows = rows(&format!("{options} {chunk}"), stored);
            let records: Vec<i64> =
                rows.iter().map(|row| row["record"].as_i64().expect("a number")).collect();
            assert_eq!(records, expected, "{options} {chunk}");
        }
    }
}

/// (record, media type of its payload)
#[test]
fn the_type_of_a_payload_is_that_of_its_header() {
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
        let stored = typed("response", &["WARC-Target-URI: http://h/", field], block);
        for chunk in ["", "--chunk 1"] {
            let rows = rows(&format!("warc --keep payload_type --columns uri {chunk}"), &stored);
            assert_eq!(rows[0]["payload_type"], json!(expected), "{}", &block[..block.len().min(80)]);
        }
    }
}
