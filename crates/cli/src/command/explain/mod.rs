//! `urimill explain`: components, steps of normalization, warnings and faults of a URI.

mod text;

use std::io::{self, BufRead, Write};

use serde_json::Value;

use crate::args::options::Given;
use crate::exit::Exit;
use crate::term::colour::Paint;
use urimill::error::{Error, Result};
use urimill::explain::{Explanation, Options, explain};
use urimill::option_name::OptionName;
use urimill::passwords::{masked, masked_authority, masked_segments, masked_userinfo};
use urimill::printable::printable_json;
use urimill::resolve::parse_base;
use urimill::run::options::Job;
use urimill::streams::{self, Stream, refuse_own_input};

/// The text after the options in `--help`.
pub(crate) const EXAMPLES: &str = "\
Examples:
  urimill explain 'HTTP://user:pw@Example.COM:80/%7Ea/../b?q#f'
      its components, the steps to its normal form, and warnings
  urimill explain '../g;x?y' --base http://a/b/c/d
      its resolution, and the normal form of the target
  urimill explain 'http://example.com/a b' --to json
      the position of the fault, the rule, and the result of --repair, as JSON";

/// The arguments of `urimill explain`.
pub(crate) type Arguments = Given<{ Job::Explain as usize }>;

/// The most bytes kept of a line of standard input. It is more than the longest record, so that a line that is cut is a
/// reject.
const KEPT: u64 = 16 << 20;

pub(crate) fn run(arguments: &Arguments) -> Result<Exit> {
    let spec = arguments.parsed(OptionName::Spec).unwrap_or_default();
    let port_rules =
        arguments.path(OptionName::PortRules).map(urimill::lists::read_port_rules).transpose()?;
    let port_rules = port_rules.unwrap_or_default();
    let options = Options::new()
        .spec(spec)
        .level(arguments.parsed(OptionName::Level).unwrap_or_default())
        .base(arguments.text(OptionName::Base).map(|base| parse_base(base, spec)).transpose()?)
        .mode(arguments.mode())
        .repair(arguments.is_on(OptionName::Repair))
        .default_scheme(arguments.parsed(OptionName::DefaultScheme))
        .port_rules(&port_rules);
    let mut printer = Printer {
        is_json: arguments.text(OptionName::OutputFormat) == Some("json"),
        paint: Paint::new(arguments.shown(OptionName::Color)),
        shows_passwords: arguments.is_on(OptionName::ShowPasswords),
        is_first: true,
        exit: Exit::Done,
    };
    streams::check_open(Stream::Output)?;
    match arguments.has(OptionName::Inputs) {
        false => each_line(|line| printer.print(&explain(line, &options)))?,
        true => {
            arguments.each(OptionName::Inputs).try_for_each(|uri| printer.print(&explain(uri, &options)))?
        }
    }
    Ok(printer.exit)
}

/// Explains standard input line by line, so that a person who types gets answers. Lines are records as in every
/// command: a carriage return before the line feed and a byte-order mark are not part of them, and blank ones are
/// skipped.
fn each_line(mut then: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    streams::check_open(Stream::Input)?;
    refuse_own_input()?;
    let failed = |error| Error::io("read", "standard input", error);
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    let mut is_first = true;
    loop {
        line.clear();
        let read = io::Read::take(&mut input, KEPT).read_until(b'\n', &mut line).map_err(failed)?;
        if read == 0 {
            return Ok(());
        }
        if read as u64 == KEPT && !line.ends_with(b"\n") {
            input.skip_until(b'\n').map_err(failed)?;
        }
        let mut record = line.as_slice();
        if std::mem::take(&mut is_first) {
            record = record.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(record);
        }
        if let Some(ended) = record.strip_suffix(b"\n") {
            record = ended.strip_suffix(b"\r").unwrap_or(ended);
        }
        if !record.is_empty() {
            then(record)?;
        }
    }
}

struct Printer {
    is_json: bool,
    paint: Paint,
    shows_passwords: bool,
    is_first: bool,
    exit: Exit,
}

impl Printer {
    fn print(&mut self, told: &Explanation) -> Result<()> {
        if !told.is_accepted() {
            self.exit = Exit::Invalid;
        }
        let is_first = std::mem::take(&mut self.is_first);
        let page = match self.is_json {
            true => {
                let mut json = told.to_json();
                if !self.shows_passwords {
                    mask(&mut json, text::may_be_path(told));
                }
                format!("{}\n", printable_json(&json.to_string()))
            }
            false => {
                let page = text::page(told, self.paint, self.shows_passwords);
                if is_first { page } else { format!("\n{page}") }
            }
        };
        let mut out = io::stdout().lock();
        let written = out.write_all(page.as_bytes()).and_then(|()| out.flush());
        written.map_err(|error| Error::io("write", "standard output", error))
    }
}

/// Masks the passwords in all texts of a JSON value; `may_be_path` says that a password may be part of a path by one of
/// the specifications. A member that is named `userinfo` holds user information alone.
fn mask(json: &mut Value, may_be_path: bool) {
    let is = |json: &Value, name: &str| json.get("name").and_then(Value::as_str) == Some(name);
    let (is_userinfo, is_host) = (is(json, "userinfo"), is(json, "host"));
    match json {
        Value::String(text) if may_be_path => *text = masked_segments(text),
        Value::String(text) => *text = masked(text).into_owned(),
        Value::Array(values) => values.iter_mut().for_each(|value| mask(value, may_be_path)),
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if name == "text" && is_userinfo => {
                        *text = masked_userinfo(text).into_owned();
                    }
                    Value::String(text) if name == "text" && is_host => {
                        *text = masked_authority(text).into_owned();
                    }
                    other => mask(other, may_be_path),
                }
            }
        }
        _ => {}
    }
}
