//! The generator: deterministic, and as its `--help` describes it.

use std::collections::{HashMap, HashSet};

use fluent_uri::{Uri, UriRef};

use crate::dataset;
use crate::model::{DIRT, INVALID, MEAN_LENGTH, MEAN_RUN, Model, OCTAVES, SHAPE, total_share};

/// Enough lines for a share of 0.01 % to be a hundred of them.
const ROWS: usize = 1_000_000;

fn list(rows: usize, seed: u64, dirt: f64) -> Vec<u8> {
    let mut model = Model::new(seed, dirt).expect("the factor is in range");
    let mut text = Vec::new();
    (0..rows).for_each(|_| model.write_line(&mut text));
    text
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.strip_suffix(b"\n").expect("every line has its newline").split(|&byte| byte == b'\n').collect()
}

/// Scheme, authority, path, query and fragment by Appendix B of RFC 3986, for valid and invalid lines.
struct Parts<'a> {
    scheme: Option<&'a str>,
    authority: Option<&'a str>,
    path: &'a str,
    query: Option<&'a str>,
    fragment: Option<&'a str>,
}

fn split(line: &str) -> Parts<'_> {
    let (rest, fragment) = line.split_once('#').map_or((line, None), |(rest, part)| (rest, Some(part)));
    let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, part)| (rest, Some(part)));
    let (scheme, rest) = match rest.split_once(':') {
        Some((scheme, behind)) if !scheme.contains('/') => (Some(scheme), behind),
        _ => (None, rest),
    };
    let (authority, path) = match rest.strip_prefix("//") {
        Some(behind) => {
            let (authority, path) = behind.split_at(behind.find('/').unwrap_or(behind.len()));
            (Some(authority), path)
        }
        None => (None, rest),
    };
    Parts { scheme, authority, path, query, fragment }
}

/// Each `%` with the two characters after it.
fn triplets(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices('%').filter_map(|(at, _)| line.get(at..at + 3))
}

fn stands_for_unreserved(triplet: &str) -> bool {
    u8::from_str_radix(&triplet[1..], 16)
        .is_ok_and(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
}

/// Whether a line has the property of this share of `--help`. `None` if the name is unknown.
fn has(name: &str, line: &str) -> Option<bool> {
    let Parts { scheme, authority, path, query, fragment } = split(line);
    let host_and_port = authority.map_or("", |text| text.rsplit_once('@').map_or(text, |(_, host)| host));
    let host = match host_and_port.rsplit_once(':') {
        Some((host, _)) if !host_and_port.ends_with(']') => host,
        _ => host_and_port,
    };
    Some(match name {
        "https (the others http)" => scheme.is_some_and(|text| text.eq_ignore_ascii_case("https")),
        "host begins with www." => host.to_ascii_lowercase().starts_with("www."),
        "path is /" => path == "/" && query.is_none() && fragment.is_none(),
        "query" => query.is_some_and(|text| !text.is_empty()),
        "fragment" => fragment.is_some_and(|text| !text.is_empty()),
        "percent-encoded triplets" => line.contains('%'),
        "empty path segment //" => path.contains("//"),
        "empty query" => query == Some(""),
        "empty fragment" => fragment == Some(""),
        "authority with an empty path" => authority.is_some() && path.is_empty(),
        "triplet of an unreserved character" => triplets(line).any(stands_for_unreserved),
        "upper case in the host" => {
            host.contains(|letter: char| letter.is_ascii_uppercase())
                && !host.contains('%')
                && !host.starts_with('[')
        }
        "lower-case hexadecimal digits" => {
            triplets(line).any(|text| text.contains(|digit: char| digit.is_ascii_lowercase()))
        }
        "port (half of them the default one)" => host_and_port.len() > host.len(),
        "upper case in the scheme" => {
            scheme.is_some_and(|text| text.contains(|letter: char| letter.is_ascii_uppercase()))
        }
        "userinfo" => authority.is_some_and(|text| text.contains('@')),
        "dot segments" => path.split('/').any(|segment| matches!(segment, "." | ".." | "%2E%2E")),
        "IPv4 or IPv6 address as host" => {
            !host.is_empty()
                && (host.starts_with('[') || host.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit()))
        }
        "punycode or percent-encoded host" => host.contains("xn--") || host.contains('%'),
        "other scheme (ftp, mailto, urn, dns, …)" => {
            scheme.is_some_and(|text| !matches!(&*text.to_ascii_lowercase(), "http" | "https"))
        }
        "relative reference" => scheme.is_none(),
        _ => return None,
    })
}

/// Whether `count` of `rows` is within four standard deviations and a twentieth of the stated share. The twentieth is
/// for contributions of other parts: a dirty line may have a triplet, too.
fn is_near(count: usize, rows: usize, per_million: u32) -> bool {
    let expected = rows as f64 * f64::from(per_million) / 1e6;
    (count as f64 - expected).abs() <= 4.0 * expected.sqrt() + expected / 20.0
}

