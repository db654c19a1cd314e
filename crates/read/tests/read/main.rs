//! Bytes to chunks: the promises of `urimill-read` to all packages that use it. `tests/inputs` has those that take formats
//! of other packages, or a whole run.
//!
//! - `sources`: the files that an argument on the command line means
//! - `compression`: detecting compression, and reporting damage
//! - `members`: members of gzip, inflated by several threads
//! - `chunks`: whole records, their numbers and offsets

#![allow(clippy::unwrap_used)]

mod chunks;
mod compression;
mod members;
mod sources;

use urimill_base::error::Result;
use urimill_read::Reader;

fn read_all(mut reader: Reader) -> Result<Vec<u8>> {
    let (mut all, mut buf) = (Vec::new(), vec![0; 1000]);
    loop {
        match reader.read(&mut buf)? {
            0 => return Ok(all),
            n => all.extend_from_slice(&buf[..n]),
        }
    }
}
