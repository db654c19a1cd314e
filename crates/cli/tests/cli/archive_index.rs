//! `urimill index`: the lines of archives, and the records that have none. The tests `foreign` compare the lines with
//! those of other tools.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use arrow::array::RecordBatch;
use arrow::compute::cast;
use arrow::datatypes::DataType;
use arrow::json::WriterBuilder;
use arrow::json::writer::LineDelimited;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};

use super::archives::zip;
use super::run::{dir, names, urimill, write};

fn record(kind: &str, fields: &str, block: &[u8]) -> Vec<u8> {
    let head = format!("WARC/1.0\r\nWARC-Type: {kind}\r\n{fields}Content-Length: {}\r\n\r\n", block.len());
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

fn page(number: usize) -> Vec<u8> {
    let fields = format!(
        "WARC-Target-URI: http://h{}.example/{number}\r\nWARC-Date: 2026-11-{:02}T10:00:{:02}Z\r\n\
         Content-Type: application/http; msgtype=response\r\n",
        number * 7 % 13,
        number % 28 + 1,
        number % 60
    );
    record(
        "response",
        &fields,
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{number}").as_bytes(),
    )
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn lines(options: &str, archive: &[u8]) -> Vec<String> {
    let done = urimill(&format!("index --summary none {options}")).stdin(archive).ok();
    done.text().lines().map(str::to_owned).collect()
}

/// Two fields that most records have.
const DATED: &str = "WARC-Target-URI: http://h/\r\nWARC-Date: 2026-11-20T10:00:00Z\r\n";

#[test]
fn a_record_has_a_line_by_its_type() {
    let http = "Content-Type: application/http\r\n";
    let nothing = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";
    // (type, fields, block, the members of cdxj-indexer's line, those of pywb's; nothing if there is no line)
    type Case<'a> = (&'a str, String, &'a [u8], Option<String>, Option<String>);
    let table: Vec<Case<'_>> = vec![
        ("warcinfo", "Content-Type: application/warc-fields\r\n".into(), b"a: b\r\n", None, None),
        ("request", format!("{DATED}{http}"), b"GET / HTTP/1.1\r\n\r\n", None, None),
        (
            "response",
            format!("{DATED}{http}"),
            b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html; charset=utf-8\r\n\r\n",
            Some(format!("\"mime\": \"text/html\", \"status\": \"404\", \"digest\": \"{nothing}\"")),
            Some(format!("\"mime\": \"text/html\", \"status\": \"404\", \"digest\": \"{}\"", &nothing[5..])),
        ),
        // The digest that it says.
        (
            "response",
            format!("{DATED}{http}WARC-Payload-Digest: sha1:A\r\nWARC-Identified-Payload-Type: text/x\r\n"),
            b"HTTP/1.1 204 No Content\r\n\r\n",
            Some("\"status\": \"204\", \"digest\": \"sha1:A\"".into()),
            Some(
                "\"mime\": \"unk\", \"mime-detected\": \"text/x\", \"status\": \"204\", \"digest\": \"A\""
                    .into(),
            ),
        ),
        (
            "revisit",
            format!("{DATED}{http}WARC-Payload-Digest: sha1:A\r\n"),
            b"HTTP/1.1 200 OK\r\n\r\n",
            Some("\"mime\": \"warc/revisit\", \"status\": \"200\", \"digest\": \"sha1:A\"".into()),
            Some("\"mime\": \"warc/revisit\", \"digest\": \"A\"".into()),
        ),
        (
            "resource",
            format!("{DATED}Content-Type: text/css\r\nWARC-Payload-Digest: md5:A\r\n"),
            b"a{}",
            Some("\"mime\": \"text/css\", \"digest\": \"md5:A\"".into()),
            Some("\"mime\": \"text/css\", \"digest\": \"md5:A\"".into()),
        ),
        ("metadata", format!("{DATED}Content-Type: application/warc-fields\r\n"), b"a: b\r\n", None, None),
        (
            "conversion",
            format!("{DATED}Content-Type: text/plain\r\nWARC-Payload-Digest: sha1:A\r\n"),
            b"a",
            None,
            Some("\"mime\": \"text/plain\", \"digest\": \"A\"".into()),
        ),
        (
            "response",
            format!("WARC-Date: 2026-11-20T10:00:00Z\r\n{http}"),
            b"HTTP/1.1 200 OK\r\n\r\n",
            None,
            None,
        ),
        (
            "response",
            format!("WARC-Target-URI: http://h/\r\nWARC-Date: x\r\n{http}"),
            b"HTTP/1.1 200 OK\r\n\r\n",
            None,
            None,
        ),
    ];
    for (kind, fields, block, own, pywb) in table {
        let archive = record(kind, &fields, block);
        for (like, expected) in [("cdxj-indexer", own), ("pywb", pywb)] {
            let found = lines(&format!("--like {like}"), &archive);
            let expected: Vec<_> = expected
                .map(|middle| {
                    let length = archive.len() - 4;
                    format!(
                        "h)/ 20261120100000 {{\"url\": \"http://h/\", {middle}, \"length\": \"{length}\", \
                         \"offset\": \"0\", \"filename\": \"standard input\"}}"
                    )
                })
                .into_iter()
                .collect();
            assert_eq!(found, expected, "{kind} {like}: {fields}");
        }
    }
}

#[test]
fn every_record_is_accounted_for() {
    let archive = [
        record("warcinfo", "", b""),
        page(1),
        record("response", "WARC-Date: 2026-11-20T10:00:00Z\r\n", b"a"),
        record("response", "WARC-Target-URI: http://h/\r\n", b"a"),
        page(2),
    ]
    .concat();
    let summary = urimill("index --summary json").stdin(&archive).ok().summary();
    assert_eq!((&summary["records"], &summary["lines"]), (&5.into(), &2.into()));
    let left_out = &summary["left_out"];
    assert_eq!(
        [&left_out["types"], &left_out["without_target"], &left_out["without_time"]],
        [&serde_json::Value::from(1), &1.into(), &1.into()]
    );
}

#[test]
fn lines_are_sorted_whatever_the_threads_chunks_and_memory() {
    let archive: Vec<u8> = (0..3000).flat_map(page).collect();
    let members: Vec<u8> = (0..3000).flat_map(|number| gzip(&page(number))).collect();
    let unsorted = lines("--unsorted", &archive);
    assert_eq!(unsorted.len(), 3000);
    assert!(unsorted[1].starts_with("example,h7)/1 20261102100001 "), "{}", unsorted[1]);
    let mut sorted = unsorted.clone();
    sorted.sort();
    assert_ne!(sorted, unsorted);
    for options in ["", "--threads 1", "--threads 4 --chunk 99", "--memory 1M --chunk 4000"] {
        assert_eq!(lines(options, &archive), sorted, "{options}");
        assert_eq!(lines(&format!("--unsorted {options}"), &archive), unsorted, "{options}");
        let of_members = lines(options, &members);
        let key = |line: &String| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
        assert_eq!(
            of_members.iter().map(key).collect::<Vec<_>>(),
            sorted.iter().map(key).collect::<Vec<_>>()
        );
    }
    // At the given place is a record that can be read by itself.
    for line in lines("", &members).iter().step_by(97) {
        let fields: serde_json::Value =
            serde_json::from_str(line.splitn(3, ' ').nth(2).expect("JSON")).expect("JSON");
        let number = |name: &str| fields[name].as_str().expect("a text").parse::<usize>().expect("a number");
        let (from, len) = (number("offset"), number("length"));
        let mut text = String::new();
        flate2::read::GzDecoder::new(&members[from..from + len]).read_to_string(&mut text).expect("a member");
        assert!(
            text.starts_with("WARC/1.0\r\n") && text.contains(fields["url"].as_str().expect("a text")),
            "{line}"
        );
    }
}

/// Bytes of a file that nobody needs are not read; a pipe has to be read.
#[test]
fn a_file_has_the_lines_that_its_bytes_have_through_a_pipe() {
    let dir = dir();
    let digest = "WARC-Payload-Digest: sha1:A\r\n";
    // A response with so many bytes of a header of HTTP and of a payload, and with a length that is wrong by so much.
    let response = |number: usize, header: usize, payload: usize, by: i64, fields: &str| {
        let http = format!("HTTP/1.1 200 OK\r\nX: {}\r\nContent-Type: a/b\r\n\r\n", "x".repeat(header));
        let fields =
            format!("WARC-Target-URI: http://h/{number}\r\nWARC-Date: 2026-11-20T10:00:00Z\r\n{fields}");
        let length = (http.len() + payload) as i64 + by;
        let head = format!("WARC/1.0\r\nWARC-Type: response\r\n{fields}Content-Length: {length}\r\n\r\n");
        [
            head.as_bytes(),
            http.as_bytes(),
            &b"WARC/1.0\r\n\r\n".repeat(payload / 12 + 1)[..payload],
            b"\r\n\r\n",
        ]
        .concat()
    };
    let long = |number: usize| response(number, 1, 400_000, 0, digest);
    let wrong = |by: i64| [long(1), response(2, 1, 400_000, by, digest), long(3), long(4)].concat();
    let cut = |bytes: usize| {
        let whole = [long(1), long(2)].concat();
        whole[..whole.len() - bytes].to_vec()
    };
    let table: Vec<(&str, Vec<u8>)> = vec![
        ("long payloads", (0..9).flat_map(long).collect()),
        ("payloads of all lengths", (0..90).flat_map(|n| response(n, 1, n * n * 50, 0, digest)).collect()),
        ("payloads without a digest", (0..9).flat_map(|n| response(n, 1, n * 70_000, 0, "")).collect()),
        ("one digest of two", (0..9).flat_map(|n| response(n, 1, 200_000, 0, ["", digest][n % 2])).collect()),
        ("long headers", (0..9).flat_map(|n| response(n, n * 20_000, 400_000, 0, digest)).collect()),
        ("a length beyond the end", wrong(10_000_000)),
        ("a length beyond all files", wrong(i64::MAX / 2)),
        ("a length into the next record", wrong(200_000)),
        ("a length to just before the end", wrong(2 * 400_300)),
        ("a length that is one too long", wrong(5)),
        ("a length that is too short", wrong(-200_000)),
        ("cut in a header", cut(400_200)),
        ("cut in a payload", cut(200_000)),
        ("cut before the last byte", cut(5)),
        ("cut behind the last byte", cut(4)),
        ("cut in the line ends", cut(2)),
        ("line ends at the end", [long(1), vec![b'\n'; 300_000]].concat()),
    ];
    for (what, archive) in table {
        write(dir.path(), "a.warc", &archive);
        for command in [
            "index --summary none",
            "index --summary none --like pywb --on-damage keep --threads 1",
            "index --summary none --on-damage skip --chunk 99",
            "normalize --summary none --from warc --columns record,offset,raw,error --on-damage keep",
            "normalize --summary none --from warc --columns record,uri --keep http_status,record_offset,record_length",
        ] {
            let file = urimill(&format!("{command} a.warc")).within(dir.path()).go();
            let pipe = urimill(&format!("{command} -")).within(dir.path()).stdin(&archive).go();
            let named = |text: &str| text.replace("standard input", "a.warc");
            assert_eq!(file.code, pipe.code, "{what}: {command}: {} {}", file.stderr, pipe.stderr);
            assert_eq!(file.stderr, named(&pipe.stderr), "{what}: {command}");
            assert!(file.text() == named(pipe.text()), "{what}: {command}: {} {}", file.text(), pipe.text());
        }
    }
}

#[test]
fn equal_lines_come_once_as_the_tool_has_it() {
    let dir = dir();
    write(dir.path(), "a.warc", page(1));
    let count = |options: &str| {
        let line = format!("index a.warc a.warc --summary json -o out --force {options}");
        urimill(&line).within(dir.path()).ok().summary()
    };
    let summary = count("");
    assert_eq!((&summary["lines"], &summary["repeated"]), (&1.into(), &1.into()));
    assert_eq!(count("--like pywb")["lines"], 2);
    assert_eq!(count("--unsorted")["lines"], 2);
}

#[test]
fn the_form_is_that_of_the_name_or_of_the_option() {
    let dir = dir();
    std::fs::create_dir(dir.path().join("sub")).expect("a folder");
    write(dir.path(), "sub/a.warc", page(1));
    for (options, name, begin) in [
        ("-o a.cdxj", "a.cdxj", "example,h7)/1 20261102100001 {"),
        (
            "-o a.cdx",
            "a.cdx",
            " CDX N b a m s k r M S V g\nexample,h7)/1 20261102100001 http://h7.example/1 text/html 200 ",
        ),
        ("-o b.txt --to cdx9", "b.txt", " CDX N b a m s k r V g\nexample,h7)/1 20261102100001 "),
        ("-o c.txt", "c.txt", "example,h7)/1 20261102100001 {"),
    ] {
        urimill(&format!("index sub/a.warc --summary none {options}")).within(dir.path()).ok();
        let text = std::fs::read_to_string(dir.path().join(name)).expect("an index");
        assert!(text.starts_with(begin) && text.contains("a.warc") && !text.contains("sub/"), "{text}");
    }
    let done = urimill("index sub/a.warc --summary none --root .").within(dir.path()).ok();
    assert!(done.text().contains("\"filename\": \"sub/a.warc\""), "{}", done.text());
    urimill("index sub/a.warc --summary none -o d.cdxj.gz").within(dir.path()).ok();
    let packed = std::fs::read(dir.path().join("d.cdxj.gz")).expect("an index");
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(&packed[..]).read_to_string(&mut text).expect("gzip");
    assert!(text.starts_with("example,h7)/1 "), "{text}");
}

#[test]
fn zipnum_lists_its_blocks_and_shards() {
    let dir = dir();
    let archive: Vec<u8> = (0..100).flat_map(page).collect();
    write(dir.path(), "a.warc", &archive);
    let sorted = urimill("index a.warc --summary none").within(dir.path()).ok();
    let sorted: Vec<&str> = sorted.text().lines().collect();
    for (options, shards) in [
        ("", 1),
        ("--shards 3 --block-lines 7", 3),
        ("--shards 50 --block-lines 9", 12),
        ("--block-lines 1", 1),
    ] {
        let line = format!("index a.warc --to zipnum -o index/ --force --summary none {options}");
        urimill(&line).within(dir.path()).ok();
        let folder = dir.path().join("index");
        let read = |name: &str| std::fs::read(folder.join(name)).expect("a file");
        let parts = String::from_utf8(read("cdx.loc")).expect("text");
        let parts: Vec<(&str, &str)> =
            parts.lines().map(|line| line.split_once('\t').expect("a tab")).collect();
        assert_eq!(parts.len(), shards, "{options}");
        let mut expected: BTreeSet<String> = parts.iter().map(|(_, path)| (*path).to_owned()).collect();
        expected.extend(["_SUCCESS", "cdx.idx", "cdx.loc"].map(str::to_owned));
        assert_eq!(names(&folder), expected.into_iter().collect::<Vec<_>>(), "{options}");
        let mut found = Vec::new();
        let blocks = String::from_utf8(read("cdx.idx")).expect("text");
        for (number, line) in blocks.lines().enumerate() {
            let fields: Vec<&str> = line.split('\t').collect();
            let path = parts.iter().find(|(name, _)| *name == fields[1]).expect("a shard").1;
            let place = |at: usize| fields[at].parse::<usize>().expect("a number");
            assert_eq!(place(4), number + 1);
            let mut text = String::new();
            let block = &read(path)[place(2)..][..place(3)];
            flate2::read::GzDecoder::new(block).read_to_string(&mut text).expect("a member");
            assert!(text.starts_with(&format!("{} ", fields[0])), "{line}");
            found.extend(text.lines().map(str::to_owned));
        }
        assert_eq!(found, sorted, "{options}");
    }
}

#[test]
fn what_is_no_archive_is_refused() {
    let dir = dir();
    write(dir.path(), "list.txt", "http://h/\n");
    write(dir.path(), "whole.warc.gz", gzip(&[page(1), page(2)].concat()));
    let mut damaged = [page(1), b"junk\r\n\r\n".to_vec(), page(2)].concat();
    write(dir.path(), "junk.warc", &damaged);
    damaged.truncate(damaged.len() - 20);
    write(dir.path(), "cut.warc", &damaged);
    for (line, code, parts) in [
        ("list.txt", 2, &["list.txt does not look like a web archive", "--from warc or arc"][..]),
        ("whole.warc.gz", 2, &["whole.warc.gz is compressed as a whole", "warcio recompress"]),
        ("junk.warc", 3, &["record 2 of junk.warc is not a record"]),
        ("cut.warc", 3, &["cut.warc"]),
        ("list.txt --to zipnum", 2, &["--to zipnum writes a directory", "-o DIR/"]),
        ("list.txt --to zipnum -o d --unsorted", 2, &["--to zipnum is sorted", "--unsorted"]),
        ("list.txt --shards 2", 2, &["--shards is for --to zipnum"]),
        ("list.txt -o list.txt --force", 2, &["list.txt"]),
    ] {
        urimill(&format!("index {line}")).within(dir.path()).fails(code, parts);
    }
    assert_eq!(names(dir.path()), ["cut.warc", "junk.warc", "list.txt", "whole.warc.gz"]);
    // There is nothing to insist with.
    for (format, name) in [("warc", "a WARC file"), ("arc", "an ARC file")] {
        let done = urimill(&format!("index list.txt --from {format}")).within(dir.path()).go();
        let expected = format!("list.txt is not {name}, it begins with \"http://h/\": check --from");
        assert!(done.stderr.trim_end().ends_with(&expected), "{}", done.stderr);
    }
    let done = urimill("index --summary none").stdin("").ok();
    assert_eq!(done.text(), "");
    let done = urimill("index junk.warc --on-damage keep --summary none").within(dir.path()).go();
    assert_eq!((done.code, done.text().lines().count()), (Some(3), 2), "{}", done.stderr);
    let done = urimill("index cut.warc --on-damage keep --summary none").within(dir.path()).go();
    assert_eq!((done.code, done.text().lines().count()), (Some(3), 1), "{}", done.stderr);
}

#[test]
fn a_table_has_the_members_of_lines_as_columns() {
    let dir = dir();
    let http = "Content-Type: application/http\r\n";
    let of = |path: &str, head: &str| {
        let fields = format!(
            "WARC-Target-URI: http://www.h.example/{path}\r\nWARC-Date: 2026-11-20T10:00:00Z\r\n{http}\
             WARC-Payload-Digest: sha1:A\r\n"
        );
        record("response", &fields, format!("HTTP/1.1 {head}\r\n\r\n").as_bytes())
    };
    let archive = [
        of("b", "200 OK\r\nContent-Type: text/html"),
        of("a/x", "301 Moved\r\nLocation: ../c?d"),
        of("c", "302 Found\r\nLocation: not a reference"),
        of("d", "20x Odd"),
        of("e", "200 OK\r\nLocation: /not-followed"),
    ];
    write(dir.path(), "a.warc", archive.concat());
    let row = |key: &str, mime: Value, redirect: Value, status: Value, number: usize| {
        let (url, offset) = (key.to_owned(), archive[..number].iter().map(Vec::len).sum::<usize>());
        json!({
            "urlkey": format!("example,h)/{key}"), "timestamp": "20261120100000", "time": 1_795_168_800_000_i64,
            "url": format!("http://www.h.example/{url}"), "mime": mime, "mime_detected": null, "digest": "sha1:A",
            "filename": "a.warc", "redirect": redirect, "method": null, "request_body": null, "status": status, "offset": offset,
            // Without the empty lines after it.
            "length": archive[number].len() - 4,
        })
    };
    let null = Value::Null;
    let expected = [
        row("a/x", null.clone(), "http://www.h.example/c?d".into(), 301.into(), 1),
        row("b", "text/html".into(), null.clone(), 200.into(), 0),
        row("c", null.clone(), "not a reference".into(), 302.into(), 2),
        // A status that is not a number.
        row("d", null.clone(), null.clone(), null.clone(), 3),
        row("e", null.clone(), null.clone(), 200.into(), 4),
    ];
    for (output, threads) in [("by-name.parquet", 1), ("by-option --to parquet", 2)] {
        urimill(&format!("index a.warc --summary none --threads {threads} -o {output}"))
            .within(dir.path())
            .ok();
        let name = output.split(' ').next().expect("a name");
        assert_eq!(rows(&dir.path().join(name)), expected, "{output}");
    }
    // A time that the calendar does not have.
    write(dir.path(), "a.arc", arc("http://h/ 127.0.0.1 20260230250000 text/html"));
    urimill("index a.arc --summary none -o arc.parquet").within(dir.path()).ok();
    let rows = rows(&dir.path().join("arc.parquet"));
    assert_eq!((&rows[0]["timestamp"], &rows[0]["time"]), (&"20260230250000".into(), &null));
    urimill("index a.warc -o u.parquet --unsorted").within(dir.path()).fails(2, &["--to parquet is sorted"]);
}

#[test]
fn a_space_in_a_target_ends_no_field() {
    let archive = arc("http://h/a b 127.0.0.1 20260230250000 text/html");
    // (options, the line up to its digest)
    for (options, begin) in [
        ("", "h)/a%20b 20260230250000 {\"url\": \"http://h/a%20b\", \"status\": \"200\", "),
        ("--like pywb", "h)/a%20b 20260230250000 {\"url\": \"http://h/a b\", \"mime\": \"text/html\", "),
        ("--to cdx", "h)/a%20b 20260230250000 http://h/a%20b - 200 "),
        ("--to cdx --like pywb", "h)/a%20b 20260230250000 http://h/a%20b text/html 200 "),
    ] {
        let found = lines(options, archive.as_bytes());
        assert!(found.last().is_some_and(|line| line.starts_with(begin)), "{options}: {found:?}");
    }
    let done = urimill("links --from arc --columns page,base --to csv --summary none")
        .stdin(arc_of(
            "http://h/a b 127.0.0.1 20260101000000 text/html",
            "HTTP/1.0 200 OK\r\nLocation: c\r\n\r\n",
        ))
        .ok();
    assert_eq!(done.text(), "page,base\nhttp://h/a b,http://h/a b\n");
}

/// An ARC file of one record with this line.
fn arc(line: &str) -> String {
    arc_of(line, "HTTP/1.0 200 OK\r\n\r\n")
}

/// The same with this block.
fn arc_of(line: &str, block: &str) -> String {
    let description = "1 0 test\nURL IP-address Archive-date Content-type Archive-length\n\n";
    format!(
        "filedesc://a.arc 0.0.0.0 20260101000000 text/plain {}\n{description}\n{line} {}\n{block}\n",
        description.len(),
        block.len()
    )
}

/// The rows of a Parquet file as objects, times as milliseconds since 1970.
fn rows(path: &Path) -> Vec<Value> {
    let file = File::open(path).expect("a file");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet").build().expect("Parquet");
    let mut text = Vec::new();
    let mut writer = WriterBuilder::new().with_explicit_nulls(true).build::<_, LineDelimited>(&mut text);
    for batch in reader.map(|batch| batch.expect("rows")) {
        let (schema, mut columns) = (batch.schema(), batch.columns().to_vec());
        let time = schema.index_of("time").expect("times");
        columns[time] = cast(&columns[time], &DataType::Int64).expect("a moment");
        let names = schema.fields().iter().map(|field| field.name());
        let plain =
            RecordBatch::try_from_iter_with_nullable(names.zip(columns).map(|(name, c)| (name, c, true)));
        writer.write(&plain.expect("columns")).expect("memory");
    }
    writer.finish().expect("memory");
    let text = String::from_utf8(text).expect("JSON");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The index of a WACZ file names the archives in it, and places within these archives.
#[test]
fn archives_in_a_wacz_file_have_the_lines_that_they_have_alone() {
    let dir = dir();
    let [first, second] =
        [0..30, 20..50].map(|pages| pages.map(|n| gzip(&page(n))).collect::<Vec<_>>().concat());
    let plain = (50..60).map(page).collect::<Vec<_>>().concat();
    let archives = [("a.warc.gz", &first), ("b.warc.gz", &second), ("c.warc", &plain)];
    for (name, bytes) in archives {
        write(dir.path(), name, bytes);
    }
    let expected = urimill("index a.warc.gz b.warc.gz c.warc --summary none").within(dir.path()).ok();
    assert_eq!(expected.text().lines().count(), 70);
    std::fs::create_dir(dir.path().join("below")).expect("a directory");
    // (what the archives are in the file, options): also one that is packed once more, as wacz may be unpacked
    for (is_deflated, options) in
        [(false, ""), (true, ""), (false, "--from wacz --root ."), (false, "--threads 3")]
    {
        let paths = archives.map(|(name, _)| format!("archive/{name}"));
        let files: Vec<(&str, &[u8], bool)> = archives
            .iter()
            .zip(&paths)
            .map(|((_, bytes), path)| (&**path, &bytes[..], is_deflated))
            .collect();
        let files =
            [&files[..], &[("datapackage.json", b"{}", false), ("indexes/index.cdxj", b"", false)]].concat();
        write(&dir.path().join("below"), "all.wacz", zip(&files));
        let found =
            urimill(&format!("index below/all.wacz --summary none {options}")).within(dir.path()).ok();
        assert_eq!(found.text(), expected.text(), "{is_deflated} {options}");
    }
    urimill("index --from wacz").stdin(&first).fails(2, &["cannot read WACZ from standard input"]);
    urimill("index a.warc.gz --from wacz").within(dir.path()).fails(2, &["a.warc.gz is not a WACZ file"]);
}
