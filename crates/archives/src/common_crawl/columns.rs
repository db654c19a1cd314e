//! Common Crawl's columnar index as data: its columns in order, and the fields of each format that they are made from.
//! Types and nullability are those of `cc-index-schema-flat.json` in its cc-index-table; columns that are never null in
//! its data are not nullable here.

use arrow_schema::{DataType, Field, TimeUnit};
use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;
use urimill_columns::batch::{Column, Columns};

/// A column of Common Crawl's columnar index.
#[derive(Debug, Clone, Copy)]
pub struct ForeignColumn {
    /// The name of the column.
    pub name: &'static str,
    /// Whether the column may be null.
    pub nullable: bool,
    /// The meaning of the column, in one sentence.
    pub meaning: &'static str,
    pub(super) kind: Kind,
    pub(super) source: Source,
}

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Int16,
    Int32,
    /// An offset in a file: 32 bits, or 64 on request.
    Place,
    Time,
}

/// The source of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// A column of urimill's own table, unchanged.
    Own(Column),
    /// The host as a domain name, or as it is if it is not a domain.
    HostName,
    /// The scheme in lower case.
    Protocol,
    /// A label of the host, counted from the right from 0.
    Part(usize),
    /// A field of the records.
    Field,
    /// A field without its prefix `sha1:`.
    Digest,
    /// A part of the file's name.
    Segment,
}

impl ForeignColumn {
    /// Whether it is made from the URI, which every format has.
    pub(super) fn is_of_url(&self) -> bool {
        !matches!(self.source, Source::Field | Source::Digest | Source::Segment)
    }

    /// The column whose field it is made from.
    pub(super) fn made_of(&self) -> &'static str {
        if self.source == Segment { FILENAME } else { self.name }
    }

    /// Its type in batches, where strings are views.
    pub(super) fn data_type(&self, wide_offsets: bool) -> DataType {
        match self.kind {
            Kind::Text => DataType::Utf8View,
            Kind::Int16 => DataType::Int16,
            Kind::Place if wide_offsets => DataType::Int64,
            Kind::Int32 | Kind::Place => DataType::Int32,
            Kind::Time => DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
        }
    }

    /// Name, type and nullability; `wide_offsets` as [`super::Choices::wide_offsets`].
    pub fn field(&self, wide_offsets: bool) -> Field {
        Field::new(self.name, self.data_type(wide_offsets), self.nullable)
    }
}

const fn must(name: &'static str, kind: Kind, source: Source, meaning: &'static str) -> ForeignColumn {
    ForeignColumn { name, nullable: false, meaning, kind, source }
}

const fn may(name: &'static str, kind: Kind, source: Source, meaning: &'static str) -> ForeignColumn {
    ForeignColumn { name, nullable: true, meaning, kind, source }
}

pub(super) const FILENAME: &str = "warc_filename";

use Kind::{Int16, Int32, Place, Text, Time};
use Source::{Digest, HostName, Own, Part, Protocol, Segment};

