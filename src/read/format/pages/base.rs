//! The base URI of the references in a page, by the four rules of RFC 3986, 5.1, and whether a reference leads to the page's
//! own host or domain.

use std::borrow::Cow;

use urimill_uri::internal::whatwg::is_special;

use crate::domain::{Domain, SuffixList};
use crate::grammar::Spec;
use crate::normalize::{RepairOptions, repair_with};
use crate::resolve::{Mode, resolve};
use crate::uri::{HostKind, UriRef};
use crate::whatwg::Url;

/// Longer URIs are no bases (RFC 9110, 4.1 recommends to support this length): every row has its base, and a page could
/// make terabytes of one and a million short references.
pub(super) const LONGEST: usize = 8000;

/// The base that a reference in a page says, against the one within which it stands: without one against that from
/// outside.
pub(super) type Resolve<'r> = dyn FnMut(Option<&str>, &[u8]) -> Option<String> + 'r;

/// How references are read.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    pub(super) spec: Spec,
    /// Whether the URL Standard reads them instead.
    pub(super) whatwg: bool,
    pub(super) mode: Mode,
    /// How references that are none are repaired, if they are.
    pub(super) repair: Option<RepairOptions>,
    pub(super) suffix_list: SuffixList,
}

/// Which rule of RFC 3986 a base comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BaseKind {
    /// 5.1.1: the content says it.
    Content,
    /// 5.1.2: the entity around it says it.
    Encapsulating,
    /// 5.1.3: it is the URI that the page was retrieved by.
    Retrieval,
    /// 5.1.4: the caller says it.
    Default,
}

impl BaseKind {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            BaseKind::Content => "content",
            BaseKind::Encapsulating => "encapsulating",
            BaseKind::Retrieval => "retrieval",
            BaseKind::Default => "default",
        }
    }
}

impl Reading {
    /// The base that a reference in the content says, itself resolved against the base from outside; none where it is no
    /// reference, or comes to something that no reference can be resolved against.
    pub(super) fn base(&self, outer: Option<&[u8]>, reference: &[u8]) -> Option<String> {
        let found = match self.whatwg {
            true => {
                let outer = outer.and_then(|outer| Url::parse(outer, None).ok());
                Url::parse(reference, outer.as_ref()).ok()?.into_href().into_owned()
            }
            false => {
                let (outer, reference) = (outer.map(|outer| self.repaired(outer)), self.repaired(reference));
                let reference = UriRef::parse_as(&*reference, self.spec).ok()?;
                let outer = outer.as_deref().and_then(|outer| UriRef::parse_as(outer, self.spec).ok());
                match outer.filter(UriRef::is_uri) {
                    Some(outer) => resolve(&outer, &reference, self.mode).ok()?.into_owned(),
                    None => reference.is_uri().then(|| reference.as_str().to_owned())?,
                }
            }
        };
        if found.len() > LONGEST {
            return None;
        }
        // HTML, 4.2.3: these are no bases.
        let is_none =
            |scheme: &str| found.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme));
        (!is_none("data:") && !is_none("javascript:")).then_some(found)
    }

    fn repaired<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        match self.repair {
            Some(how) if UriRef::parse_as(text, self.spec).is_err() => repair_with(text, how),
            _ => Cow::Borrowed(text),
        }
    }

    /// The host of a reference that has one of its own, with the registered domain that it is in.
    pub(super) fn site(&self, reference: &[u8]) -> Option<Site> {
        self.site_of(&self.host(reference)?)
    }

    /// The host of a reference that has one of its own.
    pub(super) fn host(&self, reference: &[u8]) -> Option<String> {
        let filled = |host: &str| (!host.is_empty()).then(|| host.to_owned());
        if self.whatwg {
            return filled(Url::parse(reference, None).ok()?.hostname());
        }
        let text = self.repaired(reference);
        UriRef::parse_as(&*text, self.spec).ok()?.host().and_then(filled)
    }

    /// A host with the registered domain that it is in.
    pub(super) fn site_of(&self, host: &str) -> Option<Site> {
        let kind = UriRef::parse_as(&[b"//", host.as_bytes()].concat(), self.spec).ok()?.host_kind()?;
        let is_name = matches!(kind, HostKind::DnsName | HostKind::RegName);
        let lower = host.to_ascii_lowercase();
        let domain = Domain::of(lower.as_str(), kind, &self.suffix_list).filter(|_| is_name);
        let name = domain.as_ref().map_or(lower.as_str(), Domain::ascii).to_owned();
        let domain = domain.and_then(|domain| domain.registered_domain().map(str::to_owned));
        Some(Site { name, domain })
    }
}

/// A host, and the registered domain that it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Site {
    name: String,
    domain: Option<String>,
}

impl Site {
    /// How far a host is the same as this one: the value of the column `internal`.
    pub(super) fn relation(&self, other: &Site) -> &'static str {
        match other {
            other if other.name == self.name => "host",
            other if other.domain.is_some() && other.domain == self.domain => "domain",
            _ => "no",
        }
    }
}

impl Reading {
    /// A reference without its scheme, if that is the base's and therefore is ignored: in compatible mode (RFC 3986, 5.2.2),
    /// and for special schemes by the URL Standard (4.4, special relative or authority state).
    pub(super) fn without_scheme<'r>(&self, raw: &'r [u8], base: Option<&[u8]>) -> &'r [u8] {
        if !self.whatwg && self.mode != Mode::Compatible {
            return raw;
        }
        let scheme = |text: &[u8]| memchr::memchr(b':', text);
        let Some((own, base)) = scheme(raw).zip(base.and_then(|base| Some(&base[..scheme(base)?]))) else {
            return raw;
        };
        let is_same = raw[..own].eq_ignore_ascii_case(base);
        if is_same && (!self.whatwg || is_special(base)) { &raw[own + 1..] } else { raw }
    }
}

/// Whether a reference, without white space around it, says its own host or has none to say: a scheme, or `//`. Others have
/// the host of their base.
pub(super) fn says_host(raw: &[u8], is_whatwg: bool) -> bool {
    let is_slash = |b: &u8| *b == b'/' || is_whatwg && *b == b'\\';
    if raw.first().is_some_and(is_slash) {
        return raw.get(1).is_some_and(is_slash);
    }
    let end = raw.iter().position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')));
    raw.first().is_some_and(u8::is_ascii_alphabetic) && end.is_some_and(|end| raw[end] == b':')
}
