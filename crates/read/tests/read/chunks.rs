//! The records of the chunks are those of the source, whatever the chunks' size and the sizes of reads.

use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use urimill_base::error::ErrorKind;
use urimill_read::{Chunk, ChunkOptions, Chunker, RecordSource, Source};
use urimill_uri::simd::PADDING;

use urimill_testkit::stored::{Slow, no_progress};

/// A record of the source: its line number, its offset, its bytes without `
/// `, and its length if it is too long to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Record {
    number: i64,
    offset: u64,
    bytes: Vec<u8>,
    overlong: Option<u64>,
}

fn options(chunk_bytes: usize, keep_limit: usize) -> ChunkOptions {
    ChunkOptions { chunk_bytes, keep_limit: Some(keep_limit), ..ChunkOptions::default() }
}

fn chunks(chunker: Chunker) -> Vec<Chunk> {
    let RecordSource::Chunks(mut source) = chunker.begin().unwrap() else { panic!("tables") };
    let mut all = Vec::new();
    while let Some(chunk) = source.next_chunk().unwrap() {
        all.push(chunk);
    }
    assert!(source.next_chunk().unwrap().is_none(), "the end stays the end");
    all
}

fn chunks_of(bytes: &[u8], step: usize, options: ChunkOptions) -> Vec<Chunk> {
    chunks(Chunker::from_reader("memory", Slow::boxed(bytes, step), options, no_progress()))
}

/// The source's records, computed from the whole of it.
fn records_in(source: &[u8], keep_limit: usize) -> Vec<Record> {
    let bom = if source.starts_with("\u{feff}".as_bytes()) { 3 } else { 0 };
    let mut lines: Vec<&[u8]> = source[bom..].split(|&b| b == b'\n').collect();
    // The piece after the last newline is a record only if it is not empty.
    let unended = lines.pop().filter(|last| !last.is_empty());
    let mut offset = bom as u64;
    let mut records = Vec::new();
    for (line, ending) in lines.iter().map(|&l| (l, 1)).chain(unended.map(|l| (l, 0))) {
        let kept = line.len() <= keep_limit;
        let cr = ending == 1 && line.ends_with(b"\r");
        records.push(Record {
            number: records.len() as i64 + 1,
            offset,
            bytes: line[..line.len().min(keep_limit)].to_vec(),
            overlong: (!kept).then(|| line.len() as u64 - u64::from(cr)),
        });
        offset += line.len() as u64 + ending;
    }
    records
}

/// The records that the chunks give; panics if a chunk breaks its own promises.
fn records_of(chunks: &[Chunk]) -> Vec<Record> {
    let mut records = Vec::new();
    for (i, chunk) in chunks.iter().enumerate() {
        assert!(chunk.len > 0, "no chunk is empty");
        assert_eq!(chunk.bytes.len(), chunk.len + PADDING);
        assert_eq!(chunk.bytes[chunk.len], b'\n');
        assert_eq!(chunk.bytes[chunk.len + 1..], [0; PADDING - 1]);
        let mut bytes = &chunk.bytes[..chunk.len];
        let (mut number, mut offset) = (chunk.first_record, chunk.offset);
        if chunk.overlong.is_some() {
            let bytes = bytes.to_vec();
            records.push(Record { number, offset, bytes, overlong: chunk.overlong });
            continue;
        }
        assert!(bytes.ends_with(b"\n") || i + 1 == chunks.len(), "only the last record may lack its newline");
        while !bytes.is_empty() {
            let end = bytes.iter().position(|&b| b == b'\n').unwrap_or(bytes.len());
            records.push(Record { number, offset, bytes: bytes[..end].to_vec(), overlong: None });
            let next = (end + 1).min(bytes.len());
            bytes = &bytes[next..];
            number += 1;
            offset += next as u64;
        }
    }
    records
}

fn check(source: &[u8], chunk_bytes: usize, keep_limit: usize) {
    // A record that fits in a chunk is kept (and a chunk has at least 3 bytes, for the byte-order mark).
    let kept = keep_limit.max(chunk_bytes).max(3);
    let expected = records_in(source, kept);
    for step in [1, 7, usize::MAX] {
        let chunks = chunks_of(source, step, options(chunk_bytes, keep_limit));
        let case = format!("{:?} by {chunk_bytes}, reads of {step}", String::from_utf8_lossy(source));
        assert_eq!(records_of(&chunks), expected, "{case}");
        assert!(chunks.iter().all(|c| c.len <= kept + 1), "{case}: memory is bounded");
    }
}

