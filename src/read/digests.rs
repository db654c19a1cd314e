//! Digests of the bytes that were read of each source: their number, and a checksum. Two runs over the same bytes get
//! the same digest, by whatever name, compressed or not, in chunks of whatever size.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::Hasher;
use std::sync::{Arc, Mutex};

use twox_hash::xxhash3_64::{DEFAULT_SECRET_LENGTH, RawHasher, SecretBuffer};

use crate::locks::lock;

/// XXH3 (64 bits) of bytes that come in pieces. It does not depend on where they are divided.
pub(crate) struct PiecesChecksum(RawHasher<[u8; DEFAULT_SECRET_LENGTH]>);

impl PiecesChecksum {
    pub(crate) fn new() -> PiecesChecksum {
        let secret = SecretBuffer::with_seed(0, [0; DEFAULT_SECRET_LENGTH]);
        PiecesChecksum(RawHasher::new(secret.expect("the secret has the length that the hash asks for")))
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    pub(crate) fn value(&self) -> u64 {
        self.0.finish()
    }
}

impl fmt::Debug for PiecesChecksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PiecesChecksum({:016x})", self.value())
    }
}

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
        let (size, checksum) = sources.entry(source).or_insert_with(|| (0, PiecesChecksum::new()));
        *size += taken;
        checksum.add(bytes);
    }

    /// The number of bytes that were read of a source, and their checksum; `None` where there were none.
    pub(crate) fn of(&self, source: usize) -> Option<(u64, u64)> {
        let sources = lock(&self.0);
        sources.get(&source).map(|(size, checksum)| (*size, checksum.value()))
    }
}
