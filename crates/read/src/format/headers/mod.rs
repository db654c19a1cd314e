//! The headers of records in web archives. The walk over an archive needs the lengths in them, the formats their fields.

pub mod arc;
pub mod warc;

pub use arc::index_words as arc_words;
