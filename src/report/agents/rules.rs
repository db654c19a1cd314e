//! Rules that are tried in their order: the first that fits an agent says what it is.
//!
//! An automaton finds the words that rules need, for all rules of a list at once (`regex-filtered`, of the ua-parser
//! project, whose crate `ua-parser` does so too). Expressions are compiled when their words occur for the first time:
//! an agent needs a few of them, and all 1,263 take several times as long to build as most logs take to read.

use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use regex::bytes::{Captures, Regex, RegexBuilder};
use regex_filtered::mapper::{Builder, Mapper};
use regex_filtered::model::Model;
use regex_syntax::ParserBuilder;

use super::list::Rule;

/// The states of an expression that are kept between agents, in bytes: expressions are many, and agents short.
const STATES: usize = 1 << 16;

/// A list of rules.
pub(super) struct Rules {
    rules: Vec<(Rule, OnceLock<Option<Regex>>)>,
    words: AhoCorasick,
    /// From words to the rules that need them.
    needing: Mapper,
}

fn compile(rule: &Rule) -> Option<Regex> {
    // Classes and case are ASCII's, as the rules mean them.
    let mut builder = RegexBuilder::new(&rule.regex);
    builder.unicode(false).case_insensitive(rule.ignores_case).dfa_size_limit(STATES).build().ok()
}

impl Rules {
    /// The rules, with words of at least so many bytes; `None` where an expression is none.
    pub(super) fn new(rules: Vec<Rule>, least_word: usize) -> Option<Rules> {
        let mut builder = Builder::new(least_word);
        for rule in &rules {
            let parser = ParserBuilder::new().case_insensitive(rule.ignores_case).build();
            let parsed = { parser }.parse(&rule.regex).ok()?;
            builder.push(Model::new(&parsed).ok()?);
        }
        let (needing, words) = builder.build();
        let words = AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok()?;
        Some(Rules { rules: rules.into_iter().map(|rule| (rule, OnceLock::new())).collect(), words, needing })
    }

    /// The first rule that fits, with its groups.
    fn first<'a>(&self, agent: &'a str) -> Option<(&Rule, Captures<'a>)> {
        let found = self.words.find_overlapping_iter(agent).map(|found| found.pattern().as_usize());
        self.needing.atom_to_re(found).into_iter().find_map(|at| {
            let (rule, compiled) = &self.rules[at];
            let regex = compiled.get_or_init(|| compile(rule)).as_ref()?;
            // Groups take longer to find than whether there is anything.
            regex
                .is_match(agent.as_bytes())
                .then(|| regex.captures(agent.as_bytes()))
                .flatten()
                .map(|all| (rule, all))
        })
    }

    /// What the first rule that fits calls the agent; `None` where none does, or says nothing.
    pub(super) fn name(&self, agent: &str) -> Option<String> {
        let (rule, groups) = self.first(agent)?;
        let group = |number: usize| {
            groups
                .get(number)
                .map_or(String::new(), |found| String::from_utf8_lossy(found.as_bytes()).into_owned())
        };
        let name = match rule.name.as_deref() {
            Some(name) if !name.is_empty() => filled(name, group),
            _ => group(1),
        };
        let name = name.trim();
        (!name.is_empty()).then(|| name.to_owned())
    }
}

/// A name with the groups of the expression in the places of `$1` to `$9`.
fn filled(name: &str, group: impl Fn(usize) -> String) -> String {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find('$') {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let digit = after.as_bytes().get(1).filter(|digit| digit.is_ascii_digit());
        match digit {
            Some(digit) => out.push_str(&group(usize::from(digit - b'0'))),
            None => out.push('$'),
        }
        rest = &after[if digit.is_some() { 2 } else { 1 }..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::super::list::{FILE, Lists, read};
    use super::*;

    #[test]
    fn every_rule_can_be_compiled() {
        let Lists { families, systems, devices, .. } = read(FILE);
        for rule in families.iter().chain(&systems).chain(&devices) {
            assert!(compile(rule).is_some(), "{}", rule.regex);
        }
    }

    #[test]
    fn names_of_the_first_rule_that_fits() {
        let rule = |regex: &'static str, name: Option<&'static str>| Rule {
            regex: regex.into(),
            ignores_case: regex == "case",
            name: name.map(Into::into),
        };
        let rules = Rules::new(
            vec![
                rule("(Fire)(fox)", Some("$2 of $1$")),
                rule("(Chrome|Brave)/(\\d+)", None),
                rule("Chrome", Some("never")),
                rule("case", Some("Case")),
                rule("(opt)?ional", Some("$1")),
                rule("no group", None),
            ],
            3,
        );
        let rules = rules.expect("rules");
        for (agent, expected, reason) in [
            ("x Firefox/1", Some("fox of Fire$"), "groups in a name"),
            ("Chrome/10", Some("Chrome"), "the first group"),
            ("Chrome", Some("never"), "the first that fits"),
            ("Chrome/1 Firefox", Some("fox of Fire$"), "the order of the rules, not of the agent"),
            ("CaSe", Some("Case"), "without regard to case"),
            ("ional", None, "an empty name"),
            ("no group", None, "no name"),
            ("", None, "nothing"),
            ("Chrome/٣", Some("never"), "digits are ASCII's"),
        ] {
            assert_eq!(rules.name(agent).as_deref(), expected, "{reason}");
        }
    }
}
