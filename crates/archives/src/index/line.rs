//! The lines of an index: CDXJ and the two usual forms of CDX, each as the requested tool writes it.

use std::fmt::Write;

use serde_json::Value;

use super::entry::Entry;
use super::tool::Like;

/// The form of the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LineForm {
    /// Key, time, and an object of JSON.
    Cdxj,
    /// Eleven fields separated by spaces, after a line that names them.
    Cdx,
    /// Nine fields.
    Cdx9,
}

impl LineForm {
    /// The first line.
    pub(super) fn header(self) -> Option<&'static str> {
        match self {
            LineForm::Cdxj => None,
            LineForm::Cdx => Some(" CDX N b a m s k r M S V g"),
            LineForm::Cdx9 => Some(" CDX N b a m s k r V g"),
        }
    }
}

/// Appends the line of a record in the file with this name, without a line end. With `is_of_table` a CDXJ line also
/// has the redirect, which no tool writes.
pub(super) fn write(
    entry: &Entry,
    name: &str,
    (form, like): (LineForm, Like),
    is_of_table: bool,
    out: &mut String,
) {
    // Writing to a string cannot fail.
    let _ = write!(out, "{} {} ", entry.key, entry.timestamp);
    if form != LineForm::Cdxj {
        return fields(entry, name, form, out);
    }
    let (length, offset) = (entry.length.map(|length| length.to_string()), entry.offset.to_string());
    let redirect = entry.redirect.as_deref().filter(|_| is_of_table);
    // The tools write the members of a request in different positions.
    let post = [("requestBody", entry.request_body.as_deref()), ("method", entry.method.as_deref())];
    let (before, after) = match like {
        Like::CdxjIndexer => ([("", None); 2], post),
        Like::Pywb => ([post[1], post[0]], [("", None); 2]),
    };
    let members: [(&str, Option<&str>); 14] = [
        ("metadata", entry.metadata.as_deref()),
        ("url", Some(&entry.url)),
        ("mime", entry.mime.as_deref()),
        ("mime-detected", entry.mime_detected.as_deref()),
        ("status", entry.status.as_deref()),
        ("digest", entry.digest.as_deref()),
        ("length", length.as_deref()),
        ("offset", Some(&offset)),
        before[0],
        before[1],
        ("filename", Some(name)),
        after[0],
        after[1],
        ("redirect", redirect),
    ];
    let mut separator = '{';
    for (key, value) in members {
        // pywb leaves empty members out.
        let Some(value) = value.filter(|value| like == Like::CdxjIndexer || !matches!(*value, "" | "-"))
        else {
            continue;
        };
        out.push(separator);
        if separator == ',' {
            out.push(' ');
        }
        separator = ',';
        let _ = write!(out, "\"{key}\": ");
        json(value, out);
    }
    out.push('}');
}

fn fields(entry: &Entry, name: &str, form: LineForm, out: &mut String) {
    let or_hyphen = |value: Option<&str>| value.filter(|value| !value.is_empty()).unwrap_or("-").to_owned();
    // The digest alone, without its algorithm.
    let digest = entry.digest.as_deref().map(|digest| digest.rsplit(':').next().unwrap_or_default());
    let (mime, status) = (or_hyphen(entry.mime.as_deref()), or_hyphen(entry.status.as_deref()));
    // A space ends a field.
    let url = entry.url.replace(' ', "%20");
    let _ = write!(out, "{url} {mime} {status} {} - ", or_hyphen(digest));
    if form == LineForm::Cdx {
        let _ = write!(out, "- {} ", or_hyphen(entry.length.map(|length| length.to_string()).as_deref()));
    }
    let _ = write!(out, "{} {name}", entry.offset);
}

/// A text as Python's `json.dumps` writes it, in ASCII.
fn json(text: &str, out: &mut String) {
    for c in Value::from(text).to_string().chars() {
        match c {
            ..='\u{7f}' => out.push(c),
            c => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_pythons_json() {
        let mut out = String::new();
        json("a\"\\\n\u{1}\u{7f}\u{e9}\u{1f600}", &mut out);
        assert_eq!(out, "\"a\\\"\\\\\\n\\u0001\u{7f}\\u00e9\\ud83d\\ude00\"");
    }
}
