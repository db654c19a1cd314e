//! Where a command writes: the arguments of those that write a table, and what no output may do.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::Args;

use super::values::names;
use crate::error::{Error, Result};
use crate::files::streams::{self, Stream};
use crate::files::{self, Identity};
use crate::input::Source;
use crate::output::{Compression, Format, SinkOptions, Target, same_target};

/// Where a table goes, and how it is written.
#[derive(Debug, Args)]
pub(super) struct Writing {
    /// Write to FILE, whose name's end tells the format; standard output without it, or as -
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// The format; without it the end of FILE's name tells, or uris on standard output
    #[arg(long, value_name = "FORMAT", value_parser = names(Format::ALL.map(Format::name)))]
    to: Option<String>,

    /// Compression of Parquet pages
    #[arg(long, value_name = "CODEC", default_value = "zstd", value_parser = names(Compression::ALL.map(Compression::name)))]
    compression: String,

    /// Rows of a Parquet row group, at most
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    row_group_rows: u32,

    /// In CSV, write ' before texts that a spreadsheet would take for formulas: those that begin with =, +, -, @, a tab or
    /// a line end. It changes values: the ' is part of the cell for every reader
    #[arg(long)]
    csv_safe: bool,

    /// Replace output files that exist
    #[arg(long)]
    force: bool,
}

impl Writing {
    fn asked(&self) -> Option<Format> {
        self.to.as_deref().and_then(Format::from_name)
    }

    /// The format of the files of a directory: a directory's name need not tell.
    pub(super) fn format_in(&self, directory: &Path) -> Format {
        self.asked().or(Format::from_extension(directory)).unwrap_or(Format::Parquet)
    }

    /// Refuses `--csv-safe` where none of the outputs is CSV.
    pub(super) fn check_safe(&self, outputs: impl IntoIterator<Item = Format>) -> Result<()> {
        if self.csv_safe && !outputs.into_iter().any(|format| format == Format::Csv) {
            return Err(Error::usage(
                "--csv-safe is for CSV, and no output is: name one with -o FILE.csv, or --to csv",
            ));
        }
        Ok(())
    }

    /// Whether what exists is to be replaced.
    pub(super) fn replaces(&self) -> bool {
        self.force
    }

    /// The table's format.
    pub(super) fn format(&self) -> Result<Format> {
        match (self.asked(), self.file()) {
            (Some(format), _) => Ok(format),
            (None, None) => Ok(Format::Uris),
            (None, Some(path)) => self.format_of(path),
        }
    }

    /// The format of a table beside the main one: by its name first.
    pub(super) fn format_of(&self, path: &Path) -> Result<Format> {
        Format::from_extension(path).or(self.asked()).ok_or_else(|| no_format(path))
    }

    /// The file to write to; `None` for standard output.
    pub(super) fn file(&self) -> Option<&Path> {
        file(self.output.as_deref())
    }

    /// The main output.
    pub(super) fn target(&self) -> Result<Target> {
        target(self.file(), self.force)
    }

    /// Another output.
    pub(super) fn create(&self, path: &Path) -> Result<Target> {
        Target::create(path, self.force)
    }

    /// What the sink is told, with these pairs behind the version in the file's metadata.
    pub(super) fn sink_options(&self, metadata: Vec<(&str, &str)>) -> SinkOptions {
        let version = [("urimill.version", env!("CARGO_PKG_VERSION"))];
        let pairs = version.into_iter().chain(metadata);
        SinkOptions {
            compression: Compression::from_name(&self.compression).unwrap_or_default(),
            row_group_rows: self.row_group_rows as usize,
            csv_safe: self.csv_safe,
            metadata: pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
            ..SinkOptions::default()
        }
    }

    /// Refuses to write what a terminal cannot show to one.
    pub(super) fn refuse_terminal(&self, format: Format) -> Result<()> {
        let is_binary = matches!(format, Format::Parquet | Format::Arrow | Format::ArrowStream);
        if self.file().is_none() && is_binary && std::io::stdout().is_terminal() {
            return Err(Error::usage(format!(
                "{} is not for a terminal: give -o FILE, or send standard output elsewhere",
                format.name()
            )));
        }
        Ok(())
    }
}

/// The file that `--output` names; `None` for standard output.
pub(super) fn file(output: Option<&Path>) -> Option<&Path> {
    output.filter(|path| *path != Path::new("-"))
}

/// A file to be published when it is complete, or standard output.
pub(super) fn target(file: Option<&Path>, force: bool) -> Result<Target> {
    match file {
        Some(path) => Target::create(path, force),
        None => Target::stdout(),
    }
}

/// Refuses outputs that would destroy an input: the table, whose file is `None` for standard output, and the
/// other one, if there is one.
pub(super) fn refuse_inputs(sources: &[Source], [table, other]: [Option<&Path>; 2]) -> Result<()> {
    if table.is_none() {
        let output = streams::file(Stream::Output)?;
        for source in sources.iter().filter(|_| output.is_some()) {
            if identity(source)? == output {
                return Err(is_input("standard output"));
            }
        }
    }
    for output in [table, other].into_iter().flatten() {
        let looked = |e| Error::path("look at", output, e);
        // Devices and pipes are not destroyed by writing to them; a terminal is even both.
        if !files::find(output).map_err(looked)?.is_some_and(|found| found.is_file()) {
            continue;
        }
        let own = files::found(files::identity(output)).map_err(looked)?;
        for source in sources {
            let is_same = match source {
                Source::File(input) => same_target(output, input).map_err(looked)?,
                _ => own.is_some() && identity(source)? == own,
            };
            if is_same {
                return Err(is_input(&output.display().to_string()));
            }
        }
    }
    Ok(())
}

/// The file that a source is, if it is one.
fn identity(source: &Source) -> Result<Option<Identity>> {
    match source {
        Source::File(path) => {
            files::found(files::identity(path)).map_err(|e| Error::path("look at", path, e))
        }
        Source::Stdin => streams::file(Stream::Input),
        Source::Reader(_) => Ok(None),
    }
}

fn is_input(output: &str) -> Error {
    Error::usage(format!("cannot write {output}: it is an input; name another file"))
}

/// Refuses standard output and standard error where they are appended to what standard input reads: that would go on
/// forever.
pub(super) fn refuse_own_input() -> Result<()> {
    let input = streams::file(Stream::Input)?;
    for stream in [Stream::Output, Stream::Errors] {
        if input.is_some() && streams::file(stream)? == input {
            return Err(is_input(stream.name()));
        }
    }
    Ok(())
}

/// A file whose name does not tell its format.
fn no_format(path: &Path) -> Error {
    Error::usage(format!(
        "cannot tell a format from the name {}: give it an end such as .parquet, .arrow, .csv, .jsonl or .txt, or say --to FORMAT",
        path.display()
    ))
}
