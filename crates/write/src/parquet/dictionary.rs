//! Dictionaries of text columns: each distinct value of a row group once, and for each row its number. This saves 13 %
//! of the time of Parquet without compression, 4 % with zstd, and 10 to 14 % for a crawler's log.
//!
//! A worker numbers the values of its batch among themselves ([`DictionaryIndices`]): that is the work, and needs no
//! order. In order, only what is distinct in a batch is looked up in the dictionary of the row group, and the rows'
//! numbers are exchanged for its own.

use arrow_array::cast::AsArray;
use arrow_array::types::{ByteArrayType, ByteViewType};
use arrow_array::{Array, GenericByteArray, GenericByteViewArray};
use arrow_schema::DataType;
use bytes::Bytes;
use hashbrown::HashTable;
use parquet::basic::Encoding;
use parquet::column::page::Page;
use parquet::errors::ParquetError;
use twox_hash::XxHash3_64;

use super::codec::Compressor;
use super::levels::{Levels, put_rle_hybrid};
use super::page::{FinishedPage, PageValues, header};
use super::statistics::Bounds;
use super::text_sizes::INLINE;
use crate::PageLimits;

/// Whether values repeat is judged by so many.
const JUDGED_VALUES: usize = 4096;

/// The values of a column of one batch, numbered in the order in which they first occur.
#[derive(Debug)]
pub(crate) struct DictionaryIndices {
    /// By row; 0 for nulls.
    of_rows: Vec<u32>,
    /// By number.
    distinct: Vec<Distinct>,
    /// The bytes of the distinct values.
    bytes: usize,
}

/// A value, by the first row that has it.
#[derive(Debug, Clone, Copy)]
struct Distinct {
    row: u32,
    hash: u64,
}

/// The working memory of numbering, reused for the next batch.
#[derive(Debug, Default)]
pub(crate) struct Numberer {
    table: HashTable<u32>,
}

impl DictionaryIndices {
    /// Bytes of the distinct values.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Numberer {
    /// Numbers the values of a text array.
    pub(crate) fn number(&mut self, array: &dyn Array) -> DictionaryIndices {
        self.table.clear();
        match array.data_type() {
            DataType::Utf8View => self.views(array.as_string_view()),
            DataType::BinaryView => self.views(array.as_binary_view()),
            DataType::Utf8 => self.values(array.as_string::<i32>()),
            _ => self.values(array.as_binary::<i32>()),
        }
    }

    /// Short values are equal if their views are, so most need no look at the table.
    fn views<T: ByteViewType>(&mut self, array: &GenericByteViewArray<T>) -> DictionaryIndices {
        let value = |row: usize| -> &[u8] { array.value(row).as_ref() };
        let mut numbers = DictionaryIndices::with_rows(array.len());
        let mut recent = [(NO_VIEW, 0); RECENT];
        let mut recent_long: [(&[u8], u32); RECENT] = [(&[], 0); RECENT];
        self.each(array, |table, row| {
            let view = array.views()[row];
            if view as u32 as usize <= INLINE {
                let known = &mut recent[place(view)];
                if known.0 != view {
                    *known = (view, numbers.of(table, row, &value));
                }
                numbers.of_rows[row] = known.1;
            } else {
                let text = value(row);
                let known = &mut recent_long[place_of_long(text)];
                if known.0 != text {
                    *known = (text, numbers.of(table, row, &value));
                }
                numbers.of_rows[row] = known.1;
            }
        });
        numbers
    }

    /// A value is often that of the row before: the name of a source.
    fn values<T: ByteArrayType<Offset = i32>>(&mut self, array: &GenericByteArray<T>) -> DictionaryIndices {
        let value = |row: usize| -> &[u8] { array.value(row).as_ref() };
        let mut numbers = DictionaryIndices::with_rows(array.len());
        let mut last: Option<(&[u8], u32)> = None;
        self.each(array, |table, row| {
            let text = value(row);
            let number = match last {
                Some((before, number)) if before == text => number,
                _ => numbers.of(table, row, &value),
            };
            last = Some((text, number));
            numbers.of_rows[row] = number;
        });
        numbers
    }

    fn each(&mut self, array: &dyn Array, mut f: impl FnMut(&mut HashTable<u32>, usize)) {
        match array.nulls().filter(|nulls| nulls.null_count() > 0) {
            Some(nulls) => nulls.valid_indices().for_each(|row| f(&mut self.table, row)),
            None => (0..array.len()).for_each(|row| f(&mut self.table, row)),
        }
    }
}

/// The number of recently seen values that are remembered, of short and of long ones each; a power of two.
const RECENT: usize = 64;
/// The view of no value: its length is too large.
const NO_VIEW: u128 = u128::MAX;

