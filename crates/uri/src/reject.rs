//! Why a record is not a URI reference: a value for its row, never an error of the operation.

use core::fmt;

/// Where a record breaks the grammar, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reject {
    /// The fault.
    pub code: Code,
    /// The component that is wrong.
    pub component: Component,
    /// Byte offset, within the record, of the first byte that no derivation accepts: the length of the longest prefix
    /// that some URI reference begins with. If only more text is missing, it is the record's length.
    pub offset: usize,
}

/// What is wrong with a record. The names are stable: they are the values of the column `error`. Those from
/// [`Code::DomainToAscii`] on are failures of the URL Standard's parser, by the names that it has for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
#[repr(u8)]
pub enum Code {
    /// A colon in the first segment, and the text before it is not a scheme (3.1, 4.2).
    SchemeInvalidChar,
    /// The record begins with a colon (3.1).
    SchemeEmpty,
    /// A byte outside `userinfo` before the `@` (3.2.1).
    UserinfoInvalidChar,
    /// A byte outside `reg-name`, a second `@`, or text after a `]` (3.2.2).
    HostInvalidChar,
    /// Brackets without an `IPv6address`, or unclosed ones (3.2.2).
    HostIpv6Malformed,
    /// Brackets that begin with `v` without an `IPvFuture` (3.2.2).
    HostIpvfutureMalformed,
    /// A byte that is not a digit after the host's colon (3.2.3).
    PortInvalidChar,
    /// A byte outside `pchar` and `/` (3.3).
    PathInvalidChar,
    /// A byte outside `pchar`, `/` and `?` (3.4).
    QueryInvalidChar,
    /// A byte outside `pchar`, `/` and `?`, such as a second `#` (3.5).
    FragmentInvalidChar,
    /// A component or the record ends inside a triplet (2.1).
    PercentTruncated,
    /// A byte that is not a hexadecimal digit inside a triplet (2.1).
    PercentInvalidDigit,
    /// Nothing follows the scheme: RFC 2396 (3) requires a path or an opaque part.
    PathEmpty,
    /// The record is not UTF-8: no character set of URIs has such bytes (2).
    NotUtf8,
    /// The record exceeds the allowed length.
    TooLong,
    /// The base has no scheme, or there is no base: the reference has no target (5.1).
    BaseNotAbsolute,
    /// The base is outside the grammar: the reference has no target.
    BaseInvalid,
    /// The record has too few fields: the field that was asked for is missing.
    FieldMissing,
    /// The record does not have the form that its format requires.
    RecordMalformed,
    /// The record lacks a value, or has none that fits, for a column that must have one.
    FieldUnfit,
    /// A relative reference, where a URI was asked for (3, 4.3).
    SchemeMissing,
    /// A URI with a fragment, where an absolute URI was asked for (4.3).
    FragmentNotAllowed,
    /// The URL Standard and the RFC see different things in the text, and such records were not wanted.
    Disagreement,
    /// URL Standard: the domain cannot be written in ASCII by IDNA (UTS 46).
    DomainToAscii,
    /// URL Standard: the domain holds a forbidden character.
    DomainInvalidCodePoint,
    /// URL Standard: the host holds a forbidden character.
    HostInvalidCodePoint,
    /// URL Standard: the host ends in a number and has more than four parts.
    Ipv4TooManyParts,
    /// URL Standard: the host ends in a number and has a part that is none.
    Ipv4NonNumericPart,
    /// URL Standard: a part of the IPv4 address is too great.
    Ipv4OutOfRangePart,
    /// URL Standard: the bracket of the IPv6 address is not closed.
    Ipv6Unclosed,
    /// URL Standard: the IPv6 address begins with a single colon.
    Ipv6InvalidCompression,
    /// URL Standard: the IPv6 address has more than eight pieces.
    Ipv6TooManyPieces,
    /// URL Standard: the IPv6 address is compressed in two places.
    Ipv6MultipleCompression,
    /// URL Standard: the IPv6 address holds a character that none has, or ends early.
    Ipv6InvalidCodePoint,
    /// URL Standard: the IPv6 address has fewer than eight pieces.
    Ipv6TooFewPieces,
    /// URL Standard: the IPv6 address has no room for its IPv4 address.
    Ipv4InIpv6TooManyPieces,
    /// URL Standard: the IPv4 address in the IPv6 address is malformed.
    Ipv4InIpv6InvalidCodePoint,
    /// URL Standard: a part of the IPv4 address in the IPv6 address exceeds 255.
    Ipv4InIpv6OutOfRangePart,
    /// URL Standard: the IPv4 address in the IPv6 address has fewer than four parts.
    Ipv4InIpv6TooFewParts,
    /// URL Standard: there is no scheme, and no base to resolve against.
    MissingSchemeNonRelativeUrl,
    /// URL Standard: there is no host.
    HostMissing,
    /// URL Standard: the port exceeds 65535.
    PortOutOfRange,
    /// URL Standard: the port holds a character that is not a digit.
    PortInvalid,
}

