//! The columns of urimill's table: one row each for the name, the type, the layout in Parquet and the meaning.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields};

use crate::error::Result;

/// A column of urimill's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Column {
    /// Number of the record in its source.
    Record,
    /// The normal form.
    Uri,
    /// The text as read, where it differs.
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
    /// The bytes as read, where they are not UTF-8.
    RawBytes,
    /// The name of the source.
    Source,
    /// Byte offset of the record in its source.
    Offset,
    /// A hash of the normal form.
    Fingerprint,
    /// The address that the host means.
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
    /// The key that indexes of web archives have.
    Surt,
    /// A canonical form by somebody else's rules.
    Canonical,
    /// The parameters of the query, decoded.
    QueryParams,
    /// The same as they are written.
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
    /// What the URL Standard and the RFC see differently, as a list of names.
    Disagreement,
    /// What is left when values give way to placeholders.
    Template,
    /// The crawler trap that it shows.
    Trap,
}

use Column::*;

/// How a column is encoded in a Parquet file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
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
    /// Numbers that ascend, or nearly so.
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

/// The definition of a column.
struct Definition {
    column: Column,
    name: &'static str,
    data_type: Type,
    is_nullable: bool,
    layout: Layout,
    meaning: &'static str,
}

const NULLABLE: bool = true;
const REQUIRED: bool = false;

const fn row(
    column: Column,
    name: &'static str,
    data_type: Type,
    is_nullable: bool,
    layout: Layout,
    meaning: &'static str,
) -> Definition {
    Definition { column, name, data_type, is_nullable, layout, meaning }
}

