//! The escapes of logs, beside those of JSON: a server writes them for bytes that would end a field, or that a terminal
//! obeys. They are undone before a field is read, so that one request is one URI in every log.

use std::borrow::Cow;

use memchr::memchr;
use urimill_uri::simd::Span;

use super::definition::Escapes;

impl Escapes {
    /// The byte that begins an escape.
    pub(super) fn mark(self) -> Option<u8> {
        match self {
            Escapes::Backslash
            | Escapes::BackslashInName
            | Escapes::Zeek
            | Escapes::Quotes
            | Escapes::Event => Some(b'\\'),
            Escapes::Percent | Escapes::PercentInUri => Some(b'%'),
            Escapes::Hash => Some(b'#'),
            Escapes::Html => Some(b'&'),
            Escapes::Plus | Escapes::CookiePlus => Some(b'+'),
            Escapes::None => None,
        }
    }

    /// The text of a field that is written as `written`.
    pub(super) fn undo(self, written: &[u8]) -> Cow<'_, [u8]> {
        let Some(first) = self.mark().and_then(|mark| memchr(mark, written)) else {
            return Cow::Borrowed(written);
        };
        match self {
            Escapes::None => Cow::Borrowed(written),
            Escapes::Backslash => Cow::Owned(decoded(written, (first, b'\\'), |rest| backslash(rest, true))),
            Escapes::BackslashInName => {
                Cow::Owned(decoded(written, (first, b'\\'), |rest| backslash(rest, false)))
            }
            Escapes::Zeek => Cow::Owned(decoded(written, (first, b'\\'), zeek)),
            Escapes::Html => Cow::Owned(decoded(written, (first, b'&'), html)),
            Escapes::Event => Cow::Owned(decoded(written, (first, b'\\'), event)),
            Escapes::Quotes => Cow::Owned(decoded(written, (first, b'\\'), |rest| {
                rest.starts_with(b"\\\"").then_some((b'"', 2))
            })),
            Escapes::Percent => Cow::Owned(decoded(written, (first, b'%'), |rest| digits(&rest[1..], 3))),
            Escapes::PercentInUri => Cow::Owned(decoded(written, (first, b'%'), |rest| {
                digits(&rest[1..], 3).filter(|&(byte, _)| is_of_uri(byte))
            })),
            Escapes::Hash => Cow::Owned(decoded(written, (first, b'#'), |rest| digits(&rest[1..], 3))),
            // A text with a space in it has no escapes.
            Escapes::Plus | Escapes::CookiePlus if memchr(b' ', written).is_some() => Cow::Borrowed(written),
            Escapes::Plus => Cow::Owned(spaced(written, |before| before != Some(b' '))),
            Escapes::CookiePlus => Cow::Owned(spaced(written, |before| before == Some(b';'))),
        }
    }
}

/// The bytes of a chunk that may begin escapes, found once for its fields, which mostly come in the order of the chunk.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// There is none from the first place up to the second, which has one or is the end.
    known: (usize, usize),
}

impl Marks {
    /// False if a part of `bytes`, which are always the same, has no `mark`.
    #[inline]
    pub(super) fn may_be_in(&mut self, mark: u8, bytes: &[u8], part: Span) -> bool {
        let (start, end) = (part.start as usize, (part.start + part.len) as usize);
        if start > self.known.1 {
            let next = memchr(mark, &bytes[start..]);
            self.known = (start, next.map_or(bytes.len(), |next| start + next));
        }
        start < self.known.0 || self.known.1 < end
    }
}

/// The text with its escapes undone; the first may be at `at`, with the byte `mark`. `escape` returns the byte and the
/// length of an escape at the beginning of the rest.
#[inline]
fn decoded(
    written: &[u8],
    (mut at, mark): (usize, u8),
    escape: impl Fn(&[u8]) -> Option<(u8, usize)>,
) -> Vec<u8> {
    let mut text = Vec::with_capacity(written.len());
    let mut from = 0;
    while let Some(rest) = written.get(at..).filter(|rest| !rest.is_empty()) {
        text.extend_from_slice(&written[from..at]);
        let (byte, taken) = escape(rest).unwrap_or((mark, 1));
        text.push(byte);
        from = at + taken;
        // The next escape is often near.
        at = written[from..].iter().position(|&byte| byte == mark).map_or(written.len(), |next| from + next);
    }
    text.extend_from_slice(&written[from..]);
    text
}

/// Whether a URI may have this byte (RFC 3986, 2), `%` included.
fn is_of_uri(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte)
}

/// `\xHH`, a backslash before quotes and backslashes, and, unless it is the name of a user, line feeds and tabs. Such a
/// name has none of these, but a backslash after a domain (`DOMAIN\nick`), which some servers write as it is.
fn backslash(rest: &[u8], has_controls: bool) -> Option<(u8, usize)> {
    match rest {
        [b'\\', b'x', digits_and_more @ ..] => digits(digits_and_more, 4),
        [b'\\', b'n', ..] if has_controls => Some((b'\n', 2)),
        [b'\\', b't', ..] if has_controls => Some((b'\t', 2)),
        [b'\\', b'r', ..] if has_controls => Some((b'\r', 2)),
        [b'\\', byte @ (b'"' | b'\\'), ..] => Some((*byte, 2)),
        _ => None,
    }
}

