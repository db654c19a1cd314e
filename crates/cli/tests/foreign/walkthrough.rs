//! Pages that a reader follows step by step: each command runs as the page has it, in order, and prints what the page
//! shows. `URIMILL_WRITE_DOCS=1` writes the outputs anew.
//!
//! A block `console` has commands after `$ `, over several lines where one ends with a backslash, and their outputs.
//! Both streams are shown. Times and sizes differ from run to run, and with versions of packages: they count as equal.

use std::fs;
use std::path::Path;
use std::process::Command;

use regex::Regex;

use crate::python::{self, Python};
use crate::run::Scratch;
use urimill_testkit::paths::repository;

/// A step of a page: a command and what it prints.
struct Step<'a> {
    command: String,
    /// The command's lines as the page has them.
    lines: &'a str,
    output: &'a str,
}

/// The steps of a block.
fn steps(block: &str) -> Vec<Step<'_>> {
    let mut found = Vec::new();
    let mut rest = block;
    while let Some(after) = rest.strip_prefix("$ ") {
        let mut length = 0;
        for line in after.split_inclusive('\n') {
            length += line.len();
            if !line.ends_with("\\\n") {
                break;
            }
        }
        let end = after[length..].find("\n$ ").map_or(after.len(), |at| length + at + 1);
        let end = if after[length..].starts_with("$ ") { length } else { end };
        let lines = &rest[..2 + length];
        found.push(Step { command: after[..length].to_owned(), lines, output: &after[length..end] });
        rest = &after[end..];
    }
    assert!(rest.is_empty(), "a block begins with $: {rest}");
    found
}

/// The text without what differs from run to run.
fn steady(text: &str) -> String {
    let time = Regex::new(r"in \d+\.\d{3} s(, [0-9.,]+ [KMGT]?i?B/s)?").expect("an expression");
    let size = Regex::new(r"\b[0-9.,]+ (B|[KMGT]iB)\b").expect("an expression");
    size.replace_all(&time.replace_all(text, "in TIME"), "SIZE").into_owned()
}

/// A folder to follow pages in: the data sets, and DuckDB's program where the package is there.
fn folder(python: Option<&Python>) -> Scratch {
    let scratch = Scratch::new().with_datasets();
    if let Some(python) = python {
        scratch.folder("bin");
        let script = repository().join("crates/cli/tests/foreign/duckdb_program.py");
        let program = scratch.path().join("bin/duckdb");
        fs::write(
            &program,
            format!("#!/bin/sh\nexec {} {} \"$@\"\n", python.path().display(), script.display()),
        )
        .expect("a program");
        let made = Command::new("chmod").arg("+x").arg(&program).status().expect("chmod");
        assert!(made.success());
    }
    scratch
}

/// Runs a command in the folder; returns what it prints.
fn run(command: &str, folder: &Path) -> String {
    let binaries = Path::new(env!("CARGO_BIN_EXE_urimill")).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{}:{path}", folder.join("bin").display(), binaries.display());
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("exec 2>&1\n{command}")).current_dir(folder);
    shell.env("PATH", path).env("TZ", "UTC").env("LC_ALL", "C.UTF-8");
    let done = shell.output().expect("a shell");
    String::from_utf8(done.stdout).expect("outputs are UTF-8")
}

/// Follows a page; returns the number of commands that ran.
fn follow(page: &str) -> usize {
    let python = python::interpreter();
    let scratch = folder(python.as_ref());
    let path = repository().join(page);
    let text = fs::read_to_string(&path).expect("the page");
    let is_writing = std::env::var_os("URIMILL_WRITE_DOCS").is_some();
    let mut written = String::new();
    let mut count = 0;
    for (at, part) in text.split("```console\n").enumerate() {
        if at == 0 {
            written.push_str(part);
            continue;
        }
        let (block, after) = part.split_once("```\n").expect("the end of a block");
        written.push_str("```console\n");
        for step in steps(block) {
            written.push_str(step.lines);
            if python.is_none() && step.command.starts_with("duckdb") {
                written.push_str(step.output);
                continue;
            }
            let output = run(&step.command, scratch.path());
            if !is_writing {
                assert_eq!(steady(&output), steady(step.output), "{page}: {}", step.command);
            }
            let is_same = steady(&output) == steady(step.output);
            written.push_str(if is_same { step.output } else { &output });
            count += 1;
        }
        written.push_str("```\n");
        written.push_str(after);
    }
    if is_writing {
        fs::write(&path, written).expect("written");
    }
    count
}

#[test]
fn pages_show_what_their_commands_print() {
    for (page, least) in [("README.md", 5), ("docs/TUTORIAL.md", 20), ("docs/GUIDE.md", 5)] {
        let count = follow(page);
        assert!(count >= least, "{page} has {count} commands");
    }
}

#[test]
fn a_block_is_cut_into_steps() {
    let cut = |block| -> Vec<(String, String)> {
        steps(block).into_iter().map(|step| (step.command, step.output.to_owned())).collect()
    };
    let pair = |command: &str, output: &str| (command.to_owned(), output.to_owned());
    for (block, expected) in [
        ("$ a\n", vec![pair("a\n", "")]),
        ("$ a\n1\n2\n", vec![pair("a\n", "1\n2\n")]),
        ("$ a\n$ b\n1\n$ c\n", vec![pair("a\n", ""), pair("b\n", "1\n"), pair("c\n", "")]),
        ("$ a \\\n    b\n1\n", vec![pair("a \\\n    b\n", "1\n")]),
    ] {
        assert_eq!(cut(block), expected, "{block:?}");
    }
    assert_eq!(steady("45.74 KiB in 0.064 s; 3 rows"), steady("1 B in 1.000 s; 3 rows"));
}
