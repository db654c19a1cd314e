//! Domains of hosts: compared with tables written by hand, and with the tests of UTS 46. `suffix_list` tests the list
//! of suffixes.

use std::fs;

use serde_json::Value;
use urimill::UriRef;
use urimill::domain::{Domain, SuffixList};
use urimill::encode::{Part, encode};

use crate::shared;

/// The domain of the host of a URI, as urimill reads it.
pub(crate) fn domain<'a>(uri: &'a str, list: &SuffixList) -> Option<Domain<'a>> {
    let uri = UriRef::parse(uri).unwrap_or_else(|reject| panic!("{uri}: {reject:?}"));
    Domain::of(uri.host()?, uri.host_kind()?, list)
}

/// A URI with this host, whatever its script.
pub(crate) fn with_host(name: &str) -> String {
    format!("http://{}/", encode(name, Part::Unreserved, urimill::Spec::Rfc3986).expect("no host"))
}

#[test]
fn what_is_told_of_a_name() {
    // Host; name in ASCII; public suffix and registered domain; the same by both sections of the list.
    type Row = (&'static str, &'static str, [Option<&'static str>; 2], [Option<&'static str>; 2]);
    const TABLE: &[Row] = &[
        (
            "www.example.com",
            "www.example.com",
            [Some("com"), Some("example.com")],
            [Some("com"), Some("example.com")],
        ),
        (
            "WWW.Example.COM",
            "www.example.com",
            [Some("com"), Some("example.com")],
            [Some("com"), Some("example.com")],
        ),
        // One dot at the end is not a label.
        (
            "example.co.uk.",
            "example.co.uk",
            [Some("co.uk"), Some("example.co.uk")],
            [Some("co.uk"), Some("example.co.uk")],
        ),
        // A suffix has no domain.
        ("com", "com", [Some("com"), None], [Some("com"), None]),
        ("co.uk", "co.uk", [Some("co.uk"), None], [Some("co.uk"), None]),
        // The private section.
        (
            "a.github.io",
            "a.github.io",
            [Some("io"), Some("github.io")],
            [Some("github.io"), Some("a.github.io")],
        ),
        (
            "b.a.github.io",
            "b.a.github.io",
            [Some("io"), Some("github.io")],
            [Some("github.io"), Some("a.github.io")],
        ),
        ("github.io", "github.io", [Some("io"), Some("github.io")], [Some("github.io"), None]),
        (
            "x.s3.dualstack.eu-west-1.amazonaws.com",
            "x.s3.dualstack.eu-west-1.amazonaws.com",
            [Some("com"), Some("amazonaws.com")],
            [Some("s3.dualstack.eu-west-1.amazonaws.com"), Some("x.s3.dualstack.eu-west-1.amazonaws.com")],
        ),
        // A private suffix below a registry's suffix of two labels.
        (
            "a.blogspot.co.uk",
            "a.blogspot.co.uk",
            [Some("co.uk"), Some("blogspot.co.uk")],
            [Some("co.uk"), Some("blogspot.co.uk")],
        ),
        ("a.b.uk.com", "a.b.uk.com", [Some("com"), Some("uk.com")], [Some("uk.com"), Some("b.uk.com")]),
        // A wildcard, and an exception from it.
        ("a.b.c.ck", "a.b.c.ck", [Some("c.ck"), Some("b.c.ck")], [Some("c.ck"), Some("b.c.ck")]),
        ("a.www.ck", "a.www.ck", [Some("ck"), Some("www.ck")], [Some("ck"), Some("www.ck")]),
        (
            "a.ex.futurecms.at",
            "a.ex.futurecms.at",
            [Some("at"), Some("futurecms.at")],
            [Some("a.ex.futurecms.at"), None],
        ),
        // The wildcard above a more specific rule.
        (
            "a.b.futurecms.at",
            "a.b.futurecms.at",
            [Some("at"), Some("futurecms.at")],
            [Some("b.futurecms.at"), Some("a.b.futurecms.at")],
        ),
        // A name that no list has has no suffix.
        ("localhost", "localhost", [None, None], [None, None]),
        ("printer.local", "printer.local", [None, None], [None, None]),
        ("a.example", "a.example", [None, None], [None, None]),
        // Names that are not host names (RFC 1123, 2.1), but registered names.
        (
            "my_blog.example.com",
            "my_blog.example.com",
            [Some("com"), Some("example.com")],
            [Some("com"), Some("example.com")],
        ),
        ("a-.-b.com", "a-.-b.com", [Some("com"), Some("-b.com")], [Some("com"), Some("-b.com")]),
        ("A,b.com", "a,b.com", [Some("com"), Some("a,b.com")], [Some("com"), Some("a,b.com")]),
        // IDNA.
        (
            "b%C3%BCcher.example.com",
            "xn--bcher-kva.example.com",
            [Some("com"), Some("example.com")],
            [Some("com"), Some("example.com")],
        ),
        (
            "b%c3%9ccher.de",
            "xn--bcher-kva.de",
            [Some("de"), Some("xn--bcher-kva.de")],
            [Some("de"), Some("xn--bcher-kva.de")],
        ),
        (
            "www.xn--85x722f.xn--55qx5d.cn",
            "www.xn--85x722f.xn--55qx5d.cn",
            [Some("xn--55qx5d.cn"), Some("xn--85x722f.xn--55qx5d.cn")],
            [Some("xn--55qx5d.cn"), Some("xn--85x722f.xn--55qx5d.cn")],
        ),
        (
            "%F0%9F%A7%A0.s.country",
            "xn--qv9h.s.country",
            [Some("country"), Some("s.country")],
            [Some("country"), Some("s.country")],
        ),
        // A full stop of another script ends a label too.
        ("a%E3%80%82com", "a.com", [Some("com"), Some("a.com")], [Some("com"), Some("a.com")]),
    ];
    let list = SuffixList::embedded();
    for &(host, ascii, public, private) in TABLE {
        let uri = format!("http://{host}/");
        let domain = domain(&uri, &list).unwrap_or_else(|| panic!("{host} is a name"));
        assert_eq!(domain.ascii(), ascii, "{host}");
        assert_eq!([domain.public_suffix(), domain.registered_domain()], public, "{host}");
        assert_eq!([domain.private_suffix(), domain.private_domain()], private, "{host}");
    }
}

