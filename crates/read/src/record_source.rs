//! The input of a run: chunks of bytes, or rows of tables. The beginning of the input decides which.

use std::ops::Deref;

use urimill_base::error::Result;
use urimill_columns::batch::ExtraColumns;

use super::format::{Asked, Format};
use super::frame::{Chunk, Chunker};
use super::source::Source;
use super::table::{GivenTable, TableMorsel, Tables};

/// Hands out the input, in order.
#[derive(Debug)]
pub enum RecordSource {
    /// Records that have to be found in bytes.
    Chunks(Box<Chunks>),
    /// Records that are the rows of tables.
    Tables(Box<Tables>),
}

/// A chunker whose input has begun: its format is known, and is not a table.
#[derive(Debug)]
pub struct Chunks(Chunker);

/// A piece of the input that a worker can take on its own.
#[derive(Debug)]
pub enum Morsel {
    /// Records in a buffer.
    Chunk(Box<Chunk>),
    /// Rows of a table.
    Table(TableMorsel),
}

impl Deref for Chunks {
    type Target = Chunker;

    fn deref(&self) -> &Chunker {
        &self.0
    }
}

impl Chunks {
    /// The next chunk, `None` after the last one and after an error.
    ///
    /// # Errors
    /// The errors of [`decompress::open`](super::decode::open) and [`Reader::read`](super::Reader::read).
    pub fn next_chunk(&mut self) -> Result<Option<Chunk>> {
        self.0.next_chunk()
    }
}

impl Chunker {
    /// Reads the beginning of the input, to learn what must be known before any record is read: the format, the fields,
    /// and whether the input is a table.
    ///
    /// # Errors
    /// The errors of [`RecordSource::next_morsel`]; usage, if the input is not what was requested: an unknown format, a
    /// table without a column.
    pub fn begin(mut self) -> Result<RecordSource> {
        self.look_at_first()?;
        Ok(match self.format().table().cloned() {
            None => RecordSource::Chunks(Box::new(Chunks(self))),
            Some(table) => RecordSource::Tables(Box::new(Tables::begun(self.into_table_source(), table)?)),
        })
    }
}

impl RecordSource {
    /// The rows of a table in memory, as if they were in a file of Arrow IPC.
    ///
    /// # Errors
    /// Usage, if the table lacks a requested column.
    pub fn of_table(given: GivenTable, asked: &Asked) -> Result<RecordSource> {
        Ok(RecordSource::Tables(Box::new(Tables::of_given(given, asked)?)))
    }

    /// The next piece, `None` after the last one and after an error.
    ///
    /// # Errors
    /// The errors of [`Chunks::next_chunk`]; for tables `Data`, if they are damaged, and usage, if one lacks columns of
    /// the first.
    pub fn next_morsel(&mut self) -> Result<Option<Morsel>> {
        match self {
            RecordSource::Chunks(chunks) => {
                Ok(chunks.next_chunk()?.map(|chunk| Morsel::Chunk(Box::new(chunk))))
            }
            RecordSource::Tables(tables) => Ok(tables.next_morsel()?.map(Morsel::Table)),
        }
    }

    /// The format.
    pub fn format(&self) -> &Format {
        match self {
            RecordSource::Chunks(chunks) => chunks.format(),
            RecordSource::Tables(tables) => tables.format(),
        }
    }

    /// The fields beside the URI that pass through.
    pub fn extra_columns(&self) -> ExtraColumns {
        match self {
            RecordSource::Chunks(chunks) => chunks.extra_columns(),
            RecordSource::Tables(tables) => tables.extra_columns(),
        }
    }

    /// The sources, which pieces refer to by number.
    pub fn sources(&self) -> &[Source] {
        match self {
            RecordSource::Chunks(chunks) => chunks.sources(),
            RecordSource::Tables(tables) => tables.sources(),
        }
    }
}
