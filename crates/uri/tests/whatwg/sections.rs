//! The URL Standard, section by section.

use urimill_uri::whatwg::{Url, ValidationError};

/// (input, base, href, or the failure and its byte, section)
type Row = (&'static str, &'static str, Result<&'static str, (&'static str, usize)>, &'static str);

const ROWS: &[Row] = &[
    // Percent-encode sets, one component each.
    ("http://h/ \"#<>?^`{}", "", Ok("http://h/%20%22#%3C%3E?^%60{}"), "1.3"),
    ("http://h/^`{}|\\a", "", Ok("http://h/%5E%60%7B%7D|/a"), "1.3 path"),
    ("http://h/?'\"<>^`{}| ", "", Ok("http://h/?%27%22%3C%3E^`{}|"), "1.3 special-query"),
    ("a://h/?'\"<>^`{}|", "", Ok("a://h/?'%22%3C%3E^`{}|"), "1.3 query"),
    ("http://h/#'\"<>^`{}|", "", Ok("http://h/#'%22%3C%3E^%60{}|"), "1.3 fragment"),
    ("http://a/;=[]^|'@h/", "", Ok("http://a/;=[]%5E|'@h/"), "1.3 path, since a slash comes first"),
    ("http://;=[]^|'@h/", "", Ok("http://%3B%3D%5B%5D%5E%7C'@h/"), "1.3 userinfo"),
    ("http://u:p:q@h/", "", Ok("http://u:p%3Aq@h/"), "1.3 userinfo"),
    ("http://h/\u{e9}?\u{e9}#\u{e9}", "", Ok("http://h/%C3%A9?%C3%A9#%C3%A9"), "1.3"),
    ("a:\u{7f}\u{1}b", "", Ok("a:%7F%01b"), "1.3 C0 control"),
    ("http://h/%zz%4", "", Ok("http://h/%zz%4"), "1.3: what is no triplet stays"),
    // Hosts.
    ("http://EX%41mple.com", "", Ok("http://example.com/"), "3.5"),
    ("http://a%3Cb/", "", Err(("domain-invalid-code-point", 8)), "3.5"),
    ("http://a<b/", "", Err(("domain-invalid-code-point", 8)), "3.5"),
    ("http://a b/", "", Err(("domain-invalid-code-point", 8)), "3.5"),
    ("a://x<y/", "", Err(("host-invalid-code-point", 5)), "3.5 opaque"),
    ("a://EX%41mple.\u{e9}/", "", Ok("a://EX%41mple.%C3%A9/"), "3.5 opaque"),
    ("http://b\u{fc}cher.de", "", Ok("http://xn--bcher-kva.de/"), "3.3"),
    ("http://\u{ff26}\u{ff4f}\u{ff4f}/", "", Ok("http://foo/"), "3.3"),
    ("http://\u{ad}/", "", Err(("domain-to-ASCII", 7)), "3.3"),
    ("http://a\u{fffd}/", "", Err(("domain-to-ASCII", 7)), "3.3"),
    ("http://xn--a/", "", Ok("http://xn--a/"), "3.3: ASCII is not looked into"),
    // IPv4: one to four parts in three radixes.
    ("http://1", "", Ok("http://0.0.0.1/"), "3.5.1"),
    ("http://1.2", "", Ok("http://1.0.0.2/"), "3.5.1"),
    ("http://1.2.3", "", Ok("http://1.2.0.3/"), "3.5.1"),
    ("http://1.2.3.4", "", Ok("http://1.2.3.4/"), "3.5.1"),
    ("http://0x1.010.0X0F.", "", Ok("http://1.8.0.15/"), "3.5.1"),
    ("http://0x.0x.0", "", Ok("http://0.0.0.0/"), "3.5.1"),
    ("http://4294967295", "", Ok("http://255.255.255.255/"), "3.5.1"),
    ("http://4294967296", "", Err(("IPv4-out-of-range-part", 7)), "3.5.1"),
    ("http://1.16777216", "", Err(("IPv4-out-of-range-part", 9)), "3.5.1"),
    ("http://256.1.1.1", "", Err(("IPv4-out-of-range-part", 7)), "3.5.1"),
    ("http://1.2.3.4.5", "", Err(("IPv4-too-many-parts", 7)), "3.5.1"),
    ("http://1..2", "", Err(("IPv4-non-numeric-part", 9)), "3.5.1"),
    ("http://a.08", "", Err(("IPv4-non-numeric-part", 7)), "3.5.1"),
    ("http://09.a", "", Ok("http://09.a/"), "3.5.1: it does not end in a number"),
    ("http://1.0xg", "", Ok("http://1.0xg/"), "3.5.1"),
    // IPv6.
    ("http://[1:0:0:2:0:0:0:3]", "", Ok("http://[1:0:0:2::3]/"), "3.6"),
    ("http://[1:0:2:0:3:0:4:0]", "", Ok("http://[1:0:2:0:3:0:4:0]/"), "3.6"),
    ("http://[::FFFF:1.2.3.4]", "", Ok("http://[::ffff:102:304]/"), "3.5.2, 3.6"),
    ("http://[1:2:3:4:5:6:7::]", "", Ok("http://[1:2:3:4:5:6:7:0]/"), "3.5.2"),
    ("http://[::]", "", Ok("http://[::]/"), "3.6"),
    ("http://[", "", Err(("IPv6-unclosed", 8)), "3.5"),
    ("http://[:1]", "", Err(("IPv6-invalid-compression", 8)), "3.5.2"),
    ("http://[1:2:3:4:5:6:7:8:9]", "", Err(("IPv6-too-many-pieces", 24)), "3.5.2"),
    ("http://[::1::]", "", Err(("IPv6-multiple-compression", 12)), "3.5.2"),
    ("http://[1:2:x]", "", Err(("IPv6-invalid-code-point", 12)), "3.5.2"),
    ("http://[1:]", "", Err(("IPv6-invalid-code-point", 10)), "3.5.2"),
    ("http://[1:2]", "", Err(("IPv6-too-few-pieces", 11)), "3.5.2"),
    ("http://[1:2:3:4:5:6:7:1.2.3.4]", "", Err(("IPv4-in-IPv6-too-many-pieces", 22)), "3.5.2"),
    ("http://[::.1]", "", Err(("IPv4-in-IPv6-invalid-code-point", 10)), "3.5.2"),
    ("http://[::1.2.03.4]", "", Err(("IPv4-in-IPv6-invalid-code-point", 15)), "3.5.2"),
    ("http://[::1.2.3.256]", "", Err(("IPv4-in-IPv6-out-of-range-part", 18)), "3.5.2"),
    ("http://[::1.2.3]", "", Err(("IPv4-in-IPv6-too-few-parts", 15)), "3.5.2"),
    // Scheme, no scheme.
    ("HTTP://h", "", Ok("http://h/"), "4.4 scheme state"),
    ("a+-.1:b", "", Ok("a+-.1:b"), "4.4 scheme state"),
    ("1a:b", "", Err(("missing-scheme-non-relative-URL", 0)), "4.4 no scheme state"),
    ("b", "mailto:a", Err(("missing-scheme-non-relative-URL", 0)), "4.4 no scheme state"),
    ("#f", "mailto:a?q#g", Ok("mailto:a?q#f"), "4.4 no scheme state"),
    ("?q", "mailto:a", Err(("missing-scheme-non-relative-URL", 0)), "4.4 no scheme state"),
    // Relative, with special schemes and others.
    ("c", "http://h/a/b?q#f", Ok("http://h/a/c"), "4.4 relative state"),
    ("", "http://h/a/b?q#f", Ok("http://h/a/b?q"), "4.4 relative state"),
    ("?y", "http://h/a/b?q#f", Ok("http://h/a/b?y"), "4.4 relative state"),
    ("#y", "http://h/a/b?q#f", Ok("http://h/a/b?q#y"), "4.4 relative state"),
    ("../../../c", "http://h/a/b", Ok("http://h/c"), "4.4 path state"),
    ("/c", "http://u:p@h:8/a", Ok("http://u:p@h:8/c"), "4.4 relative slash state"),
    (r"\c", "http://h/a", Ok("http://h/c"), "4.4 relative state"),
    (r"\c", "a://h/a/b", Ok(r"a://h/a/\c"), "4.4 relative state"),
    ("//g/c", "a://h/a", Ok("a://g/c"), "4.4 relative slash state"),
    ("////g/c", "http://h/a", Ok("http://g/c"), "4.4 special authority ignore slashes state"),
    ("http:c", "http://h/a/b", Ok("http://h/a/c"), "4.4 special relative or authority state"),
    ("http:c", "https://h/a/b", Ok("http://c/"), "4.4 special authority slashes state"),
    ("http:/c", "http://h/a/b", Ok("http://h/c"), "4.4 special relative or authority state"),
    ("a:c", "a://h/a", Ok("a:c"), "4.4 opaque path state"),
    ("c", "a://h", Ok("a://h/c"), "4.4 path state"),
    // Authority, host, port.
    ("http://u@@h", "", Ok("http://u%40@h/"), "4.4 authority state"),
    ("http://:@h", "", Ok("http://h/"), "4.4 authority state"),
    ("http://:p@h", "", Ok("http://:p@h/"), "4.4 authority state"),
    ("http://u:@h", "", Ok("http://u@h/"), "4.4 authority state"),
    ("http://u@", "", Err(("host-missing", 9)), "4.4 authority state"),
    ("a://u@/p", "", Err(("host-missing", 6)), "4.4 authority state"),
    ("http://", "", Err(("host-missing", 7)), "4.4 host state"),
    ("http://:80", "", Err(("host-missing", 7)), "4.4 host state"),
    ("a:///p", "", Ok("a:///p"), "4.4 host state"),
    ("a://:80", "", Err(("host-missing", 4)), "4.4 host state"),
    ("http://h:80", "", Ok("http://h/"), "4.4 port state"),
    ("https://h:080", "", Ok("https://h:80/"), "4.4 port state"),
    ("ws://h:80 wss://", "", Err(("port-invalid", 9)), "4.4 port state"),
    ("ftp://h:21/", "", Ok("ftp://h/"), "4.4 port state"),
    ("a://h:0/", "", Ok("a://h:0/"), "4.4 port state"),
    ("http://h:65536", "", Err(("port-out-of-range", 9)), "4.4 port state"),
    ("http://h:8a", "", Err(("port-invalid", 10)), "4.4 port state"),
    // Paths.
    ("http://h/a/./b/../c/.", "", Ok("http://h/a/c/"), "4.4 path state"),
    ("http://h/a/%2e/b/%2E./c", "", Ok("http://h/a/c"), "4.4 path state"),
    ("http://h/a/...", "", Ok("http://h/a/..."), "4.4 path state"),
    ("http://h//a/..//b", "", Ok("http://h///b"), "4.4 path state"),
    ("http://h?q", "", Ok("http://h/?q"), "4.4 path start state"),
    ("a://h?q", "", Ok("a://h?q"), "4.4 path start state"),
    ("a:/b/../..//c", "", Ok("a:/.//c"), "4.5: not an authority"),
    ("a:/..//c", "", Ok("a:/.//c"), "4.5"),
    ("//c", "a:/b", Ok("a://c"), "4.4 relative slash state"),
    ("a: b ?q", "", Ok("a: b%20?q"), "4.4 opaque path state"),
    ("a:b  ", "", Ok("a:b"), "4.4"),
    ("a:b/../c", "", Ok("a:b/../c"), "4.4 opaque path state"),
    // Files and drive letters.
    ("file:a", "", Ok("file:///a"), "4.4 file state"),
    ("file:/a", "", Ok("file:///a"), "4.4 file slash state"),
    ("file://localhost/a", "", Ok("file:///a"), "4.4 file host state"),
    ("file://h/a", "", Ok("file://h/a"), "4.4 file host state"),
    ("file:c|/a", "", Ok("file:///c:/a"), "4.4 path state"),
    ("file://c|/a", "", Ok("file:///c:/a"), "4.4 file host state"),
    ("file:///c:/..", "", Ok("file:///c:/"), "4.2 shorten"),
    ("/d", "file:///c:/a/b", Ok("file:///c:/d"), "4.4 file slash state"),
    ("/d:/e", "file:///c:/a/b", Ok("file:///d:/e"), "4.4 file slash state"),
    ("d|/e", "file:///c:/a/b", Ok("file:///d:/e"), "4.4 file state"),
    ("d", "file://h/a/b?q", Ok("file://h/a/d"), "4.4 file state"),
    ("?y", "file:///a?q", Ok("file:///a?y"), "4.4 file state"),
    (r"\\h\a", "file:///b", Ok("file://h/a"), "4.4 file slash state"),
    ("file:#f", "http://h/", Ok("file:///#f"), "4.4 file state"),
    // What goes before the first state.
    (" \u{1}http://h/\u{1f} ", "", Ok("http://h/"), "4.4"),
    ("h\nt\rt\tp://h/\ta", "", Ok("http://h/a"), "4.4"),
    ("http://h/\u{a0}", "", Ok("http://h/%C2%A0"), "4.4: no-break space stays"),
];

