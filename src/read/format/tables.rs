//! Tables (Parquet, Arrow) among the formats: how they are told by their first bytes, and which columns are asked for.

use super::RecordFormat;
use super::fields::{Field, UriSource};
use super::keep::Keep;

/// Which columns of a table are asked for.
#[derive(Debug, Clone, Default)]
pub struct TableFields {
    /// The URI reference, or what it is made of: columns by name or number, or fields of structs as `a.b`.
    pub uri: Option<UriSource>,
    /// What it stands against.
    pub base: Option<Field>,
    /// What passes through.
    pub keep: Keep,
}

/// The first bytes of a Parquet file, and its last ones.
pub(in crate::read) const PARQUET: &[u8; 4] = b"PAR1";
/// The first bytes of an Arrow file. Two zeros follow, then a stream.
pub(in crate::read) const ARROW_FILE: &[u8; 6] = b"ARROW1";
/// The first bytes of an Arrow stream: what every message of it begins with.
const ARROW_STREAM: &[u8; 4] = b"\xff\xff\xff\xff";

/// Whether something that begins so is a table, and which.
pub(in crate::read) fn kind_of(first: &[u8]) -> Option<TableKind> {
    if first.starts_with(PARQUET) {
        return Some(TableKind::Parquet);
    }
    (first.starts_with(ARROW_FILE) || first.starts_with(ARROW_STREAM)).then_some(TableKind::Arrow)
}

/// A format of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableKind {
    Parquet,
    Arrow,
}

/// Tables of this kind, which [`crate::read::RecordSource`] reads, not a chunker.
#[derive(Debug, Clone)]
pub struct Table {
    kind: TableKind,
    fields: TableFields,
}

impl Table {
    pub(in crate::read) fn of(kind: TableKind, fields: TableFields) -> Table {
        Table { kind, fields }
    }

    /// Parquet files, with these columns.
    pub fn parquet(fields: TableFields) -> Table {
        Table { kind: TableKind::Parquet, fields }
    }

    /// Arrow IPC files and streams, with these columns.
    pub fn arrow(fields: TableFields) -> Table {
        Table { kind: TableKind::Arrow, fields }
    }
}

impl RecordFormat for Table {
    fn name(&self) -> &'static str {
        match self.kind {
            TableKind::Parquet => "parquet",
            TableKind::Arrow => "arrow",
        }
    }

    fn table(&self) -> Option<(TableKind, TableFields)> {
        Some((self.kind, self.fields.clone()))
    }

    fn has_lines(&self) -> bool {
        false
    }

    fn is_text(&self) -> bool {
        false
    }

    fn is_judged(&self) -> bool {
        false
    }
}
