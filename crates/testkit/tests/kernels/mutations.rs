//! Real URIs, changed at random: every kernel says of each what the portable one says, alone, in the middle of a
//! buffer, and as a line among others.

use urimill_testkit::judge::{alone, judge, judge_lines, span};
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