/// The columns, in order.
pub const COLUMNS: [ForeignColumn; 30] = [
    must("url_surtkey", Text, Own(Column::Surt), "sort-friendly key of url"),
    must("url", Text, Own(Column::Uri), "the URI as read; its target if there is a base"),
    must("url_host_name", Text, HostName, "host in ASCII and lower case, without a dot at its end"),
    may(
        "url_host_tld",
        Text,
        Own(Column::Tld),
        "last label of the host; null for addresses, as all its parts",
    ),
    may("url_host_2nd_last_part", Text, Part(1), "the label before it"),
    may("url_host_3rd_last_part", Text, Part(2), "the one before"),
    may("url_host_4th_last_part", Text, Part(3), "the one before"),
    may("url_host_5th_last_part", Text, Part(4), "the one before"),
    may(
        "url_host_registry_suffix",
        Text,
        Own(Column::PublicSuffix),
        "suffix by the ICANN section of the public suffix list",
    ),
    may("url_host_registered_domain", Text, Own(Column::RegisteredDomain), "that and one label more"),
    may("url_host_private_suffix", Text, Own(Column::PrivateSuffix), "suffix by both sections of the list"),
    may("url_host_private_domain", Text, Own(Column::PrivateDomain), "that and one label more"),
    may("url_host_name_reversed", Text, Own(Column::HostReversed), "labels from the right: com.example.www"),
    must("url_protocol", Text, Protocol, "scheme in lower case"),
    may("url_port", Int32, Own(Column::Port), "port as written, up to 65535"),
    must("url_path", Text, Own(Column::Path), "path as written in url"),
    may("url_query", Text, Own(Column::Query), "query as written in url, without its ?"),
    must("fetch_time", Time, Source::Field, "when it was fetched"),
    must("fetch_status", Int16, Source::Field, "status of the response"),
    may("fetch_redirect", Text, Source::Field, "where it redirects to"),
    may("content_digest", Text, Digest, "digest of the content, SHA-1 without the prefix sha1:"),
    may("content_mime_type", Text, Source::Field, "media type stated by the server"),
    may("content_mime_detected", Text, Source::Field, "media type as it looks"),
    may("content_charset", Text, Source::Field, "character set"),
    may("content_languages", Text, Source::Field, "languages, separated by commas"),
    may("content_truncated", Text, Source::Field, "why the content was truncated, if it was"),
    must(FILENAME, Text, Source::Field, "file that holds the record"),
    must("warc_record_offset", Place, Source::Field, "byte of the file at which the record begins"),
    must("warc_record_length", Place, Source::Field, "its length there in bytes"),
    must("warc_segment", Text, Segment, "the text after /segments/ in warc_filename; empty if there is none"),
];

/// The columns of the batches that are moved or read for these, without fields.
pub(super) fn made_of() -> Columns {
    let unchanged = COLUMNS.iter().filter_map(|column| match column.source {
        Own(column) => Some(column),
        _ => None,
    });
    // These describe a row that does not fit.
    let others = [Column::Record, Column::Scheme, Column::Host, Column::HostAscii, Column::HostParts];
    Columns::new(unchanged.chain(others))
}

/// By column of the table, the fields of a format that it is made from, by the names of their columns: the first one
/// that has a value is used.
pub(super) type FormatFields = &'static [(&'static str, &'static [&'static str])];

const CDX: FormatFields = &[
    ("fetch_time", &["time"]),
    ("fetch_status", &["status"]),
    ("fetch_redirect", &["redirect"]),
    ("content_digest", &["digest"]),
    ("content_mime_type", &["mime"]),
    (FILENAME, &["filename"]),
    ("warc_record_offset", &["file_offset"]),
    ("warc_record_length", &["length"]),
];

const CDXJ: FormatFields = &[
    ("fetch_time", &["time"]),
    ("fetch_status", &["status"]),
    ("fetch_redirect", &["redirect"]),
    ("content_digest", &["digest"]),
    ("content_mime_type", &["mime"]),
    ("content_mime_detected", &["mime_detected"]),
    ("content_charset", &["charset"]),
    ("content_languages", &["languages"]),
    ("content_truncated", &["truncated"]),
    (FILENAME, &["filename"]),
    ("warc_record_offset", &["file_offset"]),
    ("warc_record_length", &["length"]),
];

/// A request that failed before it was fetched has no fetch time, only the time of its line.
const HERITRIX: FormatFields = &[
    ("fetch_time", &["fetch_time", "time"]),
    ("fetch_status", &["status"]),
    ("content_digest", &["digest"]),
    ("content_mime_type", &["mime"]),
];

const CLF: FormatFields = &[("fetch_time", &["time"]), ("fetch_status", &["status"])];

