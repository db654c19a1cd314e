//! The engine, from outside: records in, a table out.
//!
//! - `batch`: a row of a batch equals the result of the calls for its record (`row`);
//! - `arrays`, `chunks`, `fields`: the same for records from arrays, chunks and fields;
//! - `tables`: rows of tables, and the columns beside them;
//! - `targets`: the targets of references, a batch at once;
//! - `urls`: rows by the URL Standard, beside the RFC and instead of it;
//! - `lists`: whole lists of real URIs;
//! - `dedupe`: one row for each distinct form;
//! - `domains`: the domains of a batch's hosts equal those of single calls;
//! - `forms`: keys, canonical forms and parameters of queries, by hand;
//! - `repair`: records outside the grammar;
//! - `audit`: the flags, each with a URI that has it and one that almost has it;
//! - `explain`: explanations agree with the table, and the bulk search with single calls.

mod arrays;
mod audit;
mod batch;
mod chunks;
mod dedupe;
mod domains;
mod explain;
mod fields;
mod forms;
mod line_splits;
mod lists;
mod repair;
mod tables;
mod targets;
mod urls;
mod views;

use std::path::PathBuf;

use urimill_testkit::paths::{self, dataset};
use urimill_testkit::random::Random as Rng;
use urimill_testkit::{is_uri_reference, meaning, row, section_5_4};

/// The files of real lists and logs, which are too large for the repository; empty if they are not available.
fn corpora() -> Vec<PathBuf> {
    let Some(shared) = paths::shared() else { return Vec::new() };
    let entries = std::fs::read_dir(shared.join("corpora")).expect("the shared data has lists");
    let files = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_file());
    let mut paths: Vec<_> = files.collect();
    paths.sort();
    paths
}
