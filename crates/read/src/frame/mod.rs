//! Cuts a decompressed source into buffers of whole records, so that a worker can take one without knowing its
//! neighbours. The kernel needs readable bytes after the last record.
//!
//! A buffer is filled, the format finds the end of the last whole record, the bytes before that end are handed out, and
//! the bytes after it (a part of one record) are copied to the front of the next buffer. A buffer without any record's
//! end is one long record: it grows until the end comes, or until the record is too long to be kept; then the rest of
//! its line is skipped.
//!
//! ```text
//! buffer   | record \n record \n …  record \n | part of a record |  padding   |
//!          0                                 len              filled
//! chunk    | record \n record \n …  record \n | \n, zeros |
//! ```

mod blocks;
mod check_format;
mod document;
mod documents;
mod hole;
mod open;
mod options;
mod parts;

use std::collections::VecDeque;
use std::fmt;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

pub use blocks::Block;
use bytes::Bytes;
pub use check_format::refusal;
use documents::Archive;
use open::Open;
pub use options::ChunkOptions;
use urimill_base::error::Result;
use urimill_base::pool::Pool;
use urimill_columns::batch::{ExtraColumns, Remap};
use urimill_uri::simd::PADDING;

use super::checksums::{Lines, ReadChecksums};
use super::damage::Handling;
use super::decode::Reader;
use super::decode::wacz::Part;
use super::format::framing::{ChunkText, FramedRecord};
use super::format::{BEGINNING, Format, Layout};
use super::given_reader::GivenReader;
use super::last_line::LastLine;
use super::source::Source;

/// More buffers than are in flight at once on most machines; the memory of further ones is returned to the system.
const KEPT_BUFFERS: usize = 64;

const BOM: &[u8; 3] = b"\xef\xbb\xbf";

/// Whole records of one source.
#[derive(Debug, Clone)]
pub struct Chunk {
    /// The records, then [`PADDING`] bytes: a newline, which ends the last record if nothing else does, and zeros. For
    /// a web archive these are the headers of records, without the bytes between them.
    pub bytes: Bytes,
    /// The length of the records' bytes, without the padding. Every record ends with `\n` within
    /// it, except perhaps the last of a source.
    pub len: usize,
    /// Index into the chunker's sources.
    pub source: usize,
    /// The length of the source's header at the beginning, in bytes.
    pub header: usize,
    /// The places of the requested fields in the source's records.
    pub layout: Layout,
    /// 1-based number of the first record in its source. Blank lines count, a header does not.
    pub first_record: i64,
    /// The number of records, blank lines included, without the header.
    pub records: u64,
    /// Offset of `bytes[0]` in the decompressed source, byte-order mark included.
    pub offset: u64,
    /// The length of its text in the decompressed source: `len`, except for a record that is not kept whole.
    pub taken: u64,
    /// `Some(length without line ending)` if the chunk is a single record that is too long to be kept whole; then the
    /// chunk holds its first bytes, and no line ending.
    pub overlong: Option<u64>,
    /// NUL bytes before it, which are no part of its source: see `Open::skip_hole`.
    pub nul_bytes: u64,
    /// The format of its source, if it differs from the chunker's.
    pub(super) format: Option<Arc<Format>>,
    /// The columns of its records' fields, if the table has more columns than its format.
    pub(super) remap: Option<Remap>,
    /// How the last line of a log that may be cut is read.
    pub(super) last_line: LastLine,
    /// Whether it is all of its source, as far as that is known.
    pub is_whole: bool,
    /// The records of a web archive: their parts in the chunk, and their original places.
    pub(super) framed_records: Arc<[FramedRecord]>,
    /// The name of a web archive's file, without folders.
    pub(super) file_name: Option<Arc<[u8]>>,
    /// Whether that is a file in a WACZ file, and the WACZ file is the source.
    pub(super) is_part: bool,
}

impl Chunk {
    /// The format of its records; `all` is that of the chunker.
    pub fn format<'a>(&'a self, all: &'a Format) -> &'a Format {
        self.format.as_deref().unwrap_or(all)
    }

    /// The columns of its records' fields, if the table has more columns than its format.
    pub fn remap(&self) -> Option<&Remap> {
        self.remap.as_ref()
    }

