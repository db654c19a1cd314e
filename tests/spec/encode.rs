//! Percent-encoding (RFC 3986 section 2; RFC 2396 section 2): the characters of each component, one by one, compared
//! with the ABNF of both; and that encoding loses nothing.

use std::borrow::Cow;
use std::collections::HashMap;

use urimill::encode::{Fault, FaultKind, Part, decode, decode_leniently, decode_part, encode, encode_rest};
use urimill::{Spec, UriRef};

use crate::abnf::{grammar, read};
use crate::automaton::Automaton;
use crate::mutations::{Random, mutate, seeds};
use crate::shared;

const MUTATIONS: usize = 200_000;

/// The rule of a component's whole text; and the characters that are excluded from it because they are delimiters of
/// the surrounding text.
#[rustfmt::skip]
const RULES: &[(Part, Spec, &str, &str)] = &[
    (Part::Userinfo, Spec::Rfc3986, "userinfo", ""),
    (Part::Userinfo, Spec::Rfc3986Errata, "userinfo", ""),
    (Part::Userinfo, Spec::Rfc2396, "userinfo", ""),
    (Part::Host, Spec::Rfc3986, "reg-name", ""),
    (Part::Host, Spec::Rfc3986Errata, "reg-name", ""),
    (Part::Host, Spec::Rfc2396, "reg-name", ":@"),
    (Part::Path, Spec::Rfc3986, "path", ""),
    (Part::Path, Spec::Rfc3986Errata, "path", ""),
    (Part::Path, Spec::Rfc2396, "path-segments", ""),
    (Part::Segment, Spec::Rfc3986, "segment", ""),
    (Part::Segment, Spec::Rfc3986Errata, "segment", ""),
    (Part::Segment, Spec::Rfc2396, "segment", ""),
    (Part::FirstSegment, Spec::Rfc3986, "segment-nz-nc", ""),
    (Part::FirstSegment, Spec::Rfc3986Errata, "segment-nz-nc", ""),
    (Part::FirstSegment, Spec::Rfc2396, "rel-segment", ""),
    (Part::Query, Spec::Rfc3986, "query", ""),
    (Part::Query, Spec::Rfc3986Errata, "query", ""),
    (Part::Query, Spec::Rfc2396, "query", ""),
    (Part::QueryValue, Spec::Rfc3986, "query", "&;=+"),
    (Part::QueryValue, Spec::Rfc3986Errata, "query", "&;=+"),
    (Part::QueryValue, Spec::Rfc2396, "query", "&;=+"),
    (Part::Fragment, Spec::Rfc3986, "fragment", ""),
    (Part::Fragment, Spec::Rfc3986Errata, "fragment", ""),
    (Part::Fragment, Spec::Rfc2396, "fragment", ""),
    (Part::Unreserved, Spec::Rfc3986, "unreserved", ""),
    (Part::Unreserved, Spec::Rfc3986Errata, "unreserved", ""),
    (Part::Unreserved, Spec::Rfc2396, "unreserved", ""),
];

/// The automaton of each row of [`RULES`].
fn automata() -> HashMap<(Part, Spec), (Automaton, &'static str)> {
    let automaton = |&(part, spec, rule, without): &(Part, Spec, &str, &'static str)| {
        ((part, spec), (Automaton::new(&read(&grammar(spec)), rule), without))
    };
    let automata: HashMap<_, _> = RULES.iter().map(automaton).collect();
    assert_eq!(automata.len(), Part::ALL.len() * Spec::ALL.len(), "a component without a rule");
    automata
}

/// RFC 3986 3.2.2: triplets in a host encode UTF-8 and nothing else. RFC 2396 has no such rule.
fn takes_utf8_alone(part: Part, spec: Spec) -> bool {
    part == Part::Host && spec != Spec::Rfc2396
}

