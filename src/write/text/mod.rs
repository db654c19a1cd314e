//! Text outputs: CSV, JSON Lines and lists of URIs, and their compression.

pub(crate) mod bytes;
pub(crate) mod compression;
pub(crate) mod csv;
pub(crate) mod jsonl;
pub(crate) mod lines;
pub(crate) mod uris;
mod uuid;
