//! Text columns on their way into a Parquet file: what a batch can make pages of is made in its worker; what is
//! too little, or is cut by the end of a row group, is gathered in order.
//!
//! Which rows share a page depends on the batches and the bounds of row groups alone, not on the workers.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::Schema;
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, EncodingMask, PageType};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, OffsetIndexBuilder, PageEncodingStats};
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::writer::SerializedRowGroupWriter;
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};

use super::SortKey;
use super::parquet::Shared;
use super::parquet_codec::{Compressor, Pool};
use super::parquet_layout::{PAGE_BYTES, PAGE_ROWS, has_pages_of_its_own};
use super::parquet_pages::{FinishedPage, OpenPage, STRETCH, each_stretch, plain_bytes};

/// A batch's share of a column makes pages of its own from this many bytes on: pages of less compress worse, and
/// beside the codec's work their rows cost little to gather.
const OWN_PAGES: usize = PAGE_BYTES / 4;

/// Makes pages; the workers share it.
pub(super) struct PageMaker {
    /// The columns that get their pages from here.
    columns: Vec<Option<ColumnDescPtr>>,
    codec: Compression,
    tools: Pool<Tools>,
}

struct Tools {
    page: OpenPage,
    compressor: Compressor,
}

/// Pages of some rows of a batch, in order, each with the number of its first row in the batch.
pub(super) type Pages = VecDeque<(usize, FinishedPage)>;

impl PageMaker {
    /// For the columns of `schema`, which Parquet has as `leaves`, and rows sorted by `sorting`.
    pub(super) fn new(
        schema: &Schema,
        leaves: &SchemaDescriptor,
        codec: Compression,
        sorting: &[SortKey],
    ) -> Self {
        let mut columns = vec![None; schema.fields().len()];
        for leaf in 0..leaves.num_columns() {
            let column = leaves.get_column_root_idx(leaf);
            if has_pages_of_its_own(schema, column, sorting) {
                columns[column] = Some(leaves.column(leaf));
            }
        }
        PageMaker { columns, codec, tools: Pool::new() }
    }

    /// The pages of each column of a batch that come to enough bytes. None for the others.
    pub(super) fn pages(&self, columns: &[ArrayRef]) -> Result<Vec<Pages>, ParquetError> {
        let columns = columns.iter().zip(&self.columns);
        columns
            .map(|(array, column)| match column {
                Some(column) => self.column(array, has_nulls(column)),
                None => Ok(Pages::new()),
            })
            .collect()
    }

    fn column(&self, array: &ArrayRef, nullable: bool) -> Result<Pages, ParquetError> {
        let mut pages = Pages::new();
        let cuts = cuts(array);
        if cuts.is_empty() {
            return Ok(pages);
        }
        self.lend(|Tools { page, compressor }| {
            page.set_nullable(nullable);
            let mut from = 0;
            for (end, bytes) in cuts {
                page.append(&array.slice(from, end - from), bytes);
                pages.push_back((from, page.finish(compressor)?));
                from = end;
            }
            Ok(pages)
        })
    }

    fn lend<R>(&self, work: impl FnOnce(&mut Tools) -> Result<R, ParquetError>) -> Result<R, ParquetError> {
        let make = || Ok(Tools { page: OpenPage::new(false), compressor: Compressor::new(self.codec)? });
        self.tools.lend(make, work)
    }
}

fn has_nulls(column: &ColumnDescPtr) -> bool {
    column.max_def_level() > 0
}

/// Where the pages of an array end, and the bytes of the values in each: pages of much the same size, which is near
/// [`PAGE_BYTES`], so that none is a small rest. None at all where the values come to too little.
fn cuts(array: &ArrayRef) -> Vec<(usize, usize)> {
    let pieces = pieces(array);
    let all: usize = pieces.iter().map(|(_, bytes)| bytes).sum();
    if all < OWN_PAGES {
        return Vec::new();
    }
    let pages = ((all + PAGE_BYTES / 2) / PAGE_BYTES).max(1);
    let share = all.div_ceil(pages);
    let mut cuts = Vec::with_capacity(pages);
    let (mut from, mut row, mut before, mut bytes, mut target) = (0, 0, 0, 0, share);
    for (end, more) in pieces {
        if row > from && (before + bytes + more / 2 > target || end - from > PAGE_ROWS) {
            cuts.push((row, bytes));
            before += bytes;
            (from, bytes) = (row, 0);
            // The next whole share, unless hardly a page would be left until there.
            while target < before + share / 2 {
                target += share;
            }
        }
        bytes += more;
        row = end;
    }
    cuts.push((row, bytes));
    cuts
}

/// The rows that stay together: a stretch, which is quicker to count than rows, or a row where these are huge. Each
/// with the number of the row behind it and the bytes of its values.
fn pieces(array: &ArrayRef) -> Vec<(usize, usize)> {
    let mut pieces = Vec::with_capacity(array.len().div_ceil(STRETCH));
    let mut from = 0;
    each_stretch(array, |values, bytes| {
        let end = array.len().min(from + STRETCH);
        if bytes > PAGE_BYTES {
            pieces.extend((from..end).map(|row| (row + 1, plain_bytes(&array.slice(row, 1)))));
        } else {
            pieces.push((end, 4 * values + bytes));
        }
        from = end;
    });
    pieces
}

/// A text column of the row group that is open.
pub(super) struct TextColumn {
    maker: Arc<PageMaker>,
    column: ColumnDescPtr,
    finished: Vec<FinishedPage>,
    open: OpenPage,
}

