//! All shapes of IP addresses, right and wrong: validity by counting and by value, which checks the oracle too.

use std::net::Ipv4Addr;

use urimill::{HostKind, UriRef};

use crate::compare::compare;
use crate::exhaustive::Tally;
use crate::oracle::oracle;

fn host_kind(text: &str) -> Option<HostKind> {
    UriRef::parse(text).ok().and_then(|uri| uri.host_kind())
}

/// urimill, the oracle, and the expectation of the table must agree.
fn check_ipv6(address: &str, valid: bool, tally: &mut Tally) {
    tally.expect(valid, oracle().ipv6.matches(address), address, "3.2.2: IPv6address, by the oracle");
    let expected = valid.then_some(HostKind::Ipv6);
    let shapes = [
        (format!("//[{address}]"), expected),
        (format!("http://u@[{address}]:80/p?q#f"), expected),
        (format!("//[{address}"), None),
    ];
    for (text, expected) in shapes {
        tally.expect(expected, host_kind(&text), &text, "3.2.2: IPv6address");
        tally.add(compare(text.as_bytes()));
    }
}

/// A host that is not an IPv4address is a reg-name: first match wins.
fn check_ipv4(address: &str, valid: bool, tally: &mut Tally) {
    tally.expect(valid, oracle().ipv4.matches(address), address, "3.2.2: IPv4address, by the oracle");
    for text in [format!("//{address}"), format!("http://{address}:8080/")] {
        let is_ipv4 = host_kind(&text).map(|kind| kind == HostKind::Ipv4);
        tally.expect(Some(valid), is_ipv4, &text, "3.2.2: IPv4address");
        tally.add(compare(text.as_bytes()));
    }
}

/// `count` groups joined by colons.
fn groups(count: usize, group: &str) -> String {
    vec![group; count].join(":")
}

/// Each of the nine lines of IPv6address: a number of groups before and after `::`, or eight without it, with and
/// without an embedded IPv4address at the end, which counts as two.
#[test]
fn ipv6_by_counting_groups() {
    let mut tally = Tally::default();
    for (group, group_fits) in [("0", true), ("aF09", true), ("12", true), ("12345", false), ("g", false)] {
        for (ipv4, ipv4_groups) in [("", 0), ("192.0.2.33", 2)] {
            for behind in 0..=9 {
                let texts = [groups(behind, group), ipv4.to_owned()];
                let tail =
                    texts.iter().filter(|text| !text.is_empty()).cloned().collect::<Vec<_>>().join(":");
                let fits = |groups: usize| group_fits || groups == 0;
                check_ipv6(&tail, behind + ipv4_groups == 8 && fits(behind), &mut tally);
                for before in 0..=9 {
                    let address = format!("{}::{tail}", groups(before, group));
                    let valid = before + behind + ipv4_groups <= 7 && fits(before + behind);
                    check_ipv6(&address, valid, &mut tally);
                }
            }
        }
    }
    tally.finish(1_000);
}

/// An IPv4address anywhere but at the end, two gaps, a colon too many.
#[test]
fn ipv6_misshapen() {
    let mut tally = Tally::default();
    for count in 1..=8 {
        for at in 0..count {
            let mut parts = vec!["1"; count];
            parts[at] = "1.2.3.4";
            let (address, is_last) = (parts.join(":"), at + 1 == count);
            check_ipv6(&address, is_last && count == 7, &mut tally);
            check_ipv6(&format!("::{address}"), is_last && count <= 6, &mut tally);
            check_ipv6(&format!("{address}::"), false, &mut tally);
        }
        let address = groups(count, "1");
        for bad in ["A:", ":A", "::A::", "1:::A", "A:::1", "1::A::1", "A:1.2.3", "A: 1", "A:::"] {
            check_ipv6(&bad.replace('A', &address), false, &mut tally);
        }
    }
    for bad in [
        "",
        ":",
        ":::",
        "::.1.2.3",
        "::1.2..4",
        "::1.2.3.",
        "::1.2.3.4.5",
        "::%25a",
        "fe80::1%a",
        " ::",
        "[::]",
    ] {
        check_ipv6(bad, false, &mut tally);
    }
    tally.finish(100);
}

