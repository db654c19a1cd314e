//! `--verify` keeps accounts: a record that is lost, doubled or changed between the decoder and the finished files
//! shows, wherever it happens. These tests make it happen.

use std::path::Path;
use std::sync::Arc;

use arrow::array::RecordBatch;
use urimill::batch::{Columns, Options};
use urimill::dedupe;
use urimill::pipeline::{FormatCheck, OnInvalid, Plan, Progress, complete};
use urimill::read::format::{Asked, InputFormat};
use urimill::read::{Checksum, ChunkOptions, Chunker, Format as Read, Lines, ReadChecksums, RecordSource};
use urimill::threads::Workers;
use urimill::verify::Verified;
use urimill::write::{Format, Sink, SinkOptions, Target, Turns, UncommittedOutput, create};
use urimill::{ErrorKind, Result};

fn list() -> Vec<u8> {
    (0..200).flat_map(|n| format!("HTTP://h{n}.example/\n<{n}>\n\n").into_bytes()).collect()
}

fn source(checksums: &Arc<ReadChecksums>, format: Read) -> RecordSource {
    let checksums = Some(Arc::clone(checksums));
    let options = ChunkOptions { chunk_bytes: 500, format, checksums, ..ChunkOptions::default() };
    let reader = Box::new(std::io::Cursor::new(list()));
    Chunker::from_reader("a list", reader, options, Arc::default()).begin().expect("a list")
}

/// A run over [`list`] that is verified; something happens to its input, to its sink, or to its checksums.
fn run(
    columns: &str,
    format: Format,
    read: &Read,
    input: impl FnOnce(&mut RecordSource),
    sink: impl FnOnce(Box<dyn Sink>) -> Box<dyn Sink>,
    change: impl FnOnce(&ReadChecksums),
) -> Result<Verified> {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("table");
    let checksums = Arc::<ReadChecksums>::default();
    let mut source = source(&checksums, read.clone());
    input(&mut source);
    let options = Options { columns: Columns::parse(columns)?, ..Options::default() };
    let plan = Plan::new(&source, options, false)?.check_format(FormatCheck::Not);
    let told = SinkOptions::default();
    let verifier = plan.new_verifier(Arc::clone(&checksums), ((format, &[][..]), &told), None)?;
    let verifier = Arc::new(verifier);
    let table = sink(create(format, Target::create(&path, false)?, plan.table_schema(), &told)?);
    let plan = plan.verified_by(Some(Arc::clone(&verifier)));
    let done = complete(source, &plan, &Workers::start(2), table, OnInvalid::Keep, &Progress::default())?;
    change(&checksums);
    let shown = done.verify(&verifier, &Workers::start(2));
    drop(done);
    assert!(!path.exists(), "it was not to be published");
    shown
}

const ALL: &str = "uri,raw,raw_bytes,error";

fn formats() -> [Read; 2] {
    [Read::default(), InputFormat::Clf.reader(&Asked::default()).expect("a format")]
}

fn is_told(ended: Result<Verified>, kind: ErrorKind, parts: &[&str], what: &str) {
    let error = ended.expect_err(what);
    assert_eq!(error.kind(), kind, "{what}: {error}");
    let said = error.to_string();
    assert!(parts.iter().all(|part| said.contains(part)) && !said.contains('\n'), "{what}: {said}");
    assert!(said.contains("nothing was published"), "{what}: {said}");
}

#[test]
fn without_a_fault_all_is_shown() {
    for read in formats() {
        for format in [Format::Parquet, Format::Arrow, Format::ArrowStream, Format::Csv, Format::Jsonl] {
            for (columns, shown) in [(ALL, Verified::Records), ("host", Verified::Rows)] {
                let ended = run(columns, format, &read, |_| (), |sink| sink, |_| ());
                assert_eq!(ended.expect("a run"), shown, "{columns} as {} of {}", format.name(), read.name());
            }
        }
    }
}

/// Only the checksums show a chunk that no worker gets: it has no ticket, so that no other count misses it.
#[test]
fn a_chunk_that_is_lost_on_its_way_to_the_workers() {
    for read in formats() {
        for columns in [ALL, "host"] {
            let lose =
                |source: &mut RecordSource| drop(source.next_morsel().expect("a chunk").expect("the first"));
            let ended = run(columns, Format::Csv, &read, lose, |sink| sink, |_| ());
            is_told(
                ended,
                ErrorKind::Internal,
                &["that were read differ from", "their numbers are"],
                read.name(),
            );
        }
    }
}

fn sum(text: &str) -> Checksum {
    let mut sum = Checksum::default();
    sum.add(text.as_bytes());
    sum
}

fn line(text: &str) -> Lines {
    let mut lines = Lines::default();
    lines.whole(text.as_bytes());
    lines
}

