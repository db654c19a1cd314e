//! From syntax trees to a deterministic automaton: the second half of the oracle's machinery.
//!
//! Thompson's construction, then the subset construction. A grammar without recursion, such as RFC 3986, needs no more,
//! and the automaton enters its dead state at the byte where a string leaves the language: the longest viable prefix
//! ends there.

use std::collections::HashMap;

use crate::abnf::{ByteSet, Grammar, Node};

/// One state of the nondeterministic automaton: free moves, and at most one move on a byte.
#[derive(Default)]
struct State {
    free: Vec<usize>,
    on: Option<(ByteSet, usize)>,
}

struct Nfa<'g> {
    grammar: &'g Grammar,
    states: Vec<State>,
}

impl<'g> Nfa<'g> {
    fn state(&mut self) -> usize {
        self.states.push(State::default());
        self.states.len() - 1
    }

    fn rule(&self, name: &str) -> &'g Node {
        self.grammar.get(name).unwrap_or_else(|| panic!("no rule {name}"))
    }

    /// The set of bytes of `node`, if it always reads one byte: `ALPHA / DIGIT / "-"` is one move, not ten.
    fn single_byte(&self, node: &Node) -> Option<ByteSet> {
        match node {
            Node::Rule(name) => self.single_byte(self.rule(name)),
            Node::Bytes(set) => Some(*set),
            Node::Sequence(nodes) if nodes.len() == 1 => self.single_byte(&nodes[0]),
            Node::Alternatives(nodes) => nodes.iter().try_fold(ByteSet::default(), |union, node| {
                self.single_byte(node).map(|set| union.union(set))
            }),
            Node::Sequence(_) | Node::Repeat { .. } => None,
        }
    }

    /// Adds a path that reads `node` from the state `from`; returns its end.
    fn add(&mut self, node: &Node, from: usize) -> usize {
        if let Some(set) = self.single_byte(node) {
            let (start, end) = (self.state(), self.state());
            self.states[from].free.push(start);
            self.states[start].on = Some((set, end));
            return end;
        }
        match node {
            Node::Rule(name) => self.add(self.rule(name), from),
            Node::Bytes(_) => unreachable!("a set of bytes is a single byte"),
            Node::Sequence(nodes) => nodes.iter().fold(from, |at, node| self.add(node, at)),
            Node::Alternatives(nodes) => {
                let end = self.state();
                for node in nodes {
                    let start = self.state();
                    self.states[from].free.push(start);
                    let last = self.add(node, start);
                    self.states[last].free.push(end);
                }
                end
            }
            Node::Repeat { at_least, at_most, node } => {
                let needed = (0..*at_least).fold(from, |at, _| self.add(node, at));
                self.add_optional(node, needed, at_most.map(|most| most - at_least))
            }
        }
    }

    /// At most `more` further times; any number of times if it is None.
    fn add_optional(&mut self, node: &Node, from: usize, more: Option<usize>) -> usize {
        let end = self.state();
        self.states[from].free.push(end);
        match more {
            None => {
                let start = self.state();
                self.states[end].free.push(start);
                let last = self.add(node, start);
                self.states[last].free.push(end);
            }
            Some(more) => {
                let mut at = from;
                for _ in 0..more {
                    let start = self.state();
                    self.states[at].free.push(start);
                    at = self.add(node, start);
                    self.states[at].free.push(end);
                }
            }
        }
        end
    }

    /// All states that free moves reach from `seeds`, in order.
    fn closure(&self, seeds: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut seen = vec![false; self.states.len()];
        let mut stack: Vec<usize> = seeds.collect();
        while let Some(state) = stack.pop() {
            if !std::mem::replace(&mut seen[state], true) {
                stack.extend(&self.states[state].free);
            }
        }
        (0..seen.len()).filter(|&state| seen[state]).collect()
    }

    /// Bytes that no transition distinguishes share a class: the class of each byte, and one byte of each class.
    fn byte_classes(&self) -> ([usize; 256], Vec<u8>) {
        let mut sets: Vec<ByteSet> = Vec::new();
        for (set, _) in self.states.iter().filter_map(|state| state.on) {
            if !sets.contains(&set) {
                sets.push(set);
            }
        }
        let (mut classes, mut members, mut known) = ([0; 256], Vec::new(), HashMap::new());
        for byte in 0..=255_u8 {
            let signature: Vec<bool> = sets.iter().map(|set| set.contains(byte)).collect();
            classes[usize::from(byte)] = *known.entry(signature).or_insert_with(|| {
                members.push(byte);
                members.len() - 1
            });
        }
        (classes, members)
    }
}

