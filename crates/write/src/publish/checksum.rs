//! Checksums of an output's bytes as they are passed to the system, so that `--verify` can check that the file holds
//! them. Targets compute them; `verify` compares them.

use std::io::{self, ErrorKind, Read};

use urimill_base::files::File;
use urimill_base::pieces_checksum::PiecesChecksum;

/// The number of bytes of a file read at once.
const AT_ONCE: usize = 1 << 20;

/// The checksum of a whole file.
pub fn checksum_of_file(mut file: File) -> io::Result<u64> {
    let (mut buffer, mut checksum) = (vec![0; AT_ONCE], PiecesChecksum::default());
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(checksum.value()),
            Ok(read) => checksum.add(&buffer[..read]),
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}