#[test]
fn records_are_whole_for_every_chunk_size() {
    let long = |n: usize| [vec![b'x'; n], b"\nshort\n".to_vec()].concat();
    let mut sources: Vec<Vec<u8>> = [
        "",
        "\n",
        "a",
        "a\n",
        "\n\n\n",
        "\n\na",
        "http://a/\nhttp://b/\nhttp://c/",
        "http://a/\r\nhttp://b/\r\n\r\n",
        "a\rb\r\rc\n\rd",
        "a\n\n\nb\n\n",
        "nul\0in\0it\n\0\n",
        "\u{feff}",
        "\u{feff}\n",
        "\u{feff}a",
        "\u{feff}http://a/\nhttp://b/\n",
        "a\u{feff}\n\u{feff}b\n",
        "\u{feff}\u{feff}twice\n",
    ]
    .map(|s| s.as_bytes().to_vec())
    .to_vec();
    // Beginnings of a byte-order mark.
    sources.extend([
        b"\xef".to_vec(),
        b"\xef\xbb".to_vec(),
        b"\xef\xbb\n".to_vec(),
        b"\xef\xbb\xbe\n".to_vec(),
    ]);
    // Lengths around the keep limit of 40, at the end too, one after another, with CR.
    for n in [38, 39, 40, 41, 42, 79, 80, 81, 82, 83, 200] {
        sources.push(long(n));
        sources.push([b"first\n".to_vec(), long(n), long(n)].concat());
        sources.push([b"first\n".to_vec(), vec![b'x'; n]].concat());
        sources.push([vec![b'x'; n - 1], b"\r\n".to_vec(), long(n)].concat());
        sources.push([b"\xef\xbb\xbf".to_vec(), long(n)].concat());
        sources.push([vec![b'x'; n], b"\n\n\n".to_vec(), vec![b'y'; n], b"\r".to_vec()].concat());
    }
    for source in &sources {
        for chunk_bytes in 1..130 {
            check(source, chunk_bytes, 40);
        }
    }
}

/// Line lengths from a fixed sequence of pseudo-random numbers.
#[test]
fn records_are_whole_in_random_text() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    for _ in 0..100 {
        let source: Vec<u8> =
            (0..random(400)).map(|_| b"\n\r\xef\xbb\xbfabcdefghijklmnop"[random(21) as usize]).collect();
        check(&source, 1 + random(60) as usize, 1 + random(60) as usize);
    }
}

#[test]
fn overlong_records_by_hand() {
    // (source, kept whole up to, [(record number, offset, kept bytes, length without line ending)])
    type Expected = &'static [(i64, u64, &'static str, Option<u64>)];
    let table: &[(&str, usize, Expected)] = &[
        ("12345678\na\n", 8, &[(1, 0, "12345678\na\n", None)]),
        ("123456789\na\n", 8, &[(1, 0, "12345678", Some(9)), (2, 10, "a\n", None)]),
        ("12345678\r\na\n", 8, &[(1, 0, "12345678", Some(8)), (2, 10, "a\n", None)]),
        ("1234567890123\r\na\n", 8, &[(1, 0, "12345678", Some(13)), (2, 15, "a\n", None)]),
        ("a\n1234567890123\r", 8, &[(1, 0, "a\n", None), (2, 2, "12345678", Some(14))]),
        (
            "123456789\n\n\n123456789",
            8,
            &[(1, 0, "12345678", Some(9)), (2, 10, "\n\n", None), (4, 12, "12345678", Some(9))],
        ),
        ("\u{feff}123456789\na", 8, &[(1, 3, "12345678", Some(9)), (2, 13, "a", None)]),
    ];
    for &(source, keep_limit, expected) in table {
        for step in [1, usize::MAX] {
            let chunks = chunks_of(source.as_bytes(), step, options(4, keep_limit));
            // Chunks of whole records are joined, so that the table does not depend on where they are cut.
            let mut got: Vec<(i64, u64, String, Option<u64>)> = Vec::new();
            for c in &chunks {
                let text = String::from_utf8(c.bytes[..c.len].to_vec()).unwrap();
                match got.last_mut() {
                    Some(last) if last.3.is_none() && c.overlong.is_none() => last.2.push_str(&text),
                    _ => got.push((c.first_record, c.offset, text, c.overlong)),
                }
            }
            let expected: Vec<_> = expected.iter().map(|&(n, o, t, l)| (n, o, t.to_owned(), l)).collect();
            assert_eq!(got, expected, "{source:?} in reads of {step}");
        }
    }
}

