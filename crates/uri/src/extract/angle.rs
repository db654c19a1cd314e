//! URIs inside `<…>`, which Appendix C recommends: the one place where a URI may hold white space and may have any
//! scheme; after the prefix `URL:` it may be a relative reference. Called by the finder where `<` precedes a scheme,
//! `www.` or the prefix.
//!
//! Tags of HTML and XML, types of programs and quoted mail look like `<…>` too. Not accepted: contents with a quote,
//! another `<` or a control character; without `//`, a name alone or with attributes (`<dc:title>`, `<svg:a b=c>`) and
//! `<std::string>`. `<about:blank>` looks like a tag but is a URI (RFC 6694).

use alloc::borrow::Cow;
use alloc::string::String;

use memchr::{memchr2, memmem};

use super::extent::is_iri;
use super::{LONGEST_IN_ANGLE, authority, shape};
use crate::grammar::chars::{self, is};
use crate::grammar::scheme;
use crate::normalize::without_space;

/// At most this much white space may precede a URI in `<…>`: a line end and an indentation.
const LONGEST_SPACE: usize = 64;

/// The contents of `<…>`.
#[derive(Debug)]
pub(super) enum Content<'t> {
    /// A URI: its end, and its text without white space.
    Uri(usize, Cow<'t, [u8]>),
    /// Something else.
    Other,
    /// The closing `>` is not in the text yet.
    Unknown,
}

/// How `<` precedes a URI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// Directly, or with `URL:` between.
    Direct,
    /// With white space between.
    Spaced,
}

/// Whether `<` precedes `start`, with only white space and `URL:` between.
pub(super) fn opening(text: &[u8], start: usize) -> Option<Opening> {
    // The most frequent result, and cheap to find.
    if start == 0 || !matches!(text[start - 1], b'<' | b':') && !is_space(text[start - 1]) {
        return None;
    }
    let before = skip_space(&text[..start]);
    let is_spaced = before.len() < start;
    match before.split_last_chunk::<4>() {
        Some((head, prefix)) if prefix.eq_ignore_ascii_case(b"url:") => {
            (skip_space(head).last() == Some(&b'<')).then_some(Opening::Direct)
        }
        _ if before.last() != Some(&b'<') => None,
        _ if is_spaced => Some(Opening::Spaced),
        _ => Some(Opening::Direct),
    }
}

