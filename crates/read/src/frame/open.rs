//! The source that a chunker is reading: its buffer is filled, cut at the end of the last whole record, and handed out.

use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use memchr::memchr;
use urimill_base::error::{Error, Result};
use urimill_base::pool::{Pool, PooledBuffer};
use urimill_base::timing;
use urimill_base::timing::Step;
use urimill_columns::batch::Remap;
use urimill_uri::simd::PADDING;

use super::document::{Document, Place, WINDOW};
use super::{BOM, Chunk};
use crate::checksums::Lines;
use crate::damage::{Handling, OnDamage};
use crate::decode::Reader;
use crate::format::{BEGINNING, Beginning, Behind, Cut, First, Format, Layout, Resumed};
use crate::last_line::LastLine;

/// The source being read.
pub(super) struct Open {
    pub(super) reader: Reader,
    pub(super) source: usize,
    pub(super) buffer: PooledBuffer,
    pub(super) filled: usize,
    /// The length of the part of `buffer` that is known to contain no end of a record.
    pub(super) searched: usize,
    /// The lines that were read, if the run is verified.
    pub(super) lines: Option<Lines>,
    /// Known from the source's first record on.
    pub(super) layout: Option<Layout>,
    /// The number of fields that its first records agree on, once it was counted; 0 if they do not agree.
    pub(super) width: Option<usize>,
    pub(super) offset: u64,
    /// The number of NUL bytes that were skipped since the last chunk.
    pub(super) nul_bytes: u64,
    pub(super) next_record: i64,
    pub(super) ended: bool,
    /// How to handle damage, and the number of the one that ended it.
    pub(super) handling: Handling,
    pub(super) damaged: Option<usize>,
    /// Its name in messages.
    pub(super) name: String,
    /// The name of its file, without folders.
    pub(super) file_name: Option<Arc<[u8]>>,
    /// Whether its beginning has been checked.
    pub(super) is_checked: bool,
    /// Its format, if it differs from the chunker's.
    pub(super) format: Option<Arc<Format>>,
    /// Whether it is one of several files that are one source.
    pub(super) is_part: bool,
    /// The place of the walk through a document.
    pub(super) document: Document,
    pub(super) json: Place,
    /// For an ARC file: whether the last record ended at a place where none can end.
    pub(super) runs_on: bool,
    /// For documents and archives: the number of bytes that are read at once.
    pub(super) window: usize,
    /// The columns of its fields, if the table has more.
    pub(super) remap: Option<Remap>,
    /// Whether a reader waits for its rows.
    pub(super) is_live: bool,
    /// The arrival of the first line that was not handed out, if a reader waits for it.
    pub(super) waits: Option<Instant>,
}

/// Reads the beginning of a source whose format is known: the bytes that come in time, with chunks of this many bytes.
struct InTime<'a>(&'a mut Open, usize);

impl Beginning for InTime<'_> {
    fn first(&mut self) -> Result<First<'_>> {
        let InTime(open, capacity) = self;
        open.fill_beginning_in_time(*capacity)?;
        let bytes = &open.buffer.as_ref()[..open.filled.min(BEGINNING)];
        let is_whole = open.ended && bytes.len() == open.filled;
        Ok(First { bytes, source: (&*open.name).into(), is_whole, is_forced: false })
    }
}

/// How long a line waits for others if a reader waits for its row: while nothing comes, and while more comes.
const PAUSE: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_millis(500);

impl Open {
    pub(super) fn new(reader: Reader, (source, name): (usize, String), buffer: PooledBuffer) -> Open {
        Open {
            reader,
            source,
            buffer,
            filled: 0,
            searched: 0,
            lines: None,
            layout: None,
            width: None,
            offset: 0,
            nul_bytes: 0,
            next_record: 1,
            ended: false,
            handling: Handling::default(),
            damaged: None,
            name,
            file_name: None,
            is_checked: false,
            format: None,
            is_part: false,
            document: Document::default(),
            json: Place::default(),
            runs_on: false,
            window: WINDOW,
            remap: None,
            is_live: false,
            waits: None,
        }
    }

    /// Reads the longest beginning that a format may need, whatever the size of chunks.
    pub(super) fn fill_beginning(&mut self, capacity: usize) -> Result<()> {
        let limit = capacity.max(BEGINNING);
        self.buffer.grow(limit + PADDING);
        self.fill(limit)
    }

    /// The same, if the format is known: the bytes that come in time.
    pub(super) fn fill_beginning_in_time(&mut self, capacity: usize) -> Result<()> {
        let limit = capacity.max(BEGINNING);
        self.buffer.grow(limit + PADDING);
        self.fill_in_time(limit).map(drop)
    }

    pub(super) fn skip_bom(&mut self) -> Result<()> {
        self.fill(BOM.len())?;
        if self.buffer.as_ref()[..self.filled] == *BOM {
            self.offset = BOM.len() as u64;
            self.filled = 0;
            self.lines.iter_mut().for_each(Lines::forget);
        }
        Ok(())
    }

