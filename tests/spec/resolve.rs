//! RFC 3986 section 5 as tables: the target of a reference against a base, in both modes, and which targets are in the
//! base's document.

use std::borrow::Cow;

use urimill::explain::{self, explain};
use urimill::resolve::{Mode, ResolveError, is_same_document, resolve, resolve_into};
use urimill::{Level, UriRef};

use crate::section_5_4::{ABNORMAL_EXAMPLES, NORMAL_EXAMPLES};

/// Returns the target; checks that all functions about it agree.
pub(crate) fn target(base: &UriRef, reference: &UriRef, mode: Mode) -> Result<String, String> {
    let target =
        resolve(base, reference, mode).map_err(|error| format!("{base} and {reference}: {error}"))?;
    let complain = |what: &str| Err(format!("{base} and {reference} are {target}: {what}"));
    if matches!(target, Cow::Borrowed(_)) != (target == reference.as_str()) {
        return complain("borrowed is for a reference that is its own target, and for nothing else");
    }
    let mut out = b"before".to_vec();
    let written = resolve_into(base, reference, mode, &mut out).map_err(|error| error.to_string())?;
    if out != [b"before", target.as_bytes()].concat() {
        return complain(&format!("resolve_into() appends {}", out.escape_ascii()));
    }
    let Ok(parsed) = UriRef::parse_as(&target, base.spec()) else { return complain("no URI reference") };
    if (written.split, written.host_kind) != (parsed.split(), parsed.host_kind()) {
        return complain(&format!("{written:?}, but parsed {:?} {:?}", parsed.split(), parsed.host_kind()));
    }
    Ok(target.into_owned())
}

fn parse(text: &str) -> UriRef<'_> {
    UriRef::parse(text).unwrap_or_else(|reject| panic!("{text:?}: {reject}"))
}

/// (base, reference, target, section)
fn check(mode: Mode, table: &[(&str, &str, &str, &str)]) {
    let mut failures = Vec::new();
    for (base, reference, expected, section) in table {
        let got = target(&parse(base), &parse(reference), mode);
        if got.as_deref() != Ok(*expected) {
            failures
                .push(format!("{base:?} and {reference:?} ({section}): {expected:?} expected, got {got:?}"));
        }
    }
    assert!(failures.is_empty(), "{} of {} differ:\n{}", failures.len(), table.len(), failures.join("\n"));
}

/// Against the base of section 5.4.
fn check_examples(mode: Mode, table: &[(&str, &str)], section: &str) {
    let base = "http://a/b/c/d;p?q";
    let rows: Vec<_> = table.iter().map(|(reference, target)| (base, *reference, *target, section)).collect();
    check(mode, &rows);
}

#[test]
fn normal_and_abnormal_examples() {
    for mode in [Mode::Strict, Mode::Compatible] {
        check_examples(mode, NORMAL_EXAMPLES, "5.4.1");
        check_examples(mode, ABNORMAL_EXAMPLES, "5.4.2");
    }
    check_examples(Mode::Strict, &[("http:g", "http:g")], "5.4.2: for strict parsers");
    check_examples(Mode::Compatible, &[("http:g", "http://a/b/c/g")], "5.4.2: for backward compatibility");
}

#[test]
#[rustfmt::skip]
fn a_scheme_like_the_bases() {
    check(Mode::Strict, &[
        ("http://a/b", "HTTP:g", "HTTP:g", "5.2.2: a reference with a scheme is a URI"),
        ("http://a/b", "http:", "http:", "5.2.2"),
        ("http://a/b", "http:a/./b/..", "http:a/", "5.2.2: dot segments go"),
    ]);
    check(Mode::Compatible, &[
        ("http://a/b", "HTTP:g", "http://a/g", "3.1: schemes are case-insensitive"),
        ("HtTp://a/b", "http:/g", "HtTp://a/g", "5.2.2: the scheme is the base's"),
        ("http://a/b?q", "http:", "http://a/b?q", "5.2.2"),
        ("http://a/b?q", "http:?y#f", "http://a/b?y#f", "5.2.2"),
        ("http://a/b", "HTTP://u@[::1]:8/../x?y", "http://u@[::1]:8/x?y", "5.2.2: the reference's authority"),
        ("a+b:/x", "A+B://h", "a+b://h", "5.2.2"),
        ("http://a/b", "https:g", "https:g", "5.2.2: another scheme stays"),
        ("http://a/b", "httpx:g/..", "httpx:/", "5.2.2: another scheme stays"),
        ("x:", "x:y:z", "x:y:z", "3.3: behind a scheme the first segment may hold a colon"),
    ]);
}