/// dec-octet from 0 to 999, plain and with leading zeros, at each place, alone and embedded.
#[test]
fn octets_by_value() {
    let mut tally = Tally::default();
    for octet in 0..=999 {
        for width in 1..=4 {
            let text = format!("{octet:0width$}");
            let valid = octet <= 255 && text == octet.to_string();
            for at in 0..4 {
                let mut octets = ["255", "0", "10", "9"];
                octets[at] = &text;
                let address = octets.join(".");
                check_ipv4(&address, valid, &mut tally);
                check_ipv6(&format!("::{address}"), valid, &mut tally);
                check_ipv6(&format!("1:2:3:4:5:6:{address}"), valid, &mut tally);
            }
        }
    }
    tally.finish(100_000);
}

#[test]
fn ipv4_misshapen() {
    let mut tally = Tally::default();
    let table = [
        "1",
        "1.2",
        "1.2.3",
        "1.2.3.",
        ".1.2.3",
        "1..3.4",
        "1.2.3.4.",
        "1.2.3.4.5",
        "1.2.3.4a",
        "1.2.3.-4",
        "0x7f.0.0.1",
        "1,2,3,4",
        "1.2.3.%34",
    ];
    for address in table {
        check_ipv4(address, false, &mut tally);
    }
    tally.finish(table.len());
}

#[test]
fn ipvfuture() {
    let mut tally = Tally::default();
    let versions = [
        ("v1", true),
        ("VF", true),
        ("v09aF", true),
        ("v", false),
        ("vg", false),
        ("g1", false),
        ("v-1", false),
    ];
    let addresses = [
        ("a", true),
        (":", true),
        ("~!$&'()*+,;=:", true),
        ("::1", true),
        ("", false),
        ("%41", false),
        ("@", false),
        ("a]", false),
    ];
    for (version, version_fits) in versions {
        for (address, address_fits) in addresses {
            for (dot, dot_fits) in [(".", true), ("", false)] {
                let text = format!("//[{version}{dot}{address}]");
                let expected = (version_fits && address_fits && dot_fits).then_some(HostKind::IpvFuture);
                tally.expect(expected, host_kind(&text), &text, "3.2.2: IPvFuture");
                tally.add(compare(text.as_bytes()));
            }
        }
    }
    tally.finish(200);
}

fn host_address(host: &str) -> Option<String> {
    let text = format!("http://u@{host}:80/");
    let uri = UriRef::parse(&text).unwrap_or_else(|reject| panic!("{text}: {reject}"));
    uri.host_address().map(|address| address.to_string())
}