/// The slot of a short value.
#[inline]
fn place(view: u128) -> usize {
    // Fibonacci hashing: the highest bits of the product are mixed best.
    let mixed = (view as u64 ^ (view >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (64 - RECENT.trailing_zeros())) as usize
}

/// The slot of a long value: by its length and its last bytes, because values of one column often begin alike.
#[inline]
fn place_of_long(text: &[u8]) -> usize {
    let last = text.last_chunk::<8>().map_or(0, |last| u64::from_le_bytes(*last));
    place(u128::from(last) ^ (text.len() as u128) << 64)
}

impl DictionaryIndices {
    fn with_rows(rows: usize) -> DictionaryIndices {
        DictionaryIndices { of_rows: vec![0; rows], distinct: Vec::new(), bytes: 0 }
    }

    /// The number of a row's value; a new one for a new value.
    #[inline]
    fn of<'a>(&mut self, table: &mut HashTable<u32>, row: usize, value: &impl Fn(usize) -> &'a [u8]) -> u32 {
        let text = value(row);
        let hash = XxHash3_64::oneshot(text);
        let distinct = &mut self.distinct;
        let is_same = |&number: &u32| {
            let known = distinct[number as usize];
            known.hash == hash && value(known.row as usize) == text
        };
        if let Some(&number) = table.find(hash, is_same) {
            return number;
        }
        // A batch has fewer rows than 2^32.
        let number = distinct.len() as u32;
        table.insert_unique(hash, number, |&number| distinct[number as usize].hash);
        distinct.push(Distinct { row: row as u32, hash });
        self.bytes += text.len();
        number
    }
}

/// The dictionary of an open row group's column, and its open page of numbers.
#[derive(Debug)]
pub(crate) struct Dictionary {
    table: HashTable<u32>,
    entries: Vec<Entry>,
    /// The entries as in the dictionary's page: each after its length.
    body: Vec<u8>,
    numbers: Vec<u32>,
    levels: Levels,
    has_bounds: bool,
    is_utf8: bool,
    /// By entry, whether the page uses it; all false between pages.
    seen: Vec<bool>,
    /// How many values there are in all pages.
    values: usize,
    /// The most rows of a page, and bytes of the dictionary.
    limits: PageLimits,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    hash: u64,
    start: u32,
    len: u32,
}

/// The map from numbers of a batch to those of the dictionary: not looked up yet.
const UNKNOWN: u32 = u32::MAX;

impl Dictionary {
    pub(crate) fn new(nullable: bool, has_bounds: bool, is_utf8: bool, limits: PageLimits) -> Self {
        Dictionary {
            table: HashTable::new(),
            entries: Vec::new(),
            body: Vec::new(),
            numbers: Vec::new(),
            levels: Levels::new(nullable),
            has_bounds,
            is_utf8,
            seen: Vec::new(),
            values: 0,
            limits,
        }
    }

    /// Bytes of the dictionary's page.
    fn bytes(&self) -> usize {
        self.body.len()
    }

    /// Whether a dictionary only costs: it is too large, or nearly every value is a new one.
    pub(crate) fn has_outgrown(&self) -> bool {
        let are_new = self.values >= JUDGED_VALUES && self.entries.len() > self.values / 16 * 15;
        are_new || self.bytes() > self.limits.dictionary
    }

    /// Rows of the open page.
    pub(crate) fn rows(&self) -> usize {
        self.levels.rows()
    }

    /// Adds the rows `from..to` of a batch's column, whose numbers are `numbers`; calls `page` when a page is full.
    pub(crate) fn write(
        &mut self,
        array: &dyn Array,
        numbers: &DictionaryIndices,
        (mut from, to): (usize, usize),
        mut page: impl FnMut(&mut Self),
    ) {
        let mut known = vec![UNKNOWN; numbers.distinct.len()];
        let is_whole = (from, to) == (0, array.len()) && to <= self.limits.rows - self.rows();
        while from < to {
            if self.rows() == self.limits.rows {
                page(self);
            }
            let rows = (to - from).min(self.limits.rows - self.rows());
            let part = array.slice(from, rows);
            self.levels.append(&part);
            let nulls = part.nulls().filter(|nulls| nulls.null_count() > 0);
            // What is new in the page becomes an entry in the order of its first row, which is that of the numbers.
            if is_whole {
                for (place, distinct) in known.iter_mut().zip(&numbers.distinct) {
                    *place = self.find(distinct.hash, value(array, distinct.row as usize));
                }
            } else {
                let mut look_up = |row: usize| {
                    let number = numbers.of_rows[row] as usize;
                    if known[number] == UNKNOWN {
                        let Distinct { row, hash } = numbers.distinct[number];
                        known[number] = self.find(hash, value(array, row as usize));
                    }
                };
                match nulls {
                    Some(nulls) => nulls.valid_indices().for_each(|row| look_up(from + row)),
                    None => (from..from + rows).for_each(look_up),
                }
            }
            let of_rows = &numbers.of_rows[from..from + rows];
            let before = self.numbers.len();
            match (nulls, &known[..]) {
                (Some(nulls), _) => {
                    self.numbers.reserve(rows);
                    for (from, to) in nulls.valid_slices() {
                        self.numbers.extend(of_rows[from..to].iter().map(|&number| known[number as usize]));
                    }
                }
                (None, &[only]) => self.numbers.extend(std::iter::repeat_n(only, rows)),
                (None, _) => self.numbers.extend(of_rows.iter().map(|&number| known[number as usize])),
            }
            self.values += self.numbers.len() - before;
            from += rows;
        }
    }

