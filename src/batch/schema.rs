//! The table: which columns there are, of which type, and what they mean.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};

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
    /// Where.
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
    /// What the reference was resolved against.
    Base,
    /// The names of the flags that are set, as a list.
    FlagNames,
}

use Column::*;

impl Column {
    /// All columns: the default table first, in its order, then the optional ones.
    pub const ALL: [Column; 35] = [
        Record,
        Uri,
        Raw,
        Scheme,
        Userinfo,
        Host,
        HostKind,
        Port,
        Path,
        Query,
        Fragment,
        Flags,
        Error,
        ErrorOffset,
        RawBytes,
        Source,
        Offset,
        Fingerprint,
        HostAddress,
        HostAscii,
        HostUnicode,
        HostReversed,
        HostParts,
        Tld,
        PublicSuffix,
        RegisteredDomain,
        PrivateSuffix,
        PrivateDomain,
        Surt,
        Canonical,
        QueryParams,
        QueryParamsRaw,
        PathParams,
        Base,
        FlagNames,
    ];

    /// How many of [`Column::ALL`] the default table has.
    const DEFAULT: usize = 15;

    /// Returns the name of the column.
    pub const fn as_str(self) -> &'static str {
        match self {
            Record => "record",
            Uri => "uri",
            Raw => "raw",
            Scheme => "scheme",
            Userinfo => "userinfo",
            Host => "host",
            HostKind => "host_kind",
            Port => "port",
            Path => "path",
            Query => "query",
            Fragment => "fragment",
            Flags => "flags",
            Error => "error",
            ErrorOffset => "error_offset",
            RawBytes => "raw_bytes",
            Source => "source",
            Offset => "offset",
            Fingerprint => "fingerprint",
            HostAddress => "host_address",
            HostAscii => "host_ascii",
            HostUnicode => "host_unicode",
            HostReversed => "host_reversed",
            HostParts => "host_parts",
            Tld => "tld",
            PublicSuffix => "public_suffix",
            RegisteredDomain => "registered_domain",
            PrivateSuffix => "private_suffix",
            PrivateDomain => "private_domain",
            Surt => "surt",
            Canonical => "canonical",
            QueryParams => "query_params",
            QueryParamsRaw => "query_params_raw",
            PathParams => "path_params",
            Base => "base",
            FlagNames => "flag_names",
        }
    }

    /// Returns the type in memory: strings are views. Files have plain `Utf8` and `Binary` instead.
    pub fn data_type(self) -> DataType {
        match self {
            Record | Offset | Fingerprint => DataType::Int64,
            Port | Flags | ErrorOffset => DataType::Int32,
            RawBytes => DataType::BinaryView,
            HostParts | FlagNames => DataType::List(label_field()),
            QueryParams | QueryParamsRaw => DataType::List(param_field()),
            PathParams => DataType::List(path_param_field()),
            _ => DataType::Utf8View,
        }
    }

    /// Whether it is made from the domain that the host names.
    pub(super) const fn tells_of_domain(self) -> bool {
        match self {
            HostAscii | HostUnicode | HostReversed | HostParts | Tld | PublicSuffix | RegisteredDomain
            | PrivateSuffix | PrivateDomain => true,
            Record | Uri | Raw | Scheme | Userinfo | Host | HostKind | Port | Path | Query | Fragment
            | Flags | Error | ErrorOffset | RawBytes | Source | Offset | Fingerprint | HostAddress | Surt
            | Canonical | QueryParams | QueryParamsRaw | PathParams | Base | FlagNames => false,
        }
    }

    /// Whether it is made from the reference as it was before the ladder.
    pub(super) const fn is_of_reference(self) -> bool {
        matches!(self, Surt | Canonical)
    }

    /// Returns whether the column may be null.
    pub fn is_nullable(self) -> bool {
        !matches!(self, Record | Flags | Source | Offset | FlagNames)
    }

    /// Returns the meaning of the column, in one sentence.
    pub const fn meaning(self) -> &'static str {
        match self {
            Record => "number of the record in its source, from 1; blank lines count, headers do not",
            Uri => "the normal form; for a reject the text as read",
            Raw => "the text as read, if it differs from uri",
            Scheme => "scheme without its colon (RFC 3986, 3.1)",
            Userinfo => "user information without its @ (3.2.1)",
            Host => "host, an IP literal with its brackets (3.2.2); empty if the authority has an empty host",
            HostKind => "dns_name, reg_name, ipv4, ipv6 or ipvfuture",
            Port => "the explicit port as a number; null if there is none or it is above 65535 (3.2.3)",
            Path => "path (3.3); empty, never null, except for a reject",
            Query => "query without its ? (3.4)",
            Fragment => "fragment without its # (3.5)",
            Flags => "warnings and changes: a set of bits, see below",
            Error => "why the record is no URI reference; null for a valid one",
            ErrorOffset => {
                "position of the first byte that cannot be right; the length if something is missing"
            }
            RawBytes => "the bytes as read, if they are not UTF-8",
            Source => "name of the input",
            Offset => "byte offset of the record in its decompressed source",
            Fingerprint => "XXH3-64 of uri, as the 64 bits of a signed integer",
            HostAddress => {
                "the address that the host means, IPv4 in its rare forms (7.4) too, IPv6 by RFC 5952; null for a name"
            }
            HostAscii => {
                "the host as a domain name in ASCII (IDNA), lower case, without a trailing dot; null if it \
                 is none"
            }
            HostUnicode => "that name with its internationalized labels in Unicode",
            HostReversed => "its labels from the right, joined by dots: com.example.www",
            HostParts => "its labels from the right, as a list; in CSV joined by |",
            Tld => "its last label",
            PublicSuffix => "its suffix by the ICANN section of the public suffix list",
            RegisteredDomain => "public_suffix and one label more; null if the name has no more",
            PrivateSuffix => "its longest suffix by both sections of the list: github.io too",
            PrivateDomain => "private_suffix and one label more; null if the name has no more",
            Surt => {
                "key of the reference in CDX(J) indexes, for sorting: com,example)/a; null without a scheme"
            }
            Canonical => {
                "the form of the reference that the option canonical names; null where that has none"
            }
            QueryParams => {
                "the parameters of query, decoded as HTML forms are, in order; value is null without =; in CSV as JSON"
            }
            QueryParamsRaw => "the same parameters as written",
            PathParams => {
                "the parameters of path, ;key=value (RFC 2396, 3.3), triplets decoded, with the number of their segment"
            }
            Base => "the base of the reference, in normal form without a fragment; an invalid base as read",
            FlagNames => {
                "the names of the flags that are set, as a list, empty if there are none; in CSV joined by |"
            }
        }
    }

    fn find(name: &str) -> Result<Column> {
        Self::ALL.into_iter().find(|column| column.as_str() == name).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|column| column.as_str()).collect();
            crate::Error::usage(format!("there is no column {name:?}: choose from {}", names.join(", ")))
        })
    }
}

