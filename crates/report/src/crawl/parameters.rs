//! Parameters that never change the content: pairs of URIs that differ only in one parameter, and whether their digests
//! are the same. The URI without the parameter is one of the URIs, if it was read.

use std::collections::{BTreeMap, BTreeSet};

use twox_hash::XxHash3_64;

use super::{Crawl, Variants, share};
use crate::rows::host_of;

/// The number of different contents that must not change with a parameter before it is reported: a host that has one
/// answer to everything proves nothing.
const LEAST_CONTENTS: u64 = 3;

/// The evidence of pairs of URIs about a parameter. A pair has the same URI except for this parameter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parameter {
    /// The host; empty for all hosts together.
    pub host: String,
    /// The name as `--drop-params` compares it: decoded, ASCII letters in lower case.
    pub name: String,
    /// The number of hosts.
    pub hosts: u64,
    /// URIs without the parameter, which the pairs belong to.
    pub uris: u64,
    /// Pairs with the same digest.
    pub same: u64,
    /// Pairs with different digests.
    pub different: u64,
    /// Different contents among the pairs with the same digest.
    pub contents: u64,
    /// One of the pairs with the same digest.
    pub same_example: Option<[String; 2]>,
    /// One of the pairs with different digests.
    pub different_example: Option<[String; 2]>,
}

impl Parameter {
    /// Whether no pair differed, with enough different contents.
    pub fn never_matters(&self) -> bool {
        self.different == 0 && self.contents >= LEAST_CONTENTS
    }
}

/// The evidence of pairs of URIs about parameters.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Parameters {
    /// Over all hosts: first those that never matter, then by their number of pairs.
    pub all_hosts: Vec<Parameter>,
    /// By host, in the same order.
    pub by_host: Vec<Parameter>,
    /// The patterns for `--drop-params`: one for each parameter that never matters on any host. Names that are not
    /// plain text on a command line are left out.
    pub drop_params: Vec<String>,
    /// The share of groups of URIs that differ in one parameter that the sample has.
    pub share: f64,
}

/// A URI of a group: the hash of its digest, and its text.
type Member<'a> = (u64, &'a str);

