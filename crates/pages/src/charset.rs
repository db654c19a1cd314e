//! The character encoding of a page, and its text in UTF-8. The byte-order mark comes first, then the declaration of
//! the transfer, then that of the page, in the order of the HTML Standard (13.2.3.2), XML and CSS (CSS Syntax, 3.2).

use std::borrow::Cow;

use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::{memchr, memmem};

/// How many bytes of a page are searched for its declaration. The standard looks at 1,024 bytes, and begins anew if the
/// parser meets a `meta` after them (13.2.3.5); this limit finds such a `meta` at once.
pub(super) const PRESCAN: usize = 64 << 10;

/// The language of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Markup {
    Html,
    Css,
    Xml,
    Markdown,
}

/// A page in UTF-8.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decoded<'a> {
    pub(super) text: Cow<'a, str>,
    /// Whether the encoding is not declared although it matters.
    pub(super) is_unknown: bool,
    /// Whether some bytes are not of the encoding; U+FFFD stands for them.
    pub(super) is_damaged: bool,
}

/// Converts a page to UTF-8. `transferred` is the `Content-Type` that it came with. `is_utf8`: the page had a
/// byte-order mark, or was transcoded before.
pub(super) fn decode<'a>(bytes: &'a [u8], transferred: &[u8], markup: Markup, is_utf8: bool) -> Decoded<'a> {
    let (encoding, is_said) = encoding(bytes, transferred, markup, is_utf8);
    let is_unknown = !is_said && !bytes.is_ascii();
    let (text, _, is_damaged) = encoding.decode(bytes);
    Decoded { text, is_unknown, is_damaged }
}

/// The encoding of a page that begins so, and whether it is declared: the default of a language counts as declared,
/// except that of HTML, which is a guess.
pub(super) fn encoding(
    beginning: &[u8],
    transferred: &[u8],
    markup: Markup,
    is_utf8: bool,
) -> (&'static Encoding, bool) {
    let marked = Encoding::for_bom(beginning).map(|(encoding, _)| encoding);
    let known = marked.or(is_utf8.then_some(UTF_8)).or_else(|| label(parameter(transferred)?));
    let first = &beginning[..beginning.len().min(PRESCAN)];
    let known = known.or_else(|| match markup {
        Markup::Html => prescan(first).or_else(|| declared(first)),
        Markup::Xml => declared(first).or(Some(UTF_8)),
        Markup::Css => at_charset(first).or(Some(UTF_8)),
        Markup::Markdown => Some(UTF_8),
    });
    (known.unwrap_or(WINDOWS_1252), known.is_some())
}

/// The encoding with this label, as pages may write it.
fn label(label: &[u8]) -> Option<&'static Encoding> {
    Encoding::for_label(label).filter(|&encoding| encoding != REPLACEMENT)
}

/// The parameter `charset` of a media type (RFC 9110, 8.3.1), also of the `content` of a `meta` (HTML, 2.5.2).
fn parameter(value: &[u8]) -> Option<&[u8]> {
    let lower = value.to_ascii_lowercase();
    let mut from = 0;
    loop {
        let at = from + memmem::find(&lower[from..], b"charset")? + b"charset".len();
        from = at;
        let rest = value[at..].trim_ascii_start();
        let Some(rest) = rest.strip_prefix(b"=").map(<[u8]>::trim_ascii_start) else { continue };
        return match rest.first() {
            Some(&quote @ (b'"' | b'\'')) => memchr(quote, &rest[1..]).map(|end| &rest[1..=end]),
            _ => {
                let end = rest.iter().position(|b| b.is_ascii_whitespace() || matches!(b, b';' | b','));
                Some(&rest[..end.unwrap_or(rest.len())]).filter(|label| !label.is_empty())
            }
        };
    }
}

/// The encoding in an XML declaration.
fn declared(first: &[u8]) -> Option<&'static Encoding> {
    let declaration = first.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..memchr(b'>', declaration)?];
    let value = declaration[memmem::find(declaration, b"encoding")? + b"encoding".len()..].trim_ascii_start();
    let value = value.strip_prefix(b"=")?.trim_ascii_start();
    let quote = *value.first().filter(|b| matches!(b, b'"' | b'\''))?;
    of_ascii(label(&value[1..=memchr(quote, &value[1..])?])?)
}

