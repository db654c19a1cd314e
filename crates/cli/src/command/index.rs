//! `urimill index`: its arguments, and how it makes the index of web archives.

use crate::args::options::Given;
use crate::term::damage;
use crate::term::summary;
use urimill::error::Result;
use urimill::run::options::Job;
use urimill::run::{Index, RunProgress};

/// The text after the options in `--help`.
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
    summary::print(&stats, arguments.summary());
    damage::tell(&stats.damaged)
}
