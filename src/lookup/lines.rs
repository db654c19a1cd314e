//! A sorted text of lines, searched by halves: a file is read where it is looked at, a few kilobytes at a time.

use std::io::{ErrorKind as Io, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::Line;
use crate::error::{Error, ErrorKind, Result};
use crate::files::File;
use crate::option_name::OptionName;

/// So much is read at once; what is shorter is read from its beginning.
const STEP: usize = 8 << 10;
/// The longest line.
const LONGEST: usize = 1 << 20;

/// The text.
#[derive(Debug)]
pub(super) struct Lines {
    file: File,
    path: PathBuf,
    len: u64,
    /// What was read last, and where it begins.
    buffer: Vec<u8>,
    at: u64,
}

/// Takes a line and what says where it is, and answers whether it wants more.
pub(super) type Take<'t> = dyn FnMut(&str, &dyn Fn() -> String) -> Result<bool> + 't;

impl Lines {
    pub(super) fn open(path: &Path) -> Result<Lines> {
        let failed = |error| Error::path("open", path, error);
        let file = File::open(path).map_err(failed)?;
        let len = file.metadata().map_err(failed)?.len();
        Ok(Lines { file, path: path.to_owned(), len, buffer: Vec::new(), at: 0 })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is no text but a table.
    pub(super) fn is_parquet(&mut self) -> Result<bool> {
        Ok(self.bytes(0)?.starts_with(b"PAR1"))
    }

    /// Refuses what is no text of CDXJ by its beginning.
    pub(super) fn check_form(&mut self) -> Result<()> {
        let path = self.path.display().to_string();
        let first = self.line(0)?.map(|(line, _)| line).unwrap_or_default();
        let what = match () {
            () if first.starts_with(b"\x1f\x8b") || first.starts_with(b"\x28\xb5\x2f\xfd") => {
                "it is compressed as a whole: decompress it, or make an index in blocks"
            }
            () if first.starts_with(b" CDX") => "it is CDX: make one of CDXJ",
            // Lines about the file begin with an exclamation mark.
            () if first.is_empty() || first.starts_with(b"!") => return Ok(()),
            () => match std::str::from_utf8(&first).map(Line::of) {
                Ok(Some(_)) => return Ok(()),
                Ok(None) => "its first line has no key, fourteen digits, and object of JSON",
                Err(_) => "it is not UTF-8",
            },
        };
        Err(Error::usage(format!(
            "{path} cannot be searched: {what} ({})",
            OptionName::OutputFormat.with_any(&["cdxj", "zipnum", "parquet"])
        )))
    }

    /// Calls `take` with the lines that begin with `prefix`.
    pub(super) fn each(&mut self, prefix: &[u8], take: &mut Take<'_>) -> Result<()> {
        let mut at = self.before(prefix)?;
        while let Some((line, next)) = self.line(at)? {
            if line.starts_with(prefix) {
                let path = &self.path;
                let place = || format!("the line at byte {at} of {}", path.display());
                let text = std::str::from_utf8(&line)
                    .map_err(|_| Error::new(ErrorKind::Data, format!("{} is not UTF-8", place())))?;
                if !take(text, &place)? {
                    return Ok(());
                }
            } else if &line[..] > prefix {
                return Ok(());
            }
            at = next;
        }
        Ok(())
    }

    /// Where the last line begins that is less than `target`, or the first line.
    pub(super) fn before(&mut self, target: &[u8]) -> Result<u64> {
        // The line at `low` is less, or the first; all that begin at `high` or behind are not.
        let (mut low, mut high) = (0, self.len);
        while high - low > STEP as u64 {
            let middle = low + (high - low) / 2;
            match self.line_behind(middle)? {
                Some((at, line)) if at < high && &line[..] < target => low = at,
                _ => high = middle,
            }
        }
        let mut at = low;
        while let Some((line, next)) = self.line(at)? {
            if &line[..] >= target {
                break;
            }
            (low, at) = (at, next);
        }
        Ok(low)
    }

    /// The first line that begins behind a byte, and where.
    fn line_behind(&mut self, at: u64) -> Result<Option<(u64, Vec<u8>)>> {
        let Some((_, next)) = self.line(at)? else { return Ok(None) };
        Ok(self.line(next)?.map(|(line, _)| (next, line)))
    }

    /// The rest of the line that has a byte in it, and where the next one begins; `None` at the end.
    pub(super) fn line(&mut self, at: u64) -> Result<Option<(Vec<u8>, u64)>> {
        if at >= self.len {
            return Ok(None);
        }
        let mut line = Vec::new();
        loop {
            let from = at + line.len() as u64;
            let piece = self.bytes(from)?;
            if piece.is_empty() {
                let next = from;
                return Ok(Some((line, next)));
            }
            match memchr::memchr(b'\n', piece) {
                Some(end) => {
                    line.extend_from_slice(&piece[..end]);
                    let next = from + end as u64 + 1;
                    if line.last() == Some(&b'\r') {
                        line.pop();
                    }
                    return Ok(Some((line, next)));
                }
                None => line.extend_from_slice(piece),
            }
            if line.len() > LONGEST {
                return Err(Error::new(
                    ErrorKind::Data,
                    format!(
                        "the line at byte {at} of {} is longer than {LONGEST} bytes",
                        self.path.display()
                    ),
                ));
            }
        }
    }

    /// Some bytes from `from` on; none at the end.
    fn bytes(&mut self, from: u64) -> Result<&[u8]> {
        if from < self.at || from >= self.at + self.buffer.len() as u64 {
            let failed = |error| Error::path("read", &self.path, error);
            self.buffer.resize(STEP, 0);
            self.at = from;
            self.file.seek(SeekFrom::Start(from)).map_err(failed)?;
            let mut filled = 0;
            while filled < STEP {
                match self.file.read(&mut self.buffer[filled..]) {
                    Ok(0) => break,
                    Ok(read) => filled += read,
                    Err(error) if error.kind() == Io::Interrupted => {}
                    Err(error) => return Err(failed(error)),
                }
            }
            self.buffer.truncate(filled);
        }
        Ok(&self.buffer[((from - self.at) as usize).min(self.buffer.len())..])
    }
}
