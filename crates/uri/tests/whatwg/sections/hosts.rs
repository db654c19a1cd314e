//! Hosts (3): domains, addresses, opaque hosts.

use std::net::Ipv6Addr;

use urimill_uri::whatwg::{Url, ValidationError};

use super::{Row, check};

/// The host of a special URL, or the failure.
fn domain(host: &str) -> Result<String, ValidationError> {
    let text = format!("http://{host}/");
    Url::parse(&text, None).map(|url| url.hostname().to_owned()).map_err(|failure| failure.error)
}

const DOMAINS: &[Row] = &[
    ("http://EXAMPLE.com", "", Ok("http://example.com/"), "3.3 domain to ASCII"),
    (
        "http://a_b.-c-.d..e.",
        "",
        Ok("http://a_b.-c-.d..e./"),
        "3.3: VerifyDnsLength and CheckHyphens are off",
    ),
    ("http://.", "", Ok("http://./"), "3.3"),
    ("http://a!$&'()*+,;=\"`{}~b", "", Ok("http://a!$&'()*+,;=\"`{}~b/"), "3.3: UseSTD3ASCIIRules is off"),
    ("http://b\u{fc}cher.de", "", Ok("http://xn--bcher-kva.de/"), "3.3"),
    ("http://B\u{dc}CHER.de", "", Ok("http://xn--bcher-kva.de/"), "3.3"),
    ("http://bu\u{308}cher.de", "", Ok("http://xn--bcher-kva.de/"), "3.3: NFC"),
    ("http://\u{ff26}\u{ff4f}\u{ff4f}/", "", Ok("http://foo/"), "3.3"),
    ("http://a\u{3002}b\u{ff0e}c\u{ff61}d/", "", Ok("http://a.b.c.d/"), "3.3: dots"),
    ("http://fa\u{df}.de/", "", Ok("http://xn--fa-hia.de/"), "3.3: Transitional_Processing is off"),
    ("http://a\u{ad}b/", "", Ok("http://ab/"), "3.3: what is ignored"),
    ("http://xn--bcher-kva.de/", "", Ok("http://xn--bcher-kva.de/"), "3.3"),
    ("http://XN--BCHER-KVA.de/", "", Ok("http://xn--bcher-kva.de/"), "3.3"),
    ("http://xn--a/", "", Ok("http://xn--a/"), "3.3: ASCII is not looked into"),
    ("http://\u{ad}/", "", Err(("domain-to-ASCII", 7)), "3.3: nothing is left"),
    ("http://a\u{fffd}/", "", Err(("domain-to-ASCII", 7)), "3.3: disallowed"),
    ("http://\u{5d0}a/", "", Err(("domain-to-ASCII", 7)), "3.3: CheckBidi"),
    ("http://a\u{200d}b/", "", Err(("domain-to-ASCII", 7)), "3.3: CheckJoiners"),
    (
        "http://xn--a.\u{e9}/",
        "",
        Err(("domain-to-ASCII", 7)),
        "3.3: no punycode, beside a label outside ASCII",
    ),
    // UTS 46, 4.1, validity criterion 4.
    (
        "http://xn--xn---epa.\u{df}/",
        "",
        Err(("domain-to-ASCII", 7)),
        "3.3: punycode of a label that begins with xn--",
    ),
    ("http://xn--xn--a-fsa.\u{df}/", "", Err(("domain-to-ASCII", 7)), "3.3: the same with more behind"),
    ("http://xn--xn---dpa.\u{df}/", "", Ok("http://xn--xn---dpa.xn--zca/"), "3.3: of xn-\u{e9}-"),
    ("http://xn--xn---epa/", "", Ok("http://xn--xn---epa/"), "3.3: ASCII is not looked into"),
    // Percent-decoded before anything else.
    ("http://EX%41mple.com", "", Ok("http://example.com/"), "3.5"),
    ("http://%65xample%2ecom", "", Ok("http://example.com/"), "3.5"),
    ("http://b%C3%BCcher.de", "", Ok("http://xn--bcher-kva.de/"), "3.5"),
    ("http://evil%E3%80%82com", "", Ok("http://evil.com/"), "3.5"),
    (
        "http://%EF%BC%85%EF%BC%94%EF%BC%91.com",
        "",
        Err(("domain-invalid-code-point", 7)),
        "3.5: decoded once",
    ),
    ("http://%2541.com", "", Err(("domain-invalid-code-point", 7)), "3.5: decoded once"),
    ("http://%ff.com", "", Err(("domain-to-ASCII", 7)), "3.5: not UTF-8, and so U+FFFD"),
    ("http://a%zz", "", Err(("domain-invalid-code-point", 8)), "3.5"),
    ("http://a%4", "", Err(("domain-invalid-code-point", 8)), "3.5"),
    ("http://%31%32%37.1", "", Ok("http://127.0.0.1/"), "3.5: an address when decoded"),
    ("http://\u{2460}\u{2461}\u{2466}.0.0.1", "", Ok("http://127.0.0.1/"), "3.5: an address when mapped"),
    ("http://\u{ff11}e\u{ff12}", "", Ok("http://1e2/"), "3.5: none"),
    // Forbidden domain code points. The byte is that in the input, where nothing before it was decoded.
    ("http://a<b/", "", Err(("domain-invalid-code-point", 8)), "3.2"),
    ("http://a b/", "", Err(("domain-invalid-code-point", 8)), "3.2"),
    ("http://a%3Cb/", "", Err(("domain-invalid-code-point", 8)), "3.2"),
    ("http://a%00b/", "", Err(("domain-invalid-code-point", 8)), "3.2"),
    ("http://%41a<b/", "", Err(("domain-invalid-code-point", 7)), "3.2: the host's first byte"),
    ("http://\u{e9}\u{ff1c}b/", "", Err(("domain-invalid-code-point", 7)), "3.2: mapped to `<`"),
    (
        "http://example.com\u{2100}.evil.com/",
        "",
        Err(("domain-invalid-code-point", 7)),
        "3.2: mapped to `a/c`",
    ),
    ("http://u@a|b/", "", Err(("domain-invalid-code-point", 10)), "3.2"),
    ("http://a]b/", "", Err(("domain-invalid-code-point", 8)), "3.2"),
    ("http://a[b]/", "", Err(("domain-invalid-code-point", 8)), "3.2: a bracket is first, or is none"),
];

