//! RFC 3986 sections 1 to 4 and its appendices as tables: which references are valid, and their components.

use std::borrow::Cow;

use urimill::{HostKind, UriRef};

use crate::compare::compare;
use crate::oracle::{Parts, oracle};

/// urimill's result, in the notation of the tables: the defined components in their order, `name=text`, the host after
/// the name of its kind. An empty component is `name=`, an undefined one is missing; the path is always there.
fn components(parts: &Parts) -> String {
    let host = match parts.kind {
        Some(HostKind::DnsName) => "dns",
        Some(HostKind::RegName) => "reg",
        Some(HostKind::Ipv4) => "ipv4",
        Some(HostKind::Ipv6) => "ipv6",
        Some(HostKind::IpvFuture) => "ipvfuture",
        None => "host",
    };
    let named = [
        ("scheme", parts.scheme),
        ("userinfo", parts.userinfo),
        (host, parts.host),
        ("port", parts.port),
        ("path", Some(parts.path)),
        ("query", parts.query),
        ("fragment", parts.fragment),
    ];
    let defined = named.iter().filter_map(|(name, text)| text.map(|text| format!("{name}={text}")));
    defined.collect::<Vec<_>>().join(" ")
}

fn check(table: &[(&str, &str, &str)]) {
    for (text, expected, section) in table {
        let by_oracle = oracle().answer(text.as_bytes()).map(|parts| components(&parts));
        assert_eq!(by_oracle.as_deref(), Ok(*expected), "the oracle on {text:?} (section {section})");
        let got = UriRef::parse(*text).map(|uri| components(&Parts::of(&uri)));
        assert_eq!(got.as_deref(), Ok(*expected), "{text:?} (section {section})");
        assert_eq!(compare(text.as_bytes()), Ok(()), "section {section}");
    }
}

#[test]
fn examples_in_the_text() {
    check(&[
        ("ftp://ftp.is.co.za/rfc/rfc1808.txt", "scheme=ftp dns=ftp.is.co.za path=/rfc/rfc1808.txt", "1.1.2"),
        (
            "http://www.ietf.org/rfc/rfc2396.txt",
            "scheme=http dns=www.ietf.org path=/rfc/rfc2396.txt",
            "1.1.2",
        ),
        (
            "ldap://[2001:db8::7]/c=GB?objectClass?one",
            "scheme=ldap ipv6=[2001:db8::7] path=/c=GB query=objectClass?one",
            "1.1.2",
        ),
        ("mailto:John.Doe@example.com", "scheme=mailto path=John.Doe@example.com", "1.1.2"),
        (
            "news:comp.infosystems.www.servers.unix",
            "scheme=news path=comp.infosystems.www.servers.unix",
            "1.1.2",
        ),
        ("tel:+1-816-555-1212", "scheme=tel path=+1-816-555-1212", "1.1.2"),
        ("telnet://192.0.2.16:80/", "scheme=telnet ipv4=192.0.2.16 port=80 path=/", "1.1.2"),
        (
            "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
            "scheme=urn path=oasis:names:specification:docbook:dtd:xml:4.1.2",
            "1.1.2",
        ),
        (
            "foo://example.com:8042/over/there?name=ferret#nose",
            "scheme=foo dns=example.com port=8042 path=/over/there query=name=ferret fragment=nose",
            "3",
        ),
        ("urn:example:animal:ferret:nose", "scheme=urn path=example:animal:ferret:nose", "3"),
        ("foo://info.example.com?fred", "scheme=foo dns=info.example.com path= query=fred", "3.3"),
        ("name;v=1.1/name,1.1", "path=name;v=1.1/name,1.1", "3.3"),
        ("./this:that", "path=./this:that", "4.2"),
        ("http://a/b/c/d;p?q", "scheme=http dns=a path=/b/c/d;p query=q", "5.4"),
        (
            "ftp://cnn.example.com&story=breaking_news@10.0.0.1/top_story.htm",
            "scheme=ftp userinfo=cnn.example.com&story=breaking_news ipv4=10.0.0.1 path=/top_story.htm",
            "7.6",
        ),
        (
            "http://www.ics.uci.edu/pub/ietf/uri/#Related",
            "scheme=http dns=www.ics.uci.edu path=/pub/ietf/uri/ fragment=Related",
            "Appendix B",
        ),
        ("http://www.w3.org/Addressing/", "scheme=http dns=www.w3.org path=/Addressing/", "Appendix C"),
    ]);
}

