//! Standard error: where sentences go. Nobody may be listening there (`2>&1 | head`, a full disk), and
//! that is no reason to panic, or to fail a run whose table is complete.

use std::io::{self, IsTerminal, Write};

/// Says `text`, which ends its line itself.
pub(super) fn say(text: &str) {
    // Where standard error fails there is no other place to say so.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Says one sentence in urimill's name, in a line of its own even where a progress bar stands.
pub(super) fn say_sentence(sentence: &str) {
    let clear = if io::stderr().is_terminal() { "\r\x1b[K" } else { "" };
    say(&format!("{clear}urimill: {}\n", printable(sentence)));
}

/// `text` as one line: control characters escaped, so that a record or a file name cannot speak to
/// the terminal.
pub(super) fn printable(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}
