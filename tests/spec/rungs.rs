//! Comparison (RFC 3986 section 6): the rung on which two references are equal, and that each rung is an
//! equivalence relation.

use urimill::compare::{Rung, compare};
use urimill::{Level, Spec, UriRef, normalize};

use crate::mutations::{Random, SHAPES, mutate, seeds};
use crate::shared;

const PAIRS: usize = 500_000;

fn parse(text: &str) -> UriRef<'_> {
    UriRef::parse(text).unwrap_or_else(|reject| panic!("{text:?}: {reject}"))
}

#[test]
#[rustfmt::skip]
fn the_first_rung() {
    // (one, the other, rung, section)
    let table: &[(&str, &str, Rung, &str)] = &[
        ("", "", Rung::Identical, "6.2.1"),
        ("http://a/b?c#d", "http://a/b?c#d", Rung::Identical, "6.2.1"),
        ("HTTP://A/%7e", "HTTP://A/%7e", Rung::Identical, "6.2.1: no normal form is asked for"),
        ("http://www.EXAMPLE.com/", "HTTP://www.example.com/", Rung::Case, "6.2.2.1"),
        ("http://h/%3a", "http://h/%3A", Rung::Case, "6.2.2.1: digits of triplets"),
        ("http://%c3%a9/", "http://%C3%A9/", Rung::Case, "6.2.2.1: in a host"),
        ("http://h/~user", "http://h/%7Euser", Rung::Percent, "6.2.2.2"),
        ("http://h/~user", "http://h/%7euser", Rung::Percent, "6.2.2.2"),
        ("http://a/", "http://%41/", Rung::Percent, "6.2.2.1, 6.2.2.2: a letter of a host"),
        ("example://a/b/c/%7Bfoo%7D", "eXAMPLE://a/./b/../b/%63/%7bfoo%7d", Rung::Syntax, "6.2.2"),
        ("http://h/a", "http://h/%2e/a", Rung::Syntax, "6.2.2.2, 6.2.2.3: %2E is a dot"),
        ("http://h/", "http://h/..", Rung::Syntax, "6.2.2.3"),
        ("/a/../b", "/b", Rung::Syntax, "6.2.2.3: a relative reference from the root"),
        ("http://example.com", "http://example.com/", Rung::Scheme, "6.2.3"),
        ("http://example.com:/", "http://example.com:80/", Rung::Scheme, "6.2.3"),
        ("http://example.com", "HTTP://example.com:0080", Rung::Scheme, "6.2.3"),
        ("file://localhost/etc", "file:///etc", Rung::Scheme, "6.2.3, RFC 8089 2"),
        ("mailto:Joe@Example.COM", "mailto:Joe@example.com", Rung::Scheme, "6.2.3"),
        ("http://[::1]/", "http://[0:0:0:0:0:0:0:1]/", Rung::Scheme, "RFC 5952 4"),
        ("http://h/a", "http://h/A", Rung::Different, "6.2.2.1: case counts in a path"),
        ("mailto:joe@h", "mailto:Joe@h", Rung::Different, "6.2.3: case counts in a mailbox"),
        ("http://h/a%2Fb", "http://h/a/b", Rung::Different, "2.2: an encoded delimiter is data"),
        ("http://h/a!", "http://h/a%21", Rung::Different, "2.2: sub-delims are reserved"),
        ("http://h/", "http://h/?", Rung::Different, "6.2.3: an empty query is not none"),
        ("http://h/", "http://h/#", Rung::Different, "3.5: an empty fragment is not none"),
        ("http://h/#a", "http://h/#b", Rung::Different, "6.1: fragments count, as in all comparisons but for retrieval"),
        ("http://h/a", "https://h/a", Rung::Different, "6.2.3"),
        ("http://h:8080/", "http://h:80/", Rung::Different, "6.2.3"),
        ("amqp://h", "amqp://h/", Rung::Different, "6.2.3: an empty path is the default virtual host"),
        ("foo:a/./b", "foo:a/b", Rung::Syntax, "6.2.2.3: without a root too"),
        ("foo:a/../b", "foo:/b", Rung::Syntax, "5.2.4, C: the slash stays"),
        ("foo:a/../b", "foo:b", Rung::Different, "5.2.4, C"),
        ("file:/a", "file:///a", Rung::Scheme, "3.2.2: no authority is the default host"),
        ("file:/a", "file://localhost/a", Rung::Scheme, "3.2.2"),
        ("file:///a", "file://localhost/a", Rung::Scheme, "3.2.2"),
        ("redis:///0", "redis://localhost/0", Rung::Scheme, "3.2.2"),
        ("http:/a", "http:///a", Rung::Different, "3.2.2: http has no default host"),
        ("//h", "//h/", Rung::Different, "6.2.3: under amqp they differ"),
        ("//h", "//h:", Rung::Scheme, "6.2.3: under every scheme they are equal"),
        ("%2e%2e/..", "../..", Rung::Percent, "2.3: %2E is a dot"),
        ("a/../b", "b", Rung::Different, "5.1: relative paths want their base"),
        ("http://h/a/", "http://h/a", Rung::Different, "6.2.4: protocol-based comparison is not done"),
    ];
    for (a, b, expected, section) in table {
        assert_eq!(compare(&parse(a), &parse(b)), *expected, "{a} and {b} ({section})");
        assert_eq!(compare(&parse(b), &parse(a)), *expected, "{b} and {a} ({section})");
    }
}