#[test]
fn corner_cases_of_the_grammar() {
    check(&[
        ("", "path=", "4.2, 4.4: path-empty"),
        ("/", "path=/", "3.3: path-absolute"),
        ("//", "reg= path=", "3.2.2: an empty reg-name"),
        ("///", "reg= path=/", "3.3"),
        ("////x", "reg= path=//x", "3.3: behind an authority a path may begin with //"),
        ("x:", "scheme=x path=", "3: path-empty"),
        ("x:/", "scheme=x path=/", "3.3"),
        ("x:a//b", "scheme=x path=a//b", "3.3: path-rootless"),
        ("x::", "scheme=x path=:", "3.3: a pchar may be a colon"),
        ("x:/.//b", "scheme=x path=/.//b", "3.3"),
        ("a+b-c.9:x", "scheme=a+b-c.9 path=x", "3.1"),
        ("X:x", "scheme=X path=x", "3.1: case is kept"),
        ("a/b:c", "path=a/b:c", "4.2: a colon behind the first segment"),
        ("1.2", "path=1.2", "3.3: path-noscheme"),
        ("@a", "path=@a", "3.3: segment-nz-nc has the at-sign"),
        ("a?b:c", "path=a query=b:c", "3.4"),
        ("#a:b", "path= fragment=a:b", "3.5"),
        ("?a/?b#/?c", "path= query=a/?b fragment=/?c", "3.4, 3.5"),
        ("-._~!$&'()*+,;=@%2F", "path=-._~!$&'()*+,;=@%2F", "2.2, 2.3"),
        ("a%00%fF", "path=a%00%fF", "2.1"),
    ]);
}

#[test]
fn authorities() {
    check(&[
        ("//u:p@h:1", "userinfo=u:p dns=h port=1 path=", "3.2"),
        ("//@h", "userinfo= dns=h path=", "3.2.1: empty is not undefined"),
        ("//h:", "dns=h port= path=", "3.2.3: an empty port"),
        ("//:", "reg= port= path=", "3.2"),
        ("//@:?#", "userinfo= reg= port= path= query= fragment=", "3"),
        ("//a:b:c@h", "userinfo=a:b:c dns=h path=", "3.2.1: colons"),
        ("//1.2.3.4@5.6.7.8", "userinfo=1.2.3.4 ipv4=5.6.7.8 path=", "3.2.1"),
        ("//%40:%3a@%5B", "userinfo=%40:%3a reg=%5B path=", "2.1"),
        ("//h?@x", "dns=h path= query=@x", "3.2: a question mark ends the authority"),
        ("//h#@x", "dns=h path= fragment=@x", "3.2: a number sign ends the authority"),
        ("//h/@x:y", "dns=h path=/@x:y", "3.2: a slash ends the authority"),
        ("//[::]:80/", "ipv6=[::] port=80 path=/", "3.2.2"),
        ("//u@[v1.x:y]:8", "userinfo=u ipvfuture=[v1.x:y] port=8 path=", "3.2.2"),
        ("//[V1F.a]", "ipvfuture=[V1F.a] path=", "3.2.2: v is case-insensitive (RFC 5234 2.3)"),
        (
            "//h:00000000000000000000000000099999999999999999",
            "dns=h port=00000000000000000000000000099999999999999999 path=",
            "3.2.3: any length",
        ),
        ("//h:65536", "dns=h port=65536 path=", "3.2.3: no limit"),
    ]);
}

