//! RFC 2396 as tables, requirement by requirement: the number is the section's, then the statement's order in it. After
//! the tables, properties: its normal forms and targets compared with slow ones written from the text.

use std::borrow::Cow;

use urimill::resolve::{Mode, ResolveError, is_current_document, resolve};
use urimill::{Code, HostKind, Level, Spec, UriRef, normalize};

use crate::letter::check_way_back;
use crate::mutations::{Random, mutate, seeds};
use crate::oracle::{Parts, oracle_of};
use crate::properties::triplets_but;
use crate::resolve::target;
use crate::shared;

const MUTATIONS: usize = 300_000;

fn parse(text: &str) -> UriRef<'_> {
    UriRef::parse_as(text, Spec::Rfc2396).unwrap_or_else(|reject| panic!("{text:?}: {reject}"))
}

/// Components in one line, without undefined ones.
fn components(uri: &UriRef) -> String {
    let host = uri.host().zip(uri.host_kind()).map(|(host, kind)| format!("{host} {kind}"));
    let parts = [
        ("scheme", uri.scheme()),
        ("userinfo", uri.userinfo()),
        ("host", host.as_deref()),
        ("port", uri.port()),
        ("path", Some(uri.path())),
        ("query", uri.query()),
        ("fragment", uri.fragment()),
    ];
    let defined = parts.into_iter().filter_map(|(name, part)| Some(format!("{name}={}", part?)));
    defined.collect::<Vec<_>>().join(" ")
}

/// (reference, components, requirement); the oracle agrees.
fn check_components(table: &[(&str, &str, &str)]) {
    for (text, expected, requirement) in table {
        let uri = parse(text);
        assert_eq!(components(&uri), *expected, "{text:?} ({requirement})");
        assert_eq!(oracle_of(Spec::Rfc2396).answer(text.as_bytes()), Ok(Parts::of(&uri)), "{text:?}");
    }
}

/// (text, code, offset, requirement)
fn check_rejects(table: &[(&str, Code, usize, &str)]) {
    for (text, code, offset, requirement) in table {
        let reject = UriRef::parse_as(text, Spec::Rfc2396).expect_err(text);
        assert_eq!((reject.code, reject.offset), (*code, *offset), "{text:?} ({requirement})");
        assert_eq!(oracle_of(Spec::Rfc2396).answer(text.as_bytes()), Err(*offset), "{text:?}");
    }
}

#[test]
fn examples() {
    check_components(&[
        (
            "ftp://ftp.is.co.za/rfc/rfc1808.txt",
            "scheme=ftp host=ftp.is.co.za dns_name path=/rfc/rfc1808.txt",
            "1.3-1",
        ),
        (
            "gopher://spinaltap.micro.umn.edu/00/Weather/California/Los%20Angeles",
            "scheme=gopher host=spinaltap.micro.umn.edu dns_name path=/00/Weather/California/Los%20Angeles",
            "1.3-1",
        ),
        (
            "http://www.math.uio.no/faq/compression-faq/part1.html",
            "scheme=http host=www.math.uio.no dns_name path=/faq/compression-faq/part1.html",
            "1.3-1",
        ),
        ("telnet://melvyl.ucop.edu/", "scheme=telnet host=melvyl.ucop.edu dns_name path=/", "1.3-1"),
        ("mailto:mduerst@ifi.unizh.ch", "scheme=mailto path=mduerst@ifi.unizh.ch", "1.3-2"),
        (
            "news:comp.infosystems.www.servers.unix",
            "scheme=news path=comp.infosystems.www.servers.unix",
            "1.3-2",
        ),
    ]);
}

/// Every byte in every component: allowed as section 2 and the component's rule say, a reject otherwise.
#[test]
fn characters_of_each_component() {
    const ALNUM: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const MARKS: &str = "-_.!~*'()"; // 2.3-1
    let table = [
        ("http://h/", ";/?:@&=+$,", "#", "3.3-1, 3.3-3: pchar, parameters, slashes; ? ends it"),
        ("mailto:a", ";/?:@&=+$,", "#", "3-3: uric"),
        ("/p?", ";/?:@&=+$,", "#", "3.4-2: uric"),
        ("/p#", ";/?:@&=+$,", "", "4.1-2: uric"),
        ("//a", "$,;:@&=+", "/?#", "3.2.1-1: reg_name; 3.2-1: / ? and the end close it"),
    ];
    for (before, reserved, closing, requirement) in table {
        for byte in 0..128u8 {
            let character = char::from(byte);
            let text = format!("{before}{character}");
            let allowed = [ALNUM, MARKS, reserved, closing].iter().any(|set| set.contains(character));
            let got = UriRef::parse_as(&text, Spec::Rfc2396).is_ok();
            assert_eq!(got, allowed, "{text:?} ({requirement})");
        }
    }
}

