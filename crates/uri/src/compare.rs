//! The rung of the ladder on which two references are the same (RFC 3986 section 6). It compares the normal forms that
//! the ladder writes; columns do not use it.
//!
//! Equal texts are checked first, because that is cheapest. Then come the normal forms of the top rung: references that
//! differ there differ on every rung below, since each normal form is made from the one before it. Only references that
//! are equal at the top are compared rung by rung from the bottom. For most references all normal forms are the text
//! itself.

use alloc::format;
use core::fmt;
use core::str::FromStr;

use crate::error::Error;
use crate::normalize::{Level, normalize};
use crate::options::setters;
use crate::reference::UriRef;
use crate::resolve::{Mode, ResolveError, normal_form};
use crate::uri::AsUriRef;

/// The first rung of the ladder on which two references are equal, in the ladder's order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rung {
    /// Byte by byte (6.2.1).
    Identical,
    /// Except for the case of scheme, host and the digits of triplets (6.2.2.1).
    Case,
    /// Except for triplets of unreserved characters (6.2.2.2).
    Percent,
    /// Except for dot segments (6.2.2.3).
    Syntax,
    /// By what the scheme declares equal (6.2.3).
    Scheme,
    /// On none. They may still name the same resource: no comparison of texts can rule it out (6.1).
    Different,
}

impl Rung {
    /// Every rung, the lowest first.
    pub const ALL: [Rung; 6] =
        [Rung::Identical, Rung::Case, Rung::Percent, Rung::Syntax, Rung::Scheme, Rung::Different];

    /// The name on the command line. It is stable.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Rung::Identical => "identical",
            Rung::Case => "case",
            Rung::Percent => "percent",
            Rung::Syntax => "syntax",
            Rung::Scheme => "scheme",
            Rung::Different => "different",
        }
    }

    /// The lowest level whose normal forms are equal; none where they differ at all of them.
    #[must_use]
    pub const fn level(self) -> Option<Level> {
        match self {
            Rung::Identical => Some(Level::None),
            Rung::Case => Some(Level::Case),
            Rung::Percent => Some(Level::Percent),
            Rung::Syntax => Some(Level::Syntax),
            Rung::Scheme => Some(Level::Scheme),
            Rung::Different => None,
        }
    }

    /// Whether the normal forms at `level` are equal.
    #[must_use]
    pub fn is_equal_at(self, level: Level) -> bool {
        self.level().is_some_and(|lowest| lowest <= level)
    }
}

impl fmt::Display for Rung {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Rung {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|rung| rung.as_str() == name).ok_or_else(|| {
            Error::usage(format!(
                "there is no rung {name:?}: use identical, case, percent, syntax, scheme or different"
            ))
        })
    }
}

/// How references are compared. By default unchanged and with everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct CompareOptions {
    /// Leave fragments out, where the question is what would be fetched (RFC 3986 section 6.1).
    pub ignore_fragments: bool,
    /// Compare no relative references: they mean nothing without their base (6.1).
    pub absolute_only: bool,
}

setters!(CompareOptions { ignore_fragments: bool, absolute_only: bool });

/// [`compare`] with options.
///
/// ```
/// use urimill_uri::UriRef;
/// use urimill_uri::compare::{CompareOptions, Rung, compare_with};
///
/// let (a, b) = (UriRef::parse("http://example.com/#a")?, UriRef::parse("http://example.com/#b")?);
/// let options = CompareOptions::new().ignore_fragments(true);
/// assert_eq!(compare_with(&a, &b, options).unwrap(), Rung::Identical);
///
/// let options = CompareOptions::new().absolute_only(true);
/// assert!(compare_with(&a, &UriRef::parse("../b")?, options).is_err());
/// # Ok::<(), urimill_uri::Reject>(())
/// ```
///
/// # Errors
/// Usage: a relative reference, where those are not to be compared.
pub fn compare_with<'a>(
    a: impl AsUriRef<'a>,
    b: impl AsUriRef<'a>,
    options: CompareOptions,
) -> Result<Rung, Error> {
    let (a, b) = (&a.uri_ref(), &b.uri_ref());
    if let Some(relative) = [a, b].into_iter().find(|uri| options.absolute_only && !uri.is_uri()) {
        return Err(Error::usage(format!(
            "\"{relative}\" is a relative reference, which has no meaning without a base (RFC 3986, 6.1): \
             resolve it first"
        )));
    }
    if !options.ignore_fragments || a.fragment().is_none() && b.fragment().is_none() {
        return Ok(compare(a, b));
    }
    let document = |uri: &UriRef<'_>| uri.split().query_end as usize;
    let (a, b) = ((&a.as_str()[..document(a)], a.spec()), (&b.as_str()[..document(b)], b.spec()));
    // The text before the fragment of a valid reference is a valid reference.
    match (UriRef::parse_as(a.0, a.1), UriRef::parse_as(b.0, b.1)) {
        (Ok(a), Ok(b)) => Ok(compare(&a, &b)),
        _ => Ok(Rung::Different),
    }
}

