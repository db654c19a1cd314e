//! In which order a table's rows come: the arguments of commands that sort.

use std::path::{Path, PathBuf};

use arrow::datatypes::Schema;
use clap::Args;

use super::layout::Layout;
use crate::batch::Column;
use crate::error::{Error, Result};
use crate::output::{SinkOptions, SortKey};
use crate::sort::{Options, Sorter};

/// How a table is sorted, if it is.
#[derive(Debug, Args)]
pub(super) struct Sorting {
    /// Sort the rows by columns of the table, the first first; COLUMN:desc for the greatest value first. Texts go by
    /// their bytes, nulls come last, equal rows stay in the order of the input
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    sort_by: Vec<String>,

    /// Where temporary files go, which have no names and leave nothing behind [default: the directory of the output;
    /// for standard output the system's place for them]
    #[arg(long, value_name = "DIR", requires = "sort_by")]
    temp_dir: Option<PathBuf>,
}

/// What follows a column's name for the greatest value first.
const DESCENDING: &str = ":desc";

impl Sorting {
    /// Whether rows are sorted.
    pub(super) fn sorts(&self) -> bool {
        !self.sort_by.is_empty()
    }

    /// Whether there is another column among the keys.
    pub(super) fn needs_more_than(&self, column: Column) -> bool {
        let name = |key: &str| key.strip_suffix(DESCENDING).unwrap_or(key) == column.as_str();
        !self.sort_by.iter().all(|key| name(key))
    }

    /// What sorts the rows of `schema`, and by which columns: those that divide a directory first, so that one
    /// partition comes behind the other. Temporary files go `beside` the output, where that has a place. `None` where
    /// rows are not to be sorted; else it is sure that temporary files can be made where somebody wants them.
    pub(super) fn sorter(
        &self,
        schema: &Schema,
        layout: &Layout,
        beside: Option<&Path>,
        threads: usize,
    ) -> Result<Option<(Sorter, Vec<SortKey>)>> {
        if !self.sorts() {
            return Ok(None);
        }
        let keys = self.keys(schema)?;
        let divide = layout.partition_by().iter().filter_map(|name| schema.index_of(name).ok());
        let mut all: Vec<_> = divide.map(|column| SortKey { column, descending: false }).collect();
        let dividing = all.len();
        all.extend(
            keys.iter()
                .filter(|key| !all.iter().any(|other| other.column == key.column))
                .copied()
                .collect::<Vec<_>>(),
        );
        // Where there is room for the table there is room for its rows, which a small directory in memory may not have.
        let beside = || match beside {
            Some(path) if path == Path::new("") => PathBuf::from("."),
            Some(path) => path.to_owned(),
            None => std::env::temp_dir(),
        };
        let options = Options {
            keys: all,
            dividing,
            memory: layout.budget(threads).waiting(),
            temp_dir: self.temp_dir.clone().unwrap_or_else(beside),
            threads,
        };
        let sorter = Sorter::new(schema, &options)?;
        if self.temp_dir.is_some() {
            sorter.check()?;
        }
        Ok(Some((sorter, keys)))
    }

    /// What the sink of rows with the columns of `schema` is told.
    pub(super) fn declared(&self, schema: &Schema, options: &SinkOptions) -> Result<SinkOptions> {
        let keys = self.keys(schema)?;
        Ok(if keys.is_empty() { options.clone() } else { self.told(options, &keys) })
    }

    /// The same for rows sorted by `keys`.
    pub(super) fn told(&self, options: &SinkOptions, keys: &[SortKey]) -> SinkOptions {
        let mut metadata = options.metadata.clone();
        metadata.push(("urimill.sort_by".to_owned(), self.sort_by.join(",")));
        SinkOptions { sorting: keys.to_vec(), metadata, ..options.clone() }
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
