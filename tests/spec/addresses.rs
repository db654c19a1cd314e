//! All shapes of IP addresses, right and wrong: validity by counting and by value, which checks the
//! oracle too.

use urimill::{HostKind, UriRef};

use crate::compare::compare;
use crate::exhaustive::Tally;
use crate::oracle::oracle;

fn host_kind(text: &str) -> Option<HostKind> {
    UriRef::parse(text).ok().and_then(|uri| uri.host_kind())
}

/// urimill, the oracle, and the expectation of the table must be one.
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

/// What is no IPv4address is a reg-name: first match wins.
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

/// Each of the nine lines of IPv6address: so many groups before and behind `::`, or eight without one, with
/// and without an embedded IPv4address at the end, which counts as two.
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