/// 5.2.4's own examples, and the letter of its algorithm for paths that begin without a slash.
#[test]
#[rustfmt::skip]
fn dot_segments() {
    check(Mode::Strict, &[
        ("x://h/", "/a/b/c/./../../g", "x://h/a/g", "5.2.4"),
        ("x:", "x:mid/content=5/../6", "x:mid/6", "5.2.4"),
        ("x://h", "mid/content=5/../6", "x://h/mid/6", "5.2.4, 5.2.3"),
        ("foo:a/b", "../c", "foo:/c", "5.2.4, C: the first segment goes, the slash behind it stays"),
        ("foo:a/b", "..", "foo:/", "5.2.4, C"),
        ("foo:a/b", ".", "foo:a/", "5.2.4, B"),
        ("foo:a", "..", "foo:", "5.2.4, D"),
        ("foo:a", "../c", "foo:c", "5.2.4, A"),
        ("foo:a", "./../.././c", "foo:c", "5.2.4, A"),
        ("foo:", "foo:a/../../b", "foo:/b", "5.2.4, C"),
        ("foo:", "foo:...", "foo:...", "3.3: three dots are no dot segment"),
        ("foo:", "foo:.a/..b", "foo:.a/..b", "3.3"),
        ("foo:", "foo:../..", "foo:", "5.2.4, A and D"),
        ("foo://h/", "//i/../a//../b/", "foo://i/a/b/", "5.2.4: an empty segment is one"),
        ("foo://h/a", "/..//b", "foo://h//b", "3.3: with an authority two slashes may begin a path"),
        ("foo://h/a/./b/../c/d", "e", "foo://h/a/c/e", "5.2.4: the base's too"),
        ("foo://h/a/..", "b", "foo://h/a/b", "5.2.3: the last segment is left out whatever it is"),
        ("foo://h/a/b", "%2e%2E/c", "foo://h/a/%2e%2E/c", "5.2.4: a triplet is no dot"),
        ("foo://h/a/%2e/b", "../c", "foo://h/a/c", "5.2.4: a triplet is no dot"),
    ]);
}

#[test]
#[rustfmt::skip]
fn merging() {
    check(Mode::Strict, &[
        ("x://h", "g", "x://h/g", "5.2.3: an authority and an empty path"),
        ("x://h?q", "g", "x://h/g", "5.2.3"),
        ("x://h", "?y", "x://h?y", "5.2.2: the base's path, which is empty"),
        ("x://h?q", "#f", "x://h?q#f", "5.2.2"),
        ("x://", "g", "x:///g", "5.2.3: an authority may be empty"),
        ("x:", "g", "x:g", "5.2.3: no authority"),
        ("x:a", "g", "x:g", "5.2.3: no slash"),
        ("x:a", "g:h/..", "g:/", "4.2: a scheme"),
        ("x:a", "./g:h", "x:g:h", "4.2"),
        ("x:/a", "g", "x:/g", "5.2.3"),
        ("x:a?b/c", "g", "x:g", "5.2.3: a slash in the query is none"),
        ("x://u@h:8/a/b#f/g", "c", "x://u@h:8/a/c", "5.1: the base's fragment counts for nothing"),
        ("x://h/a#f", "", "x://h/a", "5.1"),
        ("x://h/a?#", "#", "x://h/a?#", "5.3: empty is not undefined"),
        ("x://h/a?b", "?", "x://h/a?", "5.3"),
    ]);
}

/// Components that the reference leaves empty are the base's, unchanged (5.2.2).
#[test]
#[rustfmt::skip]
fn an_empty_path_keeps_the_bases() {
    check(Mode::Strict, &[
        ("x://h/a/../b", "", "x://h/a/../b", "5.2.2"),
        ("x://h/a/../b?q", "#f", "x://h/a/../b?q#f", "5.2.2"),
        ("x:./a", "?y", "x:./a?y", "5.2.2"),
        ("x:/.//a", "", "x:/.//a", "5.2.2"),
    ]);
}

/// Without an authority no path begins with two slashes (3.3).
#[test]
#[rustfmt::skip]
fn no_path_becomes_an_authority() {
    check(Mode::Strict, &[
        ("x:/a", "..//b", "x:/.//b", "3.3"),
        ("x:/a", ".//b", "x:/.//b", "3.3"),
        ("x:a/b", "..//c", "x:/.//c", "3.3"),
        ("x:a", ".///b", "x:/.//b", "3.3"),
        ("x:", "x:/..//b?q", "x:/.//b?q", "3.3"),
        ("x:", "x:/.//b", "x:/.//b", "3.3: its own target"),
        ("x:/.//a/b", "c", "x:/.//a/c", "3.3"),
        ("x:/.//a", "..", "x:/", "5.2.4: the empty segment goes"),
        ("x://h/a", ".//b", "x://h//b", "3.3: with an authority they may"),
    ]);
}

