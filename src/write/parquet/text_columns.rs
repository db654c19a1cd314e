//! Text columns on their way into a Parquet file: pages and dictionary indices are made from a batch in its worker;
//! rows that are too few for a page, or cut by the end of a row group, are gathered in order.
//!
//! Which rows share a page depends on the batches and the bounds of row groups alone, not on the workers.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::ArrayRef;
use arrow_schema::Schema;
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, EncodingMask, PageType};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, OffsetIndexBuilder, PageEncodingStats};
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::writer::SerializedRowGroupWriter;
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};

use super::Shared;
use super::codec::Compressor;
use super::dictionary::{Dictionary, DictionaryIndices, DictionaryPage, MOST_BYTES, Numberer};
use super::layout::{TextLayout, text_layout};
use super::levels::MOST_PAGE_ROWS;
use super::page::{FinishedPage, OpenPage};
use super::statistics::{Bounds, ChunkBounds, is_utf8};
use crate::free_list::FreeList;
use crate::write::sizes::{VALIDITY_ROWS, each_validity_word, plain_bytes};
use crate::write::{PageLimits, SinkOptions};

/// A batch's share of a column gets pages of its own from this part of a page on: smaller pages compress worse, and
/// compared with the codec's work their rows are cheap to gather.
const OWN_PAGES: usize = 4;

/// Makes pages; the workers share it.
pub(in crate::write) struct PageMaker {
    /// The columns whose pages are made here.
    columns: Vec<Option<Column>>,
    codec: Compression,
    limits: PageLimits,
    tools: FreeList<Tools>,
}

struct Column {
    descriptor: ColumnDescPtr,
    layout: TextLayout,
    is_utf8: bool,
    /// Whether the dictionary of the open row group has ended, as far as is known: it guides what workers make from the
    /// next batches.
    is_plain: AtomicBool,
}

struct Tools {
    page: OpenPage,
    compressor: Compressor,
    numberer: Numberer,
}

/// Pages of some rows of a batch, in order, each with the number of its first row in the batch.
pub(in crate::write) type Pages = VecDeque<(usize, FinishedPage)>;

/// What a worker makes from a batch's column.
#[derive(Debug)]
pub(in crate::write) enum EncodedColumn {
    /// Pages, none of them too small.
    Pages(Pages),
    /// The numbers of all its values.
    DictionaryIndices(DictionaryIndices),
}

impl PageMaker {
    /// For the columns of `schema`, which Parquet has as `leaves`, and the options of its file.
    pub(in crate::write) fn new(
        schema: &Schema,
        leaves: &SchemaDescriptor,
        codec: Compression,
        options: &SinkOptions,
    ) -> Self {
        let mut columns: Vec<_> = schema.fields().iter().map(|_| None).collect();
        for leaf in 0..leaves.num_columns() {
            let column = leaves.get_column_root_idx(leaf);
            let field = schema.field(column);
            columns[column] = text_layout(schema, column, &options.sorting).map(|layout| Column {
                descriptor: leaves.column(leaf),
                layout,
                is_utf8: is_utf8(field.data_type()),
                is_plain: AtomicBool::new(!layout.dictionary),
            });
        }
        let PageLimits { bytes, rows } = options.pages;
        let limits = PageLimits { bytes, rows: rows.min(MOST_PAGE_ROWS) };
        PageMaker { columns, codec, limits, tools: FreeList::new(usize::MAX) }
    }

    /// Encodes each column of a batch, where possible.
    pub(in crate::write) fn shares(&self, columns: &[ArrayRef]) -> Result<Vec<EncodedColumn>, ParquetError> {
        let columns = columns.iter().zip(&self.columns);
        columns
            .map(|(array, column)| match column {
                Some(column) if column.is_plain.load(Ordering::Relaxed) => {
                    self.pages(column, array).map(EncodedColumn::Pages)
                }
                Some(_) => self.numbers(array).map(EncodedColumn::DictionaryIndices),
                None => Ok(EncodedColumn::Pages(Pages::new())),
            })
            .collect()
    }

    fn numbers(&self, array: &ArrayRef) -> Result<DictionaryIndices, ParquetError> {
        self.lend(|tools| Ok(tools.numberer.number(array)))
    }

