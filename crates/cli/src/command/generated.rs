//! What the arguments' definition gives for free: completion scripts and the manual page.

use std::io::{self, Write};

use clap::Args;
use clap_complete::Shell;

use urimill::error::{Error, Result};
use urimill::streams::{self, Stream};

#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell to write the script for
    shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// The subcommand whose page to print
    subcommand: Option<String>,
}

pub(crate) fn completions(arguments: &CompletionsArguments, mut command: clap::Command) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "urimill", &mut script);
    print(&script)
}

pub(crate) fn man(arguments: &ManArguments, mut command: clap::Command) -> Result<()> {
    command.build();
    let page = match &arguments.subcommand {
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
