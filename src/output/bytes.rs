//! Sinks whose batches turn into bytes one by one: the workers encode, one ordered stage writes.

use std::sync::{Mutex, PoisonError};

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;

use super::{Prepared, Settled, Sink, Target, check_schema, encode_error, foreign};
use crate::error::Result;

/// A format in which a file is a beginning, the batches' bytes in order, and an end.
pub(super) trait Encode: Send + Sync + 'static {
    /// What the file begins with.
    fn header(&self) -> Vec<u8> {
        Vec::new()
    }

    /// The rows of one batch; `Err` tells why they have no form in this format.
    fn encode(&self, batch: &RecordBatch) -> Result<Vec<u8>, String>;

    /// What the file ends with.
    fn trailer(&self) -> Vec<u8> {
        Vec::new()
    }
}

struct BytesSink<E> {
    encoder: E,
    schema: SchemaRef,
    name: String,
    target: Mutex<Target>,
}

/// A sink that writes what `encoder` makes of batches of `schema`, with the header written.
pub(super) fn sink<E: Encode>(mut target: Target, schema: SchemaRef, encoder: E) -> Result<Box<dyn Sink>> {
    target.append(&encoder.header())?;
    let name = target.name().to_owned();
    Ok(Box::new(BytesSink { encoder, schema, name, target: Mutex::new(target) }))
}

impl<E: Encode> Sink for BytesSink<E> {
    fn prepare(&self, batch: RecordBatch) -> Result<Prepared> {
        check_schema(&batch, &self.schema, &self.name)?;
        self.encoder.encode(&batch).map(Prepared::Bytes).map_err(|e| encode_error(&self.name, e))
    }

    fn run(&self, _stage: usize, prepared: &mut Prepared) -> Result<()> {
        let Prepared::Bytes(bytes) = prepared else { return Err(foreign(&self.name)) };
        let mut target = self.target.lock().unwrap_or_else(PoisonError::into_inner);
        target.append(bytes)?;
        target.end_batch()
    }

    fn close(self: Box<Self>) -> Result<Settled> {
        let mut target = self.target.into_inner().unwrap_or_else(PoisonError::into_inner);
        target.append(&self.encoder.trailer())?;
        target.settle()?;
        Ok(Settled::File(target))
    }
}
