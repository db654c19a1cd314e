//! A URI reference that owns its text, for structures that outlive their input. All getters forward to the borrowed
//! form, and what takes a parsed reference takes either ([`AsUriRef`]).

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;
use core::borrow::Borrow;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::net::IpAddr;
use core::str::FromStr;

use crate::grammar::Spec;
use crate::host::{Host, HostKind};
use crate::passwords::masked;
use crate::reference::{AsText, Parsed, UriRef, sealed};
use crate::reject::Reject;
use crate::segments::{QueryPairs, Segments};
use crate::start::Start;

/// A URI reference that owns its text: [`UriRef`] without a lifetime.
///
/// It is compared, ordered and hashed by its text, so a map with `Uri` keys can be searched with a `&str`. Two
/// spellings of one URI are two values: use [`normalized`](Self::normalized) first, or [`compare`](crate::compare()).
/// Functions on references take `&Uri` as they take `&UriRef`.
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

    /// The same reference, borrowed.
    #[inline]
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

/// Methods of the borrowed form.
macro_rules! forwarded {
    ($($(#[$attribute:meta])* $name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl $crate::uri::Uri {$(
            $(#[$attribute])*
            #[inline]
            pub fn $name(&self $(, $argument: $type)*) -> $answer {
                self.as_uri_ref().$name($($argument),*)
            }
        )*}
    };
}
pub(crate) use forwarded;

forwarded! {
    /// The specification that it was parsed by: [`UriRef::spec`].
    #[must_use]
    spec() -> Spec;
    /// The scheme without its colon: [`UriRef::scheme`].
    #[must_use]
    scheme() -> Option<&str>;
    /// The authority without its `//`: [`UriRef::authority`].
    #[must_use]
    authority() -> Option<&str>;
    /// The user information without its `@`: [`UriRef::userinfo`].
    #[must_use]
    userinfo() -> Option<&str>;
    /// The host, an IP literal with its brackets: [`UriRef::host`].
    #[must_use]
    host() -> Option<&str>;
    /// The kind of host: [`UriRef::host_kind`].
    #[must_use]
    host_kind() -> Option<HostKind>;
    /// The kind of host, with the address that it is: [`UriRef::typed_host`].
    #[must_use]
    typed_host() -> Option<Host>;
    /// The address that the host means: [`UriRef::host_address`].
    #[must_use]
    host_address() -> Option<IpAddr>;
    /// The digits of the port: [`UriRef::port`].
    #[must_use]
    port() -> Option<&str>;
    /// The port as a number: [`UriRef::port_number`].
    #[must_use]
    port_number() -> Option<u16>;
    /// The port, or the scheme's default: [`UriRef::port_or_default`].
    #[must_use]
    port_or_default() -> Option<u16>;
    /// The path, which may be empty: [`UriRef::path`].
    #[must_use]
    path() -> &str;
    /// The `opaque_part` of RFC 2396: [`UriRef::opaque_part`].
    #[must_use]
    opaque_part() -> Option<&str>;
    /// The segments of the path: [`UriRef::segments`].
    #[must_use]
    segments() -> Segments<'_>;
    /// The query without its `?`: [`UriRef::query`].
    #[must_use]
    query() -> Option<&str>;
    /// The names and values of the query as written: [`UriRef::query_pairs`].
    #[must_use]
    query_pairs() -> QueryPairs<'_>;
    /// The fragment without its `#`: [`UriRef::fragment`].
    #[must_use]
    fragment() -> Option<&str>;
    /// Whether it has a scheme: [`UriRef::is_uri`].
    #[must_use]
    is_uri() -> bool;
    /// Whether it has no scheme: [`UriRef::is_relative_reference`].
    #[must_use]
    is_relative_reference() -> bool;
    /// Whether it has a scheme and no fragment: [`UriRef::is_absolute_uri`].
    #[must_use]
    is_absolute_uri() -> bool;
    /// Checks that it has the form that `start` names: [`UriRef::require`].
    ///
    /// # Errors
    /// `scheme_missing` or `fragment_not_allowed`.
    require(start: Start) -> Result<(), Reject>;
}

/// The argument of the functions on parsed references, such as [`normalize`](crate::normalize()) and
/// [`resolve`](crate::resolve::resolve): `&UriRef` or `&Uri`. No other type can implement it.
///
/// ```
/// use urimill_uri::{Level, Rung, Uri, UriRef, compare, normalize};
///
/// let owned: Uri = "HTTP://example.com".parse()?;
/// let borrowed = UriRef::parse("http://example.com/")?;
/// assert_eq!(normalize(&owned, Level::Scheme), normalize(&borrowed, Level::Scheme));
/// assert_eq!(compare(&owned, &borrowed), Rung::Scheme);
/// # Ok::<(), urimill_uri::Reject>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a reference to a parsed URI",
    label = "expected `&UriRef` or `&Uri`",
    note = "borrow an owned value; `UriRef::parse` parses a text"
)]
pub trait AsUriRef<'a>: sealed::Sealed {
    /// The reference.
    fn uri_ref(self) -> UriRef<'a>;
}

