//! `urimill check`: reports the records that are not URI references, or on which specifications differ.

mod json;
mod text;

use std::io::{self, Write};

use clap::ValueEnum;
use indicatif::HumanCount;

use crate::args::options::Given;
use crate::args::values::say_threads;
use crate::exit::Exit;
use crate::term::colour::Paint;
use crate::term::damage;
use crate::term::progress::Bar;
use crate::term::stderr::say_sentence;
use urimill::error::{Error, Result};
use urimill::option_name::OptionName;
use urimill::run::options::Job;
use urimill::run::{Check, Finding, FindingKind, RunProgress, Stats};
use urimill::streams::{self, Stream};

/// The text after the options in `--help`.
pub(crate) const EXAMPLES: &str = "\
Examples:
  urimill check urls.txt.gz
      every record that is no URI reference: its position, the reason, and a caret under the byte
  urimill check 'logs/*.gz' --to jsonl --quiet > rejects.jsonl
      the same for programs, of the logs of a server
  urimill check links.parquet --uri-field href
      the same of a column of a table
  urimill check --require absolute-uri seeds.txt
      relative references too, and URIs with a fragment
  urimill check --spec rfc2396,rfc3986 archive.txt
      the records on which RFC 2396 and RFC 3986 differ, and how";

/// The arguments of `urimill check`.
pub(crate) type Arguments = Given<{ Job::Check as usize }>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Lines for people and editors: FILE:RECORD:COLUMN: CODE: SENTENCE, then the record and a caret
    Text,
    /// One JSON object a line and record
    Jsonl,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit> {
    let progress = RunProgress::default();
    let check = arguments.fill(Check::new())?.progress(&progress);
    check.validate()?;
    streams::check_open(Stream::Output)?;
    let form: Form = arguments.shown(OptionName::OutputFormat);
    let paint = Paint::new(arguments.shown(OptionName::Color));
    let render = |finding: &Finding<'_>, page: &mut Vec<u8>| match (&finding.kind, form) {
        (FindingKind::Reject(fault), Form::Text) => text::reject(page, finding, fault, paint),
        (FindingKind::Reject(fault), Form::Jsonl) => json::reject(page, finding, fault),
        (FindingKind::Differences(specs, differences), Form::Text) => {
            text::differences(page, finding, specs, differences, paint);
        }
        (FindingKind::Differences(specs, differences), Form::Jsonl) => {
            json::differences(page, finding, specs, differences);
        }
    };
    let check = check.prepare(render, |page| io::stdout().write_all(page).map_err(cannot_write))?;
    say_threads(check.threads());
    let bar = Bar::start(arguments.bar().beside_results(), &progress);
    let checked = check.run();
    drop(bar);
    let stats = checked?;
    io::stdout().flush().map_err(cannot_write)?;
    if !arguments.is_on(OptionName::Quiet) {
        arguments.say_guess(&progress);
        if stats.is_detected {
            arguments.say_format(stats.input_format, &stats.wrappers);
        }
        say_sentence(&summary(arguments.each(OptionName::Spec).count(), &stats));
    }
    damage::tell(&stats.damaged)?;
    Ok(if stats.found > 0 { Exit::Invalid } else { Exit::Done })
}

fn cannot_write(error: io::Error) -> Error {
    Error::io("write", "standard output", error)
}

fn summary(specs: usize, stats: &Stats) -> String {
    let count =
        |n: u64, one: &str, more: &str| format!("{} {}", HumanCount(n), if n == 1 { one } else { more });
    let records = count(stats.records, "record", "records");
    match specs {
        1 => format!("{records}, {}", count(stats.found, "reject", "rejects")),
        _ => format!("{records}, {}", count(stats.found, "differs", "differ")),
    }
}
