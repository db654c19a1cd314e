//! Records in, a table out.
//!
//! - `batch`: a row of a batch equals the result of the calls for its record (`row`);
//! - `arrays`: the same for records from arrays;
//! - `tables`: rows of tables, and the columns beside them;
//! - `targets`: the targets of references, a batch at once;
//! - `missing_bases`: which references need a base;
//! - `urls`: rows by the URL Standard, beside the RFC and instead of it;
//! - `line_splits`: lines that are only split, not made a table of;
//! - `lists`: whole lists of real URIs;
//! - `domains`: the domains of a batch's hosts equal those of single calls;
//! - `components`: positions of components, and the texts cut at them;
//! - `forms`: keys, canonical forms and parameters of queries, by hand;
//! - `repair`: records outside the grammar;
//! - `audit`: the flags, each with a URI that has it and one that almost has it;
//! - `explain`: explanations agree with the table, and the bulk search with single calls;
//! - `views`: views of strings, by every kernel.

mod arrays;
mod audit;
mod batch;
mod components;
mod domains;
mod explain;
mod forms;
mod line_splits;
mod lists;
mod missing_bases;
mod repair;
mod tables;
mod targets;
mod urls;
mod views;

use urimill_testkit::paths::{corpora, dataset};
use urimill_testkit::random::Random as Rng;
use urimill_testkit::{is_uri_reference, meaning, row, section_5_4};
