//! Rules that are tried in order: the first that matches an agent names it. Lazily built automata took 70 MiB a thread
//! for hostile agents.
//!
//! An automaton finds the words that rules need, for all rules of a list at once (`regex-filtered`, of the ua-parser
//! project, whose crate `ua-parser` works the same way). Expressions are compiled when their words occur for the first
//! time: an agent needs a few of them, and building all 1,263 takes several times as long as reading most logs.
//!
//! Each is matched by backtracking, which marks the states that it has tried, so that its time is bounded by the states
//! of the expression × the bytes of the agent. Besides the expression it needs only these marks, and one [`Marks`]
//! serves all expressions. Lazily built automata, as in the crate `regex`, would keep states for each expression and
//! each thread.

use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use regex_automata::nfa::thompson::backtrack::{BoundedBacktracker, Cache};
use regex_automata::nfa::thompson::{self, Compiler};
use regex_automata::util::prefilter::Prefilter;
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::{Input, MatchKind};
use regex_filtered::mapper::{Builder, Mapper};
use regex_filtered::model::Model;
use regex_syntax::ParserBuilder;

use super::list::Rule;

/// The most memory for marks, in bytes of 8 marks: one for each state of an expression at each byte of an agent.
const MOST_MARKS: usize = 1 << 18;

/// The groups that a name can refer to: the whole, and `$1` to `$9`. Each has a start and an end.
const GROUPS: usize = 10;
type Slots = [Option<NonMaxUsize>; 2 * GROUPS];

/// The memory of a thread that tries expressions.
#[derive(Debug, Default)]
pub(super) struct Marks(Option<Cache>);

/// A list of rules.
pub(super) struct Rules {
    rules: Vec<(Rule, OnceLock<Option<BoundedBacktracker>>)>,
    words: AhoCorasick,
    /// Finds the rules that need the words in a text.
    needing: Mapper,
}

fn compile(rule: &Rule) -> Option<BoundedBacktracker> {
    // Classes and case are ASCII's, as the rules assume.
    let parser = ParserBuilder::new().unicode(false).utf8(false).case_insensitive(rule.ignores_case).build();
    let parsed = { parser }.parse(&rule.regex).ok()?;
    let nfa = Compiler::new().configure(thompson::Config::new().utf8(false)).build_from_hir(&parsed).ok()?;
    let beginnings = Prefilter::from_hir_prefix(MatchKind::LeftmostFirst, &parsed);
    let config = BoundedBacktracker::config().visited_capacity(MOST_MARKS).prefilter(beginnings);
    BoundedBacktracker::builder().configure(config).build_from_nfa(nfa).ok()
}

impl Marks {
    /// The first match of an expression: the starts and ends of its groups.
    fn find(&mut self, regex: &BoundedBacktracker, agent: &str) -> Option<Slots> {
        let marks = self.0.get_or_insert_with(|| regex.create_cache());
        marks.reset(regex);
        let mut slots = Slots::default();
        let used = slots.len().min(regex.get_nfa().group_info().slot_len());
        // The only error is an agent that is too long, which a test rules out.
        let found = regex.try_search_slots(marks, &Input::new(agent), &mut slots[..used]).ok()?;
        found.map(|_| slots)
    }
}

impl Rules {
    /// The rules, with words of at least `least` bytes; `None` if an expression is malformed.
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

    /// The first rule that matches, with its groups.
    fn first(&self, agent: &str, marks: &mut Marks) -> Option<(&Rule, Slots)> {
        let found = self.words.find_overlapping_iter(agent).map(|found| found.pattern().as_usize());
        self.needing.atom_to_re(found).into_iter().find_map(|at| {
            let (rule, compiled) = &self.rules[at];
            let regex = compiled.get_or_init(|| compile(rule)).as_ref()?;
            marks.find(regex, agent).map(|groups| (rule, groups))
        })
    }

    /// The name by the first rule that matches; `None` if there is no such rule or it has no name.
    pub(super) fn name(&self, agent: &str, marks: &mut Marks) -> Option<String> {
        let (rule, groups) = self.first(agent, marks)?;
        let group = |number: usize| match groups.get(2 * number..2 * number + 2) {
            Some(&[Some(start), Some(end)]) => {
                String::from_utf8_lossy(&agent.as_bytes()[start.get()..end.get()]).into_owned()
            }
            _ => String::new(),
        };
        let name = match rule.name.as_deref() {
            Some(name) if !name.is_empty() => filled(name, group),
            _ => group(1),
        };
        let name = name.trim();
        (!name.is_empty()).then(|| name.to_owned())
    }
}

/// A name in which the groups of the expression replace `$1` to `$9`.
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
    use super::super::super::counter::LONGEST;
    use super::super::list::{FILE, Lists, read};
    use super::*;

    #[test]
    fn every_rule_can_be_compiled() {
        let Lists { families, systems, devices, .. } = read(FILE);
        for rule in families.iter().chain(&systems).chain(&devices) {
            let regex = compile(rule).unwrap_or_else(|| panic!("{}", rule.regex));
            // Masks of passwords make an agent longer.
            assert!(regex.max_haystack_len() >= 2 * LONGEST, "{}", rule.regex);
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
        let mut marks = Marks::default();
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
            assert_eq!(rules.name(agent, &mut marks).as_deref(), expected, "{reason}");
        }
    }
}
