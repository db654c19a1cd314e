//! `--skip-bodies`: the rows are those of a run that decompresses all, and nothing but damage in bodies is missed.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::run::{dir, urimill, write};

fn gzip(bytes: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// Bytes that cannot be compressed.
fn noise(count: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..count).map(|_| next()).collect()
}

fn warc(number: usize, digest: &str, payload: &[u8]) -> Vec<u8> {
    let http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let head = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h.example/{number}\r\n\
         WARC-Date: 2026-11-20T10:00:00Z\r\n{digest}Content-Type: application/http\r\nContent-Length: {}\r\n\r\n",
        http.len() + payload.len()
    );
    [head.as_bytes(), http, payload, b"\r\n\r\n"].concat()
}

/// A record as long as the beginning that is read for detection: none of it is skipped.
fn first() -> Vec<u8> {
    warc(0, DIGEST, &b"<p>First</p>\n".repeat(100_000))
}

const DIGEST: &str = "WARC-Payload-Digest: sha1:A\r\n";

fn arc(number: usize, payload: &[u8]) -> Vec<u8> {
    let http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let length = http.len() + payload.len();
    let head = format!("http://h.example/{number} 10.0.0.1 20260101000000 text/html {length}\n");
    [head.as_bytes(), http, payload, b"\n"].concat()
}

fn arc_start() -> Vec<u8> {
    let block = "1 0 x\nURL IP-address Archive-date Content-type Archive-length\n";
    let head = format!("filedesc://a.arc 0.0.0.0 20260101000000 text/plain {}\n", block.len());
    [head.as_bytes(), block.as_bytes(), b"\n"].concat()
}

/// The output and messages of `index` and `normalize`, and the exit code, with these options.
fn answers(name: &str, archive: &[u8], options: &str) -> [(String, String, Option<i32>); 3] {
    let folder = dir();
    write(folder.path(), name, archive);
    ["index", "normalize --keep all --to jsonl", "normalize --on-invalid keep --to csv"].map(|command| {
        let line = format!("{command} --summary none --progress never {options} {name}");
        let done = urimill(&line).within(folder.path()).go();
        (done.text().to_owned(), done.stderr, done.code)
    })
}

