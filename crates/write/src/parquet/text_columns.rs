//! The text columns of an open row group, in order: pages that workers made from batches follow each other, and rows
//! that are too few for a page, or cut off by the end of a row group, are gathered.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrow_array::{Array, ArrayRef};
use parquet::errors::ParquetError;

use super::deferred_pages::{DeferredPage, PageSlot};
use super::dictionary::{Dictionary, DictionaryPage};
use super::layout::TextLayout;
use super::page::OpenPage;
use super::page_maker::{EncodedColumn, PageMaker, Pages};
use super::statistics::Bounds;
use super::text_chunk::TextChunk;
use super::text_sizes::plain_bytes;

/// A text column of the row group that is open.
pub(crate) struct TextColumn {
    maker: Arc<PageMaker>,
    column: usize,
    /// `None` after the end of the dictionary.
    dictionary: Option<Dictionary>,
    dictionary_page: Option<DictionaryPage>,
    finished: Vec<PageSlot>,
    open: OpenPage,
    /// The bounds of the open page.
    bounds: Option<Bounds>,
}

impl TextColumn {
    /// A column, if `maker` makes its pages.
    pub(crate) fn of(maker: &Arc<PageMaker>, column: usize) -> Option<Self> {
        let known = maker.columns[column].as_ref()?;
        let (has_nulls, TextLayout { dictionary, statistics }) = (known.has_nulls(), known.layout);
        known.is_plain.store(!dictionary, Ordering::Relaxed);
        Some(TextColumn {
            maker: Arc::clone(maker),
            column,
            dictionary: dictionary
                .then(|| Dictionary::new(has_nulls, statistics, known.is_utf8, maker.limits)),
            dictionary_page: None,
            finished: Vec::new(),
            open: maker.open_page(has_nulls),
            bounds: None,
        })
    }

    /// Adds the rows `from..to` of a batch's column, from which a worker made `share`: its pages are those of all rows
    /// still to come. Pages that are full go to `late`.
    pub(crate) fn write(
        &mut self,
        array: &ArrayRef,
        (from, to): (usize, usize),
        share: &mut EncodedColumn,
        late: &mut Vec<DeferredPage>,
    ) -> Result<(), ParquetError> {
        let maker = Arc::clone(&self.maker);
        if let Some(dictionary) = &mut self.dictionary {
            if let EncodedColumn::Pages(_) = share {
                // The worker assumed the previous row group, whose dictionary had ended.
                *share = EncodedColumn::DictionaryIndices(maker.numbers(array)?);
            }
            if let EncodedColumn::DictionaryIndices(numbers) = share
                && numbers.bytes() <= maker.limits.dictionary
            {
                let finished = &mut self.finished;
                dictionary.write(array, numbers, (from, to), |dictionary| {
                    let (page, slot) = DeferredPage::of_numbers(&maker, dictionary.close_page());
                    late.push(page);
                    finished.push(slot);
                });
                return if dictionary.has_outgrown() { self.close_dictionary(late) } else { Ok(()) };
            }
            self.close_dictionary(late)?;
        }
        if let (EncodedColumn::DictionaryIndices(_), Some(column)) = (&share, &maker.columns[self.column]) {
            *share = EncodedColumn::Pages(maker.pages(column, array)?);
        }
        match share {
            EncodedColumn::Pages(pages) => self.write_pages(array, (from, to), pages, late),
            EncodedColumn::DictionaryIndices(_) => Ok(()),
        }
    }

    fn write_pages(
        &mut self,
        array: &ArrayRef,
        (from, to): (usize, usize),
        pages: &mut Pages,
        late: &mut Vec<DeferredPage>,
    ) -> Result<(), ParquetError> {
        let mut at = from;
        while at < to {
            let Some((first, page)) = pages.front() else {
                self.gather(array, (at, to), late);
                return Ok(());
            };
            let (first, end) = (*first, first + page.rows);
            if first == at && end <= to {
                self.finish_page(late);
                self.finished.extend(pages.pop_front().map(|(_, page)| page.into()));
                at = end;
                continue;
            }
            // A page cut by the end of a row group or of a dictionary: the part on this side.
            if at < end {
                self.gather(array, (at, end.min(to)), late);
                at = end.min(to);
            }
            if end <= to {
                pages.pop_front();
            }
        }
        Ok(())
    }

    /// Adds rows to the open page, and finishes it before it has too many.
    fn gather(&mut self, array: &ArrayRef, (mut from, to): (usize, usize), late: &mut Vec<DeferredPage>) {
        let maker = Arc::clone(&self.maker);
        while from < to {
            if self.open.rows() == maker.limits.rows {
                self.finish_page(late);
            }
            let rows = (to - from).min(maker.limits.rows - self.open.rows());
            let rows = array.slice(from, rows);
            let bytes = plain_bytes(&rows);
            if self.open.bytes() + bytes > maker.limits.bytes {
                self.finish_page(late);
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
    }

    /// Closes the open page: the next row begins another.
    fn finish_page(&mut self, late: &mut Vec<DeferredPage>) {
        if self.open.rows() > 0 {
            let TextColumn { maker, finished, open, bounds, .. } = self;
            let next = maker.open_page(open.is_nullable());
            let (page, slot) = DeferredPage::of_values(maker, std::mem::replace(open, next), bounds.take());
            late.push(page);
            finished.push(slot);
        }
    }

    /// From here on values are stored plainly.
    fn close_dictionary(&mut self, late: &mut Vec<DeferredPage>) -> Result<(), ParquetError> {
        let Some(mut dictionary) = self.dictionary.take() else { return Ok(()) };
        if let Some(column) = &self.maker.columns[self.column] {
            column.is_plain.store(true, Ordering::Relaxed);
        }
        let TextColumn { maker, finished, dictionary_page, .. } = self;
        if dictionary.rows() > 0 {
            let (page, slot) = DeferredPage::of_numbers(maker, dictionary.close_page());
            late.push(page);
            finished.push(slot);
        }
        // If the first batch was too large for a dictionary, the chunk has none.
        if !finished.is_empty() {
            *dictionary_page = Some(maker.lend(|tools| dictionary.finish(&mut tools.compressor))?);
        }
        Ok(())
    }

    /// The chunk at the end of the row group; its last page goes to `late`.
    pub(crate) fn close(mut self, late: &mut Vec<DeferredPage>) -> Result<TextChunk, ParquetError> {
        self.close_dictionary(late)?;
        self.finish_page(late);
        let TextColumn { maker, column, dictionary_page: dictionary, finished: pages, open, .. } = self;
        maker.give_back(open);
        Ok(TextChunk { maker, column, dictionary, pages })
    }
}
