//! Canonical forms and sort-friendly keys: compared with the suites of their authors, indexes of web archives, and
//! results of the tools themselves; and the properties that a form must have.

mod answers;
mod facts;
mod indexes;
mod properties;
mod query;

use urimill::UriRef;
use urimill::normalize::{RepairOptions, repair_with};

/// The URI in a text, as a tool that takes any text finds it before its rules apply.
fn mended(input: &str) -> Vec<u8> {
    if UriRef::parse(input).is_ok_and(|uri| uri.is_uri()) {
        return input.as_bytes().to_vec();
    }
    let http = "http".parse().expect("http is a scheme");
    repair_with(input.as_bytes(), RepairOptions::new().default_scheme(Some(http))).into_owned()
}

/// The lines of a tab-separated table of facts, without its comments.
fn rows<const N: usize>(table: &str) -> impl Iterator<Item = [&str; N]> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        columns.try_into().unwrap_or_else(|_| panic!("not {N} columns: {line:?}"))
    })
}
