//! The bytes that the triplets of a text encode (RFC 3986, 2.1): each kernel gives the result of a loop over the bytes.

use urimill_uri::simd::{Isa, TripletKinds, TripletSurvey, survey_triplets};

use urimill_testkit::random::Random;

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

/// By the rule `pct-encoded = "%" HEXDIG HEXDIG`.
fn octet(text: &[u8]) -> Option<u8> {
    let digits = text.strip_prefix(b"%")?.get(..2)?;
    let digits =
        std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u8::from_str_radix(digits, 16).ok()
}

/// RFC 3629, 3: the second octet of these forms holds the highest bits of a character that needs fewer octets.
fn is_overlong(first: u8, second: u8) -> bool {
    match (first, second) {
        (0xc0 | 0xc1, 0x80..=0xbf) | (0xe0, 0x80..=0x9f) | (0xf0, 0x80..=0x8f) => true,
        // The forms of five and six octets are of RFC 2279.
        (0xf8, 0x80..=0x87) | (0xfc, 0x80..=0x83) => true,
        _ => false,
    }
}

fn walk(text: &[u8], kinds: &TripletKinds) -> TripletSurvey {
    let mut found = TripletSurvey::default();
    for at in 0..text.len() {
        let Some(octet) = octet(&text[at..]) else { continue };
        found.kinds |= kinds.get(usize::from(octet)).copied().unwrap_or(0);
        found.has_lower |= text[at + 1..at + 3].iter().any(u8::is_ascii_lowercase);
        found.has_overlong |= self::octet(&text[at + 3..]).is_some_and(|second| is_overlong(octet, second));
    }
    found
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
fn every_pair_of_bytes_after_a_percent_sign_is_classified() {
    for high in 0..=255 {
        for low in 0..=255 {
            judge(&[b'%', high, low]);
        }
    }
}

#[test]
fn a_triplet_is_found_at_every_position() {
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
fn random_triplets_match_a_bytewise_walk() {
    let mut rng = Random(3);
    for _ in 0..20_000 {
        let len = rng.below(150);
        let text: Vec<u8> =
            (0..len).map(|_| b"%%%%0123456789abcdefABCDEFg/\x80\xff"[rng.below(30)]).collect();
        judge(&text);
    }
}

/// Over-long forms, and sequences that resemble them, at every position of a block and of the next one.
#[test]
fn every_pair_of_encoded_octets_is_classified() {
    for first in 0..=255u8 {
        for second in 0..=255u8 {
            let at = 55 + usize::from(first ^ second) % 16;
            let mut text = vec![b'a'; at];
            text.extend(format!("%{first:02X}%{second:02x}").into_bytes());
            let expected = walk(&text, &KINDS[0]);
            assert_eq!(expected.has_overlong, is_overlong(first, second));
            for isa in Isa::available() {
                let found = survey_triplets(&text, &KINDS[0], Some(isa));
                assert_eq!(found, expected, "{isa:?}: {}", text.escape_ascii());
            }
        }
    }
    for at in 0..=130 {
        for form in ["%C0%AF", "%e0%80%AF", "%F0%80%80%AF", "%E0%A0%80", "%F0%9F%98%80", "%C0a%80", "%E0%8"] {
            let mut text = vec![b'a'; at];
            text.extend(form.bytes());
            judge(&text);
        }
    }
}
