//! Closed pipes, a standard error that nobody reads, progress and memory.

use std::fs;
use std::io::{Read, Write};
use std::process::Stdio;

use super::run::{dir, names, urimill, write};
#[cfg(target_os = "linux")]
use super::run::{peak, wait_until};

fn list(lines: usize) -> String {
    (0..lines).map(|n| format!("http://example.com/{n}/a/path?of=some&length={n}\n")).collect()
}

/// The result of a run whose reader takes a few bytes of standard output and closes it.
fn with_head(line: &str, dir: &std::path::Path) -> (Option<i32>, String) {
    let mut command = urimill(line).within(dir).command;
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("urimill starts");
    let mut head = [0; 4];
    // A completion script or a page may be shorter than a pipe is long: then nothing is noticed.
    child.stdout.take().expect("a pipe").read_exact(&mut head).expect("four bytes");
    let output = child.wait_with_output().expect("urimill ends");
    (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let dir = dir();
    write(dir.path(), "in.txt", list(60_000));
    for format in ["parquet", "arrow", "arrow-stream", "csv", "jsonl", "uris"] {
        let line =
            format!("normalize in.txt --to {format} --chunk 20000 --row-group-rows 4000 --compression none");
        assert_eq!(with_head(&line, dir.path()), (Some(0), String::new()), "{format}");
    }
    assert_eq!(with_head("normalize in.txt --summary json -o -", dir.path()), (Some(0), String::new()));
    for line in ["resolve --base http://a/", "relativize --base http://a/", "encode", "decode"] {
        // More than a pipe holds, so that the writer notices.
        let mut run = urimill(line).command;
        let input = fs::File::open(dir.path().join("in.txt")).expect("the list");
        let mut child =
            run.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("urimill starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("urimill ends");
        assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()), "{line}");
    }
    write(dir.path(), "bad.txt", list(60_000).replace('?', " %21"));
    write(dir.path(), "marks.txt", list(60_000).replace('?', "%21?"));
    for line in ["check bad.txt", "check bad.txt --to jsonl", "check marks.txt --spec rfc2396,rfc3986"] {
        assert_eq!(with_head(line, dir.path()), (Some(0), String::new()), "{line}");
    }
    for line in
        ["explain http://example.com/", "schema", "man normalize", "completions bash", "normalize --help"]
    {
        assert_eq!(with_head(line, dir.path()), (Some(0), String::new()), "{line}");
    }
}

#[test]
fn a_closed_pipe_beside_a_table_of_rejects_is_reported() {
    let dir = dir();
    write(dir.path(), "in.txt", list(60_000));
    let (code, said) = with_head("normalize in.txt --rejects bad.csv --chunk 20000", dir.path());
    assert_eq!(code, Some(3));
    assert!(said.starts_with("urimill: cannot write standard output: "), "{said}");
    assert!(said.ends_with("; nothing was published\n"), "{said}");
    assert_eq!(names(dir.path()), ["in.txt"]);
}

