//! WARC files: a row for each record with a target, whatever bytes are between them.

use serde_json::{Value, json};
use urimill_testkit::archives::{gzip, record, warc};
use urimill_testkit::reading::{Row, assert_has, told};

/// The rows of an archive, with their offsets.
fn rows(options: &str, stored: &[u8]) -> Vec<Row> {
    let columns = if options.contains("--columns") { "" } else { " --columns +offset" };
    super::rows(&format!("{options}{columns}"), stored)
}

#[test]
fn a_record_with_a_target_is_a_row() {
    let records = warc();
    let offset = |n: usize| records[..n].iter().map(Vec::len).sum::<usize>();
    let expected = [
        json!({
            "record": 2, "uri": "http://example.org/a", "raw": "http://Example.org/a", "warc_type": "request",
            "warc_date": "2024-04-12T10:13:55Z", "warc_record_id": "<urn:uuid:2>", "content_length": 38,
            "warc_ip_address": "192.0.2.7", "warc_payload_digest": null,
            "content_type": "application/http; msgtype=request", "http_status": null,
            "extra": "{\"WARC-Warcinfo-ID\":\"<urn:uuid:1>\"}", "offset": offset(1), "field_errors": null,
        }),
        json!({
            "record": 3, "uri": "http://example.org/a", "raw": null, "warc_type": "response",
            "warc_date": "2024-04-12T10:13:55.123Z", "content_length": 93, "warc_payload_digest": "sha1:ABC",
            "warc_identified_payload_type": "text/html", "http_status": 404,
            "extra": "{\"WARC-Concurrent-To\":[\"<urn:uuid:2>\",\"<urn:uuid:1>\"]}", "offset": offset(2),
        }),
        json!({
            "record": 4, "uri": "http://example.org/b", "raw": null, "warc_type": "revisit", "http_status": 304,
            "extra": null, "offset": offset(3),
        }),
        json!({
            "record": 5, "uri": "urn:x:y", "warc_type": "metadata", "content_length": 300_000,
            "http_status": null, "offset": offset(4), "error": null, "field_errors": null,
        }),
    ];
    for chunk in [1, 700, 1 << 20] {
        let rows = rows(&format!("warc --chunk {chunk}"), &records.concat());
        assert_eq!(rows.len(), expected.len(), "chunks of {chunk}");
        rows.iter().zip(&expected).for_each(|(row, expected)| assert_has(row, expected, "plain"));
    }
}

/// Where a record can be read from: its byte in a plain file, its member's in a compressed one.
#[test]
fn offsets_are_those_in_the_stored_file() {
    let records = warc();
    let members: Vec<Vec<u8>> = records.iter().map(|record| gzip(record)).collect();
    let frames: Vec<Vec<u8>> =
        records.iter().map(|record| zstd::encode_all(&record[..], 3).expect("memory")).collect();
    let offsets = |parts: &[Vec<u8>]| -> Vec<Value> {
        (1..parts.len()).map(|n| parts[..n].iter().map(Vec::len).sum::<usize>().into()).collect()
    };
    let pairs: Vec<Vec<u8>> = records.chunks(2).map(|pair| gzip(&pair.concat())).collect();
    let (at_2, at_4) = (pairs[0].len(), pairs[0].len() + pairs[1].len());
    let empty = gzip(b"");
    let doubled: Vec<Vec<u8>> =
        members.iter().map(|member| [member.clone(), empty.clone()].concat()).collect();
    // (what, the file, where the four records with targets begin)
    let table: [(&str, Vec<u8>, Vec<Value>); 6] = [
        ("plain", records.concat(), offsets(&records)),
        ("a member each", members.concat(), offsets(&members)),
        ("a frame each", frames.concat(), offsets(&frames)),
        ("one member", gzip(&records.concat()), vec![json!(null); 4]),
        ("a member for two", pairs.concat(), vec![json!(null), json!(at_2), json!(null), json!(at_4)]),
        ("empty members between", doubled.concat(), offsets(&doubled)),
    ];
    let plain = rows("warc", &records.concat());
    for (what, stored, expected) in table {
        for options in ["--chunk 1 --threads 1", "--chunk 1000 --threads 3", ""] {
            let mut rows = rows(&format!("warc {options}"), &stored);
            let found: Vec<Value> = rows.iter().map(|row| row["record_offset"].clone()).collect();
            assert_eq!(found, expected, "{what}, {options}");
            let found: Vec<Value> = rows.iter().map(|row| row["record_length"].clone()).collect();
            // The empty lines after a plain record are not part of it.
            let lengths = match what {
                "plain" => records[1..].iter().map(|record| Value::from(record.len() - 4)).collect(),
                _ => lengths(&stored, &expected),
            };
            assert_eq!(found, lengths, "{what}, {options}");
            for (row, plain) in rows.iter_mut().zip(&plain) {
                row["record_offset"] = plain["record_offset"].clone();
                row["record_length"] = plain["record_length"].clone();
                assert_eq!(row, plain, "{what}, {options}");
            }
        }
    }
}

