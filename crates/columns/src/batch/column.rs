//! The columns of urimill's table: one row each for the name, the type, the layout in Parquet, the source of its values
//! and the meaning.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields};
use urimill_base::error::Result;

/// A column of urimill's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Column {
    /// Number of the record in its source.
    Record,
    /// The normal form.
    Uri,
    /// The text as read, if it differs.
    Raw,
    /// Section 3.1.
    Scheme,
    /// Section 3.2.1.
    Userinfo,
    /// Section 3.2.2.
    Host,
    /// The kind of the host.
    HostKind,
    /// Section 3.2.3, as a number.
    Port,
    /// Section 3.3.
    Path,
    /// Section 3.4.
    Query,
    /// Section 3.5.
    Fragment,
    /// A set of bits.
    Flags,
    /// Why the record was rejected.
    Error,
    /// Its byte offset.
    ErrorOffset,
    /// The bytes as read, if they are not UTF-8.
    RawBytes,
    /// The name of the source.
    Source,
    /// Byte offset of the record in its source.
    Offset,
    /// A hash of the normal form.
    Fingerprint,
    /// The address of the host.
    HostAddress,
    /// The host as a name of the DNS.
    HostAscii,
    /// That name in Unicode.
    HostUnicode,
    /// Its labels from the right, with dots between.
    HostReversed,
    /// Its labels from the right, as a list.
    HostParts,
    /// Its last label.
    Tld,
    /// Its suffix by the registries' section of the public suffix list.
    PublicSuffix,
    /// That suffix and one label.
    RegisteredDomain,
    /// Its suffix by the whole list.
    PrivateSuffix,
    /// That suffix and one label.
    PrivateDomain,
    /// The key in indexes of web archives.
    Surt,
    /// A canonical form by the rules of another tool.
    Canonical,
    /// The parameters of the query, decoded.
    QueryParams,
    /// The same as written.
    QueryParamsRaw,
    /// The parameters of the path's segments, decoded.
    PathParams,
    /// The base that the reference was resolved against.
    Base,
    /// The names of the flags that are set, as a list.
    FlagNames,
    /// The URL by the URL Standard.
    WhatwgUri,
    /// Its host.
    WhatwgHost,
    /// The differences between the URL Standard and the RFC, as a list of names.
    Disagreement,
    /// The URI with its values replaced by placeholders.
    Template,
    /// The crawler trap that the URI shows.
    Trap,
    /// The extension of its path.
    FileType,
    /// The position of the colon after the scheme in the normal form, and so on: see
    /// [`Split`](urimill_uri::simd::Split).
    SchemeEnd,
    /// The first byte of the host.
    HostStart,
    /// The end of the host.
    HostEnd,
    /// The first byte of the path.
    PathStart,
    /// The end of the path.
    PathEnd,
    /// The end of the query.
    QueryEnd,
}

use Column::*;

/// How a column is encoded in a Parquet file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Few distinct values: each is stored once and numbered. Readers filter by these columns, so pages have
    /// statistics.
    Dictionary,
    /// The same for lists, without statistics: the minimum and maximum of all their elements prune nothing.
    List,
    /// Long texts, and hashes, which do not repeat. In a log every page spans the whole alphabet: statistics would let
    /// no reader skip anything, and computing them takes 4 % of the writing time.
    Text,
    /// The same with statistics: columns that tables are sorted by and pages are found by.
    Key,
    /// Numbers that ascend, or nearly so, and numbers near each other.
    Counter,
}

/// The type in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Text,
    Bytes,
    Int32,
    Int64,
    /// A list of texts.
    Labels,
    /// A list of names and values.
    Params,
    /// The same with the numbers of segments.
    PathParams,
}

/// The texts that values are made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Values {
    /// The record and its reference, without hidden user information.
    Clean,
    /// The domain of the reference's host.
    Domain,
    /// The reference before normalization.
    Before,
    /// Texts that may still have user information to hide.
    Unclean,
}

