//! The targets of references, a batch at once: a row equals the result of `resolve` and `normalize` for its reference
//! and base, whatever the rows around it hold.

use arrow::array::{AsArray, BinaryArray, BinaryViewArray, StringArray};
use urimill::audit::Flags;
use urimill::batch::{Normalizer, Options, Reading, RfcOptions};
use urimill::normalize::{RepairOptions, repair_with};
use urimill::resolve::{Mode, is_current_document, is_same_document, resolve};
use urimill::{ErrorKind, Level, Spec, UriRef, explain};

use crate::meaning::{meaning, passes_over, resolved_instead};
use crate::row::{Row, accepted, accepted_as, combinations, options, rejected, rows};
use crate::section_5_4::{ABNORMAL_EXAMPLES, NORMAL_EXAMPLES};
use crate::{Rng, corpora};

/// The text that replaces `text` with repair.
fn mended(text: &[u8], rfc: RfcOptions) -> Vec<u8> {
    let (spec, with_repair) = (rfc.spec, rfc.repair);
    let is_prefixed = text.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"url:"));
    if !with_repair || UriRef::parse_as(text, spec).is_ok() && !is_prefixed {
        return text.to_vec();
    }
    let mended = match text.iter().all(|&b| b <= b' ') {
        true => Vec::new(),
        false => repair_with(text, RepairOptions::new().spec(spec)).into_owned(),
    };
    if UriRef::parse_as(&mended, spec).is_ok() { mended } else { text.to_vec() }
}

/// The base of a row, or the reason why there is none. The prefix of Appendix C is a scheme in a base.
fn base_of(text: &[u8], rfc: RfcOptions) -> Result<Vec<u8>, &'static str> {
    let is_valid = |text: &[u8]| UriRef::parse_as(text, rfc.spec).is_ok();
    // White space alone is an empty reference after repair, and not a base.
    if !text.is_empty() && text.iter().all(|&b| b <= b' ') {
        return Err("base_invalid");
    }
    let base = if is_valid(text) { text.to_vec() } else { mended(text, rfc) };
    match UriRef::parse_as(&base, rfc.spec).map(|base| base.is_uri()) {
        Ok(true) => Ok(base),
        Ok(false) => Err("base_not_absolute"),
        Err(_) => Err("base_invalid"),
    }
}

fn has_scheme(text: &[u8]) -> bool {
    let end = text.iter().position(|b| !(b.is_ascii_alphanumeric() || b"+-.".contains(b)));
    end.is_some_and(|end| text[end] == b':' && text[0].is_ascii_alphabetic())
}

/// A row, and the flags of resolution.
fn expected(base: &[u8], record: &[u8], rfc: RfcOptions) -> (Row, Flags) {
    let mut flags = Flags::default();
    // A reference with a scheme needs no base: this one's scheme is no other's.
    let base = match base_of(base, rfc) {
        Err(_) if base.is_empty() && has_scheme(&mended(record, rfc)) => b"zz-none:x".to_vec(),
        Ok(base) => base,
        Err(code) => return (rejected(record, code, 0), flags),
    };
    let text = mended(record, rfc);
    let (base, reference) =
        (UriRef::parse_as(&base, rfc.spec).expect("a base"), UriRef::parse_as(&text, rfc.spec));
    let reference = match reference {
        Ok(reference) => reference,
        Err(reject) => return (rejected(record, reject.code.as_str(), reject.offset), flags),
    };
    let target = |base: &UriRef, reference: &UriRef| {
        resolve(base, reference, rfc.mode).expect("the base has a scheme").into_owned()
    };
    let parse = |text| UriRef::parse_as(text, rfc.spec).expect("a target parses");
    let letter = target(&base, &reference);
    // The same with equal targets for equal references.
    let [base_text, text] = resolved_instead(&base, &reference, rfc.mode, rfc.level);
    let (base_instead, instead) = (parse(&base_text), parse(&text));
    let target = target(&base_instead, &instead);
    let target = parse(&target);
    let is_same = match rfc.spec {
        Spec::Rfc2396 => is_current_document(&reference),
        _ => is_same_document(&base, &target, rfc.level),
    };
    flags.set(Flags::SAME_DOCUMENT, is_same);
    let cleans = |uri: &UriRef| {
        rfc.level >= Level::Syntax
            && urimill::normalize(uri, Level::Percent) != urimill::normalize(uri, Level::Syntax)
    };
    let removes = removes_dots(&base_instead, &instead, &target, rfc.mode)
        || cleans(&target)
        || passes_over(&base, &reference, rfc.mode) && cleans(&reference);
    flags.set(Flags::DOT_SEGMENTS_REMOVED, removes);
    let normal = meaning(&base, &reference, rfc.mode, rfc.level);
    (accepted_as(record, &parse(&letter), normal, rfc.level), flags)
}

