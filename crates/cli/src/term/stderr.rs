//! Standard error, where messages go. It may be closed or full (`2>&1 | head`, a full disk): that causes no panic, and
//! does not fail a run whose table is complete.

use std::io::{self, IsTerminal, Write};

use urimill::passwords::masked;
pub(crate) use urimill::printable::printable;
use urimill::printable::{printable_json, printable_lines};

/// Prints `text`, whose lines have their own ends. Quoted parts must be [`printable`] already: this function cannot
/// distinguish a line end in them from one of its own.
pub(crate) fn say(text: &str) {
    write(&printable_lines(text));
}

/// Prints a value as a line of JSON.
pub(crate) fn say_json(value: &serde_json::Value) {
    write(&format!("{}\n", printable_json(&value.to_string())));
}

/// Prints one sentence in urimill's name, with passwords masked, on a line of its own even next to a progress bar.
pub(crate) fn say_sentence(sentence: &str) {
    say_whole(&masked(sentence));
}

/// Like [`say_sentence`], for an error, which has masked its passwords itself unless they are to be shown.
pub(crate) fn say_whole(sentence: &str) {
    let clear = if io::stderr().is_terminal() { "\r\x1b[K" } else { "" };
    write(&format!("{clear}urimill: {}\n", printable(sentence)));
}

fn write(text: &str) {
    // A failure of standard error cannot be reported anywhere.
    let _ = io::stderr().write_all(text.as_bytes());
}
