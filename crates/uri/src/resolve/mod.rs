//! Reference resolution (RFC 3986 section 5, RFC 2396 section 5): from a reference and its base to the target, and
//! back. It uses the ladder's removal of dot segments; one writer serves single references and batches.
//!
//! A target is written in three pieces (5.2.2, 5.3). The part before the path is the reference's, the base's, or the
//! scheme of one with the authority of the other. The path is the only piece that is changed. Query and fragment
//! follow. The offsets of the components follow from the pieces: nothing is parsed again.
//!
//! [`resolve`] is section 5.2 to the letter. [`normal_form`] (`normal`) is for the case that equal references must have
//! equal targets.

mod base;
mod join;
pub(crate) mod normal;
mod relativize;
pub(crate) mod remarks;
mod rfc2396;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

pub use base::parse_base;
pub use normal::normal_form;
#[cfg(feature = "explain")]
pub(crate) use normal::{target_at, uri_form, with_plain_dots};
pub use relativize::relativize;
pub use remarks::{Remarks, remarks};

use crate::grammar::Spec;
use crate::grammar::scheme::{self, Scheme};
use crate::host::HostKind;
use crate::normalize::{self, Level, normalize};
use crate::reference::UriRef;
use crate::simd::{SlowPath, Split};
use crate::uri::AsUriRef;

/// The meaning of a reference that repeats the base's scheme (5.2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// It is a URI: `http:g` stays `http:g`.
    #[default]
    Strict,
    /// The scheme is ignored, compared without case: `http:g` is `g`, as in older specifications (5.4.2).
    Compatible,
}

/// Why there is no target, or no reference to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ResolveError {
    /// The base has no scheme (5.1).
    BaseNotAbsolute,
    /// [`relativize`]: the target has no scheme.
    TargetNotAbsolute,
    /// [`relativize`]: the path of the target has dot segments that resolution removes.
    TargetHasDotSegments,
}

impl ResolveError {
    /// The code as written in a table, beside those of [`Code`](crate::Code).
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            ResolveError::BaseNotAbsolute => "base_not_absolute",
            ResolveError::TargetNotAbsolute => "target_not_absolute",
            ResolveError::TargetHasDotSegments => "target_has_dot_segments",
        }
    }

    /// What the code means, for people.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            ResolveError::BaseNotAbsolute => "the base has no scheme, so nothing can be resolved against it",
            ResolveError::TargetNotAbsolute => "it has no scheme, so no reference leads to it",
            ResolveError::TargetHasDotSegments => {
                "resolution removes the dot segments of its path, so no reference leads to it"
            }
        }
    }
}

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.as_str(), self.sentence())
    }
}

impl core::error::Error for ResolveError {}

/// The offsets of a target's components, and the kind of its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Target {
    /// Offsets from the target's first byte.
    pub split: Split,
    /// `None` where there is no authority.
    pub host_kind: Option<HostKind>,
}

/// The target of a reference (5.2): borrowed if the reference is its own target.
///
/// The base's fragment is ignored (5.1). A reference without a path keeps the base's path unchanged, dot segments
/// included; from every other path they are removed (5.2.4), also if it does not begin with a slash. `%2e` is not a dot
/// here. A path that would begin with `//` without an authority before it begins with `/.//` (3.3). Use [`normal_form`]
/// for a normal form of the target.
///
/// ```
/// use urimill_uri::UriRef;
/// use urimill_uri::resolve::{Mode, ResolveError, resolve};
///
/// let base = UriRef::parse("http://example.com/a/b?q")?;
/// let target = |reference, mode| resolve(&base, &UriRef::parse(reference).unwrap(), mode).unwrap();
/// assert_eq!(target("../c#f", Mode::Strict), "http://example.com/c#f");
/// assert_eq!(target("?x", Mode::Strict), "http://example.com/a/b?x");
/// assert_eq!(target("HTTP:c", Mode::Strict), "HTTP:c");
/// assert_eq!(target("HTTP:c", Mode::Compatible), "http://example.com/a/c");
///
/// let relative = UriRef::parse("/a/b")?;
/// assert_eq!(resolve(&relative, &base, Mode::Strict), Err(ResolveError::BaseNotAbsolute));
/// # Ok::<(), urimill_uri::Reject>(())
/// ```
///
/// # Errors
/// [`ResolveError::BaseNotAbsolute`] where the base has no scheme, whatever the reference is.
pub fn resolve<'a, 'b>(
    base: impl AsUriRef<'b>,
    reference: impl AsUriRef<'a>,
    mode: Mode,
) -> Result<Cow<'a, str>, ResolveError> {
    let reference = reference.uri_ref();
    let target = target(&absolute(&base.uri_ref())?, &Parts::of(&reference), mode);
    Ok(target.map_or(reference.as_str().into(), Cow::Owned))
}

