//! Completion scripts and the manual page, which are generated from the definition of the arguments.

use std::io::{self, Write};

use clap_complete::Shell;

use crate::args::options::Given;
use urimill::error::{Error, Result};
use urimill::option_name::OptionName;
use urimill::run::options::Job;
use urimill::streams::{self, Stream};

/// The arguments of `urimill completions`.
pub(crate) type CompletionsArguments = Given<{ Job::Completions as usize }>;
/// The arguments of `urimill man`.
pub(crate) type ManArguments = Given<{ Job::Man as usize }>;

pub(crate) fn completions(arguments: &CompletionsArguments, mut command: clap::Command) -> Result<()> {
    let mut script = Vec::new();
    let shell: Shell = arguments.shown(OptionName::Shell);
    clap_complete::generate(shell, &mut command, "urimill", &mut script);
    print(&script)
}

pub(crate) fn man(arguments: &ManArguments, mut command: clap::Command) -> Result<()> {
    command.build();
    let page = match arguments.text(OptionName::Subcommand) {
        None => command,
        Some(name) => {
            let known: Vec<_> = command.get_subcommands().map(|c| c.get_name().to_owned()).collect();
            let found = command.find_subcommand(name).cloned();
            found.ok_or_else(|| {
                Error::usage(format!("there is no subcommand {name:?}: choose from {}", known.join(", ")))
            })?
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text).map_err(print_error)?;
    print(&text)
}

fn print(text: &[u8]) -> Result<()> {
    streams::check_open(Stream::Output)?;
    io::stdout().write_all(text).map_err(print_error)
}

fn print_error(error: io::Error) -> Error {
    Error::io("write", "standard output", error)
}
