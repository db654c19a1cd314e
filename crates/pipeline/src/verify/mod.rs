//! Checks that nothing was lost between the workers' rows and the finished file: both are counted and hashed, and
//! compared before the file gets its name. The pipeline's workers add rows before these are sorted, partitioned and
//! written.
//!
//! The hash of a table is the sum of its rows' hashes (XXH3, 64 bits, wrapping), which does not depend on the order of
//! rows, nor on which file of a directory has them.
//!
//! - Parquet and Arrow: each row is all of its values, in plain types. Files are decoded by the readers of Arrow's own
//!   libraries, which are independent of urimill's page writer.
//! - CSV, JSON Lines and lists of URIs: each row is its text. For that the workers' rows are encoded a second time.
//!
//! Before that the bytes of each file are compared with those that were written to it, by a checksum: a changed bit is
//! found anywhere, also outside the rows. And a file's own description (schema, metadata, order, statistics) is
//! compared with the intended one, and with the values (`footer`).
//!
//! Meanwhile values of some columns (`readback`) are passed to code that accounts for records by them.

pub(crate) mod file_reader;
#[cfg(feature = "parquet")]
mod footer;
mod readback;
mod text_rows;
mod value;
pub mod verifier;

use std::cell::RefCell;
use std::fmt;
use std::io::{ErrorKind as Io, Read};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use arrow_array::RecordBatch;
use arrow_row::{RowConverter, SortField};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::files::File;
use urimill_base::locks::{into_inner, lock};
use urimill_base::option_name::OptionName;
use urimill_base::threads::Workers;
use urimill_read::Checksum;
use urimill_write::passthrough::{fit, fit_batch};
use urimill_write::publish::checksum::checksum_of_file;
use urimill_write::text::bytes::{BytesSink, Encode};
use urimill_write::text::compression::Packing;
use urimill_write::text::csv::CsvEncoder;
use urimill_write::{
    FileSink, Format, SinkOptions, SortKey, StagedSink, Target, UncommittedFile, UncommittedOutput,
    encode_error, export_schema, file_schema, to_plain,
};

use file_reader::{TableFile, read_back};
use footer::{BoundsCheck, ExpectedFooter};
use readback::ReadbackColumns;
use text_rows::Rows;
pub use value::Value;
pub use verifier::{Verified, Verifier};

/// Footers in builds without Parquet.
#[cfg(not(feature = "parquet"))]
mod footer {
    use super::*;

    urimill_base::left_out! {
        Error::usage(urimill_base::left_out::PARQUET.missing("writer of Parquet"));
        pub(super) enum ExpectedFooter {
            pub(super) fn new(_: &Schema, _: &SinkOptions) -> Result<ExpectedFooter>;
            pub(super) fn check(&self, _: File, _: &str, _: &SchemaRef) -> Result<BoundsCheck>;
        }
        pub(super) enum BoundsCheck {
            pub(super) fn add(&mut self, _: &RecordBatch) -> Result<Option<String>, ArrowError>;
            pub(super) fn finish(self) -> Option<String>;
        }
    }
}

/// The number of bytes of a text read at once.
const AT_ONCE: usize = 1 << 20;

/// A checksum of the rows that an output should hold, which [`OutputVerifier::check`] compares with its files.
pub struct OutputVerifier {
    rows: AtomicU64,
    hash: AtomicU64,
    /// The columns that files have.
    columns: Vec<usize>,
    form: Form,
    asked: ReadbackColumns,
}

impl fmt::Debug for OutputVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputVerifier")
            .field("rows", &self.rows)
            .field("hash", &self.hash)
            .finish_non_exhaustive()
    }
}

/// The form in which rows are compared.
enum Form {
    /// Its values, in columns of these types once the format has its own types for those that pass through.
    Values { stored: TableFile, fitting: SchemaRef, plain: SchemaRef, own: Own },
    /// Its text. The sink encodes and writes nothing; files begin with the header.
    Text { format: Format, sink: Box<BytesSink>, header: Checksum },
}

/// The expected description in a file, by its format.
enum Own {
    Parquet(Box<ExpectedFooter>),
    /// The schema, with its metadata.
    Arrow(SchemaRef),
}

