//! Cuts a source into buffers of whole records, so that a worker can take one without knowing
//! its neighbours. Stands between the decompressed bytes and the kernel, which wants readable
//! bytes behind the last record.
//!
//! Read until the buffer is full, ask the format for the end of the last whole record, hand out what is
//! before it, and copy what is behind it (a part of one record) to the front of the next buffer.
//! A buffer without any record's end is one long record: it grows until the end comes, or until
//! the record is too long to be kept, and then the rest of its line is read past.
//!
//! ```text
//! buffer   | record \n record \n …  record \n | part of a record |  padding   |
//!          0                                 len              filled
//! chunk    | record \n record \n …  record \n | \n, zeros |
//! ```

mod heads;

use std::fmt;
use std::io::Read;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use bytes::Bytes;
use memchr::memchr;

use heads::Archive;
pub(super) use heads::{Head, Whole};

use super::decompress::{self, Reader};
use super::format::{Behind, Cut, Format, Layout};
use super::pool::{Pool, PooledBuffer};
use super::source::Source;
use crate::error::{Error, Result};
use crate::simd::PADDING;

/// More than are in flight at once on most machines; beyond it memory goes back to the system.
const KEPT_BUFFERS: usize = 64;

/// What a format may have to see of an input, whatever the size of chunks.
pub(super) const BEGINNING: usize = 64 << 10;

const BOM: &[u8; 3] = b"\xef\xbb\xbf";

/// Whole records of one source.
#[derive(Debug, Clone)]
pub struct Chunk {
    /// The records, then [`PADDING`] bytes: a newline, which ends the last record if nothing else
    /// does, and zeros. Of a web archive it is the headers of records that stand here, without what was between.
    pub bytes: Bytes,
    /// The length of the records' bytes, without the padding. Every record ends with `\n` within
    /// it, except perhaps the last of a source.
    pub len: usize,
    /// Index into the chunker's sources.
    pub source: usize,
    /// How many bytes at the beginning are the header of the source.
    pub header: usize,
    /// Where in the source's records the fields stand that are asked for.
    pub layout: Layout,
    /// 1-based number of the first record in its source. Blank lines count, a header does not.
    pub first_record: i64,
    /// How many records, blank lines among them, without the header.
    pub records: u64,
    /// Offset of `bytes[0]` in the decompressed source, byte-order mark included.
    pub offset: u64,
    /// How many bytes of the decompressed source it took: `len`, but for a record that is not kept whole.
    pub taken: u64,
    /// `Some(length without line ending)` where the chunk is a single record that is too long to
    /// be kept whole; then the chunk holds its first bytes, and no line ending.
    pub overlong: Option<u64>,
    /// Of a web archive the records: what the chunk holds of them, and where they were.
    pub(super) heads: Arc<[Head]>,
}

/// Sizes, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkOptions {
    /// What a chunk aims at. A chunk is shorter where a record or a source ends, and longer
    /// where a record is.
    pub chunk_bytes: usize,
    /// The longest record that counts as a record. Longer ones are judged elsewhere; here it
    /// only makes sure that every shorter one is kept whole.
    pub max_record: usize,
    /// The longest record, without its `\n`, that is kept whole; at least `chunk_bytes`, because
    /// what fits in a chunk needs no cutting. `None`: the larger of 16 MiB and `max_record` + 2.
    pub keep_limit: Option<usize>,
}

impl Default for ChunkOptions {
    fn default() -> Self {
        ChunkOptions { chunk_bytes: 1 << 20, max_record: 1 << 20, keep_limit: None }
    }
}

impl ChunkOptions {
    /// The longest record, without its `\n`, that is kept whole.
    pub fn keep_limit(&self) -> usize {
        let default = || self.max_record.saturating_add(2).max(16 << 20);
        self.keep_limit.unwrap_or_else(default).max(self.capacity())
    }

    // A byte-order mark is looked for in the buffer, so it must have room there.
    fn capacity(&self) -> usize {
        self.chunk_bytes.max(BOM.len())
    }
}

