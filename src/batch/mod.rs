//! Many URIs at once: records in, a [`RecordBatch`] out. Stands behind everything that looks at one
//! URI, and before the rooms that read and write files.
//!
//! Two loops: `scan` takes records to components, verdicts and normal forms, all as offsets in a
//! structure of arrays; `columns` turns those into Arrow arrays. A component of a URI that nothing
//! changed is a view into the buffer that was read; what changed lies in one arena a batch.

mod arrays;
mod columns;
mod memory;
mod scan;
mod schema;
mod tally;
mod views;

use arrow::array::{Array, BooleanArray, RecordBatch};
use arrow::buffer::Buffer;
use arrow::datatypes::SchemaRef;

pub use schema::{Column, Columns};
pub use tally::{Example, Tally};

use crate::error::Result;
use crate::grammar::Spec;
use crate::normalize::{DefaultScheme, Level};
use crate::simd::{Isa, PADDING};
use columns::Memories;
use scan::Rows;

/// How records become rows.
#[derive(Debug, Clone)]
pub struct Options {
    /// What is valid.
    pub spec: Spec,
    /// Which normal form the table holds.
    pub level: Level,
    /// Whether records outside the grammar are mended where that is possible.
    pub repair: bool,
    /// With `repair`: what suffix references (RFC 3986 section 4.5) are completed with.
    pub default_scheme: Option<DefaultScheme>,
    /// Records longer than this, in bytes, are rejected.
    pub max_record: usize,
    /// Which columns the table has.
    pub columns: Columns,
    /// The kernel; `None` takes the fastest of this machine, or what `URIMILL_ISA` names.
    pub isa: Option<Isa>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            spec: Spec::default(),
            level: Level::default(),
            repair: false,
            default_scheme: None,
            max_record: 1 << 20,
            columns: Columns::default(),
            isa: None,
        }
    }
}

/// Where a batch of lines comes from: what the columns `record`, `offset` and `source` say.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// The 1-based number of the first line in its source.
    pub first_record: i64,
    /// The byte offset of the buffer's first byte in its source.
    pub offset: u64,
    /// The name of the source.
    pub source: &'a str,
}

impl Default for Origin<'_> {
    fn default() -> Self {
        Origin { first_record: 1, offset: 0, source: "" }
    }
}

/// The most rows that one batch of lines holds.
pub const MAX_ROWS: usize = 1 << 16;

/// Turns records into batches; keeps its working memory from one to the next.
///
/// ```
/// use urimill::batch::{Normalizer, Options};
///
/// let mut normalizer = Normalizer::new(Options::default());
/// let (batch, tally) = normalizer.text(b"http://example.com/\nHTTP://example.com:80/%7Ea\n/a b\n")?;
/// assert_eq!((batch.num_rows(), tally.rejects()), (3, 1));
/// # Ok::<(), urimill::Error>(())
/// ```
#[derive(Debug)]
pub struct Normalizer {
    options: Options,
    rows: Rows,
    schema: SchemaRef,
    memories: Memories,
}

impl Normalizer {
    /// With these options for every batch.
    pub fn new(options: Options) -> Self {
        let schema = options.columns.schema();
        Normalizer { options, rows: Rows::default(), schema, memories: Memories::default() }
    }

    /// The options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The schema of the batches.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Lines from `buffer[from..to]`, at most [`MAX_ROWS`] of them: a batch, its accounts, and where
    /// the first line not taken begins. `origin` is that of the line at `from`, its `offset` that of
    /// `buffer[0]`.
    ///
    /// # Panics
    /// Where [`PADDING`] bytes do not stand behind `to`, the first of them a newline.
    ///
    /// # Errors
    /// Internal ones alone.
    pub fn lines(
        &mut self,
        buffer: &Buffer,
        (from, to): (usize, usize),
        origin: Origin<'_>,
    ) -> Result<(RecordBatch, Tally, usize)> {
        let next = self.rows.lines(buffer, (from, to), &self.options)?;
        let (batch, tally) = self.finish(origin)?;
        Ok((batch, tally, next))
    }

    /// One line longer than any that is kept whole: `buffer[..to]` are its first bytes.
    ///
    /// # Errors
    /// Internal ones alone.
    pub fn overlong(
        &mut self,
        buffer: &Buffer,
        to: usize,
        origin: Origin<'_>,
    ) -> Result<(RecordBatch, Tally)> {
        self.rows.overlong(buffer, to, &self.options)?;
        self.finish(origin)
    }

    /// All lines of a text, copied once to give it padding: for texts that are not in a buffer yet.
    ///
    /// # Errors
    /// Internal ones alone.
    pub fn text(&mut self, text: &[u8]) -> Result<(RecordBatch, Tally)> {
        let mut padded = Vec::with_capacity(text.len() + PADDING);
        padded.extend_from_slice(text);
        padded.push(b'\n');
        padded.resize(text.len() + PADDING, 0);
        let buffer = Buffer::from_vec(padded);
        let mut batches = Vec::new();
        let mut total = Tally::default();
        let mut at = 0;
        while at < text.len() {
            let origin = Origin { first_record: 1 + total.lines() as i64, ..Origin::default() };
            let (batch, tally, next) = self.lines(&buffer, (at, text.len()), origin)?;
            batches.push(batch);
            total.add(&tally);
            at = next;
        }
        let batch = match batches.len() {
            1 => batches.remove(0),
            _ => arrow::compute::concat_batches(&self.schema(), &batches).map_err(columns::internal)?,
        };
        Ok((batch, total))
    }

    /// The values of a string or binary array, each one record: `Utf8`, `LargeUtf8`, `Utf8View`,
    /// `Binary`, `LargeBinary` or `BinaryView`. A null stays a null row.
    ///
    /// # Errors
    /// Usage, where the array is of another type.
    pub fn array(&mut self, array: &dyn Array) -> Result<(RecordBatch, Tally)> {
        let places = arrays::places(array)?;
        let at = (places.spans.as_slice(), places.runs.as_slice());
        self.rows.spans(places.buffers, at, array.logical_nulls(), &self.options)?;
        self.finish(Origin::default())
    }

    /// A bit a row of the last batch: whether it is a reject.
    pub fn rejected(&self) -> BooleanArray {
        BooleanArray::from(!&self.rows.accepted())
    }

    fn finish(&mut self, origin: Origin<'_>) -> Result<(RecordBatch, Tally)> {
        let tally = Tally::of(&self.rows, origin.first_record);
        let batch =
            columns::batch(&mut self.rows, &self.options.columns, &self.schema, &self.memories, origin)?;
        Ok((batch, tally))
    }
}
