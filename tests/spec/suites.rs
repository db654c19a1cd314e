//! urimill compared with the facts of other projects' test suites, row by row. A row that urimill answers differently
//! on purpose is in `exceptions.tsv` with its answer and the reason. An exception without a differing row fails the
//! test, and so does one with another answer.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;
use urimill::resolve::{Mode, relativize};
use urimill::{HostKind, Level, Reject, Spec, UriRef, normalize};

use crate::resolve::target;
use crate::shared;

/// Suite, kind, mode, input (as JSON; with a base: [base, input]), urimill's answer, reason: tab-separated, one row per
/// line.
const EXCEPTIONS: &str = include_str!("exceptions.tsv");

/// Rows that other specifications or other operations answer, by kind and mode (`*` is every mode). A kind or mode that
/// is neither here nor in [`judge`] fails the test: somebody must decide about a new one.
const OTHER_SPECIFICATIONS: &[(&str, &str, &str)] = &[
    ("validity", "iri", "RFC 3987: an IRI is no URI"),
    ("validity", "iri-reference", "RFC 3987: an IRI is no URI"),
    ("validity", "idn-hostname", "RFC 5890: internationalized names are written in punycode in a URI"),
    ("whatwg-parse", "*", "the WHATWG URL standard"),
    ("wpt-divergence", "*", "the WHATWG URL standard"),
    ("resolve", "RFC1808", "RFC 1808: dot segments that climb too far stay"),
    ("canonicalize", "*", "lossy canonical forms of crawlers and archives"),
    ("surt", "*", "sort-friendly forms of web archives"),
    ("cdx-urlkey", "*", "sort-friendly forms of web archives"),
    ("param", "*", "arguments of python-rfc3986's own functions"),
];

const FIELDING: &str = "fielding-test-page (note: [R]=RFC2396, [X]=RFC1808, digits=old browsers)";

/// The suites that have rows of the kinds below.
const SUITES: &[&str] = &[
    "rfc2396",
    "perl-URI",
    "rfc3986",
    "uriparser",
    "json-schema-test-suite",
    "python-rfc3986",
    "cpython-urllib.parse",
    "w3c-rdf-tests",
];

/// Some(Ok) if urimill agrees with the row, Some(Err(its own answer)) if not, None for kinds and modes not known here.
fn judge(kind: &str, mode: &str, input: &str, row: &Value) -> Option<Result<(), String>> {
    let valid = || row["valid"].as_bool().expect("validity rows say whether it is valid");
    let says = |expected: bool, got: bool| {
        if expected == got { Ok(()) } else { Err(if got { "valid" } else { "invalid" }.to_owned()) }
    };
    let text = || row["expected"].as_str().expect("rows that are no verdicts have a text");
    Some(match (kind, mode) {
        ("validity", "uri") => says(valid(), UriRef::parse(input).is_ok_and(|uri| uri.is_uri())),
        ("validity", "uri-reference" | "rfc3986-uri-reference") => {
            says(valid(), UriRef::parse(input).is_ok_and(|uri| uri.as_str() == input))
        }
        ("validity", "hostname") => says(valid(), is_host(input, HostKind::DnsName)),
        ("validity", "ipv4" | "ipv4-strict") => says(valid(), is_host(input, HostKind::Ipv4)),
        ("validity", "ipv6") => says(valid(), is_host(&format!("[{input}]"), HostKind::Ipv6)),
        ("parse", "authority-present/path-absolute") => parse_shape(input, &row["expected"]),
        ("parse", "urlsplit (absent==empty)") => parse_five(input, &row["expected"]),
        ("normalize", "rfc3986-syntax") => normalized(input, Level::Syntax, text()),
        ("normalize", "rfc3986-scheme-based") => normalized(input, Level::Scheme, text()),
        ("normalize", _) => {
            let component = mode.strip_prefix("rfc3986-syntax mask=URI_NORMALIZE_")?;
            normalized_component(input, component, text())
        }
        ("needs-normalize", "component-mask") => needs_normalize(input, text()),
        ("remove_dot_segments", "path" | "path-only") => dot_segments(input, text()),
        ("resolve", "rfc3986-strict" | "RFC3986") => resolved(&row["base"], input, Mode::Strict, text()),
        // Python's urljoin() ignores a scheme like the base's.
        ("resolve", "rfc3986-nonstrict" | "urljoins") => {
            resolved(&row["base"], input, Mode::Compatible, text())
        }
        ("resolve", "rfc2396" | "RFC2396") => resolved_by_rfc2396(&row["base"], input, Mode::Strict, text()),
        ("resolve", "rfc2396-compat") => resolved_by_rfc2396(&row["base"], input, Mode::Compatible, text()),
        // Each of its rows has an R: RFC 2396's answer.
        ("resolve", FIELDING) if text() == "(current document)" => {
            resolved_by_rfc2396(&row["base"], input, Mode::Strict, row["base"].as_str()?)
        }
        ("resolve", FIELDING) => resolved_by_rfc2396(&row["base"], input, Mode::Strict, text()),
        ("relativize", "default" | "domain_root") => relativized(&row["base"], input, text()),
        _ => return None,
    })
}

