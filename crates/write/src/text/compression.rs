//! Text files that are compressed as a whole: gzip and zstd, chosen by the file's name. Each batch is a separate member
//! or frame, so that workers compress them at the same time and the bytes depend only on the batches.

use std::io::{self, Read};
#[cfg(feature = "gzip")]
use std::io::{BufReader, Write};

#[cfg(feature = "gzip")]
use flate2::{Compression, read::MultiGzDecoder, write::GzEncoder};
use urimill_base::error::Result;
use urimill_base::left_out::{Feature, GZIP, ZSTD};

/// The compression format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// Gzip (RFC 1952).
    Gzip,
    /// Zstandard (RFC 8878).
    Zstd,
}

const ENDS: [(&str, Packing); 2] = [(".gz", Packing::Gzip), (".zst", Packing::Zstd)];

#[cfg(feature = "zstd")]
const ZSTD_LEVEL: i32 = 3;

impl Packing {
    /// The compression that the extension of a file's name means.
    pub fn of(name: &str) -> Option<Packing> {
        let lower = name.to_ascii_lowercase();
        ENDS.iter().find(|(end, _)| lower.ends_with(end)).map(|&(_, packing)| packing)
    }

    fn feature(self) -> Feature {
        match self {
            Packing::Gzip => GZIP,
            Packing::Zstd => ZSTD,
        }
    }

    /// Usage, if this build cannot compress that way.
    pub(crate) fn check(self) -> Result<()> {
        self.feature().check(&format!("compression of texts by {}", self.feature().name))
    }

    fn missing(self) -> io::Error {
        io::Error::new(io::ErrorKind::Unsupported, self.feature().missing("compression of texts"))
    }

    /// A member with these bytes.
    pub(crate) fn pack(self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            #[cfg(feature = "gzip")]
            Packing::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(bytes)?;
                encoder.finish()
            }
            #[cfg(feature = "zstd")]
            Packing::Zstd => zstd::stream::encode_all(bytes, ZSTD_LEVEL),
            #[allow(unreachable_patterns, reason = "a build may have both")]
            absent => {
                let _ = bytes;
                Err(absent.missing())
            }
        }
    }

    /// The bytes of all members of a file.
    #[allow(unreachable_code, unreachable_patterns, reason = "a build has both, one or none")]
    pub fn unpack(self, file: impl Read + 'static) -> io::Result<Box<dyn Read>> {
        Ok(match self {
            #[cfg(feature = "gzip")]
            Packing::Gzip => Box::new(MultiGzDecoder::new(BufReader::new(file))),
            #[cfg(feature = "zstd")]
            Packing::Zstd => Box::new(zstd::stream::read::Decoder::new(file)?),
            absent => {
                drop(file);
                return Err(absent.missing());
            }
        })
    }
}
