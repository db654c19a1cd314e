//! Parameters that are left out of a canonical form: those that a user names, and those that only identify where a
//! visitor comes from. Applied to the query of the form, never to the URI.

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;
use glob::{MatchOptions, Pattern};

use super::{pieces, tracking};
use crate::encode::params::decoded;
use crate::error::Error;

/// Letters in either case: some of the forms fold them.
const MATCHING: MatchOptions = MatchOptions {
    case_sensitive: false,
    require_literal_separator: false,
    require_literal_leading_dot: false,
};

/// Which parameters of a query are left out. The default is none.
///
/// A name is decoded by the rules of forms ([`query_params`](super::query_params)) before it is compared, ignoring
/// case. If no parameter is left, the `?` goes too.
///
/// ```
/// use urimill_uri::UriRef;
/// use urimill_uri::canonical::{Canonical, DropParams};
///
/// let drops = DropParams::none().and_patterns(["sort*", "page"])?;
/// let uri = UriRef::parse("http://example.com/?Sort_by=date&%70age=2&pages=3").unwrap();
/// let form = Canonical::CrawlerCommons.form_without(&uri, &drops);
/// assert_eq!(form.as_deref(), Some("http://example.com/?pages=3"));
/// # Ok::<(), urimill_uri::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DropParams {
    patterns: Vec<Pattern>,
    tracking: bool,
}

impl DropParams {
    /// Drops nothing.
    #[must_use]
    pub const fn none() -> Self {
        DropParams { patterns: Vec::new(), tracking: false }
    }

    /// Also drops parameters whose name matches one of the patterns: `*` is any characters, `?` is one, `[…]` one of
    /// several, `[!…]` one of all others.
    ///
    /// # Errors
    /// Where a text is not a pattern.
    pub fn and_patterns<I: IntoIterator<Item: AsRef<str>>>(mut self, patterns: I) -> Result<Self, Error> {
        for text in patterns {
            let text = text.as_ref();
            let pattern = Pattern::new(text).map_err(|error| {
                Error::usage(format!(
                    "{text:?} is not a pattern for names of parameters: {} at character {}",
                    error.msg,
                    error.pos + 1
                ))
            })?;
            self.patterns.push(pattern);
        }
        Ok(self)
    }

    /// Also drops the parameters that [`is_tracking`](super::is_tracking) knows.
    #[must_use]
    pub fn and_tracking(mut self) -> Self {
        self.tracking = true;
        self
    }

    /// Whether nothing is dropped.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.patterns.is_empty() && !self.tracking
    }

    /// Whether a parameter with this name, decoded, is left out.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.tracking && tracking::is_tracking(name)
            || self.patterns.iter().any(|pattern| pattern.matches_with(name, MATCHING))
    }

    /// Removes from the query `out[from..]`; returns whether something went.
    pub(super) fn apply(&self, out: &mut Vec<u8>, from: usize) -> bool {
        !self.is_none() && pieces::retain(out, from, |piece| !self.has(&decoded_name(piece)))
    }
}

/// The decoded name of a piece of a query.
fn decoded_name(piece: &[u8]) -> Cow<'_, str> {
    let (name, _) = pieces::name_and_value(piece);
    // The forms are ASCII.
    decoded(core::str::from_utf8(name).unwrap_or_default())
}
