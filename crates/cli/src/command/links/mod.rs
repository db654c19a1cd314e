//! `urimill links`: its arguments, and how it makes a table of the references in pages.

mod edges;

use crate::args::options::Given;
use crate::args::output::warning;
use crate::term::damage;
use crate::term::stderr::say_sentence;
use crate::term::summary;
use urimill::error::Result;
use urimill::option_name::OptionName;
use urimill::run::options::Job;
use urimill::run::{Conversion, Links, Output, RunProgress};

/// The text after the options in `--help`.
pub(crate) const EXAMPLES: &str = "\
Examples:
  urimill links crawl.warc.gz -o links.parquet
      every reference in the pages of a web archive, resolved, with its place and its words
  urimill links 'saved/*.html' --base http://example.com/ -o links.csv
      pages that were saved from somewhere
  urimill links crawl.warc.gz --columns page,uri,rel,text --to jsonl | head
      some columns
  urimill links CC-MAIN.warc.wat.gz -o links/ --partition-by internal
      what somebody extracted from an archive, as a directory of files
  urimill links crawl.warc.gz --spec whatwg --rejects bad.jsonl -o links.parquet
      as browsers read them; texts that are no URLs go to a table of their own
  urimill links 'crawl/*.warc.gz' --edges host -o edges.parquet
      how many links lead from each host to each other
  urimill links 'crawl/*.warc.gz' --edges registered_domain --graph -o graph/
      the graph of domains, for tools that read Common Crawl's";

/// The arguments of `urimill links`.
pub(crate) type Arguments = Given<{ Job::Links as usize }>;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    if arguments.has(OptionName::Edges) {
        return edges::run(arguments);
    }
    let progress = RunProgress::default();
    let run = Conversion::new().links(Links::new()).write_to(Output::stdout());
    let run = arguments.fill(run)?.progress(&progress);
    run.validate()?;
    arguments.refuse_terminal(run.output_format()?)?;
    let stats = arguments.complete(&progress, || run.prepare())?;
    if let Some(warning) = warning(&stats.output) {
        say_sentence(&warning);
    }
    summary::print(&stats, arguments.summary());
    damage::tell(&stats.damaged)
}
