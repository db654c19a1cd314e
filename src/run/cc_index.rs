//! The schema of a table: urimill's, or that of Common Crawl's columnar index, and the fields that it needs from the
//! inputs.

use std::fmt;
use std::str::FromStr;

use urimill_archives::common_crawl;
use urimill_archives::common_crawl::{Choices, Label};
use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;
use urimill_columns::batch::{Column, Columns, ExtraColumns};
use urimill_read::format::Keep;
use urimill_uri::canonical::Canonical;

use super::input_format::InputOptions;
use super::setting::{Setting, Settings};

/// The schema that a table has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum TableSchema {
    /// urimill's own table.
    #[default]
    Urimill,
    /// The table of Common Crawl's columnar index, for existing queries
    CcIndex,
}

impl TableSchema {
    /// Both.
    pub const ALL: [TableSchema; 2] = [TableSchema::Urimill, TableSchema::CcIndex];

    /// The name of the schema.
    pub const fn name(self) -> &'static str {
        match self {
            TableSchema::Urimill => "table",
            TableSchema::CcIndex => "cc-index",
        }
    }
}

impl fmt::Display for TableSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for TableSchema {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        TableSchema::ALL.into_iter().find(|schema| schema.name() == name).ok_or_else(|| {
            let names = TableSchema::ALL.map(TableSchema::name).join(" or ");
            Error::usage(format!("there is no {} {name:?}: use {names}", OptionName::Schema.named()))
        })
    }
}

/// The options about Common Crawl's table.
#[derive(Debug, Clone, Default)]
pub(super) struct SchemaOptions {
    pub(super) schema: TableSchema,
    pub(super) fill: bool,
    pub(super) wide_offsets: bool,
    pub(super) crawl: Option<String>,
    pub(super) subset: Option<String>,
}

/// The error for inputs that are tables, which do not fit this schema.
pub(super) fn of_tables() -> Error {
    Error::usage(format!(
        "cc-index takes logs, indexes, archives and lists, not tables: drop {}",
        OptionName::Schema.named()
    ))
}

impl Settings for SchemaOptions {
    fn put(&mut self, setting: &Setting) -> Result<bool> {
        match setting.option() {
            OptionName::Schema => self.schema = setting.parsed()?,
            OptionName::Fill => self.fill = setting.is_on()?,
            OptionName::WideOffsets => self.wide_offsets = setting.is_on()?,
            OptionName::Crawl => self.crawl = Some(setting.text()?),
            OptionName::Subset => self.subset = Some(setting.text()?),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl SchemaOptions {
    /// Whether it is Common Crawl's.
    pub(super) fn is_cc_index(&self) -> bool {
        self.schema == TableSchema::CcIndex
    }

    /// Whether a record without a value for a required column fails the run.
    pub(super) fn is_strict(&self) -> bool {
        self.is_cc_index() && !self.fill
    }

    /// The choices for Common Crawl's table, without the fields, and with the additions of `columns`. `divide` are the
    /// partition columns: the index is partitioned by crawl and subset, which then are columns of the table.
    ///
    /// # Errors
    /// Usage, if the list does not add to the table, or a name is unknown.
    pub(super) fn choices(
        &self,
        columns: Option<&str>,
        divide: &[String],
        canonical: Option<Canonical>,
    ) -> Result<Choices> {
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
                        "the columns of {} are fixed: {} only adds others, each with + before its name, and \
                         {name:?} has none",
                        OptionName::Schema.with("cc-index"),
                        OptionName::Columns.named()
                    )));
                }
            }
        }
        let mut own: Vec<Column> =
            if own.is_empty() { Vec::new() } else { Columns::parse(&own.join(","))?.iter().collect() };
        if canonical.is_some() && !own.contains(&Column::Canonical) {
            own.push(Column::Canonical);
        }
        let SchemaOptions { fill, wide_offsets, .. } = *self;
        Ok(Choices { fill, wide_offsets, crawl, subset, own, keep: Vec::new() })
    }

    /// The fields of the records that the table needs, or that the caller asks for.
    ///
    /// Usage, if the format lacks a field for a required column; for a format that is still unknown the check comes
    /// later.
    pub(super) fn keep(&self, input: &InputOptions) -> Result<Keep> {
        let format = input.asked_format();
        if format.is_table() {
            return Err(of_tables());
        }
        if !format.is_detected {
            common_crawl::check(format.name(), self.fill)?;
        }
        Ok(match (&input.keep, format) {
            (Some(keep), _) if keep.is_all() => Keep::All,
            // If the format is detected it may have known fields; if fields must be named, it has none.
            (_, format) if format.is_detected && !input.names_fields() => Keep::All,
            (asked, _) => {
                let mut names: Vec<String> = Vec::new();
                let more = match asked {
                    Some(Keep::Names(names)) => names.as_slice(),
                    _ => &[],
                };
                for name in common_crawl::needed(format.name()).map(str::to_owned).chain(more.iter().cloned())
                {
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
                if names.is_empty() { Keep::None } else { Keep::Names(names) }
            }
        })
    }

    /// The names of the format's fields that the caller asks for.
    pub(super) fn visible(asked: Option<&Keep>, format: &str, read: &ExtraColumns) -> Vec<String> {
        let all = || read.fields().iter().map(|field| field.name.clone()).collect();
        match asked {
            None | Some(Keep::None) => Vec::new(),
            Some(Keep::Names(names)) if common_crawl::needed(format).next().is_some() => names.clone(),
            // If the table needs no fields, only those asked for were read.
            Some(_) => all(),
        }
    }
}
