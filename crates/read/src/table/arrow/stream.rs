//! Arrow IPC as a stream: message by message, each read as far as it comes, whatever length it declares, and checked
//! before it is decoded. A file from a pipe is read like this, too.

use std::io::Read;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;

use super::error_text;
use super::message::{Held, body_length, prefix};
use crate::format::tables::ARROW_FILE;
use crate::table::memory_limit::MemoryLimit;
use crate::table::reader::{Batches, Stream, Table};

/// Zeros fill the space between an Arrow file's mark and its first message, up to a multiple of this or of a larger
/// number.
const ALIGNED: usize = 8;

/// The number of bytes that are read at once of a message that may be shorter than it declares.
const AT_ONCE: usize = 1 << 20;

/// Opens a stream: the bytes of `first`, then those of `rest`.
///
/// # Errors
/// The fault of the stream.
pub fn open(first: Vec<u8>, rest: Stream, room: MemoryLimit) -> Result<Table, String> {
    if first.is_empty() {
        return Err("it is empty, and no Arrow stream".to_owned());
    }
    let is_file = first.starts_with(ARROW_FILE);
    let (decoder, held) = (StreamDecoder::new(), Held::default());
    let mut messages =
        Messages { decoder, rest, first, at: 0, fed: Buffer::default(), is_file, ended: false, room, held };
    if is_file {
        messages.skip_mark()?;
    }
    let mut waiting = None;
    let schema = loop {
        if let Some(schema) = messages.decoder.schema() {
            break schema;
        }
        waiting = messages.step().map_err(|what| format!("it is not an Arrow stream: {what}"))?;
        if messages.ended && messages.decoder.schema().is_none() {
            return Err("it is not an Arrow stream: it has no schema".to_owned());
        }
    };
    let read = move |columns: &[usize]| -> Result<Batches, String> {
        let columns = columns.to_vec();
        let batches = std::iter::from_fn(move || {
            let batch = match waiting.take() {
                Some(batch) => Ok(Some(batch)),
                None => messages.next(),
            };
            let chosen = |batch: RecordBatch| batch.project(&columns).map_err(error_text);
            batch.transpose().map(|batch| batch.and_then(chosen))
        });
        Ok(Box::new(batches))
    };
    Ok(Table { schema, rows: None, read: Box::new(read) })
}

struct Messages {
    decoder: StreamDecoder,
    rest: Stream,
    /// The bytes that were read before, for detection, and how many of them have been taken.
    first: Vec<u8>,
    at: usize,
    /// Read, and not decoded yet.
    fed: Buffer,
    /// After the stream of a file comes its footer.
    is_file: bool,
    ended: bool,
    room: MemoryLimit,
    held: Held,
}

impl Messages {
    fn next(&mut self) -> Result<Option<RecordBatch>, String> {
        while !self.ended || !self.fed.is_empty() {
            if let Some(batch) = self.step()? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    /// Appends `count` bytes, or all that there are; allocates no more memory than the bytes that come.
    fn read(&mut self, count: usize, out: &mut Vec<u8>) -> Result<(), String> {
        let end = out.len() + count;
        let held = self.first.len().min(self.at + count);
        out.extend_from_slice(&self.first[self.at..held]);
        self.at = held;
        while out.len() < end {
            let before = out.len();
            out.resize(end.min(before + AT_ONCE), 0);
            let read = self.rest.read(&mut out[before..]).map_err(|error| error.to_string())?;
            out.truncate(before + read);
            if read == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Skips the bytes before the first message of a file.
    fn skip_mark(&mut self) -> Result<(), String> {
        let mut mark = Vec::new();
        self.read(ALIGNED, &mut mark)?;
        loop {
            let mut more = Vec::new();
            self.read(ALIGNED, &mut more)?;
            if more.len() < ALIGNED || more != [0; ALIGNED] {
                // It belongs to a message.
                more.extend_from_slice(&self.first[self.at..]);
                (self.first, self.at) = (more, 0);
                return Ok(());
            }
        }
    }

    /// Decodes the next message.
    fn step(&mut self) -> Result<Option<RecordBatch>, String> {
        if !self.fed.is_empty() {
            return self.decoder.decode(&mut self.fed).map_err(error_text);
        }
        let cut = || "it ends within a message".to_owned();
        let mut bytes = Vec::new();
        self.read(4, &mut bytes)?;
        if bytes.is_empty() {
            self.end();
            return Ok(None);
        }
        if bytes == [0xff; 4] {
            self.read(4, &mut bytes)?;
        }
        let mut first = [0; 8];
        first[..bytes.len()].copy_from_slice(&bytes);
        let (before, length) = prefix(first);
        if bytes.len() < before {
            return Err(cut());
        }
        if length == 0 {
            return self.behind_end();
        }
        if !self.room.holds(length.into()) {
            return Err(format!("a message is to begin with {length} bytes that describe it"));
        }
        let before = before + length as usize;
        self.read(length as usize, &mut bytes)?;
        if bytes.len() < before {
            return Err(cut());
        }
        let body = body_length(&bytes[before - length as usize..])?;
        self.room.check(body, "a message")?;
        self.read(body as usize, &mut bytes)?;
        if bytes.len() < before + body as usize {
            return Err(cut());
        }
        self.held.check(&bytes, before, &self.room)?;
        self.fed = Buffer::from_vec(bytes);
        Ok(None)
    }

    /// A message without a body is only decoded when something comes after it: the mark of the end.
    fn end(&mut self) {
        self.ended = true;
        self.fed = Buffer::from_vec([[0xff; 4], [0; 4]].concat());
    }

    /// A file's footer is read to its end, so that no program writes to a closed pipe.
    fn behind_end(&mut self) -> Result<Option<RecordBatch>, String> {
        self.end();
        if self.is_file {
            return std::io::copy(&mut self.rest, &mut std::io::sink())
                .map(|_| None)
                .map_err(|error| error.to_string());
        }
        let mut behind = Vec::new();
        self.read(1, &mut behind)?;
        match behind.is_empty() {
            true => Ok(None),
            false => Err("there is data after the end of the stream".to_owned()),
        }
    }
}
