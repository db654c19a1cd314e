//! That nothing was lost between the workers' rows and the finished file: both are counted and hashed, and compared
//! before the file gets its name. Beside the sinks; the pipeline's workers add rows before these are sorted, divided
//! and written.
//!
//! The hash of a table is the sum of its rows' hashes (XXH3, 64 bits, wrapping), which does not depend on the order of
//! rows, nor on which file of a directory has them.
//!
//! - Parquet and Arrow: each row is all of its values, brought to plain types. Files are decoded by the readers of
//!   Arrow's own libraries, which know nothing of how urimill made the pages.
//! - CSV, JSON Lines and lists of URIs: each row is its text. The workers' rows are encoded for that once more.

use std::fmt;
use std::io::{ErrorKind as Io, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::row::{RowConverter, SortField};
use twox_hash::XxHash3_64;

use super::bytes::Encode;
use super::csv::CsvEncoder;
use super::passed::{fit, fit_batch};
use super::{
    Format, Prepared, Settled, Sink, SinkOptions, Target, create, encode_error, exit_schema, to_exit,
};
use crate::error::{Error, ErrorKind, Result};
use crate::files::File;
use crate::input::{Stored, read_back};

/// So much of a text is read at once.
const AT_ONCE: usize = 1 << 20;

/// Rows and the sum of their hashes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Sum {
    rows: u64,
    hash: u64,
}

impl Sum {
    fn add(&mut self, other: Sum) {
        self.rows += other.rows;
        self.hash = self.hash.wrapping_add(other.hash);
    }

    fn add_row(&mut self, row: &[u8]) {
        self.add(Sum { rows: 1, hash: XxHash3_64::oneshot(row) });
    }
}

/// What an output has to hold, for [`Proof::check`] to compare it with what it holds.
pub struct Proof {
    rows: AtomicU64,
    hash: AtomicU64,
    /// The columns that files have.
    columns: Vec<usize>,
    form: Form,
}

impl fmt::Debug for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proof").field("rows", &self.rows).field("hash", &self.hash).finish_non_exhaustive()
    }
}

/// What a row is.
enum Form {
    /// Its values, in columns of these types once the format has its own types for those that pass through.
    Values { stored: Stored, fitting: SchemaRef, plain: SchemaRef },
    /// Its text. The sink encodes and writes nothing; files begin with the header.
    Text { format: Format, sink: Box<dyn Sink>, header: Sum },
}

impl Proof {
    /// For a table of `schema` that is written as `format` with `options`, and divided by the columns with the names
    /// `partition_by`. These columns are not compared: files do not have them.
    ///
    /// # Errors
    /// `Usage` where a column has a type that cannot be compared.
    pub fn new(
        format: Format,
        schema: &SchemaRef,
        options: &SinkOptions,
        partition_by: &[String],
    ) -> Result<Proof> {
        let stays = |column: &usize| !partition_by.contains(schema.field(*column).name());
        let own = schema.fields().len().saturating_sub(options.passed);
        let columns: Vec<usize> = (0..schema.fields().len()).filter(stays).collect();
        let passed = columns.iter().filter(|&&column| column >= own).count();
        let projected = schema.project(&columns).map_err(|e| encode_error("a comparison", e))?;
        let form = Form::new(format, projected.into(), &SinkOptions { passed, ..options.clone() })?;
        Ok(Proof { rows: AtomicU64::new(0), hash: AtomicU64::new(0), columns, form })
    }

    /// Takes rows that are to be written into account; any thread may do that at any time.
    ///
    /// # Errors
    /// `Internal` where they cannot be encoded.
    pub fn add(&self, batch: &RecordBatch) -> Result<()> {
        let batch = batch.project(&self.columns).map_err(uncomparable)?;
        let sum = self.form.of_batch(&batch)?;
        self.rows.fetch_add(sum.rows, Ordering::Relaxed);
        // Wraps around.
        self.hash.fetch_add(sum.hash, Ordering::Relaxed);
        Ok(())
    }

    /// Reads a complete output from its files, in so many threads where they are several, and compares.
    ///
    /// # Errors
    /// `Data` where it does not hold what it has to; `Io` where it cannot be read; `Usage` where it is no file.
    pub fn check(&self, output: &Settled, threads: usize) -> Result<()> {
        let (name, files) = output.places()?;
        let (next, found) = (AtomicUsize::new(0), Mutex::new(Ok(Sum::default())));
        let read = || {
            while let Some((name, path)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                let sum = self.form.of_file(path, name);
                let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                match (&mut *found, sum) {
                    (Ok(found), Ok(sum)) => found.add(sum),
                    (Ok(_), Err(error)) => *found = Err(error),
                    (Err(_), _) => return,
                }
            }
        };
        std::thread::scope(|scope| (0..threads.max(1)).for_each(|_| drop(scope.spawn(read))));
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let found = found.map_err(|e| Error::new(e.kind(), format!("{e}; nothing was published")))?;
        let due = Sum { rows: self.rows.load(Ordering::SeqCst), hash: self.hash.load(Ordering::SeqCst) };
        if found == due {
            return Ok(());
        }
        let what = match found.rows == due.rows {
            true => format!("its {} rows hold other values than those that were to be written", due.rows),
            false => format!("it holds {} rows, and {} were to be written", found.rows, due.rows),
        };
        let sentence =
            format!("{name} is not what it should be when it is read back: {what}; nothing was published");
        Err(Error::new(ErrorKind::Data, sentence))
    }
}

