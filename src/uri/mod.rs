//! One URI reference (skeleton: the API that tests are written against).
use std::fmt;
/// A URI reference split into its components (RFC 3986 section 3), every component valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UriRef<'a> {
    text: &'a str,
}
/// Where and why a record is outside the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reject {
    /// Stable code.
    pub code: Code,
    /// The component the offending byte stands in.
    pub component: Component,
    /// Byte offset, within the record, of the first byte that no derivation accepts: the length of
    /// the longest prefix that could still be completed to a URI reference (= the record's length
    /// where it ends too early).
    pub offset: usize,
}
/// Stable reject codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Code {
    SchemeInvalidChar,
    SchemeEmpty,
    UserinfoInvalidChar,
    HostInvalidChar,
    HostIpv6Malformed,
    HostIpvFutureMalformed,
    PortInvalidChar,
    PathInvalidChar,
    QueryInvalidChar,
    FragmentInvalidChar,
    PercentTruncated,
    PercentInvalidDigit,
    NotUtf8,
    TooLong,
}
impl Code {
    /// `scheme_invalid_char` and so on.
    pub fn as_str(self) -> &'static str {
        ""
    }
}
impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
/// A component of a URI reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Component {
    Scheme,
    Userinfo,
    Host,
    Port,
    Path,
    Query,
    Fragment,
}
/// What a host is (RFC 3986 section 3.2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum HostKind {
    DnsName,
    RegName,
    Ipv4,
    Ipv6,
    IpvFuture,
}
impl<'a> UriRef<'a> {
    /// Parses.
    pub fn parse<T: AsRef<[u8]> + ?Sized>(_text: &'a T) -> Result<UriRef<'a>, Reject> {
        Err(Reject { code: Code::NotUtf8, component: Component::Path, offset: 0 })
    }
    /// The whole reference.
    pub fn as_str(&self) -> &'a str {
        self.text
    }
    /// Without its colon.
    pub fn scheme(&self) -> Option<&'a str> {
        None
    }
    /// Without `//`.
    pub fn authority(&self) -> Option<&'a str> {
        None
    }
    /// Without its `@`.
    pub fn userinfo(&self) -> Option<&'a str> {
        None
    }
    /// With the brackets of an IP literal; `Some("")` where an authority has an empty host.
    pub fn host(&self) -> Option<&'a str> {
        None
    }
    /// None without an authority.
    pub fn host_kind(&self) -> Option<HostKind> {
        None
    }
    /// The text behind the colon (may be empty), any length.
    pub fn port(&self) -> Option<&'a str> {
        None
    }
    /// May be empty.
    pub fn path(&self) -> &'a str {
        ""
    }
    /// Without `?`.
    pub fn query(&self) -> Option<&'a str> {
        None
    }
    /// Without `#`.
    pub fn fragment(&self) -> Option<&'a str> {
        None
    }
    /// Has a scheme (RFC 3986 section 3).
    pub fn is_uri(&self) -> bool {
        false
    }
    /// Has none (4.2).
    pub fn is_relative_reference(&self) -> bool {
        false
    }
    /// A URI without a fragment (4.3).
    pub fn is_absolute_uri(&self) -> bool {
        false
    }
}
