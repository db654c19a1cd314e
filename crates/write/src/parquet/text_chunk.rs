//! A text column of a finished row group, on its way into the file.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Encoding, EncodingMask, PageType};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, OffsetIndexBuilder, PageEncodingStats};
use parquet::file::writer::SerializedRowGroupWriter;

use super::checksum;
use super::deferred_pages::PageSlot;
use super::dictionary::DictionaryPage;
use super::page::FinishedPage;
use super::page_maker::PageMaker;
use super::statistics::ChunkBounds;
use super::stream::{StandIns, Stream};

/// All pages of a column in one row group.
pub(crate) struct TextChunk {
    pub(super) maker: Arc<PageMaker>,
    pub(super) column: usize,
    pub(super) dictionary: Option<DictionaryPage>,
    pub(super) pages: Vec<PageSlot>,
}

/// The same when all pages are finished.
pub(super) struct FinishedText {
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
    /// # Errors
    /// The fault of a page that is not finished.
    pub(super) fn finish(self) -> Result<FinishedText, ParquetError> {
        let TextChunk { maker, column, mut dictionary, pages } = self;
        let mut pages = pages.into_iter().map(PageSlot::into_page).collect::<Result<Vec<_>, _>>()?;
        if maker.has_checksums {
            dictionary.iter_mut().for_each(|page| seal(&mut page.header, &mut page.plain_bytes, &page.body));
            pages.iter_mut().for_each(|page| seal(&mut page.header, &mut page.plain_bytes, &page.body));
        }
        Ok(FinishedText { maker, column, dictionary, pages })
    }
}

/// Adds the checksum of a page to its header.
fn seal(header: &mut Vec<u8>, plain_bytes: &mut usize, body: &[u8]) {
    let before = header.len();
    checksum::add(header, body);
    *plain_bytes += header.len() - before;
}

impl FinishedText {
    /// Bytes in the file.
    pub(super) fn bytes(&self) -> u64 {
        let own = self.dictionary.as_ref().map_or(0, |page| page.header.len() + page.body.len());
        (own + self.pages.iter().map(FinishedPage::bytes).sum::<usize>()) as u64
    }

    /// Writes the pages and their metadata, as the parquet crate's own column writers do. `place` is the offset of
    /// these bytes in the file.
    pub(super) fn append_to_row_group(
        self,
        place: Range<u64>,
        stream: &Stream,
        row_group: &mut SerializedRowGroupWriter<'_, Stream>,
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
        stream.put(place, self.into_pieces());
        row_group.append_column(&StandIns, close)
    }

    /// The number of pages of each kind, the dictionary's first, then in order.
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

    /// The bytes, in order.
    fn into_pieces(self) -> Vec<Bytes> {
        let own = self.dictionary.map(|page| (page.header, page.body));
        let pages = own.into_iter().chain(self.pages.into_iter().map(|page| (page.header, page.body)));
        pages.flat_map(|(header, body)| [header.into(), body]).collect()
    }
}
