//! urimill against the oracle on every short string over an alphabet rich in delimiters, and on all shapes of addresses.

use urimill::{HostKind, UriRef};

use crate::oracle::{compare, oracle};

/// Each delimiter, each role that a letter or digit can have (scheme, hexadecimal, IPvFuture, either case), what no component
/// allows, and the two bytes of an `é`, alone and together.
const ALPHABET: &[u8] = b":/?#@[]%.a1AfgvV-+!\\\xC3\xA9";
const LONGEST: usize = 4;

/// Contexts that strings so short do not reach by themselves.
const BEFORE: &[&[u8]] = &[
    b"", b"http://", b"//", b"//[", b"//[::", b"//[v1.", b"//a@", b"//a:", b"//[::1]", b"a:", b"a%", b"a:/",
    b"a?", b"a#",
];

/// Calls `visit` with `text` and all its extensions by at most `more` bytes.
fn each_extension(text: &mut Vec<u8>, more: usize, visit: &mut impl FnMut(&[u8])) {
    visit(text);
    if more > 0 {
        for &byte in ALPHABET {
            text.push(byte);
            each_extension(text, more - 1, visit);
            text.pop();
        }
    }
}

/// Fails with the first differences; thousands would say no more.
fn report(differences: &[String], checked: usize) {
    let shown: Vec<&str> = differences.iter().take(20).map(String::as_str).collect();
    assert!(differences.is_empty(), "{} of {checked} differ:\n{}", differences.len(), shown.join("\n"));
}

#[test]
fn every_short_string() {
    let (mut differences, mut checked) = (Vec::new(), 0);
    for before in BEFORE {
        // A shorter extension behind a context is as telling, and fourteen contexts are many.
        let more = if before.is_empty() { LONGEST } else { LONGEST - 1 };
        let mut visit = |text: &[u8]| {
            checked += 1;
            differences.extend(compare(text).err());
        };
        each_extension(&mut before.to_vec(), more, &mut visit);
    }
    for before in [&b"http://"[..], b"//[::", b"//a@", b"a:"] {
        each_extension(&mut before.to_vec(), LONGEST, &mut |text| {
            checked += 1;
            differences.extend(compare(text).err());
        });
    }
    assert!(checked > 1_000_000, "only {checked} strings");
    report(&differences, checked);
}

/// fluent-uri reads the same grammar: where the oracle and it agree on validity, neither misread Appendix A.
#[test]
fn the_oracle_agrees_with_fluent_uri() {
    let (mut differences, mut checked) = (Vec::new(), 0);
    for before in BEFORE {
        each_extension(&mut before.to_vec(), LONGEST - 1, &mut |text| {
            let Ok(text) = std::str::from_utf8(text) else { return };
            checked += 1;
            let peer = fluent_uri::UriRef::parse(text);
            match (oracle().answer(text.as_bytes()), peer) {
                (Ok(parts), Ok(peer)) => {
                    let theirs = (
                        peer.scheme().map(|s| s.as_str()),
                        peer.authority().map(|a| a.as_str()),
                        peer.authority().and_then(|a| a.userinfo().map(|u| u.as_str())),
                        peer.authority().map(|a| a.host()),
                        peer.authority().and_then(|a| a.port().map(|p| p.as_str())),
                        peer.path().as_str(),
                        peer.query().map(|q| q.as_str()),
                        peer.fragment().map(|f| f.as_str()),
                    );
                    let ours = (
                        parts.scheme,
                        parts.authority,
                        parts.userinfo,
                        parts.host,
                        parts.port,
                        parts.path,
                        parts.query,
                        parts.fragment,
                    );
                    if ours != theirs {
                        differences.push(format!("{text:?}: {ours:?}, fluent-uri {theirs:?}"));
                    }
                }
                (Err(_), Err(_)) => {}
                (ours, theirs) => {
                    differences.push(format!("{text:?}: {ours:?}, fluent-uri {:?}", theirs.is_ok()))
                }
            }
        });
    }
    report(&differences, checked);
}

/// `count` groups joined by colons.
fn groups(count: usize, group: &str) -> String {
    vec![group; count].join(":")
}

/// Each of the nine lines of IPv6address: so many groups before and behind `::` (or none at all), with and without an
/// embedded IPv4address at the end, which counts as two. Validity by counting, not by grammar.
#[test]
fn ipv6_by_counting_groups() {
    let (mut differences, mut checked) = (Vec::new(), 0);
    for (group, group_fits) in [("0", true), ("aF09", true), ("12", true), ("12345", false), ("g", false)] {
        for (tail, tail_groups) in [(None, 0), (Some("192.0.2.33"), 2)] {
            for before in 0..=9 {
                for behind in 0..=9_usize {
                    for compressed in [false, true] {
                        if !compressed && before > 0 {
                            continue;
                        }
                        let mut last: Vec<String> = vec![groups(behind, group)];
                        last.retain(|text| !text.is_empty());
                        last.extend(tail.map(str::to_owned));
                        let gap = if compressed { "::" } else { "" };
                        let address = format!("{}{gap}{}", groups(before, group), last.join(":"));
                        let total = before + behind + tail_groups;
                        let count_fits = if compressed { total <= 7 } else { total == 8 };
                        let valid = count_fits && (group_fits || before + behind == 0);
                        checked += 1;
                        check_ipv6(&address, valid, &mut differences);
                    }
                }
            }
        }
    }
    report(&differences, checked);
}