/// The pairs of a group.
struct Pairs<'a> {
    same: u64,
    different: u64,
    contents: BTreeSet<u64>,
    same_example: Option<[&'a str; 2]>,
    different_example: Option<[&'a str; 2]>,
}

impl<'a> Pairs<'a> {
    fn of(members: &[Member<'a>]) -> Pairs<'a> {
        let mut pairs = Pairs {
            same: 0,
            different: 0,
            contents: BTreeSet::new(),
            same_example: None,
            different_example: None,
        };
        for (at, (digest, uri)) in members.iter().enumerate() {
            for (other_digest, other) in &members[at + 1..] {
                if digest == other_digest {
                    pairs.same += 1;
                    pairs.contents.insert(*digest);
                    pairs.same_example.get_or_insert([uri, other]);
                } else {
                    pairs.different += 1;
                    pairs.different_example.get_or_insert([uri, other]);
                }
            }
        }
        pairs
    }
}

/// The sums of one parameter.
#[derive(Default)]
struct Sums<'a> {
    parameter: Parameter,
    hosts: BTreeSet<&'a str>,
    contents: BTreeSet<u64>,
}

impl<'a> Sums<'a> {
    fn add(&mut self, host: &'a str, pairs: &Pairs<'_>) {
        let Parameter { uris, same, different, same_example, different_example, .. } = &mut self.parameter;
        *uris += 1;
        *same += pairs.same;
        *different += pairs.different;
        let owned = |pair: [&str; 2]| pair.map(str::to_owned);
        if same_example.is_none() {
            *same_example = pairs.same_example.map(owned);
        }
        if different_example.is_none() {
            *different_example = pairs.different_example.map(owned);
        }
        self.hosts.insert(host);
        self.contents.extend(&pairs.contents);
    }

    fn parameter(self, host: &str, name: &str) -> Parameter {
        Parameter {
            host: host.to_owned(),
            name: name.to_owned(),
            hosts: self.hosts.len() as u64,
            contents: self.contents.len() as u64,
            ..self.parameter
        }
    }
}

impl Crawl {
    /// Parameters, from the samples.
    pub(crate) fn parameters(&self) -> Parameters {
        let mut by_host: BTreeMap<(&str, &str), Sums<'_>> = BTreeMap::new();
        let mut all_hosts: BTreeMap<&str, Sums<'_>> = BTreeMap::new();
        for ((base, _), group) in self.groups.entries() {
            let Some(host) = group.uris.first().and_then(|variant| host_of(&variant.uri)) else { continue };
            let pairs = Pairs::of(&self.members(*base, group));
            if pairs.same + pairs.different > 0 {
                by_host.entry((host, &group.name)).or_default().add(host, &pairs);
                all_hosts.entry(&group.name).or_default().add(host, &pairs);
            }
        }
        let by_host = by_host.into_iter().map(|((host, name), sums)| sums.parameter(host, name));
        let all_hosts = all_hosts.into_iter().map(|(name, sums)| sums.parameter("", name));
        let (by_host, all_hosts) = (ordered(by_host.collect()), ordered(all_hosts.collect()));
        let never = all_hosts.iter().filter(|parameter| parameter.never_matters());
        let drop_params = never.filter_map(|parameter| pattern(&parameter.name)).collect();
        let share = share(self.groups.limit().map(|(base, _)| base));
        Parameters { all_hosts, by_host, drop_params, share }
    }

    /// The URIs of a group whose content does not change by itself, and the one without the parameter.
    fn members<'a>(&'a self, base: u64, group: &'a Variants) -> Vec<Member<'a>> {
        let bare = self.pages.entries().get(&base);
        let bare = bare.and_then(|page| {
            let digest = page.digest.as_deref()?;
            Some((XxHash3_64::oneshot(digest.as_bytes()), &*page.uri))
        });
        let variants = group.uris.iter().filter_map(|variant| Some((variant.digest?, &*variant.uri)));
        bare.into_iter().chain(variants).collect()
    }
}

/// Those that never matter first, then those with the most pairs.
fn ordered(mut parameters: Vec<Parameter>) -> Vec<Parameter> {
    let key = |one: &Parameter| (!one.never_matters(), u64::MAX - one.same, u64::MAX - one.different);
    // They come in the order of hosts and names.
    parameters.sort_by_key(key);
    parameters
}

/// The pattern for `--drop-params` that matches this name; `None` for names with other characters than these.
fn pattern(name: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.~:[]-".contains(c);
    if name.starts_with('-') || name.len() > 64 || !name.chars().all(is_plain) {
        return None;
    }
    Some(name.chars().map(|c| if "[]".contains(c) { format!("[{c}]") } else { c.to_string() }).collect())
}

/// Patterns of [`Parameters::drop_params`] as one word of a shell's command line: `urimill normalize --drop-params WORD`.
///
/// ```
/// use urimill::report::shell_word;
///
/// assert_eq!(shell_word(&["sid", "utm_source"]), "sid,utm_source");
/// assert_eq!(shell_word(&["a[[]x[]]"]), "'a[[]x[]]'");
/// ```
pub fn shell_word<T: AsRef<str>>(patterns: &[T]) -> String {
    let word = patterns.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join(",");
    // No pattern has a quotation mark.
    if word.contains(['[', '~']) { format!("'{word}'") } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_safe_in_a_shell() {
        for (name, expected) in [
            ("sid", Some("sid")),
            ("utm_source", Some("utm_source")),
            ("a.b-c:d~e", Some("a.b-c:d~e")),
            ("f[x]", Some("f[[]x[]]")),
            ("-rf", None),
            ("a,b", None),
            ("a b", None),
            ("$(id)", None),
            ("a'b", None),
            ("*", None),
            ("?", None),
            ("\u{202e}", None),
            ("a\n", None),
        ] {
            assert_eq!(pattern(name).as_deref(), expected, "{name:?}");
        }
    }
}
