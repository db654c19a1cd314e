//! The program `urimill`: arguments in, an exit code out.
//!
//! A command fills a builder of [`urimill::run`] from its flags, runs it, and reports the result on standard error.
//! Rust programs use the package `urimill`; this library is what the program and the Python package start.

mod args;
mod command;
mod exit;
mod term;

use std::ffi::OsString;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Once;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::args::values::say_refused_threads;
use crate::exit::Exit;
use urimill::error::{Error, ErrorKind, Result};
use urimill::passwords::masked;
use urimill::printable::printable;
use urimill::read::panics_are_errors;
use urimill::simd::Isa;
use urimill::streams::{self, Stream};

/// Turns logs full of URIs into clean columns: splits, validates and normalizes URI references by
/// RFC 3986 and writes Parquet, Arrow, CSV or JSON Lines.
#[derive(Debug, Parser)]
#[command(
    name = "urimill",
    version,
    max_term_width = 100,
    after_help = crate::exit::HELP,
    disable_help_subcommand = true
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Read URI references from lists, logs, web archives or tables, and write a table of them
    ///
    /// The table has a row for each record: its normal form, its components, an error code if it is no URI
    /// reference, and the record's other fields. Inputs may be compressed with gzip, zstd, bzip2 or xz, which
    /// urimill detects by their first bytes. The rows are in the order of the input, or of --sort-by. The
    /// table is one file, or standard output. With -o DIR/, --partition-by or --file-size it is a directory
    /// of files.
    #[command(after_help = format!("{}\n\n{}", crate::command::normalize::EXAMPLES, crate::exit::HELP))]
    Normalize(Box<crate::command::normalize::Arguments>),
    /// Write one row for each distinct normal form, with the number of records that have it
    ///
    /// The rows are in the order of their first records. Every distinct text that is no URI reference has a
    /// row, too. Data that does not fit into memory goes to temporary files.
    #[command(after_help = format!("{}\n\n{}", crate::command::dedupe::EXAMPLES, crate::exit::HELP))]
    Dedupe(crate::command::dedupe::Arguments),
    /// Report the records that are no URI references, and why
    ///
    /// With several specifications (--spec rfc2396,rfc3986): report the records on which they differ, and
    /// how. The exit code is 1 if there was such a record. Inputs may be compressed (gzip, zstd, bzip2, xz).
    /// The reports are in the order of the input.
    #[command(after_help = format!("{}\n\n{}", crate::command::check::EXAMPLES, crate::exit::HELP))]
    Check(crate::command::check::Arguments),
    /// Explain URI references: components, steps of normalization and resolution, warnings, faults
    ///
    /// The exit code is 1 if one of them is no URI reference.
    #[command(after_help = format!("{}\n\n{}", crate::command::explain::EXAMPLES, crate::exit::HELP))]
    Explain(crate::command::explain::Arguments),
    /// Print the targets of references against a base, one a line
    ///
    /// A target is the meaning of a reference relative to the base (RFC 3986, 5.2). A text that is no URI
    /// reference gets an empty line on standard output and a reason on standard error.
    #[command(after_help = format!("{}\n\n{}", crate::command::resolve::EXAMPLES, crate::exit::HELP))]
    Resolve(crate::command::resolve::Arguments),
    /// Print the shortest references that lead from a base to URIs, one a line
    ///
    /// Each reference resolves to its URI, byte by byte. If no shorter reference does, it is the URI itself.
    /// A text that is no URI gets an empty line on standard output and a reason on standard error.
    #[command(after_help = format!("{}\n\n{}", crate::command::relativize::EXAMPLES, crate::exit::HELP))]
    Relativize(crate::command::relativize::Arguments),
    /// Print the first rung on which two URI references are equal
    ///
    /// The rungs are those of RFC 3986, 6.2: identical, case, percent, syntax, scheme; or different. The exit
    /// code is 0 if the two are equal at --level, and 1 if not.
    #[command(after_help = format!("{}\n\n{}", crate::command::compare::EXAMPLES, crate::exit::HELP))]
    Compare(crate::command::compare::Arguments),
    /// Find the URIs in a text, in prose, mail, Markdown or HTML source
    ///
    /// Found are URIs with // after the scheme, those of mailto:, urn:, tel: and a few more, every scheme in
    /// <…>, relative references in <URL:…>, and www.example.com. Delimiters, the punctuation of sentences and
    /// unmatched brackets are not part of a URI; inside <…> line breaks are removed. An IRI is written as the
    /// URI that it maps to, and &amp; in attributes of HTML as &. A text without URIs is no error. Each input is
    /// one text; of web archives what their records hold is searched, and with --uri-field the text of a field.
    /// Inputs may be compressed (gzip, zstd, bzip2, xz).
    #[command(after_help = format!("{}\n\n{}", crate::command::extract::EXAMPLES, crate::exit::HELP))]
    Extract(crate::command::extract::Arguments),
    /// Find the references in pages, and write a table of them, resolved
    ///
    /// Pages are HTML, style sheets, Markdown and XML (sitemaps, feeds, SVG), as files, in web archives (WARC, ARC,
    /// WACZ) and in mail (eml, MHTML, mbox), and what a WAT has of them. The table has a row for each reference: the
    /// URI that it means, its components, the base that it was resolved against and which rule of RFC 3986, 5.1 that
    /// comes from, the element and the attribute in which it stands, its relation and its words. Inputs may be
    /// compressed (gzip, zstd, bzip2, xz).
    #[command(after_help = format!("{}\n\n{}", crate::command::links::EXAMPLES, crate::exit::HELP))]
    Links(Box<crate::command::links::Arguments>),
    /// Make a page of a log: what is in it, what was not read and why, and when it happened
    ///
    /// One pass in bounded memory. The page is one file that needs no network: accounts, rejects by code with
    /// examples, hosts, domains, paths, parameters, status codes, sizes, times, and what crawlers and servers write.
    /// With --state the figures go to a file, and the states of several days add up to one report in moments.
    #[command(after_help = format!("{}\n\n{}", crate::command::report::EXAMPLES, crate::exit::HELP))]
    Report(Box<crate::command::report::Arguments>),
    /// Make the index of web archives that replay tools read
    ///
    /// A line for each record that can be shown: its key (SURT), its time, and in CDXJ or CDX its URL, media type,
    /// status, digest, and where it is in which file. Payloads without a digest are hashed (SHA-1). Archives are WARC
    /// and ARC, compressed record by record or not at all.
    #[command(after_help = format!("{}\n\n{}", crate::command::index::EXAMPLES, crate::exit::HELP))]
    Index(crate::command::index::Arguments),
    /// Look pages up in the index of web archives
    ///
    /// The index is searched by bisection, not read through: a line for each capture, as an object of JSON with its
    /// key and time. The exit code is 1 where there is none.
    #[command(after_help = format!("{}\n\n{}", crate::command::lookup::EXAMPLES, crate::exit::HELP))]
    Lookup(crate::command::lookup::Arguments),
    /// Count the values of a column, or a figure of the report, and show the most frequent with bars
    ///
    /// The lines go to standard output: the sum, its share, a bar, and the text. The memory is bounded: beyond 49,152
    /// distinct texts, counts are within the bounds shown.
    #[command(after_help = format!("{}\n\n{}", crate::command::top::TOP_EXAMPLES, crate::exit::HELP))]
    Top(Box<crate::command::top::TopArguments>),
    /// Show what is in a log, in one screen
    #[command(after_help = format!("{}\n\n{}", crate::command::top::STATS_EXAMPLES, crate::exit::HELP))]
    Stats(Box<crate::command::top::StatsArguments>),
    /// Percent-encode data for a component, one text a line
    ///
    /// Each byte that the component cannot hold becomes a triplet, and each % becomes %25, so that decode
    /// gives the data back (RFC 3986, 2.4). A host takes only UTF-8 (3.2.2): other data gets an empty line on
    /// standard output and a reason on standard error, and the exit code is 1.
    #[command(after_help = format!("{}\n\n{}", crate::command::encode::ENCODE_EXAMPLES, crate::exit::HELP))]
    Encode(crate::command::encode::EncodeArguments),
    /// Decode the triplets of components, one text a line
    ///
    /// The results are bytes: they need not be UTF-8, and may contain line ends (see -z). On a terminal
    /// control characters are shown escaped. A text with a wrong triplet gets an empty line on standard
    /// output and a reason on standard error.
    #[command(after_help = format!("{}\n\n{}", crate::command::encode::DECODE_EXAMPLES, crate::exit::HELP))]
    Decode(crate::command::encode::DecodeArguments),
    /// Print the columns of the table with their types and meaning
    Schema(crate::command::schema::Arguments),
    /// Print the formats that are read and written
    Formats(crate::command::formats::Arguments),
    /// Print everything about a command, or the exit codes
    Help(crate::command::help::Arguments),
    /// Print a completion script for a shell
    Completions(crate::command::generated::CompletionsArguments),
    /// Print the manual page
    Man(crate::command::generated::ManArguments),
}

