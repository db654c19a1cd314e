//! Row groups of a Parquet file for the library's decoders: columns whose pages are counted.
//!
//! Texts are decoded as views, which takes no memory for a value that a dictionary has once and a page ten thousand
//! times.

use std::ops::Range;
use std::sync::Arc;

use arrow_cast::can_cast_types;
use arrow_schema::{DataType, FieldRef, Fields};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, RowGroups};
use parquet::arrow::{FieldLevels, ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::Compression;
use parquet::column::page::{PageIterator, PageReader};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::serialized_reader::SerializedPageReader;

use super::pages::{Pages, is_unbounded};
use super::{ColumnFile, PagesOf, Source};
use crate::read::table::room::Room;

/// Row groups to be read, column by column.
pub(in crate::read) struct Groups {
    pub(in crate::read) source: Arc<Source>,
    pub(in crate::read) metadata: Arc<ParquetMetaData>,
    pub(in crate::read) groups: Vec<usize>,
    pub(in crate::read) pages: Arc<Pages>,
}

impl Groups {
    /// None yet, of a file whose pages take their memory from `room`.
    pub(in crate::read) fn new(source: Arc<Source>, metadata: Arc<ParquetMetaData>, room: Room) -> Groups {
        let leaves = metadata.file_metadata().schema_descr_ptr();
        let pages = Arc::new(Pages::new(leaves.columns().iter().map(AsRef::as_ref), room));
        Groups { source, metadata, groups: Vec::new(), pages }
    }

    /// How many rows a row group has.
    pub(in crate::read) fn rows_of(&self, group: usize) -> usize {
        usize::try_from(self.metadata.row_group(group).num_rows()).unwrap_or(0)
    }

    /// The row groups from this one on that are read by one reader: until there are rows for one batch.
    pub(in crate::read) fn stretch(&self, begin: usize, batch: usize) -> Range<usize> {
        let (mut end, mut rows) = (begin, 0);
        while end < self.metadata.num_row_groups() && rows < batch {
            (end, rows) = (end + 1, rows + self.rows_of(end));
        }
        begin..end
    }
}

/// The wanted columns, their texts as views where that can be.
pub(in crate::read) fn levels(
    opened: &ArrowReaderMetadata,
    mask: &ProjectionMask,
) -> Result<FieldLevels, ParquetError> {
    let schema = opened.parquet_schema();
    let views = as_views(opened.schema().fields());
    parquet_to_arrow_field_levels(schema, mask.clone(), Some(&views))
        .or_else(|_| parquet_to_arrow_field_levels(schema, mask.clone(), Some(opened.schema().fields())))
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

/// Fields whose texts are views, wherever they stand, as far as what is made of these can be turned back.
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