/// Whether removing dot segments changes the path of a target (5.2.2).
fn removes_dots(base: &UriRef, reference: &UriRef, target: &UriRef, mode: Mode) -> bool {
    let is_passed_over = mode == Mode::Compatible
        && reference
            .scheme()
            .is_some_and(|scheme| base.scheme().is_some_and(|b| b.eq_ignore_ascii_case(scheme)));
    let inherits = (reference.scheme().is_none() || is_passed_over) && reference.authority().is_none();
    let path = reference.path();
    let merged = match (inherits, path.as_bytes().first()) {
        (true, None) => return false,
        (false, _) | (_, Some(b'/')) => path.to_owned(),
        (true, _) if base.authority().is_some() && base.path().is_empty() => format!("/{path}"),
        (true, _) => format!("{}{path}", &base.path()[..base.path().rfind('/').map_or(0, |at| at + 1)]),
    };
    // By RFC 2396 a query may be part of an opaque path: the reference's or the target's.
    let whole = |path: &str, query: Option<&str>| {
        format!("{path}{}", query.map(|q| format!("?{q}")).unwrap_or_default())
    };
    whole(&merged, reference.query()) != whole(target.path(), target.query())
}

/// Compares a table with the calls for each pair.
fn judge(pairs: &[(Vec<u8>, Vec<u8>)], rfc: RfcOptions) {
    let bases = BinaryArray::from_iter_values(pairs.iter().map(|(base, _)| base));
    let references = BinaryViewArray::from_iter_values(pairs.iter().map(|(_, reference)| reference));
    let mut normalizer =
        Normalizer::new(Options { reading: Reading::Rfc(rfc), ..options(rfc.level, rfc.repair) });
    let (batch, tally) = normalizer.array_with_bases(&references, &bases).expect("a table");
    let found = rows(&batch);
    assert_eq!(found.len(), pairs.len());
    for ((row, place), (base, reference)) in found.iter().zip(pairs) {
        let (expected, flags) = expected(base, reference, rfc);
        let shown = || format!("{} and {}, {rfc:?}", base.escape_ascii(), reference.escape_ascii());
        assert_eq!(row, &expected, "{}", shown());
        // The oracle of the second one knows RFC 3986 only.
        let known = if rfc.spec == Spec::Rfc3986 { 2 } else { 1 };
        for flag in [Flags::SAME_DOCUMENT, Flags::DOT_SEGMENTS_REMOVED].into_iter().take(known) {
            assert_eq!(Flags(place.flags).has(flag), flags.has(flag), "{flag:?}: {}", shown());
        }
    }
    let rejects = found.iter().filter(|(row, _)| row.error.is_some()).count() as u64;
    let changed =
        found.iter().filter(|(row, _)| row.error.is_none() && (row.raw.is_some() || row.raw_bytes.is_some()));
    assert_eq!((tally.rejects(), tally.changed), (rejects, changed.count() as u64));
}

fn in_mode(mode: Mode, level: Level, repair: bool) -> RfcOptions {
    RfcOptions { mode, level, repair, ..RfcOptions::default() }
}

#[test]
fn section_5_4_examples_have_their_targets() {
    for mode in [Mode::Strict, Mode::Compatible] {
        let reading = Reading::Rfc(in_mode(mode, Level::None, false));
        let options =
            Options { reading, ..Options::default() }.with_base("http://a/b/c/d;p?q").expect("a base");
        let scheme = match mode {
            Mode::Strict => ("http:g", "http:g"),
            Mode::Compatible => ("http:g", "http://a/b/c/g"),
        };
        let examples = [NORMAL_EXAMPLES, ABNORMAL_EXAMPLES, &[scheme]].concat();
        let references = StringArray::from_iter_values(examples.iter().map(|(reference, _)| reference));
        let (batch, tally) = Normalizer::new(options).array(&references).expect("a table");
        assert_eq!(tally.rejects(), 0);
        let uris = batch["uri"].as_string_view();
        for (i, (reference, target)) in examples.iter().enumerate() {
            assert_eq!(uris.value(i), *target, "{reference:?}, {mode:?}");
        }
    }
}

