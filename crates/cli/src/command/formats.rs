//! `urimill formats`: the formats of inputs and outputs, one of them in detail, and the test of a file that defines one.

use std::io::{self, Write};
use std::path::Path;

use serde_json::json;

use super::schema::inside_name;
use crate::args::options::Given;
use crate::term::count::count;
use crate::term::stderr::printable;
use urimill::error::{Error, Result};
use urimill::option_name::OptionName;
use urimill::run::options::Job;
use urimill::run::{FormatFile, InputFormat};
use urimill::streams::{self, Stream};
use urimill::write::Format;

/// The arguments of `urimill formats`.
pub(crate) type Arguments = Given<{ Job::Formats as usize }>;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let form = arguments.text(OptionName::OutputFormat);
    let text = match (arguments.text(OptionName::Named), form) {
        _ if arguments.has(OptionName::Test) => return tested(arguments),
        (Some(name), form) => one(name, form)?,
        (None, Some("json")) => format!("{}\n", as_json()),
        (None, Some("toml")) => {
            return Err(Error::usage(format!(
                "{} is for one format: name it, as in urimill formats alb",
                OptionName::OutputFormat.with("toml")
            )));
        }
        (None, _) => as_text(),
    };
    print(&text)
}

fn print(text: &str) -> Result<()> {
    streams::check_open(Stream::Output)?;
    io::stdout().write_all(text.as_bytes()).map_err(|error| Error::io("write", "standard output", error))
}

fn as_text() -> String {
    let width = InputFormat::all().map(|format| format.name().len()).max().unwrap_or_default();
    let mut text = "Inputs: --from NAME, or found out by what they begin with (auto)\n".to_owned();
    for format in InputFormat::all() {
        text.push_str(&format!("  {:width$}  {}\n", format.name(), format.meaning()));
    }
    text.push_str("\nOne of them: urimill formats NAME\n");
    text.push_str("Inputs by description: --log-format with the format string of a server\n");
    text.push_str("Inputs by a file of yours: --format-file FILE; urimill formats --test FILE tries it\n");
    text.push_str("Compressed inputs: gzip, zstd, bzip2, xz, found out by their first bytes\n");
    text.push_str("\nOutputs: --to NAME, or the extension of the file\n");
    for format in Format::ALL {
        text.push_str(&format!("  {}\n", format.name()));
    }
    text
}

fn as_json() -> serde_json::Value {
    let inputs: Vec<_> = InputFormat::all()
        .map(|format| json!({ "name": format.name(), "meaning": format.meaning() }))
        .collect();
    json!({ "inputs": inputs, "outputs": Format::ALL.map(Format::name) })
}

/// A column.
struct Shown {
    name: String,
    data_type: String,
    meaning: &'static str,
}

/// One format: its columns, and an example.
fn one(name: &str, form: Option<&str>) -> Result<String> {
    let file = match name.parse::<InputFormat>() {
        Ok(format) => FormatFile::of(format).ok_or(format),
        Err(_) if name.ends_with(".toml") || Path::new(name).exists() => Ok(FormatFile::read(name)?),
        Err(error) => return Err(error),
    };
    let format = file.as_ref().map_or_else(|format| *format, FormatFile::format);
    let fields = match &file {
        Ok(file) => file.columns(),
        Err(format) => format.fields().iter().map(|field| (field.name.to_owned(), field.kind, "")).collect(),
    };
    let fields: Vec<_> = fields
        .into_iter()
        .map(|(name, kind, meaning)| Shown { name, data_type: inside_name(&kind.data_type()), meaning })
        .collect();
    let example = file.as_ref().ok().map(FormatFile::example).transpose()?.flatten();
    match (form, &file) {
        (Some("toml"), Ok(file)) => return Ok(file.text().to_owned()),
        (Some("toml"), Err(_)) => {
            return Err(Error::usage(format!("no file defines {name}: it has code of its own")));
        }
        (Some("json"), _) => {
            let fields: Vec<_> = fields
                .iter()
                .map(|field| json!({ "name": field.name, "type": field.data_type, "meaning": field.meaning }))
                .collect();
            let example = example.map(|(text, rows)| json!({ "text": text, "rows": rows }));
            let (name, meaning) = (format.name(), format.meaning());
            let all = json!({ "name": name, "meaning": meaning, "columns": fields, "example": example });
            return Ok(format!("{all}\n"));
        }
        _ => {}
    }
    let mut text = format!("{}: {}\n", format.name(), format.meaning());
    if fields.is_empty() {
        text.push_str("\nIts columns: see docs/FORMATS.md\n");
    } else {
        text.push_str("\nColumns beside those of the URI\n");
        for field in &fields {
            let line = format!("  {:<28} {:<20} {}", field.name, field.data_type, field.meaning);
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    if let Some((sample, rows)) = example {
        text.push_str(&format!("\nExample\n{}\n", sample.trim_end()));
        for row in rows {
            let known = row.iter().filter(|(name, value)| {
                !value.is_null() && fields.iter().any(|field| field.name == **name) || *name == "uri"
            });
            let known: Vec<_> = known.map(|(name, value)| format!("{name}: {value}")).collect();
            text.push_str(&format!("  {}\n", known.join(", ")));
        }
    }
    Ok(text)
}

/// Prints the results of the samples of files.
fn tested(arguments: &Arguments) -> Result<()> {
    let (mut text, mut faults) = (String::new(), 0);
    for path in arguments.paths(OptionName::Test) {
        for file in FormatFile::read_all(path)? {
            let found = file.test()?;
            let (samples, refused) = file.counts()?;
            if found.is_empty() {
                let (samples, refused) =
                    (count(samples as u64, "sample"), count(refused as u64, "refused line"));
                text.push_str(&format!(
                    "{file}: {}: {samples}, {refused}: as the file has them\n",
                    file.name()
                ));
            }
            faults += found.len() as u64;
            found.iter().for_each(|fault| text.push_str(&format!("{}\n", printable(fault))));
        }
    }
    print(&text)?;
    match faults {
        0 => Ok(()),
        faults => Err(Error::usage(format!(
            "{} between samples and what is read: correct the samples or the definition",
            count(faults, "difference")
        ))),
    }
}
