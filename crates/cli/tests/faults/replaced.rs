//! Something else removes, replaces or cuts what a run writes, under its temporary name: that is never published.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use urimill::ErrorKind;
use urimill::files::{Operation, Outcome, watch};

use super::place::{Place, alone};

/// The temporary file or directory in the directory of outputs.
fn temporary(out: &Path) -> PathBuf {
    let names = fs::read_dir(out).expect("a directory").map(|entry| entry.expect("an entry").path());
    let mut names = names.filter(|path| path.to_string_lossy().ends_with(".tmp"));
    names.next().expect("a temporary")
}

/// A file of the table in a temporary directory.
fn part(temporary: &Path) -> PathBuf {
    let mut path = temporary.to_owned();
    while path.is_dir() {
        let mut entries =
            fs::read_dir(&path).expect("a directory").map(|entry| entry.expect("an entry").path());
        path = entries.find(|path| !path.ends_with("_summary.json")).expect("an entry");
    }
    path
}

fn removed(temporary: &Path) {
    fs::remove_dir_all(temporary).or_else(|_| fs::remove_file(temporary)).expect("removed");
}

fn another_in_its_place(temporary: &Path) {
    let is_directory = temporary.is_dir();
    fs::rename(temporary, temporary.with_extension("moved")).expect("renamed");
    match is_directory {
        true => fs::create_dir(temporary).expect("a directory"),
        false => fs::write(temporary, "what somebody else wrote").expect("a file"),
    }
}

fn cut(temporary: &Path) {
    let path = part(temporary);
    let bytes = fs::metadata(&path).expect("a file").len();
    fs::OpenOptions::new().write(true).open(path).expect("a file").set_len(bytes - 1).expect("cut");
}

fn one_file_removed(temporary: &Path) {
    fs::remove_file(part(temporary)).expect("removed");
}

fn one_file_replaced(temporary: &Path) {
    let path = part(temporary);
    let bytes = fs::read(&path).expect("a file");
    fs::remove_file(&path).expect("removed");
    // It holds the same, but that is for nobody to know.
    fs::write(path.with_extension("other"), &bytes).expect("a file");
    fs::rename(path.with_extension("other"), &path).expect("renamed");
}

type Deed = fn(&Path);

/// Runs with `deed` done where `is_now` says so for the first time.
fn run(
    place: &Place,
    with_old: bool,
    deed: Deed,
    is_now: impl Fn(Operation, &Path) -> bool + Send + Sync + 'static,
) -> urimill::Result<()> {
    place.reset(with_old);
    let (done, out) = (AtomicBool::new(false), place.out());
    watch(Some(Arc::new(move |operation, path: &Path| {
        if is_now(operation, path) && !done.swap(true, Ordering::SeqCst) {
            deed(&temporary(&out));
        }
        Outcome::Real
    })));
    let ended = place.run(with_old);
    watch(None);
    ended
}

fn is_refused(place: &Place, with_old: bool, ended: urimill::Result<()>, what: &str) {
    let error = ended.expect_err(what);
    assert!(matches!(error.kind(), ErrorKind::Io | ErrorKind::Data), "{what}: {error}");
    assert!(error.to_string().contains(place.root()), "{what}: {error}");
    let tree = place.tree();
    let is_output = |path: &&PathBuf| !path.starts_with(".") && !path.to_string_lossy().starts_with(".t");
    let old = place.old.iter().filter(|_| with_old);
    let there: Vec<_> = tree.iter().filter(|(path, _)| is_output(path)).collect();
    assert!(there.into_iter().eq(old), "{what}: {error}: {:?}", tree.keys());
}

/// The files are synced, `_summary.json` is still to come.
fn before_the_summary() -> impl Fn(Operation, &Path) -> bool + Send + Sync + 'static {
    let synced = AtomicBool::new(false);
    move |operation, path| {
        // Nothing but the temporary directory and what is in it is synced before that.
        let is_own = path.to_string_lossy().contains(".urimill-");
        synced.fetch_or(is_own && operation == Operation::Sync, Ordering::SeqCst);
        let makes = matches!(operation, Operation::Create | Operation::CreateDirectory);
        is_own && makes && synced.load(Ordering::SeqCst)
    }
}

#[test]
fn a_directory_without_its_data_is_not_published() {
    let _alone = alone();
    for line in [
        "normalize IN/few.txt -o OUT/t/ --to parquet",
        "normalize IN/few.txt -o OUT/t/ --to parquet --verify",
        "normalize IN/few.txt -o OUT/t/ --partition-by scheme --to csv --verify",
    ] {
        let place = Place::new(line);
        let deeds: [(&str, Deed); 5] = [
            ("removed", removed),
            ("another in its place", another_in_its_place),
            ("cut", cut),
            ("one file removed", one_file_removed),
            ("one file replaced", one_file_replaced),
        ];
        for (name, deed) in deeds {
            for with_old in [true, false] {
                let ended = run(&place, with_old, deed, before_the_summary());
                is_refused(&place, with_old, ended, &format!("{line}: {name}, with old outputs: {with_old}"));
            }
        }
    }
}

/// Where the directory is gone while files are still being written, nothing is made anew.
#[test]
fn a_directory_that_is_gone_is_not_made_again() {
    let _alone = alone();
    let place = Place::new("normalize IN/some.txt -o OUT/t/ --file-size 20K --to csv --chunk 4000");
    for with_old in [true, false] {
        let ended = run(&place, with_old, removed, |operation, path| {
            operation == Operation::Create && path.ends_with("part-00003.csv")
        });
        is_refused(&place, with_old, ended, "removed while it is written");
    }
}

#[test]
fn a_file_that_something_else_has_put_there_is_not_published() {
    let _alone = alone();
    for line in ["normalize IN/few.txt -o OUT/t.csv", "normalize IN/few.txt -o OUT/t.csv --verify"] {
        let place = Place::new(line);
        let deeds: [(&str, Deed); 3] =
            [("removed", removed), ("another in its place", another_in_its_place), ("cut", cut)];
        for (name, deed) in deeds {
            for with_old in [true, false] {
                let ended = run(&place, with_old, deed, |operation, _| operation == Operation::Sync);
                is_refused(&place, with_old, ended, &format!("{line}: {name}, with old outputs: {with_old}"));
            }
        }
    }
}