/// The definition of a column.
struct Definition {
    column: Column,
    name: &'static str,
    data_type: Type,
    marks: u8,
    layout: Layout,
    values: Values,
    meaning: &'static str,
}

/// Marks: the column has a value in every row, or not in every one.
const REQUIRED: u8 = 0;
const NULLABLE: u8 = 1;
/// It can be the key of distinct records: it has texts or numbers that depend on the URI.
const KEY: u8 = 2;
/// It has many distinct values, whose encoding takes long.
const COSTLY: u8 = 4;

const fn row(
    column: Column,
    name: &'static str,
    data_type: Type,
    marks: u8,
    layout: Layout,
    values: Values,
    meaning: &'static str,
) -> Definition {
    Definition { column, name, data_type, marks, layout, values, meaning }
}

/// All columns in the order of [`Column`]: the default table first, then the optional ones.
#[rustfmt::skip]
const TABLE: [Definition; 47] = [
    row(Record, "record", Type::Int64, REQUIRED, Layout::Counter, Values::Clean, "number of the record in its source, from 1; blank lines count, headers do not"),
    row(Uri, "uri", Type::Text, NULLABLE | COSTLY, Layout::Text, Values::Clean, "the normal form; for a reject the text as read"),
    row(Raw, "raw", Type::Text, NULLABLE | COSTLY, Layout::Text, Values::Clean, "the text as read, if it differs from uri"),
    row(Scheme, "scheme", Type::Text, NULLABLE | KEY, Layout::Dictionary, Values::Clean, "scheme without its colon (RFC 3986, 3.1)"),
    row(Userinfo, "userinfo", Type::Text, NULLABLE | KEY, Layout::Dictionary, Values::Clean, "user information without its @ (3.2.1)"),
    row(Host, "host", Type::Text, NULLABLE | KEY | COSTLY, Layout::Dictionary, Values::Clean, "host, an IP literal with its brackets (3.2.2); empty if the authority has an empty host"),
    row(HostKind, "host_kind", Type::Text, NULLABLE | KEY, Layout::Dictionary, Values::Clean, "dns_name, reg_name, ipv4, ipv6 or ipvfuture"),
    row(Port, "port", Type::Int32, NULLABLE | KEY, Layout::Dictionary, Values::Clean, "the explicit port as a number; null if there is none or it is above 65535 (3.2.3)"),
    row(Path, "path", Type::Text, NULLABLE | KEY | COSTLY, Layout::Text, Values::Clean, "path (3.3); empty, never null, except for a reject"),
    row(Query, "query", Type::Text, NULLABLE | KEY | COSTLY, Layout::Text, Values::Clean, "query without its ? (3.4)"),
    row(Fragment, "fragment", Type::Text, NULLABLE | KEY, Layout::Text, Values::Clean, "fragment without its # (3.5)"),
    row(Flags, "flags", Type::Int32, REQUIRED, Layout::Dictionary, Values::Clean, "warnings and changes: a set of bits, see below"),
    row(Error, "error", Type::Text, NULLABLE, Layout::Dictionary, Values::Clean, "why the record is no URI reference; null for a valid one"),
    row(ErrorOffset, "error_offset", Type::Int32, NULLABLE, Layout::Dictionary, Values::Clean, "position of the first byte that cannot be right; the length if something is missing"),
    row(RawBytes, "raw_bytes", Type::Bytes, NULLABLE, Layout::Text, Values::Clean, "the bytes as read, if they are not UTF-8"),
    row(Source, "source", Type::Text, REQUIRED, Layout::Dictionary, Values::Clean, "name of the input"),
    row(Offset, "offset", Type::Int64, REQUIRED, Layout::Counter, Values::Clean, "byte offset of the record in its decompressed source"),
    row(Fingerprint, "fingerprint", Type::Int64, NULLABLE | KEY, Layout::Text, Values::Clean, "XXH3-64 of uri, as the 64 bits of a signed integer"),
    row(HostAddress, "host_address", Type::Text, NULLABLE | KEY, Layout::Dictionary, Values::Clean, "the address that the host means, IPv4 in its rare forms (7.4) too, IPv6 by RFC 5952; null for a name"),
    row(HostAscii, "host_ascii", Type::Text, NULLABLE | KEY | COSTLY, Layout::Dictionary, Values::Domain, "the host as a domain name in ASCII (IDNA), lower case, without a trailing dot; null if it is none"),
    row(HostUnicode, "host_unicode", Type::Text, NULLABLE | KEY | COSTLY, Layout::Dictionary, Values::Domain, "that name with its internationalized labels in Unicode"),
    row(HostReversed, "host_reversed", Type::Text, NULLABLE | KEY | COSTLY, Layout::Dictionary, Values::Domain, "its labels from the right, joined by dots: com.example.www"),
    row(HostParts, "host_parts", Type::Labels, NULLABLE | COSTLY, Layout::List, Values::Domain, "its labels from the right, as a list; in CSV joined by |"),
    row(Tld, "tld", Type::Text, NULLABLE | KEY, Layout::Dictionary, Values::Domain, "its last label"),
    row(PublicSuffix, "public_suffix", Type::Text, NULLABLE | KEY, Layout::Dictionary, Values::Domain, "its suffix by the ICANN section of the public suffix list"),
    row(RegisteredDomain, "registered_domain", Type::Text, NULLABLE | KEY | COSTLY, Layout::Dictionary, Values::Domain, "public_suffix and one label more; null if the name has no more"),
    row(PrivateSuffix, "private_suffix", Type::Text, NULLABLE | KEY, Layout::Dictionary, Values::Domain, "its longest suffix by both sections of the list: github.io too"),
    row(PrivateDomain, "private_domain", Type::Text, NULLABLE | KEY | COSTLY, Layout::Dictionary, Values::Domain, "private_suffix and one label more; null if the name has no more"),
    row(Surt, "surt", Type::Text, NULLABLE | KEY | COSTLY, Layout::Key, Values::Before, "key of the reference in CDX(J) indexes, for sorting: com,example)/a; null without a scheme"),
    row(Canonical, "canonical", Type::Text, NULLABLE | KEY | COSTLY, Layout::Text, Values::Before, "the form of the reference that the option canonical names; null where that has none"),
    row(QueryParams, "query_params", Type::Params, NULLABLE | COSTLY, Layout::List, Values::Unclean, "the parameters of query, decoded as HTML forms are, in order; value is null without =; in CSV as JSON"),
    row(QueryParamsRaw, "query_params_raw", Type::Params, NULLABLE | COSTLY, Layout::List, Values::Unclean, "the same parameters as written"),
    row(PathParams, "path_params", Type::PathParams, NULLABLE | COSTLY, Layout::List, Values::Clean, "the parameters of path, ;key=value (RFC 2396, 3.3), triplets decoded, with the number of their segment"),
    row(Base, "base", Type::Text, NULLABLE | KEY | COSTLY, Layout::Dictionary, Values::Unclean, "the base of the reference, in normal form without a fragment; an invalid base as read"),
    row(FlagNames, "flag_names", Type::Labels, KEY, Layout::List, Values::Clean, "the names of the flags that are set, as a list, empty if there are none; in CSV joined by |"),
    row(WhatwgUri, "whatwg_uri", Type::Text, NULLABLE | KEY, Layout::Text, Values::Unclean, "the URL by the WHATWG URL Standard, serialized; null where the text has none"),
    row(WhatwgHost, "whatwg_host", Type::Text, NULLABLE | KEY, Layout::Dictionary, Values::Clean, "the host of that URL, an IPv6 address with its brackets; null if it has none"),
    row(Disagreement, "disagreement", Type::Labels, KEY, Layout::List, Values::Clean, "what the URL Standard and the RFC see differently, as a list of names, empty if nothing; in CSV joined by |"),
    row(Template, "template", Type::Text, NULLABLE | KEY, Layout::Dictionary, Values::Clean, "uri with placeholders for values, by their form: //example.com/product/{number}; without http and https"),
    row(Trap, "trap", Type::Text, NULLABLE | KEY, Layout::Dictionary, Values::Clean, "the crawler trap that uri shows by itself (docs/TRAPS.md); null if none"),
    row(FileType, "file_type", Type::Text, NULLABLE | KEY, Layout::Dictionary, Values::Clean, "what follows the last dot of the last segment of path, in lower case: 1 to 8 letters or digits; null if nothing does"),
    row(SchemeEnd, "scheme_end", Type::Int32, NULLABLE, Layout::Counter, Values::Clean, "where the scheme ends in uri: the position of its colon, in bytes from 0; null without a scheme"),
    row(HostStart, "host_start", Type::Int32, NULLABLE, Layout::Counter, Values::Clean, "where the host begins in uri, behind user information and its @; null without an authority"),
    row(HostEnd, "host_end", Type::Int32, NULLABLE, Layout::Counter, Values::Clean, "where the host ends in uri: the position of the port's colon, if there is one; null without an authority"),
    row(PathStart, "path_start", Type::Int32, NULLABLE, Layout::Counter, Values::Clean, "where the path begins in uri; never null, except for a reject"),
    row(PathEnd, "path_end", Type::Int32, NULLABLE, Layout::Counter, Values::Clean, "where the path ends in uri: the position of the ?, if there is a query; never null, except for a reject"),
    row(QueryEnd, "query_end", Type::Int32, NULLABLE, Layout::Counter, Values::Clean, "where the query ends in uri: the position of the #, if there is a fragment; null without a query"),
];

