//! `urimill extract`: the URIs in running text, one after the other.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde_json::Value;

use super::signals;
use super::values::{levels, specs};
use super::writing::file;
use crate::error::{Error, Result};
use crate::extract::{Found, Options, each_found};
use crate::grammar::Spec;
use crate::input::{expand, open};
use crate::normalize::Level;
use crate::output::{Target, Temporaries};
use crate::printable::printable_json;
use crate::run::refuse_inputs;
use crate::uri::UriRef;

/// What `--help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  urimill extract mail.mbox notes.md | sort | uniq -c
      what is linked to, and how often
  urimill extract 'pages/*.html.gz' --to jsonl -o links.jsonl
      each URI with its file, its offset, and as it is written there
  urimill extract README.md | urimill normalize -o links.parquet
      a table of the URIs in a text";

/// The arguments of `urimill extract`; their comments are the help text.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Files, patterns such as 'logs/*.gz', or - for standard input, which is the default
    #[arg(value_name = "INPUT")]
    inputs: Vec<OsString>,

    /// Write to FILE; standard output without it, or as -
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// The format; without it the end of FILE's name tells, or uris
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Option<Form>,

    /// The specification that the URIs are written by
    #[arg(long, value_name = "SPEC", default_value = "rfc3986", value_parser = specs())]
    spec: Spec,

    /// The normal form to write, by RFC 3986, 6.2: each level includes those before it
    #[arg(long, value_name = "LEVEL", default_value = "none", value_parser = levels())]
    level: Level,

    /// The scheme that completes www.example.com (RFC 3986, 4.5)
    #[arg(long, value_name = "SCHEME", default_value = "http", conflicts_with = "no_suffix")]
    default_scheme: String,

    /// Leave out what has no scheme: www.example.com, and relative references in <URL:…>
    #[arg(long)]
    no_suffix: bool,

    /// Replace the output file if it exists
    #[arg(long)]
    force: bool,

    /// How much is read at once, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 256 << 10, value_parser = clap::value_parser!(u32).range(1..=1 << 30), hide = true)]
    chunk: u32,
}

/// What `--to` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// The URIs alone, one a line
    Uris,
    /// One JSON object a line: source, offset and length in bytes, raw (as written), uri, kind, delimiter
    Jsonl,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let form = arguments.form()?;
    let options = arguments.options()?;
    let sources = expand(&arguments.inputs)?;
    refuse_inputs(&sources, [arguments.file(), None])?;
    let run = Temporaries::default();
    let abandoned = run.clone();
    let _watch = signals::watch(move || abandoned.remove());
    let mut target = match arguments.file() {
        Some(path) => Target::create_for(&run, path, arguments.force)?,
        None => Target::stdout()?,
    };
    let mut line = Vec::new();
    for source in &sources {
        let name = printable_json(&Value::from(source.name()).to_string()).into_owned();
        let mut reader = open(source, &Arc::default())?;
        let read = |buffer: &mut [u8]| reader.read(buffer);
        each_found(read, arguments.chunk as usize, &options, |at, found| {
            line.clear();
            match form {
                Form::Uris => line.extend_from_slice(found.uri.as_bytes()),
                Form::Jsonl => line.extend_from_slice(object(&name, at, found).as_bytes()),
            }
            line.push(b'\n');
            target.append(&line)
        })?;
    }
    target.commit()?;
    Ok(())
}

/// One URI in JSON, its members in the order that people read them; `source` is in JSON already. `at` is where the
/// piece of text begins that [`Found::offset`] counts in.
fn object(source: &str, at: u64, found: &Found<'_>) -> String {
    let (offset, length) = (at + found.offset as u64, found.raw.len());
    let (raw, uri) = (Value::from(found.raw), Value::from(found.uri.as_ref()));
    let (kind, delimiter, hyphen_break) = (found.kind.as_str(), found.delimiter.as_str(), found.hyphen_break);
    format!(
        r#"{{"source":{source},"offset":{offset},"length":{length},"raw":{raw},"uri":{uri},"kind":"{kind}","delimiter":"{delimiter}","hyphen_break":{hyphen_break}}}"#
    )
}

impl Arguments {
    /// The file to write to; `None` for standard output.
    fn file(&self) -> Option<&Path> {
        file(self.output.as_deref())
    }

    fn form(&self) -> Result<Form> {
        let Some(path) = self.file().filter(|_| self.to.is_none()) else {
            return Ok(self.to.unwrap_or(Form::Uris));
        };
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        match extension.to_str() {
            Some("jsonl" | "ndjson") => Ok(Form::Jsonl),
            Some("txt" | "uris") => Ok(Form::Uris),
            _ => Err(Error::usage(format!(
                "cannot tell a format from the name {}: give it the end .jsonl or .txt, or say --to uris or --to jsonl",
                path.display()
            ))),
        }
    }

    fn options(&self) -> Result<Options> {
        let scheme = self.default_scheme.as_str();
        let probe = format!("{scheme}://h");
        if UriRef::parse(&probe).ok().and_then(|uri| uri.scheme()) != Some(scheme) {
            return Err(Error::usage(format!(
                "--default-scheme {scheme:?} is no scheme: give a name such as https, without the colon"
            )));
        }
        let suffix_scheme = (!self.no_suffix).then(|| scheme.to_owned());
        Ok(Options { spec: self.spec, level: self.level, suffix_scheme })
    }
}
