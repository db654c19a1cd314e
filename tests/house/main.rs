//! The structure of the crate, held against its own source: which room may import which, where
//! `unsafe` may stand, and how long a file may be.

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms from left to right. A room may import those before it, and those on its own step.
const ROOMS: [&[&str]; 22] = [
    &["printable", "passwords", "option_name"],
    &["error"],
    &["files", "threads"],
    &["grammar"],
    &["simd"],
    &["uri"],
    &["encode"],
    &["domain"],
    &["normalize"],
    &["resolve"],
    &["compare", "extract", "audit", "canonical"],
    &["explain"],
    &["batch"],
    &["table"],
    &["input"],
    &["output"],
    &["sort"],
    &["pipeline"],
    &["dedupe"],
    &["run"],
    &["cli"],
    &["main"],
];

/// Files that may hold `unsafe`, below `src`.
fn may_be_unsafe(path: &str) -> bool {
    path.starts_with("simd/") || path == "batch/views.rs"
}

/// Files of the tests that may: pages that nobody may touch are not to be had without calls of the system.
fn may_be_unsafe_in_tests(path: &str) -> bool {
    path == "engine/guard.rs"
}

/// Every source file: its path below `src` and its text.
fn sources() -> Vec<(String, String)> {
    below("src")
}

fn below(folder: &str) -> Vec<(String, String)> {
    fn visit(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("the folder can be read") {
            let path = entry.expect("an entry of it can be read").path();
            if path.is_dir() {
                visit(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut found = Vec::new();
    visit(&root, &mut found);
    assert!(found.len() > 30, "they are looked for in the wrong place");
    let relative = |path: &PathBuf| {
        path.strip_prefix(&root).expect("found below it").to_str().expect("ASCII names").replace('\\', "/")
    };
    found.iter().map(|path| (relative(path), fs::read_to_string(path).expect("sources are UTF-8"))).collect()
}

fn step(room: &str) -> Option<usize> {
    ROOMS.iter().position(|rooms| rooms.contains(&room))
}

/// The rooms that a file names in `use crate::…`, in paths `crate::…` too.
fn imports(text: &str) -> impl Iterator<Item = &str> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split("crate::").skip(1)).map(|behind| {
        let end = behind.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(behind.len());
        &behind[..end]
    })
}

#[test]
fn data_flows_one_way() {
    let mut arrows = 0;
    for (path, text) in sources() {
        let room = path.split(['/', '.']).next().expect("a path has a first part");
        if room == "lib" {
            continue;
        }
        let own = step(room).unwrap_or_else(|| panic!("{path}: the room {room} has no place in the order"));
        for import in imports(&text) {
            // What the crate's root re-exports under its own name comes from the leftmost rooms.
            let target = match import {
                "Error" | "Result" | "ErrorKind" => "error",
                "Reject" | "Code" | "UriRef" => "uri",
                other => other,
            };
            let Some(to) = step(target) else { panic!("{path}: what is crate::{import}?") };
            assert!(to <= own, "{path}: the room {room} must not import {target}, which stands right of it");
            arrows += 1;
        }
    }
    assert!(arrows > 50, "only {arrows} imports found: the test reads them wrongly");
}

#[test]
fn unsafe_stands_in_two_places() {
    assert!(hold_unsafe(sources(), may_be_unsafe) > 10, "the test reads the sources wrongly");
}

#[test]
fn of_the_tests_one_file_has_unsafe() {
    // What this file says of the word are strings.
    let tests = below("tests").into_iter().filter(|(path, _)| path != "house/main.rs").collect();
    assert!(hold_unsafe(tests, may_be_unsafe_in_tests) > 3, "the test reads the tests wrongly");
}

/// How many lines of the files that may hold `unsafe` do.
fn hold_unsafe(files: Vec<(String, String)>, may: fn(&str) -> bool) -> usize {
    let mut lines = 0;
    for (path, text) in files {
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let is_unsafe =
                code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "unsafe");
            assert!(!is_unsafe || may(&path), "{path}:{}: {line}", number + 1);
            lines += usize::from(is_unsafe);
        }
    }
    lines
}

#[test]
fn a_module_says_why_it_exists_and_fits_on_a_few_screens() {
    for (path, text) in sources() {
        assert!(text.starts_with("//!"), "{path} does not say what it is for");
        let lines = text.lines().count();
        assert!(lines <= 500, "{path} has {lines} lines: is it one room?");
    }
}