/// From each record to where the next can be read, or the file ends; nothing where others stand between.
fn lengths(stored: &[u8], offsets: &[Value]) -> Vec<Value> {
    let ends = offsets[1..].iter().cloned().chain([Value::from(stored.len())]);
    let length = |(from, to): (&Value, Value)| match (from.as_u64(), to.as_u64()) {
        (Some(from), Some(to)) => Value::from(to - from),
        _ => Value::Null,
    };
    offsets.iter().zip(ends).map(length).collect()
}

/// More records in a chunk than a batch takes.
#[test]
fn a_chunk_may_have_more_records_than_a_batch() {
    let mut archive = String::new();
    let mut offsets = Vec::new();
    for n in 0..40_000 {
        let kind =
            if n % 3 == 1 { "WARC-Type: warcinfo".to_owned() } else { format!("WARC-Target-URI: {n}") };
        if n % 3 != 1 {
            offsets.push((n + 1, n.to_string(), archive.len()));
        }
        archive.push_str(&format!("WARC/1.0\n{kind}\nContent-Length: 0\n\n"));
    }
    let options = "warc --columns record,uri,offset --keep record_offset";
    let rows = rows(&format!("{options} --chunk 2097152"), archive.as_bytes());
    assert_eq!(rows.len(), offsets.len());
    for (row, (record, uri, offset)) in rows.iter().zip(offsets) {
        let expected = json!({"record": record, "uri": uri, "offset": offset, "record_offset": offset});
        assert_has(row, &expected, "many");
    }
}

/// (header, what its row says)
#[test]
fn headers_are_read_in_all_forms() {
    let table: &[(&str, Value)] = &[
        (
            "WARC/1.1\nwarc-type:response\nWARC-TARGET-URI:http://h/\ncontent-length:0\n\n",
            json!({"uri": "http://h/", "warc_type": "response", "content_length": 0, "error": null,
                   "field_errors": "warc_date:missing,warc_record_id:missing"}),
        ),
        (
            "WARC/0.18\r\nWARC-Type: \t response \t\r\nWARC-Target-URI: <http://h/>\r\nContent-Length: 0\r\n\r\n",
            json!({"uri": "http://h/", "warc_type": "response"}),
        ),
        // A line that begins with white space goes on with the one before.
        (
            "WARC/1.0\r\nWARC-Type:\r\n response\r\nWARC-Target-URI:\r\n\thttp://h/\r\nX: a\r\n  b\r\nContent-Length:\r\n 0\r\n\r\n",
            json!({"uri": "http://h/", "warc_type": "response", "content_length": 0, "extra": "{\"X\":\"a b\"}"}),
        ),
        (
            "WARC/1.0\r\nWARC-Target-URI: http://h/\r\n a\r\nContent-Length: 0\r\n\r\n",
            json!({"uri": "http://h/ a", "error": "path_invalid_char", "error_offset": 9}),
        ),
        // The first of two fields with the same name counts.
        (
            "WARC/1.0\r\nWARC-Target-URI: http://a/\r\nWARC-Target-URI: http://b/\r\nContent-Length: 0\r\nContent-Length: 9\r\n\r\n",
            json!({"uri": "http://a/", "content_length": 0,
                   "extra": "{\"Content-Length\":\"9\",\"WARC-Target-URI\":\"http://b/\"}"}),
        ),
        (
            "WARC/1.0\r\nWARC-Date: 2024\r\nWARC-Target-URI: http://h/%\r\nContent-Length: 0\r\n\r\n",
            json!({"uri": "http://h/%", "error": "percent_truncated", "warc_date": null, "extra": null,
                   "field_errors": "warc_type:missing,warc_date:not_a_time,warc_record_id:missing"}),
        ),
        // A line that is not a field may be the rest of one.
        (
            "WARC/1.0\r\nWARC-Target-URI: http:\r\n/h/\r\nContent-Length: 0\r\n\r\n",
            json!({"error": "record_malformed", "error_offset": 34, "host": null}),
        ),
        // A response without its target lacks a field.
        (
            "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 0\r\n\r\n",
            json!({"error": "field_missing", "uri": "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 0",
                   "warc_type": "response", "record": 1}),
        ),
        (
            "WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Target-URI:\r\nContent-Length: 0\r\n\r\n",
            json!({"error": "field_missing", "warc_type": "metadata"}),
        ),
        // A warcinfo with one has a row.
        (
            "WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Target-URI: http://h/\r\nContent-Length: 0\r\n\r\n",
            json!({"error": null, "uri": "http://h/", "warc_type": "warcinfo"}),
        ),
    ];
    for (header, expected) in table {
        let rows = rows("warc", header.as_bytes());
        assert_eq!(rows.len(), 1, "{header}");
        assert_has(&rows[0], expected, header);
    }
}

