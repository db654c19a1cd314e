//! The rows that the readers of pages and of documents make. `crates/cli/tests/cli` has what takes the program:
//! detection among all formats, refusals, damage, whole runs.
//!
//! - `documents`: sitemaps, feeds, HAR files, robots.txt, seeds and what Burp saves: records that are not lines;
//!   `variants` has them as some write them;
//! - `bases`: the references of pages and their bases; `archives`, `mail`: those of pages in web archives and messages;
//!   `long`: those of pages that no chunk holds.

mod archives;
mod bases;
mod documents;
mod long;
mod mail;
mod variants;

use urimill_pages::{PageKind, Pages, burp, feed, har, robots, sitemap};
use urimill_testkit::reading::{Reading, Row, values};

/// The rows of a document by the name of its format, which options of a run may follow.
fn rows(what: &str, input: impl AsRef<[u8]>) -> Vec<Row> {
    let formats = [sitemap::ROW, feed::ROW, har::ROW, burp::ROW, robots::ROBOTS, robots::SEEDS];
    Reading::named(what, formats.into_iter()).rows(input)
}

/// The references of pages of a kind, which options may follow; `auto` finds it out.
fn links(what: &str, input: impl AsRef<[u8]>) -> Vec<Row> {
    let (name, options) = what.split_once(' ').unwrap_or((what, ""));
    let kind = PageKind::ALL.into_iter().find(|kind| kind.name() == name).expect("a kind of pages");
    let is_transcoded = options.contains("--encoding");
    Reading::links(options, move |asked, options, base| {
        let pages = Pages::new(kind, &asked.keep, base, options)?.temp_dir(None)?;
        Ok(pages.transcoded(is_transcoded).into())
    })
    .rows(input)
}
