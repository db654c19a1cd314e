//! Numbers of lines and bytes beyond 2^31 and 2^32: readers generate the data, because no file holds it.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::array::AsArray;
use arrow::buffer::Buffer;
use arrow::datatypes::Int64Type;
use urimill::ErrorKind;
use urimill::batch::{Columns, Normalizer, Options, Origin};
use urimill::pipeline::{self, OnInvalid, Plan, Progress};
use urimill::read::format::{Asked, InputFormat, Keep};
use urimill::read::{ChunkOptions, Chunker, Chunks, ReadChecksums, RecordSource};
use urimill::threads::Workers;
use urimill::write::Sink;

use crate::faults::{Checksum, columns, run};
use urimill_testkit::stored::no_progress;

/// Returns the same bytes again and again, then the last ones, without a file that holds them.
struct Repeated {
    piece: Vec<u8>,
    left: u64,
    at: usize,
    last: &'static [u8],
}

impl Read for Repeated {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return self.last.read(buf);
        }
        let most = self.piece.len() - self.at;
        let some = buf.len().min(most).min(usize::try_from(self.left).unwrap_or(usize::MAX));
        buf[..some].copy_from_slice(&self.piece[self.at..][..some]);
        self.at = (self.at + some) % self.piece.len();
        self.left -= some as u64;
        Ok(some)
    }
}

fn pieces(piece: Vec<u8>, left: u64, last: &'static [u8], options: ChunkOptions) -> Chunker {
    let reader = Box::new(Repeated { piece, left, at: 0, last });
    Chunker::from_reader("endless", reader, options, no_progress())
}

fn repeated(byte: u8, left: u64, last: &'static [u8]) -> RecordSource {
    pieces(vec![byte; 1 << 20], left, last, ChunkOptions::default()).begin().unwrap()
}

fn chunks(source: RecordSource) -> Chunks {
    let RecordSource::Chunks(chunks) = source else { panic!("tables") };
    *chunks
}

/// Its beginning is kept, its length is reported, and the next record is intact.
#[test]
fn a_record_of_five_gibibytes_costs_one_row() {
    const LENGTH: u64 = 5 << 30;
    let mut source = chunks(repeated(b'x', LENGTH, b"\r\nhttp://h/\n"));
    let first = source.next_chunk().unwrap().unwrap();
    assert_eq!((first.overlong, first.taken, first.len), (Some(LENGTH), LENGTH + 2, 16 << 20));
    let next = source.next_chunk().unwrap().unwrap();
    assert_eq!((next.first_record, next.offset, next.records), (2, LENGTH + 2, 1));
    assert_eq!(next.bytes[..next.len], *b"http://h/\n");
    assert!(source.next_chunk().unwrap().is_none());
}

/// Numbers and offsets go on beyond 2^31 and 2^32: blank lines are fast, and they count.
#[test]
fn the_record_after_four_billion_lines_has_its_number() {
    const LINES: u64 = (1 << 32) + (1 << 16);
    let mut source = chunks(repeated(b'\n', LINES, b"http://h/\nhttp://i/\n"));
    let (mut next, mut last) = ((1, 0), None);
    while let Some(chunk) = source.next_chunk().unwrap() {
        assert_eq!((chunk.first_record, chunk.offset), next);
        next = (chunk.first_record + chunk.records as i64, chunk.offset + chunk.taken);
        last = Some(chunk);
    }
    let chunk = last.unwrap();
    assert_eq!(next, (LINES as i64 + 3, LINES + 20));
    let origin = Origin { first_record: chunk.first_record, offset: chunk.offset, source: "endless" };
    let mut normalizer = Normalizer::new(Options { columns: columns(), ..Options::default() });
    let buffer = Buffer::from(chunk.bytes.clone());
    let (batch, tally, _) = normalizer.lines(&buffer, (0, chunk.len), origin).unwrap();
    assert_eq!((tally.rows, tally.lines()), (2, chunk.records));
    let numbers = |name: &str| batch[name].as_primitive::<Int64Type>().values().to_vec();
    assert_eq!(numbers("record"), [LINES as i64 + 1, LINES as i64 + 2]);
    assert_eq!(numbers("offset"), [LINES as i64, LINES as i64 + 10]);
}

/// The accounts of a whole run beyond 2^32 lines. Without optimization it takes a minute.
#[test]
#[ignore = "a minute: with --include-ignored"]
fn accounts_pass_four_billion_lines() {
    const LINES: u64 = (1 << 32) + (1 << 16);
    let (sink, progress) = (Checksum::default(), Progress::default());
    let source = repeated(b'\n', LINES, b"http://h/\na b\n");
    let plan = Plan::new(&source, Options { columns: columns(), ..Options::default() }, false).unwrap();
    let table: Box<dyn Sink> = Box::new(sink.clone());
    let summary =
        pipeline::run(source, &plan, &Workers::start(2), table, OnInvalid::Keep, &progress).unwrap();
    let tally = &summary.read.tally;
    assert_eq!((tally.lines(), tally.blank, tally.rows, tally.rejects()), (LINES + 2, LINES, 2, 1));
    assert_eq!(summary.read.bytes, LINES + 14);
    let seen: [&AtomicU64; 2] = [&progress.records, &progress.bytes];
    assert_eq!(seen.map(|count| count.load(Ordering::Relaxed)), [LINES + 2, LINES + 14]);
    let rows = String::from_utf8(sink.taken()).unwrap();
    assert!(rows.starts_with(&format!("{}|{LINES}|http://h/|", LINES + 1)), "{rows}");
}

