//! The text in a record of a web archive that is searched for URIs: the body of an HTTP message, without its encodings
//! (`read::http`), or the block itself.

use std::borrow::Cow;

use memchr::memmem;

use crate::read::http::{BodyEnd, Message, fields, media_type};

/// The searchable part of a record.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Payload<'a> {
    /// A text, and whether it is only the beginning of one.
    Text(Cow<'a, [u8]>, bool),
    /// Nothing: an image, a film, or no payload.
    None,
    /// Bytes that cannot be decoded.
    Unread,
}

/// The payload of a record with this header and block. `is_arc` says that the header is the line of an ARC file.
pub(super) fn of<'a>(header: &'a [u8], block: &'a [u8], is_arc: bool) -> Payload<'a> {
    let own_type = match is_arc {
        // The fourth word, as sent by the server.
        true => header.split(|&b| b == b' ').nth(3),
        false => fields(header, b"content-type").next(),
    };
    let own_type = own_type.unwrap_or_default();
    let is_http = block.starts_with(b"HTTP/")
        || !is_arc && begins(own_type, b"application/http")
        || is_arc && begins(header, b"http") && !begins(own_type, b"text/") && Message::of(block).is_some();
    if !is_http {
        return if is_text(own_type) { Payload::Text(Cow::Borrowed(block), false) } else { Payload::None };
    }
    let Some(message) = Message::of(block) else { return Payload::None };
    if message.body.is_empty() || !is_text(message.field(b"content-type").unwrap_or_default()) {
        return Payload::None;
    }
    let body = message.decoded();
    match body.end {
        BodyEnd::Unknown => Payload::Unread,
        BodyEnd::Damage if body.bytes.is_empty() => Payload::Unread,
        end => Payload::Text(body.bytes, end != BodyEnd::Whole),
    }
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

#[cfg(all(test, feature = "gzip"))]
mod tests {
    use super::*;

    #[test]
    fn texts_of_records() {
        let http = b"WARC/1.0\r\nContent-Type: application/http;msgtype=response".as_slice();
        let message = |fields: &str, body: &[u8]| {
            [format!("HTTP/1.1 200 OK\r\n{fields}\r\n").as_bytes(), body].concat()
        };
        let text = |text: &str, is_cut| Payload::Text(Cow::Owned(text.as_bytes().to_vec()), is_cut);
        // (header, block, payload)
        let table: Vec<(&[u8], Vec<u8>, Payload<'_>)> = vec![
            (http, message("Content-Type: text/html\r\n", b"text"), text("text", false)),
            (http, message("", b"text"), text("text", false)),
            (http, message("Content-Type: image/png\r\n", b"text"), Payload::None),
            (http, message("Content-Type: text/html\r\n", b""), Payload::None),
            (http, message("transfer-encoding: chunked\r\n", b"4\r\ntext\r\n0\r\n\r\n"), text("text", false)),
            // A body that ends within a chunk is only a beginning.
            (http, message("transfer-encoding: chunked\r\n", b"9\r\ntext"), text("text", true)),
            (http, message("content-encoding: compress\r\n", b"text"), Payload::Unread),
            (http, message("content-encoding: br\r\n", b"\xff\xff\xff"), Payload::Unread),
            (http, b"HTTP/1.1 200 OK".to_vec(), Payload::None),
            (b"WARC/1.0\r\nContent-Type: text/plain", b"text".to_vec(), text("text", false)),
            (b"WARC/1.0\r\nContent-Type: application/pdf", b"text".to_vec(), Payload::None),
            (b"WARC/1.0", b"text".to_vec(), text("text", false)),
        ];
        for (header, block, payload) in &table {
            assert_eq!(of(header, block, false), *payload, "{}", block.escape_ascii());
        }
        let arc = b"http://h/ 192.0.2.1 20010101000000 text/html 4".as_slice();
        assert_eq!(of(arc, b"text", true), text("text", false));
        let page = b"HTTP/1.0 200 OK\nContent-Type: text/html\n\ntext";
        assert_eq!(of(arc, page, true), text("text", false));
        assert_eq!(of(arc, b"HTTP/1.0 200 OK\nContent-Type: image/gif\n\ntext", true), Payload::None);
    }
}
