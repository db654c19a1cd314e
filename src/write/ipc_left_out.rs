//! The writers of Arrow IPC where they are not built in.

use std::convert::Infallible;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};

use super::text::bytes::Encode;
use super::{Prepared, Sink, SinkOptions, Target, UncommittedOutput};
use crate::error::{Error, Result};
use crate::left_out::IPC;

/// The schema of a file: there is none to compare it with.
pub(crate) fn file_schema(schema: &Schema, _: &SinkOptions) -> SchemaRef {
    SchemaRef::new(schema.clone())
}

pub(super) struct FileSink(Infallible);

impl FileSink {
    /// # Errors
    /// Always: there is no writer.
    pub(super) fn new(_: Target, _: SchemaRef, _: &SinkOptions) -> Result<FileSink> {
        Err(Error::usage(IPC.missing("writer of Arrow IPC")))
    }
}

impl Sink for FileSink {
    fn prepare(&self, _: RecordBatch) -> Result<Prepared> {
        match self.0 {}
    }

    fn run(&self, _: usize, _: &mut Prepared) -> Result<()> {
        match self.0 {}
    }

    fn close(self: Box<Self>) -> Result<UncommittedOutput> {
        match self.0 {}
    }
}

pub(super) struct StreamEncoder(Infallible);

impl StreamEncoder {
    /// # Errors
    /// Always: there is no writer.
    pub(super) fn new(_: &Schema, _: &SinkOptions) -> Result<StreamEncoder> {
        Err(Error::usage(IPC.missing("writer of Arrow IPC")))
    }
}

impl Encode for StreamEncoder {
    const IS_TEXT: bool = false;

    fn encode(&self, _: &RecordBatch) -> Result<Vec<u8>, String> {
        match self.0 {}
    }
}
