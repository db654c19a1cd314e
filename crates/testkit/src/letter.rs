//! Resolution by the letter of section 5.2, slowly; the rules by which another implementation departs from it; and the
//! invariants of the way back.

use std::fmt::Write;

use urimill_uri::UriRef;
use urimill_uri::resolve::{self, Mode};

/// Section 5.2.4 to the letter, with its two buffers.
pub fn remove_dot_segments(path: &str) -> String {
    let (mut input, mut output) = (path.to_owned(), String::new());
    while !input.is_empty() {
        if input.starts_with("../") || input.starts_with("./") {
            input = input[input.find('/').map_or(0, |at| at + 1)..].to_owned(); // A
        } else if input.starts_with("/./") || input == "/." {
            input = format!("/{}", input.get(3..).unwrap_or_default()); // B
        } else if input.starts_with("/../") || input == "/.." {
            input = format!("/{}", input.get(4..).unwrap_or_default()); // C
            output.truncate(output.rfind('/').unwrap_or(0));
        } else if input == "." || input == ".." {
            input.clear(); // D
        } else {
            let end = input[1..].find('/').map_or(input.len(), |at| at + 1); // E
            output.push_str(&input[..end]);
            input = input[end..].to_owned();
        }
    }
    output
}

/// The pseudocode of 5.2.2 to 5.3, line by line; then the one thing that it leaves open: 3.3 forbids two slashes before
/// a path without an authority.
pub fn by_the_letter(base: &UriRef, r: &UriRef, mode: Mode) -> String {
    let mut r_scheme = r.scheme();
    let like_base = |scheme: &str| base.scheme().is_some_and(|of_base| of_base.eq_ignore_ascii_case(scheme));
    if mode == Mode::Compatible && r_scheme.is_some_and(like_base) {
        r_scheme = None;
    }
    let (scheme, authority, path, query, kept);
    if r_scheme.is_some() {
        (scheme, authority) = (r_scheme, r.authority());
        (path, query, kept) = (remove_dot_segments(r.path()), r.query(), false);
    } else {
        if r.authority().is_some() {
            authority = r.authority();
            (path, query, kept) = (remove_dot_segments(r.path()), r.query(), false);
        } else {
            if r.path().is_empty() {
                (path, kept) = (base.path().to_owned(), true);
                query = if r.query().is_some() { r.query() } else { base.query() };
            } else {
                (query, kept) = (r.query(), false);
                path = match r.path().starts_with('/') {
                    true => remove_dot_segments(r.path()),
                    false => remove_dot_segments(&merged(base, r.path())),
                };
            }
            authority = base.authority();
        }
        scheme = base.scheme();
    }
    let mut result = format!("{}:", scheme.unwrap_or_default());
    let _ = authority.map(|authority| write!(result, "//{authority}"));
    if !kept && authority.is_none() && path.starts_with("//") {
        result.push_str("/.");
    }
    result.push_str(&path);
    let _ = query.map(|query| write!(result, "?{query}"));
    let _ = r.fragment().map(|fragment| write!(result, "#{fragment}"));
    result
}

/// 5.2.3
fn merged(base: &UriRef, path: &str) -> String {
    match base.path() {
        "" if base.authority().is_some() => format!("/{path}"),
        base => base.rfind('/').map_or_else(|| path.to_owned(), |at| format!("{}/{path}", &base[..at])),
    }
}

/// The rule by which fluent-uri may find another target; `None` if its target must be the same. It departs from the
/// letter of 5.2 so that normalizing and resolving can change places.
pub fn departs(base: &UriRef, reference: &UriRef) -> Option<&'static str> {
    let has_dots = |path: &str| path.split('/').any(|segment| segment == "." || segment == "..");
    let encoded = |uri: &UriRef| uri.path().to_ascii_lowercase().contains("%2e");
    let inherits = reference.is_relative_reference() && reference.authority().is_none();
    if encoded(reference) || inherits && encoded(base) {
        return Some("5.2.4: a triplet is no dot");
    }
    if inherits && reference.path().is_empty() && has_dots(base.path()) {
        return Some("5.2.2: a reference without a path keeps the base's as it is");
    }
    if inherits && (base.path() == ".." || base.path().ends_with("/..")) {
        return Some("5.2.3: the last segment is left out whatever it is");
    }
    if inherits && base.path().is_empty() && base.authority().is_none() {
        return Some("5.2.3: only behind an authority a slash is put before the path");
    }
    if reference.is_uri() && !reference.path().starts_with('/') && has_dots(reference.path()) {
        return Some("5.2.2: dot segments are removed from every path of a URI");
    }
    None
}

/// The fault of the way back from the target of `reference`: the way back must lead there, and be at least as short as
/// `reference`.
pub fn check_way_back(base: &UriRef, reference: &UriRef, target: &str) -> Result<(), String> {
    let complain = |what: String| Err(format!("{base} and {reference} are {target}: {what}"));
    let target = &UriRef::parse_as(target, base.spec()).map_err(|reject| format!("{target:?}: {reject}"))?;
    let back = resolve::relativize(base, target).map_err(|error| error.to_string())?;
    if back.len() > reference.as_str().len() {
        return complain(format!("relativize() gives {back}, which is longer"));
    }
    let Ok(parsed) = UriRef::parse_as(&back, base.spec()) else {
        return complain(format!("relativize() gives {back}"));
    };
    match resolve::resolve(base, &parsed, Mode::Strict) {
        Ok(again) if again == target.as_str() => Ok(()),
        other => complain(format!("relativize() gives {back}, which leads to {other:?}")),
    }
}
