//! Runs a command that writes a table, with a progress bar and a summary.

use super::options::Given;
use super::values::say_threads;
use crate::term::progress::{Bar, When};
use crate::term::signals;
use crate::term::stderr::{say, say_json};
use crate::term::summary::Form;
use urimill::error::Result;
use urimill::option_name::OptionName;
use urimill::run::{Job, Prepared, RunProgress};

impl<const JOB: usize> Given<JOB> {
    /// The form in which the summary is printed.
    pub(crate) fn summary(&self) -> Form {
        self.shown(OptionName::Summary)
    }

    /// Prints the summary in the form that `--summary` names.
    pub(crate) fn summarize(&self, text: impl FnOnce() -> String, json: impl FnOnce() -> serde_json::Value) {
        match self.summary() {
            Form::Text => say(&text()),
            Form::Json => say_json(&json()),
            Form::None => {}
        }
    }

    /// Whether a progress bar is shown.
    pub(crate) fn bar(&self) -> When {
        self.shown(OptionName::Progress)
    }

    /// Runs a job, with a progress bar; a signal stops it.
    pub(crate) fn complete<J: Job>(
        &self,
        progress: &RunProgress,
        prepare: impl FnOnce() -> Result<Prepared<J>>,
    ) -> Result<J::Stats> {
        let abandoned = progress.clone();
        let _watch = signals::watch(move || abandoned.abandon());
        let prepared = prepare()?;
        say_threads(prepared.threads());
        self.say_guess(progress);
        let bar = Bar::start(self.bar(), progress);
        let result = prepared.run();
        drop(bar);
        result
    }
}
