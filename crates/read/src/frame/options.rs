//! How the sources of a chunker are read, and the sizes of chunks.

use std::sync::Arc;

use super::BOM;
use crate::checksums::ReadChecksums;
use crate::damage::{Damages, OnDamage};
use crate::decode::encoding::Encoding;
use crate::digests::InputDigests;
use crate::format::Format;
use crate::last_line::LastLine;

/// How sources are read; sizes are in bytes.
#[derive(Debug, Clone)]
pub struct ChunkOptions {
    /// The intended length of a chunk. A chunk is shorter where a source or a record ends, and longer if a record is.
    pub chunk_bytes: usize,
    /// The longest record that counts as a record. Longer ones are rejected elsewhere; here it only makes sure that
    /// every shorter one is kept whole.
    pub max_record: usize,
    /// The longest record, without its `\n`, that is kept whole; at least `chunk_bytes`, because a record that fits in a
    /// chunk is never cut. `None`: the larger of 16 MiB and `max_record` + 2.
    pub keep_limit: Option<usize>,
    /// The format of the records; by default they are lines.
    pub format: Format,
    /// Whether sources that are clearly of another format are read nevertheless.
    pub force_format: bool,
    /// Whether the beginning of every source is examined, and a source refused whose format has no lines: an archive, an
    /// image, another encoding. A detected format is always detected for each source.
    pub checks_format: bool,
    /// The threads that decompress: see [`Reader::with_threads`](crate::Reader::with_threads).
    pub threads: usize,
    /// Whether blocks of archives that nobody reads are skipped without decompressing them, where gzip allows it.
    /// Damage in them is not noticed then, and threads do not decompress ahead.
    pub skips_bodies: bool,
    /// Whether a reader waits for the rows while the input is written: then a chunk of a pipe ends when nothing more
    /// comes for a moment.
    pub is_live: bool,
    /// The bytes that are read of each source are added to these counts.
    pub digests: Option<InputDigests>,
    /// How the last line of a log that may be cut is read.
    pub last_line: LastLine,
    /// The number of lines at the beginning of each source that are not records.
    pub skip_lines: u64,
    /// The memory of the run, in bytes. The part of a table that has to be held at once gets a share of it, and a table
    /// that needs more is refused.
    pub memory: usize,
    /// The encoding from which the sources are transcoded to UTF-8; without it they are UTF-8. Offsets count bytes of
    /// UTF-8.
    pub encoding: Option<Encoding>,
    /// The bytes that are read are added to these checksums.
    pub checksums: Option<Arc<ReadChecksums>>,
    /// How damaged sources are handled.
    pub on_damage: OnDamage,
    /// Receives the list of the damaged sources.
    pub damages: Damages,
}

impl Default for ChunkOptions {
    fn default() -> Self {
        ChunkOptions {
            chunk_bytes: 1 << 20,
            max_record: 1 << 20,
            keep_limit: None,
            format: Format::default(),
            force_format: false,
            checks_format: false,
            threads: 1,
            skips_bodies: false,
            is_live: false,
            digests: None,
            last_line: LastLine::default(),
            skip_lines: 0,
            memory: 512 << 20,
            encoding: None,
            checksums: None,
            on_damage: OnDamage::default(),
            damages: Damages::default(),
        }
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
