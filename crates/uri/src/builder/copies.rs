//! Copies of a reference with one component replaced or removed (RFC 3986, 3). The new component is text as it is
//! written in a URI, as the getters return it; the [builder](super::UriBuilder) takes data and encodes it.

use alloc::borrow::{Cow, ToOwned};
use alloc::format;
use alloc::string::String;
use core::ops::Range;

use crate::encode::{Fault, Part, decode_part};
use crate::error::{Error, Result};
use crate::grammar::Spec;
use crate::passwords::masked_userinfo;
use crate::reference::UriRef;
use crate::uri::{Uri, forwarded};

/// Each of these returns a copy by the same specification and leaves the other components as they are written. A part
/// is text as the getter of its name returns it: percent-encoded where it has to be.
/// [`encode`](crate::encode::encode()) makes such text of data; [`to_builder`](UriRef::to_builder) takes data.
impl UriRef<'_> {
    /// A copy with another scheme (3.1), without its colon.
    ///
    /// ```
    /// use urimill_uri::Uri;
    ///
    /// let uri: Uri = "http://example.com/a".parse()?;
    /// assert_eq!(uri.with_scheme("https")?, "https://example.com/a");
    /// assert!(uri.with_scheme("https:").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Where the text is no scheme.
    pub fn with_scheme(&self, scheme: &str) -> Result<Uri> {
        self.to_builder().scheme(scheme).build()
    }

    /// A copy with other user information (3.2.1), without its `@`.
    ///
    /// ```
    /// use urimill_uri::Uri;
    ///
    /// let uri: Uri = "ftp://example.com/a".parse()?;
    /// assert_eq!(uri.with_userinfo("joe")?, "ftp://joe@example.com/a");
    /// assert!(uri.with_userinfo("joe@home").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Where the text is no user information, and where there is no host.
    pub fn with_userinfo(&self, userinfo: &str) -> Result<Uri> {
        let mut builder = self.to_builder();
        builder.userinfo = Some(written(userinfo, Part::Userinfo, "user information", self.spec())?);
        builder.build()
    }

    /// A copy with another host (3.2.2), as [`UriBuilder::host`](crate::UriBuilder::host) takes it: an IP literal has
    /// its brackets, and characters outside ASCII are percent-encoded.
    ///
    /// ```
    /// use urimill_uri::Uri;
    ///
    /// let uri: Uri = "http://example.com:8080/a".parse()?;
    /// assert_eq!(uri.with_host("[2001:db8::1]")?, "http://[2001:db8::1]:8080/a");
    /// assert!(uri.with_host("example.org:80").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Where the text is no host, and where the path does not begin with a slash, as it must after a host (3.3).
    pub fn with_host(&self, host: &str) -> Result<Uri> {
        self.to_builder().host(host).build()
    }

    /// A copy with another port (3.2.3).
    ///
    /// ```
    /// use urimill_uri::Uri;
    ///
    /// let uri: Uri = "http://example.com/a".parse()?;
    /// assert_eq!(uri.with_port(8080)?, "http://example.com:8080/a");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Where there is no host.
    pub fn with_port(&self, port: u16) -> Result<Uri> {
        self.to_builder().port(port).build()
    }

    /// A copy with another path (3.3). Where it would be read as an authority or as a scheme, `/.` or `./` is put before
    /// it (3.3, 4.2).
    ///
    /// ```
    /// use urimill_uri::Uri;
    ///
    /// let uri: Uri = "http://example.com/a?q".parse()?;
    /// assert_eq!(uri.with_path("/100%25")?, "http://example.com/100%25?q");
    /// assert!(uri.with_path("/100%").is_err());
    /// assert!(uri.with_path("b").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Where the text is no path, and where it does not begin with a slash, as it must after a host.
    pub fn with_path(&self, path: &str) -> Result<Uri> {
        // RFC 2396 (3): an opaque part has all characters of a URI.
        let part = if self.opaque_part().is_some() { Part::Query } else { Part::Path };
        let mut builder = self.to_builder();
        builder.path = written(path, part, "path", self.spec())?;
        builder.build()
    }

    /// A copy with another query (3.4), without its `?`.
    ///
    /// ```
    /// use urimill_uri::Uri;
    ///
    /// let uri: Uri = "http://example.com/a?q#f".parse()?;
    /// assert_eq!(uri.with_query("page=2&lang=de")?, "http://example.com/a?page=2&lang=de#f");
    /// assert!(uri.with_query("page 2").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Where the text is no query.
    pub fn with_query(&self, query: &str) -> Result<Uri> {
        let mut builder = self.to_builder();
        builder.query = Some(written(query, Part::Query, "query", self.spec())?);
        builder.build()
    }

    /// A copy with another fragment (3.5), without its `#`.
    ///
    /// ```
    /// use urimill_uri::Uri;
    ///
    /// let uri: Uri = "http://example.com/a".parse()?;
    /// assert_eq!(uri.with_fragment("top")?, "http://example.com/a#top");
    /// assert!(uri.with_fragment("#top").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Where the text is no fragment.
    pub fn with_fragment(&self, fragment: &str) -> Result<Uri> {
        let mut builder = self.to_builder();
        builder.fragment = Some(written(fragment, Part::Fragment, "fragment", self.spec())?);
        builder.build()
    }

    /// A copy without user information (3.2.1), which often has a password (7.5).
    ///
    /// ```
    /// use urimill_uri::Uri;
    ///
    /// let uri: Uri = "ftp://joe:secret@example.com/a".parse()?;
    /// assert_eq!(uri.without_userinfo(), "ftp://example.com/a");
    /// # Ok::<(), urimill_uri::Reject>(())
    /// ```
    #[must_use]
    pub fn without_userinfo(&self) -> Uri {
        let split = self.split();
        let authority = if self.authority().is_some() { split.after_scheme() + 2 } else { split.host_start };
        self.without(authority..split.host_start)
    }

    /// A copy without the port (3.2.3) and its colon.
    ///
    /// ```
    /// use urimill_uri::Uri;
    ///
    /// let uri: Uri = "http://example.com:8080/a".parse()?;
    /// assert_eq!(uri.without_port(), "http://example.com/a");
    /// # Ok::<(), urimill_uri::Reject>(())
    /// ```
    #[must_use]
    pub fn without_port(&self) -> Uri {
        self.without(self.split().host_end..self.split().path_start)
    }

    /// A copy without the query (3.4) and its `?`.
    ///
    /// ```
    /// use urimill_uri::Uri;
    ///
    /// let uri: Uri = "http://example.com/a?q#f".parse()?;
    /// assert_eq!(uri.without_query(), "http://example.com/a#f");
    /// # Ok::<(), urimill_uri::Reject>(())
    /// ```
    #[must_use]
    pub fn without_query(&self) -> Uri {
        self.without(self.split().path_end..self.split().query_end)
    }

    /// A copy without the fragment (3.5) and its `#`: what is fetched.
    ///
    /// ```
    /// use urimill_uri::Uri;
    ///
    /// let uri: Uri = "http://example.com/a?q#f".parse()?;
    /// assert_eq!(uri.without_fragment(), "http://example.com/a?q");
    /// # Ok::<(), urimill_uri::Reject>(())
    /// ```
    #[must_use]
    pub fn without_fragment(&self) -> Uri {
        self.without(self.split().query_end..self.split().end)
    }

    /// A copy without one component and its delimiter.
    fn without(&self, cut: Range<u32>) -> Uri {
        let text = self.as_str();
        let kept = [&text[..cut.start as usize], &text[cut.end as usize..]].concat();
        Uri::of_valid(kept, self.spec())
    }
}

