//! Estimates the size of prepared rows in a file, by which a directory decides where a file ends. For Parquet it is
//! known for pages that are made before, and estimated for the other columns.

use arrow_array::RecordBatch;
#[cfg(feature = "parquet")]
use arrow_schema::SchemaRef;
#[cfg(feature = "parquet")]
use parquet::{
    arrow::{ArrowWriter, arrow_writer::ArrowWriterOptions},
    errors::ParquetError,
};

use crate::error::Result;
use crate::write::sizes::referenced_bytes;
use crate::write::{Prepared, SinkOptions};
#[cfg(feature = "parquet")]
use crate::write::{encode_error, parquet::layout::properties};

/// How many rows are encoded to estimate the others: with fewer a dictionary weighs more than it does in the file, and
/// more cost more than they tell.
#[cfg(feature = "parquet")]
const SAMPLE: usize = 4096;

/// What rows take in a file.
#[derive(Debug, Clone, Copy)]
pub(in crate::write) struct Stored {
    /// The bytes that are known.
    pub(in crate::write) known: usize,
    /// An estimate of the others; `None` where they were not examined.
    pub(in crate::write) others: Option<usize>,
}

/// Estimates for batches of one schema.
pub(in crate::write) struct SizeEstimate {
    options: SinkOptions,
}

impl SizeEstimate {
    pub(in crate::write) fn new(options: &SinkOptions) -> Self {
        let options = options.clone();
        SizeEstimate {
            options: SinkOptions { metadata: Vec::new(), sorting: Vec::new(), checksums: false, ..options },
        }
    }

    /// Bytes in the file of the rows of `batch`, from which `prepared` was made. What takes long to know is examined
    /// only if these rows are a sample.
    ///
    /// # Errors
    /// `Internal` where the rows cannot be encoded.
    pub(in crate::write) fn bytes(
        &self,
        batch: &RecordBatch,
        prepared: &Prepared,
        is_sample: bool,
    ) -> Result<Stored> {
        let all = |known| Stored { known, others: Some(0) };
        Ok(match prepared {
            Prepared::Bytes(bytes) => all(bytes.len()),
            Prepared::Batch(batch) => all(referenced_bytes(batch)),
            #[cfg(not(feature = "parquet"))]
            Prepared::RowGroups(slices) => {
                let _ = is_sample;
                all(batch.num_rows() + slices.overhead())
            }
            #[cfg(feature = "parquet")]
            Prepared::RowGroups(slices) => {
                let (known, others) = slices.pages();
                let sampled = is_sample.then(|| self.sampled(batch, &others)).transpose();
                Stored { known, others: sampled.map_err(|e| encode_error("an estimate", e))? }
            }
            Prepared::Routed(_) => all(0),
        })
    }

    /// The size of the columns that have no pages yet.
    #[cfg(feature = "parquet")]
    fn sampled(&self, batch: &RecordBatch, columns: &[usize]) -> Result<usize, ParquetError> {
        let rows = batch.num_rows().min(SAMPLE);
        if rows == 0 || columns.is_empty() {
            return Ok(0);
        }
        let sample = batch.slice(0, rows).project(columns)?;
        let schema: SchemaRef = sample.schema();
        let properties = properties(&schema, &self.options, None)?;
        let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
        let mut writer = ArrowWriter::try_new_with_options(Vec::new(), schema, options)?;
        writer.write(&sample)?;
        writer.flush()?;
        Ok(writer.bytes_written() * batch.num_rows() / rows)
    }
}
