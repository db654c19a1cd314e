//! `urimill report`: a log at a glance, as a page.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use indicatif::{HumanBytes, HumanCount};

use crate::args::damage::Damaged;
use crate::args::input::{Bases, Reading};
use crate::args::running::Running;
use crate::args::values::{bytes, bytes_within, levels, standards};
use crate::term::count::count;
use crate::term::damage;
use crate::term::stderr::{printable, say, say_json};
use crate::term::summary::Form;
use urimill::Standard;
use urimill::error::{Error, Result};
use urimill::normalize::Level;
use urimill::report::shell_word;
use urimill::run::{NormalizeOptions, PreparedReport, Report, Reported, RunProgress};

/// What `--help` ends with.
pub(crate) const EXAMPLES: &str = "\
Examples:
  urimill report access.log.gz -o report.html
      what is in a log, what was not read and why, and when it happened: a page for a browser
  urimill report crawl.log -o report.html --json figures.json
      every figure as JSON, too
  urimill report monday.log --state monday.state
      the figures of a day, to be added to others
  urimill report 'days/*.state' -o month.html
      a page of all days";

/// Parameters that the summary names, at most.
const MOST_NAMES: usize = 50;

/// The arguments of `urimill report`; their comments are the help text.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Files, patterns such as 'logs/*.gz', or - for standard input, which is the default; or states, all of them
    #[arg(value_name = "INPUT")]
    inputs: Vec<OsString>,

    /// Write the page to FILE, one HTML file of at most 600 kB that needs no network; - is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write every figure to FILE as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Write the state to FILE: what a later report takes as an input, to add up
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,

    /// The title of the page [default: the names of the inputs]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    #[command(flatten)]
    pub(super) records: Records,

    /// Replace existing output files; count an input twice that is there twice; and add up states that hold the same
    /// input, whose records count twice then, or that were made with other options
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    memory: Memory,

    #[command(flatten)]
    running: Running,
}

/// The memory of a command that counts.
#[derive(Debug, Args)]
pub(crate) struct Memory {
    /// Memory for the run, 512M or more. K, M and G stand for 1024, 1024², 1024³ [default: 512M, or 320M and 64M a thread
    /// where that is more]
    #[arg(long = "memory", value_name = "BYTES", value_parser = memory)]
    bytes: Option<u64>,
}

impl Memory {
    pub(super) fn fill(&self, run: Report) -> Report {
        match self.bytes {
            Some(bytes) => run.memory(bytes),
            None => run,
        }
    }
}

fn memory(text: &str) -> Result<u64, String> {
    bytes_within(text, (512 << 20, 1 << 50), "512M up")
}

/// How records are read, for every command that counts them.
#[derive(Debug, Args)]
pub(crate) struct Records {
    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    bases: Bases,

    /// The specification that decides what is valid [default: rfc3986]
    #[arg(long, value_name = "SPEC", value_parser = standards())]
    spec: Option<Standard>,

    /// The normal form that is counted (RFC 3986, 6.2); each level includes those before it [default: scheme]
    #[arg(long, value_name = "LEVEL", value_parser = levels())]
    level: Option<Level>,

    /// Repair records that are no URI references as browsers do
    #[arg(long)]
    repair: bool,

    /// The public suffix list, in the format of publicsuffix.org [default: the one built in]
    #[arg(long, value_name = "FILE")]
    psl: Option<PathBuf>,

    /// The longest record in bytes, up to 512M; longer ones are rejected. K, M and G stand for 1024, 1024², 1024³
    /// [default: 1M]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    max_record: Option<u64>,

    #[command(flatten)]
    damaged: Damaged,
}

impl Records {
    /// A run that reads these records.
    pub(super) fn fill(&self, run: Report) -> Report {
        run.read_as(self.bases.fill(self.reading.options()))
            .normalize(self.normalize())
            .on_damage(self.damaged.choice())
    }

    fn normalize(&self) -> NormalizeOptions {
        let mut options = NormalizeOptions::new().repair(self.repair);
        if let Some(spec) = self.spec {
            options = options.spec(spec);
        }
        if let Some(bytes) = self.max_record {
            options = options.max_record(bytes as usize);
        }
        if let Some(level) = self.level {
            options = options.level(level);
        }
        if let Some(psl) = &self.psl {
            options = options.psl(psl);
        }
        self.bases.resolving(options)
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let outputs = [&arguments.output, &arguments.json, &arguments.state];
    if outputs.iter().all(|output| output.is_none()) {
        return Err(Error::usage(
            "there is nothing to write: give -o FILE.html for the page, --json FILE or --state FILE; urimill stats \
             shows a summary in the terminal",
        ));
    }
    let progress = RunProgress::default();
    let run = arguments.report().progress(&progress);
    run.validate()?;
    let running = &arguments.running;
    let reported =
        running.complete(&progress, || run.prepare(), PreparedReport::threads, PreparedReport::run)?;
    match running.summary() {
        Form::Text => say(&text(&reported)),
        Form::Json => {
            let mut summary = reported.state.to_json(0);
            summary["twice"] = serde_json::json!(reported.twice);
            say_json(&summary);
        }
        Form::None => {}
    }
    damage::tell(&reported.damaged)
}

impl Arguments {
    fn report(&self) -> Report {
        let run = self.records.fill(Report::new().inputs(&self.inputs)).force(self.force);
        let mut run = self.memory.fill(run);
        if let Some(bytes) = self.running.chunk_given() {
            run = run.chunk(bytes);
        }
        if let Some(title) = &self.title {
            run = run.title(title);
        }
        if let Some(page) = &self.output {
            run = run.page(page);
        }
        if let Some(json) = &self.json {
            run = run.json(json);
        }
        if let Some(state) = &self.state {
            run = run.state(state);
        }
        match self.running.threads() {
            Some(threads) => run.threads(threads),
            None => run,
        }
    }
}

fn text(reported: &Reported) -> String {
    let accounts = reported.state.accounts();
    let seconds = reported.time.as_secs_f64();
    let what = match reported.is_merged {
        true => format!("{}, ", count(reported.state.inputs(), "input")),
        false => format!(
            "{}, {:.0} MB/s, ",
            HumanBytes(accounts.bytes),
            accounts.bytes as f64 / 1e6 / seconds.max(1e-9)
        ),
    };
    let mut text = format!(
        "{} = {} + {}",
        count(accounts.records, "record"),
        count(accounts.valid, "URI reference"),
        count(accounts.rejects, "reject"),
    );
    if accounts.nulls > 0 {
        text.push_str(&format!(" + {} without a URI", HumanCount(accounts.nulls)));
    }
    text.push_str(&format!("\n{what}{seconds:.3} s\n"));
    let patterns = reported.state.parameters().drop_params;
    if !patterns.is_empty() {
        let named = &patterns[..patterns.len().min(MOST_NAMES)];
        text.push_str(&format!(
            "{} never changed the content: --drop-params {}\n",
            count(patterns.len() as u64, "parameter"),
            shell_word(named)
        ));
    }
    text.push_str(&twice(&reported.twice));
    text.push_str(&damage::text(&reported.damaged));
    text
}

/// Lines about inputs that hold the same.
pub(super) fn twice(names: &[[String; 2]]) -> String {
    let line = |[one, other]: &[String; 2]| {
        format!("counted twice: {} and {} hold the same\n", printable(one), printable(other))
    };
    names.iter().map(line).collect()
}
