//! WAT files and indexes of archives through the program. `crates/archives/tests/archives` has the rows of each record.

use serde_json::json;
use urimill_testkit::archives::{gzip, typed, wat};

use super::run::{dir, urimill, write};
use super::table::{Row, jsonl};

fn rows(options: &str, stored: &[u8]) -> Vec<Row> {
    jsonl(&urimill(&format!("normalize --to jsonl {options}")).stdin(stored).ok().stdout)
}

#[test]
fn a_wat_is_detected() {
    let done = urimill("normalize --to csv").stdin(wat().concat()).ok();
    assert!(done.stderr.contains("read the input as wat"), "{}", done.stderr);
    let named = rows("--from wat", &wat().concat());
    assert_eq!((named.len(), rows("--from auto", &wat().concat())), (3, named));
}

#[test]
fn records_that_are_passed_over_are_counted() {
    let http = "HTTP/1.1 200 OK\r\n\r\n";
    let warc = ["request", "response", "metadata", "response"]
        .map(|kind| typed(kind, &["WARC-Target-URI: http://h/"], http));
    let done = urimill("normalize --to csv --records response").stdin(warc.concat()).ok();
    assert!(done.stderr.contains("+ 2 passed over"), "{}", done.stderr);
    let done = urimill("normalize --records answer").go();
    assert!(done.code == Some(2) && done.stderr.contains("no record type \"answer\""), "{}", done.stderr);
    urimill("normalize --from clf --records response").fails(2, &["--records is for web archives"]);
}

/// An archive is an archive, whatever its blocks hold.
#[test]
fn an_archive_of_images_is_an_archive() {
    let block: String = (0..4000u32).map(|n| char::from((n % 32) as u8)).collect();
    let stored = typed("resource", &["WARC-Target-URI: http://h/", "Content-Type: image/png"], &block);
    assert_eq!(
        rows("--from auto --columns uri --keep none", &stored),
        rows("--from warc --columns uri --keep none", &stored)
    );
}

/// The table of an index, made of the archive itself: each row can be fetched by its offset and length.
#[test]
fn an_index_of_an_archive() {
    let http = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\n\r\n<html>";
    let field = "Content-Type: application/http; msgtype=response";
    let records: Vec<Vec<u8>> = (0..5)
        .map(|n| typed("response", &[&format!("WARC-Target-URI: http://example.org/{n}"), field], http))
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
