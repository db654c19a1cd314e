//! Commands that answer texts one by one: the arguments, or the lines of standard input if there are no arguments.

use crate::args::options::Given;
use crate::exit::Exit;
use crate::term::stderr::say_sentence;
use urimill::run::{AnswerTexts, TextStats, Unanswered};

impl<const JOB: usize> Given<JOB> {
    /// The texts on the command line, or those of standard input if there are none.
    pub(crate) fn answered(&self) -> AnswerTexts {
        match self.inputs() {
            texts if texts.is_empty() => AnswerTexts::new(),
            texts => AnswerTexts::new().texts(texts),
        }
    }
}

/// Reports why a text has no answer.
pub(crate) fn say_unanswered(Unanswered { text, reason, .. }: Unanswered) {
    say_sentence(&format!("{text}: {reason}"));
}

/// The exit code for these numbers of texts with and without an answer.
pub(crate) fn exit(stats: TextStats) -> Exit {
    if stats.unanswered > 0 { Exit::Invalid } else { Exit::Done }
}
