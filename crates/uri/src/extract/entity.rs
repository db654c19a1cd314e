//! Character references of HTML and XML around and inside URIs. A URI in a quoted attribute, or in an element of its own,
//! has its ampersands written as `&amp;`; elsewhere markup cannot be distinguished from text, unless it is said that the
//! text is markup, and only references to delimiters count.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use memchr::memchr;

/// The longest reference searched for, `&` and `;` included.
const LONGEST: usize = 10;

/// References whose characters end a URI in a text: `&lt;http://example.com/&gt;`.
const DELIMITERS: &[&[u8]] =
    &[b"&lt;", b"&gt;", b"&quot;", b"&apos;", b"&nbsp;", b"&#34;", b"&#39;", b"&#x22;", b"&#x27;"];

/// Whether `text` begins with a reference to a character that delimits URIs.
pub(super) fn is_delimiter(text: &[u8]) -> bool {
    DELIMITERS.iter().any(|name| text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name)))
}

/// `text` with references replaced by their characters, as in an attribute's value: the five names of XML and the
/// numeric ones; every other `&` stays.
pub(super) fn decode(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr(b'&', text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr(b'&', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let end = memchr(b';', &rest[..rest.len().min(LONGEST)]);
        match end.and_then(|end| Some((character(&rest[1..end])?, end))) {
            Some((character, end)) => {
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                rest = &rest[end + 1..];
            }
            None => {
                out.push(b'&');
                rest = &rest[1..];
            }
        }
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

/// Whether a text ends in a reference to a character.
pub(super) fn ends_in_reference(text: &[u8]) -> bool {
    let least = text.len().saturating_sub(LONGEST);
    let at = text[least..].iter().rposition(|&byte| byte == b'&');
    at.is_some_and(|at| character(&text[least + at + 1..text.len() - 1]).is_some())
}

/// The character with the name `name`, the text between `&` and `;`.
fn character(name: &[u8]) -> Option<char> {
    match name {
        b"amp" => Some('&'),
        b"lt" => Some('<'),
        b"gt" => Some('>'),
        b"quot" => Some('"'),
        b"apos" => Some('\''),
        [b'#', b'x' | b'X', digits @ ..] => numbered(digits, 16),
        [b'#', digits @ ..] => numbered(digits, 10),
        _ => None,
    }
}

fn numbered(digits: &[u8], radix: u32) -> Option<char> {
    let digits = core::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    u32::from_str_radix(digits, radix).ok().and_then(char::from_u32)
}
