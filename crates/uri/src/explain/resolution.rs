//! How a reference was resolved (RFC 3986 section 5.2): which branch was taken, and how the path changed. The target
//! comes from `resolve`, for normal forms at the level asked for; this module only describes the way to it.

use crate::grammar::Spec;
use crate::normalize::Level;
use crate::reference::UriRef;
use crate::resolve::{self, Mode, Remarks};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

/// One resolution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    /// The base as it was given.
    pub base: String,
    /// Strict or compatible.
    pub mode: Mode,
    /// Which of the algorithm's branches was taken.
    pub branch: Branch,
    /// Where the branch is specified: specification and section.
    pub section: &'static str,
    /// The changes of the path, step by step.
    pub path: Vec<PathChange>,
    /// The target.
    pub target: String,
    /// Whether the target is in the document that the base names (RFC 3986 section 4.4, RFC 2396 section 4.2).
    pub same_document: bool,
    /// Remarks about reference and base.
    pub remarks: Remarks,
}

/// The branches of RFC 3986 section 5.2.2, and one of RFC 2396 section 5.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Branch {
    /// The reference has a scheme, so nothing is taken from the base.
    Scheme,
    /// The reference has an authority: the scheme is the base's.
    Authority,
    /// The path begins with a slash: scheme and authority are the base's.
    AbsolutePath,
    /// There is no path: the base's is taken, and its query where the reference has none.
    EmptyPath,
    /// The path is merged with the base's.
    RelativePath,
    /// By RFC 2396: at most a fragment; the base is the target.
    CurrentDocument,
}

impl Branch {
    /// The stable name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Branch::Scheme => "scheme",
            Branch::Authority => "authority",
            Branch::AbsolutePath => "absolute_path",
            Branch::EmptyPath => "empty_path",
            Branch::RelativePath => "relative_path",
            Branch::CurrentDocument => "current_document",
        }
    }

    /// What it means, for people.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Branch::Scheme => "the reference has a scheme: nothing is taken from the base",
            Branch::Authority => "the reference has an authority: the scheme is the base's",
            Branch::AbsolutePath => "the path begins with a slash: scheme and authority are the base's",
            Branch::EmptyPath => {
                "there is no path: the path is the base's, and so is the query if the reference has none"
            }
            Branch::RelativePath => "the path is relative: it is merged with the base's",
            Branch::CurrentDocument => "empty, or only a fragment: the target is the base",
        }
    }
}

/// A change of the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathChange {
    /// The rule.
    pub rule: PathRule,
    /// Where it is specified: specification and section.
    pub section: &'static str,
    /// The path before.
    pub before: String,
    /// The path after.
    pub after: String,
}

/// The steps of a path on the way to the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathRule {
    /// Triplets of dot segments are decoded.
    DecodeDots,
    /// The reference's path is put after the last slash of the base's.
    Merge,
    /// Dot segments are removed.
    RemoveDotSegments,
    /// `/.` is put before a path that would be read as an authority.
    Guard,
}

impl PathRule {
    /// The stable name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            PathRule::DecodeDots => "decode_dots",
            PathRule::Merge => "merge",
            PathRule::RemoveDotSegments => "remove_dot_segments",
            PathRule::Guard => "guard",
        }
    }

    /// What it does, for people.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            PathRule::DecodeDots => "%2E is a dot: the triplets of dot segments decoded",
            PathRule::Merge => "the path after the last slash of the base's path",
            PathRule::RemoveDotSegments => "dot segments removed",
            PathRule::Guard => "/. before it, or it would be read as an authority",
        }
    }

    const fn section(self, spec: Spec) -> &'static str {
        match (self, spec) {
            (PathRule::DecodeDots, Spec::Rfc2396) => "RFC 2396, 2.3",
            (PathRule::DecodeDots, _) => "RFC 3986, 2.3",
            (PathRule::Guard, _) => "RFC 3986, 3.3",
            (PathRule::Merge, Spec::Rfc3986Errata) => "RFC 3986, 5.2.3, with erratum 2933",
            (PathRule::RemoveDotSegments, Spec::Rfc3986Errata) => "RFC 3986, 5.2.4, with erratum 4547",
            (_, Spec::Rfc2396) => "RFC 2396, 5.2",
            (PathRule::Merge, _) => "RFC 3986, 5.2.3",
            (PathRule::RemoveDotSegments, _) => "RFC 3986, 5.2.4",
        }
    }
}

