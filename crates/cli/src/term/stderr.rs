//! Standard error: where sentences go. Nobody may be listening there (`2>&1 | head`, a full disk), and
//! that is no reason to panic, or to fail a run whose table is complete.

use std::io::{self, IsTerminal, Write};

use urimill::passwords::masked;
pub(crate) use urimill::printable::printable;
use urimill::printable::{printable_json, printable_lines};

/// Says `text`, whose lines end themselves. What it quotes should be [`printable`] already: here a line end in it could
/// not be told from one of its own any more.
pub(crate) fn say(text: &str) {
    write(&printable_lines(text));
}

/// Says a value in JSON, in a line.
pub(crate) fn say_json(value: &serde_json::Value) {
    write(&format!("{}\n", printable_json(&value.to_string())));
}

/// Says one sentence in urimill's name, in a line of its own even where a progress bar stands, without the passwords
/// that it quotes.
pub(crate) fn say_sentence(sentence: &str) {
    say_whole(&masked(sentence));
}

/// [`say_sentence`] for an error, which has masked its passwords itself unless they are to be seen.
pub(crate) fn say_whole(sentence: &str) {
    let clear = if io::stderr().is_terminal() { "\r\x1b[K" } else { "" };
    write(&format!("{clear}urimill: {}\n", printable(sentence)));
}

fn write(text: &str) {
    // Where standard error fails there is no other place to say so.
    let _ = io::stderr().write_all(text.as_bytes());
}
