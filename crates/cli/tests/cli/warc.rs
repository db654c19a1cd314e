//! Web archives through the program: types, threads, truncation, detection. `crates/archives/tests/archives` has the rows
//! of each record.

use arrow::datatypes::{DataType, TimeUnit};
use urimill_testkit::archives::{gzip, record, warc};
use urimill_testkit::reading::told;

use super::run::{dir, names, urimill, write};
use super::table::{Row, batches, jsonl};

fn rows(options: &str, stored: &[u8]) -> Vec<Row> {
    let columns = if options.contains("--columns") { "" } else { "--columns +offset" };
    jsonl(&urimill(&format!("normalize --to jsonl {columns} {options}")).stdin(stored).ok().stdout)
}

#[test]
fn every_field_is_typed() {
    let text = DataType::Utf8;
    let of_warc = [
        ("warc_type", text.clone()),
        ("warc_date", DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into()))),
        ("warc_record_id", text.clone()),
        ("content_length", DataType::Int64),
        ("record_offset", DataType::Int64),
        ("record_length", DataType::Int64),
        ("filename", text.clone()),
        ("warc_ip_address", text.clone()),
        ("warc_payload_digest", text.clone()),
        ("warc_identified_payload_type", text.clone()),
        ("content_type", text.clone()),
        ("http_status", DataType::Int32),
        ("payload_type", text.clone()),
        ("extra", text.clone()),
        ("field_errors", text.clone()),
    ];
    let wat = [
        ("warc_type", text.clone()),
        ("warc_date", DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into()))),
        ("warc_record_id", text.clone()),
        ("content_length", DataType::Int64),
        ("record_offset", DataType::Int64),
        ("record_length", DataType::Int64),
        ("filename", text.clone()),
        ("content_type", text.clone()),
        ("container_filename", text.clone()),
        ("container_offset", DataType::Int64),
        ("container_length", DataType::Int64),
        ("envelope_type", text.clone()),
        ("warc_ip_address", text.clone()),
        ("warc_payload_digest", text.clone()),
        ("warc_identified_payload_type", text.clone()),
        ("http_status", DataType::Int32),
        ("payload_type", text.clone()),
        ("title", text.clone()),
        ("extra", text.clone()),
        ("field_errors", text),
    ];
    for (format, expected) in [("warc", of_warc.to_vec()), ("wat", wat.to_vec())] {
        let dir = dir();
        write(dir.path(), "a", warc().concat());
        urimill(&format!("normalize a -o a.parquet --from {format}")).within(dir.path()).ok();
        let schema = batches(&dir.path().join("a.parquet"))[0].schema();
        let fields = schema.fields().iter().skip_while(|field| field.name() != "warc_type");
        let found: Vec<_> = fields.map(|f| (f.name().as_str(), f.data_type().clone())).collect();
        assert_eq!(found, expected, "{format}");
    }
}

/// An archive of many members, which several threads inflate, and chunks of any size.
#[test]
fn threads_and_chunks_change_nothing() {
    let noise = |n: u64| {
        (0..900)
            .map(move |i| (n * 7919 + i).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 13)
            .map(|x| format!("{x:x}\n"))
    };
    let member = |n: u64| {
        let target = format!("WARC-Target-URI: http://example.org/{n}");
        gzip(&record(&["WARC-Type: resource", &target], noise(n).collect::<String>().as_bytes()))
    };
    let members: Vec<Vec<u8>> = (0..300).map(member).collect();
    let dir = dir();
    write(dir.path(), "a.warc.gz", members.concat());
    let mut first = None;
    for (threads, chunk) in [(1, 1 << 20), (2, 1 << 20), (4, 3000), (3, 1)] {
        let line = format!(
            "normalize a.warc.gz --from warc --to csv --columns +offset --threads {threads} --chunk {chunk}"
        );
        let table = urimill(&line).within(dir.path()).ok().stdout;
        assert!(*first.get_or_insert_with(|| table.clone()) == table, "{threads} threads, chunks of {chunk}");
    }
    let rows = rows("--from warc --threads 2", &members.concat());
    let mut at = 0;
    for (row, member) in rows.iter().zip(&members) {
        assert_eq!(row["record_offset"], at, "{row:?}");
        at += member.len();
    }
    assert_eq!(rows.len(), members.len());
}

/// A file that ends inside a record is an error that names file and byte; nothing is published.
#[test]
fn truncated_archives() {
    let first = record(&["WARC-Target-URI: http://h/1"], b"block");
    let second = record(&["WARC-Target-URI: http://h/2"], b"block");
    let stored = [first.clone(), second.clone()].concat();
    let dir = dir();
    for cut in first.len() + 5..stored.len() - 4 {
        write(dir.path(), "a.warc", &stored[..cut]);
        let begin = first.len();
        let sentence = format!(
            "cannot read a.warc: the WARC record that begins at byte {begin} is truncated at byte {cut}"
        );
        urimill("normalize a.warc --from warc -o t.csv").within(dir.path()).fails(3, &[&sentence]);
        assert_eq!(names(dir.path()), ["a.warc"], "cut at {cut}");
    }
    // A length that no file has asks for no memory.
    let endless =
        b"WARC/1.0\r\nWARC-Target-URI: http://h/\r\nContent-Length: 9223372036854775807\r\n\r\nblock";
    urimill("normalize --from warc").stdin(endless).fails(3, &["begins at byte 0 is truncated at byte 82"]);
    urimill("normalize --from warc")
        .stdin(gzip(endless))
        .fails(3, &["byte 0 of the decompressed bytes is truncated"]);
}

#[test]
fn what_is_no_warc() {
    let list = "http://a/\nhttp://b/\n";
    urimill("normalize --from warc")
        .stdin(list)
        .fails(2, &["is not a WARC file", "\"http://a/\"", "--on-invalid keep"]);
    let done = urimill("normalize --from warc --to jsonl --on-invalid keep").stdin(list).ok();
    assert_eq!(told(&jsonl(&done.stdout)), ["1 http://a/ record_malformed 0"]);
    // Nothing is not an archive of anything else.
    for nothing in ["", "\n", "\r\n\r\n"] {
        assert_eq!(rows("--from warc", nothing.as_bytes()).len(), 0, "{nothing:?}");
    }
}

#[test]
fn archives_are_known_by_their_first_line() {
    for version in ["0.17", "0.18", "1.0", "1.1"] {
        let stored = String::from_utf8(warc()[..4].concat())
            .expect("text")
            .replace("WARC/1.0", &format!("WARC/{version}"));
        for stored in [stored.clone().into_bytes(), gzip(stored.as_bytes())] {
            let done =
                urimill("normalize --from auto --to csv --columns record,uri --keep warc_type,record_offset")
                    .stdin(&stored)
                    .ok();
            assert!(done.stderr.starts_with("urimill: read the input as warc\n"), "{}", done.stderr);
            assert!(
                done.stderr.contains("4 records = 3 valid records + 0 rejects + 1 warcinfo\n"),
                "{}",
                done.stderr
            );
            assert_eq!(done.text().lines().count(), 4, "{}", done.text());
        }
    }
}