/// An IPv4address anywhere but at the end, two gaps, a colon too many, an octet that is none.
#[test]
fn ipv6_misshapen() {
    let mut differences = Vec::new();
    for count in 1..=8 {
        for at in 0..count {
            let mut parts = vec!["1"; count];
            parts[at] = "1.2.3.4";
            let valid = at + 1 == count && count == 7;
            check_ipv6(&parts.join(":"), valid, &mut differences);
            check_ipv6(&format!("::{}", parts.join(":")), at + 1 == count && count <= 6, &mut differences);
            check_ipv6(&format!("{}::", parts.join(":")), false, &mut differences);
        }
        let address = groups(count, "1");
        for bad in
            [format!("{address}:"), format!(":{address}"), format!("::{address}::"), format!("1:::{address}")]
        {
            check_ipv6(&bad, false, &mut differences);
        }
    }
    for octet in 0..=999 {
        for (text, canonical) in [(format!("{octet}"), true), (format!("0{octet}"), false)] {
            let fits = canonical && octet <= 255;
            for at in 0..4 {
                let mut octets = ["1"; 4];
                octets[at] = &text;
                check_ipv6(&format!("::{}", octets.join(".")), fits, &mut differences);
                check_ipv6(&format!("1:2:3:4:5:6:{}", octets.join(".")), fits, &mut differences);
            }
        }
    }
    for bad in [
        "::1.2.3",
        "::1.2.3.",
        "::1.2.3.4.5",
        "::.1.2.3",
        "::1.2..4",
        "",
        ":",
        ":::",
        "::%25a",
        "fe80::1%a",
        " ::",
    ] {
        check_ipv6(bad, false, &mut differences);
    }
    report(&differences, 0);
}

/// urimill, the oracle, and the expectation of the table must be one.
fn check_ipv6(address: &str, valid: bool, differences: &mut Vec<String>) {
    if oracle().ipv6.matches(address) != valid {
        differences.push(format!("the oracle is wrong about {address:?}, which is valid: {valid} (3.2.2)"));
    }
    for text in [format!("//[{address}]"), format!("http://u@[{address}]:80/p?q#f"), format!("//[{address}")]
    {
        differences.extend(compare(text.as_bytes()).err());
        let kind = UriRef::parse(&text).ok().and_then(|uri| uri.host_kind());
        let expected = (valid && text.contains(']')).then_some(HostKind::Ipv6);
        if kind != expected {
            differences.push(format!("{text:?}: host kind {expected:?} expected, got {kind:?} (3.2.2)"));
        }
    }
}

/// dec-octet 0 to 999, plain and with leading zeros, at each place: IPv4 where all four fit, else a reg-name (first match wins).
#[test]
fn ipv4_by_value() {
    let (mut differences, mut checked) = (Vec::new(), 0);
    for octet in 0..=999 {
        for width in 1..=4 {
            let text = format!("{octet:0width$}");
            let fits = octet <= 255 && text == octet.to_string();
            for at in 0..4 {
                let mut octets = ["255", "0", "10", "9"];
                octets[at] = &text;
                let address = octets.join(".");
                checked += 1;
                check_ipv4(&address, fits, &mut differences);
            }
        }
    }
    for not_ipv4 in [
        "1.2.3",
        "1.2.3.4.5",
        "1.2.3.4.",
        "1..3.4",
        ".1.2.3",
        "1.2.3.",
        "1",
        "0x7f.0.0.1",
        "1.2.3.4a",
        "1.2.3.-4",
    ] {
        check_ipv4(not_ipv4, false, &mut differences);
    }
    report(&differences, checked);
}

fn check_ipv4(address: &str, valid: bool, differences: &mut Vec<String>) {
    if oracle().ipv4.matches(address) != valid {
        differences.push(format!("the oracle is wrong about {address:?}, which is IPv4: {valid} (3.2.2)"));
    }
    for text in [format!("//{address}"), format!("http://{address}:8080/")] {
        differences.extend(compare(text.as_bytes()).err());
        let got = UriRef::parse(&text).ok().and_then(|uri| uri.host_kind());
        if got.map(|kind| kind == HostKind::Ipv4) != Some(valid) {
            differences.push(format!("{text:?}: IPv4 {valid} expected, got {got:?} (3.2.2)"));
        }
    }
}

#[test]
fn ipvfuture() {
    let mut differences = Vec::new();
    let versions = [
        ("v1", true),
        ("VF", true),
        ("v09aF", true),
        ("v", false),
        ("vg", false),
        ("1", false),
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
            for dot in [".", ""] {
                let text = format!("//[{version}{dot}{address}]");
                differences.extend(compare(text.as_bytes()).err());
                let kind = UriRef::parse(&text).ok().and_then(|uri| uri.host_kind());
                let valid = version_fits && address_fits && dot == ".";
                if kind != valid.then_some(HostKind::IpvFuture) {
                    differences.push(format!("{text:?}: IPvFuture {valid} expected, got {kind:?} (3.2.2)"));
                }
            }
        }
    }
    report(&differences, 0);
}
