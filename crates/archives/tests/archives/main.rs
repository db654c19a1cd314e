//! The rows that the readers of web archives, their indexes and the logs of crawlers make. `crates/cli/tests/cli` has
//! what takes the program: detection, refusals, damage, indexes and lookups as whole runs.
//!
//! - `warc`, `wat`, `arc`: a row for each record with a target, whatever bytes are between them; zstd with a dictionary;
//! - `indexes`: the lines of CDX and CDXJ, and what index servers answer;
//! - `index_lines`: which fields of them, and of Heritrix's log, prove their places;
//! - `crawlers`: Heritrix's log and Nutch's dumps;
//! - `moves`: the lines of `seeds` taken apart.

mod arc;
mod crawlers;
mod index_lines;
mod indexes;
mod moves;
mod seeds;
mod warc;
mod wat;

use urimill_archives::{arc as arc_files, cdx, cdxj, heritrix, nutch, warc as warc_files};
use urimill_testkit::reading::{Reading, Row};

/// The rows of an input by the name of its format, which options of a run may follow.
fn rows(what: &str, input: impl AsRef<[u8]>) -> Vec<Row> {
    let formats =
        [heritrix::ROW, cdx::ROW, cdxj::ROW, nutch::ROW, arc_files::ROW, warc_files::WARC, warc_files::WAT];
    Reading::named(what, formats.into_iter()).rows(input)
}