/// All columns in the order of [`Column`]: the default table first, then the optional ones.
#[rustfmt::skip]
const TABLE: [Definition; 40] = [
    row(Record, "record", Type::Int64, REQUIRED, Layout::Counter, "number of the record in its source, from 1; blank lines count, headers do not"),
    row(Uri, "uri", Type::Text, NULLABLE, Layout::Text, "the normal form; for a reject the text as read"),
    row(Raw, "raw", Type::Text, NULLABLE, Layout::Text, "the text as read, if it differs from uri"),
    row(Scheme, "scheme", Type::Text, NULLABLE, Layout::Dictionary, "scheme without its colon (RFC 3986, 3.1)"),
    row(Userinfo, "userinfo", Type::Text, NULLABLE, Layout::Dictionary, "user information without its @ (3.2.1)"),
    row(Host, "host", Type::Text, NULLABLE, Layout::Dictionary, "host, an IP literal with its brackets (3.2.2); empty if the authority has an empty host"),
    row(HostKind, "host_kind", Type::Text, NULLABLE, Layout::Dictionary, "dns_name, reg_name, ipv4, ipv6 or ipvfuture"),
    row(Port, "port", Type::Int32, NULLABLE, Layout::Dictionary, "the explicit port as a number; null if there is none or it is above 65535 (3.2.3)"),
    row(Path, "path", Type::Text, NULLABLE, Layout::Text, "path (3.3); empty, never null, except for a reject"),
    row(Query, "query", Type::Text, NULLABLE, Layout::Text, "query without its ? (3.4)"),
    row(Fragment, "fragment", Type::Text, NULLABLE, Layout::Text, "fragment without its # (3.5)"),
    row(Flags, "flags", Type::Int32, REQUIRED, Layout::Dictionary, "warnings and changes: a set of bits, see below"),
    row(Error, "error", Type::Text, NULLABLE, Layout::Dictionary, "why the record is no URI reference; null for a valid one"),
    row(ErrorOffset, "error_offset", Type::Int32, NULLABLE, Layout::Dictionary, "position of the first byte that cannot be right; the length if something is missing"),
    row(RawBytes, "raw_bytes", Type::Bytes, NULLABLE, Layout::Text, "the bytes as read, if they are not UTF-8"),
    row(Source, "source", Type::Text, REQUIRED, Layout::Dictionary, "name of the input"),
    row(Offset, "offset", Type::Int64, REQUIRED, Layout::Counter, "byte offset of the record in its decompressed source"),
    row(Fingerprint, "fingerprint", Type::Int64, NULLABLE, Layout::Text, "XXH3-64 of uri, as the 64 bits of a signed integer"),
    row(HostAddress, "host_address", Type::Text, NULLABLE, Layout::Dictionary, "the address that the host means, IPv4 in its rare forms (7.4) too, IPv6 by RFC 5952; null for a name"),
    row(HostAscii, "host_ascii", Type::Text, NULLABLE, Layout::Dictionary, "the host as a domain name in ASCII (IDNA), lower case, without a trailing dot; null if it is none"),
    row(HostUnicode, "host_unicode", Type::Text, NULLABLE, Layout::Dictionary, "that name with its internationalized labels in Unicode"),
    row(HostReversed, "host_reversed", Type::Text, NULLABLE, Layout::Dictionary, "its labels from the right, joined by dots: com.example.www"),
    row(HostParts, "host_parts", Type::Labels, NULLABLE, Layout::List, "its labels from the right, as a list; in CSV joined by |"),
    row(Tld, "tld", Type::Text, NULLABLE, Layout::Dictionary, "its last label"),
    row(PublicSuffix, "public_suffix", Type::Text, NULLABLE, Layout::Dictionary, "its suffix by the ICANN section of the public suffix list"),
    row(RegisteredDomain, "registered_domain", Type::Text, NULLABLE, Layout::Dictionary, "public_suffix and one label more; null if the name has no more"),
    row(PrivateSuffix, "private_suffix", Type::Text, NULLABLE, Layout::Dictionary, "its longest suffix by both sections of the list: github.io too"),
    row(PrivateDomain, "private_domain", Type::Text, NULLABLE, Layout::Dictionary, "private_suffix and one label more; null if the name has no more"),
    row(Surt, "surt", Type::Text, NULLABLE, Layout::Key, "key of the reference in CDX(J) indexes, for sorting: com,example)/a; null without a scheme"),
    row(Canonical, "canonical", Type::Text, NULLABLE, Layout::Text, "the form of the reference that the option canonical names; null where that has none"),
    row(QueryParams, "query_params", Type::Params, NULLABLE, Layout::List, "the parameters of query, decoded as HTML forms are, in order; value is null without =; in CSV as JSON"),
    row(QueryParamsRaw, "query_params_raw", Type::Params, NULLABLE, Layout::List, "the same parameters as written"),
    row(PathParams, "path_params", Type::PathParams, NULLABLE, Layout::List, "the parameters of path, ;key=value (RFC 2396, 3.3), triplets decoded, with the number of their segment"),
    row(Base, "base", Type::Text, NULLABLE, Layout::Dictionary, "the base of the reference, in normal form without a fragment; an invalid base as read"),
    row(FlagNames, "flag_names", Type::Labels, REQUIRED, Layout::List, "the names of the flags that are set, as a list, empty if there are none; in CSV joined by |"),
    row(WhatwgUri, "whatwg_uri", Type::Text, NULLABLE, Layout::Text, "the URL by the WHATWG URL Standard, serialized; null where the text has none"),
    row(WhatwgHost, "whatwg_host", Type::Text, NULLABLE, Layout::Dictionary, "the host of that URL, an IPv6 address with its brackets; null if it has none"),
    row(Disagreement, "disagreement", Type::Labels, REQUIRED, Layout::List, "what the URL Standard and the RFC see differently, as a list of names, empty if nothing; in CSV joined by |"),
    row(Template, "template", Type::Text, NULLABLE, Layout::Dictionary, "uri with placeholders for values, by their form: //example.com/product/{number}; without http and https"),
    row(Trap, "trap", Type::Text, NULLABLE, Layout::Dictionary, "the crawler trap that uri shows by itself (docs/TRAPS.md); null if none"),
];

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

    /// How many of [`Column::ALL`] the default table has.
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

    /// Whether it is derived from the domain that the host names.
    pub(super) const fn tells_of_domain(self) -> bool {
        match self {
            HostAscii | HostUnicode | HostReversed | HostParts | Tld | PublicSuffix | RegisteredDomain
            | PrivateSuffix | PrivateDomain => true,
            Record | Uri | Raw | Scheme | Userinfo | Host | HostKind | Port | Path | Query | Fragment
            | Flags | Error | ErrorOffset | RawBytes | Source | Offset | Fingerprint | HostAddress | Surt
            | Canonical | QueryParams | QueryParamsRaw | PathParams | Base | FlagNames | WhatwgUri
            | WhatwgHost | Disagreement | Template | Trap => false,
        }
    }

    /// Whether it is derived from the reference before the ladder.
    pub(super) const fn is_of_reference(self) -> bool {
        matches!(self, Surt | Canonical)
    }

    /// Returns whether the column may be null.
    pub const fn is_nullable(self) -> bool {
        self.definition().is_nullable
    }

    /// Its encoding in a Parquet file.
    pub(crate) const fn layout(self) -> Layout {
        self.definition().layout
    }

    /// Returns the meaning of the column, in one sentence.
    pub const fn meaning(self) -> &'static str {
        self.definition().meaning
    }

    pub(super) fn find(name: &str) -> Result<Column> {
        Self::ALL.into_iter().find(|column| column.as_str() == name).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|column| column.as_str()).collect();
            let meant = crate::error::did_you_mean(name, names.iter().copied());
            crate::Error::usage(format!(
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
