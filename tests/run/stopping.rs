//! The progress of a run, and how another thread or a sink stops it: neither ends the process or prints to standard
//! error.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow::array::RecordBatch;
use urimill::run::{Conversion, MakeSink, NormalizeOptions, Output, RunProgress};
use urimill::write::{StagedSink, Target, UncommittedOutput};
use urimill::{ErrorKind, Level};

/// Options that a test adds to a run.
type Options = fn(Conversion) -> Conversion;

#[test]
fn a_run_reports_its_progress() {
    let folder = tempfile::tempdir().expect("a folder");
    let (list, table) = (folder.path().join("in.txt"), folder.path().join("out.csv"));
    fs::write(&list, "http://example.com/\n\n/a b\n").expect("a file");
    let progress = RunProgress::default();
    let stats = Conversion::new()
        .inputs([&list])
        .normalize(NormalizeOptions::new().level(Level::Case))
        .write_to(Output::to(&table))
        .progress(&progress)
        .run()
        .expect("statistics");
    assert_eq!((stats.records, stats.blank, stats.reading.rfc().level), (2, 1, Level::Case));
    assert_eq!(stats.output.name, table.to_str().expect("UTF-8"));
    assert_eq!((progress.total_bytes(), progress.stored_bytes(), progress.records()), (Some(26), 26, 3));
}

#[test]
fn a_run_that_is_stopped_publishes_nothing() {
    let table: [fn(Conversion) -> Conversion; 4] =
        [|run| run, |run| run.sort_by(["uri"]), |run| run.partition_by(["scheme"]), |run| run.verify(true)];
    for options in table {
        let folder = tempfile::tempdir().expect("a folder");
        let (list, table) = (folder.path().join("in.txt"), folder.path().join("out.csv"));
        fs::write(&list, "http://example.com/\n").expect("a file");
        let progress = RunProgress::default();
        progress.stop();
        let run = Conversion::new().inputs([&list]).write_to(Output::to(&table)).progress(&progress);
        let error = options(run).run().expect_err("stopped");
        assert_eq!(
            (error.kind(), error.to_string().as_str()),
            (ErrorKind::Stopped, "stopped; nothing was published")
        );
        let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }
}

/// A sink that stops its run at its first batch, or at the end, and counts the batches.
struct Stopping {
    progress: RunProgress,
    at_end: bool,
    batches: Arc<AtomicUsize>,
}

impl Stopping {
    fn stop(&self, now: bool) {
        if now {
            self.progress.stop();
        }
    }
}

impl StagedSink for Stopping {
    type Prepared = ();

    fn prepare(&self, _: RecordBatch) -> urimill::Result<()> {
        Ok(())
    }

    fn run(&self, _stage: usize, _prepared: &mut ()) -> urimill::Result<()> {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.stop(!self.at_end);
        Ok(())
    }

    fn close(self) -> urimill::Result<UncommittedOutput> {
        self.stop(self.at_end);
        Ok(UncommittedOutput::File(Target::nowhere("a test")))
    }
}

#[test]
fn a_run_can_be_stopped_at_any_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = folder.path().join("in.txt");
    // Several batches, sorted or not.
    fs::write(&list, "http://example.com/a\n".repeat(150_000)).expect("a file");
    let (chunks, sorted): (Options, Options) = (|run| run.chunk(64 << 10), |run| run.sort_by(["uri"]));
    for (options, at_end, least) in
        [(chunks, false, 1), (chunks, true, 10), (sorted, false, 1), (sorted, true, 3)]
    {
        let (progress, batches) = (RunProgress::default(), Arc::new(AtomicUsize::new(0)));
        let sink = Stopping { progress: progress.clone(), at_end, batches: batches.clone() };
        let make: MakeSink<'_> = Box::new(|_| Ok(Box::new(sink)));
        let run = options(Conversion::new().inputs([&list]).threads(1).progress(&progress));
        let error = run.run_into(make).expect_err("stopped");
        assert_eq!(error.kind(), ErrorKind::Stopped, "{error}");
        let taken = batches.load(Ordering::Relaxed);
        assert!(if at_end { taken >= least } else { taken == least }, "{taken} batches");
    }
}

#[test]
fn where_the_caller_takes_the_table_there_is_no_output() {
    let table: [(Options, &str); 3] = [
        (|run| run.write_to(Output::to("x.csv")), "the table goes to the caller: drop write_to"),
        (|run| run.partition_by(["scheme"]), "partition_by is for a directory of files"),
        (|run| run.verify(true), "verify reads the output back"),
    ];
    for (options, sentence) in table {
        let make: MakeSink<'_> = Box::new(|_| panic!("no sink is asked for"));
        let error = options(Conversion::new()).run_into(make).expect_err("usage");
        assert!(error.kind() == ErrorKind::Usage && error.to_string().starts_with(sentence), "{error}");
    }
}

#[test]
fn an_error_about_a_file_knows_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("none.txt");
    let run = Conversion::new().inputs([&missing]).write_to(Output::to(folder.path().join("x.csv")));
    let error = run.run().expect_err("no such file");
    assert_eq!((error.kind(), error.file()), (ErrorKind::Io, Some(missing.as_path())));
    assert_eq!(error.io_error().map(std::io::Error::kind), Some(std::io::ErrorKind::NotFound));
}
