//! Rows of a file that is sorted by its first column, a text: of the file only those pages are read that may have the
//! rows, by the least and greatest value that it keeps for each page.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use arrow_schema::SchemaRef;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::file::metadata::PageIndexPolicy;
use parquet::file::page_index::column_index::ColumnIndexMetaData;

use super::super::reader::{Batches, Faults, first_line, guarded};
use super::super::room::Room;
use super::{ColumnFile, MOST_ROWS, Source, check_ends, error_text, footer};
use crate::files::File;

/// A file that is sorted by its first column.
pub(crate) struct SortedFile {
    file: ColumnFile,
    metadata: ArrowReaderMetadata,
}

impl SortedFile {
    /// Opens a file by its footer.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub(crate) fn open(mut file: File, name: &str) -> Result<SortedFile, String> {
        guarded(|| {
            check_ends(&mut file)?;
            footer::check(&mut file, &Room::unbounded())?;
            let (faults, progress) = (Faults::default(), Arc::<AtomicU64>::default());
            let source = Arc::new(Source { file, name: name.to_owned(), faults, progress });
            let file = ColumnFile { source, column: None };
            let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Optional);
            let metadata = ArrowReaderMetadata::load(&file, options)
                .map_err(|error| format!("its Parquet footer cannot be read ({})", error_text(error)))?;
            Ok(SortedFile { file, metadata })
        })
    }

    /// Its columns.
    pub(crate) fn schema(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    /// Whether the file says that all its rows are in the order of its first column.
    pub(crate) fn says_sorted(&self) -> bool {
        self.metadata.metadata().row_groups().iter().all(|group| {
            let first = group.sorting_columns().and_then(|columns| columns.first());
            first.is_some_and(|first| first.column_idx == 0 && !first.descending)
        })
    }

    /// Batches that have all rows whose first text begins with `prefix`, in their order, and few others; of their
    /// columns those named, where the file has them.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub(crate) fn rows(&self, prefix: &[u8], columns: &[&str]) -> Result<Batches, String> {
        let metadata = self.metadata.metadata();
        let (mut groups, mut ranges, mut begin) = (Vec::new(), Vec::new(), 0);
        for (number, group) in metadata.row_groups().iter().enumerate() {
            let bounds = group.columns().first().and_then(|column| column.statistics());
            // Old writers compared bytes as if they had a sign.
            let bounds = bounds.filter(|bounds| !bounds.is_min_max_deprecated());
            let bounds = bounds.map(|bounds| (bounds.min_bytes_opt(), bounds.max_bytes_opt()));
            if bounds.is_some_and(|bounds| !may_have(bounds, prefix)) {
                continue;
            }
            let rows = usize::try_from(group.num_rows()).map_err(|_| "a row group has no rows")?;
            let found = self.pages(number, rows, prefix);
            if !found.is_empty() {
                groups.push(number);
                ranges.extend(found.into_iter().map(|range| begin + range.start..begin + range.end));
                // The selection is of the rows of the groups that are read.
                begin += rows;
            }
        }
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(self.file.clone(), self.metadata.clone())
                .with_projection(self.projection(columns))
                .with_row_groups(groups)
                .with_row_selection(RowSelection::from_consecutive_ranges(ranges.into_iter(), begin))
                .with_batch_size(MOST_ROWS as usize);
        let reader = guarded(|| builder.build().map_err(error_text))?;
        Ok(Box::new(reader.map(|batch| batch.map_err(|error| first_line(&error.to_string())))))
    }

    fn projection(&self, columns: &[&str]) -> ProjectionMask {
        let fields = self.schema().fields().iter().enumerate();
        let found = fields.filter(|(_, field)| columns.contains(&field.name().as_str())).map(|(at, _)| at);
        ProjectionMask::roots(self.metadata.metadata().file_metadata().schema_descr(), found)
    }

    /// The rows of the pages of a row group that may have such texts; all, where nothing is known of its pages.
    fn pages(&self, group: usize, rows: usize, prefix: &[u8]) -> Vec<Range<usize>> {
        let metadata = self.metadata.metadata();
        let index = metadata.column_index().and_then(|index| index.get(group)?.first());
        let places = metadata.offset_index().and_then(|index| index.get(group)?.first());
        let (Some(ColumnIndexMetaData::BYTE_ARRAY(index)), Some(places)) = (index, places) else {
            return std::iter::once(0..rows).collect();
        };
        let first_row = |page: usize| {
            let place = places.page_locations().get(page);
            place
                .and_then(|place| usize::try_from(place.first_row_index).ok())
                .map_or(rows, |row| row.min(rows))
        };
        let pages = places.page_locations().len();
        let found =
            (0..pages).filter(|&page| may_have((index.min_value(page), index.max_value(page)), prefix));
        let ranges = found.map(|page| first_row(page)..first_row(page + 1));
        ranges.filter(|range| range.start < range.end).collect()
    }
}

/// Whether there may be texts that begin with `prefix` between the least and the greatest. The least may be cut short,
/// which is less; the greatest, which is then made greater.
fn may_have(bounds: (Option<&[u8]>, Option<&[u8]>), prefix: &[u8]) -> bool {
    match bounds {
        (Some(least), Some(greatest)) => (least <= prefix || least.starts_with(prefix)) && greatest >= prefix,
        _ => true,
    }
}
