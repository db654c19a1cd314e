//! `urimill normalize` within another program: nothing of it ends the process or is said on standard error.

use std::ffi::OsString;
use std::fs;
use std::sync::atomic::Ordering;

use urimill::ErrorKind;
use urimill::cli::inside::{Running, convert};

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
    let folder = tempfile::tempdir().expect("a folder");
    let (list, table) = (folder.path().join("in.txt"), folder.path().join("out.csv"));
    fs::write(&list, "http://example.com/\n").expect("a file");
    let running = Running::default();
    running.progress.stop.store(true, Ordering::Relaxed);
    let [list, table] = [&list, &table].map(|path| path.to_str().expect("UTF-8"));
    let error = convert(arguments(&["-o", table, "--", list]), &running).expect_err("stopped");
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (ErrorKind::Stopped, "stopped; nothing was published")
    );
    let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(left.len(), 1, "{left:?}");
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
