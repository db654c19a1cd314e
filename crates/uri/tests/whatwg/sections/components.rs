//! Percent-encode sets (1.3), paths (4.2, 4.5), origins (4.7), getters (6.1).

use std::borrow::Cow;

use urimill_uri::whatwg::Url;

use super::{Row, check};

/// (component, what precedes and follows it, what is encoded of printable ASCII, what would end it): 1.3
const SETS: &[(&str, &str, &str, &str, &str)] = &[
    ("path", "http://h/", "", " \"<>^`{}", "?#/\\"),
    ("path, not special", "a://h/", "", " \"<>^`{}", "?#/"),
    ("opaque path", "a:", "c", "", "?#/"),
    ("query, special", "http://h/?", "", " \"<>'", "#"),
    ("query", "a://h/?", "", " \"<>", "#"),
    ("fragment", "http://h/#", "", " \"<>`", ""),
    ("user name", "http://", "@h/", " \"#<>?^`{}/;=[\\]|", "/?#:@\\"),
    ("password", "a://u:", "@h/", " \"#<>?^`{}/:;=[\\]|", "/?#@"),
];

/// Each byte of ASCII in each component is encoded or not, as the sets say.
#[test]
fn percent_encode_sets() {
    for &(component, before, after, encoded, ends) in SETS {
        for byte in 0..=0x7f_u8 {
            let unit = char::from(byte);
            if matches!(unit, '\t' | '\n' | '\r') || ends.contains(unit) {
                continue;
            }
            let written = match unit.is_ascii_control() || encoded.contains(unit) {
                true => format!("%{byte:02X}"),
                false => unit.to_string(),
            };
            let text = format!("{before}x{unit}y{after}");
            let expected = format!("{before}x{written}y{after}");
            assert_eq!(Url::parse(&text, None).unwrap().href(), expected, "{component}");
        }
        for (unit, written) in [("\u{80}", "%C2%80"), ("\u{e9}", "%C3%A9"), ("\u{1f600}", "%F0%9F%98%80")] {
            let text = format!("{before}x{unit}y{after}");
            let expected = format!("{before}x{written}y{after}");
            assert_eq!(Url::parse(&text, None).unwrap().href(), expected, "{component}");
        }
    }
}

const TRIPLETS: &[Row] = &[
    ("http://h/%zz%4", "", Ok("http://h/%zz%4"), "1.3: what is no triplet stays"),
    ("http://h/%?%#%", "", Ok("http://h/%?%#%"), "1.3"),
    ("http://h/%7e%c3%A9", "", Ok("http://h/%7e%c3%A9"), "1.3: triplets stay as they are"),
    ("http://h/?%27#%20", "", Ok("http://h/?%27#%20"), "1.3"),
    ("http://%zz:%4@h/", "", Ok("http://%zz:%4@h/"), "1.3"),
];

#[test]
fn triplets_stay() {
    check(TRIPLETS);
}

const PATHS: &[Row] = &[
    ("http://h/a/./b/../c/.", "", Ok("http://h/a/c/"), "4.4 path state"),
    ("http://h/a/%2e/b/%2E./c", "", Ok("http://h/a/c"), "4.2 double-dot URL path segment"),
    ("http://h/a/.%2e/%2e%2E/b/%2E", "", Ok("http://h/b/"), "4.2 single-dot URL path segment"),
    ("http://h/..", "", Ok("http://h/"), "4.2 shorten: nothing is left"),
    ("http://h/../../a", "", Ok("http://h/a"), "4.2 shorten"),
    ("http://h/a/...", "", Ok("http://h/a/..."), "4.2: three dots are a name"),
    ("http://h/a/.b/..c/%2e%2e%2e", "", Ok("http://h/a/.b/..c/%2e%2e%2e"), "4.2"),
    ("http://h/a/..;/b", "", Ok("http://h/a/..;/b"), "4.2"),
    ("http://h/a/%252e/b", "", Ok("http://h/a/%252e/b"), "4.2: decoded once"),
    ("http://h//a/..//b", "", Ok("http://h///b"), "4.4 path state: empty segments stay"),
    ("http://h/a//../..", "", Ok("http://h/"), "4.2 shorten: an empty segment is one"),
    ("http://h/a//..", "", Ok("http://h/a/"), "4.2 shorten"),
    (r"http://h/a\..\b\.", "", Ok("http://h/b/"), "4.4 path state"),
    (r"a://h/a\..\b", "", Ok(r"a://h/a\..\b"), "4.4 path state"),
    ("a://h/..", "", Ok("a://h/"), "4.4 path state"),
    ("http://h/?a/../b", "", Ok("http://h/?a/../b"), "4.4 query state"),
    ("http://h/#a/../b", "", Ok("http://h/#a/../b"), "4.4 fragment state"),
    // A path that begins with two slashes is no authority.
    ("a:/b/../..//c", "", Ok("a:/.//c"), "4.5"),
    ("a:/..//c", "", Ok("a:/.//c"), "4.5"),
    ("a:/.//c", "", Ok("a:/.//c"), "4.5"),
    ("a:/.//", "", Ok("a:/.//"), "4.5"),
    ("a:/./c", "", Ok("a:/c"), "4.5"),
    ("..//d", "a:/b/c", Ok("a:/.//d"), "4.5"),
    ("d", "a:/.//b/c", Ok("a:/.//b/d"), "4.5"),
    ("..", "a:/.//b/c", Ok("a:/.//"), "4.5"),
    ("../..", "a:/.//b/c", Ok("a:/"), "4.5"),
    ("?q", "a:/.//b", Ok("a:/.//b?q"), "4.5"),
    ("a:///.//c", "", Ok("a:////c"), "4.5: an empty host is one"),
];

