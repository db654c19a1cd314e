//! The messages of mailboxes (RFC 4155): each begins with a line `From …` after an empty line.

use memchr::memmem::Finder;
use urimill_base::error::Result;

use super::{Found, Keeps, LONGEST_BLOCK, RecordState, RecordWalk, WINDOW};

impl RecordWalk<'_> {
    /// Reads a message as the block of a record without a header, and keeps at most [`LONGEST_BLOCK`] bytes of it.
    /// Returns false if the chunk is full or the source ends.
    pub(super) fn message(&mut self) -> Result<bool> {
        self.pass_line_ends()?;
        if !self.reach(1)? {
            return Ok(false);
        }
        let (mut searched, mut end) = (0, None);
        while end.is_none() && searched < LONGEST_BLOCK {
            let seen = self.ahead().len();
            if seen > searched {
                (end, searched) = (next_message(self.ahead(), searched), seen);
            } else if !self.reach(seen + WINDOW.max(seen))? && self.ahead().len() == seen {
                break;
            }
        }
        let len = end.unwrap_or(self.ahead().len()).min(LONGEST_BLOCK);
        if self.len > 0 && self.len + len > self.capacity {
            return Ok(false);
        }
        let begin = self.position();
        self.keep(&Found { kept: 0, gap: 0, end: 0, block: None, whole: RecordState::Yes }, begin, None);
        self.block(len as u64, begin, Keeps::Block)?;
        let is_cut = end.is_none() && (searched >= LONGEST_BLOCK || self.open.damaged.is_some());
        if let Some(head) = self.framed_records.last_mut() {
            head.is_cut = is_cut || end.is_some_and(|end| end > len);
        }
        // The rest of a long one.
        while end.is_none_or(|end| end > len) {
            match next_message(self.ahead(), 0) {
                Some(next) => {
                    self.at += next;
                    break;
                }
                None => {
                    let kept = self.ahead().len().min(MARK.len() + 2);
                    self.at += self.ahead().len() - kept;
                    if !self.reach(kept + 1)? {
                        self.at = self.open.filled;
                        break;
                    }
                }
            }
        }
        Ok(true)
    }
}

/// The bytes before the line of a message.
const MARK: &[u8] = b"\nFrom ";

/// Where the next message begins; no line end of its beginning is in the first `searched` bytes.
fn next_message(bytes: &[u8], searched: usize) -> Option<usize> {
    let from = searched.saturating_sub(MARK.len() + 2);
    let found = Finder::new(MARK);
    let mut ends = found.find_iter(&bytes[from..]).map(|at| from + at);
    ends.find(|&at| bytes[..at].ends_with(b"\n") || bytes[..at].ends_with(b"\n\r")).map(|at| at + 1)
}
