//! The command line: arguments in, an exit code out. The last room: it starts everything and is
//! started by nobody.

mod exit;
mod generated;
mod normalize;
mod progress;
mod reading;
mod schema;
mod signals;
mod stderr;
mod summary;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::error::{Error, Result};
use crate::simd::Isa;
use exit::Exit;

/// Turns logs full of URIs into clean columns: splits, validates and normalizes URI references by
/// RFC 3986 and writes Parquet, Arrow, CSV or JSON Lines.
#[derive(Debug, Parser)]
#[command(name = "urimill", version, max_term_width = 100, after_help = exit::HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Read URI references, one a line or one a row of CSV or TSV, and write a table of them
    ///
    /// The table has a row for each record: its normal form, its components, and what is wrong with it
    /// if it is no URI reference. Inputs may be compressed (gzip, zstd, bzip2, xz); their first
    /// bytes tell. The rows are in the order of the input.
    #[command(after_help = format!("{}\n\n{}", normalize::EXAMPLES, exit::HELP))]
    Normalize(Box<normalize::Arguments>),
    /// Print the columns of the table with their types and meaning
    Schema(schema::Arguments),
    /// Print a completion script for a shell
    Completions(generated::CompletionsArguments),
    /// Print the manual page
    Man(generated::ManArguments),
}

/// What `--version` prints behind the name.
fn long_version() -> String {
    let names = |isas: &mut dyn Iterator<Item = Isa>| isas.map(Isa::as_str).collect::<Vec<_>>().join(" ");
    let available = names(&mut Isa::available());
    let chosen = Isa::chosen().map_or_else(|error| error.to_string(), |isa| isa.as_str().to_owned());
    format!("{}\nkernels: {available}\nin use:  {chosen}", env!("CARGO_PKG_VERSION"))
}

fn command() -> clap::Command {
    Arguments::command().long_version(long_version())
}

/// Runs the command line and answers the process's exit code.
pub fn main() -> ExitCode {
    let arguments = match command().try_get_matches().and_then(|m| Arguments::from_arg_matches(&m)) {
        Ok(arguments) => arguments,
        // Help and version are no errors; they go to standard output.
        Err(usage) => {
            let printed = usage.print().and_then(|()| io::stdout().flush());
            return match printed {
                _ if usage.use_stderr() => Exit::Usage.into(),
                Ok(()) => Exit::Done.into(),
                Err(error) => end(&Error::io("write", "standard output", error)),
            };
        }
    };
    match run(arguments) {
        Ok(()) => Exit::Done.into(),
        Err(error) => end(&error),
    }
}

/// Says what went wrong, unless it is not worth a word.
fn end(error: &Error) -> ExitCode {
    let exit = Exit::of(error);
    if exit != Exit::Done {
        stderr::say_sentence(&error.to_string());
    }
    exit.into()
}

fn run(arguments: Arguments) -> Result<()> {
    Isa::chosen()?;
    match arguments.command {
        Command::Normalize(arguments) => normalize::run(*arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Completions(arguments) => generated::completions(&arguments, command()),
        Command::Man(arguments) => generated::man(&arguments, command()),
    }
}
