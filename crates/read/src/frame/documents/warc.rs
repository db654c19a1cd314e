//! The records of WARC files: a header, and a block whose length the header gives.

use memchr::memmem::Finder;
use urimill_base::error::Result;

use super::{Found, Keeps, RecordState, RecordWalk, header_end};
use crate::format::headers::warc::{MAGIC, block_length};

impl RecordWalk<'_> {
    /// Reads one record; false if the chunk is full or the source ends.
    pub(super) fn warc_record(&mut self, keeps: Keeps) -> Result<bool> {
        self.pass_line_ends()?;
        let goes_on = self.reach(1)?;
        self.measure_last(goes_on);
        if !goes_on {
            return Ok(false);
        }
        let is_record = self.reach(MAGIC.len())? && self.ahead().starts_with(MAGIC);
        let is_first = self.open.next_record == 1 && self.framed_records.is_empty();
        if !is_record && is_first && !self.archive.force_format {
            return Err(self.no_archive("a WARC file"));
        }
        let begin = self.position();
        let found = if is_record { self.header()? } else { self.junk()? };
        let is_full = self.len > 0 && self.len + found.kept + found.wanted(keeps) > self.capacity;
        let is_pair =
            || keeps == Keeps::Index { posts: true } && self.goes_with_last(&self.ahead()[..found.kept]);
        if is_full && !is_pair() {
            return Ok(false);
        }
        let stored = self.open.reader.stored_at(begin);
        self.keep(&found, begin, stored);
        self.at += found.end;
        match found.block {
            Some(length) => self.rest_of_record(&found, length, begin, keeps)?,
            None => self.resynchronize()?,
        }
        Ok(true)
    }

    /// The record that begins here.
    fn header(&mut self) -> Result<Found> {
        let longest = self.archive.longest;
        let mut searched = 0;
        let (text, end) = loop {
            match header_end(self.ahead(), searched) {
                Some(ends) => break ends,
                None if self.ahead().len() > longest => {
                    return Ok(Found::beginning(longest));
                }
                None => {
                    // The line ends of the empty line may not all be there.
                    searched = self.ahead().len().saturating_sub(2);
                    let more = self.ahead().len() + self.open.window.max(self.ahead().len()).min(longest);
                    let before = self.ahead().len();
                    if !self.reach(more)? && self.ahead().len() == before {
                        return Err(self.truncated(self.position()));
                    }
                }
            }
        };
        Ok(match block_length(&self.ahead()[..text]) {
            _ if text > longest => Found::beginning(longest),
            Ok(length) => {
                let gap = (end - text) as u8;
                Found { kept: text, gap, end, block: Some(length), whole: RecordState::Yes }
            }
            // The empty line may be the one that the next record comes after.
            Err(at) => Found {
                kept: text,
                gap: 0,
                end: text,
                block: None,
                whole: RecordState::Unmeasured(at as u32),
            },
        })
    }

    /// Skips to the next record after an empty line, or to the end of the source.
    fn resynchronize(&mut self) -> Result<()> {
        let finder = Finder::new(b"\nWARC/");
        loop {
            let ahead = self.ahead();
            let is_behind_empty = |&found: &usize| {
                let before = &ahead[..found];
                before.ends_with(b"\n") || before.ends_with(b"\n\r")
            };
            if let Some(found) = finder.find_iter(ahead).find(is_behind_empty) {
                self.at += found + 1;
                return Ok(());
            }
            // A part of the searched bytes: "
            // \r
            // WARC".
            let kept = ahead.len().min(7);
            self.at += ahead.len() - kept;
            if !self.reach(kept + 1)? {
                self.at = self.open.filled;
                return Ok(());
            }
        }
    }
}
