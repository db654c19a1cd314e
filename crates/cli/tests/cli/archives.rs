//! Archives through the program: ARC, WACZ, and zstd with a dictionary. `crates/archives/tests/archives` has the rows of
//! each record.

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde_json::{Value, json};
use urimill_testkit::archives::{arc, gzip, typed};
use urimill_testkit::reading::assert_all_have;

use super::run::{dir, urimill, write};
use super::table::{Row, jsonl};

fn rows(options: &str, stored: &[u8]) -> Vec<Row> {
    jsonl(&urimill(&format!("normalize --to jsonl {options}")).stdin(stored).ok().stdout)
}

#[test]
fn an_arc_file_is_detected_and_its_end_is_damage() {
    let stored = arc().concat();
    let done = urimill("normalize --to csv").stdin(&stored).ok();
    assert!(
        done.stderr.contains("read the input as arc") && done.stderr.contains("+ 1 filedesc"),
        "{}",
        done.stderr
    );
    assert_eq!(rows("--from auto", &stored), rows("--from arc", &stored));
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
    (from..to).map(|n| typed("response", &[&format!("WARC-Target-URI: http://h/{n}"), kind], block)).collect()
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
        assert_all_have(&jsonl(&done.stdout), &json!(expected), options);
        // Each record can be read from its file in the archive.
        let place = |name: &str, row: &Row| row[name].as_u64().expect("a number") as usize;
        let first = jsonl(&done.stdout)[1].clone();
        let (from, len) = (place("record_offset", &first), place("record_length", &first));
        assert_eq!(members[from..from + len], gzip(&a[1]), "{options}");
    }
    let done = urimill("normalize a.wacz --to csv").within(dir.path()).ok();
    assert!(done.stderr.contains("read the input as wacz"), "{}", done.stderr);
    let done = urimill("normalize a.wacz --from cdxj --to jsonl").within(dir.path()).ok();
    assert_all_have(
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

/// Frames that need the dictionary of the first one.
#[test]
fn a_dictionary_that_is_missing_is_damage() {
    let records = warc(0, 200);
    let samples: Vec<&[u8]> = records.iter().map(Vec::as_slice).collect();
    let dictionary = zstd::dict::from_samples(&samples, 4096).expect("a dictionary");
    let frame = |record: &[u8]| {
        let mut encoder = zstd::bulk::Compressor::with_dictionary(3, &dictionary).expect("an encoder");
        encoder.compress(record).expect("memory")
    };
    let frames: Vec<Vec<u8>> = records.iter().map(|record| frame(record)).collect();
    let begin =
        |content: &[u8]| [b"\x5d\x2a\x4d\x18", &(content.len() as u32).to_le_bytes()[..], content].concat();
    let stored = [begin(&dictionary), frames.concat()].concat();
    for options in ["", "--from warc", "--on-damage keep"] {
        assert_eq!(rows(options, &stored).len(), records.len(), "{options}");
    }
    // Without it, or with a wrong one, the first frame that needs it is damage.
    for first in [Vec::new(), begin(b"no dictionary")] {
        let stored = [first, frames.concat()].concat();
        urimill("normalize --from warc").stdin(&stored).fails(3, &["the zstd stream is corrupt"]);
    }
}
