//! ARC files, WACZ files, and WARC files of zstd with a dictionary: rows, positions and damage as of WARC files.

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use serde_json::{Value, json};

use super::run::{dir, urimill, write};
use super::table::{Row, jsonl};
use super::wat::record;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn rows(options: &str, stored: &[u8]) -> Vec<Row> {
    jsonl(&urimill(&format!("normalize --to jsonl {options}")).stdin(stored).ok().stdout)
}

fn assert_has(rows: &[Row], expected: &Value, what: &str) {
    let expected = expected.as_array().expect("an array");
    assert_eq!(rows.len(), expected.len(), "{what}: {rows:?}");
    for (row, expected) in rows.iter().zip(expected) {
        for (member, value) in expected.as_object().expect("an object") {
            assert_eq!(row.get(member), Some(value), "{what}: {member} of {row:?}");
        }
    }
}

/// The records of an ARC file of version 1, and one of version 2.
fn arc() -> Vec<Vec<u8>> {
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

#[test]
fn arc_files() {
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
        for options in ["--from arc", "--from arc --chunk 1", "--chunk 100 --threads 3", "--from auto"] {
            let rows = rows(&format!("{options} --columns +offset"), &parts.concat());
            assert_has(&rows, &expected, &format!("{what}, {options}"));
        }
    }
    let done = urimill("normalize --to csv").stdin(records.concat()).ok();
    assert!(
        done.stderr.contains("read the input as arc") && done.stderr.contains("+ 1 filedesc"),
        "{}",
        done.stderr
    );
}

/// Whatever is wrong with a record, the next one is found; a file that ends in one is damage.
#[test]
fn broken_arc_files() {
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
        for options in ["--from arc", "--from arc --chunk 1"] {
            let rows = rows(options, &stored);
            let mut all = vec![json!({"uri": "http://h/1", "error": null})];
            all.extend(
                expected
                    .iter()
                    .map(|(text, at)| json!({"uri": text, "error": "record_malformed", "error_offset": at})),
            );
            all.push(json!({"uri": "http://h/2", "error": null}));
            assert_has(&rows, &json!(all), between);
        }
    }
    let stored = records.concat();
    let cut = stored.len() - 5;
    urimill("normalize --from arc")
        .stdin(&stored[..cut])
        .fails(3, &["the ARC record that begins at byte", "truncated"]);
    let done = urimill("normalize --from arc --to jsonl --on-damage keep").stdin(&stored[..cut]).go();
    assert_eq!((done.code, jsonl(&done.stdout).len()), (Some(3), 3), "{}", done.stderr);
    urimill("normalize --from arc").stdin("http://h/\n").fails(2, &["is not an ARC file", "\"http://h/\""]);
}

/// A zip archive with these files, each stored or deflated.
pub(crate) fn zip(files: &[(&str, &[u8], bool)]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes, is_deflated) in files {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).expect("memory");
        let stored = if *is_deflated { encoder.finish().expect("memory") } else { bytes.to_vec() };
        let mut fields = Vec::new();
        fields.extend_from_slice(&[20, 0, 0, 0, if *is_deflated { 8 } else { 0 }, 0, 0, 0, 0x21, 0x58]);
        fields.extend_from_slice(&crc.sum().to_le_bytes());
        fields.extend_from_slice(&(stored.len() as u32).to_le_bytes());
        fields.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        fields.extend_from_slice(&(name.len() as u16).to_le_bytes());
        fields.extend_from_slice(&[0, 0]);
        directory.extend_from_slice(b"PK\x01\x02\x14\0");
        directory.extend_from_slice(&fields);
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&(out.len() as u32).to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"PK\x03\x04");
        out.extend_from_slice(&fields);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(&stored);
    }
    let (count, begin) = (files.len() as u16, out.len() as u32);
    out.extend_from_slice(&directory);
    out.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    out.extend_from_slice(&[count.to_le_bytes(), count.to_le_bytes()].concat());
    out.extend_from_slice(&(directory.len() as u32).to_le_bytes());
    out.extend_from_slice(&begin.to_le_bytes());
    out.extend_from_slice(&[0, 0]);
    out
}

fn warc(from: usize, to: usize) -> Vec<Vec<u8>> {
    let block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let kind = "Content-Type: application/http; msgtype=response";
    (from..to)
        .map(|n| record("response", &[&format!("WARC-Target-URI: http://h/{n}"), kind], block))
        .collect()
}

