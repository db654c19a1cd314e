//! In which order a table's rows come: the arguments of commands that sort.

use std::path::{Path, PathBuf};

use arrow::datatypes::Schema;
use clap::Args;

use super::values::bytes_within;
use crate::error::{Error, Result};
use crate::output::{SortKey, Target};
use crate::sort::{Options, Sorter};

/// How a table is sorted, if it is.
#[derive(Debug, Args)]
pub(super) struct Sorting {
    /// Sort the rows by columns of the table, the first first; COLUMN:desc for the greatest value first. Texts go by
    /// their bytes, nulls come last, equal rows stay in the order of the input
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    sort_by: Vec<String>,

    /// Memory for rows that are sorted, beside some for each thread and for the output; what is more goes to temporary
    /// files
    #[arg(long, value_name = "BYTES", default_value = "512M", value_parser = memory, requires = "sort_by")]
    memory: u64,

    /// Where temporary files go, which have no names and leave nothing behind [default: the directory of the output;
    /// for standard output the system's place for them]
    #[arg(long, value_name = "DIR", requires = "sort_by")]
    temp_dir: Option<PathBuf>,
}

/// What follows a column's name for the greatest value first.
const DESCENDING: &str = ":desc";

fn memory(text: &str) -> Result<u64, String> {
    bytes_within(text, (1 << 20, 1 << 50), "1M up")
}

impl Sorting {
    /// What sorts the rows of `schema` on their way to `target`, and by which columns; `None` where they are not to be
    /// sorted. That temporary files can be made where somebody wants them is sure then.
    pub(super) fn sorter(
        &self,
        schema: &Schema,
        target: &Target,
        threads: usize,
    ) -> Result<Option<(Sorter, Vec<SortKey>)>> {
        if self.sort_by.is_empty() {
            return Ok(None);
        }
        let keys = self.keys(schema)?;
        // Where there is room for the table there is room for its rows, which a small directory in memory may not have.
        let beside = || target.directory().map_or_else(std::env::temp_dir, Path::to_owned);
        let options = Options {
            keys: keys.clone(),
            memory: usize::try_from(self.memory).unwrap_or(usize::MAX),
            temp_dir: self.temp_dir.clone().unwrap_or_else(beside),
            threads,
        };
        let sorter = Sorter::new(schema, &options)?;
        if self.temp_dir.is_some() {
            sorter.check()?;
        }
        Ok(Some((sorter, keys)))
    }

    /// What the file's metadata says of the order; `None` where it is that of the input.
    pub(super) fn metadata(&self) -> Option<(String, String)> {
        (!self.sort_by.is_empty()).then(|| ("urimill.sort_by".to_owned(), self.sort_by.join(",")))
    }

    fn keys(&self, schema: &Schema) -> Result<Vec<SortKey>> {
        let mut keys: Vec<SortKey> = Vec::new();
        for name in &self.sort_by {
            // A field of the input may have a name that ends like that.
            let descending = || name.strip_suffix(DESCENDING).and_then(|name| schema.index_of(name).ok());
            let key = match schema.index_of(name) {
                Ok(column) => Some(SortKey { column, descending: false }),
                Err(_) => descending().map(|column| SortKey { column, descending: true }),
            };
            let Some(key) = key else { return Err(no_column(name, schema)) };
            if keys.iter().any(|other| other.column == key.column) {
                return Err(Error::usage(format!("--sort-by names the column {name:?} twice")));
            }
            keys.push(key);
        }
        Ok(keys)
    }
}

fn no_column(name: &str, schema: &Schema) -> Error {
    let name = name.strip_suffix(DESCENDING).unwrap_or(name);
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    Error::usage(format!(
        "cannot sort by {name:?}: the table has no such column; it has {} (--columns adds others)",
        names.join(", ")
    ))
}
