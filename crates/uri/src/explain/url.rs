//! What the URL Standard makes of a text, beside the RFC.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use crate::grammar::Spec;
use crate::whatwg::{self, Disagreements, Failure, State, TracedError, Url};

/// A text by the URL Standard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlReading {
    /// The URL, serialized, or why there is none.
    pub href: Result<String, Failure>,
    /// Its host.
    pub host: Option<String>,
    /// What it and the RFC see differently.
    pub disagreements: Disagreements,
    /// The validation errors that are no failures, in the order in which the parser finds them.
    pub errors: Vec<TracedError>,
    /// The state in which the parser failed, where there is no URL.
    pub failed_in: Option<State>,
}

impl UrlReading {
    pub(super) fn of(text: &[u8], base: Option<&str>, spec: Spec) -> UrlReading {
        let base = base.and_then(|base| Url::parse(base, None).ok());
        let (url, errors, state) = Url::trace(text, base.as_ref());
        UrlReading {
            host: url.as_ref().ok().filter(|url| url.has_host()).map(|url| url.hostname().to_owned()),
            disagreements: whatwg::disagreements(text, base.as_ref(), spec),
            failed_in: state.filter(|_| url.is_err()),
            href: url.map(|url| url.into_href().into_owned()),
            errors,
        }
    }
}