#[test]
fn urls_by_section() {
    for &(input, base, expected, section) in ROWS {
        let base = (!base.is_empty()).then(|| Url::parse(base, None).unwrap());
        let found = Url::parse(input, base.as_ref());
        let told = match &found {
            Ok(url) => Ok(url.href()),
            Err(failure) => Err((failure.error.as_str(), failure.offset)),
        };
        assert_eq!(told, expected, "{input:?} against {base:?} ({section})");
        let Ok(url) = found else { continue };
        agrees_with_itself(&url);
        assert_eq!(Url::validate(input, base.as_ref()).0.as_ref(), Ok(&url), "{input:?}");
    }
}

/// The getters are parts of the serialization, and so are the offsets.
fn agrees_with_itself(url: &Url<'_>) {
    let credentials = match (url.username(), url.password()) {
        ("", "") => String::new(),
        (name, "") => format!("{name}@"),
        (name, password) => format!("{name}:{password}@"),
    };
    let authority = if url.has_host() { format!("//{credentials}{}", url.host()) } else { String::new() };
    let dot = if !url.has_host() && url.pathname().starts_with("//") { "/." } else { "" };
    let query = url.query().map_or(String::new(), |query| format!("?{query}"));
    let fragment = url.fragment().map_or(String::new(), |fragment| format!("#{fragment}"));
    let whole = [url.protocol(), &authority, dot, url.pathname(), &query, &fragment].concat();
    assert_eq!(whole, url.href());
    let (href, split) = (url.href(), url.split());
    let part = |from: u32, to: u32| &href[from as usize..to as usize];
    assert_eq!(part(0, split.scheme_end), url.scheme());
    assert_eq!(part(split.host_start, split.host_end), url.hostname());
    assert_eq!(part(split.path_start, split.path_end), [dot, url.pathname()].concat());
    assert_eq!(part(split.path_end, split.query_end), query);
    assert_eq!(part(split.query_end, split.end), fragment);
    let again = Url::parse(href, None).unwrap();
    assert_eq!((again.href(), again.split()), (href, split), "it is its own serialization");
}