    fn pages(&self, column: &Column, array: &ArrayRef) -> Result<Pages, ParquetError> {
        let mut pages = Pages::new();
        let cuts = cuts(array, self.limits);
        if cuts.is_empty() {
            return Ok(pages);
        }
        self.lend(|Tools { page, compressor, .. }| {
            page.set_nullable(column.has_nulls());
            let mut from = 0;
            for (end, bytes) in cuts {
                let rows = array.slice(from, end - from);
                page.append(&rows, bytes);
                pages.push_back((from, page.finish(column.bounds(&rows), compressor)?));
                from = end;
            }
            Ok(pages)
        })
    }

    fn lend<R>(&self, work: impl FnOnce(&mut Tools) -> Result<R, ParquetError>) -> Result<R, ParquetError> {
        let make = || -> Result<Tools, ParquetError> {
            let (page, compressor) = (OpenPage::new(false), Compressor::new(self.codec)?);
            Ok(Tools { page, compressor, numberer: Numberer::default() })
        };
        let mut tools = self.tools.take().map_or_else(make, Ok)?;
        let done = work(&mut tools)?;
        // After an error they are not used again.
        self.tools.give(tools);
        Ok(done)
    }
}

impl Column {
    fn has_nulls(&self) -> bool {
        self.descriptor.max_def_level() > 0
    }

    fn bounds(&self, rows: &ArrayRef) -> Option<Bounds> {
        if self.layout.statistics { Bounds::of(rows) } else { None }
    }
}