impl TextColumn {
    /// If the column gets its pages from `maker`.
    pub(super) fn of(maker: &Arc<PageMaker>, column: usize) -> Option<Self> {
        let column = maker.columns[column].clone()?;
        let open = OpenPage::new(has_nulls(&column));
        Some(TextColumn { maker: Arc::clone(maker), column, finished: Vec::new(), open })
    }

    /// Takes the rows `from..to` of a batch's column. `pages` are none, or those of all rows of the batch that are
    /// still to come; those that end before `to` are taken from the front.
    pub(super) fn write(
        &mut self,
        array: &ArrayRef,
        (from, to): (usize, usize),
        pages: &mut Pages,
    ) -> Result<(), ParquetError> {
        let mut at = from;
        while at < to {
            let Some((first, page)) = pages.front() else { return self.gather(array, (at, to)) };
            let (first, end) = (*first, first + page.rows);
            if first == at && end <= to {
                self.finish_page()?;
                self.finished.extend(pages.pop_front().map(|(_, page)| page));
                at = end;
                continue;
            }
            // A page that the end of a row group cuts: what of it lies on this side.
            self.gather(array, (at, end.min(to)))?;
            if end <= to {
                pages.pop_front();
            }
            at = end.min(to);
        }
        Ok(())
    }

    /// Puts rows into the open page, and finishes it where it would have too many.
    fn gather(&mut self, array: &ArrayRef, (mut from, to): (usize, usize)) -> Result<(), ParquetError> {
        while from < to {
            if self.open.rows() == PAGE_ROWS {
                self.finish_page()?;
            }
            let rows = (to - from).min(PAGE_ROWS - self.open.rows());
            let rows = array.slice(from, rows);
            let bytes = plain_bytes(&rows);
            if self.open.bytes() + bytes > PAGE_BYTES {
                self.finish_page()?;
            }
            self.open.append(&rows, bytes);
            from += rows.len();
        }
        Ok(())
    }

    fn finish_page(&mut self) -> Result<(), ParquetError> {
        if self.open.rows() > 0 {
            let TextColumn { maker, finished, open, .. } = self;
            finished.push(maker.lend(|tools| open.finish(&mut tools.compressor))?);
        }
        Ok(())
    }

    /// The chunk at the end of the row group.
    pub(super) fn close(mut self) -> Result<TextChunk, ParquetError> {
        self.finish_page()?;
        Ok(TextChunk { column: self.column, pages: self.finished, codec: self.maker.codec })
    }
}

/// All pages of a column in one row group.
#[derive(Debug)]
pub(super) struct TextChunk {
    column: ColumnDescPtr,
    pages: Vec<FinishedPage>,
    codec: Compression,
}

impl TextChunk {
    /// Writes the pages and what the footer is to say of them, as the parquet crate's own column writers do for
    /// columns without statistics.
    pub(super) fn append_to_row_group(
        self,
        row_group: &mut SerializedRowGroupWriter<'_, Shared>,
    ) -> Result<(), ParquetError> {
        let mut index = OffsetIndexBuilder::new();
        let (mut bytes, mut plain_bytes, mut rows) = (0, 0, 0);
        for page in &self.pages {
            // From the beginning of the chunk: appending it moves these.
            index.append_offset_and_size(bytes as i64, page.bytes() as i32);
            index.append_row_count(page.rows as i64);
            index.append_unencoded_byte_array_data_bytes(Some(page.value_bytes as i64));
            bytes += page.bytes();
            plain_bytes += page.plain_bytes;
            rows += page.rows;
        }
        let encodings = [Encoding::PLAIN, Encoding::RLE];
        let statistics = PageEncodingStats {
            page_type: PageType::DATA_PAGE,
            encoding: Encoding::PLAIN,
            count: self.pages.len() as i32,
        };
        let metadata = ColumnChunkMetaData::builder(self.column)
            .set_compression(self.codec)
            .set_encodings_mask(EncodingMask::new_from_encodings(encodings.iter()))
            .set_page_encoding_stats(vec![statistics])
            .set_total_compressed_size(bytes as i64)
            .set_total_uncompressed_size(plain_bytes as i64)
            .set_num_values(rows as i64)
            .set_data_page_offset(0)
            .build()?;
        let close = ColumnCloseResult {
            bytes_written: bytes as u64,
            rows_written: rows as u64,
            metadata,
            bloom_filter: None,
            column_index: None,
            offset_index: Some(index.build()),
        };
        row_group.append_column(&InMemory(&self.pages), close)
    }
}

/// Pages as the reader that the parquet crate copies a chunk from.
struct InMemory<'a>(&'a [FinishedPage]);

impl Length for InMemory<'_> {
    fn len(&self) -> u64 {
        self.0.iter().map(|page| page.bytes() as u64).sum()
    }
}

impl<'a> ChunkReader for InMemory<'a> {
    type T = Box<dyn Read + 'a>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        let parts = self.0.iter().flat_map(|page| [&page.header[..], &page.body[..]]);
        let mut reader = Parts { parts, rest: &[] };
        io::copy(&mut reader.by_ref().take(start), &mut io::sink())?;
        Ok(Box::new(reader))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let mut bytes = Vec::with_capacity(length);
        self.get_read(start)?.take(length as u64).read_to_end(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// Slices read one behind another.
struct Parts<'a, I> {
    parts: I,
    rest: &'a [u8],
}

impl<'a, I: Iterator<Item = &'a [u8]>> Read for Parts<'a, I> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.rest.is_empty() {
            match self.parts.next() {
                Some(part) => self.rest = part,
                None => return Ok(0),
            }
        }
        self.rest.read(out)
    }
}
