//! The shipped program on a system that refuses: a library loaded before the system's own fails some calls. This also
//! meets calls that bypass `urimill::files`. Without a C compiler these tests are skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::run::{Done, Run, dir, names, urimill, write};

/// `THREADS`: so many threads are given, then no more. `LOOK` and `ERROR`: looking at a path with this end fails with
/// this number.
const SOURCE: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static atomic_long given;

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg) {
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
    const char *most = getenv("THREADS");
    if (most && atomic_fetch_add(&given, 1) >= atol(most)) return EAGAIN;
    return real(thread, attr, start, arg);
}

static int refused(const char *path) {
    const char *end = getenv("LOOK");
    if (!end || !path) return 0;
    size_t all = strlen(path), tail = strlen(end);
    if (all < tail || strcmp(path + all - tail, end)) return 0;
    errno = atoi(getenv("ERROR"));
    return 1;
}

int statx(int at, const char *restrict path, int flags, unsigned mask, struct statx *restrict found) {
    int (*real)(int, const char *, int, unsigned, struct statx *) = dlsym(RTLD_NEXT, "statx");
    return refused(path) ? -1 : real(at, path, flags, mask, found);
}

int stat64(const char *restrict path, struct stat64 *restrict found) {
    int (*real)(const char *, struct stat64 *) = dlsym(RTLD_NEXT, "stat64");
    return refused(path) ? -1 : real(path, found);
}

int lstat64(const char *restrict path, struct stat64 *restrict found) {
    int (*real)(const char *, struct stat64 *) = dlsym(RTLD_NEXT, "lstat64");
    return refused(path) ? -1 : real(path, found);
}
"#;

/// The library, compiled once.
fn library() -> Option<&'static Path> {
    static LIBRARY: OnceLock<Option<(tempfile::TempDir, PathBuf)>> = OnceLock::new();
    let compiled = LIBRARY.get_or_init(|| {
        let dir = dir();
        write(dir.path(), "refuse.c", SOURCE);
        let path = dir.path().join("refuse.so");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-o"]).arg(&path).arg(dir.path().join("refuse.c")).arg("-ldl");
        let compiled = compiler.output().ok()?;
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        Some((dir, path))
    });
    if compiled.is_none() {
        println!("skipped: there is no C compiler");
    }
    compiled.as_ref().map(|(_, path)| path.as_path())
}

fn refusing(line: &str, dir: &Path, library: &Path, refusals: &[(&str, &str)]) -> Run {
    let mut run = urimill(line).within(dir);
    run.command.env("LD_PRELOAD", library).envs(refusals.iter().copied());
    run
}

fn tree(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(tree(&path));
        } else if !path.ends_with("_summary.json") {
            found.push((path.clone(), fs::read(&path).expect("a file")));
        }
    }
    found.sort();
    found
}

#[test]
fn one_thread_many_and_those_left_do_the_same_work() {
    let Some(library) = library() else { return };
    let dir = dir();
    let list: String =
        (0..6000).map(|n| format!("{}://h{n}.example/{n}\n", ["http", "ftp"][n % 2])).collect();
    write(dir.path(), "in.txt", &list);
    let member = |text: &str| {
        use std::io::Write;
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
        gzip.write_all(text.as_bytes()).expect("gzip");
        gzip.finish().expect("gzip")
    };
    write(dir.path(), "in.gz", member(&list).repeat(3));
    // (arguments, threads in all): four do every part of the run. Others wait for signals, if there is an output, show
    // progress, or inflate ahead.
    let lines = [
        ("normalize in.txt -o out/ --to csv", 5),
        ("normalize in.txt -o out/ --partition-by scheme --chunk 4000 --verify", 5),
        ("normalize in.gz -o out.parquet --verify --chunk 4000 --rejects bad.csv", 9),
        ("normalize in.txt -o out.csv --sort-by host --progress always", 6),
        ("dedupe in.txt -o out.csv --verify", 5),
        ("check in.txt", 4),
    ];
    for (line, all) in lines {
        let clean = || {
            let _ = fs::remove_dir_all(dir.path().join("out"));
            ["out.csv", "out.parquet", "bad.csv"].map(|name| fs::remove_file(dir.path().join(name))).len()
        };
        let with = |threads: u32| {
            clean();
            urimill(&format!("{line} --threads {threads}")).within(dir.path()).ok()
        };
        let whole = with(1);
        let expected = tree(dir.path());
        for threads in [2, 4, 64] {
            assert_eq!(with(threads).stdout, whole.stdout, "{line}: {threads} threads");
            assert!(tree(dir.path()) == expected, "{line}: {threads} threads");
        }
        let line = format!("{line} --threads 4");
        for given in [0, 1, 2, 3, 4, 5, 6, 8, 9] {
            clean();
            let most = given.to_string();
            let run = refusing(&line, dir.path(), library, &[("THREADS", most.as_str())]);
            let done = run.ok();
            let what = format!("{line}, {most} threads: {}", done.stderr);
            assert!(tree(dir.path()) == expected, "{what}");
            assert_eq!(done.stdout, whole.stdout, "{what}");
            let words = done.stderr.matches("urimill: the system g").count();
            assert_eq!(words, usize::from(given < all), "{what}");
        }
    }
}

