//! `urimill extract`: finds the URIs in running text and writes them in order.

use crate::args::options::Given;
use crate::term::count::count;
use crate::term::damage;
use crate::term::progress::Bar;
use crate::term::signals;
use crate::term::stderr::say_sentence;
use urimill::error::Result;
use urimill::option_name::OptionName;
use urimill::run::options::Job;
use urimill::run::{Extract, RunProgress};

/// The text after the options in `--help`.
pub(crate) const EXAMPLES: &str = "\
Examples:
  urimill extract mail.mbox notes.md | sort | uniq -c
      the URIs, and how often each occurs
  urimill extract 'pages/*.html.gz' --to jsonl -o links.jsonl
      each URI with its file, its offset, and its text as written
  urimill extract crawl.warc.gz --records response --to jsonl -o links.jsonl
      the URIs in the pages of a web archive, each with its page
  urimill extract posts.parquet --uri-field body
      the URIs in the texts of a column
  urimill extract README.md | urimill normalize -o links.parquet
      a table of the URIs in a text";

/// The arguments of `urimill extract`.
pub(crate) type Arguments = Given<{ Job::Extract as usize }>;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let progress = RunProgress::default();
    let run = arguments.fill(Extract::new())?.progress(&progress);
    run.validate()?;
    let abandoned = progress.clone();
    let _watch = signals::watch(move || abandoned.abandon());
    let when = match arguments.has(OptionName::Output) {
        false => arguments.bar().beside_results(),
        true => arguments.bar(),
    };
    let bar = Bar::start(when, &progress);
    let result = run.run();
    drop(bar);
    let stats = result?;
    if stats.unread > 0 {
        let records = count(stats.unread, "record");
        say_sentence(&format!("not searched: {records}, whose payload cannot be decoded"));
    }
    if stats.cut > 0 {
        say_sentence(&format!("searched up to damage or to a limit: {}", count(stats.cut, "text")));
    }
    if stats.malformed > 0 {
        let records = count(stats.malformed, "record");
        say_sentence(&format!("not searched: {records} without the form of the format"));
    }
    damage::tell(&stats.damaged)
}
