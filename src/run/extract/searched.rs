//! The parts of inputs that a search for URIs examines, by the options about reading.

use urimill_base::option_name::OptionName;

use crate::run::input_format::InputOptions;

/// The texts to search for URIs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Searched {
    /// Each input as a whole, in any format.
    Text,
    /// Each input as a whole if it is text, or the records of a web archive.
    FoundOut,
    /// A field of each record, or the payloads of a web archive.
    Records,
}

/// The beginnings of documents in HTML and XML.
const MARKUP: [&[u8]; 12] = [
    b"<!doctype",
    b"<html",
    b"<head",
    b"<body",
    b"<?xml",
    b"<rss",
    b"<feed",
    b"<urlset",
    b"<sitemapindex",
    b"<rdf:",
    b"<svg",
    b"<opml",
];

/// Whether a text with this beginning is a document in HTML or XML.
pub(super) fn is_markup(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii_start();
    let begins = |name: &[u8]| text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name));
    MARKUP.into_iter().any(begins)
}

impl Searched {
    pub(crate) fn of(options: &InputOptions) -> Searched {
        match options.asked_format() {
            format if format.is_detected && options.first_uri().is_none() => Searched::FoundOut,
            format if format.takes(OptionName::UriField) || !format.is_text() => Searched::Records,
            _ => Searched::Text,
        }
    }
}
