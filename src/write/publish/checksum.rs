//! Checksums of an output's bytes as they are handed to the system, so that `--verify` can check that the file holds
//! them. Targets compute them; `verify` compares them.

use std::fmt;
use std::hash::Hasher;
use std::io::{self, ErrorKind, Read};

use twox_hash::xxhash3_64::{DEFAULT_SECRET_LENGTH, RawHasher, SecretBuffer};

use crate::files::File;

/// How much of a file is read at once.
const AT_ONCE: usize = 1 << 20;

/// XXH3 (64 bits) of bytes that come in pieces. It does not depend on where they are divided.
pub(crate) struct FileChecksum(RawHasher<[u8; DEFAULT_SECRET_LENGTH]>);

impl FileChecksum {
    pub(crate) fn new() -> FileChecksum {
        let secret = SecretBuffer::with_seed(0, [0; DEFAULT_SECRET_LENGTH]);
        FileChecksum(RawHasher::new(secret.expect("the secret has the length that the hash asks for")))
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    pub(crate) fn value(&self) -> u64 {
        self.0.finish()
    }

    /// The checksum of a whole file.
    pub(crate) fn of_file(mut file: File) -> io::Result<u64> {
        let (mut buffer, mut checksum) = (vec![0; AT_ONCE], FileChecksum::new());
        loop {
            match file.read(&mut buffer) {
                Ok(0) => return Ok(checksum.value()),
                Ok(read) => checksum.add(&buffer[..read]),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
    }
}

impl fmt::Debug for FileChecksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Checksum({:016x})", self.value())
    }
}
