//! Dumps of Nutch, seeds and robots.txt, compared with regular expressions of their lines.

use regex::{Captures, Regex};
use std::sync::LazyLock;
use urimill::read::format::InputFormat;

use super::{Row, Trial, reader, row};

fn expression(text: &str) -> Regex {
    Regex::new(&format!("^(?:{text})\r?$")).expect("an expression")
}

/// The lines of a paragraph after the first one.
static NUTCH: LazyLock<[(Regex, &'static [&'static str]); 6]> = LazyLock::new(|| {
    [
        (expression(r"Status: ([0-9]+) \(([^)\n]*)\)"), &["status", "status_name"]),
        (expression(r"Retries since fetch: ([0-9]+)"), &["retries"]),
        (expression(r"Retry interval: ([0-9]+) seconds \([^)\n]*\)"), &["retry_interval"]),
        (expression(r"Score: ([-+0-9.E]*[0-9][-+0-9.E]*|NaN|-?Infinity)"), &["score"]),
        (expression(r"Signature: (null|[0-9a-fA-F]*)"), &["signature"]),
        (expression(r"Metadata:[ \t]*"), &[]),
    ]
});
static FIRST: LazyLock<Regex> = LazyLock::new(|| expression(r"(.*?)\tVersion: ([0-9]+)"));
static METADATA: LazyLock<Regex> = LazyLock::new(|| expression(r"[ \t]+[^ \t=][^=]*=.*"));

fn paragraph(text: &str) -> Option<Row> {
    let mut lines = text.trim_ascii_end().split('\n');
    let first = FIRST.captures(lines.next()?)?;
    let (uri, version) = (first[1].to_owned(), first[2].parse::<i32>().ok()?);
    let mut found = row(&[("uri", &uri), ("version", &version.to_string())]);
    let mut is_behind = false;
    for line in lines {
        if is_behind {
            let is_blank = line.trim_ascii().is_empty();
            if !is_blank && (!METADATA.is_match(line) || line.trim_ascii().contains("\tVersion: ")) {
                return None;
            }
            continue;
        }
        let (captures, names) =
            NUTCH.iter().find_map(|(line_of, names)| Some((line_of.captures(line)?, names)))?;
        is_behind = names.is_empty();
        for (at, name) in names.iter().enumerate() {
            let text = &captures[at + 1];
            let text = text
                .parse::<i64>()
                .ok()
                .filter(|_| *name != "signature" && *name != "score")
                .map_or(text.to_owned(), |n| n.to_string());
            let text = if text == "null" { String::new() } else { text };
            if found.insert((*name).to_owned(), text).is_some() {
                return None;
            }
        }
    }
    Some(found)
}

fn nutch(text: &str) -> Option<Vec<Row>> {
    static BLANK: LazyLock<Regex> = LazyLock::new(|| Regex::new("\n(?:\r?\n)+").expect("an expression"));
    let text = text.trim_start_matches(['\r', '\n']).trim_ascii_end();
    BLANK.split(text).filter(|paragraph| !paragraph.is_empty()).map(paragraph).collect()
}

#[test]
fn dumps_of_nutch() {
    let seed = "http://LLLone/1\tVersion: 7\nStatus: 2 (SSSone)\nRetries since fetch: 0\nRetry interval: 2592000 seconds (30 \
                days)\nScore: 1.0\nSignature: abcdef\nMetadata: \n \tMMM=one\n\tMMM2=b=c\n\n\
                http://LLLtwo/2\tVersion: 7\nStatus: 1 (SSStwo)\nScore: 0.5E-4\nSignature: null\nMetadata: \n \n\n\
                http://LLLsix/\tVersion: 7\nStatus: 6 (SSSsix)\n\n";
    let marks =
        &[("uri", "LLL"), ("status_name", "SSS"), ("metadata", "MMM"), ("score", "0."), ("signature", "abc")];
    let pieces = &["\t", "\n", ":", " ", "(", ")", "=", "\r\n", "null", "Score: ", "\tVersion: "];
    let format = reader(InputFormat::Nutch);
    Trial { format, seeds: &[seed], pieces, marks, other: nutch, is_strict: true }.run();
}