fn skip_space(text: &[u8]) -> &[u8] {
    let least = text.len().saturating_sub(LONGEST_SPACE);
    let end = text[least..].iter().rposition(|&b| !is_space(b)).map_or(least, |at| least + at + 1);
    &text[..end]
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// The text from `start` to the `>`. `ended`: nothing follows `text`.
fn content(text: &[u8], start: usize, ended: bool) -> Result<(usize, Cow<'_, [u8]>), Content<'_>> {
    let there = &text[start..text.len().min(start + LONGEST_IN_ANGLE)];
    let end = match memchr2(b'<', b'>', there) {
        Some(at) if there[at] == b'>' => start + at,
        None if !ended && there.len() < LONGEST_IN_ANGLE => return Err(Content::Unknown),
        _ => return Err(Content::Other),
    };
    let written = &text[start..end];
    let allowed = |c: char| match c {
        '"' | '\\' => false,
        c if c.is_ascii() => !c.is_ascii_control() || is_space(c as u8),
        // Next line (U+0085) is a control character, which a terminal may obey.
        c => is_iri(c) || c.is_whitespace() && c != '\u{85}',
    };
    let Some(written) = core::str::from_utf8(written).ok().filter(|written| written.chars().all(allowed))
    else {
        return Err(Content::Other);
    };
    let written = written.trim_end();
    let bare = without_space(written.as_bytes());
    if holds_two(written.as_bytes()) {
        return Err(Content::Other);
    }
    Ok((start + written.len(), bare))
}

/// Whether a second URI follows white space within a line: then it is a list, not one broken URI.
fn holds_two(written: &[u8]) -> bool {
    memmem::find_iter(written, b"://").any(|at| {
        let scheme = written[..at].iter().rposition(|&b| !is(b, chars::SCHEME)).map_or(0, |at| at + 1);
        let before = &written[..scheme];
        let spaces = &before[skip_space(before).len()..];
        !spaces.is_empty() && !spaces.contains(&b'\n') && !spaces.contains(&b'\r')
    })
}

/// Reads `<…>` with a URI whose scheme begins at `start` and ends before `colon`. `ended`: nothing follows `text`.
pub(super) fn uri(text: &[u8], (start, colon): (usize, usize), opening: Opening, ended: bool) -> Content<'_> {
    let (end, bare) = match content(text, start, ended) {
        Ok(content) => content,
        Err(other) => return other,
    };
    let scheme = &text[start..colon];
    let rest = &bare[scheme.len() + 1..];
    let is_known = shape::is_known(scheme);
    let is_uri = match rest.strip_prefix(b"//") {
        // In programs `<` is also a comparison, which a name, a colon and, in the next line, a comment may follow.
        _ if !is_known && opening == Opening::Spaced => false,
        Some(_) if !is_known && !text[colon + 1..].starts_with(b"//") => false,
        Some(behind) => {
            // In brackets with a known scheme any name is accepted: `<http://../>`.
            let begins = |&b: &u8| b == b'/' || authority::may_begin(b) || is_known && is(b, chars::REG_NAME);
            authority::length(behind, wants_host(scheme)) == Some(behind.len())
                && behind.first().is_some_and(begins)
        }
        None => {
            let is_broken = matches!(bare, Cow::Owned(_));
            shape::of(scheme).is_some_and(|shape| shape.holds(rest))
                || !is_broken
                    && (!is_tag(rest) || scheme.eq_ignore_ascii_case(b"about") && !rest.is_empty())
                    && rest.first().is_some_and(|&b| b != b':')
        }
    };
    if is_uri { Content::Uri(end, bare) } else { Content::Other }
}

/// Reads `<URL:…>` with a relative reference, starting after the colon; returns where it begins. White space within a
/// line is removed only if the text has a delimiter of URIs: plain words are not a reference.
pub(super) fn reference(text: &[u8], from: usize, ended: bool) -> (usize, Content<'_>) {
    let space = text[from..].iter().take(LONGEST_SPACE).take_while(|&&b| is_space(b)).count();
    let start = from + space;
    let (end, bare) = match content(text, start, ended) {
        Ok(content) => content,
        Err(other) => return (start, other),
    };
    let delimiter = bare.iter().find(|b| b":/?#".contains(b));
    let is_relative = !bare.is_empty() && delimiter != Some(&b':');
    let is_words = || {
        let spaces = |c: char| c.is_whitespace();
        let mut written = String::from_utf8_lossy(&text[start..end]).into_owned();
        while let Some(at) = written.find(spaces) {
            let run = written[at..].find(|c| !spaces(c)).map_or(written.len(), |len| at + len);
            if !written[at..run].contains(['\n', '\r']) {
                return true;
            }
            written.drain(at..run);
        }
        false
    };
    if !is_relative || authority::is_suffix(&bare) || delimiter.is_none() && is_words() {
        return (start, Content::Other);
    }
    (start, Content::Uri(end, bare))
}

/// Reads `<…>` with a suffix reference that begins at `start`.
pub(super) fn suffix(text: &[u8], start: usize, ended: bool) -> Content<'_> {
    match content(text, start, ended) {
        Ok((end, bare)) => {
            let is_whole = authority::length(&bare, true) == Some(bare.len());
            if is_whole && authority::is_suffix(&bare) { Content::Uri(end, bare) } else { Content::Other }
        }
        Err(other) => other,
    }
}

/// Whether a scheme is registered and its URIs name nothing without a host.
pub(super) fn wants_host(scheme: &[u8]) -> bool {
    scheme::find(scheme).is_some_and(|scheme| scheme.host_required)
}

/// Whether `name` could be the local part of an element's name in XML, as in `<dc:title>` or `<dc:title/>`.
fn is_tag(name: &[u8]) -> bool {
    let name = name.strip_suffix(b"/").unwrap_or(name);
    let inner = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_') || !b.is_ascii();
    name.iter().all(inner) && name.first().is_none_or(|b| !b.is_ascii_digit())
}
