//! Texts on their way to a terminal or a log: characters that could act on either are escaped. All of this happens
//! here, in a module that every other may use, because the sentence of every error goes through it too.
//!
//! A file name or a record may hold anything. Escaped are control characters (C0, DEL and C1, so line ends too: no
//! input can forge a line of a log), the marks that change the direction of writing (Unicode's UAX #9), and characters
//! that are invisible or look like a line end.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

/// Whether a character may act on a terminal, or change how the text around it reads.
#[must_use]
pub fn is_unprintable(c: char) -> bool {
    match c {
        // True of nearly all characters, and quick to find out.
        ' '..='~' => false,
        _ if c.is_control() => true,
        // Marks of direction.
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => true,
        // Ends of lines and paragraphs.
        '\u{2028}' | '\u{2029}' => true,
        // The byte-order mark, annotation marks, and tags, all invisible.
        '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}' => true,
        _ => false,
    }
}

/// `text` as one harmless line: characters of [`is_unprintable`] are written as `\n`, `\t`, `\r` or `\u{1b}`. A second
/// call changes nothing.
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

/// [`printable`] for a text of several lines: line ends and tabs stay.
#[must_use]
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    let is_escaped = |c| is_unprintable(c) && !matches!(c, '\n' | '\t');
    escaped(text, is_escaped, |c, out| out.extend(c.escape_default()))
}

/// `json`, which must be valid JSON, with characters of [`is_unprintable`] as `\u009b` within its strings: it means the
/// same to every JSON reader. JSON itself escapes characters below U+0020; line feeds and tabs between its values stay.
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

/// [`printable_json`] for the bytes of a writer; writers of JSON write only UTF-8.
#[doc(hidden)]
pub fn printable_json_bytes(json: Vec<u8>) -> Vec<u8> {
    // True of nearly all JSON; these two checks cost next to nothing.
    if json.is_ascii() && memchr::memchr(0x7F, &json).is_none() {
        return json;
    }
    match core::str::from_utf8(&json).map(printable_json) {
        Ok(Cow::Owned(escaped)) => escaped.into_bytes(),
        _ => json,
    }
}

/// Lines for a terminal: [`printable_lines`] for bytes. NULs, which only end texts, stay.
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
