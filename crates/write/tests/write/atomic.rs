//! An output file is the old one, absent, or complete.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use urimill_base::error::{ErrorKind, Result};
use urimill_write::{Target, Temporaries, same_file};

/// Names in a directory, sorted.
fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("the directory");
    let mut names: Vec<_> =
        entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn write(path: &Path, force: bool, content: &str) -> Result<u64> {
    let mut target = Target::create(path, force)?;
    target.append(content.as_bytes())?;
    target.commit()
}

fn directory_with(name: &str, content: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join(name);
    fs::write(&path, content).expect("a file");
    (dir, path)
}

#[test]
fn a_file_appears_whole_at_commit() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("out.csv");
    let mut target = Target::create(&path, false).expect("a target");
    let long = "x".repeat(300_000);
    for content in ["a", &long, "b"] {
        target.append(content.as_bytes()).expect("a write");
    }
    let temporary = &names(dir.path())[..];
    assert_eq!(temporary.len(), 1);
    let prefix = format!(".out.csv.urimill-{}-", std::process::id());
    assert!(temporary[0].starts_with(&prefix) && temporary[0].ends_with(".tmp"), "{temporary:?}");
    assert_eq!(target.commit().expect("a commit"), 300_002);
    assert_eq!(names(dir.path()), ["out.csv"]);
    assert!(fs::read_to_string(path).expect("the file") == format!("a{long}b"));
}

#[test]
fn dropped_without_commit_the_old_file_stays() {
    let (dir, path) = directory_with("out", "old");
    let mut target = Target::create(&path, true).expect("a target");
    target.append(&vec![b'x'; 1 << 20]).expect("a write");
    drop(target);
    assert_eq!(names(dir.path()), ["out"]);
    assert_eq!(fs::read_to_string(path).expect("the file"), "old");
}

#[test]
fn an_existing_file_is_replaced_only_with_force() {
    let (dir, path) = directory_with("out", "old");
    let error = write(&path, false, "new").expect_err("it exists");
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert_eq!(
        error.to_string(),
        format!("cannot write {}: it exists; give force to replace it", path.display())
    );
    assert_eq!(fs::read_to_string(&path).expect("the file"), "old");
    assert_eq!(write(&path, true, "new").expect("a write"), 3);
    assert_eq!(fs::read_to_string(&path).expect("the file"), "new");
    assert_eq!(names(dir.path()), ["out"]);
}

#[test]
fn a_file_created_meanwhile_is_not_replaced() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("out");
    let target = Target::create(&path, false).expect("a target");
    fs::write(&path, "of another process").expect("a file");
    assert_eq!(target.commit().expect_err("it exists now").kind(), ErrorKind::Usage);
    assert_eq!(fs::read_to_string(&path).expect("the file"), "of another process");
    assert_eq!(names(dir.path()), ["out"]);
}

#[test]
fn two_targets_of_one_name_use_different_temporaries() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("out");
    let mut first = Target::create(&path, true).expect("a target");
    let mut second = Target::create(&path, true).expect("a target");
    first.append(b"first").expect("a write");
    second.append(b"second").expect("a write");
    second.commit().expect("a commit");
    first.commit().expect("a commit");
    assert_eq!(fs::read_to_string(&path).expect("the file"), "first");
    assert_eq!(names(dir.path()), ["out"]);
}

#[test]
fn long_names_leave_room_for_the_temporary() {
    let dir = tempfile::tempdir().expect("a directory");
    for name in ["n".repeat(255), "\u{e9}".repeat(127)] {
        let path = dir.path().join(name);
        write(&path, false, "x").expect("255 bytes are a valid name");
        assert_eq!(fs::read_to_string(&path).expect("the file"), "x");
    }
}

#[test]
fn a_path_that_cannot_be_a_target_is_an_error() {
    let dir = tempfile::tempdir().expect("a directory");
    let error = write(dir.path(), true, "x").expect_err("a directory");
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert!(error.to_string().ends_with("it is a directory; name a file in it"), "{error}");

    let missing = dir.path().join("no/such/out");
    let error = write(&missing, true, "x").expect_err("no directory");
    assert_eq!(error.kind(), ErrorKind::Io);
    assert_eq!(
        error.to_string(),
        format!("cannot create {}: its directory does not exist; create it first", missing.display())
    );

    let (_dir, file) = directory_with("file", "");
    let error = write(&file.join("out"), true, "x").expect_err("a file is no directory");
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.to_string().starts_with(&format!("cannot create {}/out: ", file.display())), "{error}");
}