#[test]
fn excluded_characters() {
    check_rejects(&[
        ("http://h/a b", Code::PathInvalidChar, 10, "2.4.3-1: space"),
        ("<http://h/>", Code::SchemeInvalidChar, 0, "2.4.3-2: angle brackets"),
        ("http://h/a>", Code::PathInvalidChar, 10, "2.4.3-2: angle brackets"),
        ("http://h/\"", Code::PathInvalidChar, 9, "2.4.3-2: double quotes"),
        ("http://h/#a#b", Code::FragmentInvalidChar, 11, "2.4.3-2: number sign"),
        ("http://h/a%", Code::PercentTruncated, 11, "2.4.3-2, 2.4.2-3: percent sign"),
        ("http://h/a%zz", Code::PercentInvalidDigit, 11, "2.4.1-1: two hexadecimal digits"),
        ("http://h/{a}", Code::PathInvalidChar, 9, "2.4.3-3: unwise"),
        ("http://h/|", Code::PathInvalidChar, 9, "2.4.3-3: unwise"),
        ("http://h/\\", Code::PathInvalidChar, 9, "2.4.3-3: unwise"),
        ("http://h/?^", Code::QueryInvalidChar, 10, "2.4.3-3: unwise"),
        ("http://h/?a[0]=1", Code::QueryInvalidChar, 11, "2.4.3-3: unwise"),
        ("http://h/`", Code::PathInvalidChar, 9, "2.4.3-3: unwise"),
        ("http://h/\u{e9}", Code::PathInvalidChar, 9, "2.4-1: not a character of US-ASCII"),
        ("http://h/\u{7f}", Code::PathInvalidChar, 9, "2.4-1, 2.4.3-4: not printable"),
        ("http://h/\u{1}", Code::PathInvalidChar, 9, "2.4.3-4: control characters"),
        ("http://h/?\t", Code::QueryInvalidChar, 10, "2.4.3-4: control characters"),
    ]);
    check_components(&[(
        "http://h/%20%3C%22%23%25%7B%E9",
        "scheme=http host=h dns_name path=/%20%3C%22%23%25%7B%E9",
        "2.4-1",
    )]);
}

#[test]
fn hierarchical_and_opaque() {
    check_components(&[
        ("http://h/p?q", "scheme=http host=h dns_name path=/p query=q", "3-1"),
        ("file:/etc/hosts", "scheme=file path=/etc/hosts", "3-1, 3-2: no authority"),
        ("http:/p?q", "scheme=http path=/p query=q", "3-2: hier_part"),
        ("mailto:a?subject=b", "scheme=mailto path=a?subject=b", "3-3: an opaque part holds question marks"),
        ("a:?b", "scheme=a path=?b", "3-3: uric_no_slash"),
        ("a:b//c/../d", "scheme=a path=b//c/../d", "3-3: slashes behind the first character"),
        ("a:b#c", "scheme=a path=b fragment=c", "4-2"),
    ]);
    check_rejects(&[
        ("a:", Code::PathEmpty, 2, "3-2, 3-3: something stands behind the colon"),
        ("a:#b", Code::PathEmpty, 2, "3-2, 3-3: something stands behind the colon"),
    ]);
    for (text, part) in [
        ("mailto:a?b#c", Some("a?b")),
        ("a:b/c", Some("b/c")),
        ("a:/b", None),
        ("a://b", None),
        ("b/c", None),
        ("", None),
    ] {
        assert_eq!(parse(text).opaque_part(), part, "{text:?} (3-3)");
    }
    assert_eq!(UriRef::parse("mailto:a").map(|uri| uri.opaque_part()), Ok(None), "RFC 3986 has none");
}

