//! The bytes as they are stored, for the decoders: a buffer that can look ahead without losing a byte of a pipe, counts
//! the bytes consumed, and names its source in every error.

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::streams;

use super::whole::WholeFile;

/// The size that zstd wants for a block, and large enough that system calls cost little.
const BUFFER: usize = 128 << 10;

/// Fewer bytes than these are read, even if they could be skipped: reading bytes from memory costs no more, and the
/// system reads ahead for a program that reads on.
const LEAST_SKIPPED: u64 = 32 << 10;

/// Where the bytes are.
pub(super) enum Inner {
    /// In a file, whose bytes can be skipped.
    File(WholeFile),
    Stdin(io::Stdin),
    Reader(Box<dyn Read + Send>),
}

impl Read for Inner {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Inner::File(file) => file.read(out),
            // Reads as large as ours go past its own buffer.
            Inner::Stdin(stdin) => stdin.read(out),
            Inner::Reader(reader) => reader.read(out),
        }
    }
}

pub(crate) struct StoredBytes {
    name: String,
    inner: Inner,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// A terminal would wait for more after its end, so the end is read only once.
    ended: bool,
    /// An error met while reading ahead, reported in its turn.
    failure: Option<io::Error>,
    consumed: u64,
    progress: Arc<AtomicU64>,
}

impl StoredBytes {
    pub(super) fn new(name: String, inner: Inner, progress: Arc<AtomicU64>) -> Self {
        let buffer = vec![0; BUFFER];
        StoredBytes {
            name,
            inner,
            buffer,
            start: 0,
            end: 0,
            ended: false,
            failure: None,
            consumed: 0,
            progress,
        }
    }

    /// Its name in errors.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// How many bytes were consumed.
    pub(crate) fn consumed(&self) -> u64 {
        self.consumed
    }

