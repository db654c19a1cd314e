//! The rows of a run as record batches for its caller: the same as those of its file, no matter how many threads make
//! them and how the caller takes them.

use std::fs;
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use arrow::ipc::reader::FileReader;
use urimill::arrow_array::{RecordBatch, RecordBatchReader};
use urimill::run::{
    Batches, Conversion, Dedupe, Edges, Index, IndexForm, Links, Node, OnInvalid, Output, RunProgress,
};
use urimill::write::to_plain;
use urimill::{Error, ErrorKind, OptionName};

use crate::Then;

/// Options that a test adds to a run.
type Options = fn(Conversion) -> Conversion;

/// Lines, some of which are not references; `from` is the number of the first.
fn lines(from: u64, count: u64) -> Vec<u8> {
    let line = |n: u64| match n % 10 {
        0 => format!("http://example.com/{} {n}\n", n * 7919 % 1000),
        _ => format!("HTTP://example.com/{}/../{n}\n", n * 7919 % 1000),
    };
    (from..from + count).flat_map(|n| line(n).into_bytes()).collect()
}

/// All batches, and the error after the last.
fn taken(mut batches: Batches) -> (Vec<RecordBatch>, Option<Error>) {
    let mut all = Vec::new();
    loop {
        match batches.next_batch() {
            Ok(Some(batch)) => all.push(batch),
            Ok(None) => {
                assert!(batches.stats().is_some());
                return (all, None);
            }
            Err(error) => {
                assert!(batches.stats().is_none() && matches!(batches.next_batch(), Ok(None)));
                return (all, Some(error));
            }
        }
    }
}

/// The batches of an Arrow file.
fn in_file(path: &Path) -> Vec<RecordBatch> {
    let reader = FileReader::try_new(fs::File::open(path).expect("a file"), None).expect("an Arrow file");
    reader.map(|batch| batch.expect("a batch")).collect()
}

#[test]
fn the_batches_are_those_of_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = lines(0, 20_000);
    let cases: [(&str, Options, usize); 5] = [
        ("large chunks", |run| run, 3),
        ("small chunks", |run| run.chunk(32 << 10), 15),
        ("columns", |run| run.columns(["uri", "record", "source"]), 3),
        ("sorted", |run| run.sort_by(["path", "record:desc"]).columns(["+record"]), 1),
        ("without rejects", |run| run.on_invalid(OnInvalid::Drop).columns(["+record"]), 3),
    ];
    for (what, options, least) in cases {
        let run = || options(Conversion::new().inputs_from(Cursor::new(input.clone()), "list"));
        let path = folder.path().join("t.arrow");
        let of_file = run().threads(1).write_to(Output::to(&path).force(true)).run().expect("a table");
        let expected = in_file(&path);
        assert!(expected.len() >= least, "{what}: {} batches", expected.len());
        for threads in [1, 2, 16] {
            let batches = run().threads(threads).into_batches().expect(what);
            let schema = batches.schema();
            let (batches, error) = taken(batches);
            assert!(error.is_none(), "{what}: {error:?}");
            assert_eq!(batches.len(), expected.len(), "{what}, {threads} threads");
            for (batch, expected) in batches.iter().zip(&expected) {
                assert_eq!(batch.schema(), schema, "{what}");
                let plain = to_plain(batch, &expected.schema()).expect("plain types");
                assert_eq!(plain, *expected, "{what}, {threads} threads");
            }
            let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
            assert_eq!(rows as u64, of_file.rows, "{what}");
        }
    }
}

#[test]
fn statistics_are_there_at_the_end() {
    let mut batches =
        Conversion::new().inputs_from(Cursor::new(lines(0, 1000)), "list").into_batches().expect("rows");
    assert!(batches.stats().is_none());
    let rows: usize = batches.by_ref().map(|batch| batch.expect("a batch").num_rows()).sum();
    let stats = batches.stats().expect("statistics");
    assert_eq!((rows, stats.rows, stats.records, stats.rejects), (1000, 1000, 1000, 100));
    assert!(batches.next().is_none() && batches.next().is_none());
}

