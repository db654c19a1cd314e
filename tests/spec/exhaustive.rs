//! urimill against the oracle on every short string over an alphabet rich in delimiters.

use std::fmt::Debug;

use urimill::Spec;
use urimill::explain::bulk::required;
use urimill::uri::Start;

use crate::abnf::{grammar, read};
use crate::automaton::Automaton;
use crate::compare::{compare, compare_by};
use crate::oracle::{Parts, oracle};

/// Each delimiter, each role of a letter or digit (scheme, hexadecimal, IPvFuture, either case), bytes that no
/// component allows, and the two bytes of an `é`, alone and together.
const ALPHABET: &[u8] = b":/?#@[]%.a1AfgvV-+!\\\xC3\xA9";
const LONGEST: usize = 4;

/// Contexts that such short strings do not reach by themselves.
const BEFORE: &[&[u8]] = &[
    b"", b"http://", b"//", b"//[", b"//[::", b"//[v1.", b"//a@", b"//a:", b"//[::1]", b"a:", b"a%", b"a:/",
    b"a?", b"a#",
];

/// Contexts to be filled up to a block's end, and the byte to fill them with.
const BEFORE_A_LONG_PART: &[(&[u8], u8)] = &[
    (b"", b'a'),
    (b"", b'1'),
    (b"", b'/'),
    (b"http://", b'a'),
    (b"http://", b'-'),
    (b"http://a@", b'a'),
    (b"http://h:", b'1'),
    (b"http://a:", b'b'),
    (b"http://[v1.", b'a'),
    (b"http://h/", b'.'),
    (b"/a", b'/'),
    (b"?", b'?'),
    (b"#", b'/'),
];

/// Calls `visit` with `text` and all its extensions by at most `more` bytes.
fn each_extension(text: &mut Vec<u8>, more: usize, visit: &mut impl FnMut(&[u8])) {
    visit(text);
    if more > 0 {
        for &byte in ALPHABET {
            text.push(byte);
            each_extension(text, more - 1, visit);
            text.pop();
        }
    }
}

/// The number of checked strings and of differences, and the first differences.
#[derive(Default)]
pub(crate) struct Tally {
    checked: usize,
    failed: usize,
    shown: Vec<String>,
}

impl Tally {
    pub(crate) fn add(&mut self, result: Result<(), String>) {
        self.checked += 1;
        if let Err(difference) = result {
            self.failed += 1;
            if self.shown.len() < 20 {
                self.shown.push(difference);
            }
        }
    }

    pub(crate) fn expect<T: PartialEq + Debug>(&mut self, expected: T, got: T, text: &str, section: &str) {
        let differs = || format!("{text:?} ({section}): {expected:?} expected, got {got:?}");
        self.add(if expected == got { Ok(()) } else { Err(differs()) });
    }

    /// Fails if there was a difference, or if the loops checked another number than planned.
    pub(crate) fn finish(self, at_least: usize) {
        let Tally { checked, failed, shown } = self;
        assert!(failed == 0, "{failed} of {checked} differ:\n{}", shown.join("\n"));
        assert!(checked >= at_least, "only {checked} checked");
    }
}

/// The offset belongs to the form that is asked for: `1:b` has no scheme from its first byte on (3, 4.3; RFC 2396 3).
#[test]
fn the_first_byte_that_no_derivation_of_a_form_accepts() {
    let mut tally = Tally::default();
    for spec in Spec::ALL {
        let grammar = read(&grammar(spec));
        for (start, rule, rule_of_rfc2396) in
            [(Start::Uri, "URI", "absoluteURI"), (Start::AbsoluteUri, "absolute-URI", "absoluteURI")]
        {
            let rule = if spec == Spec::Rfc2396 { rule_of_rfc2396 } else { rule };
            let automaton = Automaton::new(&grammar, rule);
            for before in BEFORE {
                each_extension(&mut before.to_vec(), LONGEST - 2, &mut |text| {
                    let expected = match automaton.run(text) {
                        (true, _) => None,
                        (false, viable) => Some(viable),
                    };
                    let got = required(text, start, spec).err().map(|reject| reject.offset);
                    let named = String::from_utf8_lossy(text);
                    tally.expect(expected, got, &named, &format!("{rule} by {spec}"));
                });
            }
        }
    }
    tally.finish(6 * BEFORE.len() * ALPHABET.len());
}

#[test]
fn every_short_string() {
    let mut tally = Tally::default();
    for before in BEFORE {
        each_extension(&mut before.to_vec(), LONGEST - 1, &mut |text| {
            for spec in Spec::ALL {
                tally.add(compare_by(text, spec));
            }
        });
    }
    for before in [&b""[..], b"http://", b"//[::", b"//a@", b"a:"] {
        each_extension(&mut before.to_vec(), LONGEST, &mut |text| tally.add(compare(text)));
    }
    tally.finish(1_000_000);
}

/// A reader that looks at 64 bytes at a time can fail at the end of a block: the same strings across the ends of the
/// first and second block, in each component, with and without something after them.
#[test]
fn every_short_string_across_the_end_of_a_block() {
    let mut tally = Tally::default();
    for (before, filler) in BEFORE_A_LONG_PART {
        for start in (61..=65).chain(125..=129) {
            let mut text = before.to_vec();
            text.resize(start, *filler);
            each_extension(&mut text, LONGEST - 2, &mut |text| {
                for behind in [&b""[..], b"4b/c?d#e%41", b"@h:1", b"]"] {
                    for spec in Spec::ALL {
                        tally.add(compare_by(&[text, behind].concat(), spec));
                    }
                }
            });
        }
    }
    tally.finish(150_000);
}

/// Scheme, authority, userinfo, host, port, path, query and fragment by fluent-uri.
fn by_fluent_uri(text: &str) -> Option<[Option<&str>; 8]> {
    let uri = fluent_uri::UriRef::parse(text).ok()?;
    let authority = uri.authority();
    Some([
        uri.scheme().map(|scheme| scheme.as_str()),
        authority.map(|authority| authority.as_str()),
        authority.and_then(|authority| authority.userinfo()).map(|userinfo| userinfo.as_str()),
        authority.map(|authority| authority.host()),
        authority.and_then(|authority| authority.port()).map(|port| port.as_str()),
        Some(uri.path().as_str()),
        uri.query().map(|query| query.as_str()),
        uri.fragment().map(|fragment| fragment.as_str()),
    ])
}

fn by_oracle(text: &str) -> Option<[Option<&str>; 8]> {
    let Parts { scheme, authority, userinfo, host, port, path, query, fragment, .. } =
        oracle().answer(text.as_bytes()).ok()?;
    Some([scheme, authority, userinfo, host, port, Some(path), query, fragment])
}

/// fluent-uri implements the same grammar: if the oracle and it agree, neither misread Appendix A.
#[test]
fn the_oracle_agrees_with_fluent_uri() {
    let mut tally = Tally::default();
    for before in BEFORE {
        each_extension(&mut before.to_vec(), LONGEST - 1, &mut |text| {
            if let Ok(text) = std::str::from_utf8(text) {
                tally.expect(by_oracle(text), by_fluent_uri(text), text, "the oracle and fluent-uri");
            }
        });
    }
    tally.finish(50_000);
}
