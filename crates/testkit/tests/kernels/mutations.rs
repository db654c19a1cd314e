//! Real URIs, changed at random: every kernel gives the result of the portable one for each, alone, in the middle of a
//! buffer, and as a line among others.

use urimill_testkit::judge::{alone, judge, judge_lines, lines, span};
use urimill_testkit::paths::dataset;
use urimill_testkit::random::{Random, SHAPES, mutate};

/// The lines of the sample lists, and every shape of reference as often as a hundredth of them.
fn seeds() -> Vec<Vec<u8>> {
    let lists = ["sample.txt", "oddities.txt"].map(dataset);
    let lines = lists.iter().flat_map(|list| list.split(|&byte| byte == b'\n'));
    let mut seeds: Vec<Vec<u8>> = lines.map(<[u8]>::to_vec).collect();
    assert!(seeds.len() > 1_000, "the sample lists are incomplete: {} lines", seeds.len());
    for _ in 0..=seeds.len() / 100 / SHAPES.len() {
        seeds.extend(SHAPES.iter().map(|shape| shape.as_bytes().to_vec()));
    }
    seeds
}

#[test]
fn the_sample_lists_as_they_are() {
    for (number, record) in seeds().iter().enumerate() {
        judge(record, alone(record));
        judge(record, span(number % 64, record, b"9"));
    }
}

#[test]
fn mutations_of_the_sample_lists() {
    let (seeds, mut random, mut text) = (seeds(), Random(20), Vec::new());
    for round in 0..20_000 {
        mutate(&seeds, &mut random, &mut text);
        judge(&text, alone(&text));
        judge(&text, span(round % 64, &text, b"9"));
    }
}

#[test]
fn mutations_of_the_sample_lists_as_lines() {
    let (seeds, mut random, mut line) = (seeds(), Random(21), Vec::new());
    for round in 0..1_000 {
        let mut text = Vec::new();
        for _ in 0..random.below(12) {
            mutate(&seeds, &mut random, &mut line);
            text.extend_from_slice(&line);
            text.extend_from_slice([&b"\n"[..], b"\r\n", b"\n\n", b"\r", b"\r\n\n"][random.below(5)]);
        }
        judge_lines(round % 64, &text);
    }
}

/// Many lines of a few parts each, so that every part meets every edge of a block, and an unfinished line meets the
/// next one.
#[test]
fn lines_of_few_parts() {
    const PARTS: [&str; 44] = [
        "http://",
        "https://",
        "//",
        "/",
        "?",
        "#",
        ":",
        "@",
        ".",
        "-",
        "--",
        "%",
        "%4",
        "%41",
        "%zz",
        "a",
        "b.c",
        "1",
        "1.2",
        "A",
        "h.example",
        "www.a-very-long-label-of-a-name-that-goes-on.example",
        "/path/to/it",
        "?q=1",
        "&r=2",
        "#frag",
        "ftp:",
        "mailto:",
        "x+y:",
        "1a:",
        "-a:",
        "http:",
        "https:/",
        "htt://",
        "httpss://",
        "[::1]",
        "[",
        ":80",
        " ",
        "\r",
        "\u{e9}",
        "~_!",
        "'",
        "\\",
    ];
    const ENDS: [&str; 6] = ["\n", "\n", "\n", "\r\n", "\n\n", "\r\n\r\n"];
    let mut random = Random(22);
    for round in 0..2_000 {
        let mut text = String::new();
        for _ in 0..random.below(40) {
            if random.below(2) == 0 {
                text += ["http://a.example/", "https://www.example.org", "/a/b", "../c?d"][random.below(4)];
            }
            for _ in 0..random.below(5) {
                text += PARTS[random.below(PARTS.len())];
            }
            text += ENDS[random.below(ENDS.len())];
        }
        let cut = text.len() - random.below(3).min(text.len());
        lines(round % 64, &text.as_bytes()[..cut]);
    }
}