#[test]
fn a_record_that_is_another_one_further_on() {
    // What is entered besides: a text, and another one where it should be again.
    type Page = (&'static str, fn(&ReadChecksums));
    let pages: [Page; 2] = [
        ("in its chunk", |checksums| {
            checksums.read(&line("http://a/"));
            checksums.returned(&line("http://b/"));
        }),
        ("in its row", |checksums| {
            checksums.found(sum("http://a/"));
            checksums.made(sum("http://b/"), 0);
        }),
    ];
    for read in formats() {
        for (place, enter) in pages {
            let ended = run(ALL, Format::Csv, &read, |_| (), |sink| sink, enter);
            is_told(ended, ErrorKind::Internal, &["the number of both is", "their bytes differ"], place);
        }
    }
}

/// The rows are made of one record more than the outputs tell of: as if the column `raw` of a row were wrong before any
/// row is proven.
#[test]
fn a_record_missing_from_the_outputs_is_found() {
    for format in [Format::Parquet, Format::Csv, Format::Jsonl] {
        let one_more = |checksums: &ReadChecksums| {
            checksums.found(sum("http://lost/"));
            checksums.made(sum("http://lost/"), 0);
        };
        let ended = run(ALL, format, &Read::default(), |_| (), |sink| sink, one_more);
        let parts = ["do not hold the input", "they hold 400 records, and 401 were read"];
        is_told(ended, ErrorKind::Data, &parts, format.name());
        // Where no column tells, only the rows can be shown.
        let ended = run("host", format, &Read::default(), |_| (), |sink| sink, one_more);
        assert_eq!(ended.expect("a run"), Verified::Rows);
    }
}

/// A sink that does something else than it should to the batch with this number.
struct Faulty<F>(Box<dyn Sink>, F);

impl<F: Fn(RecordBatch) -> RecordBatch + Send + Sync> Sink for Faulty<F> {
    fn stages(&self) -> usize {
        self.0.stages()
    }

    fn stage_name(&self, stage: usize) -> String {
        self.0.stage_name(stage)
    }

    fn write(&self, batch: RecordBatch, turns: &dyn Turns) -> Result<()> {
        self.0.write((self.1)(batch), turns)
    }

    fn close(self: Box<Self>) -> Result<UncommittedOutput> {
        self.0.close()
    }
}

fn without_last(batch: RecordBatch) -> RecordBatch {
    batch.slice(0, batch.num_rows() - 1)
}

fn first_doubled(batch: RecordBatch) -> RecordBatch {
    let all = [batch.slice(0, 1), batch.slice(0, 1), batch.slice(2, batch.num_rows() - 2)];
    arrow::compute::concat_batches(&batch.schema(), &all).expect("a batch")
}

#[test]
fn rows_that_are_lost_or_doubled_in_the_sink() {
    for format in [Format::Parquet, Format::Arrow, Format::ArrowStream, Format::Csv, Format::Jsonl] {
        for columns in [ALL, "error"] {
            let ended = run(
                columns,
                format,
                &Read::default(),
                |_| (),
                |sink| Box::new(Faulty(sink, without_last)),
                |_| (),
            );
            is_told(ended, ErrorKind::Data, &["it has", "rows, and should have 400"], format.name());
        }
        let ended =
            run(ALL, format, &Read::default(), |_| (), |sink| Box::new(Faulty(sink, first_doubled)), |_| ());
        is_told(ended, ErrorKind::Data, &["its 400 rows differ"], format.name());
    }
}

/// The same of `dedupe`.
fn run_dedupe(
    input: impl FnOnce(&mut RecordSource),
    sink: impl FnOnce(Box<dyn Sink>) -> Box<dyn Sink>,
    reads_more: bool,
) -> Result<()> {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("table");
    let checksums = Arc::<ReadChecksums>::default();
    let mut source = source(&checksums, Read::default());
    input(&mut source);
    let told = SinkOptions::default();
    let create = |path: &Path| create(Format::Csv, Target::create(path, false)?, dedupe::schema(), &told);
    let verifier = dedupe::Verifier::new(Arc::clone(&checksums), Format::Csv, &told)?;
    let options = dedupe::Options { memory: 1 << 20, ..dedupe::Options::default() };
    if reads_more {
        // As if a record had been read that no row stands for.
        checksums.found(sum("http://h/"));
    }
    let ended = dedupe::run(
        source,
        &options,
        &Workers::start(2),
        sink(create(&path)?),
        &Progress::default(),
        Some(&verifier),
    );
    assert_eq!(path.exists(), ended.is_ok());
    ended.map(drop)
}

#[test]
fn distinct_forms_that_differ_from_the_input_are_found() {
    run_dedupe(|_| (), |sink| sink, false).expect("a run");
    let lose = |source: &mut RecordSource| drop(source.next_morsel().expect("a chunk").expect("the first"));
    for (ended, kind, part) in [
        (run_dedupe(lose, |sink| sink, false), ErrorKind::Internal, "records that were read differ from"),
        (run_dedupe(|_| (), |sink| sink, true), ErrorKind::Internal, "their numbers are 401 and 400"),
        (
            run_dedupe(|_| (), |sink| Box::new(Faulty(sink, without_last)), false),
            ErrorKind::Data,
            "it has 399 rows",
        ),
        (
            run_dedupe(|_| (), |sink| Box::new(Faulty(sink, first_doubled)), false),
            ErrorKind::Data,
            "differ from those that should have been written",
        ),
    ] {
        is_told(ended.map(|()| Verified::Rows), kind, &[part], part);
    }
}