/// The text after the name in the output of `--version`.
fn long_version() -> String {
    let names = |isas: &mut dyn Iterator<Item = Isa>| isas.map(Isa::as_str).collect::<Vec<_>>().join(" ");
    let available = names(&mut Isa::available());
    let chosen =
        select_kernel().map_or_else(|error| error.to_string(), |()| Isa::chosen().as_str().to_owned());
    let allocator = if cfg!(feature = "mimalloc") { " mimalloc" } else { "" };
    format!(
        "{}\ncommit:   {}\ntarget:   {}\nfeatures: {}{allocator}\nkernels:  {available}\nin use:   {chosen}",
        env!("CARGO_PKG_VERSION"),
        env!("URIMILL_COMMIT"),
        env!("URIMILL_TARGET"),
        urimill::FEATURES.join(" "),
    )
}

fn command() -> clap::Command {
    Arguments::command().long_version(long_version())
}

/// Runs a command line within this process, so that tests can watch its files.
///
/// # Errors
/// Every failure whose exit code is neither 0 nor 1.
#[doc(hidden)]
pub fn run_line(line: &[&str]) -> Result<()> {
    run(parsed(line).map_err(|usage| Error::usage(usage.to_string()))?).map(drop)
}

fn parsed(line: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Result<Arguments, clap::Error> {
    let line: Vec<OsString> = line.into_iter().map(Into::into).collect();
    let matches = command().try_get_matches_from(&line).map_err(|ended| match ended.kind() {
        clap::error::ErrorKind::DisplayHelp => crate::args::help::shown(command(), &line).unwrap_or(ended),
        _ => ended,
    })?;
    Arguments::from_arg_matches(&matches)
}

/// The message about a wrong command line, which quotes parts of the line. An argument may hold a password or control
/// characters: these are masked or escaped, and the changed line is parsed once more for the message.
fn quoting(usage: clap::Error, line: &[OsString]) -> clap::Error {
    let shown = |argument: &OsString| OsString::from(&*printable(&masked(&argument.to_string_lossy())));
    let printed: Vec<OsString> = line.iter().map(shown).collect();
    if !usage.use_stderr() || line == printed {
        return usage;
    }
    match parsed(printed) {
        Err(again) if again.use_stderr() => again,
        // The masked or escaped characters were the fault: the message stays as it is.
        _ => command().error(usage.kind(), printable(&masked(&usage.to_string()))),
    }
}

/// Runs the command line and returns the process's exit code.
pub fn main() -> ExitCode {
    urimill::memory::avoid_huge_pages();
    ExitCode::from(main_with(std::env::args_os()))
}

/// Like [`main`], with these arguments, the first of which is the program's name: for a process that began as another
/// program, such as an interpreter. It also reports failures on standard error, and a signal also ends the process.
pub fn main_with(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    crate::term::signals::outlive_size_limit();
    quiet_caught_panics();
    let line: Vec<OsString> = arguments.into_iter().collect();
    let arguments = match parsed(line.clone()) {
        Ok(arguments) => arguments,
        // Help and version are not errors; they go to standard output.
        Err(usage) => {
            let usage = quoting(usage, &line);
            let is_wrong = usage.use_stderr();
            let printed = match is_wrong {
                true => Ok(()),
                false => streams::check_open(Stream::Output),
            };
            let print = || usage.print().and_then(|()| io::stdout().flush());
            let printed =
                printed.and_then(|()| print().map_err(|e| Error::io("write", "standard output", e)));
            return match printed {
                _ if is_wrong => Exit::Usage as u8,
                Ok(()) => Exit::Done as u8,
                Err(error) => end(&error),
            };
        }
    };
    // A panic is a defect: the panic's own message is followed by a sentence, and the temporary files are removed.
    let ended = catch_unwind(AssertUnwindSafe(|| run(arguments))).unwrap_or_else(|_| Err(panicked()));
    say_refused_threads();
    match ended {
        Ok(exit) => exit as u8,
        Err(error) => end(&error),
    }
}

/// Uses the kernel that the environment variable `URIMILL_ISA` names, if it is set.
///
/// # Errors
/// `Usage` if this machine has no such kernel, or another one is in use already.
pub fn select_kernel() -> Result<()> {
    match std::env::var("URIMILL_ISA") {
        Ok(name) if !name.is_empty() => {
            Isa::select(&name).map_err(|error| Error::usage(format!("URIMILL_ISA={name}: {error}")))
        }
        _ => Ok(()),
    }
}

/// Hides panics that become errors about damaged data from standard error.
pub fn quiet_caught_panics() {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !panics_are_errors() {
                others(panic);
            }
        }));
    });
}

