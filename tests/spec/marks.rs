//! Remarks of the specifications on references and bases besides their targets, the forms of a whole text that they
//! name, and comparison of references: as tables.

use urimill::canonical::path_params;
use urimill::compare::{CompareOptions, Rung, compare_with};
use urimill::encode::decode;
use urimill::explain::bulk::required;
use urimill::resolve::{Mode, ResolveError, remarks, resolve};
use urimill::uri::Start;
use urimill::{Spec, UriRef};

fn parse(text: &str, spec: Spec) -> UriRef<'_> {
    UriRef::parse_as(text, spec).unwrap_or_else(|reject| panic!("{text:?} by {spec}: {reject}"))
}

const BOTH: &[Spec] = &[Spec::Rfc3986, Spec::Rfc2396];

/// Specifications, base, reference, the remark, section.
type Remark = (&'static [Spec], &'static str, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const REMARKS: &[Remark] = &[
    (BOTH, "http://a/b/c/d;p?q", "../../g", "", "5.4.1"),
    (BOTH, "http://a/b/c/d;p?q", "../../../g", "excess", "5.4.2; RFC 2396 5.2-6g"),
    (BOTH, "http://a/b/c/d;p?q", "../../../../g", "excess", "5.4.2; RFC 2396 5.2-6g"),
    (BOTH, "http://a/b/c/d;p?q", "g/../../../..", "excess", "5.4.2; RFC 2396 5.2-6g"),
    (BOTH, "http://a/b/c/d;p?q", "g/../../..", "", "5.4.2: as many as there are"),
    (BOTH, "http://a/b/c/d;p?q", "...", "", "5.4.2: dots in names"),
    (BOTH, "http://a/b/c/d;p?q", "/../g", "", "5.4.2: of relative paths"),
    (BOTH, "http://a/b/c/d;p?q", "//g/../../h", "", "5.4.2: of relative paths"),
    (BOTH, "http://a", "../g", "excess", "5.2.3"),
    (BOTH, "http://a//b", "../g", "", "5.2.4: an empty segment is one"),
    (&[Spec::Rfc3986Errata], "http://a/b/..", "../g", "excess", "5.2.3, erratum 2933"),
    (BOTH, "http://a/b/c/d;p?q", "http:g", "scheme", "5.4.2; RFC 2396 5.2-3"),
    (BOTH, "http://a/b/c/d;p?q", "HTTP:g", "scheme", "5.2.2: in any case"),
    (BOTH, "http://a/b/c/d;p?q", "http:/g", "scheme", "5.4.2"),
    (BOTH, "http://a/b/c/d;p?q", "https:g", "", "5.4.2: another scheme"),
    (BOTH, "http://a/b/c/d;p?q", "http://a/g", "", "5.4.2: it is a URI"),
    (BOTH, "file:///a", "file:/b", "", "RFC 8089: it is a URI"),
    (BOTH, "mailto:a", "mailto:b", "", "RFC 2396 5.2-3: a scheme without a hierarchy"),
    (BOTH, "mailto:a@b", "g", "base", "1.2.3; RFC 2396 5"),
    (BOTH, "mailto:a@b", "?g", "base", "1.2.3; RFC 2396 5"),
    (BOTH, "mailto:a@b", "/g", "base", "1.2.3; RFC 2396 5"),
    (BOTH, "mailto:a@b", "", "", "4.4; RFC 2396 4.2: the document itself"),
    (BOTH, "mailto:a@b", "#s", "", "4.4; RFC 2396 4.2: the document itself"),
    (BOTH, "mailto:a@b", "http://h/", "", "5.2.2: it is not relative"),
    (BOTH, "x:/a", "g", "", "1.2.3; RFC 2396 5"),
    (&[Spec::Rfc3986], "x:a/b", "g", "", "1.2.3: it has slashes"),
    (&[Spec::Rfc2396], "x:a/b", "g", "base", "RFC 2396 5: opaque all the same"),
];

#[test]
fn remarks_about_references_and_bases() {
    for &(specs, base, reference, expected, section) in REMARKS {
        for &spec in specs {
            let found = remarks(&parse(base, spec), &parse(reference, spec), Mode::Strict).expect("a base");
            let names = [
                (found.excess_dot_segments, "excess"),
                (found.same_scheme_reference, "scheme"),
                (found.unsuitable_base, "base"),
            ];
            let names: Vec<_> = names.iter().filter(|(holds, _)| *holds).map(|(_, name)| *name).collect();
            assert_eq!(names.join(" "), expected, "{section}: {base} and {reference} by {spec}");
        }
    }
    let base = parse("http://a/b/c", Spec::Rfc3986);
    let found = remarks(&base, &parse("http:../../../g", Spec::Rfc3986), Mode::Compatible).expect("a base");
    assert!(found.excess_dot_segments && found.same_scheme_reference, "5.2.2: a scheme that is passed over");
    for &spec in BOTH {
        let relative = parse("/a", spec);
        assert_eq!(remarks(&relative, &relative, Mode::Strict), Err(ResolveError::BaseNotAbsolute), "5.1");
        assert_eq!(resolve(&relative, &relative, Mode::Strict), Err(ResolveError::BaseNotAbsolute), "5.1");
    }
}

/// A text, its required form, by which specification, and the code and offset of the fault.
type Form = (&'static str, Start, Spec, Option<(&'static str, usize)>);

