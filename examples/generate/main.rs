//! Makes a crawl list of any size: realistic URIs, one a line, the same bytes for the same seed.
//!
//! Benchmarks and trials of whole files need more data than a repository can hold. `model` makes the lines, this file
//! writes them.

mod model;

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser};
use flate2::{Compression, write::GzEncoder};

use model::{DIRT, INVALID, MEAN_LENGTH, MEAN_RUN, Model, OCTAVES, SHAPE, Share, total_share};

/// Bytes that are collected before a write.
const BUFFER: usize = 1 << 20;

#[derive(Parser)]
#[command(name = "generate", about = "Make a list of realistic URIs, one a line")]
struct Options {
    /// Lines to write
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    rows: u64,
    /// Which list: the same rows, seed and dirt give the same bytes
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Multiply the share of everything invalid or not in normal form; 0 makes a clean list
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    dirt: f64,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Compress with gzip
    #[arg(long)]
    gzip: bool,
}

fn main() -> ExitCode {
    let matches = Options::command().after_long_help(shares()).get_matches();
    let result = Options::from_arg_matches(&matches).map_err(|error| error.to_string()).and_then(|o| run(&o));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("generate: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let model = Model::new(options.seed, options.dirt)?;
    let Some(path) = &options.output else {
        return match write_list(options, model, io::stdout().lock()) {
            // The reader has closed the pipe, as in `generate | head`: that is not an error.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            result => result.map_err(|error| format!("can't write to standard output: {error}")),
        };
    };
    let file = File::create(path).map_err(|error| format!("can't create {}: {error}", path.display()))?;
    write_list(options, model, file).map_err(|error| {
        let rest = if remove_rest(path) { "; the incomplete file was removed" } else { "" };
        format!("can't write {}: {error}{rest}", path.display())
    })
}

/// Removes the file of a failed run, unless it is a device or a pipe; returns whether it did.
fn remove_rest(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file()) && std::fs::remove_file(path).is_ok()
}

fn write_list(options: &Options, model: Model, sink: impl Write) -> io::Result<()> {
    if options.gzip {
        let mut encoder = GzEncoder::new(sink, Compression::default());
        write_lines(options.rows, model, &mut encoder)?;
        encoder.finish()?.flush()
    } else {
        write_lines(options.rows, model, sink)
    }
}

fn write_lines(rows: u64, mut model: Model, mut sink: impl Write) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(BUFFER + BUFFER / 16);
    for _ in 0..rows {
        model.write_line(&mut buffer);
        if buffer.len() >= BUFFER {
            sink.write_all(&buffer)?;
            buffer.clear();
        }
    }
    sink.write_all(&buffer)?;
    sink.flush()
}

/// The last part of `--help`: a description of the list, from the tables that define it.
fn shares() -> String {
    let mut text = format!(
        "What the lines are like. The shares were measured on 244,889 links of three public lists (top sites, \
         a web archive's seeds, a link collection); shares of dirt are at factor 1.\n\n\
         On average {MEAN_LENGTH} bytes a line and {MEAN_RUN} lines in a row with the same host. Hosts follow Zipf's law \
         with an exponent near 1.2 over 2^{OCTAVES} hosts, home pages have hosts of their own. Paths have up to 8 \
         segments, queries up to 6 parameters. Nearly all URIs are distinct.\n\nShape:\n"
    );
    let percent = |text: &mut String, share: &Share| {
        // Writing to a string can't fail.
        let _ = writeln!(text, "  {:8.3} %  {}", f64::from(share.per_million) / 10_000.0, share.name);
    };
    SHAPE.iter().for_each(|share| percent(&mut text, share));
    text += "\nDirt, valid (scaled by --dirt):\n";
    DIRT.iter().for_each(|(_, share)| percent(&mut text, share));
    let _ = writeln!(
        text,
        "\nDirt, rejected by RFC 3986: {:.3} % together (scaled by --dirt):",
        f64::from(total_share(&INVALID)) / 10_000.0
    );
    INVALID.iter().for_each(|(_, share)| percent(&mut text, share));
    text.truncate(text.trim_end().len());
    text
}
