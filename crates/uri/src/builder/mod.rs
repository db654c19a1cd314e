//! Builds a URI reference from parts: each part is data, and is percent-encoded for its component. Copies with another
//! part (`copies`) go through the builder, too.

mod copies;
mod host;

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;
use core::net::IpAddr;

#[cfg(feature = "psl")]
pub(crate) use host::host_text;

use crate::encode::{Part, encode};
use crate::error::{Error, Result};
use crate::grammar::Spec;
use crate::passwords::masked_userinfo;
use crate::reference::UriRef;
use crate::uri::{Uri, forwarded};

/// Makes a [`Uri`] from parts ([`Uri::builder`]), or from another one ([`Uri::to_builder`]).
///
/// Each part is data: what its component cannot hold is percent-encoded, and so is every percent sign. Scheme and host
/// are no data: what is none is an error. The delimiters between the parts are added. For parts as they are written in
/// a URI see [`Uri::with_path`] and the like.
///
/// ```
/// use urimill_uri::Uri;
///
/// let uri = Uri::builder()
///     .scheme("https")
///     .host("example.com")
///     .port(8080)
///     .segments(["a b", "AC/DC"])
///     .query_pair("q", "x&y")
///     .query_pair("lang", "de")
///     .fragment("top")
///     .build()?;
/// assert_eq!(uri, "https://example.com:8080/a%20b/AC%2FDC?q=x%26y&lang=de#top");
/// # Ok::<(), urimill_uri::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct UriBuilder {
    spec: Spec,
    scheme: Option<String>,
    userinfo: Option<String>,
    host: Option<String>,
    port: Option<String>,
    path: String,
    query: Option<String>,
    fragment: Option<String>,
    /// The first part that no encoding can express.
    error: Option<Error>,
}

impl Uri {
    /// A builder without any part, which is the empty reference.
    pub fn builder() -> UriBuilder {
        UriBuilder::default()
    }
}

impl UriRef<'_> {
    /// A builder with the components of this reference as they are written, and with its specification: what is set
    /// then replaces a component, and [`query_pair`](UriBuilder::query_pair) adds to the query.
    ///
    /// ```
    /// use urimill_uri::Uri;
    ///
    /// let uri: Uri = "http://example.com/a%20b?q=1#top".parse()?;
    /// assert_eq!(uri.to_builder().build()?, uri);
    /// let next = uri.to_builder().scheme("https").query_pair("page", "2 of 3").build()?;
    /// assert_eq!(next, "https://example.com/a%20b?q=1&page=2%20of%203#top");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_builder(&self) -> UriBuilder {
        let owned = |part: Option<&str>| part.map(str::to_owned);
        UriBuilder {
            spec: self.spec(),
            scheme: owned(self.scheme()),
            userinfo: owned(self.userinfo()),
            host: owned(self.host()),
            port: owned(self.port()),
            path: self.path().to_owned(),
            query: owned(self.query()),
            fragment: owned(self.fragment()),
            error: None,
        }
    }
}

forwarded! {
    /// A builder with the components of this reference: [`UriRef::to_builder`].
    to_builder() -> UriBuilder;
}

impl UriBuilder {
    /// The scheme, without its colon. It is not encoded: only letters, digits, `+`, `-` and `.` can be in a scheme.
    pub fn scheme(mut self, scheme: &str) -> Self {
        self.scheme = Some(scheme.to_owned());
        self
    }

    /// The user information.
    pub fn userinfo(mut self, data: &str) -> Self {
        self.userinfo = Some(self.encoded(data, Part::Userinfo));
        self
    }

    /// The host (3.2.2): a name, an IPv4 address, or an IP literal in its brackets; there may be none between the
    /// slashes (`file:///a`). Characters outside ASCII are percent-encoded as UTF-8, and triplets stay.
    ///
    /// [`build`](Self::build) returns an error for what is no host: a name with a space, with a port, with a slash, …
    /// For an address see also [`address`](Self::address).
    ///
    /// ```
    /// use urimill_uri::Uri;
    ///
    /// let with = |host| Uri::builder().host(host).build();
    /// assert_eq!(with("example.com")?, "//example.com");
    /// assert_eq!(with("[2001:db8::1]")?, "//[2001:db8::1]");
    /// assert_eq!(with("bücher.example")?, "//b%C3%BCcher.example");
    /// for none in ["example.com:80", "example.com/a", "exam ple.com", "me@example.com", "2001:db8::1", "[::1"] {
    ///     assert!(with(none).is_err());
    /// }
    /// # Ok::<(), urimill_uri::Error>(())
    /// ```
    pub fn host(mut self, host: &str) -> Self {
        match host::host_text(host, self.spec) {
            Ok(text) => self.host = Some(text.into_owned()),
            Err(error) => {
                self.error.get_or_insert(error);
            }
        }
        self
    }

