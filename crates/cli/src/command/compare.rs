//! `urimill compare`: the rung of the ladder on which two references are equal.

use std::ffi::OsStr;

use crate::args::options::Given;
use crate::exit::Exit;
use urimill::compare::{CompareOptions, compare_targets_with, compare_with};
use urimill::error::{Error, Result};
use urimill::grammar::Spec;
use urimill::normalize::Level;
use urimill::option_name::OptionName;
use urimill::resolve::{Mode, parse_base};
use urimill::run::options::Job;
use urimill::uri::UriRef;
use urimill::write::Target;

/// The text after the options in `--help`.
pub(crate) const EXAMPLES: &str = "\
Examples:
  urimill compare http://example.com/%7Ea HTTP://example.com/~a
      prints percent
  urimill compare --base http://example.com/a/b ../c /c
      prints identical: both are http://example.com/c
  urimill compare --ignore-fragments http://example.com/#a http://example.com/#b
      prints identical
  urimill compare --level syntax http://example.com http://example.com:80/
      prints scheme, and the exit code is 1";

/// The arguments of `urimill compare`.
pub(crate) type Arguments = Given<{ Job::Compare as usize }>;

pub(crate) fn run(arguments: &Arguments) -> Result<Exit> {
    let spec = arguments.parsed(OptionName::Spec).unwrap_or_default();
    let level: Level = arguments.parsed(OptionName::Level).unwrap_or_default();
    let base = arguments.raw(OptionName::Base);
    let base = base.map(|base| parse_base(base.as_encoded_bytes(), spec)).transpose()?;
    let a = argument("A", arguments.raw(OptionName::A), spec)?;
    let b = argument("B", arguments.raw(OptionName::B), spec)?;
    let options = CompareOptions::new()
        .ignore_fragments(arguments.is_on(OptionName::IgnoreFragments))
        .absolute_only(arguments.is_on(OptionName::AbsoluteOnly));
    let rung = match base {
        None => compare_with(&a, &b, options)?,
        Some(base) => compare_targets_with(&base, &a, &b, Mode::Strict, options)
            .map_err(|error| Error::usage(error.to_string()))?,
    };
    let mut out = Target::stdout()?;
    out.append(format!("{rung}\n").as_bytes())?;
    out.settle()?;
    Ok(if rung.is_equal_at(level) { Exit::Done } else { Exit::Invalid })
}

/// Parses `text` by `spec`. The error is one of usage and names the argument `what`.
fn argument<'a>(what: &str, text: Option<&'a OsStr>, spec: Spec) -> Result<UriRef<'a>> {
    let text = text.unwrap_or_default();
    UriRef::parse_as(text.as_encoded_bytes(), spec).map_err(|reject| {
        let text = text.to_string_lossy();
        Error::usage(format!("{what} \"{text}\" is no URI reference by {spec}: {reject}"))
    })
}
