//! Many URIs at once: records in, a [`RecordBatch`] out. It uses the modules for one URI; the modules that read and
//! write files use it.
//!
//! Two loops: `split` and `slow_path` take records to components, verdicts and normal forms, all as offsets in a
//! structure of arrays; `columns` turns those into Arrow arrays. A component of an unchanged URI is a view into the
//! input buffer; changed texts are in one arena per batch.

mod arrays;
mod authorities;
mod base_texts;
mod bases;
mod column;
mod columns;
mod components;
mod extra;
mod further_uris;
mod line_splits;
mod memory;
mod originals;
mod places;
mod pre_normalized;
mod reading;
mod records;
mod rows;
mod schema;
mod slow_path;
mod split;
mod table;
mod tally;
mod urls;
mod views;

use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow_buffer::Buffer;
use arrow_schema::SchemaRef;
use urimill_base::error::{Error, Result};
use urimill_base::timing;
use urimill_base::timing::Step;
use urimill_uri::audit::PortRules;
use urimill_uri::canonical::{Canonical, DropParams};
use urimill_uri::domain::SuffixList;
use urimill_uri::passwords::Hide;
use urimill_uri::simd::{Isa, PADDING};

pub use arrays::{holds_texts, no_texts};
pub use column::Column;
pub use column::Layout;
pub use components::components;
pub use extra::{Cell, ExtraColumns, ExtraField, FIELD_ERRORS, Kind, Remap, TimeForm, Unit};
pub use extra::{JSON, UUID, is_address, is_moment, time_of_digits};
pub use further_uris::FurtherUri;
pub use line_splits::LineSplits;
pub use originals::Original;
pub use places::Text;
pub use reading::{Reading, RfcOptions};
pub use records::{Records, TargetForm};
pub use schema::Columns;
pub use table::no_offsets;
pub use table::{OddRows, TableRows, Taken};
pub use tally::{Example, Tally, Unfit};
pub use views::{fitted, plain_bytes, plain_strings};

use crate::batch::rows::Rows;
use base_texts::BaseTexts;
use bases::Bases;
use columns::Memories;
use further_uris::Further;
use places::Places;
use pre_normalized::PreNormalized;
use urls::Urls;

/// Options for making rows of a table from records.
#[derive(Debug, Clone)]
pub struct Options {
    /// By which specification texts are read.
    pub reading: Reading,
    /// Whether records that the URL Standard and the RFC read differently are rejects ([`Column::Disagreement`]).
    pub reject_disagreements: bool,
    /// Whether defanged texts, such as `hxxp://example[.]com`, are read in their original form.
    pub refang: bool,
    /// The base for references without a base of their own (RFC 3986, 5), set by [`Options::with_base`]. References
    /// without any base are not resolved.
    pub base: Option<String>,
    /// The longest record in bytes; longer records are rejects.
    pub max_record: usize,
    /// The largest number of rows in a batch, from 1 to [`MAX_ROWS`]. Parquet files are smallest with that number: a
    /// page of long texts has rows of one batch, and distinct values are numbered by the batch.
    pub batch_rows: usize,
    /// Whether white space at the beginning of a line of a list is not part of its reference. A text that a caller
    /// passes by itself is not trimmed.
    pub drops_indents: bool,
    /// The columns of the table.
    pub columns: Columns,
    /// The other fields that become columns, after those of the table: the value of
    /// `urimill_read::RecordSource::extra_columns`. Records without fields have nulls there; columns of tables must be
    /// given to [`Normalizer::table`].
    pub extra: ExtraColumns,
    /// URIs besides the first, in fields of `extra` that hold texts.
    pub further: Vec<FurtherUri>,
    /// The public suffix list, for columns such as `registered_domain`.
    pub suffix_list: SuffixList,
    /// The form in the column `canonical`; without one the column is null.
    pub canonical: Option<Canonical>,
    /// The query parameters that are dropped from the column `canonical`.
    pub drop_params: DropParams,
    /// Rules for the ports that get the flag `port_well_known_mismatch`.
    pub port_rules: PortRules,
    /// Whether the examples of a [`Tally`], and errors that quote one, show the passwords of user information (RFC
    /// 3986 section 7.5) instead of `***`. `hide` is the option for columns.
    pub show_passwords: bool,
    /// The parts of user information to hide in the table, also in URIs within other texts.
    pub hide: Hide,
    /// The kernel; `None` selects the one of the process: the fastest of this machine, if the program named none.
    pub isa: Option<Isa>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            reading: Reading::default(),
            reject_disagreements: false,
            refang: false,
            base: None,
            max_record: 1 << 20,
            batch_rows: BATCH_ROWS,
            drops_indents: false,
            columns: Columns::default(),
            extra: ExtraColumns::default(),
            further: Vec::new(),
            suffix_list: SuffixList::embedded(),
            canonical: None,
            drop_params: DropParams::none(),
            port_rules: PortRules::default(),
            show_passwords: false,
            hide: Hide::Nothing,
            isa: None,
        }
    }
}

