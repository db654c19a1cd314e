//! Pages and texts that are too long for a chunk: their blocks go to a temporary file as they are skipped, and the
//! chunk has the beginning.

use urimill_base::error::Result;
use urimill_base::temporary::Temporary;

use super::{LONGEST_BLOCK, RecordWalk};
use crate::format::framing::{Framing, Keeps};

/// The number of bytes of a long block in the chunk: the header of a response, and more than the detection of a text's
/// kind needs.
const BEGINNING: usize = 1 << 20;

impl RecordWalk<'_> {
    /// The temporary file of the block that begins here, if it is a long one of a page or a text. Then fewer bytes of
    /// it are `wanted` in the chunk.
    pub(super) fn long_block(
        &mut self,
        wanted: &mut usize,
        length: u64,
        keeps: Keeps,
    ) -> Result<Option<Temporary>> {
        if !matches!(keeps, Keeps::Page | Keeps::Text) || length <= LONGEST_BLOCK as u64 {
            return Ok(None);
        }
        self.reach(BEGINNING)?;
        let beginning = &self.ahead()[..self.ahead().len().min(BEGINNING)];
        let header = self.last_header();
        let is_arc = matches!(self.archive.framing, Framing::Arc(_));
        if !self.archive.format.may_hold(is_arc, header, beginning) {
            return Ok(None);
        }
        *wanted = BEGINNING;
        Temporary::new(self.archive.temporary).map(Some)
    }

    /// Takes the rest of the source as a long block.
    pub(super) fn long_rest(&mut self, begin: u64) -> Result<()> {
        let mut long_block = Temporary::new(self.archive.temporary)?;
        long_block.push(&self.ahead()[..BEGINNING])?;
        self.block(BEGINNING as u64, begin, Keeps::Block)?;
        while self.reach(1)? {
            long_block.push(self.ahead())?;
            self.at = self.open.filled;
        }
        let is_damaged = self.open.damaged.is_some();
        if let Some(head) = self.framed_records.last_mut() {
            head.is_cut = is_damaged;
            head.long_block = Some(std::sync::Arc::new(long_block));
        }
        Ok(())
    }
}
