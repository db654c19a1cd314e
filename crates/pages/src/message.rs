//! Messages and their texts: the limits within which they are parsed, and the decoded texts of their parts. The parser
//! is mail-parser's.

use std::borrow::Cow;

use data_encoding::BASE64;
use mail_parser::{HeaderName, Message, MessageParser, MessagePart, MimeHeaders, PartType};

/// Parts that are nested more deeply are skipped.
pub(crate) const DEEPEST: usize = 32;

/// A message, and whether only its beginning was read; `None` if it is not one.
pub fn parsed(bytes: &[u8]) -> Option<(Message<'_>, bool)> {
    let (bytes, is_cut) = beginning(bytes);
    let parser = MessageParser::new().with_mime_headers().header_id(HeaderName::MessageId);
    let message = parser.header_text("Content-Base").default_header_ignore().parse(bytes)?;
    Some((message, is_cut))
}

/// The URI of a message (RFC 2392, 2).
pub fn uri(message: &Message<'_>) -> Option<String> {
    message.message_id().filter(|id| !id.is_empty()).map(mid)
}

/// A text of a message.
pub struct MailText<'a> {
    /// The text.
    pub text: &'a [u8],
    /// Whether it is HTML.
    pub is_html: bool,
}

/// The texts of a message: the header of each part as it is written, and its body, decoded, if that is text.
pub fn each_text<'a>(message: &'a Message<'a>, each: &mut impl FnMut(MailText<'_>)) {
    texts_of(message, 0, each);
}

fn texts_of(message: &Message<'_>, depth: usize, each: &mut impl FnMut(MailText<'_>)) {
    if depth == DEEPEST {
        return;
    }
    for part in &message.parts {
        let header = part.offset_header as usize..part.offset_body as usize;
        let header = message.raw_message.get(header).unwrap_or_default();
        each(MailText { text: header, is_html: false });
        match &part.body {
            PartType::Text(_) | PartType::Html(_) if part.is_encoding_problem => {
                let text = decoded(message, part);
                let is_html = part.content_type().is_some_and(|kind| kind.subtype() == Some("html"));
                each(MailText { text: String::from_utf8_lossy(&text).as_bytes(), is_html });
            }
            PartType::Text(text) => each(MailText { text: text.as_bytes(), is_html: false }),
            PartType::Html(text) => each(MailText { text: text.as_bytes(), is_html: true }),
            PartType::Message(inner) => texts_of(inner, depth + 1, each),
            PartType::Multipart(_) | PartType::Binary(_) | PartType::InlineBinary(_) => {}
        }
    }
}

/// The body of a part without its transfer encoding, if the parser finds no end of it or takes it for damaged and
/// leaves it as it is: characters outside of that encoding are skipped (RFC 2045, 6.7 and 6.8).
pub(crate) fn decoded<'m>(message: &'m Message<'_>, part: &MessagePart<'_>) -> Cow<'m, [u8]> {
    let body = part.offset_body as usize..part.offset_end as usize;
    let body = message.raw_message.get(body).unwrap_or_default();
    let named = |name: &str| {
        part.content_transfer_encoding().is_some_and(|encoding| encoding.trim().eq_ignore_ascii_case(name))
    };
    match () {
        () if named("base64") => Cow::Owned(of_base64(body)),
        () if named("quoted-printable") => Cow::Owned(of_quoted_printable(body)),
        () => Cow::Borrowed(body),
    }
}

fn of_base64(text: &[u8]) -> Vec<u8> {
    let is_letter = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
    let mut letters: Vec<u8> = text.iter().copied().filter(is_letter).collect();
    // Whole groups have no bits that a decoder could reject.
    let len = letters.len() * 6 / 8;
    letters.resize(letters.len().next_multiple_of(4), b'A');
    let mut out = BASE64.decode(&letters).unwrap_or_default();
    out.truncate(len);
    out
}

fn of_quoted_printable(text: &[u8]) -> Vec<u8> {
    let digit = |at: usize| text.get(at).and_then(|&b| char::from(b).to_digit(16));
    let (mut out, mut at) = (Vec::with_capacity(text.len()), 0);
    while let Some(&b) = text.get(at) {
        at += 1;
        if b != b'=' {
            out.push(b);
            continue;
        }
        if let (Some(high), Some(low)) = (digit(at), digit(at + 1)) {
            out.push((high << 4 | low) as u8);
            at += 2;
            continue;
        }
        // A line end after it, and white space before the line end, are not part of the text.
        let blank = text[at..].iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count();
        match text.get(at + blank) {
            Some(b'\n') => at += blank + 1,
            Some(_) => out.push(b'='),
            None => at += blank,
        }
    }
    out
}