#[test]
fn domains() {
    check(DOMAINS);
}

/// Forbidden domain code points (3.2): each, and no other in ASCII.
#[test]
fn forbidden_code_points() {
    for byte in 0..=0x7f_u8 {
        let unit = char::from(byte);
        let in_host = matches!(unit, '\0' | '\t' | '\n' | '\r') || " #/:<>?@[\\]^|".contains(unit);
        let in_domain = in_host || unit.is_ascii_control() || unit == '%';
        let expected = match in_domain {
            true => Err(ValidationError::DomainInvalidCodePoint),
            false => Ok(format!("a{}b", unit.to_ascii_lowercase())),
        };
        assert_eq!(domain(&format!("a%{byte:02X}b")), expected, "{unit:?}");
        if matches!(unit, '\t' | '\n' | '\r' | '#' | '/' | ':' | '?' | '@') {
            continue;
        }
        // In an opaque host, as it is.
        let text = format!("a://x{unit}y/");
        let found =
            Url::parse(&text, None).map(|url| url.hostname().to_owned()).map_err(|failure| failure.error);
        let expected = match (in_host, unit.is_ascii_control()) {
            (true, _) => Err(ValidationError::HostInvalidCodePoint),
            (false, true) => Ok(format!("x%{byte:02X}y")),
            (false, false) => Ok(format!("x{unit}y")),
        };
        assert_eq!(found, expected, "{unit:?}");
    }
}