    /// The host as an address; an IPv6 address gets its brackets.
    pub fn address(mut self, address: IpAddr) -> Self {
        self.host = Some(match address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        });
        self
    }

    /// The port.
    pub fn port(mut self, port: u16) -> Self {
        self.port = Some(port.to_string());
        self
    }

    /// The whole path, in which each slash separates two segments.
    pub fn path(mut self, data: &str) -> Self {
        self.path = self.encoded(data, Part::Path);
        self
    }

    /// The path from its segments, with a slash before each: a slash in a segment is data.
    ///
    /// A segment `.` or `..` cannot be expressed, because it means a folder also where it is encoded:
    /// [`build`](Self::build) returns an error then.
    pub fn segments<I: IntoIterator<Item: AsRef<str>>>(mut self, segments: I) -> Self {
        self.path.clear();
        for segment in segments {
            let segment = segment.as_ref();
            if segment == "." || segment == ".." {
                self.error.get_or_insert_with(|| {
                    Error::usage(format!(
                        "{segment:?} cannot be a segment of a path: it means a folder (RFC 3986, 3.3)"
                    ))
                });
            }
            self.path.push('/');
            let segment = self.encoded(segment, Part::Segment);
            self.path.push_str(&segment);
        }
        self
    }

    /// The whole query.
    pub fn query(mut self, data: &str) -> Self {
        self.query = Some(self.encoded(data, Part::Query));
        self
    }

    /// Appends a pair `name=value` to the query.
    pub fn query_pair(mut self, name: &str, value: &str) -> Self {
        let [name, value] = [name, value].map(|data| self.encoded(data, Part::QueryValue));
        let query = self.query.get_or_insert_default();
        if !query.is_empty() {
            query.push('&');
        }
        query.push_str(&name);
        query.push('=');
        query.push_str(&value);
        self
    }

    /// The fragment.
    pub fn fragment(mut self, data: &str) -> Self {
        self.fragment = Some(self.encoded(data, Part::Fragment));
        self
    }

    /// The reference. Where the path would be read as an authority or as a scheme, `/.` or `./` is put before it (RFC
    /// 3986, 3.3 and 4.2).
    ///
    /// # Errors
    /// - the scheme is none, or the host is none
    /// - there is user information or a port, but no host
    /// - there is a host, and a path that does not begin with a slash
    /// - a segment is `.` or `..`
    /// - a part of [`to_builder`](UriRef::to_builder) has by RFC 2396 another place without its neighbours
    pub fn build(self) -> Result<Uri> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let mut text = String::new();
        if let Some(scheme) = &self.scheme {
            let mut letters = scheme.bytes();
            let is_scheme = letters.next().is_some_and(|first| first.is_ascii_alphabetic())
                && letters.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
            if !is_scheme {
                return Err(Error::usage(format!(
                    "{scheme:?} is no scheme: it begins with a letter and has letters, digits, +, - and . (RFC 3986, 3.1)"
                )));
            }
            text.push_str(scheme);
            text.push(':');
        }
        let mut path_start = text.len();
        match &self.host {
            None if self.userinfo.is_some() || self.port.is_some() => {
                return Err(Error::usage("user information and a port need a host (RFC 3986, 3.2)"));
            }
            Some(_) if !self.path.is_empty() && !self.path.starts_with('/') => {
                return Err(Error::usage(format!(
                    "the path {:?} does not begin with a slash, as it must behind a host (RFC 3986, 3.3)",
                    self.path
                )));
            }
            None => {
                let first = self.path.split('/').next().unwrap_or_default();
                if self.path.starts_with("//") {
                    text.push_str("/.");
                } else if self.scheme.is_none() && first.contains(':') {
                    text.push_str("./");
                }
            }
            Some(host) => {
                text.push_str("//");
                if let Some(userinfo) = &self.userinfo {
                    text.push_str(userinfo);
                    text.push('@');
                }
                text.push_str(host);
                if let Some(port) = &self.port {
                    text.push(':');
                    text.push_str(port);
                }
                path_start = text.len();
            }
        }
        text.push_str(&self.path);
        let path = path_start..text.len();
        for (delimiter, part) in [('?', &self.query), ('#', &self.fragment)] {
            if let Some(part) = part {
                text.push(delimiter);
                text.push_str(part);
            }
        }
        let uri = Uri::of_text(text, self.spec)
            .map_err(|reject| Error::usage(format!("the parts make no URI: {reject}")))?;
        let written = [&self.scheme, &self.userinfo, &self.host, &self.port, &self.query, &self.fragment];
        let read = [uri.scheme(), uri.userinfo(), uri.host(), uri.port(), uri.query(), uri.fragment()];
        // By RFC 2396 the place of a question mark, a colon or an `@` depends on what is before it.
        if !written.into_iter().map(Option::as_deref).eq(read) || uri.path() != &uri.as_str()[path] {
            return Err(Error::usage(format!(
                "{:?} does not have the parts that it was made of",
                uri.as_str()
            )));
        }
        Ok(uri)
    }

    /// Strings are UTF-8, the only requirement of any part.
    fn encoded(&self, data: &str, part: Part) -> String {
        encode(data, part, self.spec).map_or_else(|_| String::new(), |text| text.into_owned())
    }
}

/// The parts as they will be written, with the password masked.
impl fmt::Debug for UriBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UriBuilder")
            .field("spec", &self.spec)
            .field("scheme", &self.scheme)
            .field("userinfo", &self.userinfo.as_deref().map(masked_userinfo))
            .field("host", &self.host)
            .field("port", &self.port)
            .field("path", &self.path)
            .field("query", &self.query)
            .field("fragment", &self.fragment)
            .field("error", &self.error)
            .finish()
    }
}
