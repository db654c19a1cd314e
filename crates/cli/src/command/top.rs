//! `urimill top` and `urimill stats`: figures of a log on the terminal.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::slice;
use std::time::{Duration, SystemTime};

use indicatif::{HumanBytes, HumanCount};
use unicode_width::UnicodeWidthChar;

use super::report::twice;
use crate::args::options::Given;
use crate::term::count::count;
use crate::term::damage;
use crate::term::progress::Bar;
use crate::term::signals;
use crate::term::stderr::{printable, say, say_sentence, say_whole};
use urimill::error::{Error, ErrorKind, Result};
use urimill::option_name::OptionName;
use urimill::read::{Source, expand};
use urimill::report::{Counted, Figure, State, Unit};
use urimill::run::options::Job;
use urimill::run::{Report, RunProgress, Top, refuse_stdout_as_input};
use urimill::streams;
use urimill::streams::Stream;

/// The text after the options in `top --help`.
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

/// The text after the options in `stats --help`.
pub(crate) const STATS_EXAMPLES: &str = "\
Examples:
  urimill stats access.log.gz
      what is in a log, in one screen
  urimill stats 'days/*.state'
      what is in all days";

/// The arguments of `urimill top`.
pub(crate) type TopArguments = Given<{ Job::Top as usize }>;
/// The arguments of `urimill stats`.
pub(crate) type StatsArguments = Given<{ Job::Stats as usize }>;

impl<const JOB: usize> Given<JOB> {
    /// Makes a report of the inputs, with a progress bar; a signal stops it.
    fn counted<S>(&self, run: impl FnOnce(Report) -> Result<S>) -> Result<S> {
        let progress = RunProgress::default();
        let report = self.fill(Report::new())?.progress(&progress);
        let abandoned = progress.clone();
        let _watch = signals::watch(move || abandoned.abandon());
        let bar = Bar::start(self.bar().beside_results(), &progress);
        let result = run(report);
        drop(bar);
        self.say_guess(&progress);
        result
    }
}

/// Checks that standard output is open before the inputs are read.
fn check_output(inputs: &[OsString]) -> Result<()> {
    streams::check_open(Stream::Output)?;
    refuse_stdout_as_input(inputs)
}

pub(crate) fn run_top(arguments: &TopArguments) -> Result<()> {
    let inputs = arguments.inputs();
    check_output(&inputs)?;
    let Some(seconds) = arguments.text(OptionName::Watch).and_then(|text| text.parse::<u64>().ok()) else {
        let (counted, damaged) = count_once(arguments)?;
        write(&text(&counted))?;
        say_sentence(&summary(&counted));
        return damage::tell(&damaged);
    };
    if inputs.is_empty() || inputs.iter().any(|input| input == "-") {
        return Err(Error::usage(
            "--watch reads its inputs again, and standard input comes once: name files",
        ));
    }
    let mut last = None;
    loop {
        let files = files(&inputs);
        if last.as_ref() != Some(&files) {
            match count_once(arguments) {
                Ok((counted, damaged)) => {
                    // On a terminal each count replaces the one before it.
                    let clear = if io::stdout().is_terminal() { "\x1b[H\x1b[2J" } else { "" };
                    write(&format!("{clear}{}\n", text(&counted)))?;
                    say_sentence(&summary(&counted));
                    say(&damage::text(&damaged));
                }
                // A log that is being rotated is missing for a moment, and one that is truncated shrinks while it is
                // read.
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
        std::thread::sleep(Duration::from_secs(seconds));
    }
}

/// The path of a file, its length, and the time of its last change.
type Watched = (PathBuf, u64, Option<SystemTime>);

fn count_once(arguments: &TopArguments) -> Result<(Counted, Vec<urimill::read::Damage>)> {
    arguments.counted(|report| {
        let by = arguments.text(OptionName::By).unwrap_or_default();
        let most = arguments.text(OptionName::Number).and_then(|text| text.parse().ok());
        let mut top = Top::new(by, report).most(most.unwrap_or(usize::MAX));
        for condition in arguments.each(OptionName::Where) {
            top = top.only(condition.parse()?);
        }
        top.run()
    })
}

/// The files whose changes are watched, with those that patterns match.
fn files(inputs: &[OsString]) -> Vec<Watched> {
    let sources = inputs.iter().flat_map(|input| expand(slice::from_ref(input)).unwrap_or_default());
    let file = |source| {
        let Source::File(path) = source else { return None };
        let found = std::fs::metadata(&path).ok()?;
        Some((path, found.len(), found.modified().ok()))
    };
    sources.filter_map(file).collect()
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

/// A bar for the share `part` of `whole`, in eighths of a column, padded to `columns`.
fn bar(part: u64, whole: u64, columns: u64) -> String {
    let eighths = (u128::from(part) * u128::from(8 * columns) / u128::from(whole.max(1))) as usize;
    let (full, rest) = (eighths / 8, eighths % 8);
    let mut bar = "█".repeat(full);
    bar.extend(['▏', '▎', '▍', '▌', '▋', '▊', '▉'].get(rest.wrapping_sub(1)));
    let width = full + usize::from(rest > 0);
    bar + &" ".repeat((columns as usize).saturating_sub(width))
}

/// The beginning of a text that fits into `columns` of a terminal.
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
        "{} of {} distinct values shown, total {} in {}{}{}",
        counted.items.len(),
        distinct(counted),
        shown(counted.unit, counted.total),
        count(counted.records, "record"),
        nulls(counted),
        off(counted)
    )
}

/// The number of records whose field is null, in words.
fn nulls(counted: &Counted) -> String {
    match counted.nulls {
        Some(nulls @ 1..) => format!(", {} without", HumanCount(nulls)),
        _ => String::new(),
    }
}

/// The number of distinct texts, with "about" if it is an estimate.
fn distinct(counted: &Counted) -> String {
    let about = if counted.distinct.lower == counted.distinct.upper { "" } else { "about " };
    format!("{about}{}", HumanCount(counted.distinct.estimate))
}

/// The most by which a sum can be too large, in words.
fn off(counted: &Counted) -> String {
    match counted.error {
        0 => String::new(),
        error => format!("; each may be greater by up to {}", shown(counted.unit, error)),
    }
}

pub(crate) fn run_stats(arguments: &StatsArguments) -> Result<()> {
    check_output(&arguments.inputs())?;
    let made = arguments.counted(Report::run)?;
    write(&stats(&made.state))?;
    say(&twice(&made.twice));
    damage::tell(&made.damaged)
}

/// The figures that fit on one screen, the most useful first.
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

/// The number of lines of each figure.
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
