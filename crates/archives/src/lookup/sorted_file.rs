//! Rows of a file that is sorted by its first column, a text: only those pages are read that may have the rows, by the
//! least and greatest value that the file keeps for each page.
//!
//! The file's indexes of its pages are checked against the pages: the neighbours of the pages that may have the rows
//! are read, too, so that the texts before and after show that nothing lies between. Every page that is read has the
//! number of rows in the index of its column, and texts that are in order and within its bounds.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::cast::AsArray;
use arrow_array::{RecordBatch, StringArray};
use arrow_cast::cast;
use arrow_schema::{DataType, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::reader::{ChunkReader, Length};
use urimill_base::error::Result;
use urimill_base::files::File;
use urimill_read::table::memory_limit::MemoryLimit;
use urimill_read::table::parquet::{ColumnFile, PageHeader, error_text, rows_at_once};
use urimill_read::table::reader::{Batches, Faults};
use urimill_read::{first_line, guarded};

use super::page_indexes;

/// A file that is sorted by its first column.
pub(super) struct SortedFile {
    file: ColumnFile,
    metadata: ArrowReaderMetadata,
    places: Arc<[ChunkPlace]>,
    pages: Vec<KeyPage>,
    runs: Vec<Run>,
    /// Bytes that the pages of a batch may have.
    most: u64,
}

/// Pages whose texts are in order, if the file is what it claims to be: all of them, or those of a row group.
struct Run {
    pages: Range<usize>,
    /// Whether all bounds are known, and ascend.
    ascends: bool,
}

/// Where the column of a row group begins.
struct ChunkPlace {
    begin: u64,
    group: usize,
    column: usize,
}

/// A page of the first column.
struct KeyPage {
    group: usize,
    page: usize,
    /// Its rows, of those of the file.
    rows: Range<usize>,
}

impl SortedFile {
    /// Opens a file by its footer. Half of `memory` is for the contents of the footer, and for the pages of a batch.
    ///
    /// # Errors
    /// `Data`: the fault of the file, or that there is no room for the contents of its footer.
    pub(super) fn open(file: File, name: &str, memory: usize) -> Result<SortedFile> {
        let faults = Faults::default();
        let room = MemoryLimit::of(memory, name, &faults);
        let opened = guarded(|| {
            let file = ColumnFile::open(file, name, &faults, &Arc::default(), &room)?;
            let metadata = Arc::new(page_indexes::load(&file, &room)?);
            let metadata = ArrowReaderMetadata::try_new(metadata, ArrowReaderOptions::new())
                .map_err(|error| format!("its Parquet footer cannot be read ({})", error_text(error)))?;
            let pages = pages(metadata.metadata())?;
            let runs = runs(metadata.metadata(), &pages)?;
            let places = places(metadata.metadata());
            Ok(SortedFile { file, metadata, places, pages, runs, most: memory as u64 / 2 })
        });
        opened.map_err(|what| faults.or_damage(name, &what))
    }

    /// Its columns.
    pub(super) fn schema(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    /// Whether the file's metadata has an entry of this name.
    pub(super) fn has_entry(&self, name: &str) -> bool {
        let entries = self.metadata.metadata().file_metadata().key_value_metadata();
        entries.is_some_and(|entries| entries.iter().any(|entry| entry.key == name))
    }

    /// Whether the file says that all its rows are in the order of its first column.
    pub(super) fn says_sorted(&self) -> bool {
        self.metadata.metadata().row_groups().iter().all(|group| {
            let first = group.sorting_columns().and_then(|columns| columns.first());
            first.is_some_and(|first| first.column_idx == 0 && !first.descending)
        })
    }

    /// The rows whose first text `fits`. Only texts that begin with `prefix` may fit.
    ///
    /// # Errors
    /// The fault of the file.
    pub(super) fn find(
        &self,
        prefix: &[u8],
        fits: impl Fn(&[u8]) -> bool,
    ) -> Result<Vec<Range<usize>>, String> {
        let mut found = Vec::new();
        for Run { pages, ascends } in &self.runs {
            let begins = |at: usize| {
                self.bounds(at).0.is_none_or(|least| least <= prefix || least.starts_with(prefix))
            };
            let is_before = |at: usize| self.bounds(at).1.is_some_and(|greatest| greatest < prefix);
            // The pages between may have it; if there are none, it would lie between these two.
            let (first, end) = match ascends {
                true => (first_not(pages, is_before), first_not(pages, begins)),
                false => {
                    let may_have = pages.clone().filter(|&at| begins(at) && !is_before(at));
                    may_have
                        .fold((pages.end, pages.start), |(first, end), at| (first.min(at), end.max(at + 1)))
                }
            };
            let (first, end) = if first < end { (first, end) } else { (first, first) };
            let read = first.saturating_sub(1).max(pages.start)..(end + 1).min(pages.end);
            self.search(read, &fits, &mut found)?;
        }
        Ok(found)
    }

    /// Searches the texts of pages, and checks them.
    fn search(
        &self,
        pages: Range<usize>,
        fits: &impl Fn(&[u8]) -> bool,
        found: &mut Vec<Range<usize>>,
    ) -> Result<(), String> {
        let Some((first, last)) = self.pages[pages.clone()].first().zip(self.pages[pages.clone()].last())
        else {
            return Ok(());
        };
        let name = self.schema().field(0).name().clone();
        let (mut row, end) = (first.rows.start, last.rows.end);
        let mut batches = self.rows(std::slice::from_ref(&(row..end)), &[&name])?;
        let (mut page, mut before) = (pages.start, Vec::new());
        while let Some(batch) = guarded(|| batches.next().transpose())? {
            let texts = texts(&batch, &name)?;
            for text in texts.iter() {
                let text = text.ok_or("a row has no key")?.as_bytes();
                if text < &before[..] {
                    return Err(format!("the key of row {row} is less than the one before it"));
                }
                while self.pages[page].rows.end <= row {
                    page += 1;
                }
                let (least, greatest) = self.bounds(page);
                if least.is_some_and(|least| text < least) || greatest.is_some_and(|greatest| text > greatest)
                {
                    return Err(format!("the key of row {row} is not within the bounds of its page"));
                }
                if fits(text) {
                    match found.last_mut() {
                        Some(last) if last.end == row => last.end += 1,
                        _ => found.push(row..row + 1),
                    }
                }
                before.clear();
                before.extend_from_slice(text);
                row += 1;
            }
        }
        match row == end {
            true => Ok(()),
            false => Err(format!("its pages have {} rows fewer than it says", end - row.min(end))),
        }
    }

    /// The least and the greatest text of a page, by the index.
    fn bounds(&self, at: usize) -> (Option<&[u8]>, Option<&[u8]>) {
        bounds(self.metadata.metadata(), &self.pages[at])
    }

    /// Batches of these rows, which ascend, with those named columns that the file has.
    ///
    /// # Errors
    /// The fault of the file.
    pub(super) fn rows(&self, rows: &[Range<usize>], columns: &[&str]) -> Result<Batches, String> {
        let metadata = self.metadata.metadata();
        let (mut groups, mut ranges) = (Vec::new(), Vec::new());
        // The selection counts the rows of the groups that are read.
        let (mut begin, mut selected) = (0, 0);
        for (number, group) in metadata.row_groups().iter().enumerate() {
            let end = begin + rows_of(group.num_rows())?;
            let of_group = rows.iter().filter(|range| range.start < end && range.end > begin);
            let of_group = of_group.map(|range| range.start.max(begin)..range.end.min(end));
            let before = ranges.len();
            ranges.extend(of_group.map(|range| selected + range.start - begin..selected + range.end - begin));
            if ranges.len() > before {
                groups.push(number);
                selected += end - begin;
            }
            begin = end;
        }
        let file = CheckedFile {
            file: self.file.clone(),
            metadata: self.metadata.metadata().clone(),
            places: self.places.clone(),
            taken: Arc::default(),
            most: self.most,
        };
        let (projection, taken) = (self.projection(columns), file.taken.clone());
        let most = rows_at_once(metadata, &projection);
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone())
            .with_projection(projection)
            .with_row_groups(groups)
            .with_row_selection(RowSelection::from_consecutive_ranges(ranges.into_iter(), selected))
            .with_batch_size(most);
        let reader = guarded(|| builder.build().map_err(error_text))?;
        Ok(Box::new(reader.map(move |batch| {
            taken.store(0, Ordering::Relaxed);
            batch.map_err(|error| first_line(&error.to_string()))
        })))
    }

    /// The number of all rows.
    pub(super) fn all(&self) -> usize {
        self.pages.last().map_or(0, |page| page.rows.end)
    }

    fn projection(&self, columns: &[&str]) -> ProjectionMask {
        let fields = self.schema().fields().iter().enumerate();
        let found = fields.filter(|(_, field)| columns.contains(&field.name().as_str())).map(|(at, _)| at);
        ProjectionMask::roots(self.metadata.metadata().file_metadata().schema_descr(), found)
    }
}

/// A column of a batch as texts.
pub(super) fn texts(batch: &RecordBatch, name: &str) -> Result<StringArray, String> {
    let column = batch.column_by_name(name).ok_or_else(|| format!("it has no column {name}"))?;
    let text = cast(column, &DataType::Utf8).map_err(|error| error.to_string())?;
    Ok(text.as_string::<i32>().clone())
}

fn rows_of(rows: i64) -> Result<usize, String> {
    usize::try_from(rows).map_err(|_| "a row group has fewer rows than none".to_owned())
}

/// The pages of the first column; a row group without an index of pages counts as one page.
fn pages(metadata: &ParquetMetaData) -> Result<Vec<KeyPage>, String> {
    let (mut pages, mut begin) = (Vec::new(), 0);
    for (group, described) in metadata.row_groups().iter().enumerate() {
        let rows = rows_of(described.num_rows())?;
        let places = metadata.offset_index().and_then(|index| index.get(group)?.first());
        let firsts: Vec<i64> = match places {
            Some(places) => places.page_locations().iter().map(|place| place.first_row_index).collect(),
            None => vec![0],
        };
        let firsts: Result<Vec<usize>, _> = firsts.into_iter().map(usize::try_from).collect();
        let firsts = firsts.map_err(|_| "a page begins before its row group")?;
        let ends = firsts.iter().copied().skip(1).chain([rows]);
        for (page, (first, end)) in firsts.iter().copied().zip(ends).enumerate() {
            if first >= end || page == 0 && first != 0 {
                return Err(format!("the index of its pages is damaged: page {page} of row group {group}"));
            }
            pages.push(KeyPage { group, page, rows: begin + first..begin + end });
        }
        begin += rows;
    }
    Ok(pages)
}

fn bounds<'m>(metadata: &'m ParquetMetaData, page: &KeyPage) -> (Option<&'m [u8]>, Option<&'m [u8]>) {
    let index = metadata.column_index().and_then(|index| index.get(page.group)?.first());
    let places = metadata.offset_index().and_then(|index| index.get(page.group)?.first());
    if let (Some(ColumnIndexMetaData::BYTE_ARRAY(index)), Some(_)) = (index, places) {
        return match page.page < index.num_pages() as usize {
            true => (index.min_value(page.page), index.max_value(page.page)),
            false => (None, None),
        };
    }
    let bounds = metadata.row_group(page.group).columns().first().and_then(|column| column.statistics());
    // Old writers compared bytes as if they had a sign.
    let bounds = bounds.filter(|bounds| places.is_none() && !bounds.is_min_max_deprecated());
    bounds.map_or((None, None), |bounds| (bounds.min_bytes_opt(), bounds.max_bytes_opt()))
}