/// Turns sources into [`Chunk`]s, in order.
pub struct Chunker {
    sources: Vec<Source>,
    /// The reader of [`Source::Reader`], until it is opened.
    brought: Option<Box<dyn Read + Send>>,
    format: Format,
    insists: bool,
    threads: usize,
    /// Whether the format has seen what it must.
    begun: bool,
    capacity: usize,
    keep_limit: usize,
    progress: Arc<AtomicU64>,
    pool: Pool,
    next_source: usize,
    current: Option<Open>,
}

/// A source whose beginning was read: its number, the beginning, and what follows.
pub(super) type Begun = (usize, Vec<u8>, Reader);

/// The source being read.
struct Open {
    reader: Reader,
    source: usize,
    buffer: PooledBuffer,
    filled: usize,
    /// How much of `buffer` is known to hold no record's end.
    searched: usize,
    /// Known from the source's first record on.
    layout: Option<Layout>,
    offset: u64,
    next_record: i64,
    ended: bool,
}

impl Chunker {
    /// Chunks of `sources`, one after the other. They are opened when their turn comes.
    /// `progress` grows by every stored (compressed, where it is) byte that is read.
    pub fn new(sources: Vec<Source>, options: ChunkOptions, progress: Arc<AtomicU64>) -> Self {
        let capacity = options.capacity();
        let largest_kept = capacity.saturating_mul(2).saturating_add(PADDING);
        Chunker {
            sources,
            brought: None,
            format: Format::Lines,
            insists: false,
            threads: 1,
            begun: false,
            capacity,
            keep_limit: options.keep_limit(),
            progress,
            pool: Pool::new(KEPT_BUFFERS, largest_kept),
            next_source: 0,
            current: None,
        }
    }

    /// Chunks of what `reader` gives, decompressed where it is compressed. Messages and the
    /// column `source` call it `name`.
    pub fn from_reader(
        name: impl Into<String>,
        reader: Box<dyn Read + Send>,
        options: ChunkOptions,
        progress: Arc<AtomicU64>,
    ) -> Self {
        let sources = vec![Source::Reader(name.into())];
        Chunker { brought: Some(reader), ..Self::new(sources, options, progress) }
    }

    /// Records of this format; without it they are lines.
    pub fn with_format(self, format: Format) -> Self {
        Chunker { format, ..self }
    }

    /// Reads sources that are clearly of another format all the same: web archives alone are known at once.
    pub fn insisting(self) -> Self {
        Chunker { insists: true, ..self }
    }

    /// Has [`Reader::with_threads`] read the sources.
    pub fn with_threads(self, threads: usize) -> Self {
        Chunker { threads, ..self }
    }

    /// The format.
    pub fn format(&self) -> &Format {
        &self.format
    }

    /// The sources, which [`Chunk::source`] counts.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Where the chunks' buffers come from.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Looks at the beginning of the first source that is not empty, for what a format has to know before any record
    /// is read: from here on [`Chunker::format`] is the one that the chunks are in. Once is enough.
    ///
    /// # Errors
    /// Those of [`Chunker::next_chunk`], and usage where the format cannot make of the beginning what it must.
    pub fn begin(&mut self) -> Result<()> {
        if mem::replace(&mut self.begun, true) || !self.format.wants_beginning() {
            return Ok(());
        }
        while self.current.is_some() || self.open_next()? {
            let Some(open) = &mut self.current else { break };
            open.buffer.grow(self.capacity.max(BEGINNING) + PADDING);
            open.fill(self.capacity.max(BEGINNING))?;
            if open.filled > 0 {
                let name = self.sources[open.source].name();
                self.format.begin(&open.buffer.as_ref()[..open.filled], &name)?;
                if !matches!(self.format, Format::Warc(_)) {
                    open.reader.forget_members();
                }
                return Ok(());
            }
            self.current = None;
        }
        self.format.begin(b"", "the input")
    }