#[test]
#[rustfmt::skip]
fn a_host_takes_utf8_alone() {
    // (data, triplets kept, specification, text or the byte that is wrong)
    type Row<'a> = (&'a [u8], bool, Spec, Result<&'a str, usize>);
    let table: &[Row<'_>] = &[
        (b"\xff", false, Spec::Rfc3986, Err(0)),
        (b"b\xfccher.de", false, Spec::Rfc3986, Err(1)),
        (b"b\xfccher.de", false, Spec::Rfc3986Errata, Err(1)),
        (b"b\xfccher.de", false, Spec::Rfc2396, Ok("b%FCcher.de")),
        (b"b\xc3\xbccher.de", false, Spec::Rfc3986, Ok("b%C3%BCcher.de")),
        (b"b\xc3", false, Spec::Rfc3986, Err(1)),
        (b"\xed\xa0\x80", false, Spec::Rfc3986, Err(0)),
        (b"\xc0\xaf", false, Spec::Rfc3986, Err(0)),
        (b"%FF", false, Spec::Rfc3986, Ok("%25FF")),
        (b"%FF", true, Spec::Rfc3986, Err(0)),
        (b"b%fccher.de", true, Spec::Rfc3986, Err(1)),
        (b"b%C3%BCcher.de", true, Spec::Rfc3986, Ok("b%C3%BCcher.de")),
        (b"b%C3\xbccher.de", true, Spec::Rfc3986, Ok("b%C3%BCcher.de")),
        (b"b%C3", true, Spec::Rfc3986, Err(1)),
        (b"%C3%BC%BC", true, Spec::Rfc3986, Err(6)),
        (b"100%", true, Spec::Rfc3986, Ok("100%25")),
        (b"%C3%", true, Spec::Rfc3986, Err(0)),
        (b"%FF", true, Spec::Rfc2396, Ok("%FF")),
    ];
    for &(data, keeps, spec, expected) in table {
        let encode = if keeps { encode_rest } else { encode };
        let expected = expected.map_err(|offset| Fault { kind: FaultKind::NotUtf8, offset });
        assert_eq!(encode(data, Part::Host, spec).as_deref(), expected.as_ref().copied(), "{}", data.escape_ascii());
    }
}

/// All bytes × components × specifications: a byte is not encoded exactly if the rule matches it alone.
#[test]
fn every_byte_stands_for_itself_where_the_grammar_says_so() {
    for ((part, spec), (automaton, without)) in automata() {
        for byte in 0..=255u8 {
            let expected = automaton.matches([byte]) && !without.as_bytes().contains(&byte);
            assert_eq!(part.holds(byte, spec), expected, "{part} by {spec}: byte {byte:#04x}");
            let data = [byte];
            let encoded = encode(&data, part, spec);
            if takes_utf8_alone(part, spec) && byte >= 0x80 {
                let fault = Fault { kind: FaultKind::NotUtf8, offset: 0 };
                assert_eq!(encoded, Err(fault), "{part} by {spec}: byte {byte:#04x}");
                continue;
            }
            let encoded = encoded.expect("bytes that it can hold");
            let triplet = format!("%{byte:02X}");
            let text = if expected { char::from(byte).to_string() } else { triplet };
            assert_eq!(encoded, text, "{part} by {spec}: byte {byte:#04x}");
            assert_eq!(matches!(encoded, Cow::Borrowed(_)), expected, "{part} by {spec}: byte {byte:#04x}");
            let decoded = decode_part(&data, part, spec);
            let fault = match byte {
                b'%' => Fault { kind: FaultKind::PercentTruncated, offset: 1 },
                _ => Fault { kind: FaultKind::OutsidePart, offset: 0 },
            };
            let back = if expected { Ok(&data[..]) } else { Err(fault) };
            assert_eq!(decoded.as_deref(), back.as_ref().copied(), "{part} by {spec}: byte {byte:#04x}");
        }
    }
}

