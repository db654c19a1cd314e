//! `urimill dedupe`: how often each URI occurs, whichever way it is written.

use indicatif::{HumanBytes, HumanCount};

use crate::args::options::Given;
use crate::term::count::count;
use crate::term::damage;
use crate::term::stderr::printable;
use crate::term::summary;
use crate::term::summary::Read;
use urimill::Standard;
use urimill::error::Result;
use urimill::run::options::Job;
use urimill::run::{Dedupe, DedupeStats, Output, RunProgress};

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

/// The arguments of `urimill dedupe`.
pub(crate) type Arguments = Given<{ Job::Dedupe as usize }>;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let progress = RunProgress::default();
    let run = arguments.fill(Dedupe::new().write_to(Output::stdout()))?.progress(&progress);
    run.validate()?;
    arguments.refuse_terminal(run.output_format()?)?;
    let stats = arguments.complete(&progress, || run.prepare())?;
    if stats.is_detected {
        arguments.say_format_of_table(stats.input_format, stats.unwraps, stats.bytes);
    }
    arguments.summarize(|| text(&stats), || stats.to_json());
    damage::tell(&stats.damaged)
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
        let rungs = merged.iter().map(|(name, rows)| match *name {
            "identical" => format!("{} identical", HumanCount(*rows)),
            rung => format!("{} after {rung}", HumanCount(*rows)),
        });
        let _ = writeln!(text, "rows with duplicates: {}", rungs.collect::<Vec<_>>().join(", "));
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
        "{} in {}; {} to {}",
        HumanBytes(stats.bytes),
        summary::pace(stats.time, stats.bytes_per_second()),
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