    /// The part that its format reads. Not for a chunk without its whole record ([`Chunk::overlong`]).
    pub fn text(&self) -> ChunkText<'_> {
        ChunkText {
            bytes: &self.bytes,
            len: self.len,
            header: self.header,
            comments: self.comments_before_header(),
            layout: &self.layout,
            last_line: self.last_line,
            framed_records: &self.framed_records,
            file_name: self.file_name.as_deref(),
            first_record: self.first_record,
        }
    }

    /// The name of the web archive in a WACZ file that it is from; `None` if the archive is the source itself.
    pub fn part_name(&self) -> Option<&str> {
        self.file_name.as_deref().filter(|_| self.is_part).and_then(|name| str::from_utf8(name).ok())
    }

    /// The same, as a shared string.
    pub fn part(&self) -> Option<&Arc<[u8]>> {
        self.file_name.as_ref().filter(|_| self.is_part)
    }

    /// The format of its source, if that differs from the format of the run.
    pub fn own_format(&self) -> Option<Arc<Format>> {
        self.format.clone()
    }

    /// The number of comment lines before the header, if it has one.
    pub(super) fn comments_before_header(&self) -> u32 {
        if self.header > 0 { self.layout.comments } else { 0 }
    }

    /// The number of its lines, without the header: the number of records, if no record is longer than a line.
    pub fn line_count(&self, format: &Format) -> u64 {
        if !format.has_quotes() || self.overlong.is_some() {
            return self.records;
        }
        let bytes = &self.bytes[self.header.min(self.len)..self.len];
        let unended = bytes.last().is_some_and(|&last| last != b'\n');
        let before = u64::from(self.comments_before_header());
        before + memchr::memchr_iter(b'\n', bytes).count() as u64 + u64::from(unended)
    }

    /// The contents of the chunk for the checksums: lines, whatever a record is, or one text if it is not a contiguous
    /// part of the source.
    pub fn lines(&self, format: &Format) -> Lines {
        let (mut lines, bytes) = (Lines::default(), &self.bytes[..self.len]);
        match self.overlong.is_some() || format.framing().is_some() {
            true => lines.whole(bytes),
            false => {
                lines.push(bytes);
                lines.end();
            }
        }
        lines
    }
}

/// Turns sources into [`Chunk`]s, in order, or into the rows of tables; [`Chunker::begin`] says which.
pub struct Chunker {
    sources: Vec<Source>,
    options: ChunkOptions,
    /// The format of the options, until the sources decide it.
    format: Format,
    /// Detects the format of each source.
    auto: Option<Format>,
    /// The columns of all sources, if they differ.
    union: Option<ExtraColumns>,
    capacity: usize,
    keep_limit: usize,
    progress: Arc<AtomicU64>,
    pool: Pool,
    next_source: usize,
    current: Option<Open>,
    /// For a source that consists of many files: the remaining ones, and the number of their first record.
    parts: VecDeque<Part>,
    next_record: i64,
}

/// A source whose beginning was read: its number, the beginning, and the rest.
pub(super) type Begun = (usize, Vec<u8>, Reader);

/// The result of [`Chunker::into_table_source`].
pub(super) struct TableSource {
    pub(super) sources: Vec<Source>,
    /// The source whose beginning was examined.
    pub(super) begun: Option<Begun>,
    pub(super) progress: Arc<AtomicU64>,
    pub(super) checksums: Option<Arc<ReadChecksums>>,
    pub(super) memory: usize,
    pub(super) handling: Handling,
}

impl Chunker {
    /// Chunks of `sources`, one after the other; each is opened when its turn comes. `progress` grows by every stored
    /// byte that is read: for a compressed source, the compressed bytes.
    pub fn new(sources: Vec<Source>, mut options: ChunkOptions, progress: Arc<AtomicU64>) -> Self {
        let capacity = options.capacity();
        let largest_kept = capacity.saturating_mul(2).saturating_add(PADDING);
        Chunker {
            sources,
            format: std::mem::take(&mut options.format),
            auto: None,
            union: None,
            capacity,
            keep_limit: options.keep_limit(),
            options,
            progress,
            pool: Pool::new(KEPT_BUFFERS, largest_kept),
            next_source: 0,
            current: None,
            parts: VecDeque::new(),
            next_record: 1,
        }
    }