/// (type of the block, the block, status, field_errors)
#[test]
fn a_status_is_that_of_the_response() {
    const RESPONSE: &str = "application/http; msgtype=response";
    let wrong = Some("http_status:not_a_number");
    let table: &[(&str, &str, Option<i32>, Option<&str>)] = &[
        (RESPONSE, "HTTP/1.1 200 OK\r\n\r\n", Some(200), None),
        (RESPONSE, "HTTP/1.0 404", Some(404), None),
        (RESPONSE, "HTTP/2  503\n", Some(503), None),
        ("Application/HTTP", "HTTP/1.1 200\r\n", Some(200), None),
        (RESPONSE, "HTTP/1.1 OK\r\n", None, wrong),
        (
            RESPONSE,
            "HTTP/1.1 99999999999 a number longer than it is\r\n",
            None,
            Some("http_status:out_of_range"),
        ),
        (RESPONSE, "HTTP/1.1\r\nServer: a b\r\n", None, None),
        (RESPONSE, "HTTP/1.1 \r\n", None, None),
        (RESPONSE, "", None, None),
        (RESPONSE, "GET / HTTP/1.1\r\n", None, None),
        ("text/plain", "HTTP/1.1 200 OK\r\n", None, None),
    ];
    for (kind, block, status, errors) in table {
        let fields = ["WARC-Target-URI: http://h/", &format!("Content-Type: {kind}")];
        let options = "warc --columns uri --keep http_status";
        let row = &rows(options, &record(&fields, block.as_bytes()))[0];
        let expected = json!({"http_status": status, "field_errors": errors});
        assert_has(row, &expected, block);
    }
}

