//! No input makes memory grow with a number that it states, or with the length of a record: urimill in a process of
//! its own, fed from a pipe, and the most memory that it had.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

const GIB: usize = 1 << 30;

/// Bytes for standard input: a beginning, the same piece so many times, an end.
pub(super) type RecordSource = (Vec<u8>, Vec<u8>, usize, Vec<u8>);

/// As much of a piece as makes a gibibyte.
fn a_gibibyte(beginning: &str, piece: &str, end: &str) -> RecordSource {
    let piece = piece.repeat((1 << 20) / piece.len());
    let times = GIB / piece.len();
    (beginning.into(), piece.into_bytes(), times, end.into())
}

/// Exit code, mebibytes at most, and what urimill said.
pub(super) fn measure(line: &str, input: RecordSource) -> (Option<i32>, u64, String) {
    loop {
        let measured = measure_once(line, input.clone());
        // One that ended before it could be looked at is started again.
        if measured.1 > 0 {
            return measured;
        }
    }
}

fn measure_once(line: &str, (beginning, piece, times, end): RecordSource) -> (Option<i32>, u64, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_urimill"));
    command.args(line.split_whitespace()).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || -> std::io::Result<()> {
        stdin.write_all(&beginning)?;
        (0..times).try_for_each(|_| stdin.write_all(&piece))?;
        stdin.write_all(&end)
    });
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        most = most.max(peak(child.id()).unwrap_or(0));
        std::thread::sleep(Duration::from_micros(500));
    }
    // It may stop reading before the end.
    let _ = writer.join().unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code(), most >> 10, String::from_utf8(output.stderr).unwrap())
}

/// Kilobytes of memory that a process has had at most. A child that has just been started may still show the memory of
/// the process that started it, under whose name it then is.
fn peak(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().next().filter(|name| name.ends_with("\turimill"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// A gzip stream of one byte, repeated for this many mebibytes.
fn bomb(byte: u8, mebibytes: usize) -> RecordSource {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let piece = vec![byte; 1 << 20];
    (0..mebibytes).for_each(|_| encoder.write_all(&piece).unwrap());
    (encoder.finish().unwrap(), Vec::new(), 0, Vec::new())
}

/// (what it is, arguments, input, exit code, what is said): at most a quarter of a gibibyte of memory each.
#[test]
fn memory_is_bounded_whatever_the_input_states() {
    let zstd_window = [0x28, 0xb5, 0x2f, 0xfd, 0, 21 << 3, 1, 0, 0].to_vec();
    let table: Vec<(&str, &str, RecordSource, i32, &str)> = vec![
        ("gzip: one record of a gibibyte", "", bomb(b'x', 1024), 0, "1 reject"),
        ("gzip: 128 million blank lines", "", bomb(b'\n', 128), 0, "134,217,728 blank"),
        (
            "zstd: a window of 2 GiB",
            "",
            (zstd_window, Vec::new(), 0, Vec::new()),
            3,
            "a window of more than 128 MiB",
        ),
        ("a JSON string", "--from jsonl", a_gibibyte("{\"url\":\"", "http://h/", "\"}\n"), 0, "1 reject"),
        (
            "JSON: arrays in arrays",
            "--from jsonl",
            a_gibibyte("{\"url\":\"/\",\"a\":", "[", "\n"),
            0,
            "1 reject",
        ),
        (
            "CSV: a field that never closes",
            "--from csv --keep none",
            a_gibibyte("a,\"", "http://h/\n", ""),
            0,
            "rows",
        ),
        ("CSV: a field of quotes", "--from csv --keep none", a_gibibyte("a,", "\"\"", "\n"), 0, "1 reject"),
        ("CSV: a row of a gibibyte", "--from csv --keep none", a_gibibyte("a", ",", "\n"), 0, "1 reject"),
    ];
    for (what, options, feed, code, said) in table {
        let fields = match options {
            "" => "",
            "--from csv --keep none" => "--uri-field 2",
            _ => "--uri-field url",
        };
        let line = format!("normalize --to csv --threads 2 --on-invalid keep {options} {fields}");
        let (found, mebibytes, stderr) = measure(&line, feed);
        println!("{what}: {mebibytes} MiB");
        assert_eq!(found, Some(code), "{what}: {stderr}");
        assert!(stderr.contains(said), "{what}: {stderr}");
        assert!((2..256).contains(&mebibytes), "{what}: {mebibytes} MiB");
    }
}

/// (arguments, mebibytes at most): what is on its way at a time is bounded, whatever the number of threads.
#[test]
fn threads_wait_where_memory_is_short() {
    let table = [
        ("--threads 64 --memory 64M --to csv", 256),
        ("--threads 64 --memory 64M --to parquet", 320),
        // A single chunk takes more memory here.
        ("--threads 16 --memory 64M --max-record 16M --chunk 8M --to csv", 320),
    ];
    for (options, most) in table {
        let line = "http://example.com/some/path/that/is/like/others?q=1\n".repeat(20_000);
        let (code, mebibytes, said) =
            measure(&format!("normalize {options}"), (Vec::new(), line.into_bytes(), 100, Vec::new()));
        println!("{options}: {mebibytes} MiB");
        assert_eq!(code, Some(0), "{options}: {said}");
        assert!((2..most).contains(&mebibytes), "{options}: {mebibytes} MiB");
    }
}

/// A few bytes inside other bytes cost a stack that deep, if anything.
#[test]
fn nested_json_does_not_exhaust_the_stack() {
    for open in ["[", "{\"a\":"] {
        let nested = open.repeat((15 << 20) / open.len());
        let feed = (
            format!("{{\"a\":{nested}").into_bytes(),
            b"\n".to_vec(),
            1,
            b"{\"url\":\"http://h/\"}\n".to_vec(),
        );
        let (code, mebibytes, said) =
            measure("normalize --from jsonl --uri-field url --to csv --on-invalid keep --threads 2", feed);
        assert_eq!(code, Some(0), "{open}: {said}");
        assert!(mebibytes < 512, "{open}: {mebibytes} MiB");
    }
}
