//! Looks for the ends of records that do not say how long they are: elements of a document, paragraphs of a dump. As
//! much of the source is held as a record may be long; of a longer one the chunk has the beginning, and the rest is
//! passed over as it comes.

use super::{Found, RecordWalk, WINDOW};
use crate::error::{Error, Result};

/// The longest record that a chunk holds whole, if no longer ones are allowed, and the longest tag that is held.
const LONGEST: usize = 16 << 20;

/// A search from where the walk stands.
pub(super) struct Scan {
    /// How far it has come.
    pub(super) at: usize,
    /// Where it began, decompressed.
    begin: u64,
    /// Whether what is passed is a record.
    is_record: bool,
    /// Whether it is a tag between records, whose attributes are read.
    is_tag: bool,
    /// Whether the record is too long: the chunk has its beginning.
    is_long: bool,
}

impl RecordWalk<'_> {
    pub(super) fn scan(&self) -> Scan {
        Scan { at: 0, begin: self.position(), is_record: false, is_tag: false, is_long: false }
    }

    /// What is seen after the place to which a search has come.
    pub(super) fn rest(&self, scan: &Scan) -> &[u8] {
        &self.ahead()[scan.at..]
    }

    /// From here on it is a record.
    pub(super) fn is_record(&self, scan: &mut Scan) {
        scan.is_record = true;
    }

    /// Notes that a tag begins.
    pub(super) fn is_tag(&self, scan: &mut Scan) {
        scan.is_tag = true;
    }

    /// Whether the beginning of what a search has passed is still held, and where that begins.
    pub(super) fn is_held(&self, scan: &Scan) -> Result<(), u64> {
        if self.position() == scan.begin { Ok(()) } else { Err(scan.begin) }
    }

    /// Goes to what `find` finds, whose first `overlap` bytes may stand at the end of what is seen. False at the end.
    pub(super) fn search(
        &mut self,
        scan: &mut Scan,
        overlap: usize,
        find: impl Fn(&[u8]) -> Option<usize>,
    ) -> Result<bool> {
        loop {
            if let Some(found) = find(self.rest(scan)) {
                scan.at += found;
                return Ok(true);
            }
            scan.at = scan.at.max(self.ahead().len().saturating_sub(overlap));
            if !self.more(scan)? {
                return Ok(false);
            }
        }
    }

    /// Sees so many bytes after the place to which a search has come, or all that are left: then false.
    pub(super) fn look(&mut self, scan: &mut Scan, count: usize) -> Result<bool> {
        while self.rest(scan).len() < count {
            if !self.more(scan)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Sees more; false at the end.
    fn more(&mut self, scan: &mut Scan) -> Result<bool> {
        let most = match (scan.is_record || scan.is_tag) && !scan.is_long {
            true => self.longest_record() + 2,
            false => WINDOW,
        };
        if self.ahead().len() >= most {
            self.let_go(scan);
        }
        let seen = self.ahead().len();
        self.reach(seen + WINDOW.max(seen).min(most))?;
        Ok(self.ahead().len() > seen)
    }

    /// Passes over what has been searched.
    fn let_go(&mut self, scan: &mut Scan) {
        if scan.is_record && !scan.is_long {
            self.keep_beginning(scan);
            scan.is_long = true;
        }
        self.at += scan.at;
        scan.at = 0;
    }

    /// The longest record that a chunk holds whole.
    fn longest_record(&self) -> usize {
        LONGEST.max(self.archive.longest)
    }

    fn keep_beginning(&mut self, scan: &Scan) {
        let longest = self.archive.longest.min(self.ahead().len() - 1);
        self.keep(&Found::beginning(longest), scan.begin, None);
    }

    /// Where a search stands, decompressed.
    pub(super) fn place(&self, scan: &Scan) -> u64 {
        self.position() + scan.at as u64
    }

    /// Takes a search back to where it stood, as far as that is still seen.
    pub(super) fn take_back(&self, scan: &mut Scan, place: u64) {
        scan.at = place.saturating_sub(self.position()) as usize;
    }

    /// The record ends here; false where the chunk has no room for it.
    pub(super) fn finish(&mut self, scan: &Scan) -> bool {
        if !scan.is_long {
            if self.len > 0 && self.len + scan.at > self.capacity {
                return false;
            }
            // More may be seen than a record may have.
            match scan.is_record && scan.at > self.longest_record() {
                true => self.keep_beginning(scan),
                false => self.keep(&Found::whole(scan.at), scan.begin, None),
            }
        }
        self.at += scan.at;
        true
    }

    /// The source ends within the record.
    pub(super) fn cut_off(&mut self, scan: &Scan, what: &str) -> Error {
        if scan.is_long
            && let Some(head) = self.framed_records.pop()
        {
            self.len = head.start as usize;
        }
        let begin = scan.begin;
        let of = if self.open.reader.is_compressed() { " of the decompressed bytes" } else { "" };
        let end = self.open.offset + self.open.filled as u64;
        let what = format_args!("{what} that begins at byte {begin}{of} is truncated");
        Error::data(self.archive.name, end, what)
    }

    /// Bytes that are not a record, up to where `find` finds that something begins: a row with the first line of them.
    pub(super) fn stray(&mut self, find: impl Fn(&[u8]) -> Option<usize>) -> Result<bool> {
        let mut scan = self.scan();
        // Whatever it is, its first byte does not count.
        scan.at = 1;
        let most = self.junk()?;
        if self.len > 0 && self.len + most.kept > self.capacity {
            return Ok(false);
        }
        let end = find(&self.ahead()[1..]).map_or(most.kept, |end| most.kept.min(end + 1));
        let text = &self.ahead()[..end];
        let kept = text.trim_ascii_end().len().max(1);
        self.keep(&Found { kept, ..most }, scan.begin, None);
        if !self.search(&mut scan, 0, find)? {
            scan.at = self.ahead().len();
        }
        self.at += scan.at;
        Ok(true)
    }

    /// Passes over white space; false at the end.
    pub(super) fn pass_space(&mut self) -> Result<bool> {
        while self.reach(1)? {
            let count = self.ahead().iter().take_while(|b| b.is_ascii_whitespace()).count();
            self.at += count;
            if self.at < self.open.filled {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
