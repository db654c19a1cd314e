//! Start symbols: the forms that the grammars name for a whole text (RFC 3986 sections 3, 4.1 and 4.3; RFC 2396
//! sections 3 and 4). The parser accepts every reference; this module checks for a narrower form.

use alloc::format;
use core::fmt;
use core::str::FromStr;

use crate::error::Error;
use crate::grammar::Spec;
use crate::reference::UriRef;
use crate::reject::{Code, Component, Reject};
use crate::simd::Split;

/// The form that a text must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Start {
    /// `URI-reference`: a URI or a relative reference.
    #[default]
    Reference,
    /// `URI`: it has a scheme. By RFC 2396 (4.1) a fragment is not a part of a URI: there it is the same as
    /// [`Start::AbsoluteUri`].
    Uri,
    /// `absolute-URI`, or `absoluteURI` of RFC 2396: a scheme, and no fragment.
    AbsoluteUri,
}

impl Start {
    /// All of them.
    pub const ALL: [Start; 3] = [Start::Reference, Start::Uri, Start::AbsoluteUri];

    /// The name on the command line. It is stable.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Start::Reference => "reference",
            Start::Uri => "uri",
            Start::AbsoluteUri => "absolute-uri",
        }
    }

    /// Why a valid reference does not have this form.
    #[doc(hidden)]
    #[must_use]
    pub fn lack(self, text: &[u8], split: &Split, spec: Spec) -> Option<Reject> {
        let takes_fragment = match self {
            Start::Reference => return None,
            Start::Uri => spec != Spec::Rfc2396,
            Start::AbsoluteUri => false,
        };
        if split.scheme_end == 0 {
            let (code, component) = (Code::SchemeMissing, Component::Scheme);
            return Some(Reject { code, component, offset: scheme_prefix(text) });
        }
        if !takes_fragment && split.query_end < split.end {
            let (code, component) = (Code::FragmentNotAllowed, Component::Fragment);
            return Some(Reject { code, component, offset: split.query_end as usize });
        }
        None
    }

    /// The reason why a text that `reject` describes does not have this form, which may break at an earlier byte.
    #[doc(hidden)]
    #[must_use]
    pub fn earlier(self, text: &[u8], reject: Reject, spec: Spec) -> Reject {
        let has_no_text = matches!(
            reject.code,
            Code::TooLong
                | Code::BaseNotAbsolute
                | Code::BaseInvalid
                | Code::FieldMissing
                | Code::RecordMalformed
                | Code::FieldUnfit
                | Code::Disagreement
        );
        if has_no_text || reject.code.is_of_url_standard() {
            return reject;
        }
        let prefix = scheme_prefix(text);
        let has_scheme = prefix > 0 && text.get(prefix) == Some(&b':');
        let end = memchr::memchr(b'#', text).unwrap_or(text.len());
        let split = Split {
            scheme_end: if has_scheme { prefix as u32 } else { 0 },
            query_end: end as u32,
            end: text.len() as u32,
            ..Split::default()
        };
        self.lack(text, &split, spec).filter(|lack| lack.offset < reject.offset).unwrap_or(reject)
    }
}

impl UriRef<'_> {
    /// Checks that it has the form that `start` names.
    ///
    /// ```
    /// use urimill_uri::UriRef;
    /// use urimill_uri::Start;
    ///
    /// let uri = UriRef::parse("http://example.com/a#b")?;
    /// assert_eq!(uri.require(Start::Uri), Ok(()));
    /// let reject = uri.require(Start::AbsoluteUri).unwrap_err();
    /// assert_eq!((reject.code.as_str(), reject.offset), ("fragment_not_allowed", 20));
    /// let reject = UriRef::parse("a/b")?.require(Start::Uri).unwrap_err();
    /// assert_eq!((reject.code.as_str(), reject.offset), ("scheme_missing", 1));
    /// # Ok::<(), urimill_uri::Reject>(())
    /// ```
    ///
    /// # Errors
    /// `scheme_missing` or `fragment_not_allowed`, with the first byte that no derivation of `start` accepts.
    pub fn require(&self, start: Start) -> Result<(), Reject> {
        start.lack(self.as_str().as_bytes(), &self.split(), self.spec()).map_or(Ok(()), Err)
    }
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Start {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|start| start.as_str() == name).ok_or_else(|| {
            Error::usage(format!("there is no start symbol {name:?}: use reference, uri or absolute-uri"))
        })
    }
}

/// The longest prefix of a text that may begin a scheme (3.1).
fn scheme_prefix(text: &[u8]) -> usize {
    if !text.first().is_some_and(u8::is_ascii_alphabetic) {
        return 0;
    }
    let belongs = |&b: &u8| b.is_ascii_alphanumeric() || b"+-.".contains(&b);
    text.iter().position(|b| !belongs(b)).unwrap_or(text.len())
}
