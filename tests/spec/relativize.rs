//! The way back from a target to a reference: it leads to the target, and no shorter reference does.

use crate::letter::check_way_back;
use urimill::resolve::{Mode, ResolveError, relativize, resolve};
use urimill::{Spec, UriRef};

fn parse(text: &str) -> UriRef<'_> {
    parse_as(text, Spec::Rfc3986)
}

fn parse_as(text: &str, spec: Spec) -> UriRef<'_> {
    UriRef::parse_as(text, spec).unwrap_or_else(|reject| panic!("{text:?}: {reject}"))
}

#[test]
#[rustfmt::skip]
fn the_shortest_reference() {
    // (base, target, reference, section)
    let table: &[(&str, &str, &str, &str)] = &[
        ("http://h/a/b", "http://h/a/b", "", "4.4"),
        ("http://h/a/b#f", "http://h/a/b", "", "5.1: the base's fragment counts for nothing"),
        ("http://h/a/b?q", "http://h/a/b?q#f", "#f", "4.4"),
        ("http://h/a/b?q", "http://h/a/b?", "?", "5.2.2: an empty path with a query"),
        ("http://h/a/b?q", "http://h/a/b", "b", "5.2.2: an empty reference would take the query along"),
        ("http://h/a/?q", "http://h/a/", ".", "5.2.4"),
        ("http://h?q", "http://h", "//h", "5.2.3: no path stays empty"),
        ("http://h?q", "http://h?r", "?r", "5.2.2"),
        ("http://h", "http://h/a", "a", "5.2.3: a base with an empty path"),
        ("http://h", "http://h/", ".", "5.2.3"),
        ("http://h/a/b/c", "http://h/a/", "..", "5.2.4"),
        ("http://h/a/b/c", "http://h/a/?q", "..?q", "5.2.4"),
        ("http://h/a/b/c", "http://h/a/b", "../b", "5.2.3: as short as /a/b"),
        ("http://h/a/b/c", "http://h/x", "/x", "4.2: shorter than ../../x"),
        ("http://h/a/b", "http://h/a/c:d", "./c:d", "4.2: a colon in the first segment"),
        ("http://h/a/b", "http://h/a/c/d:e", "c/d:e", "4.2: a colon behind the first segment"),
        ("http://h/a/b", "http://h//c", "..//c", "4.2: two slashes would begin an authority"),
        ("http://h/a/b/c", "http://h//c", "/.//c", "4.2: two slashes would begin an authority"),
        ("http://h/a/b", "http://h/a//c", ".//c", "4.2: a slash would begin an absolute path"),
        ("http://h/a//b", "http://h/a/c", "../c", "3.3: an empty segment is one"),
        ("http://h/./a/../b/c", "http://h/b/d", "d", "5.2.4: the base's dot segments go"),
        ("http://h/a/../b", "http://h/a/../b#f", "#f", "5.2.2: an empty path keeps them"),
        ("http://h/a", "http://i", "//i", "4.2"),
        ("http://h/a", "http://u@h:8/a", "//u@h:8/a", "4.2: all of the authority counts"),
        ("http://h/a", "HTTP://h/a", "HTTP://h/a", "5.2.2: byte by byte"),
        ("http://h/a", "http:a", "http:a", "5.2.2: nothing takes the authority away"),
        ("x:a", "x://h/a", "//h/a", "4.2"),
        ("x:a/b", "x:a/c", "c", "5.2.3: no leading slash"),
        ("x:a/b", "x:c", "x:c", "5.2.4: ../c leads to x:/c"),
        ("x:abc", "x:ab:c", "x:ab:c", "4.2: ./ab:c is no shorter"),
        ("x:a", "x:/b", "/b", "4.2"),
        ("x:/a", "x:/.//b", ".//b", "3.3: the guard comes back"),
        ("x:/a/b", "x:/.//b", "..//b", "3.3"),
        ("x:/a/b/c", "x:/.//b", "/.//b", "3.3"),
        ("x:?q", "x:", ".", "5.2.4, D"),
    ];
    for (base, target, expected, section) in table {
        let got = relativize(&parse(base), &parse(target));
        assert_eq!(got.as_deref(), Ok(*expected), "from {base} to {target} ({section})");
    }
    // If more dots than folders stay (RFC 2396 5.2, erratum 4547) they lead out of a rootless path.
    let table: &[(Spec, &str, &str, &str, &str)] = &[
        (Spec::Rfc2396, "foo:a/b", "foo:c", "../c", "5.2, 6 e"),
        (Spec::Rfc2396, "mailto:a@B./..//localhost?/", "mailto:/localhost?/??:", "??:", "5.2: the folder of an opaque part holds its query"),
        (Spec::Rfc2396, "foo:a/b", "foo:a/c?x:y", "c?x:y", "4: a colon behind the question mark is no scheme's"),
        (Spec::Rfc2396, "foo:a/b", "foo:a/x:y?z", "./x:y?z", "5: a colon in the first segment"),
        (Spec::Rfc2396, "foo:a/b", "foo:a/?x", "?x", "5.2, 6: a query alone belongs to the folder"),
        (Spec::Rfc2396, "foo:a?b/c", "foo:a?b/d", "d", "5.2, 6 a: an opaque part up to its last slash"),
        (Spec::Rfc2396, "x:./////?%41/", "x:/.////?%41/a/b//", "a/b//", "5.2, 6: the guard before a folder with a question mark"),
        (Spec::Rfc2396, "file:./////a?/b", "file:/.////a?/?c", "?c", "5.2, 6"),
        (Spec::Rfc2396, "http://h/a", "http://h/a/../b", "/a/../b", "5.2, 5: an absolute path keeps its dots"),
        (Spec::Rfc3986Errata, "foo:a/b", "foo:c", "foo:c", "5.2.4: ../c leads to foo:/c"),
        (Spec::Rfc3986Errata, "foo:a/b", "foo:/c", "/c", "5.2.4"),
        (Spec::Rfc3986Errata, "foo:a/b", "foo:/../c", "../../c", "erratum 4547"),
        (Spec::Rfc3986Errata, "foo:a", "foo:../c", "../c", "erratum 4547"),
        (Spec::Rfc3986Errata, "http://h/a", "http://h/../b", "../b", "erratum 4547"),
    ];
    for (spec, base, target, expected, section) in table {
        let got = relativize(&parse_as(base, *spec), &parse_as(target, *spec)).map(|found| found.into_owned());
        assert_eq!(got.as_deref(), Ok(*expected), "from {base} to {target} by {spec} ({section})");
    }
}

