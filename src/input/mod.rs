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

mod ahead;
mod back;
pub mod chunk;
mod codec;
mod damage;
pub mod decompress;
mod encoding;
mod feed;
pub mod format;
mod ledger;
mod pattern;
pub mod pool;
mod rows;
mod salvage;
pub mod source;
mod stored;
mod tables;
mod wacz;
mod whole;

pub use back::Stored;
pub(crate) use back::{read_back, read_back_footer};
pub use chunk::{Block, Chunk, ChunkOptions, Chunker};
pub use damage::{Damage, Damages, OnDamage};
pub use decompress::{Reader, open};
pub use encoding::Encoding;
pub use feed::{Feed, Piece};
pub use format::{Contents, Format};
pub use ledger::{Ledger, Lines, Sum, sum_of_texts};
pub use pool::{Pool, PooledBuffer};
pub use source::{Source, expand};
pub use tables::TablePiece;
