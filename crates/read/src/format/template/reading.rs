//! Whether a text brings a scheme or an authority to any reader: by RFC 3986, by the URL Standard, and after repair:
//! white space is trimmed or removed, a backslash is a slash, schemes of the web may be missing.

/// The beginning parts of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Heads {
    pub(super) scheme: bool,
    /// An authority that is not empty.
    pub(super) authority: bool,
}

/// The parts that any reader may find.
pub(super) fn heads(text: &[u8]) -> Heads {
    // Repair removes this around a text, and browsers within it; in delimiters all white space goes.
    let is_delimiter = |b: &u8| matches!(b, b'<' | b'"' | b'\'');
    let is_space = |b: &u8| *b <= b' ' || !b.is_ascii();
    let start = text.iter().position(|b| !is_space(b) && !is_delimiter(b)).unwrap_or(text.len());
    let is_delimited = text[..start].iter().any(is_delimiter);
    // Defanged delimiters are in brackets.
    let is_removed = |b: &u8| b"\t\r\n[](){}".contains(b) || is_delimited && is_space(b);
    let mut rest = text[start..].iter().copied().filter(|b| !is_removed(b)).peekable();
    let mut name = Vec::new();
    while let Some(byte) = rest.next_if(|&b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')) {
        name.push(byte.to_ascii_lowercase());
    }
    let scheme = name.first().is_some_and(u8::is_ascii_alphabetic) && rest.next_if_eq(&b':').is_some();
    if !scheme && !name.is_empty() {
        return Heads::default();
    }
    let mut slashes = 0;
    while rest.next_if(|&b| matches!(b, b'/' | b'\\')).is_some() {
        slashes += 1;
    }
    let has_more = !matches!(rest.peek(), None | Some(b'?' | b'#'));
    let authority = has_more
        && match name.as_slice() {
            b"http" | b"https" | b"ws" | b"wss" | b"ftp" => true,
            // Further slashes begin the path.
            _ if scheme => slashes == 2,
            // The scheme of a base may be one of the web.
            _ => slashes >= 2,
        };
    Heads { scheme, authority }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reading_counts() {
        for (text, scheme, authority) in [
            ("", false, false),
            ("/a", false, false),
            ("a/b:c", false, false),
            ("1:b", false, false),
            ("//h", false, true),
            ("///h", false, true),
            ("/\\h", false, true),
            ("\\\\h", false, true),
            ("/\t/h", false, true),
            (" //h", false, true),
            ("<//h>", false, true),
            ("<\u{3000}/ /h>", false, true),
            ("/ /h", false, false),
            ("hxxp[:]//h", true, true),
            ("[//]h", false, true),
            ("//", false, false),
            ("//?q", false, false),
            ("http:", true, false),
            ("http://", true, false),
            ("http:h", true, true),
            ("http:/h", true, true),
            ("HT\tTP:\\h", true, true),
            ("x:h", true, false),
            ("x:/h", true, false),
            ("x://h", true, true),
            ("file:///h", true, false),
            ("file://h", true, true),
            ("file:/\\h", true, true),
        ] {
            assert_eq!(heads(text.as_bytes()), Heads { scheme, authority }, "{text:?}");
        }
    }
}
