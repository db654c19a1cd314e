//! Bytes to chunks: the promises of `urimill::read` to all packages that use it.
//!
//! - `sources`: the files that an argument on the command line means
//! - `compression`: detecting compression, and reporting damage
//! - `damage`: the records kept of damaged inputs
//! - `faults`: damage and odd bytes, through the whole pipeline
//! - `checksums`: equal sums of `--verify`
//! - `numbers`: lines and bytes beyond 2^31 and 2^32
//! - `chunks`: whole records, their numbers and offsets
//! - `buffers`: reused memory
//! - `mutants`: thousands of each archive and document, compared with other readers
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

/// Returns at most `step` of its bytes at a time, each time after a signal.
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
