//! Runs on disk: what does not fit into memory, in order, in compressed blocks of a temporary file.
//!
//! The file has no name where the system allows that, and is deleted when it is closed where not: however
//! the process ends, nothing stays behind.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use zstd::bulk::{Compressor, Decompressor};

use super::entry::{Entry, Item, Sorted};
use crate::error::{Error, Result};

/// Fast enough to keep up with a disk, and it halves what is written.
const ZSTD_LEVEL: i32 = 1;

/// A temporary file to be, made when the first run is written.
#[derive(Debug)]
pub(super) struct Spill {
    directory: PathBuf,
    block_bytes: usize,
    file: Mutex<Option<File>>,
    written: AtomicU64,
}

/// A run on disk, by the places of its blocks.
#[derive(Debug, Default)]
pub(super) struct DiskRun(Vec<Block>);

#[derive(Debug, Clone, Copy)]
struct Block {
    offset: u64,
    /// Bytes as they are stored.
    stored: usize,
    /// Bytes decompressed.
    len: usize,
}

impl Spill {
    /// Runs in `directory`, in blocks of about `block_bytes`.
    pub(super) fn new(directory: PathBuf, block_bytes: usize) -> Spill {
        Spill { directory, block_bytes, file: Mutex::new(None), written: AtomicU64::new(0) }
    }

    /// Makes sure that a file can be made in the directory.
    pub(super) fn check(&self) -> Result<()> {
        tempfile::tempfile_in(&self.directory).map(drop).map_err(|error| self.error("create", error))
    }

    /// Bytes written so far, compressed.
    pub(super) fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Gives the disk's space back. Runs that lie there are gone.
    pub(super) fn clear(&self) {
        self.file().take();
    }

    pub(super) fn writer(&self) -> Result<Writer<'_>> {
        let compressor = Compressor::new(ZSTD_LEVEL).map_err(|error| self.error("compress", error))?;
        Ok(Writer {
            spill: self,
            compressor,
            buffer: Vec::new(),
            stored: Vec::new(),
            run: DiskRun::default(),
        })
    }

    /// Writes a run in memory.
    pub(super) fn write(&self, sorted: &Sorted) -> Result<DiskRun> {
        let mut writer = self.writer()?;
        let mut at = 0;
        while let Some(item) = sorted.item(at) {
            sorted.look_ahead(at);
            writer.push(item)?;
            at += 1;
        }
        writer.finish()
    }

    pub(super) fn decompressor(&self) -> Result<Decompressor<'static>> {
        Decompressor::new().map_err(|error| self.error("read", error))
    }

    fn file(&self) -> MutexGuard<'_, Option<File>> {
        // A panic fails the run: what it left is only dropped.
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn append(&self, bytes: &[u8]) -> Result<u64> {
        let mut file = self.file();
        let appended = (|| {
            let file = match &mut *file {
                Some(file) => file,
                none => none.insert(tempfile::tempfile_in(&self.directory)?),
            };
            let offset = file.seek(SeekFrom::End(0))?;
            file.write_all(bytes)?;
            self.written.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            Ok(offset)
        })();
        appended.map_err(|error| self.error("write", error))
    }

    fn read(&self, block: &Block, stored: &mut Vec<u8>) -> Result<()> {
        stored.resize(block.stored, 0);
        let mut file = self.file();
        let file = file.as_mut().ok_or_else(|| self.error("read", ErrorKind::NotFound.into()))?;
        let read = file.seek(SeekFrom::Start(block.offset)).and_then(|_| file.read_exact(stored));
        read.map_err(|error| self.error("read", error))
    }

    fn error(&self, doing: &str, error: io::Error) -> Error {
        let what = match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                "there is no space for them; free some, or name another directory with --temp-dir".to_owned()
            }
            _ => format!("{error}; --temp-dir names another directory"),
        };
        let doing = format!("{doing} temporary files in");
        Error::io(&doing, self.directory.display(), io::Error::new(error.kind(), what))
    }
}

/// Writes a run, whose items come in order.
pub(super) struct Writer<'a> {
    spill: &'a Spill,
    compressor: Compressor<'static>,
    buffer: Vec<u8>,
    stored: Vec<u8>,
    run: DiskRun,
}

impl Writer<'_> {
    pub(super) fn push(&mut self, item: Item<'_>) -> Result<()> {
        let Entry { hash, records, source, record, .. } = *item.entry;
        self.buffer.extend_from_slice(&hash.to_le_bytes());
        for number in [records, u64::from(source), record, item.text.len() as u64] {
            write_number(number, &mut self.buffer);
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
        self.stored.clear();
        self.stored.reserve(zstd::zstd_safe::compress_bound(self.buffer.len()));
        let compressed = self.compressor.compress_to_buffer(&self.buffer, &mut self.stored);
        let stored = compressed.map_err(|error| self.spill.error("compress", error))?;
        let offset = self.spill.append(&self.stored[..stored])?;
        self.run.0.push(Block { offset, stored, len: self.buffer.len() });
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
    entry: Entry,
    /// Where the text of `entry` begins; it ends at `at`.
    text: usize,
}

impl<'a> Reader<'a> {
    /// Stands before the first item.
    pub(super) fn new(spill: &'a Spill, run: DiskRun) -> Reader<'a> {
        let blocks = run.0.into_iter();
        Reader { spill, blocks, buffer: Vec::new(), at: 0, entry: Entry::default(), text: 0 }
    }

    /// Goes to the next item; answers whether there is one. `stored` is scratch.
    pub(super) fn advance(
        &mut self,
        decompressor: &mut Decompressor<'static>,
        stored: &mut Vec<u8>,
    ) -> Result<bool> {
        if self.at == self.buffer.len() {
            let Some(block) = self.blocks.next() else { return Ok(false) };
            self.spill.read(&block, stored)?;
            self.buffer.clear();
            self.buffer.reserve_exact(block.len);
            let read = decompressor.decompress_to_buffer(stored, &mut self.buffer);
            read.map_err(|error| self.spill.error("read", error))?;
            self.at = 0;
        }
        self.step().ok_or_else(|| self.spill.error("read", ErrorKind::InvalidData.into()))?;
        Ok(true)
    }

    fn step(&mut self) -> Option<()> {
        let mut rest = self.buffer.get(self.at..)?;
        let (hash, behind) = rest.split_first_chunk()?;
        let hash = u64::from_le_bytes(*hash);
        rest = behind;
        let mut number = || read_number(&mut rest);
        let (records, source, record, len) = (number()?, number()? as u32, number()?, number()? as usize);
        self.text = self.buffer.len() - rest.len();
        self.at = self.text.checked_add(len).filter(|&end| end <= self.buffer.len())?;
        self.entry = Entry { hash, records, source, record, at: 0 };
        Some(())
    }

    /// The item that it stands at.
    pub(super) fn item(&self) -> Item<'_> {
        Item { entry: &self.entry, text: &self.buffer[self.text..self.at] }
    }
}

/// Seven bits a byte, the lowest first; the eighth says that there are more.
fn write_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn read_number(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (&byte, rest) = from.split_first()?;
        *from = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}
