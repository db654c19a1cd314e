//! Looks up lines in the sorted index of a web archive, as text, as ZipNum or as a table, without reading it whole.
//!
//! ```
//! use urimill::lookup::{Lookup, Match, Query};
//!
//! let folder = tempfile::tempdir()?;
//! let index = folder.path().join("index.cdxj");
//! std::fs::write(&index, "com,example)/ 20250101000000 {\"status\": \"200\"}\ncom,example)/a 20260101000000 {}\n")?;
//! let query = Query::new("http://example.com/", Match::Exact)?.from("2025")?;
//! let mut found = Vec::new();
//! Lookup::open(&index)?.each(&query, |line| {
//!     found.push((line.timestamp.to_owned(), line.fields.to_owned()));
//!     Ok(true)
//! })?;
//! assert_eq!(found, [("20250101000000".to_owned(), "{\"status\": \"200\"}".to_owned())]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blocks;
mod lines;
mod order;
#[cfg(feature = "parquet")]
mod page_indexes;
mod query;
#[cfg(feature = "parquet")]
mod sorted_file;
#[cfg(feature = "parquet")]
mod table;
mod text;

use std::path::Path;

use serde::de::IgnoredAny;
use urimill_base::error::{Error, Result};
use urimill_base::files;
use urimill_base::left_out::PARQUET;

use blocks::Blocks;
use lines::Lines;
pub use query::{Match, Query};
use table::Table;

/// Tables in builds without Parquet.
#[cfg(not(feature = "parquet"))]
mod table {
    use super::*;

    urimill_base::left_out! {
        Error::usage(PARQUET.missing(PARQUET_READER));
        pub(super) enum Table {
            pub(super) fn open(_: &Path, _: u64) -> Result<Table>;
            pub(super) fn each(&mut self, _: &[u8], _: bool, _: &mut lines::Take<'_>) -> Result<()>;
        }
    }
}

/// What builds without Parquet have not.
const PARQUET_READER: &str = "reader of Parquet";

/// The default memory of a lookup.
const MEMORY: u64 = 512 << 20;

/// The share of the memory that a line may take: one in this many, because a line is held as it is read, as it is
/// shown, and in between.
const SHARES: u64 = 8;
/// The least limit of the length of a line.
const LEAST: usize = 64 << 10;

/// An index that can be searched.
#[derive(Debug)]
pub struct Lookup {
    kind: Kind,
    scans: bool,
}

#[derive(Debug)]
enum Kind {
    Text(Lines),
    ZipNum(Box<Blocks>),
    Table(Box<Table>),
}

/// A line of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// The key.
    pub key: &'a str,
    /// Fourteen digits, or up to seventeen: the last three are milliseconds.
    pub timestamp: &'a str,
    /// An object of JSON.
    pub fields: &'a str,
}

impl Lookup {
    /// Opens a CDXJ file, a directory of ZipNum, the list of its blocks (`.idx`), or a table that `urimill index` made
    /// (Parquet).
    ///
    /// `Io` if a file cannot be opened; `Usage` if it is not such an index.
    pub fn open(path: &Path) -> Result<Lookup> {
        Lookup::open_within(path, MEMORY)
    }

    /// The same with this much memory, in bytes, for lines, pages and their metadata; by default 512 MiB. An index that
    /// needs more is an error.
    ///
    /// The same as [`open`](Self::open), and `Data` if a table needs more memory.
    pub fn open_within(path: &Path, memory: u64) -> Result<Lookup> {
        let longest = usize::try_from(memory / SHARES).unwrap_or(usize::MAX).max(LEAST);
        let of = |kind| Ok(Lookup { kind, scans: false });
        let found = files::metadata(path).map_err(|error| Error::path("open", path, error))?;
        if found.is_dir() || path.extension().is_some_and(|end| end == "idx") {
            let blocks = if found.is_dir() { Blocks::of_directory(path) } else { Blocks::open(path) };
            let mut blocks = Box::new(blocks?);
            blocks.limit(longest);
            return of(Kind::ZipNum(blocks));
        }
        let mut lines = Lines::open(path)?;
        if lines.beginning()?.starts_with(b"PAR1") {
            PARQUET.check_reads(PARQUET_READER, &path.display().to_string())?;
            return of(Kind::Table(Box::new(Table::open(path, memory)?)));
        }
        lines.limit(longest);
        lines.check_form()?;
        of(Kind::Text(lines))
    }

