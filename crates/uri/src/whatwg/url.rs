//! A URL record: its serialization and the offsets of its components.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::str::FromStr;

use super::input::Input;
use super::parser::{self, Base, Parts};
use super::plain;
use super::scheme::Special;
use super::validation::{Failure, Report, Silent, State, Trace, TracedError, ValidationError};
use crate::error::Error;
use crate::passwords::masked;
use crate::reference::AsText;
use crate::simd::Split;
use crate::standard::Standard;

/// A URL by the URL Standard.
///
/// It borrows the input if that is the URL's own serialization, as for most URLs of a crawl. Getters have the
/// standard's names and values. URLs are compared, ordered and hashed by their serializations.
///
/// ```
/// use urimill_uri::whatwg::Url;
///
/// let base = Url::parse("https://Example.com:443/a/b?q", None)?;
/// assert_eq!(base.href(), "https://example.com/a/b?q");
///
/// let url = Url::parse(r"\\me:pw@0x7f.1\%2e./c d#e", Some(&base))?;
/// assert_eq!(url.href(), "https://me:pw@127.0.0.1/c%20d#e");
/// assert_eq!((url.hostname(), url.port(), url.pathname(), url.hash()), ("127.0.0.1", "", "/c%20d", "#e"));
///
/// let failure = Url::parse("https://a<b/", None).unwrap_err();
/// assert_eq!((failure.error.as_str(), failure.offset), ("domain-invalid-code-point", 9));
/// # Ok::<(), urimill_uri::whatwg::Failure>(())
/// ```
#[derive(Clone)]
pub struct Url<'a> {
    href: Cow<'a, str>,
    parts: Parts,
}

/// A [`Url`] that owns its text.
pub type OwnedUrl = Url<'static>;

