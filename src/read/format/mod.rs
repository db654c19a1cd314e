//! The formats: what a record is, and where in it its URI is; one file per format. The chunker asks them where records
//! end, and the kernels split the URIs that a worker finds in a chunk.
//!
//! A format answers four questions. `begin`: what must be known about the input before the table has a schema? `cut`:
//! where does the last whole record of a buffer end? The chunker asks this for one chunk after the other, so it does no
//! more than it must. `open`: what does a source begin with, and which fields does that name? `read`: where are the
//! URIs of these records? This is most of the work, and each worker does it for its own chunk, with the same result as
//! for the whole source.
//!
//! A table's format answers other questions: which columns are there, and what are their next rows?

mod amplified;
pub(crate) mod arc;
mod auto;
pub(super) mod base;
pub(in crate::read) mod beginning;
mod cdx;
mod cdxj;
mod clf;
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
mod json;
mod jsonl;
pub(crate) mod keep;
mod lines;
mod log;
mod making;
mod near;
mod nutch;
pub(super) mod pages;
mod quotes;
mod record_types;
pub(crate) mod request;
mod robots;
mod sitemap;
mod stop;
pub(super) mod tables;
pub(crate) mod template;
pub(crate) mod warc;
mod words;
mod xml;

pub(crate) use arc::index_words as arc_words;
pub use auto::Auto;
pub use base::Within;
pub use cdx::Cdx;
pub use cdxj::Cdxj;
pub use clf::Clf;
pub use comment::Comment;
pub use csv::Delimited;
pub(super) use csv::Resumed;
pub use fields::{Field, Fields, Header, Layout, UriSource};
pub use framed::Framed;
pub use heritrix::Heritrix;
pub use jsonl::Jsonl;
pub use keep::{FieldSpec, Keep};
pub use log::{Log, has_named_fields, log_columns, log_formats};
pub use pages::{Kind as PageKind, PageCounts, PageReader, Pages};
pub use record_types::RecordTypes;
pub use robots::CrawlList;
pub use stop::Stop;
pub use tables::TableFields;
pub use template::Template;
pub use warc::Warc;

use cut::log_line;
pub(super) use cut::{Behind, Cut};
pub use detect::{Contents, Mail};
pub(crate) use detect::{GAP, holds_uris, no_lines};
pub(super) use xml::base_of_tag;

use super::decode::wacz::Wanted;
use super::source::Source;
use super::temporary::TemporaryPlace;
use crate::batch::{ExtraColumns, Options};
use crate::error::{Error, Result};
use crate::simd::Span;
use framing::{Framing, Keeps};
use tables::TableKind;

/// How much of an input a format may have to see, whatever the size of chunks.
pub(super) const BEGINNING: usize = 64 << 10;

/// How records are read.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum Format {
    /// A line is a record and its URI. The kernels find both at once, so there is nothing to read before.
    #[default]
    Lines,
    /// The same with lines of comments between.
    CommentedLines(Comment),
    /// Fields with separators between: CSV and TSV.
    Delimited(Delimited),
    /// The crawl.log of Heritrix.
    Heritrix(Heritrix),
    /// The index of web archives.
    Cdx(Cdx),
    /// The same with JSON.
    Cdxj(Cdxj),
    /// The Common and the Combined Log Format of web servers.
    Clf(Clf),
    /// JSON Lines.
    Jsonl(Jsonl),
    /// A log that a row of the table of definitions describes.
    Log(Box<Log>),
    /// The files of web archives, and what was extracted from them.
    Warc(Warc),
    /// ARC files, sitemaps, feeds, HAR files, dumps of Nutch, arrays of JSON objects.
    Framed(Box<Framed>),
    /// robots.txt and lists of seeds.
    CrawlList(CrawlList),
    /// Pages, whose references are records.
    Pages(Box<Pages>),
    /// Parquet, which [`super::RecordSource`] reads, not a chunker.
    Parquet(Box<TableFields>),
    /// Arrow IPC, file or stream, which [`super::RecordSource`] reads, not a chunker.
    Arrow(Box<TableFields>),
    /// What the first source's beginning looks like.
    Auto(Box<Auto>),
}

/// The formats that know their fields, by name, with the columns that these get.
pub const KNOWN: [(&str, &[FieldSpec]); 12] = [
    ("heritrix", heritrix::KNOWN),
    ("cdx", cdx::KNOWN),
    ("cdxj", cdxj::KNOWN),
    ("clf", clf::KNOWN),
    ("warc", warc::KNOWN),
    ("wat", warc::KNOWN_WAT),
    ("arc", arc::KNOWN),
    ("sitemap", sitemap::KNOWN),
    ("feed", feed::KNOWN),
    ("har", har::KNOWN),
    ("nutch", nutch::KNOWN),
    ("seeds", robots::KNOWN_OF_SEEDS),
];