/// The target, if its text differs from the reference.
fn target<H: Copy>(base: &Parts<'_, H>, parts: &Parts<'_, H>, mode: Mode) -> Option<String> {
    if is_own_target(base, parts, mode) {
        return None;
    }
    let mut out = Vec::with_capacity(base.text.len() + parts.text.len() + 1);
    write(base, parts, mode, &mut out);
    (out != parts.text)
        .then(|| String::from_utf8(out).expect("valid references are ASCII, and so are their pieces"))
}

/// [`resolve`], appended to `out`.
///
/// ```
/// use urimill_uri::UriRef;
/// use urimill_uri::resolve::{Mode, resolve_into};
///
/// let base = UriRef::parse("http://example.com/a/b")?;
/// let mut out = Vec::new();
/// for reference in ["c", "/d?e"] {
///     let from = out.len();
///     let target = resolve_into(&base, &UriRef::parse(reference)?, Mode::Strict, &mut out).unwrap();
///     assert_eq!(out.len() - from, target.split.end as usize);
/// }
/// assert_eq!(out, b"http://example.com/a/chttp://example.com/d?e");
/// # Ok::<(), urimill_uri::Reject>(())
/// ```
///
/// # Errors
/// Fails as [`resolve`] does; nothing is appended then.
pub fn resolve_into<'a>(
    base: impl AsUriRef<'a>,
    reference: impl AsUriRef<'a>,
    mode: Mode,
    out: &mut Vec<u8>,
) -> Result<Target, ResolveError> {
    let written = write(&absolute(&base.uri_ref())?, &Parts::of(&reference.uri_ref()), mode, out);
    Ok(Target { split: written.split, host_kind: written.host })
}

/// Whether a target is in the document that the base names (4.4): their normal forms at `level` are equal except for
/// their fragments. A reference must be resolved first.
///
/// ```
/// use urimill_uri::resolve::is_same_document;
/// use urimill_uri::{Level, UriRef};
///
/// let base = UriRef::parse("http://example.com/a#top")?;
/// let target = UriRef::parse("http://EXAMPLE.com/a#end")?;
/// assert!(is_same_document(&base, &target, Level::Case));
/// assert!(!is_same_document(&base, &target, Level::None));
/// # Ok::<(), urimill_uri::Reject>(())
/// ```
#[must_use]
pub fn is_same_document<'a>(base: impl AsUriRef<'a>, target: impl AsUriRef<'a>, level: Level) -> bool {
    let (base, target) = (&base.uri_ref(), &target.uri_ref());
    let document = |uri: &UriRef<'_>| uri.split().query_end as usize;
    base.as_str()[..document(base)] == target.as_str()[..document(target)]
        || before_fragment(&normalize(base, level)) == before_fragment(&normalize(target, level))
}

fn before_fragment(text: &str) -> &str {
    text.split_once('#').map_or(text, |(document, _)| document)
}

/// Whether a reference is to the current document by RFC 2396 (4.2, 5.2 step 2): it is empty or only a fragment. Its
/// target is then the base itself, whatever that is.
#[must_use]
pub fn is_current_document<'a>(reference: impl AsUriRef<'a>) -> bool {
    reference.uri_ref().split().query_end == 0
}

/// A valid reference as the writer takes it. `H` is the caller's knowledge of a host, which it gets back.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct Parts<'a, H> {
    pub text: &'a [u8],
    pub split: Split,
    /// Defined where there is an authority.
    pub host: Option<H>,
    /// Whether a dot may follow a slash of the path. A `false` is always right.
    pub dots: bool,
    /// Whether the path has triplets to decode before dot segments are removed. Section 5.2 decodes none.
    pub encoded: bool,
    /// The base's specification decides.
    pub spec: Spec,
}

impl<'a> Parts<'a, HostKind> {
    fn of(uri: &UriRef<'a>) -> Self {
        Parts {
            text: uri.as_str().as_bytes(),
            split: uri.split(),
            host: uri.host_kind(),
            dots: uri.slow_path().has(SlowPath::DOTS | SlowPath::UNSURE),
            encoded: false,
            spec: uri.spec(),
        }
    }
}

