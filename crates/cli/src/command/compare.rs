//! `urimill compare`: on which rung of the ladder two references are the same.

use std::ffi::OsString;

use clap::Args;

use crate::args::values::{levels, specs};
use crate::exit::Exit;
use urimill::compare::{CompareOptions, compare_targets_with, compare_with};
use urimill::error::{Error, Result};
use urimill::grammar::Spec;
use urimill::normalize::Level;
use urimill::resolve::{Mode, parse_base};
use urimill::uri::UriRef;
use urimill::write::Target;

/// What `--help` ends with.
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

/// The arguments of `urimill compare`; their comments are the help text.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A URI reference
    #[arg(value_name = "A")]
    a: OsString,

    /// Another one
    #[arg(value_name = "B")]
    b: OsString,

    /// Resolve both against URI before the comparison [default: compare them as written]
    #[arg(long, value_name = "URI")]
    base: Option<OsString>,

    /// Ignore fragments, to compare what would be fetched (RFC 3986, 6.1)
    #[arg(long)]
    ignore_fragments: bool,

    /// Refuse relative references, which have no meaning without a base (RFC 3986, 6.1): give --base for them
    #[arg(long)]
    absolute_only: bool,

    /// The highest rung that counts as equal; none is identical
    #[arg(long, value_name = "LEVEL", default_value = "scheme", value_parser = levels())]
    level: Level,

    /// The specification that decides what is valid, and equal
    #[arg(long, value_name = "SPEC", default_value = "rfc3986", value_parser = specs())]
    spec: Spec,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit> {
    let spec = arguments.spec;
    let base = arguments.base.as_ref().map(|base| parse_base(base.as_encoded_bytes(), spec)).transpose()?;
    let a = argument("A", &arguments.a, spec)?;
    let b = argument("B", &arguments.b, spec)?;
    let options = CompareOptions::new()
        .ignore_fragments(arguments.ignore_fragments)
        .absolute_only(arguments.absolute_only);
    let rung = match base {
        None => compare_with(&a, &b, options)?,
        Some(base) => compare_targets_with(&base, &a, &b, Mode::Strict, options)
            .map_err(|error| Error::usage(error.to_string()))?,
    };
    let mut out = Target::stdout()?;
    out.append(format!("{rung}\n").as_bytes())?;
    out.settle()?;
    Ok(if rung.is_equal_at(arguments.level) { Exit::Done } else { Exit::Invalid })
}

/// The URI reference that `text` is by `spec`; otherwise a sentence about `what`, for the caller's mistake.
fn argument<'a>(what: &str, text: &'a OsString, spec: Spec) -> Result<UriRef<'a>> {
    UriRef::parse_as(text.as_encoded_bytes(), spec).map_err(|reject| {
        let text = text.to_string_lossy();
        Error::usage(format!("{what} \"{text}\" is no URI reference by {spec}: {reject}"))
    })
}