impl OutputVerifier {
    /// Creates a verifier for a table of `schema` that is written as `format` with `options`, partitioned by the
    /// columns with the names `partition_by`. These columns are not compared: files do not have them.
    ///
    /// # Errors
    /// `Usage` if a column has a type that cannot be compared.
    pub fn new(
        format: Format,
        schema: &SchemaRef,
        options: &SinkOptions,
        partition_by: &[String],
    ) -> Result<OutputVerifier> {
        let stays = |column: &usize| !partition_by.contains(schema.field(*column).name());
        let own = schema.fields().len().saturating_sub(options.passthrough);
        let columns: Vec<usize> = (0..schema.fields().len()).filter(stays).collect();
        let passthrough = columns.iter().filter(|&&column| column >= own).count();
        let projected = schema.project(&columns).map_err(|e| encode_error("a comparison", e))?;
        let sorting = options.sorting.iter().filter_map(|key| {
            Some(SortKey { column: columns.iter().position(|&column| column == key.column)?, ..*key })
        });
        let options = SinkOptions { passthrough, sorting: sorting.collect(), ..options.clone() };
        let form = Form::new(format, projected.into(), &options)?;
        let asked = ReadbackColumns::default().safe(options.csv_safe);
        Ok(OutputVerifier { rows: AtomicU64::new(0), hash: AtomicU64::new(0), columns, form, asked })
    }

    /// Sets the columns whose values are returned when the output is read back: numbers in the schema, `None` if
    /// there is no such column. They are urimill's own, and hold texts, bytes, or integers of 64 bits.
    pub fn reading_back(self, schema: &SchemaRef, columns: &[Option<usize>]) -> OutputVerifier {
        let place = |column: usize| self.columns.iter().position(|&other| other == column);
        let has = |column: &usize| match &self.form {
            Form::Text { format: Format::Uris, .. } => schema.field(*column).name() == "uri",
            _ => true,
        };
        let places = columns.iter().map(|column| column.filter(&has).and_then(place)).collect();
        let projected = self.columns.iter().map(|&column| schema.field(column).clone());
        let asked = ReadbackColumns::new(&Schema::new(projected.collect::<Vec<_>>()), places);
        let asked = asked.safe(self.asked.is_safe);
        OutputVerifier { asked, ..self }
    }

    /// Returns whether the output has the column asked for with this number.
    pub fn reads_back(&self, asked: usize) -> bool {
        self.asked.reads_back(asked)
    }

    /// Returns whether a row is always one line, so that a line end within a text is escaped.
    pub fn is_list(&self) -> bool {
        matches!(self.form, Form::Text { format: Format::Uris, .. })
    }

    /// Adds rows that will be written; any thread may call this at any time.
    ///
    /// # Errors
    /// `Internal` if they cannot be encoded.
    pub fn add(&self, batch: &RecordBatch) -> Result<()> {
        let batch = batch.project(&self.columns).map_err(uncomparable)?;
        let sum = self.form.of_batch(&batch)?;
        self.rows.fetch_add(sum.count, Ordering::Relaxed);
        // Wraps around.
        self.hash.fetch_add(sum.hash, Ordering::Relaxed);
        Ok(())
    }

