//! ARC files, and WARC files of zstd with a dictionary: rows and places as of WARC files.

use serde_json::{Value, json};
use urimill_testkit::archives::{arc, gzip, typed};
use urimill_testkit::reading::{Row, assert_all_have};

use super::rows;

#[test]
fn a_record_of_an_arc_file_is_a_row() {
    let records = arc();
    let offset = |parts: &[Vec<u8>], n: usize| parts[..n].iter().map(Vec::len).sum::<usize>();
    let members: Vec<Vec<u8>> = records.iter().map(|record| gzip(record)).collect();
    for (what, parts) in [("plain", &records), ("a member each", &members)] {
        // The line end after the block of a plain record is not a part of the record.
        let length = |n: usize| parts[n].len() - usize::from(what == "plain");
        let expected = json!([
            {"record": 2, "uri": "dns:example.org", "time": "2005-06-04T12:00:00Z", "ip_address": "192.0.2.1",
             "mime": "text/dns", "content_length": 28, "http_status": null, "record_offset": offset(parts, 1),
             "record_length": length(1), "filename": null, "offset": offset(&records, 1)},
            {"record": 3, "uri": "http://example.org/a", "raw": "http://Example.org/a", "http_status": 404,
             "record_offset": offset(parts, 2), "record_length": length(2), "result_code": null},
            {"record": 4, "uri": "http://example.org/a b", "error": "path_invalid_char", "mime": "image/png",
             "http_status": 200},
            {"record": 5, "uri": "http://example.org/2", "http_status": 301, "result_code": 301, "checksum": "CHECK",
             "location": "http://l/", "extra": "{\"filename\":\"a.arc\",\"offset\":\"99\"}", "field_errors": null},
        ]);
        for options in ["arc", "arc --chunk 1", "arc --chunk 100 --threads 3"] {
            let rows = rows(&format!("{options} --columns +offset"), parts.concat());
            assert_all_have(&rows, &expected, &format!("{what}, {options}"));
        }
    }
}

#[test]
fn the_record_after_a_bad_one_is_found() {
    let records = arc();
    let good = |n: u8| format!("http://h/{n} 192.0.2.7 20050604120001 text/html 5\nblock\n").into_bytes();
    // (between two good records, text and byte of its row)
    let table: &[(&str, &[(&str, i64)])] = &[
        ("junk\n\n", &[("junk", 0)]),
        (
            "http://x/ 192.0.2.7 20050604120001 text/html x\nblock\n",
            &[("http://x/ 192.0.2.7 20050604120001 text/html x", 0)],
        ),
        (
            "http://x/ 192.0.2.7 20050604120001 text/html; a=b 5\nblock\n",
            &[("http://x/ 192.0.2.7 20050604120001 text/html; a=b 5", 0)],
        ),
        ("\n\n", &[]),
    ];
    for &(between, expected) in table {
        let stored = [records[0].clone(), good(1), between.as_bytes().to_vec(), good(2)].concat();
        for options in ["arc", "arc --chunk 1"] {
            let rows = rows(options, &stored);
            let mut all = vec![json!({"uri": "http://h/1", "error": null})];
            all.extend(
                expected
                    .iter()
                    .map(|(text, at)| json!({"uri": text, "error": "record_malformed", "error_offset": at})),
            );
            all.push(json!({"uri": "http://h/2", "error": null}));
            assert_all_have(&rows, &json!(all), between);
        }
    }
}

/// A block ends where its header says, whether a line end follows or not.
#[test]
fn arc_records_need_no_line_end_between() {
    let block = "HTTP/1.1 200 OK\r\n\r\n<a href=x>";
    let record = |url: &str, block: &str, length: usize, end: &str| {
        format!("{url} 192.0.2.1 20140216050221 text/html {length}\n{block}{end}")
    };
    let info = "1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n";
    let first = |end: &str| record("filedesc://a.arc", info, info.len(), end);
    let urls = ["http://h/1", "https://h/2", "dns:h", "ftp://h/4"];
    let whole = |end: &str| {
        first(end) + &urls.iter().map(|url| record(url, block, block.len(), end)).collect::<String>()
    };
    for end in ["\n", "", "\r\n", "\n\n"] {
        for options in ["arc", "arc --chunk 1", "arc --chunk 100 --threads 3"] {
            let rows = rows(options, whole(end));
            let found: Vec<_> = rows.iter().map(|row| (&row["uri"], &row["error"])).collect();
            let urls = urls.map(|url| json!(url));
            assert_eq!(
                found,
                urls.iter().map(|url| (url, &Value::Null)).collect::<Vec<_>>(),
                "{end:?} {options}"
            );
        }
    }
    // If the length is wrong, the text after it is not a header: neither the rest of a block nor of a header is one.
    for wrong in [block.len() - 3, block.len() + 2, block.len() + 5] {
        let text = first("\n")
            + &record(urls[0], block, wrong, "")
            + &record("http://h/2", block, block.len(), "\n");
        let rows = rows("arc", &text);
        let has = |row: &Row, uri: &str| row["uri"].as_str().is_some_and(|text| text.ends_with(uri));
        assert!(rows.iter().any(|row| row["error"] == json!("record_malformed")), "{wrong}: {rows:?}");
        assert!(!rows.iter().any(|row| has(row, "p://h/2") && row["error"].is_null()), "{wrong}: {rows:?}");
    }
}

fn warc(from: usize, to: usize) -> Vec<Vec<u8>> {
    let block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let kind = "Content-Type: application/http; msgtype=response";
    (from..to).map(|n| typed("response", &[&format!("WARC-Target-URI: http://h/{n}"), kind], block)).collect()
}

/// Frames that need the dictionary of the first one, which is compressed itself or not.
#[test]
fn frames_are_read_with_the_dictionary_of_the_first() {
    let records = warc(0, 200);
    let samples: Vec<&[u8]> = records.iter().map(Vec::as_slice).collect();
    let dictionary = zstd::dict::from_samples(&samples, 4096).expect("a dictionary");
    let frame = |record: &[u8]| {
        let mut encoder = zstd::bulk::Compressor::with_dictionary(3, &dictionary).expect("an encoder");
        encoder.compress(record).expect("memory")
    };
    let frames: Vec<Vec<u8>> = records.iter().map(|record| frame(record)).collect();
    let packed = zstd::encode_all(&dictionary[..], 3).expect("memory");
    let begin =
        |content: &[u8]| [b"\x5d\x2a\x4d\x18", &(content.len() as u32).to_le_bytes()[..], content].concat();
    for (what, first) in [("plain", begin(&dictionary)), ("compressed", begin(&packed))] {
        let stored = [first.clone(), frames.concat()].concat();
        for options in ["warc", "warc --chunk 1"] {
            let rows = rows(&format!("{options} --columns uri"), &stored);
            assert_eq!(rows.len(), records.len(), "{what} {options}");
            assert!(
                rows.iter().enumerate().all(|(n, row)| row["uri"] == format!("http://h/{n}")),
                "{what} {options}"
            );
        }
        let rows = rows("warc --keep record_offset,record_length", &stored);
        let mut at = first.len();
        for (row, frame) in rows.iter().zip(&frames) {
            assert_eq!(
                (&row["record_offset"], &row["record_length"]),
                (&json!(at), &json!(frame.len())),
                "{what}"
            );
            at += frame.len();
        }
    }
}
