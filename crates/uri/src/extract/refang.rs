//! Defanged URIs, as reports of threats write them: `hxxps://www[.]example[.]com/`. This module restores them.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use memchr::memchr3;

/// Schemes and their defanged spellings.
const SCHEMES: [(&[u8], &[u8]); 8] = [
    (b"hxxp", b"http"),
    (b"hxxps", b"https"),
    (b"hxtp", b"http"),
    (b"htxp", b"http"),
    (b"hxtps", b"https"),
    (b"htxps", b"https"),
    (b"fxp", b"ftp"),
    (b"meow", b"http"),
];

/// Texts in brackets that replace a delimiter.
const DELIMITERS: [(&[u8], &[u8]); 8] = [
    (b".", b"."),
    (b"dot", b"."),
    (b":", b":"),
    (b"://", b"://"),
    (b"/", b"/"),
    (b"//", b"//"),
    (b"@", b"@"),
    (b"at", b"@"),
];

/// The scheme that this defanged spelling means; `None` for others.
pub(super) fn scheme(name: &[u8]) -> Option<&'static [u8]> {
    SCHEMES.iter().find(|(written, _)| written.eq_ignore_ascii_case(name)).map(|&(_, scheme)| scheme)
}

/// The original form of a text that is one defanged URI reference; borrowed if it is not defanged.
///
/// ```
/// use urimill_uri::extract::refang;
///
/// assert_eq!(&*refang(b"hxxps[:]//www[.]example[.]com/a"), b"https://www.example.com/a");
/// assert_eq!(&*refang(b"http://[::1]/"), b"http://[::1]/");
/// ```
#[must_use]
pub fn refang(text: &[u8]) -> Cow<'_, [u8]> {
    let mut bare = Refanged::new(text).text;
    // White space and delimiters around a text, which repair removes.
    let is_around = |b: &u8| *b <= b' ' || matches!(b, b'<' | b'"' | b'\'');
    let start = bare.iter().position(|b| !is_around(b)).unwrap_or(bare.len());
    let end =
        bare[start..].iter().position(|b| !b.is_ascii_alphanumeric()).map_or(bare.len(), |at| start + at);
    // All of these schemes are as long as their defanged spellings.
    if bare[end..].starts_with(b"://")
        && let Some(scheme) = scheme(&bare[start..end])
    {
        bare[start..end].copy_from_slice(scheme);
    }
    if bare == text { Cow::Borrowed(text) } else { Cow::Owned(bare) }
}

/// A text with its delimiters taken out of their brackets: `[.]`, `(dot)`, `{:}`; and `[.` without the second one.
pub(super) struct Refanged {
    pub(super) text: Vec<u8>,
    /// For each delimiter: its end in `text`, and the number of bytes left out up to there.
    left_out: Vec<(usize, usize)>,
}

impl Refanged {
    pub(super) fn new(text: &[u8]) -> Refanged {
        let mut out = Refanged { text: Vec::with_capacity(text.len()), left_out: Vec::new() };
        let (mut done, mut at) = (0, 0);
        while let Some(found) = memchr3(b'[', b'(', b'{', &text[at..]) {
            let opening = at + found;
            at = opening + 1;
            if let Some((delimiter, length)) = bracketed(&text[opening..]) {
                out.text.extend_from_slice(&text[done..opening]);
                out.text.extend_from_slice(delimiter);
                at = opening + length;
                done = at;
                out.left_out.push((out.text.len(), done - out.text.len()));
            }
        }
        out.text.extend_from_slice(&text[done..]);
        out
    }

    /// Whether the text is unchanged up to this offset.
    pub(super) fn is_unchanged_before(&self, offset: usize) -> bool {
        self.left_out.first().is_none_or(|&(end, _)| end > offset)
    }

    /// The original offset of an offset in `text`, counted after all delimiters that end before it.
    pub(super) fn original_offset(&self, offset: usize) -> usize {
        let before = self.left_out.partition_point(|&(end, _)| end <= offset);
        offset + before.checked_sub(1).map_or(0, |last| self.left_out[last].1)
    }
}

/// The delimiter in the brackets at the beginning of `text`, and their length.
fn bracketed(text: &[u8]) -> Option<(&'static [u8], usize)> {
    let (&opening, inner) = text.split_first()?;
    let closing = match opening {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    };
    let whole = DELIMITERS.iter().find_map(|&(written, delimiter)| {
        let (head, rest) = inner.split_at_checked(written.len())?;
        let is_it = head.eq_ignore_ascii_case(written) && rest.first() == Some(&closing);
        is_it.then_some((delimiter, written.len() + 2))
    });
    let cut = || match (opening, inner) {
        // An address is in brackets too, and does not begin with a dot.
        (b'[', [b'.', next, ..]) if next.is_ascii_alphanumeric() => Some((&b"."[..], 2)),
        _ => None,
    };
    whole.or_else(cut)
}

/// The length of the longest dot in brackets.
pub(super) const LONGEST_DOT: usize = 5;

/// The length of the dot in a pair of brackets at the beginning of `text`.
pub(super) fn dot(text: &[u8]) -> Option<usize> {
    let (delimiter, length) =
        bracketed(text).filter(|_| !text.starts_with(b"[.") || text.get(2) == Some(&b']'))?;
    (delimiter == b".").then_some(length)
}

/// Whether `text` begins with an `@` in brackets.
pub(super) fn is_at(text: &[u8]) -> bool {
    bracketed(text).is_some_and(|(delimiter, _)| delimiter == b"@")
}

/// Whether `text` ends in a delimiter in brackets.
pub(super) fn ends_in_delimiter(text: &[u8]) -> bool {
    let tail = |len: usize| text.get(text.len().checked_sub(len)?..);
    matches!(text.last(), Some(b']' | b')' | b'}'))
        && (3..=LONGEST_DOT)
            .filter_map(tail)
            .any(|tail| bracketed(tail).is_some_and(|(_, length)| length == tail.len()))
}

/// Whether `text` begins with something that may follow a host's name: a port, a path, a query, a fragment.
pub(super) fn follows_host(text: &[u8]) -> bool {
    match text.first() {
        Some(b'/' | b'?' | b'#' | b':') => true,
        _ => bracketed(text).is_some_and(|(delimiter, _)| matches!(delimiter, b"/" | b":")),
    }
}

/// The start of the brackets around the colon of a scheme: `hxxp[:]//`, `hxxp[://]`.
pub(super) fn opening_before(text: &[u8], colon: usize) -> Option<usize> {
    let opening = colon.checked_sub(1)?;
    let is_bracket = matches!(text[opening], b'[' | b'(' | b'{');
    (is_bracket && bracketed(&text[opening..]).is_some()).then_some(opening)
}