/// A change here invalidates every figure that was measured on a generated list: the bytes for a seed must not change.
#[test]
fn a_seed_gives_the_same_bytes_always() {
    let (made, kept) = (list(1000, 1, 1.0), dataset("sample.txt"));
    for (number, (made, kept)) in (1..).zip(lines(&made).iter().zip(lines(&kept))) {
        let [made, kept] = [made, kept].map(|line| line.escape_ascii().to_string());
        assert_eq!(made, kept, "line {number}: sample.txt is `--rows 1000 --seed 1`");
    }
    assert_eq!(made.len(), kept.len());
    assert!(list(5000, 9, 2.0) == list(5000, 9, 2.0));
    assert!(list(5000, 9, 1.0).starts_with(&list(100, 9, 1.0)), "more rows only add rows");
}

#[test]
fn another_seed_gives_another_list() {
    let (one, two) = (list(1000, 1, 1.0), list(1000, 2, 1.0));
    let ones: HashSet<&[u8]> = lines(&one).into_iter().collect();
    assert_eq!(lines(&two).iter().filter(|line| ones.contains(*line)).count(), 0);
}

#[test]
fn shares_are_as_stated() {
    let text = list(ROWS, 7, 1.0);
    let stated = SHAPE.into_iter().chain(DIRT.iter().map(|(_, share)| share));
    let lines: Vec<_> = lines(&text).into_iter().map(String::from_utf8_lossy).collect();
    for share in stated {
        let has =
            |line: &str| has(share.name, line).unwrap_or_else(|| panic!("{}: no test for it", share.name));
        let count = lines.iter().filter(|line| has(line)).count();
        assert!(
            is_near(count, ROWS, share.per_million),
            "{}: {count} of {ROWS} lines, stated are {} of a million",
            share.name,
            share.per_million
        );
    }
}

#[test]
fn rejects_are_as_stated() {
    let text = list(ROWS, 7, 1.0);
    let is_valid = |line: &[u8]| std::str::from_utf8(line).is_ok_and(|line| UriRef::parse(line).is_ok());
    let rejected = lines(&text).iter().filter(|line| !is_valid(line)).count();
    assert!(
        is_near(rejected, ROWS, total_share(&INVALID)),
        "{rejected} of {ROWS} lines are no URI references"
    );
}

/// `--dirt 0`: all lines are valid, and no normalizer changes anything (RFC 3986, 6.2.2 and 6.2.3).
#[test]
fn a_list_without_dirt_is_clean() {
    let text = list(100_000, 3, 0.0);
    for line in lines(&text) {
        let line = std::str::from_utf8(line).expect("a clean line is ASCII");
        let uri = Uri::parse(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(uri.normalize().as_str(), line);
        assert!(!uri.path().as_str().is_empty(), "{line}");
        let authority = uri.authority().expect("a clean line has an authority");
        assert_eq!(authority.as_str(), authority.host(), "{line}: neither userinfo nor port");
    }
}

#[test]
fn dirt_is_scaled_and_bounded() {
    let rows = 50_000;
    let all = total_share(&DIRT) + total_share(&INVALID);
    let text = list(rows, 5, 10.0);
    let rejected = lines(&text)
        .iter()
        .filter(|line| !std::str::from_utf8(line).is_ok_and(|line| UriRef::parse(line).is_ok()))
        .count();
    assert!(is_near(rejected, rows, total_share(&INVALID) * 10), "{rejected} of {rows} lines are rejected");
    for factor in [-0.1, f64::NAN, f64::INFINITY, 1.01e6 / f64::from(all)] {
        let message = Model::new(1, factor).err().unwrap_or_else(|| panic!("--dirt {factor} is refused"));
        assert!(message.contains("--dirt must lie between 0 and"), "{message}");
    }
}

#[test]
fn lengths_runs_and_hosts_are_as_stated() {
    let text = list(ROWS, 7, 1.0);
    let mean = (text.len() - ROWS) as f64 / ROWS as f64;
    assert!((mean - f64::from(MEAN_LENGTH)).abs() < 2.0, "{mean} bytes on average");

    let hosts: Vec<&[u8]> =
        lines(&text).iter().map(|line| line.split(|&byte| byte == b'/').nth(2).unwrap_or(b"")).collect();
    let runs = 1 + hosts.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let run = ROWS as f64 / runs as f64;
    assert!((run - MEAN_RUN).abs() < 0.2, "{run} lines in a row with one host");

    let mut counts: HashMap<&[u8], usize> = HashMap::new();
    hosts.iter().for_each(|host| *counts.entry(host).or_default() += 1);
    let mut by_rank: Vec<usize> = counts.values().copied().collect();
    by_rank.sort_unstable_by(|a, b| b.cmp(a));
    // Zipf's law with exponent 1.2 over all hosts: shares fall as rank^-1.2.
    let total: f64 = (1..1_u64 << OCTAVES).map(|rank| (rank as f64).powf(-1.2)).sum();
    for rank in [1, 10, 100] {
        let expected = ROWS as f64 * (rank as f64).powf(-1.2) / total;
        let count = by_rank[rank - 1] as f64;
        assert!(
            (0.6..1.6).contains(&(count / expected)),
            "rank {rank}: {count} lines, by the law {expected:.0}"
        );
    }
    assert!(by_rank.len() > ROWS / 20, "{} distinct hosts", by_rank.len());
}

#[test]
fn nearly_all_lines_are_distinct() {
    let text = list(ROWS, 11, 1.0);
    let distinct: HashSet<&[u8]> = lines(&text).into_iter().collect();
    assert!(distinct.len() > ROWS - ROWS / 10_000, "{} of {ROWS}", distinct.len());
}