impl Options {
    /// Sets a base for every record without a base of its own.
    ///
    /// # Errors
    /// Usage, if it is outside the grammar or has no scheme (5.1).
    pub fn with_base(self, base: &str) -> Result<Options> {
        self.reading.standard().check_base(base)?;
        Ok(Options { base: Some(base.to_owned()), ..self })
    }

    /// Returns the schema of the batches.
    pub fn schema(&self) -> SchemaRef {
        self.table_schema(&self.columns)
    }

    /// Returns the schema of a table with these of urimill's own columns, and with the others.
    pub fn table_schema(&self, own: &Columns) -> SchemaRef {
        self.extra.extend(&further_uris::extend(own.schema(), &self.further))
    }

    /// The largest number of rows in a batch: `batch_rows`, or fewer if a long base or very many columns would make a
    /// batch too large.
    fn most_rows(&self) -> usize {
        let base = self.base.as_ref().map_or(0, String::len);
        let further = self.further.iter().map(|uri| uri.columns.iter().count()).sum::<usize>();
        let columns = self.columns.iter().count() + further + self.extra.columns();
        let most = if columns > ORDINARY_COLUMNS { MOST_CELLS / columns } else { MAX_ROWS };
        (MOST_FROM_BASE / (base + 1)).min(most).min(self.batch_rows).clamp(1, MAX_ROWS)
    }
}

/// The origin of a batch: values of the columns `record`, `offset` and `source`.
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

/// The largest number of rows in one batch. For work that is done once per batch: numbering its distinct values,
/// sorting it.
pub const MAX_ROWS: usize = 1 << 16;

/// The default of [`Options::batch_rows`]. The rows of such a batch, and the columns that are made from them, stay in
/// the processor's second cache or near it.
pub const BATCH_ROWS: usize = 1 << 13;

/// Tables with more columns than this have batches of fewer rows: a cell takes up to 50 bytes, whatever its value.
pub const ORDINARY_COLUMNS: usize = 32;

/// The number of cells in a batch of such a table.
const MOST_CELLS: usize = 1 << 20;

/// At most this many bytes of a batch are copied from bases.
const MOST_FROM_BASE: usize = 1 << 23;

/// Turns records into record batches, and reuses its working memory from batch to batch.
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
    most_rows: usize,
    rows: Rows,
    bases: Bases,
    /// The positions of an array's values, and of their bases.
    places: [Places; 2],
    further: Further,
    /// The schema of the batches, and the one before the columns of further URIs are added.
    schema: SchemaRef,
    plain_schema: SchemaRef,
    memories: Memories,
}

impl Normalizer {
    /// Creates a normalizer with these options.
    pub fn new(options: Options) -> Self {
        let schema = options.schema();
        let most_rows = options.most_rows();
        let (further, options) = Further::new(options);
        let plain_schema = options.schema();
        let pre_normalized = PreNormalized::new(options.columns.iter().any(Column::is_of_reference));
        let base_texts =
            BaseTexts::new(options.columns.contains(Column::Base)).of_all_rows(further.wants_all_bases());
        let urls = Urls::new(&options);
        let (rfc, hide) = (options.reading.rfc(), options.hide);
        let rows = Rows { pre_normalized, base_texts, urls, rfc, hide, ..Rows::default() };
        let (bases, places, memories) = Default::default();
        Normalizer { options, most_rows, rows, bases, places, further, schema, plain_schema, memories }
    }

