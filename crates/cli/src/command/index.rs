//! `urimill index`: the index of web archives, its arguments and what they ask for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use indicatif::{HumanBytes, HumanCount};

use crate::args::damage::Damaged;
use crate::args::output::file;
use crate::args::running::Running;
use crate::args::values::memory;
use crate::term::count::count;
use crate::term::damage;
use crate::term::stderr::{printable, say, say_json};
use crate::term::summary::Form;
use urimill::error::Result;
use urimill::run::{
    Index, IndexForm, IndexStats, InputFormat, Like, PreparedIndex, RecordTypes, RunProgress,
};

/// What `--help` ends with.
pub(crate) const EXAMPLES: &str = "\
Examples:
  urimill index crawl.warc.gz -o crawl.cdxj
      a line for each page, sorted by key and time
  urimill index 'archives/*.warc.gz' --like pywb -o indexes/index.cdxj
      for a collection of pywb
  urimill index 'archives/*.warc.gz' --to zipnum --shards 10 -o index/
      compressed in blocks, for large archives
  urimill index 'old/*.arc.gz' -o old.cdx
      CDX of eleven fields
  urimill index 'archives/*.warc.gz' -o index.parquet
      a table for DuckDB, Spark and others, in the same order
  urimill index crawl.warc.gz | cut -d' ' -f1 | sort -u
      the keys alone";

/// The arguments of `urimill index`; their comments are the help text.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Archives, patterns such as 'crawl/*.warc.gz', or - for standard input, which is the default
    #[arg(value_name = "INPUT")]
    inputs: Vec<OsString>,

    /// Write to FILE, compressed if its name ends with .gz or .zst; with --to zipnum to the directory FILE [default:
    /// standard output, also as -]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// The form of the index: cdxj; cdx of eleven fields; cdx9, of nine; zipnum, a directory of CDXJ in compressed
    /// blocks; parquet, a table with a column for each member of CDXJ [default: cdx or parquet for a FILE that ends so,
    /// else cdxj]
    #[arg(long, value_name = "FORM", value_parser = forms())]
    to: Option<IndexForm>,

    /// The tool whose lines these are to be, which differ: in the form of the digest, the status of revisits, the
    /// record types, and whether one of equal lines is left out
    #[arg(long, value_name = "TOOL", default_value = "cdxj-indexer", value_parser = tools())]
    like: Like,

    /// What the inputs are [default: by the beginning of each]
    #[arg(long, value_name = "FORMAT", value_parser = archives())]
    from: Option<InputFormat>,

    /// The record types that have a line, separated by commas, or all [default: those of the tool]
    #[arg(long, value_name = "TYPE,…")]
    records: Option<RecordTypes>,

    /// Make keys of targets alone. Without this option the key of an answer to a POST or PUT also has the method and
    /// the body, as arguments (__wb_method=post&…), because replay tools look it up by them
    #[arg(long)]
    no_post: bool,

    /// Leave the lines in the order of the records. Tools that search an index need it sorted
    #[arg(long)]
    unsorted: bool,

    /// With --to zipnum: the number of files that hold the blocks [default: 1]
    #[arg(long, value_name = "N")]
    shards: Option<u64>,

    /// With --to zipnum: the lines of a block [default: 3000]
    #[arg(long, value_name = "N")]
    block_lines: Option<u64>,

    /// Name the files in the index by their paths below DIR [default: without directories]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,

    /// Do not decompress the bodies of records in .warc.gz and .arc.gz, where nobody asks for them: several times as
    /// fast. The end of a record is found by its length, which stands in its header and at its end. Damage in a body is
    /// not noticed, and a hostile page can forge a record: for archives of a known origin. No effect with --on-damage
    /// keep or skip
    #[arg(long)]
    skip_bodies: bool,

    #[command(flatten)]
    damaged: Damaged,

    /// Memory for the run. Lines to sort beyond it go to temporary files [default: 512M, or 64M for each thread if
    /// that is more]
    #[arg(long, value_name = "BYTES", value_parser = memory)]
    memory: Option<u64>,

    /// Directory for temporary files, which have no names and disappear with the run [default: the system's
    /// place for them]
    #[arg(long, value_name = "DIR")]
    temp_dir: Option<PathBuf>,

    /// Replace an existing index
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    running: Running,
}