const OPAQUE: &[Row] = &[
    ("a://EXample.com/", "", Ok("a://EXample.com/"), "3.5 opaque-host parser: letters keep their case"),
    ("a://EX%41mple.\u{e9}/", "", Ok("a://EX%41mple.%C3%A9/"), "3.5 opaque-host parser"),
    ("a://%zz%4\"`{}'/", "", Ok("a://%zz%4\"`{}'/"), "3.5 opaque-host parser"),
    ("a://0x7f.1/", "", Ok("a://0x7f.1/"), "3.5: no IPv4 address"),
    ("a://\u{3002}/", "", Ok("a://%E3%80%82/"), "3.5: no IDNA"),
    ("a://x<y/", "", Err(("host-invalid-code-point", 5)), "3.5 opaque-host parser"),
    ("a://x y/", "", Err(("host-invalid-code-point", 5)), "3.5 opaque-host parser"),
    (r"a://x\y/", "", Err(("host-invalid-code-point", 5)), "3.5 opaque-host parser"),
    ("a://x]/", "", Err(("host-invalid-code-point", 5)), "3.5 opaque-host parser"),
    ("a://[::1]/", "", Ok("a://[::1]/"), "3.5: IPv6 in every scheme"),
    ("a://[::FFFF:1.2.3.4]:80/", "", Ok("a://[::ffff:102:304]:80/"), "3.5, 3.6"),
    ("a://[x]/", "", Err(("IPv6-invalid-code-point", 5)), "3.5"),
];

#[test]
fn opaque_hosts() {
    check(OPAQUE);
}

const IPV4: &[Row] = &[
    ("http://1", "", Ok("http://0.0.0.1/"), "3.5 IPv4 parser"),
    ("http://1.2", "", Ok("http://1.0.0.2/"), "3.5 IPv4 parser"),
    ("http://1.2.3", "", Ok("http://1.2.0.3/"), "3.5 IPv4 parser"),
    ("http://1.2.3.4", "", Ok("http://1.2.3.4/"), "3.5 IPv4 parser"),
    ("http://1.2.3.4.", "", Ok("http://1.2.3.4/"), "3.5 IPv4 parser: one dot at the end"),
    ("http://0x1.010.0X0F.", "", Ok("http://1.8.0.15/"), "3.5 IPv4 number parser"),
    ("http://0x.0x.0", "", Ok("http://0.0.0.0/"), "3.5 IPv4 number parser: no digits are zero"),
    ("http://0000000000.00", "", Ok("http://0.0.0.0/"), "3.5 IPv4 number parser"),
    ("http://4294967295", "", Ok("http://255.255.255.255/"), "3.5 IPv4 parser"),
    ("http://255.16777215", "", Ok("http://255.255.255.255/"), "3.5 IPv4 parser"),
    ("http://255.255.65535", "", Ok("http://255.255.255.255/"), "3.5 IPv4 parser"),
    ("http://4294967296", "", Err(("IPv4-out-of-range-part", 7)), "3.5 IPv4 parser"),
    ("http://1.16777216", "", Err(("IPv4-out-of-range-part", 9)), "3.5 IPv4 parser"),
    ("http://1.1.65536", "", Err(("IPv4-out-of-range-part", 11)), "3.5 IPv4 parser"),
    ("http://1.1.1.256", "", Err(("IPv4-out-of-range-part", 13)), "3.5 IPv4 parser"),
    ("http://256.1.1.1", "", Err(("IPv4-out-of-range-part", 7)), "3.5 IPv4 parser"),
    ("http://1.0400.1", "", Err(("IPv4-out-of-range-part", 9)), "3.5 IPv4 parser"),
    ("http://0x100000000000000000000000", "", Err(("IPv4-out-of-range-part", 7)), "3.5 IPv4 parser"),
    ("http://1.2.3.4.5", "", Err(("IPv4-too-many-parts", 7)), "3.5 IPv4 parser"),
    ("http://a.b.c.d.0x5", "", Err(("IPv4-too-many-parts", 7)), "3.5 IPv4 parser"),
    ("http://1..2", "", Err(("IPv4-non-numeric-part", 9)), "3.5 IPv4 parser"),
    ("http://.1", "", Err(("IPv4-non-numeric-part", 7)), "3.5 IPv4 parser"),
    ("http://a.08", "", Err(("IPv4-non-numeric-part", 7)), "3.5 IPv4 parser"),
    (
        "http://1.08",
        "",
        Err(("IPv4-non-numeric-part", 9)),
        "3.5 ends in a number checker: digits, if not octal",
    ),
    ("http://a.0X", "", Err(("IPv4-non-numeric-part", 7)), "3.5 ends in a number checker"),
    ("http://a.0xg", "", Ok("http://a.0xg/"), "3.5 ends in a number checker"),
    ("http://1.2.3.4..", "", Ok("http://1.2.3.4../"), "3.5 ends in a number checker: the last part is empty"),
    ("http://09.a", "", Ok("http://09.a/"), "3.5 ends in a number checker"),
    ("http://1.0xg", "", Ok("http://1.0xg/"), "3.5 ends in a number checker"),
    ("http://1e2", "", Ok("http://1e2/"), "3.5 ends in a number checker"),
    ("http://-1", "", Ok("http://-1/"), "3.5 ends in a number checker"),
    ("http://1.+2", "", Ok("http://1.+2/"), "3.5 ends in a number checker"),
    ("file://0x7f.1/", "", Ok("file://127.0.0.1/"), "3.5: every special scheme"),
    ("http://0x7f.1@h/", "", Ok("http://0x7f.1@h/"), "3.5: the host alone"),
];

