//! The specification tests: what RFC 3986 says, each claim from a source other than urimill's own code.

mod abnf;
mod addresses;
mod automaton;
mod compare;
mod errata;
mod exhaustive;
mod ladder;
mod mutations;
mod oracle;
mod properties;
mod rejects;
mod relativize;
mod resolve;
mod rfc2396;
mod rfc3986;
mod shared;
mod suites;
mod targets;