/// The byte of a reference of HTML, and its length.
fn html(rest: &[u8]) -> Option<(u8, usize)> {
    let known: [(&[u8], u8); 6] = [
        (b"&amp;", b'&'),
        (b"&lt;", b'<'),
        (b"&gt;", b'>'),
        (b"&quot;", b'"'),
        (b"&#39;", b'\''),
        (b"&apos;", b'\''),
    ];
    known.iter().find(|(text, _)| rest.starts_with(text)).map(|(text, byte)| (*byte, text.len()))
}

/// The byte of an escape of CEF or LEEF, and its length.
fn event(rest: &[u8]) -> Option<(u8, usize)> {
    match rest.get(1)? {
        &byte @ (b'|' | b'=' | b'\\') => Some((byte, 2)),
        b'n' => Some((b'\n', 2)),
        b'r' => Some((b'\r', 2)),
        b't' => Some((b'\t', 2)),
        _ => None,
    }
}

fn zeek(rest: &[u8]) -> Option<(u8, usize)> {
    match rest {
        [b'\\', b'x', digits_and_more @ ..] => digits(digits_and_more, 4),
        [b'\\', b'\\', ..] => Some((b'\\', 2)),
        _ => None,
    }
}

/// The byte of two hexadecimal digits.
fn digits(text: &[u8], taken: usize) -> Option<(u8, usize)> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' | b'A'..=b'F' => Some((byte | 0x20) - b'a' + 10),
        _ => None,
    };
    let &[high, low, ..] = text else { return None };
    Some((digit(high)? << 4 | digit(low)?, taken))
}

/// The text with spaces for pluses that are spaces by the byte before them.
fn spaced(written: &[u8], is_space: impl Fn(Option<u8>) -> bool) -> Vec<u8> {
    let mut text: Vec<u8> = Vec::with_capacity(written.len());
    for &byte in written {
        let before = text.last().copied();
        text.push(if byte == b'+' && is_space(before) { b' ' } else { byte });
    }
    text
}

/// A line of JSON with escapes of a server that JSON does not have (`\xHH`), as JSON; `None` if it has no such
/// escape.
pub(super) fn as_json(line: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(line.len());
    let mut has_any = false;
    let mut rest = line;
    while let Some(&first) = rest.first() {
        let taken = match rest {
            [b'\\', b'x', behind @ ..] if let Some((byte, taken)) = digits(behind, 4) => {
                has_any = true;
                match byte {
                    b'"' | b'\\' => text.extend_from_slice(&[b'\\', byte]),
                    ..b' ' => text.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
                    byte => text.push(byte),
                }
                taken
            }
            [b'\\', next, ..] => {
                text.extend_from_slice(&[b'\\', *next]);
                2
            }
            _ => {
                text.push(first);
                1
            }
        };
        rest = &rest[taken..];
    }
    has_any.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_stand_for_bytes() {
        use Escapes::*;
        // (escapes, as it is written, the text)
        let cases: &[(Escapes, &str, &[u8])] = &[
            (None, r"a\x41%41#41+b", br"a\x41%41#41+b"),
            (Backslash, r#"a\x22\"\\b\x0ac"#, b"a\"\"\\b\nc"),
            (Backslash, r"a\xzz\x4", br"a\xzz\x4"),
            (Zeek, r"x\x09y \\x07 \xc2\xae", "x\ty \\x07 \u{ae}".as_bytes()),
            (Zeek, r#"\"\n\x4"#, br#"\"\n\x4"#),
            (Percent, "/a%252Cb%20c%22%", b"/a%2Cb c\"%"),
            (Percent, "%C3%A9%zz", "é%zz".as_bytes()),
            (PercentInUri, "/a%252Cb%20c%22%7E%E4", b"/a%2Cb%20c%22~%E4"),
            (Hash, "/a#23b#22#7Cc#", b"/a#b\"|c#"),
            (Quotes, r#"a \"b\" \\ \x41"#, br#"a "b" \\ \x41"#),
            (
                Plus,
                "Mozilla/5.0+(compatible;+Bot/2.1;++http://h/)",
                b"Mozilla/5.0 (compatible; Bot/2.1; +http://h/)",
            ),
            (Plus, "Mozilla/5.0 (a+b)", b"Mozilla/5.0 (a+b)"),
            (CookiePlus, "a=x+y;+b=1+2", b"a=x+y; b=1+2"),
        ];
        for (escapes, written, text) in cases {
            assert_eq!(&*escapes.undo(written.as_bytes()), *text, "{escapes:?} {written}");
        }
    }

    #[test]
    fn escapes_that_json_lacks_become_json() {
        // (line, as JSON)
        let cases: &[(&str, Option<&str>)] = &[
            (r#"{"a":"b"}"#, Option::None),
            (r#"{"a":"\\x22"}"#, Option::None),
            (r#"{"a":"\x2"}"#, Option::None),
            (r#"{"a":"\x22b\x5C\x0a\"\x7e"}"#, Some(r#"{"a":"\"b\\\u000a\"~"}"#)),
            (r#"{"a":"\xC3\xA9"}"#, Some(r#"{"a":"é"}"#)),
        ];
        for (line, expected) in cases {
            let found = as_json(line.as_bytes()).map(|found| String::from_utf8(found).expect("UTF-8"));
            assert_eq!(found.as_deref(), *expected, "{line}");
        }
    }
}
