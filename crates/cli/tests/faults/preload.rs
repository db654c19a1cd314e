//! The program as it is shipped, over a system whose calls fail: a library that is loaded before libc
//! (`preload.c`) has the nth call of a kind fail, be short, or be met by a signal. The seam of `nth` cannot reach what
//! goes past it: the standard library, threads, memory, the libraries below.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use urimill_testkit::paths::repository;

use super::place::{Place, RUNS, alone};

const EINTR: &str = "4";
const EIO: &str = "5";
const EAGAIN: &str = "11";
const ENOMEM: &str = "12";
const EACCES: &str = "13";
const ENOSPC: &str = "28";

/// What can become of a call of each kind.
const FAULTS: [(&str, &[&str]); 13] = [
    ("open", &[EIO, EACCES, EINTR, ENOSPC, "kill", "term"]),
    ("read", &[EIO, EINTR, "short", "kill", "term"]),
    ("write", &[EIO, ENOSPC, EINTR, "short", "kill", "term"]),
    ("seek", &[EIO, "kill"]),
    ("sync", &[EIO, ENOSPC, "kill", "term"]),
    ("rename", &[EIO, EACCES, "kill", "term"]),
    ("link", &[EIO, EACCES, "kill"]),
    ("unlink", &[EIO, EACCES, "kill"]),
    ("stat", &[EIO, EACCES, EINTR, "kill"]),
    ("readdir", &[EIO, EACCES]),
    ("mkdir", &[EIO, ENOSPC, "kill"]),
    ("mmap", &[ENOMEM]),
    ("clone", &[EAGAIN]),
];

/// The library, if there is a C compiler.
fn library(folder: &Path) -> Option<PathBuf> {
    let source = repository().join("crates/cli/tests/faults/preload.c");
    let library = folder.join("preload.so");
    let compiled =
        Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(source).status();
    match compiled {
        Ok(status) => {
            assert!(status.success(), "preload.c does not compile");
            Some(library)
        }
        Err(_) if std::env::var_os("CI").is_none() => {
            println!("skipped: no C compiler");
            None
        }
        Err(error) => panic!("cc: {error}"),
    }
}

/// Runs urimill under the library, which gets these variables.
fn run(place: &Place, library: &Path, variables: &[(&str, &str)]) -> Output {
    // The environment is that of urimill alone.
    let mut command = Command::new("timeout");
    command.args(["--kill-after=1", "120", "env"]);
    command.arg(format!("LD_PRELOAD={}", library.display()));
    command.args(variables.iter().map(|(name, value)| format!("{name}={value}")));
    command.arg(env!("CARGO_BIN_EXE_urimill")).args(&place.line(true)[1..]);
    command.stdin(Stdio::null()).output().expect("timeout and env")
}

/// How many calls of each kind a run has.
fn calls(place: &Place, library: &Path, folder: &Path) -> BTreeMap<String, u64> {
    let file = folder.join("calls");
    place.reset(true);
    let done = run(place, library, &[("URIMILL_CALLS", file.to_str().expect("UTF-8"))]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = fs::read_to_string(&file).expect("the library counts calls");
    let counts = text.lines().map(|line| line.split_once(' ').expect("a kind and a number"));
    counts.map(|(kind, count)| (kind.to_owned(), count.parse().expect("a number"))).collect()
}

/// One run with a fault; `what` names it.
fn check(place: &Place, library: &Path, fault: &str, what: &str) {
    place.reset(true);
    let done = run(place, library, &[("URIMILL_FAULT", fault)]);
    let said = String::from_utf8_lossy(&done.stderr);
    // As `timeout` and `env` hand it on.
    let code = done.status.code().unwrap_or_else(|| 128 + done.status.signal().unwrap_or(0));
    let what = format!("{what}: exit code {code}, {said:?}");
    place.check(true, &what);
    let is_memory = fault.starts_with("mmap:");
    match code {
        0 => assert!(place.tree() == place.new, "{what}: the outputs are not those of the run"),
        1..=3 => {
            let sentences = said.lines().filter(|line| line.starts_with("urimill: ")).count();
            assert!(sentences == 1 && said.lines().count() <= 2, "{what}: no single sentence");
            let is_published = place.tree() == place.new;
            assert!(!is_published || !said.contains("nothing was published"), "{what}: it was");
        }
        137 | 9 => assert!(fault.ends_with("kill"), "{what}"),
        143 | 15 => assert!(fault.ends_with("term"), "{what}"),
        // Memory that cannot be had ends a process of the standard library: SIGABRT. Nothing is half.
        134 | 6 => assert!(is_memory, "{what}"),
        _ => panic!("{what}"),
    }
}

/// `places` calls of each kind in each kind of run, each with `most` of its faults, once and from then on.
fn try_all(places: u64, most: usize) -> usize {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a directory");
    let Some(library) = library(folder.path()) else { return usize::MAX };
    let mut tried = 0;
    for (number, (name, line)) in RUNS.into_iter().enumerate() {
        let place = Place::new(&line.replace("some.txt", "few.txt"));
        let counts = calls(&place, &library, folder.path());
        for (kind, faults) in FAULTS {
            let count = counts.get(kind).copied().unwrap_or(0);
            for at in 0..places.min(count) {
                // Spread over the run, and elsewhere in each.
                let call = at * count / places.min(count) + (number as u64 % 3).min(count / places.max(1));
                for choice in 0..most.min(faults.len()) {
                    let fault = faults[(choice + number + at as usize) % faults.len()];
                    // Who is always interrupted tries for ever, as is right.
                    let lasts = (choice + at as usize) % 2 == 1 && fault != EINTR;
                    let lasts = if lasts { "+" } else { "" };
                    let fault = format!("{kind}:{}{lasts}:{fault}", call.min(count - 1));
                    check(&place, &library, &fault, &format!("{name}, {fault}"));
                    tried += 1;
                }
            }
        }
    }
    println!("{tried} runs with a failing call");
    tried
}

#[test]
fn calls_of_the_system_fail() {
    assert!(try_all(2, 1) > 200);
}

#[test]
#[ignore = "takes minutes: forty calls of each kind, with each fault"]
fn many_calls_of_the_system_fail() {
    assert!(try_all(40, 9) > 5000);
}
