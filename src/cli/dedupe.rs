//! `urimill dedupe`: how often each URI occurs, whichever way it is written.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{HumanBytes, HumanCount};
use serde_json::{Value, json};

use super::damage::{self, Damaged};
use super::hiding::Hiding;
use super::progress::{Bar, When};
use super::signals;
use super::stderr::{printable, say, say_json};
use super::summary::{Form, count};
use super::values::{Budget, bytes_within, levels, specs, threads};
use super::verifying::Verifying;
use super::writing::{Writing, refuse_inputs};
use crate::batch;
use crate::dedupe::{self, MAX_RECORD, Proving, Rungs, Summary};
use crate::error::Result;
use crate::grammar::Spec;
use crate::input::{ChunkOptions, Chunker, Damage, Source, expand};
use crate::normalize::Level;
use crate::output::{self, SinkOptions};
use crate::pipeline::Progress;
use crate::simd::Isa;

/// What `--help` ends with.
pub(super) const EXAMPLES: &str = "\
Columns:
  uri           the normal form; for a reject the text as read
  records       how many records have it
  distinct      how many different texts these are
  merged        on which rungs of the ladder they came together, with commas between: identical (the
                same text), repair, case, percent, syntax, scheme; null where there is one record
  first_record  number of the first of them in its source, from 1; blank lines count
  first_source  name of that source
  error         why it is no URI reference; null for a valid one
  raw_bytes     the bytes of a reject, where they are not UTF-8

Examples:
  urimill dedupe 'logs/*.gz' -o distinct.parquet
      one row for each URI that occurs in the logs
  urimill dedupe urls.txt --level none > unique.txt
      each line once, in the order in which they first occur
  urimill dedupe urls.txt --to csv | grep case
      which URIs were written in upper and lower case";

/// The arguments of `urimill dedupe`; their comments are the help text.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Files, patterns such as 'logs/*.gz', or - for standard input, which is the default
    #[arg(value_name = "INPUT")]
    inputs: Vec<OsString>,

    #[command(flatten)]
    writing: Writing,

    /// The specification that decides what is valid and which texts are equal
    #[arg(long, value_name = "SPEC", default_value = "rfc3986", value_parser = specs())]
    spec: Spec,

    /// The normal form in which texts are equal, by RFC 3986, 6.2: each level includes those before it
    #[arg(long, value_name = "LEVEL", default_value = "scheme", value_parser = levels())]
    level: Level,

    /// Mend what is no URI reference as browsers do: white space, delimiters around it, characters that need encoding
    #[arg(long)]
    repair: bool,

    #[command(flatten)]
    hiding: Hiding,

    /// Keep books of every record on its way, read the output back when it is complete, and publish it only if its rows,
    /// each as often as it says, stand for the records that were read, and none stands for what another does
    #[arg(long)]
    verify: bool,

    #[command(flatten)]
    damaged: Damaged,

    /// Number of threads, each of which takes up to 64M of memory [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Memory for the run: what is more to count goes to temporary files
    /// [default: 512M, or 64M for each thread where that is more]
    #[arg(long, value_name = "BYTES", value_parser = memory)]
    memory: Option<u64>,

    /// Where temporary files go, which have no names and leave nothing behind [default: the system's place for them]
    #[arg(long, value_name = "DIR")]
    temp_dir: Option<PathBuf>,

    /// The longest record in bytes, up to 64M; longer ones are rejected. K, M and G stand for 1024, 1024², 1024³
    #[arg(long, value_name = "BYTES", default_value = "1M", value_parser = record)]
    max_record: u64,

    /// Whether to show a progress bar while reading: on a terminal, nowhere, everywhere
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = When::Auto, hide_possible_values = false)]
    progress: When,

    /// How to print the summary on standard error
    #[arg(long, value_enum, value_name = "FORM", default_value_t = Form::Text)]
    summary: Form,

    /// How much is read at once
    #[arg(long, value_name = "BYTES", default_value = "1M", value_parser = record, hide = true)]
    chunk: u64,
}

