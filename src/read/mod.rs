//! Where the bytes come from: files become chunks of whole records, and rows of tables.
//!
//! ```text
//! arguments ──> Source ──> Reader ──> Chunker ──> Chunk ──────────────> Records
//!              (source)   (decode)    (frame)     in a buffer of the Pool  by the worker that has it (format)
//! ```
//!
//! `format` says what a record is, and where in it its URI stands. Tables (Parquet, Arrow) have their records in
//! columns: `table` reads them, past the chunker. `record_source` is what the pipeline sees of both. `checksums` sums up
//! what was read, for a run that is verified.

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

pub use checksums::{Checksum, Lines, ReadChecksums, checksum_of_texts};
pub use damage::{Damage, Damages, OnDamage};
pub use decode::encoding::Encoding;
pub use decode::{Reader, open};
pub use format::{Contents, Format};
pub use frame::{Block, Chunk, ChunkOptions, Chunker};
pub use pool::{Pool, PooledBuffer};
pub use record_source::{Morsel, RecordSource};
pub use source::{Source, expand};
pub use table::{TableMorsel, panics_are_errors};
