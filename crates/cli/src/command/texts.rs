//! Texts that are answered one by one: the arguments, or the lines of standard input where there are none.

use std::ffi::OsString;

use crate::exit::Exit;
use crate::term::stderr::say_sentence;
use urimill::run::{AnswerTexts, TextStats, Unanswered};

/// The arguments; without any, standard input.
pub(crate) fn texts(arguments: &[OsString]) -> AnswerTexts {
    match arguments {
        [] => AnswerTexts::new(),
        given => AnswerTexts::new().texts(given),
    }
}

/// Says why a text has no answer.
pub(crate) fn say_unanswered(Unanswered { text, reason, .. }: Unanswered) {
    say_sentence(&format!("{text}: {reason}"));
}

/// How a command ends that has answered so many.
pub(crate) fn exit(stats: TextStats) -> Exit {
    if stats.unanswered > 0 { Exit::Invalid } else { Exit::Done }
}
