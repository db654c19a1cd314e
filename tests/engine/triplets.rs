//! What the triplets of a text stand for (RFC 3986, 2.1): each kernel says what a walk over the bytes does.

use urimill::simd::{Isa, TripletKinds, survey_triplets};

use crate::Rng;

/// A kind for each bit, so that every octet shows.
const KINDS: [TripletKinds; 7] = {
    let mut kinds = [[0; 128]; 7];
    let mut octet = 0;
    while octet < 7 * 128 {
        kinds[octet / 128][octet % 128] = ((octet % 128) >> (octet / 128) & 1) as u8 * 0x81;
        octet += 1;
    }
    kinds
};

/// By the letter of `pct-encoded = "%" HEXDIG HEXDIG`.
fn walk(text: &[u8], kinds: &TripletKinds) -> (u8, bool) {
    let (mut found, mut has_lower) = (0, false);
    for window in text.windows(3).filter(|window| window[0] == b'%') {
        let Some(octet) = std::str::from_utf8(&window[1..])
            .ok()
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
        else {
            continue;
        };
        found |= kinds.get(usize::from(octet)).copied().unwrap_or(0);
        has_lower |= window[1..].iter().any(u8::is_ascii_lowercase);
    }
    (found, has_lower)
}

fn judge(text: &[u8]) {
    for kinds in &KINDS {
        let expected = walk(text, kinds);
        for isa in Isa::available() {
            assert_eq!(survey_triplets(text, kinds, Some(isa)), expected, "{isa:?}: {}", text.escape_ascii());
        }
    }
}

#[test]
fn every_pair_of_bytes_behind_a_percent_sign() {
    for high in 0..=255 {
        for low in 0..=255 {
            judge(&[b'%', high, low]);
        }
    }
}

#[test]
fn a_triplet_at_every_place_and_its_ends() {
    for len in 0..=200 {
        for at in 0..len {
            for (mark, behind) in
                [("%7e", "a"), ("%41", "%"), ("%4", "g"), ("%", "%3D"), ("%%25", "~"), ("%c3%A9", "0")]
            {
                let mut text = vec![b'a'; at];
                text.extend(mark.bytes().chain(behind.bytes().cycle()).take(len - at));
                judge(&text);
            }
        }
    }
}

#[test]
fn triplets_and_what_resembles_them() {
    let mut rng = Rng(3);
    for _ in 0..20_000 {
        let len = rng.below(150);
        let text: Vec<u8> =
            (0..len).map(|_| b"%%%%0123456789abcdefABCDEFg/\x80\xff"[rng.below(30)]).collect();
        judge(&text);
    }
}