/// Whether `//host` is a reference with this host, whole, of this kind.
fn is_host(host: &str, kind: HostKind) -> bool {
    let text = format!("//{host}");
    UriRef::parse(&text).is_ok_and(|uri| uri.host() == Some(host) && uri.host_kind() == Some(kind))
}

fn parse(input: &str) -> Result<UriRef<'_>, String> {
    UriRef::parse(input).map_err(rejected)
}

fn rejected(reject: Reject) -> String {
    format!("{} {}", reject.code, reject.offset)
}

fn same<T: PartialEq + std::fmt::Debug>(expected: T, got: T) -> Result<(), String> {
    if expected == got { Ok(()) } else { Err(format!("{got:?}")) }
}

/// uriparser's two questions: whether there is an authority, and whether a path without one begins with a slash.
fn parse_shape(input: &str, expected: &Value) -> Result<(), String> {
    let uri = parse(input)?;
    let got = (uri.authority().is_some(), uri.authority().is_none() && uri.path().starts_with('/'));
    let expected = (&expected["has_authority"], &expected["path_absolute_no_authority"]);
    same((expected.0.as_bool(), expected.1.as_bool()), (Some(got.0), Some(got.1)))
}

/// Five components, of a suite that does not distinguish undefined from empty.
fn parse_five(input: &str, expected: &Value) -> Result<(), String> {
    let uri = parse(input)?;
    let got = [uri.scheme(), uri.authority(), Some(uri.path()), uri.query(), uri.fragment()];
    let names = ["scheme", "authority", "path", "query", "fragment"];
    same(names.map(|name| expected[name].as_str()), got.map(|part| Some(part.unwrap_or_default())))
}

fn normalized(input: &str, level: Level, expected: &str) -> Result<(), String> {
    same(expected, &normalize(&parse(input)?, level))
}

/// The component of a mask of uriparser.
fn component<'a>(uri: &UriRef<'a>, mask: &str) -> Option<&'a str> {
    match mask {
        "SCHEME" => uri.scheme(),
        "USER_INFO" => uri.userinfo(),
        "HOST" => uri.host(),
        "PORT" => uri.port(),
        "PATH" => Some(uri.path()),
        "QUERY" => uri.query(),
        "FRAGMENT" => uri.fragment(),
        _ => panic!("no component is called {mask}"),
    }
}

/// uriparser normalizes one component and leaves the others: this compares that component of the normal form.
fn normalized_component(input: &str, mask: &str, expected: &str) -> Result<(), String> {
    let normal = normalize(&parse(input)?, Level::Syntax).into_owned();
    same(component(&parse(expected)?, mask), component(&parse(&normal)?, mask))
}

/// The mask is the one component in which the normal form differs from the input.
fn needs_normalize(input: &str, mask: &str) -> Result<(), String> {
    let uri = parse(input)?;
    let normal = normalize(&uri, Level::Syntax).into_owned();
    let Some(mask) = mask.strip_prefix("URI_NORMALIZE_") else {
        assert_eq!(mask, "URI_NORMALIZED");
        return same(input, &normal);
    };
    let normal = parse(&normal)?;
    let all = ["SCHEME", "USER_INFO", "HOST", "PORT", "PATH", "QUERY", "FRAGMENT"];
    let changed = all.into_iter().filter(|mask| component(&uri, mask) != component(&normal, mask));
    same(vec![mask], changed.collect())
}

/// A path alone, as the path of a URI whose target differs only in dots (5.2.2): after an authority if it begins with a
/// slash, so that any slashes may follow.
fn dot_segments(path: &str, expected: &str) -> Result<(), String> {
    let text = format!("{}{path}", if path.starts_with('/') { "x://h" } else { "x:" });
    let target = target(&parse("x:")?, &parse(&text)?, Mode::Strict)?;
    same(expected, parse(&target)?.path())
}

fn base_of(base: &Value) -> Result<UriRef<'_>, String> {
    parse(base.as_str().expect("rows that resolve have a base"))
}

