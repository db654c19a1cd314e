//! `urimill report`: a page of the figures of a log.

use indicatif::{HumanBytes, HumanCount};

use crate::args::options::Given;
use crate::term::count::count;
use crate::term::damage;
use crate::term::stderr::printable;
use crate::term::summary;
use urimill::error::{Error, Result};
use urimill::option_name::OptionName;
use urimill::report::shell_word;
use urimill::run::options::Job;
use urimill::run::{Report, Reported, RunProgress};

/// The text after the options in `--help`.
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

/// The most parameters that the summary names.
const MOST_NAMES: usize = 50;

/// The arguments of `urimill report`.
pub(crate) type Arguments = Given<{ Job::Report as usize }>;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    if ![OptionName::Page, OptionName::Json, OptionName::State].iter().any(|&output| arguments.has(output)) {
        return Err(Error::usage(
            "there is nothing to write: give -o FILE.html for the page, --json FILE or --state FILE; urimill stats \
             shows a summary in the terminal",
        ));
    }
    let progress = RunProgress::default();
    let run = arguments.fill(Report::new())?.progress(&progress);
    run.validate()?;
    let reported = arguments.complete(&progress, || run.prepare())?;
    let json = || {
        let mut summary = reported.state.to_json(0);
        summary["twice"] = serde_json::json!(reported.twice);
        summary
    };
    arguments.summarize(|| text(&reported), json);
    damage::tell(&reported.damaged)
}

fn text(reported: &Reported) -> String {
    let accounts = reported.state.accounts();
    let seconds = reported.time.as_secs_f64();
    let time = summary::time(reported.time, accounts.bytes as f64 / seconds.max(1e-9));
    let what = match reported.is_merged {
        true => format!("{} in {seconds:.3} s", count(reported.state.inputs(), "input")),
        false => format!("{} in {time}", HumanBytes(accounts.bytes)),
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
    text.push_str(&format!("\n{what}\n"));
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

/// Lines about inputs with the same content.
pub(super) fn twice(names: &[[String; 2]]) -> String {
    let line = |[one, other]: &[String; 2]| {
        format!("counted twice: {} and {} hold the same\n", printable(one), printable(other))
    };
    names.iter().map(line).collect()
}