    /// Reads all lines instead of searching: the answer is right in any order of lines, but takes longer.
    #[must_use]
    pub fn scan(self, scans: bool) -> Lookup {
        Lookup { scans, ..self }
    }

    /// Calls `each` with every line that matches the query, in the order of the index, until it returns `false`.
    /// Returns whether there were any.
    ///
    /// A search needs sorted lines. A text of up to 64 MiB, and every list of blocks, is read once to check that; of a
    /// longer text 256 lines and all that a search meets are compared.
    ///
    /// `Io` and `Data` if the index cannot be read, or is not sorted; those of `each`.
    pub fn each(&mut self, query: &Query, mut each: impl FnMut(Line<'_>) -> Result<bool>) -> Result<bool> {
        let mut found = false;
        for prefix in query.prefixes() {
            let mut wants_more = true;
            let mut take = |text: &str, place: &dyn Fn() -> String| -> Result<bool> {
                let line = Line::of(text).ok_or_else(|| order::no_line(&place()))?;
                if query.has_time(line.timestamp) {
                    found = true;
                    wants_more = each(line)?;
                }
                Ok(wants_more)
            };
            let prefix = prefix.as_bytes();
            match (&mut self.kind, self.scans) {
                (Kind::Text(lines), false) => lines.each(prefix, &mut take)?,
                (Kind::Text(lines), true) => lines.scan(prefix, &mut take)?,
                (Kind::ZipNum(blocks), false) => blocks.each(prefix, &mut take)?,
                (Kind::ZipNum(blocks), true) => blocks.scan(prefix, &mut take)?,
                (Kind::Table(table), scans) => table.each(prefix, scans, &mut take)?,
            }
            if !wants_more {
                break;
            }
        }
        Ok(found)
    }
}

impl Line<'_> {
    /// The line as one object of JSON: its key and time as `urlkey` and `timestamp`, then its own members.
    pub fn to_json(&self) -> String {
        let (key, timestamp) = (serde_json::Value::from(self.key), self.timestamp);
        // Without its opening bracket; an object without members leaves nothing.
        let rest = self.fields[1..].trim_start();
        let comma = if rest == "}" { "" } else { ", " };
        format!("{{\"urlkey\": {key}, \"timestamp\": \"{timestamp}\"{comma}{rest}")
    }

    fn of(text: &str) -> Option<Line<'_>> {
        let (key, rest) = text.split_once(' ')?;
        let (timestamp, fields) = rest.split_once(' ')?;
        let fields = fields.trim_end();
        let is_object = || serde_json::from_str::<IgnoredAny>(fields).is_ok();
        (Line::is(text.as_bytes()) && is_object()).then_some(Line { key, timestamp, fields })
    }

    /// Whether a text has the form of a line; the text between its brackets is not checked.
    fn is(line: &[u8]) -> bool {
        let mut parts = line.splitn(3, |&b| b == b' ');
        let (Some(_), Some(time), Some(fields)) = (parts.next(), parts.next(), parts.next()) else {
            return false;
        };
        is_time(time) && fields.starts_with(b"{") && fields.trim_ascii_end().ends_with(b"}")
    }
}

/// Whether a text is a time of an index: fourteen digits, and up to three more for milliseconds.
fn is_time(text: &[u8]) -> bool {
    matches!(text.len(), 14..=17) && text.iter().all(u8::is_ascii_digit)
}
