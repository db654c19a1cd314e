//! The hole at the beginning of a log that was truncated in place, if its writer kept its offset: as many NUL bytes as the
//! log was long before.

use urimill_base::error::Result;
use urimill_uri::simd::PADDING;

use super::Lines;
use super::open::Open;
use crate::format::magic::GAP;

impl Open {
    /// Skips NUL bytes at the beginning. If nothing follows them, they stay.
    pub(super) fn skip_hole(&mut self, capacity: usize) -> Result<()> {
        let limit = capacity.max(4 * GAP);
        self.buffer.grow(limit + PADDING);
        let mut passed = 0;
        loop {
            let found = self.buffer.as_ref()[..self.filled].iter().take_while(|&&b| b == 0).count();
            if found < self.filled {
                passed += found as u64;
                if passed >= GAP as u64 {
                    self.leave_out(found);
                    self.nul_bytes = passed;
                }
                return Ok(());
            }
            if self.ended {
                let kept = passed.min(limit as u64);
                if self.filled == 0 && kept > 0 {
                    self.filled = kept as usize;
                    self.buffer.as_mut()[..self.filled].fill(0);
                    self.offset -= kept;
                }
                return Ok(());
            }
            if self.filled == limit {
                passed += limit as u64;
                self.offset += limit as u64;
                self.filled = 0;
                self.lines.iter_mut().for_each(Lines::forget);
            }
            self.read(limit)?;
        }
    }
}
