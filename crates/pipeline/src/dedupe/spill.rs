//! Runs on disk: entries that do not fit into memory, sorted, in blocks of a temporary file.

use std::path::PathBuf;

use urimill_base::error::{Error, Result};
use urimill_base::varint;

use super::entry::{Entry, Item, Places, Sorted, Sum};
use super::rungs::Rungs;
use crate::spill::block::{Packer, Unpacker};
use crate::spill::file::{Block, SpillFile};

/// A temporary file and the size of its blocks.
#[derive(Debug)]
pub(super) struct Spill {
    scratch: SpillFile,
    block_bytes: usize,
    places: Places,
}

/// A run on disk, by the places of its blocks.
#[derive(Debug, Default)]
pub(super) struct DiskRun(Vec<Block>);

impl Spill {
    /// Runs in `directory`, in blocks of about `block_bytes`.
    pub(super) fn new(directory: PathBuf, block_bytes: usize, places: Places) -> Spill {
        Spill { scratch: SpillFile::new(directory), block_bytes, places }
    }

    /// Checks that a file can be created in the directory.
    pub(super) fn check(&self) -> Result<()> {
        self.scratch.check()
    }

    /// Bytes written so far, compressed.
    pub(super) fn written(&self) -> u64 {
        self.scratch.written()
    }

    /// Frees the disk space. The runs there are gone.
    pub(super) fn clear(&self) {
        self.scratch.clear();
    }

    pub(super) fn writer(&self) -> Result<Writer<'_>> {
        let packer = self.scratch.packer()?;
        Ok(Writer { spill: self, packer, buffer: Vec::new(), run: DiskRun::default() })
    }

    /// Writes a run in memory.
    pub(super) fn write(&self, sorted: &Sorted) -> Result<DiskRun> {
        let mut writer = self.writer()?;
        for (number, &slot) in sorted.slots.iter().enumerate() {
            sorted.look_ahead(number);
            writer.push(sorted.item(slot))?;
        }
        writer.finish()
    }

    /// The error that a run is not as it was written.
    pub(super) fn damaged(&self) -> Error {
        self.scratch.damaged()
    }

    pub(super) fn unpacker(&self) -> Result<Unpacker> {
        self.scratch.unpacker()
    }
}

/// Writes a run, whose items come in order.
pub(super) struct Writer<'a> {
    spill: &'a Spill,
    packer: Packer,
    buffer: Vec<u8>,
    run: DiskRun,
}

impl Writer<'_> {
    pub(super) fn push(&mut self, item: Item<'_>) -> Result<()> {
        let Entry { hash, first, sum: Sum { records, distinct, merged } } = item.entry;
        let (source, record) = self.spill.places.unpack(first);
        self.buffer.extend_from_slice(&hash.to_le_bytes());
        self.buffer.push(merged.0);
        for number in [records, distinct, source.into(), record, item.text.len() as u64] {
            varint::write(number, &mut self.buffer);
        }
        self.buffer.extend_from_slice(item.text);
        if self.buffer.len() >= self.spill.block_bytes { self.end_block() } else { Ok(()) }
    }

    pub(super) fn finish(mut self) -> Result<DiskRun> {
        if !self.buffer.is_empty() {
            self.end_block()?;
        }
        Ok(self.run)
    }

    fn end_block(&mut self) -> Result<()> {
        self.run.0.push(self.spill.scratch.append(&self.buffer, &mut self.packer)?);
        self.buffer.clear();
        Ok(())
    }
}

/// Reads a run, item by item.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    spill: &'a Spill,
    blocks: std::vec::IntoIter<Block>,
    buffer: Vec<u8>,
    /// Where the next item begins.
    at: usize,
    /// Where the current text begins; it ends at `at`.
    text: usize,
}

impl<'a> Reader<'a> {
    /// Comes before the first item.
    pub(super) fn new(spill: &'a Spill, run: DiskRun) -> Reader<'a> {
        let blocks = run.0.into_iter();
        Reader { spill, blocks, buffer: Vec::new(), at: 0, text: 0 }
    }

    /// Goes to the next item; `None` after the last one.
    pub(super) fn advance(&mut self, unpacker: &mut Unpacker) -> Result<Option<Entry>> {
        if self.at == self.buffer.len() {
            let Some(block) = self.blocks.next() else { return Ok(None) };
            // After a failed read there is no item, rather than one of the block before.
            (self.at, self.text) = (0, 0);
            let mut buffer = std::mem::take(&mut self.buffer);
            buffer.resize(block.len, 0);
            self.spill.scratch.read(&block, unpacker, &mut buffer)?;
            self.buffer = buffer;
        }
        self.step().ok_or_else(|| self.spill.damaged()).map(Some)
    }

    fn step(&mut self) -> Option<Entry> {
        let mut rest = self.buffer.get(self.at..)?;
        let (&[a, b, c, d, merged], behind) = rest.split_first_chunk()?;
        rest = behind;
        let mut number = || varint::read(&mut rest);
        let (records, distinct) = (number()?, number()?);
        let first = self.spill.places.pack(u32::try_from(number()?).ok()?, number()?)?;
        let length = number()? as usize;
        let text = self.buffer.len() - rest.len();
        self.at = text.checked_add(length).filter(|&end| end <= self.buffer.len())?;
        self.text = text;
        let sum = Sum { records, distinct, merged: Rungs(merged) };
        Some(Entry { hash: u32::from_le_bytes([a, b, c, d]), first, sum })
    }

    /// The text of the current item.
    pub(super) fn text(&self) -> &[u8] {
        &self.buffer[self.text..self.at]
    }
}
