//! Checks that the words of a line are in their places. Time, URI and numbers have forms of their own. Keys, media
//! types, digests, redirects and the names of files may be any words: such a word is out of place if it looks like
//! another field, and that field does not.

use urimill_read::format::first_lines::{is_of_web, may_be_fetched};
use urimill_uri::simd::Span;

use super::{Form, TIME, URI, is_stamp};
use crate::words::{is_digest, is_media_type, is_number};

/// The fields that hold a number.
const NUMBERS: [u8; 3] = [b's', b'S', b'V'];

/// The field that a word looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    /// None, or a dash for an absent value.
    None,
    /// A number, which may be a timestamp.
    Number,
    /// Any other.
    Word,
    /// A value of the field with this letter.
    Of(u8),
}

/// The first word of a line that does not fit its place: the line has another format, lacks a word, or has a surplus
/// one. One of the numbers may be broken if the line has all of its fields.
pub(super) fn unfit(bytes: &[u8], fields: &[Span], form: &Form) -> Option<usize> {
    let text = |at: usize| &bytes[fields[at].start as usize..][..fields[at].len as usize];
    let place = |letter: u8| Some(form.place(letter)).filter(|&at| at < fields.len());
    let is_long = |at: usize| text(at).len() >= 14 && is_number(bytes, fields[at]);
    let has_moment = || NUMBERS.iter().filter_map(|&letter| place(letter)).any(is_long);
    let fits = |letter: u8, at: usize| match (letter, text(at)) {
        (_, b"" | b"-") => true,
        // A number with as many digits as a whole time may be a broken one.
        (TIME, text) => is_stamp(bytes, fields[at]) && (text.len() >= 14 || !has_moment()),
        (URI, text) => may_be_fetched(text),
        (b's', text) => text.len() <= 3 || !is_number(bytes, fields[at]),
        (b'M', text) => text.iter().all(u8::is_ascii_uppercase),
        // The name of a file.
        (_, text) => !text[0].is_ascii_digit() || !text.iter().all(u8::is_ascii_digit),
    };
    let letters = [TIME, URI, b's', b'M', b'g'];
    let unfit = letters.iter().filter_map(|&letter| place(letter).filter(|&at| !fits(letter, at))).min();
    let is_number = |at: usize| fields[at].len == 0 || is_number(bytes, fields[at]);
    let mut broken = NUMBERS.iter().filter_map(|&letter| place(letter)).filter(|&at| !is_number(at));
    let found = broken.next();
    if let Some(unfit) = unfit {
        return Some(unfit);
    }
    if found.is_none() && is_usual(form, text, place) {
        return None;
    }
    // A crash has left these in place of the rest of the line.
    if let Some(at) = (0..fields.len()).find(|&at| text(at).contains(&0)) {
        return Some(at);
    }
    match (found, broken.next()) {
        (Some(first), Some(second)) => Some(first.min(second)),
        (Some(at), None) if fields.len() < form.count || look(text(at)) != Look::Word => Some(at),
        _ => (0..fields.len()).find(|&at| !is_in_place(form, at, text, place)),
    }
}

/// Whether the words without a form look as most of them do. A word that this check lets pass in another word's place
/// is found by the check of that word.
#[inline]
fn is_usual<'b>(form: &Form, text: impl Fn(usize) -> &'b [u8], place: impl Fn(u8) -> Option<usize>) -> bool {
    let is = |letter: u8, usual: &dyn Fn(&[u8]) -> bool| place(letter).is_none_or(|at| usual(text(at)));
    let is_dash = |word: &[u8]| word == b"-";
    !form.has_others
        && is(URI, &is_of_web)
        && is(b'N', &|word| word.len() > 6 && word[2..7].contains(&b','))
        && is(b'm', &|word| [4, 5, 11].iter().any(|&at| word.get(at) == Some(&b'/')))
        && is(b'k', &|word| {
            let digest: Result<&[u8; 32], _> = word.try_into();
            digest.is_ok_and(|word| word.iter().fold(true, |all, b| all & b.is_ascii_alphanumeric()))
        })
        && is(b'r', &is_dash)
        && is(b'M', &is_dash)
        && is(b'g', &|word| word.ends_with(b".gz"))
}

/// Whether the word at a place may stand there.
fn is_in_place<'b>(
    form: &Form,
    at: usize,
    text: impl Fn(usize) -> &'b [u8],
    place: impl Fn(u8) -> Option<usize>,
) -> bool {
    let letter = form.letters[at];
    let holds = |letter: u8, wanted: Look| place(letter).is_some_and(|at| look(text(at)) == wanted);
    let is_asked = |letter: u8| form.place(letter) < form.count;
    match look(text(at)) {
        // A capture without a response has no redirect.
        Look::Of(URI) if letter == b'r' => !is_asked(URI) || !holds(URI, Look::None),
        Look::None => true,
        Look::Word => letter != b'N' || is_key(text(at)),
        Look::Of(URI) if matches!(letter, b'm' | b'k') => false,
        Look::Number if NUMBERS.contains(&letter) || letter == TIME => true,
        Look::Number => {
            letter != b'r' && NUMBERS.iter().all(|&own| !is_asked(own) || holds(own, Look::Number))
        }
        Look::Of(own) => own == letter || !is_asked(own) || holds(own, Look::Of(own)),
    }
}

/// Whether a word may be the key of a capture: a time and the end of a key that was cut are not.
pub(crate) fn is_key(word: &[u8]) -> bool {
    !matches!(word, [b'/', ..]) && !word.iter().all(u8::is_ascii_digit)
}

/// The field that a word looks like, wherever it stands.
fn look(word: &[u8]) -> Look {
    let is_key = || {
        let close = memchr::memchr(b')', word);
        let is_host = |&b: &u8| b.is_ascii_alphanumeric() || b",-._:%".contains(&b);
        close.is_some_and(|close| close > 0 && word[..close].iter().all(is_host))
    };
    let is_archive = || [&b".gz"[..], b"arc", b".wacz", b".zst"].iter().any(|end| word.ends_with(end));
    match word {
        b"" | b"-" => Look::None,
        [b'0'..=b'9', digits @ ..] if digits.iter().all(u8::is_ascii_digit) => Look::Number,
        _ if is_of_web(word) => Look::Of(URI),
        _ if is_key() => Look::Of(b'N'),
        _ if is_digest(word) => Look::Of(b'k'),
        _ if is_archive() => Look::Of(b'g'),
        _ if is_media_type(word) => Look::Of(b'm'),
        _ => Look::Word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_look_like_fields() {
        let digest = "OSSAPWJ23L56IYVRW3GFEAR4MCJMGPTB";
        let cases = [
            ("-", Look::None),
            ("", Look::None),
            ("203", Look::Number),
            ("20140126200624", Look::Number),
            ("http://example.com/x.warc.gz", Look::Of(URI)),
            ("com,example)/a.gz", Look::Of(b'N')),
            ("192.0.2.1)/", Look::Of(b'N')),
            (digest, Look::Of(b'k')),
            ("sha1:OSSA", Look::Of(b'k')),
            ("iana.warc.gz", Look::Of(b'g')),
            ("a/b.arc", Look::Of(b'g')),
            ("text/html", Look::Of(b'm')),
            ("application/http;msgtype=response", Look::Of(b'm')),
            ("example.com/a", Look::Word),
            ("/a/b", Look::Word),
            ("html>", Look::Word),
            ("a)b/c d", Look::Of(b'N')),
            ("/a)b", Look::Word),
        ];
        for (word, expected) in cases {
            assert_eq!(look(word.as_bytes()), expected, "{word}");
        }
    }
}
