//! Columns in pieces of rows.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, SchemaRef};
use rayon::iter::plumbing::UnindexedConsumer;
use rayon::prelude::*;
use urimill_base::free_list::FreeList;
use urimill_columns::batch::{Column, Normalizer, Options, Origin, no_offsets};

use super::drive::{Pieces, drive};
use super::table::{Batches, Made};

/// At most so many bytes of texts are in a slice of several rows: changed texts are copied, and repair may triple them.
pub(super) const TEXT_BYTES: usize = 32 << 20;

/// Does some work on slices of columns, in parallel: what [`array()`](super::array()) does, for work of the caller's.
///
/// `chunks` are the columns of one chunk after the other; the columns of a chunk have one length. `work` gets columns
/// with at most `most_rows` rows and some megabytes of texts, and the number of their first row, from 1. The results
/// come in the order of the rows.
///
/// ```
/// use std::sync::Arc;
///
/// use rayon::prelude::*;
/// use urimill::arrow_array::cast::AsArray;
/// use urimill::arrow_array::{Array, StringArray};
/// use urimill::{UriRef, par};
///
/// let urls = StringArray::from_iter_values((0..10_000).map(|i| format!("http://{i}.example/")));
/// let hosts = par::rows(vec![vec![Arc::new(urls)]], 1_000, |columns, _| {
///     columns[0].as_string::<i32>().iter().flatten().filter(|url| UriRef::parse(*url).is_ok()).count()
/// });
/// assert_eq!(hosts.sum::<usize>(), 10_000);
/// ```
///
/// # Panics
/// If the columns of a chunk differ in length.
pub fn rows<T: Send, F: Fn(&[ArrayRef], i64) -> T + Sync + Send>(
    chunks: Vec<Vec<ArrayRef>>,
    most_rows: usize,
    work: F,
) -> Rows<F> {
    let mut ends = Vec::with_capacity(chunks.len());
    let mut end = 0;
    for chunk in &chunks {
        let len = chunk.first().map_or(0, |column| column.len());
        assert!(chunk.iter().all(|column| column.len() == len), "columns of a chunk differ in length");
        end += len;
        ends.push(end);
    }
    Rows { chunks, ends, most_rows: most_rows.max(1), first: 1, work }
}

/// A parallel iterator of what [`rows`] makes.
#[must_use = "the work is done when it is asked for"]
pub struct Rows<F> {
    chunks: Vec<Vec<ArrayRef>>,
    /// By chunk, the number of rows up to its end.
    ends: Vec<usize>,
    most_rows: usize,
    first: i64,
    work: F,
}

impl<F> Rows<F> {
    /// Counts the rows from this number on instead of 1.
    pub fn first(self, first: i64) -> Rows<F> {
        Rows { first, ..self }
    }

    /// Does the work in this thread, without a pool.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use urimill::arrow_array::{Array, Int32Array};
    /// use urimill::par;
    ///
    /// let rows = par::rows(vec![vec![Arc::new(Int32Array::from(vec![1; 5]))]], 2, |columns, _| columns[0].len());
    /// assert_eq!(rows.in_this_thread(), [2, 2, 1]);
    /// ```
    pub fn in_this_thread<T>(self) -> Vec<T>
    where
        T: Send,
        F: Fn(&[ArrayRef], i64) -> T + Sync,
    {
        let (mut results, mut at) = (Vec::new(), 0);
        while let Some(end) = self.end(at) {
            self.make(at..end, &mut |_| at as i64, &mut |result| {
                results.push(result);
                true
            });
            at = end;
        }
        results
    }

    /// The chunk of a row, and where that chunk begins.
    fn chunk(&self, row: usize) -> Option<(usize, usize)> {
        let chunk = self.ends.partition_point(|&end| end <= row);
        let begin = chunk.checked_sub(1).map_or(0, |before| self.ends[before]);
        (chunk < self.ends.len()).then_some((chunk, begin))
    }
}

impl<T: Send, F: Fn(&[ArrayRef], i64) -> T + Sync> Pieces for Rows<F> {
    type Item = T;

    fn end(&self, at: usize) -> Option<usize> {
        let (chunk, _) = self.chunk(at)?;
        Some(self.ends[chunk].min(at + self.most_rows))
    }

    fn count(&self, piece: Range<usize>) -> i64 {
        piece.len() as i64
    }

    fn make(&self, piece: Range<usize>, before: &mut dyn FnMut(i64) -> i64, take: &mut dyn FnMut(T) -> bool) {
        let first = self.first + before(piece.len() as i64);
        // The piece is one that `end` has given.
        let Some((chunk, begin)) = self.chunk(piece.start) else { return };
        let slice = |column: &ArrayRef| column.slice(piece.start - begin, piece.len());
        let columns: Vec<ArrayRef> = self.chunks[chunk].iter().map(slice).collect();
        // Where no text is long, the rows are one part.
        let mut lens = vec![0; piece.len()];
        if columns.iter().map(text_bytes).sum::<usize>() > TEXT_BYTES {
            for column in &columns {
                lens.iter_mut().zip(text_lens(column)).for_each(|(len, more)| *len += more);
            }
        }
        for part in slices(lens, TEXT_BYTES) {
            let columns: Vec<_> = columns.iter().map(|column| column.slice(part.start, part.len())).collect();
            if !take((self.work)(&columns, first + part.start as i64)) {
                break;
            }
        }
    }
}

