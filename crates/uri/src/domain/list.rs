//! The public suffix list: under which names of the DNS others can be registered. The embedded one comes from
//! the crate `psl`, compiled; another can be read from a file (`rules`).

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;

use psl::Type;
use twox_hash::XxHash3_64;

use super::rules::{Rules, Suffixes};
use crate::error::{Error, Result};

/// The crate that the embedded list comes from. It does not give the list's date; Cargo.toml requires exactly this
/// version, and a test keeps the two equal.
const EMBEDDED: &str = "psl 2.1.246";

/// A public suffix list: the one embedded in this crate, or one that was read. Cloning it is cheap.
///
/// ```
/// use urimill_uri::HostKind;
/// use urimill_uri::domain::{Domain, SuffixList};
///
/// let list = SuffixList::parse("// ===BEGIN ICANN DOMAINS===\nexample\n*.nets.example\n", "mine")?;
/// let domain = Domain::of("www.a.b.nets.example", HostKind::DnsName, &list).unwrap();
/// assert_eq!(domain.registered_domain(), Some("a.b.nets.example"));
/// # Ok::<(), urimill_uri::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct SuffixList {
    /// `None` for the embedded list.
    given: Option<Arc<Given>>,
    prevails: bool,
}

struct Given {
    rules: Rules,
    version: String,
}

impl fmt::Debug for SuffixList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SuffixList").field(&self.version()).finish()
    }
}

impl SuffixList {
    /// The list embedded from the crate `psl`.
    #[must_use]
    pub fn embedded() -> Self {
        SuffixList::default()
    }

    /// Reads a list from a text in the form of <https://publicsuffix.org/list/>; `name` is what
    /// [`version`](Self::version) calls it. Rules outside its two sections count as those of registries.
    ///
    /// # Errors
    /// Where the text is no such list.
    pub fn parse(text: &str, name: &str) -> Result<Self> {
        Self::given(text, name)
            .map_err(|what| Error::data(format!("cannot use {name} as a public suffix list: {what}")))
    }

    /// [`parse`](Self::parse) with only the reason as its error, for a caller that knows the full name of the file.
    #[doc(hidden)]
    pub fn given(text: &str, name: &str) -> Result<Self, String> {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let rules = Rules::parse(text)?;
        let version = text.lines().find_map(|line| line.strip_prefix("// VERSION:"));
        let version = match version {
            Some(version) => format!("{name} {}", version.trim()),
            None => format!("{name} XXH3-64 {:016x}", XxHash3_64::oneshot(text.as_bytes())),
        };
        Ok(SuffixList { given: Some(Arc::new(Given { rules, version })), prevails: false })
    }

    /// An identification of this list for the metadata of tables: the name and version of the crate it comes from, or
    /// the name of the file and the version that it states, else its hash.
    #[must_use]
    pub fn version(&self) -> &str {
        self.given.as_ref().map_or(EMBEDDED, |given| &given.version)
    }

    /// The list with the rule `*` for names that no other rule matches, as the list's own algorithm has it: their last
    /// label is their suffix.
    ///
    /// ```
    /// use urimill_uri::HostKind;
    /// use urimill_uri::domain::{Domain, SuffixList};
    ///
    /// let suffix = |list: SuffixList| {
    ///     let domain = Domain::of("printer.local", HostKind::DnsName, &list).unwrap();
    ///     domain.public_suffix().map(str::to_owned)
    /// };
    /// assert_eq!(suffix(SuffixList::embedded()), None);
    /// assert_eq!(suffix(SuffixList::embedded().with_prevailing_rule()), Some("local".to_owned()));
    /// ```
    #[must_use]
    pub fn with_prevailing_rule(self) -> Self {
        SuffixList { prevails: true, ..self }
    }

    /// Whether [`with_prevailing_rule`](Self::with_prevailing_rule) was called.
    #[must_use]
    pub fn has_prevailing_rule(&self) -> bool {
        self.prevails
    }

    /// The suffixes of a name in ASCII and lower case, without empty labels.
    #[inline]
    pub(super) fn suffixes(&self, name: &[u8]) -> Suffixes {
        let found = match &self.given {
            None => embedded(name),
            Some(given) => given.rules.suffixes(name),
        };
        if !self.prevails {
            return found;
        }
        let last = name.len() - memchr::memrchr(b'.', name).map_or(0, |dot| dot + 1);
        Suffixes { public: found.public.or(Some(last)), private: found.private.or(Some(last)) }
    }
}

/// The crate returns only the longest suffix. If that is in the private section, the registries' suffix is found among
/// the rules that match its labels without the first.
fn embedded(name: &[u8]) -> Suffixes {
    let longest = listed(name);
    let mut found = longest;
    while let Some((suffix, Type::Private)) = found {
        found = memchr::memchr(b'.', suffix).and_then(|dot| listed(&suffix[dot + 1..]));
    }
    let len = |found: Option<(&[u8], Type)>| found.map(|(suffix, _)| suffix.len());
    Suffixes { public: len(found), private: len(longest) }
}

/// The longest suffix of a name in the embedded list.
fn listed(name: &[u8]) -> Option<(&[u8], Type)> {
    let suffix = psl::suffix(name)?;
    suffix.typ().map(|section| (suffix.as_bytes(), section))
}

/// Whether a name of several labels may be one of the public DNS: it is below an entry of the embedded list, or is an
/// entry that a company made for its customers (`github.io`). An internationalized name is given in its ASCII form, in
/// either case.
pub(crate) fn is_public_name(name: &[u8]) -> bool {
    let lower = name.to_ascii_lowercase();
    listed(&lower).is_some_and(|(suffix, section)| suffix.len() < lower.len() || section == Type::Private)
}

#[cfg(test)]
mod tests {
    use super::is_public_name;

    #[test]
    fn names() {
        for name in ["a.com", "A.COM", "a.b.de", "a.xn--p1ai", "a.b.ck", "a.ac.za", "github.io", "a.b.co.uk"]
        {
            assert!(is_public_name(name.as_bytes()), "{name}");
        }
        for name in ["a.html", "main.js", "a.example", "co.uk", "com", "a.b", "1.2", "a.xn--zzzz", "a.za", ""]
        {
            assert!(!is_public_name(name.as_bytes()), "{name}");
        }
    }
}