#[test]
fn rows_are_those_of_a_run_that_decompresses_all() {
    let text = b"<p>Hello</p>\n".repeat(20_000);
    let loud = noise(300_000, 7);
    let few = b"x".repeat(10);
    let members =
        |records: &[Vec<u8>], level| records.iter().flat_map(|record| gzip(record, level)).collect();
    let all = |records: &[Vec<u8>], level| members(&[&[first()], records].concat(), level);
    let long = noise(9 << 20, 3);
    // Bytes in a body that look like the end of a record: other members, with other lengths.
    let nested: Vec<u8> = (0..40).flat_map(|n| gzip(&warc(900 + n, DIGEST, &text[..n * 99]), 6)).collect();
    // (what is special, name, archive)
    let table: Vec<(&str, &str, Vec<u8>)> = vec![
        (
            "texts",
            "a.warc.gz",
            all(&[warc(1, DIGEST, &text), warc(2, DIGEST, &text), warc(3, DIGEST, &few)], 6),
        ),
        (
            "bodies that are stored as they are",
            "a.warc.gz",
            all(&[warc(1, DIGEST, &loud), warc(2, DIGEST, &loud)], 6),
        ),
        ("not compressed at all", "a.warc.gz", all(&[warc(1, DIGEST, &loud), warc(2, DIGEST, &text)], 0)),
        (
            "digests that have to be computed",
            "a.warc.gz",
            all(&[warc(1, "", &text), warc(2, DIGEST, &text)], 6),
        ),
        (
            "a body longer than is looked at",
            "a.warc.gz",
            all(&[warc(1, DIGEST, &long), warc(2, DIGEST, &text)], 6),
        ),
        ("archives in a body", "a.warc.gz", all(&[warc(1, DIGEST, &nested), warc(2, DIGEST, &few)], 6)),
        ("archives in a body", "a.warc.gz", all(&[warc(1, DIGEST, &nested), warc(2, DIGEST, &few)], 0)),
        (
            "one member for all",
            "a.warc.gz",
            gzip(&[first(), warc(1, DIGEST, &text), warc(2, DIGEST, &loud)].concat(), 6),
        ),
        (
            "two records in a member",
            "a.warc.gz",
            all(&[[warc(1, DIGEST, &text), warc(2, DIGEST, &loud)].concat(), warc(3, DIGEST, &loud)], 6),
        ),
        ("zeros at the end", "a.warc.gz", [all(&[warc(1, DIGEST, &text)], 6), vec![0; 512]].concat()),
        (
            "ARC",
            "a.arc.gz",
            members(&[arc_start(), arc(0, &text.repeat(5)), arc(1, &text), arc(2, &loud), arc(3, &few)], 6),
        ),
        ("a length that is too short", "a.warc.gz", {
            let wrong =
                String::from_utf8(warc(1, DIGEST, &text)).expect("text").replace("h: 2600", "h: 1600");
            all(&[wrong.into_bytes(), warc(2, DIGEST, &text)], 6)
        }),
        ("a file that ends too early", "a.warc.gz", {
            let mut archive: Vec<u8> = all(&[warc(1, DIGEST, &loud), warc(2, DIGEST, &loud)], 6);
            archive.truncate(archive.len() - 9);
            archive
        }),
        (
            "something else at the end",
            "a.warc.gz",
            [all(&[warc(1, DIGEST, &loud)], 6), b"more".to_vec()].concat(),
        ),
    ];
    for (what, name, archive) in table {
        let expected = answers(name, &archive, "--threads 1");
        for options in
            ["--skip-bodies --threads 1", "--skip-bodies --threads 3", "--skip-bodies --on-damage fail"]
        {
            assert_eq!(answers(name, &archive, options), expected, "{what}, {options}");
        }
        let kept = answers(name, &archive, "--on-damage skip");
        assert_eq!(answers(name, &archive, "--skip-bodies --on-damage skip"), kept, "{what}");
    }
}

#[test]
fn damage_in_a_body_is_what_is_not_noticed() {
    let body = noise(300_000, 5);
    let [first, second, third] =
        [first(), warc(1, DIGEST, &body), warc(2, DIGEST, &body)].map(|record| gzip(&record, 6));
    let whole = [&first[..], &second, &third].concat();
    let mut damaged = whole.clone();
    damaged[first.len() + second.len() / 2] ^= 1;
    let named = |options: &str, archive: &[u8]| answers("a.warc.gz", archive, options);
    let expected = named("", &whole);
    assert!(expected.iter().all(|(.., code)| *code == Some(0)), "{expected:?}");
    assert_eq!(named("--skip-bodies", &damaged), expected);
    for (.., code) in named("", &damaged) {
        assert_ne!(code, Some(0));
    }
    // A run that goes on after damage has to find it.
    for (.., code) in named("--skip-bodies --on-damage skip", &damaged) {
        assert_eq!(code, Some(3));
    }
}

#[test]
fn a_hostile_body_can_forge_a_record() {
    let forged = gzip(&warc(666, DIGEST, b"x"), 6);
    let noise = noise(100_000, 9);
    // The end that a member of this length has, and another member, among bytes that stay as they are.
    let made = |length: usize| {
        [&noise[..50_000], &(length as u32).to_le_bytes(), &forged, &noise[50_000..]].concat()
    };
    let length = warc(1, DIGEST, &made(0)).len();
    let archive = [gzip(&first(), 6), gzip(&warc(1, DIGEST, &made(length)), 0)].concat();
    let lines = |options: &str| answers("a.warc.gz", &archive, options)[0].0.lines().count();
    assert_eq!(lines(""), 2);
    // The case of the documentation's warning: a third line, or a sentence about the text after it.
    let (text, _, code) = &answers("a.warc.gz", &archive, "--skip-bodies")[0];
    assert!(*code != Some(0) || text.contains("/666"), "{text}");
}