/// What the lists of `host_parts` and `flag_names` hold. Parquet calls it their element.
pub(super) fn label_field() -> FieldRef {
    Arc::new(Field::new("element", DataType::Utf8View, false))
}

/// What the lists of `query_params` and `query_params_raw` hold.
pub(super) fn param_field() -> FieldRef {
    Arc::new(Field::new("element", DataType::Struct(param_fields()), false))
}

/// Name and value of a parameter.
pub(super) fn param_fields() -> Fields {
    let text = |name, nullable| Field::new(name, DataType::Utf8View, nullable);
    Fields::from(vec![text("key", false), text("value", true)])
}

/// What the lists of `path_params` hold.
pub(super) fn path_param_field() -> FieldRef {
    Arc::new(Field::new("element", DataType::Struct(path_param_fields()), false))
}

/// The number of its segment, name and value of a parameter.
pub(super) fn path_param_fields() -> Fields {
    let segment = Arc::new(Field::new("segment", DataType::Int32, false));
    [segment].into_iter().chain(param_fields().iter().cloned()).collect()
}

/// An ordered selection of columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns(Vec<Column>);

impl Default for Columns {
    /// The default table.
    fn default() -> Self {
        Columns(Column::ALL[..Column::DEFAULT].to_vec())
    }
}

impl Columns {
    /// Creates a selection of exactly these columns.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Columns(columns.into_iter().collect())
    }

    /// Parses a list of names, separated by commas: `host,path` selects exactly these; with `+` or `-` before every
    /// name, the default table plus or minus these (`+offset,-raw`).
    ///
    /// # Errors
    /// Usage, where a name is unknown or stands twice, or nothing is left.
    pub fn parse(list: &str) -> Result<Self> {
        Self::default().changed(list)
    }

    /// Returns the default table for records with bases: with [`Column::Base`].
    pub fn default_with_bases() -> Self {
        Self::default().union(&Columns::new([Base]))
    }

    /// Does the same as [`Columns::parse`], with these columns as the default.
    ///
    /// # Errors
    /// The same.
    pub fn changed(self, list: &str) -> Result<Self> {
        let names: Vec<&str> = list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        let relative = names.iter().filter(|name| name.starts_with(['+', '-'])).count();
        if relative > 0 && relative < names.len() {
            return Err(crate::Error::usage(
                "names with + or - change the default table: use a sign for all names or for none",
            ));
        }
        let mut columns = if relative > 0 { self.0 } else { Vec::new() };
        for name in names {
            let column = Column::find(name.trim_start_matches(['+', '-']))?;
            if name.starts_with('-') {
                columns.retain(|&other| other != column);
            } else if !columns.contains(&column) {
                columns.push(column);
            } else if relative == 0 {
                return Err(crate::Error::usage(format!("the column {name:?} is named twice")));
            }
        }
        if columns.is_empty() {
            return Err(crate::Error::usage("a table needs at least one column"));
        }
        Ok(Columns(columns))
    }

    /// Returns the columns of the table of rejects: the position of each record, its text and the reason.
    pub fn rejects() -> Self {
        Columns(vec![Source, Record, Offset, Uri, Error, ErrorOffset, RawBytes])
    }

    /// Returns these columns, followed by those of `others` that are not among them.
    pub fn union(&self, others: &Columns) -> Self {
        let more = others.iter().filter(|&column| !self.contains(column));
        Columns(self.iter().chain(more).collect())
    }

    /// Returns the position of `column` in the selection.
    pub fn position(&self, column: Column) -> Option<usize> {
        self.0.iter().position(|&other| other == column)
    }

    /// Returns the columns, in order.
    pub fn iter(&self) -> impl Iterator<Item = Column> + '_ {
        self.0.iter().copied()
    }

    /// Returns whether one of the columns depends on the public suffix list.
    pub fn use_suffix_list(&self) -> bool {
        self.iter()
            .any(|column| matches!(column, PublicSuffix | RegisteredDomain | PrivateSuffix | PrivateDomain))
    }

    /// Returns whether one of the columns tells of flags.
    pub fn have_flags(&self) -> bool {
        self.contains(Flags) || self.contains(FlagNames)
    }

    /// Returns whether `column` is selected.
    pub fn contains(&self, column: Column) -> bool {
        self.0.contains(&column)
    }

    /// Returns the schema of the batches.
    pub fn schema(&self) -> SchemaRef {
        let field = |column: Column| Field::new(column.as_str(), column.data_type(), column.is_nullable());
        Arc::new(Schema::new(self.iter().map(field).collect::<Vec<_>>()))
    }
}
