//! `urimill resolve`: the targets of references against a base, one a line.

use super::texts::{exit, say_unanswered};
use crate::args::options::Given;
use crate::exit::Exit;
use crate::term::stderr::say_sentence;
use urimill::Standard;
use urimill::error::Result;
use urimill::grammar::Spec;
use urimill::normalize::Level;
use urimill::option_name::OptionName;
use urimill::run::Resolve;
use urimill::run::options::Job;

/// The text after the options in `--help`.
pub(crate) const EXAMPLES: &str = "\
Examples:
  urimill resolve --base http://example.com/a/b ../c '?x' '#y'
      http://example.com/c, http://example.com/a/b?x and http://example.com/a/b#y
  urimill resolve --base http://example.com/a/b < refs.txt | paste - refs.txt
      each target beside its reference
  urimill resolve --base http://example.com/a/b -- -x.html
      a reference that begins with a hyphen";

/// The arguments of `urimill resolve`.
pub(crate) type Arguments = Given<{ Job::Resolve as usize }>;

pub(crate) fn run(arguments: &Arguments) -> Result<Exit> {
    let base = arguments.raw(OptionName::Base).unwrap_or_default();
    let standard: Standard = arguments.parsed(OptionName::Spec).unwrap_or_default();
    let stats = Resolve::against(base)
        .spec(standard)
        .mode(arguments.mode())
        .level(arguments.parsed(OptionName::Level).unwrap_or(Level::None))
        .repair(arguments.is_on(OptionName::Repair))
        .texts(arguments.answered())
        .run(say_unanswered)?;
    if stats.unsuitable_base > 0 {
        let section =
            if standard == Standard::Rfc(Spec::Rfc2396) { "RFC 2396, 5" } else { "RFC 3986, 1.2.3" };
        say_sentence(&format!(
            "the base \"{}\" is not hierarchical, so nothing can be relative to it ({section}): the targets are still \
             those of the algorithm",
            base.display()
        ));
    }
    Ok(exit(stats.texts))
}
