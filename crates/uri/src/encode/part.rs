//! The parts of a URI that data can be put into, and the characters that stand for themselves there.

use alloc::format;
use core::fmt;
use core::str::FromStr;

use crate::error::Error;
use crate::grammar::chars::{self, Class, is};
use crate::grammar::{Spec, rfc2396};

/// Where data is put, which decides which characters may stand for themselves.
///
/// Each part can hold everything that the grammar rule of its name allows, delimiters included. If a part is joined
/// from several pieces of data (`name=value&name=value`), encode each piece by itself, as [`Part::Segment`],
/// [`Part::QueryValue`] or [`Part::Unreserved`], before you put the delimiters between them (2.2, 2.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// `userinfo` (3.2.1), with its colons.
    Userinfo,
    /// `reg-name` (3.2.2); with the errata without `sub-delims`. RFC 2396 (3.2.2, 3.2.1) has no triplets in a hostname,
    /// only in a `reg_name`: here that rule's characters without `:` and `@`, which delimit a server's parts.
    Host,
    /// A whole path (3.3), with its slashes.
    Path,
    /// `segment` (3.3): one piece of a path, so that a slash is data. RFC 2396's includes the `;` before parameters.
    Segment,
    /// `segment-nz-nc` (3.3, 4.2), `rel_segment` of RFC 2396: the first segment of a relative reference, in which
    /// a colon would end a scheme.
    FirstSegment,
    /// `query` (3.4), with its `=`, `&` and so on.
    Query,
    /// A name or a value of the pairs that most queries consist of (3.4): the query's characters without `&`, `;`, `=`
    /// and `+`.
    QueryValue,
    /// `fragment` (3.5).
    Fragment,
    /// Any place at all: only `unreserved` stands for itself (2.3).
    Unreserved,
}

impl Part {
    /// Every part, in the order of their places in a URI.
    pub const ALL: [Part; 9] = [
        Part::Userinfo,
        Part::Host,
        Part::Path,
        Part::Segment,
        Part::FirstSegment,
        Part::Query,
        Part::QueryValue,
        Part::Fragment,
        Part::Unreserved,
    ];

    /// The name on the command line. It is stable.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Part::Userinfo => "userinfo",
            Part::Host => "host",
            Part::Path => "path",
            Part::Segment => "segment",
            Part::FirstSegment => "first-segment",
            Part::Query => "query",
            Part::QueryValue => "query-value",
            Part::Fragment => "fragment",
            Part::Unreserved => "unreserved",
        }
    }

    /// Whether `byte` may stand for itself here. A percent sign never does: it begins a triplet.
    #[must_use]
    pub const fn holds(self, byte: u8, spec: Spec) -> bool {
        is(byte, self.class(spec))
    }

    /// The class of `grammar` whose characters stand for themselves here.
    pub(super) const fn class(self, spec: Spec) -> Class {
        match (self, spec) {
            (Part::Userinfo, Spec::Rfc2396) => rfc2396::USERINFO,
            (Part::Path, Spec::Rfc2396) => rfc2396::PATH,
            (Part::Query | Part::Fragment, Spec::Rfc2396) => rfc2396::URIC,
            (Part::Unreserved, Spec::Rfc2396) => rfc2396::UNRESERVED,
            // Erratum 4942.
            (Part::Host, Spec::Rfc3986Errata) => chars::UNRESERVED,
            (Part::Userinfo, _) => chars::USERINFO,
            (Part::Path, _) => chars::PATH,
            (Part::Query | Part::Fragment, _) => chars::QUERY,
            (Part::Unreserved, _) => chars::UNRESERVED,
            // RFC 2396's rules for these add up to the same characters.
            (Part::Host, _) => chars::REG_NAME,
            (Part::Segment, _) => chars::PCHAR,
            (Part::FirstSegment, _) => chars::SEGMENT_NC,
            (Part::QueryValue, _) => chars::QUERY_VALUE,
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Part {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|part| part.as_str() == name).ok_or_else(|| {
            let known = Self::ALL.map(Part::as_str).join(", ");
            Error::usage(format!("there is no component {name:?}: use one of {known}"))
        })
    }
}
