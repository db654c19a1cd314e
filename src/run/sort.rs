//! The order of a table's rows: the keys by name, the sorter, and the file metadata about it.

use std::path::{Path, PathBuf};

use arrow_schema::Schema;
use urimill_base::error::{Error, Result, did_you_mean};
use urimill_base::option_name::OptionName;
use urimill_pipeline::sort::{Options, Sorter};
use urimill_write::{SinkOptions, SortKey};

use super::budget::Budget;
use super::conversion::Conversion;

/// The suffix of a column's name for descending order.
const DESCENDING: &str = ":desc";

/// Whether a key names another column than `column`.
pub(super) fn is_other(key: &str, column: &str) -> bool {
    key.strip_suffix(DESCENDING).unwrap_or(key) != column
}

impl Conversion {
    /// The sorter of rows of `schema` and its sort columns: partition columns first, so that partitions come one after
    /// the other. Temporary files go `beside` the output, if that has a directory. `None` if rows are not to be sorted;
    /// otherwise temporary files can be created where the caller wants them.
    pub(super) fn sorter(
        &self,
        schema: &Schema,
        budget: Budget,
        beside: Option<&Path>,
        threads: usize,
    ) -> Result<Option<(Sorter, Vec<SortKey>)>> {
        if self.sort_by.is_empty() {
            return Ok(None);
        }
        let keys = self.sort_keys(schema)?;
        let divide = self.partition_by.iter().filter_map(|name| schema.index_of(name).ok());
        let mut all: Vec<_> = divide.map(|column| SortKey { column, descending: false }).collect();
        let dividing = all.len();
        let others =
            keys.iter().filter(|key| !all[..dividing].iter().any(|other| other.column == key.column));
        let others: Vec<_> = others.copied().collect();
        all.extend(others);
        // A disk with space for the table has space for its rows; a small directory in memory may not.
        let beside = || match beside {
            Some(path) if path == Path::new("") => PathBuf::from("."),
            Some(path) => path.to_owned(),
            None => std::env::temp_dir(),
        };
        let options = Options {
            keys: all,
            dividing,
            memory: budget.waiting(),
            temp_dir: self.common.temp_dir.clone().unwrap_or_else(beside),
            threads,
        };
        let sorter = Sorter::new(schema, &options)?;
        if self.common.temp_dir.is_some() {
            sorter.check()?;
        }
        Ok(Some((sorter, keys)))
    }

    /// The options of the sink of rows with the columns of `schema`, in their order.
    pub(super) fn sorted_sink_options(&self, schema: &Schema, options: &SinkOptions) -> Result<SinkOptions> {
        let sorting = self.sort_keys(schema)?;
        let mut options = options.clone();
        if !sorting.is_empty() {
            options.metadata.push(("urimill.sort_by".to_owned(), self.sort_by.join(",")));
        }
        Ok(SinkOptions { sorting, ..options })
    }

    fn sort_keys(&self, schema: &Schema) -> Result<Vec<SortKey>> {
        let mut keys: Vec<SortKey> = Vec::new();
        for name in &self.sort_by {
            // A field of the input may have a name with this end.
            let descending = || name.strip_suffix(DESCENDING).and_then(|name| schema.index_of(name).ok());
            let key = match schema.index_of(name) {
                Ok(column) => Some(SortKey { column, descending: false }),
                Err(_) => descending().map(|column| SortKey { column, descending: true }),
            };
            let Some(key) = key else { return Err(no_column(name, schema)) };
            if keys.iter().any(|other| other.column == key.column) {
                return Err(Error::usage(format!(
                    "{} names the column {name:?} twice",
                    OptionName::SortBy.named()
                )));
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
        "cannot sort by {name:?}: the table has no such column{}; it has {} ({} adds others)",
        did_you_mean(name, names.iter().copied()),
        names.join(", "),
        OptionName::Columns.named()
    ))
}
