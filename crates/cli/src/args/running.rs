//! How a command that writes a table runs: its threads, and what it shows of itself.

use clap::Args;

use super::values::{bytes, say_threads};
use crate::term::progress::{Bar, When};
use crate::term::signals;
use crate::term::summary::Form;
use urimill::error::Result;
use urimill::run::{RunProgress, Threads};

/// The options.
#[derive(Debug, Args)]
pub(crate) struct Running {
    /// Number of threads, each of which takes up to 64M of memory [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// When to show a progress bar
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = When::Auto, hide_possible_values = false)]
    progress: When,

    /// How to print the summary on standard error
    #[arg(long, value_enum, value_name = "FORM", default_value_t = Form::Text)]
    summary: Form,

    /// How much is read at once
    #[arg(long, value_name = "BYTES", value_parser = bytes, hide = true)]
    chunk: Option<u64>,
}

impl Running {
    /// The number of threads that was asked for.
    pub(crate) fn threads(&self) -> Option<usize> {
        self.threads.map(usize::from)
    }

    /// How much is read at once.
    pub(crate) fn chunk(&self) -> usize {
        self.chunk_given().unwrap_or(1 << 20)
    }

    /// The same, if it was asked for.
    pub(crate) fn chunk_given(&self) -> Option<usize> {
        self.chunk.map(|bytes| bytes as usize)
    }

    /// How the summary is printed.
    pub(crate) fn summary(&self) -> Form {
        self.summary
    }

    /// Runs what `prepare` makes, with a progress bar; a signal stops it.
    pub(crate) fn complete<P, S>(
        &self,
        progress: &RunProgress,
        prepare: impl FnOnce() -> Result<P>,
        threads: impl FnOnce(&P) -> Threads,
        run: impl FnOnce(P) -> Result<S>,
    ) -> Result<S> {
        let abandoned = progress.clone();
        let _watch = signals::watch(move || abandoned.abandon());
        let prepared = prepare()?;
        say_threads(threads(&prepared));
        let bar = Bar::start(self.progress, progress);
        let result = run(prepared);
        drop(bar);
        result
    }
}
