//! The rows of the suites whose kind is a canonical form or a key. A row for which urimill has another answer on
//! purpose is in `exceptions.tsv` with the reason; an exception without a differing row fails the test.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;
use urimill::UriRef;
use urimill::canonical::wayback::{self, Rules};
use urimill::canonical::{Canonical, DropParams, SurtOptions, surt_with};

use super::{mended, rows};
use crate::shared;

/// Suite, mode, input (as JSON), reason.
const EXCEPTIONS: &str = include_str!("exceptions.tsv");

const FILES: [&str; 3] = ["ia-surt.jsonl", "cdx-urlkey-pairs.jsonl", "crawler-commons.jsonl"];

/// urimill's answer to a row; `None` for kinds and modes that are not known here.
fn answer(kind: &str, mode: &str, input: &str) -> Option<Value> {
    let text = |text: Option<String>| Some(text.map_or(Value::Null, Value::from));
    // For functions on a part of a URL: the same part of the form of a URL that has it.
    let part = |url: String, rules: &Rules, part: fn(&UriRef<'_>) -> Option<String>| {
        let url = mended(&url);
        let form = wayback::form(&UriRef::parse(&url).ok()?, rules)?;
        text(part(&UriRef::parse(&form).ok()?))
    };
    let archive = Rules::default();
    match (kind, mode) {
        ("surt", "surt canonicalizer=lambda x, **opts: x") => text(key(input, "host_massage=False")),
        ("surt", "surt_query" | "surt") => text(key(input, "")),
        ("surt", mode) if mode.starts_with("surt ") => text(key(input, &mode["surt ".len()..])),
        ("surt", "pywb (wayback canonicalizer)" | "wayback cdx" | "ipwb") => text(key(input, "")),
        ("canonicalize", "DefaultIAURLCanonicalizer" | "IAURLCanonicalizer" | "options") => {
            text(wayback_form(input, &archive))
        }
        ("canonicalize", "options query_lowercase=False") => {
            let mut rules = archive;
            rules.query_lowercase = false;
            text(wayback_form(input, &rules))
        }
        ("canonicalize", "GoogleURLCanonicalizer") => text(wayback_form(input, &Rules::CLEANING)),
        ("canonicalize", "alphaReorderQuery") => {
            part(format!("http://h/?{input}"), &archive, |uri| Some(uri.query().unwrap_or_default().into()))
        }
        ("canonicalize", "attemptIPFormats") => {
            part(format!("http://{input}/"), &Rules::CLEANING, |uri| uri.host().map(str::to_owned))
        }
        ("canonicalize", "massageHost") => {
            part(format!("http://{input}/"), &archive, |uri| uri.host().map(str::to_owned))
        }
        // The form writes a percent sign as a triplet: this undoes one level.
        ("canonicalize", "unescapeRepeatedly") => {
            part(format!("http://h/{input}"), &Rules::CLEANING, |uri| {
                Some(uri.path()[1..].replace("%25", "%"))
            })
        }
        ("canonicalize", "BasicURLNormalizer") => text(crawler_commons(input, &DropParams::none())),
        // The parameters that the class is configured to remove.
        ("canonicalize", "BasicURLNormalizerTest.java") => {
            let drops = DropParams::none().and_patterns(["sid", "phpsessid", "sessionid", "jsessionid"]);
            text(crawler_commons(input, &drops.expect("names are patterns")))
        }
        _ => None,
    }
}

/// Functions that urimill does not have.
const OTHERS: &[(&str, &str)] = &[
    ("handyurl_parse", "a parser of URLs, which canonicalizes nothing"),
    ("getDefaultPort", "a table of ports"),
    ("stripPathSessionID", "a path alone, whose case it keeps: see the rules in `answers`"),
    ("does not match WHATWG expected", "no fact about the form but its input"),
];

fn key(input: &str, options: &str) -> Option<String> {
    let mut wanted = SurtOptions::default();
    for option in options.split(',').filter(|option| !option.is_empty()) {
        let (name, value) = option.split_once('=').expect("options have a value");
        let value = value == "True";
        match name {
            "trailing_comma" => wanted.trailing_comma = value,
            "with_scheme" => wanted.with_scheme = value,
            "host_massage" => wanted.rules.host_massage = value,
            _ => panic!("decide what the option {name} means"),
        }
    }
    UriRef::parse(&mended(input)).ok().map(|uri| surt_with(&uri, &wanted))
}

fn wayback_form(input: &str, rules: &Rules) -> Option<String> {
    wayback::form(&UriRef::parse(&mended(input)).ok()?, rules)
}

fn crawler_commons(input: &str, drops: &DropParams) -> Option<String> {
    Canonical::CrawlerCommons.form_without(&UriRef::parse(&mended(input)).ok()?, drops)
}

#[test]
fn every_row_agrees_or_is_an_exception() {
    let Some(folder) = shared::folder() else { return };
    let mut exceptions = BTreeMap::new();
    for [suite, mode, input, reason] in rows(EXCEPTIONS) {
        let input: Value = serde_json::from_str(input).unwrap_or_else(|error| panic!("{input:?}: {error}"));
        let input = input.as_str().expect("an input is a text").to_owned();
        let twice = exceptions.insert((suite.to_owned(), mode.to_owned(), input), reason);
        assert!(twice.is_none() && !reason.is_empty(), "{suite} {mode}: twice, or without a reason");
    }
    let (mut problems, mut used, mut checked) = (Vec::new(), BTreeSet::new(), BTreeMap::new());
    for file in FILES {
        let text = fs::read_to_string(folder.join("suites").join(file)).expect("the suite can be read");
        for line in text.lines() {
            let row: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{file}: {error}"));
            let field = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
            let (suite, mode, input) = (field("suite"), field("mode"), field("input"));
            if OTHERS.iter().any(|(other, _)| *other == mode) {
                continue;
            }
            let kind = field("kind");
            let Some(got) = answer(&kind, &mode, &input) else {
                // A part that is not valid has no answer either.
                assert!(exceptions.contains_key(&(suite, mode, input)), "decide what it means: {row}");
                continue;
            };
            *checked.entry(file).or_insert(0) += 1;
            let key = (suite, mode, input);
            match (got == row["expected"], exceptions.contains_key(&key)) {
                (true, false) => {}
                (false, true) => drop(used.insert(key)),
                (true, true) => problems.push(format!("{key:?}: an exception, but the row agrees")),
                (false, false) => {
                    problems.push(format!("{key:?}: {} expected, got {got}", row["expected"]));
                }
            }
        }
    }
    println!("{checked:?} rows checked");
    for (file, least) in FILES.into_iter().zip([100, 80, 100]) {
        assert!(checked[file] >= least, "{file}: only {} rows were checked", checked[file]);
    }
    let unused = exceptions.keys().filter(|key| !used.contains(key));
    problems.extend(unused.map(|key| format!("{key:?}: an exception without a differing row")));
    assert!(problems.is_empty(), "{} rows:\n{}", problems.len(), problems.join("\n"));
}
