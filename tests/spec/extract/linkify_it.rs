//! The fixtures of linkify-it, line by line: texts with the first link, and texts without one. linkify-it finds links
//! that a browser's address bar would accept; a line for which that is not a URI of RFC 3986 in a text is in
//! `linkify_it.tsv` with urimill's result and the reason.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;
use urimill::extract::{Options, find};

use crate::shared;

/// File, text, first URI found as written (both as JSON, null for none), reason: one line per row, between tabs.
const EXCEPTIONS: &str = include_str!("linkify_it.tsv");

/// The rows of a file: the line and its expected link. `%` begins a comment; a line below a text that is not blank is
/// the expected link, if that is not the text itself.
fn rows(text: &str) -> Vec<(&str, &str)> {
    let lines: Vec<&str> = text.lines().map(|line| if line.starts_with('%') { "" } else { line }).collect();
    let mut rows = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let next = lines.get(at + 1).copied().unwrap_or_default();
        let has_expected = !lines[at].is_empty() && !next.is_empty();
        if !lines[at].is_empty() {
            rows.push((lines[at], if has_expected { next } else { lines[at] }));
        }
        at += 1 + usize::from(has_expected);
    }
    rows
}

/// The results of the exceptions, by file and text.
fn exceptions() -> BTreeMap<(String, String), Option<String>> {
    let mut exceptions = BTreeMap::new();
    for line in EXCEPTIONS.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [file, text, found, reason] = columns[..] else { panic!("not four columns: {line:?}") };
        let json = |text: &str| -> Value {
            serde_json::from_str(text).unwrap_or_else(|error| panic!("{line:?}: {error}"))
        };
        assert!(reason.contains("RFC "), "an exception names the section that decides: {line:?}");
        let text = json(text).as_str().expect("a text").to_owned();
        let found = json(found).as_str().map(str::to_owned);
        assert!(exceptions.insert((file.to_owned(), text), found).is_none(), "twice: {line:?}");
    }
    exceptions
}

#[test]
fn every_line_agrees_or_is_an_exception() {
    let mut exceptions = exceptions();
    assert!(!exceptions.is_empty());
    let Some(folder) = shared::folder() else { return };
    let mut problems = Vec::new();
    let mut check = |file: &str, text: &str, expected: Option<&str>| {
        let options = Options::default();
        let found = find(text.as_bytes(), &options).next().map(|found| found.raw);
        match exceptions.remove(&(file.to_owned(), text.to_owned())) {
            None if found == expected => {}
            None => problems.push(format!("{file}: {text:?}: {expected:?} expected, got {found:?}")),
            Some(_) if found == expected => {
                problems.push(format!("{file}: {text:?}: an exception, but the line agrees now"));
            }
            Some(excepted) if found == excepted.as_deref() => {}
            Some(excepted) => {
                problems.push(format!("{file}: {text:?}: the exception has {excepted:?}, got {found:?}"));
            }
        }
    };
    let read = |name: &str| {
        let path = folder.join("suites/text-extraction").join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let (links, not_links) = (read("links.txt"), read("not_links.txt"));
    let links = rows(&links);
    for (text, expected) in &links {
        check("links", text, Some(expected));
    }
    let texts = not_links.lines().filter(|line| !line.is_empty() && !line.starts_with('%'));
    let count = texts.map(|text| check("not_links", text, None)).count();
    assert!(links.len() > 110 && count > 35, "only {} links and {count} others", links.len());
    problems
        .extend(exceptions.keys().map(|key| format!("{key:?}: an exception for a line that does not exist")));
    assert!(problems.is_empty(), "{} lines:\n{}", problems.len(), problems.join("\n"));
}
