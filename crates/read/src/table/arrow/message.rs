//! Checks a message of Arrow IPC before its bytes are decoded: the library allocates the memory that a compressed
//! buffer declares, and ends the process if there is not enough. For `arrow` and `stream`, which read messages.

use std::collections::HashMap;

use arrow_ipc::{MessageHeader, RecordBatch, root_as_message};

use crate::guarded::first_line;
use crate::table::memory_limit::MemoryLimit;

/// The beginning of every message since version 0.15 of Arrow; before, its length came first.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// The length of a message's prefix, and of the metadata after it.
pub(crate) fn prefix(bytes: [u8; 8]) -> (usize, u32) {
    let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    if bytes[..4] == CONTINUATION { (8, number(4)) } else { (4, number(0)) }
}

/// The length of the body that belongs to metadata.
///
/// # Errors
/// The fault of the metadata.
pub(crate) fn body_length(metadata: &[u8]) -> Result<u64, String> {
    let message = root_as_message(metadata).map_err(|error| first_line(&error.to_string()))?;
    u64::try_from(message.bodyLength()).map_err(|_| "the length of a message is negative".to_owned())
}

/// The dictionaries that are held while batches are read, by number, and their memory.
#[derive(Debug, Default)]
pub(crate) struct Held(HashMap<i64, u64>);

impl Held {
    /// Checks a message: `message` is its prefix and metadata, which are `before` bytes, and its body.
    ///
    /// # Errors
    /// The fault of the message, or that there is no room for it.
    pub(crate) fn check(&mut self, message: &[u8], before: usize, room: &MemoryLimit) -> Result<(), String> {
        let short = || "a message is shorter than it states".to_owned();
        let (metadata, body) = message.split_at_checked(before).ok_or_else(short)?;
        let first = metadata.first_chunk::<8>().ok_or_else(short)?;
        let (skipped, length) = prefix(*first);
        let rest = &metadata[skipped..];
        // A file has the metadata's length in the footer, too, with padding.
        let metadata = rest.get(..length as usize).unwrap_or(rest);
        let parsed = root_as_message(metadata).map_err(|error| first_line(&error.to_string()))?;
        match parsed.header_type() {
            MessageHeader::RecordBatch => {
                let Some(batch) = parsed.header_as_record_batch() else { return Ok(()) };
                let own = decoded(&batch, body)?;
                room.check(own.saturating_add(self.bytes()), "a batch of rows")
            }
            MessageHeader::DictionaryBatch => {
                let Some(dictionary) = parsed.header_as_dictionary_batch() else { return Ok(()) };
                let batch = dictionary.data().ok_or("a dictionary has no values")?;
                let own = decoded(&batch, body)?;
                let before = self.0.get(&dictionary.id()).copied().unwrap_or(0);
                // More entries are copied after the present ones.
                let both = if dictionary.isDelta() { before.saturating_add(own) } else { own };
                self.0.insert(dictionary.id(), both);
                room.check(self.bytes().saturating_add(own), "the dictionaries of its columns")
            }
            _ => Ok(()),
        }
    }

    fn bytes(&self) -> u64 {
        self.0.values().fold(0, |sum, &bytes| sum.saturating_add(bytes))
    }
}

/// The bytes of a batch in memory: its body, and its decompressed buffers.
fn decoded(batch: &RecordBatch<'_>, body: &[u8]) -> Result<u64, String> {
    let mut bytes = body.len() as u64;
    if batch.length() < 0 {
        return Err("a number of rows is negative".to_owned());
    }
    for node in batch.nodes().into_iter().flatten() {
        if node.length() < 0 || !(0..=node.length()).contains(&node.null_count()) {
            return Err(format!("{} of {} values are to be null", node.null_count(), node.length()));
        }
    }
    if batch.variadicBufferCounts().into_iter().flatten().any(|count| count < 0) {
        return Err("a number of buffers is negative".to_owned());
    }
    for buffer in batch.buffers().into_iter().flatten() {
        let within = || {
            let (from, length) =
                (usize::try_from(buffer.offset()).ok()?, usize::try_from(buffer.length()).ok()?);
            body.get(from..)?.get(..length)
        };
        let Some(stored) = within() else {
            return Err(format!(
                "{} bytes should be at byte {} of a message, whose body has {}",
                buffer.length(),
                buffer.offset(),
                body.len()
            ));
        };
        if batch.compression().is_some() && !stored.is_empty() {
            let length = stored.first_chunk().ok_or("a compressed buffer has no length")?;
            bytes = match i64::from_le_bytes(*length) {
                // Compression did not pay for this buffer.
                -1 => bytes,
                length => {
                    let length = u64::try_from(length).map_err(|_| format!("a buffer has {length} bytes"))?;
                    bytes.saturating_add(length)
                }
            };
        }
    }
    Ok(bytes)
}
