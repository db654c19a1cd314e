//! Texts on their way to a terminal or a log: what could speak to either is written out as an escape. The one place for
//! that, leftmost of all, because the sentence of every error goes through it too.
//!
//! A file name or a record may hold anything. Written out are control characters (C0, DEL and C1, so line ends too: a
//! log has no line that nobody wrote), the marks that turn the direction of writing (Unicode's UAX #9), and what a
//! reader sees as a line end or not at all.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

/// Whether a character may act on a terminal, or change how the text around it reads.
#[must_use]
pub fn is_unprintable(c: char) -> bool {
    match c {
        // Nearly all of them, and known at once.
        ' '..='~' => false,
        _ if c.is_control() => true,
        // Marks of direction.
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => true,
        // Ends of lines and paragraphs.
        '\u{2028}' | '\u{2029}' => true,
        // The byte-order mark, marks of annotations, and tags, none of which is seen.
        '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}' => true,
        _ => false,
    }
}

/// `text` in one line that only shows: what [`is_unprintable`] names is written `\n`, `\t`, `\r` or `\u{1b}`. Doing
/// that twice is doing it once.
///
/// ```
/// use urimill_uri::printable::printable;
///
/// assert_eq!(printable("a name.txt"), "a name.txt");
/// assert_eq!(printable("a\u{1b}[2J\n\u{202e}b"), "a\\u{1b}[2J\\n\\u{202e}b");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, is_unprintable, |c, out| out.extend(c.escape_default()))
}

/// [`printable`] for a text of several lines, which may have tabs: those stay.
#[must_use]
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    let is_escaped = |c| is_unprintable(c) && !matches!(c, '\n' | '\t');
    escaped(text, is_escaped, |c, out| out.extend(c.escape_default()))
}

/// `json`, which is JSON already, with what [`is_unprintable`] names as `\u009b` within its strings: it says the same
/// to every reader of JSON. What is below U+0020 JSON escapes itself; between its values line feeds and tabs may stand.
///
/// ```
/// use urimill_uri::printable::printable_json;
///
/// assert_eq!(printable_json("{\"name\": \"a\u{9b}\u{7f}b\u{e0001}\"}\n"), "{\"name\": \"a\\u009b\\u007fb\\udb40\\udc01\"}\n");
/// ```
#[must_use]
pub fn printable_json(json: &str) -> Cow<'_, str> {
    let is_escaped = |c| c >= '\u{7F}' && is_unprintable(c);
    escaped(json, is_escaped, |c, out| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

/// [`printable_json`] for the bytes of a writer; what is not UTF-8 no writer of JSON writes.
#[doc(hidden)]
pub fn printable_json_bytes(json: Vec<u8>) -> Vec<u8> {
    // Nearly all JSON; these two looks cost next to nothing.
    if json.is_ascii() && memchr::memchr(0x7F, &json).is_none() {
        return json;
    }
    match core::str::from_utf8(&json).map(printable_json) {
        Ok(Cow::Owned(escaped)) => escaped.into_bytes(),
        _ => json,
    }
}

/// Lines for a terminal: [`printable_lines`] for bytes. NULs, which end texts and do nothing, stay.
#[doc(hidden)]
#[must_use]
pub fn printable_bytes(text: &[u8]) -> Cow<'_, [u8]> {
    let is_escaped = |c| is_unprintable(c) && !matches!(c, '\n' | '\t' | '\0');
    let is_plain = |&b: &u8| matches!(b, b' '..=b'~' | b'\n' | b'\t' | b'\0');
    if text.iter().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let text = String::from_utf8_lossy(text);
    let shown = escaped(&text, is_escaped, |c, out| out.extend(c.escape_default()));
    Cow::Owned(shown.into_owned().into_bytes())
}

fn escaped(
    text: &str,
    is_escaped: impl Fn(char) -> bool,
    escape: impl Fn(char, &mut String),
) -> Cow<'_, str> {
    let Some(first) = text.find(&is_escaped) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(&text[..first]);
    for c in text[first..].chars() {
        if is_escaped(c) { escape(c, &mut out) } else { out.push(c) }
    }
    Cow::Owned(out)
}
