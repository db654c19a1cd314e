//! A parsed URI reference: offsets over its text.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::net::IpAddr;

use crate::grammar::{Spec, ip, scheme};
use crate::host::{self, Host, HostKind};
use crate::parse::parse_full_behind;
use crate::passwords::masked;
use crate::reject::Reject;
use crate::simd::{self, SlowPath, Split};

/// A URI reference (RFC 3986 section 4.1, RFC 2396 section 4) that matches the grammar, split into its
/// components.
///
/// ```
/// use urimill_uri::{HostKind, UriRef};
///
/// let uri = UriRef::parse("http://user@example.com:8080/over/there?name=ferret#nose")?;
/// assert_eq!(uri.scheme(), Some("http"));
/// assert_eq!(uri.userinfo(), Some("user"));
/// assert_eq!(uri.host(), Some("example.com"));
/// assert_eq!(uri.host_kind(), Some(HostKind::DnsName));
/// assert_eq!(uri.port(), Some("8080"));
/// assert_eq!(uri.path(), "/over/there");
/// assert_eq!(uri.query(), Some("name=ferret"));
/// assert_eq!(uri.fragment(), Some("nose"));
///
/// let reject = UriRef::parse("http://example.com/a b").unwrap_err();
/// assert_eq!((reject.code.as_str(), reject.offset), ("path_invalid_char", 20));
/// # Ok::<(), urimill_uri::Reject>(())
/// ```
///
/// References are compared, ordered and hashed by their texts.
#[derive(Clone, Copy)]
pub struct UriRef<'a> {
    text: &'a str,
    split: Split,
    host_kind: Option<HostKind>,
    slow_path: SlowPath,
    spec: Spec,
}

/// Everything known about a reference besides its text.
#[derive(Clone, Copy)]
pub(crate) struct Parsed {
    split: Split,
    host_kind: Option<HostKind>,
    slow_path: SlowPath,
    spec: Spec,
}

pub(crate) mod sealed {
    /// Implemented here and nowhere else.
    pub trait Sealed {}
}

/// The argument of [`UriRef::parse`]: strings, bytes, and references, whose texts are parsed again. No other type can
/// implement it.
pub trait AsText: sealed::Sealed {
    /// The bytes.
    fn as_bytes(&self) -> &[u8];
    /// The same as a string; `None` where it is not UTF-8.
    fn as_text(&self) -> Option<&str>;
}

impl sealed::Sealed for str {}
impl AsText for str {
    fn as_bytes(&self) -> &[u8] {
        str::as_bytes(self)
    }
    fn as_text(&self) -> Option<&str> {
        Some(self)
    }
}

impl sealed::Sealed for [u8] {}
impl AsText for [u8] {
    fn as_bytes(&self) -> &[u8] {
        self
    }
    fn as_text(&self) -> Option<&str> {
        core::str::from_utf8(self).ok()
    }
}

