//! The domain that a host names: the registered domain, its suffix, and its forms in ASCII and Unicode. It uses the
//! parser, which classifies hosts; repair uses it to ask whether a name can be public, and the batch makes columns from
//! it.
//!
//! RFC 3986 (3.2.2) leaves the meaning of a registered name to the DNS and other registries. So nothing here decides
//! what is valid or equal: these are facts about names, for tables.

mod list;
mod name;
mod rules;

use alloc::borrow::Cow;
use alloc::string::String;

pub use list::SuffixList;
pub(crate) use list::is_public_name;

use crate::builder::host_text;
use crate::grammar::Spec;
use crate::host::{HostKind, classify_as};
use crate::idn::to_unicode;
use crate::reference::{AsText, UriRef};
use crate::uri::forwarded;

/// The registered domain of a host by the [embedded list](SuffixList::embedded): in ASCII and lower case, one label
/// below a suffix of the registries (RFC 3986, 3.2.2, leaves names to them). The host is text as
/// [`UriBuilder::host`](crate::UriBuilder::host) takes it, so it may have letters outside ASCII.
///
/// `None` for addresses, for names that are a suffix or are below none, and for what is no host.
///
/// ```
/// use urimill_uri::domain::registered_domain;
///
/// assert_eq!(registered_domain("www.Example.co.uk").as_deref(), Some("example.co.uk"));
/// assert_eq!(registered_domain("docs.bücher.example.de").as_deref(), Some("example.de"));
/// assert_eq!(registered_domain("co.uk"), None);
/// assert_eq!(registered_domain("192.0.2.1"), None);
/// assert_eq!(registered_domain("www.example.com:80"), None);
/// ```
#[must_use]
pub fn registered_domain(host: &str) -> Option<Cow<'_, str>> {
    let list = SuffixList::embedded();
    let kind = |host: &str| classify_as(host.as_bytes(), Spec::Rfc3986).kind();
    match host_text(host, Spec::Rfc3986).ok()? {
        Cow::Borrowed(host) => Domain::of(host, kind(host), &list)?.into_registered_domain(),
        Cow::Owned(host) => {
            let domain = Domain::of(&host, kind(&host), &list)?.into_registered_domain()?;
            Some(Cow::Owned(domain.into_owned()))
        }
    }
}

impl<'a> UriRef<'a> {
    /// The registered domain of the host: [`domain::registered_domain`](registered_domain). `None` also without a host.
    ///
    /// ```
    /// use urimill_uri::Uri;
    ///
    /// let uri: Uri = "https://www.Example.co.uk/a".parse()?;
    /// assert_eq!(uri.registered_domain().as_deref(), Some("example.co.uk"));
    /// # Ok::<(), urimill_uri::Reject>(())
    /// ```
    #[must_use]
    pub fn registered_domain(&self) -> Option<Cow<'a, str>> {
        self.domain(&SuffixList::embedded())?.into_registered_domain()
    }

    /// The domain that the host names, with its suffixes by a list: [`Domain::of`]. `None` also without a host.
    ///
    /// ```
    /// use urimill_uri::Uri;
    /// use urimill_uri::domain::SuffixList;
    ///
    /// let uri: Uri = "https://docs.example.github.io/a".parse()?;
    /// let list = SuffixList::embedded();
    /// let domain = uri.domain(&list).unwrap();
    /// assert_eq!((domain.registered_domain(), domain.private_domain()), (Some("github.io"), Some("example.github.io")));
    /// # Ok::<(), urimill_uri::Reject>(())
    /// ```
    #[must_use]
    pub fn domain(&self, list: &SuffixList) -> Option<Domain<'a>> {
        Domain::of(self.host()?, self.host_kind()?, list)
    }
}

forwarded! {
    /// The registered domain of the host: [`UriRef::registered_domain`].
    #[must_use]
    registered_domain() -> Option<Cow<'_, str>>;
    /// The domain that the host names, with its suffixes by a list: [`UriRef::domain`].
    #[must_use]
    domain(list: &SuffixList) -> Option<Domain<'_>>;
}

/// The domain name that a host is, with its suffixes by the public suffix list.
///
/// There are two answers to "who registered it", because the list has two sections: the suffixes of the registries (its
/// ICANN section), and those below which a company lets its customers choose names (its private section).
/// [`public_suffix`](Self::public_suffix) and [`registered_domain`](Self::registered_domain) use the first alone;
/// [`private_suffix`](Self::private_suffix) and [`private_domain`](Self::private_domain) both.
///
/// ```
/// use urimill_uri::domain::{Domain, SuffixList};
/// use urimill_uri::{HostKind, UriRef};
///
/// let list = SuffixList::embedded();
/// let uri = UriRef::parse("https://Docs.Example.GitHub.io./guide")?;
/// let domain = uri.domain(&list).unwrap();
/// assert_eq!(domain.ascii(), "docs.example.github.io");
/// assert_eq!((domain.public_suffix(), domain.registered_domain()), (Some("io"), Some("github.io")));
/// assert_eq!((domain.private_suffix(), domain.private_domain()), (Some("github.io"), Some("example.github.io")));
/// assert_eq!(domain.reversed(), "io.github.example.docs");
///
/// let domain = Domain::of("b%C3%BCcher.co.uk", HostKind::RegName, &list).unwrap();
/// assert_eq!((domain.ascii(), &*domain.unicode()), ("xn--bcher-kva.co.uk", "bücher.co.uk"));
/// assert!(Domain::of("192.0.2.1", HostKind::Ipv4, &list).is_none());
/// # Ok::<(), urimill_uri::Reject>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Domain<'h> {
    name: Cow<'h, str>,
    public: Option<Below>,
    private: Option<Below>,
}