#[test]
#[rustfmt::skip]
fn data_as_it_stands_in_a_component() {
    // (data, component, specification, text, section)
    let table: &[(&str, Part, Spec, &str, &str)] = &[
        ("", Part::Path, Spec::Rfc3986, "", "2.1"),
        (" ", Part::Path, Spec::Rfc3986, "%20", "2.1: a space"),
        ("A", Part::Segment, Spec::Rfc3986, "A", "2.5"),
        ("\u{C0}", Part::Segment, Spec::Rfc3986, "%C3%80", "2.5: LATIN CAPITAL LETTER A WITH GRAVE"),
        ("\u{30A2}", Part::Segment, Spec::Rfc3986, "%E3%82%A2", "2.5: KATAKANA LETTER A"),
        ("100%", Part::Query, Spec::Rfc3986, "100%25", "2.4: a percent sign is data"),
        ("%41", Part::Query, Spec::Rfc3986, "%2541", "2.4: and so is what looks like a triplet"),
        ("%41", Part::Query, Spec::Rfc2396, "%2541", "RFC 2396 2.4.2-3"),
        ("a/b?c#d", Part::Segment, Spec::Rfc3986, "a%2Fb%3Fc%23d", "2.2: reserved data"),
        ("a/b?c#d", Part::Path, Spec::Rfc3986, "a/b%3Fc%23d", "3.3"),
        ("a/b?c#d", Part::Query, Spec::Rfc3986, "a/b?c%23d", "3.4: slashes and question marks"),
        ("a/b?c#d", Part::Fragment, Spec::Rfc3986, "a/b?c%23d", "3.5"),
        ("a/b?c#d", Part::Unreserved, Spec::Rfc3986, "a%2Fb%3Fc%23d", "2.3"),
        ("u:p@h", Part::Userinfo, Spec::Rfc3986, "u:p%40h", "3.2.1"),
        ("h:80", Part::Host, Spec::Rfc3986, "h%3A80", "3.2.2: a colon would begin a port"),
        ("h:80", Part::Host, Spec::Rfc2396, "h%3A80", "RFC 2396 3.2.2"),
        ("a,b", Part::Host, Spec::Rfc3986, "a,b", "3.2.2"),
        ("a,b", Part::Host, Spec::Rfc3986Errata, "a%2Cb", "3.2.2, erratum 4942"),
        ("[::1]", Part::Host, Spec::Rfc3986, "%5B%3A%3A1%5D", "3.2.2: a name, not an address"),
        ("a:b", Part::FirstSegment, Spec::Rfc3986, "a%3Ab", "4.2: a colon would end a scheme"),
        ("a:b", Part::Segment, Spec::Rfc3986, "a:b", "3.3"),
        ("a&b=c;d+e", Part::QueryValue, Spec::Rfc3986, "a%26b%3Dc%3Bd%2Be", "3.4, 2.2"),
        ("http://h/?q", Part::QueryValue, Spec::Rfc3986, "http://h/?q", "3.4: a URI as a value needs no more"),
        ("(a*b)!", Part::Unreserved, Spec::Rfc3986, "%28a%2Ab%29%21", "2.3, D.2: marks are reserved now"),
        ("(a*b)!", Part::Unreserved, Spec::Rfc2396, "(a*b)!", "RFC 2396 2.3"),
        ("{}|\\^[]`<>\"", Part::Query, Spec::Rfc2396, "%7B%7D%7C%5C%5E%5B%5D%60%3C%3E%22", "RFC 2396 2.4.3"),
    ];
    for (data, part, spec, expected, section) in table {
        let encoded = encode(data, *part, *spec).expect("UTF-8");
        assert_eq!(encoded, *expected, "{data:?} in {part} by {spec} ({section})");
        assert_eq!(decode(&encoded).as_deref(), Ok(data.as_bytes()), "{data:?} ({section})");
    }
}

#[test]
#[rustfmt::skip]
fn a_text_that_is_encoded_in_part() {
    // (text, with the rest encoded): RFC 3986 2.4, RFC 2396 2.4.2-3: never twice
    let table: &[(&str, &str)] = &[
        ("%41", "%41"),
        ("%7e%7E", "%7e%7E"),
        ("a b%20c", "a%20b%20c"),
        ("%", "%25"),
        ("%4", "%254"),
        ("%4g", "%254g"),
        ("%%41", "%25%41"),
        ("%4%41", "%254%41"),
        ("%%%", "%25%25%25"),
        ("100% \u{E9}%C3%A9", "100%25%20%C3%A9%C3%A9"),
        ("\u{E9}%", "%C3%A9%25"),
        ("/a/b/c/d/e/f/g/h/%20/i j", "/a/b/c/d/e/f/g/h/%20/i%20j"),
    ];
    for (text, expected) in table {
        let encoded = encode_rest(text, Part::Path, Spec::Rfc3986).expect("no host");
        assert_eq!(encoded, *expected, "{text:?}");
        let again = encode_rest(&encoded, Part::Path, Spec::Rfc3986);
        assert!(matches!(again, Ok(Cow::Borrowed(same)) if same == *expected), "{text:?}: twice is once");
    }
}