#[test]
fn schemes() {
    check_components(&[
        ("HTTP://h", "scheme=HTTP host=h dns_name path=", "3.1-1: upper case is read"),
        ("a+b-c.1:x", "scheme=a+b-c.1 path=x", "3.1-1"),
        ("a/b:c", "path=a/b:c", "3.1-2: no scheme name at the beginning"),
        ("./a:b", "path=./a:b", "3.1-2"),
    ]);
    check_rejects(&[
        (
            "1a:b",
            Code::SchemeInvalidChar,
            2,
            "3.1-1: a letter begins it; 3.1-2: nor is it a relative reference",
        ),
        ("a_b:c", Code::SchemeInvalidChar, 3, "3.1-1"),
        (":a", Code::SchemeEmpty, 0, "3.1-1"),
    ]);
    assert_eq!(normalize(&parse("HTTP://h/"), Level::Case), "http://h/", "3.1-1: equivalent");
}

#[test]
fn authorities() {
    check_components(&[
        ("http://a%40b/", "scheme=http host=a%40b reg_name path=/", "2.4.2-1: split before it is decoded"),
        ("//h/p", "host=h dns_name path=/p", "3.2-1: ended by a slash"),
        ("//h?q", "host=h dns_name path= query=q", "3.2-1: ended by a question mark"),
        ("//h", "host=h dns_name path=", "3.2-1: ended by the end"),
        ("//u:p@h:80/", "userinfo=u:p host=h dns_name port=80 path=/", "3.2.2-1"),
        ("//u@h", "userinfo=u host=h dns_name path=", "3.2.2-1: without a port"),
        ("//h:80", "host=h dns_name port=80 path=", "3.2.2-1: without userinfo"),
        ("//@h:", "userinfo= host=h dns_name port= path=", "3.2.2-1: empty ones"),
        ("///p", "host= reg_name path=/p", "3.2.2-1: a server may be empty"),
        ("//a_b", "host=a_b reg_name path=", "3.2.1-1: a registry's"),
        ("//u@a_b:80/", "host=u@a_b:80 reg_name path=/", "3.2.1-1: all of it is the name"),
        ("//a$b,c;d:e@f&g=h+i", "host=a$b,c;d:e@f&g=h+i reg_name path=", "3.2.1-1"),
        ("//h:8a", "host=h:8a reg_name path=", "3.2.2-3: no port, so no server"),
        ("//@", "host=@ reg_name path=", "3.2.2-1: userinfo wants a host"),
        ("//:80", "host=:80 reg_name path=", "3.2.2-1: a port wants a host"),
        ("//a%41", "host=a%41 reg_name path=", "3.2.2-3: no escape in a hostname"),
    ]);
    check_rejects(&[
        ("http://[::1]/", Code::HostInvalidChar, 7, "3.2.2-3: no literal IPv6 addresses"),
        ("http://u[@h/", Code::UserinfoInvalidChar, 8, "3.2.2-1"),
        ("http://h h/", Code::HostInvalidChar, 8, "3.2.1-1"),
    ]);
}

#[test]
fn hosts() {
    let table: &[(&str, HostKind, &str)] = &[
        ("a", HostKind::DnsName, "3.2.2-3"),
        ("a1-b.c2", HostKind::DnsName, "3.2.2-3: inner hyphens"),
        ("1a.b", HostKind::DnsName, "3.2.2-3: a domain label may begin with a digit"),
        ("a.1b", HostKind::RegName, "3.2.2-4: the rightmost label may not"),
        ("a.b1", HostKind::DnsName, "3.2.2-4"),
        ("1", HostKind::RegName, "3.2.2-4"),
        ("1.2.3", HostKind::RegName, "3.2.2-4: neither a name nor an address"),
        ("a.b.", HostKind::DnsName, "3.2.2-5: one dot may follow"),
        ("a.b..", HostKind::RegName, "3.2.2-5: one"),
        (".", HostKind::RegName, "3.2.2-5"),
        ("a..b", HostKind::RegName, "3.2.2-3: no label is empty"),
        ("-a", HostKind::RegName, "3.2.2-3: no hyphen at an edge"),
        ("a-", HostKind::RegName, "3.2.2-3: no hyphen at an edge"),
        ("a-.b", HostKind::RegName, "3.2.2-3: no hyphen at an edge"),
        ("localhost", HostKind::DnsName, "3.2.2-6: local names are hosts too"),
        ("192.0.2.1", HostKind::Ipv4, "3.2.2-3"),
        ("256.0.0.999", HostKind::Ipv4, "3.2.2-3: numbers of any size"),
        ("010.0.0.1", HostKind::Ipv4, "3.2.2-3: numbers of any form"),
        ("1.2.3.4.", HostKind::RegName, "3.2.2-3"),
        ("1.2.3.4.5", HostKind::RegName, "3.2.2-3"),
    ];
    for (host, kind, requirement) in table {
        let text = format!("http://{host}/");
        let uri = parse(&text);
        assert_eq!((uri.host(), uri.host_kind()), (Some(*host), Some(*kind)), "{host:?} ({requirement})");
        assert_eq!(oracle_of(Spec::Rfc2396).answer(text.as_bytes()), Ok(Parts::of(&uri)), "{host:?}");
    }
    let long = format!("http://{}.a/", "x".repeat(300));
    assert_eq!(parse(&long).host_kind(), Some(HostKind::DnsName), "3.2.2-3: labels of any length");
}