/// The layouts of columns in other tables than urimill's own: those of `dedupe`, fields of logs by the names that their
/// formats give them, and Common Crawl's table, with dictionaries where its own files have them.
#[rustfmt::skip]
const OTHER_TABLES: [(Layout, u8, &[&str]); 6] = [
    (Layout::Dictionary, COSTLY, &[
        "source_tag", "via", "annotations", "url_host_name", "url_host_registered_domain",
        "url_host_private_domain", "url_host_name_reversed", "warc_filename",
    ]),
    (Layout::Dictionary, 0, &[
        "key", "records", "distinct", "merged", "first_source", "status", "mime", "vhost", "vhost_port",
        "hop_path", "thread", "field_errors", "url_host_tld", "url_host_2nd_last_part",
        "url_host_3rd_last_part", "url_host_4th_last_part", "url_host_5th_last_part",
        "url_host_registry_suffix", "url_host_private_suffix", "url_protocol", "url_port", "fetch_status",
        "fetch_redirect", "content_mime_type", "content_mime_detected", "content_charset",
        "content_languages", "content_truncated", "warc_record_length", "warc_segment", "crawl", "subset",
    ]),
    (Layout::Counter, 0, &[
        "first_record", "time", "fetch_time", "fetch_ms", "size", "length", "file_offset",
    ]),
    (Layout::Key, COSTLY, &["urlkey", "url_surtkey"]),
    (Layout::Key, 0, &["timestamp", "warc_record_offset"]),
    (Layout::Text, COSTLY, &["digest", "extra", "url", "url_path", "url_query", "content_digest"]),
];