#[test]
#[rustfmt::skip]
fn texts_that_are_no_encoding() {
    use FaultKind::{PercentInvalidDigit, PercentTruncated};
    // (text, fault, its offset, the result of a lenient decoder): RFC 3986 2.1
    let table: &[(&str, FaultKind, usize, &str)] = &[
        ("%", PercentTruncated, 1, "%"),
        ("%4", PercentTruncated, 2, "%4"),
        ("%g", PercentInvalidDigit, 1, "%g"),
        ("%4g", PercentInvalidDigit, 2, "%4g"),
        ("%g4", PercentInvalidDigit, 1, "%g4"),
        ("%%41", PercentInvalidDigit, 1, "%A"),
        ("%41%", PercentTruncated, 4, "A%"),
        ("abcdefghij%41%4", PercentTruncated, 15, "abcdefghijA%4"),
        ("100%/50%25", PercentInvalidDigit, 4, "100%/50%"),
        ("%4\u{E9}", PercentInvalidDigit, 2, "%4\u{E9}"),
        ("% 1", PercentInvalidDigit, 1, "% 1"),
        ("%+1", PercentInvalidDigit, 1, "%+1"),
        ("%u0041", PercentInvalidDigit, 1, "%u0041"),
    ];
    for (text, kind, offset, lenient) in table {
        assert_eq!(decode(text), Err(Fault { kind: *kind, offset: *offset }), "{text:?}");
        assert_eq!(*decode_leniently(text), *lenient.as_bytes(), "{text:?}");
    }
    // (text, component, offset): texts that are not split yet, or never were encoded (2.4)
    let table: &[(&str, Part, usize)] = &[
        ("a/b", Part::Segment, 1), ("a?b", Part::Path, 1), ("a%20#b", Part::Query, 4), ("a=1&b=2", Part::QueryValue, 1),
        ("u@h", Part::Userinfo, 1), ("h:80", Part::Host, 1), ("a b", Part::Fragment, 1), ("\u{E9}", Part::Path, 0),
        ("x:y", Part::FirstSegment, 1), ("a+b", Part::QueryValue, 1), ("abcdefgh%41!", Part::Unreserved, 11),
    ];
    for (text, part, offset) in table {
        let fault = Fault { kind: FaultKind::OutsidePart, offset: *offset };
        assert_eq!(decode_part(text, *part, Spec::Rfc3986), Err(fault), "{text:?} as {part}");
    }
    assert_eq!(*decode("a+b c\u{E9}%2b").expect("triplets alone are looked at"), *"a+b c\u{E9}+".as_bytes());
}

/// Texts that are not changed are not copied.
#[test]
fn nothing_is_copied_without_need() {
    let text = "/over/there;v=1/~user/index.html";
    assert!(matches!(encode(text, Part::Path, Spec::Rfc3986), Ok(Cow::Borrowed(same)) if same == text));
    assert!(matches!(decode(text), Ok(Cow::Borrowed(same)) if same == text.as_bytes()));
    assert!(matches!(decode_part(text, Part::Path, Spec::Rfc3986), Ok(Cow::Borrowed(_))));
    let text = "/%7Euser/%2F";
    assert!(matches!(encode_rest(text, Part::Path, Spec::Rfc3986), Ok(Cow::Borrowed(same)) if same == text));
    assert!(matches!(decode_leniently("100% of it"), Cow::Borrowed(_)));
}

#[test]
fn parts_have_stable_names() {
    let names = "userinfo host path segment first-segment query query-value fragment unreserved";
    assert_eq!(Part::ALL.map(Part::as_str).join(" "), names);
    for part in Part::ALL {
        assert_eq!(part.as_str().parse::<Part>().ok(), Some(part));
    }
    let error = "scheme".parse::<Part>().expect_err("a scheme holds no triplets (3.1)").to_string();
    assert!(error.contains("\"scheme\"") && error.contains("first-segment"), "{error}");
}

