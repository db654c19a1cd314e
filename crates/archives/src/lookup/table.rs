//! An index as a table: Parquet that is sorted by its column `urlkey`. Only the pages that may have the rows are read.

use std::path::{Path, PathBuf};

use arrow_array::{Array, RecordBatch, StringArray};
use serde_json::Value;
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::option_name::OptionName;
use urimill_read::guarded;

use super::lines::{Take, open_file};
use super::sorted_file::{SortedFile, texts};

/// The members of a line that the table has, in their order, and its columns.
const MEMBERS: [(&str, &str); 11] = [
    ("url", "url"),
    ("mime", "mime"),
    ("mime-detected", "mime_detected"),
    ("status", "status"),
    ("digest", "digest"),
    ("length", "length"),
    ("offset", "offset"),
    ("filename", "filename"),
    ("requestBody", "request_body"),
    ("method", "method"),
    ("redirect", "redirect"),
];

/// The table.
pub(super) struct Table {
    file: SortedFile,
    path: PathBuf,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Table {
    pub(super) fn open(path: &Path, memory: u64) -> Result<Table> {
        let file = open_file(path)?;
        let name = path.display().to_string();
        let file = SortedFile::open(file, &name, usize::try_from(memory).unwrap_or(usize::MAX))?;
        let named = |column: usize| file.schema().fields().get(column).map(|field| field.name().as_str());
        if (named(0), named(1)) != (Some("urlkey"), Some("timestamp")) || !file.says_sorted() {
            return Err(Error::usage(format!(
                "{name} cannot be searched: it is no table that begins with the columns urlkey and timestamp and is \
                 sorted by them; urimill index with {} makes such tables",
                OptionName::OutputFormat.with("parquet")
            )));
        }
        // A table that urimill wrote has all columns; one that lacks a column is damaged.
        let names: Vec<_> = file.schema().fields().iter().map(|field| field.name().as_str()).collect();
        let is_later = |name: &str| matches!(name, "method" | "request_body");
        let lost = MEMBERS.iter().find(|(_, name)| !names.contains(name) && !is_later(name));
        if let Some((_, lost)) = lost.filter(|_| file.has_entry("urimill.like")) {
            return Err(Error::new(ErrorKind::Data, format!("cannot read {name}: it has no column {lost}")));
        }
        Ok(Table { file, path: path.to_owned() })
    }

    /// Calls `take` with a line for each row whose line of CDXJ would begin with `prefix`; with `scan`, all rows are
    /// examined.
    pub(super) fn each(&mut self, prefix: &[u8], scans: bool, take: &mut Take<'_>) -> Result<()> {
        let damaged = |what: String| {
            Error::new(ErrorKind::Data, format!("cannot read {}: {what}", self.path.display()))
        };
        // A line has a space after its key.
        let (key, is_whole) = match prefix {
            [key @ .., b' '] => (key, true),
            key => (key, false),
        };
        let fits = |own: &[u8]| own == key || !is_whole && own.starts_with(key);
        let found = match scans {
            true => std::iter::once(0..self.file.all()).collect(),
            false => self.file.find(key, fits).map_err(damaged)?,
        };
        if found.is_empty() {
            return Ok(());
        }
        let columns: Vec<_> =
            ["urlkey", "timestamp"].into_iter().chain(MEMBERS.map(|(_, name)| name)).collect();
        let mut batches = self.file.rows(&found, &columns).map_err(damaged)?;
        let place = || format!("a row of {}", self.path.display());
        while let Some(batch) = guarded(|| batches.next().transpose()).map_err(damaged)? {
            let rows = Rows::of(&batch).map_err(damaged)?;
            for row in 0..batch.num_rows() {
                if fits(rows.keys.value(row).as_bytes()) {
                    if !take(&rows.line(row), &place)? {
                        return Ok(());
                    }
                } else if !scans {
                    return Err(damaged("the rows of its columns do not belong together".to_owned()));
                }
            }
        }
        Ok(())
    }
}

/// The columns of a batch.
struct Rows {
    keys: StringArray,
    timestamps: StringArray,
    members: Vec<(&'static str, StringArray)>,
}

impl Rows {
    fn of(batch: &RecordBatch) -> Result<Rows, String> {
        let mut members = Vec::new();
        for (member, name) in MEMBERS.iter().filter(|(_, name)| batch.column_by_name(name).is_some()) {
            members.push((*member, texts(batch, name)?));
        }
        Ok(Rows { keys: texts(batch, "urlkey")?, timestamps: texts(batch, "timestamp")?, members })
    }

    /// The row as a line of CDXJ.
    fn line(&self, row: usize) -> String {
        let mut line = format!("{} {} ", self.keys.value(row), self.timestamps.value(row));
        let mut separator = "{";
        for (member, column) in self.members.iter().filter(|(_, column)| column.is_valid(row)) {
            line.push_str(separator);
            separator = ", ";
            line.push_str(&format!("\"{member}\": {}", Value::from(column.value(row))));
        }
        line.push_str(if separator == "{" { "{}" } else { "}" });
        line
    }
}
