//! The writer of Parquet where it is not built in.

use std::convert::Infallible;

use arrow_schema::SchemaRef;

use super::{Prepared, Sink, SinkOptions, Target, UncommittedOutput};
use crate::error::{Error, Result};
use crate::left_out::PARQUET;

/// Rows on their way to row groups: there are none.
#[derive(Debug)]
pub struct Slices(Infallible);

impl Slices {
    pub(super) fn overhead(&self) -> usize {
        match self.0 {}
    }

    pub(super) fn end_row_group(&mut self) {
        match self.0 {}
    }

    pub(super) fn begin_row_group(&self) -> bool {
        match self.0 {}
    }
}

pub(super) struct ParquetSink(Infallible);

impl ParquetSink {
    /// # Errors
    /// Always: there is no writer.
    pub(super) fn new(_: Target, _: SchemaRef, _: &SinkOptions) -> Result<ParquetSink> {
        Err(Error::usage(PARQUET.missing("writer of Parquet")))
    }
}

impl Sink for ParquetSink {
    fn prepare(&self, _: arrow_array::RecordBatch) -> Result<Prepared> {
        match self.0 {}
    }

    fn run(&self, _: usize, _: &mut Prepared) -> Result<()> {
        match self.0 {}
    }

    fn close(self: Box<Self>) -> Result<UncommittedOutput> {
        match self.0 {}
    }
}
