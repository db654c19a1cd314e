//! Copies of a reference with one component replaced or removed, its builder, and its resolution as methods.

use urimill_uri::resolve::{Mode, ResolveError, relativize, resolve};
use urimill_uri::{Code, Result, Spec, Uri, UriRef};

/// References of all forms; the second column is what RFC 3986 or RFC 2396 has them as.
const TEXTS: [(&str, Spec); 26] = [
    ("", Spec::Rfc3986),
    ("http://user@h:8080/p/./q?a=b#f", Spec::Rfc3986),
    ("HTTP://H:/%7e?#", Spec::Rfc3986),
    ("http://h:99999/", Spec::Rfc3986),
    ("//@:", Spec::Rfc3986),
    ("//u:p:q@[::1]:080", Spec::Rfc3986),
    ("//[v1.a]?x", Spec::Rfc3986),
    ("//%FF%2f/", Spec::Rfc3986),
    ("file:///etc", Spec::Rfc3986),
    ("urn:isbn:1?=x#y", Spec::Rfc3986),
    ("mailto:a@b?subject=c%20d", Spec::Rfc3986),
    ("x:/.//a", Spec::Rfc3986),
    ("/.//a?b", Spec::Rfc3986),
    ("./a:b#c", Spec::Rfc3986),
    ("../a?b/?#/?", Spec::Rfc3986),
    ("?q", Spec::Rfc3986),
    ("#f", Spec::Rfc3986),
    ("http://a_b~/c", Spec::Rfc3986Errata),
    ("http://u:p@h:8080/p;a=b?c#d", Spec::Rfc2396),
    ("http://256.0.0.1/", Spec::Rfc2396),
    ("http://a,b/c", Spec::Rfc2396),
    ("//u@a,b:c", Spec::Rfc2396),
    ("mailto:a?b/c#d", Spec::Rfc2396),
    ("a:b", Spec::Rfc2396),
    ("a;b/c", Spec::Rfc2396),
    ("#f", Spec::Rfc2396),
];

fn parsed() -> impl Iterator<Item = Uri> {
    TEXTS
        .into_iter()
        .map(|(text, spec)| Uri::parse_as(text, spec).unwrap_or_else(|_| panic!("{text} {spec}")))
}

#[test]
fn a_builder_of_a_reference_builds_it_again() {
    for uri in parsed() {
        let again = uri.to_builder().build().unwrap_or_else(|error| panic!("{uri} {}: {error}", uri.spec()));
        assert_eq!((again.as_str(), again.spec()), (uri.as_str(), uri.spec()));
    }
}

/// What a getter returns can be set, and is then the same as before.
#[test]
fn a_component_set_to_itself_changes_nothing() {
    for uri in parsed() {
        // A registry's name by RFC 2396 may have user information and a port in it.
        let host = uri.host().filter(|host| !(uri.spec() == Spec::Rfc2396 && host.contains('@')));
        // Percent-encoding in a host is UTF-8 (3.2.2).
        let host = host.filter(|host| !host.contains("%FF"));
        let copies = [
            uri.scheme().map(|scheme| uri.with_scheme(scheme)),
            uri.userinfo().map(|userinfo| uri.with_userinfo(userinfo)),
            host.map(|host| uri.with_host(host)),
            Some(uri.with_path(uri.path())),
            uri.query().map(|query| uri.with_query(query)),
            uri.fragment().map(|fragment| uri.with_fragment(fragment)),
        ];
        for copy in copies.into_iter().flatten() {
            let copy = copy.unwrap_or_else(|error| panic!("{uri} {}: {error}", uri.spec()));
            assert_eq!((copy.as_str(), copy.spec()), (uri.as_str(), uri.spec()));
        }
    }
}

