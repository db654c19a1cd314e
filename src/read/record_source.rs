//! What a run reads: chunks of bytes, or rows of tables. The wall between formats whose records have to be found and
//! those that have them in columns; behind it `pipeline` takes either, piece by piece.

use super::format::Format;
use super::frame::{Chunk, Chunker};
use super::source::Source;
use super::table::{TablePiece, Tables};
use crate::batch::Kept;
use crate::error::Result;

/// Hands out the input, in order.
#[derive(Debug)]
pub struct Feed(Inner);

#[derive(Debug)]
// There is one a run, so that its size costs nothing.
#[allow(clippy::large_enum_variant)]
enum Inner {
    Chunks(Box<Chunker>),
    Tables { format: Format, tables: Box<Tables> },
}

/// A piece of the input, that a worker can take on its own.
#[derive(Debug)]
pub enum Piece {
    /// Records in a buffer.
    Chunk(Chunk),
    /// Rows of a table.
    Table(TablePiece),
}

impl From<Chunker> for Feed {
    fn from(chunker: Chunker) -> Feed {
        Feed(Inner::Chunks(Box::new(chunker)))
    }
}

impl Feed {
    /// Looks at the beginning of the input for what has to be known before any record is read: from here on
    /// [`Feed::format`] and [`Feed::kept`] are those of the records. Once is enough.
    ///
    /// # Errors
    /// Those of [`Feed::next_piece`]; usage, where the input is not what was asked for: a format that cannot be made
    /// out, a table without a column.
    pub fn begin(&mut self) -> Result<()> {
        if let Inner::Chunks(chunker) = &mut self.0 {
            chunker.begin()?;
            let format = chunker.format().clone();
            if let Some(table) = format.table() {
                let tables = Box::new(Tables::new(chunker.give_up()?, table));
                self.0 = Inner::Tables { format, tables };
            }
        }
        match &mut self.0 {
            Inner::Chunks(_) => Ok(()),
            Inner::Tables { tables, .. } => tables.begin(),
        }
    }

    /// The next piece, `None` behind the last one and after an error.
    ///
    /// # Errors
    /// Those of [`Chunker::next_chunk`]; of tables `Data`, where they are damaged, and usage, where one lacks columns
    /// of the first.
    pub fn next_piece(&mut self) -> Result<Option<Piece>> {
        match &mut self.0 {
            Inner::Chunks(chunker) => Ok(chunker.next_chunk()?.map(Piece::Chunk)),
            Inner::Tables { tables, .. } => Ok(tables.next_piece()?.map(Piece::Table)),
        }
    }

    /// The format.
    pub fn format(&self) -> &Format {
        match &self.0 {
            Inner::Chunks(chunker) => chunker.format(),
            Inner::Tables { format, .. } => format,
        }
    }

    /// Whether the input is tables.
    pub fn is_table(&self) -> bool {
        matches!(self.0, Inner::Tables { .. })
    }

    /// The fields beside the URI that pass through.
    pub fn kept(&self) -> Kept {
        match &self.0 {
            Inner::Chunks(chunker) => chunker.kept(),
            Inner::Tables { tables, .. } => tables.kept(),
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
