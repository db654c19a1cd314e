//! The formats: their records, and the place of the URI in each; one file per format, with an `impl` of
//! [`RecordFormat`]. The chunker asks them where records end, and the kernels split the URIs that a worker finds in a
//! chunk.
//!
//! A format answers four questions. `begin`: what must be known about the input before the table has a schema? `cut`:
//! where does the last whole record of a buffer end? The chunker asks this for one chunk after the other, so it does no
//! more than it must. `open`: how does a source begin, and which fields does that name? `find`: where are the URIs of
//! these records? This is most of the work, and each worker does it for its own chunk, with the same result as for the
//! whole source.
//!
//! A table's format answers other questions: which columns are there, and what are their next rows?

pub(crate) mod asked;
pub mod base;
pub(crate) mod beginning;
pub(crate) mod comment;
pub mod csv;
pub(crate) mod cut;
pub mod fields;
pub mod first_lines;
pub mod foreign;
pub mod format_row;
pub mod framed;
pub mod framed_record;
pub mod framing;
pub mod headers;
pub mod json;
pub mod jsonl;
pub mod keep;
pub mod lines;
pub mod made_uris;
pub mod magic;
pub mod mailbox;
pub mod no_lines;
mod page_reader;
pub mod quotes;
pub(crate) mod record_format;
pub mod record_types;
mod regular_quotes;
pub mod request;
pub mod short_search;
pub mod stop;
pub mod tables;
pub mod template;
pub mod xml;

use urimill_uri::simd::Span;

pub use asked::Asked;
pub use comment::Comment;
pub use csv::Resumed;
pub use fields::{Field, Header, Layout, UriSource};
pub use format_row::FormatRow;
pub use keep::{FieldSpec, Keep};
pub use page_reader::{PageCounts, PageReader};
pub use record_format::{Beginning, Blocks, DefinitionFile, First, Format, RecordFormat};
pub use record_types::RecordTypes;
pub use stop::Stop;
pub use template::Template;

pub use cut::log_line;
pub use cut::{Behind, Cut};
pub use mailbox::Mail;
pub use quotes::quoted_text;
pub(super) use xml::base_of_tag;

/// The most bytes of an input that a format may need, whatever the size of chunks.
pub(super) const BEGINNING: usize = 64 << 10;
/// Opens and closes a field.
pub(crate) const QUOTE: u8 = b'"';

/// The end of a line's text if its line ends at `newline`: a carriage return before it is not part of it. Without a
/// newline there (at the end of the source) the carriage return is part of it.
#[inline]
pub fn line_end(bytes: &[u8], start: usize, newline: usize) -> usize {
    let has_return = newline < bytes.len() && newline > start && bytes[newline - 1] == b'\r';
    newline - usize::from(has_return)
}

/// The bytes from one place of a chunk to another; chunks are below 4 GiB.
#[inline]
pub fn span(from: usize, to: usize) -> Span {
    Span { start: from as u32, len: (to - from) as u32 }
}