    /// At least `n` bytes, or fewer if the end is nearer. They stay unconsumed.
    pub(crate) fn peek(&mut self, n: usize) -> Result<&[u8]> {
        if self.start > 0 && self.end - self.start < n {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        while self.end - self.start < n && !self.ended {
            let read = match self.failure.take() {
                Some(failure) => Err(failure),
                None => read_once(&mut self.inner, &mut self.buffer[self.end..], &self.progress),
            };
            let read = read.map_err(|e| self.failed("read", e))?;
            self.end += read;
            self.ended = read == 0;
        }
        Ok(&self.buffer[self.start..self.end])
    }

    /// The same for more bytes than `peek` is made for. If reading fails there are fewer of them, and `peek` reports
    /// the error in its turn.
    pub(crate) fn look_ahead(&mut self, n: usize) -> &[u8] {
        // Twice the number, so that no byte is moved more than once.
        if self.buffer.len() < 2 * n {
            self.buffer.resize(2 * n, 0);
        }
        if self.buffer.len() - self.start < n {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        let limit = self.start + n;
        while self.end < limit && !self.ended && self.failure.is_none() {
            match read_once(&mut self.inner, &mut self.buffer[self.end..limit], &self.progress) {
                Ok(read) => {
                    self.end += read;
                    self.ended = read == 0;
                }
                Err(failure) => self.failure = Some(failure),
            }
        }
        &self.buffer[self.start..self.end.min(limit)]
    }

    /// Whether a read will wait no longer than this, as far as the system can show.
    pub(super) fn is_ready(&self, within: Duration) -> bool {
        match &self.inner {
            _ if self.start < self.end || self.ended || self.failure.is_some() => true,
            Inner::File(file) => file.is_ready(within),
            Inner::Stdin(stdin) => streams::is_ready(stdin, within),
            Inner::Reader(_) => true,
        }
    }

    /// Whether nothing comes after the bytes at hand.
    pub(super) fn has_ended(&self) -> bool {
        self.ended && self.failure.is_none()
    }

    /// Consumes `n` of the bytes that `peek` returned.
    pub(crate) fn consume(&mut self, n: usize) {
        self.start += n;
        self.consumed += n as u64;
    }

    /// Puts back the bytes that were consumed last, in order.
    pub(crate) fn give_back(&mut self, bytes: &[u8]) {
        let rest = &self.buffer[self.start..self.end];
        let mut buffer = Vec::with_capacity((bytes.len() + rest.len()).max(BUFFER));
        buffer.extend_from_slice(bytes);
        buffer.extend_from_slice(rest);
        (self.start, self.end) = (0, buffer.len());
        buffer.resize(buffer.len().max(BUFFER), 0);
        self.buffer = buffer;
        self.consumed -= bytes.len() as u64;
    }

    /// Skips zeros, and returns their number.
    pub(crate) fn skip_zeros(&mut self) -> Result<u64> {
        let start = self.consumed;
        loop {
            let zeros = self.peek(1)?.iter().take_while(|&&b| b == 0).count();
            if zeros == 0 {
                return Ok(self.consumed - start);
            }
            self.consume(zeros);
        }
    }

    /// Consumes bytes unchanged: first from the buffer, then directly from the system.
    pub(crate) fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        if self.start < self.end {
            let n = out.len().min(self.end - self.start);
            out[..n].copy_from_slice(&self.buffer[self.start..self.start + n]);
            self.consume(n);
            return Ok(n);
        }
        if self.ended {
            return Ok(0);
        }
        let read = read_once(&mut self.inner, out, &self.progress).map_err(|e| self.failed("read", e))?;
        self.ended = read == 0;
        self.consumed += read as u64;
        Ok(read)
    }

    /// Skips `n` bytes without reading those that are not in the buffer, and returns how many were not read: 0 if the
    /// bytes can only be read, if they are few, and if the end is nearer.
    pub(super) fn skip(&mut self, n: u64) -> Result<u64> {
        let buffered = (self.end - self.start) as u64;
        let Inner::File(file) = &mut self.inner else { return Ok(0) };
        if n < buffered + LEAST_SKIPPED || self.ended || self.failure.is_some() {
            return Ok(0);
        }
        if !file.skip(n - buffered).map_err(|e| self.failed("read", e))? {
            return Ok(0);
        }
        (self.start, self.end) = (0, 0);
        self.consumed += n;
        self.progress.fetch_add(n - buffered, Ordering::Relaxed);
        Ok(n)
    }

    /// The error for a failure of the system at `doing`.
    pub(crate) fn failed(&self, doing: &str, error: io::Error) -> Error {
        // This is not an error of the system: a reader below has found damage.
        if error.kind() == io::ErrorKind::InvalidData {
            return self.damaged(format_args!("{error}"));
        }
        Error::io(doing, &self.name, error)
    }

    /// The error that a stream asks for a window of more than `most` bytes, with the `tool` that reads it nevertheless.
    pub(crate) fn too_large(&self, format: impl fmt::Display, most: u64, tool: &str) -> Error {
        let (name, byte, mebibytes) = (&self.name, self.consumed, most >> 20);
        Error::new(
            ErrorKind::Data,
            format!(
                "cannot read {name}: the {format} stream asks for a window of more than {mebibytes} MiB at byte {byte}; \
                 read it through a pipe, as in {tool} FILE | urimill"
            ),
        )
    }

    /// The error that the bytes are invalid, from the first one not consumed.
    pub(crate) fn damaged(&self, what: fmt::Arguments<'_>) -> Error {
        Error::data(&self.name, self.consumed, what)
    }
}

/// One read of the system, repeated if a signal interrupted it.
fn read_once(inner: &mut Inner, out: &mut [u8], progress: &AtomicU64) -> io::Result<usize> {
    loop {
        match inner.read(out) {
            Ok(n) => {
                progress.fetch_add(n as u64, Ordering::Relaxed);
                return Ok(n);
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const LEN: usize = 300_000;

    fn byte(at: usize) -> u8 {
        (at / 1000) as u8
    }

    fn bytes() -> Vec<u8> {
        (0..LEN).map(byte).collect()
    }

    fn pipe(_: &Path) -> Inner {
        Inner::Reader(Box::new(io::Cursor::new(bytes())))
    }

    fn file(path: &Path) -> Inner {
        std::fs::write(path, bytes()).expect("a file");
        Inner::File(WholeFile::open(path).expect("a file"))
    }

    #[test]
    fn bytes_of_a_file_are_skipped_where_that_pays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        // (where the bytes are, how many are at hand before, how many to skip, how many were skipped)
        type Case = (fn(&Path) -> Inner, usize, u64, u64);
        let table: [Case; 9] = [
            (file, 0, 100_000, 100_000),
            (file, 1, 200_000, 200_000),
            // The buffer holds `BUFFER` bytes already: a skip pays from `LEAST_SKIPPED` more on.
            (file, 1, BUFFER as u64 + LEAST_SKIPPED - 1, 0),
            (file, 1, BUFFER as u64 + LEAST_SKIPPED, BUFFER as u64 + LEAST_SKIPPED),
            (file, 0, LEAST_SKIPPED - 1, 0),
            (file, 0, LEN as u64 - 1, LEN as u64 - 1),
            // Nothing is skipped at the end and after it: reading shows where that is.
            (file, 0, LEN as u64, 0),
            (file, 0, u64::MAX, 0),
            (pipe, 0, 100_000, 0),
        ];
        for (number, (inner, seen, wanted, expected)) in table.into_iter().enumerate() {
            let progress = Arc::new(AtomicU64::new(0));
            let mut stored = StoredBytes::new("a".into(), inner(&path), Arc::clone(&progress));
            stored.peek(seen).expect("bytes");
            assert_eq!(stored.skip(wanted).expect("a file"), expected, "row {number}");
            assert_eq!(stored.consumed(), expected, "row {number}");
            let mut next = [0];
            assert_eq!(stored.read(&mut next).expect("bytes"), 1, "row {number}");
            assert_eq!(next[0], byte(expected as usize), "row {number}");
            let mut rest = vec![0; LEN];
            while stored.read(&mut rest).expect("bytes") > 0 {}
            assert_eq!((stored.consumed(), progress.load(Ordering::Relaxed)), (LEN as u64, LEN as u64));
        }
    }

    #[test]
    fn a_file_that_becomes_shorter_is_noticed_behind_skipped_bytes() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        let mut stored = StoredBytes::new("a".into(), file(&path), Arc::default());
        assert_eq!(stored.skip(200_000).expect("a file"), 200_000);
        std::fs::OpenOptions::new().write(true).open(&path).expect("a file").set_len(100).expect("a file");
        let error = stored.read(&mut [0; 10]).expect_err("fewer bytes").to_string();
        assert!(
            error.contains("it has become shorter while it was read, from 300000 to 100 bytes"),
            "{error}"
        );
    }
}
