//! Readers and columns together: sources in, a table or its distinct rows out. `crates/columns/tests` has what needs no
//! reader.
//!
//! - `chunks`, `fields`: a row does not depend on the chunk and the batch that hold its record;
//! - `dedupe`: one row for each distinct form;
//! - `par`: one text or array, any number of threads.

mod chunks;
mod dedupe;
mod fields;
mod par;

use urimill_testkit::paths::{corpora, dataset};
use urimill_testkit::random::Random as Rng;
use urimill_testkit::row;