impl<'a> Url<'a> {
    /// Parses an input with the basic URL parser (4.4), against a base if there is one. Bytes that are not UTF-8 are
    /// read as U+FFFD.
    ///
    /// # Errors
    /// The input has no URL: see [`Failure`].
    pub fn parse<T: AsText + ?Sized>(input: &'a T, base: Option<&Url<'_>>) -> Result<Url<'a>, Failure> {
        let bytes = input.as_bytes();
        if let Some(split) = plain::split(bytes) {
            // The kernels accept only ASCII.
            let href = Cow::Borrowed(input.as_text().unwrap_or_default());
            return Ok(Url { href, parts: Parts { split, is_opaque: false } });
        }
        let url = Self::parse_slowly(bytes, base, &mut Silent)?;
        match input.as_text() {
            Some(text) if *url.href == *text => Ok(Url { href: Cow::Borrowed(text), ..url }),
            _ => Ok(url),
        }
    }

    /// [`Url::parse`], with the validation errors that are not failures, and their offsets in the input.
    pub fn validate<T: AsText + ?Sized>(
        input: &'a T,
        base: Option<&Url<'_>>,
    ) -> (Result<Url<'a>, Failure>, Vec<(ValidationError, usize)>) {
        let mut errors = Vec::new();
        let url = Self::parse_slowly(input.as_bytes(), base, &mut errors);
        (url, errors)
    }

    /// [`Url::validate`], with the state of the parser at each validation error, and the last state that it entered:
    /// the state in which it failed, if there is no URL.
    pub fn trace<T: AsText + ?Sized>(
        input: &'a T,
        base: Option<&Url<'_>>,
    ) -> (Result<Url<'a>, Failure>, Vec<TracedError>, Option<State>) {
        let mut trace = Trace::default();
        let url = Self::parse_slowly(input.as_bytes(), base, &mut trace);
        (url, trace.errors, trace.state)
    }

    fn parse_slowly<R: Report>(
        bytes: &[u8],
        base: Option<&Url<'_>>,
        report: &mut R,
    ) -> Result<Url<'a>, Failure> {
        let mut href = Vec::with_capacity(bytes.len() + base.map_or(0, |base| base.href.len()) + 8);
        let parts = parse_into(bytes, base.map(Url::as_base), &mut href, report)?;
        // Everything outside ASCII has been encoded.
        let href = Cow::Owned(String::from_utf8(href).unwrap_or_default());
        Ok(Url { href, parts })
    }

    /// Whether an input has a URL (6.1, `URL.canParse`).
    #[must_use]
    pub fn can_parse<T: AsText + ?Sized>(input: &T, base: Option<&Url<'_>>) -> bool {
        Url::parse(input, base).is_ok()
    }

    /// A URL that has been written.
    pub(super) fn of_written(href: &'a [u8], parts: Parts) -> Url<'a> {
        // Everything outside ASCII has been encoded.
        Url { href: Cow::Borrowed(core::str::from_utf8(href).unwrap_or_default()), parts }
    }

    pub(super) fn as_base(&self) -> Base<'_> {
        Base { href: self.href.as_bytes(), parts: self.parts }
    }

    /// The serialization (4.5).
    #[must_use]
    pub fn href(&self) -> &str {
        &self.href
    }

    /// The serialization, borrowed from the input where that is the same.
    #[must_use]
    pub fn into_href(self) -> Cow<'a, str> {
        self.href
    }

    /// The URL with a text of its own.
    #[must_use]
    pub fn into_owned(self) -> OwnedUrl {
        Url { href: Cow::Owned(self.href.into_owned()), parts: self.parts }
    }

    /// The offsets of the components in the serialization, as those of a URI reference. The path of a URL without a
    /// host that begins with two slashes has `/.` before it here, as in the serialization.
    #[must_use]
    pub fn split(&self) -> Split {
        self.parts.as_reference()
    }

    /// Whether the scheme is special and not `file`: there is a host, and the path begins with a slash.
    pub(super) fn is_network(&self) -> bool {
        matches!(Special::of(self.scheme().as_bytes()), Some(Special::Network(_)))
    }

    /// The scheme without its colon.
    #[must_use]
    pub fn scheme(&self) -> &str {
        self.slice(0, self.parts.split.scheme_end)
    }

    /// The scheme with its colon (6.1).
    #[must_use]
    pub fn protocol(&self) -> &str {
        self.slice(0, self.parts.split.scheme_end + 1)
    }

    /// The user name (6.1); empty if there is none.
    #[must_use]
    pub fn username(&self) -> &str {
        let credentials = self.credentials();
        credentials.split_once(':').map_or(credentials, |(name, _)| name)
    }

    /// The password (6.1); empty if there is none.
    #[must_use]
    pub fn password(&self) -> &str {
        self.credentials().split_once(':').map_or("", |(_, password)| password)
    }

    fn credentials(&self) -> &str {
        let split = self.parts.split;
        match self.parts.has_host() && split.host_start > split.scheme_end + 3 {
            true => self.slice(split.scheme_end + 3, split.host_start - 1),
            false => "",
        }
    }

    /// The host and, if it is not the scheme's default, the port (6.1).
    #[must_use]
    pub fn host(&self) -> &str {
        match self.parts.has_host() {
            true => self.slice(self.parts.split.host_start, self.parts.split.path_start),
            false => "",
        }
    }

    /// The host (6.1); empty also if there is none.
    #[must_use]
    pub fn hostname(&self) -> &str {
        self.slice(self.parts.split.host_start, self.parts.split.host_end)
    }

    /// Whether there is a host, which may be empty.
    #[must_use]
    pub fn has_host(&self) -> bool {
        self.parts.has_host()
    }

    /// The digits of the port (6.1), empty for the scheme's default port.
    #[must_use]
    pub fn port(&self) -> &str {
        let split = self.parts.split;
        match self.parts.has_host() && split.host_end < split.path_start {
            true => self.slice(split.host_end + 1, split.path_start),
            false => "",
        }
    }

    /// The port as a number; `None` for the scheme's default port.
    #[must_use]
    pub fn port_number(&self) -> Option<u16> {
        self.port().parse().ok()
    }

    /// The path (6.1).
    #[must_use]
    pub fn pathname(&self) -> &str {
        self.slice(self.parts.split.path_start, self.parts.split.path_end)
    }

    /// Whether the path is opaque, as in `mailto:a@example.com` (4.1).
    #[must_use]
    pub fn has_opaque_path(&self) -> bool {
        self.parts.is_opaque
    }

    /// The query with its question mark; empty if there is none, or an empty one (6.1).
    #[must_use]
    pub fn search(&self) -> &str {
        let search = self.slice(self.parts.split.path_end, self.parts.split.query_end);
        if search.len() > 1 { search } else { "" }
    }

    /// The query without its question mark; `None` if there is none.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        let split = self.parts.split;
        (split.path_end < split.query_end).then(|| self.slice(split.path_end + 1, split.query_end))
    }

    /// The fragment with its number sign; empty if there is none, or an empty one (6.1).
    #[must_use]
    pub fn hash(&self) -> &str {
        let hash = self.slice(self.parts.split.query_end, self.parts.split.end);
        if hash.len() > 1 { hash } else { "" }
    }

    /// The fragment without its number sign; `None` if there is none.
    #[must_use]
    pub fn fragment(&self) -> Option<&str> {
        let split = self.parts.split;
        (split.query_end < split.end).then(|| self.slice(split.query_end + 1, split.end))
    }

    /// The serialization of the origin (4.7): scheme, host and port of a special URL; that of the URL in a `blob:` if it
    /// is one of `http` or `https`; else `null`.
    #[must_use]
    pub fn origin(&self) -> Cow<'_, str> {
        match self.scheme() {
            "http" | "https" | "ws" | "wss" | "ftp" => {
                let split = self.parts.split;
                let scheme = self.slice(0, split.scheme_end + 3);
                if split.host_start == split.scheme_end + 3 {
                    return Cow::Borrowed(self.slice(0, split.path_start));
                }
                Cow::Owned([scheme, self.host()].concat())
            }
            "blob" => match Url::parse(self.pathname(), None) {
                Ok(url) if matches!(url.scheme(), "http" | "https") => Cow::Owned(url.origin().into_owned()),
                _ => Cow::Borrowed("null"),
            },
            _ => Cow::Borrowed("null"),
        }
    }

    fn slice(&self, from: u32, to: u32) -> &str {
        self.href.get(from as usize..to as usize).unwrap_or_default()
    }
}

