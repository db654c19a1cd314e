//! String views of many parts at once: each kernel gives the views that arrow makes one by one.

use arrow::array::builder::make_view;
use urimill::simd::{Given, IN_SECOND, Isa, Parts, string_views};

use crate::Rng;

/// The part of a record with this number, by definition: offset, length, whether it exists.
fn part(given: Given<'_>, row: usize, from: u32, to: u32) -> (u32, u32, bool) {
    match given {
        Given::NotEmpty => (from, to - from, from != to),
        Given::Behind if from == to => (from, 0, false),
        Given::Behind => (from + 1, to - from - 1, true),
        Given::After(ends) => (from, to - from, from > ends[row] + 1),
    }
}

fn judge(texts: [&[u8]; 2], parts: &Parts<'_>) {
    let expected: Vec<(u128, bool)> = (0..parts.start.len())
        .map(|row| {
            let (second, start) = (parts.start[row] & IN_SECOND != 0, parts.start[row] & !IN_SECOND);
            let from = parts.from.map_or(0, |from| from[row]);
            let (from, len, is_given) = part(parts.given, row, from, parts.to[row]);
            let text = &texts[usize::from(second)][(start + from) as usize..][..len as usize];
            (make_view(text, u32::from(second), start + from), is_given)
        })
        .collect();
    for isa in Isa::available() {
        // Earlier contents of the memory must not show.
        let mut views = vec![u128::MAX; expected.len()];
        let mut given = vec![0xff; expected.len().div_ceil(8)];
        string_views(texts, parts, Some(isa), &mut views, &mut given);
        for (row, &expected) in expected.iter().enumerate() {
            let found = (views[row], given[row / 8] >> (row % 8) & 1 == 1);
            assert_eq!(found, expected, "{isa:?}, row {row} of {}: {parts:?}", views.len());
        }
    }
}

/// Every length up to 40 from every byte of a text at the end of its memory: nothing is readable around it.
#[test]
fn views_at_every_position_and_length_are_right() {
    let text: Vec<u8> = (b'!'..=b'~').cycle().take(64).collect();
    let places = (0..=64u32).flat_map(|from| (0..=40.min(64 - from)).map(move |len| (from, from + len)));
    let (from, to): (Vec<u32>, Vec<u32>) = places.unzip();
    let start = vec![0; from.len()];
    let after: Vec<u32> = (0..from.len() as u32).map(|row| row % 70).collect();
    for given in [Given::NotEmpty, Given::Behind, Given::After(&after)] {
        for second in [&text[..], &[]] {
            judge([&text, second], &Parts { start: &start, from: Some(&from), to: &to, given });
        }
    }
    // The records begin at byte 0, and the parts at the beginning of their records.
    let lengths: Vec<u32> = to.iter().zip(&from).map(|(to, from)| to - from).collect();
    judge([&text, &text], &Parts { start: &from, from: None, to: &lengths, given: Given::NotEmpty });
}

/// Records of two texts in any order, which may be short or empty, any number of them.
#[test]
fn views_of_two_buffers_are_right_for_any_number_of_records() {
    let mut rng = Rng(7);
    for count in 0..=100 {
        let texts = [0, 1].map(|_| -> Vec<u8> {
            let len = [0, 5, 15, 16, 17, 400, 400, 400, 400][rng.below(9)];
            (0..len).map(|_| rng.below(256) as u8).collect()
        });
        let (mut start, mut from, mut to, mut after) = (vec![], vec![], vec![], vec![]);
        for _ in 0..count {
            let second = rng.below(8) < count % 3 * 2;
            let room = texts[usize::from(second)].len();
            let begins = rng.below(room + 1);
            let part = rng.below(room - begins + 1).min(30);
            let len = rng.below(room - begins - part + 1).min(30);
            start.push(begins as u32 | if second { IN_SECOND } else { 0 });
            from.push(part as u32);
            to.push((part + len) as u32);
            after.push(rng.below(32) as u32);
        }
        for given in [Given::NotEmpty, Given::Behind, Given::After(&after)] {
            for from in [Some(&from[..]), None] {
                judge([&texts[0], &texts[1]], &Parts { start: &start, from, to: &to, given });
            }
        }
    }
}

#[test]
#[should_panic(expected = "range")]
fn a_span_outside_its_text_is_refused() {
    let parts = Parts { start: &[3; 32], from: None, to: &[30; 32], given: Given::NotEmpty };
    string_views([b"too short"; 2], &parts, None, &mut [0; 32], &mut [0; 4]);
}

#[test]
#[should_panic(expected = "a length")]
fn arrays_of_other_lengths_are_refused() {
    let parts = Parts { start: &[0; 32], from: None, to: &[0; 31], given: Given::NotEmpty };
    string_views([&[]; 2], &parts, None, &mut [0; 32], &mut [0; 4]);
}
