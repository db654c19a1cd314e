//! `urimill extract` from payloads of web archives that no chunk holds: they are streams.

use std::io::Write;

use serde_json::{Value, json};

use urimill_testkit::archives::{gzip, record_of as record, response};

use super::run::{dir, names, urimill, write};
use super::table::jsonl;

const MIB: usize = 1 << 20;

/// The places of the URIs of a long text: around the end of what a chunk holds, and of each window that is read.
const PLACES: [usize; 8] = [
    0,
    256 * 1024 - 9,
    MIB - 9,
    16 * MIB - 200,
    16 * MIB - 9,
    16 * MIB + 256 * 1024 - 1,
    18 * MIB + 64 * 1024 - 10,
    20 * MIB + 1,
];

fn uri(place: usize) -> String {
    format!("http://h.example/{place}")
}

/// A text of more than 20 MiB with a URI at each of the places.
fn text() -> Vec<u8> {
    let mut text = b"word word\n".repeat(21 * MIB / 10);
    for place in PLACES {
        let uri = format!("{} ", uri(place));
        text[place..place + uri.len()].copy_from_slice(uri.as_bytes());
        if place > 0 {
            text[place - 1] = b' ';
        }
    }
    text
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// A text that packing does not make short, and the same URIs.
fn dense() -> Vec<u8> {
    let mut text = text();
    let mut state = 1u64;
    let is_word = |piece: &[u8]| piece == b"word word\n";
    for piece in text.chunks_exact_mut(10).filter(|piece| is_word(piece)) {
        for byte in piece.iter_mut() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *byte = (state >> 56) as u8 | 0x80;
        }
    }
    text
}

fn in_chunks(text: &[u8], size: usize) -> Vec<u8> {
    let chunk = |part: &[u8]| [format!("{:x}\r\n", part.len()).as_bytes(), part, b"\r\n"].concat();
    text.chunks(size).flat_map(chunk).chain(*b"0\r\n\r\n").collect()
}

fn arc(body: &[u8]) -> Vec<u8> {
    let begin = "filedesc://a.arc 0.0.0.0 20000101000000 text/plain 2\n1\n\n";
    let line = format!("{begin}http://h/ 192.0.2.1 20000101000000 text/plain {}\n", body.len());
    [line.as_bytes(), body, b"\n"].concat()
}

/// The offsets and URIs that stand at the first places.
fn expected(count: usize) -> Vec<Value> {
    PLACES[..count].iter().map(|&place| json!([place, uri(place)])).collect()
}

#[test]
fn payloads_that_no_chunk_holds_are_searched_to_their_end() {
    let (text, dense) = (text(), dense());
    let (packed, all) = (gzip(&dense), PLACES.len());
    assert!(packed.len() > 17 * MIB, "{} bytes", packed.len());
    let uri = "http://h/";
    let plain = "Content-Type: text/plain\r\n";
    let encoded = |encoding: &str| format!("{plain}{encoding}\r\n");
    let chunked = encoded("Transfer-Encoding: chunked");
    let gzipped = encoded("Content-Encoding: gzip");
    let both = encoded("Transfer-Encoding: chunked\r\nContent-Encoding: gzip");
    let twice = encoded("Content-Encoding: gzip, gzip");
    let damaged = {
        let mut damaged = packed.clone();
        let at = damaged.len() - MIB;
        damaged[at..].fill(0xff);
        damaged
    };
    let chunks = in_chunks(&text, 65_521);
    // Behind the 272nd chunk, which lies before 17 MiB.
    let at = 272 * (65_521 + "fff1\r\n\r\n".len());
    let limit = "urimill: searched up to damage or to a limit: 1 text\n";
    let unread = "urimill: not searched: 1 record, whose payload cannot be decoded\n";
    // (description, input, the number of URIs that are found, the message)
    let table: Vec<(&str, Vec<u8>, usize, &str)> = vec![
        ("a response", response(uri, plain, &text), all, ""),
        ("of no type", response(uri, "", &text), all, ""),
        ("in chunks", response(uri, &chunked, &chunks), all, ""),
        ("in one chunk", response(uri, &chunked, &in_chunks(&text, 30 * MIB)), all, ""),
        ("without chunks, whatever is said", response(uri, &chunked, &text), all, ""),
        ("packed", response(uri, &gzipped, &packed), all, ""),
        ("packed into little", response(uri, &gzipped, &gzip(&text)), all, ""),
        ("packed twice", response(uri, &twice, &gzip(&packed)), all, ""),
        (
            "packed without a wrapper",
            response(uri, &encoded("Content-Encoding: deflate"), &deflate(&dense)),
            all,
            "",
        ),
        ("packed, in chunks", response(uri, &both, &in_chunks(&packed, 10_007)), all, ""),
        (
            "a resource",
            record(
                "WARC-Type: resource\r\nWARC-Target-URI: http://h/\r\nContent-Type: text/plain\r\n",
                &text,
            ),
            all,
            "",
        ),
        ("in ARC", arc(&text), all, ""),
        // Damage after 16 MiB: URIs before it stay.
        (
            "a chunk with a wrong size",
            response(uri, &chunked, &[&chunks[..at], b"x\r\n", &chunks[at..]].concat()),
            6,
            limit,
        ),
        ("chunks without an end", response(uri, &chunked, &chunks[..17 * MIB]), 6, limit),
        ("damaged in the packed text", response(uri, &gzipped, &damaged), 7, limit),
        ("the packed text without its end", response(uri, &gzipped, &packed[..packed.len() - MIB]), 7, limit),
        ("damaged at once", response(uri, &encoded("Content-Encoding: br"), &[0xff; 17 * MIB]), 0, unread),
        (
            "of an encoding that nothing decodes",
            response(uri, &encoded("Content-Encoding: compress"), &text),
            0,
            unread,
        ),
        ("an image", response(uri, "Content-Type: image/png\r\n", &text), 0, ""),
    ];
    let dir = dir();
    for (what, input, found, said) in table {
        // URIs after it are found, too.
        let last = response("http://h/last", plain, b"http://last.example/");
        let kind = if what == "in ARC" { "arc" } else { "warc" };
        let input = if kind == "arc" { input } else { [input, last].concat() };
        write(dir.path(), "a", &input);
        let mut first: Option<Vec<u8>> = None;
        // Windows of other sizes end elsewhere.
        for options in ["--threads 1", "--threads 2", "--threads 2 --chunk 77777"] {
            let line = format!("extract a --from {kind} --to jsonl {options}");
            let done = urimill(&line).within(dir.path()).ok();
            assert_eq!(done.stderr, said, "{what}: {options}");
            let one = first.get_or_insert_with(|| done.stdout.clone());
            assert!(*one == done.stdout, "{what}: {options}");
        }
        let rows = jsonl(&first.unwrap_or_default());
        let own = rows.iter().filter(|row| row["page"] == uri);
        let own: Vec<Value> = own.map(|row| json!([row["offset"], row["uri"]])).collect();
        assert_eq!(own, expected(found), "{what}");
        assert_eq!(rows.len() - own.len(), usize::from(kind == "warc"), "{what}");
    }
}