/// A reference that does not lead to its target is never printed.
#[test]
fn targets_that_no_reference_leads_to() {
    use ResolveError::{BaseNotAbsolute, TargetHasDotSegments, TargetNotAbsolute};
    // (base, target, why, section)
    let table: &[(&str, &str, ResolveError, &str)] = &[
        ("http://a/b", "http://c/x/../y", TargetHasDotSegments, "5.2.4"),
        ("http://h/a", "http://h/a/../b", TargetHasDotSegments, "5.2.4"),
        ("http://h/a", "x:./b", TargetHasDotSegments, "5.2.4, A"),
        ("http://h/a", "x:b/..", TargetHasDotSegments, "5.2.4, C"),
        ("x:a", "a/b", TargetNotAbsolute, "5.2.2: every target has a scheme"),
        ("x:a", "", TargetNotAbsolute, "5.2.2"),
        ("/a", "http://h/a", BaseNotAbsolute, "5.1"),
        ("/a", "b", BaseNotAbsolute, "5.1"),
    ];
    for (base, target, expected, section) in table {
        for spec in [Spec::Rfc3986, Spec::Rfc3986Errata] {
            let got = relativize(&parse_as(base, spec), &parse_as(target, spec)).map(drop);
            assert_eq!(got, Err(*expected), "from {base} to {target} by {spec} ({section})");
        }
    }
    // 5.2.2: an empty path keeps the base's.
    let (base, target) = (parse("http://h/a/../b"), parse("http://h/a/../b?q"));
    assert_eq!(relativize(&base, &target).as_deref(), Ok("?q"));
    for (error, code) in
        [(TargetHasDotSegments, "target_has_dot_segments"), (TargetNotAbsolute, "target_not_absolute")]
    {
        assert_eq!(error.as_str(), code);
        assert!(error.sentence().contains("no reference leads to it"), "{error}");
    }
}

/// Every reference of up to five pieces against bases of every shape: the reference found is among the shortest of
/// those that lead to a target.
#[test]
fn no_shorter_reference_exists() {
    const PIECES: &[&str] = &["/", ".", "..", "a", ":", "?", "#", "s:"];
    #[rustfmt::skip]
    const BASES: &[&str] = &[
        "s:", "s:?", "s:#", "s:a", "s:a:a", "s:a/a", "s:a/", "s:a/./a?a#a", "s:..", "s:../a", "s:a/../a", "s:a//a",
        "s:/", "s:/a", "s:/a/", "s:/a/a?", "s:/a//", "s:/..//a/a", "s:/.//a", "s:/a/..", "s:/./a:/..", "t:/a",
        "s://", "s://?", "s:///", "s:////a", "s://a", "s://a?a", "s://a/", "s://a/a", "s://a/a/a/a?", "s://a//",
        "s://a//a", "s://a/./a/../a", "s://a/..", "s://a:/a:/a",
    ];
    let mut references = vec![String::new()];
    let mut from = 0;
    for _ in 0..5 {
        let to = references.len();
        for at in from..to {
            references
                .extend(PIECES.iter().map(|piece| format!("{}{piece}", references[at])).collect::<Vec<_>>());
        }
        from = to;
    }
    for spec in Spec::ALL {
        let valid = references.iter().filter_map(|text| UriRef::parse_as(text, spec).ok());
        // All by RFC 3986; the others share its code except for dot segments, and four pieces cover these.
        let most = if spec == Spec::Rfc3986 { usize::MAX } else { 4096 };
        let references: Vec<UriRef> = valid.take(most).collect();
        assert!(references.len() > 3_000, "only {} references", references.len());
        for base in BASES.iter().filter_map(|base| UriRef::parse_as(base, spec).ok()) {
            for reference in &references {
                let target = resolve(&base, reference, Mode::Strict).expect("the base has a scheme");
                assert_eq!(check_way_back(&base, reference, &target), Ok(()), "{spec}");
            }
        }
    }
}
