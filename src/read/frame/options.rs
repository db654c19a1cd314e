//! The sizes that chunks are cut by.

use super::BOM;

/// Sizes, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkOptions {
    /// What a chunk aims at. A chunk is shorter where a record or a source ends, and longer
    /// where a record is.
    pub chunk_bytes: usize,
    /// The longest record that counts as a record. Longer ones are judged elsewhere; here it
    /// only makes sure that every shorter one is kept whole.
    pub max_record: usize,
    /// The longest record, without its `\n`, that is kept whole; at least `chunk_bytes`, because
    /// what fits in a chunk needs no cutting. `None`: the larger of 16 MiB and `max_record` + 2.
    pub keep_limit: Option<usize>,
}

impl Default for ChunkOptions {
    fn default() -> Self {
        ChunkOptions { chunk_bytes: 1 << 20, max_record: 1 << 20, keep_limit: None }
    }
}

impl ChunkOptions {
    /// The longest record, without its `\n`, that is kept whole.
    pub fn keep_limit(&self) -> usize {
        let default = || self.max_record.saturating_add(2).max(16 << 20);
        self.keep_limit.unwrap_or_else(default).max(self.capacity())
    }

    // A byte-order mark is looked for in the buffer, so it must have room there.
    pub(super) fn capacity(&self) -> usize {
        self.chunk_bytes.max(BOM.len())
    }
}
