//! Guesses the format of an input: by its first bytes (`magic`), by the shape of its first lines (`families`, `json`),
//! by the separators between its fields (`delimited`). The formats that urimill reads detect themselves
//! (`super::auto`); this module names the others, and says in a sentence what to do with them.

mod advice;
mod delimited;
mod families;
mod json;
mod magic;
mod mail;

use std::borrow::Cow;

pub(crate) use advice::holds_uris;
pub(crate) use magic::GAP;
pub use mail::Mail;
pub(in crate::read) use mail::{has_end, mail};

use super::FORMATS;
use super::first_lines::{has_scheme, lines, most};
use super::input_format::{InputFormat, Sure};
use super::tables::{TableKind, kind_of};
use super::warc::MAGIC;
use crate::error::Error;
use crate::option_name::OptionName;

/// An input that urimill does not read as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Foreign {
    /// A noun: "a zip archive".
    pub(in crate::read) what: Cow<'static, str>,
    /// Advice: a clause that begins with a verb.
    pub(in crate::read) advice: Cow<'static, str>,
}

impl Foreign {
    fn new(what: impl Into<Cow<'static, str>>, advice: impl Into<Cow<'static, str>>) -> Foreign {
        Foreign { what: what.into(), advice: advice.into() }
    }

    /// The advice for `source`.
    pub(in crate::read) fn advice_for(&self, source: &str) -> Cow<'_, str> {
        // Commands are for the file itself, if the shell takes its name as it is and the file is not compressed.
        let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-' | b'/');
        let is_packed = [".gz", ".zst", ".bz2", ".xz"].iter().any(|end| source.ends_with(end));
        match source.bytes().all(is_plain) && !is_packed {
            true => self.advice.replace("FILE", source).into(),
            false => (&*self.advice).into(),
        }
    }

    /// The sentence that refuses `source`.
    pub(in crate::read) fn refuse(&self, source: &str) -> Error {
        Error::usage(format!("{source} looks like {}: {}", self.what, self.advice_for(source)))
    }
}

/// The format of an input that begins with `first`, if it is a document whose records are not lines, or an ARC file.
pub(in crate::read) fn framed(first: &[u8]) -> Option<&'static InputFormat> {
    FORMATS.iter().find(|format| (format.detect)(first) == Sure::Document)
}

/// The format that the first bytes of an input suggest, where no magic number decides it.
pub(in crate::read) fn looks_like(first: &[u8]) -> Option<&'static InputFormat> {
    let sure = FORMATS.iter().map(|format| ((format.detect)(first), format));
    let most = sure.filter(|&(sure, _)| sure < Sure::Magic).max_by_key(|&(sure, _)| sure);
    most.filter(|&(sure, _)| sure > Sure::No).map(|(_, format)| format)
}

/// Describes an input that begins with `first` and is not text. It is never read line by line, whichever format the
/// user names.
pub(in crate::read) fn no_text(first: &[u8]) -> Option<Foreign> {
    magic::find(first)
}

/// Where an input holds its texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contents {
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
    pub fn of(first: &[u8], source: &str) -> Result<Contents, Error> {
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
            Some(_) if magic::is_wacz(first) => Ok(Contents::Archive("wacz")),
            Some(found) => Err(found.refuse(source)),
            None => Ok(mail(first, source).map_or(Contents::Text, Contents::Mail)),
        }
    }
}

/// Describes an input that is text and does not have one record per line.
pub(in crate::read) fn document(first: &[u8]) -> Option<Foreign> {
    families::document(first)
}

/// Describes lines that look neither like a list of URIs nor like a format that needs no name.
pub(in crate::read) fn no_list(first: &[u8]) -> Option<Foreign> {
    json::find(first).or_else(|| families::of_lines(first, "lines")).or_else(|| delimited::find(first))
}

/// Describes an input that begins with `first`, was to be read line by line, and has no lines.
pub(crate) fn no_lines(first: &[u8]) -> Option<Foreign> {
    container(first).or_else(|| no_text(first))
}

/// Which format to ask for.
fn say(format: &str) -> String {
    format!("say {}", OptionName::Format.with(format))
}

fn table_advice(format: &str) -> String {
    format!("{} {}, to name the column of the URI", say(format), OptionName::UriField.with("NAME"))
}

/// Formats that are read as one piece.
fn container(first: &[u8]) -> Option<Foreign> {
    match kind_of(first) {
        Some(TableKind::Parquet) => Some(Foreign::new("a Parquet file", table_advice("parquet"))),
        Some(TableKind::Arrow) => Some(Foreign::new("an Arrow file or stream", table_advice("arrow"))),
        None => first.starts_with(MAGIC).then(|| Foreign::new("a WARC file", say("warc"))),
    }
}

/// Describes an input that begins with `first` and was read as `asked`; `None` if it looks like that format.
pub(in crate::read) fn instead(first: &[u8], asked: &str) -> Option<Foreign> {
    let framed = framed(first).map(|format| format.name).filter(|&name| name != asked);
    let framed = framed.map(|name| Foreign::new(format!("the format {name}"), say(name)));
    if let Some(found) = framed.or_else(|| no_lines(first)) {
        return Some(found);
    }
    let like = looks_like(first).map(|format| format.name);
    let log = || super::log::detect(first).map(|detected| detected.name());
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
        || members(first).iter().any(|name| matches!(&name[..], b"url" | b"urlkey" | b"timestamp"));
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

/// The members of the first JSON object of an input, by name.
pub(in crate::read) fn members(first: &[u8]) -> Vec<Vec<u8>> {
    lines(first).find_map(json::members).unwrap_or_default()
}

/// The names of the members within those of the first JSON object of an input, joined with a dot.
pub(in crate::read) fn members_within(first: &[u8]) -> Vec<Vec<u8>> {
    lines(first).find_map(json::members_within).unwrap_or_default()
}

/// A line for a sentence, shortened to a readable length.
fn excerpt(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(&line[..line.len().min(400)]).into_owned();
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}