/// Forwards to the borrowed form.
macro_rules! as_text_through_deref {
    ($($(#[$const:ident])? $owned:ty),*) => {$(
        impl sealed::Sealed for $owned {}
        impl AsText for $owned {
            fn as_bytes(&self) -> &[u8] {
                AsText::as_bytes(&**self)
            }
            fn as_text(&self) -> Option<&str> {
                AsText::as_text(&**self)
            }
        }
    )*};
}
as_text_through_deref!(String, Vec<u8>, Cow<'_, str>, Cow<'_, [u8]>, &str, &[u8]);

impl<const N: usize> sealed::Sealed for [u8; N] {}
impl<const N: usize> AsText for [u8; N] {
    fn as_bytes(&self) -> &[u8] {
        self
    }
    fn as_text(&self) -> Option<&str> {
        self.as_slice().as_text()
    }
}

impl<'a> UriRef<'a> {
    /// Parses a URI reference by RFC 3986. No byte is copied and nothing allocated.
    ///
    /// # Errors
    /// Where the text does not match the grammar: see [`Reject`].
    pub fn parse<T: AsText + ?Sized>(text: &'a T) -> Result<UriRef<'a>, Reject> {
        Self::parse_as(text, Spec::Rfc3986)
    }

    /// Parses a URI reference by one of the specifications. Normalization, resolution and comparison of the reference
    /// follow the same one.
    ///
    /// # Errors
    /// Where the text does not match the grammar: see [`Reject`].
    pub fn parse_as<T: AsText + ?Sized>(text: &'a T, spec: Spec) -> Result<UriRef<'a>, Reject> {
        let bytes = text.as_bytes();
        let (split, slow_path) = simd::split_one(bytes, (spec, None));
        let (split, host_kind) = if slow_path.has(SlowPath::UNSURE) {
            let (split, host) = parse_full_behind(bytes, &split, slow_path, spec)?;
            (split, host.map(|host| host.kind()))
        } else {
            // The kernel accepts no authority but a DNS name.
            (split, (split.path_start > 0).then_some(HostKind::DnsName))
        };
        // Text that matches the grammar is ASCII.
        let text = text.as_text().unwrap_or_default();
        let uri = UriRef { text, split, host_kind, slow_path, spec };
        debug_assert!(uri.check().is_ok(), "{:?}", uri.check());
        Ok(uri)
    }

    /// A reference that has already been split, by the kernels or the full parser.
    #[doc(hidden)]
    #[must_use]
    pub fn of_split(text: &'a [u8], split: Split, host_kind: Option<HostKind>, spec: Spec) -> UriRef<'a> {
        // Text that matches the grammar is ASCII. The kernel's verdict was not stored, so the ladder has to look.
        let text = text.as_text().unwrap_or_default();
        let uri = UriRef { text, split, host_kind, slow_path: SlowPath(SlowPath::UNSURE), spec };
        debug_assert!(uri.check().is_ok(), "{:?}", uri.check());
        uri
    }

    /// A reference from its text and the facts already found about it.
    pub(crate) fn of_parsed(
        text: &'a str,
        Parsed { split, host_kind, slow_path, spec }: Parsed,
    ) -> UriRef<'a> {
        UriRef { text, split, host_kind, slow_path, spec }
    }

    /// Everything known about it besides its text.
    pub(crate) fn parsed(&self) -> Parsed {
        Parsed { split: self.split, host_kind: self.host_kind, slow_path: self.slow_path, spec: self.spec }
    }

    /// The specification that it was parsed by.
    #[must_use]
    pub fn spec(&self) -> Spec {
        self.spec
    }

    /// The whole reference.
    #[must_use]
    pub fn as_str(&self) -> &'a str {
        self.text
    }

    /// The scheme without its colon (3.1).
    #[must_use]
    pub fn scheme(&self) -> Option<&'a str> {
        (self.split.scheme_end > 0).then(|| self.slice(0, self.split.scheme_end))
    }

    /// The authority without its `//` (3.2).
    #[must_use]
    pub fn authority(&self) -> Option<&'a str> {
        self.has_authority().then(|| self.slice(self.after_scheme() + 2, self.split.path_start))
    }

    /// The user information without its `@` (3.2.1).
    #[must_use]
    pub fn userinfo(&self) -> Option<&'a str> {
        let start = self.after_scheme() + 2;
        (self.has_authority() && self.split.host_start > start)
            .then(|| self.slice(start, self.split.host_start - 1))
    }

    /// The host (3.2.2); an IP literal includes its brackets. An authority always has a host, which may be empty.
    #[must_use]
    pub fn host(&self) -> Option<&'a str> {
        self.has_authority().then(|| self.slice(self.split.host_start, self.split.host_end))
    }

    /// The kind of host.
    #[must_use]
    pub fn host_kind(&self) -> Option<HostKind> {
        self.host_kind
    }

    /// The host's kind, with the address where the grammar says that it is one.
    ///
    /// ```
    /// use urimill_uri::{Host, UriRef};
    ///
    /// let host = |text| UriRef::parse(text).unwrap().typed_host();
    /// assert_eq!(host("http://192.0.2.1/"), Some(Host::Ipv4([192, 0, 2, 1].into())));
    /// assert_eq!(host("http://[::1]/"), Some(Host::Ipv6([0, 0, 0, 0, 0, 0, 0, 1].into())));
    /// assert_eq!(host("http://example.com/"), Some(Host::DnsName));
    /// assert_eq!(host("mailto:a@example.com"), None);
    /// ```
    #[must_use]
    pub fn typed_host(&self) -> Option<Host> {
        self.host().map(|host| host::classify_as(host.as_bytes(), self.spec))
    }

    /// The address that the host means, if any (3.2.2): an `IPv4address`, an `IPv6address`, or a rare form (7.4) that
    /// platforms read as an IPv4 address, such as `127.1` or `0x7f000001`. A triplet in the host hides its address:
    /// normalize first.
    ///
    /// ```
    /// use urimill_uri::UriRef;
    ///
    /// let address = |text| UriRef::parse(text).unwrap().host_address().map(|address| address.to_string());
    /// assert_eq!(address("http://0177.1/").as_deref(), Some("127.0.0.1"));
    /// assert_eq!(address("http://[2001:DB8:0::1]/").as_deref(), Some("2001:db8::1"));
    /// assert_eq!(address("http://example.com/"), None);
    /// ```
    #[must_use]
    pub fn host_address(&self) -> Option<IpAddr> {
        let scheme = self.scheme().unwrap_or_default();
        self.host().and_then(|host| ip::address_in(scheme.as_bytes(), host.as_bytes()))
    }

    /// The digits after the host's colon (3.2.3); there may be none.
    #[must_use]
    pub fn port(&self) -> Option<&'a str> {
        (self.split.host_end < self.split.path_start)
            .then(|| self.slice(self.split.host_end + 1, self.split.path_start))
    }

    /// The port as a number. `None` without a port, for a port without digits, and above 65535.
    ///
    /// ```
    /// use urimill_uri::UriRef;
    ///
    /// let port = |text| UriRef::parse(text).unwrap().port_number();
    /// assert_eq!((port("http://h:8080/"), port("http://h:080/")), (Some(8080), Some(80)));
    /// assert_eq!((port("http://h/"), port("http://h:/"), port("http://h:65536/")), (None, None, None));
    /// ```
    #[must_use]
    pub fn port_number(&self) -> Option<u16> {
        self.port()?.parse().ok()
    }

    /// The port that a connection goes to: [`port_number`](Self::port_number), or without digits the default of the
    /// scheme.
    ///
    /// ```
    /// use urimill_uri::UriRef;
    ///
    /// let port = |text| UriRef::parse(text).unwrap().port_or_default();
    /// assert_eq!((port("https://h/"), port("HTTPS://h:/"), port("https://h:81/")), (Some(443), Some(443), Some(81)));
    /// assert_eq!((port("https://h:65536/"), port("urn:a"), port("//h/")), (None, None, None));
    /// ```
    #[must_use]
    pub fn port_or_default(&self) -> Option<u16> {
        match self.port() {
            Some(digits) if !digits.is_empty() => digits.parse().ok(),
            _ if self.has_authority() => scheme::find(self.scheme()?.as_bytes())?.default_port,
            _ => None,
        }
    }

    /// The path, which is always defined (3.3).
    #[must_use]
    pub fn path(&self) -> &'a str {
        self.slice(self.split.path_start, self.split.path_end)
    }

    /// The query without its `?` (3.4).
    #[must_use]
    pub fn query(&self) -> Option<&'a str> {
        (self.split.path_end < self.split.query_end)
            .then(|| self.slice(self.split.path_end + 1, self.split.query_end))
    }

    /// The fragment without its `#` (3.5).
    #[must_use]
    pub fn fragment(&self) -> Option<&'a str> {
        (self.split.query_end < self.split.end).then(|| self.slice(self.split.query_end + 1, self.split.end))
    }

    /// Whether it is a `URI`: it has a scheme (3).
    #[must_use]
    pub fn is_uri(&self) -> bool {
        self.split.scheme_end > 0
    }

    /// Whether it is a `relative-ref`: it has no scheme (4.2).
    #[must_use]
    pub fn is_relative_reference(&self) -> bool {
        !self.is_uri()
    }

    /// Whether it is an `absolute-URI`: a scheme, and no fragment (4.3).
    #[must_use]
    pub fn is_absolute_uri(&self) -> bool {
        self.is_uri() && self.fragment().is_none()
    }

    /// The offsets of the components.
    #[must_use]
    pub fn split(&self) -> Split {
        self.split
    }

    /// The kernel's verdict: where it is empty, the ladder has nothing to do.
    #[doc(hidden)]
    #[must_use]
    pub fn slow_path(&self) -> SlowPath {
        self.slow_path
    }

    fn has_authority(&self) -> bool {
        // The authority's two slashes are before the path.
        self.split.path_start > self.after_scheme()
    }

    fn after_scheme(&self) -> u32 {
        self.split.after_scheme()
    }

    fn slice(&self, from: u32, to: u32) -> &'a str {
        // Like indexing, but without its panic message: text about slices would be part of every small program.
        let Some(part) = self.text.get(from as usize..to as usize) else {
            panic!("a component lies in its text");
        };
        part
    }

    /// Checks the offsets against the text: they are in order, and each delimiter is where they say. Called by tests
    /// and debug builds.
    ///
    /// # Errors
    /// The invariant that is broken.
    pub fn check(&self) -> Result<(), &'static str> {
        let s = &self.split;
        let byte = |at: u32| self.text.as_bytes().get(at as usize).copied();
        let rule = |holds: bool, name: &'static str| if holds { Ok(()) } else { Err(name) };
        rule(s.end as usize == self.text.len(), "end is the length")?;
        let order = [s.scheme_end, s.host_start, s.host_end, s.path_start, s.path_end, s.query_end, s.end];
        rule(order.is_sorted(), "offsets are in order")?;
        rule(s.scheme_end == 0 || byte(s.scheme_end) == Some(b':'), "a colon ends the scheme")?;
        rule(self.host_kind.is_some() == self.has_authority(), "an authority has a host, nothing else has")?;
        let after = self.after_scheme();
        if self.has_authority() {
            rule(byte(after) == Some(b'/') && byte(after + 1) == Some(b'/'), "slashes begin the authority")?;
            rule(
                s.host_start == after + 2 || byte(s.host_start - 1) == Some(b'@'),
                "an @ ends the userinfo",
            )?;
            rule(s.host_end == s.path_start || byte(s.host_end) == Some(b':'), "a colon begins the port")?;
            let kind = host::classify_as(
                &self.text.as_bytes()[s.host_start as usize..s.host_end as usize],
                self.spec,
            )
            .kind();
            rule(self.host_kind == Some(kind), "the host is of its kind")?;
        } else {
            rule(s.host_start == after && s.host_end == after, "no authority takes no room")?;
        }
        rule(s.path_end == s.query_end || byte(s.path_end) == Some(b'?'), "a ? begins the query")?;
        rule(s.query_end == s.end || byte(s.query_end) == Some(b'#'), "a # begins the fragment")
    }
}

