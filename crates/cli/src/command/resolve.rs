//! `urimill resolve`: what references mean where a base stands, one target per line.

use std::ffi::OsString;

use clap::Args;

use super::texts::{exit, say_unanswered, texts};
use crate::args::values::{levels, standards};
use crate::exit::Exit;
use crate::term::stderr::say_sentence;
use urimill::Standard;
use urimill::error::Result;
use urimill::grammar::Spec;
use urimill::normalize::Level;
use urimill::resolve::Mode;
use urimill::run::Resolve;

/// What `--help` ends with.
pub(crate) const EXAMPLES: &str = "\
Examples:
  urimill resolve --base http://example.com/a/b ../c '?x' '#y'
      http://example.com/c, http://example.com/a/b?x and http://example.com/a/b#y
  urimill resolve --base http://example.com/a/b < refs.txt | paste - refs.txt
      each target beside its reference
  urimill resolve --base http://example.com/a/b -- -x.html
      a reference that begins with a hyphen";

/// The arguments of `urimill resolve`; their comments are the help text.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// References [default: the lines of standard input, where an empty line is the empty reference]
    #[arg(value_name = "REF")]
    references: Vec<OsString>,

    /// The URI against which they are resolved; its fragment is ignored
    #[arg(long, value_name = "URI")]
    base: OsString,

    /// Ignore the scheme of a reference if it is the base's: http:g is g (RFC 3986, 5.2.2)
    #[arg(long)]
    compat: bool,

    /// The normal form of the targets; none is the target of RFC 3986, 5.2. From level percent on %2E is a
    /// dot when dot segments are removed
    #[arg(long, value_name = "LEVEL", default_value = "none", value_parser = levels())]
    level: Level,

    /// Repair texts that are no URI references as browsers do: white space, delimiters around them,
    /// characters that need encoding
    #[arg(long)]
    repair: bool,

    /// The specification that decides what is valid, and what a reference means
    #[arg(long, value_name = "SPEC", default_value = "rfc3986", value_parser = standards())]
    spec: Standard,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit> {
    let stats = Resolve::against(&arguments.base)
        .spec(arguments.spec)
        .mode(if arguments.compat { Mode::Compatible } else { Mode::Strict })
        .level(arguments.level)
        .repair(arguments.repair)
        .texts(texts(&arguments.references))
        .run(say_unanswered)?;
    if stats.unsuitable_base > 0 {
        let section =
            if arguments.spec == Standard::Rfc(Spec::Rfc2396) { "RFC 2396, 5" } else { "RFC 3986, 1.2.3" };
        say_sentence(&format!(
            "the base \"{}\" is not hierarchical, so nothing can be relative to it ({section}): the targets are still \
             those of the algorithm",
            arguments.base.display()
        ));
    }
    Ok(exit(stats.texts))
}