#[test]
fn path_segments_and_parameters() {
    let segments = |text: &'static str| -> Vec<(&str, Vec<&str>)> {
        parse(text).segments().map(|segment| (segment.name(), segment.params().collect())).collect()
    };
    assert_eq!(segments("http://h/a/b"), [("a", vec![]), ("b", vec![])], "3.3-2: single slashes separate");
    assert_eq!(
        segments("http://h/a//b/"),
        [("a", vec![]), ("", vec![]), ("b", vec![]), ("", vec![])],
        "3.3-2"
    );
    assert_eq!(segments("/a;b;c=d/e"), [("a", vec!["b", "c=d"]), ("e", vec![])], "3.3-4: a sequence of them");
    assert_eq!(segments("a;"), [("a", vec![""])], "3.3-4: an empty one");
    assert_eq!(segments(";a"), [("", vec!["a"])], "3.3-4");
    assert_eq!(segments("mailto:a/b;c"), [], "3-3: an opaque part has none");
    assert_eq!(segments("http://h"), []);
    assert_eq!(segments("/"), [("", vec![])]);
}

#[test]
fn references() {
    check_components(&[
        ("", "path=", "4-2: everything may be missing"),
        ("#f", "path= fragment=f", "4-2, 4.1-1"),
        ("a:b#f", "scheme=a path=b fragment=f", "4-1, 4-2"),
        ("a?b#c", "path=a query=b fragment=c", "4.3-1"),
        ("?b", "path= query=b", "C.1 resolves it, the grammar of 4-2 does not derive it"),
        ("//a/b", "host=a dns_name path=/b", "4.3-2: the authority wins"),
        ("////a", "host= reg_name path=//a", "4.3-2: the authority wins"),
        ("a:////b", "scheme=a host= reg_name path=//b", "4.3-2: the authority wins"),
    ]);
    assert!(!parse("a:b#c").is_absolute_uri(), "4-1: without its fragment it is the URI");
    assert!(parse("a:b").is_absolute_uri(), "4-1");
}

const BASE: &str = "http://a/b/c/d;p?q";

/// Appendix C: (reference, target)
const EXAMPLES: &[(&str, &str)] = &[
    ("g:h", "g:h"),
    ("g", "http://a/b/c/g"),
    ("./g", "http://a/b/c/g"),
    ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"),
    ("//g", "http://g"),
    ("?y", "http://a/b/c/?y"),
    ("g?y", "http://a/b/c/g?y"),
    ("#s", "http://a/b/c/d;p?q#s"),
    ("g#s", "http://a/b/c/g#s"),
    ("g?y#s", "http://a/b/c/g?y#s"),
    (";x", "http://a/b/c/;x"),
    ("g;x", "http://a/b/c/g;x"),
    ("g;x?y#s", "http://a/b/c/g;x?y#s"),
    (".", "http://a/b/c/"),
    ("./", "http://a/b/c/"),
    ("..", "http://a/b/"),
    ("../", "http://a/b/"),
    ("../g", "http://a/b/g"),
    ("../..", "http://a/"),
    ("../../", "http://a/"),
    ("../../g", "http://a/g"),
    ("", "http://a/b/c/d;p?q"),
    ("../../../g", "http://a/../g"),
    ("../../../../g", "http://a/../../g"),
    ("/./g", "http://a/./g"),
    ("/../g", "http://a/../g"),
    ("g.", "http://a/b/c/g."),
    (".g", "http://a/b/c/.g"),
    ("g..", "http://a/b/c/g.."),
    ("..g", "http://a/b/c/..g"),
    ("./../g", "http://a/b/g"),
    ("./g/.", "http://a/b/c/g/"),
    ("g/./h", "http://a/b/c/g/h"),
    ("g/../h", "http://a/b/c/h"),
    ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
    ("g;x=1/../y", "http://a/b/c/y"),
    ("g?y/./x", "http://a/b/c/g?y/./x"),
    ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("g#s/./x", "http://a/b/c/g#s/./x"),
    ("g#s/../x", "http://a/b/c/g#s/../x"),
    ("http:g", "http:g"),
];

