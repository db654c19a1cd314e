//! Pages and dictionary indices of text columns, made from a batch in its worker, without order.
//!
//! The rows of a page depend only on the batches and the bounds of row groups, not on the workers.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::ArrayRef;
use arrow_schema::Schema;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};
use urimill_base::free_list::FreeList;

use super::codec::Compressor;
use super::dictionary::{DictionaryIndices, Numberer};
use super::layout::{TextLayout, text_layout};
use super::levels::MOST_PAGE_ROWS;
use super::page::{FinishedPage, OpenPage};
use super::statistics::{Bounds, is_utf8};
use super::text_sizes::plain_bytes;
use crate::sizes::{VALIDITY_ROWS, each_validity_word};
use crate::{PageLimits, SinkOptions};

/// A batch's share of a column gets pages of its own from this part of a page on: smaller pages compress worse, and
/// compared with the codec's work their rows are cheap to gather.
const OWN_PAGES: usize = 4;

/// At most this many pages that nobody fills are kept: each has room for a page.
const MOST_OPEN_PAGES: usize = 16;

/// Makes pages; the workers share it.
pub(crate) struct PageMaker {
    /// The columns whose pages are made here.
    pub(super) columns: Vec<Option<Column>>,
    pub(super) codec: Compression,
    pub(super) limits: PageLimits,
    delta_texts: bool,
    /// Whether headers get checksums.
    pub(super) has_checksums: bool,
    tools: FreeList<Tools>,
    /// Pages of columns that were gathered and are finished.
    open_pages: FreeList<OpenPage>,
}

pub(super) struct Column {
    pub(super) descriptor: ColumnDescPtr,
    pub(super) layout: TextLayout,
    pub(super) is_utf8: bool,
    /// Whether the dictionary of the open row group has ended, as far as is known: it decides the workers' results for
    /// the next batches.
    pub(super) is_plain: AtomicBool,
}

pub(super) struct Tools {
    page: OpenPage,
    pub(super) compressor: Compressor,
    numberer: Numberer,
}

/// Pages of some rows of a batch, in order, each with the number of its first row in the batch.
pub(crate) type Pages = VecDeque<(usize, FinishedPage)>;

/// A worker's result for a batch's column.
#[derive(Debug)]
pub(crate) enum EncodedColumn {
    /// Pages, none of them too small.
    Pages(Pages),
    /// The numbers of all its values.
    DictionaryIndices(DictionaryIndices),
}

impl PageMaker {
    /// For the columns of `schema`, which Parquet has as `leaves`, and the options of its file.
    pub(crate) fn new(
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
        let limits = PageLimits { rows: options.pages.rows.min(MOST_PAGE_ROWS), ..options.pages };
        let (tools, open_pages) = (FreeList::new(usize::MAX), FreeList::new(MOST_OPEN_PAGES));
        let SinkOptions { delta_texts, page_checksums: has_checksums, .. } = *options;
        PageMaker { columns, codec, limits, delta_texts, has_checksums, tools, open_pages }
    }

    /// Encodes each column of a batch, where possible.
    pub(crate) fn shares(&self, columns: &[ArrayRef]) -> Result<Vec<EncodedColumn>, ParquetError> {
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

    /// An empty page, to be given back once it is finished.
    pub(super) fn open_page(&self, nullable: bool) -> OpenPage {
        let mut page = self.open_pages.take().unwrap_or_else(|| OpenPage::new(nullable, self.delta_texts));
        page.set_nullable(nullable);
        page
    }

    pub(super) fn give_back(&self, page: OpenPage) {
        self.open_pages.give(page);
    }

    pub(super) fn numbers(&self, array: &ArrayRef) -> Result<DictionaryIndices, ParquetError> {
        self.lend(|tools| Ok(tools.numberer.number(array)))
    }

    pub(super) fn pages(&self, column: &Column, array: &ArrayRef) -> Result<Pages, ParquetError> {
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

    pub(super) fn lend<R>(
        &self,
        work: impl FnOnce(&mut Tools) -> Result<R, ParquetError>,
    ) -> Result<R, ParquetError> {
        let make = || -> Result<Tools, ParquetError> {
            let (page, compressor) = (OpenPage::new(false, self.delta_texts), Compressor::new(self.codec)?);
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
    pub(super) fn has_nulls(&self) -> bool {
        self.descriptor.max_def_level() > 0
    }

    pub(super) fn bounds(&self, rows: &ArrayRef) -> Option<Bounds> {
        if self.layout.statistics { Bounds::of(rows) } else { None }
    }
}

/// The ends of the pages of an array, and the bytes of the values in each: pages of similar size, near the limit, so
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