/// A line ends with LF, CR or both (RFC 9309, 2.2: `NL = %x0D / %x0A / %x0D.0A`); the first one may begin with a
/// byte-order mark.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    static END: LazyLock<Regex> = LazyLock::new(|| Regex::new("\r\n|\r|\n").expect("an expression"));
    END.split(text).map(|line| line.strip_prefix('\u{feff}').unwrap_or(line))
}

fn seed(line: &str) -> Option<Row> {
    static SEED: LazyLock<Regex> =
        LazyLock::new(|| expression(r"([^\t]*?)[ \x0c]*(?:\t(?:[^\t=]+=[^\t]*|[ \x0c]*))*"));
    Some(row(&[("uri", &SEED.captures(line)?[1])]))
}

fn seeds(text: &str) -> Option<Vec<Row>> {
    let lines = lines(text).filter(|line| !line.trim_ascii().is_empty() && !line.starts_with('#'));
    lines.map(seed).collect()
}

#[test]
fn lists_of_seeds() {
    let seed =
        "http://LLLone/1\tMMM=one\tMMM2=a=b\n# http://none/\nhttp://LLLtwo/2\r\rhttp://LLLsix/ \tMMM=six\r\n";
    let format = reader(InputFormat::Seeds);
    // A name without its tab is a part of the URI, for every reader.
    let (marks, pieces): (_, &[&str]) =
        (&[], &["\t", "\n", "=", "#", " ", "\r\n", "\r", "\tk=v", "\u{feff}"]);
    Trial { format, seeds: &[seed], pieces, marks, other: seeds, is_strict: true }.run();
}

/// White space may surround the name and the value (RFC 9309, 2.2: `*WS "user-agent" *WS ":" *WS`). The name is read
/// without regard to case, and with a hyphen as Google reads it.
fn robots(text: &str) -> Option<Vec<Row>> {
    static RULE: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"[ \t\x0c]*([A-Za-z](?:[-_ A-Za-z0-9]*[-_A-Za-z0-9])?)[ \t\x0c]*:([^#]*)(?:#.*)?")
    });
    const KNOWN: &str = "(?i)user[- ]?agent|allow|diss?all?ow|diasllow|disallaw|noindex|crawl-delay|clean-param|\
                         request-rate|site-?map";
    static NAME: LazyLock<Regex> = LazyLock::new(|| expression(KNOWN));
    // A colon may be missing after a known name.
    static BARE: LazyLock<Regex> = LazyLock::new(|| {
        expression(&format!(r"[ \t\x0c]*({KNOWN})[ \t\x0c]+([^ \t\x0c#]+)[ \t\x0c]*(?:#.*)?"))
    });
    static COMMENT: LazyLock<Regex> = LazyLock::new(|| expression(r"[ \t\x0c]*(?:#.*)?"));
    static SITEMAP: LazyLock<Regex> = LazyLock::new(|| expression("(?i)site-?map"));
    let mut found = Vec::new();
    for line in lines(text).filter(|line| !COMMENT.is_match(line)) {
        let with_colon = RULE.captures(line).filter(|rule| !rule[2].starts_with("//"));
        let is_sure = |rule: &Captures<'_>| NAME.is_match(&rule[1]) || !rule[1].contains(' ');
        let rule = match with_colon {
            Some(rule) if is_sure(&rule) => rule,
            rule => BARE.captures(line).or(rule)?,
        };
        if SITEMAP.is_match(&rule[1]) {
            found.push(row(&[("uri", rule[2].trim_ascii())]));
        }
    }
    Some(found)
}

#[test]
fn robots_txt() {
    let seed = "User-agent: AAAone\nDisallow: /DDDone\r\rSitemap: http://LLLone/ # CCCone\rsitemap :http://LLLtwo/\nSITE-MAP: \
                http://LLLsix/\r\n";
    let format = reader(InputFormat::Robots);
    let (marks, pieces): (_, &[&str]) =
        (&[], &["\n", ":", "#", " ", "\t", "//", "\r\n", "\r", "-", "\u{feff}"]);
    // A rule with another name is ignored (RFC 9309, 2.2.4).
    Trial { format, seeds: &[seed], pieces, marks, other: robots, is_strict: true }.run();
}
