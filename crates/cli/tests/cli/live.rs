//! Rows come while the input is written: each line of a pipe is a row within a second, and a full pipe is cut as a file
//! is.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::run::{dir, urimill};

fn line(number: usize) -> String {
    format!("192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /{number} HTTP/1.1\" 200 10 \"-\" \"a\"\n")
}

/// A run that reads a pipe, and its lines as they come.
fn started(line: &str) -> (Child, Receiver<String>) {
    let mut command = urimill(line).command;
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("urimill starts");
    let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let (sender, receiver) = channel();
    std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
    (child, receiver)
}

/// (the run, what a line becomes)
#[test]
fn a_line_is_a_row_within_a_second() {
    for (run, expected) in [
        ("normalize --from clf --to jsonl --columns uri -o -", r#"{"uri":"/N"}"#),
        ("normalize --from clf --to uris --threads 1", "/N"),
        ("normalize --log-format combined --to uris", "/N"),
    ] {
        let (mut child, rows) = started(run);
        let mut stdin = child.stdin.take().expect("a pipe");
        for number in 0..4 {
            // The beginning of the next line is not a row yet.
            let (begin, end) = (line(number), line(number + 1));
            let begin = if number == 0 { &begin[..] } else { &begin[20..] };
            stdin.write_all(format!("{begin}{}", &end[..20]).as_bytes()).expect("urimill reads");
            let row = rows.recv_timeout(Duration::from_secs(10)).expect(run);
            assert_eq!(row, expected.replace('N', &number.to_string()), "{run}");
            assert!(rows.recv_timeout(Duration::from_millis(300)).is_err(), "{run}: a row too many");
        }
        drop(stdin);
        assert!(child.wait().expect("it ends").code().is_some());
    }
}

/// A writer that never rests, and is slow: rows do not wait for a chunk to be full.
#[test]
fn rows_do_not_wait_for_a_writer_that_never_rests() {
    let (mut child, rows) = started("normalize --from clf --to uris");
    let mut stdin = child.stdin.take().expect("a pipe");
    let (done, is_done) = channel();
    let writer = std::thread::spawn(move || {
        let mut number = 0;
        while is_done.try_recv().is_err() {
            stdin.write_all(line(number).as_bytes()).expect("urimill reads");
            number += 1;
            std::thread::sleep(Duration::from_millis(20));
        }
        number
    });
    let first = rows.recv_timeout(Duration::from_secs(10)).expect("a row");
    assert_eq!(first, "/0");
    done.send(()).expect("the writer");
    let written = writer.join().expect("the writer");
    let all = 1 + rows.iter().count();
    assert_eq!(all, written, "every line is a row");
    assert!(child.wait().expect("it ends").success());
}

/// A pipe that always has more bytes is cut as a file is: the bytes are the same, and no chunk is small.
#[test]
fn a_pipe_that_is_full_is_read_as_a_file() {
    let folder = dir();
    let log: String = (0..30_000).map(line).collect();
    std::fs::write(folder.path().join("a.log"), &log).expect("a log");
    let of_file = urimill("normalize a.log --from clf --to csv").within(folder.path()).ok().stdout;
    let begun = Instant::now();
    let of_pipe = urimill("normalize --from clf --to csv").stdin(&log).ok().stdout;
    assert!(of_pipe == of_file, "{:?}", begun.elapsed());
}
