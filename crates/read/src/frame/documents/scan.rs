//! Finds the ends of records that do not give their length: elements of a document, paragraphs of a dump. At most the
//! longest record is held; of a longer one the chunk has the beginning, and the rest is skipped as it comes.

use urimill_base::error::{Error, Result};

use super::{Found, RecordWalk, WINDOW};

/// The longest record that a chunk holds whole, if no longer ones are allowed, and the longest tag that is held.
const LONGEST: usize = 16 << 20;

/// A search from the place of the walk.
pub(super) struct Scan {
    /// The number of bytes searched.
    pub(super) at: usize,
    /// Where it began in the decompressed source.
    pub(super) begin: u64,
    /// Whether the bytes belong to a record.
    pub(super) is_record: bool,
    /// Whether it is a tag between records, whose attributes are read.
    is_tag: bool,
    /// Whether the end of a line ends a document of JSON that is cut.
    pub(super) has_lines: bool,
    /// Whether a document of JSON was cut there.
    pub(super) is_broken: bool,
    /// Whether the record is too long: the chunk has its beginning.
    is_long: bool,
}

impl Scan {
    /// The same, for a document of JSON that may end with its line.
    pub(super) fn of_lines(self, has_lines: bool) -> Scan {
        Scan { has_lines, ..self }
    }
}

impl RecordWalk<'_> {
    pub(super) fn scan(&self) -> Scan {
        Scan {
            at: 0,
            begin: self.position(),
            is_record: false,
            is_tag: false,
            has_lines: false,
            is_broken: false,
            is_long: false,
        }
    }

    /// The bytes at hand after the place of a search.
    pub(super) fn rest(&self, scan: &Scan) -> &[u8] {
        &self.ahead()[scan.at..]
    }

    /// Notes that a tag begins.
    pub(super) fn is_tag(&self, scan: &mut Scan) {
        scan.is_tag = true;
    }

    /// Whether the beginning of the searched bytes is still held, and where it begins.
    pub(super) fn is_held(&self, scan: &Scan) -> Result<(), u64> {
        if self.position() == scan.begin { Ok(()) } else { Err(scan.begin) }
    }

    /// Goes to the place that `find` finds; the first `overlap` bytes of a match may be the last bytes at hand. False
    /// at the end.
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

    /// Reads until this many bytes are at hand after the place of a search; false if fewer are left.
    pub(super) fn look(&mut self, scan: &mut Scan, count: usize) -> Result<bool> {
        while self.rest(scan).len() < count {
            if !self.more(scan)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads more; false at the end.
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

    /// Skips the searched bytes.
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

    /// Takes back the beginning of what turned out to be no record.
    pub(super) fn forget_beginning(&mut self, scan: &Scan) {
        if scan.is_long
            && let Some(head) = self.framed_records.pop()
        {
            self.len = head.start as usize;
        }
    }

    /// The place of a search in the decompressed source.
    pub(super) fn place(&self, scan: &Scan) -> u64 {
        self.position() + scan.at as u64
    }

    /// Takes a search back to an earlier place, as far as that is still at hand.
    pub(super) fn take_back(&self, scan: &mut Scan, place: u64) {
        scan.at = place.saturating_sub(self.position()) as usize;
    }

    /// Ends the record here; false if the chunk has no room for it.
    pub(super) fn finish(&mut self, scan: &Scan) -> bool {
        if !scan.is_long {
            if self.len > 0 && self.len + scan.at > self.capacity {
                return false;
            }
            // More bytes may be at hand than a record may have.
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
        self.forget_beginning(scan);
        let begin = scan.begin;
        let of = if self.open.reader.is_compressed() { " of the decompressed bytes" } else { "" };
        let end = self.open.offset + self.open.filled as u64;
        let what = format_args!("{what} that begins at byte {begin}{of} is truncated");
        Error::data(self.archive.name, end, what)
    }

    /// Skips bytes that are not a record, up to the place where `find` finds that something begins, and adds a row with
    /// the first line of them.
    pub(super) fn stray(&mut self, find: impl Fn(&[u8]) -> Option<usize>) -> Result<bool> {
        let mut scan = self.scan();
        // The first byte never counts as a beginning.
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

    /// Skips white space; false at the end.
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