/// Any bytes, as data for every component: the result is such a component by its rule, and decodes to the data. Two
/// other libraries agree where they do the same work.
#[test]
fn any_data_survives_in_any_component() {
    let (seeds, automata) = (seeds(), automata());
    let mut random = Random(0xE5CA9E);
    let mut data = Vec::new();
    for _ in 0..MUTATIONS {
        mutate(&seeds, &mut random, &mut data);
        let part = Part::ALL[random.below(Part::ALL.len())];
        let spec = Spec::ALL[random.below(Spec::ALL.len())];
        let complain = |what: &str| format!("{what}: \"{}\" in {part} by {spec}", data.escape_ascii());
        let (automaton, without) = &automata[&(part, spec)];

        let utf8 = std::str::from_utf8(&data);
        if let (true, Err(error)) = (takes_utf8_alone(part, spec), utf8) {
            let fault = Fault { kind: FaultKind::NotUtf8, offset: error.valid_up_to() };
            assert_eq!(encode(&data, part, spec), Err(fault), "{}", complain("no UTF-8"));
        }
        // A host's text must be UTF-8 once its triplets are decoded.
        let meaning = decode_leniently(&data);
        let is_host = takes_utf8_alone(part, spec);
        assert_eq!(
            encode_rest(&data, part, spec).is_ok(),
            !is_host || std::str::from_utf8(&meaning).is_ok(),
            "{}",
            complain("encode_rest")
        );
        let (Ok(encoded), Ok(rest)) = (encode(&data, part, spec), encode_rest(&data, part, spec)) else {
            continue;
        };
        let fits = |text: &str| {
            // The rule of one unreserved character is for one; some rules want at least one character.
            let fits = part == Part::Unreserved || text.is_empty() || automaton.matches(text);
            fits && !text.contains(|c| without.contains(c))
        };
        // A path that begins with two slashes comes after an authority alone (3.3).
        let path_fits = |text: &str| part == Part::Path && text.starts_with("//");
        assert!(fits(&encoded) || path_fits(&encoded), "{}: {encoded}", complain("not in the grammar"));
        assert_eq!(decode(&encoded).as_deref(), Ok(&data[..]), "{}", complain("decode"));
        assert_eq!(
            decode_part(&encoded, part, spec).as_deref(),
            Ok(&data[..]),
            "{}",
            complain("decode_part")
        );

        assert!(fits(&rest) || path_fits(&rest), "{}: {rest}", complain("encode_rest is not in the grammar"));
        assert_eq!(
            encode_rest(&rest, part, spec).as_deref(),
            Ok(&*rest),
            "{}",
            complain("encode_rest twice")
        );
        // A percent sign in the data may make a triplet for a lenient decoder, never the other way round.
        assert_eq!(*decode_leniently(&rest), *meaning, "{}", complain("encode_rest changes the meaning"));

        let theirs: Cow<'_, [u8]> = percent_encoding::percent_decode(&data).into();
        assert_eq!(*meaning, *theirs, "{}", complain("percent-encoding decodes differently"));
        let unreserved = encode(&data, Part::Unreserved, Spec::Rfc3986).expect("no host");
        assert_eq!(unreserved, urlencoding::encode_binary(&data), "{}", complain("urlencoding differs"));
    }
}

/// Components of real URIs: each can be decoded and encoded again, and means the same.
#[test]
fn components_of_real_uris() {
    let real = shared::corpora().unwrap_or_default();
    let mut changed = 0;
    for uri in real.iter().filter_map(|text| UriRef::parse(text).ok()) {
        let parts = [
            (Part::Userinfo, uri.userinfo()),
            (Part::Path, Some(uri.path())),
            (Part::Query, uri.query()),
            (Part::Fragment, uri.fragment()),
        ];
        for (part, text) in parts.into_iter().filter_map(|(part, text)| Some((part, text?))) {
            let data = decode_part(text, part, Spec::Rfc3986);
            let data = data.unwrap_or_else(|fault| panic!("{uri}: {part}: {fault}"));
            let again = encode(&data, part, Spec::Rfc3986).expect("no host");
            assert_eq!(decode(&again).as_deref(), Ok(&*data), "{uri}: {part}");
            assert!(
                matches!(encode_rest(text, part, Spec::Rfc3986), Ok(Cow::Borrowed(same)) if same == text),
                "{uri}"
            );
            changed += usize::from(again != text);
        }
    }
    assert!(real.is_empty() || changed > 100, "only {changed} components were encoded in another way");
}