/// The text, with passwords masked.
impl fmt::Debug for UriRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("UriRef").field(&masked(self.text)).finish()
    }
}

impl fmt::Display for UriRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

impl AsRef<str> for UriRef<'_> {
    fn as_ref(&self) -> &str {
        self.text
    }
}

impl<'a> TryFrom<&'a str> for UriRef<'a> {
    type Error = Reject;

    fn try_from(text: &'a str) -> Result<UriRef<'a>, Reject> {
        UriRef::parse(text)
    }
}

impl<'a> TryFrom<&'a [u8]> for UriRef<'a> {
    type Error = Reject;

    fn try_from(text: &'a [u8]) -> Result<UriRef<'a>, Reject> {
        UriRef::parse(text)
    }
}

impl PartialEq for UriRef<'_> {
    fn eq(&self, other: &UriRef<'_>) -> bool {
        self.text == other.text
    }
}

impl Eq for UriRef<'_> {}

impl PartialOrd for UriRef<'_> {
    fn partial_cmp(&self, other: &UriRef<'_>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for UriRef<'_> {
    fn cmp(&self, other: &UriRef<'_>) -> Ordering {
        self.text.cmp(other.text)
    }
}

impl Hash for UriRef<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Offsets and kinds that are wrong in one place: the parsers never make them, so only this test shows that the
    /// checker reports them.
    #[test]
    fn the_checker_names_what_is_broken() {
        type Break = fn(&mut UriRef<'static>);
        let with_authority: [(Break, &str); 12] = [
            (|uri| uri.split.end = 17, "end is the length"),
            (|uri| uri.split.host_start = 11, "offsets are in order"),
            (|uri| uri.split.scheme_end = 3, "a colon ends the scheme"),
            (|uri| uri.host_kind = None, "an authority has a host, nothing else has"),
            (|uri| uri.text = "http:/_u@h:1/p?q#f", "slashes begin the authority"),
            (|uri| uri.text = "http:_/u@h:1/p?q#f", "slashes begin the authority"),
            (|uri| uri.split.host_start = 8, "an @ ends the userinfo"),
            (|uri| uri.split.host_end = 9, "a colon begins the port"),
            (|uri| uri.host_kind = Some(HostKind::RegName), "the host is of its kind"),
            (|uri| uri.split.path_end = 13, "a ? begins the query"),
            (|uri| uri.split.query_end = 15, "a # begins the fragment"),
            (|uri| uri.split.query_end = 17, "a # begins the fragment"),
        ];
        let without: [(Break, &str); 3] = [
            (|uri| uri.split.host_start = 1, "no authority takes no room"),
            (|uri| (uri.split.host_start, uri.split.host_end) = (1, 1), "no authority takes no room"),
            (|uri| uri.host_kind = Some(HostKind::RegName), "an authority has a host, nothing else has"),
        ];
        let cases = with_authority.map(|case| ("http://u@h:1/p?q#f", case)).into_iter();
        for (text, (break_it, expected)) in cases.chain(without.map(|case| ("x:p", case))) {
            let mut uri = UriRef::parse(text).unwrap_or_else(|reject| panic!("{text}: {reject}"));
            assert_eq!(uri.check(), Ok(()), "{text}");
            break_it(&mut uri);
            assert_eq!(uri.check(), Err(expected), "{text}: {:?}", uri.split);
        }
    }
}
