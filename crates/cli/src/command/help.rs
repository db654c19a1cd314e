//! `urimill help`: everything about a command, or the exit codes.

use std::io::{self, Write};

use crate::args::options::Given;
use urimill::error::{Error, Result};
use urimill::option_name::OptionName;
use urimill::run::options::Job;
use urimill::streams::{self, Stream};

/// The arguments of `urimill help`.
pub(crate) type Arguments = Given<{ Job::Help as usize }>;

/// The topic that is no command.
const EXIT_CODES: &str = "exit-codes";

pub(crate) fn run(arguments: &Arguments, command: clap::Command) -> Result<()> {
    streams::check_open(Stream::Output)?;
    let print_error = |error| Error::io("write", "standard output", error);
    let line = match arguments.text(OptionName::Topic) {
        None => vec!["urimill", "--help"],
        Some(EXIT_CODES) => return writeln!(io::stdout(), "{}", crate::exit::HELP).map_err(print_error),
        Some(topic) => {
            let known: Vec<_> = command.get_subcommands().map(clap::Command::get_name).collect();
            if !known.contains(&topic) {
                let known = known.join(", ");
                return Err(Error::usage(format!(
                    "there is no help about {topic:?}: choose from {EXIT_CODES}, {known}"
                )));
            }
            vec!["urimill", topic, "--help"]
        }
    };
    // The help text is how parsing such a line ends.
    let Err(text) = command.try_get_matches_from(line) else { return Ok(()) };
    text.print().and_then(|()| io::stdout().flush()).map_err(print_error)
}