    /// The number of a value; a new value becomes an entry.
    fn find(&mut self, hash: u64, value: &[u8]) -> u32 {
        let Dictionary { table, entries, body, .. } = self;
        let is_same = |&number: &u32| {
            let entry = entries[number as usize];
            entry.hash == hash && &body[entry.start as usize..][..entry.len as usize] == value
        };
        if let Some(&number) = table.find(hash, is_same) {
            return number;
        }
        let number = entries.len() as u32;
        table.insert_unique(hash, number, |&number| entries[number as usize].hash);
        // Within u32: a dictionary ends long before.
        let len = value.len() as u32;
        body.extend_from_slice(&len.to_le_bytes());
        entries.push(Entry { hash, start: body.len() as u32, len });
        body.extend_from_slice(value);
        self.seen.push(false);
        number
    }

    fn value(&self, number: u32) -> &[u8] {
        let entry = self.entries[number as usize];
        &self.body[entry.start as usize..][..entry.len as usize]
    }

    /// Closes the open page; the next row begins a new one.
    pub(crate) fn close_page(&mut self) -> NumbersPage {
        let rows = self.rows();
        let (levels, values) = self.levels.finish();
        // At least one bit: readers differ on numbers of zero bits.
        let width = (u32::BITS - (self.entries.len().saturating_sub(1) as u32).leading_zeros()).max(1);
        let (value_bytes, bounds) = self.account();
        let next = Vec::with_capacity(self.numbers.len());
        let numbers = std::mem::replace(&mut self.numbers, next);
        let values =
            PageValues { value_bytes, nulls: rows - values, bounds, encoding: Encoding::RLE_DICTIONARY };
        NumbersPage { levels, numbers, width, rows, values }
    }

    /// Bytes of the open page's values, and their bounds.
    fn account(&mut self) -> (usize, Option<Bounds>) {
        if let ([only], false) = (&self.entries[..], self.numbers.is_empty()) {
            let bounds = self.has_bounds.then(|| Bounds::new(self.value(0), self.value(0), self.is_utf8));
            return (self.numbers.len() * only.len as usize, bounds);
        }
        let mut bytes = 0;
        let mut ends: Option<(u32, u32)> = None;
        for at in 0..self.numbers.len() {
            let number = self.numbers[at];
            bytes += self.entries[number as usize].len as usize;
            if !self.has_bounds || self.seen[number as usize] {
                continue;
            }
            self.seen[number as usize] = true;
            ends = Some(ends.map_or((number, number), |(min, max)| {
                let value = self.value(number);
                let min = if value < self.value(min) { number } else { min };
                let max = if value > self.value(max) { number } else { max };
                (min, max)
            }));
        }
        self.seen.fill(false);
        (bytes, ends.map(|(min, max)| Bounds::new(self.value(min), self.value(max), self.is_utf8)))
    }

    /// The dictionary's own page.
    ///
    /// # Errors
    /// Where it cannot be compressed.
    pub(crate) fn finish(self, compressor: &mut Compressor) -> Result<DictionaryPage, ParquetError> {
        let body = compressor.compress(&self.body)?;
        let page = Page::DictionaryPage {
            buf: body.clone(),
            num_values: self.entries.len() as u32,
            encoding: Encoding::PLAIN,
            is_sorted: false,
        };
        let (header, plain_bytes) = header(page, self.body.len())?;
        Ok(DictionaryPage { header, body, plain_bytes })
    }
}

/// A page of numbers that is closed: all that is left needs neither order nor the dictionary.
#[derive(Debug)]
pub(crate) struct NumbersPage {
    levels: Vec<u8>,
    numbers: Vec<u32>,
    width: u32,
    rows: usize,
    values: PageValues,
}

impl NumbersPage {
    /// Packs and compresses it.
    ///
    /// # Errors
    /// Where it cannot be compressed.
    pub(crate) fn finish(self, compressor: &mut Compressor) -> Result<FinishedPage, ParquetError> {
        let NumbersPage { levels: mut plain, numbers, width, rows, values } = self;
        plain.push(width as u8);
        put_rle_hybrid(&mut plain, &numbers, width);
        values.page(compressor.compress(&plain)?, plain.len(), rows)
    }
}

/// The page at the beginning of a chunk, as in the file.
#[derive(Debug)]
pub(crate) struct DictionaryPage {
    pub(crate) header: Vec<u8>,
    pub(crate) body: Bytes,
    /// The bytes of header and body, before compression.
    pub(crate) plain_bytes: usize,
}

/// A value of a text array.
fn value(array: &dyn Array, row: usize) -> &[u8] {
    match array.data_type() {
        DataType::Utf8View => array.as_string_view().value(row).as_bytes(),
        DataType::BinaryView => array.as_binary_view().value(row),
        DataType::Utf8 => array.as_string::<i32>().value(row).as_bytes(),
        _ => array.as_binary::<i32>().value(row),
    }
}
