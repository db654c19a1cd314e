//! The records of ARC files: a line that gives the length of the block after it.

use memchr::memchr;
use urimill_base::error::Result;

use super::{Found, JUNK, Keeps, RecordState, RecordWalk};
use crate::format::headers::arc;

/// The number of bytes that show the scheme with which a header begins.
const SCHEME: usize = 16;

impl RecordWalk<'_> {
    /// Reads one record; false if the chunk is full or the source ends.
    pub(super) fn arc_record(&mut self, keeps: Keeps) -> Result<bool> {
        self.pass_line_ends()?;
        let goes_on = self.reach(1)?;
        self.measure_last(goes_on);
        if !goes_on {
            return Ok(false);
        }
        let is_first = self.open.next_record == 1 && self.framed_records.is_empty();
        if is_first
            && !self.archive.force_format
            && !(self.reach(arc::MAGIC.len())? && self.ahead().starts_with(arc::MAGIC))
        {
            return Err(self.no_archive("an ARC file"));
        }
        let begin = self.position();
        let is_header = !self.open.runs_on || self.reach(SCHEME)? && arc::begins(self.ahead());
        let found = if is_header { self.arc_header()? } else { self.junk()? };
        if self.len > 0 && self.len + found.kept + found.wanted(keeps) > self.capacity {
            return Ok(false);
        }
        let stored = self.open.reader.stored_at(begin);
        self.keep(&found, begin, stored);
        self.at += found.end;
        self.open.runs_on = false;
        match found.block {
            Some(length) => {
                self.rest_of_record(&found, length, begin, keeps)?;
                self.open.runs_on = self.reach(1)? && !self.is_behind_record();
            }
            None => self.next_header()?,
        }
        Ok(true)
    }

    /// Whether a record may have ended here: a line end follows, or bytes that were compressed on their own. Otherwise
    /// the length is wrong, and the rest of the block, or of the next header, would be taken for a header.
    fn is_behind_record(&mut self) -> bool {
        let place = self.position();
        let is_member = self.open.reader.is_compressed() && self.open.reader.stored_at(place).is_some();
        is_member || matches!(self.ahead()[0], b'\r' | b'\n')
    }

    fn arc_header(&mut self) -> Result<Found> {
        let longest = self.archive.longest;
        let newline = self.line()?;
        let line = &self.ahead()[..newline.unwrap_or(self.ahead().len())];
        if line.len() > longest {
            return Ok(Found::beginning(longest));
        }
        let text = line.strip_suffix(b"\r").unwrap_or(line);
        let length = newline.and_then(|_| arc::Header::of(text).ok()).map(|header| header.length);
        match length {
            Some(length) => {
                let gap = (line.len() + 1 - text.len()) as u8;
                Ok(Found {
                    kept: text.len(),
                    gap,
                    end: line.len() + 1,
                    block: Some(length),
                    whole: RecordState::Yes,
                })
            }
            None => self.junk(),
        }
    }

    /// Reads the line that begins here, up to the longest header; returns where it ends.
    fn line(&mut self) -> Result<Option<usize>> {
        let mut searched = 0;
        loop {
            if let Some(newline) = memchr(b'\n', &self.ahead()[searched..]) {
                return Ok(Some(searched + newline));
            }
            searched = self.ahead().len();
            let is_long = searched > self.archive.longest;
            if is_long || !self.reach(2 * searched + JUNK)? && self.ahead().len() == searched {
                return Ok(None);
            }
        }
    }

    /// Skips to the next line that is a header, or to the end.
    fn next_header(&mut self) -> Result<()> {
        loop {
            let mut scan = self.scan();
            if !self.search(&mut scan, 0, |bytes| memchr(b'\n', bytes))? {
                self.at = self.open.filled;
                return Ok(());
            }
            self.at += scan.at + 1;
            let Some(newline) = self.line()? else { continue };
            let line = &self.ahead()[..newline];
            if arc::Header::of(line.strip_suffix(b"\r").unwrap_or(line)).is_ok() {
                return Ok(());
            }
        }
    }
}