/// (base, reference, flags at level scheme)
const FLAGS: &[(&str, &str, &[Flags])] = &[
    ("http://h/a", "b", &[]),
    ("http://h/a/c", "../b", &[Flags::DOT_SEGMENTS_REMOVED]),
    ("http://h/a/", ".b/..c", &[]),
    ("http://h/a/../b", "?q", &[Flags::DOT_SEGMENTS_REMOVED]),
    ("http://h/a/../b", "c", &[Flags::DOT_SEGMENTS_REMOVED]),
    ("http://h/a", "http://h/b/../c", &[Flags::DOT_SEGMENTS_REMOVED]),
    ("http://h/a/c", "%2e%2e/b", &[Flags::PERCENT_DECODED, Flags::DOT_SEGMENTS_REMOVED]),
    ("HTTP://H:80/a", "b", &[Flags::CASE_CHANGED, Flags::PORT_DROPPED]),
    ("http://u@h/a", "b", &[Flags::HAS_USERINFO]),
    ("http://10.0.0.1/a", "b", &[Flags::PRIVATE_ADDRESS]),
    // Absolute paths against roots, as in logs.
    ("http://10.0.0.1/", "/b", &[Flags::PRIVATE_ADDRESS]),
    ("http://u@h/", "/b?c#d", &[Flags::HAS_USERINFO]),
    ("http://h:22/", "/b", &[Flags::PORT_WELL_KNOWN_MISMATCH]),
    ("http://h:8080/", "/#a", &[Flags::SAME_DOCUMENT]),
    ("http://h:8080/", "/a/aux.txt", &[Flags::DEVICE_NAME]),
    ("http://h/", "/a/aux.txt", &[Flags::DEVICE_NAME]),
    ("http://h:80/", "/b", &[Flags::PORT_DROPPED]),
    ("http://h:8080/", "/a/../b", &[Flags::DOT_SEGMENTS_REMOVED]),
    ("http://h:8080/", "/%61", &[Flags::PERCENT_DECODED]),
    ("http://h/a?b#c", "", &[Flags::SAME_DOCUMENT]),
    ("http://h/a?b#c", "#d", &[Flags::SAME_DOCUMENT]),
    ("http://h/a?b#c", "?b", &[Flags::SAME_DOCUMENT]),
    (
        "http://h/a?b#c",
        "HTTP://h:80/%61?b#d",
        &[Flags::SAME_DOCUMENT, Flags::PERCENT_DECODED, Flags::CASE_CHANGED, Flags::PORT_DROPPED],
    ),
    ("http://h", "http://h/#a", &[Flags::SAME_DOCUMENT]),
    ("http://h/a?b#c", "?c", &[]),
    ("http://h/a?b", "a", &[]),
    ("mailto:a@b", "#c", &[Flags::SAME_DOCUMENT]),
    // More `..` than segments above (5.4.2): in relative paths, however the kernel sees the base.
    ("http://h/a", "../b", &[Flags::DOT_SEGMENTS_REMOVED, Flags::EXCESS_DOT_SEGMENTS]),
    ("http://u@h/a", "../b", &[Flags::HAS_USERINFO, Flags::DOT_SEGMENTS_REMOVED, Flags::EXCESS_DOT_SEGMENTS]),
    ("http://h/a/b", "c/../../../d", &[Flags::DOT_SEGMENTS_REMOVED, Flags::EXCESS_DOT_SEGMENTS]),
    ("http://h/a/b", "c/../../d", &[Flags::DOT_SEGMENTS_REMOVED]),
    ("http://h/a/b", "..", &[Flags::DOT_SEGMENTS_REMOVED]),
    ("http://h/a/b", "/../d", &[Flags::DOT_SEGMENTS_REMOVED]),
    ("http://h/../a/b", "d", &[Flags::DOT_SEGMENTS_REMOVED, Flags::EXCESS_DOT_SEGMENTS]),
    ("http://h/../a/b", "?d", &[Flags::DOT_SEGMENTS_REMOVED]),
    ("foo:a/b", "../../c", &[Flags::DOT_SEGMENTS_REMOVED, Flags::EXCESS_DOT_SEGMENTS]),
    // The base's scheme again, and no other part of a URI (5.4.2).
    ("http://h/a", "http:b", &[Flags::MISSING_HOST, Flags::SAME_SCHEME_REFERENCE]),
    ("http://h/a", "HTTP:/b", &[Flags::MISSING_HOST, Flags::CASE_CHANGED, Flags::SAME_SCHEME_REFERENCE]),
    ("http://h/a", "https:b", &[Flags::MISSING_HOST]),
    ("http://h/a", "http://h/b", &[]),
    ("http://h/a", "http://u@i/b", &[Flags::HAS_USERINFO]),
    ("foo://h/a", "foo:b", &[Flags::SAME_SCHEME_REFERENCE]),
    ("foo://h/a", "foo:/b", &[]),
    ("foo:a", "foo:b", &[]),
    ("mailto:a@b", "mailto:c@d", &[]),
    ("file:///a", "file:b", &[Flags::SAME_SCHEME_REFERENCE]),
    // A base without a hierarchy (1.2.3).
    ("mailto:a@b", "c", &[Flags::UNSUITABLE_BASE]),
    ("mailto:a@b", "?c", &[Flags::UNSUITABLE_BASE]),
    ("urn:a:b", "//h/c", &[Flags::UNSUITABLE_BASE]),
    ("foo:", "c", &[Flags::UNSUITABLE_BASE]),
    ("foo:a/b", "c", &[]),
    ("foo:/a", "c", &[]),
    ("mailto:a@b", "http://h/", &[]),
    ("http://h/a/%2e%2e/b", "c", &[Flags::PERCENT_DECODED, Flags::DOT_SEGMENTS_REMOVED]),
    ("http://h/a/%2e%2e/b", "/c", &[]),
    ("http://h/a/%2e%2e", "b", &[]),
    ("http://h/a/b", "x:c/%2e/d", &[Flags::PERCENT_DECODED, Flags::DOT_SEGMENTS_REMOVED]),
    ("http://h/a/b", "x:./c", &[Flags::DOT_SEGMENTS_REMOVED]),
    ("x:a", ".///b", &[Flags::DOT_SEGMENTS_REMOVED, Flags::UNSUITABLE_BASE]),
    ("x:/a", "/.//b", &[]),
    ("file:/a", "b", &[]),
    ("file:/a", "/.//b", &[]),
];

