//! Selections of columns, and the schemas made from them.

use std::sync::Arc;

use arrow_schema::{Field, Schema, SchemaRef};
use urimill_base::error::Result;

use super::column::Column;

use Column::*;

/// An ordered selection of columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns(Vec<Column>);

impl Default for Columns {
    /// The default table.
    fn default() -> Self {
        Columns(Column::ALL[..Column::DEFAULT].to_vec())
    }
}

impl Columns {
    /// Creates a selection of exactly these columns.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Columns(columns.into_iter().collect())
    }

    /// Parses a list of names, separated by commas: `host,path` selects exactly these; with `+` or `-` before every
    /// name, the default table plus or minus these (`+offset,-raw`).
    ///
    /// # Errors
    /// Usage, if a name is unknown or occurs twice, or nothing is left.
    pub fn parse(list: &str) -> Result<Self> {
        Self::default().changed(list)
    }

    /// Returns the default table for records with bases: with [`Column::Base`].
    pub fn default_with_bases() -> Self {
        Self::default().union(&Columns::new([Base]))
    }

    /// Does the same as [`Columns::parse`], with these columns as the default.
    ///
    /// # Errors
    /// The same.
    pub fn changed(self, list: &str) -> Result<Self> {
        let names: Vec<&str> = list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        let relative = names.iter().filter(|name| name.starts_with(['+', '-'])).count();
        if relative > 0 && relative < names.len() {
            return Err(urimill_base::error::Error::usage(
                "names with + or - change the default table: use a sign for all names or for none",
            ));
        }
        let mut columns = if relative > 0 { self.0 } else { Vec::new() };
        for name in names {
            let column = Column::find(name.trim_start_matches(['+', '-']))?;
            if name.starts_with('-') {
                columns.retain(|&other| other != column);
            } else if !columns.contains(&column) {
                columns.push(column);
            } else if relative == 0 {
                return Err(urimill_base::error::Error::usage(format!("the column {name:?} is named twice")));
            }
        }
        if columns.is_empty() {
            return Err(urimill_base::error::Error::usage("a table needs at least one column"));
        }
        Ok(Columns(columns))
    }

    /// Returns the columns of the table of rejects: the position of each record, its text and the reason.
    pub fn rejects() -> Self {
        Columns(vec![Source, Record, Offset, Uri, Error, ErrorOffset, RawBytes])
    }

    /// Returns the column `uri` and the positions of its components.
    pub fn positions() -> Self {
        Columns(vec![Uri, SchemeEnd, HostStart, HostEnd, PathStart, PathEnd, QueryEnd])
    }

    /// Returns the column `uri` and its components.
    pub fn components() -> Self {
        Columns(vec![Uri, Scheme, Userinfo, Host, Port, Path, Query, Fragment])
    }

    /// Returns these columns, followed by those of `others` that are not among them.
    pub fn union(&self, others: &Columns) -> Self {
        let more = others.iter().filter(|&column| !self.contains(column));
        Columns(self.iter().chain(more).collect())
    }

    /// Returns the position of `column` in the selection.
    pub fn position(&self, column: Column) -> Option<usize> {
        self.0.iter().position(|&other| other == column)
    }

    /// Returns the columns, in order.
    pub fn iter(&self) -> impl Iterator<Item = Column> + '_ {
        self.0.iter().copied()
    }

    /// Returns whether one of the columns depends on the public suffix list.
    pub fn use_suffix_list(&self) -> bool {
        self.iter()
            .any(|column| matches!(column, PublicSuffix | RegisteredDomain | PrivateSuffix | PrivateDomain))
    }

    /// Returns whether one of the columns depends on flags.
    pub fn have_flags(&self) -> bool {
        self.contains(Flags) || self.contains(FlagNames)
    }

    /// Returns whether `column` is selected.
    pub fn contains(&self, column: Column) -> bool {
        self.0.contains(&column)
    }

    /// Returns the schema of the batches.
    pub fn schema(&self) -> SchemaRef {
        let field = |column: Column| Field::new(column.as_str(), column.data_type(), column.is_nullable());
        Arc::new(Schema::new(self.iter().map(field).collect::<Vec<_>>()))
    }
}
