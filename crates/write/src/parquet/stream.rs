//! The bytes of a file: those of the parquet crate's file writer, and the pages of texts. Without the copy the file's
//! stage takes 0.071 instead of 0.131 s, and uncompressed Parquet 0.611 instead of 0.695 s.
//!
//! The crate counts the bytes that it writes, and reads the pages of a column that it has not encoded itself through a
//! small buffer. It gets as many bytes that mean nothing ([`StandIns`]), and the pages go to the target in their place,
//! without a copy.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::mem;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use urimill_base::locks::{into_inner, lock};

use crate::Target;

/// What the file writer writes to. It is shared with that writer, which would return the target only without the kind
/// of its error.
#[derive(Debug, Clone)]
pub(super) struct Stream(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    target: Target,
    /// The bytes of the file so far.
    written: u64,
    /// Where stand-ins come, in order, and what belongs there, until it is written.
    places: VecDeque<(Range<u64>, Vec<Bytes>)>,
}

impl Stream {
    pub(super) fn new(target: Target) -> Stream {
        Stream(Arc::new(Mutex::new(State { target, written: 0, places: VecDeque::new() })))
    }

    /// Says that about so many bytes follow.
    pub(super) fn expect(&self, bytes: u64) {
        lock(&self.0).target.expect(bytes);
    }

    /// Puts bytes, in pieces, at this place of the file, where as many [`StandIns`] will be written.
    pub(super) fn put(&self, place: Range<u64>, pieces: Vec<Bytes>) {
        lock(&self.0).places.push_back((place, pieces));
    }

    /// The target, when the file writer is gone; `None` if it is not.
    pub(super) fn into_target(self) -> Option<Target> {
        let state = Arc::into_inner(self.0)?;
        Some(into_inner(state).target)
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        lock(&self.0).write(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        lock(&self.0).target.flush()
    }
}

impl State {
    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let State { target, written, places } = self;
            let most = bytes.len() as u64;
            let taken = match places.front_mut() {
                Some((place, pieces)) if place.start <= *written => {
                    if !pieces.is_empty() && place.start != *written {
                        return Err(io::Error::other("pages came for a place that has been written"));
                    }
                    for piece in mem::take(pieces) {
                        target.write_all(&piece)?;
                    }
                    let taken = most.min(place.end - *written);
                    if *written + taken == place.end {
                        places.pop_front();
                    }
                    taken
                }
                next => {
                    let taken = next.map_or(most, |(place, _)| most.min(place.start - *written));
                    target.write_all(&bytes[..taken as usize])?;
                    taken
                }
            };
            self.written += taken;
            bytes = &bytes[taken as usize..];
        }
        Ok(())
    }
}

/// Any number of bytes of no meaning.
pub(super) struct StandIns;

impl Read for StandIns {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        Ok(out.len())
    }
}

/// The crate asks for the reader alone, and takes from it as many bytes as the metadata of the column say.
impl ChunkReader for StandIns {
    type T = StandIns;

    fn get_read(&self, _start: u64) -> Result<StandIns, ParquetError> {
        Ok(StandIns)
    }

    fn get_bytes(&self, _start: u64, _length: usize) -> Result<Bytes, ParquetError> {
        Err(ParquetError::NYI("stand-ins cannot be looked at".to_owned()))
    }
}

impl Length for StandIns {
    fn len(&self) -> u64 {
        u64::MAX
    }
}