/// The same by RFC 2396 at level none: a query may be part of an opaque path, and its dots are not segments.
const FLAGS_BY_RFC2396: &[(&str, &str, &[Flags])] = &[
    ("c:d/e", "a?q", &[Flags::UNSUITABLE_BASE]),
    ("c:d/e", "../a?q", &[Flags::DOT_SEGMENTS_REMOVED, Flags::UNSUITABLE_BASE]),
    ("c:d/.%2e/./c:d/%7e", "a/./%2e?%41", &[Flags::DOT_SEGMENTS_REMOVED, Flags::UNSUITABLE_BASE]),
    ("c:d/e", "#s", &[Flags::SAME_DOCUMENT]),
    ("c:/d/e", "a", &[]),
    ("file:/?x", "/.//b", &[]),
    ("http://a/b", "/c/../d", &[]),
    ("http://a/b/c/d", "../../../g", &[Flags::DOT_SEGMENTS_REMOVED, Flags::EXCESS_DOT_SEGMENTS]),
    ("http://a/b", "../g", &[Flags::EXCESS_DOT_SEGMENTS]),
    ("http://a/b", "/../g", &[]),
    ("http://a/../b/c", "?y", &[Flags::EXCESS_DOT_SEGMENTS]),
    ("http://a/b", "http:c", &[Flags::MISSING_HOST, Flags::SAME_SCHEME_REFERENCE]),
    ("mailto:a", "mailto:b", &[]),
];