#[test]
fn same_file_recognizes_different_spellings() {
    let same = |a: &Path, b: &Path| same_file(a, b).expect("a look");
    let (dir, path) = directory_with("in", "");
    let other = dir.path().join("other");
    fs::write(&other, "").expect("a file");
    assert!(same(&path, &path));
    assert!(same(&path, &dir.path().join(".").join("in")));
    assert!(!same(&path, &other));
    assert!(!same(&path, &dir.path().join("missing")));
    assert!(!same(&dir.path().join("missing"), &dir.path().join("missing")));
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::io::Read;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("the file").permissions().mode() & 0o7777
    }

    #[test]
    fn the_mode_is_the_old_files_or_what_the_umask_says() {
        let (dir, old) = directory_with("old", "");
        fs::set_permissions(&old, fs::Permissions::from_mode(0o604)).expect("a mode");
        write(&old, true, "x").expect("a write");
        assert_eq!(mode(&old), 0o604);
        let (plain, new) = (dir.path().join("plain"), dir.path().join("new"));
        fs::write(&plain, "").expect("a file");
        write(&new, false, "x").expect("a write");
        assert_eq!(mode(&new), mode(&plain));
    }

    /// (mode of the existing file, bits that the temporary file must not have)
    #[test]
    fn a_temporary_is_no_more_open_than_what_it_replaces() {
        for mode_before in [0o600, 0o640, 0o400] {
            let (dir, old) = directory_with("old", "");
            fs::set_permissions(&old, fs::Permissions::from_mode(mode_before)).expect("a mode");
            let mut target = Target::create(&old, true).expect("a target");
            target.append(&vec![b'x'; 300_000]).expect("a write");
            let name =
                names(dir.path()).into_iter().find(|name| name.ends_with(".tmp")).expect("a temporary");
            assert_eq!(mode(&dir.path().join(name)) & !mode_before, 0, "{mode_before:o}");
            target.commit().expect("a commit");
            assert_eq!(mode(&old), mode_before);
        }
    }

    #[test]
    fn a_symbolic_link_stays_and_its_file_is_replaced() {
        let (dir, file) = directory_with("file", "old");
        let below = dir.path().join("below");
        fs::create_dir(&below).expect("a directory");
        let (link, chain) = (below.join("link"), dir.path().join("chain"));
        symlink("../file", &link).expect("a link");
        symlink(&link, &chain).expect("a link");
        assert_eq!(write(&chain, false, "new").expect_err("it exists").kind(), ErrorKind::Usage);
        write(&chain, true, "new").expect("a write");
        assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
        assert!(fs::symlink_metadata(&chain).expect("the link").is_symlink());
        assert_eq!(fs::read_to_string(file).expect("the file"), "new");
        assert!(same_file(&chain, &link).expect("a look"));
        assert_eq!(names(&below), ["link"]);
    }

    #[test]
    fn a_link_to_nothing_gets_its_file() {
        let dir = tempfile::tempdir().expect("a directory");
        let link = dir.path().join("link");
        symlink("file", &link).expect("a link");
        write(&link, false, "new").expect("a write");
        assert_eq!(fs::read_to_string(dir.path().join("file")).expect("the file"), "new");
        assert_eq!(names(dir.path()), ["file", "link"]);
        let ring = dir.path().join("ring");
        symlink("ring", &ring).expect("a link");
        assert_eq!(write(&ring, false, "x").expect_err("a ring").kind(), ErrorKind::Io);
    }

    #[test]
    fn devices_and_fifos_are_written_to_without_force() {
        assert_eq!(write(Path::new("/dev/null"), false, "x").expect("the null device"), 1);
        assert!(!fs::metadata("/dev/null").expect("it").is_file());

        let dir = tempfile::tempdir().expect("a directory");
        let fifo = dir.path().join("fifo");
        assert!(Command::new("mkfifo").arg(&fifo).status().expect("mkfifo").success());
        let path = fifo.clone();
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            fs::File::open(path).expect("the FIFO").read_to_string(&mut text).expect("text");
            text
        });
        write(&fifo, false, "through").expect("a write");
        assert_eq!(reader.join().expect("the reader"), "through");
        assert_eq!(names(dir.path()), ["fifo"]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn an_unwritable_directory_is_reported() {
        // The mode of a directory does not stop root, who may run these tests; sysfs does.
        let error = write(Path::new("/sys/urimill.csv"), false, "x").expect_err("no files there");
        assert_eq!(error.kind(), ErrorKind::Io);
        assert!(error.to_string().starts_with("cannot create /sys/urimill.csv: "), "{error}");
    }
}

#[test]
fn an_abandoned_run_leaves_the_old_file_and_no_temporary() {
    let (dir, _) = directory_with("old", "old");
    let path = |name: &str| dir.path().join(name);
    let (run, other_run) = (Temporaries::default(), Temporaries::default());
    let mut done = Target::create_for(&run, &path("done"), false).expect("a target");
    done.append(b"done").expect("a write");
    done.commit().expect("its name");

    let mut open = Target::create_for(&run, &path("old"), true).expect("a target");
    open.append(b"new").expect("a write");
    let other = Target::create_for(&run, &path("other"), false).expect("a target");
    let mut elsewhere = Target::create_for(&other_run, &path("elsewhere"), false).expect("a target");
    elsewhere.append(b"of another run").expect("a write");
    assert_eq!(names(dir.path()).len(), 5);
    assert!(run.remove(), "an output was published");
    assert_eq!(names(dir.path()).len(), 3, "{:?}", names(dir.path()));
    assert_eq!(open.commit().expect_err("interrupted").kind(), ErrorKind::Io);
    drop(other);
    assert_eq!(
        Target::create_for(&run, &path("late"), false).expect_err("interrupted").kind(),
        ErrorKind::Io
    );
    // Other runs continue.
    elsewhere.commit().expect("its name");
    assert!(other_run.remove());
    assert_eq!(names(dir.path()), ["done", "elsewhere", "old"]);
    assert_eq!(fs::read_to_string(path("old")).expect("the file"), "old");
}