    /// What there is to go on with for somebody else: the sources, of the one that [`Chunker::begin`] looked at its
    /// number, its beginning and what follows, and the counter. There are no chunks then.
    pub(super) fn give_up(&mut self) -> Result<(Vec<Source>, Option<Begun>, Arc<AtomicU64>)> {
        if self.brought.is_some() {
            self.open_next()?;
        }
        let begun = self.current.take();
        let begun =
            begun.map(|open| (open.source, open.buffer.as_ref()[..open.filled].to_vec(), open.reader));
        Ok((mem::take(&mut self.sources), begun, self.progress.clone()))
    }

    /// The next chunk, `None` behind the last one and after an error.
    ///
    /// # Errors
    /// Those of [`decompress::open`] and [`Reader::read`]; usage, where the format is one of tables.
    pub fn next_chunk(&mut self) -> Result<Option<Chunk>> {
        let chunk = match self.format.table() {
            None => self.advance(),
            Some(_) => Err(Error::usage(format!(
                "tables are not cut into chunks: read {} through Feed",
                self.format.name()
            ))),
        };
        if chunk.is_err() {
            self.current = None;
            self.next_source = self.sources.len();
        }
        chunk
    }

    fn advance(&mut self) -> Result<Option<Chunk>> {
        loop {
            if self.current.is_none() && !self.open_next()? {
                return Ok(None);
            }
            let Some(open) = &mut self.current else { return Ok(None) };
            let name = self.sources[open.source].name();
            if let Format::Warc(format) = &self.format {
                let archive = Archive { name: &name, longest: format.longest, insists: self.insists };
                match open.next_heads(&archive, &self.pool, self.capacity)? {
                    Some(chunk) => return Ok(Some(chunk)),
                    None => self.current = None,
                }
                continue;
            }
            let Some(mut chunk) =
                open.next_chunk(&self.format, &self.pool, self.capacity, self.keep_limit)?
            else {
                self.current = None;
                continue;
            };
            open.lay_out(&mut chunk, &self.format, &name, self.keep_limit)?;
            return Ok(Some(chunk));
        }
    }

    fn open_next(&mut self) -> Result<bool> {
        let source = self.next_source;
        let Some(named) = self.sources.get(source) else { return Ok(false) };
        self.next_source += 1;
        let mut reader = match self.brought.take() {
            Some(brought) => Reader::new(named.name(), brought, &self.progress)?,
            None => decompress::open(named, &self.progress)?,
        };
        reader = reader.with_threads(self.threads);
        if matches!(self.format, Format::Warc(_) | Format::Auto(_)) {
            reader.remember_members();
        }
        let buffer = self.pool.take(self.capacity + PADDING);
        let mut open = Open {
            reader,
            source,
            buffer,
            filled: 0,
            searched: 0,
            layout: None,
            offset: 0,
            next_record: 1,
            ended: false,
        };
        open.skip_bom()?;
        self.current = Some(open);
        Ok(true)
    }
}

impl fmt::Debug for Chunker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunker")
            .field("sources", &self.sources)
            .field("next_source", &self.next_source)
            .field("pool", &self.pool)
            .finish_non_exhaustive()
    }
}

impl Open {
    fn skip_bom(&mut self) -> Result<()> {
        self.fill(BOM.len())?;
        if self.buffer.as_ref()[..self.filled] == *BOM {
            self.offset = BOM.len() as u64;
            self.filled = 0;
        }
        Ok(())
    }

    /// Reads until `limit` bytes are there or the source ends.
    fn fill(&mut self, limit: usize) -> Result<()> {
        while self.filled < limit && !self.ended {
            let read = self.reader.read(&mut self.buffer.as_mut()[self.filled..limit])?;
            self.filled += read;
            self.ended = read == 0;
        }
        Ok(())
    }

    /// Fills in what a source's first record tells of the others.
    fn lay_out(&mut self, chunk: &mut Chunk, format: &Format, name: &str, keep_limit: usize) -> Result<()> {
        if let Some(layout) = &self.layout {
            chunk.layout.clone_from(layout);
            return Ok(());
        }
        if chunk.overlong.is_some() && format.has_header() {
            return Err(Error::usage(format!(
                "the header of {name} is longer than {keep_limit} bytes: is it a header?"
            )));
        }
        (chunk.layout, chunk.header) = format.open(&chunk.bytes[..chunk.len], name)?;
        if chunk.header > 0 {
            chunk.records -= 1;
            self.next_record -= 1;
        }
        self.layout = Some(chunk.layout.clone());
        Ok(())
    }

