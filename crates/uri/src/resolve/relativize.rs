//! The inverse of resolution: from a base and a target to the shortest reference between them. RFC 3986 does not define
//! it; the only requirement is that resolution (5.2) leads back to the target, and each candidate is checked for that.

use alloc::borrow::Cow;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::{Mode, Parts, ResolveError, absolute, merge, rfc2396, write};
use crate::grammar::Spec;
use crate::host::HostKind;
use crate::normalize;
use crate::reference::UriRef;
use crate::uri::AsUriRef;

/// The shortest reference that resolves to `target`, byte by byte, against `base` in strict mode. Among equally short
/// ones it prefers the target itself, then fewer components, then a relative path over one from the root. If the
/// schemes differ, it is the target itself.
///
/// ```
/// use urimill_uri::UriRef;
/// use urimill_uri::resolve::relativize;
///
/// let base = UriRef::parse("http://example.com/a/b/c?q")?;
/// let reference = |target| relativize(&base, &UriRef::parse(target).unwrap()).unwrap().into_owned();
/// assert_eq!(reference("http://example.com/a/b/d"), "d");
/// assert_eq!(reference("http://example.com/a/x:y"), "../x:y");
/// assert_eq!(reference("http://example.com/x"), "/x");
/// assert_eq!(reference("http://example.com/a/b/c?q#f"), "#f");
/// assert_eq!(reference("http://example.org/"), "//example.org/");
/// assert_eq!(reference("https://example.com/a"), "https://example.com/a");
/// # Ok::<(), urimill_uri::Reject>(())
/// ```
///
/// # Errors
/// - [`ResolveError::BaseNotAbsolute`] where the base has no scheme.
/// - [`ResolveError::TargetNotAbsolute`] where the target has none: no reference leads to it.
/// - [`ResolveError::TargetHasDotSegments`] where resolution removes dot segments of the target: no reference leads to
///   it, unless it shares its path with the base. By RFC 2396 there is no such target. By the errata references with
///   relative paths lead to some, because dot segments that climb too far stay in these.
pub fn relativize<'a, 'b>(
    base: impl AsUriRef<'b>,
    target: impl AsUriRef<'a>,
) -> Result<Cow<'a, str>, ResolveError> {
    shortest(&base.uri_ref(), &target.uri_ref())
}

fn shortest<'a>(base: &UriRef<'_>, target: &UriRef<'a>) -> Result<Cow<'a, str>, ResolveError> {
    let parts = absolute(base)?;
    if target.is_relative_reference() {
        return Err(ResolveError::TargetNotAbsolute);
    }
    let mut candidates = candidates(base, target);
    candidates.sort_by_key(|candidate| candidate.len());
    let leads = |candidate: &Cow<'_, str>| leads_to(&parts, candidate, target.as_str());
    candidates.into_iter().find(leads).ok_or(ResolveError::TargetHasDotSegments)
}

fn leads_to(base: &Parts<'_, HostKind>, candidate: &str, target: &str) -> bool {
    let Ok(reference) = UriRef::parse_as(candidate, base.spec) else { return false };
    let mut out = Vec::with_capacity(target.len());
    write(base, &Parts::of(&reference), Mode::Strict, &mut out);
    out == target.as_bytes()
}

