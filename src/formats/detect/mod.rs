//! Guesses the format of an input: by the shape of its first lines (`families`, `json`), by the separators between its
//! fields (`delimited`). The formats that urimill reads detect themselves (`super::auto`); this module names the others,
//! and says in a sentence what to do with them.

mod advice;
mod delimited;
mod families;
mod json;

use urimill_base::error::Error;
use urimill_read::format::FormatRow;
use urimill_read::format::first_lines::{has_scheme, most};
use urimill_read::format::foreign::{Foreign, say};
use urimill_read::format::format_row::Sure;
use urimill_read::format::headers::warc::MAGIC;
use urimill_read::format::json::members_of_first;
use urimill_read::format::magic::is_wacz;
use urimill_read::format::mailbox::{Mail, mail};
use urimill_read::format::no_lines::{no_lines, no_text};
use urimill_read::format::tables::kind_of;

use super::FORMATS;

/// The format of an input that begins with `first`, if it is a document whose records are not lines, or an ARC file.
pub(crate) fn framed(first: &[u8]) -> Option<&'static FormatRow> {
    FORMATS.iter().find(|format| (format.detect)(first) == Sure::Document)
}

/// The format that the first bytes of an input suggest, where no magic number decides it.
pub(crate) fn looks_like(first: &[u8]) -> Option<&'static FormatRow> {
    let sure = FORMATS.iter().map(|format| ((format.detect)(first), format));
    let most = sure.filter(|&(sure, _)| sure < Sure::Magic).max_by_key(|&(sure, _)| sure);
    most.filter(|&(sure, _)| sure > Sure::No).map(|(_, format)| format)
}

/// Where an input holds its texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contents {
    /// It is a text.
    Text,
    /// In the records of a web archive of the format with this name.
    Archive(&'static str),
    /// In the columns of a table.
    Table,
    /// In the parts of a message, or of those in a mailbox.
    Mail(Mail),
}

impl Contents {
    /// Finds the texts in `source`, which begins with `first`.
    ///
    /// Usage, if it is not text and holds no texts.
    pub(crate) fn of(first: &[u8], source: &str) -> Result<Contents, Error> {
        if kind_of(first).is_some() {
            return Ok(Contents::Table);
        }
        if first.trim_ascii_start().starts_with(MAGIC) {
            return Ok(Contents::Archive("warc"));
        }
        match framed(first) {
            Some(format) if format.is_text() => return Ok(Contents::Text),
            Some(format) => return Ok(Contents::Archive(format.name)),
            None => {}
        }
        match no_text(first) {
            Some(_) if is_wacz(first) => Ok(Contents::Archive("wacz")),
            Some(found) => Err(found.refuse(source)),
            None => Ok(mail(first, source).map_or(Contents::Text, Contents::Mail)),
        }
    }
}

/// Describes an input that is text and does not have one record per line.
pub(crate) fn document(first: &[u8]) -> Option<Foreign> {
    families::document(first)
}

/// Describes lines that look neither like a list of URIs nor like a format that needs no name.
pub(crate) fn no_list(first: &[u8]) -> Option<Foreign> {
    json::find(first).or_else(|| families::of_lines(first, "lines")).or_else(|| delimited::find(first))
}

/// Describes an input that begins with `first` and was read as `asked`; `None` if it looks like that format.
pub(crate) fn instead(first: &[u8], asked: &str) -> Option<Foreign> {
    let framed = framed(first).map(|format| format.name).filter(|&name| name != asked);
    let framed = framed.map(|name| Foreign::new(format!("the format {name}"), say(name)));
    if let Some(found) = framed.or_else(|| no_lines(first)) {
        return Some(found);
    }
    let like = looks_like(first).map(|format| format.name);
    let log = || urimill_logs::detect(first).map(|detected| detected.name());
    if let Some(name) = like.filter(|&name| name != "clf").or_else(log).or(like) {
        let found = Foreign::new(format!("the format {name}"), say(name));
        return Some(found).filter(|_| name != asked);
    }
    if let Some(found) = document(first) {
        return Some(found);
    }
    let is_named = matches!(asked, "jsonl" | "csv" | "tsv");
    // Objects alone may be the answer of an index server.
    let is_capture =
        || members_of_first(first).iter().any(|name| matches!(&name[..], b"url" | b"urlkey" | b"timestamp"));
    let found = json::find(first).filter(|_| asked != "jsonl" && !(asked == "cdxj" && is_capture()));
    let found = found.or_else(|| families::of_lines(first, asked));
    let found = found.or_else(|| delimited::find(first).filter(|_| !is_named));
    // A row may begin with a URI, and has separators then.
    let separator = if asked == "csv" { b',' } else { b'\t' };
    let is_uri =
        |line: &[u8]| has_scheme(line) && !line.contains(&b' ') && (!is_named || !line.contains(&separator));
    let is_list = || asked != "lines" && most(first, is_uri);
    found.or_else(|| is_list().then(|| Foreign::new("a list of URIs", say("lines"))))
}

/// A line for a sentence, shortened to a readable length.
fn excerpt(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(&line[..line.len().min(400)]).into_owned();
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}
