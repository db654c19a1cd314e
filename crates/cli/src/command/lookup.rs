//! `urimill lookup`: lines of the index of a web archive, its arguments and what they ask for.

use std::io::BufRead;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::args::values::memory;
use crate::exit::Exit;
use urimill::error::{Error, Result};
use urimill::lookup::{Lookup, Match, Query};
use urimill::printable::printable_json;
use urimill::write::Target;

/// What `--help` ends with.
pub(crate) const EXAMPLES: &str = "\
Examples:
  urimill lookup http://example.com/ --index index.cdxj
      every capture of a page
  urimill lookup example.com --match domain --from 2024 --to 2025 --index index/ | head
      captures of a domain in two years, from an index in blocks
  urimill lookup --index index.cdxj < urls.txt
      captures of many pages; each line says of which
  urimill lookup 'com,example)/a' --match prefix --index index/cdx.idx
      by a key
  urimill lookup 'http://example.com/find?__wb_method=POST&q=a' --index index.cdxj
      answers to a POST with the body q=a";

/// The arguments of `urimill lookup`; their comments are the help text.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// URLs, with a scheme or without, or keys such as 'com,example)/a' [default: the lines of standard input]
    #[arg(value_name = "URL")]
    urls: Vec<String>,

    /// The index: a sorted CDXJ file, a directory of ZipNum, the list of its blocks (.idx), or a table (Parquet) that
    /// `urimill index` made
    #[arg(short, long, value_name = "INDEX")]
    index: PathBuf,

    /// Which lines are meant: of the same key; whose key begins so; of the same host; of the host and those below it
    #[arg(long = "match", value_name = "HOW", default_value = "exact", value_parser = matches())]
    matching: Match,

    /// Only captures from this time on: its first digits, such as 202511, up to 17 with milliseconds
    #[arg(long, value_name = "TIME")]
    from: Option<String>,

    /// Only captures up to this time: 2025 is all of that year
    #[arg(long, value_name = "TIME")]
    to: Option<String>,

    /// At most so many lines of each URL
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    /// Read the whole index instead of searching it: for an index whose lines are not sorted by their bytes
    #[arg(long)]
    scan: bool,

    /// Memory for lines and pages of the index, and for what describes them; an index that needs more is an error
    #[arg(long, value_name = "BYTES", default_value = "512M", value_parser = memory)]
    memory: u64,
}

fn matches() -> impl TypedValueParser<Value = Match> {
    let parser = PossibleValuesParser::new(Match::ALL.map(Match::as_str));
    parser.map(|name| Match::ALL.into_iter().find(|one| one.as_str() == name).unwrap_or_default())
}

/// Looks up each URL; the answer is no where there is not one line.
pub(crate) fn run(arguments: &Arguments) -> Result<Exit> {
    let mut lookup = Lookup::open_within(&arguments.index, arguments.memory)?.scan(arguments.scan);
    let mut out = Target::stdout()?;
    let mut found = false;
    match &arguments.urls[..] {
        [] => {
            for line in std::io::stdin().lock().lines() {
                let line = line.map_err(|error| Error::io("read", "standard input", error))?;
                if !line.trim().is_empty() {
                    found |= arguments.answer(&mut lookup, &line, true, &mut out)?;
                }
            }
        }
        urls => {
            for url in urls {
                found |= arguments.answer(&mut lookup, url, urls.len() > 1, &mut out)?;
            }
        }
    }
    out.settle()?;
    Ok(if found { Exit::Done } else { Exit::Invalid })
}

impl Arguments {
    /// The lines of one URL, which each line names where there are `several`. Returns whether there are any.
    fn answer(&self, lookup: &mut Lookup, url: &str, several: bool, out: &mut Target) -> Result<bool> {
        let mut query = Query::new(url, self.matching)?;
        if let Some(from) = &self.from {
            query = query.from(from)?;
        }
        if let Some(to) = &self.to {
            query = query.to(to)?;
        }
        let of = match several {
            true => format!("\"query\": {}, ", serde_json::Value::from(url)),
            false => String::new(),
        };
        let mut count = 0;
        let found = lookup.each(&query, |line| {
            let line = format!("{{{of}{}\n", &line.to_json()[1..]);
            out.append(printable_json(&line).as_bytes())?;
            count += 1;
            Ok(self.limit.is_none_or(|limit| count < limit))
        })?;
        // Whoever reads the answers may wait for them before the next question.
        out.end_batch()?;
        Ok(found)
    }
}