    /// Reads until `limit` bytes are there or the source ends.
    pub(super) fn fill(&mut self, limit: usize) -> Result<()> {
        while self.filled < limit && !self.ended {
            self.read(limit)?;
        }
        Ok(())
    }

    /// Reads once.
    pub(super) fn read(&mut self, limit: usize) -> Result<()> {
        let reads = timing::step(Step::Read);
        let read = self.reader.read(&mut self.buffer.as_mut()[self.filled..limit]);
        drop(reads);
        let read = read.or_else(|error| self.bear(error).map(|()| 0))?;
        if let Some(lines) = &mut self.lines {
            lines.push(&self.buffer.as_ref()[self.filled..][..read]);
        }
        self.filled += read;
        self.ended = read == 0;
        if self.ended {
            self.lines.iter_mut().for_each(Lines::end);
        }
        Ok(())
    }

    /// The same as [`fill`](Self::fill), but if a reader waits for the rows, a line does not wait long for others.
    /// Returns whether more may come.
    pub(super) fn fill_in_time(&mut self, limit: usize) -> Result<bool> {
        if !self.is_live {
            return self.fill(limit).map(|()| false);
        }
        while self.filled < limit && !self.ended {
            if memchr(b'\n', &self.buffer.as_ref()[self.searched..self.filled]).is_some() {
                let waits = self.waits.get_or_insert_with(Instant::now).elapsed();
                let left = LONGEST_WAIT.saturating_sub(waits);
                if left.is_zero() || !self.reader.is_ready(left.min(PAUSE)) {
                    return Ok(true);
                }
            }
            self.read(limit)?;
        }
        Ok(false)
    }

    /// Finds the number of fields that the first records agree on, if no header gives it.
    pub(super) fn look_at_width(&mut self, format: &Format, capacity: usize) -> Result<()> {
        if self.layout.is_none() && self.width.is_none() {
            self.width = format.width(&mut InTime(self, capacity))?;
        }
        Ok(())
    }

    /// Derives the layout of the other records from a source's first one.
    pub(super) fn lay_out(
        &mut self,
        chunk: &mut Chunk,
        format: &Format,
        name: &str,
        keep_limit: usize,
    ) -> Result<()> {
        if let Some(layout) = &mut self.layout {
            chunk.layout.clone_from(layout);
            if let Some(next) = format.reopen(&chunk.bytes[..chunk.len], layout) {
                *layout = next;
            }
            return Ok(());
        }
        if chunk.overlong.is_none() && format.is_comments(&chunk.bytes[..chunk.len]) {
            // The deciding part follows.
            return Ok(());
        }
        if chunk.overlong.is_some() && format.has_header() {
            return Err(Error::usage(format!(
                "the header of {name} is longer than {keep_limit} bytes: is it a header?"
            )));
        }
        (chunk.layout, chunk.header) = format.open(&chunk.bytes[..chunk.len], name)?;
        if let Some(width) = self.width {
            chunk.layout.limit_fields(width);
        }
        if chunk.header > 0 {
            chunk.records -= 1;
            self.next_record -= 1;
        }
        let next = format.reopen(&chunk.bytes[..chunk.len], &chunk.layout);
        self.layout = Some(next.unwrap_or_else(|| chunk.layout.clone()));
        Ok(())
    }

    /// Records damage, which ends the readable bytes for now, if the caller accepts it.
    pub(super) fn bear(&mut self, error: Error) -> Result<()> {
        if !self.handling.takes(&error) {
            return Err(error);
        }
        // A truncated record is not reported besides the damage that truncates it.
        if self.damaged.is_none() {
            self.damaged = Some(self.handling.damages.add(&self.name, &error, self.reader.is_unsure()));
        }
        self.ended = true;
        Ok(())
    }

    /// At damage, after all whole records before it were handed out: drops the truncated one, and continues after it if
    /// the caller wants that and something follows.
    pub(super) fn resume(&mut self) -> Result<bool> {
        let Some(number) = self.damaged.take() else { return Ok(false) };
        if let Some(lines) = &mut self.lines {
            lines.take_back(&self.buffer.as_ref()[..self.filled]);
        }
        let (records, left_out) = (self.next_record as u64 - 1, self.filled as u64);
        self.offset += left_out;
        (self.filled, self.searched) = (0, 0);
        self.handling.damages.update(number, |damage| {
            (damage.records, damage.left_out) = (records, damage.left_out + left_out);
        });
        if self.handling.on_damage != OnDamage::Skip {
            return Ok(false);
        }
        let resumed = self.reader.resume()?;
        self.handling.damages.update(number, |damage| damage.resumed = resumed);
        self.ended = resumed.is_none();
        Ok(resumed.is_some())
    }

    /// Skips the line in which a member begins, which may lack its beginning.
    fn pass_line(&mut self, capacity: usize) -> Result<()> {
        loop {
            self.fill(capacity)?;
            let newline = memchr(b'\n', &self.buffer.as_ref()[..self.filled]);
            let passed = newline.map_or(self.filled, |newline| newline + 1);
            self.leave_out(passed);
            if newline.is_some() || self.ended {
                return Ok(());
            }
        }
    }