/// The text, if it is a component as a URI has it.
fn written(text: &str, part: Part, name: &str, spec: Spec) -> Result<String> {
    let refused = |fault: Fault| {
        let shown = if part == Part::Userinfo { masked_userinfo(text) } else { Cow::Borrowed(text) };
        Error::usage(format!(
            "{shown:?} is no {name} as a URI has it: {} (byte {}): percent-encode data first",
            fault.kind.sentence(),
            fault.offset
        ))
    };
    decode_part(text, part, spec).map_err(refused)?;
    Ok(text.to_owned())
}

forwarded! {
    /// A copy with another scheme (3.1), without its colon: [`UriRef::with_scheme`].
    ///
    /// # Errors
    /// Where the text is no scheme.
    with_scheme(scheme: &str) -> Result<Uri>;
    /// A copy with other user information (3.2.1), percent-encoded: [`UriRef::with_userinfo`].
    ///
    /// # Errors
    /// Where the text is no user information, and where there is no host.
    with_userinfo(userinfo: &str) -> Result<Uri>;
    /// A copy with another host (3.2.2): [`UriRef::with_host`].
    ///
    /// # Errors
    /// Where the text is no host, and where the path does not begin with a slash.
    with_host(host: &str) -> Result<Uri>;
    /// A copy with another port (3.2.3): [`UriRef::with_port`].
    ///
    /// # Errors
    /// Where there is no host.
    with_port(port: u16) -> Result<Uri>;
    /// A copy with another path (3.3), percent-encoded: [`UriRef::with_path`].
    ///
    /// # Errors
    /// Where the text is no path, and where it does not begin with a slash, as it must after a host.
    with_path(path: &str) -> Result<Uri>;
    /// A copy with another query (3.4), percent-encoded: [`UriRef::with_query`].
    ///
    /// # Errors
    /// Where the text is no query.
    with_query(query: &str) -> Result<Uri>;
    /// A copy with another fragment (3.5), percent-encoded: [`UriRef::with_fragment`].
    ///
    /// # Errors
    /// Where the text is no fragment.
    with_fragment(fragment: &str) -> Result<Uri>;
    /// A copy without user information (3.2.1): [`UriRef::without_userinfo`].
    #[must_use]
    without_userinfo() -> Uri;
    /// A copy without the port (3.2.3): [`UriRef::without_port`].
    #[must_use]
    without_port() -> Uri;
    /// A copy without the query (3.4): [`UriRef::without_query`].
    #[must_use]
    without_query() -> Uri;
    /// A copy without the fragment (3.5): [`UriRef::without_fragment`].
    #[must_use]
    without_fragment() -> Uri;
}
