//! `urimill index`: the index of web archives, its arguments and what they ask for.

use indicatif::{HumanBytes, HumanCount};

use crate::args::options::Given;
use crate::term::count::count;
use crate::term::damage;
use crate::term::stderr::printable;
use crate::term::summary;
use urimill::error::Result;
use urimill::run::options::Job;
use urimill::run::{Index, IndexStats, RunProgress};

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

/// The arguments of `urimill index`.
pub(crate) type Arguments = Given<{ Job::Index as usize }>;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let progress = RunProgress::default();
    let run = arguments.fill(Index::new())?.progress(&progress);
    run.validate()?;
    let stats = arguments.complete(&progress, || run.prepare())?;
    arguments.summarize(|| text(&stats), || stats.to_json());
    damage::tell(&stats.damaged)
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
        "{} in {}; {} to {}",
        HumanBytes(stats.bytes),
        summary::pace(stats.time, stats.bytes_per_second()),
        HumanBytes(stats.output_bytes),
        printable(&stats.output_name)
    );
    text.push_str(&damage::text(&stats.damaged));
    text
}
