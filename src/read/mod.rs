//! Where the bytes come from: the first room on the data's way. A list of inputs becomes a
//! sequence of [`Chunk`]s, each a buffer of whole records that a worker can take on its own.
//!
//! ```text
//! arguments ──> Source ──> Reader ──────> Chunker ──> Chunk ──────────────> Records
//!              (source)   (decompress)    (chunk)    in a buffer of the Pool  by the worker that has it (format)
//! ```
//!
//! What a record is, and where in it its URI stands, `format` says. Beside the reader, `ahead` has gzip of many members
//! decompressed by several threads. Tables (Parquet, Arrow) have their records in columns: they go past the chunker,
//! through `tables`, and `feed` is what the pipeline sees of both. Where nothing is to be taken on trust, `ledger` has
//! what was read.

mod checksums;
mod damage;
pub mod decode;
pub mod format;
pub mod frame;
mod pattern;
pub mod pool;
mod record_source;
pub mod source;
pub(crate) mod table;

pub use checksums::{Ledger, Lines, Sum, sum_of_texts};
pub use damage::{Damage, Damages, OnDamage};
pub use decode::encoding::Encoding;
pub use decode::{Reader, open};
pub use format::{Contents, Format};
pub use frame::{Block, Chunk, ChunkOptions, Chunker};
pub use pool::{Pool, PooledBuffer};
pub use record_source::{Feed, Piece};
pub use source::{Source, expand};
pub use table::{TablePiece, panics_are_errors};
