//! Texts made around known URIs give those URIs: the URIs of the corpora, in every way that a text can hold them.

use urimill::UriRef;
use urimill::normalize::repair;

use super::uris;
use crate::shared;

/// The corpora's URIs with a scheme and a host, as read if they parse, else repaired; each with the text that it is
/// repaired from.
fn known() -> Option<Vec<(String, String)>> {
    let lines = shared::corpora()?;
    let known = lines.iter().filter_map(|line| {
        let read = std::str::from_utf8(line).ok()?;
        // URIs whose parts repair would take for wrapping are left out.
        let plain = !read.contains(|c: char| c.is_whitespace() || c.is_control() || "<>\"\\".contains(c));
        let uri = String::from_utf8(repair(line).into_owned()).ok()?;
        let host = UriRef::parse(&uri).ok()?.host()?.to_owned();
        let scheme = UriRef::parse(&uri).ok()?.scheme()?.len();
        let is_common = scheme > 1 && host.starts_with(|c: char| c.is_ascii_alphanumeric());
        (plain && is_common).then(|| (read.to_owned(), uri))
    });
    Some(known.collect())
}

/// In the text that `wrap` makes from the text as read, all `known` are found unchanged.
fn check(known: &[(String, String)], least: usize, name: &str, wrap: impl Fn(usize, &str) -> String) {
    assert!(known.len() > least, "{name}: only {}", known.len());
    let text: String = known.iter().enumerate().map(|(i, (read, _))| wrap(i, read)).collect();
    let found = uris(&text);
    let differs = known.iter().zip(&found).find(|((_, uri), found)| uri != *found);
    assert_eq!(differs, None, "{name}");
    assert_eq!(found.len(), known.len(), "{name}");
}

/// Whether a sentence around this text shows where the text ends. Texts that end in punctuation or hold a bracket that
/// they do not close do not show it.
fn is_plain(read: &str) -> bool {
    let mut open = Vec::new();
    for c in read.chars() {
        match c {
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            ')' | ']' | '}' if open.pop() != Some(c) => return false,
            _ => {}
        }
    }
    let entities = ["&lt;", "&gt;", "&quot;", "&apos;", "&nbsp;", "&#34;", "&#39;", "&#x22;", "&#x27;"];
    let is_cut = |c: char| "|^`“”‘—、，。（）".contains(c);
    let lower = read.to_ascii_lowercase();
    open.is_empty()
        && !read.ends_with(['.', ',', ';', ':', '!', '?', '\'', '’', '…', '–'])
        && !read.contains(is_cut)
        && !entities.iter().any(|entity| lower.contains(entity))
}

#[test]
fn a_text_made_around_known_uris_gives_them() {
    let Some(mut known) = known() else { return };
    check(&known, 200_000, "angle brackets", |_, uri| format!("words <{uri}>, "));
    check(&known, 200_000, "angle brackets, prefixed", |_, uri| format!("<URL:\n{uri} >"));
    check(&known, 200_000, "angle brackets, broken", |i, uri| {
        let scheme = uri.find("://").expect("a host") + 3;
        let places: Vec<_> = (scheme..=uri.len()).filter(|&at| uri.is_char_boundary(at)).collect();
        let at = places[i % places.len()];
        format!("<{}\r\n   {}>", &uri[..at], &uri[at..])
    });
    check(&known, 200_000, "an attribute", |_, uri| {
        format!("<a class=x href=\"{}\">x</a>", uri.replace('&', "&amp;"))
    });
    check(&known, 200_000, "double quotes", |_, uri| format!("{{\"uri\": \"{uri}\", \"n\": 1}}"));
    known.retain(|(read, _)| is_plain(read));
    check(&known, 200_000, "a list", |_, uri| format!("{uri}\n"));
    check(&known, 200_000, "prose", |i, uri| {
        let after =
            [". ", ", ", "; ", "! ", "?\n", ": ", "...", "’ ", ").\n", "\r\n", "\t", "\0", "”"][i % 13];
        format!("words, {uri}{after} ")
    });
    check(&known, 200_000, "brackets", |i, uri| match i % 4 {
        0 => format!("({uri}), "),
        1 => format!("[{uri}]: "),
        2 => format!("{{{uri}}} "),
        _ if uri.ends_with('*') => format!("{uri} "),
        _ => format!("**{uri}** "),
    });
    check(&known, 200_000, "Markdown", |_, uri| format!("a [text]({uri}) or "));
    check(&known, 200_000, "Markdown with a title", |_, uri| format!("![text]({uri} 'title'). "));
    known.retain(|(read, _)| !read.contains('\''));
    check(&known, 200_000, "single quotes", |_, uri| format!("'{uri}' "));
}
