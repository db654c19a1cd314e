//! A named file under the decoders, which notices when it has become shorter since it was opened: then rows are lost that
//! were there, as where a log is truncated in place to begin anew. What is appended meanwhile is read, up to the end that
//! is met first.

use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::files::File;

/// Reads a file from its beginning.
#[derive(Debug)]
pub(super) struct Whole {
    file: File,
    /// Bytes that it had; nothing is known of pipes and devices.
    size: Option<u64>,
    read: u64,
}

impl Whole {
    pub(super) fn open(path: &Path) -> io::Result<Whole> {
        let file = File::open(path)?;
        let size = size(&file)?;
        Ok(Whole { file, size, read: 0 })
    }
}

fn size(file: &File) -> io::Result<Option<u64>> {
    let metadata = file.metadata()?;
    Ok(metadata.is_file().then_some(metadata.len()))
}

impl Read for Whole {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(out)?;
        self.read += read as u64;
        if read == 0
            && !out.is_empty()
            && let Some(before) = self.size.filter(|&size| self.read < size)
            // Some systems state sizes that their files do not have; these stay as they are.
            && let Some(now) = size(&self.file)?.filter(|&now| now < before)
        {
            return Err(io::Error::new(
                ErrorKind::UnexpectedEof,
                format!(
                    "it has become shorter while it was read, from {before} to {now} bytes; read a copy of what others \
                     truncate"
                ),
            ));
        }
        Ok(read)
    }
}
