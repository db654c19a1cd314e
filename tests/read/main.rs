//! Bytes to chunks: what `urimill::read` promises to everything right of it.
//!
//! - `sources`: what an argument on the command line stands for
//! - `compression`: what a stored file is, and what is said when it is damaged
//! - `damage`: what is kept of inputs that are damaged
//! - `faults`: damage and odd bytes, through the whole pipeline
//! - `checksums`: what comes to the same in the books of `--verify`
//! - `numbers`: lines and bytes beyond 2^31 and 2^32
//! - `chunks`: whole records, their numbers and offsets
//! - `buffers`: memory that is used again
//! - `mutants`: thousands of each archive and document, held against readers that are not ours
//! - `tables`: Parquet and Arrow, whole and damaged

#![allow(clippy::unwrap_used)]

mod buffers;
mod checksums;
mod chunks;
mod compression;
mod damage;
mod faults;
mod members;
mod mutants;
mod numbers;
mod sources;
mod tables;

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use urimill::read::Reader;

fn no_progress() -> Arc<AtomicU64> {
    Arc::default()
}

/// Gives its bytes at most `step` at a time, and a signal comes before each of them.
struct Slow {
    bytes: Vec<u8>,
    at: usize,
    step: usize,
    interrupted: bool,
}

impl Slow {
    fn boxed(bytes: &[u8], step: usize) -> Box<dyn Read + Send> {
        Box::new(Slow { bytes: bytes.to_vec(), at: 0, step, interrupted: false })
    }
}

impl Read for Slow {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let n = self.step.min(buf.len()).min(self.bytes.len() - self.at);
        buf[..n].copy_from_slice(&self.bytes[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

fn read_all(mut reader: Reader) -> urimill::Result<Vec<u8>> {
    let (mut all, mut buf) = (Vec::new(), vec![0; 1000]);
    loop {
        match reader.read(&mut buf)? {
            0 => return Ok(all),
            n => all.extend_from_slice(&buf[..n]),
        }
    }
}