/// A suffix of a name, and the name one label longer, as byte offsets of their starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Below {
    suffix: usize,
    domain: Option<usize>,
}

impl Below {
    /// `len` bytes of `name` are its suffix.
    fn new(name: &str, len: usize) -> Self {
        let suffix = name.len() - len;
        let domain = suffix.checked_sub(1).map(|dot| name[..dot].rfind('.').map_or(0, |at| at + 1));
        Below { suffix, domain }
    }
}

impl<'h> Domain<'h> {
    /// The domain of a valid `host` of this kind, as written in a URI or in its normal form.
    ///
    /// `None` for an address, in its rare forms (RFC 3986, 7.4) too, and for what the DNS has no names for: a
    /// host that is empty, has an empty label or more than 255 bytes (RFC 1035, 2.3.4), whose last label is a
    /// number (RFC 1123, 2.1), or whose triplets are not UTF-8 of a name that IDNA knows. A name need not follow
    /// the rules for host names: labels with underscores, and too long ones, are about. One dot at the end counts for
    /// nothing.
    ///
    /// A host of ASCII in lower case is not copied.
    pub fn of<T: AsText + ?Sized>(host: &'h T, kind: HostKind, list: &SuffixList) -> Option<Self> {
        let name = name::of_host(host.as_bytes(), kind)?;
        let suffixes = list.suffixes(name.as_bytes());
        let below = |len: Option<usize>| len.map(|len| Below::new(&name, len));
        let (public, private) = (below(suffixes.public), below(suffixes.private));
        Some(Domain { public, private, name })
    }

    /// The whole name in ASCII and lower case, without a dot at its end: labels outside ASCII by IDNA (UTS 46).
    /// Internationalized labels already in ASCII are not checked.
    #[must_use]
    pub fn ascii(&self) -> &str {
        &self.name
    }

    /// Whether [`ascii`](Self::ascii) is literally the beginning of the host.
    #[must_use]
    pub fn is_in_host(&self) -> bool {
        matches!(self.name, Cow::Borrowed(_))
    }

    /// The whole name with its internationalized labels in Unicode (UTS 46, ToUnicode). If one of them is invalid, the
    /// name in ASCII.
    #[must_use]
    pub fn unicode(&self) -> Cow<'_, str> {
        to_unicode(&self.name)
    }

    /// The longest suffix that the registries' section of the list has. `None` where it has none: the rule `*` of the
    /// list's algorithm, by which every unknown top-level domain is a suffix, applies only to a list made
    /// [`with_prevailing_rule`](SuffixList::with_prevailing_rule), because names in such domains are mostly from
    /// private networks or typing errors.
    #[must_use]
    pub fn public_suffix(&self) -> Option<&str> {
        self.public.map(|below| &self.name[below.suffix..])
    }

    /// [`public_suffix`](Self::public_suffix) and one more label. `None` if the name has no more labels.
    #[must_use]
    pub fn registered_domain(&self) -> Option<&str> {
        self.public.and_then(|below| below.domain).map(|start| &self.name[start..])
    }

    /// [`registered_domain`](Self::registered_domain), borrowed from the host where the name is.
    fn into_registered_domain(self) -> Option<Cow<'h, str>> {
        let start = self.public?.domain?;
        Some(match self.name {
            Cow::Borrowed(name) => Cow::Borrowed(&name[start..]),
            Cow::Owned(mut name) => Cow::Owned(name.split_off(start)),
        })
    }

    /// The longest suffix that the list has in any section.
    #[must_use]
    pub fn private_suffix(&self) -> Option<&str> {
        self.private.map(|below| &self.name[below.suffix..])
    }

    /// [`private_suffix`](Self::private_suffix) and one more label. `None` if the name has no more labels.
    #[must_use]
    pub fn private_domain(&self) -> Option<&str> {
        self.private.and_then(|below| below.domain).map(|start| &self.name[start..])
    }

    /// The last label, whether a list knows it or not.
    #[must_use]
    pub fn tld(&self) -> &str {
        &self.name[self.name.rfind('.').map_or(0, |at| at + 1)..]
    }

    /// The labels from the right: `com`, `example`, `www`.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.name.rsplit('.')
    }

    /// The labels from the right with dots between: `com.example.www`. Sorting by it groups names by domain.
    #[must_use]
    pub fn reversed(&self) -> String {
        let mut reversed = String::with_capacity(self.name.len());
        self.push_reversed(&mut reversed);
        reversed
    }

    /// Appends [`reversed`](Self::reversed).
    pub fn push_reversed(&self, text: &mut String) {
        for (i, label) in self.labels().enumerate() {
            if i > 0 {
                text.push('.');
            }
            text.push_str(label);
        }
    }
}
