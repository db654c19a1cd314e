//! Compresses the pages that urimill makes itself, and owns the contexts and buffers for that: a worker borrows a set,
//! and the next page reuses it.

#[cfg(feature = "gzip")]
use std::io::Write;

use bytes::Bytes;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use urimill_base::timing;
use urimill_base::timing::Step;
#[cfg(feature = "zstd")]
use zstd::zstd_safe::CParameter;

/// Buffers above this many bytes are freed: one huge record must not occupy memory forever.
pub(crate) const KEPT_BYTES: usize = 4 << 20;

/// URIs repeat by hosts, paths and names of parameters, not by five characters: looking for matches of six or more, in
/// a table of them that stays in the processor's cache, takes 13 % off the whole program at level 3, and files are
/// 1.7 % larger.
#[cfg(feature = "zstd")]
const SHORT_MATCHES: [CParameter; 2] = [CParameter::MinMatch(6), CParameter::ChainLog(15)];

/// The level for which these settings are made.
#[cfg(feature = "zstd")]
const DEFAULT_LEVEL: i32 = 3;

/// A context of one codec, and its output.
pub(crate) struct Compressor {
    context: Context,
    packed: Vec<u8>,
}

enum Context {
    None,
    #[cfg(feature = "zstd")]
    Zstd(zstd::bulk::Compressor<'static>),
    Snappy(Box<snap::raw::Encoder>),
    Lz4,
    #[cfg(feature = "gzip")]
    Gzip(flate2::Compression),
    #[cfg(feature = "brotli")]
    Brotli(Box<brotli::enc::BrotliEncoderParams>),
}

impl Compressor {
    pub(crate) fn new(codec: Compression) -> Result<Self, ParquetError> {
        let context = match codec {
            Compression::UNCOMPRESSED => Context::None,
            #[cfg(feature = "zstd")]
            Compression::ZSTD(level) => {
                let mut context = zstd::bulk::Compressor::new(level.compression_level()).map_err(failed)?;
                // At another level the codec's own settings apply.
                for parameter in
                    SHORT_MATCHES.into_iter().filter(|_| level.compression_level() == DEFAULT_LEVEL)
                {
                    context.set_parameter(parameter).map_err(failed)?;
                }
                Context::Zstd(context)
            }
            Compression::SNAPPY => Context::Snappy(Box::new(snap::raw::Encoder::new())),
            Compression::LZ4_RAW => Context::Lz4,
            #[cfg(feature = "gzip")]
            Compression::GZIP(level) => Context::Gzip(flate2::Compression::new(level.compression_level())),
            #[cfg(feature = "brotli")]
            Compression::BROTLI(level) => {
                let quality = level.compression_level() as i32;
                let params = brotli::enc::BrotliEncoderParams { quality, ..Default::default() };
                Context::Brotli(Box::new(params))
            }
            other => {
                let what = format!("this build of urimill compresses no pages by {other}");
                return Err(ParquetError::NYI(what));
            }
        };
        Ok(Compressor { context, packed: Vec::new() })
    }

    /// `plain` compressed, in memory of exactly its size.
    pub(crate) fn compress(&mut self, plain: &[u8]) -> Result<Bytes, ParquetError> {
        let _compress = timing::step(Step::Compress);
        let packed = &mut self.packed;
        let length = match &mut self.context {
            Context::None => return Ok(Bytes::copy_from_slice(plain)),
            #[cfg(feature = "zstd")]
            Context::Zstd(context) => {
                packed.clear();
                packed.reserve(zstd::zstd_safe::compress_bound(plain.len()));
                context.compress_to_buffer(plain, packed).map_err(failed)?
            }
            Context::Snappy(context) => {
                at_least(packed, snap::raw::max_compress_len(plain.len()));
                context.compress(plain, packed).map_err(failed)?
            }
            #[cfg(feature = "gzip")]
            Context::Gzip(level) => {
                packed.clear();
                let mut encoder = flate2::write::GzEncoder::new(packed, *level);
                encoder.write_all(plain).map_err(failed)?;
                encoder.finish().map_err(failed)?.len()
            }
            #[cfg(feature = "brotli")]
            Context::Brotli(params) => {
                packed.clear();
                brotli::BrotliCompress(&mut &plain[..], packed, params).map_err(failed)?
            }
            Context::Lz4 => {
                at_least(packed, lz4_flex::block::get_maximum_output_size(plain.len()));
                lz4_flex::block::compress_into(plain, packed).map_err(failed)?
            }
        };
        let packed = &mut self.packed;
        let page = Bytes::copy_from_slice(&packed[..length]);
        if packed.capacity() > KEPT_BYTES {
            *packed = Vec::new();
        }
        Ok(page)
    }
}

/// Grows `buffer`, never shrinks it: its old contents need not be zeroed again.
pub(crate) fn at_least(buffer: &mut Vec<u8>, length: usize) {
    if buffer.len() < length {
        buffer.resize(length, 0);
    }
}

fn failed(error: impl std::fmt::Display) -> ParquetError {
    ParquetError::General(format!("a page cannot be compressed: {error}"))
}
