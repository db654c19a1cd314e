//! The rows of a Parquet file in batches that fit into memory. How many rows these have the file's metadata suggest;
//! where the pages show that it would be too much, the batch is read again with fewer. Threads decode rows ahead, as
//! long as nothing is out of the ordinary.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, RowSelection, RowSelector,
};
use parquet::arrow::{FieldLevels, ProjectionMask};
use parquet::errors::ParquetError;

use super::ahead::Ahead;
use super::groups::{Groups, levels};
use super::pages::Verdict;
use super::{Source, error_text, rows_at_once};
use crate::read::table::reader::first_line;
use crate::read::table::room::Room;

/// How many times fewer rows a batch has, when they were too many: see [`Verdict::Fewer`].
const STEP: usize = 8;

pub(in crate::read) struct Rows {
    groups: Groups,
    levels: FieldLevels,
    /// Rows of a batch by the metadata, and for now.
    most: usize,
    count: usize,
    /// The row group and the row there at which the next batch begins.
    group: usize,
    row: usize,
    /// The stretch that these are in, and the row group that `reader` does not come to.
    stretch: Range<usize>,
    until: usize,
    reader: Option<ParquetRecordBatchReader>,
    ahead: Option<Ahead>,
    /// Batches that were decoded ahead, and how many rows have been.
    decoded: VecDeque<RecordBatch>,
    taken: usize,
}

impl Rows {
    /// The rows of the columns of `mask`, decoded by so many threads, each about so many bytes at a time.
    pub(in crate::read) fn new(
        source: Arc<Source>,
        opened: &ArrowReaderMetadata,
        mask: ProjectionMask,
        (room, threads, bytes): (Room, usize, u64),
    ) -> Result<Rows, ParquetError> {
        let metadata = opened.metadata().clone();
        let most = rows_at_once(&metadata, &mask);
        let levels = levels(opened, &mask)?;
        let ahead = Ahead::start((threads, bytes), (&source, &metadata, &room), (&levels, &mask));
        let until = if ahead.is_some() { metadata.num_row_groups() } else { 0 };
        let groups = Groups::new(source, metadata, room);
        Ok(Rows {
            groups,
            levels,
            most,
            count: most,
            group: 0,
            row: 0,
            stretch: 0..0,
            until,
            reader: None,
            ahead,
            decoded: VecDeque::new(),
            taken: 0,
        })
    }

    /// The next batch, if it was decoded ahead.
    fn decoded(&mut self) -> Option<RecordBatch> {
        while self.decoded.is_empty() {
            let ahead = self.ahead.as_mut()?;
            match ahead.take(self.taken) {
                Some(batches) => self.decoded = batches.into(),
                // From here on everything is decoded in its turn.
                None => self.ahead = None,
            }
        }
        let batch = self.decoded.pop_front()?;
        self.taken += batch.num_rows();
        self.advance(batch.num_rows());
        Some(batch)
    }

    /// A reader from the next row on: to the end of its stretch, or where its rows are long of its row group.
    fn open(&mut self) -> Result<Option<ParquetRecordBatchReader>, ParquetError> {
        let all = self.groups.metadata.num_row_groups();
        while self.group < all && self.row >= self.groups.rows_of(self.group) {
            (self.group, self.row) = (self.group + 1, 0);
        }
        if self.group >= all {
            return Ok(None);
        }
        while self.group >= self.stretch.end {
            self.stretch = self.groups.stretch(self.stretch.end, self.most);
        }
        self.until = if self.count < self.most { self.group + 1 } else { self.stretch.end };
        self.groups.groups = (self.group..self.until).collect();
        self.groups.pages.clear();
        let selection = (self.row > 0).then(|| {
            let rest: usize = (self.group..self.until).map(|group| self.groups.rows_of(group)).sum();
            RowSelection::from(vec![RowSelector::skip(self.row), RowSelector::select(rest - self.row)])
        });
        let opened = ParquetRecordBatchReader::try_new_with_row_groups(
            &self.levels,
            &self.groups,
            self.count,
            selection,
        );
        opened.map(Some)
    }

    fn advance(&mut self, rows: usize) {
        self.row += rows;
        while self.group + 1 < self.until && self.row >= self.groups.rows_of(self.group) {
            (self.group, self.row) = (self.group + 1, self.row - self.groups.rows_of(self.group));
        }
    }
}

impl Iterator for Rows {
    type Item = Result<RecordBatch, String>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(batch) = self.decoded() {
            return Some(Ok(batch));
        }
        loop {
            if self.reader.is_none() {
                match self.open() {
                    Ok(Some(reader)) => self.reader = Some(reader),
                    Ok(None) => return None,
                    Err(error) => return Some(Err(error_text(error))),
                }
            }
            self.groups.pages.begin(self.count);
            match self.reader.as_mut()?.next() {
                Some(Ok(batch)) => {
                    self.advance(batch.num_rows());
                    return Some(Ok(batch));
                }
                Some(Err(error)) => match self.groups.pages.verdict() {
                    Some(Verdict::Fewer(count)) => (self.count, self.reader) = (count, None),
                    Some(Verdict::Refused(what)) => return Some(Err(what)),
                    None => return Some(Err(first_line(&error.to_string()))),
                },
                None => {
                    // The next row group's rows may be short again.
                    (self.group, self.row, self.reader) = (self.until, 0, None);
                    self.count = self.count.saturating_mul(STEP).min(self.most);
                }
            }
        }
    }
}