/// A component that is removed is missing, and the others stay.
#[test]
fn a_component_that_is_removed_leaves_the_others() {
    let parts = |uri: &Uri| {
        let owned = |part: Option<&str>| part.map(str::to_owned);
        [
            owned(uri.scheme()),
            owned(uri.userinfo()),
            owned(uri.host()),
            owned(uri.port()),
            owned(Some(uri.path())),
            owned(uri.query()),
            owned(uri.fragment()),
        ]
    };
    for uri in parsed() {
        let removed = [
            (1, uri.without_userinfo()),
            (3, uri.without_port()),
            (5, uri.without_query()),
            (6, uri.without_fragment()),
        ];
        for (at, copy) in removed {
            let mut expected = parts(&uri);
            expected[at] = None;
            assert_eq!(
                (parts(&copy), copy.spec()),
                (expected, uri.spec()),
                "{uri} without part {at}: {copy}"
            );
        }
    }
}

type Copy = fn(&Uri) -> Result<Uri>;

#[test]
fn a_copy_has_another_component() {
    // The section is that of RFC 3986.
    let cases: [(&str, Copy, &str); 20] = [
        ("//h/a", |uri| uri.with_scheme("http"), "http://h/a"), // 3.1
        ("a/b", |uri| uri.with_scheme("x+1"), "x+1:a/b"),
        ("http://h/", |uri| uri.with_userinfo("u:p"), "http://u:p@h/"), // 3.2.1
        ("http://u@h/", |uri| uri.with_userinfo(""), "http://@h/"),
        ("http://h/", |uri| uri.with_host(""), "http:///"), // 3.2.2
        ("/a", |uri| uri.with_host("h"), "//h/a"),
        ("x:", |uri| uri.with_host("h"), "x://h"),
        ("http://u@h:1/", |uri| uri.with_host("bücher.example"), "http://u@b%C3%BCcher.example:1/"),
        ("http://h", |uri| uri.with_port(0), "http://h:0"), // 3.2.3
        ("http://h:080/", |uri| uri.with_port(80), "http://h:80/"),
        ("http://h/a?b#c", |uri| uri.with_path(""), "http://h?b#c"), // 3.3
        ("http://h/a", |uri| uri.with_path("//a/../b;c"), "http://h//a/../b;c"),
        ("x:a", |uri| uri.with_path("//a"), "x:/.//a"),
        ("/a", |uri| uri.with_path("//a"), "/.//a"),
        ("a", |uri| uri.with_path("b:c"), "./b:c"), // 4.2
        ("http://h", |uri| uri.with_query("a=b&c=%20?/"), "http://h?a=b&c=%20?/"), // 3.4
        ("/a?b#c", |uri| uri.with_query(""), "/a?#c"),
        ("#a", |uri| uri.with_fragment("b/?"), "#b/?"), // 3.5
        ("", |uri| uri.with_fragment(""), "#"),
        ("http://u:p@h/", |uri| uri.with_host("[::1]"), "http://u:p@[::1]/"),
    ];
    for (text, copy, expected) in cases {
        let uri = Uri::parse(text).unwrap();
        assert_eq!(copy(&uri).unwrap(), expected);
    }
}

