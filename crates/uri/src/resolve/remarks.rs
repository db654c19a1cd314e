//! What the specifications say about a reference and its base besides the target: references that are errors, and bases
//! that no relative reference fits. The writers of targets return a target all the same.

use super::{Mode, Parts, ResolveError, absolute, keeps_scheme, rfc2396};
use crate::grammar::Spec;
use crate::grammar::scheme;
use crate::uri::AsUriRef;

/// Remarks about a reference that is resolved against a base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct Remarks {
    /// A relative path has more `..` than the base has segments above it (RFC 3986 section 5.4.2). RFC 2396
    /// (5.2 step 6 g) calls such a reference an error.
    pub excess_dot_segments: bool,
    /// The reference repeats the base's scheme and has no authority: `http:g`. Strict parsers take it for a URI,
    /// older ones for `g` (RFC 3986 section 5.4.2); RFC 2396 (5.2 step 3) wants it marked as an error.
    pub same_scheme_reference: bool,
    /// The reference is relative, and the base is not hierarchical: `mailto:a@b` (RFC 3986 section 1.2.3, RFC 2396
    /// section 5). A reference to the base's own document fits every base.
    pub unsuitable_base: bool,
}

/// The remarks about `reference` against `base`, by the base's specification.
///
/// ```
/// use urimill_uri::UriRef;
/// use urimill_uri::resolve::{Mode, remarks};
///
/// let base = UriRef::parse("http://example.com/a/b")?;
/// let of = |reference| remarks(&base, &UriRef::parse(reference).unwrap(), Mode::Strict).unwrap();
/// assert!(of("../../g").excess_dot_segments);
/// assert!(of("http:g").same_scheme_reference);
///
/// let mailbox = UriRef::parse("mailto:joe@example.com")?;
/// assert!(remarks(&mailbox, &UriRef::parse("g")?, Mode::Strict).unwrap().unsuitable_base);
/// # Ok::<(), urimill_uri::Reject>(())
/// ```
///
/// # Errors
/// [`ResolveError::BaseNotAbsolute`] where the base has no scheme.
pub fn remarks<'a>(
    base: impl AsUriRef<'a>,
    reference: impl AsUriRef<'a>,
    mode: Mode,
) -> Result<Remarks, ResolveError> {
    Ok(of_parts(&absolute(&base.uri_ref())?, &Parts::of(&reference.uri_ref()), mode))
}

/// [`remarks`] for references split into parts.
pub fn of_parts<H: Copy>(base: &Parts<'_, H>, reference: &Parts<'_, H>, mode: Mode) -> Remarks {
    let same_scheme_reference = repeats_scheme(base, reference);
    if keeps_scheme(base, reference, mode) {
        return Remarks { same_scheme_reference, ..Remarks::default() };
    }
    // RFC 2396 has the query of a reference whose scheme is ignored in the opaque part.
    let bare = match base.spec {
        Spec::Rfc2396 => rfc2396::without_scheme(base, reference, mode),
        Spec::Rfc3986 | Spec::Rfc3986Errata => *reference,
    };
    let is_same_document = bare.split.query_end == bare.split.after_scheme();
    Remarks {
        excess_dot_segments: !is_same_document && climbs_too_far(base, &bare),
        same_scheme_reference,
        unsuitable_base: !is_same_document && !is_hierarchical(base),
    }
}

/// Whether a reference is the base's scheme followed by a relative reference. If the scheme is known to have no
/// hierarchy, or to have one also without an authority (`file:/a`), it is an ordinary URI.
fn repeats_scheme<H>(base: &Parts<'_, H>, reference: &Parts<'_, H>) -> bool {
    let name = reference.scheme();
    if name.is_empty() || reference.host.is_some() || !name.eq_ignore_ascii_case(base.scheme()) {
        return false;
    }
    let is_rooted = reference.path().first() == Some(&b'/');
    match scheme::find(name) {
        Some(known) => known.is_hierarchical() && (known.host_required || !is_rooted),
        None => (base.host.is_some() || base.path().first() == Some(&b'/')) && !is_rooted,
    }
}

/// Whether relative references fit a base. By RFC 2396 the part after its scheme begins with a slash; by RFC 3986
/// (1.2.3) it contains a slash.
fn is_hierarchical<H>(base: &Parts<'_, H>) -> bool {
    base.host.is_some()
        || match base.spec {
            Spec::Rfc2396 => base.path().first() == Some(&b'/'),
            Spec::Rfc3986 | Spec::Rfc3986Errata => memchr::memchr(b'/', base.path()).is_some(),
        }
}

/// Whether a relative path, after the base's part (5.2.3), has a `..` with no segment before it.
fn climbs_too_far<H>(base: &Parts<'_, H>, reference: &Parts<'_, H>) -> bool {
    let path = reference.path();
    let merges = match path.first() {
        Some(&first) => first != b'/',
        // By RFC 2396 a query alone replaces the last segment.
        None => base.spec == Spec::Rfc2396,
    };
    if reference.host.is_some() || !merges {
        return false;
    }
    let mut depth = 0u32;
    let climbs = |segment: &[u8]| {
        match segment {
            b"." => {}
            b".." if depth == 0 => return true,
            b".." => depth -= 1,
            _ => depth += 1,
        }
        false
    };
    let above = super::merged_part(base);
    let above = above.strip_prefix(b"/").unwrap_or(above);
    // The text after the last slash is not a segment yet.
    let is_folder = above.is_empty() || above.ends_with(b"/");
    let segments = above.split(|&b| b == b'/');
    let count = segments.clone().count() - usize::from(is_folder);
    segments.take(count).chain(path.split(|&b| b == b'/')).any(climbs)
}