#[test]
fn paths() {
    check(PATHS);
}

/// (URL, origin): 4.7
const ORIGINS: &[(&str, &str)] = &[
    ("http://u:p@h:8/a?b#c", "http://h:8"),
    ("https://h:443/a", "https://h"),
    ("ftp://h/a", "ftp://h"),
    ("ws://h/a", "ws://h"),
    ("wss://[::1]:1", "wss://[::1]:1"),
    ("file:///a", "null"),
    ("a://h", "null"),
    ("data:,a", "null"),
    ("blob:https://u@h:8/a", "https://h:8"),
    ("blob:http://h", "http://h"),
    ("blob:ftp://h/a", "null"),
    ("blob:file:///a", "null"),
    ("blob:blob:https://h/a", "null"),
    ("blob:x", "null"),
    ("blob:", "null"),
];

#[test]
fn origins() {
    for (input, origin) in ORIGINS {
        assert_eq!(Url::parse(*input, None).unwrap().origin(), *origin, "{input}");
    }
}

/// (URL, protocol, username, password, host, hostname, port, pathname, search, hash): 6.1
#[rustfmt::skip]
const GETTERS: &[(&str, [&str; 9])] = &[
    ("http://u:p@H:8/a/b?c#d", ["http:", "u", "p", "h:8", "h", "8", "/a/b", "?c", "#d"]),
    ("http://:p@h", ["http:", "", "p", "h", "h", "", "/", "", ""]),
    ("http://u:@h", ["http:", "u", "", "h", "h", "", "/", "", ""]),
    ("http://h:80", ["http:", "", "", "h", "h", "", "/", "", ""]),
    // Empty queries and fragments are in the serialization, and not in the getters.
    ("http://h?#", ["http:", "", "", "h", "h", "", "/", "", ""]),
    ("http://[::1]:8", ["http:", "", "", "[::1]:8", "[::1]", "8", "/", "", ""]),
    ("a:b?c#d", ["a:", "", "", "", "", "", "b", "?c", "#d"]),
    ("a:/.//b", ["a:", "", "", "", "", "", "//b", "", ""]),
    ("a://h", ["a:", "", "", "h", "h", "", "", "", ""]),
    ("a:///b", ["a:", "", "", "", "", "", "/b", "", ""]),
    ("file:///a", ["file:", "", "", "", "", "", "/a", "", ""]),
];

#[test]
fn getters() {
    for (input, expected) in GETTERS {
        let url = Url::parse(*input, None).unwrap();
        let found = [
            url.protocol(),
            url.username(),
            url.password(),
            url.host(),
            url.hostname(),
            url.port(),
            url.pathname(),
            url.search(),
            url.hash(),
        ];
        assert_eq!(found, *expected, "{input}");
    }
}

#[test]
fn empty_is_not_absent() {
    for (input, query, fragment, has_host) in [
        ("http://h", None, None, true),
        ("http://h?#", Some(""), Some(""), true),
        ("a:", None, None, false),
        ("a://", None, None, true),
        ("a:/", None, None, false),
    ] {
        let url = Url::parse(input, None).unwrap();
        assert_eq!((url.query(), url.fragment(), url.has_host()), (query, fragment, has_host), "{input}");
    }
}

/// URL equivalence (4.6), with fragments.
#[test]
fn urls_are_equal_by_their_serializations() {
    for (a, b, is_equal) in [
        ("HTTP://H:80", "http://h/", true),
        (r"http:\\h\a\..", "http://h/", true),
        ("http://h/%7e", "http://h/~", false),
        ("http://h/?", "http://h/", false),
        ("http://h/#a", "http://h/#b", false),
        ("a://H", "a://h", false),
    ] {
        let [a, b] = [a, b].map(|text| Url::parse(text, None).unwrap());
        assert_eq!((a == b, a.cmp(&b).is_eq()), (is_equal, is_equal), "{a} and {b}");
    }
}

/// An href that is the input costs no copy, where the kernels accept it.
#[test]
fn a_url_that_is_its_own_serialization_is_borrowed() {
    for (input, is_borrowed) in [
        ("http://example.com/a/b?c=d#e", true),
        ("https://example.com/%7E", true),
        ("http://example.com", false),
        ("http://example.com/?'", false),
        ("http://example.com/#'", true),
        ("http://example.com/a/%2e", false),
    ] {
        let href = Url::parse(input, None).unwrap().into_href();
        assert_eq!(matches!(href, Cow::Borrowed(_)), is_borrowed, "{input}");
    }
}
