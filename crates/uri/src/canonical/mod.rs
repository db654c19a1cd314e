//! Canonical forms that others define: the keys that web archives, crawlers and link extractors use for a page. They
//! are not part of the ladder (`normalize`); columns show them.
//!
//! The ladder keeps what a URI means (RFC 3986, 6.2). These forms do not: they drop fragments, sort queries,
//! strip `www.` or fold the case of paths, so that what is *probably* one page has one name. Each has its own
//! name and its rules written down where it is written:
//!
//! - [`wayback`]: the Internet Archive's, in two layouts: as a URL, and as a sort-friendly key ([`surt()`]) for
//!   the indexes of web archives (CDX, CDXJ);
//! - [`crawler_commons`]: the URL normalizer of Java crawlers;
//! - [`w3lib`]: the one of Scrapy and its like.
//!
//! A form is made from a *parsed* reference, and never replaces it. A text outside the grammar has no form:
//! [`repair`](crate::normalize::repair) may make it a reference. A relative reference has no form either: resolve it
//! first.
//!
//! All writers append to the caller's buffer, and work there. They allocate only in rare cases: a host with triplets in
//! it, a query of more than [`MANY`] pieces that has to be sorted, and an encoded name where parameters are to be left
//! out. For the keys and the form of web archives a path or query with triplets is first decoded elsewhere; a
//! [`SurtWriter`] does that in memory of its own, which it keeps.

pub mod crawler_commons;
mod drop;
pub(crate) mod escape;
pub(crate) mod path_params;
mod pieces;
pub(crate) mod plain;
mod session;
pub mod surt;
mod tracking;
pub mod w3lib;
pub mod wayback;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

pub use crate::encode::params::{QueryParam, QueryParams, query_params};
pub use drop::DropParams;
pub use path_params::{PathParam, path_params};
pub use pieces::MANY;
pub use surt::{SurtOptions, SurtWriter, surt, surt_with, write_surt};
pub use tracking::{TRACKING_NAMES, TRACKING_PREFIXES, TRACKING_VERSION, is_tracking};

use crate::error::Error;
use crate::reference::UriRef;
use crate::uri::AsUriRef;

/// A canonical form defined by another program.
///
/// ```
/// use urimill_uri::UriRef;
/// use urimill_uri::canonical::Canonical;
///
/// let uri = UriRef::parse("http://www.Example.com:80/A/./%7Eb/?c=%2F&a=&b#d")?;
/// assert_eq!(Canonical::Wayback.form(&uri).as_deref(), Some("http://example.com/a/~b?a=&b&c=/"));
/// assert_eq!(Canonical::CrawlerCommons.form(&uri).as_deref(), Some("http://www.example.com/A/~b/?a&b&c=%2F"));
/// assert_eq!(Canonical::W3lib.form(&uri).as_deref(), Some("http://www.example.com:80/A/~b/?a=&b=&c=%2F"));
/// # Ok::<(), urimill_uri::Reject>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Canonical {
    /// See [`wayback`].
    Wayback,
    /// See [`crawler_commons`].
    CrawlerCommons,
    /// See [`w3lib`].
    W3lib,
}

impl Canonical {
    /// Every form.
    pub const ALL: [Canonical; 3] = [Canonical::Wayback, Canonical::CrawlerCommons, Canonical::W3lib];

    /// The name on the command line and in file metadata.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Canonical::Wayback => "wayback",
            Canonical::CrawlerCommons => "crawler-commons",
            Canonical::W3lib => "w3lib",
        }
    }

    /// The form of a URI; `None` for a relative reference, and where the form's own rules refuse the URI.
    #[must_use]
    pub fn form<'a>(self, uri: impl AsUriRef<'a>) -> Option<String> {
        self.form_without(uri, &DropParams::none())
    }

    /// [`Canonical::form`] without some parameters of the query.
    ///
    /// ```
    /// use urimill_uri::UriRef;
    /// use urimill_uri::canonical::{Canonical, DropParams};
    ///
    /// let uri = UriRef::parse("https://example.com/?utm_source=mail&id=7")?;
    /// let tracking = DropParams::none().and_tracking();
    /// assert_eq!(Canonical::W3lib.form_without(&uri, &tracking).as_deref(), Some("https://example.com/?id=7"));
    /// # Ok::<(), urimill_uri::Reject>(())
    /// ```
    #[must_use]
    pub fn form_without<'a>(self, uri: impl AsUriRef<'a>, drops: &DropParams) -> Option<String> {
        let uri = uri.uri_ref();
        let mut out = Vec::with_capacity(uri.as_str().len() + 8);
        self.write(&uri, drops, &mut out).then(|| ascii(out))
    }

    /// Appends the form, which is ASCII, without the parameters that `drops` names; returns whether there is one. If
    /// not, nothing is appended.
    pub fn write(self, uri: &UriRef<'_>, drops: &DropParams, out: &mut Vec<u8>) -> bool {
        if !uri.is_uri() {
            return false;
        }
        match self {
            Canonical::Wayback => {
                wayback::write(uri, &wayback::Rules::default(), drops, out);
                true
            }
            Canonical::CrawlerCommons => crawler_commons::write(uri, drops, out),
            Canonical::W3lib => {
                w3lib::write(uri, drops, out);
                true
            }
        }
    }
}

impl fmt::Display for Canonical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Canonical {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|form| form.as_str() == name).ok_or_else(|| {
            Error::usage(format!(
                "there is no canonical form {name:?}: use wayback, crawler-commons or w3lib"
            ))
        })
    }
}

/// The text that the writers have written.
fn ascii(out: Vec<u8>) -> String {
    String::from_utf8(out).expect("every writer encodes what is not ASCII")
}

/// Appends a scheme in lower case.
fn write_scheme(uri: &UriRef<'_>, out: &mut Vec<u8>) {
    let from = out.len();
    out.extend_from_slice(uri.scheme().unwrap_or_default().as_bytes());
    out[from..].make_ascii_lowercase();
}

/// The digits of a port without leading zeros; `None` if there are no digits.
fn port_digits<'a>(uri: &UriRef<'a>) -> Option<&'a [u8]> {
    let digits = uri.port()?.as_bytes();
    let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
    let last = digits.len().checked_sub(1)?;
    Some(&digits[zeros.min(last)..])
}
