//! Runs on disk: sorted rows in blocks, each a record batch in Arrow IPC, compressed as one. Columns of a table repeat
//! each other (the path is also in the URI), which only a compressor that sees all of them can use.
//!
//! ```text
//! block  | buffers of the columns | message that tells where they are |
//!        0                        data                                len
//! ```

use arrow_array::RecordBatch;
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::reader::read_record_batch;
use arrow_ipc::root_as_message;
use arrow_ipc::writer::{DictionaryTracker, IpcDataGenerator, IpcWriteOptions};
use arrow_schema::{ArrowError, SchemaRef};
use urimill_base::error::Result;

use super::internal;
use crate::spill::block::{Packer, Unpacker};
use crate::spill::file::{Block, SpillFile};

/// A run, by its blocks.
#[derive(Debug, Default)]
pub(super) struct DiskRun {
    blocks: Vec<IpcBlock>,
    /// The memory of its largest block, in bytes.
    pub(super) largest: usize,
}

#[derive(Debug, Clone, Copy)]
struct IpcBlock {
    block: Block,
    /// Where the message begins.
    data: usize,
}

/// Writes a run; its batches come in order.
pub(super) struct Writer<'a> {
    scratch: &'a SpillFile,
    packer: Packer,
    run: DiskRun,
}

impl<'a> Writer<'a> {
    pub(super) fn new(scratch: &'a SpillFile) -> Result<Writer<'a>> {
        Ok(Writer { scratch, packer: scratch.packer()?, run: DiskRun::default() })
    }

    /// Writes a block of `batch`, which takes `memory` bytes.
    pub(super) fn push(&mut self, batch: &RecordBatch, memory: usize) -> Result<()> {
        let (bytes, data) = encode(batch).map_err(internal)?;
        let block = self.scratch.append(&bytes, &mut self.packer)?;
        self.run.blocks.push(IpcBlock { block, data });
        self.run.largest = self.run.largest.max(block.len.max(memory));
        Ok(())
    }

    pub(super) fn finish(self) -> DiskRun {
        self.run
    }
}

fn encode(batch: &RecordBatch) -> Result<(Vec<u8>, usize), ArrowError> {
    // Plain types include no dictionaries.
    let mut tracker = DictionaryTracker::new(false);
    let options = IpcWriteOptions::default();
    let (_, encoded) =
        IpcDataGenerator::default().encode(batch, &mut tracker, &options, &mut Default::default())?;
    let mut bytes = encoded.arrow_data;
    let data = bytes.len();
    bytes.extend_from_slice(&encoded.ipc_message);
    Ok((bytes, data))
}

/// Reads a run block by block.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    scratch: &'a SpillFile,
    blocks: std::vec::IntoIter<IpcBlock>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(scratch: &'a SpillFile, run: DiskRun) -> Reader<'a> {
        Reader { scratch, blocks: run.blocks.into_iter() }
    }

    /// The next block's rows.
    pub(super) fn next(
        &mut self,
        schema: &SchemaRef,
        unpacker: &mut Unpacker,
    ) -> Result<Option<RecordBatch>> {
        let Some(IpcBlock { block, data }) = self.blocks.next() else { return Ok(None) };
        // Aligned for Arrow: the columns are slices of this buffer.
        let mut bytes = MutableBuffer::from_len_zeroed(block.len);
        self.scratch.read(&block, unpacker, bytes.as_slice_mut())?;
        let decoded = decode(&bytes.into(), data, schema);
        // The block was decompressed, so if it does not decode, it is not the block that was written.
        decoded.map(Some).map_err(|_| self.scratch.damaged())
    }
}

fn decode(bytes: &Buffer, data: usize, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let failed = |what: &str| ArrowError::IpcError(what.to_owned());
    let message = root_as_message(&bytes[data..]).map_err(|error| failed(&error.to_string()))?;
    let batch = message.header_as_record_batch().ok_or_else(|| failed("no record batch"))?;
    let columns = bytes.slice_with_length(0, data);
    read_record_batch(&columns, batch, schema.clone(), &Default::default(), None, &message.version())
}