#[test]
fn flags_tell_what_resolution_and_normalization_did() {
    let older = RfcOptions { spec: Spec::Rfc2396, level: Level::None, ..RfcOptions::default() };
    let rows = FLAGS.iter().map(|row| (row, RfcOptions::default()));
    for ((base, reference, flags), how) in rows.chain(FLAGS_BY_RFC2396.iter().map(|row| (row, older))) {
        let (bases, references) = (StringArray::from(vec![*base]), StringArray::from(vec![*reference]));
        let base_uri = UriRef::parse_as(base, how.spec).expect("a base");
        let one = explain::Options::new().spec(how.spec).level(how.level).base(Some(base_uri));
        let mut normalizer = Normalizer::new(Options { reading: Reading::Rfc(how), ..Options::default() });
        let (batch, _) = normalizer.array_with_bases(&references, &bases).expect("a table");
        let found = batch["flags"].as_primitive::<arrow::datatypes::Int32Type>().value(0);
        let expected = flags.iter().fold(0, |set, flag| set | flag.0);
        let names = |set: i32| Flags(set).names().collect::<Vec<_>>();
        assert_eq!(names(found), names(expected), "{base} and {reference}");
        // The call for one reference agrees with its row.
        let told = explain::explain(*reference, &one).reference.expect("a reference").flags;
        let remarks =
            Flags::EXCESS_DOT_SEGMENTS.0 | Flags::SAME_SCHEME_REFERENCE.0 | Flags::UNSUITABLE_BASE.0;
        assert_eq!(names(told.0 & remarks), names(found & remarks), "{base} and {reference}");
    }
}

#[test]
fn each_row_uses_its_own_base() {
    let references = StringArray::from(vec![
        Some("a"),
        Some("b"),
        Some("c"),
        None,
        Some("//h/\u{e9}"),
        Some("http://h/d"),
    ]);
    let bases = StringArray::from(vec![
        Some("http://own/"),
        None,
        Some(""),
        Some("http://x/"),
        Some("x"),
        Some("/x"),
    ]);
    let row = |uri: &str| {
        let parsed = UriRef::parse(uri).expect("valid");
        Row { raw: None, ..accepted(uri.as_bytes(), &parsed, Level::Scheme) }
    };
    let with_raw = |uri: &str, raw: &str| Row { raw: Some(raw.to_owned()), ..row(uri) };
    let not_absolute = |text: &str| rejected(text.as_bytes(), "base_not_absolute", 0);
    for common in [None, Some("http://common/x")] {
        let mut all = options(Level::Scheme, false);
        if let Some(base) = common {
            all = all.with_base(base).expect("a base");
        }
        let (batch, tally) = Normalizer::new(all).array_with_bases(&references, &bases).expect("a table");
        let from_common = |text: &str| match common {
            Some(_) => with_raw(&format!("http://common/{text}"), text),
            None => not_absolute(text),
        };
        let expected = [
            with_raw("http://own/a", "a"),
            from_common("b"),
            from_common("c"),
            Row::default(),
            // A fault of the base takes precedence: the row has no other.
            not_absolute("//h/\u{e9}"),
            not_absolute("http://h/d"),
        ];
        let found: Vec<Row> = rows(&batch).into_iter().map(|(row, _)| row).collect();
        assert_eq!(found, expected);
        assert_eq!(tally.nulls, 1);
    }
    let error = Normalizer::new(Options::default()).array_with_bases(&references, &bases.slice(0, 3));
    let error = error.expect_err("of another length");
    assert!(
        error.kind() == ErrorKind::Usage && error.to_string().contains("6 references and 3 bases"),
        "{error}"
    );
    for (base, part) in [("/a", "no scheme"), ("", "no scheme"), ("http://h/a b", "path_invalid_char: ")] {
        let error = Options::default().with_base(base).expect_err("no base");
        assert!(error.kind() == ErrorKind::Usage && error.to_string().contains(part), "{error}");
    }
}

/// With repair the base is repaired as well, and white space in place of a reference means the base, as in browsers.
#[test]
fn references_are_repaired_before_resolution() {
    for (base, reference, uri, is_repaired) in [
        ("http://h/a/", "b c", "http://h/a/b%20c", true),
        ("http://h/\u{e9}/", "b", "http://h/%C3%A9/b", true),
        ("http://h/\u{e9}/", "//x/b", "http://x/b", true),
        ("http://h/\u{e9}/", "http://x/b", "http://x/b", false),
        ("http://h/a#b", " ", "http://h/a", true),
        ("http://h/a#b", "", "http://h/a", false),
        (" http://h/a", " ../b\t", "http://h/b", true),
    ] {
        let (bases, references) = (StringArray::from(vec![base]), StringArray::from(vec![reference]));
        let mut normalizer = Normalizer::new(options(Level::Scheme, true));
        let (batch, _) = normalizer.array_with_bases(&references, &bases).expect("a table");
        let (row, place) = &rows(&batch)[0];
        assert_eq!(row.uri.as_deref(), Some(uri), "{base:?} and {reference:?}");
        assert_eq!(row.raw.as_deref(), Some(reference).filter(|reference| *reference != uri));
        assert_eq!(Flags(place.flags).has(Flags::REPAIRED), is_repaired, "{base:?} and {reference:?}");
    }
}

