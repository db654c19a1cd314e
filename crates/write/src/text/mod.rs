//! Text outputs: CSV, JSON Lines and lists of URIs, and their compression.

pub mod bytes;
pub mod compression;
pub mod csv;
pub mod jsonl;
pub(crate) mod lines;
pub(crate) mod uris;
mod uuid;
