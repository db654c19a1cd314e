//! The command line: arguments in, an exit code out. The last room: it starts everything and is
//! started by nobody.

mod exit;
mod generated;
mod normalize;
mod progress;
mod schema;
mod signals;
mod summary;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::error::Result;
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
    /// Read URI references, one a line, and write a table of them
    Normalize(normalize::Arguments),
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
            let _ = usage.print();
            return if usage.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() };
        }
    };
    match run(arguments) {
        Ok(()) => Exit::Done.into(),
        Err(error) => {
            let exit = Exit::of(&error);
            if exit != Exit::Done {
                eprintln!("urimill: {error}");
            }
            exit.into()
        }
    }
}

fn run(arguments: Arguments) -> Result<()> {
    Isa::chosen()?;
    match arguments.command {
        Command::Normalize(arguments) => normalize::run(arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Completions(arguments) => generated::completions(&arguments, command()),
        Command::Man(arguments) => generated::man(&arguments, command()),
    }
}