#[test]
fn the_rungs_have_an_order_and_stable_names() {
    let names = ["identical", "case", "percent", "syntax", "scheme", "different"];
    assert_eq!(Rung::ALL.map(Rung::as_str), names);
    assert!(Rung::ALL.is_sorted());
    for (rung, name) in Rung::ALL.into_iter().zip(names) {
        assert_eq!(name.parse::<Rung>().ok(), Some(rung));
    }
    assert!("Case".parse::<Rung>().is_err());
    // Equality on a rung: at its own level and those above, as in the table of section 6.2.
    for (i, rung) in Rung::ALL.into_iter().enumerate() {
        for (j, level) in Level::ALL.into_iter().enumerate() {
            assert_eq!(rung.is_equal_at(level), i <= j, "{rung} at {level}");
        }
    }
}

/// Spellings of a reference that are equal to it, each on a rung that is known without normalizing.
fn spellings(text: &str) -> Vec<(String, Rung)> {
    let uri = parse(text);
    let split = uri.split();
    let at = |at: u32| at as usize;
    let mut found = vec![(text.to_owned(), Rung::Identical)];
    let mut add = |spelling: String, rung| {
        if spelling != text {
            found.push((spelling, rung));
        }
    };
    if let Some(scheme) = uri.scheme() {
        add(scheme.to_ascii_uppercase() + &text[scheme.len()..], Rung::Case);
        add(scheme.to_ascii_lowercase() + &text[scheme.len()..], Rung::Case);
    }
    if let Some(host) = uri.host().filter(|host| !host.contains('%')) {
        let with_host =
            |host: &str| [&text[..at(split.host_start)], host, &text[at(split.host_end)..]].concat();
        add(with_host(&host.to_ascii_uppercase()), Rung::Case);
    }
    // An unreserved character of the path that is not part of a triplet, dot segment or mail address.
    let path = uri.path();
    if !path.contains('%')
        && let Some(letter) = path.bytes().position(|byte| byte.is_ascii_alphanumeric() || byte == b'~')
    {
        let (before, behind) = text.split_at(at(split.path_start) + letter);
        add(format!("{before}%{:02X}{}", behind.as_bytes()[0], &behind[1..]), Rung::Percent);
    }
    if path.starts_with('/') {
        let (before, behind) = text.split_at(at(split.path_start));
        add(format!("{before}/.{behind}"), Rung::Syntax);
        add(format!("{before}/x/..{behind}"), Rung::Syntax);
    }
    let default = [("http", ":80"), ("https", ":443"), ("ftp", ":21")];
    let default = default.iter().find(|(scheme, _)| uri.scheme() == Some(scheme));
    if let (Some((_, port)), None) = (default, uri.port()) {
        let (before, behind) = text.split_at(at(split.path_start));
        add(format!("{before}{port}{behind}"), Rung::Scheme);
        add(format!("{before}:{behind}"), Rung::Scheme);
    }
    found
}

/// Real URIs with other spellings of each and one different URI: on each rung equality is reflexive, symmetric and
/// transitive, and no spelling is farther from the original than its rung.
#[test]
fn each_rung_is_an_equivalence_relation() {
    let real = shared::corpora().unwrap_or_default();
    let real = real.iter().step_by(40).filter_map(|text| std::str::from_utf8(text).ok());
    let texts: Vec<&str> =
        SHAPES.iter().copied().chain(real).filter(|text| UriRef::parse(*text).is_ok()).collect();
    let mut seen = [0; 6];
    for (number, text) in texts.iter().enumerate() {
        let mut group = spellings(text);
        let other = texts[(number + 1) % texts.len()];
        for (spelling, expected) in &group {
            let rung = compare(&parse(text), &parse(spelling));
            assert_eq!(rung, *expected, "{text} and {spelling}");
            seen[rung as usize] += 1;
        }
        group.push((other.to_owned(), Rung::Different));
        let uris: Vec<UriRef> = group.iter().map(|(spelling, _)| parse(spelling)).collect();
        let rungs: Vec<Vec<Rung>> =
            uris.iter().map(|a| uris.iter().map(|b| compare(a, b)).collect()).collect();
        for a in 0..uris.len() {
            assert_eq!(rungs[a][a], Rung::Identical, "reflexive: {}", uris[a]);
            for b in 0..uris.len() {
                assert_eq!(rungs[a][b], rungs[b][a], "symmetric: {} and {}", uris[a], uris[b]);
                for c in 0..uris.len() {
                    // Equal to b on one rung, and that to c on another: equal to c on the higher one.
                    let way = rungs[a][b].max(rungs[b][c]);
                    assert!(rungs[a][c] <= way, "transitive: {}, {}, {}", uris[a], uris[b], uris[c]);
                }
            }
        }
    }
    assert!(seen.iter().take(5).all(|&count| count > 20), "some rung is hardly tested: {seen:?}");
}

