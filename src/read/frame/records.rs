//! The records of a chunk, as its format finds them.

use super::Chunk;
use crate::batch::Records;
use crate::error::Result;
use crate::read::format::framing::ChunkText;
use crate::read::format::{Format, PageReader};

impl Format {
    /// Finds at most `most` records of a chunk that begin at `from` or after; returns where the first one not taken
    /// begins. `records` must be empty. In a plain list there is nothing to find: everything is taken.
    ///
    /// A chunk without its whole record ([`Chunk::overlong`]) is not for this.
    pub fn read(&self, chunk: &Chunk, from: usize, most: usize, records: &mut Records) -> usize {
        self.find(&chunk.text(), (from, most), records)
    }

    /// The same, with what the worker keeps of a record that has more rows than a batch.
    ///
    /// # Errors
    /// `Io`, where a temporary file cannot be written or read.
    pub fn read_rows(
        &self,
        chunk: &Chunk,
        place: (usize, usize),
        pages: &mut PageReader,
        records: &mut Records,
    ) -> Result<usize> {
        self.find_rows(&chunk.text(), place, pages, records)
    }
}

impl Chunk {
    fn text(&self) -> ChunkText<'_> {
        ChunkText {
            bytes: &self.bytes,
            len: self.len,
            header: self.header,
            comments: self.comments_before_header(),
            layout: &self.layout,
            last_line: self.last_line,
            framed_records: &self.framed_records,
            file_name: self.file_name.as_deref(),
            first_record: self.first_record,
        }
    }
}
