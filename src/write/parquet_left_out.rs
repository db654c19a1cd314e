//! The writer of Parquet where it is not built in.

use std::convert::Infallible;

use arrow_array::RecordBatch;

use super::passthrough::Fit;
use super::{FileSink, SinkOptions, StagedSink, Target, UncommittedOutput};
use crate::error::{Error, Result};
use crate::left_out::PARQUET;

pub(super) struct ParquetSink(Infallible);

impl FileSink for ParquetSink {
    /// # Errors
    /// Always: there is no writer.
    fn new(_: Fit, _: Target, _: &SinkOptions) -> Result<ParquetSink> {
        Err(Error::usage(PARQUET.missing("writer of Parquet")))
    }
}

impl StagedSink for ParquetSink {
    type Prepared = RecordBatch;

    fn prepare(&self, _: RecordBatch) -> Result<RecordBatch> {
        match self.0 {}
    }

    fn run(&self, _: usize, _: &mut RecordBatch) -> Result<()> {
        match self.0 {}
    }

    fn close(self) -> Result<UncommittedOutput> {
        match self.0 {}
    }
}
