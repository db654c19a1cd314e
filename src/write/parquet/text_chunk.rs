//! A text column of a finished row group, on its way into the file.

use std::io::{self, Read};
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Encoding, EncodingMask, PageType};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, OffsetIndexBuilder, PageEncodingStats};
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::writer::SerializedRowGroupWriter;

use super::Shared;
use super::dictionary::DictionaryPage;
use super::late::PageSlot;
use super::page::FinishedPage;
use super::page_maker::PageMaker;
use super::statistics::ChunkBounds;

/// All pages of a column in one row group.
pub(in crate::write) struct TextChunk {
    pub(super) maker: Arc<PageMaker>,
    pub(super) column: usize,
    pub(super) dictionary: Option<DictionaryPage>,
    pub(super) pages: Vec<PageSlot>,
}

/// The same when all pages are finished.
struct ChunkPages {
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
        let TextChunk { maker, column, dictionary, pages } = self;
        let Some(column) = &maker.columns[column] else { return Ok(()) };
        let pages = pages.into_iter().map(PageSlot::into_page).collect::<Result<_, _>>()?;
        let chunk = ChunkPages { dictionary, pages };
        let mut index = OffsetIndexBuilder::new();
        let mut bounds = ChunkBounds::new();
        let (first, mut plain_bytes) = match &chunk.dictionary {
            Some(page) => (page.header.len() + page.body.len(), page.plain_bytes),
            None => (0, 0),
        };
        let (mut bytes, mut rows) = (first, 0);
        for page in &chunk.pages {
            // Relative to the start of the chunk: appending it moves these.
            index.append_offset_and_size(bytes as i64, page.bytes() as i32);
            index.append_row_count(page.rows as i64);
            index.append_unencoded_byte_array_data_bytes(Some(page.value_bytes as i64));
            bounds.page(page.bounds.as_ref(), page.nulls);
            bytes += page.bytes();
            plain_bytes += page.plain_bytes;
            rows += page.rows;
        }
        let encodings = chunk.encodings();
        let kinds = encodings.iter().map(|statistics| statistics.encoding).chain([Encoding::RLE]);
        let mut metadata = ColumnChunkMetaData::builder(column.descriptor.clone())
            .set_compression(maker.codec)
            .set_encodings_mask(EncodingMask::new_from_encodings(kinds.collect::<Vec<_>>().iter()))
            .set_page_encoding_stats(encodings)
            .set_total_compressed_size(bytes as i64)
            .set_total_uncompressed_size(plain_bytes as i64)
            .set_num_values(rows as i64)
            .set_dictionary_page_offset(chunk.dictionary.as_ref().map(|_| 0))
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
        row_group.append_column(&InMemory(&chunk), close)
    }
}

impl ChunkPages {
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
struct InMemory<'a>(&'a ChunkPages);

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
