//! The specification tests: the claims of RFC 3986, each from a source other than urimill's own code.

mod abnf;
mod addresses;
mod automaton;
mod canonical;
mod changes;
mod compare;
mod conformance;
mod differ;
mod domain;
mod encode;
mod equivalence;
mod errata;
mod exhaustive;
mod extract;
mod hostile;
mod ladder;
mod marks;
mod mutations;
mod oracle;
mod properties;
mod rejects;
mod relativize;
mod resolve;
mod rfc2396;
mod rfc3986;
mod rules;
mod rungs;
mod suffix;
mod suffix_list;
mod suites;
mod targets;

use urimill_testkit::{agreement, letter, meaning, section_5_4, shared};
