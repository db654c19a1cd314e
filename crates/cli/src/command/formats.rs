//! `urimill formats`: the formats of inputs and outputs.

use std::io::{self, Write};

use serde_json::json;

use crate::args::options::Given;
use urimill::error::{Error, Result};
use urimill::option_name::OptionName;
use urimill::run::InputFormat;
use urimill::run::options::Job;
use urimill::streams::{self, Stream};
use urimill::write::Format;

/// The arguments of `urimill formats`.
pub(crate) type Arguments = Given<{ Job::Formats as usize }>;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let text = match arguments.text(OptionName::OutputFormat) {
        Some("json") => format!("{}\n", as_json()),
        _ => as_text(),
    };
    streams::check_open(Stream::Output)?;
    io::stdout().write_all(text.as_bytes()).map_err(|error| Error::io("write", "standard output", error))
}

fn as_text() -> String {
    let width = InputFormat::all().map(|format| format.name().len()).max().unwrap_or_default();
    let mut text = "Inputs: --from NAME, or found out by what they begin with (auto)\n".to_owned();
    for format in InputFormat::all() {
        text.push_str(&format!("  {:width$}  {}\n", format.name(), format.meaning()));
    }
    text.push_str("\nInputs by description: --log-format with the format string of a server\n");
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