#[test]
fn a_base_has_a_scheme() {
    for base in ["", "/a", "//h/a", "a", "?q", "#f"] {
        for reference in ["", "g", "http://h/"] {
            for mode in [Mode::Strict, Mode::Compatible] {
                let (base, reference) = (parse(base), parse(reference));
                let error = resolve(&base, &reference, mode).map(drop);
                assert_eq!(error, Err(ResolveError::BaseNotAbsolute), "{base} and {reference} (5.1)");
                let mut out = Vec::new();
                let error = resolve_into(&base, &reference, mode, &mut out).map(drop);
                assert_eq!((error, out.len()), (Err(ResolveError::BaseNotAbsolute), 0), "{base} (5.1)");
            }
        }
    }
    assert_eq!(ResolveError::BaseNotAbsolute.as_str(), "base_not_absolute");
    let told = ResolveError::BaseNotAbsolute.to_string();
    assert!(told.starts_with("base_not_absolute: the base has no scheme"), "{told}");
}

#[test]
#[rustfmt::skip]
fn same_document() {
    // The lowest level at which they are equal, if there is one.
    let table: &[(&str, &str, Option<Level>, &str)] = &[
        ("http://h/a", "http://h/a", Some(Level::None), "4.4"),
        ("http://h/a#f", "http://h/a#g", Some(Level::None), "4.4: aside from the fragment"),
        ("http://h/a#f", "http://h/a", Some(Level::None), "4.4"),
        ("http://h/a", "http://h/a#%7e", Some(Level::None), "4.4"),
        ("http://h/a", "HTTP://H/a#f", Some(Level::Case), "6.2.2.1"),
        ("http://h/~", "http://h/%7E", Some(Level::Percent), "6.2.2.2"),
        ("http://h/a", "http://h/b/../a", Some(Level::Syntax), "6.2.2.3"),
        ("http://h", "http://h:80/#f", Some(Level::Scheme), "6.2.3"),
        ("http://h/a", "http://h/a?", None, "6.2.3: an empty query is one"),
        ("http://h/a?q", "http://h/a", None, "4.4"),
        ("http://h/a", "https://h/a", None, "4.4"),
    ];
    for (base, target, lowest, section) in table {
        for level in Level::ALL {
            let expected = lowest.is_some_and(|lowest| level >= lowest);
            for (one, other) in [(base, target), (target, base)] {
                let got = is_same_document(&parse(one), &parse(other), level);
                assert_eq!(got, expected, "{one} and {other} at {level} ({section})");
            }
        }
    }
}

/// (base, reference, steps of the path, section)
#[test]
fn the_way_of_a_path() {
    let table: &[(&str, &str, &[&str], &str)] = &[
        ("http://a/b/c/d;p?q", "g", &["merge: /b/c/g"], "5.2.3"),
        ("http://a/b/c/d;p?q", "../g", &["merge: /b/c/../g", "remove_dot_segments: /b/g"], "5.2.4"),
        ("http://a", "g", &["merge: /g"], "5.2.3: a base with an authority and no path"),
        ("x:", "g", &[], "5.2.3: neither has anything that stands before it"),
        ("http://a/b", "/x/./y", &["remove_dot_segments: /x/y"], "5.2.4"),
        ("x:/a/b", "..//c", &["merge: /a/..//c", "remove_dot_segments: //c", "guard: /.//c"], "3.3"),
        ("http://a/b", "?q", &[], "5.2.2: no path"),
        ("http://a/b", "x:y", &[], "5.2.2: a scheme"),
        ("http://a/b", "//h/c", &[], "5.2.2: an authority"),
    ];
    for (base, reference, expected, section) in table {
        let options = explain::Options::new().base(Some(parse(base)));
        let told = explain(*reference, &options).reference.and_then(|told| told.resolution);
        let told = told.unwrap_or_else(|| panic!("{reference} is resolved against {base}"));
        let path = told.path.iter().map(|step| format!("{}: {}", step.rule.as_str(), step.after));
        assert_eq!(path.collect::<Vec<_>>(), *expected, "{section}: {reference} against {base}");
    }
}
