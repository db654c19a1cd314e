//! `urimill relativize`: the way back from URIs to the shortest references, one a line.

use std::ffi::OsString;

use clap::Args;

use super::texts::{exit, say_unanswered, texts};
use crate::args::values::specs;
use crate::exit::Exit;
use urimill::error::Result;
use urimill::grammar::Spec;
use urimill::run::Relativize;

/// What `--help` ends with.
pub(crate) const EXAMPLES: &str = "\
Examples:
  urimill relativize --base http://example.com/a/b http://example.com/c https://example.com/
      /c and https://example.com/
  urimill relativize --base http://example.com/a/b < urls.txt | urimill resolve --base http://example.com/a/b
      urls.txt again, if it has no blank lines";

/// The arguments of `urimill relativize`; their comments are the help text.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// URIs [default: the lines of standard input, where blank lines stay blank]
    #[arg(value_name = "URI")]
    targets: Vec<OsString>,

    /// The URI against which the references will be resolved
    #[arg(long, value_name = "URI")]
    base: OsString,

    /// The specification that decides what is valid, and what a reference means
    #[arg(long, value_name = "SPEC", default_value = "rfc3986", value_parser = specs())]
    spec: Spec,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit> {
    Relativize::against(&arguments.base)
        .spec(arguments.spec)
        .texts(texts(&arguments.targets))
        .run(say_unanswered)
        .map(exit)
}
