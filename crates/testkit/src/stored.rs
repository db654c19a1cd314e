//! Inputs as they are stored: members of each compression, and a source that gives few bytes at a time.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Format {
    Gzip,
    Zstd,
    Bzip2,
    Xz,
}

use Format::{Bzip2, Gzip, Xz, Zstd};

/// Each format with the length of its magic number.
pub const FORMATS: [(Format, &str, usize); 4] =
    [(Gzip, "gzip", 3), (Zstd, "zstd", 4), (Bzip2, "bzip2", 10), (Xz, "xz", 6)];

/// One member (frame, stream).
pub fn member(format: Format, text: &[u8]) -> Vec<u8> {
    match format {
        Gzip => {
            let header = flate2::GzBuilder::new().filename("a.log").extra(b"ex".to_vec()).comment("c");
            let mut encoder = header.write(Vec::new(), flate2::Compression::default());
            encoder.write_all(text).expect("a vector takes all");
            encoder.finish().expect("a vector takes all")
        }
        Zstd => {
            let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).expect("a vector takes all");
            encoder.include_checksum(true).expect("a vector takes all");
            encoder.write_all(text).expect("a vector takes all");
            encoder.finish().expect("a vector takes all")
        }
        Bzip2 => {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            encoder.write_all(text).expect("a vector takes all");
            encoder.finish().expect("a vector takes all")
        }
        Xz => {
            let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 0);
            encoder.write_all(text).expect("a vector takes all");
            encoder.finish().expect("a vector takes all")
        }
    }
}

/// Text that compresses, but not to nothing.
pub fn log(from: u64, lines: u64) -> Vec<u8> {
    let hash = |i: u64| (from + i).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (0..lines).flat_map(|i| format!("http://example.org/{:x}\n", hash(i)).into_bytes()).collect()
}

/// Bytes read, which nobody asks for.
pub fn no_progress() -> Arc<AtomicU64> {
    Arc::default()
}

/// Returns at most `step` of its bytes at a time, each time after a signal.
pub struct Slow {
    bytes: Vec<u8>,
    at: usize,
    step: usize,
    interrupted: bool,
}

impl Slow {
    pub fn boxed(bytes: &[u8], step: usize) -> Box<dyn Read + Send> {
        Box::new(Slow { bytes: bytes.to_vec(), at: 0, step, interrupted: false })
    }
}

impl Read for Slow {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let n = self.step.min(buf.len()).min(self.bytes.len() - self.at);
        buf[..n].copy_from_slice(&self.bytes[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}
