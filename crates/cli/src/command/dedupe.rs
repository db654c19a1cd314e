//! `urimill dedupe`: how often each URI occurs, whichever way it is written.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use indicatif::{HumanBytes, HumanCount};

use crate::args::damage::Damaged;
use crate::args::input::{Bases, Reading};
use crate::args::output::Writing;
use crate::args::passwords::Hiding;
use crate::args::running::Running;
use crate::args::values::{bytes_within, forms, levels, memory, standards};
use crate::term::count::count;
use crate::term::damage;
use crate::term::stderr::{printable, say, say_json};
use crate::term::summary;
use crate::term::summary::{Form, Read};
use urimill::Standard;
use urimill::canonical::Canonical;
use urimill::dedupe::MAX_RECORD;
use urimill::error::Result;
use urimill::normalize::Level;
use urimill::run::{Dedupe, DedupeStats, NormalizeOptions, PreparedDedupe, RunProgress};

/// What `--help` ends with.
pub(crate) const EXAMPLES: &str = "\
Columns:
  uri           the normal form; for a reject the text as read; null for records without a URI
  key           with --by: what makes the records equal; uri is that of the first of them. null for records
                without it
  records       the number of records that have it
  distinct      the number of different texts among them
  merged        the rungs of the ladder on which they are equal, separated by commas: identical (the
                same text), repair, resolve (the same target), case, percent, syntax, scheme, key
                (the same key of different forms); null where there is one record
  first_record  number of the first record in its source, from 1; blank lines count
  first_source  name of the source of the first record
  error         why it is no URI reference; null for a valid one
  raw_bytes     the bytes of a reject, if they are not UTF-8

Examples:
  urimill dedupe 'logs/*.gz' -o distinct.parquet
      one row for each URI that occurs in the logs
  urimill dedupe access.log --base https://example.com -o pages.csv
      how often each page was requested
  urimill dedupe access.log --by client -o clients.parquet
      one row for each client, with its number of requests
  urimill dedupe urls.txt --by canonical --canonical w3lib --drop-tracking -o pages.csv
      pages that are probably the same, as Scrapy sees them
  urimill dedupe urls.txt --level none > unique.txt
      each line once, in the order in which they first occur
  urimill dedupe urls.txt --to csv | grep case
      which URIs were written in upper and lower case";

/// The arguments of `urimill dedupe`; their comments are the help text.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Files, patterns such as 'logs/*.gz', or - for standard input, which is the default
    #[arg(value_name = "INPUT")]
    inputs: Vec<OsString>,

    #[command(flatten)]
    writing: Writing,

    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    bases: Bases,

    /// The specification that decides what is valid and which texts are equal; whatwg, the URL Standard, reads
    /// as browsers do
    #[arg(long, value_name = "SPEC", default_value = "rfc3986", value_parser = standards())]
    spec: Standard,

    /// What decides which records are equal: uri, their normal form; surt, canonical, template, trap or another
    /// column such as host; or a field of the records, by name. A record without a value there is compared by its URI
    #[arg(long, value_name = "KEY", default_value = "uri")]
    by: String,

    /// With --by canonical: the form in which another tool writes the reference as read, resolved if there is a
    /// base
    #[arg(long, value_name = "FORM", value_parser = forms())]
    canonical: Option<Canonical>,

    /// With --by canonical: drop query parameters, by name, separated by commas; * and ? match any characters,
    /// [ab] one of these
    #[arg(long, value_name = "PATTERN,…", value_delimiter = ',')]
    drop_params: Vec<String>,

    /// With --by canonical: drop parameters that only say where a visitor came from, such as utm_source
    #[arg(long)]
    drop_tracking: bool,

    /// The public suffix list for keys such as registered_domain [default: the one built in]
    #[arg(long, value_name = "FILE")]
    psl: Option<PathBuf>,

    /// The normal form in which texts are equal (RFC 3986, 6.2); each level includes those before it
    /// [default: scheme]
    #[arg(long, value_name = "LEVEL", value_parser = levels())]
    level: Option<Level>,

    /// Repair texts that are no URI references as browsers do: white space, delimiters around them,
    /// characters that need encoding
    #[arg(long)]
    repair: bool,

    /// Read texts that were made harmless as what they were: hxxps://www[.]example[.]com
    #[arg(long)]
    refang: bool,

    #[command(flatten)]
    hiding: Hiding,

    /// Checksum every record, read the complete output back, and publish it only if its rows, each as often
    /// as its count says, stand for the records that were read, and no two rows stand for the same record
    #[arg(long)]
    verify: bool,

    #[command(flatten)]
    damaged: Damaged,

    /// Memory for the run. Records to count beyond it go to temporary files [default: 512M, or 64M for each
    /// thread if that is more]
    #[arg(long, value_name = "BYTES", value_parser = memory)]
    memory: Option<u64>,

    /// Directory for temporary files, which have no names and disappear with the run [default: the system's
    /// place for them]
    #[arg(long, value_name = "DIR")]
    temp_dir: Option<PathBuf>,

    /// The longest record in bytes, up to 64M; longer records are rejected. K, M and G stand for 1024, 1024²,
    /// 1024³
    #[arg(long, value_name = "BYTES", default_value = "1M", value_parser = record)]
    max_record: u64,

    #[command(flatten)]
    running: Running,
}