const DEAD: usize = 0;
const START: usize = 1;

/// A deterministic automaton of one rule.
pub(crate) struct Automaton {
    classes: [usize; 256],
    width: usize,
    /// `next[state * width + class]`; state 0 is dead.
    next: Vec<usize>,
    accepting: Vec<bool>,
}

impl Automaton {
    pub(crate) fn new(grammar: &Grammar, rule: &str) -> Automaton {
        let mut nfa = Nfa { grammar, states: vec![State::default()] };
        let accept = nfa.add(&Node::Rule(rule.to_owned()), 0);
        let (classes, members) = nfa.byte_classes();
        let width = members.len();
        let mut sets = vec![Vec::new(), nfa.closure([0].into_iter())];
        let mut numbers: HashMap<Vec<usize>, usize> = HashMap::from([(sets[0].clone(), DEAD)]);
        numbers.insert(sets[1].clone(), START);
        let mut next = vec![DEAD; width];
        let mut at = START;
        while at < sets.len() {
            for &byte in &members {
                let moves = sets[at].iter().filter_map(|&s| nfa.states[s].on);
                let targets = moves.filter(|(set, _)| set.contains(byte)).map(|(_, target)| target);
                let set = nfa.closure(targets);
                let number = *numbers.entry(set).or_insert_with_key(|set| {
                    sets.push(set.clone());
                    sets.len() - 1
                });
                next.push(number);
            }
            at += 1;
        }
        let accepting = sets.iter().map(|set| set.contains(&accept)).collect();
        Automaton { classes, width, next, accepting }
    }

    fn step(&self, state: usize, byte: u8) -> usize {
        self.next[state * self.width + self.classes[usize::from(byte)]]
    }

    pub(crate) fn matches(&self, text: impl AsRef<[u8]>) -> bool {
        let bytes = text.as_ref().iter();
        self.accepting[bytes.fold(START, |state, &byte| self.step(state, byte))]
    }

    /// Whether `text` matches, and the length of its longest prefix that begins some string of the language.
    pub(crate) fn run(&self, text: &[u8]) -> (bool, usize) {
        let mut state = START;
        for (offset, &byte) in text.iter().enumerate() {
            state = self.step(state, byte);
            if state == DEAD {
                return (false, offset);
            }
        }
        (self.accepting[state], text.len())
    }

    /// Whether every live state can still reach acceptance, which the definition of "viable" assumes.
    pub(crate) fn every_live_state_is_viable(&self) -> bool {
        let mut viable = self.accepting.clone();
        loop {
            let before = viable.iter().filter(|v| **v).count();
            for state in START..viable.len() {
                let row = &self.next[state * self.width..(state + 1) * self.width];
                viable[state] = viable[state] || row.iter().any(|&target| viable[target]);
            }
            if viable.iter().filter(|v| **v).count() == before {
                return viable[START..].iter().all(|v| *v) && !viable[DEAD];
            }
        }
    }
}

#[test]
fn small_languages() {
    let grammar = crate::abnf::read("x = 1*2\"a\" [ \"b\" ] *\"c\" ( \"d\" / 2%x65-66 )\ny = 0<x>");
    let x = Automaton::new(&grammar, "x");
    let table: &[(&str, bool, usize)] = &[
        ("ad", true, 2),
        ("AABCCD", true, 6),
        ("aabccef", true, 7),
        ("aaad", false, 2),
        ("abbd", false, 2),
        ("aade", false, 3),
        ("aae", false, 3),
        ("aaeg", false, 3),
        ("", false, 0),
        ("d", false, 0),
    ];
    for &(text, matches, viable) in table {
        assert_eq!(x.run(text.as_bytes()), (matches, viable), "{text:?}");
    }
    assert!(x.every_live_state_is_viable());
    assert_eq!(Automaton::new(&grammar, "y").run(b"a"), (false, 0));
    assert!(Automaton::new(&grammar, "y").matches(""));
}