/// Compares two references as they stand (RFC 3986 section 6.2): each by the specification that it was parsed by,
/// fragments included. References that are equal on a rung are equal on it against every base ([`compare_targets`]);
/// against one base more relative references may be equal.
///
/// Allocates nothing where the texts are equal, and nothing for a reference that is in normal form.
///
/// ```
/// use urimill_uri::UriRef;
/// use urimill_uri::compare::{Rung, compare};
///
/// let rung = |a, b| compare(&UriRef::parse(a).unwrap(), &UriRef::parse(b).unwrap());
/// assert_eq!(rung("http://example.com/a", "http://example.com/a"), Rung::Identical);
/// assert_eq!(rung("http://example.com/a", "HTTP://EXAMPLE.com/a"), Rung::Case);
/// assert_eq!(rung("http://example.com/~a", "HTTP://example.com/%7Ea"), Rung::Percent);
/// assert_eq!(rung("http://example.com/a", "http://example.com/./a"), Rung::Syntax);
/// assert_eq!(rung("http://example.com/", "http://example.com:80"), Rung::Scheme);
/// assert_eq!(rung("http://example.com/a", "http://example.com/A"), Rung::Different);
/// assert!(Rung::Case < Rung::Scheme);
/// ```
#[must_use]
#[inline]
pub fn compare<'a>(a: impl AsUriRef<'a>, b: impl AsUriRef<'a>) -> Rung {
    let (a, b) = (a.uri_ref(), b.uri_ref());
    if a.as_str() == b.as_str() { Rung::Identical } else { rung(&a, &b) }
}

/// The rung of references whose texts differ.
fn rung(a: &UriRef<'_>, b: &UriRef<'_>) -> Rung {
    let equal_at = |level| normalize(a, level) == normalize(b, level);
    if !equal_at(Level::Scheme) {
        return Rung::Different;
    }
    [(Level::Case, Rung::Case), (Level::Percent, Rung::Percent), (Level::Syntax, Rung::Syntax)]
        .into_iter()
        .find_map(|(level, rung)| equal_at(level).then_some(rung))
        .unwrap_or(Rung::Scheme)
}

/// Compares two references by what they mean against a base: on the first rung from which on their normal forms
/// ([`normal_form`]) are equal up to the top of the ladder.
///
/// ```
/// use urimill_uri::UriRef;
/// use urimill_uri::compare::{Rung, compare_targets};
/// use urimill_uri::resolve::Mode;
///
/// let parse = |text| UriRef::parse(text).unwrap();
/// let base = parse("http://example.com/a/b");
/// let rung = |a, b| compare_targets(&base, &parse(a), &parse(b), Mode::Strict);
/// assert_eq!(rung("../c", "/c"), Ok(Rung::Identical));
/// assert_eq!(rung("%2e%2e/c", "../c"), Ok(Rung::Percent));
/// assert_eq!(rung("//example.com", "/"), Ok(Rung::Scheme));
/// # Ok::<(), urimill_uri::Reject>(())
/// ```
///
/// # Errors
/// [`ResolveError::BaseNotAbsolute`] where the base has no scheme.
pub fn compare_targets<'a>(
    base: impl AsUriRef<'a>,
    a: impl AsUriRef<'a>,
    b: impl AsUriRef<'a>,
    mode: Mode,
) -> Result<Rung, ResolveError> {
    compare_targets_with(base, a, b, mode, CompareOptions::default())
}

/// [`compare_targets`] with options. Targets are never relative references.
///
/// # Errors
/// Fails as [`compare_targets`] does.
pub fn compare_targets_with<'a>(
    base: impl AsUriRef<'a>,
    a: impl AsUriRef<'a>,
    b: impl AsUriRef<'a>,
    mode: Mode,
    options: CompareOptions,
) -> Result<Rung, ResolveError> {
    let (base, a, b) = (&base.uri_ref(), &a.uri_ref(), &b.uri_ref());
    if a.as_str() == b.as_str() && base.is_uri() {
        return Ok(Rung::Identical);
    }
    // From the top down, because by the letter of section 5.2 targets may be equal on a low rung and differ on the one
    // where %2E is a dot.
    let mut lowest = Rung::Different;
    for rung in Rung::ALL.into_iter().rev() {
        let Some(level) = rung.level() else { continue };
        let forms = [normal_form(base, a, mode, level)?, normal_form(base, b, mode, level)?];
        let [a, b] = forms.each_ref().map(|form| match form.split_once('#') {
            Some((document, _)) if options.ignore_fragments => document,
            _ => form.as_ref(),
        });
        if a != b {
            break;
        }
        lowest = rung;
    }
    Ok(lowest)
}
