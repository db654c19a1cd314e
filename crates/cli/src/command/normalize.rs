//! `urimill normalize`: the main job and its arguments.

use crate::args::options::Given;
use crate::args::output::warning;
use crate::term::damage;
use crate::term::stderr::say_sentence;
use crate::term::summary;
use urimill::error::Result;
use urimill::run::options::Job;
use urimill::run::{Conversion, Output, RunProgress};

/// The text after the options in `--help`.
pub(crate) const EXAMPLES: &str = "\
Examples:
  urimill normalize urls.txt.gz -o urls.parquet
      a table of all components, in the normal form
  urimill normalize 'logs/*.gz' -o urls.parquet --rejects bad.jsonl
      records that are no URI references go to a table of their own
  zcat urls.gz | urimill normalize --level syntax | sort -u
      only the normal forms, one a line
  urimill normalize urls.txt --repair --to csv --columns host,path,error | head
      some columns, after repair
  urimill normalize urls.txt --columns +surt --canonical w3lib --drop-tracking -o urls.parquet
      the key of web archives, and one canonical form for pages that are probably the same
  urimill normalize links.csv --from csv --base-field page --uri-field href -o links.parquet
      the targets of links, each resolved against its page, which is the column base
  urimill normalize crawl.log.gz --from heritrix -o crawl.parquet
      a crawler's log, its other fields typed
  urimill normalize pages.parquet --from parquet --uri-field url -o components.parquet
      a table with urimill's columns added to its own
  urimill normalize index.cdxj --from cdxj --schema cc-index -o index.parquet
      Common Crawl's table, for existing queries
  urimill normalize 'logs/*.gz' -o table/ --partition-by scheme,host_kind
      a directory of files, as warehouses read them
  urimill normalize urls.txt --columns +surt --sort-by surt -o urls.parquet
      the pages of a site together; readers skip the others";

/// The arguments of `urimill normalize`.
pub(crate) type Arguments = Given<{ Job::Normalize as usize }>;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let progress = RunProgress::default();
    let run = arguments.fill(Conversion::new().write_to(Output::stdout()))?.progress(&progress);
    run.validate()?;
    arguments.refuse_terminal(run.output_format()?)?;
    let stats = arguments.complete(&progress, || run.prepare())?;
    if let Some(warning) = warning(&stats.output) {
        say_sentence(&warning);
    }
    if stats.is_detected {
        arguments.say_format_of_table(stats.input_format, &stats.wrappers, stats.bytes);
    }
    summary::print(&stats, arguments.summary());
    damage::tell(&stats.damaged)
}
