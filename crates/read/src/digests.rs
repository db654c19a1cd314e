//! Digests of the bytes that were read of each source: their number, and a checksum. Two runs over the same bytes get
//! the same digest, by whatever name, compressed or not, in chunks of whatever size.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use urimill_base::locks::lock;
use urimill_base::pieces_checksum::PiecesChecksum;

/// The digests of the sources of a run, which are complete when it has read everything. Clones share one list.
///
/// The bytes of a text are all of it, decompressed and in UTF-8, without a byte-order mark; those of a web archive are
/// the headers of its records, as bodies may be stepped over; those of a record that is too long are its beginning.
/// Tables have no digest.
#[derive(Debug, Clone, Default)]
pub struct InputDigests(Arc<Mutex<BTreeMap<usize, (u64, PiecesChecksum)>>>);

impl InputDigests {
    /// Adds a chunk that took `taken` bytes of a source and holds `bytes` of them. The chunks of a source come in
    /// order.
    pub(super) fn add(&self, source: usize, taken: u64, bytes: &[u8]) {
        let mut sources = lock(&self.0);
        let (size, checksum) = sources.entry(source).or_default();
        *size += taken;
        checksum.add(bytes);
    }

    /// The number of bytes that were read of a source, and their checksum; `None` where there were none.
    pub fn of(&self, source: usize) -> Option<(u64, u64)> {
        let sources = lock(&self.0);
        sources.get(&source).map(|(size, checksum)| (*size, checksum.value()))
    }
}
