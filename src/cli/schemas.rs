//! Whose columns a table has: the arguments that say so, and what they ask of the inputs. Between the command line
//! and the room of other people's tables.

use clap::{Args, ValueEnum};

use super::reading::{From, Reading};
use crate::batch::{Columns, Kept};
use crate::error::{Error, Result};
use crate::input::format::Keep;
use crate::table::{self, Choices, Label};

/// The table's schema.
#[derive(Debug, Args)]
pub(super) struct Schemas {
    /// Whose columns the table has: urimill's, or those of Common Crawl's columnar index
    #[arg(long, value_enum, value_name = "SCHEMA", default_value_t = Schema::Table)]
    schema: Schema,

    /// With --schema cc-index: where a record has no value for a column that must have one, write an empty string, 0
    /// or 1970-01-01
    #[arg(long)]
    fill: bool,

    /// With --schema cc-index: 64 bits for warc_record_offset and warc_record_length
    #[arg(long)]
    wide_offsets: bool,

    /// With --schema cc-index: add the column crawl, with NAME in every row; --columns +crawl or --partition-by crawl
    /// take it from warc_filename
    #[arg(long, value_name = "NAME")]
    crawl: Option<String>,

    /// With --schema cc-index: add the column subset, likewise
    #[arg(long, value_name = "NAME")]
    subset: Option<String>,
}

/// What `--schema` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Schema {
    /// urimill's own table
    Table,
    /// The table of Common Crawl's columnar index, for queries that are written for it
    CcIndex,
}

/// The inputs are tables, and the schema is not for them.
pub(super) fn of_tables() -> Error {
    Error::usage(
        "cc-index is made of logs, indexes and lists: leave --schema away where the inputs are tables",
    )
}

impl Schemas {
    /// Whether it is Common Crawl's.
    pub(super) fn is_cc_index(&self) -> bool {
        self.schema == Schema::CcIndex
    }

    /// Whether every row can stay, whatever its record lacks.
    pub(super) fn fills(&self) -> bool {
        self.fill
    }

    /// # Errors
    /// Usage, where there are options for another schema than the one that is asked for.
    pub(super) fn check(&self) -> Result<()> {
        let given = [
            ("--fill", self.fill),
            ("--wide-offsets", self.wide_offsets),
            ("--crawl", self.crawl.is_some()),
            ("--subset", self.subset.is_some()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) if !self.is_cc_index() => Err(Error::usage(format!(
                "{option} is about Common Crawl's table: say --schema cc-index, or leave it away"
            ))),
            _ => Ok(()),
        }
    }

    /// What is chosen of Common Crawl's table, but for the fields, with what `columns`, a list as `--columns` takes it,
    /// adds. `divide` are the columns that divide a directory: the index is divided by crawl and subset, which are in
    /// the table then.
    ///
    /// # Errors
    /// Usage, where the list does not add to the table, or a name is unknown.
    pub(super) fn choices(&self, columns: Option<&str>, divide: &[String]) -> Result<Choices> {
        let constant = |name: &Option<String>| name.clone().map(Label::Constant);
        let divides = |name: &str| divide.iter().any(|column| column == name).then_some(Label::OfFile);
        let mut crawl = constant(&self.crawl).or_else(|| divides("crawl"));
        let mut subset = constant(&self.subset).or_else(|| divides("subset"));
        let mut own = Vec::new();
        for name in columns.unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty()) {
            match name.strip_prefix('+') {
                Some("crawl") => crawl = crawl.or(Some(Label::OfFile)),
                Some("subset") => subset = subset.or(Some(Label::OfFile)),
                Some(name) => own.push(name),
                None => {
                    return Err(Error::usage(format!(
                        "the columns of cc-index are fixed: --columns adds others behind them, each with + before its \
                         name, and {name:?} has none"
                    )));
                }
            }
        }
        let own = if own.is_empty() { Vec::new() } else { Columns::parse(&own.join(","))?.iter().collect() };
        let Schemas { fill, wide_offsets, .. } = *self;
        Ok(Choices { fill, wide_offsets, crawl, subset, own, keep: Vec::new() })
    }

    /// Which fields of the records the table needs, or the user asks for.
    ///
    /// # Errors
    /// Usage, where the format lacks what columns must have; of an unknown format that comes to light later.
    pub(super) fn keep(&self, reading: &Reading) -> Result<Keep> {
        let from = reading.format_name();
        if matches!(reading.from(), From::Parquet | From::Arrow) {
            return Err(of_tables());
        }
        if reading.from() != From::Auto {
            table::check(&from, self.fill)?;
        }
        Ok(match (reading.asked(), reading.from()) {
            (Some(Keep::All), _) => Keep::All,
            // What it turns out to be may know its fields; where fields have to be named, it does not.
            (_, From::Auto) if !reading.names_fields() => Keep::All,
            (asked, _) => {
                let mut names: Vec<String> = Vec::new();
                let more = match asked {
                    Some(Keep::Names(names)) => names.as_slice(),
                    _ => &[],
                };
                for name in table::needed(&from).map(str::to_owned).chain(more.iter().cloned()) {
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
                if names.is_empty() { Keep::None } else { Keep::Names(names) }
            }
        })
    }

    /// Of the fields that were `kept` of a format those that the user asks for.
    pub(super) fn visible(reading: &Reading, format: &str, kept: &Kept) -> Vec<String> {
        let all = || kept.fields().iter().map(|field| field.name.clone()).collect();
        match reading.asked() {
            None | Some(Keep::None) => Vec::new(),
            Some(Keep::Names(names)) if table::needed(format).next().is_some() => names.clone(),
            // Where the table needs no fields, only those were read that are asked for.
            Some(Keep::Names(_) | Keep::All) => all(),
        }
    }
}
