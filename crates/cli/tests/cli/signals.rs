//! Ctrl-C and `kill`: the exit code gives the signal, one sentence is printed, no file is left.
#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::run::{dir, names, urimill, wait_until, write};

/// Starts a run that waits for more of its standard input, and gets it to its middle.
fn waiting(mut command: Command, dir: &Path) -> Child {
    let existing = names(dir).len();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.current_dir(dir).spawn().expect("urimill starts");
    let stdin = child.stdin.as_mut().expect("a pipe");
    stdin.write_all("http://example.com/some/path\n".repeat(1000).as_bytes()).expect("urimill reads");
    // Its temporaries are there when the handler is.
    wait_until(|| names(dir).len() > existing);
    child
}

fn send(signal: &str, child: &Child) {
    let status = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(status.expect("kill").success());
}

/// (signal, exit code, the sentence)
const SIGNALS: [(&str, i32, &str); 3] = [
    ("-INT", 130, "urimill: interrupted; nothing was published\n"),
    ("-TERM", 143, "urimill: terminated; nothing was published\n"),
    ("-HUP", 129, "urimill: terminated; nothing was published\n"),
];

#[test]
fn a_signal_ends_a_run_and_leaves_nothing() {
    for (signal, code, sentence) in SIGNALS {
        for name in ["out.parquet", "out.arrow", "out.csv"] {
            let dir = dir();
            write(dir.path(), name, "old\n");
            let line = format!("normalize --from lines --force --chunk 1000 -o {name} --rejects bad.jsonl");
            let child = waiting(urimill(&line).command, dir.path());
            // Standard input stays open: nothing but the signal ends it.
            let mut child = child;
            let stdin = child.stdin.take();
            send(signal, &child);
            let output = child.wait_with_output().expect("urimill ends");
            drop(stdin);
            assert_eq!(output.status.code(), Some(code), "{signal}: ended by code, not by the signal");
            assert_eq!(String::from_utf8_lossy(&output.stderr), sentence, "{signal}");
            assert_eq!(names(dir.path()), [name], "{signal}");
            assert_eq!(fs::read(dir.path().join(name)).expect("a file"), b"old\n", "{signal}");
        }
    }
}

#[test]
fn a_signal_leaves_the_old_directory() {
    for (signal, code, sentence) in SIGNALS {
        for options in ["--to csv --file-size 1K", "--partition-by record --max-partitions 2000 --memory 1M"]
        {
            let dir = dir();
            urimill("normalize -o out/ --to jsonl").within(dir.path()).stdin("http://old/\n").ok();
            let line = format!("normalize --from lines --force --chunk 1000 -o out/ {options}");
            let mut child = waiting(urimill(&line).command, dir.path());
            let stdin = child.stdin.take();
            send(signal, &child);
            let output = child.wait_with_output().expect("urimill ends");
            drop(stdin);
            assert_eq!(output.status.code(), Some(code), "{signal}");
            assert_eq!(String::from_utf8_lossy(&output.stderr), sentence, "{signal}");
            assert_eq!(names(dir.path()), ["out"], "{signal}");
            assert!(names(&dir.path().join("out")).contains(&"part-00000.jsonl".to_owned()), "{signal}");
        }
    }
}

#[test]
fn a_signal_ends_a_run_whose_standard_error_is_closed() {
    let dir = dir();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = urimill("normalize --from lines -o out.csv").within(dir.path()).command;
    let mut child = command.stdin(Stdio::piped()).stderr(writer).spawn().expect("urimill starts");
    let stdin = child.stdin.take();
    wait_until(|| !names(dir.path()).is_empty());
    send("-INT", &child);
    assert_eq!(child.wait().expect("urimill ends").code(), Some(130));
    drop(stdin);
    assert_eq!(names(dir.path()), [""; 0]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_that_the_parent_ignores_is_ignored() {
    let dir = dir();
    let mut command = Command::new("nohup");
    command.arg(env!("CARGO_BIN_EXE_urimill")).args([
        "normalize",
        "--from",
        "lines",
        "-o",
        "out.txt",
        "--summary",
        "none",
    ]);
    let mut child = waiting(command, dir.path());
    send("-HUP", &child);
    std::thread::sleep(Duration::from_millis(100));
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(b"http://last/\n").expect("urimill still reads");
    drop(stdin);
    assert_eq!(child.wait_with_output().expect("urimill ends").status.code(), Some(0));
    let text = fs::read_to_string(dir.path().join("out.txt")).expect("a file");
    assert!(text.ends_with("/path\nhttp://last/\n"));
}
