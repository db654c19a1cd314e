//! A named file, read by the decoders, which notices when it has become shorter since it was opened: then rows are
//! lost, as when a log is truncated in place. Bytes appended meanwhile are read, up to the first end of file met.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;

use urimill_base::error::{Error, Result};
use urimill_base::files::File;
use urimill_base::streams;

/// Reads a file from its beginning.
#[derive(Debug)]
pub(crate) struct WholeFile {
    file: File,
    /// Its size when opened; unknown for pipes and devices.
    size: Option<u64>,
    /// How many bytes were read or skipped.
    read: u64,
}

impl WholeFile {
    pub(crate) fn open(path: &Path) -> io::Result<WholeFile> {
        let file = File::open(path)?;
        let size = size(&file)?;
        Ok(WholeFile { file, size, read: 0 })
    }

    /// Whether a read need not wait for longer than this: only what is no regular file may have to.
    pub(crate) fn is_ready(&self, within: Duration) -> bool {
        self.size.is_some() || streams::is_ready(self.file.inner(), within)
    }

    /// Goes on `n` bytes from here without reading them, and returns whether it did: not to where the file had no byte
    /// when it was opened.
    pub(crate) fn skip(&mut self, n: u64) -> io::Result<bool> {
        let to = self.read.saturating_add(n);
        if self.size.is_none_or(|size| to >= size) {
            return Ok(false);
        }
        while let Err(error) = self.file.seek(SeekFrom::Start(to)) {
            if error.kind() != ErrorKind::Interrupted {
                return Err(error);
            }
        }
        self.read = to;
        Ok(true)
    }
}

fn size(file: &File) -> io::Result<Option<u64>> {
    let metadata = file.metadata()?;
    Ok(metadata.is_file().then_some(metadata.len()))
}

/// The error of a file that has become shorter, with its sizes in bytes.
fn shorter(before: u64, now: u64) -> io::Error {
    let what = format!(
        "it has become shorter while it was read, from {before} to {now} bytes; read a copy of what others truncate"
    );
    io::Error::new(ErrorKind::UnexpectedEof, what)
}

/// The size of a file before its beginning is examined: the file opened later must not be shorter.
pub(crate) struct SizeBefore<'a> {
    path: &'a Path,
    size: Option<u64>,
}

impl<'a> SizeBefore<'a> {
    pub(crate) fn of(path: &'a Path) -> SizeBefore<'a> {
        SizeBefore { path, size: size_at(path) }
    }

    /// # Errors
    /// The file has become shorter since.
    pub(crate) fn check(&self) -> Result<()> {
        match (self.size, size_at(self.path)) {
            (Some(before), Some(now)) if now < before => {
                Err(Error::path("read", self.path, shorter(before, now)))
            }
            _ => Ok(()),
        }
    }
}

fn size_at(path: &Path) -> Option<u64> {
    let metadata = urimill_base::files::metadata(path).ok().filter(|metadata| metadata.is_file())?;
    Some(metadata.len())
}

impl Read for WholeFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(out)?;
        self.read += read as u64;
        if read == 0
            && !out.is_empty()
            && let Some(before) = self.size.filter(|&size| self.read < size)
            // Some systems state wrong sizes for some files; these are not checked.
            && let Some(now) = size(&self.file)?.filter(|&now| now < before)
        {
            return Err(shorter(before, now));
        }
        Ok(read)
    }
}