#[test]
fn ipv4_addresses() {
    check(IPV4);
}

/// One address, in one to four parts of which each has one of three radixes.
#[test]
fn ipv4_parts_in_three_radixes() {
    let octets = [192_u32, 168, 3, 77];
    let part = |value: u32, radix: usize| match radix {
        0 => format!("{value}"),
        1 => format!("0{value:o}"),
        _ => format!("0x{value:x}"),
    };
    for count in 1..=4 {
        for radixes in 0..3_usize.pow(count as u32) {
            let radix = |place: usize| radixes / 3_usize.pow(place as u32) % 3;
            let mut parts: Vec<_> = (0..count - 1).map(|place| part(octets[place], radix(place))).collect();
            let last = octets[count - 1..].iter().fold(0, |value, octet| value << 8 | octet);
            parts.push(part(last, radix(count - 1)));
            for host in [parts.join("."), parts.join(".") + ".", parts.join("%2E")] {
                assert_eq!(domain(&host).as_deref(), Ok("192.168.3.77"), "{host}");
            }
        }
    }
}

const IPV6: &[Row] = &[
    ("http://[1:2:3:4:5:6:7:8]", "", Ok("http://[1:2:3:4:5:6:7:8]/"), "3.5 IPv6 parser"),
    ("http://[0001:00AB::]", "", Ok("http://[1:ab::]/"), "3.5 IPv6 parser"),
    ("http://[::FFFF:1.2.3.4]", "", Ok("http://[::ffff:102:304]/"), "3.5 IPv6 parser, 3.6"),
    ("http://[1:2:3:4:5:6:1.2.3.4]", "", Ok("http://[1:2:3:4:5:6:102:304]/"), "3.5 IPv6 parser"),
    ("http://[1:2:3:4:5:6:7::]", "", Ok("http://[1:2:3:4:5:6:7:0]/"), "3.5 IPv6 parser: :: for one piece"),
    ("http://[::2:3:4:5:6:7:8]", "", Ok("http://[0:2:3:4:5:6:7:8]/"), "3.5 IPv6 parser: :: for one piece"),
    ("http://[1:2:3::4:5:6:7:8]", "", Err(("IPv6-too-many-pieces", 23)), "3.5 IPv6 parser: :: for none"),
    ("http://[", "", Err(("IPv6-unclosed", 8)), "3.5 host parser"),
    ("http://[::1", "", Err(("IPv6-unclosed", 11)), "3.5 host parser"),
    ("http://[::1]a", "", Err(("IPv6-unclosed", 13)), "3.5 host parser"),
    ("http://[]", "", Err(("IPv6-too-few-pieces", 8)), "3.5 IPv6 parser"),
    ("http://[:]", "", Err(("IPv6-invalid-compression", 8)), "3.5 IPv6 parser"),
    ("http://[:1]", "", Err(("IPv6-invalid-compression", 8)), "3.5 IPv6 parser"),
    ("http://[1:2:3:4:5:6:7:8:9]", "", Err(("IPv6-too-many-pieces", 24)), "3.5 IPv6 parser"),
    ("http://[::1::]", "", Err(("IPv6-multiple-compression", 12)), "3.5 IPv6 parser"),
    ("http://[:::]", "", Err(("IPv6-multiple-compression", 10)), "3.5 IPv6 parser"),
    ("http://[1:2:x]", "", Err(("IPv6-invalid-code-point", 12)), "3.5 IPv6 parser"),
    ("http://[12345::]", "", Err(("IPv6-invalid-code-point", 12)), "3.5 IPv6 parser"),
    ("http://[::1%eth0]", "", Err(("IPv6-invalid-code-point", 11)), "3.5 IPv6 parser: no zone"),
    ("http://[1:]", "", Err(("IPv6-invalid-code-point", 10)), "3.5 IPv6 parser"),
    ("http://[1:2]", "", Err(("IPv6-too-few-pieces", 11)), "3.5 IPv6 parser"),
    ("http://[1:2:3:4:5:6:7:1.2.3.4]", "", Err(("IPv4-in-IPv6-too-many-pieces", 22)), "3.5 IPv6 parser"),
    ("http://[::.1]", "", Err(("IPv4-in-IPv6-invalid-code-point", 10)), "3.5 IPv6 parser"),
    ("http://[::1.2.03.4]", "", Err(("IPv4-in-IPv6-invalid-code-point", 15)), "3.5 IPv6 parser"),
    ("http://[::1..2]", "", Err(("IPv4-in-IPv6-invalid-code-point", 12)), "3.5 IPv6 parser"),
    ("http://[::1.2.3.4.5]", "", Err(("IPv4-in-IPv6-invalid-code-point", 17)), "3.5 IPv6 parser"),
    ("http://[::1.2.3.4:5]", "", Err(("IPv4-in-IPv6-invalid-code-point", 17)), "3.5 IPv6 parser"),
    ("http://[::1.2.3.256]", "", Err(("IPv4-in-IPv6-out-of-range-part", 18)), "3.5 IPv6 parser"),
    ("http://[::1.2.3]", "", Err(("IPv4-in-IPv6-too-few-parts", 15)), "3.5 IPv6 parser"),
    ("http://[v1.a]", "", Err(("IPv6-invalid-code-point", 8)), "3.5: no address of a later version"),
];

#[test]
fn ipv6_addresses() {
    check(IPV6);
}

/// The IPv6 serializer (3.6) compresses the first longest run of zeros, of two at least: every pattern of zeros.
#[test]
fn ipv6_compression() {
    for zeros in 0..=u8::MAX {
        let pieces: [u16; 8] =
            std::array::from_fn(|place| if zeros >> place & 1 == 1 { 0 } else { 0xa + place as u16 });
        let whole = pieces.map(|piece| format!("{piece:04X}")).join(":");
        // The standard library writes addresses alike, but for those that end in an IPv4 address.
        let address = Ipv6Addr::from(pieces);
        assert!(address.to_ipv4_mapped().is_none());
        assert_eq!(domain(&format!("[{whole}]")), Ok(format!("[{address}]")));
        assert_eq!(domain(&format!("[{address}]")), Ok(format!("[{address}]")));
    }
}
