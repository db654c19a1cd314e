//! The text in a record of a web archive: the body of an HTTP message, without its transfer encoding, or the block
//! itself. Runs before the search for URIs.

use std::borrow::Cow;
#[cfg(any(feature = "gzip", feature = "zstd", feature = "brotli"))]
use std::io::Read;

use memchr::{memchr, memmem};

/// A longer text is searched up to here.
pub(super) const LONGEST: u64 = 16 << 20;

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
        false => field(header, b"content-type"),
    };
    let own_type = own_type.unwrap_or_default();
    let is_http = block.starts_with(b"HTTP/")
        || !is_arc && begins(own_type, b"application/http")
        || is_arc && begins(header, b"http") && !begins(own_type, b"text/") && has_head(block);
    if !is_http {
        return if is_text(own_type) { Payload::Text(Cow::Borrowed(block), false) } else { Payload::None };
    }
    let Some((head, body)) = head_and_body(block) else { return Payload::None };
    if body.is_empty() || !is_text(field(head, b"content-type").unwrap_or_default()) {
        return Payload::None;
    }
    let is_chunked = field(head, b"transfer-encoding").is_some_and(|value| ends(value, b"chunked"));
    // Tools that write archives may take the chunks away and leave the field.
    let body = match is_chunked {
        true => unchunked(body).map_or(Cow::Borrowed(body), Cow::Owned),
        false => Cow::Borrowed(body),
    };
    decoded(body, field(head, b"content-encoding").unwrap_or_default())
}

fn begins(text: &[u8], prefix: &[u8]) -> bool {
    text.get(..prefix.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(prefix))
}

fn ends(text: &[u8], suffix: &[u8]) -> bool {
    text.len() >= suffix.len() && text[text.len() - suffix.len()..].eq_ignore_ascii_case(suffix)
}

fn has_head(block: &[u8]) -> bool {
    head_and_body(block).is_some()
}

/// The header of a message, and what follows the empty line.
fn head_and_body(message: &[u8]) -> Option<(&[u8], &[u8])> {
    let ends = [
        memmem::find(message, b"\r\n\r\n").map(|at| (at, 4)),
        memmem::find(message, b"\n\n").map(|at| (at, 2)),
    ];
    let (at, gap) = ends.into_iter().flatten().min()?;
    Some((&message[..at], &message[at + gap..]))
}

/// The value of the first field with this name, which is in lower case.
fn field<'a>(head: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    head.split(|&b| b == b'\n').skip(1).find_map(|line| {
        let colon = memchr(b':', line)?;
        line[..colon].trim_ascii().eq_ignore_ascii_case(name).then(|| line[colon + 1..].trim_ascii())
    })
}

/// Whether a media type is a text type, which may contain URIs. A missing media type may be one.
fn is_text(media_type: &[u8]) -> bool {
    let name = media_type.split(|&b| b == b';').next().unwrap_or_default().trim_ascii().to_ascii_lowercase();
    let parts: [&[u8]; 7] =
        [b"xml", b"html", b"json", b"javascript", b"ecmascript", b"form-urlencoded", b"warc-fields"];
    name.is_empty()
        || name.starts_with(b"text/")
        || name.starts_with(b"message/")
        || name == b"unk"
        || name == b"no-type"
        || parts.iter().any(|part| memmem::find(&name, part).is_some())
}

/// A body without chunked encoding (RFC 9112, 7.1); `None` if it has none.
fn unchunked(body: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::with_capacity(body.len());
    let mut rest = body;
    loop {
        let end = memchr(b'\n', rest)?;
        let size = rest[..end].split(|&b| b == b';').next().unwrap_or_default().trim_ascii();
        let size = usize::from_str_radix(std::str::from_utf8(size).ok()?, 16).ok()?;
        let data = &rest[end + 1..];
        if size == 0 {
            return Some(whole);
        }
        // A truncated body ends within a chunk.
        let Some(chunk) = data.get(..size) else {
            whole.extend_from_slice(data);
            return Some(whole);
        };
        whole.extend_from_slice(chunk);
        rest = data[size..].trim_ascii_start();
        if rest.is_empty() {
            return Some(whole);
        }
    }
}

