//! Lines of words with spaces between them, as crawlers and their indexes write them: the words are found in place.

use memchr::{memchr, memchr2};
use urimill_read::format::{line_end, span};
use urimill_uri::simd::Span;

/// The result of splitting a line.
pub(crate) struct Line {
    /// How many words it has.
    pub(crate) words: usize,
    /// Its text, without its end.
    pub(crate) whole: Span,
    /// Where the next one begins.
    pub(crate) next: usize,
}

impl Line {
    /// Whether the line has no words.
    pub(crate) fn is_blank(&self) -> bool {
        self.words == 0
    }
}

/// The first words of a line, and their number.
pub(crate) fn first_words(line: &[u8]) -> ([Span; 16], usize) {
    let mut found = [Span { start: 0, len: 0 }; 16];
    let count = words(line, 0, &mut found).words;
    (found, count)
}

/// The number, from 0, of the word that is expected at byte `at` of a line.
pub(crate) fn word_at(line: &str, at: usize) -> usize {
    line.get(..at).map_or(usize::MAX, |before| before.split_ascii_whitespace().count())
}

/// The words of the line that begins at `start`, with one or more spaces between them. The last of `words` takes the
/// rest of the line.
#[inline]
pub(crate) fn words<const MOST: usize>(bytes: &[u8], start: usize, words: &mut [Span; MOST]) -> Line {
    let (mut at, mut found) = (start, 0);
    let newline = loop {
        while bytes.get(at) == Some(&b' ') {
            at += 1;
        }
        let stop = match found + 1 == MOST {
            true => memchr(b'\n', &bytes[at..]),
            false => memchr2(b' ', b'\n', &bytes[at..]),
        };
        let stop = stop.map_or(bytes.len(), |stop| at + stop);
        let is_last = stop == bytes.len() || bytes[stop] == b'\n';
        let end = if is_last { trim(bytes, at, line_end(bytes, at, stop)) } else { stop };
        if end > at {
            words[found] = span(at, end);
            found += 1;
        }
        if is_last {
            break stop;
        }
        at = stop;
    };
    let whole = span(start, line_end(bytes, start, newline));
    // White space other than spaces may be a word, but not a line.
    let is_blank = found > 0
        && bytes[words[0].start as usize].is_ascii_whitespace()
        && bytes[start..start + whole.len as usize].trim_ascii().is_empty();
    Line { words: if is_blank { 0 } else { found }, whole, next: (newline + 1).min(bytes.len()) }
}

/// The line that begins at `start` as one word.
pub(crate) fn one_word(bytes: &[u8], start: usize) -> Line {
    let newline = memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |found| start + found);
    let whole = span(start, line_end(bytes, start, newline));
    let is_blank = bytes[start..start + whole.len as usize].trim_ascii().is_empty();
    Line { words: usize::from(!is_blank), whole, next: (newline + 1).min(bytes.len()) }
}

fn trim(bytes: &[u8], start: usize, end: usize) -> usize {
    start + bytes[start..end].trim_ascii_end().len()
}

/// Whether a word is a decimal number, perhaps a negative one, or stands for an absent value.
#[inline]
pub(crate) fn is_number(bytes: &[u8], word: Span) -> bool {
    let text = &bytes[word.start as usize..][..word.len as usize];
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    text == b"-" || !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// Whether a word begins with this many digits.
#[inline]
pub(crate) fn begins_with_digits(bytes: &[u8], word: Span, count: usize) -> bool {
    word.len as usize >= count && bytes[word.start as usize..][..count].iter().all(u8::is_ascii_digit)
}

/// Whether a word is a media type, perhaps with parameters: `text/html`.
pub(crate) fn is_media_type(word: &[u8]) -> bool {
    let is_token = |b: &u8| b.is_ascii_alphanumeric() || b"+-_*!#$&^".contains(b);
    let Some(slash) = memchr(b'/', word) else { return false };
    let (kind, rest) = (&word[..slash], &word[slash + 1..]);
    let name = rest.iter().take_while(|&b| is_token(b) || *b == b'.').count();
    !kind.is_empty()
        && kind.iter().all(is_token)
        && name > 0
        && matches!(rest.get(name), None | Some(b';' | b','))
}

/// Whether a word is a digest: the name of a function and a value, or as many letters and digits as usual functions
/// give.
pub(crate) fn is_digest(word: &[u8]) -> bool {
    let is_value = |text: &[u8]| text.iter().all(|b| b.is_ascii_alphanumeric() || b"+/=_-".contains(b));
    let named = [&b"sha"[..], b"md5", b"blake"].iter().any(|name| word.starts_with(name));
    match memchr(b':', word) {
        Some(colon) => named && word.len() > colon + 1 && is_value(&word[colon + 1..]),
        None => {
            let is_usual = matches!(word.len(), 26 | 32 | 40 | 52 | 56 | 64 | 103 | 128);
            is_usual && word.iter().all(u8::is_ascii_alphanumeric) && !word.iter().all(u8::is_ascii_digit)
        }
    }
}
