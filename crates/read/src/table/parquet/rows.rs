//! The rows of a Parquet file in batches that fit into memory. The file's metadata suggest how many rows a batch has;
//! if the pages show that this is too much, the batch is read again with fewer.
//!
//! Texts are decoded as views, so that a value costs no memory that a dictionary has once and a page ten thousand
//! times.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_cast::can_cast_types;
use arrow_schema::{DataType, FieldRef, Fields};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, RowGroups, RowSelection, RowSelector,
};
use parquet::arrow::{FieldLevels, ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::Compression;
use parquet::column::page::{PageIterator, PageReader};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::serialized_reader::SerializedPageReader;

use super::pages::{Pages, Verdict, is_unbounded};
use super::{ColumnFile, PagesOf, Source, error_text, rows_at_once};
use crate::guarded::first_line;
use crate::table::memory_limit::MemoryLimit;

/// How many times fewer rows a batch has, when they were too many: see [`Verdict::Fewer`].
const STEP: usize = 8;

pub(crate) struct Rows {
    groups: Groups,
    levels: FieldLevels,
    /// Rows of a batch by the metadata, and at present.
    most: usize,
    count: usize,
    /// The row group and the row there at which the next batch begins.
    group: usize,
    row: usize,
    /// The row group that `reader` does not reach.
    until: usize,
    reader: Option<ParquetRecordBatchReader>,
}

impl Rows {
    pub(crate) fn new(
        source: Arc<Source>,
        opened: &ArrowReaderMetadata,
        fields: &Fields,
        mask: ProjectionMask,
        room: MemoryLimit,
    ) -> Result<Rows, ParquetError> {
        let (metadata, schema) = (opened.metadata().clone(), opened.parquet_schema());
        let most = rows_at_once(&metadata, &mask);
        let levels = parquet_to_arrow_field_levels(schema, mask.clone(), Some(&as_views(fields)))
            .or_else(|_| parquet_to_arrow_field_levels(schema, mask, Some(fields)))?;
        let leaves = schema.columns().iter().map(AsRef::as_ref);
        let pages = Arc::new(Pages::new(leaves, room));
        let groups = Groups { source, metadata, groups: Vec::new(), pages };
        Ok(Rows { groups, levels, most, count: most, group: 0, row: 0, until: 0, reader: None })
    }

    fn rows_of(&self, group: usize) -> usize {
        usize::try_from(self.groups.metadata.row_group(group).num_rows()).unwrap_or(0)
    }

    /// A reader from the next row on: to the end, or to the end of their row group if its rows are long.
    fn open(&mut self) -> Result<Option<ParquetRecordBatchReader>, ParquetError> {
        let all = self.groups.metadata.num_row_groups();
        while self.group < all && self.row >= self.rows_of(self.group) {
            (self.group, self.row) = (self.group + 1, 0);
        }
        if self.group >= all {
            return Ok(None);
        }
        self.until = if self.count < self.most { self.group + 1 } else { all };
        self.groups.groups = (self.group..self.until).collect();
        self.groups.pages.clear();
        let selection = (self.row > 0).then(|| {
            let rest: usize = (self.group..self.until).map(|group| self.rows_of(group)).sum();
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
        while self.group + 1 < self.until && self.row >= self.rows_of(self.group) {
            (self.group, self.row) = (self.group + 1, self.row - self.rows_of(self.group));
        }
    }
}

impl Iterator for Rows {
    type Item = Result<RecordBatch, String>;

    fn next(&mut self) -> Option<Self::Item> {
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

/// Row groups to be read, column by column.
struct Groups {
    source: Arc<Source>,
    metadata: Arc<ParquetMetaData>,
    groups: Vec<usize>,
    pages: Arc<Pages>,
}

impl RowGroups for Groups {
    fn num_rows(&self) -> usize {
        self.row_groups().map(|group| usize::try_from(group.num_rows()).unwrap_or(0)).sum()
    }

    fn column_chunks(&self, column: usize) -> Result<Box<dyn PageIterator>, ParquetError> {
        Ok(Box::new(Chunks {
            source: self.source.clone(),
            metadata: self.metadata.clone(),
            groups: self.groups.clone().into_iter(),
            pages: self.pages.clone(),
            column,
        }))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(self.groups.iter().map(|&group| self.metadata.row_group(group)))
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

struct Chunks {
    source: Arc<Source>,
    metadata: Arc<ParquetMetaData>,
    groups: std::vec::IntoIter<usize>,
    pages: Arc<Pages>,
    column: usize,
}

impl Chunks {
    fn reader(&self, group: usize) -> Result<Box<dyn PageReader>, ParquetError> {
        let group = self.metadata.row_group(group);
        let mut chunk = group.column(self.column).clone();
        let codec = Some(chunk.compression()).filter(|codec| is_unbounded(*codec));
        if codec.is_some() {
            // Its pages come decompressed.
            chunk = chunk.into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
        }
        let of = PagesOf { pages: self.pages.clone(), column: self.column, codec };
        let stored = Arc::new(ColumnFile { source: self.source.clone(), column: Some(of) });
        let rows = usize::try_from(group.num_rows())?;
        Ok(Box::new(SerializedPageReader::new(stored, &chunk, rows, None)?))
    }
}

impl Iterator for Chunks {
    type Item = Result<Box<dyn PageReader>, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        let group = self.groups.next()?;
        Some(self.reader(group))
    }
}

impl PageIterator for Chunks {}

/// Fields whose texts are views, at any depth, as far as arrays made of them can be turned back.
fn as_views(fields: &Fields) -> Fields {
    let of = |field: &FieldRef| -> FieldRef {
        let viewed = view_of(field.data_type());
        match viewed != *field.data_type() && can_cast_types(&viewed, field.data_type()) {
            true => Arc::new(field.as_ref().clone().with_data_type(viewed)),
            false => field.clone(),
        }
    };
    fields.iter().map(of).collect()
}

fn view_of(data_type: &DataType) -> DataType {
    let within =
        |field: &FieldRef| Arc::new(field.as_ref().clone().with_data_type(view_of(field.data_type())));
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
        DataType::List(element) => DataType::List(within(element)),
        DataType::LargeList(element) => DataType::LargeList(within(element)),
        DataType::FixedSizeList(element, size) => DataType::FixedSizeList(within(element), *size),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(within).collect()),
        DataType::Map(entries, is_sorted) => DataType::Map(within(entries), *is_sorted),
        other => other.clone(),
    }
}
