//! The base URI of the references in a document, by the four rules of RFC 3986, 5.1, and whether a reference leads to the
//! host or domain of its page.

use std::cell::Cell;
use std::sync::Arc;

use urimill_columns::batch::{Options, Reading};
use urimill_uri::domain::{Domain, SuffixList};
use urimill_uri::internal::whatwg::is_special;
use urimill_uri::passwords::{Hide, hidden};
use urimill_uri::resolve::{Mode, resolve};
use urimill_uri::whatwg::Url;
use urimill_uri::{HostKind, UriRef};

use super::first_lines::has_scheme;

/// The longest URI that may be a base (RFC 9110, 4.1 recommends to support this length). Each row has a copy of its base:
/// a longer one and a million short references would make terabytes.
pub const LONGEST: usize = 8000;

/// The records of one batch take at most this many bytes beside those of the chunk: each may have a long base.
pub const BATCH_BYTES: usize = 8 << 20;

/// Resolves the reference in a `base` or an `xml:base` against the base around it, or against the base from outside
/// where there is none; `None` if it cannot be a base.
pub type Resolve<'r> = dyn FnMut(Option<&str>, &[u8]) -> Option<String> + 'r;

/// How the references of a document are read.
#[derive(Debug, Clone)]
pub struct LinkRules {
    /// The specification, and how it is followed.
    pub reading: Reading,
    /// The public suffixes by which a link is one within a domain.
    pub suffix_list: SuffixList,
    /// The secrets that are removed from the bases of a document before they are resolved: a relative base may turn
    /// them into a path.
    pub hide: Hide,
}

/// The base against which `xml:base` in a document is resolved, and how.
#[derive(Debug, Clone)]
pub struct Within {
    rules: Arc<LinkRules>,
    base: Option<Arc<str>>,
}

impl Default for Within {
    fn default() -> Within {
        Within::of(&Options::default())
    }
}

impl Within {
    /// Takes the base and the rules of these options.
    pub(crate) fn of(options: &Options) -> Within {
        Within { rules: Arc::new(LinkRules::of(options)), base: options.base.as_deref().map(Arc::from) }
    }

    /// Resolves the values of `xml:base` of nested elements, from the outermost in (XML Base, 4). A value that cannot
    /// be a base is skipped. `None` if there is none; a relative value stays as it is if there is no base for it.
    ///
    /// # Errors
    /// A value is too long.
    pub fn base<'s>(&self, said: impl IntoIterator<Item = &'s str>) -> Result<Option<String>, TooLong> {
        let (mut found, mut relative) = (None::<String>, None);
        for said in said.into_iter().map(str::trim_ascii).filter(|said| !said.is_empty()) {
            let outer = found.as_deref().or(self.base.as_deref()).map(str::as_bytes);
            match self.rules.base(outer, said.as_bytes())? {
                Some(base) => (found, relative) = (Some(base), None),
                None if outer.is_none() => relative = Some(said),
                None => {}
            }
        }
        Ok(found.or_else(|| relative.map(str::to_owned)))
    }
}

/// A base is longer than [`LONGEST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong;

/// Which rule of RFC 3986 a base comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseKind {
    /// 5.1.1: the content gives it.
    Content,
    /// 5.1.2: the entity around it gives it.
    Encapsulating,
    /// 5.1.3: the URI from which the page was retrieved.
    Retrieval,
    /// 5.1.4: the caller gives it.
    Default,
}

impl BaseKind {
    /// Its name in the column.
    pub fn as_str(self) -> &'static str {
        match self {
            BaseKind::Content => "content",
            BaseKind::Encapsulating => "encapsulating",
            BaseKind::Retrieval => "retrieval",
            BaseKind::Default => "default",
        }
    }
}

impl LinkRules {
    /// Takes the rules of these options.
    pub fn of(options: &Options) -> LinkRules {
        LinkRules { reading: options.reading, suffix_list: options.suffix_list.clone(), hide: options.hide }
    }

