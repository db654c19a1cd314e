//! A sink where the writer of its format is not built in.

use std::convert::Infallible;

use arrow_array::RecordBatch;
use urimill_base::error::{Error, Result};
use urimill_base::left_out::{IPC, PARQUET};

use super::passthrough::Fit;
use super::{FileSink, SinkOptions, StagedSink, Target, UncommittedOutput};

/// A sink that cannot be made.
pub struct LeftOutSink<const IS_PARQUET: bool>(Infallible);

impl<const IS_PARQUET: bool> FileSink for LeftOutSink<IS_PARQUET> {
    /// # Errors
    /// Always: there is no writer.
    fn new(_: Fit, _: Target, _: &SinkOptions) -> Result<Self> {
        Err(Error::usage(match IS_PARQUET {
            true => PARQUET.missing("writer of Parquet"),
            false => IPC.missing("writer of Arrow IPC"),
        }))
    }
}

impl<const IS_PARQUET: bool> StagedSink for LeftOutSink<IS_PARQUET> {
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