    /// Returns the options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Returns the schema of the batches.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Turns the lines of `buffer[from..to]`, at most [`Options::batch_rows`] of them, into a batch. Returns the batch,
    /// its tally, and the start of the first line not taken. `origin` is that of the line at `from`; its `offset` is
    /// that of `buffer[0]`.
    ///
    /// # Panics
    /// If [`PADDING`] bytes do not come after `to`, or there is a newline neither at `to` nor right before it.
    ///
    /// # Errors
    /// Only internal ones.
    pub fn lines(
        &mut self,
        buffer: &Buffer,
        (from, to): (usize, usize),
        origin: Origin<'_>,
    ) -> Result<(RecordBatch, Tally, usize)> {
        self.lines_from(buffer, (from, to), |_, _| origin)
    }

    /// Does the same as [`Normalizer::lines`], with an origin that may depend on the number of lines in the batch and on
    /// the start of the first line not taken: these are known in a third of the time that the batch takes.
    ///
    /// # Panics
    /// As [`Normalizer::lines`].
    ///
    /// # Errors
    /// Only internal ones.
    pub fn lines_from<'o>(
        &mut self,
        buffer: &Buffer,
        range: (usize, usize),
        origin: impl FnOnce(u64, usize) -> Origin<'o>,
    ) -> Result<(RecordBatch, Tally, usize)> {
        let splits = timing::step(Step::Split);
        let next = self.rows.lines(buffer, range, &mut self.bases, &self.options)?;
        drop(splits);
        let origin = origin(self.rows.lines_read(), next);
        let (batch, tally) = self.finish(origin)?;
        Ok((batch, tally, next))
    }

    /// Returns the largest number of records that a batch can have.
    pub fn most_rows(&self) -> usize {
        self.most_rows
    }

    /// Turns the records that a format's reader found in `buffer`, at most [`Normalizer::most_rows`], into a batch.
    /// `origin` is that of the first record or blank line; its `offset` is that of `buffer[0]`.
    ///
    /// # Errors
    /// Internal ones, and usage if the texts of one batch exceed 2 GiB.
    ///
    /// # Panics
    /// If [`PADDING`] bytes do not come after the last record.
    pub fn records(
        &mut self,
        buffer: &Buffer,
        records: &mut Records,
        origin: Origin<'_>,
    ) -> Result<(RecordBatch, Tally)> {
        let width = self.options.extra.width();
        if width > 0 && records.width > 0 && records.width != width {
            return Err(Error::usage(format!(
                "the records have {} fields that pass through, and the table {width}: take Options::extra from the format",
                records.width
            )));
        }
        let splits = timing::step(Step::Split);
        records.seal(buffer, width);
        self.rows.records(records, &mut self.bases, &self.options)?;
        drop(splits);
        self.finish(origin)
    }

    /// Makes the row of a line that is too long to be kept whole; `buffer[..to]` is its beginning.
    ///
    /// # Errors
    /// Only internal ones.
    pub fn overlong(
        &mut self,
        buffer: &Buffer,
        to: usize,
        origin: Origin<'_>,
    ) -> Result<(RecordBatch, Tally)> {
        self.rows.overlong(buffer, to, &self.options)?;
        self.finish(origin)
    }

    /// Turns all lines of a text into a batch. The text is copied once, to give it padding.
    ///
    /// # Errors
    /// Only internal ones.
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
            _ => arrow_select::concat::concat_batches(&self.schema(), &batches).map_err(columns::internal)?,
        };
        Ok((batch, total))
    }

    /// Turns each value of a string or binary array into a row: `Utf8`, `LargeUtf8`, `Utf8View`, `Binary`,
    /// `LargeBinary` or `BinaryView`, or a dictionary of these. A null is a row of nulls.
    ///
    /// # Errors
    /// Usage, if the array is of another type.
    pub fn array(&mut self, array: &dyn Array) -> Result<(RecordBatch, Tally)> {
        self.values(array, None, Origin::default())
    }

    /// [`Normalizer::array`] with a base for each record. A null reference stays a null row. If a base is null or empty
    /// the options' base is used; if there is none either, a reference with a scheme is its own target, and any other a
    /// reject, `base_not_absolute`. So is every reference whose base has no scheme.
    ///
    /// ```
    /// use arrow::array::{AsArray, StringArray};
    /// use urimill::batch::{Normalizer, Options};
    ///
    /// let references = StringArray::from(vec!["../c", "?x", "http:g"]);
    /// let bases = StringArray::from(vec!["http://example.com/a/b", "http://example.com/a/b", "/b"]);
    /// let (batch, tally) = Normalizer::new(Options::default()).array_with_bases(&references, &bases)?;
    /// let uris = batch["uri"].as_string_view();
    /// assert_eq!((uris.value(0), uris.value(1)), ("http://example.com/c", "http://example.com/a/b?x"));
    /// assert_eq!(tally.rejects(), 1);
    /// # Ok::<(), urimill::Error>(())
    /// ```
    ///
    /// # Errors
    /// Usage, if an array is of another type, or the two differ in length, or the targets exceed 2 GiB.
    pub fn array_with_bases(
        &mut self,
        references: &dyn Array,
        bases: &dyn Array,
    ) -> Result<(RecordBatch, Tally)> {
        self.values(references, Some(bases), Origin::default())
    }

    /// Does the same as [`Normalizer::array`], or with bases [`Normalizer::array_with_bases`], for a slice of a
    /// longer column. `origin` is that of the first value; its offset is ignored.
    ///
    /// # Errors
    /// The same as [`Normalizer::array_with_bases`].
    pub fn values(
        &mut self,
        references: &dyn Array,
        bases: Option<&dyn Array>,
        origin: Origin<'_>,
    ) -> Result<(RecordBatch, Tally)> {
        if let Some(bases) = bases.filter(|bases| bases.len() != references.len()) {
            return Err(Error::usage(format!(
                "there are {} references and {} bases: give each reference its own",
                references.len(),
                bases.len()
            )));
        }
        let [places, own] = &mut self.places;
        arrays::places(references, places)?;
        bases.map_or(Ok(()), |bases| arrays::places(bases, own))?;
        let (own, nulls) = (bases.map(|_| &*own), references.logical_nulls());
        self.rows.values((places, own), nulls, OddRows::default(), &mut self.bases, &self.options)?;
        // The input belongs to the caller.
        self.places.iter_mut().for_each(Places::clear);
        self.finish(origin)
    }

    /// Returns for each row of the last batch whether it is a reject.
    pub fn rejected(&self) -> BooleanArray {
        BooleanArray::from(!&self.rows.accepted())
    }

    fn finish(&mut self, origin: Origin<'_>) -> Result<(RecordBatch, Tally)> {
        self.finish_with(&[], origin)
    }

    fn finish_with(&mut self, passthrough: &[ArrayRef], origin: Origin<'_>) -> Result<(RecordBatch, Tally)> {
        let asked = self.options.extra.passthrough();
        let types = passthrough.iter().map(|column| column.data_type());
        if !types.eq(asked.iter().map(|field| field.data_type())) {
            return Err(Error::usage(format!(
                "the table should have {} columns that pass through, and has {}, or their types differ: \
                 give the columns of Options::extra to Normalizer::table",
                asked.len(),
                passthrough.len()
            )));
        }
        let _columns = timing::step(Step::Columns);
        let mut tally = Tally::of(&self.rows, origin.first_record, self.options.show_passwords);
        let (schema, memories) = (&self.plain_schema, &self.memories);
        let batch = columns::batch(&mut self.rows, &self.options, schema, memories, origin, passthrough)?;
        let batch = self.further.add(batch, origin, &mut tally.further_rejects)?;
        Ok((batch, tally))
    }
}