impl Form {
    fn new(format: Format, schema: SchemaRef, options: &SinkOptions) -> Result<Form> {
        let name = "a comparison";
        let fitting = fit(format, &schema, options.passed, name)?;
        let stored = match format {
            Format::Parquet => Stored::Parquet,
            Format::Arrow => Stored::ArrowFile,
            Format::ArrowStream => Stored::ArrowStream,
            Format::Csv | Format::Jsonl | Format::Uris => {
                let mut header = Rows::of(format);
                if format == Format::Csv {
                    header.push(&CsvEncoder::new(&fitting, options).header());
                }
                let sink = create(format, Target::nowhere(name), schema, options)?;
                return Ok(Form::Text { format, sink, header: header.end() });
            }
        };
        let plain = SchemaRef::new(exit_schema(&fitting));
        for field in plain.fields() {
            if !RowConverter::supports_fields(&[SortField::new(field.data_type().clone())]) {
                return Err(Error::usage(format!(
                    "cannot verify the column {:?}, which is {}: leave it out with --keep, or --verify away",
                    field.name(),
                    field.data_type()
                )));
            }
        }
        Ok(Form::Values { stored, fitting, plain })
    }

    fn of_batch(&self, batch: &RecordBatch) -> Result<Sum> {
        match self {
            Form::Values { fitting, plain, .. } => {
                let fitted = fit_batch(batch, fitting).and_then(|batch| to_exit(&batch, plain));
                fitted.and_then(|batch| of_values(&batch)).map_err(uncomparable)
            }
            Form::Text { format, sink, .. } => {
                let Prepared::Bytes(bytes) = sink.prepare(batch.clone())? else {
                    return Err(uncomparable("a text format did not write text"));
                };
                let mut rows = Rows::of(*format);
                rows.push(&bytes);
                let sum = rows.end();
                match sum.rows == batch.num_rows() as u64 {
                    true => Ok(sum),
                    false => Err(uncomparable("rows and their texts are not as many")),
                }
            }
        }
    }

    fn of_file(&self, path: &Path, name: &str) -> Result<Sum> {
        match self {
            Form::Values { stored, plain, .. } => {
                let mut sum = Sum::default();
                read_back(path, name, *stored, |batch| {
                    let unlike = |e: ArrowError| {
                        Error::new(
                            ErrorKind::Data,
                            format!("{name} has other columns when it is read back: {e}"),
                        )
                    };
                    let values = fit_batch(&batch, plain).and_then(|batch| of_values(&batch));
                    sum.add(values.map_err(unlike)?);
                    Ok(())
                })?;
                Ok(sum)
            }
            Form::Text { format, header, .. } => {
                let failed = |e| Error::io("read back", name, e);
                let mut file = File::open(path).map_err(failed)?;
                let (mut rows, mut buffer) = (Rows::of(*format), vec![0; AT_ONCE]);
                loop {
                    match file.read(&mut buffer) {
                        Ok(0) => break,
                        Ok(read) => rows.push(&buffer[..read]),
                        Err(e) if e.kind() == Io::Interrupted => {}
                        Err(e) => return Err(failed(e)),
                    }
                }
                let Sum { rows, hash } = rows.end();
                // Without its header a file lacks a row that it should have.
                Ok(Sum { rows: rows.saturating_sub(header.rows), hash: hash.wrapping_sub(header.hash) })
            }
        }
    }
}

/// Of rows by all of their values.
fn of_values(batch: &RecordBatch) -> Result<Sum, ArrowError> {
    let fields = batch.columns().iter().map(|column| SortField::new(column.data_type().clone()));
    let converter = RowConverter::new(fields.collect())?;
    let rows = converter.convert_columns(batch.columns())?;
    let mut sum = Sum::default();
    rows.iter().for_each(|row| sum.add_row(row.as_ref()));
    Ok(sum)
}

/// Rows of a text that comes in pieces. A line end within quotes ends no row of CSV.
struct Rows {
    quotes: bool,
    is_quoted: bool,
    begun: Vec<u8>,
    sum: Sum,
}

impl Rows {
    fn of(format: Format) -> Rows {
        Rows { quotes: format == Format::Csv, is_quoted: false, begun: Vec::new(), sum: Sum::default() }
    }

    fn push(&mut self, piece: &[u8]) {
        let mut from = 0;
        for at in memchr::memchr2_iter(b'\n', if self.quotes { b'"' } else { b'\n' }, piece) {
            if piece[at] == b'"' {
                self.is_quoted = !self.is_quoted;
            } else if !self.is_quoted {
                let end = &piece[from..=at];
                from = at + 1;
                if self.begun.is_empty() {
                    self.sum.add_row(end);
                } else {
                    self.begun.extend_from_slice(end);
                    self.sum.add_row(&self.begun);
                    self.begun.clear();
                }
            }
        }
        self.begun.extend_from_slice(&piece[from..]);
    }

    fn end(mut self) -> Sum {
        if !self.begun.is_empty() {
            self.sum.add_row(&self.begun);
        }
        self.sum
    }
}

fn uncomparable(error: impl std::fmt::Display) -> Error {
    encode_error("a comparison", error)
}
