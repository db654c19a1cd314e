//! Arrow IPC: a table as a stream of messages, or as a file, which is such a stream between two marks with an index
//! behind it. So a file can be read from a pipe too, as far as it is a stream.
//!
//! The library's readers take the lengths in damaged messages for true and ask for as much memory. Its decoders take
//! bytes that are there: those are what is used here.

use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use arrow::array::RecordBatch;
use arrow::buffer::Buffer;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::ipc::convert::fb_to_schema;
use arrow::ipc::reader::{FileDecoder, StreamDecoder, read_footer_length};
use arrow::ipc::{Block, MetadataVersion, root_as_footer};

use super::table::{ARROW_FILE, Batches, Counted, Faults, Stream, Table, first_line};
use crate::files::File;

/// Between an Arrow file's mark and its first message stand zeros, up to a multiple of this or of a larger number.
const ALIGNED: usize = 8;

/// What a file ends with: the length of its footer, and the mark.
const END: u64 = 10;

/// So much of a stream is read at once.
const AT_ONCE: usize = 1 << 20;

/// Whether something that begins so is an Arrow file, and not a stream.
pub(in crate::input) fn is_file(first: &[u8]) -> bool {
    first.starts_with(ARROW_FILE)
}

/// Opens a file by its footer.
///
/// # Errors
/// What is wrong with the file.
pub(in crate::input) fn open_file(
    inner: File,
    name: &str,
    faults: &Faults,
    progress: &Arc<AtomicU64>,
) -> Result<Table, String> {
    let length = inner.metadata().map(|file| file.len()).unwrap_or_default();
    let inner = Counted { inner, name: name.to_owned(), faults: faults.clone(), progress: progress.clone() };
    let mut stored = Stored { inner, length };
    let footer =
        stored.footer().map_err(|what| format!("it is no whole Arrow file: {what}; was it cut off?"))?;
    let Footer { schema, version, dictionaries, batches } = footer;
    let own = schema.clone();
    let read = move |columns: &[usize]| -> Result<Batches, String> {
        let mut decoder = FileDecoder::new(own, version).with_projection(columns.to_vec());
        for block in &dictionaries {
            let bytes = stored.block(block)?;
            decoder.read_dictionary(block, &bytes).map_err(told)?;
        }
        let batch = move |block: Block| {
            let bytes = stored.block(&block)?;
            decoder.read_record_batch(&block, &bytes).map_err(told)
        };
        Ok(Box::new(batches.into_iter().map(batch).filter_map(Result::transpose)))
    };
    Ok(Table { schema, rows: None, read: Box::new(read) })
}

struct Stored {
    inner: Counted<File>,
    length: u64,
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
        let length = read_footer_length(last).map_err(told)? as u64;
        let start = end.checked_sub(length).ok_or("its footer is longer than the file")?;
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
        self.bytes(start, message.saturating_add(body))
    }

    fn bytes(&mut self, start: u64, length: u64) -> Result<Buffer, String> {
        if start.checked_add(length).is_none_or(|end| end > self.length) {
            return Err(format!(
                "{length} bytes are to stand at byte {start}, and there are {}",
                self.length
            ));
        }
        let mut bytes = Vec::with_capacity(length as usize);
        self.inner.seek(SeekFrom::Start(start)).map_err(|error| error.to_string())?;
        let read =
            (&mut self.inner).take(length).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        match read as u64 == length {
            true => Ok(Buffer::from_vec(bytes)),
            false => Err(format!("only {read} of {length} bytes came at byte {start}")),
        }
    }
}

/// Opens a stream: what `first` holds and then `rest`.
///
/// # Errors
/// What is wrong with it.
pub(in crate::input) fn open_stream(first: Vec<u8>, rest: Stream) -> Result<Table, String> {
    if first.is_empty() {
        return Err("it is empty, and no Arrow stream".to_owned());
    }
    let is_file = is_file(&first);
    let fed = Buffer::from_vec(first);
    let mut messages = Messages { decoder: StreamDecoder::new(), rest, fed, is_file, ended: false };
    if is_file {
        messages.skip_mark()?;
    }
    let mut waiting = None;
    let schema = loop {
        if let Some(schema) = messages.decoder.schema() {
            break schema;
        }
        waiting = messages.step().map_err(|what| format!("it is no Arrow stream: {what}"))?;
        if messages.ended && messages.decoder.schema().is_none() {
            return Err("it is no Arrow stream: it has no schema".to_owned());
        }
    };
    let read = move |columns: &[usize]| -> Result<Batches, String> {
        let columns = columns.to_vec();
        let batches = std::iter::from_fn(move || {
            let batch = match waiting.take() {
                Some(batch) => Ok(Some(batch)),
                None => messages.next(),
            };
            let chosen = |batch: RecordBatch| batch.project(&columns).map_err(told);
            batch.transpose().map(|batch| batch.and_then(chosen))
        });
        Ok(Box::new(batches))
    };
    Ok(Table { schema, rows: None, read: Box::new(read) })
}

struct Messages {
    decoder: StreamDecoder,
    rest: Stream,
    /// What was read and not decoded yet.
    fed: Buffer,
    /// Behind the stream of a file its footer stands.
    is_file: bool,
    ended: bool,
}

impl Messages {
    fn next(&mut self) -> Result<Option<RecordBatch>, String> {
        while !self.ended {
            if let Some(batch) = self.step()? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    /// Steps over what stands before the first message of a file.
    fn skip_mark(&mut self) -> Result<(), String> {
        let mut is_mark = true;
        loop {
            while self.fed.len() < ALIGNED {
                let mut bytes = self.fed.to_vec();
                let before = bytes.len();
                bytes.resize(AT_ONCE, 0);
                let read = self.rest.read(&mut bytes[before..]).map_err(|error| error.to_string())?;
                bytes.truncate(before + read);
                self.fed = Buffer::from_vec(bytes);
                if read == 0 {
                    return Ok(());
                }
            }
            if !is_mark && self.fed[..ALIGNED] != [0; ALIGNED] {
                return Ok(());
            }
            is_mark = false;
            self.fed.advance(ALIGNED);
        }
    }

    /// Decodes what was read, up to the next batch, or else reads on.
    fn step(&mut self) -> Result<Option<RecordBatch>, String> {
        if !self.fed.is_empty() {
            let decoded = self.decoder.decode(&mut self.fed);
            return match decoded {
                // The decoder has seen the stream's end, and bytes behind it.
                Err(_) if self.decoder.finish().is_ok() => self.behind_end(),
                decoded => decoded.map_err(told),
            };
        }
        let mut bytes = vec![0; AT_ONCE];
        let read = self.rest.read(&mut bytes).map_err(|error| error.to_string())?;
        bytes.truncate(read);
        self.fed = Buffer::from_vec(bytes);
        self.ended = read == 0;
        match self.ended {
            true => self.decoder.finish().map(|()| None).map_err(|_| "it ends within a message".to_owned()),
            false => Ok(None),
        }
    }

    /// A file's footer is read past, so that nobody writes to a closed pipe.
    fn behind_end(&mut self) -> Result<Option<RecordBatch>, String> {
        if !self.is_file {
            return Err("something stands behind the end of the stream".to_owned());
        }
        let rest = std::io::copy(&mut self.rest, &mut std::io::sink());
        self.ended = true;
        self.fed = Buffer::default();
        rest.map(|_| None).map_err(|error| error.to_string())
    }
}

fn told(error: ArrowError) -> String {
    first_line(&error.to_string())
}
