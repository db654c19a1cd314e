//! Where the text is that may contain URIs in a record of a web archive: in the body of an HTTP message, or in the
//! block itself. The walk through an archive keeps such a block whole, however long it is (`frame::documents`), and a
//! search for URIs decodes it.

use memchr::memmem;

use super::http::{Message, fields, media_type};

/// Where the text of a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextPlace<'a> {
    /// The block is the text.
    Block,
    /// The text is the body of this message.
    Body(Message<'a>),
    /// There is none: an image, a film, or no payload.
    None,
}

impl<'a> TextPlace<'a> {
    /// Where the text of a record is; takes its header and its block, or the beginning of the block. `is_arc`: the
    /// header is the line of an ARC file.
    pub fn of(is_arc: bool, header: &[u8], block: &'a [u8]) -> TextPlace<'a> {
        let own_type = match is_arc {
            // The fourth word, as sent by the server.
            true => header.split(|&b| b == b' ').nth(3),
            false => fields(header, b"content-type").next(),
        };
        let own_type = own_type.unwrap_or_default();
        let is_http = block.starts_with(b"HTTP/")
            || !is_arc && begins(own_type, b"application/http")
            || is_arc
                && begins(header, b"http")
                && !begins(own_type, b"text/")
                && Message::of(block).is_some();
        if !is_http {
            return if is_text(own_type) { TextPlace::Block } else { TextPlace::None };
        }
        let Some(message) = Message::of(block) else { return TextPlace::None };
        match !message.body.is_empty() && is_text(message.field(b"content-type").unwrap_or_default()) {
            true => TextPlace::Body(message),
            false => TextPlace::None,
        }
    }
}

/// Whether a record of an archive, with this header and this beginning of its block, may have a text.
pub(crate) fn may_be_text(is_arc: bool, header: &[u8], beginning: &[u8]) -> bool {
    TextPlace::of(is_arc, header, beginning) != TextPlace::None
}

fn begins(text: &[u8], prefix: &[u8]) -> bool {
    text.get(..prefix.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(prefix))
}

/// Whether a media type is a text type, which may contain URIs. A missing media type may be one.
fn is_text(value: &[u8]) -> bool {
    let name = media_type(value);
    let parts: [&[u8]; 7] =
        [b"xml", b"html", b"json", b"javascript", b"ecmascript", b"form-urlencoded", b"warc-fields"];
    name.is_empty()
        || name.starts_with(b"text/")
        || name.starts_with(b"message/")
        || name == b"unk"
        || name == b"no-type"
        || parts.iter().any(|part| memmem::find(&name, part).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stand_in_blocks_or_bodies() {
        let http = "WARC/1.0\r\nContent-Type: application/http;msgtype=response";
        let arc = "http://h/ 192.0.2.1 20010101000000 text/html 4";
        let binary = "http://h/ 192.0.2.1 20010101000000 application/x 4";
        // (whether it is ARC, header, block, the text): a block is its own text, or the body of its message is
        let table: &[(bool, &str, &str, Option<&str>)] = &[
            (false, http, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\ntext", Some("text")),
            (false, http, "HTTP/1.1 200 OK\r\n\r\ntext", Some("text")),
            (false, http, "POST / HTTP/1.1\r\nContent-Type: application/json\r\n\r\ntext", Some("text")),
            (false, http, "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\ntext", None),
            // A head without an end, as far as it is seen, and a message without a body.
            (false, http, "HTTP/1.1 200 OK", None),
            (false, http, "HTTP/1.1 200 OK\r\n\r\n", None),
            (false, "WARC/1.0\r\nContent-Type: text/plain", "text", Some("text")),
            (false, "WARC/1.0\r\nContent-Type: application/pdf", "text", None),
            (false, "WARC/1.0", "text", Some("text")),
            (true, arc, "text", Some("text")),
            (true, arc, "HTTP/1.0 200 OK\nContent-Type: text/html\n\ntext", Some("text")),
            (true, arc, "HTTP/1.0 200 OK\nContent-Type: image/gif\n\ntext", None),
            (true, binary, "text", None),
            (true, binary, "ICY 200 OK\nContent-Type: text/html\n\ntext", Some("text")),
        ];
        for &(is_arc, header, block, text) in table {
            let found = match TextPlace::of(is_arc, header.as_bytes(), block.as_bytes()) {
                TextPlace::Block => Some(block.as_bytes()),
                TextPlace::Body(message) => Some(message.body),
                TextPlace::None => None,
            };
            assert_eq!(found, text.map(str::as_bytes), "{header} {block}");
        }
    }
}
