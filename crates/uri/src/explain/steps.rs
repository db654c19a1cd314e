//! What normalization does, one step per rule. The ladder (`normalize`) writes the form of each rung; the differences
//! between two rungs are attributed to rules by their place.

use crate::grammar::Spec;
use crate::normalize::{Level, normalize};
use crate::reference::UriRef;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// One change on the way to the normal form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The rung of the ladder.
    pub level: Level,
    /// The rule.
    pub rule: StepRule,
    /// Where the rule is specified: specification and section.
    pub section: &'static str,
    /// The whole reference before.
    pub before: String,
    /// The whole reference after.
    pub after: String,
}

/// The rules of normalization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StepRule {
    /// The scheme becomes lower case.
    SchemeCase,
    /// The host becomes lower case.
    HostCase,
    /// The digits of triplets become upper case.
    TripletCase,
    /// Triplets of unreserved characters are decoded.
    PercentDecoded,
    /// Dot segments are removed.
    DotSegments,
    /// An empty path becomes `/`.
    EmptyPath,
    /// The domains of mail addresses become lower case.
    MailDomain,
    /// The scheme's default port is removed.
    DefaultPort,
    /// A port without digits is removed with its colon.
    EmptyPort,
    /// An IPv6 address gets its canonical spelling.
    Ipv6Spelling,
    /// The default host is removed from an authority that has nothing else: `file://localhost/`.
    Localhost,
    /// A path gets an empty authority, which means the default host as before: `file:/a`.
    EmptyAuthority,
    /// An empty host beside user information or a port gets the default host's name.
    DefaultHost,
}

impl StepRule {
    /// Every rule, in the order of the ladder.
    pub const ALL: [StepRule; 13] = [
        StepRule::SchemeCase,
        StepRule::HostCase,
        StepRule::TripletCase,
        StepRule::PercentDecoded,
        StepRule::DotSegments,
        StepRule::EmptyPath,
        StepRule::MailDomain,
        StepRule::DefaultPort,
        StepRule::EmptyPort,
        StepRule::Ipv6Spelling,
        StepRule::Localhost,
        StepRule::EmptyAuthority,
        StepRule::DefaultHost,
    ];

    /// The stable name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            StepRule::SchemeCase => "scheme_case",
            StepRule::HostCase => "host_case",
            StepRule::TripletCase => "triplet_case",
            StepRule::PercentDecoded => "percent_decoded",
            StepRule::DotSegments => "dot_segments",
            StepRule::EmptyPath => "empty_path",
            StepRule::MailDomain => "mail_domain",
            StepRule::DefaultPort => "default_port",
            StepRule::EmptyPort => "empty_port",
            StepRule::Ipv6Spelling => "ipv6_spelling",
            StepRule::Localhost => "localhost",
            StepRule::EmptyAuthority => "empty_authority",
            StepRule::DefaultHost => "default_host",
        }
    }

    /// What it does, for people.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            StepRule::SchemeCase => "the scheme in lower case",
            StepRule::HostCase => "the host in lower case",
            StepRule::TripletCase => "the digits of triplets in upper case",
            StepRule::PercentDecoded => "triplets of unreserved characters decoded",
            StepRule::DotSegments => "dot segments removed",
            StepRule::EmptyPath => "the empty path after an authority becomes /",
            StepRule::MailDomain => "the domains of mail addresses in lower case",
            StepRule::DefaultPort => "the default port of the scheme dropped",
            StepRule::EmptyPort => "the empty port dropped",
            StepRule::Ipv6Spelling => "the one spelling of the IPv6 address",
            StepRule::Localhost => "localhost dropped: without a host it means the same",
            StepRule::EmptyAuthority => "an empty authority: without one it means the same host",
            StepRule::DefaultHost => "the default host written beside user information or a port",
        }
    }

    /// Where the rule is specified.
    #[must_use]
    pub const fn section(self, spec: Spec) -> &'static str {
        match (self, spec) {
            (StepRule::Ipv6Spelling, _) => "RFC 5952, 4",
            (StepRule::MailDomain, _) => "RFC 6068, 2",
            (StepRule::TripletCase, Spec::Rfc2396) => "RFC 2396, 2.4.1",
            (StepRule::PercentDecoded, Spec::Rfc2396) => "RFC 2396, 2.3",
            (StepRule::DotSegments, Spec::Rfc2396) => "RFC 2396, 5.2",
            (_, Spec::Rfc2396) => "RFC 2396, 6",
            (StepRule::SchemeCase | StepRule::HostCase | StepRule::TripletCase, _) => "RFC 3986, 6.2.2.1",
            (StepRule::PercentDecoded, _) => "RFC 3986, 6.2.2.2",
            (StepRule::DotSegments, _) => "RFC 3986, 6.2.2.3",
            (StepRule::EmptyPath | StepRule::DefaultPort | StepRule::EmptyPort, _) => "RFC 3986, 6.2.3",
            (StepRule::Localhost | StepRule::EmptyAuthority | StepRule::DefaultHost, _) => "RFC 3986, 6.2.3",
        }
    }
}

