//! Sinks whose batches turn into bytes one by one: the workers encode, one ordered stage writes.

use std::sync::{Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::compression::Packing;
use crate::error::Result;
use crate::write::{Prepared, Sink, Target, UncommittedOutput, check_schema, encode_error, foreign};

/// A format in which a file is a beginning, the batches' bytes in order, and an end.
pub(crate) trait Encode: Send + Sync + 'static {
    /// Whether it is a text, which other programs decompress as a whole.
    const IS_TEXT: bool = true;

    /// What the file begins with.
    fn header(&self) -> Vec<u8> {
        Vec::new()
    }

    /// The rows of one batch; `Err` says why they have no form in this format.
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
    packing: Option<Packing>,
    target: Mutex<Target>,
}

/// A sink that writes the output of `encoder` for batches of `schema`, with the header already written. A text file is
/// compressed if its name says so.
pub(in crate::write) fn sink<E: Encode>(
    mut target: Target,
    schema: SchemaRef,
    encoder: E,
) -> Result<Box<dyn Sink>> {
    let name = target.name().to_owned();
    let packing = Packing::of(&name).filter(|_| E::IS_TEXT);
    packing.map_or(Ok(()), Packing::check)?;
    let header = encoder.header();
    if !header.is_empty() {
        target.append(&packed(packing, header, &name)?)?;
    }
    Ok(Box::new(BytesSink { encoder, schema, name, packing, target: Mutex::new(target) }))
}

fn packed(packing: Option<Packing>, bytes: Vec<u8>, name: &str) -> Result<Vec<u8>> {
    match packing {
        None => Ok(bytes),
        Some(packing) => packing.pack(&bytes).map_err(|e| encode_error(name, e)),
    }
}

impl<E: Encode> Sink for BytesSink<E> {
    fn prepare(&self, batch: RecordBatch) -> Result<Prepared> {
        check_schema(&batch, &self.schema, &self.name)?;
        let bytes = self.encoder.encode(&batch).map_err(|e| encode_error(&self.name, e))?;
        // An empty member is useless.
        let packing = self.packing.filter(|_| !bytes.is_empty());
        packed(packing, bytes, &self.name).map(Prepared::Bytes)
    }

    fn run(&self, _stage: usize, prepared: &mut Prepared) -> Result<()> {
        let Prepared::Bytes(bytes) = prepared else { return Err(foreign(&self.name)) };
        let mut target = self.target.lock().unwrap_or_else(PoisonError::into_inner);
        target.append(bytes)?;
        target.end_batch()
    }

    fn close(self: Box<Self>) -> Result<UncommittedOutput> {
        let mut target = self.target.into_inner().unwrap_or_else(PoisonError::into_inner);
        target.append(&self.encoder.trailer())?;
        if target.written() == 0 && self.packing.is_some() {
            target.append(&packed(self.packing, Vec::new(), &self.name)?)?;
        }
        target.settle()?;
        Ok(UncommittedOutput::File(target))
    }
}