impl Layout {
    /// The layout of the columns with this name in any table, and whether they have many distinct values, which take
    /// long to encode; `None` for other names.
    pub fn of(name: &str) -> Option<(Layout, bool)> {
        let own = TABLE.iter().find(|row| row.name == name).map(|row| (row.layout, row.marks));
        let other = || OTHER_TABLES.iter().find(|(.., names)| names.contains(&name));
        let found = own.or_else(|| other().map(|&(layout, marks, _)| (layout, marks)));
        found.map(|(layout, marks)| (layout, marks & COSTLY != 0))
    }
}

impl Column {
    /// All columns: the default table first, in its order, then the optional ones.
    pub const ALL: [Column; TABLE.len()] = {
        let mut all = [Record; TABLE.len()];
        let mut at = 0;
        while at < all.len() {
            // A column is found by its number.
            assert!(TABLE[at].column as usize == at, "the table has another order than the columns");
            all[at] = TABLE[at].column;
            at += 1;
        }
        all
    };

    /// The number of columns of [`Column::ALL`] in the default table.
    pub(super) const DEFAULT: usize = 15;

    const fn definition(self) -> &'static Definition {
        &TABLE[self as usize]
    }

    /// Returns the name of the column.
    pub const fn as_str(self) -> &'static str {
        self.definition().name
    }

    /// Returns the type in memory: strings are views. Files have plain `Utf8` and `Binary` instead.
    pub fn data_type(self) -> DataType {
        match self.definition().data_type {
            Type::Text => DataType::Utf8View,
            Type::Bytes => DataType::BinaryView,
            Type::Int32 => DataType::Int32,
            Type::Int64 => DataType::Int64,
            Type::Labels => DataType::List(label_field()),
            Type::Params => DataType::List(param_field()),
            Type::PathParams => DataType::List(path_param_field()),
        }
    }

    /// Whether the column with this name has lists of labels and of names, which hold no `|`.
    pub fn has_labels(name: &str) -> bool {
        TABLE.iter().any(|row| row.name == name && row.data_type == Type::Labels)
    }

    /// Whether it is derived from the domain that the host names.
    pub(super) fn tells_of_domain(self) -> bool {
        self.definition().values == Values::Domain
    }

    /// Whether it is derived from the reference before the ladder.
    pub(super) fn is_of_reference(self) -> bool {
        self.definition().values == Values::Before
    }

    /// Whether it may still have user information to hide.
    pub(super) fn is_unclean(self) -> bool {
        self.definition().values == Values::Unclean
    }

    /// Returns whether the column may be null.
    pub const fn is_nullable(self) -> bool {
        self.definition().marks & NULLABLE != 0
    }

    /// Whether it can be the key of distinct records.
    pub const fn is_key(self) -> bool {
        self.definition().marks & KEY != 0
    }

    /// Returns the meaning of the column, in one sentence.
    pub const fn meaning(self) -> &'static str {
        self.definition().meaning
    }

    pub(super) fn find(name: &str) -> Result<Column> {
        Self::ALL.into_iter().find(|column| column.as_str() == name).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|column| column.as_str()).collect();
            let meant = urimill_base::error::did_you_mean(name, names.iter().copied());
            urimill_base::error::Error::usage(format!(
                "there is no column {name:?}{meant}: choose from {}",
                names.join(", ")
            ))
        })
    }
}

/// The field of the lists of `host_parts` and `flag_names`. Parquet calls it their element.
pub(super) fn label_field() -> FieldRef {
    Arc::new(Field::new("element", DataType::Utf8View, false))
}

/// The field of the lists of `query_params` and `query_params_raw`.
pub(super) fn param_field() -> FieldRef {
    Arc::new(Field::new("element", DataType::Struct(param_fields()), false))
}

/// Name and value of a parameter.
pub(super) fn param_fields() -> Fields {
    let text = |name, nullable| Field::new(name, DataType::Utf8View, nullable);
    Fields::from(vec![text("key", false), text("value", true)])
}

/// The field of the lists of `path_params`.
pub(super) fn path_param_field() -> FieldRef {
    Arc::new(Field::new("element", DataType::Struct(path_param_fields()), false))
}

/// The number of its segment, name and value of a parameter.
pub(super) fn path_param_fields() -> Fields {
    let segment = Arc::new(Field::new("segment", DataType::Int32, false));
    [segment].into_iter().chain(param_fields().iter().cloned()).collect()
}
