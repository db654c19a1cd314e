//! `urimill top` and `urimill stats`: figures of a log in the terminal.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::slice;
use std::time::{Duration, SystemTime};

use clap::Args;
use indicatif::{HumanBytes, HumanCount};
use unicode_width::UnicodeWidthChar;

use super::report::{Memory, Records, twice};
use crate::term::count::count;
use crate::term::damage;
use crate::term::progress::{Bar, When};
use crate::term::signals;
use crate::term::stderr::{printable, say, say_sentence, say_whole};
use urimill::error::{Error, ErrorKind, Result};
use urimill::read::{Source, expand};
use urimill::report::{Condition, Counted, Figure, State, Unit};
use urimill::run::{Report, RunProgress, Top, refuse_stdout_as_input};
use urimill::streams;
use urimill::streams::Stream;

/// What `--help` of `top` ends with.
pub(crate) const TOP_EXAMPLES: &str = "\
Examples:
  urimill top access.log --by path --where status=404
      the paths that are asked for and are not there
  urimill top crawl.log --by host_time
      the hosts that take the crawler's time
  urimill top access.log --by status --watch 2
      status codes, counted again every two seconds while the file grows
  urimill top list.txt --by code
      why records are no URI references
  urimill top 'days/*.state' --by registered_domain -n 50
      of states that urimill report has written";

/// What `--help` of `stats` ends with.
pub(crate) const STATS_EXAMPLES: &str = "\
Examples:
  urimill stats access.log.gz
      what is in a log, in one screen
  urimill stats 'days/*.state'
      what is in all days";

/// The arguments of `urimill top`; their comments are the help text.
#[derive(Debug, Args)]
pub(crate) struct TopArguments {
    /// Files, patterns such as 'logs/*.gz', or - for standard input, which is the default; or states, all of them
    #[arg(value_name = "INPUT")]
    inputs: Vec<OsString>,

    /// What is counted: a figure of the report (host, registered_domain, template, trap, param, flags, path, agent,
    /// robot, os, …), code for the codes of rejects, or a column of the table or of the log
    #[arg(long, value_name = "NAME")]
    by: String,

    /// Count only records whose column has this value: column=value, or column!=value. An empty value stands for null.
    /// Several of these must all fit
    #[arg(long = "where", value_name = "CONDITION")]
    conditions: Vec<Condition>,

    /// How many lines to show
    #[arg(short, long, value_name = "N", default_value_t = 20)]
    number: u32,

    /// Count again after so many seconds, as long as the inputs change; all of each input is read then
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "2", value_parser = clap::value_parser!(u32).range(1..))]
    watch: Option<u32>,

    /// Count an input twice that is there twice; and add up states that hold the same input, whose records count twice
    /// then, or that were made with other options
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    records: Records,

    #[command(flatten)]
    memory: Memory,

    #[command(flatten)]
    reading: ReadingThreads,
}

/// The arguments of `urimill stats`; their comments are the help text.
#[derive(Debug, Args)]
pub(crate) struct StatsArguments {
    /// Files, patterns such as 'logs/*.gz', or - for standard input, which is the default; or states, all of them
    #[arg(value_name = "INPUT")]
    inputs: Vec<OsString>,

    /// Count an input twice that is there twice; and add up states that hold the same input, whose records count twice
    /// then, or that were made with other options
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    records: Records,

    #[command(flatten)]
    memory: Memory,

    #[command(flatten)]
    reading: ReadingThreads,
}

/// How a command that writes to the terminal runs.
#[derive(Debug, Args)]
struct ReadingThreads {
    /// Number of threads [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// When to show a progress bar; auto: on a terminal that does not show the results, too
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = When::Auto, hide_possible_values = false)]
    progress: When,
}

impl ReadingThreads {
    fn fill(&self, run: Report) -> Report {
        match self.threads {
            Some(threads) => run.threads(threads.into()),
            None => run,
        }
    }

