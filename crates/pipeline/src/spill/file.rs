//! Data that does not fit into memory, in compressed blocks of a temporary file.
//!
//! The file has no name if the system allows that; otherwise it is deleted when it is closed. However the process ends,
//! no file remains.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use urimill_base::error::{Error, Result};
use urimill_base::files::File;
use urimill_base::locks::lock;
use urimill_base::option_name::OptionName;

use crate::spill::block::{Packer, Unpacker};

/// A temporary file, created when the first block is written.
#[derive(Debug)]
pub(crate) struct SpillFile {
    directory: PathBuf,
    file: Mutex<Option<File>>,
    written: AtomicU64,
}

/// The place of bytes in the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    offset: u64,
    /// The number of stored bytes.
    stored: usize,
    /// The number of bytes after decompression.
    pub(crate) len: usize,
}

impl SpillFile {
    /// A file to be created in `directory`.
    pub(crate) fn new(directory: PathBuf) -> SpillFile {
        SpillFile { directory, file: Mutex::new(None), written: AtomicU64::new(0) }
    }

    /// Checks that a file can be created in the directory.
    ///
    /// # Errors
    /// `Io`, naming the directory, as of all that follow.
    pub(crate) fn check(&self) -> Result<()> {
        File::nameless(&self.directory).map(drop).map_err(|error| self.error("create", error))
    }

    /// Bytes written so far, compressed.
    pub(crate) fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Frees the disk space. The blocks there are gone.
    pub(crate) fn clear(&self) {
        lock(&self.file).take();
    }

    pub(crate) fn packer(&self) -> Result<Packer> {
        Packer::new().map_err(|error| self.error("compress", error))
    }

    pub(crate) fn unpacker(&self) -> Result<Unpacker> {
        Unpacker::new().map_err(|error| self.error("read", error))
    }

    /// Writes a block.
    pub(crate) fn append(&self, bytes: &[u8], packer: &mut Packer) -> Result<Block> {
        let stored = packer.pack(bytes).map_err(|error| self.error("compress", error))?;
        let appended = self.write(stored).map_err(|error| self.error("write", error));
        Ok(Block { offset: appended?, stored: stored.len(), len: bytes.len() })
    }

    /// Reads a block into `out`, which has its length.
    pub(crate) fn read(&self, block: &Block, unpacker: &mut Unpacker, out: &mut [u8]) -> Result<()> {
        let stored = unpacker.stored(block.stored);
        let mut file = lock(&self.file);
        let open = file.as_mut().ok_or_else(|| self.error("read", ErrorKind::NotFound.into()))?;
        let read = open.seek(SeekFrom::Start(block.offset)).and_then(|_| open.read_exact(stored));
        drop(file);
        let read = read.and_then(|()| unpacker.unpack(out));
        match read {
            Ok(length) if length == block.len => Ok(()),
            Ok(_) => Err(self.damaged()),
            Err(error) => Err(self.error("read", error)),
        }
    }

    /// The error that the bytes read are not those that were written.
    pub(crate) fn damaged(&self) -> Error {
        self.error("read", ErrorKind::InvalidData.into())
    }

    fn write(&self, bytes: &[u8]) -> io::Result<u64> {
        let mut file = lock(&self.file);
        let file = match &mut *file {
            Some(file) => file,
            none => none.insert(File::nameless(&self.directory)?),
        };
        let offset = file.seek(SeekFrom::End(0))?;
        file.write_all(bytes)?;
        self.written.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(offset)
    }

    fn error(&self, doing: &str, error: io::Error) -> Error {
        let what = match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                format!(
                    "there is no space for them; free some, or name another directory with {}",
                    OptionName::TempDir.named()
                )
            }
            _ => format!("{error}; {} names another directory", OptionName::TempDir.named()),
        };
        let doing = format!("{doing} temporary files in");
        Error::io(&doing, self.directory.display(), io::Error::new(error.kind(), what))
    }
}