#[test]
fn appendix_c() {
    for (reference, expected) in EXAMPLES {
        let got = target(&parse(BASE), &parse(reference), Mode::Strict);
        assert_eq!(got.as_deref(), Ok(*expected), "{reference:?}");
    }
}

/// (base, reference, target, section or requirement)
fn check_targets(mode: Mode, table: &[(&str, &str, &str, &str)]) {
    for (base, reference, expected, section) in table {
        let got = target(&parse(base), &parse(reference), mode);
        assert_eq!(got.as_deref(), Ok(*expected), "{base} and {reference} ({section})");
    }
}

#[test]
fn resolution() {
    check_targets(
        Mode::Strict,
        &[
            ("http://a/b?q#f", "", "http://a/b?q", "5.2 step 2: the current document"),
            ("http://a/b?q#f", "#s", "http://a/b?q#s", "5.2 step 2"),
            ("mailto:a?b", "#s", "mailto:a?b#s", "5.2 step 2: of any kind"),
            ("http://a/b/../c", "", "http://a/b/../c", "5.2 step 2: as it is"),
            ("http://a/b", "c:d/../e", "c:d/../e", "5.2 step 3: as it is"),
            (
                "http://a/b",
                "//c/d/../e",
                "http://c/d/../e",
                "5.2 step 4; 4-2: dots mean something in relative paths",
            ),
            ("http://a/b", "/c/../d", "http://a/c/../d", "5.2 step 5; 4-2"),
            ("http://a/b/../c/d", "e", "http://a/c/e", "5.2 step 6: the merged path is cleaned"),
            ("http://a/b//../c/d", "e", "http://a/b/c/e", "5.2 step 6 e: an empty segment is one"),
            ("http://a/b/c", "../../../d/..", "http://a/../../", "5.2 step 6 f, g"),
            ("http://a/b/c", "../..", "http://a/..", "5.2 step 6 g: the last one stays too"),
            ("http://a/b?c=d/e", "f", "http://a/f", "5.2 step 6: of the base's path alone"),
            ("http://a/b;c/d;e=f", "g", "http://a/b;c/g", "3.3-5: parameters do not matter"),
            ("http://a", "b", "http://a/b", "5.2 step 6 a; by its letter the authority would be ab"),
            ("http://a", "?b", "http://a/?b", "5.2 step 6 a"),
            ("s:/a", "b", "s:/b", "3.2-2: no authority comes of none"),
            ("s:/a", "../b", "s:/../b", "3.2-2, 5.2 step 6 g"),
            ("s:/a/b", "..//c", "s:/.//c", "3.2-2: nor of the path (RFC 3986 3.3 has the same guard)"),
            ("s:a/b?c/d", "e", "s:a/b?c/e", "3-3: the question mark of an opaque base is its own"),
            ("s:a/b", "../c", "s:c", "5.2 step 6 e"),
            ("s:a", ".", "s:.", "3-2: something stands behind the colon"),
            ("s:a", "?b", "s:?b", "5.2 step 6"),
        ],
    );
    let relative = parse("a/b");
    assert_eq!(resolve(&relative, &parse("c"), Mode::Strict), Err(ResolveError::BaseNotAbsolute), "5.1");
}

#[test]
fn a_scheme_like_the_bases() {
    check_targets(
        Mode::Compatible,
        &[
            (BASE, "http:g", "http://a/b/c/g", "5.2 step 3"),
            (BASE, "HTTP:g?y#s", "http://a/b/c/g?y#s", "5.2 step 3"),
            (BASE, "http:?y", "http://a/b/c/?y", "5.2 step 3"),
            (BASE, "http:/g?y", "http://a/g?y", "5.2 step 3"),
            (BASE, "http://g", "http://g", "5.2 step 3"),
            (BASE, "https:g", "https:g", "5.2 step 3: another scheme"),
            ("mailto:a", "mailto:b", "mailto:b", "5.2 step 3: schemes known to be hierarchical alone"),
            ("x:/a", "x:b", "x:b", "5.2 step 3: nothing is known of it"),
        ],
    );
}

