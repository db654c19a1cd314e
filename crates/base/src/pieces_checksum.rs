//! A checksum of bytes that come in pieces: of what is read of a source, of files that are published, of states.

use std::fmt;
use std::hash::Hasher;

use twox_hash::xxhash3_64::{DEFAULT_SECRET_LENGTH, RawHasher, SecretBuffer};

/// XXH3 (64 bits) of bytes that come in pieces. It does not depend on where they are divided.
pub struct PiecesChecksum(RawHasher<[u8; DEFAULT_SECRET_LENGTH]>);

/// The checksum of no bytes.
impl Default for PiecesChecksum {
    fn default() -> PiecesChecksum {
        let secret = SecretBuffer::with_seed(0, [0; DEFAULT_SECRET_LENGTH]);
        PiecesChecksum(RawHasher::new(secret.expect("the secret has the length that the hash asks for")))
    }
}

impl PiecesChecksum {
    /// Adds the next bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    /// The checksum of all bytes so far.
    pub fn value(&self) -> u64 {
        self.0.finish()
    }
}

impl fmt::Debug for PiecesChecksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PiecesChecksum({:016x})", self.value())
    }
}
