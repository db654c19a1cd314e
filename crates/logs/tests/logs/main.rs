//! The rows that the readers of logs make of lines. `crates/cli/tests/cli` has what takes the program, or the formats
//! of other packages: detection among all of them, refusals, whole runs.
//!
//! - `access`: virtual hosts in the logs of web servers, and the targets of requests; `access_places`,
//!   `access_variants`: which fields prove their places, what else servers write; `access_reader`: the same lines, read
//!   by regular expressions;
//! - `samples`: a log of each format with its facts, bare and after the prefixes of loggers;
//! - `fields`: fields that show TLS, escapes that are undone, fields that a later header names;
//! - `pairs`: lines of names and values;
//! - `places`, `quotes`: a value in another field's place, and the texts that clients write into lines;
//! - `variants`, `documented`: what further documents and samples show;
//! - `described`: logs by format strings; `described_servers`: those of each server with its own formats;
//! - `files`: the samples of format files, and their lines with words lost or added;
//! - `guessed`: JSON of any shape, whose members are judged by their names and values;
//! - `lists`: paths through all elements of a list;
//! - `broken`: records with faults, and the forms of times;
//! - `mutants`: thousands of mutants of the samples, compared with the readers of `readers`;
//! - `wrapped`: lines with something around them, in each wrapper and in one within another;
//! - `moves`: the lines of `seeds`, `rare_seeds` and `named_seeds` taken apart, whose values have the forms of `values`.

mod access;
mod access_places;
mod access_reader;
mod access_variants;
mod arrays;
mod broken;
mod described;
mod described_servers;
mod documented;
mod fields;
mod files;
mod guessed;
mod lists;
mod moves;
mod mutants;
mod named_seeds;
mod pairs;
mod places;
mod quotes;
mod rare_seeds;
mod readers;
mod samples;
mod seeds;
mod values;
mod variants;
mod wrapped;

use urimill_testkit::reading::{Reading, Row};

/// The rows of a log by its name, which options of a run may follow; `auto` finds it out among logs.
fn rows(what: &str, input: impl AsRef<[u8]>) -> Vec<Row> {
    let input = input.as_ref();
    match what.strip_prefix("auto") {
        Some(options) => detected(input).with(options).rows(input),
        None => {
            let formats = urimill_logs::rows().chain([urimill_logs::access::ROW, urimill_logs::DESCRIBED]);
            Reading::named(what, formats).rows(input)
        }
    }
}

/// The reader of the log that an input looks like.
fn detected(input: &[u8]) -> Reading {
    let first = input.to_vec();
    Reading::new(move |asked, _| {
        let unwrap = asked.unwrap.as_deref().unwrap_or("auto").parse()?;
        let found = urimill_logs::detect_as(&first, &unwrap).expect("a log");
        let log = urimill_logs::Log::detected(found, asked, None, (&first, "standard input"))?;
        Ok(log.into())
    })
}