#[test]
fn wacz_files() {
    let [a, b, c] = [(0, 3), (3, 5), (5, 6)].map(|(from, to)| warc(from, to));
    let members: Vec<u8> = a.iter().flat_map(|record| gzip(record)).collect();
    let index = "com,h)/ 20050604120000 {\"url\": \"http://index/\", \"filename\": \"a.warc.gz\"}\n";
    let wacz = zip(&[
        ("datapackage.json", b"{}", true),
        ("archive/a.warc.gz", &members, false),
        ("archive/b.warc", &b.concat(), true),
        ("pages/pages.jsonl", b"{}\n", true),
        ("indexes/index.cdxj", index.as_bytes(), true),
        ("archive/c.warc.zst", &zstd::encode_all(&c.concat()[..], 3).expect("memory"), false),
    ]);
    let dir = dir();
    write(dir.path(), "a.wacz", &wacz);
    let expected: Vec<Value> = (0..6)
        .map(|n| {
            let file = ["a.warc.gz", "a.warc.gz", "a.warc.gz", "b.warc", "b.warc", "c.warc.zst"][n];
            json!({"record": n + 1, "uri": format!("http://h/{n}"), "filename": file, "http_status": 200,
                   "payload_type": "text/html", "source": "a.wacz", "error": null})
        })
        .collect();
    for options in ["", "--from wacz", "--from wacz --chunk 1 --threads 2", "--records response"] {
        let line = format!("normalize a.wacz --to jsonl --columns +source {options}");
        let done = urimill(&line).within(dir.path()).ok();
        assert_has(&jsonl(&done.stdout), &json!(expected), options);
        // Each record can be read from its file in the archive.
        let place = |name: &str, row: &Row| row[name].as_u64().expect("a number") as usize;
        let first = jsonl(&done.stdout)[1].clone();
        let (from, len) = (place("record_offset", &first), place("record_length", &first));
        assert_eq!(members[from..from + len], gzip(&a[1]), "{options}");
    }
    let done = urimill("normalize a.wacz --to csv").within(dir.path()).ok();
    assert!(done.stderr.contains("read the input as wacz"), "{}", done.stderr);
    let done = urimill("normalize a.wacz --from cdxj --to jsonl").within(dir.path()).ok();
    assert_has(
        &jsonl(&done.stdout),
        &json!([{"uri": "http://index/", "filename": "a.warc.gz"}]),
        "its index",
    );
}

/// What is wrong with a WACZ file is one sentence, and what was whole can be kept.
#[test]
fn broken_wacz_files() {
    let [a, b] = [(0, 2), (2, 4)].map(|(from, to)| warc(from, to));
    let whole = zip(&[("archive/a.warc", &a.concat(), true), ("archive/b.warc", &b.concat(), false)]);
    let dir = dir();
    let mut wrong = whole.clone();
    let at = whole.windows(10).position(|bytes| bytes == b"http://h/3").expect("the last target") + 9;
    wrong[at] = b'9';
    write(dir.path(), "wrong.wacz", &wrong);
    let line = "normalize wrong.wacz -o t.csv";
    urimill(line).within(dir.path()).fails(3, &["the zip archive is damaged", "archive/b.warc", "checksum"]);
    let done = urimill("normalize wrong.wacz --to jsonl --on-damage keep").within(dir.path()).go();
    assert_eq!(done.code, Some(3), "{}", done.stderr);
    assert!(jsonl(&done.stdout).len() >= 2, "{}", done.stderr);
    write(dir.path(), "cut.wacz", &whole[..whole.len() - 30]);
    urimill("normalize cut.wacz --from wacz").within(dir.path()).fails(3, &["the zip archive is damaged"]);
    write(dir.path(), "none.wacz", zip(&[("datapackage.json", b"{}", false)]));
    urimill("normalize none.wacz").within(dir.path()).fails(2, &["holds no web archive"]);
    write(dir.path(), "list.txt", "http://h/\n");
    urimill("normalize list.txt --from wacz").within(dir.path()).fails(2, &["is not a WACZ file"]);
    urimill("normalize --from wacz").stdin(&whole).fails(2, &["a pipe cannot go back; give a file"]);
    urimill("normalize").stdin(&whole).fails(2, &["a WACZ file", "--from wacz"]);
    write(dir.path(), "other.zip", zip(&[("a.txt", b"http://h/\n", false)]));
    urimill("normalize other.zip").within(dir.path()).fails(2, &["a zip archive"]);
    // Its directory says that it is shorter than it is: no bomb is unpacked further than that.
    let mut bomb = zip(&[("archive/a.warc", &vec![b'x'; 1 << 20], true)]);
    let size = (1u32 << 20).to_le_bytes();
    for at in (0..bomb.len() - 4).filter(|&at| bomb[at..at + 4] == size).collect::<Vec<_>>() {
        bomb[at..at + 4].copy_from_slice(&1000u32.to_le_bytes());
    }
    write(dir.path(), "bomb.wacz", &bomb);
    urimill("normalize bomb.wacz --from wacz --on-invalid keep")
        .within(dir.path())
        .fails(3, &["longer than the directory says"]);
}

/// Frames that need the dictionary of the first one, which is compressed itself or not.
#[test]
fn zstd_with_a_dictionary() {
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
        for options in ["", "--from warc --chunk 1", "--on-damage keep"] {
            let rows = rows(&format!("{options} --columns uri"), &stored);
            assert_eq!(rows.len(), records.len(), "{what} {options}");
            assert!(
                rows.iter().enumerate().all(|(n, row)| row["uri"] == format!("http://h/{n}")),
                "{what} {options}"
            );
        }
        let rows = rows("--keep record_offset,record_length", &stored);
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
    // Without it, or with a wrong one, the first frame that needs it is damage.
    for first in [Vec::new(), begin(b"no dictionary")] {
        let stored = [first, frames.concat()].concat();
        urimill("normalize --from warc").stdin(&stored).fails(3, &["the zstd stream is corrupt"]);
    }
}
