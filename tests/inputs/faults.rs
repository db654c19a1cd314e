//! Damaged or odd inputs through the whole pipeline, with a sink that sums up what reaches it. Either the table is the
//! same to the last row, or there is one error message and no file.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use arrow::array::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use urimill::batch::{Column, Columns, Options};
use urimill::pipeline::{self, FormatCheck, OnInvalid, Plan, Progress, Summary};
use urimill::read::{ChunkOptions, Chunker, ReadChecksums, Source};
use urimill::threads::Workers;
use urimill::write;
use urimill::write::{Sink, SinkOptions, StagedSink, Target, UncommittedOutput};
use urimill::{ErrorKind, Result};

use urimill_testkit::stored::{FORMATS, log, member, no_progress};

/// Sums over the values and positions of records.
pub(crate) fn columns() -> Columns {
    Columns::new([
        Column::Record,
        Column::Offset,
        Column::Uri,
        Column::Raw,
        Column::RawBytes,
        Column::Flags,
        Column::Error,
        Column::ErrorOffset,
    ])
}

/// Adds up the rows, in their order, and writes none.
#[derive(Clone, Default)]
pub(crate) struct Checksum(Arc<Mutex<Vec<u8>>>);

impl Checksum {
    /// The sum of the rows.
    pub(crate) fn taken(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl StagedSink for Checksum {
    type Prepared = Vec<u8>;

    fn prepare(&self, batch: RecordBatch) -> Result<Vec<u8>> {
        let options = FormatOptions::new().with_null("null");
        let columns: Vec<_> =
            batch.columns().iter().map(|column| ArrayFormatter::try_new(column, &options).unwrap()).collect();
        let row =
            |row| columns.iter().map(|column| column.value(row).to_string() + "|").collect::<String>() + "\n";
        Ok((0..batch.num_rows()).flat_map(|at| row(at).into_bytes()).collect())
    }

    fn run(&self, _: usize, bytes: &mut Vec<u8>) -> Result<()> {
        self.0.lock().unwrap().append(bytes);
        Ok(())
    }

    fn close(self) -> Result<UncommittedOutput> {
        Target::create(Path::new("/dev/null"), false).map(UncommittedOutput::File)
    }
}

pub(crate) fn run(
    chunker: Chunker,
    options: Options,
    threads: usize,
    sink: Box<dyn Sink>,
) -> Result<Summary> {
    let source = chunker.begin()?;
    let plan = Plan::new(&source, options, false)?;
    pipeline::run(source, &plan, &Workers::start(threads), sink, OnInvalid::Keep, &Progress::default())
}

/// The longest record in the tests below.
const MAX: usize = 40;

/// (the oddity, the input, lines, rejects)
fn odd_inputs() -> Vec<(&'static str, Vec<u8>, u64, u64)> {
    let lines = |ends: &[&str]| -> Vec<u8> {
        let line =
            |(n, end): (usize, &&str)| format!("HTTP://h{n}.example/%7e{}{end}", "x".repeat(n * 3 % 20));
        (0..12).zip(ends.iter().cycle()).flat_map(|at| line(at).into_bytes()).collect()
    };
    let long = |len: usize| format!("http://h/{}", "y".repeat(len - 9));
    let around = [MAX - 1, MAX, MAX + 1, MAX, 3 * MAX, MAX - 1].map(long);
    vec![
        ("nothing", Vec::new(), 0, 0),
        ("LF", lines(&["\n"]), 12, 0),
        ("CR LF", lines(&["\r\n"]), 12, 0),
        ("both, and blank lines", lines(&["\n", "\r\n\r\n", "\n\n\n"]), 24, 0),
        ("a lone CR is a byte", lines(&["\r", "\n"]), 6, 6),
        ("no final newline", lines(&["\n"])[..30].to_vec(), 2, 0),
        ("CR at the end", b"http://h/\r".to_vec(), 1, 1),
        ("a byte-order mark", [b"\xef\xbb\xbf".to_vec(), lines(&["\n"])].concat(), 12, 0),
        ("nothing but that", b"\xef\xbb\xbf".to_vec(), 0, 0),
        ("two of them", [b"\xef\xbb\xbf\xef\xbb\xbf".to_vec(), lines(&["\n"])].concat(), 12, 1),
        ("one in the middle", b"http://h/\n\xef\xbb\xbfhttp://h/\nhttp://h/".to_vec(), 3, 1),
        ("NUL", b"http://h/\0\n\0\n\0\0http://h/\n/a\0b\n/c\n".to_vec(), 5, 4),
        (
            "bytes that are no text",
            b"http://h/\xff\n\xc3\n\xa9\n/\xe2\x82\n/\xed\xa0\x80\n/ok\n".to_vec(),
            6,
            5,
        ),
        ("the longest record, one less and one more", around.join("\n").into_bytes(), 6, 2),
        ("the same with CR LF", (around.join("\r\n") + "\r\n").into_bytes(), 6, 2),
        ("one byte", b"a".to_vec(), 1, 0),
        ("one newline", b"\n".to_vec(), 1, 0),
    ]
}

#[test]
fn rows_do_not_depend_on_chunks_and_threads() {
    let sink = Checksum::default();
    for (what, input, lines, rejects) in odd_inputs() {
        let options = Options { columns: columns(), max_record: MAX, ..Options::default() };
        let table = |chunk_bytes: usize, threads: usize| {
            // The kept part of a record that is too long must not depend on the chunks.
            let checksums = Arc::<ReadChecksums>::default();
            let chunks = ChunkOptions {
                chunk_bytes,
                max_record: MAX,
                keep_limit: Some(200),
                checksums: Some(Arc::clone(&checksums)),
                ..ChunkOptions::default()
            };
            let reader = Box::new(io::Cursor::new(input.clone()));
            let source = Chunker::from_reader("odd", reader, chunks, no_progress()).begin().unwrap();
            // The input does not look like a list.
            let plan = Plan::new(&source, options.clone(), false).unwrap().check_format(FormatCheck::Not);
            let written = ((write::Format::Csv, &[][..]), &SinkOptions::default());
            let verifier = plan.new_verifier(checksums, written, None);
            let (verifier, table) = (Arc::new(verifier.unwrap()), Box::new(sink.clone()) as Box<dyn Sink>);
            let plan = plan.verified_by(Some(Arc::clone(&verifier)));
            let progress = Progress::default();
            let complete = pipeline::complete(
                source,
                &plan,
                &Workers::start(threads),
                table,
                OnInvalid::Keep,
                &progress,
            )
            .unwrap();
            verifier.check_records().unwrap();
            let summary = complete.summary;
            let counted = (summary.read.tally.lines(), summary.read.tally.rejects(), summary.read.bytes);
            let mark = if input.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
            assert_eq!(counted, (lines, rejects, input.len() as u64 - mark), "{what}");
            sink.taken()
        };
        let whole = table(1 << 16, 1);
        for chunk_bytes in 1..=130 {
            for threads in 1..=8 {
                let found = table(chunk_bytes, threads);
                assert!(found == whole, "{what}: chunks of {chunk_bytes}, {threads} threads");
            }
        }
    }
}

/// Every file of about 4 KiB with something wrong: its run ends with a message that names file and byte, and leaves no
/// output. If nothing is lost (a cut before the magic number or between members, a change that nobody checks), the
/// table is that of the undamaged file, or of the bytes as they are.
fn damaged(text: &[u8], damage: impl Fn(&[u8], usize) -> Vec<u8>) {
    let dir = tempfile::tempdir_in(if Path::new("/dev/shm").is_dir() { "/dev/shm" } else { "." }).unwrap();
    let (input, table) = (dir.path().join("in.log"), dir.path().join("out.jsonl"));
    let options = Options { columns: Columns::parse("record,uri,error").unwrap(), ..Options::default() };
    let go = || -> Result<Vec<u8>> {
        let target = Target::create(&table, false)?;
        let schema = options.schema();
        let sink = write::create(write::Format::Jsonl, target, schema, &write::SinkOptions::default())?;
        let sizes = ChunkOptions { chunk_bytes: 1000, ..ChunkOptions::default() };
        let chunker = Chunker::new(vec![Source::File(input.clone())], sizes, no_progress());
        run(chunker, options.clone(), 2, sink)?;
        let written = fs::read(&table).unwrap();
        fs::remove_file(&table).unwrap();
        Ok(written)
    };
    fs::write(&input, text).unwrap();
    let sound = go().unwrap();
    for (format, name, magic) in FORMATS {
        let stored = member(format, text);
        assert!((2000..6000).contains(&stored.len()), "{name}: {} bytes", stored.len());
        let mut told = 0;
        for at in magic..stored.len() {
            let bytes = damage(&stored, at);
            fs::write(&input, &bytes).unwrap();
            let Err(error) =
                go().map(|written| assert!(written == sound, "{name}, byte {at}: another table"))
            else {
                continue;
            };
            told += 1;
            assert_eq!(error.kind(), ErrorKind::Data, "{name}, byte {at}: {error}");
            let error = error.to_string();
            let begins = format!("cannot read {}: the {name} stream ", input.display());
            assert!(error.starts_with(&begins) && error.contains("at byte "), "byte {at}: {error}");
            let left: Vec<_> =
                fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            assert_eq!(left, ["in.log"], "{name}, byte {at}: nothing is published, and nothing is left");
        }
        assert!(told * 10 > stored.len() * 9, "{name}: {told} of {} are told", stored.len());
    }
}

#[test]
fn a_file_cut_at_any_byte_is_an_error() {
    damaged(&log(0, 400), |stored, at| stored[..at].to_vec());
}

#[test]
fn a_changed_bit_gives_the_same_text_or_an_error() {
    damaged(&log(0, 400), |stored, at| {
        let mut bytes = stored.to_vec();
        bytes[at] ^= 1 << (at % 8);
        bytes
    });
}
