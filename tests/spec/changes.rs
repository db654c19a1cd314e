//! RFC 3986 Appendix D: what changed since RFC 2396, each change by an example on which the two differ.

use urimill::resolve::{Mode, is_current_document, is_same_document, resolve};
use urimill::{Level, Spec, UriRef, normalize};

const BOTH: [Spec; 2] = [Spec::Rfc2396, Spec::Rfc3986];

fn parse(text: &str, spec: Spec) -> UriRef<'_> {
    UriRef::parse_as(text, spec).unwrap_or_else(|reject| panic!("{text:?} by {spec}: {reject}"))
}

/// The defined components, or the code of a reject and its offset.
fn components(text: &str, spec: Spec) -> String {
    let uri = match UriRef::parse_as(text, spec) {
        Ok(uri) => uri,
        Err(reject) => return format!("{} {}", reject.code, reject.offset),
    };
    let kind = uri.host_kind().map_or("host", |kind| kind.as_str());
    let parts = [
        ("scheme", uri.scheme()),
        ("userinfo", uri.userinfo()),
        (kind, uri.host()),
        ("port", uri.port()),
        ("path", Some(uri.path())),
        ("query", uri.query()),
        ("fragment", uri.fragment()),
    ];
    let defined = parts.into_iter().filter_map(|(name, part)| Some(format!("{name}={}", part?)));
    defined.collect::<Vec<_>>().join(" ")
}

/// (text, by RFC 2396, by RFC 3986, change)
type Row = (&'static str, &'static str, &'static str, &'static str);

fn check(table: &[Row], says: impl Fn(&str, Spec) -> String) {
    for (text, old, new, change) in table {
        let got = BOTH.map(|spec| says(text, spec));
        assert_eq!((got[0].as_str(), got[1].as_str()), (*old, *new), "{text:?} ({change})");
        assert_ne!(old, new, "{text:?} shows no change");
    }
}

#[test]
fn what_is_valid_and_its_components() {
    check(
        &[
            (
                "http://[::1]:80/",
                "host_invalid_char 7",
                "scheme=http ipv6=[::1] port=80 path=/",
                "D.1: IPv6 literals",
            ),
            ("//[v1.a]", "host_invalid_char 2", "ipvfuture=[v1.a] path=", "D.1: literals of later versions"),
            (
                "//256.1.1.1:8",
                "ipv4=256.1.1.1 port=8 path=",
                "reg_name=256.1.1.1 port=8 path=",
                "D.1: octets from 0 to 255",
            ),
            (
                "//01.1.1.1",
                "ipv4=01.1.1.1 path=",
                "reg_name=01.1.1.1 path=",
                "D.1: octets without leading zeros",
            ),
            (
                "mailto:a?subject=b",
                "scheme=mailto path=a?subject=b",
                "scheme=mailto path=a query=subject=b",
                "D.2: no opaque part",
            ),
            ("dav:", "path_empty 4", "scheme=dav path=", "D.2: a path may be empty"),
            ("about:#a", "path_empty 6", "scheme=about path= fragment=a", "D.2: a path may be empty"),
            ("a:?b", "scheme=a path=?b", "scheme=a path= query=b", "D.2: a path may be empty"),
            (
                "//u@a_b:80/",
                "reg_name=u@a_b:80 path=/",
                "userinfo=u reg_name=a_b port=80 path=/",
                "D.2: a registry's names are hosts",
            ),
            (
                "//u@%C3%A9:80",
                "reg_name=u@%C3%A9:80 path=",
                "userinfo=u reg_name=%C3%A9 port=80 path=",
                "D.2: triplets in a host",
            ),
            ("//a.1b:80", "reg_name=a.1b:80 path=", "dns_name=a.1b port=80 path=", "D.2: no toplabel"),
            (
                "//a:b",
                "reg_name=a:b path=",
                "port_invalid_char 5",
                "D.2: what is no host and port is no authority",
            ),
            (
                "//a@b@c",
                "reg_name=a@b@c path=",
                "host_invalid_char 5",
                "D.2: what is no host is no authority",
            ),
        ],
        components,
    );
}

#[test]
fn normal_forms() {
    let table: &[Row] = &[
        ("x:/%21%2A%27%28%29", "x:/!*'()", "x:/%21%2A%27%28%29", "D.2: five marks are reserved now"),
        ("x://h/a/../b", "x://h/a/../b", "x://h/b", "D.2: dot segments go from every path"),
        ("http://h", "http://h", "http://h/", "D.1: section 6 has grown"),
        ("file://localhost/a", "file://localhost/a", "file:///a", "D.1: section 6 has grown"),
        ("mailto:a@B", "mailto:a@B", "mailto:a@b", "D.1: section 6 has grown"),
        ("//A_B", "//A_B", "//a_b", "D.2: a registry's names are hosts, and have no case"),
    ];
    check(table, |text, spec| normalize(&parse(text, spec), Level::Scheme).into_owned());
}

#[test]
fn targets() {
    let table: &[Row] = &[
        ("?y", "http://a/b/c/?y", "http://a/b/c/d;p?y", "D.2: an empty path with a query is the base's path"),
        ("/./g", "http://a/./g", "http://a/g", "D.2: dot segments go from every path"),
        ("//g/../h", "http://g/../h", "http://g/h", "D.2: dot segments go from every path"),
        ("http:/g/../h", "http:/g/../h", "http:/h", "D.2: dot segments go from every path"),
        ("../../../g", "http://a/../g", "http://a/g", "D.2: those that lead too far too"),
    ];
    check(table, |reference, spec| {
        let target = resolve(&parse("http://a/b/c/d;p?q", spec), &parse(reference, spec), Mode::Strict);
        target.expect("the base has a scheme").into_owned()
    });
    // RFC 2396 forgot a base without a path: by the letter of 5.2, 6a this would be http://ab.
    for spec in BOTH {
        let target = resolve(&parse("http://a", spec), &parse("b", spec), Mode::Strict);
        assert_eq!(target.as_deref(), Ok("http://a/b"), "{spec} (D.2)");
    }
}

/// RFC 2396 decided by the form of a reference whether it is to the same document, RFC 3986 by its target; a reference
/// that was one still is.
#[test]
fn same_documents() {
    let base = "http://a/b/c/d;p?q";
    for (reference, old, new) in [
        ("", true, true),
        ("#s", true, true),
        ("d;p?q", false, true),
        ("?q#s", false, true),
        ("g", false, false),
    ] {
        assert_eq!(is_current_document(&parse(reference, Spec::Rfc2396)), old, "{reference:?} (D.2)");
        let base = parse(base, Spec::Rfc3986);
        let target =
            resolve(&base, &parse(reference, Spec::Rfc3986), Mode::Strict).expect("the base has a scheme");
        let is_same = is_same_document(&base, &parse(&target, Spec::Rfc3986), Level::None);
        assert_eq!(is_same, new, "{reference:?} (D.2)");
    }
}