/// (input, validation errors with their bytes): 1.1, 4.4
const ERRORS: &[(&str, &[(&str, usize)])] = &[
    ("http://h/", &[]),
    (" http://h/", &[("invalid-URL-unit", 0)]),
    ("http:h", &[("special-scheme-missing-following-solidus", 5)]),
    ("http:///h", &[("special-scheme-missing-following-solidus", 7)]),
    (
        r"http:\\h",
        &[
            ("special-scheme-missing-following-solidus", 5),
            ("special-scheme-missing-following-solidus", 5),
            ("special-scheme-missing-following-solidus", 6),
        ],
    ),
    (r"http://h\a", &[("invalid-reverse-solidus", 8)]),
    (r"http://h/a\b", &[("invalid-reverse-solidus", 10)]),
    ("http://u:p@h/", &[("invalid-credentials", 10)]),
    ("http://0x7f.1/", &[("IPv4-non-decimal-part", 7)]),
    ("http://1.2.3.4./", &[("IPv4-empty-part", 14)]),
    ("http://1.256/", &[("IPv4-out-of-range-part", 9)]),
    ("http://h/a b|%zz", &[("invalid-URL-unit", 10), ("invalid-URL-unit", 12), ("invalid-URL-unit", 13)]),
    ("http://h/\ta b", &[("invalid-URL-unit", 9), ("invalid-URL-unit", 11)]),
    ("http://h/?\"#<", &[("invalid-URL-unit", 10), ("invalid-URL-unit", 12)]),
    ("a:b c", &[("invalid-URL-unit", 3)]),
    ("a://h\u{fdd0}/", &[("invalid-URL-unit", 5)]),
    ("file:c|/a", &[("special-scheme-missing-following-solidus", 5), ("invalid-URL-unit", 6)]),
    ("file://c:/a", &[("file-invalid-Windows-drive-letter-host", 7)]),
];