/// Where the pages of an array end, and the bytes of the values in each: pages of similar size, near the limit, so
/// that none is a small rest. Empty if the values are too few.
fn cuts(array: &ArrayRef, limits: PageLimits) -> Vec<(usize, usize)> {
    let pieces = pieces(array, limits.bytes);
    let all: usize = pieces.iter().map(|(_, bytes)| bytes).sum();
    if all < limits.bytes / OWN_PAGES {
        return Vec::new();
    }
    let pages = ((all + limits.bytes / 2) / limits.bytes).max(1);
    let share = all.div_ceil(pages);
    let mut cuts = Vec::with_capacity(pages);
    let (mut from, mut row, mut before, mut bytes, mut target) = (0, 0, 0, 0, share);
    for (end, more) in pieces {
        if row > from && (before + bytes + more / 2 > target || end - from > limits.rows) {
            cuts.push((row, bytes));
            before += bytes;
            (from, bytes) = (row, 0);
            // The next whole share, unless that would leave hardly a page.
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

/// The units that stay together: a stretch, which is quicker to count than rows, or a single huge row. Each with the
/// number of the row after it and the bytes of its values.
fn pieces(array: &ArrayRef, page_bytes: usize) -> Vec<(usize, usize)> {
    let mut pieces = Vec::with_capacity(array.len().div_ceil(VALIDITY_ROWS));
    let mut from = 0;
    each_validity_word(array, |values, bytes| {
        let end = array.len().min(from + VALIDITY_ROWS);
        if bytes > page_bytes {
            pieces.extend((from..end).map(|row| (row + 1, plain_bytes(&array.slice(row, 1)))));
        } else {
            pieces.push((end, 4 * values + bytes));
        }
        from = end;
    });
    pieces
}

/// A text column of the row group that is open.
pub(in crate::write) struct TextColumn {
    maker: Arc<PageMaker>,
    column: usize,
    /// `None` once the dictionary has ended.
    dictionary: Option<Dictionary>,
    dictionary_page: Option<DictionaryPage>,
    finished: Vec<FinishedPage>,
    open: OpenPage,
    /// The bounds of the open page.
    bounds: Option<Bounds>,
}

impl TextColumn {
    /// A column, if `maker` makes its pages.
    pub(in crate::write) fn of(maker: &Arc<PageMaker>, column: usize) -> Option<Self> {
        let known = maker.columns[column].as_ref()?;
        let (has_nulls, TextLayout { dictionary, statistics }) = (known.has_nulls(), known.layout);
        known.is_plain.store(!dictionary, Ordering::Relaxed);
        Some(TextColumn {
            maker: Arc::clone(maker),
            column,
            dictionary: dictionary
                .then(|| Dictionary::new(has_nulls, statistics, known.is_utf8, maker.limits.rows)),
            dictionary_page: None,
            finished: Vec::new(),
            open: OpenPage::new(has_nulls),
            bounds: None,
        })
    }

    /// Adds the rows `from..to` of a batch's column, from which a worker made `share`: its pages are those of all rows
    /// still to come.
    pub(in crate::write) fn write(
        &mut self,
        array: &ArrayRef,
        (from, to): (usize, usize),
        share: &mut EncodedColumn,
    ) -> Result<(), ParquetError> {
        let maker = Arc::clone(&self.maker);
        if let Some(dictionary) = &mut self.dictionary {
            if let EncodedColumn::Pages(_) = share {
                // The worker assumed the row group before, whose dictionary had ended.
                *share = EncodedColumn::DictionaryIndices(maker.numbers(array)?);
            }
            if let EncodedColumn::DictionaryIndices(numbers) = share
                && numbers.bytes() <= MOST_BYTES
            {
                dictionary.write(array, numbers, (from, to), |dictionary| {
                    self.finished.push(maker.lend(|tools| dictionary.finish_page(&mut tools.compressor))?);
                    Ok(())
                })?;
                return if dictionary.has_outgrown() { self.close_dictionary() } else { Ok(()) };
            }
            self.close_dictionary()?;
        }
        if let (EncodedColumn::DictionaryIndices(_), Some(column)) = (&share, &maker.columns[self.column]) {
            *share = EncodedColumn::Pages(maker.pages(column, array)?);
        }
        match share {
            EncodedColumn::Pages(pages) => self.write_pages(array, (from, to), pages),
            EncodedColumn::DictionaryIndices(_) => Ok(()),
        }
    }

    fn write_pages(
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
            // A page cut by the end of a row group or of a dictionary: the part on this side.
            if at < end {
                self.gather(array, (at, end.min(to)))?;
                at = end.min(to);
            }
            if end <= to {
                pages.pop_front();
            }
        }
        Ok(())
    }

    /// Adds rows to the open page, and finishes it before it has too many.
    fn gather(&mut self, array: &ArrayRef, (mut from, to): (usize, usize)) -> Result<(), ParquetError> {
        let maker = Arc::clone(&self.maker);
        while from < to {
            if self.open.rows() == maker.limits.rows {
                self.finish_page()?;
            }
            let rows = (to - from).min(maker.limits.rows - self.open.rows());
            let rows = array.slice(from, rows);
            let bytes = plain_bytes(&rows);
            if self.open.bytes() + bytes > maker.limits.bytes {
                self.finish_page()?;
            }
            self.open.append(&rows, bytes);
            let more = maker.columns[self.column].as_ref().and_then(|column| column.bounds(&rows));
            match (&mut self.bounds, more) {
                (Some(bounds), Some(more)) => bounds.add(&more),
                (None, more) => self.bounds = more,
                (Some(_), None) => {}
            }
            from += rows.len();
        }
        Ok(())
    }

    fn finish_page(&mut self) -> Result<(), ParquetError> {
        if self.open.rows() > 0 {
            let TextColumn { maker, finished, open, bounds, .. } = self;
            finished.push(maker.lend(|tools| open.finish(bounds.take(), &mut tools.compressor))?);
        }
        Ok(())
    }

    /// From here on values are stored plainly.
    fn close_dictionary(&mut self) -> Result<(), ParquetError> {
        let Some(mut dictionary) = self.dictionary.take() else { return Ok(()) };
        if let Some(column) = &self.maker.columns[self.column] {
            column.is_plain.store(true, Ordering::Relaxed);
        }
        let TextColumn { maker, finished, dictionary_page, .. } = self;
        maker.lend(|tools| {
            if dictionary.rows() > 0 {
                finished.push(dictionary.finish_page(&mut tools.compressor)?);
            }
            // If the first batch was too large for a dictionary, the chunk has none.
            if !finished.is_empty() {
                *dictionary_page = Some(dictionary.finish(&mut tools.compressor)?);
            }
            Ok(())
        })
    }

    /// The chunk at the end of the row group.
    pub(in crate::write) fn close(mut self) -> Result<TextChunk, ParquetError> {
        self.close_dictionary()?;
        self.finish_page()?;
        let TextColumn { maker, column, dictionary_page: dictionary, finished: pages, .. } = self;
        Ok(TextChunk { maker, column, dictionary, pages })
    }
}

/// All pages of a column in one row group.
pub(in crate::write) struct TextChunk {
    maker: Arc<PageMaker>,
    column: usize,
    dictionary: Option<DictionaryPage>,
    pages: Vec<FinishedPage>,
}

impl std::fmt::Debug for TextChunk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextChunk").field("column", &self.column).finish_non_exhaustive()
    }
}

