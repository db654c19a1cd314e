//! Sources that are one record: pages. A chunk holds the beginning of a longer one.

use urimill_base::error::Result;

use super::{Found, Keeps, RecordState, RecordWalk};

impl RecordWalk<'_> {
    /// Reads the source as the block of a record without a header; false if it is empty, or was read.
    pub(super) fn whole(&mut self, keeps: Keeps) -> Result<bool> {
        let is_first = self.open.next_record == 1 && self.framed_records.is_empty();
        if !is_first || !self.reach(1)? {
            return Ok(false);
        }
        let begin = self.position();
        self.keep(&Found { kept: 0, gap: 0, end: 0, block: None, whole: RecordState::Yes }, begin, None);
        let most = super::LONGEST_BLOCK;
        self.reach(most + 1)?;
        let (seen, damaged) = (self.ahead().len(), self.open.damaged.is_some());
        if seen > most && keeps == Keeps::Page {
            self.long_rest(begin)?;
            return Ok(true);
        }
        let kept = seen.min(most);
        self.block(kept as u64, begin, Keeps::Block)?;
        if let Some(head) = self.framed_records.last_mut() {
            head.is_cut = seen > kept || damaged;
        }
        while self.reach(1)? {
            self.at = self.open.filled;
        }
        Ok(true)
    }
}