impl sealed::Sealed for &UriRef<'_> {}
impl<'a> AsUriRef<'a> for &UriRef<'a> {
    #[inline]
    fn uri_ref(self) -> UriRef<'a> {
        *self
    }
}

impl sealed::Sealed for &Uri {}
impl<'a> AsUriRef<'a> for &'a Uri {
    #[inline]
    fn uri_ref(self) -> UriRef<'a> {
        self.as_uri_ref()
    }
}

/// Their texts, which are parsed again.
macro_rules! as_their_text {
    ($($parsed:ty),*) => {$(
        impl sealed::Sealed for $parsed {}
        impl AsText for $parsed {
            fn as_bytes(&self) -> &[u8] {
                self.as_str().as_bytes()
            }
            fn as_text(&self) -> Option<&str> {
                Some(self.as_str())
            }
        }
    )*};
}
as_their_text!(Uri, UriRef<'_>);

/// What iterators hand out: references to references.
impl<'a, T: AsUriRef<'a> + Copy> sealed::Sealed for &T {}
impl<'a, T: AsUriRef<'a> + Copy> AsUriRef<'a> for &T {
    #[inline]
    fn uri_ref(self) -> UriRef<'a> {
        (*self).uri_ref()
    }
}

impl<'a> UriRef<'a> {
    /// Copies the reference into one that owns its text.
    #[must_use]
    pub fn to_uri(&self) -> Uri {
        Uri { text: self.as_str().to_owned(), parsed: self.parsed() }
    }
}

impl Uri {
    /// Parses a text without a copy.
    pub(crate) fn of_text(text: String, spec: Spec) -> Result<Uri, Reject> {
        let parsed = UriRef::parse_as(&text, spec)?.parsed();
        Ok(Uri { text, parsed })
    }

    /// A reference that this crate has made of valid ones.
    pub(crate) fn of_valid(text: String, spec: Spec) -> Uri {
        Uri::of_text(text, spec).expect("what is made of valid references is valid")
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
        Uri::of_text(text, Spec::Rfc3986)
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

/// Equality with what has a text, in both directions.
macro_rules! equal_as_text {
    ($($left:ty: $($right:ty),*;)*) => {$($(
        impl PartialEq<$right> for $left {
            fn eq(&self, other: &$right) -> bool {
                AsRef::<str>::as_ref(self) == AsRef::<str>::as_ref(other)
            }
        }

        impl PartialEq<$left> for $right {
            fn eq(&self, other: &$left) -> bool {
                AsRef::<str>::as_ref(self) == AsRef::<str>::as_ref(other)
            }
        }
    )*)*};
}
equal_as_text! {
    Uri: UriRef<'_>, str, &str, String, Cow<'_, str>;
    UriRef<'_>: str, &str, String, Cow<'_, str>;
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

/// The text, with passwords masked.
impl fmt::Debug for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Uri").field(&masked(&self.text)).finish()
    }
}