/// At most this many lines of a message are read: each part has at least one, and takes much more memory than that.
const MOST_LINES: usize = 1 << 19;

/// The longest line, in bytes (RFC 5322, 2.1.1 allows 998 characters): in a line of the header each byte may take
/// thirty.
const LONGEST_LINE: usize = 1 << 20;

/// At most this many messages within a message are read: each may be in the one before, and they are freed by
/// recursion.
const MOST_MESSAGES: usize = 512;

/// The subtypes of parts that are messages: `message/rfc822`, `message/global`, `multipart/digest`.
const OF_MESSAGES: [&[u8]; 3] = [b"rfc822", b"global", b"digest"];

/// The part of a message that is read, and whether that is only its beginning.
fn beginning(bytes: &[u8]) -> (&[u8], bool) {
    let (mut from, mut messages) = (0, 0);
    for (line, end) in memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]).enumerate() {
        if line == MOST_LINES || end - from > LONGEST_LINE {
            // Whole lines, and the beginning of a long one.
            let rest = if line == MOST_LINES { 0 } else { LONGEST_LINE };
            return (&bytes[..from + rest], true);
        }
        messages += usize::from(may_begin_message(&bytes[from..end]));
        if messages > MOST_MESSAGES {
            return (&bytes[..from], true);
        }
        from = end;
    }
    (bytes, false)
}

/// Whether a line, with the line end before it, may belong to a `Content-Type` that makes a part a message. Reports of
/// delivery have lines `Final-Recipient: rfc822; …`, which do not.
fn may_begin_message(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\n").unwrap_or(line);
    let find = |name: &&[u8]| line.windows(name.len()).position(|text| text.eq_ignore_ascii_case(name));
    let Some(at) = OF_MESSAGES.iter().filter_map(find).min() else { return false };
    let head = &line[..at];
    let is_folded = line.first().is_some_and(|b| matches!(b, b' ' | b'\t'));
    is_folded
        || head.contains(&b'/')
        || head.get(..12).is_some_and(|name| name.eq_ignore_ascii_case(b"content-type"))
}

/// The `mid` URI of a message identifier.
fn mid(id: &str) -> String {
    let mut uri = String::from("mid:");
    for b in id.bytes() {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => uri.push(char::from(b)),
            b'-' | b'.' | b'_' | b'~' | b'@' | b'!' | b'$' | b'&' | b'*' | b'+' | b'=' => {
                uri.push(char::from(b))
            }
            _ => uri.push_str(&format!("%{b:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_in_messages_are_counted() {
        let table = [
            ("Content-Type: message/rfc822", true),
            ("\ncontent-type:MESSAGE/RFC822; a=b", true),
            ("\n message/global", true),
            ("Content-Type: message /(x) rfc822", true),
            ("Content-Type: multipart/digest; boundary=x", true),
            ("Final-Recipient: rfc822; a@b", false),
            ("Content-Type: text/html", false),
            ("RFC822", false),
        ];
        for (line, expected) in table {
            assert_eq!(may_begin_message(line.as_bytes()), expected, "{line}");
        }
        let nested = "Content-Type: message/rfc822\n\n".repeat(100_000);
        let (message, is_cut) = parsed(nested.as_bytes()).expect("a message");
        assert!(is_cut && message.parts.len() == 1);
    }

    #[test]
    fn damaged_texts_are_decoded_as_far_as_they_can_be() {
        // (text, decoded): RFC 2045, 6.7 and 6.8
        for (text, expected) in
            [("a=3D=3db", "a==b"), ("a=\r\nb= \t\nc=", "abc"), ("a=zb=4", "a=zb=4"), ("", "")]
        {
            assert_eq!(of_quoted_printable(text.as_bytes()), expected.as_bytes(), "{text}");
        }
        for (text, expected) in
            [("YWJj", "abc"), ("YW\r\nJj!ZA==", "abcd"), ("YWJjZ", "abc"), ("YWJjZP==", "abcd"), ("=", "")]
        {
            assert_eq!(of_base64(text.as_bytes()), expected.as_bytes(), "{text}");
        }
    }
}
