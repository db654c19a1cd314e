//! The way back: from a base and a target to the shortest reference between them. RFC 3986 does not define
//! it; what is asked here is only that resolution (5.2) leads back to the target, and that is tried out.

use std::borrow::Cow;

use super::{Mode, Parts, ResolveError, absolute, merge, rfc2396, write};
use crate::grammar::Spec;
use crate::normalize;
use crate::uri::{HostKind, UriRef};

/// The shortest reference that resolves to `target`, byte by byte, against `base` in strict mode. Of two that
/// are equally short the one with fewer components; a relative path before one from the root. The target
/// itself where nothing shorter leads to it: under another scheme, or with dot segments that resolution
/// would remove; and where it has no scheme, so that no reference leads to it. By the errata dot segments that climb
/// too far stay in a relative path alone: that may be longer than its target, which does not lead to itself.
///
/// ```
/// use urimill::UriRef;
/// use urimill::resolve::relativize;
///
/// let base = UriRef::parse("http://example.com/a/b/c?q")?;
/// let reference = |target| relativize(&base, &UriRef::parse(target).unwrap()).unwrap().into_owned();
/// assert_eq!(reference("http://example.com/a/b/d"), "d");
/// assert_eq!(reference("http://example.com/a/x:y"), "../x:y");
/// assert_eq!(reference("http://example.com/x"), "/x");
/// assert_eq!(reference("http://example.com/a/b/c?q#f"), "#f");
/// assert_eq!(reference("http://example.org/"), "//example.org/");
/// assert_eq!(reference("https://example.com/a"), "https://example.com/a");
/// # Ok::<(), urimill::Reject>(())
/// ```
///
/// # Errors
/// [`ResolveError::BaseNotAbsolute`] where the base has no scheme.
pub fn relativize<'a>(base: &UriRef<'_>, target: &UriRef<'a>) -> Result<Cow<'a, str>, ResolveError> {
    let parts = absolute(base)?;
    let text = target.as_str();
    let mut candidates = candidates(base, target);
    candidates.sort_by_key(|candidate| candidate.len());
    let leads = |candidate: &Cow<'_, str>| leads_to(&parts, candidate, text);
    let own =
        candidates.iter().position(|candidate| candidate.len() >= text.len()).unwrap_or(candidates.len());
    let longer = candidates.split_off(own);
    let found = candidates.into_iter().find(leads).or_else(|| {
        let climbs = base.spec() == Spec::Rfc3986Errata && !leads(&Cow::Borrowed(text));
        longer.into_iter().find(|candidate| climbs && leads(candidate))
    });
    Ok(found.unwrap_or(Cow::Borrowed(text)))
}

fn leads_to(base: &Parts<'_, HostKind>, candidate: &str, target: &str) -> bool {
    let Ok(reference) = UriRef::parse_as(candidate, base.spec) else { return false };
    let mut out = Vec::with_capacity(target.len());
    write(base, &Parts::of(&reference), Mode::Strict, &mut out);
    out == target.as_bytes()
}

/// One reference of each form (4.2) that may lead to the target, those with fewer components first. Not all
/// do: they have to be tried.
fn candidates<'a>(base: &UriRef<'_>, target: &UriRef<'a>) -> Vec<Cow<'a, str>> {
    let (text, split) = (target.as_str(), target.split());
    let from = |at: u32| &text[at as usize..];
    let mut found = Vec::new();
    if base.scheme() != target.scheme() {
        return found;
    }
    if base.authority() == target.authority() {
        if base.path() == target.path() || base.spec() == Spec::Rfc2396 {
            // By RFC 2396 a query alone belongs to the folder, so it leads elsewhere too.
            found.extend([from(split.query_end), from(split.path_end)].map(Cow::Borrowed));
        }
        let path = bare_path(target);
        if let Some(relative) = relative_path(&folder(base), path) {
            found.push(Cow::Owned(relative + from(split.path_end)));
        }
        found.push(match path.starts_with("//") {
            // It would be read as an authority.
            true => Cow::Owned(format!("/.{path}{}", from(split.path_end))),
            false => Cow::Borrowed(from(split.path_start)),
        });
    }
    found.push(Cow::Borrowed(from(split.after_scheme())));
    found
}

/// The path without the `/.` that keeps it from being read as an authority (3.3).
fn bare_path<'a>(uri: &UriRef<'a>) -> &'a str {
    let path = uri.path();
    match path.strip_prefix("/.") {
        Some(bare) if uri.authority().is_none() && bare.starts_with("//") => bare,
        _ => path,
    }
}

/// What relative paths against `base` begin with (5.2.3), without its dot segments. It ends with a slash or is
/// empty.
fn folder(base: &UriRef<'_>) -> String {
    let mut folder = Vec::new();
    merge(&Parts::of(base), &mut folder);
    match base.spec() {
        Spec::Rfc3986 => normalize::remove_dot_segments(&mut folder, 0),
        Spec::Rfc3986Errata | Spec::Rfc2396 => rfc2396::collapse(&mut folder, 0),
    }
    String::from_utf8(folder).expect("valid references are ASCII")
}

/// The relative path that leads from `folder` to `path`; none where no folder above it holds both.
fn relative_path(folder: &str, path: &str) -> Option<String> {
    let mut above = folder;
    let mut reference = String::new();
    let rest = loop {
        if let Some(rest) = path.strip_prefix(above) {
            break rest;
        }
        above = above.strip_suffix('/')?;
        // Above the first folder of a rootless path is none; whether `..` leads there, the specification says.
        above = &above[..above.rfind('/').map_or(0, |at| at + 1)];
        reference.push_str("../");
    };
    if rest.is_empty() {
        // ".." and "." mean folders without a slash behind them.
        reference.pop();
        return Some(if reference.is_empty() { ".".to_owned() } else { reference });
    }
    let first_segment = rest.split('/').next().unwrap_or(rest);
    if reference.is_empty() && (first_segment.is_empty() || first_segment.contains(':')) {
        // An absolute path or a scheme otherwise (4.2).
        reference.push_str("./");
    }
    Some(reference + rest)
}