/// Every step that changes `uri` on the way up to `level`. The last one's `after` is the normal form.
pub(super) fn steps(uri: &UriRef<'_>, level: Level) -> Vec<Step> {
    let spec = uri.spec();
    let mut steps = Vec::new();
    let mut now = uri.as_str().to_owned();
    for rung in Level::ALL.into_iter().filter(|&rung| rung <= level) {
        let next = normalize(uri, rung).into_owned();
        if next == now {
            continue;
        }
        let mut changes = match rung {
            Level::None => Vec::new(),
            Level::Case => case_changes(&now, &next, uri.split().scheme_end as usize),
            Level::Percent => vec![(StepRule::PercentDecoded, String::new())],
            Level::Syntax => vec![(StepRule::DotSegments, String::new())],
            Level::Scheme => scheme_changes(&now, &next, spec),
        };
        if let Some((_, last)) = changes.last_mut() {
            *last = next;
        }
        for (rule, after) in changes {
            let before = core::mem::replace(&mut now, after.clone());
            steps.push(Step { level: rung, rule, section: rule.section(spec), before, after });
        }
    }
    steps
}

/// Changes of case move no byte: the place of a changed byte determines its rule.
fn case_changes(before: &str, after: &str, scheme_end: usize) -> Vec<(StepRule, String)> {
    let rule_of = |at: usize, new: u8| match new {
        _ if at < scheme_end => StepRule::SchemeCase,
        b'a'..=b'z' => StepRule::HostCase,
        _ => StepRule::TripletCase,
    };
    let mut changes = Vec::new();
    let mut now = before.to_owned();
    for rule in [StepRule::SchemeCase, StepRule::HostCase, StepRule::TripletCase] {
        let next: String = now
            .char_indices()
            .zip(after.chars())
            .map(|((at, old), new)| if old != new && rule_of(at, new as u8) == rule { new } else { old })
            .collect();
        if next != now {
            now.clone_from(&next);
            changes.push((rule, next));
        }
    }
    changes
}

/// The changes that a scheme's rules make, component by component from the right, so that offsets to the left stay
/// valid.
fn scheme_changes(before: &str, after: &str, spec: Spec) -> Vec<(StepRule, String)> {
    let (Ok(old), Ok(new)) = (UriRef::parse_as(before, spec), UriRef::parse_as(after, spec)) else {
        // Normal forms of a valid reference are valid.
        return Vec::new();
    };
    let split = old.split();
    let [host_start, host_end, path_start, path_end] =
        [split.host_start, split.host_end, split.path_start, split.path_end].map(|at| at as usize);
    let mut now = before.to_owned();
    let mut changes = Vec::new();
    let mut replace = |rule, range: core::ops::Range<usize>, with: &str| {
        now.replace_range(range, with);
        changes.push((rule, now.clone()));
    };
    if old.authority().is_none() && new.authority().is_some() {
        // After an authority the path needs no guard.
        replace(StepRule::EmptyAuthority, path_start..path_end, &format!("//{}", new.path()));
        return changes;
    }
    if old.path() != new.path() {
        let rule = if old.path().is_empty() { StepRule::EmptyPath } else { StepRule::MailDomain };
        replace(rule, path_start..path_end, new.path());
    }
    if old.port() != new.port() {
        let rule = if old.port() == Some("") { StepRule::EmptyPort } else { StepRule::DefaultPort };
        replace(rule, host_end..path_start, "");
    }
    if old.host() != new.host() {
        let host = new.host().unwrap_or_default();
        let rule = match old.host() {
            _ if host.is_empty() => StepRule::Localhost,
            Some("") => StepRule::DefaultHost,
            _ => StepRule::Ipv6Spelling,
        };
        replace(rule, host_start..host_end, host);
    }
    changes
}