impl Format {
    /// A URI a line, perhaps with lines of comments between.
    pub fn lines(comment: Comment) -> Format {
        if comment.is_none() { Format::Lines } else { Format::CommentedLines(comment) }
    }

    /// Where the last whole record ends in `bytes`, which begin with a record; `None` if not even the first one ends
    /// there. No record ends in the first `searched` bytes. With [`Behind::End`] everything is whole. Not for formats
    /// with a [`Format::framing`]: their records are found before they are in a chunk.
    pub(super) fn cut(&self, bytes: &[u8], searched: usize, behind: Behind) -> Option<Cut> {
        match self {
            Format::Delimited(format) => quotes::cut(bytes, format.rule(), behind),
            Format::CrawlList(_) => robots::cut(bytes, searched, behind),
            _ => lines::cut(bytes, searched, behind),
        }
    }

    /// How its records are found if they are not lines, and the limit of records that are not held whole.
    pub(super) fn framing(&self) -> Option<(Framing, usize)> {
        match self {
            Format::Warc(format) => Some((Framing::Warc(format.keeps()), format.longest)),
            Format::Framed(format) => Some(format.framing()),
            Format::Pages(format) => Some(format.framing()),
            _ => None,
        }
    }

    /// Where the temporary files of records go that are not held in memory.
    pub(super) fn temporary_place(&self) -> TemporaryPlace {
        match self {
            Format::Pages(format) => format.temporary_place().clone(),
            Format::Warc(format) => format.blocks.clone().unwrap_or_default(),
            Format::Framed(format) => format.blocks.clone().unwrap_or_default(),
            _ => TemporaryPlace::default(),
        }
    }

    /// Which files of a WACZ file are read, if the format is one of those in it, or unknown.
    pub(super) fn in_wacz(&self) -> Option<Wanted> {
        match self {
            Format::Auto(_) => Some(Wanted::Archives),
            Format::Pages(format) if format.is_detected() => Some(Wanted::Archives),
            Format::Warc(format) => (format.name == "wacz").then_some(Wanted::Archives),
            Format::Cdxj(_) => Some(Wanted::Indexes),
            _ => None,
        }
    }

    /// Renames it after the WACZ file that it was found in, if `is_part`.
    pub(super) fn is_in_wacz(&mut self, is_part: bool) {
        if let Format::Warc(format) = self
            && is_part
        {
            format.name = "wacz";
        }
    }

    /// Whether what a source is its beginning says.
    pub(super) fn is_detected(&self) -> bool {
        match self {
            Format::Auto(_) => true,
            Format::Pages(format) => format.is_detected(),
            _ => false,
        }
    }

    /// Whether each source is one page, which has a URI of its own.
    pub(super) fn is_document(&self) -> bool {
        matches!(self, Format::Pages(format) if format.is_document())
    }

    /// Says which source is read, for pages: the URI of a file.
    pub(super) fn is_of(&mut self, source: &Source) {
        if let Format::Pages(format) = self
            && format.is_document()
        {
            format.of_file(source.file_uri());
        }
    }

    /// The fields of the records of a source that begins with `first`, one whole record or more; and the length of its
    /// header.
    pub(super) fn open(&self, first: &[u8], source: &str) -> Result<(Layout, usize)> {
        match self {
            Format::Delimited(format) => format.open(first, source),
            Format::Cdx(format) => format.open(first, source),
            Format::Log(format) => Ok(format.open(first)),
            _ => Ok((Layout::default(), 0)),
        }
    }

    /// Whether [`Format::begin`] needs the beginning.
    pub(super) fn wants_beginning(&self) -> bool {
        match self {
            Format::Auto(_) | Format::Log(_) | Format::Clf(_) => true,
            Format::Pages(_) => true,
            Format::Delimited(format) => format.wants_beginning(),
            _ => false,
        }
    }