/// The pages whose bounds ascend: all, or each row group's own, because the format has an order only within a row
/// group.
fn runs(metadata: &ParquetMetaData, pages: &[KeyPage]) -> Result<Vec<Run>, String> {
    let mut runs: Vec<Run> = Vec::new();
    let mut is_one = true;
    for (at, page) in pages.iter().enumerate() {
        let (least, greatest) = bounds(metadata, page);
        let before = at.checked_sub(1).map(|before| &pages[before]);
        let (least_before, greatest_before) = before.map_or((None, None), |page| bounds(metadata, page));
        let goes_on = before.is_some_and(|before| before.group == page.group);
        let descends = |a: Option<&[u8]>, b: Option<&[u8]>| a.zip(b).is_some_and(|(a, b)| a > b);
        let falls = descends(least_before, least) || descends(greatest_before, greatest);
        if descends(least, greatest) || goes_on && falls {
            return Err(format!("the bounds of the pages of row group {} are not in order", page.group));
        }
        let is_known = least.is_some() && greatest.is_some();
        is_one &= is_known && !falls;
        match runs.last_mut() {
            Some(run) if goes_on => {
                run.pages.end = at + 1;
                run.ascends &= is_known;
            }
            _ => runs.push(Run { pages: at..at + 1, ascends: is_known }),
        }
    }
    if is_one && !pages.is_empty() {
        runs = vec![Run { pages: 0..pages.len(), ascends: true }];
    }
    Ok(runs)
}