    /// The next chunk; `None` at the end of the source.
    pub(super) fn next_chunk(
        &mut self,
        format: &Format,
        pool: &Pool,
        capacity: usize,
        keep_limit: usize,
    ) -> Result<Option<Chunk>> {
        loop {
            if let Some(chunk) = self.chunk_before_end(format, pool, capacity, keep_limit)? {
                return Ok(Some(chunk));
            }
            // Without its header the fields of the rest are unknown.
            if self.layout.is_none() && !format.is_lines() {
                self.handling.on_damage = OnDamage::Keep;
            }
            let damage = self.damaged;
            if !self.resume()? {
                return Ok(None);
            }
            self.pass_line(capacity)?;
            if let (true, Some(damage)) = (format.has_quotes(), damage) {
                self.pass_quotes(format, capacity, damage)?;
            }
        }
    }

    /// Skips text between quotes that were opened in the lost part, as far as the numbers of fields show.
    fn pass_quotes(&mut self, format: &Format, capacity: usize, damage: usize) -> Result<()> {
        let fields = self.layout.as_ref().map_or(0, |layout| layout.fields);
        let limit = capacity.max(BEGINNING);
        self.buffer.grow(limit + PADDING);
        loop {
            self.fill(limit)?;
            let bytes = &self.buffer.as_ref()[..self.filled];
            let found = format.resume(bytes, fields, self.ended);
            // If this much does not decide it, it is skipped too.
            let passed = match found {
                Resumed::At(at) => at,
                Resumed::Behind(0) => self.filled,
                Resumed::Behind(at) => at,
            };
            self.leave_out(passed);
            self.handling.damages.update(damage, |damage| damage.left_out += passed as u64);
            if matches!(found, Resumed::At(_)) || self.ended && self.filled == 0 {
                return Ok(());
            }
        }
    }

    /// Drops bytes at the beginning of the buffer.
    pub(super) fn leave_out(&mut self, count: usize) {
        if let Some(lines) = &mut self.lines {
            lines.take_back(&self.buffer.as_ref()[..self.filled]);
            lines.push(&self.buffer.as_ref()[count..self.filled]);
            if self.ended {
                lines.end();
            }
        }
        self.buffer.as_mut().copy_within(count..self.filled, 0);
        self.filled -= count;
        self.offset += count as u64;
    }

    fn chunk_before_end(
        &mut self,
        format: &Format,
        pool: &Pool,
        capacity: usize,
        keep_limit: usize,
    ) -> Result<Option<Chunk>> {
        // One byte more than is kept: it is the record's newline, or shows that there is none.
        let largest = keep_limit.saturating_add(1);
        // Bytes read ahead to see the beginning are cut as if they had come piece by piece.
        if self.filled > capacity
            && let Some(cut) = format.cut(&self.buffer.as_ref()[..capacity], 0, Behind::More)
        {
            let chunk = self.cut(cut, pool, capacity);
            self.searched = 0;
            return Ok(Some(chunk));
        }
        let mut limit = capacity.max(self.filled);
        loop {
            let is_in_part = self.fill_in_time(limit)?;
            if self.ended && self.damaged.is_some() {
                let whole = format.cut(&self.buffer.as_ref()[..self.filled], self.searched, Behind::More);
                return Ok(whole.map(|cut| self.cut(cut, pool, capacity)));
            }
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
            if is_in_part {
                continue;
            }
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
        // There is none after the last record's end.
        self.searched = rest;
        self.waits = None;

        let chunk = self.chunk((full, end), end as u64, records, None);
        self.offset += end as u64;
        self.next_record += records as i64;
        chunk
    }

    /// The buffer is full of one unfinished record: keeps its beginning, and skips the rest and its newline.
    fn overlong(&mut self, pool: &Pool, capacity: usize, keep_limit: usize) -> Result<Chunk> {
        if let Some(lines) = &mut self.lines {
            lines.take_back(&self.buffer.as_ref()[..self.filled]);
        }
        let mut length = self.filled as u64;
        let mut before_newline = self.buffer.as_ref()[self.filled - 1];
        let next = pool.take(capacity + PADDING);
        let full = mem::replace(&mut self.buffer, next);
        let newline = loop {
            self.filled = 0;
            // One read at a time: it may contain the newline, and a pipe may be slow.
            let read = self.reader.read(&mut self.buffer.as_mut()[..capacity]);
            let read = read.or_else(|error| self.bear(error).map(|()| 0))?;
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
        if let Some(lines) = &mut self.lines {
            lines.whole(&chunk.bytes[..chunk.len]);
            lines.push(&self.buffer.as_ref()[..self.filled]);
        }
        Ok(chunk)
    }

    fn chunk(
        &mut self,
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
            nul_bytes: mem::take(&mut self.nul_bytes),
            format: None,
            remap: self.remap.clone(),
            last_line: LastLine::default(),
            is_whole: self.next_record == 1 && self.ended && self.damaged.is_none() && self.filled == 0,
            framed_records: Arc::default(),
            file_name: None,
            is_part: false,
        }
    }
}
