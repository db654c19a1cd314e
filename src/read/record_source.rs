//! The input of a run: chunks of bytes, or rows of tables. It hides from `pipeline` whether records have to be found or
//! are in columns.

use super::format::Format;
use super::frame::{Chunk, Chunker};
use super::source::Source;
use super::table::{GivenTable, TableMorsel, Tables};
use crate::batch::ExtraColumns;
use crate::error::{Error, ErrorKind, Result};

/// Hands out the input, in order.
#[derive(Debug)]
pub struct RecordSource(Inner);

#[derive(Debug)]
enum Inner {
    Chunks(Box<Chunker>),
    Tables { format: Format, tables: Box<Tables> },
}

/// A piece of the input, that a worker can take on its own.
#[derive(Debug)]
pub enum Morsel {
    /// Records in a buffer.
    Chunk(Box<Chunk>),
    /// Rows of a table.
    Table(TableMorsel),
}

impl From<Chunker> for RecordSource {
    fn from(chunker: Chunker) -> RecordSource {
        RecordSource(Inner::Chunks(Box::new(chunker)))
    }
}

impl RecordSource {
    /// The rows of a table in memory, as if they stood in a file of `format`, one of tables.
    ///
    /// # Errors
    /// Internal, where the format has no columns.
    pub(crate) fn of_table(given: GivenTable, format: Format) -> Result<RecordSource> {
        let Some(table) = format.table() else {
            return Err(Error::new(ErrorKind::Internal, "a table is of no format of texts"));
        };
        Ok(RecordSource(Inner::Tables { format, tables: Box::new(Tables::of_given(given, table)) }))
    }

    /// Reads the beginning of the input, to learn what must be known before any record is read: from here on
    /// [`RecordSource::format`] and [`RecordSource::extra_columns`] are those of the records. Once is enough.
    ///
    /// # Errors
    /// The errors of [`RecordSource::next_morsel`]; usage, if the input is not what was asked for: an unrecognizable
    /// format, a table without a column.
    pub fn begin(&mut self) -> Result<()> {
        if let Inner::Chunks(chunker) = &mut self.0 {
            chunker.begin()?;
            let format = chunker.format().clone();
            if let Some(table) = format.table() {
                let tables = Box::new(Tables::new(chunker.take_table_source()?, table));
                self.0 = Inner::Tables { format, tables };
            }
        }
        match &mut self.0 {
            Inner::Chunks(_) => Ok(()),
            Inner::Tables { tables, .. } => tables.begin(),
        }
    }

    /// The next piece, `None` after the last one and after an error.
    ///
    /// # Errors
    /// The errors of [`Chunker::next_chunk`]; for tables `Data`, where they are damaged, and usage, where one lacks
    /// columns of the first.
    pub fn next_morsel(&mut self) -> Result<Option<Morsel>> {
        match &mut self.0 {
            Inner::Chunks(chunker) => Ok(chunker.next_chunk()?.map(|chunk| Morsel::Chunk(Box::new(chunk)))),
            Inner::Tables { tables, .. } => Ok(tables.next_morsel()?.map(Morsel::Table)),
        }
    }

    /// The format.
    pub fn format(&self) -> &Format {
        match &self.0 {
            Inner::Chunks(chunker) => chunker.format(),
            Inner::Tables { format, .. } => format,
        }
    }

    /// Whether the format was found out by the beginning of the input.
    pub fn is_detected(&self) -> bool {
        match &self.0 {
            Inner::Chunks(chunker) => chunker.is_detected(),
            Inner::Tables { .. } => false,
        }
    }

    /// Whether the input is tables.
    pub fn is_table(&self) -> bool {
        matches!(self.0, Inner::Tables { .. })
    }

    /// The fields beside the URI that pass through.
    pub fn extra_columns(&self) -> ExtraColumns {
        match &self.0 {
            Inner::Chunks(chunker) => chunker.extra_columns(),
            Inner::Tables { tables, .. } => tables.extra_columns(),
        }
    }

    /// The sources, which pieces count.
    pub fn sources(&self) -> &[Source] {
        match &self.0 {
            Inner::Chunks(chunker) => chunker.sources(),
            Inner::Tables { tables, .. } => tables.sources(),
        }
    }
}