    /// Learns what must be known before the input's records are read: the format itself, the names of fields. `first`
    /// are as many bytes as [`super::Chunker::begin`] reads; with `force_format` the input is read whatever it looks
    /// like.
    pub(super) fn begin(&mut self, first: &[u8], source: &str, force_format: bool) -> Result<()> {
        if let Format::Auto(auto) = self {
            *self = auto.settle(first, source, force_format)?;
        }
        match self {
            Format::Delimited(format) => format.begin(first, source),
            Format::Pages(format) => format.begin(first, source),
            Format::Log(format) => format.begin(first, source),
            Format::Clf(format) => {
                // After the prefix that a logger puts before each line.
                if let Some(detected) = log::fits("clf", first) {
                    *self =
                        Format::Log(Box::new(Log::detected(detected, &format.keep, None, (first, source))?));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The fields of the records that follow `bytes`, whose own `layout` are, if they differ.
    pub(super) fn reopen(&self, bytes: &[u8], layout: &Layout) -> Option<Layout> {
        match self {
            Format::Log(format) => format.reopen(bytes, layout),
            Format::Cdx(_) => Cdx::reopen(bytes, layout),
            _ => None,
        }
    }

    /// If the format is detected: selects all fields.
    pub(super) fn keeping_all(self) -> Format {
        match self {
            Format::Auto(auto) => Format::Auto(Box::new(Auto { keep: Keep::All, ..*auto })),
            other => other,
        }
    }

    /// If the format is detected: whether fields are wanted by name.
    pub(super) fn keeps_names(&self) -> bool {
        matches!(self, Format::Auto(auto) if matches!(auto.keep, Keep::Names(_)))
    }

    /// Whether something stands around each line that is taken off: a prefix of syslog, an object of Docker.
    pub fn unwraps(&self) -> bool {
        matches!(self, Format::Log(format) if format.unwraps())
    }

    /// Whether lines of comments may stand between the records: they count as blank lines do.
    pub fn has_comments(&self) -> bool {
        match self {
            Format::Log(format) => format.has_comments(),
            Format::Delimited(format) => format.has_comments(),
            Format::CommentedLines(_) => true,
            _ => false,
        }
    }

    /// Whether `bytes` contain only comments: the header has not come yet.
    pub(super) fn is_comments(&self, bytes: &[u8]) -> bool {
        matches!(self, Format::Delimited(format) if format.is_comments(bytes))
    }

    /// Its name on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Format::Lines | Format::CommentedLines(_) => "lines",
            Format::Delimited(format) => format.name(),
            Format::Heritrix(_) => "heritrix",
            Format::Cdx(_) => "cdx",
            Format::Cdxj(_) => "cdxj",
            Format::Clf(_) => "clf",
            Format::Jsonl(_) => "jsonl",
            Format::Log(format) => format.name(),
            Format::Warc(format) => format.name,
            Format::Framed(format) => format.name(),
            Format::CrawlList(format) => format.name(),
            Format::Pages(format) => format.name(),
            Format::Parquet(_) => "parquet",
            Format::Arrow(_) => "arrow",
            Format::Auto(_) => "auto",
        }
    }

    /// Whether an input that was read in this format is judged by its records. Others are proved before any record is
    /// read.
    pub fn is_judged(&self) -> bool {
        match self {
            Format::Lines | Format::CommentedLines(_) | Format::Auto(_) => true,
            Format::Delimited(_) | Format::Jsonl(_) | Format::CrawlList(_) => true,
            Format::Heritrix(_) | Format::Cdx(_) | Format::Cdxj(_) | Format::Clf(_) | Format::Log(_) => true,
            Format::Framed(format) => format.is_items() || format.name() == "nutch",
            Format::Warc(_) | Format::Pages(_) | Format::Parquet(_) | Format::Arrow(_) => false,
        }
    }

    /// Whether a record is a line, which has no form but that of a reference.
    pub fn is_lines(&self) -> bool {
        matches!(self, Format::Lines | Format::CommentedLines(_))
    }

    /// The name of a field that was asked for and that no record has; `seen` are the fields asked for by name that the
    /// records of an input had ([`crate::batch::Tally::seen`]).
    pub fn unseen(&self, seen: u64) -> Option<&str> {
        match self {
            Format::Jsonl(format) => format.unseen(seen),
            Format::Framed(format) => format.unseen(seen),
            _ => None,
        }
    }

    /// What `source` looks like, which begins with `first` and not like this format, and what to do: a clause.
    pub fn instead(&self, first: &[u8], source: &str) -> Option<String> {
        detect::instead(first, self.name())
            .map(|found| format!("it looks like {}: {}", found.what, found.advice_for(source)))
    }

    /// Where the first line that is not of this format stops to be, if its fields have fixed places.
    pub fn stop(&self, first: &[u8]) -> Option<Stop> {
        match self {
            Format::Log(format) => format.stop(first),
            Format::Clf(_) => first_lines::lines(first).find_map(clf::stop),
            _ => None,
        }
    }

    /// The sentence for an input, none of whose records has a field of this name.
    pub fn no_record_has(&self, name: &str, first: &[u8], source: &str) -> Error {
        let members = detect::members(first);
        let mut known = members.clone();
        known.extend(detect::members_within(first));
        let (names, meant) = (fields::list(&members), fields::meant(name.as_bytes(), &known));
        Error::usage(format!(
            "no record of {source} has a member {name:?}{meant}: the members of the first are {names}"
        ))
    }

    /// Whether sources must begin with a header.
    pub fn has_header(&self) -> bool {
        match self {
            Format::Delimited(format) => format.has_header(),
            _ => false,
        }
    }

    /// The same where chunks hold the blocks of web archives: see [`Chunk::blocks`](crate::read::Chunk::blocks). Texts
    /// that are too long for a chunk go to temporary files there.
    pub(crate) fn with_blocks(mut self, place: &TemporaryPlace) -> Format {
        match &mut self {
            Format::Warc(format) => format.blocks = Some(place.clone()),
            Format::Framed(format) if !format.is_items() => format.blocks = Some(place.clone()),
            _ => {}
        }
        self
    }

    /// The same where chunks hold what the index of a web archive has of its records: the headers of HTTP, and digests
    /// of payloads; with `posts` also what requests send, and then a request and its answer are in one chunk.
    pub fn indexing(mut self, posts: bool) -> Format {
        match &mut self {
            Format::Warc(format) => format.indexes = Some(Keeps::Index { posts }),
            Format::Framed(format) => format.indexes = Some(Keeps::Index { posts }),
            Format::Auto(auto) => auto.indexes = Some(posts),
            _ => {}
        }
        self
    }

    /// The same where documents have bases of their own, which are resolved with `options`.
    pub(crate) fn within(mut self, options: &Options) -> Format {
        match &mut self {
            Format::Framed(format) => format.within = Within::of(options),
            Format::Auto(auto) => auto.within = Within::of(options),
            _ => {}
        }
        self
    }

    /// Whether chunks hold the blocks of web archives.
    pub fn has_blocks(&self) -> bool {
        match self {
            Format::Warc(format) => format.blocks.is_some(),
            Format::Framed(format) => format.blocks.is_some(),
            _ => false,
        }
    }

    /// Whether its records are lines, rather than parts of containers, which begin with a magic number.
    pub(super) fn has_lines(&self) -> bool {
        self.framing().is_none() && !matches!(self, Format::Parquet(_) | Format::Arrow(_) | Format::Auto(_))
    }

    /// Whether it is text from beginning to end.
    pub(super) fn is_text(&self) -> bool {
        match self {
            Format::Warc(_) | Format::Parquet(_) | Format::Arrow(_) => false,
            Format::Framed(format) => format.name() != "arc",
            Format::Pages(format) => format.is_document(),
            _ => true,
        }
    }

    /// Whether line ends may be within quotes.
    pub(super) fn has_quotes(&self) -> bool {
        matches!(self, Format::Delimited(format) if format.rule().has_quotes)
    }

    /// The requested fields, if the format is one of tables.
    pub(super) fn table(&self) -> Option<(TableKind, TableFields)> {
        match self {
            Format::Parquet(fields) => Some((TableKind::Parquet, (**fields).clone())),
            Format::Arrow(fields) => Some((TableKind::Arrow, (**fields).clone())),
            _ => None,
        }
    }

    /// The fields beside the URI that pass through; of tables [`super::RecordSource::extra_columns`] knows.
    pub fn extra_columns(&self) -> ExtraColumns {
        match self {
            Format::Lines | Format::CommentedLines(_) | Format::Auto(_) => ExtraColumns::default(),
            Format::Parquet(_) | Format::Arrow(_) => ExtraColumns::default(),
            Format::Delimited(format) => format.extra_columns().clone(),
            Format::Jsonl(format) => format.extra_columns().clone(),
            Format::Log(format) => format.extra_columns().clone(),
            Format::Heritrix(format) => format.chosen.extra.clone(),
            Format::Cdx(format) => format.chosen.extra.clone(),
            Format::Cdxj(format) => format.chosen.extra.clone(),
            Format::Clf(format) => format.chosen.extra.clone(),
            Format::Warc(format) => format.chosen.extra.clone(),
            Format::Framed(format) => format.extra_columns().clone(),
            Format::CrawlList(format) => format.chosen.extra.clone(),
            Format::Pages(format) => format.extra_columns().clone(),
        }
    }
}

/// The end of a line's text if its line ends at `newline`: a carriage return before it is not part of it. Without a
/// newline there (at the end of the source) it is.
#[inline]
fn line_end(bytes: &[u8], start: usize, newline: usize) -> usize {
    let has_return = newline < bytes.len() && newline > start && bytes[newline - 1] == b'\r';
    newline - usize::from(has_return)
}

#[inline]
fn span(from: usize, to: usize) -> Span {
    Span { start: from as u32, len: (to - from) as u32 }
}
