//! Arrow IPC: a table as a stream of messages, or as a file, which is such a stream between two marks with an index
//! after it. So a file can be read from a pipe, too, as a stream.
//!
//! The library's readers trust the lengths in damaged messages and allocate as much memory. Its decoders take bytes
//! that are there: only these are used, after the checks of `message`. This module reads files, `stream` streams.

pub(crate) mod message;
pub mod stream;

use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, MetadataVersion, root_as_footer};
use arrow_schema::{ArrowError, SchemaRef};
use urimill_base::files::File;

use super::memory_limit::MemoryLimit;
use super::reader::{Batches, Counted, Faults, Table};
use crate::guarded::first_line;
use message::Held;

/// The end of a file: the length of its footer, and the mark.
const END: u64 = 10;

/// Opens a file by its footer.
///
/// # Errors
/// The fault of the file.
pub fn open_file(
    inner: File,
    name: &str,
    faults: &Faults,
    progress: &Arc<AtomicU64>,
    room: MemoryLimit,
) -> Result<Table, String> {
    let length = inner.metadata().map(|file| file.len()).unwrap_or_default();
    let inner = Counted { inner, name: name.to_owned(), faults: faults.clone(), progress: progress.clone() };
    let mut stored = Stored { inner, length, room };
    let footer = stored
        .footer()
        .map_err(|what| format!("it is not a complete Arrow file: {what}; was it truncated?"))?;
    let Footer { schema, version, dictionaries, batches } = footer;
    let own = schema.clone();
    let read = move |columns: &[usize]| -> Result<Batches, String> {
        let mut decoder = FileDecoder::new(own, version).with_projection(columns.to_vec());
        let mut held = Held::default();
        for block in &dictionaries {
            let bytes = stored.block(block)?;
            held.check(&bytes, block.metaDataLength() as usize, &stored.room)?;
            decoder.read_dictionary(block, &bytes).map_err(error_text)?;
        }
        let batch = move |block: Block| {
            let bytes = stored.block(&block)?;
            held.check(&bytes, block.metaDataLength() as usize, &stored.room)?;
            decoder.read_record_batch(&block, &bytes).map_err(error_text)
        };
        Ok(Box::new(batches.into_iter().map(batch).filter_map(Result::transpose)))
    };
    Ok(Table { schema, rows: None, read: Box::new(read) })
}

struct Stored {
    inner: Counted<File>,
    length: u64,
    room: MemoryLimit,
}

struct Footer {
    schema: SchemaRef,
    version: MetadataVersion,
    dictionaries: Vec<Block>,
    batches: Vec<Block>,
}

impl Stored {
    fn footer(&mut self) -> Result<Footer, String> {
        let end = self.length.saturating_sub(END);
        let last = self.bytes(end, END)?;
        let last: [u8; END as usize] =
            last.as_slice().try_into().map_err(|_| "it is too short".to_owned())?;
        let length = read_footer_length(last).map_err(error_text)? as u64;
        let start = end.checked_sub(length).ok_or("its footer is longer than the file")?;
        self.room.check(length, "a footer")?;
        let bytes = self.bytes(start, length)?;
        let footer = root_as_footer(&bytes).map_err(|error| first_line(&error.to_string()))?;
        let schema = footer.schema().ok_or("its footer has no schema")?;
        if !schema.endianness().equals_to_target_endianness() {
            return Err("its numbers are in the byte order of another machine".to_owned());
        }
        Ok(Footer {
            schema: Arc::new(fb_to_schema(schema)),
            version: footer.version(),
            dictionaries: footer.dictionaries().map(|all| all.iter().copied().collect()).unwrap_or_default(),
            batches: footer.recordBatches().map(|all| all.iter().copied().collect()).unwrap_or_default(),
        })
    }

    fn block(&mut self, block: &Block) -> Result<Buffer, String> {
        let lengths = (u64::try_from(block.metaDataLength()), u64::try_from(block.bodyLength()));
        let (Ok(start), (Ok(message), Ok(body))) = (u64::try_from(block.offset()), lengths) else {
            return Err("a place in its footer is negative".to_owned());
        };
        let length = message.saturating_add(body);
        self.room.check(length, "a message")?;
        self.bytes(start, length)
    }

    fn bytes(&mut self, start: u64, length: u64) -> Result<Buffer, String> {
        if start.checked_add(length).is_none_or(|end| end > self.length) {
            return Err(format!("{length} bytes should be at byte {start}, and there are {}", self.length));
        }
        let mut bytes = Vec::with_capacity(length as usize);
        self.inner.seek(SeekFrom::Start(start)).map_err(|error| error.to_string())?;
        let read =
            (&mut self.inner).take(length).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        match read as u64 == length {
            true => Ok(Buffer::from_vec(bytes)),
            false => Err(format!("only {read} of {length} bytes could be read at byte {start}")),
        }
    }
}

pub(crate) fn error_text(error: ArrowError) -> String {
    first_line(&error.to_string())
}