impl TextChunk {
    /// Writes the pages and their metadata, as the parquet crate's own column writers do.
    pub(in crate::write) fn append_to_row_group(
        self,
        row_group: &mut SerializedRowGroupWriter<'_, Shared>,
    ) -> Result<(), ParquetError> {
        let Some(column) = &self.maker.columns[self.column] else { return Ok(()) };
        let mut index = OffsetIndexBuilder::new();
        let mut bounds = ChunkBounds::new();
        let (first, mut plain_bytes) = match &self.dictionary {
            Some(page) => (page.header.len() + page.body.len(), page.plain_bytes),
            None => (0, 0),
        };
        let (mut bytes, mut rows) = (first, 0);
        for page in &self.pages {
            // Relative to the start of the chunk: appending it moves these.
            index.append_offset_and_size(bytes as i64, page.bytes() as i32);
            index.append_row_count(page.rows as i64);
            index.append_unencoded_byte_array_data_bytes(Some(page.value_bytes as i64));
            bounds.page(page.bounds.as_ref(), page.nulls);
            bytes += page.bytes();
            plain_bytes += page.plain_bytes;
            rows += page.rows;
        }
        let encodings = self.encodings();
        let kinds = encodings.iter().map(|statistics| statistics.encoding).chain([Encoding::RLE]);
        let mut metadata = ColumnChunkMetaData::builder(column.descriptor.clone())
            .set_compression(self.maker.codec)
            .set_encodings_mask(EncodingMask::new_from_encodings(kinds.collect::<Vec<_>>().iter()))
            .set_page_encoding_stats(encodings)
            .set_total_compressed_size(bytes as i64)
            .set_total_uncompressed_size(plain_bytes as i64)
            .set_num_values(rows as i64)
            .set_dictionary_page_offset(self.dictionary.as_ref().map(|_| 0))
            .set_data_page_offset(first as i64);
        let mut column_index = None;
        if column.layout.statistics {
            let (statistics, index) = bounds.finish()?;
            metadata = metadata.set_statistics(statistics);
            column_index = Some(index);
        }
        let close = ColumnCloseResult {
            bytes_written: bytes as u64,
            rows_written: rows as u64,
            metadata: metadata.build()?,
            bloom_filter: None,
            column_index,
            offset_index: Some(index.build()),
        };
        row_group.append_column(&InMemory(&self), close)
    }

    /// How many pages there are of each kind, the dictionary's first, then in order.
    fn encodings(&self) -> Vec<PageEncodingStats> {
        let own = self.dictionary.as_ref().map(|_| (PageType::DICTIONARY_PAGE, Encoding::PLAIN));
        let data = self.pages.iter().map(|page| (PageType::DATA_PAGE, page.encoding));
        let mut found: Vec<PageEncodingStats> = Vec::new();
        for (page_type, encoding) in own.into_iter().chain(data) {
            match found.last_mut() {
                Some(last) if last.page_type == page_type && last.encoding == encoding => last.count += 1,
                _ => found.push(PageEncodingStats { page_type, encoding, count: 1 }),
            }
        }
        found
    }

    /// The bytes of the chunk, in order.
    fn parts(&self) -> impl Iterator<Item = &[u8]> {
        let own = self.dictionary.iter().flat_map(|page| [&page.header[..], &page.body[..]]);
        own.chain(self.pages.iter().flat_map(|page| [&page.header[..], &page.body[..]]))
    }
}

/// Pages as the reader that the parquet crate copies a chunk from.
struct InMemory<'a>(&'a TextChunk);

impl Length for InMemory<'_> {
    fn len(&self) -> u64 {
        self.0.parts().map(|part| part.len() as u64).sum()
    }
}

impl<'a> ChunkReader for InMemory<'a> {
    type T = Box<dyn Read + 'a>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        let mut reader = Parts { parts: self.0.parts(), rest: &[] };
        io::copy(&mut reader.by_ref().take(start), &mut io::sink())?;
        Ok(Box::new(reader))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let mut bytes = Vec::with_capacity(length);
        self.get_read(start)?.take(length as u64).read_to_end(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// Slices read one after another.
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
