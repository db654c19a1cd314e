//! Which of the formats that urimill reads the first lines of an input look like.

use super::documents::framed;
use crate::read::format::cdx;
use crate::read::format::cdx::json;
use crate::read::format::cdxj;
use crate::read::format::clf;
use crate::read::format::first_lines::{LINES, has_scheme, trim};
use crate::read::format::line_end;
use crate::read::format::robots;
use crate::read::format::words::{begins_with_digits, words};
use crate::simd::Span;

/// A format that lines can look like.
type Look = (&'static str, fn(&[u8]) -> bool);

/// Those first that say more.
const LOOKS: [Look; 5] = [
    ("heritrix", is_heritrix),
    ("cdxj", is_cdxj),
    ("cdx", is_cdx),
    ("clf", is_clf),
    ("seeds", robots::is_seed),
];

/// The format that half of the first lines or more look like.
pub(in crate::read) fn looks_like(first: &[u8]) -> Option<&'static str> {
    if cdx::header(first).is_some() || json::begins(first) || json::header(first).is_some() {
        return Some("cdx");
    }
    if let Some(name) = framed(first) {
        return Some(name);
    }
    let lines =
        || first.split(|&b| b == b'\n').map(trim).filter(|line| !line.trim_ascii().is_empty()).take(LINES);
    if lines().next().is_some_and(cdxj::is_object) {
        return Some("cdxj");
    }
    if robots::begins(first) {
        return Some("robots");
    }
    let count = |looks: fn(&[u8]) -> bool| lines().filter(|line| looks(line)).count();
    let found = LOOKS.iter().rev().map(|&(name, looks)| (count(looks), name)).max_by_key(|&(count, _)| count);
    found.filter(|&(count, _)| count > 0 && 2 * count >= lines().count()).map(|(_, name)| name)
}

/// The first words of a line, and how many there are.
fn first_words(line: &[u8]) -> ([Span; 16], usize) {
    let mut found = [Span { start: 0, len: 0 }; 16];
    let count = words(line, 0, &mut found).words;
    (found, count)
}

fn text(line: &[u8], word: Span) -> &[u8] {
    &line[word.start as usize..][..word.len as usize]
}

fn is_number(word: &[u8]) -> bool {
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    word == b"-" || !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

fn is_heritrix(line: &[u8]) -> bool {
    let (words, count) = first_words(line);
    count >= 10
        && begins_with_digits(line, words[0], 4)
        && is_number(text(line, words[1]))
        && is_number(text(line, words[2]))
        && has_scheme(text(line, words[3]))
}

fn is_cdxj(line: &[u8]) -> bool {
    let (words, count) = first_words(line);
    count >= 3 && begins_with_digits(line, words[1], 14) && text(line, words[2]).starts_with(b"{")
}

fn is_cdx(line: &[u8]) -> bool {
    let (words, count) = first_words(line);
    // Fourteen digits, or seventeen with milliseconds.
    let digits = words[1].len as usize;
    matches!(count, 7 | 9..=11) && matches!(digits, 14 | 17) && begins_with_digits(line, words[1], digits)
}

fn is_clf(line: &[u8]) -> bool {
    clf::is_line(&line[..line_end(line, 0, line.len())])
}
