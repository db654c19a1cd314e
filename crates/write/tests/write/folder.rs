//! A directory is the old one, absent, or complete.

use std::fs;
use std::path::Path;

use urimill_base::error::{ErrorKind, Result};
use urimill_write::{SUCCESS, StagedDirectory};

/// The names in a directory, hidden ones too.
fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry"));
    let mut names: Vec<_> = entries.map(|e| e.file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

fn write(path: &Path, force: bool, file: &str) -> Result<u64> {
    let folder = StagedDirectory::create(path, force)?;
    folder.add(file, b"content")?;
    folder.commit()
}

#[test]
fn a_directory_appears_whole_at_commit() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("out");
    let folder = StagedDirectory::create(&path, false).expect("a folder");
    folder.add("a", b"1").expect("a file");
    let temporary = names(dir.path());
    let prefix = format!(".out.urimill-{}-", std::process::id());
    assert!(temporary.len() == 1 && temporary[0].starts_with(&prefix) && temporary[0].ends_with(".tmp"));
    folder.add("b", b"2").expect("a file");
    folder.commit().expect("a commit");
    assert_eq!(names(dir.path()), ["out"]);
    assert_eq!(names(&path), [SUCCESS, "a", "b"]);
}

#[test]
fn dropped_without_commit_the_old_directory_stays() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("out");
    write(&path, false, "old").expect("a directory");
    let folder = StagedDirectory::create(&path, true).expect("a folder");
    folder.add("new", b"").expect("a file");
    drop(folder);
    assert_eq!(names(dir.path()), ["out"]);
    assert_eq!(names(&path), [SUCCESS, "old"]);
}

/// (existing entries, whether with --force, the result)
#[test]
fn force_replaces_only_directories_of_urimill() {
    let table: [(&[&str], bool, Result<(), &str>); 6] = [
        (&[], false, Ok(())),
        (&[], true, Ok(())),
        (&[SUCCESS, "old"], true, Ok(())),
        (&[SUCCESS, "old"], false, Err("it exists and is not empty; give force to replace it")),
        (&["old"], true, Err("without the file _SUCCESS it is no directory that force replaces")),
        (&["old"], false, Err("without the file _SUCCESS it is no directory that force replaces")),
    ];
    for (there, force, expected) in table {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("out");
        fs::create_dir(&path).expect("a directory");
        there.iter().for_each(|name| fs::write(path.join(name), "").expect("a file"));
        match (write(&path, force, "new"), expected) {
            (Ok(_), Ok(())) => assert_eq!(names(&path), [SUCCESS, "new"]),
            (Err(error), Err(part)) => {
                assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
                assert!(error.to_string().contains(part), "{error}");
                assert_eq!(names(&path), there, "{error}");
            }
            (found, expected) => panic!("{there:?}, {force}: {found:?}, not {expected:?}"),
        }
        assert_eq!(names(dir.path()), ["out"]);
    }
}

#[test]
fn a_directory_created_meanwhile_is_not_replaced() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("out");
    for force in [false, true] {
        let folder = StagedDirectory::create(&path, force).expect("a folder");
        fs::create_dir(&path).expect("of another process");
        fs::write(path.join("theirs"), "").expect("a file");
        assert_eq!(folder.commit().expect_err("it exists now").kind(), ErrorKind::Usage);
        assert_eq!(names(&path), ["theirs"]);
        assert_eq!(names(dir.path()), ["out"]);
        fs::remove_dir_all(&path).expect("removed");
    }
}

#[test]
fn a_path_that_cannot_be_a_directory_is_an_error() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("file"), "").expect("a file");
    // (path, kind, part of the message)
    for (name, kind, part) in [
        ("file", ErrorKind::Usage, "it is not a directory, and a directory of files was asked for"),
        ("file/out", ErrorKind::Io, "cannot create"),
        ("no/such/out", ErrorKind::Io, "its directory does not exist; create it first"),
        ("..", ErrorKind::Usage, "give the directory by its own name"),
    ] {
        for force in [false, true] {
            let error = StagedDirectory::create(&dir.path().join(name), force).expect_err(part);
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.to_string().contains(part), "{error}");
        }
    }
    assert_eq!(names(dir.path()), ["file"]);
}

#[test]
#[cfg(unix)]
fn a_link_and_a_mode_are_preserved() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let dir = tempfile::tempdir().expect("a directory");
    let (path, link) = (dir.path().join("out"), dir.path().join("link"));
    write(&path, false, "old").expect("a directory");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).expect("a mode");
    symlink("out", &link).expect("a link");
    write(&link, true, "new").expect("a directory");
    assert_eq!(names(&path), [SUCCESS, "new"]);
    assert_eq!(names(dir.path()), ["link", "out"]);
    assert!(link.is_symlink());
    assert_eq!(fs::metadata(&path).expect("a directory").permissions().mode() & 0o777, 0o750);
}

#[test]
#[cfg(unix)]
fn a_temporary_is_no_more_open_than_what_it_replaces() {
    use std::os::unix::fs::PermissionsExt;

    let mode = |path: &Path| fs::metadata(path).expect("a directory").permissions().mode() & 0o777;
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("out");
    write(&path, false, "old").expect("a directory");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).expect("a mode");
    let folder = StagedDirectory::create(&path, true).expect("a folder");
    let temporary = names(dir.path()).into_iter().find(|name| name.ends_with(".tmp")).expect("a temporary");
    assert_eq!(mode(&dir.path().join(temporary)), 0o700);
    folder.commit().expect("a commit");
    assert_eq!(mode(&path), 0o700);
}
