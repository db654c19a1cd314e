//! Symbolic links as outputs: the target of a link is written, and the link stays.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::run::{dir, names, urimill, write};

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_symlink())
}

/// (link, what it leads to, output, whether that is there before, where the table is then)
const DIRECTORIES: &[(&str, &str, bool)] = &[
    ("link/", "real", true),
    ("link", "real", true),
    ("link//", "real", true),
    ("link/.", "real", true),
    ("link/", "sub/real", true),
    ("link/", "real", false),
    ("chain/", "real", true),
];

#[test]
fn a_directory_is_written_through_a_link() {
    for &(output, real, exists) in DIRECTORIES {
        let dir = dir();
        write(dir.path(), "in.txt", "http://h/\n");
        fs::create_dir_all(dir.path().join("sub")).expect("a directory");
        if exists {
            fs::create_dir_all(dir.path().join(real)).expect("a directory");
        }
        symlink(real, dir.path().join("link")).expect("a link");
        symlink("link", dir.path().join("chain")).expect("a link");
        let run =
            || urimill("normalize in.txt --file-size 1M --summary none -o").arg(output).within(dir.path());
        run().ok();
        assert!(is_link(&dir.path().join("link")) && is_link(&dir.path().join("chain")), "{output}");
        let expected = ["_SUCCESS", "_summary.json", "part-00000.parquet"];
        assert_eq!(names(&dir.path().join(real)), expected, "{output}");
        // Nothing of the run is left, neither here nor there.
        assert_eq!(names(dir.path()).iter().filter(|name| name.starts_with('.')).count(), 0, "{output}");
        // An existing file there is replaced only on demand.
        run().fails(2, &["it exists and is not empty; give --force to replace it"]);
        urimill("normalize in.txt --file-size 1M --summary none --force -o")
            .arg(output)
            .within(dir.path())
            .ok();
        assert!(is_link(&dir.path().join("link")), "{output}");
        assert_eq!(names(&dir.path().join(real)), expected, "{output}");
    }
}

#[test]
fn files_are_written_through_links() {
    let dir = dir();
    write(dir.path(), "in.txt", "http://h/\n/a b\n");
    fs::create_dir(dir.path().join("far")).expect("a directory");
    write(&dir.path().join("far"), "t.csv", "old");
    symlink("far/t.csv", dir.path().join("t.csv")).expect("a link");
    symlink("far/r.csv", dir.path().join("r.csv")).expect("a link");
    let line = "normalize in.txt --columns uri --summary none -o t.csv --rejects r.csv";
    // The target of the link is the file that would be lost.
    urimill(line).within(dir.path()).fails(2, &["t.csv", "it exists; give --force to replace it"]);
    assert_eq!(fs::read_to_string(dir.path().join("far/t.csv")).expect("the file"), "old");
    urimill(line).arg("--force").within(dir.path()).ok();
    assert!(is_link(&dir.path().join("t.csv")) && is_link(&dir.path().join("r.csv")));
    assert_eq!(fs::read_to_string(dir.path().join("far/t.csv")).expect("the file"), "uri\nhttp://h/\n");
    assert_eq!(names(&dir.path().join("far")), ["r.csv", "t.csv"]);
    // Two links to one file are one file.
    symlink("far/t.csv", dir.path().join("same.csv")).expect("a link");
    urimill("normalize in.txt --force -o t.csv --rejects same.csv")
        .within(dir.path())
        .fails(2, &["cannot be both the table and the rejects"]);
}

/// Where the tests run as root, which may give a link to somebody else.
#[test]
#[cfg(target_os = "linux")]
fn a_strangers_link_in_a_shared_directory_is_not_followed() {
    let dir = dir();
    write(dir.path(), "in.txt", "http://h/\n");
    let shared = dir.path().join("shared");
    fs::create_dir(&shared).expect("a directory");
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o1777)).expect("its mode");
    for name in ["ours.csv", "theirs.csv", "theirs"] {
        symlink("../found", shared.join(name)).expect("a link");
    }
    let given =
        ["theirs.csv", "theirs"].map(|name| std::os::unix::fs::lchown(shared.join(name), Some(4242), None));
    if given.iter().any(Result::is_err) {
        eprintln!("skipped: not root");
        return;
    }
    let sentence = "somebody else's symbolic link in a directory that everybody may write to is not followed";
    for output in ["shared/theirs.csv", "shared/theirs/"] {
        urimill("normalize in.txt --summary none -o")
            .arg(output)
            .within(dir.path())
            .fails(3, &[output, sentence]);
        assert_eq!(names(dir.path()), ["in.txt", "shared"]);
    }
    urimill("normalize in.txt --summary none -o shared/ours.csv").within(dir.path()).ok();
    assert!(dir.path().join("found").is_file());
}
