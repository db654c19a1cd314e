//! Sources whose records are not lines: finds the records and gathers the wanted parts of them in chunks. From web
//! archives it gathers the headers. The blocks after these, which are nearly all of an archive, are skipped as they
//! come from the decoder: no chunk holds them.
//!
//! `warc` reads WARC files, `arc` archives of the older format, `digest` the headers of HTTP and digests of payloads,
//! `xml` and `json` documents that are lists of records, `paragraphs` dumps; `scan` is how these three look for the
//! ends of their records. `long_block` has pages and texts that no chunk holds. This file has what all share. A record
//! begins where the one before ends, by its length. If no record begins there, the bytes count as a record of their own
//! with the state `RecordState::Junk`, and the next record is after the next empty line that `WARC/` follows.
//!
//! ```text
//! source   | header | block | \r\n\r\n | header | block | \r\n\r\n | junk | header | block …
//! chunk    | header | beginning of the block, as far as wanted | header | junk, its beginning | header | …
//! ```

mod arc;
mod digest;
pub(crate) mod json;
mod long_block;
mod mailbox;
mod paragraphs;
mod scan;
mod warc;
mod whole;
pub(crate) mod xml;

use std::sync::Arc;

use memchr::{memchr, memchr_iter};
use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;
use urimill_base::pool::{Pool, PooledBuffer};
use urimill_base::temporary::TemporaryPlace;
use urimill_uri::simd::PADDING;

use super::document::WINDOW;
use super::{Chunk, Open};
use crate::damage::OnDamage;
use crate::format::Format;
use crate::format::Layout;
use crate::format::framing::{FramedRecord, Framing, Keeps, RecordState};
use crate::last_line::LastLine;
use digest::PayloadDigest;

/// The number of bytes that are read at once after skipped bytes: the next ones may be skipped, too. It doubles up to
/// `WINDOW`.
const FIRST_WINDOW: usize = 8 << 10;

/// The number of bytes that a chunk holds of a block that begins with `HTTP/` if the status is wanted: version and
/// status.
const STATUS: usize = 24;

/// The same if fields of the response's header are wanted, at most.
const HTTP_HEADER: usize = 32 << 10;

/// The longest JSON block that a chunk holds whole.
const LONGEST_JSON: usize = 16 << 20;

/// The longest block that a chunk holds whole if blocks are wanted.
const LONGEST_BLOCK: usize = 16 << 20;

/// At most this many bytes of the junk between records are kept, all from its first line.
const JUNK: usize = 1024;

/// The facts that the walk needs about a source.
pub(super) struct Archive<'a> {
    pub(super) name: &'a str,
    /// The format that its records are read in.
    pub(super) format: &'a Format,
    /// The longest header.
    pub(super) longest: usize,
    pub(super) framing: Framing,
    /// Whether it is an archive even if it begins with something else.
    pub(super) force_format: bool,
    /// The folder of long blocks.
    pub(super) temporary: &'a TemporaryPlace,
}

impl Open {
    /// The next headers; `None` at the end of the source.
    pub(super) fn next_heads(
        &mut self,
        archive: &Archive<'_>,
        pool: &Pool,
        capacity: usize,
    ) -> Result<Option<Chunk>> {
        loop {
            if let Some(chunk) = self.heads_before_end(archive, pool, capacity)? {
                return Ok(Some(chunk));
            }
            // It is unknown where in a document the rest begins.
            if matches!(archive.framing, Framing::Xml(_) | Framing::Json(..)) {
                self.handling.on_damage = self.handling.on_damage.min(OnDamage::Keep);
            }
            if !self.resume()? {
                return Ok(None);
            }
        }
    }

    /// The next headers; `None` at the end, or at damage.
    fn heads_before_end(
        &mut self,
        archive: &Archive<'_>,
        pool: &Pool,
        capacity: usize,
    ) -> Result<Option<Chunk>> {
        self.buffer.grow(WINDOW + PADDING);
        let (first_offset, first_record) = (self.offset, self.next_record);
        let out = pool.take(capacity + PADDING);
        let mut walk =
            RecordWalk { open: self, archive, capacity, at: 0, out, len: 0, framed_records: Vec::new() };
        while walk.record().or_else(|error| walk.bear(error))? {}
        walk.compact();
        let RecordWalk { mut out, len, framed_records, .. } = walk;
        let taken = self.offset - first_offset;
        if taken == 0 {
            return Ok(None);
        }
        self.next_record += framed_records.len() as i64;
        out.as_mut()[len..len + PADDING].fill(0);
        out.as_mut()[len] = b'\n';
        Ok(Some(Chunk {
            nul_bytes: std::mem::take(&mut self.nul_bytes),
            bytes: out.freeze(len + PADDING),
            len,
            source: self.source,
            header: 0,
            layout: Layout::default(),
            first_record,
            records: framed_records.len() as u64,
            offset: first_offset,
            taken,
            overlong: None,
            format: None,
            remap: self.remap.clone(),
            last_line: LastLine::default(),
            is_whole: first_record == 1
                && self.ended
                && self.filled == 0
                && self.damaged.is_none()
                && !self.is_part,
            framed_records: framed_records.into(),
            file_name: None,
            is_part: false,
        }))
    }
}

