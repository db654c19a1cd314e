//! Resolution for normal forms: references that are equal on a rung of the ladder have targets that are equal on that
//! rung, whatever the base. Section 5.2 by itself does not guarantee this, because it only knows dot segments written
//! as dots, and `%2E` is a dot (2.3). Used with the writer of targets, for single references and batches.
//!
//! Two steps precede section 5.2, at the levels that also do them without a base. From level `percent` on the triplets
//! of dot segments are decoded, in the reference and in the base. From level `syntax` on, in the compatible mode, a
//! reference with a scheme is normalized as a URI before its scheme is ignored: `http:../g` is `http:g` without a base,
//! and so also with one.

use alloc::borrow::Cow;
use alloc::borrow::ToOwned;
#[cfg(feature = "explain")]
use alloc::string::String;
use alloc::vec::Vec;

use super::{Mode, Parts, ResolveError, absolute, keeps_scheme, resolve, target};
use crate::grammar::{Spec, scheme};
use crate::normalize::{self, Level, normalize};
use crate::reference::UriRef;
use crate::uri::AsUriRef;

/// The normal form of a reference's target at a level: [`normalize`](crate::normalize()) for a reference with its base.
/// Borrowed if that is the reference itself.
///
/// References that are equal at a level without a base are equal at that level with any base; a URI has one normal
/// form, in strict mode the same with and without a base from [`Level::Syntax`] on. At the levels below
/// [`Level::Percent`] it is the normal form of what [`resolve`] gives.
///
/// ```
/// use urimill_uri::resolve::{Mode, normal_form};
/// use urimill_uri::{Level, UriRef};
///
/// let base = UriRef::parse("http://example.com/a/b/c")?;
/// let normal = |reference, level| {
///     normal_form(&base, &UriRef::parse(reference).unwrap(), Mode::Strict, level).unwrap().into_owned()
/// };
/// assert_eq!(normal("%2e%2e/../g", Level::Scheme), "http://example.com/g");
/// assert_eq!(normal("../../g", Level::Scheme), "http://example.com/g");
/// assert_eq!(normal("%2e%2e/../g", Level::None), "http://example.com/a/b/g");
/// # Ok::<(), urimill_uri::Reject>(())
/// ```
///
/// # Errors
/// [`ResolveError::BaseNotAbsolute`] where the base has no scheme.
pub fn normal_form<'a, 'b>(
    base: impl AsUriRef<'b>,
    reference: impl AsUriRef<'a>,
    mode: Mode,
    level: Level,
) -> Result<Cow<'a, str>, ResolveError> {
    let (base, reference) = (&base.uri_ref(), &reference.uri_ref());
    let target = match target_at(base, reference, mode, level)? {
        Cow::Borrowed(_) => return Ok(normalize(reference, level)),
        Cow::Owned(target) => target,
    };
    let normal = match UriRef::parse_as(&target, base.spec()) {
        Ok(parsed) => normalize(&parsed, level).into_owned(),
        // Targets of valid references are valid.
        Err(_) => target,
    };
    Ok(if normal == reference.as_str() { reference.as_str().into() } else { normal.into() })
}

/// The target that [`normal_form`] is the normal form of.
pub(crate) fn target_at<'a>(
    base: &UriRef<'_>,
    reference: &UriRef<'a>,
    mode: Mode,
    level: Level,
) -> Result<Cow<'a, str>, ResolveError> {
    if level < Level::Percent {
        return resolve(base, reference, mode);
    }
    let (base, parts) = (absolute(base)?.at(level), Parts::of(reference).at(level));
    if let Some(own) = as_uri(&base, &parts, mode, level)
        && let Ok(own) = UriRef::parse_as(&own.text, base.spec)
    {
        let parts = Parts::of(&own);
        return Ok(target(&base, &parts, mode).unwrap_or_else(|| own.as_str().to_owned()).into());
    }
    Ok(target(&base, &parts, mode).map_or(reference.as_str().into(), Cow::Owned))
}

/// A reference rewritten by [`as_uri`].
pub struct AsUri {
    /// The form.
    pub text: Vec<u8>,
    /// Whether dot segments of its path are gone.
    pub dots_removed: bool,
    /// Whether triplets of dot segments have been decoded before that.
    pub decoded: bool,
}

/// [`as_uri`] for a parsed base and reference.
#[cfg(feature = "explain")]
pub(crate) fn uri_form(base: &UriRef<'_>, reference: &UriRef<'_>, mode: Mode, level: Level) -> Option<AsUri> {
    as_uri(&Parts::of(base).at(level), &Parts::of(reference).at(level), mode, level)
}

/// A path with its dot segments written as dots.
#[cfg(feature = "explain")]
pub(crate) fn with_plain_dots(path: &str) -> String {
    let mut plain = path.as_bytes().to_vec();
    normalize::decode_dot_segments(&mut plain, 0);
    String::from_utf8(plain).expect("valid paths are ASCII")
}

/// A reference whose scheme the mode ignores, with path and authority as in its normal form without a base; `None` if
/// that changes neither, or the scheme is not ignored. With an authority both rules lead to the same target, so only
/// references without one need this.
pub fn as_uri<H>(base: &Parts<'_, H>, reference: &Parts<'_, H>, mode: Mode, level: Level) -> Option<AsUri> {
    let own = &reference.split;
    let is_passed_over =
        own.scheme_end > 0 && reference.host.is_none() && !keeps_scheme(base, reference, mode);
    if !is_passed_over || level < Level::Syntax || base.spec == Spec::Rfc2396 || reference.path().is_empty() {
        return None;
    }
    let mut text = reference.part(0, own.path_start).to_vec();
    let start = text.len();
    text.extend_from_slice(reference.path());
    let decoded = reference.encoded && normalize::decode_dot_segments(&mut text, start);
    let dots_removed = normalize::clean(false, &mut text, start);
    let has_default = scheme::find(reference.scheme()).is_some_and(|scheme| scheme.default_host.is_some());
    if level >= Level::Scheme && has_default {
        let end = text.len();
        normalize::add_authority(&mut text, start, end);
    }
    text.extend_from_slice(reference.part(own.path_end, own.end));
    (text != reference.text).then_some(AsUri { text, dots_removed, decoded })
}