/// The first number of a range for which `is` is false; it is true for all before.
fn first_not(range: &Range<usize>, is: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = low + (high - low) / 2;
        match is(middle) {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low
}

/// Where all columns of all row groups begin, in order.
fn places(metadata: &ParquetMetaData) -> Arc<[ChunkPlace]> {
    let groups = metadata.row_groups().iter().enumerate();
    let mut places: Vec<ChunkPlace> = groups
        .flat_map(|(group, described)| {
            let columns = described.columns().iter().enumerate();
            columns.map(move |(column, chunk)| ChunkPlace {
                begin: u64::try_from(chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset()))
                    .unwrap_or(0),
                group,
                column,
            })
        })
        .collect();
    places.sort_by_key(|place| place.begin);
    places.into()
}

/// The file for one reading: it checks pages against the indexes, and limits those of a batch.
#[derive(Clone)]
struct CheckedFile {
    file: ColumnFile,
    metadata: Arc<ParquetMetaData>,
    places: Arc<[ChunkPlace]>,
    taken: Arc<AtomicU64>,
    most: u64,
}

impl CheckedFile {
    /// Checks a page with its header, if an index has it.
    fn check(&self, start: u64, page: &[u8]) -> Result<(), String> {
        let Some(at) = self.places.partition_point(|place| place.begin <= start).checked_sub(1) else {
            return Ok(());
        };
        let ChunkPlace { begin, group, column } = self.places[at];
        let index = self.metadata.offset_index().and_then(|index| index.get(group)?.get(column));
        let Some(index) = index else { return Ok(()) };
        let locations = index.page_locations();
        let place = locations.iter().position(|place| u64::try_from(place.offset) == Ok(start));
        if place.is_none() && begin != start {
            return Ok(());
        }
        let header = PageHeader::read(page);
        if !header.fits(page) {
            return Err(format!("the checksum of a page of column {column} differs from its bytes"));
        }
        let taken = self.taken.fetch_add(header.bytes(), Ordering::Relaxed).saturating_add(header.bytes());
        if taken > self.most {
            return Err(format!("its pages take {taken} bytes at once, and there is room for {}", self.most));
        }
        let Some(place) = place else { return Ok(()) };
        let rows = self.metadata.row_group(group).num_rows();
        let end = locations.get(place + 1).map_or(rows, |next| next.first_row_index);
        let expected = end.checked_sub(locations[place].first_row_index);
        if expected.and_then(|rows| u64::try_from(rows).ok()) != Some(header.values()) {
            return Err(format!("a page of column {column} has other rows than its index says"));
        }
        Ok(())
    }
}

impl Length for CheckedFile {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for CheckedFile {
    type T = <ColumnFile as ChunkReader>::T;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        self.file.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let bytes = self.file.get_bytes(start, length)?;
        self.check(start, &bytes).map_err(ParquetError::General)?;
        Ok(bytes)
    }
}