    /// Runs with a progress bar; a signal stops it.
    fn complete<S>(&self, run: impl FnOnce(&RunProgress) -> Result<S>) -> Result<S> {
        let progress = RunProgress::default();
        let abandoned = progress.clone();
        let _watch = signals::watch(move || abandoned.abandon());
        let bar = Bar::start(self.progress.beside_results(), &progress);
        let result = run(&progress);
        drop(bar);
        result
    }
}

/// Checks that the answer has somewhere to go, before the inputs are read for it.
fn check_output(inputs: &[OsString]) -> Result<()> {
    streams::check_open(Stream::Output)?;
    refuse_stdout_as_input(inputs)
}

pub(crate) fn run_top(arguments: &TopArguments) -> Result<()> {
    check_output(&arguments.inputs)?;
    let Some(seconds) = arguments.watch else {
        let (counted, damaged) = arguments.count()?;
        write(&text(&counted))?;
        say_sentence(&summary(&counted));
        return damage::tell(&damaged);
    };
    if arguments.inputs.is_empty() || arguments.inputs.iter().any(|input| input == "-") {
        return Err(Error::usage(
            "--watch reads its inputs again, and standard input comes once: name files",
        ));
    }
    let mut last = None;
    loop {
        let files = arguments.files();
        if last.as_ref() != Some(&files) {
            match arguments.count() {
                Ok((counted, damaged)) => {
                    // On a terminal each count takes the place of the one before.
                    let clear = if io::stdout().is_terminal() { "\x1b[H\x1b[2J" } else { "" };
                    write(&format!("{clear}{}\n", text(&counted)))?;
                    say_sentence(&summary(&counted));
                    say(&damage::text(&damaged));
                }
                // A log that is rotated is away for a moment, and one that is truncated shrinks while it is read.
                Err(error)
                    if last.is_some()
                        && matches!(error.kind(), ErrorKind::Io | ErrorKind::Data | ErrorKind::Usage) =>
                {
                    say_whole(&error.to_string());
                }
                Err(error) => return Err(error),
            }
            last = Some(files);
        }
        std::thread::sleep(Duration::from_secs(seconds.into()));
    }
}

/// The path of a file, its length and when it was changed.
type Watched = (PathBuf, u64, Option<SystemTime>);

impl TopArguments {
    fn count(&self) -> Result<(Counted, Vec<urimill::read::Damage>)> {
        self.reading.complete(|progress| {
            let report = Report::new().inputs(&self.inputs).force(self.force).progress(progress);
            let report = self.memory.fill(self.records.fill(report));
            let top = Top::new(&self.by, self.reading.fill(report)).most(self.number as usize);
            self.conditions.iter().cloned().fold(top, Top::only).run()
        })
    }

    /// What tells that something has changed: the files that there are, those of patterns too.
    fn files(&self) -> Vec<Watched> {
        let sources = self.inputs.iter().flat_map(|input| expand(slice::from_ref(input)).unwrap_or_default());
        let file = |source| {
            let Source::File(path) = source else { return None };
            let found = std::fs::metadata(&path).ok()?;
            Some((path, found.len(), found.modified().ok()))
        };
        sources.filter_map(file).collect()
    }
}

fn write(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| Error::io("write", "standard output", error))
}

fn shown(unit: Unit, sum: u64) -> String {
    match unit {
        Unit::Bytes => HumanBytes(sum).to_string(),
        Unit::Micros => format!("{:.3} s", sum as f64 / 1e6),
        _ => HumanCount(sum).to_string(),
    }
}

/// A bar of so many columns, in eighths of one.
fn bar(part: u64, whole: u64, columns: u64) -> String {
    let eighths = (u128::from(part) * u128::from(8 * columns) / u128::from(whole.max(1))) as usize;
    let (full, rest) = (eighths / 8, eighths % 8);
    let mut bar = "█".repeat(full);
    bar.extend(['▏', '▎', '▍', '▌', '▋', '▊', '▉'].get(rest.wrapping_sub(1)));
    let width = full + usize::from(rest > 0);
    bar + &" ".repeat((columns as usize).saturating_sub(width))
}