#[test]
fn the_current_document() {
    let table = [("", true), ("#s", true), ("?", false), ("?y", false), (".", false), ("d;p?q", false)];
    for (reference, expected) in table {
        assert_eq!(is_current_document(&parse(reference)), expected, "{reference:?} (4.2)");
    }
}

/// (reference, level, normal form, requirement)
#[test]
fn the_ladder() {
    let table: &[(&str, Level, &str, &str)] = &[
        ("HTTP://www.XEROX.com/A", Level::Case, "http://www.xerox.com/A", "6-1"),
        ("http://U@H:80/P", Level::Case, "http://U@h:80/P", "6-3: scheme and hostname alone"),
        ("//A_B/", Level::Scheme, "//A_B/", "6-3: a registry's name is no hostname"),
        ("http://h/%c3", Level::Case, "http://h/%C3", "2.4.1-1: the same octet"),
        ("http://h/%7ea", Level::Case, "http://h/%7Ea", "2.4.2-2 comes later"),
        ("http://h/%7ea", Level::Percent, "http://h/~a", "2.4.2-2"),
        ("http://h/%2D%5F%2E%21%7E%2A%27%28%29", Level::Percent, "http://h/-_.!~*'()", "2.3-1: the marks"),
        (
            "http://h/%3B%2F%3F%3A%40%26%3D%2B%24%2C",
            Level::Scheme,
            "http://h/%3B%2F%3F%3A%40%26%3D%2B%24%2C",
            "2.2-3",
        ),
        ("http://h/%2541", Level::Scheme, "http://h/%2541", "2.4.2-3: once, not twice"),
        (
            "http://h/a/../b/./c",
            Level::Scheme,
            "http://h/a/../b/./c",
            "4-2: dots mean something in relative paths",
        ),
        ("http://h:80/", Level::Syntax, "http://h:80/", "6-3 comes later"),
        ("http://h:80/", Level::Scheme, "http://h/", "6-3"),
        ("http://h:080", Level::Scheme, "http://h", "6-3: by its number"),
        ("http://h:/", Level::Scheme, "http://h/", "3.2.2-7: a port that is omitted"),
        ("http://h:81/", Level::Scheme, "http://h:81/", "6-3"),
        ("x://h:80/", Level::Scheme, "x://h:80/", "6-2: a scheme that nothing is known of"),
        ("http://h", Level::Scheme, "http://h", "6-2: nothing is said of an empty path"),
        ("file://localhost/a", Level::Scheme, "file://localhost/a", "6-2"),
        ("mailto:A@B", Level::Scheme, "mailto:A@B", "3-3: opaque"),
        ("http://%41.com:80/", Level::Percent, "http://a.com:80/", "2.3-1: then it is a hostname"),
        ("http://%41.com:80/", Level::Scheme, "http://a.com/", "2.3-1, 6-3"),
        ("http://U%41@H_:80/", Level::Scheme, "http://UA@H_:80/", "3.2.1-1"),
    ];
    for (text, level, expected, requirement) in table {
        assert_eq!(normalize(&parse(text), *level), *expected, "{text:?} at {level} ({requirement})");
    }
}