/// Offsets of records across 2^31 and 2^32 bytes, in their columns, and in the sums of `--verify`.
#[test]
fn offsets_of_lines_pass_four_gibibytes() {
    const LINE: u64 = 1 << 20;
    const LINES: u64 = (1 << 12) + 2;
    let line = format!("http://h/{}\n", "y".repeat(LINE as usize - 10)).into_bytes();
    let checksums = Arc::<ReadChecksums>::default();
    let columns = Columns::parse("record,offset").unwrap();
    let options = Options { columns, ..Options::default() };
    let sink = Checksum::default();
    let sums = ChunkOptions { checksums: Some(Arc::clone(&checksums)), ..ChunkOptions::default() };
    let chunker = pieces(line, LINE * LINES, b"/last", sums);
    let summary = run(chunker, options, 2, Box::new(sink.clone())).unwrap();
    assert_eq!((summary.read.tally.rows, summary.read.bytes), (LINES + 1, LINE * LINES + 5));
    assert_eq!(checksums.references().count, LINES + 1);
    let rows: String = (0..=LINES).map(|n| format!("{}|{}|\n", n + 1, n * LINE)).collect();
    assert!(String::from_utf8(sink.taken()).unwrap() == rows);
}

/// A web archive with blocks of two gibibytes each, and its end, `last`.
fn archive(last: &'static str) -> RecordSource {
    const BLOCK: u64 = 1 << 31;
    let header = |n: u64, length: u64| {
        let text = format!("WARC/1.0\r\nWARC-Target-URI: http://h/{n}\r\nContent-Length: {length}\r\n\r\n");
        io::Cursor::new(text.into_bytes())
    };
    let block = || Repeated { piece: vec![b'\n'; 1 << 20], left: BLOCK, at: 0, last: b"\r\n\r\n" };
    let records = header(1, BLOCK).chain(block()).chain(header(2, BLOCK)).chain(block());
    let records = records.chain(io::Cursor::new(last.as_bytes()));
    let chunker = Chunker::from_reader("endless", Box::new(records), ChunkOptions::default(), no_progress());
    let names = ["record_offset", "content_length"].map(str::to_owned).to_vec();
    let format = InputFormat::Warc.reader(&Asked::keeping(Keep::Names(names), 1 << 20)).unwrap();
    chunker.with_format(format).begin().unwrap()
}

#[test]
fn offsets_of_an_archive_pass_four_gibibytes() {
    const LAST: &str = "WARC/1.0\r\nWARC-Target-URI: http://h/3\r\nContent-Length: 1\r\n\r\n";
    let columns = Columns::parse("record,offset,uri").unwrap();
    let sink = Checksum::default();
    let go = |feed: RecordSource| {
        let options = Options { columns: columns.clone(), extra: feed.extra_columns(), ..Options::default() };
        let plan = Plan::new(&feed, options, false)?;
        let table: Box<dyn Sink> = Box::new(sink.clone());
        pipeline::run(feed, &plan, &Workers::start(2), table, OnInvalid::Keep, &Progress::default())
    };
    let summary =
        go(archive("WARC/1.0\r\nWARC-Target-URI: http://h/3\r\nContent-Length: 0\r\n\r\n")).unwrap();
    assert_eq!(summary.read.tally.rows, 3);
    let record = LAST.len() as u64 + 9 + (1 << 31) + 4;
    let rows: Vec<String> = [(1, 0, 1_u64 << 31), (2, record, 1 << 31), (3, 2 * record, 0)]
        .map(|(n, offset, length)| format!("{n}|{offset}|http://h/{n}|{offset}|{length}|"))
        .to_vec();
    let found = String::from_utf8(sink.taken()).unwrap();
    let found: Vec<_> =
        found.lines().map(|row| row.split('|').take(5).collect::<Vec<_>>().join("|") + "|").collect();
    assert_eq!(found, rows);
    assert!(record > 1 << 31 && 2 * record > 1 << 32);
    // If it ends early, the message has the bytes.
    let error = go(archive(LAST)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Data);
    let (begin, end) = (2 * record, 2 * record + LAST.len() as u64);
    let parts = [format!("begins at byte {begin} "), format!("at byte {end}")];
    assert!(parts.iter().all(|part| error.to_string().contains(part)), "{error}");
}
