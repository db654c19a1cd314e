//! Typed parts of a reference: hosts, ports, pairs of the query.

use std::net::{Ipv4Addr, Ipv6Addr};

use urimill_uri::{Host, Spec, Uri, UriRef};

#[test]
fn a_host_is_typed_by_the_grammar() {
    let v4 = |octets| Some(Host::Ipv4(Ipv4Addr::from(octets)));
    let v6 = |segments| Some(Host::Ipv6(Ipv6Addr::from(segments)));
    // The section is that of RFC 3986, where none else is named.
    let cases: [(&str, Spec, Option<Host>); 13] = [
        ("/a", Spec::Rfc3986, None),                           // 4.2
        ("mailto:a@b", Spec::Rfc3986, None),                   // 3
        ("//h", Spec::Rfc3986, Some(Host::DnsName)),           // 3.2.2
        ("//", Spec::Rfc3986, Some(Host::RegName)),            // 3.2.2
        ("//a_b%20", Spec::Rfc3986, Some(Host::RegName)),      // 3.2.2
        ("//192.0.2.1:80", Spec::Rfc3986, v4([192, 0, 2, 1])), // 3.2.2
        ("//192.0.2.256", Spec::Rfc3986, Some(Host::RegName)), // 3.2.2
        ("//192.0.2.01", Spec::Rfc3986, Some(Host::RegName)),  // 7.4
        ("//[::]", Spec::Rfc3986, v6([0; 8])),                 // 3.2.2
        ("//[2001:db8::192.0.2.1]", Spec::Rfc3986, v6([0x2001, 0xdb8, 0, 0, 0, 0, 0xc000, 0x201])), // 3.2.2
        ("//[v1.a:b]", Spec::Rfc3986, Some(Host::IpvFuture)),  // 3.2.2
        ("//256.0.0.1", Spec::Rfc2396, Some(Host::LooseIpv4)), // RFC 2396, 3.2.2
        ("//a,b", Spec::Rfc2396, Some(Host::RegName)),         // RFC 2396, 3.2.1
    ];
    for (text, spec, expected) in cases {
        let uri = UriRef::parse_as(text, spec).unwrap();
        assert_eq!(uri.typed_host(), expected, "{text}");
        assert_eq!(uri.typed_host().map(Host::kind), uri.host_kind(), "{text}");
    }
}

#[test]
fn a_port_is_a_text_a_number_and_a_default() {
    let cases: [(&str, Option<&str>, Option<u16>, Option<u16>); 11] = [
        ("http://h", None, None, Some(80)),
        ("http://h:", Some(""), None, Some(80)),
        ("http://h:0", Some("0"), Some(0), Some(0)),
        ("http://h:8080/", Some("8080"), Some(8080), Some(8080)),
        ("http://h:0000000000080/", Some("0000000000080"), Some(80), Some(80)),
        ("http://h:65535/", Some("65535"), Some(65535), Some(65535)),
        ("http://h:65536/", Some("65536"), None, None),
        ("http://h:18446744073709551617/", Some("18446744073709551617"), None, None),
        ("HTTPS://[::1]", None, None, Some(443)),
        ("//h:1", Some("1"), Some(1), Some(1)),
        ("unknown://h", None, None, None),
    ];
    for (text, port, number, or_default) in cases {
        let uri = UriRef::parse(text).unwrap();
        assert_eq!(
            (uri.port(), uri.port_number(), uri.port_or_default()),
            (port, number, or_default),
            "{text}"
        );
    }
}

#[test]
fn segments_of_a_path_stand_between_its_slashes() {
    // RFC 3986, 3.3; the parameters are those of RFC 2396, 3.3.
    let cases: [(&str, &[(&str, &[&str])]); 9] = [
        ("http://h", &[]),
        ("http://h?a/b", &[]),
        ("/", &[("", &[])]),
        ("/a/b", &[("a", &[]), ("b", &[])]),
        ("a//b/", &[("a", &[]), ("", &[]), ("b", &[]), ("", &[])]),
        ("/./%2F/..", &[(".", &[]), ("%2F", &[]), ("..", &[])]),
        ("urn:isbn:1/2", &[("isbn:1", &[]), ("2", &[])]),
        ("/a;v=1;x/;y", &[("a", &["v=1", "x"]), ("", &["y"])]),
        ("/a;/b#c/d", &[("a", &[""]), ("b", &[])]),
    ];
    for (text, expected) in cases {
        let uri = UriRef::parse(text).unwrap();
        let found: Vec<(&str, Vec<&str>)> =
            uri.segments().map(|segment| (segment.name(), segment.params().collect())).collect();
        let expected: Vec<(&str, Vec<&str>)> =
            expected.iter().map(|&(name, params)| (name, params.to_vec())).collect();
        assert_eq!(found, expected, "{text}");
        let whole: Vec<&str> = uri.segments().map(|segment| segment.as_str()).collect();
        let backwards: Vec<&str> = uri.segments().rev().map(|segment| segment.as_str()).collect();
        assert!(whole.iter().eq(backwards.iter().rev()), "{text}: {backwards:?}");
        assert_eq!(whole.join("/"), uri.path().strip_prefix('/').unwrap_or(uri.path()), "{text}");
    }
}