    fn next_chunk(
        &mut self,
        format: &Format,
        pool: &Pool,
        capacity: usize,
        keep_limit: usize,
    ) -> Result<Option<Chunk>> {
        // One byte more than is kept: it is the record's newline, or it says that there is none.
        let largest = keep_limit.saturating_add(1);
        let mut limit = capacity.max(self.filled);
        loop {
            self.fill(limit)?;
            let behind = match self.ended {
                true if self.filled == 0 => return Ok(None),
                true => Behind::End,
                false if limit >= largest => Behind::TooFar,
                false => Behind::More,
            };
            if let Some(cut) = format.cut(&self.buffer.as_ref()[..self.filled], self.searched, behind) {
                return Ok(Some(self.cut(cut, pool, capacity)));
            }
            self.searched = self.filled;
            if limit >= largest {
                return self.overlong(pool, capacity, keep_limit).map(Some);
            }
            limit = limit.saturating_mul(2).min(largest);
            self.buffer.grow(limit + PADDING);
        }
    }

    /// Hands out whole records and keeps the rest for the next chunk.
    fn cut(&mut self, Cut { end, records }: Cut, pool: &Pool, capacity: usize) -> Chunk {
        let rest = self.filled - end;
        let mut next = pool.take(capacity.max(rest) + PADDING);
        next.as_mut()[..rest].copy_from_slice(&self.buffer.as_ref()[end..self.filled]);
        let full = mem::replace(&mut self.buffer, next);
        self.filled = rest;
        // Behind the last record's end there is none.
        self.searched = rest;

        let chunk = self.chunk((full, end), end as u64, records, None);
        self.offset += end as u64;
        self.next_record += records as i64;
        chunk
    }

    /// The buffer is full of one record that has not ended: keeps its beginning, reads past the
    /// rest and its newline.
    fn overlong(&mut self, pool: &Pool, capacity: usize, keep_limit: usize) -> Result<Chunk> {
        let mut length = self.filled as u64;
        let mut before_newline = self.buffer.as_ref()[self.filled - 1];
        let next = pool.take(capacity + PADDING);
        let full = mem::replace(&mut self.buffer, next);
        let newline = loop {
            self.filled = 0;
            // One read at a time: the newline may be in it, and a pipe may be slow.
            let read = self.reader.read(&mut self.buffer.as_mut()[..capacity])?;
            let bytes = &mut self.buffer.as_mut()[..read];
            let newline = memchr(b'\n', bytes);
            let skipped = newline.unwrap_or(read);
            length += skipped as u64;
            before_newline = bytes[..skipped].last().copied().unwrap_or(before_newline);
            if newline.is_some() {
                bytes.copy_within(skipped + 1.., 0);
                self.filled = read - skipped - 1;
                break true;
            }
            if read == 0 {
                self.ended = true;
                break false;
            }
        };
        self.searched = 0;

        let line_ending = match (newline, before_newline) {
            (true, b'\r') => 1,
            _ => 0,
        };
        let taken = length + u64::from(newline);
        let chunk = self.chunk((full, keep_limit), taken, 1, Some(length - line_ending));
        self.offset += taken;
        self.next_record += 1;
        Ok(chunk)
    }

    fn chunk(
        &self,
        (mut buffer, len): (PooledBuffer, usize),
        taken: u64,
        records: u64,
        overlong: Option<u64>,
    ) -> Chunk {
        buffer.as_mut()[len..len + PADDING].fill(0);
        buffer.as_mut()[len] = b'\n';
        Chunk {
            bytes: buffer.freeze(len + PADDING),
            len,
            source: self.source,
            header: 0,
            layout: Layout::default(),
            first_record: self.next_record,
            records,
            offset: self.offset,
            taken,
            overlong,
            heads: Arc::default(),
        }
    }
}
