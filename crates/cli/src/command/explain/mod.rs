//! `urimill explain`: what there is to say of a URI.

mod text;

use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::Value;

use crate::args::values::{levels, specs};
use crate::exit::Exit;
use crate::term::colour::{Paint, When};
use urimill::error::{Error, Result};
use urimill::explain::{Explanation, Options, explain};
use urimill::grammar::Spec;
use urimill::normalize::{DefaultScheme, Level};
use urimill::passwords::{masked, masked_authority, masked_segments, masked_userinfo};
use urimill::printable::printable_json;
use urimill::resolve::{Mode, parse_base};
use urimill::streams::{self, Stream, refuse_own_input};

/// What `--help` ends with.
pub(crate) const EXAMPLES: &str = "\
Examples:
  urimill explain 'HTTP://user:pw@Example.COM:80/%7Ea/../b?q#f'
      its components, the steps to its normal form, and warnings
  urimill explain '../g;x?y' --base http://a/b/c/d
      its resolution, and the normal form of the target
  urimill explain 'http://example.com/a b' --to json
      the position of the fault, the rule, and the result of --repair, as JSON";

/// The arguments of `urimill explain`; their comments are the help text.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// URI references, after -- if one begins with a hyphen [default: the lines of standard input]
    #[arg(value_name = "URI")]
    uris: Vec<String>,

    /// The specification to read them by
    #[arg(long, value_name = "SPEC", default_value = "rfc3986", value_parser = specs())]
    spec: Spec,

    /// The normal form whose steps are shown (RFC 3986, 6.2); each level includes those before it
    #[arg(long, value_name = "LEVEL", default_value = "scheme", value_parser = levels())]
    level: Level,

    /// Resolve them against this URI first
    #[arg(long, value_name = "URI")]
    base: Option<String>,

    /// With --base: ignore the scheme of a reference if it is the base's (RFC 3986, 5.2.2)
    #[arg(long, requires = "base")]
    compat: bool,

    /// Repair a reject, as normalize --repair does, and explain the result
    #[arg(long)]
    repair: bool,

    /// With --repair: complete suffixes of URIs, such as www.w3.org/Addressing/, with SCHEME://
    #[arg(long, value_name = "SCHEME", requires = "repair")]
    default_scheme: Option<DefaultScheme>,

    /// Rules for the flag port_well_known_mismatch: see normalize --port-rules
    #[arg(long, value_name = "FILE")]
    port_rules: Option<PathBuf>,

    /// Show passwords, which are otherwise replaced by ***; positions always count in the original text
    #[arg(long)]
    show_passwords: bool,

    /// Format of the output
    #[arg(long = "to", value_enum, value_name = "FORM", default_value_t = Form::Text)]
    form: Form,

    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = When::Auto, hide_possible_values = false)]
    color: When,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Lines for people
    Text,
    /// One JSON object a line and URI
    Json,
}

/// What is kept of a line of standard input: more than any record may have, so that what is cut is a reject.
const KEPT: u64 = 16 << 20;

pub(crate) fn run(arguments: &Arguments) -> Result<Exit> {
    let spec = arguments.spec;
    let port_rules =
        arguments.port_rules.as_deref().map(urimill::lists::read_port_rules).transpose()?.unwrap_or_default();
    let options = Options::new()
        .spec(spec)
        .level(arguments.level)
        .base(arguments.base.as_deref().map(|base| parse_base(base, spec)).transpose()?)
        .mode(if arguments.compat { Mode::Compatible } else { Mode::Strict })
        .repair(arguments.repair)
        .default_scheme(arguments.default_scheme)
        .port_rules(&port_rules);
    let mut printer = Printer {
        form: arguments.form,
        paint: Paint::new(arguments.color),
        shows_passwords: arguments.show_passwords,
        is_first: true,
        exit: Exit::Done,
    };
    streams::check_open(Stream::Output)?;
    match arguments.uris.is_empty() {
        true => each_line(|line| printer.print(&explain(line, &options)))?,
        false => arguments.uris.iter().try_for_each(|uri| printer.print(&explain(uri, &options)))?,
    }
    Ok(printer.exit)
}

/// Standard input line by line, so that somebody who types gets answers. Lines are records as everywhere: a carriage
/// return before the line feed and a byte-order mark are not part of them, and blank ones are skipped.
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
    form: Form,
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
        let page = match self.form {
            Form::Json => {
                let mut json = told.to_json();
                if !self.shows_passwords {
                    mask(&mut json, text::may_be_path(told));
                }
                format!("{}\n", printable_json(&json.to_string()))
            }
            Form::Text => {
                let page = text::page(told, self.paint, self.shows_passwords);
                if is_first { page } else { format!("\n{page}") }
            }
        };
        let mut out = io::stdout().lock();
        let written = out.write_all(page.as_bytes()).and_then(|()| out.flush());
        written.map_err(|error| Error::io("write", "standard output", error))
    }
}

/// Masks the passwords in all texts of a JSON value; by some specification one `may_be_path`. An object with the name of
/// user information holds it by itself.
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