impl<'a, H> Parts<'a, H> {
    fn part(&self, from: u32, to: u32) -> &'a [u8] {
        &self.text[from as usize..to as usize]
    }

    fn scheme(&self) -> &'a [u8] {
        self.part(0, self.split.scheme_end)
    }

    #[inline]
    pub fn path(&self) -> &'a [u8] {
        self.part(self.split.path_start, self.split.path_end)
    }

    /// Whether resolution may have dot segments to remove. A `false` is always right.
    #[inline]
    pub fn has_dot_segments(&self) -> bool {
        self.encoded
            || self.path().first() == Some(&b'.')
            || self.dots && normalize::has_dot_segments(self.path())
    }

    /// The same reference, for resolution in which equal references have equal targets at `level`.
    #[inline]
    pub fn at(mut self, level: Level) -> Self {
        let has_encoded = |path: &[u8]| normalize::has_encoded_dot_segments(path);
        // After a question mark an opaque part may turn out to have a query (RFC 2396, 3).
        let before_query = || self.path().split(|&b| b == b'?').next().unwrap_or_default();
        self.encoded = level >= Level::Percent
            && (has_encoded(self.path()) || self.spec == Spec::Rfc2396 && has_encoded(before_query()));
        self
    }

    /// The same reference, for resolution to the letter.
    #[inline]
    pub fn undecoded(self) -> Self {
        Parts { encoded: false, ..self }
    }
}

/// Whether a reference is its own target: it has a scheme that is not ignored, and no dot segments to remove.
#[inline]
#[doc(hidden)]
pub fn is_own_target<H>(base: &Parts<'_, H>, reference: &Parts<'_, H>, mode: Mode) -> bool {
    keeps_scheme(base, reference, mode) && (base.spec == Spec::Rfc2396 || !reference.has_dot_segments())
}

/// The base, if it has a scheme (5.1).
fn absolute<'a>(base: &UriRef<'a>) -> Result<Parts<'a, HostKind>, ResolveError> {
    if base.is_uri() { Ok(Parts::of(base)) } else { Err(ResolveError::BaseNotAbsolute) }
}

/// Whether the reference's scheme is defined after the mode is applied (5.2.2). RFC 2396 (5.2 step 3) ignores only
/// schemes that are known to be hierarchical.
#[inline]
#[doc(hidden)]
pub fn keeps_scheme<H>(base: &Parts<'_, H>, reference: &Parts<'_, H>, mode: Mode) -> bool {
    let scheme = reference.scheme();
    !scheme.is_empty()
        && (mode == Mode::Strict
            || !scheme.eq_ignore_ascii_case(base.scheme())
            || base.spec == Spec::Rfc2396 && !scheme::find(scheme).is_some_and(Scheme::is_hierarchical))
}

/// What [`write`] returns about its output.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct Written<H> {
    /// The offsets of the components from the first byte written.
    pub split: Split,
    /// The knowledge of the host.
    pub host: Option<H>,
    /// Whether dot segments of the path were removed (5.2.4), and not only replaced by the guard.
    pub dots_removed: bool,
    /// Whether triplets of dot segments were decoded first.
    pub decoded: bool,
}

/// Appends the target to `out`. The base has a scheme.
#[inline]
#[doc(hidden)]
pub fn write<H: Copy>(
    base: &Parts<'_, H>,
    reference: &Parts<'_, H>,
    mode: Mode,
    out: &mut Vec<u8>,
) -> Written<H> {
    if base.spec == Spec::Rfc2396 {
        return rfc2396::write(base, reference, mode, out);
    }
    let from = out.len();
    let at = |out: &Vec<u8>| (out.len() - from) as u32;
    let (mut split, host, inherits) = write_head(base, reference, mode, out);

    let path = reference.path();
    let takes_path = inherits && path.is_empty();
    let (mut dots_removed, mut decoded) = (false, false);
    if takes_path {
        out.extend_from_slice(base.path());
    } else {
        let start = out.len();
        let merges = inherits && path[0] != b'/';
        if merges {
            merge(base, out);
        }
        out.extend_from_slice(path);
        if reference.encoded || merges && base.encoded {
            decoded = normalize::decode_dot_segments(out, start);
        }
        if decoded || reference.dots || merges && base.dots || path.first() == Some(&b'.') {
            let merged = Shape::of(out, start);
            match base.spec {
                // Erratum 4547: excess dot segments of a relative path stay.
                Spec::Rfc3986Errata if merges => normalize::remove_dot_segments_but_excess(out, start),
                _ => normalize::remove_dot_segments(out, start),
            }
            normalize::guard(host.is_some(), out, start);
            dots_removed = Shape::of(out, start) != merged;
        }
    }
    split.path_end = at(out);

    let own = &reference.split;
    let has_query = own.path_end < own.query_end;
    out.extend_from_slice(match takes_path && !has_query {
        true => base.part(base.split.path_end, base.split.query_end),
        false => reference.part(own.path_end, own.query_end),
    });
    split.query_end = at(out);
    out.extend_from_slice(reference.part(own.query_end, own.end));
    split.end = at(out);
    Written { split, host, dots_removed, decoded }
}

