//! The writers of Arrow IPC where they are not built in.

use std::convert::Infallible;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use urimill_base::error::{Error, Result};
use urimill_base::left_out::IPC;

use super::SinkOptions;
use super::text::bytes::Encode;

/// The schema of a file: there is none to compare it with.
pub fn file_schema(schema: &Schema, _: &SinkOptions) -> SchemaRef {
    SchemaRef::new(schema.clone())
}

/// The sink of files: there is none.
pub type FileSink = super::sink_left_out::LeftOutSink<false>;

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
