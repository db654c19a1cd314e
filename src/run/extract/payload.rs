//! The text in a record of a web archive that is searched for URIs (`read::payload`), with transfer encodings removed:
//! in memory, or as a stream if it is too long.

use std::borrow::Cow;
use std::io::BufReader;

use urimill_base::temporary::Temporary;
use urimill_pages::http_body::BodyStream;
use urimill_read::Block;
use urimill_read::http::BodyEnd;
use urimill_read::payload::TextPlace;

/// The limit on decoded bytes of a text, unless more bytes are stored without encodings: a longer one is hardly a text.
const LONGEST_DECODED: u64 = 4 << 30;

/// The searchable part of a record.
pub(super) enum Payload<'a> {
    /// A text, and whether it is complete.
    Text(Cow<'a, [u8]>, bool),
    /// A text that is too long to be held.
    Long(BodyStream<'a>),
    /// Not a text: an image, a film, or no payload.
    None,
    /// Bytes that cannot be decoded.
    Unread,
}

/// The payload of a record. `is_arc` means that its header is the line of an ARC file.
pub(super) fn of<'a>(block: &Block<'a>, is_arc: bool) -> Payload<'a> {
    let most = block.long_block.map_or(0, Temporary::bytes).max(LONGEST_DECODED);
    let message = match TextPlace::of(is_arc, block.header, block.bytes) {
        TextPlace::None => return Payload::None,
        TextPlace::Block => {
            return match block.long_block {
                Some(long_block) => {
                    Payload::Long(BodyStream::new(Box::new(BufReader::new(long_block.reader(0))), most))
                }
                None => Payload::Text(Cow::Borrowed(block.bytes), block.is_cut),
            };
        }
        TextPlace::Body(message) => message,
    };
    if let Some(long_block) = block.long_block {
        let from = (block.bytes.len() - message.body.len()) as u64;
        let stream = BodyStream::decoded(&message, long_block.reader(from), most);
        return stream.map_or(Payload::Unread, Payload::Long);
    }
    let body = message.decoded();
    match body.end {
        BodyEnd::Unknown => Payload::Unread,
        BodyEnd::Damage if body.bytes.is_empty() => Payload::Unread,
        // The payload is longer than the held part, but the block is not.
        BodyEnd::Limit if !block.is_cut => {
            BodyStream::decoded(&message, message.body, most).map_or(Payload::Unread, Payload::Long)
        }
        end => Payload::Text(body.bytes, block.is_cut || end != BodyEnd::Whole),
    }
}

#[cfg(all(test, feature = "gzip"))]
mod tests {
    use std::io::{Read, Write};

    use super::*;
    use urimill_base::temporary::TemporaryPlace;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).expect("memory");
        encoder.finish().expect("memory")
    }

    /// A payload, and whether it is complete: from memory and as a stream.
    fn read(block: &Block<'_>, is_arc: bool) -> Option<(Vec<u8>, bool)> {
        match of(block, is_arc) {
            Payload::Text(text, is_cut) => Some((text.into_owned(), !is_cut)),
            Payload::Long(mut stream) => {
                let mut text = Vec::new();
                stream.read_to_end(&mut text).expect("a fault ends it");
                let is_unread = text.is_empty() && stream.end == BodyEnd::Damage;
                (!is_unread).then_some((text, stream.end == BodyEnd::Whole))
            }
            Payload::None => Some((b"none".to_vec(), true)),
            Payload::Unread => None,
        }
    }

    #[test]
    fn payloads_are_the_same_in_memory_and_in_a_file() {
        let http = b"WARC/1.0\r\nContent-Type: application/http;msgtype=response".as_slice();
        let message = |fields: &str, body: &[u8]| {
            [format!("HTTP/1.1 200 OK\r\n{fields}\r\n").as_bytes(), body].concat()
        };
        let packed = gzip(b"text");
        let text = || Some((b"text".to_vec(), true));
        let beginning = || Some((b"text".to_vec(), false));
        let none = || Some((b"none".to_vec(), true));
        let arc = b"http://h/ 192.0.2.1 20010101000000 text/html 4".as_slice();
        type Text = Option<(Vec<u8>, bool)>;
        // (whether it is ARC, header, block, the text and whether it is complete; `None` if it cannot be decoded)
        let table: Vec<(bool, &[u8], Vec<u8>, Text)> = vec![
            (false, http, message("Content-Type: text/html\r\n", b"text"), text()),
            (false, http, message("Content-Type: image/png\r\n", b"text"), none()),
            (false, http, message("Content-Type: text/html\r\n", b""), none()),
            (false, http, message("transfer-encoding: chunked\r\n", b"4\r\ntext\r\n0\r\n\r\n"), text()),
            // A body that ends within a chunk is only a beginning.
            (false, http, message("transfer-encoding: chunked\r\n", b"9\r\ntext"), beginning()),
            (false, http, message("content-encoding: gzip\r\n", &packed), text()),
            (false, http, message("content-encoding: gzip\r\n", &packed[..packed.len() - 4]), beginning()),
            (false, http, message("content-encoding: compress\r\n", b"text"), None),
            (false, http, message("content-encoding: br\r\n", b"\xff\xff\xff"), None),
            (false, http, b"HTTP/1.1 200 OK".to_vec(), none()),
            (false, b"WARC/1.0\r\nContent-Type: text/plain", b"text".to_vec(), text()),
            (false, b"WARC/1.0\r\nContent-Type: application/pdf", b"text".to_vec(), none()),
            (true, arc, b"text".to_vec(), text()),
            (true, arc, b"HTTP/1.0 200 OK\nContent-Type: text/html\n\ntext".to_vec(), text()),
        ];
        for (is_arc, header, bytes, expected) in &table {
            let mut file = Temporary::new(&TemporaryPlace::default()).expect("a temporary file");
            file.push(bytes).expect("space");
            for long_block in [None, Some(&file)] {
                let block = Block {
                    record: 1,
                    header,
                    bytes,
                    is_cut: false,
                    long_block,
                    stored: None,
                    stored_len: None,
                    digest: None,
                };
                let what = bytes.escape_ascii();
                assert_eq!(read(&block, *is_arc), *expected, "{what} {}", long_block.is_some());
            }
        }
    }

    #[test]
    fn a_block_that_decodes_to_much_is_a_stream() {
        let alike = vec![b'a'; (17 << 20) + 1];
        // Bytes that are compressed twice must not compress too well: one byte of 64 differs.
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        let mut body = alike.clone();
        body.iter_mut().step_by(64).for_each(|byte| *byte = next());
        // The first decoder's limit must not look like damage to the second one.
        let twice = gzip(&gzip(&body));
        let table = [("gzip", gzip(&alike), alike), ("gzip, gzip", twice, body)];
        for (encodings, packed, body) in table {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {encodings}\r\n\r\n");
            let bytes = [head.as_bytes(), &packed].concat();
            let header = b"WARC/1.0\r\nContent-Type: application/http";
            let (record, stored, stored_len, digest) = (1, None, None, None);
            let mut block = Block {
                record,
                header,
                bytes: &bytes,
                is_cut: false,
                long_block: None,
                stored,
                stored_len,
                digest,
            };
            let found = read(&block, false).expect("it can be decoded");
            assert!(found == (body, true), "{encodings}: {} bytes", found.0.len());
            // Bytes missing from the block are missing from the text.
            block.is_cut = true;
            assert!(!read(&block, false).expect("it can be decoded").1, "{encodings}");
        }
    }
}