/// The normal form, slowly: from the text's parts, each by its requirement.
fn slow_normal_form(text: &str, level: Level) -> String {
    if level == Level::None {
        return text.to_owned();
    }
    let parts = oracle_of(Spec::Rfc2396).answer(text.as_bytes()).expect("valid");
    let unreserved: Option<&[u8]> = (level >= Level::Percent).then_some(b"-_.!~*'()");
    let decode = |part: &str| triplets_but(part, unreserved);
    let scheme = parts.scheme.map(str::to_ascii_lowercase);
    let mut out = scheme.as_ref().map(|scheme| format!("{scheme}:")).unwrap_or_default();
    if let Some(authority) = parts.authority {
        let authority = decode(authority);
        let reference = format!("//{authority}");
        let again = oracle_of(Spec::Rfc2396).answer(reference.as_bytes()).expect("decoded marks are allowed");
        out.push_str("//");
        if again.kind == Some(HostKind::RegName) {
            out.push_str(&authority);
        } else {
            out.extend(again.userinfo.map(|userinfo| format!("{userinfo}@")));
            out.push_str(&again.host.unwrap_or_default().to_ascii_lowercase());
            let entry = urimill::grammar::scheme::find(scheme.unwrap_or_default().as_bytes());
            let default = entry.and_then(|entry| entry.default_port).map(|port| port.to_string());
            let is_default = |port: &str| {
                port.is_empty() || default.as_deref() == Some(port.trim_start_matches('0')) && port != "0"
            };
            let port = again.port.filter(|port| level < Level::Scheme || !is_default(port));
            out.extend(port.map(|port| format!(":{port}")));
        }
    }
    out.push_str(&decode(parts.path));
    out.extend(parts.query.map(|query| format!("?{}", decode(query))));
    out.extend(parts.fragment.map(|fragment| format!("#{}", decode(fragment))));
    out
}

fn check_normal_forms(text: &[u8]) -> bool {
    let Ok(uri) = UriRef::parse_as(text, Spec::Rfc2396) else { return false };
    for level in Level::ALL {
        let normal = normalize(&uri, level);
        assert_eq!(normal, slow_normal_form(uri.as_str(), level), "{uri} at {level}");
        assert_eq!(matches!(normal, Cow::Borrowed(_)), normal == uri.as_str(), "{uri} at {level}");
        assert_eq!(normalize(&parse(&normal), level), normal, "{uri} at {level}: twice");
    }
    true
}

#[test]
fn normal_forms_of_real_uris() {
    let Some(corpora) = shared::corpora() else { return };
    let valid = corpora.iter().filter(|uri| check_normal_forms(uri)).count();
    assert!(valid > 250_000, "only {valid} of {} parse", corpora.len());
}

#[test]
fn normal_forms_of_mutations() {
    let (seeds, mut random, mut text, mut valid) = (seeds(), Random(0x2396), Vec::new(), 0);
    for _ in 0..MUTATIONS {
        mutate(&seeds, &mut random, &mut text);
        valid += usize::from(check_normal_forms(&text));
    }
    assert!(valid > MUTATIONS / 10, "only {valid} of {MUTATIONS} parse");
}

/// Section 5.2, step by step, with its buffer.
fn by_the_letter(base: &UriRef, r: &UriRef, mode: Mode) -> String {
    let stripped;
    let mut r = *r;
    if mode == Mode::Compatible
        && let (Some(scheme), Some(of_base)) = (r.scheme(), base.scheme())
        && scheme.eq_ignore_ascii_case(of_base)
        && matches!(
            scheme.to_ascii_lowercase().as_str(),
            "http" | "https" | "ftp" | "file" | "telnet" | "gopher"
        )
    {
        stripped = r.as_str()[scheme.len() + 1..].to_owned();
        // The rest may look as if it had a scheme, but has none (step 4 and on).
        return match UriRef::parse_as(&stripped, Spec::Rfc2396) {
            Ok(rest) if rest.scheme().is_none() => by_the_letter(base, &rest, Mode::Strict),
            _ => by_pieces(base, &stripped),
        };
    }
    let fragment = r.fragment().map(|fragment| format!("#{fragment}")).unwrap_or_default();
    if r.as_str().len() == fragment.len() {
        return base.as_str().split('#').next().unwrap_or_default().to_owned() + &fragment;
    }
    if r.scheme().is_some() {
        return r.as_str().to_owned();
    }
    let scheme = base.scheme().unwrap_or_default();
    let query = r.query().map(|query| format!("?{query}")).unwrap_or_default();
    if r.authority().is_some() {
        return format!("{scheme}:{r}");
    }
    let authority = base.authority().map(|authority| format!("//{authority}")).unwrap_or_default();
    if r.path().starts_with('/') {
        return format!("{scheme}:{authority}{r}");
    }
    let mut path = merged(base, r.path());
    if authority.is_empty() && path.starts_with("//") {
        path.insert_str(0, "/.");
    }
    if authority.is_empty() && path.is_empty() && query.is_empty() {
        path.push('.');
    }
    r = *base;
    format!("{}:{authority}{path}{query}{fragment}", r.scheme().unwrap_or_default())
}

