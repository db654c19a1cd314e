//! The check of Parquet footers in a build without Parquet.

use std::convert::Infallible;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema, SchemaRef};
use urimill_base::error::{Error, Result};
use urimill_base::files::File;
use urimill_base::left_out::PARQUET;
use urimill_write::SinkOptions;

pub(super) struct ExpectedFooter(Infallible);

impl ExpectedFooter {
    /// # Errors
    /// Always: there are no such files.
    pub(super) fn new(_: &Schema, _: &SinkOptions) -> Result<ExpectedFooter> {
        Err(Error::usage(PARQUET.missing("writer of Parquet")))
    }

    pub(super) fn check(&self, _: File, _: &str, _: &SchemaRef) -> Result<BoundsCheck> {
        match self.0 {}
    }
}

pub(super) struct BoundsCheck(Infallible);

impl BoundsCheck {
    pub(super) fn add(&mut self, _: &RecordBatch) -> Result<Option<String>, ArrowError> {
        match self.0 {}
    }

    pub(super) fn finish(self) -> Option<String> {
        match self.0 {}
    }
}