/// Writes something in another way that may mean the same: a letter in the other case, a byte as a triplet, dot
/// segments after a slash, a port, a slash at the end.
fn respell(text: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(text.len().min(40) + 1);
    match random.below(5) {
        0 if at < text.len() && text[at].is_ascii_uppercase() => text[at].make_ascii_lowercase(),
        0 if at < text.len() => text[at].make_ascii_uppercase(),
        1 if at < text.len() => {
            let triplet = match random.below(2) {
                0 => format!("%{:02x}", text[at]),
                _ => format!("%{:02X}", text[at]),
            };
            drop(text.splice(at..=at, triplet.bytes()));
        }
        2 if text.get(at) == Some(&b'/') => {
            let dots: &[u8] = [&b"/."[..], b"/x/..", b"/%2e"][random.below(3)];
            drop(text.splice(at..at, dots.iter().copied()));
        }
        3 if text.get(at) == Some(&b'/') => {
            let port: &[u8] = [&b":"[..], b":80", b":443"][random.below(3)];
            drop(text.splice(at..at, port.iter().copied()));
        }
        4 if text.last() == Some(&b'/') => drop(text.pop()),
        4 => text.push(b'/'),
        _ => {}
    }
}

/// References that are spelled differently in one to four places: the rung is the lowest level whose normal
/// forms are equal, and they are equal at every level above it.
#[test]
fn the_rung_is_the_lowest_level_with_equal_normal_forms() {
    let seeds = seeds();
    let mut random = Random(0xC0117A2E);
    let (mut a, mut b, mut seen) = (Vec::new(), Vec::new(), [[0; 6]; 3]);
    for number in 0..PAIRS {
        match random.below(2) {
            0 => mutate(&seeds, &mut random, &mut a),
            _ => a.clone_from(&seeds[random.below(seeds.len())]),
        }
        b.clone_from(&a);
        (0..=random.below(4)).for_each(|_| respell(&mut b, &mut random));
        let spec = Spec::ALL[number % 3];
        let (Ok(a), Ok(b)) = (UriRef::parse_as(&a, spec), UriRef::parse_as(&b, spec)) else { continue };
        let rung = compare(&a, &b);
        for level in Level::ALL {
            let equal = normalize(&a, level) == normalize(&b, level);
            assert_eq!(rung.is_equal_at(level), equal, "{a} and {b} at {level} by {spec}: {rung}");
        }
        seen[number % 3][rung as usize] += 1;
    }
    // By RFC 2396 removing dot segments alone makes nothing equal.
    let hardly = seen.iter().flatten().filter(|&&count| count < 80).count();
    assert!(hardly == 1 && seen[2][Rung::Syntax as usize] == 0, "some rung is hardly tested: {seen:?}");
}

/// Each specification compares by its own rules.
#[test]
#[rustfmt::skip]
fn references_are_compared_by_their_own_specification() {
    use Rung::{Case, Different, Percent, Scheme, Syntax};
    // (one, the other, rungs by RFC 3986, its errata, RFC 2396, section)
    let table: &[(&str, &str, [Rung; 3], &str)] = &[
        ("http://a/", "HTTP://A:80/", [Scheme; 3], "RFC 2396 6-3: default ports and case"),
        ("http://a/x", "http://a/y", [Different; 3], "6.1"),
        ("http://a/!", "http://a/%21", [Different, Different, Percent], "D.2: marks are reserved now"),
        ("http://a/b/../c", "http://a/c", [Syntax, Syntax, Different], "RFC 2396 5.2: dots are for relative paths"),
        ("http://a", "http://a/", [Scheme, Scheme, Different], "6.2.3"),
        ("http://u@a_b:80/", "http://u@A_b:80/", [Case, Case, Different], "RFC 2396 3.2.1: a registry's name keeps its case"),
        ("%2e%2e/g", "../g", [Percent; 3], "2.3, RFC 2396 2.3"),
        ("//h", "//h/", [Different; 3], "6.2.3: no scheme says that they are equal"),
        ("file:/a", "file:///a", [Scheme, Scheme, Different], "3.2.2; RFC 2396 6 has ports alone"),
        ("foo:a/./b", "foo:a/b", [Syntax, Syntax, Different], "6.2.2.3; RFC 2396 3: an opaque part"),
    ];
    for (a, b, expected, section) in table {
        for (spec, expected) in Spec::ALL.into_iter().zip(expected) {
            let parse = |text| UriRef::parse_as(text, spec).unwrap_or_else(|reject| panic!("{text}: {reject}"));
            assert_eq!(compare(&parse(a), &parse(b)), *expected, "{a} and {b} by {spec} ({section})");
        }
    }
}