#[test]
fn validation_errors_are_where_they_are_in_the_input() {
    for (input, expected) in ERRORS {
        let (url, errors) = Url::validate(*input, None);
        assert!(url.is_ok(), "{input}");
        let errors: Vec<_> = errors.iter().map(|(error, at)| (error.as_str(), *at)).collect();
        assert_eq!(errors, *expected, "{input}");
    }
}

/// Bytes that are not UTF-8 are read as U+FFFD, and offsets count bytes of the input.
#[test]
fn bytes_outside_utf_8() {
    let url = Url::parse(b"http://h/\xff\xe9\x80?\xf0\x9f\x92", None).unwrap();
    assert_eq!(url.href(), "http://h/%EF%BF%BD%EF%BF%BD?%EF%BF%BD");
    let failure = Url::parse(b"http://\xff\t@h:8\xff/", None).unwrap_err();
    assert_eq!((failure.error, failure.offset), (ValidationError::PortInvalid, 13));
}

/// (URL, origin): 4.7
const ORIGINS: &[(&str, &str)] = &[
    ("http://u@h:8/a", "http://h:8"),
    ("https://h:443/a", "https://h"),
    ("file:///a", "null"),
    ("a://h", "null"),
    ("blob:https://h:8/a", "https://h:8"),
    ("blob:ftp://h/a", "null"),
    ("blob:x", "null"),
];

#[test]
fn origins() {
    for (input, origin) in ORIGINS {
        assert_eq!(Url::parse(*input, None).unwrap().origin(), *origin, "{input}");
    }
}

/// What the kernels accept is borrowed: an href that is the input costs no copy.
#[test]
fn a_url_that_is_its_own_serialization_is_borrowed() {
    use std::borrow::Cow;
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