    /// Resolves a base reference in the content against the base from outside; `None` if it is not a reference, or if
    /// no reference can be resolved against the result.
    ///
    /// # Errors
    /// The result is too long.
    pub fn base(&self, outer: Option<&[u8]>, reference: &[u8]) -> Result<Option<String>, TooLong> {
        let Some(found) = self.target(outer, &hidden(reference, self.hide)) else { return Ok(None) };
        // HTML, 4.2.3: these are no bases.
        let is_none =
            |scheme: &str| found.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme));
        match found.len() > LONGEST {
            _ if is_none("data:") || is_none("javascript:") => Ok(None),
            true => Err(TooLong),
            false => Ok(Some(found)),
        }
    }

    /// [`Self::base`] for a document whose base from outside is `outer`; sets `is_too_long` where a base is too long.
    pub fn resolver<'r>(
        &'r self,
        outer: Option<&'r [u8]>,
        is_too_long: &'r Cell<bool>,
    ) -> impl FnMut(Option<&str>, &[u8]) -> Option<String> + 'r {
        move |within, said| {
            self.base(within.map(str::as_bytes).or(outer), said).unwrap_or_else(|TooLong| {
                is_too_long.set(true);
                None
            })
        }
    }

    /// The target of a reference in the page, if it is a reference.
    fn target(&self, outer: Option<&[u8]>, reference: &[u8]) -> Option<String> {
        let Reading::Rfc(rfc) = self.reading else {
            let outer = outer.and_then(|outer| Url::parse(outer, None).ok());
            return Some(Url::parse(reference, outer.as_ref()).ok()?.into_href().into_owned());
        };
        let (outer, reference) = (outer.map(|outer| rfc.repaired(outer)), rfc.repaired(reference));
        let reference = UriRef::parse_as(&*reference, rfc.spec).ok()?;
        let outer = outer.as_deref().and_then(|outer| UriRef::parse_as(outer, rfc.spec).ok());
        match outer.filter(UriRef::is_uri) {
            Some(outer) => Some(resolve(&outer, &reference, rfc.mode).ok()?.into_owned()),
            None => reference.is_uri().then(|| reference.as_str().to_owned()),
        }
    }

    /// The host of a reference that has its own, with its registered domain.
    pub fn site(&self, reference: &[u8]) -> Option<Site> {
        self.site_of(&self.host(reference)?)
    }

    /// The host of a reference that has one of its own.
    pub fn host(&self, reference: &[u8]) -> Option<String> {
        let filled = |host: &str| (!host.is_empty()).then(|| host.to_owned());
        match self.reading {
            Reading::Whatwg => filled(Url::parse(reference, None).ok()?.hostname()),
            Reading::Rfc(rfc) => {
                UriRef::parse_as(&*rfc.repaired(reference), rfc.spec).ok()?.host().and_then(filled)
            }
        }
    }

    /// A host with its registered domain.
    pub fn site_of(&self, host: &str) -> Option<Site> {
        let kind = UriRef::parse_as(&[b"//", host.as_bytes()].concat(), self.reading.rfc().spec)
            .ok()?
            .host_kind()?;
        let is_name = matches!(kind, HostKind::DnsName | HostKind::RegName);
        let lower = host.to_ascii_lowercase();
        let domain = Domain::of(lower.as_str(), kind, &self.suffix_list).filter(|_| is_name);
        let name = domain.as_ref().map_or(lower.as_str(), Domain::ascii).to_owned();
        let domain = domain.and_then(|domain| domain.registered_domain().map(str::to_owned));
        Some(Site { name, domain })
    }
}

/// A host, and its registered domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    name: String,
    domain: Option<String>,
}

impl Site {
    /// How far a host is the same as this one: the value of the column `internal`.
    pub fn relation(&self, other: &Site) -> &'static str {
        match other {
            other if other.name == self.name => "host",
            other if other.domain.is_some() && other.domain == self.domain => "domain",
            _ => "no",
        }
    }
}

impl LinkRules {
    /// A reference without its scheme, if that is the base's and therefore is ignored: in compatible mode (RFC 3986, 5.2.2),
    /// and for special schemes by the URL Standard (4.4, special relative or authority state).
    pub fn without_scheme<'r>(&self, raw: &'r [u8], base: Option<&[u8]>) -> &'r [u8] {
        if matches!(self.reading, Reading::Rfc(rfc) if rfc.mode != Mode::Compatible) {
            return raw;
        }
        let scheme = |text: &[u8]| memchr::memchr(b':', text);
        let Some((own, base)) = scheme(raw).zip(base.and_then(|base| Some(&base[..scheme(base)?]))) else {
            return raw;
        };
        let is_same = raw[..own].eq_ignore_ascii_case(base);
        if is_same && (self.reading != Reading::Whatwg || is_special(base)) { &raw[own + 1..] } else { raw }
    }

    /// Whether a reference, without white space around it, has its own host or can have none: it begins with a scheme, or
    /// `//`. Others have the host of their base.
    pub fn says_host(&self, raw: &[u8]) -> bool {
        let is_slash = |b: &u8| *b == b'/' || self.reading == Reading::Whatwg && *b == b'\\';
        if raw.first().is_some_and(is_slash) {
            return raw.get(1).is_some_and(is_slash);
        }
        has_scheme(raw)
    }
}