/// The address of a host: literals, and the rare forms of IPv4 by the rules of `inet_aton`.
#[test]
#[rustfmt::skip]
fn addresses_that_hosts_mean() {
    let table: &[(&str, Option<&str>, &str)] = &[
        ("192.0.2.1", Some("192.0.2.1"), "3.2.2"),
        ("255.255.255.255", Some("255.255.255.255"), "3.2.2"),
        ("[::1]", Some("::1"), "3.2.2"),
        ("[2001:DB8:0:0:1:0:0:1]", Some("2001:db8::1:0:0:1"), "RFC 5952 4.2.3"),
        ("[0:0:0:0:0:0:0:0]", Some("::"), "RFC 5952 4.2.1"),
        ("[::FFFF:192.0.2.33]", Some("::ffff:192.0.2.33"), "RFC 5952 5: IPv4-mapped stays IPv6"),
        ("[::ffff:c000:0221]", Some("::ffff:192.0.2.33"), "RFC 5952 5"),
        ("[::192.0.2.33]", Some("::c000:221"), "RFC 4291 2.5.5.1: IPv4-compatible is deprecated"),
        ("127.1", Some("127.0.0.1"), "7.4: the last of two numbers is three bytes"),
        ("127.65537", Some("127.1.0.1"), "7.4"),
        ("127.0.1", Some("127.0.0.1"), "7.4: the last of three is two bytes"),
        ("10.1.65535", Some("10.1.255.255"), "7.4"),
        ("2130706433", Some("127.0.0.1"), "7.4: one number is all four"),
        ("4294967295", Some("255.255.255.255"), "7.4"),
        ("0", Some("0.0.0.0"), "7.4"),
        ("0x7f000001", Some("127.0.0.1"), "7.4: hexadecimal"),
        ("0X7F.1", Some("127.0.0.1"), "7.4: in either case"),
        ("1.0xff", Some("1.0.0.255"), "7.4: a domain name by its letters"),
        ("0177.0.0.01", Some("127.0.0.1"), "7.4: octal"),
        ("017700000001", Some("127.0.0.1"), "7.4: octal"),
        ("010.0x10.16", Some("8.16.0.16"), "7.4: each number has its own base"),
        ("00000000000000000000000000300.0.2.1", Some("192.0.2.1"), "7.4: leading zeros"),
        ("0x00000000000000000000000c0.0.2.1", Some("192.0.2.1"), "7.4: leading zeros"),
        ("192.0.2.1.", Some("192.0.2.1"), "7.4: a trailing dot"),
        ("127.1.", Some("127.0.0.1"), "7.4: a trailing dot"),
        ("0x", Some("0.0.0.0"), "7.4: as browsers have it"),
        ("256.1.1.1", None, "7.4: does not fit a byte"),
        ("1.2.3.256", None, "7.4"),
        ("1.2.65536", None, "7.4: does not fit two"),
        ("1.16777216", None, "7.4: does not fit three"),
        ("4294967296", None, "7.4: does not fit four"),
        ("0x100000000", None, "7.4"),
        ("040000000000", None, "7.4"),
        ("99999999999999999999999999999999999999999", None, "7.4: does not wrap"),
        ("08.1.1.1", None, "7.4: neither octal nor decimal"),
        ("1.2.3.09", None, "7.4"),
        ("1.2.3.4.5", None, "7.4: five numbers"),
        ("1..2", None, "7.4"),
        ("0xg", None, "7.4"),
        ("127.1..", None, "7.4"),
        ("1%2E2", None, "7.4: a triplet hides it until it is decoded"),
        ("example.com", None, "3.2.2"),
        ("1.2.3.4.example", None, "3.2.2"),
        ("[v1.a]", None, "3.2.2: nobody knows what it means"),
        ("", None, "3.2.2"),
    ];
    for (host, expected, section) in table {
        assert_eq!(host_address(host).as_deref(), *expected, "{host} ({section})");
    }
    assert_eq!(UriRef::parse("mailto:a@127.0.0.1").map(|uri| uri.host_address()), Ok(None), "no authority");
}

/// Rare forms compared with the URL Standard, which specifies them completely.
#[test]
fn rare_forms_as_browsers_read_them() {
    const NUMBERS: [&str; 18] = [
        "0",
        "1",
        "7",
        "127",
        "255",
        "256",
        "65535",
        "65536",
        "16777216",
        "4294967295",
        "4294967296",
        "0x",
        "0xfF",
        "0x100",
        "0377",
        "0400",
        "08",
        "00000000000",
    ];
    let mut tally = Tally::default();
    let mut check = |host: &str| {
        let expected = url::Url::parse(&format!("http://{host}/")).ok().map(|url| match url.host() {
            Some(url::Host::Ipv4(address)) => address,
            other => panic!("{host}: {other:?}"),
        });
        let found = host_address(host).map(|text| text.parse::<Ipv4Addr>().expect("an IPv4 address"));
        tally.expect(expected, found, host, "7.4");
    };
    for a in NUMBERS {
        check(a);
        for b in NUMBERS {
            check(&format!("{a}.{b}"));
            check(&format!("{a}.{b}."));
            for c in NUMBERS {
                check(&format!("{a}.{b}.{c}"));
                check(&format!("{c}.0.{b}.{a}"));
            }
        }
    }
    tally.finish(10_000);
}
