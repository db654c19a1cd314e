//! Canonical forms and sort-friendly keys: against the suites of those who defined them, the indexes of web
//! archives, answers of the tools themselves, and the properties that a form has to have.

mod answers;
mod facts;
mod indexes;
mod properties;
mod query;

use urimill::UriRef;
use urimill::normalize::{RepairOptions, repair_with};

/// What a tool that takes any text makes of it before its rules apply: the URI in it, where there is one.
fn mended(input: &str) -> Vec<u8> {
    if UriRef::parse(input).is_ok_and(|uri| uri.is_uri()) {
        return input.as_bytes().to_vec();
    }
    let http = "http".parse().expect("http is a scheme");
    repair_with(input.as_bytes(), RepairOptions::new().default_scheme(Some(http))).into_owned()
}

/// The lines of a table of facts between tabs, without its comments.
fn rows<const N: usize>(table: &str) -> impl Iterator<Item = [&str; N]> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        columns.try_into().unwrap_or_else(|_| panic!("not {N} columns: {line:?}"))
    })
}
