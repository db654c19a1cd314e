//! The writers of Arrow IPC where they are not built in.

use std::convert::Infallible;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};

use super::SinkOptions;
use super::text::bytes::Encode;
use crate::error::{Error, Result};
use crate::left_out::IPC;

/// The schema of a file: there is none to compare it with.
pub(crate) fn file_schema(schema: &Schema, _: &SinkOptions) -> SchemaRef {
    SchemaRef::new(schema.clone())
}

pub(super) type FileSink = super::sink_left_out::LeftOutSink<false>;

pub(super) struct StreamEncoder(Infallible);

impl StreamEncoder {
    /// # Errors
    /// Always: there is no writer.
    pub(super) fn new(_: &Schema, _: &SinkOptions) -> Result<StreamEncoder> {
        Err(Error::usage(IPC.missing("writer of Arrow IPC")))
    }
}

impl Encode for StreamEncoder {
    fn is_text(&self) -> bool {
        false
    }

    fn encode(&self, _: &RecordBatch) -> Result<Vec<u8>, String> {
        match self.0 {}
    }
}