    /// Reads a complete output back from its files, with this many threads if there are several files, and compares.
    ///
    /// # Errors
    /// `Data` if it does not hold the expected rows; `Io` if it cannot be read; `Usage` if it is not a file.
    pub fn check(&self, output: &UncommittedOutput, threads: &Workers) -> Result<()> {
        self.read(output, threads, None::<(fn(), fn(&mut (), &[Value<'_>]))>).map(drop)
    }

    /// Does the same as [`OutputVerifier::check`], and also passes the values of each row, in the order in which they
    /// were asked for, to a value that `begin` makes for each file. Returns these values.
    ///
    /// # Errors
    /// The same.
    pub fn check_and_read<T: Send>(
        &self,
        output: &UncommittedOutput,
        threads: &Workers,
        begin: impl Fn() -> T + Sync,
        row: impl Fn(&mut T, &[Value<'_>]) + Sync,
    ) -> Result<Vec<T>> {
        self.read(output, threads, Some((begin, row)))
    }

    fn read<T: Send>(
        &self,
        output: &UncommittedOutput,
        threads: &Workers,
        each_row: Option<(impl Fn() -> T + Sync, impl Fn(&mut T, &[Value<'_>]) + Sync)>,
    ) -> Result<Vec<T>> {
        let name = output.name();
        let (next, found) = (AtomicUsize::new(0), Mutex::new(Ok((Checksum::default(), Vec::new()))));
        let values_of = |file: &UncommittedFile<'_>| match &each_row {
            None => Ok((self.form.of_file(file, None)?, None)),
            Some((begin, row)) => {
                let mut collected = begin();
                let each_row = &mut |values: &[Value<'_>]| row(&mut collected, values);
                let sum = self.form.of_file(file, Some((&self.asked, each_row)))?;
                Ok((sum, Some(collected)))
            }
        };
        let one = |file: &UncommittedFile<'_>| {
            check_bytes(file)?;
            values_of(file)
        };
        let read = || {
            while let Some(file) = output.file(next.fetch_add(1, Ordering::Relaxed)) {
                let sum = one(&file);
                let mut found = lock(&found);
                match (&mut *found, sum) {
                    (Ok((found, collected)), Ok((sum, more))) => {
                        found.add_all(sum);
                        collected.extend(more);
                    }
                    (Ok(_), Err(error)) => *found = Err(error),
                    (Err(_), _) => return,
                }
            }
        };
        threads.each(usize::MAX, read);
        let found = into_inner(found);
        let (found, collected) =
            found.map_err(|e: Error| Error::new(e.kind(), format!("{e}; nothing was published")))?;
        self.compare(name, found).map(|()| collected)
    }

    fn compare(&self, name: &str, found: Checksum) -> Result<()> {
        let due =
            Checksum { count: self.rows.load(Ordering::SeqCst), hash: self.hash.load(Ordering::SeqCst) };
        if found == due {
            return Ok(());
        }
        let what = match found.count == due.count {
            true => format!("its {} rows differ from those that should have been written", due.count),
            false => format!("it has {} rows, and should have {}", found.count, due.count),
        };
        let sentence = format!(
            "{name} differs from what was written when it is read back: {what}; nothing was published"
        );
        Err(Error::new(ErrorKind::Data, sentence))
    }
}

/// The receiver of the values of each row.
type EachRow<'a> = (&'a ReadbackColumns, &'a mut dyn FnMut(&[Value<'_>]));

impl Form {
    fn new(format: Format, schema: SchemaRef, options: &SinkOptions) -> Result<Form> {
        let name = "a comparison";
        let fitting = fit(format, &schema, options.passthrough, name)?;
        let stored = match format {
            Format::Parquet => TableFile::Parquet,
            Format::Arrow => TableFile::ArrowFile,
            Format::ArrowStream => TableFile::ArrowStream,
            Format::Csv | Format::Tsv | Format::Jsonl | Format::Uris => {
                let mut header = Checksum::default();
                if matches!(format, Format::Csv | Format::Tsv) {
                    header.add(&CsvEncoder::new(format, &fitting, options).header());
                }
                let sink = Box::new(BytesSink::create(format, Target::nowhere(name), schema, options)?);
                return Ok(Form::Text { format, sink, header });
            }
        };
        let own = match format {
            Format::Parquet => Own::Parquet(Box::new(ExpectedFooter::new(&fitting, options)?)),
            _ => Own::Arrow(file_schema(&fitting, options)),
        };
        let plain = SchemaRef::new(export_schema(&fitting));
        for field in plain.fields() {
            if !RowConverter::supports_fields(&[SortField::new(field.data_type().clone())]) {
                return Err(Error::usage(format!(
                    "cannot verify the column {:?}, which is {}: leave it out with {}, or do without {}",
                    field.name(),
                    field.data_type(),
                    OptionName::Keep.named(),
                    OptionName::Verify.named()
                )));
            }
        }
        Ok(Form::Values { stored, fitting, plain, own })
    }

    fn of_batch(&self, batch: &RecordBatch) -> Result<Checksum> {
        match self {
            Form::Values { fitting, plain, .. } => {
                let fitted = fit_batch(batch, fitting).and_then(|batch| to_plain(&batch, plain));
                fitted.and_then(|batch| of_values(&batch)).map_err(uncomparable)
            }
            Form::Text { format, sink, .. } => {
                let bytes = sink.prepare(batch.clone())?;
                let (mut rows, mut sum) = (Rows::of(*format), Checksum::default());
                let mut each = |row: &[u8]| {
                    sum.add(row);
                    Ok(())
                };
                rows.push(&bytes, &mut each)?;
                rows.end(&mut each)?;
                match sum.count == batch.num_rows() as u64 {
                    true => Ok(sum),
                    false => Err(uncomparable("the number of rows and of texts differ")),
                }
            }
        }
    }

    fn of_file(&self, file: &UncommittedFile<'_>, mut each_row: Option<EachRow<'_>>) -> Result<Checksum> {
        let name = file.name.as_str();
        match self {
            Form::Values { stored, plain, own, .. } => {
                let mut sum = Checksum::default();
                let bounds = RefCell::new(None);
                let begin = |schema: &SchemaRef| match own {
                    Own::Parquet(footer) => {
                        *bounds.borrow_mut() = Some(footer.check(file.open()?, name, schema)?);
                        Ok(())
                    }
                    Own::Arrow(meant) if schema == meant => Ok(()),
                    Own::Arrow(_) => Err(other_form(name, "has another schema or other metadata")),
                };
                read_back(file.open()?, name, *stored, begin, |batch| {
                    let mismatch = |e: ArrowError| other_form(name, format_args!("has other columns ({e})"));
                    if let Some(bounds) = bounds.borrow_mut().as_mut()
                        && let Some(what) = bounds.add(&batch).map_err(mismatch)?
                    {
                        return Err(other_form(name, format_args!("states something wrong: {what},")));
                    }
                    let values = fit_batch(&batch, plain).map_err(mismatch)?;
                    sum.add_all(of_values(&values).map_err(mismatch)?);
                    let collected =
                        each_row.as_mut().map(|(asked, each_row)| asked.of_batch(&values, each_row));
                    collected
                        .unwrap_or(Some(()))
                        .ok_or_else(|| other_form(name, "has columns of other types"))
                })?;
                match bounds.into_inner().and_then(BoundsCheck::finish) {
                    Some(what) => Err(other_form(name, format_args!("states something wrong: {what},"))),
                    None => Ok(sum),
                }
            }
            Form::Text { format, header, .. } => {
                let mut found = Checksum::default();
                let is_row = |count: u64| count > header.count;
                of_text(file.open()?, name, *format, |row| {
                    found.add(row);
                    match &mut each_row {
                        Some((asked, each_row)) if is_row(found.count) => {
                            asked.of_text(*format, row, each_row).ok_or_else(|| {
                                other_form(name, format_args!("has no row in line {}", found.count))
                            })
                        }
                        _ => Ok(()),
                    }
                })?;
                // Without its header a file lacks a row that it should have.
                let rows = found.count.saturating_sub(header.count);
                Ok(Checksum { count: rows, hash: found.hash.wrapping_sub(header.hash) })
            }
        }
    }
}

/// Checks that a file holds the bytes that were written to it.
fn check_bytes(file: &UncommittedFile<'_>) -> Result<()> {
    let (Some(written), name) = (file.checksum, file.name.as_str()) else { return Ok(()) };
    let found = checksum_of_file(file.open()?).map_err(|e| Error::io("read back", name, e))?;
    match found == written {
        true => Ok(()),
        false => Err(other_form(name, "does not contain the bytes that were written to it")),
    }
}

fn other_form(name: &str, what: impl fmt::Display) -> Error {
    Error::new(ErrorKind::Data, format!("{name} {what} when it is read back"))
}

/// Calls `each` with every row of a text.
fn of_text(file: File, name: &str, format: Format, mut each: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let failed = |e| Error::io("read back", name, e);
    let mut file: Box<dyn Read> = match Packing::of(name) {
        Some(packing) => packing.unpack(file).map_err(failed)?,
        None => Box::new(file),
    };
    let (mut rows, mut buffer) = (Rows::of(format), vec![0; AT_ONCE]);
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return rows.end(&mut each),
            Ok(read) => rows.push(&buffer[..read], &mut each)?,
            Err(e) if e.kind() == Io::Interrupted => {}
            Err(e) => return Err(failed(e)),
        }
    }
}

/// The checksum of rows by all of their values.
fn of_values(batch: &RecordBatch) -> Result<Checksum, ArrowError> {
    let fields = batch.columns().iter().map(|column| SortField::new(column.data_type().clone()));
    let converter = RowConverter::new(fields.collect())?;
    let rows = converter.convert_columns(batch.columns())?;
    let mut sum = Checksum::default();
    rows.iter().for_each(|row| sum.add(row.as_ref()));
    Ok(sum)
}

fn uncomparable(error: impl std::fmt::Display) -> Error {
    encode_error("a comparison", error)
}
