//! Equal without a base is equal with every base, and one URI has one normal form (RFC 3986 2.3, 5.2.1, 6.1, 6.2.2.3;
//! RFC 2396 2.3, 6).

use std::thread;

use urimill::batch::{Column, Columns, Normalizer, Options, Reading, RfcOptions};
use urimill::compare::{Rung, compare_targets};
use urimill::explain::{self, explain};
use urimill::resolve::{Mode, normal_form};
use urimill::{Level, Spec, UriRef, normalize};

use crate::agreement::{one_reference, two_references};
use crate::letter::check_way_back;
use crate::meaning::meaning;
use crate::mutations::{Random, mutate, seeds};
use crate::shared;

fn parse(text: &str, spec: Spec) -> UriRef<'_> {
    UriRef::parse_as(text, spec).unwrap_or_else(|reject| panic!("{text:?} by {spec}: {reject}"))
}

/// The normal form of a reference's target at every level: none, case, percent, syntax, scheme.
#[test]
#[rustfmt::skip]
fn normal_forms_against_a_base() {
    use Mode::{Compatible, Strict};
    use Spec::{Rfc2396, Rfc3986, Rfc3986Errata};
    // (base, reference, specification, mode, forms, section)
    type Row = (&'static str, &'static str, Spec, Mode, [&'static str; 5], &'static str);
    let table: &[Row] = &[
        ("http://h/a/b/", "%2e%2e/..", Rfc3986, Strict,
            ["http://h/a/b/", "http://h/a/b/", "http://h/", "http://h/", "http://h/"], "2.3: %2E is a dot"),
        ("http://h/a/b/", "../..", Rfc3986, Strict, ["http://h/"; 5], "5.2.4"),
        ("http://h/a/%2e%2E/b", "c", Rfc3986, Strict,
            ["http://h/a/%2e%2E/c", "http://h/a/%2E%2E/c", "http://h/c", "http://h/c", "http://h/c"], "2.3: in the base too"),
        ("http://h/a/.%2e", "c", Rfc3986, Strict, ["http://h/a/c"; 5], "5.2.3: the last segment is left out whatever it is"),
        ("http://h/a/.%2e", "c", Rfc3986Errata, Strict,
            ["http://h/a/c", "http://h/a/c", "http://h/c", "http://h/c", "http://h/c"], "erratum 2933, 2.3"),
        ("http://h/a", "%2e%2e/%2e%2e/g", Rfc3986Errata, Strict,
            ["http://h/%2e%2e/%2e%2e/g", "http://h/%2E%2E/%2E%2E/g", "http://h/../../g", "http://h/g", "http://h/g"], "erratum 4547, 2.3"),
        ("http://h/a/b/", "%2e%2e/g", Rfc2396, Strict,
            ["http://h/a/b/%2e%2e/g", "http://h/a/b/%2E%2E/g", "http://h/a/g", "http://h/a/g", "http://h/a/g"], "RFC 2396 2.3"),
        ("http://h/a/b/", "/%2e%2e/g", Rfc2396, Strict,
            ["http://h/%2e%2e/g", "http://h/%2E%2E/g", "http://h/../g", "http://h/../g", "http://h/../g"], "RFC 2396 5.2, 5: dots stay"),
        ("foo:a/b", "%2E%2E/c", Rfc3986, Strict,
            ["foo:a/%2E%2E/c", "foo:a/%2E%2E/c", "foo:/c", "foo:/c", "foo:/c"], "5.2.4, C"),
        ("foo:a", "%2e//c", Rfc3986, Strict,
            ["foo:%2e//c", "foo:%2E//c", "foo:/c", "foo:/c", "foo:/c"], "5.2.4, A"),
        ("foo:a", "%2e///c", Rfc3986, Strict,
            ["foo:%2e///c", "foo:%2E///c", "foo:/.//c", "foo:/.//c", "foo:/.//c"], "5.2.4, A; 3.3: guarded"),
        ("http://h/a", "x:b/%2e/c", Rfc3986, Strict,
            ["x:b/%2e/c", "x:b/%2E/c", "x:b/c", "x:b/c", "x:b/c"], "5.2.2: a URI's dots go too"),
        ("amqp://v", "//h", Rfc3986, Strict, ["amqp://h"; 5], "6.2.3: the base brings a scheme that tells an empty path"),
        ("amqp://v", "//h/", Rfc3986, Strict, ["amqp://h/"; 5], "6.2.3"),
        ("http://v", "//h", Rfc3986, Strict,
            ["http://h", "http://h", "http://h", "http://h", "http://h/"], "6.2.3: and here one that does not"),
        ("file:/x/y", "a", Rfc3986, Strict,
            ["file:/x/a", "file:/x/a", "file:/x/a", "file:/x/a", "file:///x/a"], "3.2.2"),
        ("file://s/x", "//localhost/a", Rfc3986, Strict,
            ["file://localhost/a", "file://localhost/a", "file://localhost/a", "file://localhost/a", "file:///a"], "3.2.2"),
        // Without a base http:../g is http:g, so with one they are equal too.
        ("http://h/a/b/c", "http:../g", Rfc3986, Compatible,
            ["http://h/a/g", "http://h/a/g", "http://h/a/g", "http://h/a/b/g", "http://h/a/b/g"], "5.2.2, 6.2.2.3"),
        ("http://h/a/b/c", "http:g", Rfc3986, Compatible, ["http://h/a/b/g"; 5], "5.2.2"),
        ("http://h/a/b/c", "http://i/x/../y", Rfc3986, Compatible, ["http://i/y"; 5], "5.2.2"),
        ("http://h/a/b/c", "http:../g", Rfc2396, Compatible, ["http://h/a/g"; 5], "RFC 2396 5.2, 3: nothing is removed without a base"),
        ("file://s/x", "file:/a", Rfc3986, Compatible,
            ["file://s/a", "file://s/a", "file://s/a", "file://s/a", "file:///a"], "3.2.2: equal to file:///a without a base"),
    ];
    for (base, reference, spec, mode, forms, section) in table {
        let (base, reference) = (parse(base, *spec), parse(reference, *spec));
        for (level, expected) in Level::ALL.into_iter().zip(forms) {
            let shown = format!("{base} and {reference} at {level}, {mode:?}, {spec} ({section})");
            let got = normal_form(&base, &reference, *mode, level);
            assert_eq!(got.as_deref(), Ok(*expected), "{shown}");
            assert_eq!(meaning(&base, &reference, *mode, level), *expected, "{shown}");
            assert_eq!(in_a_table(&base, &reference, *mode, level), *expected, "{shown}");
            let options = explain::Options::new().spec(*spec).level(level).base(Some(base)).mode(*mode);
            let told = explain(reference.as_str(), &options).reference.expect("a reference");
            assert_eq!(told.normal, *expected, "{shown}");
            let resolution = told.resolution.expect("it has a base");
            let last = told.steps.last().map_or(&resolution.target, |step| &step.after);
            assert_eq!(last, expected, "{shown}");
        }
    }
}

/// The URI in a row of a table.
fn in_a_table(base: &UriRef, reference: &UriRef, mode: Mode, level: Level) -> String {
    let options = Options {
        reading: Reading::Rfc(RfcOptions { spec: base.spec(), mode, level, ..RfcOptions::default() }),
        columns: Columns::new([Column::Uri]),
        ..Options::default()
    };
    let options = options.with_base(base.as_str()).expect("a base");
    let (batch, _) = Normalizer::new(options)
        .array(&arrow::array::StringArray::from(vec![reference.as_str()]))
        .expect("a table");
    let uris = arrow::array::AsArray::as_string_view(&batch["uri"]);
    uris.value(0).to_owned()
}

/// (one, the other, base, rung without it, rung with it by each specification, section)
#[test]
#[rustfmt::skip]
fn rungs_with_and_without_a_base() {
    use Rung::{Different, Identical, Percent, Scheme};
    type Row = (&'static str, &'static str, &'static str, [Rung; 3], [Rung; 3], &'static str);
    let table: &[Row] = &[
        ("%2e%2e/..", "../..", "http://h/a/b/", [Percent; 3], [Percent; 3], "2.3"),
        ("%2e%2e/g", "../g", "http://h/a/b/", [Percent; 3], [Percent; 3], "2.3, RFC 2396 2.3"),
        ("//h", "//h/", "amqp://x", [Different; 3], [Different; 3], "6.2.3"),
        ("//h", "//h/", "http://x", [Different; 3], [Scheme, Scheme, Different], "6.2.3"),
        ("../c", "/c", "http://h/a/b", [Different; 3], [Identical; 3], "5.2.2"),
        // By the letter of section 5.2 they have one target; if %2E is a dot they do not.
        ("%2e%2e/../g", "g", "http://h/a/b/c", [Different; 3], [Different; 3], "5.2.4, 2.3"),
        ("file:/a", "file:///a", "file://s/b", [Scheme, Scheme, Different], [Scheme, Scheme, Different], "3.2.2"),
    ];
    for (a, b, base, alone, with_base, section) in table {
        for ((spec, alone), with_base) in Spec::ALL.into_iter().zip(alone).zip(with_base) {
            let (a, b, base) = (parse(a, spec), parse(b, spec), parse(base, spec));
            assert_eq!(urimill::compare(&a, &b), *alone, "{a} and {b} by {spec} ({section})");
            let got = compare_targets(&base, &a, &b, Mode::Strict);
            assert_eq!(got, Ok(*with_base), "{a} and {b} against {base} by {spec} ({section})");
        }
    }
}

/// The pieces that decide: dot segments in every spelling, delimiters, and scheme-specific parts.
const PIECES: &[&str] = &[
    "/",
    "/",
    "/",
    ".",
    "..",
    "../",
    "./",
    "%2e",
    "%2E%2e",
    ".%2e/",
    "a",
    "b",
    "//",
    ":",
    "?",
    "#",
    "%41",
    "%7e",
    "%2f",
    ";",
    "@",
    "B",
    "localhost",
    "%21",
];

const BASES: &[&str] = &[
    "x:",
    "x:a",
    "x:a/b",
    "x:a/%2e%2e/b",
    "x:../a",
    "x:a?b/c",
    "x:/",
    "x:/a/b",
    "x:/.//a",
    "x://h",
    "x://h/a/b",
    "x:///",
    "http://h",
    "http://h/a/b/c?q#f",
    "http://h/a/.%2E",
    "HTTP://U@H:80/a/",
    "file:",
    "file:a/b",
    "file:/a/b",
    "file:///a/b",
    "file://localhost/a",
    "file://s/a/b",
    "mailto:a@B",
    "urn:a:b/c",
    "amqp://h",
    "redis://:8/0",
    "http:/a/b",
    "http:a/b",
];

const HEADS: &[&str] = &[
    "",
    "",
    "",
    "",
    "",
    "/",
    "//h",
    "//",
    "//localhost",
    "//h:",
    "//[::0]",
    "?",
    "#",
    "x:",
    "X:",
    "x:/",
    "x://h",
    "http:",
    "HTTP:/",
    "http://h",
    "http://h:80",
    "file:",
    "file:/",
    "file://",
    "file://localhost",
    "file://:8",
    "file://@",
    "redis:",
    "mailto:",
    "a/b/",
];

fn text_of(heads: &[&str], random: &mut Random) -> Vec<u8> {
    let mut text = heads[random.below(heads.len())].as_bytes().to_vec();
    for _ in 0..random.below(8) {
        text.extend_from_slice(PIECES[random.below(PIECES.len())].as_bytes());
    }
    text
}

/// Another spelling that may mean the same.
fn respell(text: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(text.len() + 1);
    match (random.below(6), text.get(at).copied()) {
        (0, Some(byte)) => drop(text.splice(at..=at, format!("%{byte:02x}").bytes())),
        (1, Some(b'.')) => drop(text.splice(at..=at, *b"%2E")),
        (2, Some(b'/')) => drop(text.splice(at..at, *b"/.")),
        (3, Some(b'/')) => drop(text.splice(at..at, *b"/x/%2e.")),
        (4, Some(b'%')) if text[at..].to_ascii_lowercase().starts_with(b"%2e") => {
            drop(text.splice(at..at + 3, *b"."))
        }
        (5, Some(byte)) if byte.is_ascii_alphabetic() => text[at] ^= 0x20,
        (_, Some(_)) => {}
        (_, None) => text.push(b'/'),
    }
}

/// Checks `count` bases with two references each, by the three specifications in turn. Returns the number of bases that
/// have a scheme and whose first reference parses.
fn run(count: usize, seed: u64) -> usize {
    let (seeds, pages) = (seeds(), shared::pages().unwrap_or_default());
    let mut random = Random(seed);
    let (mut base, mut a, mut tried) = (Vec::new(), Vec::new(), 0);
    for number in 0..count {
        match random.below(4) {
            0 => mutate(&seeds, &mut random, &mut base),
            _ => base = text_of(BASES, &mut random),
        }
        match (random.below(8), pages.get(random.below(pages.len().max(1)))) {
            (0, Some((_, real))) => a.clone_from(real),
            (1, _) => mutate(&seeds, &mut random, &mut a),
            _ => a = text_of(HEADS, &mut random),
        }
        let spec = Spec::ALL[number % 3];
        let (Ok(base), Ok(one)) = (UriRef::parse_as(&base, spec), UriRef::parse_as(&a, spec)) else {
            continue;
        };
        if base.is_relative_reference() {
            continue;
        }
        tried += 1;
        one_reference(&base, &one);
        let target = urimill::resolve::resolve(&base, &one, Mode::Strict).expect("the base has a scheme");
        assert_eq!(check_way_back(&base, &one, &target), Ok(()), "{spec}");
        let mut b = a.clone();
        (0..=random.below(3)).for_each(|_| respell(&mut b, &mut random));
        if let Ok(other) = UriRef::parse_as(&b, spec) {
            two_references(&base, &one, &other);
        }
    }
    tried
}

#[test]
fn equal_references_have_equal_targets() {
    let tried = run(200_000, 0xE09A1);
    assert!(tried > 100_000, "only {tried}");
}

/// The same ten million times: equal references, one normal form, and the way back.
#[test]
#[ignore = "takes minutes"]
fn equal_references_have_equal_targets_ten_million_times() {
    const THREADS: u64 = 2;
    let tried: usize = thread::scope(|scope| {
        let workers: Vec<_> =
            (0..THREADS).map(|seed| scope.spawn(move || run(8_000_000, 0x0DDBA11 + seed))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker does not panic")).sum()
    });
    assert!(tried >= 10_000_000, "only {tried}");
}

/// Every short path against bases of every shape, by the slow way too.
#[test]
fn every_short_reference() {
    const SHORT: &[&str] = &["/", ".", "%2e", "a", ":", "?", "x:"];
    let bases =
        ["x:", "x:a/b", "x:%2e./a", "x:/a/b", "x://h", "x://h/a/.%2e", "file:/a/b", "http://h/%2e%2E/b"];
    let mut texts = vec![String::new()];
    let mut from = 0;
    for _ in 0..5 {
        let to = texts.len();
        for at in from..to {
            texts.extend(SHORT.iter().map(|piece| format!("{}{piece}", texts[at])).collect::<Vec<_>>());
        }
        from = to;
    }
    let mut tried = 0;
    for (number, text) in texts.iter().enumerate() {
        for spec in Spec::ALL {
            // A third of the bases each.
            for base in bases.iter().skip(number % 3).step_by(3) {
                let (Ok(base), Ok(reference)) = (UriRef::parse_as(base, spec), UriRef::parse_as(text, spec))
                else {
                    continue;
                };
                tried += 1;
                one_reference(&base, &reference);
                for mode in [Mode::Strict, Mode::Compatible] {
                    for level in Level::ALL {
                        let got = normal_form(&base, &reference, mode, level).expect("the base has a scheme");
                        assert_eq!(
                            got,
                            meaning(&base, &reference, mode, level),
                            "{base} and {reference} at {level}, {mode:?}, {spec}"
                        );
                    }
                }
            }
        }
    }
    assert!(tried > 50_000, "only {tried}");
}

/// The target of a reference against its own target.
#[test]
fn a_normal_form_needs_no_base() {
    let base = parse("http://h/a/b", Spec::Rfc3986);
    for text in ["foo:a/./b", "urn:a:b/../c", "http://h/a/b/%2e%2e/..", "file:/a", "x:.///b"] {
        let uri = parse(text, Spec::Rfc3986);
        for level in [Level::Syntax, Level::Scheme] {
            let with_base = normal_form(&base, &uri, Mode::Strict, level).expect("the base has a scheme");
            assert_eq!(with_base, normalize(&uri, level), "{text} at {level} (6.2.2.3)");
        }
    }
}
