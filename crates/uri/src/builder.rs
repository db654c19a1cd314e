//! Builds a URI reference from parts: each part is data, and is percent-encoded for its component.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use core::net::IpAddr;

use crate::encode::{Part, encode};
use crate::error::{Error, Result};
use crate::grammar::Spec;
use crate::uri::Uri;

/// Makes a [`Uri`] from parts.
///
/// Each part is data: what its component cannot hold is percent-encoded, and so is every percent sign. The delimiters
/// between the parts are added.
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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct UriBuilder {
    scheme: Option<String>,
    userinfo: Option<String>,
    host: Option<String>,
    port: Option<u16>,
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

impl UriBuilder {
    /// The scheme, without its colon. It is not encoded: only letters, digits, `+`, `-` and `.` can be in a scheme.
    pub fn scheme(mut self, scheme: &str) -> Self {
        self.scheme = Some(scheme.to_owned());
        self
    }

    /// The user information.
    pub fn userinfo(mut self, data: &str) -> Self {
        self.userinfo = Some(encoded(data, Part::Userinfo));
        self
    }

    /// The host as a name. For an address see [`address`](Self::address).
    pub fn host(mut self, name: &str) -> Self {
        self.host = Some(encoded(name, Part::Host));
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
        self.port = Some(port);
        self
    }

    /// The whole path, in which each slash separates two segments.
    pub fn path(mut self, data: &str) -> Self {
        self.path = encoded(data, Part::Path);
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
            self.path.push_str(&encoded(segment, Part::Segment));
        }
        self
    }

    /// The whole query.
    pub fn query(mut self, data: &str) -> Self {
        self.query = Some(encoded(data, Part::Query));
        self
    }

    /// Appends a pair `name=value` to the query.
    pub fn query_pair(mut self, name: &str, value: &str) -> Self {
        let query = self.query.get_or_insert_default();
        if !query.is_empty() {
            query.push('&');
        }
        query.push_str(&encoded(name, Part::QueryValue));
        query.push('=');
        query.push_str(&encoded(value, Part::QueryValue));
        self
    }

    /// The fragment.
    pub fn fragment(mut self, data: &str) -> Self {
        self.fragment = Some(encoded(data, Part::Fragment));
        self
    }

    /// The reference. Where the path would be read as an authority or as a scheme, `/.` or `./` is put before it (RFC
    /// 3986, 3.3 and 4.2).
    ///
    /// # Errors
    /// - the scheme is none
    /// - there is user information or a port, but no host
    /// - there is a host, and a path that does not begin with a slash
    /// - a segment is `.` or `..`
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
                if let Some(port) = self.port {
                    text.push(':');
                    text.push_str(&port.to_string());
                }
            }
        }
        text.push_str(&self.path);
        for (delimiter, part) in [('?', &self.query), ('#', &self.fragment)] {
            if let Some(part) = part {
                text.push(delimiter);
                text.push_str(part);
            }
        }
        // Each part has been encoded for its component.
        Uri::try_from(text).map_err(|reject| Error::usage(format!("the parts make no URI: {reject}")))
    }
}

/// Strings are UTF-8, the only requirement of a host.
fn encoded(data: &str, part: Part) -> String {
    encode(data, part, Spec::Rfc3986).map_or_else(|_| String::new(), |text| text.into_owned())
}
