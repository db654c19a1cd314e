//! `urimill dedupe`: counts how often each URI occurs, in whatever spelling.

use crate::args::options::Given;
use crate::term::damage;
use crate::term::summary;
use urimill::error::Result;
use urimill::run::options::Job;
use urimill::run::{Dedupe, Output, RunProgress};

/// The text after the options in `--help`.
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

/// The arguments of `urimill dedupe`.
pub(crate) type Arguments = Given<{ Job::Dedupe as usize }>;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let progress = RunProgress::default();
    let run = arguments.fill(Dedupe::new().write_to(Output::stdout()))?.progress(&progress);
    run.validate()?;
    arguments.refuse_terminal(run.output_format()?)?;
    let stats = arguments.complete(&progress, || run.prepare())?;
    if stats.is_detected {
        arguments.say_format_of_table(stats.input_format, &stats.wrappers, stats.bytes);
    }
    summary::print(&stats, arguments.summary());
    damage::tell(&stats.damaged)
}
