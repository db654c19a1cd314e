//! Advice for an input that is not read as it is, tried on its beginning: so a hint names only commands that work.

use std::borrow::Cow;

use urimill_base::option_name::OptionName;
use urimill_columns::batch::is_address;
use urimill_read::format::first_lines::{lines, most};
use urimill_read::format::foreign::Foreign;
use urimill_uri::extract::{Options, find};

use super::excerpt;

const EXTRACT: &str = "urimill extract FILE finds the URIs in it";
const NO_URIS: &str = "its beginning holds no URI; give a list, a log or a table of URIs";
/// For lines with request lines in quotes.
const TARGETS: &str = "to read the targets of its requests alone, cut them out, as in sed -nE 's/.*\"[A-Z]+ ([^ ]+) \
                       HTTP.*/\\1/p' FILE | urimill normalize";

/// Whether `urimill extract` finds a URI in the beginning of an input.
pub(super) fn holds_uris(first: &[u8]) -> bool {
    find(first, &Options::default()).next().is_some()
}

/// For a text with URIs anywhere.
pub(super) fn of_text(first: &[u8]) -> &'static str {
    match holds_uris(first) {
        true => EXTRACT,
        false if most(first, is_access) => TARGETS,
        false => NO_URIS,
    }
}

/// For the log of a server: its requests are more than the URIs in it.
pub(super) fn of_log(first: &[u8]) -> &'static str {
    if most(first, is_access) { TARGETS } else { of_text(first) }
}

/// For a page.
pub(super) fn of_page(first: &[u8]) -> Cow<'static, str> {
    const ATTRIBUTES: [&[u8]; 4] = [b"href", b"src", b"action", b"url("];
    let lower = first.to_ascii_lowercase();
    let has_links = ATTRIBUTES.iter().any(|name| memchr::memmem::find(&lower, name).is_some());
    match (has_links, holds_uris(first)) {
        (true, true) => {
            "urimill links FILE reads its references, and urimill extract FILE finds the URIs in its text"
                .into()
        }
        (true, false) => "urimill links FILE reads its references".into(),
        (false, _) => of_text(first).into(),
    }
}

/// A request line in quotes, at any place.
pub(super) fn is_access(line: &[u8]) -> bool {
    const METHODS: [&[u8]; 8] = [
        b"\"GET ",
        b"\"POST ",
        b"\"HEAD ",
        b"\"PUT ",
        b"\"DELETE ",
        b"\"OPTIONS ",
        b"\"PATCH ",
        b"\"PROPFIND ",
    ];
    let contains = |text: &[u8]| memchr::memmem::find(line, text).is_some();
    contains(b" HTTP/") && METHODS.iter().any(|method| contains(method))
}

/// At most this many words may come before each line of a log.
const MOST_WORDS: usize = 8;

/// The format of a log whose lines come after words that are not a known prefix, and its description: tools that show
/// several logs write such words.
pub(super) fn behind_words(first: &[u8]) -> Option<(&'static str, Foreign)> {
    let found = |count: usize| {
        let mut inner = Vec::new();
        for line in lines(first) {
            inner.extend_from_slice(without_words(line, count));
            inner.push(b'\n');
        }
        // Most lines of lists have one word.
        lines(&inner).next()?;
        let name = urimill_logs::detect(&inner)?.name();
        // The word before an address may be taken for a virtual host.
        let is_host = name == "clf" && !most(&inner, |line| is_address(without_rest(line)));
        Some((is_host, count, name))
    };
    let (_, count, name) = (1..=MOST_WORDS).filter_map(found).min()?;
    let line = lines(first).next().unwrap_or_default();
    let foreign = Foreign::new(
        format!("a log of the format {name} with more before each line, as in {}", excerpt(line)),
        format!(
            "take that off, as in sed -E 's/^ *([^ ]+ +){{{count}}}//' FILE | urimill normalize {}",
            OptionName::Format.with(name)
        ),
    );
    Some((name, foreign))
}

fn without_words(line: &[u8], count: usize) -> &[u8] {
    let blanks = |text: &[u8]| text.iter().take_while(|&&b| b == b' ').count();
    let mut rest = &line[blanks(line)..];
    for _ in 0..count {
        rest = &rest[without_rest(rest).len()..];
        rest = &rest[blanks(rest)..];
    }
    rest
}

/// The first word.
fn without_rest(line: &[u8]) -> &[u8] {
    line.split(|&b| b == b' ').next().unwrap_or_default()
}
