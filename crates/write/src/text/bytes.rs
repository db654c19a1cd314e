//! Sinks whose batches turn into bytes one by one: the workers encode, one ordered stage writes.

use std::sync::Mutex;

use arrow_array::RecordBatch;
use urimill_base::error::Result;
use urimill_base::locks::{into_inner, lock};

use super::compression::Packing;
use crate::passthrough::Fit;
use crate::{StagedSink, Target, UncommittedOutput, encode_error};

/// A format in which a file is a beginning, the batches' bytes in order, and an end.
pub trait Encode: Send + Sync + 'static {
    /// Whether it is a text, which other programs decompress as a whole.
    fn is_text(&self) -> bool {
        true
    }

    /// The beginning of the file.
    fn header(&self) -> Vec<u8> {
        Vec::new()
    }

    /// The rows of one batch; `Err` is the reason why they have no form in this format.
    fn encode(&self, batch: &RecordBatch) -> Result<Vec<u8>, String>;

    /// The end of the file.
    fn trailer(&self) -> Vec<u8> {
        Vec::new()
    }
}

/// A sink of text that is made elsewhere.
pub struct BytesSink {
    encoder: Box<dyn Encode>,
    fit: Fit,
    packing: Option<Packing>,
    target: Mutex<Target>,
}

impl BytesSink {
    /// A sink that writes the output of `encoder` for batches, with the header already written. A text file
    /// is compressed if its name says so.
    pub(crate) fn with(encoder: Box<dyn Encode>, fit: Fit, mut target: Target) -> Result<BytesSink> {
        let packing = Packing::of(&fit.name).filter(|_| encoder.is_text());
        packing.map_or(Ok(()), Packing::check)?;
        let header = encoder.header();
        if !header.is_empty() {
            target.append(&packed(packing, header, &fit.name)?)?;
        }
        Ok(BytesSink { encoder, fit, packing, target: Mutex::new(target) })
    }
}

fn packed(packing: Option<Packing>, bytes: Vec<u8>, name: &str) -> Result<Vec<u8>> {
    match packing {
        None => Ok(bytes),
        Some(packing) => packing.pack(&bytes).map_err(|e| encode_error(name, e)),
    }
}

impl StagedSink for BytesSink {
    type Prepared = Vec<u8>;

    fn prepare(&self, batch: RecordBatch) -> Result<Vec<u8>> {
        let batch = self.fit.batch(batch)?;
        let bytes = self.encoder.encode(&batch).map_err(|e| encode_error(&self.fit.name, e))?;
        // An empty member is useless.
        let packing = self.packing.filter(|_| !bytes.is_empty());
        packed(packing, bytes, &self.fit.name)
    }

    fn run(&self, _stage: usize, bytes: &mut Vec<u8>) -> Result<()> {
        let mut target = lock(&self.target);
        target.append(bytes)?;
        target.end_batch()
    }

    fn close(self) -> Result<UncommittedOutput> {
        let mut target = into_inner(self.target);
        target.append(&self.encoder.trailer())?;
        if target.written() == 0 && self.packing.is_some() {
            target.append(&packed(self.packing, Vec::new(), &self.fit.name)?)?;
        }
        target.settle()?;
        Ok(UncommittedOutput::File(target))
    }
}