#[test]
fn nobody_needs_to_read_standard_error() {
    let dir = dir();
    write(dir.path(), "in.txt", "http://a/\n<b>\n");
    // (arguments, exit code)
    let lines = [
        ("normalize in.txt", 0),
        ("normalize in.txt --summary json --progress always", 0),
        ("normalize in.txt --on-invalid fail", 1),
        ("normalize nosuch", 3),
        ("normalize --to nosuch", 2),
        ("resolve --base http://a/ <b> c", 1),
        ("decode %", 1),
    ];
    for (line, code) in lines {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = urimill(line).within(dir.path()).command;
        let status = command.stdout(Stdio::null()).stderr(writer).status().expect("urimill ends");
        assert_eq!(status.code(), Some(code), "{line}, closed pipe");
        #[cfg(target_os = "linux")]
        {
            let mut command = urimill(line).within(dir.path()).command;
            command.stdout(Stdio::null());
            command.stderr(fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full"));
            assert_eq!(command.status().expect("urimill ends").code(), Some(code), "{line}, full disk");
        }
    }
}

#[test]
fn the_bar_shows_where_it_is_asked_for() {
    let dir = dir();
    write(dir.path(), "in.txt", list(1000));
    for (options, shows) in [("", false), ("--progress auto", false), ("--progress never", false)]
        .into_iter()
        .chain([("--progress always", true)])
    {
        let done = urimill(&format!("normalize in.txt --summary none -o out.csv --force {options}"));
        let said = done.within(dir.path()).ok().stderr;
        assert_eq!(!said.is_empty(), shows, "{options}: {said:?}");
        assert_eq!(said.contains(" records") && said.contains(" of "), shows, "{options}: {said:?}");
    }
    // Without a known length there is no end to count to.
    let done = urimill("normalize --progress always --summary none").stdin(list(10)).ok();
    assert!(done.stderr.contains(" records") && !done.stderr.contains("left"), "{:?}", done.stderr);
    // The summary is on a line of its own: the text before it was cleared.
    let done = urimill("normalize --progress always").stdin(list(10)).ok();
    let (_, summary) = done.stderr.rsplit_once("\x1b[2K").expect("the bar was cleared");
    assert!(summary.starts_with("10 lines = "), "{:?}", done.stderr);
}

#[test]
#[cfg(target_os = "linux")]
fn memory_is_not_asked_for_in_huge_pages() {
    let mut command = urimill("normalize").command;
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("urimill starts");
    let status = || fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    // Kernels before 5.0 do not say.
    if status().contains("THP_enabled:") {
        wait_until(|| status().contains("THP_enabled:\t0\n"));
    }
    drop(child.stdin.take());
    child.wait().expect("urimill ends");
}

#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_the_input() {
    const BYTES: usize = 300 << 20;
    let dir = dir();
    let mut command = urimill("normalize -o out.parquet --summary json").within(dir.path()).command;
    command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("urimill starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || {
        let (mut written, mut n, mut block) = (0, 0_u64, Vec::new());
        while written < BYTES {
            block.clear();
            while block.len() < 1 << 20 {
                n += 1;
                let path = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                writeln!(block, "http://host{}.example.com/{path:016x}/{n}?page={path:x}", n % 1000)
                    .expect("memory");
            }
            stdin.write_all(&block).expect("urimill reads");
            written += block.len();
        }
        n
    });
    let mut largest = 0;
    while child.try_wait().expect("a child").is_none() {
        largest = largest.max(peak(child.id()).unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let records = writer.join().expect("the writer");
    let output = child.wait_with_output().expect("urimill ends");
    let summary: serde_json::Value = serde_json::from_slice(&output.stderr).expect("a summary");
    assert_eq!(summary["valid"], records);
    assert!(summary["bytes"].as_u64() >= Some(BYTES as u64));
    assert!((10 << 10..512 << 10).contains(&largest), "{largest} kB at most");
}

/// The changes that a shell makes to the program's streams.
#[cfg(target_os = "linux")]
fn under_shell(line: &str, streams: &str, dir: &std::path::Path) -> (Option<i32>, String) {
    let script = format!("exec timeout 10 \"$0\" {line} {streams}");
    let mut command = std::process::Command::new("bash");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_urimill")]).current_dir(dir).stdin(Stdio::null());
    let output = command.output().expect("urimill ends");
    (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
}

#[test]
#[cfg(target_os = "linux")]
fn a_closed_stream_is_reported() {
    let dir = dir();
    write(dir.path(), "in.txt", "http://a/\n");
    let closed = "urimill: cannot write standard output: it is closed\n";
    for line in [
        "normalize in.txt",
        "normalize in.txt --to parquet",
        "normalize in.txt -o /dev/stdout --to csv",
        "dedupe in.txt",
        "extract in.txt",
        "check in.txt",
        "report in.txt -o -",
        "stats in.txt",
        "top in.txt --by host",
        "explain http://a/",
        "resolve --base http://a/ g",
        "relativize --base http://a/ http://a/g",
        "compare http://a/ http://b/",
        "encode a",
        "decode a",
        "schema",
        "man",
        "completions bash",
        "--help",
        "--version",
    ] {
        assert_eq!(under_shell(line, ">&-", dir.path()), (Some(3), closed.to_owned()), "{line}");
        // Whoever wants nothing of it may say so.
        let (code, said) = under_shell(line, ">/dev/null", dir.path());
        assert!(code < Some(2) && !said.contains("closed"), "{line}: {said}");
    }
    let closed = "urimill: cannot read standard input: it is closed\n";
    for line in ["normalize", "normalize -", "dedupe", "extract", "check", "explain", "decode", "encode"] {
        assert_eq!(under_shell(line, "<&-", dir.path()), (Some(3), closed.to_owned()), "{line}");
    }
    // Nobody needs it.
    assert_eq!(under_shell("normalize in.txt -o out.csv --summary none", ">&- <&-", dir.path()).0, Some(0));
}

/// Otherwise each answer would be the next question.
#[test]
#[cfg(target_os = "linux")]
fn output_that_is_appended_to_the_input_is_refused() {
    let dir = dir();
    let text = "http://a/%zz\n";
    for line in [
        "decode",
        "encode",
        "resolve --base http://a/",
        "relativize --base http://a/",
        "explain",
        "extract",
        "normalize",
        "dedupe",
        "check",
        "check in.txt",
        "extract in.txt",
        "stats in.txt",
        "top --by host",
    ] {
        write(dir.path(), "in.txt", text);
        let expected = "urimill: cannot write standard output: it is an input; name another file\n";
        let ended = under_shell(line, "<in.txt >>in.txt", dir.path());
        assert_eq!(ended, (Some(2), expected.to_owned()), "{line}");
        assert_eq!(fs::read_to_string(dir.path().join("in.txt")).expect("a file"), text, "{line}");
        assert_eq!(under_shell(line, "<in.txt >>out.txt", dir.path()).0.map(|code| code < 2), Some(true));
    }
    for line in ["decode", "resolve --base http://a/", "explain"] {
        write(dir.path(), "in.txt", text);
        assert_eq!(under_shell(line, "<in.txt 2>>in.txt", dir.path()).0, Some(2), "{line}");
    }
    // Bytes that are not read are not an input.
    assert_eq!(under_shell("decode a", "<in.txt >>in.txt", dir.path()).0, Some(0));
}