impl<T: Send, F: Fn(&[ArrayRef], i64) -> T + Sync + Send> ParallelIterator for Rows<F> {
    type Item = T;

    fn drive_unindexed<C: UnindexedConsumer<T>>(self, consumer: C) -> C::Result {
        drive(&self, consumer)
    }
}

/// Ranges of rows that hold at most `most` bytes of text each, or one row.
pub(super) fn slices(lens: impl IntoIterator<Item = usize>, most: usize) -> Vec<Range<usize>> {
    let (mut slices, mut from, mut bytes, mut rows) = (Vec::new(), 0, 0, 0);
    for len in lens {
        if rows > from && bytes + len > most {
            slices.push(from..rows);
            (from, bytes) = (rows, 0);
        }
        bytes += len;
        rows += 1;
    }
    slices.push(from..rows);
    slices
}

/// The bytes of a column's texts; 0 if it has none.
fn text_bytes(column: &ArrayRef) -> usize {
    fn between<T: Copy + Into<i64>>(offsets: &[T]) -> usize {
        (offsets[offsets.len() - 1].into() - offsets[0].into()) as usize
    }
    match column.data_type() {
        DataType::Utf8 => between(column.as_string::<i32>().value_offsets()),
        DataType::LargeUtf8 => between(column.as_string::<i64>().value_offsets()),
        DataType::Binary => between(column.as_binary::<i32>().value_offsets()),
        DataType::LargeBinary => between(column.as_binary::<i64>().value_offsets()),
        _ => text_lens(column).iter().sum(),
    }
}

/// The length of a column's text in each row; nothing if it has no texts.
fn text_lens(column: &ArrayRef) -> Vec<usize> {
    fn between<T: Copy + Into<i64>>(offsets: &[T]) -> Vec<usize> {
        offsets.windows(2).map(|pair| (pair[1].into() - pair[0].into()) as usize).collect()
    }
    // The low half of a view is the length of its value.
    let of_views = |views: &[u128]| views.iter().map(|&view| view as u32 as usize).collect();
    match column.data_type() {
        DataType::Utf8 => between(column.as_string::<i32>().value_offsets()),
        DataType::LargeUtf8 => between(column.as_string::<i64>().value_offsets()),
        DataType::Binary => between(column.as_binary::<i32>().value_offsets()),
        DataType::LargeBinary => between(column.as_binary::<i64>().value_offsets()),
        DataType::Utf8View => of_views(column.as_string_view().views()),
        DataType::BinaryView => of_views(column.as_binary_view().views()),
        DataType::Dictionary(..) => {
            let dictionary = column.as_any_dictionary();
            let values = text_lens(dictionary.values());
            match values.is_empty() {
                true => Vec::new(),
                false => dictionary.normalized_keys().into_iter().map(|key| values[key]).collect(),
            }
        }
        _ => Vec::new(),
    }
}

/// Normalizers, one for each thread that works; they keep their memory from batch to batch.
pub(super) struct Normalizers {
    options: Options,
    schema: SchemaRef,
    most_rows: usize,
    idle: FreeList<Normalizer>,
}

/// More normalizers than this are not kept.
const KEPT: usize = 1024;

impl Normalizers {
    pub(super) fn new(options: &Options) -> Normalizers {
        let first = Normalizer::new(options.clone());
        let (schema, most_rows, idle) = (first.schema(), first.most_rows(), FreeList::new(KEPT));
        idle.give(first);
        Normalizers { options: options.clone(), schema, most_rows, idle }
    }

    pub(super) fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    pub(super) fn most_rows(&self) -> usize {
        self.most_rows
    }

    pub(super) fn take(&self) -> Normalizer {
        self.idle.take().unwrap_or_else(|| Normalizer::new(self.options.clone()))
    }

    pub(super) fn give(&self, normalizer: Normalizer) {
        self.idle.give(normalizer);
    }

    /// A batch of an array's values; `first` is the number of the first.
    pub(super) fn values(&self, references: &dyn Array, bases: Option<&dyn Array>, first: i64) -> Made {
        if self.options.columns.contains(Column::Offset) {
            return Err(no_offsets());
        }
        let mut normalizer = self.take();
        let origin = Origin { first_record: first, ..Origin::default() };
        let made = normalizer.values(references, bases, origin)?;
        self.give(normalizer);
        Ok(made)
    }
}

/// Batches of references; `chunks` have a column of them, and perhaps one of their bases.
pub(super) fn references(chunks: Vec<Vec<ArrayRef>>, options: &Options) -> Batches<'static> {
    let normalizers = Normalizers::new(options);
    let (schema, most_rows) = (normalizers.schema(), normalizers.most_rows());
    let work = move |columns: &[ArrayRef], first: i64| -> Made {
        normalizers.values(&columns[0], columns.get(1).map(|bases| bases.as_ref()), first)
    };
    Batches::new(schema, rows(chunks, most_rows, work))
}
