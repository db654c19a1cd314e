//! The formats of tables (Parquet, Arrow): their detection by the first bytes, and the requested columns.

use urimill_base::error::Result;
use urimill_base::option_name::OptionName;

use super::fields::{Field, UriSource};
use super::format_row::{FIELDS, FormatContents, FormatRow, MADE, Sure};
use super::keep::Keep;
use super::{Asked, RecordFormat};

/// The row of Parquet files.
pub const PARQUET_ROW: FormatRow = FormatRow {
    name: "parquet",
    meaning: "Apache Parquet files: tables, whose other columns pass through unchanged",
    contents: FormatContents::Table,
    others: "",
    // Quotes are not part of a table's values, and the option is ignored there.
    takes: &[FIELDS, MADE, &[OptionName::NoQuotes]],
    detect: |first| Sure::Magic.when(kind_of(first) == Some(TableKind::Parquet)),
    reader: |format, asked| Ok(Table::asked(TableKind::Parquet, format, asked)?.into()),
    ..FormatRow::TEXT
};

/// The row of Arrow IPC.
pub const ARROW_ROW: FormatRow = FormatRow {
    name: "arrow",
    meaning: "Arrow IPC files and streams: tables, as with parquet",
    detect: |first| Sure::Magic.when(kind_of(first) == Some(TableKind::Arrow)),
    reader: |format, asked| Ok(Table::asked(TableKind::Arrow, format, asked)?.into()),
    ..PARQUET_ROW
};

/// The requested columns of a table.
#[derive(Debug, Clone, Default)]
pub(crate) struct TableFields {
    /// The URI reference, or the columns that make it: by name or number, or fields of structs as `a.b`.
    pub uri: Option<UriSource>,
    /// Its base.
    pub base: Option<Field>,
    /// The columns that pass through.
    pub keep: Keep,
}

/// The first bytes of a Parquet file, and its last ones.
pub(crate) const PARQUET: &[u8; 4] = b"PAR1";
/// The first bytes of an Arrow file. Two zeros follow, then a stream.
pub(crate) const ARROW_FILE: &[u8; 6] = b"ARROW1";
/// The first bytes of an Arrow stream, and of every message in it.
const ARROW_STREAM: &[u8; 4] = b"\xff\xff\xff\xff";

/// The table format of an input with this beginning, if it is a table.
pub fn kind_of(first: &[u8]) -> Option<TableKind> {
    if first.starts_with(PARQUET) {
        return Some(TableKind::Parquet);
    }
    (first.starts_with(ARROW_FILE) || first.starts_with(ARROW_STREAM)).then_some(TableKind::Arrow)
}

/// A format of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableKind {
    /// A Parquet file.
    Parquet,
    /// A file or stream of Arrow IPC.
    Arrow,
}

/// Tables of this kind, which [`crate::RecordSource`] reads, not a chunker.
#[derive(Debug, Clone)]
pub struct Table {
    name: &'static str,
    pub(crate) kind: TableKind,
    pub(crate) fields: TableFields,
}

impl Table {
    /// A table in memory.
    pub(crate) fn given(asked: &Asked) -> Result<Table> {
        Table::asked(TableKind::Arrow, &ARROW_ROW, asked)
    }

    // If the user does not name the column with the URI, its schema may.
    fn asked(kind: TableKind, format: &FormatRow, asked: &Asked) -> Result<Table> {
        let (uri, base, keep) = (asked.uri.clone(), asked.base_field()?, asked.keep.clone());
        Ok(Table { name: format.name, kind, fields: TableFields { uri, base, keep } })
    }
}

impl RecordFormat for Table {
    fn name(&self) -> &'static str {
        self.name
    }

    fn table(&self) -> Option<&Table> {
        Some(self)
    }

    fn is_text(&self) -> bool {
        false
    }
}