impl Code {
    /// Every code, in the order of their numbers.
    pub const ALL: [Code; 43] = [
        Code::SchemeInvalidChar,
        Code::SchemeEmpty,
        Code::UserinfoInvalidChar,
        Code::HostInvalidChar,
        Code::HostIpv6Malformed,
        Code::HostIpvfutureMalformed,
        Code::PortInvalidChar,
        Code::PathInvalidChar,
        Code::QueryInvalidChar,
        Code::FragmentInvalidChar,
        Code::PercentTruncated,
        Code::PercentInvalidDigit,
        Code::PathEmpty,
        Code::NotUtf8,
        Code::TooLong,
        Code::BaseNotAbsolute,
        Code::BaseInvalid,
        Code::FieldMissing,
        Code::RecordMalformed,
        Code::FieldUnfit,
        Code::SchemeMissing,
        Code::FragmentNotAllowed,
        Code::Disagreement,
        Code::DomainToAscii,
        Code::DomainInvalidCodePoint,
        Code::HostInvalidCodePoint,
        Code::Ipv4TooManyParts,
        Code::Ipv4NonNumericPart,
        Code::Ipv4OutOfRangePart,
        Code::Ipv6Unclosed,
        Code::Ipv6InvalidCompression,
        Code::Ipv6TooManyPieces,
        Code::Ipv6MultipleCompression,
        Code::Ipv6InvalidCodePoint,
        Code::Ipv6TooFewPieces,
        Code::Ipv4InIpv6TooManyPieces,
        Code::Ipv4InIpv6InvalidCodePoint,
        Code::Ipv4InIpv6OutOfRangePart,
        Code::Ipv4InIpv6TooFewParts,
        Code::MissingSchemeNonRelativeUrl,
        Code::HostMissing,
        Code::PortOutOfRange,
        Code::PortInvalid,
    ];

    /// Whether it is a failure of the URL Standard's parser.
    #[must_use]
    pub const fn is_of_url_standard(self) -> bool {
        self as u8 >= Code::DomainToAscii as u8
    }

