//! The compression of blocks of the temporary file by zstd, if that is built in, and the checksum of blocks that are
//! stored as they are (zstd has its own): a disk that returns other bytes than were written must not produce other
//! rows.

use std::io;

#[cfg(feature = "zstd")]
use zstd::bulk::{Compressor, Decompressor};

/// Fast enough to keep up with a disk, and halves the bytes written.
#[cfg(feature = "zstd")]
const ZSTD_LEVEL: i32 = 1;

/// The checksum of bytes that are stored as they are.
pub(super) fn checksum(bytes: &[u8]) -> [u8; 8] {
    twox_hash::XxHash3_64::oneshot(bytes).to_le_bytes()
}

/// Compresses blocks: one per writer.
pub(crate) struct Packer {
    #[cfg(feature = "zstd")]
    compressor: Compressor<'static>,
    #[cfg(feature = "zstd")]
    stored: Vec<u8>,
}

/// Decompresses blocks: one per reader.
pub(crate) struct Unpacker {
    #[cfg(feature = "zstd")]
    decompressor: Decompressor<'static>,
    stored: Vec<u8>,
}

impl Unpacker {
    /// The buffer for the stored bytes of the block that is unpacked next.
    pub(super) fn stored(&mut self, len: usize) -> &mut [u8] {
        self.stored.resize(len, 0);
        &mut self.stored
    }
}

#[cfg(feature = "zstd")]
impl Packer {
    pub(super) fn new() -> io::Result<Packer> {
        let mut compressor = Compressor::new(ZSTD_LEVEL)?;
        compressor.include_checksum(true)?;
        Ok(Packer { compressor, stored: Vec::new() })
    }

    /// The compressed bytes; `None` where nothing can be compressed.
    pub(super) fn pack(&mut self, bytes: &[u8]) -> io::Result<Option<&[u8]>> {
        self.stored.clear();
        self.stored.reserve(zstd::zstd_safe::compress_bound(bytes.len()));
        let length = self.compressor.compress_to_buffer(bytes, &mut self.stored)?;
        Ok(Some(&self.stored[..length]))
    }
}

#[cfg(feature = "zstd")]
impl Unpacker {
    pub(super) fn new() -> io::Result<Unpacker> {
        Ok(Unpacker { decompressor: Decompressor::new()?, stored: Vec::new() })
    }

    /// Fills `out` and returns the length of the unpacked block.
    pub(super) fn unpack(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.decompressor.decompress_to_buffer(&self.stored, out)
    }
}

#[cfg(not(feature = "zstd"))]
impl Packer {
    pub(super) fn new() -> io::Result<Packer> {
        Ok(Packer {})
    }

    /// Nothing can be compressed.
    pub(super) fn pack(&mut self, _: &[u8]) -> io::Result<Option<&[u8]>> {
        Ok(None)
    }
}

#[cfg(not(feature = "zstd"))]
impl Unpacker {
    pub(super) fn new() -> io::Result<Unpacker> {
        Ok(Unpacker { stored: Vec::new() })
    }

    /// No block is compressed.
    pub(super) fn unpack(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::InvalidData.into())
    }
}
