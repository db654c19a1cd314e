//! The run of text that a path, a query or a fragment can hold (RFC 3986, 3.3 to 3.5; RFC 2396, 2 and 3.4): each kernel
//! gives the result of a loop over the bytes.

use urimill_uri::grammar::Spec;
use urimill_uri::simd::{Isa, text_run};

use urimill_testkit::random::Random;

/// `query = *( pchar / "/" / "?" )` and `uric = reserved | unreserved | escaped`, letters, digits and triplets apart.
const TEXTS: [(Spec, &[u8]); 2] =
    [(Spec::Rfc3986, b"-._~!$&'()*+,;=:@/?"), (Spec::Rfc2396, b"-_.!~*'();/?:@&=+$,")];

/// The length up to the first byte that is neither one of the characters nor a percent sign; `None` if a percent sign
/// before it is not followed by two digits.
fn walk(text: &[u8], others: &[u8]) -> usize {
    let is_text = |byte: &u8| byte.is_ascii_alphanumeric() || others.contains(byte) || *byte == b'%';
    let run = &text[..text.iter().position(|byte| !is_text(byte)).unwrap_or(text.len())];
    let is_broken = |at: usize| {
        run[at] == b'%'
            && !run.get(at + 1..at + 3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    if (0..run.len()).any(is_broken) { 0 } else { run.len() }
}

fn judge(text: &[u8]) {
    for (spec, others) in TEXTS {
        let expected = walk(text, others);
        for isa in Isa::available() {
            let run = text_run(text, (spec, Some(isa)));
            assert_eq!(run, expected, "{isa:?}, {spec:?}: {}", text.escape_ascii());
        }
    }
}

#[test]
fn every_byte_at_every_position_is_seen() {
    for byte in 0..=255 {
        for at in 0..=130 {
            let mut text = vec![b'a'; 131];
            text[at] = byte;
            judge(&text);
            judge(&text[..=at]);
        }
    }
}

#[test]
fn a_triplet_or_a_fault_at_every_position_is_seen() {
    for what in ["%7e", "%4", "%", "%%25", "%4g", "%g4", "%41#", "%4#1", "%#41", "% 41", "%41\u{e9}"] {
        for at in 0..=130 {
            for behind in 0..4 {
                judge(&[&vec![b'a'; at], what.as_bytes(), &vec![b'0'; behind]].concat());
            }
        }
    }
}

#[test]
fn texts_of_every_length_match_a_bytewise_walk() {
    let mut rng = Random(5);
    for round in 0..20_000 {
        let len = rng.below(300);
        // A byte that ends the run is rare, so that some runs are long.
        let bytes: &[u8] = if round % 2 == 0 { b"abc/?%41%2f;" } else { b"abc/?=&;%41%2fF# \x80|\n" };
        let text: Vec<u8> = (0..len)
            .map(|_| bytes[if rng.below(40) == 0 { rng.below(bytes.len()) } else { rng.below(5) }])
            .collect();
        judge(&text);
    }
}