#[test]
fn the_keep_limit_is_above_the_longest_record_with_its_line_ending() {
    const MIB: usize = 1 << 20;
    // (chunk_bytes, max_record, keep_limit, expected)
    for (chunk_bytes, max_record, keep_limit, expected) in [
        (MIB, MIB, None, 16 * MIB),
        (MIB, 16 * MIB, None, 16 * MIB + 2),
        (MIB, 100 * MIB, None, 100 * MIB + 2),
        (MIB, usize::MAX, None, usize::MAX),
        (32 * MIB, MIB, None, 32 * MIB),
        (MIB, MIB, Some(2 * MIB), 2 * MIB),
        (MIB, MIB, Some(5), MIB),
    ] {
        let options = ChunkOptions { chunk_bytes, max_record, keep_limit, ..ChunkOptions::default() };
        assert_eq!(options.keep_limit(), expected, "{options:?}");
    }
    let ChunkOptions { chunk_bytes, max_record, keep_limit, .. } = ChunkOptions::default();
    assert_eq!((chunk_bytes, max_record, keep_limit), (MIB, MIB, None));
}

#[test]
fn chunks_are_full_where_the_source_has_more() {
    let source = "http://example.org/0123456789\n".repeat(1000);
    let chunks = chunks_of(source.as_bytes(), 11, options(1000, 2000));
    let (last, others) = chunks.split_last().unwrap();
    // 33 records of 30 bytes fit; the rest of the 1000 bytes goes to the next chunk.
    assert!(others.iter().all(|c| c.len == 990), "short reads don't make short chunks");
    assert_eq!(others.iter().map(|c| c.len).sum::<usize>() + last.len, source.len());
}

#[test]
fn a_chunk_never_mixes_sources() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| -> PathBuf {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let texts = ["a\nb", "", "\u{feff}c\n\n", "\u{feff}", "d"];
    let sources: Vec<Source> =
        texts.iter().enumerate().map(|(i, text)| Source::File(write(&i.to_string(), text))).collect();
    let progress = no_progress();
    let chunker = Chunker::new(sources.clone(), ChunkOptions::default(), Arc::clone(&progress));
    assert_eq!(chunker.sources(), sources);
    let got: Vec<_> = chunks(chunker)
        .iter()
        .map(|c| (c.source, c.first_record, c.offset, String::from_utf8(c.bytes[..c.len].to_vec()).unwrap()))
        .collect();
    let expected = [(0, 1, 0, "a\nb"), (2, 1, 3, "c\n\n"), (4, 1, 0, "d")];
    assert_eq!(got, expected.map(|(s, r, o, t)| (s, r, o, t.to_owned())));
    assert_eq!(progress.load(Ordering::Relaxed), texts.iter().map(|t| t.len() as u64).sum::<u64>());
}

#[test]
fn a_source_that_fails_ends_the_chunks() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is on fire"))
        }
    }
    let reader = Box::new(io::Cursor::new(b"a\nb\nc\nd\ne\nf\ng\n".to_vec()).chain(Broken));
    let chunker = Chunker::from_reader("old.log", reader, options(4, 100), no_progress());
    let RecordSource::Chunks(mut source) = chunker.begin().unwrap() else { panic!("tables") };
    assert_eq!(source.next_chunk().unwrap().unwrap().len, 4);
    let error = loop {
        match source.next_chunk() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the failure is lost"),
            Err(e) => break e,
        }
    };
    assert_eq!(error.kind(), ErrorKind::Io);
    assert_eq!(error.to_string(), "cannot read old.log: the disk is on fire");
    assert!(source.next_chunk().unwrap().is_none());
}

#[test]
fn chunks_and_chunkers_are_send() {
    fn travels<T: Send + 'static>() {}
    travels::<Chunker>();
    travels::<Chunk>();
}
