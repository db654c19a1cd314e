//! Paragraphs of a text, with an empty line after each, as in Nutch's dumps of its tables: each is a record.

use memchr::memchr_iter;
use urimill_base::error::Result;

use super::RecordWalk;

impl RecordWalk<'_> {
    /// Reads one paragraph; false if the chunk is full or the source ends.
    pub(super) fn paragraph(&mut self) -> Result<bool> {
        self.pass_line_ends()?;
        if !self.reach(1)? {
            return Ok(false);
        }
        let mut scan = self.scan();
        scan.is_record = true;
        if !self.search(&mut scan, 3, end)? {
            // The last one needs no line after it.
            scan.at = self.ahead().trim_ascii_end().len();
            // White space alone is not a paragraph, and nothing follows it.
            if scan.at == 0 {
                self.at = self.open.filled;
                return Ok(true);
            }
        } else if scan.at > 0 && self.ahead()[scan.at - 1] == b'\r' {
            scan.at -= 1;
        }
        Ok(self.finish(&scan))
    }
}

/// The end of a line that an empty one follows.
fn end(bytes: &[u8]) -> Option<usize> {
    memchr_iter(b'\n', bytes).find(|&at| matches!(bytes[at + 1..], [b'\n', ..] | [b'\r', b'\n', ..]))
}
