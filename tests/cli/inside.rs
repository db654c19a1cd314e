//! `urimill normalize` within another program: nothing of it ends the process or is said on standard error.

use std::ffi::OsString;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow::array::RecordBatch;
use urimill::ErrorKind;
use urimill::cli::inside::{MakeSink, Running, convert, read};
use urimill::output::{Prepared, Settled, Sink, Target};
use urimill::pipeline::Progress;

fn arguments(list: &[&str]) -> Vec<OsString> {
    list.iter().map(OsString::from).collect()
}

#[test]
fn a_run_tells_how_far_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let (list, table) = (folder.path().join("in.txt"), folder.path().join("out.csv"));
    fs::write(&list, "http://example.com/\n\n/a b\n").expect("a file");
    let running = Running::default();
    let [list, table] = [&list, &table].map(|path| path.to_str().expect("UTF-8"));
    let summary =
        convert(arguments(&["--level=case", "-o", table, "--", list]), &running).expect("a summary");
    assert_eq!((summary["records"].as_u64(), summary["blank"].as_u64()), (Some(2), Some(1)));
    assert_eq!((summary["level"].as_str(), summary["output"]["name"].as_str()), (Some("case"), Some(table)));
    assert_eq!(running.total.get(), Some(&Some(26)));
    assert_eq!(running.stored.load(Ordering::Relaxed), 26);
    assert_eq!(running.progress.records.load(Ordering::Relaxed), 3);
}

#[test]
fn a_run_that_is_stopped_publishes_nothing() {
    for options in [&[][..], &["--sort-by=uri"], &["--partition-by=scheme"], &["--verify"]] {
        stopped_before_it_began(options);
    }
}

fn stopped_before_it_began(options: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let (list, table) = (folder.path().join("in.txt"), folder.path().join("out.csv"));
    fs::write(&list, "http://example.com/\n").expect("a file");
    let running = Running::default();
    running.progress.stop.store(true, Ordering::Relaxed);
    let [list, table] = [&list, &table].map(|path| path.to_str().expect("UTF-8"));
    let given = [options, &["-o", table, "--", list]].concat();
    let error = convert(arguments(&given), &running).expect_err("stopped");
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (ErrorKind::Stopped, "stopped; nothing was published")
    );
    let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

/// A sink that stops its run at its first batch, or at the end, and counts the batches.
struct Stopping {
    progress: Arc<Progress>,
    at_end: bool,
    batches: Arc<AtomicUsize>,
}

impl Stopping {
    fn stop(&self, now: bool) {
        self.progress.stop.fetch_or(now, Ordering::Relaxed);
    }
}

impl Sink for Stopping {
    fn prepare(&self, batch: RecordBatch) -> urimill::Result<Prepared> {
        Ok(Prepared::Batch(batch))
    }

    fn run(&self, _stage: usize, _prepared: &mut Prepared) -> urimill::Result<()> {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.stop(!self.at_end);
        Ok(())
    }

    fn close(self: Box<Self>) -> urimill::Result<Settled> {
        self.stop(self.at_end);
        Ok(Settled::File(Target::nowhere("a test")))
    }
}

#[test]
fn a_run_can_be_stopped_at_any_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = folder.path().join("in.txt");
    // Several batches, sorted or not.
    fs::write(&list, "http://example.com/a\n".repeat(150_000)).expect("a file");
    let list = list.to_str().expect("UTF-8");
    for (options, at_end, least) in [
        (&["--chunk=64K"][..], false, 1),
        (&["--chunk=64K"], true, 10),
        (&["--sort-by=uri"], false, 1),
        (&["--sort-by=uri"], true, 3),
    ] {
        let (running, batches) = (Running::default(), Arc::new(AtomicUsize::new(0)));
        let sink = Stopping { progress: running.progress.clone(), at_end, batches: batches.clone() };
        let make: MakeSink<'_> = Box::new(|_| Ok(Box::new(sink)));
        let given = [options, &["--threads=1", "--", list]].concat();
        let error = read(arguments(&given), &running, make).expect_err("stopped");
        assert_eq!(error.kind(), ErrorKind::Stopped, "{options:?}: {error}");
        let taken = batches.load(Ordering::Relaxed);
        assert!(if at_end { taken >= least } else { taken == least }, "{options:?}: {taken} batches");
    }
}

#[test]
fn where_the_caller_takes_the_table_there_is_no_output() {
    let table = [
        (&["-o", "x.csv"][..], "the table goes to the caller: leave --output away"),
        (&["--to", "csv"], "the argument '--to <FORMAT>' cannot be used multiple times"),
        (&["--partition-by=scheme"], "--partition-by is for a directory of files"),
        (&["--verify"], "--verify reads the output back"),
    ];
    for (given, sentence) in table {
        let make: MakeSink<'_> = Box::new(|_| panic!("no sink is asked for"));
        let error = read(arguments(given), &Running::default(), make).expect_err("usage");
        assert!(error.kind() == ErrorKind::Usage && error.to_string().starts_with(sentence), "{error}");
    }
}

#[test]
fn wrong_arguments_are_one_sentence() {
    let table = [
        (vec!["--levle=case"], "unexpected argument '--levle' found"),
        (vec!["--level=most"], "invalid value 'most' for '--level <LEVEL>'; [possible values: none,"),
        (vec!["--rejects=-", "-o", "x.csv"], "--rejects needs a file"),
    ];
    for (given, sentence) in table {
        let error = convert(arguments(&given), &Running::default()).expect_err("usage");
        assert_eq!(error.kind(), ErrorKind::Usage);
        let told = error.to_string();
        assert!(told.starts_with(sentence) && !told.contains('\n') && !told.contains("Usage"), "{told}");
    }
}

#[test]
fn an_error_about_a_file_knows_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("none.txt");
    let error = convert(arguments(&["-o", "x.csv", missing.to_str().expect("UTF-8")]), &Running::default());
    let error = error.expect_err("no such file");
    assert_eq!((error.kind(), error.file()), (ErrorKind::Io, Some(missing.as_path())));
    assert_eq!(error.io_error().map(std::io::Error::kind), Some(std::io::ErrorKind::NotFound));
}
