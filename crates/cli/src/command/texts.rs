//! Texts that are answered one by one: the arguments, or the lines of standard input where there are none.

use crate::args::options::Given;
use crate::exit::Exit;
use crate::term::stderr::say_sentence;
use urimill::run::{AnswerTexts, TextStats, Unanswered};

impl<const JOB: usize> Given<JOB> {
    /// The texts of the line; without any, those of standard input.
    pub(crate) fn answered(&self) -> AnswerTexts {
        match self.inputs() {
            texts if texts.is_empty() => AnswerTexts::new(),
            texts => AnswerTexts::new().texts(texts),
        }
    }
}

/// Says why a text has no answer.
pub(crate) fn say_unanswered(Unanswered { text, reason, .. }: Unanswered) {
    say_sentence(&format!("{text}: {reason}"));
}

/// The exit code for these counts of answers.
pub(crate) fn exit(stats: TextStats) -> Exit {
    if stats.unanswered > 0 { Exit::Invalid } else { Exit::Done }
}
