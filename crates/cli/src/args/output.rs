//! Checks and warnings of commands that write a table.

use std::io::IsTerminal;

use super::options::Given;
use urimill::error::{Error, Result};
use urimill::option_name::OptionName;
use urimill::run::{OutputFormat, OutputStats};

impl<const JOB: usize> Given<JOB> {
    /// Refuses to write binary data to a terminal.
    pub(crate) fn refuse_terminal(&self, format: OutputFormat) -> Result<()> {
        let is_binary =
            matches!(format, OutputFormat::Parquet | OutputFormat::Arrow | OutputFormat::ArrowStream);
        let names_file = self.has(OptionName::Output) && self.text(OptionName::Output) != Some("-");
        if !names_file && is_binary && std::io::stdout().is_terminal() {
            return Err(Error::usage(format!(
                "{} cannot go to a terminal: give -o FILE, or redirect standard output",
                format.name()
            )));
        }
        Ok(())
    }
}

/// Warns of very many small files, because every reader has to open each of them.
pub(crate) fn warning(output: &OutputStats) -> Option<String> {
    let files = output.files.as_ref()?.len() as u64;
    let average = output.bytes / files.max(1);
    (files > 1000 && average < 1 << 20).then(|| {
        format!(
            "wrote {files} files of {} KiB on average, which takes readers long to open: partition by \
             columns with fewer values, or give more --memory",
            average >> 10
        )
    })
}