#[test]
fn pairs_of_a_query_stand_as_they_are() {
    let cases: [(&str, &[(&str, Option<&str>)]); 8] = [
        ("/", &[]),
        ("/?", &[]),
        ("/?&&", &[]),
        ("/?a", &[("a", None)]),
        ("/?a=", &[("a", Some(""))]),
        ("/?=b", &[("", Some("b"))]),
        ("/?a=b=c&a=%26+d#&e", &[("a", Some("b=c")), ("a", Some("%26+d"))]),
        ("/?a;b=c", &[("a;b", Some("c"))]),
    ];
    for (text, expected) in cases {
        let uri = UriRef::parse(text).unwrap();
        assert!(uri.query_pairs().eq(expected.iter().copied()), "{text}: {:?}", uri.query_pairs());
    }
}

/// HTML forms: `+` is a space, triplets are UTF-8; what is not UTF-8 stays as triplets.
#[test]
fn params_of_a_query_are_its_pairs_decoded() {
    let cases: [(&str, &[(&str, Option<&str>)]); 9] = [
        ("/", &[]),
        ("/?", &[]),
        ("/?&&", &[]),
        ("/?a", &[("a", None)]),
        ("/?a=", &[("a", Some(""))]),
        ("/?=b", &[("", Some("b"))]),
        ("/?a%26b=c+d%2B%C3%BC&a=%3d#e", &[("a&b", Some("c d+ü")), ("a", Some("="))]),
        ("/?%e9=%C3%BC%ff%41", &[("%E9", Some("ü%FFA"))]),
        ("/?a;b=c=d&&e", &[("a;b", Some("c=d")), ("e", None)]),
    ];
    for (text, expected) in cases {
        let uri = Uri::parse(text).unwrap();
        let decoded: Vec<_> = uri.query_params().map(|param| (param.name(), param.value())).collect();
        let expected: Vec<_> =
            expected.iter().map(|&(name, value)| (name.into(), value.map(Into::into))).collect();
        assert_eq!(decoded, expected, "{text}");
        let raw = uri.query_params().map(|param| (param.raw_name(), param.raw_value()));
        assert!(raw.eq(uri.query_pairs()), "{text}");
    }
}

#[cfg(feature = "psl")]
#[test]
fn a_host_has_a_registered_domain() {
    use urimill_uri::domain::registered_domain;

    // The host; its registered domain; whether it can be in a URI as it is (RFC 3986, 3.2.2).
    let cases: [(&str, Option<&str>, bool); 16] = [
        ("example.com", Some("example.com"), true),
        ("A.B.Example.CO.UK", Some("example.co.uk"), true),
        ("www.example.com.", Some("example.com"), true),
        ("docs.example.github.io", Some("github.io"), true),
        ("www.b%C3%BCcher.de", Some("xn--bcher-kva.de"), true),
        ("www.xn--bcher-kva.de", Some("xn--bcher-kva.de"), true),
        ("www.bücher.de", Some("xn--bcher-kva.de"), false),
        ("com", None, true),
        ("printer.local", None, true),
        ("", None, true),
        ("192.0.2.1", None, true),
        ("[2001:db8::1]", None, true),
        ("0x7f.1", None, true),
        ("example.com:80", None, false),
        ("http://example.com/", None, false),
        ("exam ple.com", None, false),
    ];
    for (host, expected, is_written) in cases {
        assert_eq!(registered_domain(host).as_deref(), expected, "{host}");
        let text = format!("//{host}");
        if is_written {
            let uri = Uri::parse(&text).unwrap();
            assert_eq!(uri.registered_domain().as_deref(), expected, "{host}");
            let list = urimill_uri::domain::SuffixList::embedded();
            let domain = uri.domain(&list);
            assert_eq!(domain.as_ref().and_then(|domain| domain.registered_domain()), expected, "{host}");
        }
    }
    assert_eq!(Uri::parse("mailto:a@example.com").unwrap().registered_domain(), None);
}