fn panicked() -> Error {
    Error::new(
        ErrorKind::Internal,
        "the program panicked: this is a defect of urimill, please report it; nothing was published",
    )
}

/// Reports a failure and returns its exit code. A closed pipe is not reported, nor a failure that a signal caused.
fn end(error: &Error) -> u8 {
    crate::term::signals::wait_where_one_ends_the_process();
    let exit = Exit::of(error);
    if exit != Exit::Done {
        crate::term::stderr::say_whole(&crate::args::flags::sentence(error));
        if let Some((text, at)) = error.marked() {
            let crate::term::marked::Marked { line, caret } =
                crate::term::marked::mark(masked(text).as_bytes(), at);
            crate::term::stderr::say(&format!("  {line}\n  {:caret$}^\n", ""));
        }
    }
    exit as u8
}

fn run(arguments: Arguments) -> Result<Exit> {
    select_kernel()?;
    match arguments.command {
        Command::Normalize(arguments) => crate::command::normalize::run(&arguments)?,
        Command::Dedupe(arguments) => crate::command::dedupe::run(&arguments)?,
        Command::Check(arguments) => return crate::command::check::run(&arguments),
        Command::Explain(arguments) => return crate::command::explain::run(&arguments),
        Command::Resolve(arguments) => return crate::command::resolve::run(&arguments),
        Command::Relativize(arguments) => return crate::command::relativize::run(&arguments),
        Command::Compare(arguments) => return crate::command::compare::run(&arguments),
        Command::Extract(arguments) => crate::command::extract::run(&arguments)?,
        Command::Links(arguments) => crate::command::links::run(&arguments)?,
        Command::Report(arguments) => crate::command::report::run(&arguments)?,
        Command::Index(arguments) => crate::command::index::run(&arguments)?,
        Command::Lookup(arguments) => return crate::command::lookup::run(&arguments),
        Command::Top(arguments) => crate::command::top::run_top(&arguments)?,
        Command::Stats(arguments) => crate::command::top::run_stats(&arguments)?,
        Command::Encode(arguments) => return crate::command::encode::run_encode(&arguments),
        Command::Decode(arguments) => return crate::command::encode::run_decode(&arguments),
        Command::Schema(arguments) => crate::command::schema::run(&arguments)?,
        Command::Formats(arguments) => crate::command::formats::run(&arguments)?,
        Command::Help(arguments) => crate::command::help::run(&arguments, command())?,
        Command::Completions(arguments) => crate::command::generated::completions(&arguments, command())?,
        Command::Man(arguments) => crate::command::generated::man(&arguments, command())?,
    }
    Ok(Exit::Done)
}
