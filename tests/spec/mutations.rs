//! urimill against the oracle on real URIs, whole and damaged: two million seeded mutations.

use std::thread;

use urimill::Spec;

use crate::compare::compare_by;
use crate::shared;
pub(crate) use urimill_testkit::random::{Random, SHAPES, mutate, seeds};

/// The number of mutations; `URIMILL_MUTATIONS` sets another, for runs that repeat this test hundreds of times.
fn how_many() -> usize {
    let number = std::env::var("URIMILL_MUTATIONS").ok();
    number.map_or(2_000_000, |number| number.parse().expect("URIMILL_MUTATIONS is a number"))
}

const THREADS: u64 = 2;

/// Removes pieces of a failing input while it still fails.
fn shrink(mut text: Vec<u8>, spec: Spec) -> Vec<u8> {
    let mut piece = text.len() / 2;
    while piece > 0 {
        let mut at = 0;
        while at + piece <= text.len() {
            let shorter = [&text[..at], &text[at + piece..]].concat();
            if compare_by(&shorter, spec).is_err() { text = shorter } else { at += 1 }
        }
        piece /= 2;
    }
    text
}

/// Compares `count` inputs; returns the number that differ, and the shortest of them.
fn run(count: usize, spec: Spec, mut next: impl FnMut(usize, &mut Vec<u8>)) -> (usize, Option<Vec<u8>>) {
    let (mut text, mut failures, mut shortest) = (Vec::new(), 0, None::<Vec<u8>>);
    for number in 0..count {
        next(number, &mut text);
        if compare_by(&text, spec).is_err() {
            failures += 1;
            if shortest.as_ref().is_none_or(|known| text.len() < known.len()) {
                shortest = Some(text.clone());
            }
        }
    }
    (failures, shortest)
}

fn report(what: &str, spec: Spec, results: impl IntoIterator<Item = (usize, Option<Vec<u8>>)>) {
    let (mut failures, mut inputs) = (0, Vec::new());
    for (count, input) in results {
        failures += count;
        inputs.extend(input.map(|input| shrink(input, spec)));
    }
    inputs.sort_by_key(Vec::len);
    if let Some(smallest) = inputs.first() {
        let difference = compare_by(smallest, spec).expect_err("a shrunk input still fails");
        panic!("{failures} {what} differ by {spec}; the smallest: {difference}");
    }
}

#[test]
fn real_uris_as_they_are() {
    let uris = shared::corpora().unwrap_or_default();
    let shapes = SHAPES.iter().map(|uri| uri.as_bytes().to_vec());
    let all: Vec<Vec<u8>> = shapes.chain(uris).collect();
    for spec in Spec::ALL {
        report("real URIs", spec, [run(all.len(), spec, |number, text| text.clone_from(&all[number]))]);
    }
}

/// A record ends where its slice ends, whatever follows in memory: a digit that would complete a triplet, a bracket
/// that would close an address.
#[test]
fn every_prefix() {
    let real = shared::corpora().unwrap_or_default();
    let shapes = SHAPES.iter().map(|uri| uri.as_bytes());
    let some_real = real.iter().step_by(100).map(Vec::as_slice);
    for uri in shapes.chain(some_real) {
        for end in 0..=uri.len() {
            for spec in Spec::ALL {
                assert_eq!(compare_by(&uri[..end], spec), Ok(()));
            }
        }
    }
}

#[test]
fn mutations() {
    let seeds = seeds();
    for (spec, count) in Spec::ALL.into_iter().zip([how_many(), how_many() / 4, how_many() / 2]) {
        each_mutation(&seeds, spec, count);
    }
}

fn each_mutation(seeds: &[Vec<u8>], spec: Spec, count: usize) {
    let results = thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|seed| {
                let mut random = Random(0x5EED + seed);
                let count = count / THREADS as usize;
                scope.spawn(move || run(count, spec, |_, text| mutate(seeds, &mut random, text)))
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker does not panic")).collect::<Vec<_>>()
    });
    report("mutations", spec, results);
}
