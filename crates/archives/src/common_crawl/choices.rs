//! The options of Common Crawl's table.

use urimill_columns::batch::Column;

/// Options of Common Crawl's table.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    /// Whether a row that lacks a required value gets the empty string, 0, or 1970-01-01.
    pub fill: bool,
    /// Whether the position of a record in its file, and its length, have 64 bits instead of 32.
    pub wide_offsets: bool,
    /// The column `crawl`, if there is to be one.
    pub crawl: Option<Label>,
    /// The column `subset`, if there is to be one.
    pub subset: Option<Label>,
    /// Columns of urimill's own table that come after.
    pub own: Vec<Column>,
    /// Other fields of the records, after these, followed by the column of faults.
    pub keep: Vec<String>,
}

/// The value of a partition column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Label {
    /// The same in every row.
    Constant(String),
    /// From the file's name; null if the name does not have it: see `columns::of_file`.
    OfFile,
}
