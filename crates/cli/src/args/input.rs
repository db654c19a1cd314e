//! Messages of commands about the format of their inputs.

use super::options::Given;
use crate::term::stderr::say_sentence;
use crate::term::summary::Form;
use urimill::option_name::OptionName;
use urimill::run::{InputFormat, RunProgress};

/// Whether the format with this name is a list, whose records have no fields.
fn is_list(format: &str) -> bool {
    format.parse::<InputFormat>().is_ok_and(|format| !format.has_fields())
}

impl<const JOB: usize> Given<JOB> {
    /// Says what the members of JSON of an unknown shape were taken for, and how to keep that.
    pub(crate) fn say_guess(&self, progress: &RunProgress) {
        if let Some(guess) = progress.guess() {
            let advice = match self.may_have(OptionName::SaveFormat) {
                true => "",
                false => " (write it down with --save-format FILE)",
            };
            say_sentence(&format!("no format is known for this JSON: {guess}{advice}"));
        }
    }

    /// Reports the detected format of the inputs, and the wrappers around their lines, which come with the outermost
    /// first. A list is the expected case, and reported only on request.
    pub(crate) fn say_format(&self, format: &str, wrappers: &[String]) {
        if self.has(OptionName::Format) || !is_list(format) {
            let around: String = wrappers.iter().rev().map(|name| format!(" within {name}")).collect();
            say_sentence(&format!("read the input as {format}{around}"));
        }
    }

    /// Like `say_format`, for a table made from inputs of `bytes` bytes in all. Without a byte no format can be
    /// detected.
    pub(crate) fn say_format_of_table(&self, format: &str, wrappers: &[String], bytes: u64) {
        // An input is empty and columns were named: no format was read, so none is reported.
        if bytes > 0 || is_list(format) {
            self.say_format(format, wrappers);
        }
        if (bytes, self.summary()) == (0, Form::Text) {
            let after = match self.has(OptionName::SkipLines) {
                true => " after the lines that --skip-lines skips",
                false => "",
            };
            say_sentence(&format!(
                "all inputs are empty{after}: the table has the columns of a list and the named ones; with --from it has those of \
                 the format"
            ));
        }
    }
}