#[test]
fn a_table_without_rows_has_a_schema() {
    for options in [(|run| run) as Options, |run| run.sort_by(["uri"])] {
        let mut batches =
            options(Conversion::new().inputs_from(io::empty(), "none")).into_batches().expect("no rows");
        assert!(batches.schema().field_with_name("uri").is_ok());
        assert!(batches.next().is_none());
        assert_eq!(batches.stats().expect("statistics").records, 0);
    }
}

#[test]
fn other_tables_come_in_batches_too() {
    let page = "<a href=//example.org/a></a><a href=//example.org/b></a>";
    let rows = |batches: urimill::Result<Batches>| {
        let (batches, error) = taken(batches.expect("rows"));
        assert!(error.is_none(), "{error:?}");
        batches.iter().map(RecordBatch::num_rows).sum::<usize>()
    };
    let links = Conversion::new().links(Links::new().base("http://h/")).inputs_from(page.as_bytes(), "page");
    assert_eq!(rows(links.into_batches()), 2);
    let edges = Edges::new(Node::Host).inputs_from(page.as_bytes(), "http://h/page");
    assert_eq!(rows(edges.into_batches()), 1);
    let list = &b"http://example.com\nHTTP://EXAMPLE.COM/\nhttp://example.org/\n"[..];
    assert_eq!(rows(Dedupe::new().inputs_from(list, "list").into_batches()), 2);
    let warc = &b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://example.com/a\r\n\
        WARC-Date: 2025-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:5c1b2f0e-0d5a-4a5b-8f0e-3f0a3a1b2c3d>\r\n\
        Content-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi\r\n\r\n"[..];
    assert_eq!(rows(Index::new().inputs_from(warc, "a.warc").into_batches()), 1);
}

#[test]
fn options_of_files_are_refused() {
    use OptionName as O;
    let conversion: [(Options, &[O]); 8] = [
        (|run| run.write_to(Output::to("x.parquet")), &[O::Output]),
        (|run| run.write_to(Output::stdout()), &[O::Output]),
        (|run| run.partition_by(["scheme"]), &[O::PartitionBy, O::Output]),
        (|run| run.file_size(1 << 20), &[O::FileSize, O::Output]),
        (|run| run.max_partitions(3), &[O::MaxPartitions, O::PartitionBy]),
        (|run| run.verify(true), &[O::Verify]),
        (|run| run.temp_dir("/tmp"), &[O::TempDir, O::SortBy]),
        (|run| run.on_invalid(OnInvalid::Reject), &[O::OnInvalid, O::Rejects]),
    ];
    let mut errors: Vec<(Error, &[O])> = Vec::new();
    let run = || Conversion::new().inputs_from(io::empty(), "none");
    for (options, named) in conversion {
        errors.push((options(run()).into_batches().map(drop).expect_err("an option of files"), named));
    }
    let dedupe = || Dedupe::new().inputs_from(io::empty(), "none");
    let edges = || Edges::new(Node::Host).inputs_from(io::empty(), "none");
    let index = || Index::new().inputs_from(io::empty(), "none");
    let others: [(urimill::Result<Batches>, &[O]); 7] = [
        (dedupe().write_to(Output::to("x.csv")).into_batches(), &[O::Output]),
        (dedupe().verify(true).into_batches(), &[O::Verify]),
        (edges().write_to(Output::to("x.csv")).into_batches(), &[O::Output]),
        (edges().verify(true).into_batches(), &[O::Verify]),
        (edges().graph(true).into_batches(), &[O::Output]),
        (index().write_to("x.parquet").into_batches(), &[O::Output]),
        (index().form(IndexForm::Cdxj).into_batches(), &[O::OutputFormat]),
    ];
    errors.extend(others.map(|(batches, named)| (batches.map(drop).expect_err("an option of files"), named)));
    for (error, options) in errors {
        let named: Vec<_> = error.mentions().map(|mention| mention.option).collect();
        assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
        assert!(options.iter().all(|option| named.contains(option)), "{error} names {named:?}");
    }
}

