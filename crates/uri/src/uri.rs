//! A URI reference that owns its text, for structures that outlive their input. All getters forward to the borrowed
//! form.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::borrow::Borrow;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::net::IpAddr;
use core::str::FromStr;

use crate::grammar::Spec;
use crate::host::{Host, HostKind};
use crate::reference::{AsText, Parsed, UriRef};
use crate::reject::Reject;
use crate::segments::{QueryPairs, Segments};

/// A URI reference that owns its text: [`UriRef`] without a lifetime.
///
/// It is compared, ordered and hashed by its text, so a map with `Uri` keys can be searched with a `&str`. Two
/// spellings of one URI are two values: [`normalize`](crate::normalize()) first, or use [`compare`](crate::compare()).
///
/// ```
/// use std::collections::HashMap;
/// use urimill_uri::Uri;
///
/// let uri: Uri = "http://example.com:8080/a?q".parse()?;
/// assert_eq!((uri.host(), uri.port_number(), uri.query()), (Some("example.com"), Some(8080), Some("q")));
///
/// let visits = HashMap::from([(uri, 1)]);
/// assert_eq!(visits.get("http://example.com:8080/a?q"), Some(&1));
/// # Ok::<(), urimill_uri::Reject>(())
/// ```
#[derive(Clone)]
pub struct Uri {
    text: String,
    parsed: Parsed,
}

impl Uri {
    /// Parses a URI reference by RFC 3986 and copies it.
    ///
    /// # Errors
    /// Where the text does not match the grammar: see [`Reject`].
    pub fn parse<T: AsText + ?Sized>(text: &T) -> Result<Uri, Reject> {
        UriRef::parse(text).map(|uri| uri.to_uri())
    }

    /// Parses a URI reference by one of the specifications and copies it.
    ///
    /// # Errors
    /// Where the text does not match the grammar: see [`Reject`].
    pub fn parse_as<T: AsText + ?Sized>(text: &T, spec: Spec) -> Result<Uri, Reject> {
        UriRef::parse_as(text, spec).map(|uri| uri.to_uri())
    }

    /// The same reference, borrowed, as [`normalize`](crate::normalize()), [`resolve`](crate::resolve::resolve) and
    /// [`compare`](crate::compare()) take it.
    #[must_use]
    pub fn as_uri_ref(&self) -> UriRef<'_> {
        UriRef::of_parsed(&self.text, self.parsed)
    }

    /// The whole reference.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The whole reference, without a copy.
    #[must_use]
    pub fn into_string(self) -> String {
        self.text
    }
}

/// Getters of the borrowed form.
macro_rules! forwarded {
    ($($(#[$doc:meta])* $name:ident -> $answer:ty;)*) => {
        impl Uri {$(
            $(#[$doc])*
            #[must_use]
            pub fn $name(&self) -> $answer {
                self.as_uri_ref().$name()
            }
        )*}
    };
}
forwarded! {
    /// See [`UriRef::spec`].
    spec -> Spec;
    /// See [`UriRef::scheme`].
    scheme -> Option<&str>;
    /// See [`UriRef::authority`].
    authority -> Option<&str>;
    /// See [`UriRef::userinfo`].
    userinfo -> Option<&str>;
    /// See [`UriRef::host`].
    host -> Option<&str>;
    /// See [`UriRef::host_kind`].
    host_kind -> Option<HostKind>;
    /// See [`UriRef::typed_host`].
    typed_host -> Option<Host>;
    /// See [`UriRef::host_address`].
    host_address -> Option<IpAddr>;
    /// See [`UriRef::port`].
    port -> Option<&str>;
    /// See [`UriRef::port_number`].
    port_number -> Option<u16>;
    /// See [`UriRef::port_or_default`].
    port_or_default -> Option<u16>;
    /// See [`UriRef::path`].
    path -> &str;
    /// See [`UriRef::segments`].
    segments -> Segments<'_>;
    /// See [`UriRef::query`].
    query -> Option<&str>;
    /// See [`UriRef::query_pairs`].
    query_pairs -> QueryPairs<'_>;
    /// See [`UriRef::fragment`].
    fragment -> Option<&str>;
    /// See [`UriRef::is_uri`].
    is_uri -> bool;
    /// See [`UriRef::is_relative_reference`].
    is_relative_reference -> bool;
    /// See [`UriRef::is_absolute_uri`].
    is_absolute_uri -> bool;
}

impl<'a> UriRef<'a> {
    /// Copies the reference into one that owns its text.
    #[must_use]
    pub fn to_uri(&self) -> Uri {
        Uri { text: self.as_str().to_owned(), parsed: self.parsed() }
    }
}

impl FromStr for Uri {
    type Err = Reject;

    fn from_str(text: &str) -> Result<Uri, Reject> {
        Uri::parse(text)
    }
}

impl TryFrom<&str> for Uri {
    type Error = Reject;

    fn try_from(text: &str) -> Result<Uri, Reject> {
        Uri::parse(text)
    }
}

impl TryFrom<&[u8]> for Uri {
    type Error = Reject;

    fn try_from(text: &[u8]) -> Result<Uri, Reject> {
        Uri::parse(text)
    }
}

/// Takes the text without a copy.
impl TryFrom<String> for Uri {
    type Error = Reject;

    fn try_from(text: String) -> Result<Uri, Reject> {
        let parsed = UriRef::parse(&text)?.parsed();
        Ok(Uri { text, parsed })
    }
}

impl From<UriRef<'_>> for Uri {
    fn from(uri: UriRef<'_>) -> Uri {
        uri.to_uri()
    }
}

impl<'a> From<&'a Uri> for UriRef<'a> {
    fn from(uri: &'a Uri) -> UriRef<'a> {
        uri.as_uri_ref()
    }
}

impl From<Uri> for String {
    fn from(uri: Uri) -> String {
        uri.text
    }
}

impl AsRef<str> for Uri {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

/// A reference is equal, ordered and hashed as its text is.
impl Borrow<str> for UriRef<'_> {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for Uri {
    fn borrow(&self) -> &str {
        &self.text
    }
}

impl PartialEq for Uri {
    fn eq(&self, other: &Uri) -> bool {
        self.text == other.text
    }
}

impl Eq for Uri {}

impl PartialEq<UriRef<'_>> for Uri {
    fn eq(&self, other: &UriRef<'_>) -> bool {
        self.text == other.as_str()
    }
}

impl PartialEq<str> for Uri {
    fn eq(&self, other: &str) -> bool {
        self.text == other
    }
}

impl PartialEq<&str> for Uri {
    fn eq(&self, other: &&str) -> bool {
        self.text == *other
    }
}

impl PartialEq<Uri> for UriRef<'_> {
    fn eq(&self, other: &Uri) -> bool {
        self.as_str() == other.text
    }
}

impl PartialEq<str> for UriRef<'_> {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for UriRef<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialOrd for Uri {
    fn partial_cmp(&self, other: &Uri) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Uri {
    fn cmp(&self, other: &Uri) -> Ordering {
        self.text.cmp(&other.text)
    }
}

impl Hash for Uri {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl fmt::Display for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.as_uri_ref(), f)
    }
}