/// The system's own limit, where a test may drop its user.
#[test]
fn a_limit_of_processes_is_no_panic() {
    let dir = dir();
    let program = dir.path().join("urimill");
    fs::copy(env!("CARGO_BIN_EXE_urimill"), &program).expect("a copy");
    let open = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o777);
    fs::set_permissions(dir.path(), open).expect("permissions");
    write(dir.path(), "in.txt", "http://a/\nftp://b/\n");
    // A user number without a user.
    let user = (1_000_000 + std::process::id()).to_string();
    for most in 1..6 {
        let _ = fs::remove_dir_all(dir.path().join("out"));
        let mut command = Command::new("setpriv");
        command.args(["--reuid", &user, "--clear-groups", "prlimit", &format!("--nproc={most}")]);
        command.arg(&program).args("normalize in.txt -o out/ --partition-by scheme --threads 4".split(' '));
        let Ok(output) = command.current_dir(dir.path()).output() else {
            println!("skipped: there is no setpriv");
            return;
        };
        let said = String::from_utf8_lossy(&output.stderr);
        if said.starts_with("setpriv:") || said.starts_with("prlimit:") {
            println!("skipped: {said}");
            return;
        }
        assert_eq!(output.status.code(), Some(0), "{most}: {said}");
        assert_eq!(
            names(&dir.path().join("out")),
            ["_SUCCESS", "_summary.json", "scheme=ftp", "scheme=http"]
        );
    }
}

/// (arguments, the end of the path that cannot be examined)
const LOOKS: [(&str, &str); 8] = [
    ("normalize in.txt -o old/ --force", "old/_SUCCESS"),
    ("normalize in.txt -o old --force", "old"),
    ("normalize in.txt -o old.csv --force", "old.csv"),
    ("normalize in.txt -o new.csv --rejects old.csv --force", "old.csv"),
    ("normalize in.txt -o old.csv --force --verify", "old.csv"),
    ("normalize in.txt -o new.csv", "in.txt"),
    ("normalize in.parquet --from parquet --uri-field uri -o new.csv", "in.parquet"),
    ("extract in.txt -o old.csv --to uris --force", "old.csv"),
];

#[test]
fn a_failed_look_is_not_a_usage_error() {
    let Some(library) = library() else { return };
    let dir = dir();
    write(dir.path(), "in.txt", "http://a/\n");
    write(dir.path(), "old.csv", "old");
    urimill("normalize in.txt -o in.parquet").within(dir.path()).ok();
    urimill("normalize in.txt -o old/ --to csv").within(dir.path()).ok();
    let before = tree(dir.path());
    for (line, end) in LOOKS {
        // EIO, EACCES, and EINTR whenever it is asked.
        for error in ["5", "13", "4"] {
            let run = refusing(line, dir.path(), library, &[("LOOK", end), ("ERROR", error)]);
            let done: Done = run.go();
            let what = format!("{line}, {error} at {end}: {}", done.stderr);
            assert_eq!(done.code, Some(3), "{what}");
            done.says(&what, &["cannot ", end]);
            assert!(!done.stderr.contains("without the file"), "{what}");
            assert!(tree(dir.path()) == before, "{what}");
        }
    }
}
