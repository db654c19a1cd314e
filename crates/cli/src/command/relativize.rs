//! `urimill relativize`: the shortest references that lead from a base to URIs, one a line.

use super::texts::{exit, say_unanswered};
use crate::args::options::Given;
use crate::exit::Exit;
use urimill::error::Result;
use urimill::option_name::OptionName;
use urimill::run::Relativize;
use urimill::run::options::Job;

/// The text after the options in `--help`.
pub(crate) const EXAMPLES: &str = "\
Examples:
  urimill relativize --base http://example.com/a/b http://example.com/c https://example.com/
      /c and https://example.com/
  urimill relativize --base http://example.com/a/b < urls.txt | urimill resolve --base http://example.com/a/b
      urls.txt again, if it has no blank lines";

/// The arguments of `urimill relativize`.
pub(crate) type Arguments = Given<{ Job::Relativize as usize }>;

pub(crate) fn run(arguments: &Arguments) -> Result<Exit> {
    Relativize::against(arguments.raw(OptionName::Base).unwrap_or_default())
        .spec(arguments.parsed(OptionName::Spec).unwrap_or_default())
        .texts(arguments.answered())
        .run(say_unanswered)
        .map(exit)
}