/// The walk through a source, for one chunk.
struct RecordWalk<'a> {
    /// The source; its buffer holds the bytes at hand.
    open: &'a mut Open,
    archive: &'a Archive<'a>,
    capacity: usize,
    /// The number of bytes of the buffer that are finished.
    at: usize,
    out: PooledBuffer,
    len: usize,
    framed_records: Vec<FramedRecord>,
}

impl RecordWalk<'_> {
    /// Reads one record; false if the chunk is full or the source ends.
    fn record(&mut self) -> Result<bool> {
        match self.archive.framing {
            Framing::Warc(keeps) => self.warc_record(keeps),
            Framing::Arc(keeps) => self.arc_record(keeps),
            Framing::Xml(roots) => self.element(roots),
            Framing::Json(path, has_lines) => self.item(path, has_lines),
            Framing::Paragraphs => self.paragraph(),
            Framing::Mailbox => self.message(),
            Framing::Whole(keeps) => self.whole(keeps),
        }
    }

    /// Skips the block of the record whose header was kept.
    fn rest_of_record(&mut self, found: &Found, length: u64, begin: u64, keeps: Keeps) -> Result<()> {
        let before = (self.len - found.kept - usize::from(found.gap), self.framed_records.len() - 1);
        self.block(length, begin, keeps).inspect_err(|_| {
            // A record that is cut off does not count.
            self.len = before.0;
            self.framed_records.truncate(before.1);
        })?;
        let stored = (!self.open.reader.is_compressed()).then(|| self.position() - begin);
        if let Some(head) = self.framed_records.last_mut() {
            head.stored_len = stored;
        }
        Ok(())
    }

    /// Damage: drops the rest of the record; the records end here for now.
    fn bear(&mut self, error: Error) -> Result<bool> {
        self.open.bear(error)?;
        let left_out = self.open.filled - self.at;
        self.at = self.open.filled;
        if let Some(number) = self.open.damaged {
            self.open.handling.damages.update(number, |damage| damage.left_out += left_out as u64);
        }
        Ok(false)
    }

    /// The bytes that begin here and are not a record.
    fn junk(&mut self) -> Result<Found> {
        self.reach(JUNK)?;
        let most = &self.ahead()[..self.ahead().len().min(JUNK)];
        let line = memchr(b'\n', most).map_or(most, |newline| &most[..newline]);
        let kept = line.trim_ascii_end().len().max(1);
        Ok(Found { kept, gap: 0, end: 0, block: None, whole: RecordState::Junk })
    }

    /// Sets the stored length of the last record in a compressed file, once the next one or the end is known.
    fn measure_last(&mut self, goes_on: bool) {
        let place = self.position();
        let Some(FramedRecord { stored: Some(begin), stored_len: stored_len @ None, .. }) =
            self.framed_records.last_mut()
        else {
            return;
        };
        let end = match goes_on {
            true => self.open.reader.stored_at(place),
            false => self.open.reader.stored_end().filter(|_| self.open.damaged.is_none()),
        };
        *stored_len = end.map(|end| end - *begin);
    }

    /// Takes the kept parts of a record into the chunk.
    fn keep(&mut self, found: &Found, offset: u64, stored: Option<u64>) {
        let (from, kept) = (self.at, found.kept + usize::from(found.gap));
        self.out.grow(self.len + kept + PADDING);
        let text = &self.open.buffer.as_ref()[from..from + kept];
        self.out.as_mut()[self.len..][..kept].copy_from_slice(text);
        let (start, len) = (self.len as u32, found.kept as u32);
        let (gap, whole) = (found.gap, found.whole);
        let (block, is_cut, stored_len, digest, long_block) = (0, false, None, None, None);
        self.framed_records.push(FramedRecord {
            start,
            len,
            gap,
            block,
            is_cut,
            long_block,
            offset,
            stored,
            stored_len,
            digest,
            whole,
            bases: self.open.document.bases_around(),
            members: self.open.document.members.clone(),
        });
        self.len += kept;
    }

    /// Skips a block, and keeps the wanted part of it.
    fn block(&mut self, length: u64, begin: u64, keeps: Keeps) -> Result<()> {
        let mut wanted = self.wanted_of_block(length, keeps)?;
        let mut long_block = self.long_block(&mut wanted, length, keeps)?;
        let is_index = matches!(keeps, Keeps::Index { .. });
        let mut digest = is_index.then(|| self.payload_digest(wanted)).flatten();
        if keeps == (Keeps::Index { posts: true }) {
            wanted += self.wanted_of_request(length, wanted);
        }
        self.out.grow(self.len + wanted + PADDING);
        let mut left = length;
        while left > 0 {
            let is_needed = wanted > 0 || digest.is_some() || long_block.is_some();
            if !is_needed && self.at == self.open.filled {
                if self.skip_member(left) {
                    break;
                }
                left -= self.skip(left)?;
            }
            if !self.reach(1)? {
                return Err(self.truncated(begin));
            }
            let step = usize::try_from(left).unwrap_or(usize::MAX).min(self.ahead().len());
            let kept = step.min(wanted);
            if kept > 0 {
                let bytes = &self.open.buffer.as_ref()[self.at..self.at + kept];
                self.out.as_mut()[self.len..][..kept].copy_from_slice(bytes);
                self.len += kept;
                wanted -= kept;
                if let Some(head) = self.framed_records.last_mut() {
                    head.block += kept as u32;
                }
            }
            if let Some(digest) = &mut digest {
                digest.update(&self.open.buffer.as_ref()[self.at..self.at + step]);
            }
            if let Some(long_block) = &mut long_block {
                long_block.push(&self.open.buffer.as_ref()[self.at..self.at + step])?;
            }
            self.at += step;
            left -= step as u64;
        }
        if let Some(head) = self.framed_records.last_mut() {
            head.digest = digest.map(PayloadDigest::finish);
            head.is_cut &= long_block.is_none();
            head.long_block = long_block.map(Arc::new);
        }
        Ok(())
    }

    /// The number of bytes of the block that begins here and that the chunk is to hold.
    fn wanted_of_block(&mut self, length: u64, keeps: Keeps) -> Result<usize> {
        if matches!(keeps, Keeps::Index { .. }) {
            return self.wanted_of_http(length);
        }
        let most = match keeps {
            Keeps::Status => STATUS,
            Keeps::HttpHeader | Keeps::Index { .. } => HTTP_HEADER,
            Keeps::Json => LONGEST_JSON,
            Keeps::Block | Keeps::Page | Keeps::Text => LONGEST_BLOCK,
        };
        let whole = usize::try_from(length).unwrap_or(usize::MAX);
        let most = whole.min(most);
        self.reach(most.min(HTTP_HEADER))?;
        let seen = self.ahead();
        let seen = &seen[..seen.len().min(most)];
        let (wanted, is_cut) = match keeps {
            Keeps::Block | Keeps::Page | Keeps::Text => (most, most < whole),
            Keeps::Json if seen.trim_ascii_start().starts_with(b"{") => (most, most < whole),
            Keeps::Json => (0, false),
            _ if !seen.starts_with(b"HTTP/") => (0, false),
            Keeps::Status => (seen.len(), false),
            Keeps::HttpHeader | Keeps::Index { .. } => match header_end(seen, 0) {
                Some((_, end)) => (end, false),
                None => (seen.len(), seen.len() < whole),
            },
        };
        if let Some(head) = self.framed_records.last_mut() {
            head.is_cut = is_cut;
        }
        Ok(wanted)
    }

    fn pass_line_ends(&mut self) -> Result<()> {
        while self.reach(1)? {
            let count = self.ahead().iter().take_while(|&&b| matches!(b, b'\r' | b'\n')).count();
            self.at += count;
            if self.at < self.open.filled {
                break;
            }
        }
        Ok(())
    }

    /// The bytes at hand from here on.
    fn ahead(&self) -> &[u8] {
        &self.open.buffer.as_ref()[self.at..self.open.filled]
    }

    /// The place in the decompressed source.
    fn position(&self) -> u64 {
        self.open.offset + self.at as u64
    }

    /// Reads until at least `n` bytes are at hand; false if fewer are left.
    fn reach(&mut self, n: usize) -> Result<bool> {
        if self.ahead().len() < n && !self.open.ended {
            self.compact();
            self.open.buffer.grow(n + PADDING);
            let window = self.open.window;
            self.open.window = WINDOW.min(2 * window);
            self.open.fill(n.max(window))?;
        }
        Ok(self.ahead().len() >= n)
    }

    /// Skips bytes of a block that nobody reads, after the bytes at hand; `left` bytes of the block are left. Never
    /// skips the last one: its presence shows that the record is whole. Returns the number of bytes skipped.
    fn skip(&mut self, left: u64) -> Result<u64> {
        self.compact();
        let skipped = self.open.reader.skip(left - 1)?;
        if skipped > 0 {
            self.open.offset += skipped;
            self.open.window = FIRST_WINDOW;
        }
        Ok(skipped)
    }

    /// Skips the `left` bytes of a block that nobody reads, and the line ends after it, without decompressing them, if
    /// a compressed record ends there; returns whether it did.
    fn skip_member(&mut self, left: u64) -> bool {
        let line_ends = if matches!(self.archive.framing, Framing::Arc(_)) { 1 } else { 4 };
        let rest = left.saturating_add(line_ends);
        self.compact();
        let skipped = self.open.reader.skip_member(rest);
        if skipped {
            self.open.offset += rest;
            self.open.window = FIRST_WINDOW;
        }
        skipped
    }

    /// Drops the bytes that are finished.
    fn compact(&mut self) {
        let Open { buffer, filled, offset, reader, .. } = &mut *self.open;
        buffer.as_mut().copy_within(self.at..*filled, 0);
        *filled -= self.at;
        *offset += self.at as u64;
        self.at = 0;
        reader.pass(*offset);
    }

    fn truncated(&self, begin: u64) -> Error {
        let end = self.open.offset + self.open.filled as u64;
        let of = if self.open.reader.is_compressed() { " of the decompressed bytes" } else { "" };
        let kind = if matches!(self.archive.framing, Framing::Arc(_)) { "ARC" } else { "WARC" };
        let what = format_args!("the {kind} record that begins at byte {begin}{of} is truncated");
        Error::data(self.archive.name, end, what)
    }

    fn no_archive(&self, kind: &str) -> Error {
        // Runs that read pages, texts or the index of an archive take nothing else for an archive.
        let insisting = match self.archive.framing {
            Framing::Warc(Keeps::Index { .. } | Keeps::Page | Keeps::Text)
            | Framing::Arc(Keeps::Index { .. } | Keeps::Page | Keeps::Text) => String::new(),
            _ => format!(", or insist with {}", OptionName::OnInvalid.with_any(&["keep", "reject"])),
        };
        Error::usage(format!(
            "{} is not {kind}, it begins with {:?}: check {}{insisting}",
            self.archive.name,
            self.beginning(),
            OptionName::Format.named(),
        ))
    }

    /// The bytes at hand, for a sentence.
    fn beginning(&self) -> String {
        let text: Vec<u8> = self.ahead().iter().take(60).take_while(|&&b| b != b'\n').copied().collect();
        String::from_utf8_lossy(&text).into_owned()
    }
}