/// A relative reference whose first segment holds a colon, which only an ignored scheme can leave.
fn by_pieces(base: &UriRef, rest: &str) -> String {
    let (before, fragment) =
        rest.split_once('#').map_or((rest, String::new()), |(b, f)| (b, format!("#{f}")));
    let (path, query) = before.split_once('?').map_or((before, String::new()), |(p, q)| (p, format!("?{q}")));
    let authority = base.authority().map(|authority| format!("//{authority}")).unwrap_or_default();
    let mut path = merged(base, path);
    if authority.is_empty() && path.starts_with("//") {
        path.insert_str(0, "/.");
    }
    format!("{}:{authority}{path}{query}{fragment}", base.scheme().unwrap_or_default())
}

/// Step 6, a to g.
fn merged(base: &UriRef, path: &str) -> String {
    let root = if base.path().is_empty() && base.authority().is_some() { "/" } else { "" };
    let folder = base.path().rfind('/').map_or("", |at| &base.path()[..=at]);
    let buffer = format!("{root}{folder}{path}");
    // Complete segments; the first of an absolute path is not one.
    let (slash, buffer) = buffer.strip_prefix('/').map_or(("", buffer.as_str()), |rest| ("/", rest));
    let mut segments: Vec<&str> = buffer.split('/').collect();
    let last = segments.len() - 1;
    let ends_with_dot = segments[last] == ".";
    let mut index = 0;
    segments.retain(|&segment| {
        index += 1;
        segment != "." || index - 1 == last
    });
    if ends_with_dot && let Some(last) = segments.last_mut() {
        *last = "";
    }
    // The leftmost "<segment>/.." each time.
    while let Some(at) = (1..segments.len()).find(|&at| segments[at] == ".." && segments[at - 1] != "..") {
        let is_last = at == segments.len() - 1;
        segments.drain(at - 1..=at);
        if is_last {
            segments.push("");
        }
    }
    format!("{slash}{}", segments.join("/"))
}

fn check_pair(base: &[u8], reference: &[u8]) -> bool {
    let by = |text| UriRef::parse_as(text, Spec::Rfc2396);
    let (Ok(base), Ok(reference)) = (by(base), by(reference)) else { return false };
    if base.is_relative_reference() {
        return false;
    }
    for mode in [Mode::Strict, Mode::Compatible] {
        let expected = by_the_letter(&base, &reference, mode);
        assert_eq!(target(&base, &reference, mode), Ok(expected), "{base} and {reference} ({mode:?})");
    }
    let strict = by_the_letter(&base, &reference, Mode::Strict);
    assert_eq!(check_way_back(&base, &reference, &strict), Ok(()));
    true
}

#[test]
fn targets_of_real_pages() {
    let Some(pages) = shared::pages() else { return };
    let resolved = pages.iter().filter(|(base, reference)| check_pair(base, reference)).count();
    assert!(resolved > 50_000, "only {resolved} of {} pairs", pages.len());
}

#[test]
fn targets_of_mutations() {
    let (seeds, mut random, mut resolved) = (seeds(), Random(0xC2), 0);
    let (mut base, mut reference) = (Vec::new(), Vec::new());
    for _ in 0..MUTATIONS {
        mutate(&seeds, &mut random, &mut base);
        mutate(&seeds, &mut random, &mut reference);
        resolved += usize::from(check_pair(&base, &reference));
    }
    assert!(resolved > MUTATIONS / 20, "only {resolved} of {MUTATIONS} pairs can be resolved");
}

#[test]
fn targets_of_every_short_path() {
    const PIECES: &[&str] = &["/", ".", "..", "a", ":", "?", "//", "S:"];
    const BASES: &[&str] =
        &["s:a", "s:a/b?q", "s:./a/../b", "s:/", "s:/a/..", "s://h", "s://h/a/b/c", "http://h/a/../..//b/c"];
    let mut references = vec![String::new()];
    for _ in 0..4 {
        let longer: Vec<String> = references
            .iter()
            .flat_map(|text| PIECES.iter().map(move |piece| format!("{text}{piece}")))
            .collect();
        references.extend(longer);
        references.sort();
        references.dedup();
    }
    for base in BASES {
        let resolved = references.iter().filter(|text| check_pair(base.as_bytes(), text.as_bytes())).count();
        assert!(resolved > 1000, "only {resolved} references against {base}");
    }
}