/// First match wins: a host that is not an IPv4address is a name, and one that meets RFC 1034 3.5 / RFC 1123 2.1 a DNS
/// name.
#[test]
fn host_kinds() {
    let longest = format!("{0}.{0}.{0}.{0}", "a".repeat(63));
    let names = [
        (longest.clone(), HostKind::DnsName, "255 characters"),
        (format!("{longest}."), HostKind::RegName, "256 characters"),
        ("a".repeat(63), HostKind::DnsName, "a label of 63"),
        ("a".repeat(64), HostKind::RegName, "a label of 64"),
    ];
    let short: &[(&str, HostKind, &str)] = &[
        ("0.0.0.0", HostKind::Ipv4, "3.2.2"),
        ("255.255.255.255", HostKind::Ipv4, "3.2.2"),
        ("256.1.1.1", HostKind::RegName, "3.2.2: dec-octet ends at 255"),
        ("1.2.3", HostKind::RegName, "7.4: a rare form is a name to the grammar"),
        ("01.2.3.4", HostKind::RegName, "3.2.2: no leading zero"),
        ("1.2.3.4.", HostKind::RegName, "RFC 1123 2.1: last label all digits"),
        ("1.2.3.4.5", HostKind::RegName, "RFC 1123 2.1"),
        ("4294967295", HostKind::RegName, "7.4"),
        ("0x7f.1", HostKind::RegName, "7.4: the last label is digits"),
        ("0x7f", HostKind::DnsName, "RFC 1123 2.1: letters and digits"),
        ("1.2.3.4a", HostKind::DnsName, "RFC 1123 2.1: the last label is not all digits"),
        ("localhost", HostKind::DnsName, "RFC 1034 3.5"),
        ("EXAMPLE.com", HostKind::DnsName, "RFC 1034 3.5: either case"),
        ("3com.example", HostKind::DnsName, "RFC 1123 2.1: a digit first"),
        ("a-b--c.d", HostKind::DnsName, "RFC 1034 3.5: inner hyphens"),
        ("xn--bcher-kva.example", HostKind::DnsName, "RFC 1034 3.5"),
        ("example.", HostKind::DnsName, "3.2.2: the rightmost dot"),
        ("", HostKind::RegName, "3.2.2"),
        (".", HostKind::RegName, "RFC 1034 3.5: a label is not empty"),
        ("a..b", HostKind::RegName, "RFC 1034 3.5"),
        ("a..", HostKind::RegName, "RFC 1034 3.5"),
        (".a", HostKind::RegName, "RFC 1034 3.5"),
        ("-a", HostKind::RegName, "RFC 1034 3.5: hyphen first"),
        ("a-", HostKind::RegName, "RFC 1034 3.5: hyphen last"),
        ("a.b-.c", HostKind::RegName, "RFC 1034 3.5"),
        ("a_b.example", HostKind::RegName, "RFC 1034 3.5: no underscore"),
        ("ex%61mple", HostKind::RegName, "RFC 1034 3.5: no percent sign"),
        ("a!b", HostKind::RegName, "3.2.2: sub-delims"),
    ];
    let short = short.iter().map(|(name, kind, section)| ((*name).to_owned(), *kind, *section));
    for (name, kind, section) in short.chain(names) {
        for text in [format!("//{name}"), format!("http://u@{name}:80/p")] {
            let uri =
                UriRef::parse(&text).unwrap_or_else(|reject| panic!("{text:?} ({section}): {reject:?}"));
            assert_eq!(uri.host_kind(), Some(kind), "{text:?} ({section})");
            assert_eq!(uri.host(), Some(name.as_str()), "{text:?} ({section})");
            assert_eq!(compare(text.as_bytes()), Ok(()), "{section}");
        }
    }
}

/// A URI is a sequence of characters, whatever stores them (2).
#[test]
fn whatever_holds_the_text() {
    const TEXT: &str = "x://h/p?q";
    let bytes = *b"x://h/p?q";
    let (string, vector) = (TEXT.to_owned(), bytes.to_vec());
    let uris = [
        UriRef::parse(&bytes),
        UriRef::parse(&bytes[..]),
        UriRef::parse(&string),
        UriRef::parse(&vector),
        UriRef::parse(&&bytes[..]),
        UriRef::parse(&TEXT),
        UriRef::parse(&Cow::Borrowed(TEXT)),
        UriRef::parse(&Cow::<[u8]>::Owned(vector.clone())),
    ]
    .map(|uri| uri.map(|uri| (uri.as_str().to_owned(), uri.path().to_owned())));
    for uri in uris {
        assert_eq!(uri, Ok((TEXT.to_owned(), "/p".to_owned())));
    }
}

/// URI, relative reference, absolute URI: sections 3, 4.2 and 4.3.
#[test]
fn kinds_of_reference() {
    let table: &[(&str, bool, bool, &str)] = &[
        ("http://h/", true, true, "4.3"),
        ("http://h/#f", true, false, "4.3: no fragment"),
        ("http://h/#", true, false, "4.3: an empty fragment is one"),
        ("x:", true, true, "4.3"),
        ("//h/", false, false, "4.2: network-path reference"),
        ("/p", false, false, "4.2: absolute-path reference"),
        ("p", false, false, "4.2: relative-path reference"),
        ("", false, false, "4.4: same-document reference"),
    ];
    for &(text, is_uri, is_absolute, section) in table {
        let uri = UriRef::parse(text).unwrap_or_else(|reject| panic!("{text:?} ({section}): {reject:?}"));
        let got = (uri.is_uri(), uri.is_absolute_uri(), uri.is_relative_reference());
        assert_eq!(got, (is_uri, is_absolute, !is_uri), "{text:?} ({section})");
    }
}
