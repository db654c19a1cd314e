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

mod amplified;
pub(crate) mod arc;
mod asked;
mod auto;
pub(super) mod base;
mod beginning;
mod burp;
mod cdx;
mod cdxj;
mod comment;
mod csv;
mod cut;
mod detect;
mod feed;
pub(crate) mod fields;
mod first_lines;
mod framed;
mod framed_record;
pub(super) mod framing;
mod har;
mod heritrix;
mod host;
mod input_format;
mod json;
mod jsonl;
pub(crate) mod keep;
mod lines;
mod log;
mod made_uris;
mod nutch;
pub(super) mod pages;
mod quotes;
mod record_format;
mod record_types;
pub(crate) mod request;
mod robots;
mod short_search;
mod sitemap;
mod stop;
pub(super) mod tables;
pub(crate) mod template;
pub(crate) mod warc;
mod words;
mod xml;

use std::str::FromStr;

pub(crate) use arc::index_words as arc_words;
pub use asked::Asked;
pub use comment::Comment;
pub use csv::Resumed;
pub use fields::{Field, Header, Layout, UriSource};
pub use input_format::InputFormat;
pub use keep::{FieldSpec, Keep};
pub use log::{has_named_fields, log_columns, log_formats};
pub use pages::{PageCounts, PageKind, PageReader, Pages};
pub use record_format::{Beginning, Blocks, First, Format, RecordFormat};
pub use record_types::RecordTypes;
pub use stop::Stop;
pub use template::Template;

use cut::log_line;
pub use cut::{Behind, Cut};
pub use detect::{Contents, Mail};
pub(crate) use detect::{GAP, holds_uris, no_lines};
pub(crate) use quotes::quoted_text;
pub(super) use xml::base_of_tag;

use crate::error::{Error, Result};
use crate::option_name::OptionName;
use crate::simd::Span;

/// The most bytes of an input that a format may need, whatever the size of chunks.
pub(super) const BEGINNING: usize = 64 << 10;

macro_rules! formats {
    ($($format:ident = $row:path;)*) => {
        #[allow(non_upper_case_globals, reason = "they are used as the variants of an enum are")]
        impl InputFormat {
            $(/// See [`InputFormat::meaning`].
            pub const $format: InputFormat = $row;)*
        }

        /// The formats, in the order in which help texts list them. An input that looks equally like two formats is in
        /// the later one.
        static FORMATS: &[InputFormat] = &[$($row),*];
    };
}

formats! {
    Lines = lines::ROW;
    Csv = csv::format::CSV;
    Tsv = csv::format::TSV;
    Heritrix = heritrix::ROW;
    Cdx = cdx::ROW;
    Cdxj = cdxj::ROW;
    Clf = log::access::ROW;
    Jsonl = jsonl::ROW;
    Warc = warc::WARC;
    Wat = warc::WAT;
    Wacz = warc::WACZ;
    Arc = arc::ROW;
    Sitemap = sitemap::ROW;
    Feed = feed::ROW;
    Burp = burp::ROW;
    Robots = robots::ROBOTS;
    Har = har::ROW;
    Json = framed::ARRAY;
    Nutch = nutch::ROW;
    Seeds = robots::SEEDS;
    Scrapy = auto::SCRAPY;
    Parquet = tables::PARQUET_ROW;
    Arrow = tables::ARROW_ROW;
    Auto = auto::ROW;
}

impl InputFormat {
    /// A log that a format string describes.
    pub(crate) const DESCRIBED: InputFormat = log::DESCRIBED;

    /// Every format, in the order in which help texts list them: those of logs with a definition come last.
    pub fn all() -> impl Iterator<Item = InputFormat> {
        FORMATS.iter().copied().chain(log::rows())
    }

    /// The formats whose inputs all have the same fields.
    pub fn with_fields() -> impl Iterator<Item = InputFormat> {
        FORMATS.iter().copied().filter(|format| !format.fields().is_empty())
    }
}

impl Default for InputFormat {
    fn default() -> InputFormat {
        InputFormat::Auto
    }
}

impl FromStr for InputFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        InputFormat::all().find(|format| format.name() == name).ok_or_else(|| {
            let names: Vec<_> = InputFormat::all().map(InputFormat::name).collect();
            Error::usage(format!(
                "{} is unknown: use one of {}",
                OptionName::Format.with(name),
                names.join(", ")
            ))
        })
    }
}

/// The end of a line's text if its line ends at `newline`: a carriage return before it is not part of it. Without a
/// newline there (at the end of the source) the carriage return is part of it.
#[inline]
fn line_end(bytes: &[u8], start: usize, newline: usize) -> usize {
    let has_return = newline < bytes.len() && newline > start && bytes[newline - 1] == b'\r';
    newline - usize::from(has_return)
}

#[inline]
fn span(from: usize, to: usize) -> Span {
    Span { start: from as u32, len: (to - from) as u32 }
}
