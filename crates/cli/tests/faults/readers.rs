//! Readers of standard output: one that goes after a line, and one that takes its time.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What prints: a line of arguments, `IN` for a list, `GOOD` for one without rejects, of which others say a word each.
const PRINTING: [&str; 15] = [
    "normalize IN --to parquet --compression none --row-group-rows 1000",
    "normalize IN --to arrow --chunk 9000",
    "normalize IN --to arrow-stream --chunk 9000",
    "normalize IN --to csv --chunk 9000",
    "normalize IN --to jsonl --chunk 9000",
    "normalize IN --to uris --chunk 9000",
    "normalize IN --to csv --sort-by host --memory 1M",
    "dedupe IN --to csv",
    "dedupe IN --to uris --memory 1M",
    "extract IN",
    "extract IN --to jsonl",
    "check IN",
    "check IN --to jsonl",
    "resolve --base http://a/ < GOOD",
    "encode < GOOD",
];

fn input(dir: &Path, lines: usize) {
    let line = |n: usize| match n % 2 {
        0 => format!("http://host{n}.example/some/path/{n}?query={n}\n"),
        _ => format!("http://host{n}.example/<{n}>\n"),
    };
    fs::write(dir.join("in.txt"), (0..lines).map(line).collect::<String>()).expect("a file");
    let good = (0..lines).map(|n| line(2 * n));
    fs::write(dir.join("good.txt"), good.collect::<String>()).expect("a file");
}

fn files(dir: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name().into_string();
    let mut names: Vec<_> =
        fs::read_dir(dir).expect("a directory").map(|e| name(e).expect("UTF-8")).collect();
    names.sort();
    names
}

fn piped_to_head(times: usize) {
    let dir = tempfile::tempdir().expect("a directory");
    input(dir.path(), 20_000);
    for line in PRINTING {
        let script = format!(
            "for n in $(seq {times}); do \"$0\" {} 2>> said | head -1 > first; echo ${{PIPESTATUS[0]}}; done",
            line.replace("IN", "in.txt").replace("GOOD", "good.txt")
        );
        let mut command = Command::new("bash");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_urimill")]).current_dir(dir.path());
        let output = command.env("TMPDIR", dir.path()).output().expect("a shell");
        let codes = String::from_utf8(output.stdout).expect("UTF-8");
        assert_eq!(codes, "0\n".repeat(times), "{line}");
        let said = fs::read_to_string(dir.path().join("said")).expect("a file");
        assert!(said.is_empty(), "{line}: {}", said.lines().next().unwrap_or_default());
        assert!(fs::metadata(dir.path().join("first")).expect("a file").len() > 0, "{line}");
        assert_eq!(files(dir.path()), ["first", "good.txt", "in.txt", "said"], "{line}");
    }
}

#[test]
fn a_reader_that_goes_after_a_line() {
    piped_to_head(5);
}

#[test]
#[ignore = "a minute: a hundred times each"]
fn a_reader_that_goes_a_hundred_times() {
    piped_to_head(100);
}

/// Reads so many bytes at once, and waits between.
fn read_slowly(bytes: usize, pause: Duration) {
    let dir = tempfile::tempdir().expect("a directory");
    input(dir.path(), 1000);
    for line in PRINTING {
        let words = line.replace("IN", "in.txt").replace("GOOD", "good.txt");
        let run = || {
            let (words, stdin) = words.split_once(" < ").unwrap_or((&words, ""));
            let mut command = Command::new(env!("CARGO_BIN_EXE_urimill"));
            command.args(words.split(' ')).current_dir(dir.path()).stderr(Stdio::null());
            match stdin {
                "" => command.stdin(Stdio::null()),
                name => command.stdin(fs::File::open(dir.path().join(name)).expect("a file")),
            };
            command
        };
        let whole = run().output().expect("urimill ends");
        let mut child = run().stdout(Stdio::piped()).spawn().expect("urimill starts");
        let (mut stdout, mut all, mut some) =
            (child.stdout.take().expect("a pipe"), Vec::new(), vec![0; bytes]);
        loop {
            match stdout.read(&mut some).expect("a pipe") {
                0 => break,
                read => all.extend_from_slice(&some[..read]),
            }
            std::thread::sleep(pause);
        }
        assert_eq!(child.wait().expect("urimill ends"), whole.status, "{line}");
        assert!(
            all.len() > 20_000 && all == whole.stdout,
            "{line}: {} and {}",
            all.len(),
            whole.stdout.len()
        );
    }
}

/// A pipe holds 64 KiB: most of these are more.
#[test]
fn a_slow_reader() {
    read_slowly(2000, Duration::from_millis(1));
}

#[test]
#[ignore = "a minute: 40 KiB/s"]
fn a_reader_that_is_slower_still() {
    read_slowly(1000, Duration::from_millis(25));
}