fn forms() -> impl TypedValueParser<Value = IndexForm> {
    let parser = PossibleValuesParser::new(IndexForm::ALL.map(IndexForm::as_str));
    parser
        .map(|name| IndexForm::ALL.into_iter().find(|form| form.as_str() == name).unwrap_or(IndexForm::Cdxj))
}

fn tools() -> impl TypedValueParser<Value = Like> {
    let parser = PossibleValuesParser::new(Like::ALL.map(Like::as_str));
    parser.map(|name| Like::ALL.into_iter().find(|like| like.as_str() == name).unwrap_or_default())
}

fn archives() -> impl TypedValueParser<Value = InputFormat> {
    PossibleValuesParser::new(["warc", "arc", "wacz"]).map(|name| match &*name {
        "arc" => InputFormat::Arc,
        "wacz" => InputFormat::Wacz,
        _ => InputFormat::Warc,
    })
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let progress = RunProgress::default();
    let run = arguments.index().progress(&progress);
    run.validate()?;
    let running = &arguments.running;
    let stats = running.complete(&progress, || run.prepare(), PreparedIndex::threads, PreparedIndex::run)?;
    match running.summary() {
        Form::Text => say(&text(&stats)),
        Form::Json => say_json(&stats.to_json()),
        Form::None => {}
    }
    damage::tell(&stats.damaged)
}

impl Arguments {
    fn index(&self) -> Index {
        let mut run = Index::new()
            .inputs(&self.inputs)
            .like(self.like)
            .no_post(self.no_post)
            .unsorted(self.unsorted)
            .skip_bodies(self.skip_bodies)
            .on_damage(self.damaged.choice())
            .force(self.force)
            .chunk(self.running.chunk());
        if let Some(path) = file(self.output.as_deref()) {
            run = run.write_to(path);
        }
        if let Some(form) = self.to {
            run = run.form(form);
        }
        if let Some(format) = &self.from {
            run = run.format(*format);
        }
        if let Some(types) = &self.records {
            run = run.records(types.clone());
        }
        if let Some(shards) = self.shards {
            run = run.shards(shards);
        }
        if let Some(lines) = self.block_lines {
            run = run.block_lines(lines);
        }
        let with = |run: Index, path: &Option<PathBuf>, set: fn(Index, &Path) -> Index| match path {
            Some(path) => set(run, path),
            None => run,
        };
        run = with(run, &self.root, |run, path| run.root(path));
        run = with(run, &self.temp_dir, |run, path| run.temp_dir(path));
        if let Some(bytes) = self.memory {
            run = run.memory(bytes);
        }
        if let Some(threads) = self.running.threads() {
            run = run.threads(threads);
        }
        run
    }
}

fn text(stats: &IndexStats) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    let left_out = &stats.left_out;
    let all = stats.lines + stats.repeated + left_out.all();
    // Writing to a string cannot fail.
    let _ = write!(text, "{} = {}", count(all, "record"), count(stats.lines, "line"));
    for (records, why) in [
        (stats.repeated, "with the same line as another"),
        (left_out.types, "of types that are not indexed"),
        (left_out.without_target, "without a target"),
        (left_out.without_time, "without a time that can be read"),
        (left_out.without_status, "without a status"),
        (left_out.damaged, "that are damaged"),
        (left_out.unreachable, "in files that are compressed as a whole"),
    ] {
        if records > 0 {
            let _ = write!(text, " + {} {why}", HumanCount(records));
        }
    }
    text.push('\n');
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
    text
}
