//! An index as a table, Parquet that is sorted by its column `urlkey`: of the file those pages are read that may have
//! the rows.

use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use arrow_array::{Array, BooleanArray, RecordBatch, StringArray};
use arrow_cast::cast;
use arrow_schema::DataType;
use arrow_select::filter::filter_record_batch;
use serde_json::Value;

use super::lines::Take;
use crate::error::{Error, ErrorKind, Result};
use crate::files::File;
use crate::option_name::OptionName;
use crate::read::{SortedFile, guarded};

/// The members of a line that the table has, in their order, and its columns.
const MEMBERS: [(&str, &str); 9] = [
    ("url", "url"),
    ("mime", "mime"),
    ("mime-detected", "mime_detected"),
    ("status", "status"),
    ("digest", "digest"),
    ("length", "length"),
    ("offset", "offset"),
    ("filename", "filename"),
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
    pub(super) fn open(path: &Path) -> Result<Table> {
        let file = File::open(path).map_err(|error| Error::path("open", path, error))?;
        let name = path.display().to_string();
        let file = SortedFile::open(file, &name)
            .map_err(|what| Error::new(ErrorKind::Data, format!("cannot read {name}: {what}")))?;
        let named = |column: usize| file.schema().fields().get(column).map(|field| field.name().as_str());
        if (named(0), named(1)) != (Some("urlkey"), Some("timestamp")) || !file.says_sorted() {
            return Err(Error::usage(format!(
                "{name} cannot be searched: it is no table that begins with the columns urlkey and timestamp and is \
                 sorted by them; urimill index with {} makes such tables",
                OptionName::OutputFormat.with("parquet")
            )));
        }
        Ok(Table { file, path: path.to_owned() })
    }

    /// Calls `take` with a line for each row whose line of CDXJ would begin with `prefix`.
    pub(super) fn each(&mut self, prefix: &[u8], take: &mut Take<'_>) -> Result<()> {
        let damaged = |what: String| {
            Error::new(ErrorKind::Data, format!("cannot read {}: {what}", self.path.display()))
        };
        // A line has a space behind its key.
        let (key, is_whole) = match prefix {
            [key @ .., b' '] => (key, true),
            key => (key, false),
        };
        let columns: Vec<_> =
            ["urlkey", "timestamp"].into_iter().chain(MEMBERS.map(|(_, name)| name)).collect();
        let mut batches = self.file.rows(key, &columns).map_err(damaged)?;
        while let Some(batch) = guarded(|| batches.next().transpose()).map_err(damaged)? {
            // Few rows of a page fit, and only those become texts. Each is compared: that they are in order is only what
            // the file says of itself.
            let keys = text(&batch, "urlkey").and_then(needed("urlkey")).map_err(damaged)?;
            let fits = |own: &[u8]| own == key || !is_whole && own.starts_with(key);
            let fitting: BooleanArray =
                keys.iter().map(|own| Some(own.is_some_and(|own| fits(own.as_bytes())))).collect();
            let found = filter_record_batch(&batch, &fitting).map_err(|error| damaged(error.to_string()))?;
            let rows = Rows::of(&found).map_err(damaged)?;
            let place = || format!("a row of {}", self.path.display());
            for row in 0..found.num_rows() {
                if !take(&rows.line(row), &place)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// A column as texts; `None` where there is no such column.
fn text(batch: &RecordBatch, name: &str) -> Result<Option<StringArray>, String> {
    let Some(column) = batch.column_by_name(name) else { return Ok(None) };
    let text = cast(column, &DataType::Utf8).map_err(|error| error.to_string())?;
    Ok(Some(text.as_string::<i32>().clone()))
}

fn needed(name: &str) -> impl Fn(Option<StringArray>) -> Result<StringArray, String> {
    move |column| column.ok_or_else(|| format!("it has no column {name}"))
}

/// The columns of a batch.
struct Rows {
    keys: StringArray,
    timestamps: StringArray,
    members: Vec<(&'static str, StringArray)>,
}

impl Rows {
    fn of(batch: &RecordBatch) -> Result<Rows, String> {
        let column = |name: &str| text(batch, name).and_then(needed(name));
        let mut members = Vec::new();
        for (member, name) in MEMBERS {
            members.extend(text(batch, name)?.map(|column| (member, column)));
        }
        Ok(Rows { keys: column("urlkey")?, timestamps: column("timestamp")?, members })
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