fn memory(text: &str) -> Result<u64, String> {
    bytes_within(text, (1 << 20, 1 << 50), "1M up")
}

fn record(text: &str) -> Result<u64, String> {
    bytes_within(text, (1, MAX_RECORD as u64), "1 to 64M")
}

pub(super) fn run(arguments: Arguments) -> Result<()> {
    let begun = Instant::now();
    let format = arguments.writing.format()?;
    arguments.writing.check_safe([format])?;
    let options = arguments.options()?;
    let sources = expand(&arguments.inputs)?;
    let verifying = Verifying::new(arguments.verify);
    verifying.check(arguments.writing.file(), None)?;
    refuse_inputs(&sources, [arguments.writing.file(), None])?;
    arguments.writing.refuse_terminal(format)?;
    if arguments.temp_dir.is_some() {
        dedupe::check_temp_dir(&options)?;
    }
    signals::watch();

    let total = sources.iter().map(Source::size).sum::<Option<u64>>();
    let stored = Arc::new(AtomicU64::new(0));
    let progress = Arc::new(Progress::default());
    progress.memory.store(arguments.budget().whole, Ordering::Relaxed);
    let chunks = ChunkOptions {
        chunk_bytes: arguments.chunk as usize,
        max_record: arguments.max_record as usize,
        ..ChunkOptions::default()
    };
    let threads = threads(arguments.threads, true);
    let ledger = verifying.ledger();
    let chunker =
        Chunker::new(sources, chunks, stored.clone()).with_threads(threads).with_ledger(ledger.clone());
    let chunker = arguments.damaged.handle(chunker).judging();
    let target = arguments.writing.target()?;
    let name = target.name().to_owned();
    let sink_options = SinkOptions { checksums: ledger.is_some(), ..arguments.sink_options() };
    let books = ledger.map(|ledger| Proving::new(ledger, format, &sink_options)).transpose()?;
    let sink = output::create(format, target, dedupe::schema(), &sink_options)?;

    let bar = Bar::start(arguments.progress, total, &stored, &progress);
    let result = dedupe::run_proving(chunker, &options, threads, sink, &progress, books.as_ref());
    drop(bar);
    let damages = arguments.damaged.list();
    let report = Report {
        summary: &result?,
        options: &options.records,
        threads,
        stored: stored.load(Ordering::Relaxed),
        time: begun.elapsed(),
        table: (&name, format.name()),
        verified: books.is_some(),
        damages: &damages,
    };
    match arguments.summary {
        Form::Text => say(&report.text()),
        Form::Json => say_json(&report.json()),
        Form::None => {}
    }
    damage::tell(&damages)
}

impl Arguments {
    fn budget(&self) -> Budget {
        Budget::new(self.memory, threads(self.threads, false))
    }

    fn options(&self) -> Result<dedupe::Options> {
        let default = dedupe::Options::default();
        Ok(dedupe::Options {
            records: self.hiding.options(batch::Options {
                spec: self.spec,
                level: self.level,
                repair: self.repair,
                max_record: self.max_record as usize,
                ..default.records
            }),
            memory: self.budget().waiting(),
            temp_dir: self.temp_dir.clone().unwrap_or(default.temp_dir),
            ..default
        })
    }

    fn sink_options(&self) -> SinkOptions {
        self.hiding.told(self.writing.sink_options(vec![
            ("urimill.specification", self.spec.as_str()),
            ("urimill.level", self.level.as_str()),
            ("urimill.repair", if self.repair { "true" } else { "false" }),
        ]))
    }
}

/// A finished run.
struct Report<'a> {
    summary: &'a Summary,
    options: &'a batch::Options,
    threads: usize,
    /// Bytes of the inputs as they are stored.
    stored: u64,
    time: Duration,
    /// Name and format of the table.
    table: (&'a str, &'a str),
    /// Whether it was read back and compared.
    verified: bool,
    /// Inputs that were damaged.
    damages: &'a [Damage],
}

