//! The specification tests: what RFC 3986 says, each claim from a source other than urimill's own code.

mod abnf;
mod automaton;
mod exhaustive;
mod mutations;
mod oracle;
mod shared;