    /// The code as written in a table.
    #[inline]
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Code::SchemeInvalidChar => "scheme_invalid_char",
            Code::SchemeEmpty => "scheme_empty",
            Code::UserinfoInvalidChar => "userinfo_invalid_char",
            Code::HostInvalidChar => "host_invalid_char",
            Code::HostIpv6Malformed => "host_ipv6_malformed",
            Code::HostIpvfutureMalformed => "host_ipvfuture_malformed",
            Code::PortInvalidChar => "port_invalid_char",
            Code::PathInvalidChar => "path_invalid_char",
            Code::QueryInvalidChar => "query_invalid_char",
            Code::FragmentInvalidChar => "fragment_invalid_char",
            Code::PercentTruncated => "percent_truncated",
            Code::PercentInvalidDigit => "percent_invalid_digit",
            Code::PathEmpty => "path_empty",
            Code::NotUtf8 => "not_utf8",
            Code::TooLong => "too_long",
            Code::BaseNotAbsolute => "base_not_absolute",
            Code::BaseInvalid => "base_invalid",
            Code::FieldMissing => "field_missing",
            Code::RecordMalformed => "record_malformed",
            Code::FieldUnfit => "field_unfit",
            Code::SchemeMissing => "scheme_missing",
            Code::FragmentNotAllowed => "fragment_not_allowed",
            Code::Disagreement => "disagreement",
            Code::DomainToAscii => "domain-to-ASCII",
            Code::DomainInvalidCodePoint => "domain-invalid-code-point",
            Code::HostInvalidCodePoint => "host-invalid-code-point",
            Code::Ipv4TooManyParts => "IPv4-too-many-parts",
            Code::Ipv4NonNumericPart => "IPv4-non-numeric-part",
            Code::Ipv4OutOfRangePart => "IPv4-out-of-range-part",
            Code::Ipv6Unclosed => "IPv6-unclosed",
            Code::Ipv6InvalidCompression => "IPv6-invalid-compression",
            Code::Ipv6TooManyPieces => "IPv6-too-many-pieces",
            Code::Ipv6MultipleCompression => "IPv6-multiple-compression",
            Code::Ipv6InvalidCodePoint => "IPv6-invalid-code-point",
            Code::Ipv6TooFewPieces => "IPv6-too-few-pieces",
            Code::Ipv4InIpv6TooManyPieces => "IPv4-in-IPv6-too-many-pieces",
            Code::Ipv4InIpv6InvalidCodePoint => "IPv4-in-IPv6-invalid-code-point",
            Code::Ipv4InIpv6OutOfRangePart => "IPv4-in-IPv6-out-of-range-part",
            Code::Ipv4InIpv6TooFewParts => "IPv4-in-IPv6-too-few-parts",
            Code::MissingSchemeNonRelativeUrl => "missing-scheme-non-relative-URL",
            Code::HostMissing => "host-missing",
            Code::PortOutOfRange => "port-out-of-range",
            Code::PortInvalid => "port-invalid",
        }
    }

    /// What the code means, for people.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Code::SchemeInvalidChar => "the text before the first colon is not a scheme",
            Code::SchemeEmpty => "there is no scheme before the colon",
            Code::UserinfoInvalidChar => "a character that user information cannot hold",
            Code::HostInvalidChar => "a character that a host cannot hold",
            Code::HostIpv6Malformed => "the brackets do not hold an IPv6 address",
            Code::HostIpvfutureMalformed => "the brackets do not hold an IPvFuture address",
            Code::PortInvalidChar => "a character that is not a digit in the port",
            Code::PathInvalidChar => "a character that a path cannot hold",
            Code::QueryInvalidChar => "a character that a query cannot hold",
            Code::FragmentInvalidChar => "a character that a fragment cannot hold",
            Code::PercentTruncated => "a percent sign without two hexadecimal digits after it",
            Code::PercentInvalidDigit => {
                "a character that is not a hexadecimal digit in a percent-encoded byte"
            }
            Code::PathEmpty => "nothing follows the scheme",
            Code::NotUtf8 => "the record is not UTF-8",
            Code::TooLong => "the record is longer than allowed",
            Code::BaseNotAbsolute => "the base has no scheme, so nothing can be resolved against it",
            Code::BaseInvalid => "the base is not a URI, so nothing can be resolved against it",
            Code::FieldMissing => "the record lacks the field of the URI",
            Code::RecordMalformed => "the record does not have the form of its format",
            Code::FieldUnfit => "the record has no value that fits a required column",
            Code::SchemeMissing => "there is no scheme: a relative reference is not a URI",
            Code::FragmentNotAllowed => "there is a fragment, which is not part of an absolute URI",
            Code::Disagreement => "the URL Standard and the RFC see different things in the record",
            Code::DomainToAscii => "the domain cannot be written in ASCII by IDNA (UTS 46)",
            Code::DomainInvalidCodePoint => "the domain holds a forbidden character",
            Code::HostInvalidCodePoint => "the host holds a forbidden character",
            Code::Ipv4TooManyParts => "the host ends in a number and has more than four parts",
            Code::Ipv4NonNumericPart => "the host ends in a number and has a part that is none",
            Code::Ipv4OutOfRangePart => "a part of the IPv4 address is too great",
            Code::Ipv6Unclosed => "the bracket of the IPv6 address is not closed",
            Code::Ipv6InvalidCompression => "the IPv6 address begins with a single colon",
            Code::Ipv6TooManyPieces => "the IPv6 address has more than eight pieces",
            Code::Ipv6MultipleCompression => "the IPv6 address is compressed in two places",
            Code::Ipv6InvalidCodePoint => "the IPv6 address holds a character that none has, or ends early",
            Code::Ipv6TooFewPieces => "the IPv6 address has fewer than eight pieces",
            Code::Ipv4InIpv6TooManyPieces => "the IPv6 address has no room for its IPv4 address",
            Code::Ipv4InIpv6InvalidCodePoint => "the IPv4 address in the IPv6 address is malformed",
            Code::Ipv4InIpv6OutOfRangePart => "a part of the IPv4 address in the IPv6 address exceeds 255",
            Code::Ipv4InIpv6TooFewParts => "the IPv4 address in the IPv6 address has fewer than four parts",
            Code::MissingSchemeNonRelativeUrl => "there is no scheme, and no base to resolve against",
            Code::HostMissing => "there is no host",
            Code::PortOutOfRange => "the port exceeds 65535",
            Code::PortInvalid => "the port holds a character that is not a digit",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A component of a URI reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Component {
    /// Section 3.1.
    Scheme,
    /// Section 3.2.1.
    Userinfo,
    /// Section 3.2.2.
    Host,
    /// Section 3.2.3.
    Port,
    /// Section 3.3.
    Path,
    /// Section 3.4.
    Query,
    /// Section 3.5.
    Fragment,
}

impl Component {
    /// The name of its column.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Component::Scheme => "scheme",
            Component::Userinfo => "userinfo",
            Component::Host => "host",
            Component::Port => "port",
            Component::Path => "path",
            Component::Query => "query",
            Component::Fragment => "fragment",
        }
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Reject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({}, byte {})", self.code, self.code.sentence(), self.component, self.offset)
    }
}

impl core::error::Error for Reject {}