fn record(text: &str) -> Result<u64, String> {
    bytes_within(text, (1, MAX_RECORD as u64), "1 to 64M")
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let progress = RunProgress::default();
    let run = arguments.dedupe().progress(&progress);
    run.validate()?;
    arguments.writing.refuse_terminal(run.output_format()?)?;
    let running = &arguments.running;
    let stats =
        running.complete(&progress, || run.prepare(), PreparedDedupe::threads, PreparedDedupe::run)?;
    if stats.is_detected {
        let (format, summary) = (stats.input_format, arguments.running.summary());
        arguments.reading.say_format_of_table(format, stats.unwraps, stats.bytes, summary);
    }
    match arguments.running.summary() {
        Form::Text => say(&text(&stats)),
        Form::Json => say_json(&stats.to_json()),
        Form::None => {}
    }
    damage::tell(&stats.damaged)
}

impl Arguments {
    fn dedupe(&self) -> Dedupe {
        let mut options = NormalizeOptions::new()
            .spec(self.spec)
            .repair(self.repair)
            .refang(self.refang)
            .drop_params(&self.drop_params)
            .drop_tracking(self.drop_tracking)
            .max_record(self.max_record as usize);
        if let Some(level) = self.level {
            options = options.level(level);
        }
        if let Some(form) = self.canonical {
            options = options.canonical(form);
        }
        if let Some(file) = &self.psl {
            options = options.psl(file);
        }
        let mut run = Dedupe::new()
            .inputs(&self.inputs)
            .read_as(self.bases.fill(self.reading.options()))
            .normalize(self.bases.resolving(self.hiding.fill(options)))
            .by(&self.by)
            .on_damage(self.damaged.choice())
            .verify(self.verify)
            .chunk(self.running.chunk())
            .write_to(self.writing.output());
        if let Some(directory) = &self.temp_dir {
            run = run.temp_dir(directory);
        }
        if let Some(bytes) = self.memory {
            run = run.memory(bytes);
        }
        if let Some(threads) = self.running.threads() {
            run = run.threads(threads);
        }
        run
    }
}

fn text(stats: &DedupeStats) -> String {
    use std::fmt::Write;
    // Writing to a string cannot fail.
    let mut text = String::new();
    summary::read(
        &mut text,
        &Read {
            pages: None,
            format: stats.input_format,
            is_table: stats.is_table,
            has_comments: stats.has_comments,
            selects_records: stats.selects_records,
            lines: stats.lines,
            headers: stats.headers,
            records: stats.records,
            valid: stats.records - stats.rejects - stats.nulls,
            rejects: stats.rejects,
            nulls: stats.nulls,
            blank: stats.blank,
            dropped: stats.unfinished_dropped,
        },
    );
    let forms = stats.rows - stats.reject_rows - u64::from(stats.nulls > 0);
    let forms = match stats.by.as_str() {
        "uri" if stats.spec == Standard::Whatwg => count(forms, "URL"),
        "uri" => format!("{} of level {}", count(forms, "normal form"), stats.level),
        by => format!("{} different by {by}", HumanCount(forms)),
    };
    let _ = writeln!(
        text,
        "{} = {forms} + {}{}",
        count(stats.rows, "row"),
        count(stats.reject_rows, "distinct reject"),
        if stats.nulls > 0 { " + 1 null" } else { "" }
    );
    let _ = writeln!(
        text,
        "{} = {} + {}",
        count(stats.records, "record"),
        count(stats.rows, "row"),
        count(stats.duplicates, "duplicate")
    );
    let merged: Vec<_> = stats.merged.iter().filter(|(_, rows)| *rows > 0).collect();
    if !merged.is_empty() {
        let rungs = merged.iter().map(|(name, rows)| format!("{name} in {}", count(*rows, "row")));
        let _ = writeln!(text, "records merged: {}", rungs.collect::<Vec<_>>().join(", "));
    }
    summary::unfinished(&mut text, stats.unfinished - stats.unfinished_dropped);
    if stats.cut > 0 {
        let _ = writeln!(
            text,
            "too long: {}, each with a row of its own that has only its beginning",
            count(stats.cut, "record")
        );
    }
    if stats.spilled_bytes > 0 {
        let _ = writeln!(text, "{} to temporary files", HumanBytes(stats.spilled_bytes));
    }
    let _ = writeln!(
        text,
        "{} in {:.3} s, {:.0} MB/s; {} to {}",
        HumanBytes(stats.bytes),
        stats.time.as_secs_f64(),
        stats.bytes_per_second() / 1e6,
        HumanBytes(stats.output_bytes),
        printable(&stats.output_name)
    );
    text.push_str(&damage::text(&stats.damaged));
    if stats.verified {
        text.push_str(
            "verified: every record read is in one row, and no two rows stand for the same record\n",
        );
    }
    text
}