/// The encoding at the beginning of a style sheet, in exactly these bytes (CSS Syntax, 3.2).
fn at_charset(first: &[u8]) -> Option<&'static Encoding> {
    let name = first.strip_prefix(b"@charset \"")?;
    let len = memchr(b'"', name)?;
    of_ascii(label(&name[..len]).filter(|_| name.get(len + 1) == Some(&b';'))?)
}

/// An encoding named by a text in ASCII cannot be UTF-16 (13.2.3.2).
fn of_ascii(encoding: &'static Encoding) -> Option<&'static Encoding> {
    Some(match encoding {
        _ if encoding == UTF_16LE || encoding == UTF_16BE => UTF_8,
        _ if encoding == X_USER_DEFINED => WINDOWS_1252,
        other => other,
    })
}

/// The encoding in the first `meta` that names one (13.2.3.2, "prescan a byte stream").
fn prescan(first: &[u8]) -> Option<&'static Encoding> {
    let mut at = 0;
    while let Some(tag) = memchr(b'<', first.get(at..).unwrap_or_default()) {
        at += tag;
        let rest = &first[at..];
        if rest.starts_with(b"<!--") {
            // `<!-->` is a whole comment.
            at += memmem::find(&rest[2..], b"-->").map_or(rest.len(), |end| end + 5);
            continue;
        }
        let is_meta = rest.len() > 5
            && rest[..5].eq_ignore_ascii_case(b"<meta")
            && (rest[5].is_ascii_whitespace() || rest[5] == b'/');
        if is_meta {
            let (found, len) = meta(&rest[5..]);
            if let Some(encoding) = found.and_then(label).and_then(of_ascii) {
                return Some(encoding);
            }
            at += 5 + len;
            continue;
        }
        if matches!(rest, [b'<', b'a'..=b'z' | b'A'..=b'Z', ..] | [b'<', b'/', b'a'..=b'z' | b'A'..=b'Z', ..])
        {
            at += rest.iter().position(|b| b.is_ascii_whitespace() || *b == b'>').unwrap_or(rest.len());
            while let Some((.., len)) = attribute(&first[at..]) {
                at += len;
            }
            at += 1;
            continue;
        }
        if matches!(rest, [b'<', b'!' | b'/' | b'?', ..]) {
            at += memchr(b'>', rest).unwrap_or(rest.len());
        }
        at += 1;
    }
    None
}

/// The label in the attributes of a `meta`, and the length of the attributes.
fn meta(text: &[u8]) -> (Option<&[u8]>, usize) {
    let (mut at, mut charset, mut content, mut is_type) = (0, None, None, false);
    while let Some((name, value, len)) = attribute(&text[at..]) {
        at += len;
        match () {
            () if name.eq_ignore_ascii_case(b"charset") => charset = charset.or(Some(value)),
            () if name.eq_ignore_ascii_case(b"content") => content = content.or(Some(value)),
            () if name.eq_ignore_ascii_case(b"http-equiv") => {
                is_type |= value.eq_ignore_ascii_case(b"content-type");
            }
            () => {}
        }
    }
    (charset.or_else(|| content.filter(|_| is_type).and_then(parameter)), at)
}