/// Length and first byte of a path: removing dot segments leaves both the same only if a guard is replaced by a guard.
#[derive(PartialEq, Eq)]
struct Shape(usize, Option<u8>);

impl Shape {
    fn of(out: &[u8], start: usize) -> Shape {
        Shape(out.len(), out.get(start).copied())
    }
}

/// Writes scheme and authority (5.2.2); returns whether the authority is the base's: only then may the path be the
/// base's too.
#[inline]
fn write_head<H: Copy>(
    base: &Parts<'_, H>,
    reference: &Parts<'_, H>,
    mode: Mode,
    out: &mut Vec<u8>,
) -> (Split, Option<H>, bool) {
    if keeps_scheme(base, reference, mode) {
        out.extend_from_slice(reference.part(0, reference.split.path_start));
        return (reference.split, reference.host, false);
    }
    if reference.host.is_none() {
        out.extend_from_slice(base.part(0, base.split.path_start));
        return (base.split, base.host, true);
    }
    // A scheme that the mode ignores is left out, so the authority may move in either direction.
    let (own, scheme) = (&reference.split, base.split.after_scheme());
    out.extend_from_slice(base.part(0, scheme));
    out.extend_from_slice(reference.part(own.after_scheme(), own.path_start));
    let shifted = |at: u32| at - own.after_scheme() + scheme;
    let split = Split {
        scheme_end: base.split.scheme_end,
        host_start: shifted(own.host_start),
        host_end: shifted(own.host_end),
        path_start: shifted(own.path_start),
        ..Split::default()
    };
    (split, reference.host, false)
}

/// Writes the part of the base's path that precedes a relative one (5.2.3; RFC 2396, 5.2 step 6 a).
fn merge<H>(base: &Parts<'_, H>, out: &mut Vec<u8>) {
    let path = base.path();
    // RFC 2396 to the letter would join the reference to the authority here: `http://a` and `g` to `http://ag`.
    if path.is_empty() && base.host.is_some() {
        return out.push(b'/');
    }
    let part = merged_part(base);
    out.extend_from_slice(part);
    if part.len() == path.len() && normalize::ends_with_parent(part, base.encoded) {
        out.push(b'/');
    }
}

/// The part of the base's path that precedes a relative one: up to its last slash, or all of it if erratum 2933 takes a
/// last `..` for a folder.
fn merged_part<'a, H>(base: &Parts<'a, H>) -> &'a [u8] {
    let path = base.path();
    if base.spec == Spec::Rfc3986Errata && normalize::ends_with_parent(path, base.encoded) {
        return path;
    }
    &path[..memchr::memrchr(b'/', path).map_or(0, |at| at + 1)]
}

/// Whether a reference is its own target except for dot segments: its scheme is not ignored (5.2.2).
#[cfg(feature = "explain")]
pub(crate) fn counts_scheme(base: &UriRef<'_>, reference: &UriRef<'_>, mode: Mode) -> bool {
    keeps_scheme(&Parts::of(base), &Parts::of(reference), mode)
}

/// The path of a relative reference after the base's part (5.2.3), with all dot segments, which are decoded as for
/// resolution at `level`.
#[cfg(feature = "explain")]
pub(crate) fn merge_paths(base: &UriRef<'_>, path: &str, level: Level) -> String {
    let mut merged = Vec::new();
    let base = Parts::of(base).at(level);
    merge(&base, &mut merged);
    if base.encoded {
        normalize::decode_dot_segments(&mut merged, 0);
    }
    merged.extend_from_slice(path.as_bytes());
    String::from_utf8(merged).expect("valid references are ASCII, and so are their pieces")
}
