//! The records of a chunk, as its format finds them.

use super::Chunk;
use crate::batch::Records;
use crate::error::Result;
use crate::read::format::beginning;
use crate::read::format::beginning::MARK;
use crate::read::format::framing::FramedText;
use crate::read::format::{Format, Layout, PageReader, Pages};
use crate::simd::PADDING;

impl Format {
    /// Finds at most `most` records of a chunk that begin at `from` or after; returns where the first one not taken
    /// begins. `records` must be empty. For [`Format::Lines`] there is nothing to find: everything is taken.
    ///
    /// A chunk without its whole record ([`Chunk::overlong`]) is not for this.
    pub fn read(&self, chunk: &Chunk, from: usize, most: usize, records: &mut Records) -> usize {
        let bytes = &chunk.bytes[..chunk.len];
        let next = self.find(chunk, bytes, (from, most), records);
        if next >= chunk.len && matches!(self, Format::Clf(_) | Format::Log(_) | Format::Heritrix(_)) {
            chunk.last_line.apply(bytes, records);
        }
        next
    }

    fn find(
        &self,
        chunk: &Chunk,
        bytes: &[u8],
        (from, most): (usize, usize),
        records: &mut Records,
    ) -> usize {
        match self {
            // Without a look at the beginning it is not known to be anything else.
            Format::Lines | Format::Auto(_) | Format::Parquet(_) | Format::Arrow(_) => chunk.len,
            Format::CommentedLines(comment) => comment.read_lines(bytes, from, most, records),
            Format::Jsonl(format) => format.read(bytes, from, most, records),
            Format::Delimited(format) => {
                if from == chunk.header {
                    (0..chunk.comments_before_header()).for_each(|_| records.push_blank());
                }
                format.read(&chunk.layout, bytes, from, most, records)
            }
            Format::Heritrix(format) => format.read(bytes, from, most, records),
            Format::Cdx(format) => format.read(&chunk.layout, bytes, from, most, records),
            Format::Cdxj(format) => format.read(bytes, from, most, records),
            Format::Clf(format) => format.read(bytes, from, most, records),
            Format::Log(format) => format.read(&chunk.layout, bytes, from, most, records),
            Format::Warc(format) => format.read(&chunk.framed(), from, most, records),
            Format::Framed(format) => format.read(&chunk.framed(), from, most, records),
            Format::CrawlList(format) => format.read(bytes, from, most, records),
            // Its pages are read with what the worker knows of them: see `Chunk::read_pages`.
            Format::Pages(_) => chunk.len,
        }
    }
}

impl Format {
    /// The field with the reference, in a record of which only the beginning is there, and whether all of it is; nothing
    /// where it is not there. For rows and for objects.
    pub(crate) fn field_of_beginning(&self, layout: &Layout, text: &[u8]) -> Option<(Vec<u8>, bool)> {
        let mut made = match self {
            Format::Jsonl(_) | Format::Framed(_) => beginning::object(text),
            Format::Delimited(format) => beginning::row(text, format.rule()),
            _ => return None,
        };
        let len = made.len();
        made.resize(len + PADDING, 0);
        made[len] = b'\n';
        let mut records = Records::default();
        match self {
            Format::Jsonl(format) => drop(format.read(&made[..len], 0, 1, &mut records)),
            Format::Framed(format) => format.read_item(&made[..len], &mut records),
            Format::Delimited(format) => drop(format.read(layout, &made[..len], 0, 1, &mut records)),
            _ => {}
        }
        let mut field = records.only_reference(&made)?.to_vec();
        let is_cut = field.ends_with(MARK.as_bytes());
        if is_cut {
            field.truncate(field.len() - MARK.len());
        }
        Some((field, !is_cut))
    }
}

impl Chunk {
    /// Finds references of the pages in the chunk: see [`PageReader`]. Returns where the first page begins that is not
    /// done.
    ///
    /// # Errors
    /// `Io`, where a temporary file cannot be written or read.
    pub fn read_pages(
        &self,
        pages: &Pages,
        reader: &mut PageReader,
        (from, most): (usize, usize),
        records: &mut Records,
    ) -> Result<usize> {
        reader.read(pages, &self.framed(), (from, most), records)
    }

    fn framed(&self) -> FramedText<'_> {
        let file_name = self.file_name.as_deref();
        let (framed_records, first_record) = (&*self.framed_records, self.first_record);
        FramedText { bytes: &self.bytes, len: self.len, framed_records, file_name, first_record }
    }
}