/// Whatever is wrong with a record, the next one is found.
#[test]
fn the_record_after_a_bad_one_is_intact() {
    let good = |n: u8| record(&[&format!("WARC-Target-URI: http://h/{n}")], b"block");
    let header =
        |length: &str| format!("WARC/1.0\r\nWARC-Target-URI: http://x/\r\n{length}\r\n").into_bytes();
    let no_length = "2 WARC/1.0|WARC-Target-UR record_malformed";
    let inner = b"<pre>\nWARC/1.0\nis no record</pre>".to_vec();
    // (the bytes between two good records, rows between them)
    let table: Vec<(Vec<u8>, Vec<String>)> = vec![
        (b"\r\n\r\n\n\n".to_vec(), vec![]),
        (b"junk\r\n\r\n".to_vec(), vec!["2 junk record_malformed 0".into()]),
        (b"junk\nmore junk\n\nand more\r\n\r\n".to_vec(), vec!["2 junk record_malformed 0".into()]),
        (vec![b'j'; 500_000], vec![]),
        (
            [vec![b'j'; 500_000], b"\n\n".to_vec()].concat(),
            vec!["2 jjjjjjjjjjjjjjjjjjjjjjjj record_malformed 0".into()],
        ),
        ([header(""), inner.clone(), b"\r\n\r\n".to_vec()].concat(), vec![format!("{no_length} 36")]),
        (header(""), vec![format!("{no_length} 36")]),
        (
            [header("Content-Length: x\r\n"), inner.clone(), b"\n\n".to_vec()].concat(),
            vec![format!("{no_length} 54")],
        ),
        (
            [header("Content-Length: -1\r\n"), inner.clone(), b"\n\n".to_vec()].concat(),
            vec![format!("{no_length} 54")],
        ),
        (
            [header("Content-Length: +1\r\n"), inner.clone(), b"\n\n".to_vec()].concat(),
            vec![format!("{no_length} 54")],
        ),
        (
            [header("Content-Length: 9223372036854775808\r\n"), inner.clone(), b"\n\n".to_vec()].concat(),
            vec![format!("{no_length} 54")],
        ),
        (
            [header("Content-Length: 99999999999999999999999\r\n"), b"\n\n".to_vec()].concat(),
            vec![format!("{no_length} 54")],
        ),
        // Too short a length leaves a part of the block after, too long a one takes line ends.
        (
            [header("Content-Length: 1\r\n"), b"block\r\n\r\n".to_vec()].concat(),
            vec!["2 http://x/".into(), "3 lock record_malformed 0".into()],
        ),
        ([header("Content-Length: 7\r\n"), b"block\r\n\r\n".to_vec()].concat(), vec!["2 http://x/".into()]),
        ([header("Content-Length: 9\r\n"), b"block\r\n\r\n".to_vec()].concat(), vec!["2 http://x/".into()]),
        // No empty lines after the block.
        ([header("Content-Length: 5\r\n"), b"block".to_vec()].concat(), vec!["2 http://x/".into()]),
    ];
    for (between, expected) in table {
        let is_swallowed = between.len() == 500_000;
        let stored = [good(1), between.clone(), good(9)].concat();
        let mut all = vec!["1 http://h/1".to_owned()];
        all.extend(expected);
        // Without an empty line before it no text is a record.
        match is_swallowed {
            true => all.push("2 jjjjjjjjjjjjjjjjjjjjjjjj record_malformed 0".to_owned()),
            false => all.push(format!("{} http://h/9", all.len() + 1)),
        }
        for options in ["--chunk 1", "--chunk 100 --threads 3", ""] {
            let rows = rows(&format!("warc {options}"), &stored);
            assert_eq!(told(&rows), all, "{}, {options}", between[..between.len().min(200)].escape_ascii());
        }
    }
}

#[test]
fn a_header_that_is_too_long_costs_itself() {
    let good = |n: u8| record(&[&format!("WARC-Target-URI: http://h/{n}")], b"block");
    let empty = record(&["WARC-Target-URI: http://x/", "X: "], b"");
    let base = empty.len() - "\r\n\r\n\r\n\r\n".len();
    for (length, error) in [(300, None), (301, Some("too_long")), (200_000, Some("too_long"))] {
        let long = record(&["WARC-Target-URI: http://x/", &format!("X: {}", "x".repeat(length - base))], b"");
        let stored = [good(1), long, good(3)].concat();
        for chunk in [1, 1 << 20] {
            let rows = rows(&format!("warc --max-record 300 --chunk {chunk}"), &stored);
            assert_eq!(rows.len(), 3, "{length}");
            assert_eq!(rows[1]["error"], json!(error), "{length}");
            assert_eq!((rows[2]["record"].clone(), rows[2]["uri"].clone()), (json!(3), json!("http://h/3")));
        }
    }
}

#[test]
fn an_archive_without_a_record_has_no_row() {
    for nothing in ["", "\n", "\r\n\r\n"] {
        assert_eq!(rows("warc", nothing.as_bytes()).len(), 0, "{nothing:?}");
    }
    assert_eq!(told(&rows("warc", b"http://a/\nhttp://b/\n")), ["1 http://a/ record_malformed 0"]);
}