/// The target itself, and references of each form (4.2) that may lead to it, those with fewer components first. Some do
/// not lead to it, so each must be checked.
fn candidates<'a>(base: &UriRef<'_>, target: &UriRef<'a>) -> Vec<Cow<'a, str>> {
    let (text, split) = (target.as_str(), target.split());
    let from = |at: u32| &text[at as usize..];
    let mut found = vec![Cow::Borrowed(text)];
    if base.scheme() != target.scheme() {
        return found;
    }
    if base.authority() == target.authority() {
        if base.path() == target.path() || base.spec() == Spec::Rfc2396 {
            // By RFC 2396 a query alone is relative to the folder, so it leads elsewhere too.
            found.extend([from(split.query_end), from(split.path_end)].map(Cow::Borrowed));
        }
        let path = bare(target.path(), target);
        let folder = folder(base);
        let paths = relative_paths(&folder, path).into_iter();
        found.extend(paths.map(|path| Cow::Owned(path + from(split.path_end))));
        if base.spec() == Spec::Rfc2396 && base.authority().is_none() {
            // The folder of an opaque base may contain a question mark; in the target it begins the query.
            let whole = bare(&text[split.path_start as usize..split.query_end as usize], target);
            let paths = relative_paths(&folder, whole).into_iter();
            found.extend(paths.map(|path| Cow::Owned(path + from(split.query_end))));
        }
        if target.opaque_part() == Some(".") {
            // The writer of targets inserted it because nothing followed the scheme.
            let paths = relative_paths(&folder, "").into_iter();
            found.extend(paths.map(|path| Cow::Owned(path + from(split.path_end))));
        }
        found.push(match path.starts_with("//") {
            // The path would be read as an authority.
            true => Cow::Owned(format!("/.{path}{}", from(split.path_end))),
            false => Cow::Borrowed(from(split.path_start)),
        });
    }
    found.push(Cow::Borrowed(from(split.after_scheme())));
    found
}

/// The path of a target, or the path and its query, without the `/.` that keeps it from being read as an authority
/// (3.3).
fn bare<'a>(path: &'a str, target: &UriRef<'_>) -> &'a str {
    match path.strip_prefix("/.") {
        Some(bare) if target.authority().is_none() && bare.starts_with("//") => bare,
        _ => path,
    }
}

/// The start of every relative path's target against `base` (5.2.3), without dot segments. It ends with a slash or is
/// empty.
fn folder(base: &UriRef<'_>) -> String {
    let mut folder = Vec::new();
    merge(&Parts::of(base), &mut folder);
    match base.spec() {
        Spec::Rfc3986 => normalize::remove_dot_segments(&mut folder, 0),
        Spec::Rfc3986Errata => normalize::remove_dot_segments_but_excess(&mut folder, 0),
        Spec::Rfc2396 => rfc2396::collapse(&mut folder, 0),
    }
    String::from_utf8(folder).expect("valid references are ASCII")
}

/// The relative paths that may lead from `folder` to `path`; empty if no folder above both exists.
fn relative_paths(folder: &str, path: &str) -> Vec<String> {
    let mut above = folder;
    let mut climb = String::new();
    let rest = loop {
        if let Some(rest) = path.strip_prefix(above) {
            break rest;
        }
        let Some(segment) = above.strip_suffix('/') else { return Vec::new() };
        // A rootless path has nothing above its first folder; whether `..` leads there depends on the specification.
        above = &above[..segment.rfind('/').map_or(0, |at| at + 1)];
        climb.push_str("../");
    };
    let mut found = vec![relative_path(&climb, rest)];
    if climb.is_empty() && rest.starts_with('?') {
        // The query of an opaque part: alone it is relative to the folder (RFC 2396, 5.2).
        found.push(rest.to_owned());
    }
    if above.is_empty() && !climb.is_empty() {
        // By RFC 3986 the slash after the first segment stays when that is removed (5.2.4, C).
        found.extend(rest.strip_prefix('/').map(|rest| relative_path(&climb, rest)));
    }
    found
}

/// The path to `rest` in the folder that `climb` leads to. In an opaque part it includes the query (RFC 2396, 3).
fn relative_path(climb: &str, rest: &str) -> String {
    let (path, query) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
    if path.is_empty() {
        // ".." and "." mean folders even without a slash after them.
        return climb.strip_suffix('/').unwrap_or(".").to_owned() + query;
    }
    let first_segment = path.split('/').next().unwrap_or(path);
    let is_misread = path.starts_with('/') || first_segment.contains(':');
    // Otherwise it would be an absolute path or have a scheme (4.2).
    let here = if climb.is_empty() && is_misread { "./" } else { "" };
    [climb, here, rest].concat()
}
