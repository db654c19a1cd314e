//! `urimill lookup`: its arguments, and how it searches the index of a web archive.

use std::io::BufRead;
use std::path::Path;

use crate::args::options::Given;
use crate::exit::Exit;
use urimill::error::{Error, Result};
use urimill::lookup::{Lookup, Match, Query};
use urimill::option_name::OptionName;
use urimill::printable::printable_json;
use urimill::run::options::Job;
use urimill::run::parse_bytes;
use urimill::write::Target;

/// The text after the options in `--help`.
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

/// The arguments of `urimill lookup`.
pub(crate) type Arguments = Given<{ Job::Lookup as usize }>;

/// Looks up each URL. The exit code is that of a negative answer if a URL has no line.
pub(crate) fn run(arguments: &Arguments) -> Result<Exit> {
    let index = arguments.path(OptionName::Index).unwrap_or(Path::new(""));
    let memory = arguments.text(OptionName::Memory).and_then(parse_bytes).unwrap_or_default();
    let mut lookup = Lookup::open_within(index, memory)?.scan(arguments.is_on(OptionName::Scan));
    let mut out = Target::stdout()?;
    let mut found = false;
    match &arguments.each(OptionName::Inputs).collect::<Vec<_>>()[..] {
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
    /// Prints the lines of one URL, each with the URL if there are `several`. Returns whether there are any.
    fn answer(&self, lookup: &mut Lookup, url: &str, several: bool, out: &mut Target) -> Result<bool> {
        let name = self.text(OptionName::Match);
        let matching = Match::ALL.into_iter().find(|one| name == Some(one.as_str())).unwrap_or_default();
        let mut query = Query::new(url, matching)?;
        if let Some(time) = self.text(OptionName::Since) {
            query = query.from(time)?;
        }
        if let Some(time) = self.text(OptionName::Until) {
            query = query.to(time)?;
        }
        let limit: Option<u64> = self.parsed(OptionName::Limit);
        let of = match several {
            true => format!("\"query\": {}, ", serde_json::Value::from(url)),
            false => String::new(),
        };
        let mut count = 0;
        let found = lookup.each(&query, |line| {
            let line = format!("{{{of}{}\n", &line.to_json()[1..]);
            out.append(printable_json(&line).as_bytes())?;
            count += 1;
            Ok(limit.is_none_or(|limit| count < limit))
        })?;
        // The reader of the answers may wait for them before it sends the next question.
        out.end_batch()?;
        Ok(found)
    }
}
