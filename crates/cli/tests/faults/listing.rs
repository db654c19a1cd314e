//! Patterns whose directories cannot be read: the unreadable one is named, and none is skipped.

use std::fs;
use std::io::Error;
use std::path::Path;
use std::sync::Arc;

use urimill::files::{Operation, Outcome, watch};
use urimill::read::{Source, expand};

use super::place::alone;

const REFUSED: i32 = 13;
const BROKEN: i32 = 5;
const GONE: i32 = 2;

/// (pattern, the end of the path that cannot be read, the system's number, the message)
#[test]
fn a_directory_that_cannot_be_read_is_named() {
    let _alone = alone();
    let table: &[(&str, &str, i32, &str)] = &[
        ("*/x.txt", "b/x.txt", REFUSED, "cannot read DIR/b/x.txt: "),
        ("*/*.txt", "b", REFUSED, "cannot look for files in DIR/b: "),
        ("*/*.txt", "b", BROKEN, "cannot look for files in DIR/b: "),
        ("**/*.txt", "b/c", REFUSED, "cannot look for files in DIR/b/c: "),
        ("**", "b/c", BROKEN, "cannot look for files in DIR/b/c: "),
        ("*", "", REFUSED, "cannot look for files in DIR: "),
        // It was listed a moment ago.
        ("*/*.txt", "b", GONE, "cannot look for files in DIR/b: "),
        ("**/*.txt", "b/c", GONE, "cannot look for files in DIR/b/c: "),
        ("*/x.txt", "link", REFUSED, "cannot read DIR/link: "),
        ("nosuch/*", "nosuch", GONE, "cannot read DIR/nosuch/*: no file matches the pattern"),
    ];
    let dir = tempfile::tempdir().expect("a directory");
    for path in ["a/x.txt", "b/x.txt", "b/c/x.txt", "y.txt"] {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, "http://a/\n").expect("a file");
    }
    std::os::unix::fs::symlink("a", dir.path().join("link")).expect("a link");
    for &(pattern, failing, number, sentence) in table {
        let pattern = dir.path().join(pattern);
        let failing = if failing.is_empty() { dir.path().to_owned() } else { dir.path().join(failing) };
        let before = expand(std::slice::from_ref(&pattern)).map(|sources: Vec<Source>| sources.len());
        watch(Some(Arc::new(move |operation, path: &Path| {
            match operation == Operation::Look && path == failing {
                true => Outcome::Fails(Error::from_raw_os_error(number)),
                false => Outcome::Real,
            }
        })));
        let expanded = expand(std::slice::from_ref(&pattern));
        watch(None);
        let error = expanded.expect_err("a directory that cannot be read");
        let said = error.to_string().replace(dir.path().to_str().expect("UTF-8"), "DIR");
        assert!(said.starts_with(sentence), "{pattern:?}: {said}, {before:?} files without the fault");
        assert_eq!(error.kind(), urimill::ErrorKind::Io, "{said}");
    }
}
