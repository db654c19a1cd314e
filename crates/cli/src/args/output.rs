//! Where a command writes: the arguments of those that write a table.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::Args;

use super::values::names;
use urimill::error::{Error, Result};
use urimill::run::{Compression, Output, OutputFormat};

/// Where a table goes, and how it is written.
#[derive(Debug, Args)]
pub(crate) struct Writing {
    /// Write to FILE, in the format of its extension [default: standard output, also as -]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// The format of the output [default: by the extension of FILE; uris on standard output]
    #[arg(long, value_name = "FORMAT", value_parser = names(OutputFormat::ALL.map(OutputFormat::name)))]
    to: Option<String>,

    /// Compression of Parquet pages: zstd, zstd:LEVEL (1 to 22), snappy, lz4, gzip, brotli or none. Texts are
    /// compressed where FILE's name says so, as in .csv.gz and .jsonl.zst
    #[arg(long, value_name = "CODEC", default_value = "zstd")]
    compression: Compression,

    /// At most this many rows in a Parquet row group
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    row_group_rows: u32,

    /// In Parquet, store of each text only what differs from the beginning of the one before (DELTA_BYTE_ARRAY), in
    /// columns without a dictionary. Tables that are sorted by uri or surt become smaller, and are read faster.
    /// Old readers lack it
    #[arg(long)]
    delta_texts: bool,

    /// In CSV, write ' before texts that a spreadsheet would take for formulas: those that begin with =, +,
    /// -, @, a tab or a line end. The option changes values: for every reader the ' is part of the cell
    #[arg(long)]
    csv_safe: bool,

    /// Replace existing output files
    #[arg(long)]
    force: bool,
}

impl Writing {
    /// Where the table goes.
    pub(crate) fn output(&self) -> Output {
        let output = match file(self.output.as_deref()) {
            Some(path) => Output::to(path),
            None => Output::stdout(),
        };
        let output = match self.to.as_deref().and_then(OutputFormat::from_name) {
            Some(format) => output.format(format),
            None => output,
        };
        output
            .compression(self.compression)
            .row_group_rows(self.row_group_rows as usize)
            .delta_texts(self.delta_texts)
            .csv_safe(self.csv_safe)
            .force(self.force)
    }

    /// Refuses to write to a terminal what it cannot show.
    pub(crate) fn refuse_terminal(&self, format: OutputFormat) -> Result<()> {
        let is_binary =
            matches!(format, OutputFormat::Parquet | OutputFormat::Arrow | OutputFormat::ArrowStream);
        if file(self.output.as_deref()).is_none() && is_binary && std::io::stdout().is_terminal() {
            return Err(Error::usage(format!(
                "{} cannot go to a terminal: give -o FILE, or redirect standard output",
                format.name()
            )));
        }
        Ok(())
    }
}

/// The file that `--output` names; `None` for standard output.
pub(crate) fn file(output: Option<&Path>) -> Option<&Path> {
    output.filter(|path| *path != Path::new("-"))
}