/// Describes how `reference` resolves; `None` against a base without a scheme. Documents are compared at `level`.
pub(super) fn trace(
    base: &UriRef<'_>,
    reference: &UriRef<'_>,
    mode: Mode,
    level: Level,
) -> Option<Resolution> {
    let spec = reference.spec();
    let target = resolve::target_at(base, reference, mode, level).ok()?.into_owned();
    let own = resolve::uri_form(base, reference, mode, level);
    let own = own.as_ref().and_then(|own| UriRef::parse_as(&own.text, spec).ok());
    let branch = branch(base, own.as_ref().unwrap_or(reference), mode);
    Some(Resolution {
        base: base.as_str().to_owned(),
        mode,
        branch,
        section: if spec == Spec::Rfc2396 { "RFC 2396, 5.2" } else { "RFC 3986, 5.2.2" },
        path: path_changes(base, (reference, own.as_ref()), branch, (&target, level)),
        same_document: is_same_document(base, reference, &target, level),
        remarks: resolve::remarks(base, reference, mode).unwrap_or_default(),
        target,
    })
}

/// Whether a resolved reference is in the base's document, by its specification.
pub(super) fn is_same_document(
    base: &UriRef<'_>,
    reference: &UriRef<'_>,
    target: &str,
    level: Level,
) -> bool {
    match reference.spec() {
        // By the form of the reference (4.2).
        Spec::Rfc2396 => resolve::is_current_document(reference),
        spec => {
            UriRef::parse_as(target, spec).is_ok_and(|target| resolve::is_same_document(base, &target, level))
        }
    }
}

fn branch(base: &UriRef<'_>, reference: &UriRef<'_>, mode: Mode) -> Branch {
    let path = reference.path();
    match reference.spec() {
        _ if resolve::counts_scheme(base, reference, mode) => Branch::Scheme,
        _ if reference.authority().is_some() => Branch::Authority,
        _ if path.starts_with('/') => Branch::AbsolutePath,
        Spec::Rfc2396 if resolve::is_current_document(reference) => Branch::CurrentDocument,
        Spec::Rfc2396 => Branch::RelativePath,
        _ if path.is_empty() => Branch::EmptyPath,
        _ => Branch::RelativePath,
    }
}

/// The steps from the reference's path to the target's, derived from the two. `own` is the reference as a URI, if the
/// target is made from that.
fn path_changes(
    base: &UriRef<'_>,
    (reference, own): (&UriRef<'_>, Option<&UriRef<'_>>),
    branch: Branch,
    (target, level): (&str, Level),
) -> Vec<PathChange> {
    let spec = reference.spec();
    let Ok(target) = UriRef::parse_as(target, spec) else {
        // The target of valid references is valid.
        return Vec::new();
    };
    // The errata concern only relative paths.
    let rules = if branch == Branch::RelativePath || spec == Spec::Rfc2396 { spec } else { Spec::Rfc3986 };
    let (path, query) = path_and_query(reference, branch);
    let mut way = Way { rules, now: path.to_owned(), changes: Vec::new() };
    let decodes = level >= Level::Percent && (spec != Spec::Rfc2396 || branch == Branch::RelativePath);
    if let Some(own) = own {
        way.change(PathRule::DecodeDots, resolve::with_plain_dots(&way.now));
        way.change(PathRule::RemoveDotSegments, own.path().to_owned());
    }
    if matches!(branch, Branch::EmptyPath | Branch::CurrentDocument) {
        return way.changes;
    }
    if decodes {
        way.change(PathRule::DecodeDots, resolve::with_plain_dots(&way.now));
    }
    if branch == Branch::RelativePath {
        way.change(PathRule::Merge, resolve::merge_paths(base, &way.now, level));
    }
    let path = query.map_or(target.path(), |query| without_query(target.path(), query));
    let bare = path.strip_prefix("/.").filter(|bare| bare.starts_with("//"));
    match bare.filter(|_| target.authority().is_none() && way.now != path) {
        Some(bare) => {
            way.change(PathRule::RemoveDotSegments, bare.to_owned());
            way.change(PathRule::Guard, path.to_owned());
        }
        None => way.change(PathRule::RemoveDotSegments, path.to_owned()),
    }
    way.changes
}

/// A path on the way to the target.
struct Way {
    rules: Spec,
    now: String,
    changes: Vec<PathChange>,
}

impl Way {
    /// Records a step to `after` if that is a different path.
    fn change(&mut self, rule: PathRule, after: String) {
        if after != self.now {
            let before = core::mem::replace(&mut self.now, after.clone());
            self.changes.push(PathChange { rule, section: rule.section(self.rules), before, after });
        }
    }
}

/// The path and query of a reference, also where RFC 2396 has both in the opaque part of a reference whose scheme is
/// ignored.
fn path_and_query<'a>(reference: &UriRef<'a>, branch: Branch) -> (&'a str, Option<&'a str>) {
    let is_passed_over = branch != Branch::Scheme && reference.opaque_part().is_some();
    match reference.path().split_once('?') {
        Some((path, query)) if is_passed_over => (path, Some(query)),
        _ => (reference.path(), reference.query()),
    }
}

/// The path of a target whose opaque part ends with the reference's query (RFC 2396 section 3).
fn without_query<'a>(path: &'a str, query: &str) -> &'a str {
    path.strip_suffix(query).and_then(|rest| rest.strip_suffix('?')).unwrap_or(path)
}