/// Parses a base for resolution.
///
/// # Errors
/// Usage: a text without a URL, or with a URL that nothing is relative to (`mailto:a@example.com`).
pub fn parse_base<T: AsText + ?Sized>(text: &T) -> crate::error::Result<Url<'_>> {
    let quoted = || String::from_utf8_lossy(text.as_bytes());
    match Url::parse(text, None) {
        Ok(url) if url.has_opaque_path() => Err(Error::usage(format!(
            "the base {:?} has an opaque path, so nothing can be resolved against it: give one with a host or a slash",
            quoted()
        ))),
        Ok(url) => Ok(url),
        Err(failure) => Err(Error::usage(format!("the base {:?} has no URL: {failure}", quoted()))),
    }
}

impl Standard {
    /// Checks that references can be resolved against a base by this specification.
    ///
    /// # Errors
    /// Usage: those of [`resolve::parse_base`](crate::resolve::parse_base), or of [`parse_base`].
    pub fn check_base<T: AsText + ?Sized>(self, base: &T) -> crate::error::Result<()> {
        match self {
            Standard::Rfc(spec) => crate::resolve::parse_base(base, spec).map(drop),
            Standard::Whatwg => parse_base(base).map(drop),
        }
    }
}

/// Parses an input and appends the URL to `out`, which is unchanged if there is none. Returns the offsets of its
/// components within it, as [`Url::split`] has them.
///
/// # Errors
/// See [`Url::parse`].
pub fn write(input: &[u8], base: Option<&Url<'_>>, out: &mut Vec<u8>) -> Result<Split, Failure> {
    parse_into(input, base.map(Url::as_base), out, &mut Silent).map(|parts| parts.as_reference())
}

/// Parses an input that has been decoded and cleaned.
pub(super) fn parse_cleaned(
    input: &Input<'_>,
    base: Option<Base<'_>>,
    out: &mut Vec<u8>,
) -> Result<Parts, Failure> {
    parser::parse(&input.text, base, out, &mut Silent)
        .map_err(|failure| Failure { offset: input.original_offset(failure.offset), ..failure })
}

/// Parses an input and appends the URL to `out`; offsets of faults are those of the input.
pub(super) fn parse_into<R: Report>(
    bytes: &[u8],
    base: Option<Base<'_>>,
    out: &mut Vec<u8>,
    report: &mut R,
) -> Result<Parts, Failure> {
    let input = Input::new(bytes);
    if !R::IS_WANTED {
        return parse_cleaned(&input, base, out);
    }
    for at in input.stripped_at.into_iter().flatten() {
        report.report(ValidationError::InvalidUrlUnit, at);
    }
    let mut trace = Trace::default();
    let parts = parser::parse(&input.text, base, out, &mut trace);
    for traced in trace.errors {
        traced.state.into_iter().for_each(|state| report.enter(state));
        report.report(traced.error, input.original_offset(traced.offset));
    }
    trace.state.into_iter().for_each(|state| report.enter(state));
    parts.map_err(|failure| Failure { offset: input.original_offset(failure.offset), ..failure })
}

impl FromStr for OwnedUrl {
    type Err = Failure;

    fn from_str(text: &str) -> Result<OwnedUrl, Failure> {
        Url::parse(text, None).map(Url::into_owned)
    }
}

impl AsRef<str> for Url<'_> {
    fn as_ref(&self) -> &str {
        self.href()
    }
}

impl fmt::Display for Url<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.href())
    }
}

/// The serialization, with passwords masked.
impl fmt::Debug for Url<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Url").field(&masked(self.href())).finish()
    }
}

impl PartialEq for Url<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.href() == other.href()
    }
}

impl Eq for Url<'_> {}

impl PartialOrd for Url<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Url<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.href().cmp(other.href())
    }
}

impl Hash for Url<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.href().hash(state);
    }
}

impl From<Url<'_>> for String {
    fn from(url: Url<'_>) -> String {
        url.href.into_owned()
    }
}