/// Text, form, specification, code and offset where it is not of that form: RFC 3986 3, 4.1, 4.3; RFC 2396 3, 4, 4.1
const FORMS: &[Form] = &[
    ("../a#b", Start::Reference, Spec::Rfc3986, None),
    ("a:b#c", Start::Uri, Spec::Rfc3986, None),
    ("a/b", Start::Uri, Spec::Rfc3986, Some(("scheme_missing", 1))),
    ("//a", Start::Uri, Spec::Rfc3986, Some(("scheme_missing", 0))),
    ("ab", Start::Uri, Spec::Rfc3986, Some(("scheme_missing", 2))),
    ("a:b?c", Start::AbsoluteUri, Spec::Rfc3986, None),
    ("a:b?c#d", Start::AbsoluteUri, Spec::Rfc3986, Some(("fragment_not_allowed", 5))),
    ("a:b?c#", Start::AbsoluteUri, Spec::Rfc3986, Some(("fragment_not_allowed", 5))),
    ("#d", Start::AbsoluteUri, Spec::Rfc3986, Some(("scheme_missing", 0))),
    ("a:b?c#d", Start::AbsoluteUri, Spec::Rfc2396, Some(("fragment_not_allowed", 5))),
    ("a:b?c#d", Start::Uri, Spec::Rfc2396, Some(("fragment_not_allowed", 5))),
    ("a:b?c", Start::Uri, Spec::Rfc2396, None),
    // Texts that are not references: the form breaks at an earlier byte.
    ("1:b", Start::Reference, Spec::Rfc3986, Some(("scheme_invalid_char", 1))),
    ("1:b", Start::Uri, Spec::Rfc3986, Some(("scheme_missing", 0))),
    ("%00\"x", Start::Reference, Spec::Rfc3986, Some(("path_invalid_char", 3))),
    ("%00\"x", Start::Uri, Spec::Rfc3986, Some(("scheme_missing", 0))),
    ("a\"x", Start::Uri, Spec::Rfc3986, Some(("path_invalid_char", 1))),
    ("x:a#b c", Start::Uri, Spec::Rfc3986, Some(("fragment_invalid_char", 5))),
    ("x:a#b c", Start::AbsoluteUri, Spec::Rfc3986, Some(("fragment_not_allowed", 3))),
    ("x:a b#c", Start::AbsoluteUri, Spec::Rfc3986, Some(("path_invalid_char", 3))),
    ("x:a#b c", Start::Uri, Spec::Rfc2396, Some(("fragment_not_allowed", 3))),
];

#[test]
fn start_symbols() {
    for (text, start, spec, expected) in FORMS {
        let found = required(text.as_bytes(), *start, *spec);
        let found = found.map_err(|reject| (reject.code.as_str(), reject.offset));
        assert_eq!(found.err(), *expected, "{text} as {start} by {spec}");
    }
    for start in Start::ALL {
        assert_eq!(start.as_str().parse::<Start>().expect("a name"), start);
    }
    assert!("url".parse::<Start>().is_err());
}

/// RFC 3986 6.1: with the options, fragments are ignored and relative references are not compared.
#[test]
fn comparison_with_options() {
    let rung = |a, b, ignore_fragments, absolute_only| {
        let (a, b) = (parse(a, Spec::Rfc3986), parse(b, Spec::Rfc3986));
        compare_with(
            &a,
            &b,
            CompareOptions::new().ignore_fragments(ignore_fragments).absolute_only(absolute_only),
        )
        .map_err(|error| error.to_string())
    };
    assert_eq!(rung("http://a/#b", "http://a/#c", false, false), Ok(Rung::Different));
    assert_eq!(rung("http://a/#b", "http://a/#c", true, false), Ok(Rung::Identical));
    assert_eq!(rung("http://a/#b", "HTTP://a/", true, true), Ok(Rung::Case));
    assert_eq!(rung("http://a/?#b", "http://a/", true, false), Ok(Rung::Different));
    assert_eq!(rung("../b", "../b", false, false), Ok(Rung::Identical));
    for (a, b) in [("../b", "../b"), ("http://a/", "//a/"), ("#s", "http://a/")] {
        let reason = rung(a, b, true, true).expect_err("a relative reference");
        assert!(reason.contains("relative reference") && reason.contains("6.1"), "{reason}");
    }
}

/// RFC 2396 3.3: any number of parameters in each segment; an opaque part has no segments.
#[test]
fn parameters_of_segments() {
    let found = |text: &'static str, spec| -> Vec<(usize, String, Option<String>)> {
        let own = |param: urimill::canonical::PathParam<'_>| {
            (param.segment(), param.name().into_owned(), param.value().map(|value| value.into_owned()))
        };
        path_params(&parse(text, spec)).map(own).collect()
    };
    let param =
        |segment, name: &str, value: Option<&str>| (segment, name.to_owned(), value.map(str::to_owned));
    for &spec in BOTH {
        assert_eq!(found("http://h/a;v=1;x/b", spec), [param(1, "v", Some("1")), param(1, "x", None)]);
        assert_eq!(
            found("a;/;=;b=c=d", spec),
            [param(1, "", None), param(2, "", Some("")), param(2, "b", Some("c=d")),]
        );
        assert_eq!(found("/a;%C3%BC=%FF+%3B?b;c#d;e", spec), [param(1, "ü", Some("%FF+;"))]);
        assert_eq!(found("http://h/a/b", spec), []);
    }
    assert_eq!(found("mailto:a;b", Spec::Rfc2396), []);
    assert_eq!(found("mailto:a;b", Spec::Rfc3986), [param(1, "b", None)]);
}

/// RFC 2396 2.1: an escape encodes an octet; the URI does not define which character that is.
#[test]
fn escapes_stand_for_octets() {
    for (text, octets) in
        [("%E9", &b"\xE9"[..]), ("%C3%A9", b"\xC3\xA9"), ("a%00", b"a\0"), ("%25e9", b"%e9")]
    {
        assert_eq!(&*decode(text).expect("an encoding"), octets, "{text}");
    }
}
