//! `urimill relativize`: the way back from URIs to the shortest references, one a line.

use std::ffi::OsString;

use clap::Args;

use super::texts;
use super::texts::{End, answer_each};
use crate::args::values::specs;
use crate::exit::Exit;
use urimill::error::Result;
use urimill::grammar::Spec;
use urimill::resolve::relativize;
use urimill::uri::UriRef;

/// What `--help` ends with.
pub(crate) const EXAMPLES: &str = "\
Examples:
  urimill relativize --base http://example.com/a/b http://example.com/c https://example.com/
      ../c and https://example.com/
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
    let base = texts::base(&arguments.base, arguments.spec)?;
    let reads_lines = arguments.targets.is_empty();
    answer_each(&arguments.targets, End::Line, |text, out| {
        if reads_lines && text.is_empty() {
            return Ok(());
        }
        let target = UriRef::parse_as(text, arguments.spec).map_err(|reject| reject.to_string())?;
        let reference = relativize(&base, &target).map_err(|error| error.sentence().to_owned())?;
        out.extend_from_slice(reference.as_bytes());
        Ok(())
    })
}