#[test]
fn character_references_of_long_pages_are_decoded() {
    // (the beginning, the URI after 16 MiB): only if the text is seen to be markup
    for (begin, uri) in [("<!doctype html>", "http://h/?a&b"), ("text", "http://h/?a&amp;b")] {
        let page = [begin, &" text\n".repeat(3 * MIB), "http://h/?a&amp;b "].concat();
        let input = response("http://h/", "Content-Type: text/html\r\n", page.as_bytes());
        let done = urimill("extract --from warc").stdin(input).ok();
        assert_eq!((done.text(), &*done.stderr), (&*format!("{uri}\n"), ""), "{begin}");
    }
}

/// With two threads the second record is done before the first one's lines are written.
#[test]
fn more_lines_than_are_held_keep_their_order() {
    let dir = dir();
    let body = |host: usize| -> Vec<u8> {
        (0..400_000).flat_map(|n| format!("http://h{host}.example/{n:0>40}\n").into_bytes()).collect()
    };
    let bodies = [body(1), body(2), body(3)];
    assert!(bodies[0].len() > 16 * MIB);
    let packed = "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n";
    let records = bodies.iter().map(|body| response("http://h/", packed, &gzip(body)));
    write(dir.path(), "a.warc", records.collect::<Vec<_>>().concat());
    for threads in [1, 2, 3] {
        let done = urimill(&format!("extract a.warc --threads {threads}")).within(dir.path()).ok();
        assert!(done.stdout == bodies.concat(), "{threads} threads: {} bytes", done.stdout.len());
        assert_eq!(done.stderr, "", "{threads} threads");
    }
    // A reader that goes away ends the run, also of those who wait for their turn.
    let line = format!("'{}' extract a.warc --threads 3 | head -n 1", env!("CARGO_BIN_EXE_urimill"));
    let output = std::process::Command::new("sh").args(["-c", &line]).current_dir(dir.path()).output();
    let output = output.expect("a shell");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(bodies[0].starts_with(&output.stdout) && !output.stdout.is_empty());
}

#[test]
fn where_temporary_files_cannot_be_a_long_payload_is_an_error() {
    let dir = dir();
    let plain = "Content-Type: text/plain\r\n";
    write(dir.path(), "long.warc", response("http://h/", plain, &text()));
    write(dir.path(), "short.warc", response("http://h/", plain, b"http://h/"));
    write(dir.path(), "file", "");
    let files = ["file", "long.warc", "short.warc"];
    // (TMPDIR, arguments, parts of the sentence): a directory that is named is tried first
    let table: &[(&str, &str, &[&str])] = &[
        ("missing", "long.warc", &["create temporary files in", "missing", "TMPDIR names another directory"]),
        (
            "",
            "long.warc --temp-dir no",
            &["create temporary files in no: ", "--temp-dir names another directory"],
        ),
        ("", "long.warc --temp-dir file", &["create temporary files in file: ", "--temp-dir names another"]),
        ("", "short.warc --temp-dir no", &["create temporary files in no: ", "--temp-dir names another"]),
    ];
    for &(system, arguments, parts) in table {
        let mut run = urimill(&format!("extract {arguments} -o uris.txt")).within(dir.path());
        run.command.env("TMPDIR", dir.path().join(system));
        run.fails(3, parts);
        assert_eq!(names(dir.path()), files, "{arguments}");
    }
    // The system's directory is needed for long texts alone, and not where another one is named.
    for arguments in ["short.warc -o short.txt", "long.warc --temp-dir . -o long.txt"] {
        let mut run = urimill(&format!("extract {arguments}")).within(dir.path());
        run.command.env("TMPDIR", dir.path().join("missing"));
        run.ok();
    }
    assert_eq!(names(dir.path()), ["file", "long.txt", "long.warc", "short.txt", "short.warc"]);
}

/// A temporary file that reaches the limit of the file system fails the run, and leaves nothing behind.
#[test]
#[cfg(target_os = "linux")]
fn without_space_nothing_is_published() {
    let dir = dir();
    write(dir.path(), "long.warc", response("http://h/", "Content-Type: text/plain\r\n", &text()));
    let run = super::run::bounded(10 * 1024, "extract long.warc -o uris.txt --temp-dir .", dir.path());
    run.fails(3, &["write temporary files in .", "no space for a long page or text", "--temp-dir"]);
    assert_eq!(names(dir.path()), ["long.warc"]);
}