#[test]
fn the_forms_of_a_name() {
    // Host, last label, reversed, in Unicode.
    const TABLE: &[(&str, &str, &str, &str)] = &[
        ("www.example.com", "com", "com.example.www", "www.example.com"),
        ("localhost", "localhost", "localhost", "localhost"),
        ("a.b.c.d.e.f", "f", "f.e.d.c.b.a", "a.b.c.d.e.f"),
        ("xn--bcher-kva.xn--p1ai.", "xn--p1ai", "xn--p1ai.xn--bcher-kva", "bücher.рф"),
        ("xn--fa-hia.de", "de", "de.xn--fa-hia", "faß.de"),
        ("my_b%C3%BCcher.de", "de", "de.xn--my_bcher-95a", "my_bücher.de"),
        // A label that Punycode did not make keeps the whole name as it is.
        ("xn--bcher-kva.xn--a.de", "de", "de.xn--a.xn--bcher-kva", "xn--bcher-kva.xn--a.de"),
        // So does one that Punycode made from a text with its prefix (UTS 46, 4.1).
        ("xn--xn---epa.de", "de", "de.xn--xn---epa", "xn--xn---epa.de"),
    ];
    let list = SuffixList::embedded();
    for &(host, tld, reversed, unicode) in TABLE {
        let uri = format!("http://{host}/");
        let domain = domain(&uri, &list).unwrap_or_else(|| panic!("{host} is a name"));
        assert_eq!(
            (domain.tld(), &*domain.reversed(), &*domain.unicode()),
            (tld, reversed, unicode),
            "{host}"
        );
        assert_eq!(domain.labels().collect::<Vec<_>>(), reversed.split('.').collect::<Vec<_>>(), "{host}");
    }
}

/// A host that is written as the DNS has it is not copied.
#[test]
fn a_plain_host_is_not_copied() {
    let list = SuffixList::embedded();
    for (host, is_in_host) in [
        ("www.example.com", true),
        ("example.com.", true),
        ("a_b.example.com", true),
        ("Example.com", false),
        ("%C3%BC.com", false),
    ] {
        let uri = format!("http://{host}/");
        assert_eq!(domain(&uri, &list).map(|domain| domain.is_in_host()), Some(is_in_host), "{host}");
    }
}