/// The lengths of the parts of a record.
struct Found {
    /// The number of bytes that are kept.
    kept: usize,
    /// The number of bytes of an empty line after them that are kept, too.
    gap: u8,
    /// The number of bytes that are known to belong to it.
    end: usize,
    /// The length of the block after them, or `None` if the next record has to be searched.
    block: Option<u64>,
    whole: RecordState,
}

impl Found {
    /// The number of bytes of the record's block that a chunk will hold, if that is much.
    fn wanted(&self, keeps: Keeps) -> usize {
        match (keeps, self.block) {
            (Keeps::Block | Keeps::Page | Keeps::Text, Some(length)) => {
                usize::try_from(length).unwrap_or(usize::MAX).min(LONGEST_BLOCK)
            }
            (Keeps::Json, Some(length)) => usize::try_from(length).unwrap_or(usize::MAX).min(LONGEST_JSON),
            _ => 0,
        }
    }

    /// A record that is kept as it is.
    fn whole(len: usize) -> Found {
        Found { kept: len, gap: 0, end: len, block: None, whole: RecordState::Yes }
    }

    /// The kept part of a header that is too long: one byte more than the longest.
    fn beginning(longest: usize) -> Found {
        Found { kept: longest + 1, gap: 0, end: longest + 1, block: None, whole: RecordState::Beginning }
    }
}

/// The end of a header's text, and the end of the empty line after it.
fn header_end(bytes: &[u8], searched: usize) -> Option<(usize, usize)> {
    memchr_iter(b'\n', &bytes[searched..]).find_map(|newline| {
        let newline = searched + newline;
        let behind = match &bytes[newline + 1..] {
            [b'\n', ..] => newline + 2,
            [b'\r', b'\n', ..] => newline + 3,
            _ => return None,
        };
        Some((newline - usize::from(bytes[..newline].ends_with(b"\r")), behind))
    })
}