/// Fields of the archive itself.
const WARC: FormatFields = &[
    ("fetch_time", &["warc_date"]),
    ("fetch_status", &["http_status"]),
    ("content_digest", &["warc_payload_digest"]),
    ("content_mime_type", &["payload_type"]),
    ("content_mime_detected", &["warc_identified_payload_type"]),
    (FILENAME, &["filename"]),
    ("warc_record_offset", &["record_offset"]),
    ("warc_record_length", &["record_length"]),
];

/// Fields of an extract: the positions of the records that it describes.
const WAT: FormatFields = &[
    ("fetch_time", &["warc_date"]),
    ("fetch_status", &["http_status"]),
    ("content_digest", &["warc_payload_digest"]),
    ("content_mime_type", &["payload_type"]),
    ("content_mime_detected", &["warc_identified_payload_type"]),
    (FILENAME, &["container_filename"]),
    ("warc_record_offset", &["container_offset"]),
    ("warc_record_length", &["container_length"]),
];

const ARC: FormatFields = &[
    ("fetch_time", &["time"]),
    ("fetch_status", &["http_status"]),
    ("content_digest", &["checksum"]),
    ("content_mime_type", &["mime"]),
    (FILENAME, &["filename"]),
    ("warc_record_offset", &["record_offset"]),
    ("warc_record_length", &["record_length"]),
];

/// The formats whose fields are known.
const FORMATS: [(&str, FormatFields); 8] = [
    ("cdx", CDX),
    ("cdxj", CDXJ),
    ("heritrix", HERITRIX),
    ("clf", CLF),
    ("warc", WARC),
    ("wat", WAT),
    ("wacz", WARC),
    ("arc", ARC),
];

/// The fields of a format that the table uses; none for a format without fixed fields.
pub(super) fn fields_of(format: &str) -> FormatFields {
    FORMATS.iter().find(|(name, _)| *name == format).map_or(&[], |(_, fields)| fields)
}

/// Returns the names of the fields from which the table is made.
pub fn needed(format: &str) -> impl Iterator<Item = &'static str> {
    fields_of(format).iter().flat_map(|(_, fields)| fields.iter().copied())
}

/// Returns the required columns that records of a format have no value for.
pub fn lacking(format: &str) -> impl Iterator<Item = &'static ForeignColumn> {
    let fields = fields_of(format);
    let has = |name: &str| fields.iter().any(|(column, _)| *column == name);
    COLUMNS.iter().filter(move |column| !column.nullable && !column.is_of_url() && !has(column.made_of()))
}

/// Checks that records of a format can make rows of the table.
///
/// # Errors
/// Usage: required columns are [`lacking`], and `fill` is not set.
pub fn check(format: &str, fill: bool) -> Result<()> {
    let names: Vec<&str> = lacking(format).map(|column| column.name).collect();
    if fill || names.is_empty() {
        return Ok(());
    }
    Err(Error::usage(format!(
        "{format} cannot tell what the columns {} of cc-index must have: {} writes empty strings, 0 and \
         1970-01-01 there",
        names.join(", "),
        OptionName::Fill.named()
    )))
}

/// Crawl, segment and subset from a path of Common Crawl, or of an archive with the same layout:
/// `crawl-data/CC-MAIN-2018-05/segments/1516084886237.6/warc/…`.
pub(super) struct OfFile<'a> {
    pub(super) crawl: Option<&'a str>,
    pub(super) segment: Option<&'a str>,
    pub(super) subset: Option<&'a str>,
}

const SEGMENTS: &str = "/segments/";

pub(super) fn of_file(name: &str) -> OfFile<'_> {
    let Some((before, behind)) = name.split_once(SEGMENTS) else {
        return OfFile { crawl: None, segment: None, subset: None };
    };
    let crawl = before.rsplit('/').next().filter(|name| !name.is_empty());
    let mut behind = behind.split('/');
    let segment = behind.next();
    let subset = behind.next().filter(|name| !name.is_empty());
    // The part without a slash after it is the file itself.
    OfFile { crawl, segment, subset: subset.filter(|_| behind.next().is_some()) }
}
