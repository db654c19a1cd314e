//! Messages and what is in them: within which limits they are parsed, and the texts of their parts, decoded. The parser is
//! mail-parser's.

use mail_parser::{HeaderName, Message, MessageParser, PartType};

/// Parts deeper within each other are not looked into.
pub(crate) const DEEPEST: usize = 32;

/// A message, and whether only its beginning was read; `None` where it is none.
pub(crate) fn parsed(bytes: &[u8]) -> Option<(Message<'_>, bool)> {
    let (bytes, is_cut) = beginning(bytes);
    let parser = MessageParser::new().with_mime_headers().header_id(HeaderName::MessageId);
    let message = parser.header_text("Content-Base").default_header_ignore().parse(bytes)?;
    Some((message, is_cut))
}

/// The URI of a message (RFC 2392, 2).
pub(crate) fn uri(message: &Message<'_>) -> Option<String> {
    message.message_id().filter(|id| !id.is_empty()).map(mid)
}

/// A text of a message.
pub(crate) struct MailText<'a> {
    pub(crate) text: &'a [u8],
    /// Whether it is HTML.
    pub(crate) is_html: bool,
}

/// The texts of a message: the header of each part as it stands there, and its body, decoded, if that is text.
pub(crate) fn each_text<'a>(message: &'a Message<'a>, each: &mut impl FnMut(MailText<'_>)) {
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
            PartType::Text(text) => each(MailText { text: text.as_bytes(), is_html: false }),
            PartType::Html(text) => each(MailText { text: text.as_bytes(), is_html: true }),
            PartType::Message(inner) => texts_of(inner, depth + 1, each),
            PartType::Multipart(_) | PartType::Binary(_) | PartType::InlineBinary(_) => {}
        }
    }
}

/// So many lines of a message are read: a part takes one at least, and much more memory.
const MOST_LINES: usize = 1 << 19;

/// The longest line (RFC 5322, 2.1.1 allows 998 characters): in one of the header each byte may take thirty.
const LONGEST_LINE: usize = 1 << 20;

/// As much of a message as is read, and whether that is only its beginning.
fn beginning(bytes: &[u8]) -> (&[u8], bool) {
    let mut from = 0;
    for (line, end) in memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]).enumerate() {
        if line == MOST_LINES || end - from > LONGEST_LINE {
            // Whole lines, and of a long one the beginning.
            let rest = if line == MOST_LINES { 0 } else { LONGEST_LINE };
            return (&bytes[..from + rest], true);
        }
        from = end;
    }
    (bytes, false)
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
