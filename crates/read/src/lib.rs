//! A part of urimill: it carries no promise of stability. Use the package `urimill`.
//!
//! Reads the input: files become chunks of whole records, and rows of tables.
//!
//! ```text
//! arguments ──> Source ──> Reader ──> Chunker ──> Chunk ──────────────> Records
//!              (source)   (decode)    (frame)     in a buffer of the Pool  by the worker that has it (format)
//! ```
//!
//! `format` defines records, and the place of the URI in them. Tables (Parquet, Arrow) have their records in columns:
//! `table` reads them, without the chunker. `http` reads the messages in the records of web archives, `payload` finds
//! the text in these. `record_source` is the pipeline's view of both.
//! `checksums` counts and hashes the input of a run that is verified, `digests` each source of a report.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod checksums;
mod damage;
pub mod decode;
mod digests;
pub mod format;
pub mod frame;
mod given_reader;
mod guarded;
pub mod http;
mod last_line;
pub mod payload;
mod record_source;
pub mod source;
mod state_magic;
pub mod table;

pub use checksums::{Checksum, Lines, ReadChecksums, checksum_of_texts};
pub use damage::{Damage, Damages, OnDamage};
pub use decode::encoding::Encoding;
pub use decode::{Reader, open};
pub use digests::InputDigests;
pub use format::Format;
pub use format::Mail;
pub use format::PageCounts;
pub use format::PageReader;
pub use frame::refusal;
pub use frame::{Block, Chunk, ChunkOptions, Chunker};
pub use given_reader::GivenReader;
pub use guarded::{first_line, guarded, panics_are_errors};
pub use last_line::LastLine;
pub use record_source::{Chunks, Morsel, RecordSource};
pub use source::{Input, Source, expand, expand_inputs};
pub use state_magic::{CUT_STATE, STATE_MAGIC, is_cut_state, may_be_cut_state};
pub use table::{GivenTable, TableMorsel, Tables};