fn resolved(base: &Value, input: &str, mode: Mode, expected: &str) -> Result<(), String> {
    // The code in a sentence: `base_not_absolute` in `A and B: base_not_absolute: the base …`.
    let code = |why: String| why.split(": ").nth(1).map(str::to_owned).unwrap_or(why);
    same(expected, &target(&base_of(base)?, &parse(input)?, mode).map_err(code)?)
}

fn resolved_by_rfc2396(base: &Value, input: &str, mode: Mode, expected: &str) -> Result<(), String> {
    let base = base.as_str().expect("rows that resolve have a base");
    let parse = |text| UriRef::parse_as(text, Spec::Rfc2396).map_err(rejected);
    same(expected, &target(&parse(base)?, &parse(input)?, mode)?)
}

fn relativized(base: &Value, input: &str, expected: &str) -> Result<(), String> {
    let got = relativize(&base_of(base)?, &parse(input)?).map_err(|error| error.to_string())?.into_owned();
    same(expected, &got)
}

/// Suite, kind, mode, input (as JSON, with the base where there is one).
type Key = (String, String, String, String);

/// The expected answers of the exceptions.
fn exceptions() -> BTreeMap<Key, &'static str> {
    let mut exceptions = BTreeMap::new();
    for line in EXCEPTIONS.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [suite, kind, mode, input, answer, reason] = columns[..] else {
            panic!("not six columns: {line:?}")
        };
        let input: Value = serde_json::from_str(input).unwrap_or_else(|error| panic!("{line:?}: {error}"));
        assert!(reason.contains("RFC "), "an exception names the section that decides: {line:?}");
        let key = (suite.to_owned(), kind.to_owned(), mode.to_owned(), input.to_string());
        assert!(exceptions.insert(key, answer).is_none(), "twice: {line:?}");
    }
    exceptions
}

fn rows(folder: &Path) -> Vec<Value> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry of the folder").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    let mut rows = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        rows.extend(text.lines().map(|line| {
            serde_json::from_str::<Value>(line).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        }));
    }
    rows
}

#[test]
fn the_list_of_exceptions_is_well_formed() {
    assert!(!exceptions().is_empty());
}

#[test]
fn every_row_agrees_or_is_an_exception() {
    let Some(folder) = shared::folder() else { return };
    let exceptions = exceptions();
    let (mut problems, mut used, mut agreeing) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    let mut checked: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows(&folder.join("suites")) {
        let field = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let (suite, kind, mode) = (field("suite"), field("kind"), field("mode"));
        let other = |&&(k, m, _): &&(&str, &str, &str)| k == kind && (m == mode || m == "*");
        if OTHER_SPECIFICATIONS.iter().any(|entry| other(&entry)) {
            continue;
        }
        let input = row["input"].as_str().unwrap_or_else(|| panic!("no input: {row}"));
        let Some(verdict) = judge(&kind, &mode, input, &row) else {
            panic!("decide what {kind:?} in mode {mode:?} means: {row}")
        };
        *checked.entry(suite.clone()).or_default() += 1;
        let key = match &row["base"] {
            Value::Null => (suite, kind, mode, row["input"].to_string()),
            base => (suite, kind, mode, Value::from(vec![base.clone(), row["input"].clone()]).to_string()),
        };
        match (verdict, exceptions.get(&key)) {
            (Ok(()), None) => {}
            (Ok(()), Some(_)) => drop(agreeing.insert(key)),
            (Err(answer), Some(expected)) => {
                if answer != *expected {
                    problems.push(format!("{key:?}: answers\t{answer}\tand not\t{expected}"));
                }
                used.insert(key);
            }
            (Err(what), None) => {
                let expected = &row["expected"];
                problems.push(format!(
                    "{key:?}: {expected} expected, got {what} ({} {})",
                    field("src"),
                    field("note")
                ))
            }
        }
    }
    for suite in SUITES {
        let count = checked.get(*suite).copied().unwrap_or_default();
        println!("{suite}: {count} rows checked");
        assert!(count > 0, "no row of {suite} was checked");
    }
    problems.extend(agreeing.iter().map(|key| format!("{key:?}: an exception, but the row agrees now")));
    let missing = exceptions.keys().filter(|key| !used.contains(*key) && !agreeing.contains(*key));
    problems.extend(missing.map(|key| format!("{key:?}: an exception for a row that does not exist")));
    assert!(problems.is_empty(), "{} rows:\n{}", problems.len(), problems.join("\n"));
}