#[test]
fn what_is_no_name() {
    const HOSTS: &[(&str, &str)] = &[
        ("192.0.2.1", "an IPv4 address"),
        ("[2001:db8::1]", "an IPv6 address"),
        ("[v1.a:b]", "an address of the future"),
        ("256.1.1.1", "its last label is a number (RFC 1123, 2.1)"),
        ("1.2.3", "a rare form of an IPv4 address (7.4)"),
        ("0x7f000001", "another"),
        ("0x7f.0.0.0x1", "another"),
        ("127.1.", "another"),
        ("a.1", "its last label is a number"),
        ("%EF%BC%91.%EF%BC%92.3.4", "digits of another script are digits"),
        ("", "empty"),
        (".", "a label is empty"),
        (".com", "a label is empty"),
        ("a..com", "a label is empty"),
        ("a.com..", "a label is empty"),
        ("a%20b.com", "a space"),
        ("a%2Fb.com", "a delimiter"),
        ("a%00.com", "a control"),
        ("%E9.com", "not UTF-8"),
        ("%EF%BF%BD.com", "a character that IDNA forbids"),
        ("xn--a.%C3%BC", "a label that Punycode did not make, beside one to be encoded"),
        ("xn--xn---epa.%C3%9F", "Punycode of a text with its prefix, beside one to be encoded"),
    ];
    let list = SuffixList::embedded();
    for (host, why) in HOSTS {
        let uri = format!("http://{host}/");
        assert_eq!(domain(&uri, &list), None, "{host}: {why}");
    }
    assert_eq!(domain("/a/b", &list), None, "no authority, no host");
}

/// Not a character: UTS 46 forbids it, and the data of the crate idna allows it.
const UNASSIGNED: char = '\u{3E8AC}';

/// RFC 1035, 2.3.4.
#[test]
fn a_name_has_255_bytes_at_most() {
    let list = SuffixList::embedded();
    let length = |uri: &str| domain(uri, &list).map(|domain| domain.ascii().len());
    assert_eq!(length(&format!("http://{}com/", "a_.".repeat(84))), Some(255));
    assert_eq!(length(&format!("http://{}com/", "a_.".repeat(85))), None);
    assert_eq!(
        length(&format!("http://{}/", "%C3%BC".repeat(50))),
        Some("xn--tda".len() + 49),
        "one more a for each (RFC 3492)"
    );
    assert_eq!(length(&format!("http://{}/", "%C3%BC".repeat(1 << 16))), None);
}

/// UTS 46 as browsers apply it, as far as a host of a URI can hold it. Names that the suites call valid and the DNS
/// does not allow have no domain: an empty label, a number at the end, more than 255 bytes.
#[test]
fn idna() {
    let Some(folder) = shared::folder() else { return };
    let (mut names, mut none) = (0, 0);
    for file in ["IdnaTestV2.json", "toascii.json"] {
        let path = folder.join("suites/wpt").join(file);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        // Half of a character cannot be UTF-8; decoders put U+FFFD in its place.
        let text = text.replace("\\ud900", "\\ufffd");
        let cases: Value = serde_json::from_str(&text).expect("JSON");
        for case in cases.as_array().expect("a list").iter().filter(|case| case.is_object()) {
            let input = case["input"].as_str().expect("a text");
            let uri = with_host(input);
            let found = domain(&uri, &SuffixList::embedded());
            let ascii = found.as_ref().map(Domain::ascii);
            let expected = case["output"].as_str().map(|name| name.strip_suffix('.').unwrap_or(name));
            let is_name = |name: &&str| {
                let last = name.rsplit('.').next().unwrap_or_default();
                let is_number = last.bytes().all(|b| b.is_ascii_digit());
                name.len() <= 255 && name.split('.').all(|label| !label.is_empty()) && !is_number
            };
            if input.contains(UNASSIGNED) {
                assert!(ascii.is_some(), "{input:?} is no exception any more");
                continue;
            }
            assert_eq!(ascii, expected.filter(is_name), "{file}: {input:?}");
            names += usize::from(ascii.is_some());
            none += usize::from(ascii.is_none());
        }
    }
    assert!(names > 1_000 && none > 500, "{names} names, {none} without");
}