/// A reader that goes on for ever, and counts what it gave.
struct Endless(Cursor<Vec<u8>>, Arc<AtomicU64>);

impl Endless {
    fn new(given: &Arc<AtomicU64>) -> Endless {
        Endless(Cursor::new(lines(0, 10_000)), Arc::clone(given))
    }
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.position() == self.0.get_ref().len() as u64 {
            self.0.set_position(0);
        }
        let read = self.0.read(buffer)?;
        self.1.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Waits until the run has let go of its reader.
fn has_ended(reader: &Arc<AtomicU64>) -> bool {
    let begun = Instant::now();
    while Arc::strong_count(reader) > 1 && begun.elapsed() < Duration::from_secs(60) {
        sleep(Duration::from_millis(1));
    }
    Arc::strong_count(reader) == 1
}

#[test]
fn a_slow_caller_slows_the_run() {
    let given = Arc::new(AtomicU64::new(0));
    let run = Conversion::new().inputs_from(Endless::new(&given), "endless").chunk(64 << 10).threads(3);
    let mut batches = run.into_batches().expect("rows");
    for _ in 0..3 {
        batches.next_batch().expect("no error").expect("a batch");
        sleep(Duration::from_millis(100));
        // Waiting batches, a chunk for each thread, and what is read at once.
        assert!(given.load(Ordering::Relaxed) < 4 << 20, "{given:?} bytes");
    }
    drop(batches);
    assert!(has_ended(&given));
}

#[test]
fn dropped_batches_stop_the_run() {
    // Rows that are sorted or counted come after the last record.
    let cases: [(Options, usize); 4] = [
        (|run| run, 0),
        (|run| run, 1),
        (|run| run.chunk(64 << 10), 50),
        (|run| run.sort_by(["uri"]).memory(1 << 20), 0),
    ];
    for (options, batches) in cases {
        for threads in [1, 2, 16] {
            let given = Arc::new(AtomicU64::new(0));
            let run = Conversion::new().inputs_from(Endless::new(&given), "endless").threads(threads);
            let mut rows = options(run).into_batches().expect("rows");
            for _ in 0..batches {
                rows.next_batch().expect("no error").expect("a batch");
            }
            drop(rows);
            assert!(has_ended(&given), "{batches} batches, {threads} threads");
        }
    }
    let given = Arc::new(AtomicU64::new(0));
    drop(Dedupe::new().inputs_from(Endless::new(&given), "endless").into_batches().expect("rows"));
    assert!(has_ended(&given));
}

/// In a process of its own: other tests have threads, too.
#[cfg(target_os = "linux")]
#[test]
fn no_thread_is_left() {
    const ALONE: &str = "URIMILL_TEST_ALONE";
    if std::env::var_os(ALONE).is_none() {
        let test = std::env::current_exe().expect("this test");
        let mut alone = std::process::Command::new(test);
        alone.args(["--exact", "batches::no_thread_is_left", "--test-threads=1"]).env(ALONE, "1");
        let output = alone.output().expect("a process");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    let threads = || fs::read_dir("/proc/self/task").expect("threads").count();
    let before = threads();
    let run = || {
        let given = Arc::new(AtomicU64::new(0));
        Conversion::new().inputs_from(Endless::new(&given), "endless").threads(16)
    };
    for sorted in [false, true] {
        let run = if sorted { run().sort_by(["uri"]) } else { run() };
        let mut batches = run.into_batches().expect("rows");
        if !sorted {
            batches.next_batch().expect("no error").expect("a batch");
        }
        assert!(threads() > before + 16);
        drop(batches);
        let begun = Instant::now();
        while threads() > before && begun.elapsed() < Duration::from_secs(60) {
            sleep(Duration::from_millis(1));
        }
        assert_eq!(threads(), before);
    }
    // At the last item nothing is left to wait for but the ends of the threads.
    let batches =
        Conversion::new().inputs_from(Cursor::new(lines(0, 1000)), "list").threads(4).into_batches();
    assert!(taken(batches.expect("rows")).1.is_none());
    assert_eq!(threads(), before);
}

#[test]
fn a_run_is_stopped_from_elsewhere() {
    let (given, progress) = (Arc::new(AtomicU64::new(0)), RunProgress::default());
    let run = Conversion::new().inputs_from(Endless::new(&given), "endless").progress(&progress);
    let mut batches = run.into_batches().expect("rows");
    batches.next_batch().expect("no error").expect("a batch");
    progress.stop();
    let (_, error) = taken(batches);
    assert_eq!(error.expect("stopped").kind(), ErrorKind::Stopped);
}

/// The rows before the fault are those of whole chunks: all of the lines but those of the last chunk.
#[test]
fn a_failure_is_the_last_item() {
    type Case = (fn() -> io::Result<usize>, ErrorKind, &'static str);
    let cases: [Case; 3] = [
        (|| Err(io::Error::other("it is gone")), ErrorKind::Io, "cannot read remote: it is gone"),
        (|| Err(io::ErrorKind::InvalidData.into()), ErrorKind::Data, "cannot read remote: "),
        (|| panic!("oops"), ErrorKind::Io, "cannot read remote: its reader panicked: oops"),
    ];
    for (then, kind, sentence) in cases {
        let mut before = None;
        for threads in [1, 2, 16] {
            let reader = Then(Cursor::new(lines(0, 20_000)), then);
            let run = Conversion::new().inputs_from(reader, "remote").chunk(64 << 10).threads(threads);
            let (batches, error) = taken(run.into_batches().expect("the beginning"));
            let error = error.expect(sentence);
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.to_string().starts_with(sentence), "{error}");
            let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
            assert!((15_000..20_000).contains(&rows), "{rows} rows");
            assert_eq!(*before.get_or_insert(rows), rows, "{threads} threads");
        }
        let run = Conversion::new().inputs_from(Then(Cursor::new(lines(0, 10)), then), "remote");
        let error = run.into_batches().map(drop).expect_err("the beginning cannot be read");
        assert!(error.to_string().starts_with(sentence), "{error}");
    }
}

#[test]
fn an_iterators_error_is_urimills() {
    let run = Conversion::new().inputs_from(Cursor::new(lines(1, 100)), "list").on_invalid(OnInvalid::Fail);
    let errors: Vec<_> = run.into_batches().expect("rows").filter_map(Result::err).collect();
    let [urimill::arrow_schema::ArrowError::ExternalError(error)] = &errors[..] else {
        panic!("one error from elsewhere: {errors:?}");
    };
    let error = error.downcast_ref::<Error>().expect("an error of urimill");
    assert_eq!(error.kind(), ErrorKind::InvalidRecord);
    assert!(error.to_string().starts_with("record 10 of list"), "{error}");
}

/// The table of rejects is a file, which is published with the last batch, and only then.
#[test]
fn rejects_go_to_their_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let rejects = folder.path().join("rejects.csv");
    let run = || Conversion::new().chunk(64 << 10).on_invalid(OnInvalid::Reject).rejects(&rejects);
    let given = Arc::new(AtomicU64::new(0));
    let mut batches = run().inputs_from(Endless::new(&given), "endless").into_batches().expect("rows");
    batches.next_batch().expect("no error").expect("a batch");
    drop(batches);
    assert!(has_ended(&given));
    let left = || fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left(), 0);
    let (batches, error) =
        taken(run().inputs_from(Cursor::new(lines(0, 1000)), "list").into_batches().expect("rows"));
    assert!(error.is_none(), "{error:?}");
    assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 900);
    assert_eq!(fs::read_to_string(&rejects).expect("rejects").lines().count(), 101);
    // Outputs that exist are refused before there is a batch.
    let run = run().inputs_from(Cursor::new(lines(0, 10)), "list");
    assert_eq!(run.into_batches().map(drop).expect_err("it exists").kind(), ErrorKind::Usage);
}
