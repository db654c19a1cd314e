//! A public suffix list read from text: the rules of <https://publicsuffix.org/list/>, by name. For lists that
//! are given at run time; the embedded one is compiled (`list`).
//!
//! A rule is a name (`co.uk`), a name below which every label is a suffix (`*.ck`), or an exception from a wildcard
//! (`!www.ck`). Where a domain matches several rules, an exception prevails, else the longest rule. Each suffix of a
//! domain is looked up, from the right: beside a specific rule (`*.ex.example.at`) the wildcard of the level above
//! (`*.example.at`) still holds, which a walk down a tree of labels would miss.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::string::ToString;
use std::collections::HashMap;

use crate::idn::to_ascii;

/// The sections of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Section {
    /// Suffixes of registries.
    Icann,
    /// Suffixes that companies made for their customers.
    Private,
}

/// The rules of a list for one name, with their sections.
#[derive(Debug, Clone, Copy, Default)]
struct Rule {
    exact: Option<Section>,
    /// One label and a dot before the name.
    wildcard: Option<Section>,
    exception: Option<Section>,
}

/// The lengths of a name's suffixes, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Suffixes {
    /// By the rules of the registries' section.
    pub(super) public: Option<usize>,
    /// By all rules.
    pub(super) private: Option<usize>,
}

impl Suffixes {
    /// A rule that prevails over those before it.
    pub(super) fn add(&mut self, is_icann: bool, len: usize) {
        self.private = Some(len);
        if is_icann {
            self.public = Some(len);
        }
    }
}

/// The rules of a list.
#[derive(Debug, Default)]
pub(super) struct Rules {
    /// By the name, in ASCII, without its mark.
    rules: HashMap<Box<[u8]>, Rule>,
    /// The longest rule.
    labels: usize,
}

impl Rules {
    /// Reads a list. A line is a rule up to its first white space; `//` begins a comment. Comments mark the two
    /// sections; a rule outside of both counts as a registry's.
    ///
    /// # Errors
    /// The fault, with the number of the line.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut rules = Rules::default();
        let mut section = Section::Icann;
        for (i, line) in text.lines().enumerate() {
            if let Some(comment) = line.trim_start().strip_prefix("//") {
                match comment.trim() {
                    "===BEGIN PRIVATE DOMAINS===" => section = Section::Private,
                    "===END PRIVATE DOMAINS===" => section = Section::Icann,
                    _ => {}
                }
            } else if let Some(rule) = line.split_whitespace().next() {
                rules.add(rule, section).ok_or_else(|| {
                    format!("line {} is not a rule of a public suffix list: {}", i + 1, excerpt(line))
                })?;
            }
        }
        if rules.rules.is_empty() { Err("it has no rule".into()) } else { Ok(rules) }
    }

    /// Adds a rule; `None` where it is none.
    fn add(&mut self, rule: &str, section: Section) -> Option<()> {
        let (name, slot): (&str, fn(&mut Rule) -> &mut Option<Section>) =
            if let Some(name) = rule.strip_prefix('!') {
                (name, |rule| &mut rule.exception)
            } else if rule == "*" {
                // The rule `*`: every last label is a suffix.
                ("", |rule| &mut rule.wildcard)
            } else if let Some(name) = rule.strip_prefix("*.") {
                (name, |rule| &mut rule.wildcard)
            } else {
                (rule, |rule| &mut rule.exact)
            };
        let name = to_ascii(name.as_bytes())?;
        let is_label = |label: &str| !label.is_empty() && label.bytes().all(is_label_byte);
        let is_name = name.split('.').all(is_label);
        // An exception from the rule `*` would be a suffix without labels.
        if rule != "*" && !is_name || rule.starts_with('!') && !name.contains('.') {
            return None;
        }
        self.labels = self.labels.max(name.split('.').count() + 1);
        let slot = slot(self.rules.entry(name.as_bytes().into()).or_default());
        *slot = Some(slot.map_or(section, |other| other.min(section)));
        Some(())
    }

    /// The suffixes of a name in ASCII and lower case, without empty labels.
    pub(super) fn suffixes(&self, name: &[u8]) -> Suffixes {
        let rule = |name: &[u8]| self.rules.get(name).copied().unwrap_or_default();
        let mut found = Suffixes::default();
        let mut above = (rule(b""), 0);
        let starts = memchr::memrchr_iter(b'.', name).map(|dot| dot + 1).chain([0]);
        for start in starts.take(self.labels) {
            let (here, len) = (rule(&name[start..]), name.len() - start);
            if let Some(section) = here.exception {
                found.add(section == Section::Icann, above.1);
                return found;
            }
            for section in [here.exact, above.0.wildcard].into_iter().flatten() {
                found.add(section == Section::Icann, len);
            }
            above = (here, len);
        }
        found
    }
}

fn is_label_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

/// The beginning of a line, safe to print on a terminal.
fn excerpt(line: &str) -> String {
    line.chars().take(40).collect::<String>().escape_debug().to_string()
}
