//! `urimill check`: which records are not URI references, or on which of them specifications differ.

mod json;
mod text;

use std::ffi::OsString;
use std::io::{self, Write};

use clap::{Args, ValueEnum};
use indicatif::HumanCount;

use crate::args::damage::Damaged;
use crate::args::input::Reading;
use crate::args::values::{bytes, levels, say_threads, standards, starts};
use crate::exit::Exit;
use crate::term::colour::{Paint, When};
use crate::term::damage;
use crate::term::progress::{Bar, When as Progress};
use crate::term::stderr::say_sentence;
use urimill::Standard;
use urimill::error::{Error, Result};
use urimill::normalize::Level;
use urimill::run::{Check, CheckStats, Finding, FindingKind, RunProgress};
use urimill::streams::{self, Stream};
use urimill::uri::Start;

/// What `--help` ends with.
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

/// The arguments of `urimill check`; their comments are the help text.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Files, patterns such as 'logs/*.gz', or - for standard input, which is the default
    #[arg(value_name = "INPUT")]
    inputs: Vec<OsString>,

    #[command(flatten)]
    reading: Reading,

    /// The field that holds the base of the URI reference, named as for --uri-field: a record whose base is no
    /// absolute URI is reported
    #[arg(long, value_name = "FIELD", allow_hyphen_values = true)]
    base_field: Option<String>,

    /// The specification that decides what is valid; of several, separated by commas, the differences are
    /// reported
    #[arg(
        long = "spec", value_name = "SPEC", value_delimiter = ',', default_value = "rfc3986",
        value_parser = standards(),
    )]
    specs: Vec<Standard>,

    /// What every record must be: any reference, a URI (with a scheme), or an absolute URI (with a scheme,
    /// without a fragment)
    #[arg(long, value_name = "FORM", default_value = "reference", value_parser = starts())]
    require: Start,

    /// Read records that were made harmless as what they were: hxxps://www[.]example[.]com
    #[arg(long)]
    refang: bool,

    /// With several specifications: resolve the records against this URI, and compare the targets too
    #[arg(long, value_name = "URI")]
    base: Option<String>,

    /// With several specifications: the normal form to compare [default: scheme]
    #[arg(long, value_name = "LEVEL", value_parser = levels())]
    level: Option<Level>,

    /// Format of the reports
    #[arg(long = "to", value_enum, value_name = "FORM", default_value_t = Form::Text)]
    form: Form,

    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = When::Auto, hide_possible_values = false)]
    color: When,

    /// Number of threads [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// The longest record in bytes; longer records are rejected. K, M and G stand for 1024, 1024², 1024³
    #[arg(long, value_name = "BYTES", default_value = "1M", value_parser = bytes)]
    max_record: u64,

    /// Show passwords in the reports, which otherwise have *** in their place
    #[arg(long)]
    show_passwords: bool,

    #[command(flatten)]
    damaged: Damaged,

    /// When to show a progress bar; auto: on a terminal that does not show the reports, too
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Progress::Auto, hide_possible_values = false)]
    progress: Progress,

    /// Do not print the summary on standard error
    #[arg(short, long)]
    quiet: bool,

    /// How much is read at once
    #[arg(long, value_name = "BYTES", default_value = "1M", value_parser = bytes, hide = true)]
    chunk: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Lines for people and editors: FILE:RECORD:COLUMN: CODE: SENTENCE, then the record and a caret
    Text,
    /// One JSON object a line and record
    Jsonl,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit> {
    let progress = RunProgress::default();
    let check = arguments.check().progress(&progress);
    check.validate()?;
    streams::check_open(Stream::Output)?;
    let (form, paint) = (arguments.form, Paint::new(arguments.color));
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
    let check = check.prepare()?;
    say_threads(check.threads());
    let bar = Bar::start(arguments.progress.beside_results(), &progress);
    let checked = check.run(render, |page| io::stdout().write_all(page).map_err(cannot_write));
    drop(bar);
    let stats = checked?;
    io::stdout().flush().map_err(cannot_write)?;
    if !arguments.quiet {
        if stats.is_detected {
            arguments.reading.say_format(stats.input_format, stats.unwraps);
        }
        say_sentence(&summary(arguments.specs.len(), &stats));
    }
    damage::tell(&stats.damaged)?;
    Ok(if stats.found > 0 { Exit::Invalid } else { Exit::Done })
}

fn cannot_write(error: io::Error) -> Error {
    Error::io("write", "standard output", error)
}

fn summary(specs: usize, stats: &CheckStats) -> String {
    let count =
        |n: u64, one: &str, more: &str| format!("{} {}", HumanCount(n), if n == 1 { one } else { more });
    let records = count(stats.records, "record", "records");
    match specs {
        1 => format!("{records}, {}", count(stats.found, "reject", "rejects")),
        _ => format!("{records}, {}", count(stats.found, "differs", "differ")),
    }
}

impl Arguments {
    fn check(&self) -> Check {
        let mut check = Check::new()
            .inputs(&self.inputs)
            .read_as(match &self.base_field {
                Some(field) => self.reading.options().base_field(field),
                None => self.reading.options(),
            })
            .on_damage(self.damaged.choice())
            .spec(self.specs.iter().copied())
            .require(self.require)
            .max_record(self.max_record as usize)
            .chunk(self.chunk as usize)
            .show_passwords(self.show_passwords)
            .refang(self.refang);
        if let Some(base) = &self.base {
            check = check.base(base);
        }
        if let Some(level) = self.level {
            check = check.level(level);
        }
        match self.threads {
            Some(threads) => check.threads(threads.into()),
            None => check,
        }
    }
}