#[test]
fn what_is_no_component_is_refused_with_the_reason() {
    let cases: [(&str, Copy, &str); 19] = [
        ("http://h/", |uri| uri.with_scheme(""), "\"\" is no scheme"),
        ("http://h/", |uri| uri.with_scheme("http:"), "\"http:\" is no scheme"),
        ("http://h/", |uri| uri.with_userinfo("a@b"), "\"a@b\" is no user information as a URI has it"),
        ("http://h/", |uri| uri.with_userinfo("u:secret word"), "\"u:***\" is no user information"),
        ("urn:a", |uri| uri.with_userinfo("u"), "need a host"),
        ("http://h/", |uri| uri.with_host("h:1"), "\"h:1\" is no host"),
        ("urn:a", |uri| uri.with_host("h"), "does not begin with a slash"),
        ("urn:a", |uri| uri.with_port(1), "need a host"),
        ("http://h/", |uri| uri.with_path("a"), "does not begin with a slash"),
        (
            "http://h/",
            |uri| uri.with_path("/a b"),
            "\"/a b\" is no path as a URI has it: a character that the component cannot hold (byte 2)",
        ),
        ("http://h/", |uri| uri.with_path("/a?b"), "(byte 2)"),
        ("http://h/", |uri| uri.with_path("/%4"), "(byte 3)"),
        ("http://h/", |uri| uri.with_path("/ü"), "(byte 1)"),
        ("http://h/", |uri| uri.with_query("?#"), "\"?#\" is no query as a URI has it"),
        ("http://h/", |uri| uri.with_query("100%"), "(byte 4)"),
        ("http://h/", |uri| uri.with_fragment("a#"), "\"a#\" is no fragment as a URI has it"),
        ("http://h/", |uri| uri.with_fragment("a\n"), "(byte 1)"),
        ("http://h/", |uri| uri.with_fragment("["), "(byte 0)"),
        ("http://h/", |uri| uri.with_query("%zz"), "(byte 1)"),
    ];
    for (text, copy, expected) in cases {
        let error = copy(&Uri::parse(text).unwrap()).expect_err(expected).to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

/// By RFC 2396 a question mark is a part of an opaque path, and the authority of a registry has no parts.
#[test]
fn parts_with_another_place_in_their_new_neighbourhood_are_refused() {
    let uri = |text| Uri::parse_as(text, Spec::Rfc2396).unwrap();
    let error = uri("//a,b/").with_port(1).unwrap_err().to_string();
    assert!(error.contains("does not have the parts that it was made of"), "{error}");
    let error = uri("//a,b/").with_userinfo("u").unwrap_err().to_string();
    assert!(error.contains("does not have the parts that it was made of"), "{error}");
    assert_eq!(uri("mailto:a?b").with_path("c?d").unwrap(), "mailto:c?d");
    assert!(uri("http://h/").with_path("/c?d").is_err());
}

#[test]
fn joining_is_resolution_and_has_a_way_back() {
    let base: Uri = "http://a/b/c/d;p?q".parse().unwrap();
    for reference in ["g:h", "g", "./g", "/g", "//g", "?y", "#s", "", "../../../g", "g;x=1/../y", "http:g"] {
        let parsed = UriRef::parse(reference).unwrap();
        let target = base.join(reference).unwrap();
        assert_eq!(target, resolve(&base, &parsed, Mode::Strict).unwrap(), "{reference}");
        for same in
            [base.join(&parsed), base.join(reference.as_bytes()), base.as_uri_ref().join(&parsed.to_uri())]
        {
            assert_eq!(same.unwrap(), target);
        }
        if let Ok(back) = target.relative_to(&base) {
            assert_eq!(back, relativize(&base, &target).unwrap());
            assert_eq!(base.join(&back).unwrap(), target, "{reference}");
        }
    }
    let reject = |base: &str, reference: &str| Uri::parse(base).unwrap().join(reference).unwrap_err();
    for (base, reference, code, offset) in [
        ("/a", "b", Code::BaseNotAbsolute, 0),
        ("/a", "http://h/", Code::BaseNotAbsolute, 0),
        ("/a", "b c", Code::BaseNotAbsolute, 0),
        ("a:b", "b c", Code::PathInvalidChar, 1),
        ("a:b", ":", Code::SchemeEmpty, 0),
    ] {
        let reject = reject(base, reference);
        assert_eq!((reject.code, reject.offset), (code, offset), "{base} {reference}");
    }
    let relative: Uri = "/a".parse().unwrap();
    assert_eq!(relative.relative_to(&base), Err(ResolveError::TargetNotAbsolute));
    assert_eq!(base.relative_to(&relative), Err(ResolveError::BaseNotAbsolute));

    // By the base's specification: RFC 2396 keeps dot segments that climb too far (C.2), the reference's does not count.
    let old = Uri::parse_as("http://a/b/c/d;p?q", Spec::Rfc2396).unwrap();
    let target = old.join(&UriRef::parse("../../../g").unwrap()).unwrap();
    assert_eq!((target.as_str(), target.spec()), ("http://a/../g", Spec::Rfc2396));
}
