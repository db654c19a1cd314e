//! RFC 3986, Appendix D.2: the changes since RFC 2396, each with a text that shows it. The tables are taken from the
//! two RFCs; a text may differ in no other way.

use urimill::explain::{Contrast, Difference};
use urimill::{Level, Spec};

/// One difference: aspect, the value by RFC 3986, the value by RFC 2396. "-" means none.
type Row = (&'static str, &'static str, &'static str);

/// (text, the differences, section)
const WITHOUT_BASE: &[(&str, &[Row], &str)] = &[
    // D.2: five marks became reserved, so that their triplets stay.
    ("/%21", &[("normal_form", "/%21", "/!")], "D.2, RFC 2396 2.3"),
    ("/%2a", &[("normal_form", "/%2A", "/*")], "D.2, RFC 2396 2.3"),
    ("/%27", &[("normal_form", "/%27", "/'")], "D.2, RFC 2396 2.3"),
    ("/?%28", &[("normal_form", "/?%28", "/?(")], "D.2, RFC 2396 2.3"),
    ("/#%29", &[("normal_form", "/#%29", "/#)")], "D.2, RFC 2396 2.3"),
    ("/%7E%2D%5F%2E%41", &[], "2.3: unreserved in both"),
    ("/%2F%3B%40", &[], "2.2: reserved in both"),
    ("/!*'()", &[], "allowed in both"),
    // D.2: the path may be empty after a scheme.
    ("dav:", &[("validity", "valid", "path_empty")], "D.2, RFC 2396 3"),
    ("about:", &[("validity", "valid", "path_empty")], "D.2, RFC 2396 3"),
    ("about:#f", &[("validity", "valid", "path_empty")], "D.2, RFC 2396 3"),
    ("about:?q", &[("path", "", "?q"), ("query", "q", "-")], "D.2, RFC 2396 3: an opaque part"),
    ("", &[], "empty in both"),
    ("http://h", &[("normal_form", "http://h/", "http://h")], "6.2.3"),
    // D.2: there is no opaque part.
    ("mailto:a?b", &[("path", "a", "a?b"), ("query", "b", "-")], "D.2, RFC 2396 3"),
    ("news:a/b#c", &[], "D.2: opaque, and yet the same"),
    ("x:/a?b", &[], "hierarchical in both"),
    // D.2: names of registries are hosts, and the rule for hostname is gone.
    (
        "http://u@a_b:80/",
        &[
            ("userinfo", "u", "-"),
            ("host", "a_b", "u@a_b:80"),
            ("port", "80", "-"),
            ("normal_form", "http://u@a_b/", "http://u@a_b:80/"),
        ],
        "D.2, RFC 2396 3.2.1",
    ),
    ("//A_B/", &[("normal_form", "//a_b/", "//A_B/")], "D.2, 6.2.2.1: any host is in no case"),
    ("//a@b@c/", &[("validity", "host_invalid_char", "valid")], "3.2.1, RFC 2396 3.2.1"),
    ("//h:x/", &[("validity", "port_invalid_char", "valid")], "3.2.3, RFC 2396 3.2.1"),
    ("http://example.3com/", &[("host_kind", "dns_name", "reg_name")], "D.2, RFC 2396 3.2.2: toplabel"),
    ("http://256.1.1.1/", &[("host_kind", "reg_name", "ipv4")], "3.2.2, RFC 2396 3.2.2"),
    ("http://caf%C3%A9/", &[], "D.2: triplets in a host; a registry's name before"),
    ("http://example.com:8080/a", &[], "a server in both"),
    // D.1: IP literals.
    ("http://[::1]/", &[("validity", "valid", "host_invalid_char")], "D.1, RFC 2396 3.2.2"),
    ("http://[v1.a]/", &[("validity", "valid", "host_invalid_char")], "D.1"),
    // D.1: a section on normalization.
    ("http://h/a/../b", &[("normal_form", "http://h/b", "http://h/a/../b")], "D.1, 6.2.2.3"),
    ("HTTP://H:80/a", &[], "6.2.2.1, 6.2.3, RFC 2396 6"),
    ("foo:a/./b", &[("normal_form", "foo:a/b", "foo:a/./b")], "D.1, 6.2.2.3, RFC 2396 3: an opaque part"),
    ("//h", &[], "6.2.3: nothing that hangs on a scheme"),
    // D.2: colons in first segments; neither grammar derives it.
    ("a_b:c", &[], "4.2: rejected by both"),
    ("./a:b", &[], "4.2"),
    ("/a b", &[], "rejected by both"),
];

const BASE: &str = "http://a/b/c/d;p?q";

/// The same against [`BASE`].
const WITH_BASE: &[(&str, &[Row], &str)] = &[
    // D.2: a reference without a path takes the base's, as RFC 1808 had it.
    (
        "?y",
        &[
            ("resolution", "http://a/b/c/d;p?y", "http://a/b/c/?y"),
            ("normal_form", "http://a/b/c/d;p?y", "http://a/b/c/?y"),
        ],
        "D.2, 5.2.2, RFC 2396 5.2",
    ),
    // D.2: a reference to the same document is recognized by its target, not by its form.
    ("#s", &[], "4.4, RFC 2396 4.2"),
    ("", &[], "4.4, RFC 2396 4.2"),
    (BASE, &[("same_document", "true", "false")], "D.2, 4.4"),
    ("HTTP://A/b/c/d;p?q#s", &[("same_document", "true", "false")], "D.2, 4.4, after normalization"),
    ("d;p?q", &[("same_document", "true", "false")], "D.2, 4.4"),
    // D.2: a separate routine removes dot segments, from every path.
    (
        "../../../g",
        &[("resolution", "http://a/g", "http://a/../g"), ("normal_form", "http://a/g", "http://a/../g")],
        "D.2, 5.4.2, RFC 2396 C.2",
    ),
    (
        "/./g",
        &[("resolution", "http://a/g", "http://a/./g"), ("normal_form", "http://a/g", "http://a/./g")],
        "D.2, 5.4.2, RFC 2396 C.2",
    ),
    (
        "http://h/../g",
        &[("resolution", "http://h/g", "http://h/../g"), ("normal_form", "http://h/g", "http://h/../g")],
        "D.2, 5.2.2",
    ),
    ("../g", &[], "5.4.1, RFC 2396 C.1"),
    ("g;x=1/../y", &[], "5.4.2, RFC 2396 C.2"),
    ("//g/x", &[], "5.4.1"),
];

/// D.2: step 6a of RFC 2396's algorithm forgot bases without a path. By its letter the target would be `http://ag`,
/// another host; urimill treats that as the mistake it is, so there is no difference.
const BASE_WITHOUT_PATH: (&str, &str) = ("http://a", "g");

fn check(table: &[(&str, &[Row], &str)], base: Option<&str>) {
    let contrast =
        Contrast::new(&[Spec::Rfc3986, Spec::Rfc2396], Level::Scheme, base).expect("two specifications");
    for (text, expected, section) in table {
        let found = contrast.differences(text);
        let rows: Vec<_> = found.iter().map(row).collect();
        let expected: Vec<_> =
            expected.iter().map(|&(aspect, new, old)| [aspect, new, old].map(str::to_owned)).collect();
        assert_eq!(rows, expected, "{text:?} ({section})");
    }
}

fn row(difference: &Difference) -> [String; 3] {
    let value = |i: usize| difference.values[i].clone().unwrap_or_else(|| "-".to_owned());
    [difference.aspect.as_str().to_owned(), value(0), value(1)]
}

#[test]
fn every_change_shows() {
    check(WITHOUT_BASE, None);
}

#[test]
fn every_change_of_resolution_shows() {
    check(WITH_BASE, Some(BASE));
    let (base, text) = BASE_WITHOUT_PATH;
    check(&[(text, &[], "D.2, RFC 2396 5.2")], Some(base));
}

/// The errata: (text, base, the differences from RFC 3986)
#[test]
fn the_errata_differ_where_they_say() {
    let table: &[(&str, Option<&str>, &[Row], &str)] = &[
        ("//a!b/", None, &[("validity", "valid", "host_invalid_char")], "erratum 4942"),
        ("//a-b.c/!", None, &[], "erratum 4942 is about names alone"),
        (
            "g",
            Some("http://a/b/.."),
            &[("resolution", "http://a/b/g", "http://a/g"), ("normal_form", "http://a/b/g", "http://a/g")],
            "erratum 2933",
        ),
        ("../../g", Some("http://a/b"), &[("resolution", "http://a/g", "http://a/../../g")], "erratum 4547"),
        ("/../g", Some("http://a/b"), &[], "erratum 4547 is about relative paths alone"),
    ];
    for (text, base, expected, section) in table {
        let contrast = Contrast::new(&[Spec::Rfc3986, Spec::Rfc3986Errata], Level::Scheme, *base)
            .expect("two specifications");
        let rows: Vec<_> = contrast.differences(text).iter().map(row).collect();
        let expected: Vec<_> =
            expected.iter().map(|&(a, new, old)| [a, new, old].map(str::to_owned)).collect();
        assert_eq!(rows, expected, "{text:?} ({section})");
    }
}

/// A specification too few, or one without an answer, is a mistake of the caller.
#[test]
fn a_contrast_needs_two_specifications_and_a_base_that_both_take() {
    let both = [Spec::Rfc3986, Spec::Rfc2396];
    for (specs, base, part) in [
        (&both[..1], None, "two specifications"),
        (&[Spec::Rfc2396, Spec::Rfc2396][..], None, "rfc2396 is given twice"),
        (&both[..], Some("/a"), "no scheme"),
        (&both[..], Some("http://[::1]/"), "by rfc2396"),
    ] {
        let error = Contrast::new(specs, Level::Scheme, base).expect_err(part);
        assert!(error.to_string().contains(part), "{error}");
    }
}
