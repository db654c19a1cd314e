//! `urimill extract`: the URIs in texts.

use std::fs;
use std::io::Read;
use std::process::Stdio;

use super::run::{dir, names, urimill, write};

const TEXT: &str = "See <ftp://foo.example.\n   com/rfc/>, (http://a/ä) and www.example.com.\n";
const URIS: &str = "ftp://foo.example.com/rfc/\nhttp://a/%C3%A4\nhttp://www.example.com\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, bytes).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn the_uris_stand_one_a_line() {
    let done = urimill("extract").stdin(TEXT).ok();
    assert_eq!((done.text(), done.stderr.as_str()), (URIS, ""));
    let dir = dir();
    write(dir.path(), "a.txt", TEXT);
    write(dir.path(), "b.txt.gz", gzip(TEXT.as_bytes()));
    let done = urimill("extract *.txt b.* -").stdin("http://x/\n").within(dir.path()).ok();
    assert_eq!(done.text(), format!("{URIS}{URIS}http://x/\n"));
}

/// Appendix C: what brackets hold.
#[test]
fn brackets_hold_references_of_any_kind() {
    let text = "file:/// <about:blank> <http://../> <URL:../a b?c>\n";
    let done = urimill("extract").stdin(text).ok();
    assert_eq!(done.text(), "file:///\nabout:blank\nhttp://../\n../ab?c\n");
    let done = urimill("extract --no-suffix").stdin(text).ok();
    assert_eq!(done.text(), "file:///\nabout:blank\nhttp://../\n");
    let done = urimill("extract --to jsonl").stdin("<URL:../a>").ok();
    assert!(done.text().contains(r#""uri":"../a","kind":"relative","delimiter":"angle""#), "{}", done.text());
    // And repair takes the same out of a record that is one text in delimiters.
    let done = urimill("normalize --repair --summary none")
        .stdin("<http://ex ample.com/ a>\n\"http://a/b c\"\n")
        .ok();
    assert_eq!(done.text(), "http://example.com/a\nhttp://a/bc\n");
}

#[test]
fn nothing_found_is_done() {
    for text in ["", "\n", "path:to:file.pm node.js\n", "\0\u{feff}"] {
        let done = urimill("extract").stdin(text).ok();
        assert_eq!((done.text(), done.stderr.as_str()), ("", ""), "{text:?}");
    }
}

#[test]
fn json_lines_say_where_and_how() {
    let dir = dir();
    write(dir.path(), "a.txt", TEXT);
    let done = urimill("extract a.txt --to jsonl").within(dir.path()).ok();
    assert!(
        done.text().starts_with(r#"{"source":"a.txt","offset":5,"length":30,"raw":"ftp:"#),
        "{}",
        done.text()
    );
    let rows: Vec<serde_json::Value> =
        done.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let expected = serde_json::json!([
        {
            "source": "a.txt", "offset": 5, "length": 30, "raw": "ftp://foo.example.\n   com/rfc/",
            "uri": "ftp://foo.example.com/rfc/", "kind": "uri", "delimiter": "angle", "hyphen_break": false,
        },
        {
            "source": "a.txt", "offset": 39, "length": 11, "raw": "http://a/ä", "uri": "http://a/%C3%A4",
            "kind": "uri", "delimiter": "text", "hyphen_break": false,
        },
        {
            "source": "a.txt", "offset": 56, "length": 15, "raw": "www.example.com",
            "uri": "http://www.example.com", "kind": "suffix", "delimiter": "text", "hyphen_break": false,
        },
    ]);
    assert_eq!(serde_json::Value::from(rows), expected);
}

#[test]
fn options_decide_what_is_written() {
    let text = "HTTP://A/%7Eb/../c www.example.com http://[::1]/";
    // (options, expected)
    let rows = [
        ("", "HTTP://A/%7Eb/../c http://www.example.com http://[::1]/"),
        ("--level scheme", "http://a/c http://www.example.com/ http://[::1]/"),
        ("--level case", "http://a/%7Eb/../c http://www.example.com http://[::1]/"),
        ("--default-scheme https", "HTTP://A/%7Eb/../c https://www.example.com http://[::1]/"),
        ("--no-suffix", "HTTP://A/%7Eb/../c http://[::1]/"),
        ("--spec rfc3986-errata --no-suffix", "HTTP://A/%7Eb/../c http://[::1]/"),
    ];
    for (options, expected) in rows {
        let done = urimill(&format!("extract {options}")).stdin(text).ok();
        assert_eq!(done.text().lines().collect::<Vec<_>>().join(" "), expected, "{options}");
    }
}

#[test]
fn the_beginning_says_what_is_markup() {
    for (text, expected) in [
        ("<!DOCTYPE html><p>see http://h/?a&amp;b, or", "http://h/?a&b\n"),
        ("\u{feff} <?xml version='1.0'?><a>at http://h/?a&#38;b</a>", "http://h/?a&b\n"),
        ("see http://h/?a&amp;b", "http://h/?a&amp;b\n"),
        ("<http://h/?a&amp;b>", "http://h/?a&amp;b\n"),
    ] {
        assert_eq!(urimill("extract").stdin(text).ok().text(), expected, "{text}");
    }
    let field = r#"{"body":"<html>http://h/?a&amp;b"}"#;
    assert_eq!(urimill("extract --from jsonl --uri-field body").stdin(field).ok().text(), "http://h/?a&b\n");
}

#[test]
fn harmless_uris_are_found_where_asked_for() {
    let text = "hxxps://www[.]example[.]com/a, http://h/[b]";
    let done = urimill("extract --refang --to jsonl").stdin(text).ok();
    let rows: Vec<serde_json::Value> =
        done.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let found: Vec<_> =
        rows.iter().map(|row| (row["uri"].as_str(), row["raw"].as_str(), row["length"].as_u64())).collect();
    let expected = [
        (Some("https://www.example.com/a"), Some("hxxps://www[.]example[.]com/a"), Some(29)),
        (Some("http://h/%5Bb%5D"), Some("http://h/[b]"), Some(12)),
    ];
    assert_eq!(found, expected);
}

#[test]
fn pieces_of_any_size_give_the_same_bytes() {
    let dir = dir();
    let text: String = (0..400).map(|n| format!("{} {TEXT}", "x: ".repeat(n % 50))).collect();
    write(dir.path(), "a.txt", &text);
    let whole = urimill("extract a.txt --to jsonl --chunk 1000000").within(dir.path()).ok();
    assert_eq!(whole.text().lines().count(), 1200);
    for chunk in [1, 7, 64, 1000, 4096] {
        let done = urimill(&format!("extract a.txt --to jsonl --chunk {chunk}")).within(dir.path()).ok();
        assert!(done.stdout == whole.stdout, "--chunk {chunk}");
    }
}

#[test]
fn one_line_without_end_needs_little_memory() {
    // 64 MiB without a newline, and with one URI at a time.
    let dir = dir();
    let line = format!("http://example.com/{} ", "a".repeat(1000)).repeat(1000);
    let mut command = urimill("extract").within(dir.path()).command;
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("urimill starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || {
        for _ in 0..64 {
            std::io::Write::write_all(&mut stdin, line.as_bytes()).expect("urimill reads");
        }
        std::io::Write::write_all(&mut stdin, "b".repeat(20 << 20).as_bytes()).expect("urimill reads");
    });
    let (mut stdout, mut buffer, mut lines, mut largest) =
        (child.stdout.take().expect("a pipe"), vec![0; 1 << 20], 0, 0);
    loop {
        let read = stdout.read(&mut buffer).expect("a pipe");
        if read == 0 {
            break;
        }
        lines += buffer[..read].iter().filter(|&&byte| byte == b'\n').count();
        largest = largest.max(super::run::peak(child.id()).unwrap_or(0));
    }
    writer.join().expect("the writer");
    assert!(child.wait().expect("urimill ends").success());
    assert_eq!(lines, 64_000);
    assert!(largest < 64 << 10, "{largest} kB");
}

#[test]
fn a_file_is_published_whole() {
    let dir = dir();
    write(dir.path(), "a.txt", TEXT);
    urimill("extract a.txt -o out.jsonl").within(dir.path()).ok();
    urimill("extract a.txt -o out.txt").within(dir.path()).ok();
    urimill("extract a.txt --to uris -o other").within(dir.path()).ok();
    assert_eq!(fs::read_to_string(dir.path().join("out.jsonl")).expect("a file").lines().count(), 3);
    assert_eq!(fs::read_to_string(dir.path().join("out.txt")).expect("a file"), URIS);
    assert_eq!(fs::read_to_string(dir.path().join("other")).expect("a file"), URIS);
    let run = |line: &str| urimill(line).within(dir.path());
    run("extract a.txt -o out.txt").fails(2, &["out.txt", "--force"]);
    run("extract a.txt -o out.txt --force").ok();
    run("extract a.txt -o a.txt --force").fails(2, &["a.txt", "it is an input"]);
    run("extract a.txt -o out.parquet").fails(2, &["out.parquet", "--to jsonl"]);
    run("extract nosuch -o new.txt").fails(3, &["nosuch", "no such file"]);
    run("extract a.txt --default-scheme http:").fails(2, &["http:", "without the colon"]);
    write(dir.path(), "cut.gz", &gzip(TEXT.repeat(100).as_bytes())[..100]);
    run("extract cut.gz -o new.txt").fails(3, &["cut.gz", "truncated"]);
    assert_eq!(names(dir.path()), ["a.txt", "cut.gz", "other", "out.jsonl", "out.txt"]);
    assert_eq!(fs::read_to_string(dir.path().join("a.txt")).expect("a file"), TEXT);
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let dir = dir();
    write(dir.path(), "a.txt", TEXT.repeat(20_000));
    for form in ["uris", "jsonl"] {
        let mut command = urimill(&format!("extract a.txt --to {form}")).within(dir.path()).command;
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("urimill starts");
        child.stdout.take().expect("a pipe").read_exact(&mut [0; 4]).expect("four bytes");
        let output = child.wait_with_output().expect("urimill ends");
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &[][..]), "{form}");
    }
}