impl Report<'_> {
    fn rate(&self) -> f64 {
        self.summary.bytes as f64 / 1e6 / self.time.as_secs_f64().max(1e-9)
    }

    /// The rungs on which records came together, with the number of rows.
    fn merged(&self) -> impl Iterator<Item = (&'static str, u64)> {
        Rungs::NAMES.into_iter().zip(self.summary.merged).map(|((_, name), rows)| (name, rows))
    }

    fn text(&self) -> String {
        use std::fmt::Write;
        let (summary, tally) = (self.summary, &self.summary.tally);
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{} = {} + {} + {} blank",
            count(tally.lines(), "line"),
            count(tally.rows - tally.rejects(), "valid record"),
            count(tally.rejects(), "reject"),
            HumanCount(tally.blank)
        );
        let _ = writeln!(
            text,
            "{} = {} of level {} + {}",
            count(summary.rows, "row"),
            count(summary.rows - summary.rejects, "normal form"),
            self.options.level,
            count(summary.rejects, "distinct reject")
        );
        let merged: Vec<_> = self.merged().filter(|&(_, rows)| rows > 0).collect();
        if !merged.is_empty() {
            let rungs = merged.iter().map(|(name, rows)| format!("{name} in {}", count(*rows, "row")));
            let _ = writeln!(text, "records came together: {}", rungs.collect::<Vec<_>>().join(", "));
        }
        if summary.cut > 0 {
            let _ = writeln!(
                text,
                "too long to be held: {}, each with a row of its own and only its beginning in it",
                count(summary.cut, "record")
            );
        }
        if summary.spilled > 0 {
            let _ = writeln!(text, "{} to temporary files", HumanBytes(summary.spilled));
        }
        let _ = writeln!(
            text,
            "{} in {:.3} s, {:.0} MB/s; {} to {}",
            HumanBytes(summary.bytes),
            self.time.as_secs_f64(),
            self.rate(),
            HumanBytes(summary.table.bytes),
            printable(self.table.0)
        );
        text.push_str(&damage::text(self.damages));
        if self.verified {
            text.push_str(
                "verified: read back, the rows stand for every record, and none for what another does\n",
            );
        }
        text
    }

    fn json(&self) -> Value {
        let (summary, tally) = (self.summary, &self.summary.tally);
        let merged = self.merged().map(|(name, rows)| (name.to_owned(), json!(rows)));
        let by_code = tally.by_code().map(|(code, count, _)| (code.as_str().to_owned(), json!(count)));
        json!({
            "lines": tally.lines(),
            "records": tally.rows,
            "valid": tally.rows - tally.rejects(),
            "rejects": tally.rejects(),
            "blank": tally.blank,
            "changed": tally.changed,
            "repaired": tally.repaired,
            "not_utf8": tally.not_utf8,
            "cut": summary.cut,
            "by_code": by_code.collect::<serde_json::Map<_, _>>(),
            "rows": summary.rows,
            "reject_rows": summary.rejects,
            "merged": merged.collect::<serde_json::Map<_, _>>(),
            "bytes": summary.bytes,
            "verified": self.verified,
            "stored_bytes": self.stored,
            "spilled_bytes": summary.spilled,
            "damaged": damage::json(self.damages),
            "seconds": self.time.as_secs_f64(),
            "mb_per_second": self.rate(),
            "output": { "name": self.table.0, "format": self.table.1, "bytes": summary.table.bytes },
            "spec": self.options.spec.as_str(),
            "level": self.options.level.as_str(),
            "threads": self.threads,
            "isa": Isa::chosen().map(Isa::as_str).unwrap_or_default(),
            "version": env!("CARGO_PKG_VERSION"),
        })
    }
}