/// An attribute: its name, its value, and the length together with the text before it; `None` where the tag ends.
fn attribute(text: &[u8]) -> Option<(&[u8], &[u8], usize)> {
    let begin = text.iter().position(|b| !b.is_ascii_whitespace() && *b != b'/')?;
    if text[begin] == b'>' {
        return None;
    }
    let is_end = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'/' | b'>' | b'=');
    let len = text[begin + 1..].iter().position(is_end).map_or(text.len() - begin, |len| len + 1);
    let (name, mut at) = (&text[begin..begin + len], begin + len);
    let blank = text[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    if text.get(at + blank) != Some(&b'=') {
        return Some((name, b"", at));
    }
    at += blank + 1;
    at += text[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    match text.get(at) {
        Some(&quote @ (b'"' | b'\'')) => {
            let end = memchr(quote, &text[at + 1..])?;
            Some((name, &text[at + 1..at + 1 + end], at + end + 2))
        }
        _ => {
            let end = text[at..].iter().position(|b| b.is_ascii_whitespace() || *b == b'>');
            let end = at + end.unwrap_or(text.len() - at);
            Some((name, &text[at..end], end))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_of_pages() {
        // (page, Content-Type, text, whether the encoding is unknown, damaged): HTML, 13.2.3.2
        type Case = (&'static [u8], &'static str, &'static str, bool, bool);
        let table: &[Case] = &[
            (b"abc", "text/html", "abc", false, false),
            (b"\xe9", "text/html", "\u{e9}", true, false),
            (b"\xc3\xa9", "text/html; charset=utf-8", "\u{e9}", false, false),
            (b"\xc3\xa9", "text/html;Charset = \"UTF-8\"", "\u{e9}", false, false),
            (b"\xef\xbb\xbf\xc3\xa9", "text/html; charset=latin1", "\u{e9}", false, false),
            (b"\xff\xfe\xe9\x00", "", "\u{e9}", false, false),
            (b"\xe9", "text/html; charset=x", "\u{e9}", true, false),
            (b"\xe9", "text/html; charset=utf-8", "\u{fffd}", false, true),
            (b"<meta charset=utf-8>\xc3\xa9", "", "<meta charset=utf-8>\u{e9}", false, false),
            // The declaration of the transfer comes first.
            (
                b"<meta charset=utf-8>\xe9",
                "text/html;charset=latin1",
                "<meta charset=utf-8>\u{e9}",
                false,
                false,
            ),
            (b"<META  charset = 'utf-16'/>\xc3\xa9", "", "<META  charset = 'utf-16'/>\u{e9}", false, false),
            (
                b"<meta content='text/html;charset=utf-8' http-equiv=Content-Type>\xc3\xa9",
                "",
                "<meta content='text/html;charset=utf-8' http-equiv=Content-Type>\u{e9}",
                false,
                false,
            ),
            // In a comment, in an attribute, and without its http-equiv it has no effect.
            (b"<!-- <meta charset=utf-8> -->\xe9", "", "<!-- <meta charset=utf-8> -->\u{e9}", true, false),
            (b"<a b='<meta charset=utf-8>'>\xe9", "", "<a b='<meta charset=utf-8>'>\u{e9}", true, false),
            (b"<meta content='charset=utf-8'>\xe9", "", "<meta content='charset=utf-8'>\u{e9}", true, false),
            (b"<!--><meta charset=utf-8>\xc3\xa9", "", "<!--><meta charset=utf-8>\u{e9}", false, false),
            (
                b"<?xml version='1.0' encoding='utf-8'?>\xc3\xa9",
                "",
                "<?xml version='1.0' encoding='utf-8'?>\u{e9}",
                false,
                false,
            ),
        ];
        for (page, transferred, text, is_unknown, is_damaged) in table {
            let found = decode(page, transferred.as_bytes(), Markup::Html, false);
            let expected = Decoded { text: (*text).into(), is_unknown: *is_unknown, is_damaged: *is_damaged };
            assert_eq!(found, expected, "{} {transferred}", page.escape_ascii());
        }
    }

    #[test]
    fn encodings_of_other_texts() {
        use Markup::{Css, Markdown, Xml};
        // (markup, text, Content-Type, encoding): CSS Syntax, 3.2; XML, 4.3.3
        type Case = (Markup, &'static [u8], &'static str, &'static Encoding);
        let table: &[Case] = &[
            (Css, b"\xc3\xa9", "text/css", UTF_8),
            (Css, b"\xe9", "text/css; charset=latin1", WINDOWS_1252),
            (Css, b"@charset \"latin1\";\xe9", "text/css", WINDOWS_1252),
            (Css, b"@charset \"utf-16\";\xc3\xa9", "", UTF_8),
            (Css, b"@charset 'latin1';\xc3\xa9", "", UTF_8),
            (Css, b"@charset \"latin1\" ;\xc3\xa9", "", UTF_8),
            (Css, b"<meta charset=latin1>\xc3\xa9", "", UTF_8),
            (Markdown, b"\xc3\xa9", "", UTF_8),
            (Markdown, b"<meta charset=latin1>\xc3\xa9", "", UTF_8),
            (Markdown, b"\xe9", "text/markdown; charset=latin1", WINDOWS_1252),
            (Xml, b"<a>\xc3\xa9</a>", "", UTF_8),
            (Xml, b"<?xml version='1.0' encoding='latin1'?><a>\xe9</a>", "", WINDOWS_1252),
        ];
        for (markup, text, transferred, expected) in table {
            let found = encoding(text, transferred.as_bytes(), *markup, false);
            assert_eq!(found, (*expected, true), "{markup:?} {} {transferred}", text.escape_ascii());
        }
    }
}
