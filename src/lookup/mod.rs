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
mod query;
mod table;

use std::path::Path;

use crate::error::{Error, Result};
use crate::files;
use blocks::Blocks;
use lines::Lines;
pub use query::{Match, Query};
use table::Table;

/// An index that can be searched.
#[derive(Debug)]
pub struct Lookup(Kind);

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
    /// Fourteen digits.
    pub timestamp: &'a str,
    /// An object of JSON.
    pub fields: &'a str,
}

impl Lookup {
    /// Opens a CDXJ file, a directory of ZipNum, the list of its blocks (`.idx`), or a table that `urimill index` made
    /// (Parquet).
    ///
    /// # Errors
    /// `Io` where a file cannot be opened; `Usage` where it is no such index.
    pub fn open(path: &Path) -> Result<Lookup> {
        let found = files::metadata(path).map_err(|error| Error::path("open", path, error))?;
        if found.is_dir() {
            return Ok(Lookup(Kind::ZipNum(Box::new(Blocks::of_directory(path)?))));
        }
        if path.extension().is_some_and(|end| end == "idx") {
            return Ok(Lookup(Kind::ZipNum(Box::new(Blocks::open(path)?))));
        }
        let mut lines = Lines::open(path)?;
        if lines.is_parquet()? {
            return Ok(Lookup(Kind::Table(Box::new(Table::open(path)?))));
        }
        lines.check_form()?;
        Ok(Lookup(Kind::Text(lines)))
    }

    /// Calls `each` with every line that the query means, in the order of the index, until it answers `false`. Returns
    /// whether there were any.
    ///
    /// # Errors
    /// `Io` and `Data` where the index cannot be read; those of `each`.
    pub fn each(&mut self, query: &Query, mut each: impl FnMut(Line<'_>) -> Result<bool>) -> Result<bool> {
        let mut found = false;
        for prefix in query.prefixes() {
            let mut wants_more = true;
            let mut take = |text: &str, place: &dyn Fn() -> String| -> Result<bool> {
                let line = Line::of(text).ok_or_else(|| {
                    Error::new(
                        crate::error::ErrorKind::Data,
                        format!(
                            "{} is no line of CDXJ: key, fourteen digits, and an object of JSON",
                            place()
                        ),
                    )
                })?;
                if query.has_time(line.timestamp) {
                    found = true;
                    wants_more = each(line)?;
                }
                Ok(wants_more)
            };
            match &mut self.0 {
                Kind::Text(lines) => lines.each(prefix.as_bytes(), &mut take)?,
                Kind::ZipNum(blocks) => blocks.each(prefix.as_bytes(), &mut take)?,
                Kind::Table(table) => table.each(prefix.as_bytes(), &mut take)?,
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
        // Without the bracket that it begins with; of an object without members nothing is left.
        let rest = self.fields[1..].trim_start();
        let comma = if rest == "}" { "" } else { ", " };
        format!("{{\"urlkey\": {key}, \"timestamp\": \"{timestamp}\"{comma}{rest}")
    }

    fn of(text: &str) -> Option<Line<'_>> {
        let (key, rest) = text.split_once(' ')?;
        let (timestamp, fields) = rest.split_once(' ')?;
        let is_time = timestamp.len() == 14 && timestamp.bytes().all(|b| b.is_ascii_digit());
        let fields = fields.trim_end();
        let is_object = fields.starts_with('{') && fields.ends_with('}');
        (is_time && is_object).then_some(Line { key, timestamp, fields })
    }
}