/// As much of a text as so many columns of a terminal hold.
fn cut(text: &str, columns: usize) -> String {
    let text = printable(text);
    let mut width = 0;
    let end = text.char_indices().find(|(_, c)| {
        width += c.width().unwrap_or(0);
        width > columns
    });
    end.map_or_else(|| text.clone().into_owned(), |(end, _)| format!("{}…", &text[..end]))
}

const BAR: u64 = 24;
const TEXT: usize = 100;

fn text(counted: &Counted) -> String {
    let rows: Vec<(String, _)> =
        counted.items.iter().map(|item| (shown(counted.unit, item.lower), item)).collect();
    let most = counted.items.first().map_or(0, |item| item.lower);
    let width = rows.iter().map(|(sum, _)| sum.len()).max().unwrap_or(0);
    let line = |(sum, item): &(String, &urimill::report::Item)| {
        let share = 100.0 * item.lower as f64 / counted.total.max(1) as f64;
        format!("{sum:>width$} {share:>5.1} % {} {}\n", bar(item.lower, most, BAR), cut(&item.text, TEXT))
    };
    rows.iter().map(line).collect()
}

fn summary(counted: &Counted) -> String {
    format!(
        "{} of {} distinct, {} in {}{}{}",
        counted.items.len(),
        distinct(counted),
        shown(counted.unit, counted.total),
        count(counted.records, "record"),
        nulls(counted),
        off(counted)
    )
}

/// Records whose field is null.
fn nulls(counted: &Counted) -> String {
    match counted.nulls {
        Some(nulls @ 1..) => format!(", {} without", HumanCount(nulls)),
        _ => String::new(),
    }
}

/// The number of distinct texts.
fn distinct(counted: &Counted) -> String {
    let about = if counted.distinct.lower == counted.distinct.upper { "" } else { "about " };
    format!("{about}{}", HumanCount(counted.distinct.estimate))
}

/// How far the sums can be off.
fn off(counted: &Counted) -> String {
    match counted.error {
        0 => String::new(),
        error => format!("; each may be greater by up to {}", shown(counted.unit, error)),
    }
}

pub(crate) fn run_stats(arguments: &StatsArguments) -> Result<()> {
    check_output(&arguments.inputs)?;
    let made = arguments.reading.complete(|progress| {
        let report = Report::new().inputs(&arguments.inputs).force(arguments.force).progress(progress);
        arguments.reading.fill(arguments.memory.fill(arguments.records.fill(report))).run()
    })?;
    write(&stats(&made.state))?;
    say(&twice(&made.twice));
    damage::tell(&made.damaged)
}

/// Figures of one screen, the most telling first.
const STATS: [Figure; 8] = [
    Figure::Host,
    Figure::Path,
    Figure::Status,
    Figure::MediaType,
    Figure::FileType,
    Figure::Visitor,
    Figure::Parameter,
    Figure::Flag,
];

/// Lines of each.
const LINES: usize = 3;

fn stats(state: &State) -> String {
    let accounts = state.accounts();
    let mut text = format!(
        "{} = {} + {}",
        count(accounts.records, "record"),
        count(accounts.valid, "URI reference"),
        count(accounts.rejects, "reject")
    );
    if accounts.nulls > 0 {
        text.push_str(&format!(" + {} without a URI", HumanCount(accounts.nulls)));
    }
    let formats: Vec<&str> = state.formats().collect();
    text.push_str(&format!(
        "\n{} of {}, read as {}\n",
        HumanBytes(accounts.bytes),
        count(state.inputs(), "input"),
        formats.join(", ")
    ));
    if let Some((first, last)) = state.times() {
        text.push_str(&format!("{first} to {last} UTC\n"));
    }
    for (code, records) in state.codes() {
        text.push_str(&format!("{:>9}  {code}\n", HumanCount(records).to_string()));
    }
    for figure in STATS.into_iter().filter(|figure| state.total(*figure) > 0) {
        let counted = state.counted(figure, LINES);
        text.push_str(&format!("\n{}: {} distinct{}\n", figure.title(), distinct(&counted), off(&counted)));
        text.push_str(&self::text(&counted));
    }
    text
}