/// A body without its content encoding (RFC 9110, 8.4).
#[allow(unreachable_code, reason = "a build has all decoders, some or none")]
fn decoded<'a>(body: Cow<'a, [u8]>, encoding: &[u8]) -> Payload<'a> {
    let bytes = &*body;
    let encoding = encoding.to_ascii_lowercase();
    // A body declared as compressed may no longer be compressed.
    let is_gzip = bytes.starts_with(b"\x1f\x8b");
    let text: (Vec<u8>, bool) = match encoding.as_slice() {
        #[cfg(feature = "gzip")]
        b"gzip" | b"x-gzip" if is_gzip => inflated(flate2::read::MultiGzDecoder::new(bytes)),
        b"gzip" | b"x-gzip" if !is_gzip => return Payload::Text(body, false),
        b"" | b"identity" => return Payload::Text(body, false),
        #[cfg(feature = "gzip")]
        b"deflate" => match inflated(flate2::read::ZlibDecoder::new(bytes)) {
            // Without the zlib wrapper that RFC 9110 requires, as many servers send it.
            (text, _) if text.is_empty() => inflated(flate2::read::DeflateDecoder::new(bytes)),
            found => found,
        },
        #[cfg(feature = "brotli")]
        b"br" => inflated(brotli::Decompressor::new(bytes, 1 << 16)),
        #[cfg(feature = "zstd")]
        b"zstd" => match zstd::Decoder::new(bytes) {
            Ok(decoder) => inflated(decoder),
            Err(_) => return Payload::Unread,
        },
        _ => return Payload::Unread,
    };
    match text {
        (text, _) if text.is_empty() => Payload::Unread,
        (text, is_cut) => Payload::Text(Cow::Owned(text), is_cut),
    }
}

/// The output of a decoder until it fails or ends, and whether there is more.
#[cfg(any(feature = "gzip", feature = "zstd", feature = "brotli"))]
fn inflated(decoder: impl Read) -> (Vec<u8>, bool) {
    let mut text = Vec::new();
    let ended = decoder.take(LONGEST).read_to_end(&mut text);
    let is_cut = ended.is_err() || text.len() as u64 == LONGEST;
    (text, is_cut)
}

#[cfg(all(test, feature = "gzip"))]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).expect("memory");
        encoder.finish().expect("memory")
    }

    #[test]
    fn bodies_without_their_encodings() {
        let http = b"WARC/1.0\r\nContent-Type: application/http;msgtype=response".as_slice();
        let compressed = gzip(b"text");
        let chunked = [
            &b"5\r\n"[..],
            &compressed[..5],
            b"\r\n",
            format!("{:x}", compressed.len() - 5).as_bytes(),
            b";x=y\r\n",
            &compressed[5..],
            b"\r\n0\r\n\r\n",
        ]
        .concat();
        let message = |fields: &str, body: &[u8]| {
            [format!("HTTP/1.1 200 OK\r\n{fields}\r\n").as_bytes(), body].concat()
        };
        let text = |text: &str| Payload::Text(Cow::Owned(text.as_bytes().to_vec()), false);
        // (header, block, payload): RFC 9112, 7.1; RFC 9110, 8.4
        let table: Vec<(&[u8], Vec<u8>, Payload<'_>)> = vec![
            (http, message("Content-Type: text/html\r\n", b"text"), text("text")),
            (http, message("", b"text"), text("text")),
            (http, message("Content-Type: image/png\r\n", b"text"), Payload::None),
            (http, message("Content-Type: text/html\r\n", b""), Payload::None),
            (http, message("content-encoding: gzip\r\n", &compressed), text("text")),
            (http, message("content-encoding: GZIP\r\n", b"text"), text("text")),
            (http, message("transfer-encoding: chunked\r\n", b"4\r\ntext\r\n0\r\n\r\n"), text("text")),
            (http, message("transfer-encoding: chunked\r\n", b"9\r\ntext"), text("text")),
            (http, message("transfer-encoding: chunked\r\n", b"text"), text("text")),
            (
                http,
                message("transfer-encoding: chunked\r\ncontent-encoding: gzip\r\n", &chunked),
                text("text"),
            ),
            (http, message("content-encoding: compress\r\n", b"text"), Payload::Unread),
            (http, message("content-encoding: br\r\n", b"\xff\xff\xff"), Payload::Unread),
            (http, b"HTTP/1.1 200 OK".to_vec(), Payload::None),
            (b"WARC/1.0\r\nContent-Type: text/plain", b"text".to_vec(), text("text")),
            (b"WARC/1.0\r\nContent-Type: application/pdf", b"text".to_vec(), Payload::None),
            (b"WARC/1.0", b"text".to_vec(), text("text")),
        ];
        for (header, block, payload) in &table {
            assert_eq!(of(header, block, false), *payload, "{}", block.escape_ascii());
        }
        let arc = b"http://h/ 192.0.2.1 20010101000000 text/html 4".as_slice();
        assert_eq!(of(arc, b"text", true), text("text"));
        assert_eq!(of(arc, b"HTTP/1.0 200 OK\nContent-Type: text/html\n\ntext", true), text("text"));
        assert_eq!(of(arc, b"HTTP/1.0 200 OK\nContent-Type: image/gif\n\ntext", true), Payload::None);
    }
}
