//! The bytes as they are stored, for the decoders: a buffer that can look ahead without losing a byte of a pipe, counts
//! the bytes consumed, and names its source in every error.

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, ErrorKind, Result};

/// As much as zstd wants for a block, and large enough that system calls cost little.
const BUFFER: usize = 128 << 10;

pub(in crate::read) struct StoredBytes {
    name: String,
    inner: Box<dyn Read + Send>,
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
    pub(in crate::read) fn new(name: String, inner: Box<dyn Read + Send>, progress: Arc<AtomicU64>) -> Self {
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
    pub(in crate::read) fn name(&self) -> &str {
        &self.name
    }

    /// How many bytes were consumed.
    pub(in crate::read) fn consumed(&self) -> u64 {
        self.consumed
    }

    /// At least `n` bytes, or fewer if the end is nearer. They stay unconsumed.
    pub(in crate::read) fn peek(&mut self, n: usize) -> Result<&[u8]> {
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
    pub(in crate::read) fn look_ahead(&mut self, n: usize) -> &[u8] {
        // Twice as many, so that none is moved more than once.
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

    /// Consumes `n` of the bytes that `peek` returned.
    pub(in crate::read) fn consume(&mut self, n: usize) {
        self.start += n;
        self.consumed += n as u64;
    }

    /// Puts back the bytes that were consumed last, in order.
    pub(in crate::read) fn give_back(&mut self, bytes: &[u8]) {
        let rest = &self.buffer[self.start..self.end];
        let mut buffer = Vec::with_capacity((bytes.len() + rest.len()).max(BUFFER));
        buffer.extend_from_slice(bytes);
        buffer.extend_from_slice(rest);
        (self.start, self.end) = (0, buffer.len());
        buffer.resize(buffer.len().max(BUFFER), 0);
        self.buffer = buffer;
        self.consumed -= bytes.len() as u64;
    }

    /// Steps over zeros, and returns how many they were.
    pub(in crate::read) fn skip_zeros(&mut self) -> Result<u64> {
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
    pub(in crate::read) fn read(&mut self, out: &mut [u8]) -> Result<usize> {
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

    /// The error that the system failed at `doing`.
    pub(in crate::read) fn failed(&self, doing: &str, error: io::Error) -> Error {
        // This is no error of the system: a reader below has found damage.
        if error.kind() == io::ErrorKind::InvalidData {
            return self.damaged(format_args!("{error}"));
        }
        Error::io(doing, &self.name, error)
    }

    /// The error that a stream asks for a window of more than `most` bytes, with the `tool` that reads it nevertheless.
    pub(in crate::read) fn too_large(&self, format: impl fmt::Display, most: u64, tool: &str) -> Error {
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
    pub(in crate::read) fn damaged(&self, what: fmt::Arguments<'_>) -> Error {
        Error::data(&self.name, self.consumed, what)
    }
}

/// One read of the system, repeated if a signal interrupted it.
fn read_once(inner: &mut dyn Read, out: &mut [u8], progress: &AtomicU64) -> io::Result<usize> {
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
