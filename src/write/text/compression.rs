//! Text files that are compressed as a whole: gzip and zstd, told by the file's name. Each batch is a member, or a
//! frame, of its own, so that workers compress them at the same time and the bytes depend on the batches alone. Under
//! `bytes`.

use std::io::{self, BufReader, Read, Write};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

/// How.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    Gzip,
    Zstd,
}

const ENDS: [(&str, Packing); 2] = [(".gz", Packing::Gzip), (".zst", Packing::Zstd)];

const ZSTD_LEVEL: i32 = 3;

impl Packing {
    /// What the end of a file's name says.
    pub(crate) fn of(name: &str) -> Option<Packing> {
        let lower = name.to_ascii_lowercase();
        ENDS.iter().find(|(end, _)| lower.ends_with(end)).map(|&(_, packing)| packing)
    }

    /// A member with these bytes.
    pub(crate) fn pack(self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Packing::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(bytes)?;
                encoder.finish()
            }
            Packing::Zstd => zstd::stream::encode_all(bytes, ZSTD_LEVEL),
        }
    }

    /// The bytes of all members of a file.
    pub(crate) fn unpack(self, file: impl Read + 'static) -> io::Result<Box<dyn Read>> {
        Ok(match self {
            Packing::Gzip => Box::new(MultiGzDecoder::new(BufReader::new(file))),
            Packing::Zstd => Box::new(zstd::stream::read::Decoder::new(file)?),
        })
    }
}