#[test]
fn random_pairs_match_single_calls() {
    let mut rng = Rng(21);
    for spec in Spec::ALL {
        for mode in [Mode::Strict, Mode::Compatible] {
            for (level, with_repair) in combinations() {
                let mut pairs = Vec::new();
                while pairs.len() < 1000 {
                    let base = rng.text(8);
                    let base = if rng.below(3) == 0 { b"http://example.com/a/b?c".to_vec() } else { base };
                    pairs.extend((0..1 + rng.below(3)).map(|_| (base.clone(), rng.text(6))));
                }
                judge(&pairs, RfcOptions { spec, ..in_mode(mode, level, with_repair) });
            }
        }
    }
}

/// A path takes the base's authority, and a second slash begins its own (5.2.2), whatever the authorities are.
#[test]
fn references_from_a_slash_match_single_calls() {
    let bases = [
        "http://h/a/b?q#f",
        "http://h",
        "http://h?q",
        "http://h/%41/con/../x",
        "https://u@h:8080/",
        "https://u@h:8080/x",
        "HTTP://H/",
        "http://h:80/",
        "http://1.2.3.4/",
        "http://[::1]/a",
        "http://a..b/c",
        "http://xn--a/c",
        "http://h//x",
        "file:///a",
        "ftp://h/a",
        "mailto:a",
        "http://h/b/c",
    ];
    let references = [
        "/",
        "/a/b?q#f",
        "/b/c",
        "/b/c#f",
        "/con/x",
        "/%41",
        "/a/../b",
        "/.b",
        "//h/b/c",
        "//h2/p",
        "//h2/p?q#f",
        "//h2",
        "//h2?q",
        "//H2/p",
        "//u@h2/p",
        "//h2:443/p",
        "//1.2.3.4/p",
        "//a..b/p",
        "//h2/aux",
        "///p",
        "//",
    ];
    let pairs: Vec<_> = bases
        .iter()
        .flat_map(|base| {
            references.iter().map(|reference| (base.as_bytes().to_vec(), reference.as_bytes().to_vec()))
        })
        .collect();
    for spec in Spec::ALL {
        for (level, with_repair) in combinations() {
            judge(&pairs, RfcOptions { spec, ..in_mode(Mode::Strict, level, with_repair) });
        }
    }
}

/// The links of real pages; none is lost that a browser follows.
#[test]
fn links_of_real_pages_match_single_calls() {
    let Some(path) = corpora().into_iter().find(|path| path.ends_with("html_refs.tsv")) else { return };
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = text.split(|&b| b == b'\n').filter(|line| !line.is_empty());
    let pairs: Vec<_> = lines
        .map(|line| {
            let tab = line.iter().position(|&b| b == b'\t').expect("two fields");
            (line[..tab].to_vec(), line[tab + 1..].to_vec())
        })
        .collect();
    assert!(pairs.len() > 50_000, "{} pairs", pairs.len());
    judge(&pairs, in_mode(Mode::Strict, Level::Scheme, false));
    judge(&pairs, in_mode(Mode::Strict, Level::Scheme, true));
    for (turn, (level, with_repair)) in combinations().enumerate() {
        let some: Vec<_> = pairs.iter().skip(turn).step_by(10).cloned().collect();
        judge(&some, in_mode(Mode::Compatible, level, with_repair));
    }
    for spec in [Spec::Rfc3986Errata, Spec::Rfc2396] {
        judge(&pairs, RfcOptions { spec, ..in_mode(Mode::Strict, Level::Scheme, true) });
    }
    let rfc = in_mode(Mode::Strict, Level::Scheme, true);
    for (base, reference) in &pairs {
        if let Some(code) = expected(base, reference, rfc).0.error {
            let (base, reference) = (String::from_utf8_lossy(base), String::from_utf8_lossy(reference));
            let followed = url::Url::parse(&base).and_then(|base| base.join(&reference));
            assert!(followed.is_err(), "{code}: {base} and {reference} lead to {followed:?}");
        }
    }
}