    /// Chunks of the contents of `reader`, decompressed if they are compressed. Messages and the column `source` call
    /// it `name`.
    pub fn from_reader(
        name: impl Into<String>,
        reader: Box<dyn Read + Send>,
        options: ChunkOptions,
        progress: Arc<AtomicU64>,
    ) -> Self {
        Self::new(vec![Source::Reader(GivenReader::new(name, reader))], options, progress)
    }

    /// Reads records of this format; without it they are lines.
    pub fn with_format(self, format: Format) -> Self {
        Chunker { format, ..self }
    }

    /// The format.
    pub fn format(&self) -> &Format {
        &self.format
    }

    /// How damage is handled.
    fn handling(&self) -> Handling {
        let ChunkOptions { on_damage, damages, .. } = &self.options;
        Handling { on_damage: *on_damage, damages: damages.clone() }
    }

    /// Whether the format of each source is detected.
    pub fn is_detected(&self) -> bool {
        self.auto.is_some()
    }

    /// The sources, which [`Chunk::source`] refers to by number.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The pool of the chunks' buffers.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The input for a reader of tables.
    pub(super) fn into_table_source(mut self) -> TableSource {
        let begun = self.current.take();
        let begun =
            begun.map(|open| (open.source, open.buffer.as_ref()[..open.filled].to_vec(), open.reader));
        let handling = self.handling();
        TableSource {
            sources: self.sources,
            begun,
            progress: self.progress,
            handling,
            checksums: self.options.checksums,
            memory: self.options.memory,
        }
    }

    /// See [`Chunks::next_chunk`](super::Chunks::next_chunk).
    pub(super) fn next_chunk(&mut self) -> Result<Option<Chunk>> {
        let chunk = self.advance();
        if chunk.is_err() {
            self.current = None;
            self.parts.clear();
            self.next_source = self.sources.len();
        }
        if let (Ok(Some(chunk)), Some(digests)) = (&chunk, &self.options.digests) {
            digests.add(chunk.source, chunk.taken, &chunk.bytes[..chunk.len]);
        }
        chunk
    }

    fn advance(&mut self) -> Result<Option<Chunk>> {
        loop {
            if self.current.is_none() && !self.open_next()? {
                return Ok(None);
            }
            self.check_format()?;
            let Some(open) = &mut self.current else { return Ok(None) };
            let name = self.sources[open.source].name();
            let own = open.format.clone();
            let of_source = own.as_deref().unwrap_or(&self.format);
            if let Some((framing, longest, temporary)) = of_source.framing() {
                let (force_format, temporary) = (self.options.force_format, &temporary);
                let archive =
                    Archive { name: &name, format: &self.format, longest, framing, force_format, temporary };
                // The bytes between headers may be anything.
                open.lines = None;
                let mut chunk = open.next_heads(&archive, &self.pool, self.capacity)?;
                if let Some(chunk) = &mut chunk {
                    chunk.format.clone_from(&own);
                    chunk.file_name.clone_from(&open.file_name);
                    chunk.is_part = open.is_part;
                }
                match (&chunk, &self.options.checksums) {
                    (Some(chunk), Some(checksums)) => checksums.read(&chunk.lines(of_source)),
                    (None, _) => self.close(),
                    _ => {}
                }
                if chunk.is_some() {
                    return Ok(chunk);
                }
                continue;
            }
            open.look_at_width(of_source, self.capacity)?;
            let Some(mut chunk) = open.next_chunk(of_source, &self.pool, self.capacity, self.keep_limit)?
            else {
                self.enter();
                self.close();
                continue;
            };
            open.lay_out(&mut chunk, of_source, &name, self.keep_limit)?;
            (chunk.format, chunk.last_line) = (own, self.options.last_line);
            return Ok(Some(chunk));
        }
    }

    /// Ends a source. For an archive the chunks are added to the checksums, because the bytes between them are not
    /// kept.
    fn enter(&mut self) {
        let lines = self.current.as_mut().and_then(|open| open.lines.take());
        let own = self.current.as_ref().and_then(|open| open.format.as_deref());
        let (Some(checksums), Some(lines)) = (&self.options.checksums, lines) else { return };
        match own.unwrap_or(&self.format).is_plain_list() {
            true => checksums.found_lines(&lines),
            false => checksums.read(&lines),
        }
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
