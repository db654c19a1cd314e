//! The quotes of RFC 4180 (section 2, rules 5 to 7), and how broken quotes are read. The chunker and the workers both
//! decide it here.
//!
//! A field that begins with a quote is quoted if another quote ends it: one that is not doubled, with a separator or
//! the record's end after it, within the longest record. If anything else follows the first quote that is not doubled,
//! or no such quote comes, the field is not quoted: its quotes are ordinary characters, and it ends at the next
//! separator. So a lost quote costs one field, not the rest of the file.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

use super::regular_quotes::pass;
use super::short_search::find;
use super::{Behind, Cut, QUOTE};

/// The quotes of a format.
#[derive(Debug, Clone, Copy)]
pub struct Rule<'a> {
    /// The byte between fields.
    pub separator: u8,
    /// Whether a quote can be more than a character.
    pub has_quotes: bool,
    /// The longest text between quotes.
    pub longest: usize,
    /// The prefix of comment lines; empty if the format has no comments.
    pub comment: &'a [u8],
}

/// The kind of a quote at the beginning of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// The quote at this place closes the field.
    Closed(usize),
    /// It is an ordinary character.
    Literal,
    /// More bytes are needed to decide.
    Undecided,
}

/// The kind of the quote at `open`, with which a field begins.
pub(crate) fn opening(bytes: &[u8], open: usize, rule: Rule<'_>, behind: Behind) -> Opening {
    let furthest = open.saturating_add(rule.longest).saturating_add(2);
    let within = &bytes[..furthest.min(bytes.len())];
    let unknown = if behind == Behind::More { Opening::Undecided } else { Opening::Literal };
    let mut at = open + 1;
    loop {
        let Some(found) = within.get(at..).and_then(|rest| memchr(QUOTE, rest)) else {
            return if furthest <= bytes.len() { Opening::Literal } else { unknown };
        };
        let quote = at + found;
        match (bytes.get(quote + 1), bytes.get(quote + 2)) {
            (Some(&QUOTE), _) => at = quote + 2,
            (Some(b'\n'), _) | (Some(b'\r'), Some(b'\n')) => return Opening::Closed(quote),
            (Some(&byte), _) if byte == rule.separator => return Opening::Closed(quote),
            (Some(b'\r'), None) => return unknown,
            (Some(_), _) => return Opening::Literal,
            (None, _) if behind == Behind::End => return Opening::Closed(quote),
            (None, _) => return unknown,
        }
    }
}

/// The quoted field that begins at `open`, if all of its record is known: where its text ends, and whether the text has
/// doubled quotes.
#[inline]
pub fn quoted(bytes: &[u8], open: usize, rule: Rule<'_>) -> Option<(usize, bool)> {
    if bytes.get(open) != Some(&QUOTE) {
        return None;
    }
    // Most fields hold no quote.
    if let Some(close) = find(bytes, open + 1, QUOTE)
        && close - open - 1 <= rule.longest
        && bytes.get(close + 1).is_none_or(|&byte| byte == rule.separator)
    {
        return Some((close, false));
    }
    let Opening::Closed(close) = opening(bytes, open, rule, Behind::End) else { return None };
    Some((close, memchr(QUOTE, &bytes[open + 1..close]).is_some()))
}

/// The text of the quoted field that begins at `open` of a row, and the place after its last quote.
pub fn quoted_text(row: &[u8], open: usize, separator: u8) -> Option<(Cow<'_, [u8]>, usize)> {
    let rule = Rule { separator, has_quotes: true, longest: usize::MAX, comment: b"" };
    let (close, is_doubled) = quoted(row, open, rule)?;
    let mut text = Cow::Borrowed(&row[open + 1..close]);
    if is_doubled {
        let mut plain = Vec::new();
        undouble(&text, &mut plain);
        text = Cow::Owned(plain);
    }
    Some((text, close + 1))
}

/// Appends the text of a quoted field; writes a doubled quote as one.
pub fn undouble(mut text: &[u8], out: &mut Vec<u8>) {
    while let Some(at) = memchr(QUOTE, text) {
        out.extend_from_slice(&text[..=at]);
        text = text.get(at + 2..).unwrap_or_default();
    }
    out.extend_from_slice(text);
}

/// The place in a text with doubled quotes of the byte that is at `at` with single ones.
pub fn place_of(text: &[u8], at: usize) -> usize {
    let (mut place, mut plain) = (0, 0);
    while plain < at && place < text.len() {
        place += if text[place] == QUOTE { 2 } else { 1 };
        plain += 1;
    }
    place.min(text.len())
}

/// See [`super::RecordFormat::cut`].
pub(crate) fn cut(bytes: &[u8], rule: Rule<'_>, behind: Behind) -> Option<Cut> {
    let mut cut = Cut { end: 0, records: 0 };
    // The records outside of quotes, from here on, are not counted yet.
    let (mut from, mut at) = (0, 0);
    let decided = loop {
        let Some(open) = next_opening(bytes, at, rule) else { break bytes.len() };
        cut.take(bytes, from..open);
        from = open;
        if rule.comment.is_empty() {
            let passed = pass(bytes, open, (rule.separator, rule.longest), &mut cut);
            if passed > open {
                (from, at) = (passed, passed);
                continue;
            }
        }
        // A closing quote too far away for the first record may be near enough for a later one: that is tried next.
        let behind = if behind == Behind::TooFar && cut.end > 0 { Behind::More } else { behind };
        match opening(bytes, open, rule, behind) {
            Opening::Closed(close) => (from, at) = (close + 1, close + 1),
            Opening::Literal => at = open + 1,
            Opening::Undecided => break open,
        }
    };
    cut.take(bytes, from..decided);
    if behind == Behind::End {
        cut.records += u64::from(cut.end < bytes.len());
        cut.end = bytes.len();
    }
    (cut.end > 0).then_some(cut)
}

impl Cut {
    /// Adds the records that end in a part of `bytes` outside of quotes.
    fn take(&mut self, bytes: &[u8], part: Range<usize>) {
        let outside = &bytes[part.clone()];
        self.records += memchr_iter(b'\n', outside).count() as u64;
        self.end = memrchr(b'\n', outside).map_or(self.end, |at| part.start + at + 1);
    }
}

/// The next quote at the beginning of a field; `from` lies outside of quotes.
fn next_opening(bytes: &[u8], from: usize, rule: Rule<'_>) -> Option<usize> {
    if !rule.has_quotes {
        return None;
    }
    let begins_field = |&at: &usize| match bytes[..at].last() {
        None | Some(b'\n') => true,
        // A hole before the record.
        Some(0) => bytes[..at].iter().rev().find(|&&b| b != 0).is_none_or(|&b| b == b'\n'),
        Some(&byte) => byte == rule.separator,
    };
    let mut quotes = memchr_iter(QUOTE, &bytes[from..]).map(|at| from + at).filter(begins_field);
    if rule.comment.is_empty() {
        return quotes.next();
    }
    // Where `from` begins within a line, the look at the first quote has already shown that the line is not a comment.
    let is_in_comment = |&at: &usize| {
        let line = match memrchr(b'\n', &bytes[from..at]) {
            Some(newline) => Some(from + newline + 1),
            None => (from == 0).then_some(0),
        };
        line.is_some_and(|line| bytes[line..].starts_with(rule.comment))
    };
    quotes.find(|at| !is_in_comment(at))
}
