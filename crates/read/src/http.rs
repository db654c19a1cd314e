//! An HTTP message in a record of a web archive: its status, its header fields, and its body without transfer and
//! content encodings. For every run that looks into records.

use std::borrow::Cow;
use std::io::{self, BufRead, ErrorKind, Read};

use memchr::{memchr, memmem};

/// A body is decoded up to here.
pub const LONGEST_BODY: u64 = 16 << 20;

/// A body may be encoded this many times, not more.
const MOST_ENCODINGS: usize = 4;

/// A message: a head, and the body after the empty line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message<'a> {
    /// The start line and the header fields.
    pub head: &'a [u8],
    /// The body as it was transferred.
    pub body: &'a [u8],
}

/// How far a body could be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyEnd {
    /// To its end.
    Whole,
    /// To [`LONGEST_BODY`].
    Limit,
    /// To a fault in its encoding, or to a truncated end.
    Damage,
    /// Not at all: its encoding is unsupported.
    Unknown,
}

/// A body without its encodings.
#[derive(Debug, PartialEq, Eq)]
pub struct Body<'a> {
    /// The decoded bytes.
    pub bytes: Cow<'a, [u8]>,
    /// Why there are no more.
    pub end: BodyEnd,
}

impl<'a> Message<'a> {
    /// The message in a block; `None` if no empty line ends a head. The record's media type says whether the block is a
    /// message.
    pub fn of(block: &'a [u8]) -> Option<Message<'a>> {
        let ends = [
            memmem::find(block, b"\r\n\r\n").map(|at| (at, 4)),
            memmem::find(block, b"\n\n").map(|at| (at, 2)),
        ];
        let (at, gap) = ends.into_iter().flatten().min()?;
        Some(Message { head: &block[..at], body: &block[at + gap..] })
    }

    /// The value of the first field with this name, which is in lower case.
    pub fn field(&self, name: &[u8]) -> Option<&'a [u8]> {
        self.fields(name).next()
    }

    /// The values of all fields with this name, which is in lower case (RFC 9110, 5.2).
    pub fn fields<'n>(&self, name: &'n [u8]) -> impl Iterator<Item = &'a [u8]> + use<'a, 'n> {
        fields(self.head, name)
    }

    /// The body without chunks (RFC 9112, 7.1) and without content encodings (RFC 9110, 8.4).
    pub fn decoded(&self) -> Body<'a> {
        // Tools that write archives may remove the chunks and leave the field.
        let mut body = match is_chunked(self).then(|| unchunked(self.body)).flatten() {
            Some((whole, end)) => Body { bytes: Cow::Owned(whole), end },
            None => Body { bytes: Cow::Borrowed(self.body), end: BodyEnd::Whole },
        };
        let Some(encodings) = content_encodings(self) else {
            return Body { bytes: Cow::Borrowed(b""), end: BodyEnd::Unknown };
        };
        let most = most_decoded(self.body.len() as u64);
        // The last was applied last.
        for encoding in encodings.into_iter().rev() {
            let before = body.end;
            body = without(body.bytes, encoding, most);
            body.end = match (before, body.end) {
                // A body cut at the limit looks damaged to the next decoder.
                (_, BodyEnd::Whole) | (BodyEnd::Limit, BodyEnd::Damage) => before,
                (_, end) => end,
            };
        }
        body
    }
}

/// Whether the body of a message was transferred in chunks, by its header.
pub fn is_chunked(message: &Message<'_>) -> bool {
    message.field(b"transfer-encoding").is_some_and(|value| ends(value, b"chunked"))
}

/// The most bytes that a decoder may make of a body with this number of `stored` bytes, whether it decodes them or the
/// output of another decoder: as many as one decoder of gzip can make, and room for a page. Nested encodings, and those
/// that pack a long run into a few bytes, could make a gibibyte of a hundred bytes. A body with a larger output is
/// damaged.
pub fn most_decoded(stored: u64) -> u64 {
    const OF_GZIP: u64 = 1032;
    const PAGE: u64 = 1 << 20;
    stored.saturating_mul(OF_GZIP).saturating_add(PAGE)
}

/// The content encodings of a message, in the order in which they were applied; `None` if there are too many.
pub fn content_encodings<'a>(message: &Message<'a>) -> Option<Vec<&'a [u8]>> {
    let values = message.fields(b"content-encoding").flat_map(|value| value.split(|&b| b == b','));
    let names: Vec<&[u8]> = values.map(<[u8]>::trim_ascii).filter(|name| !name.is_empty()).collect();
    (names.len() <= MOST_ENCODINGS).then_some(names)
}

/// The values of the fields of a head with this name, which is in lower case; its first line is not a field.
pub fn fields<'a, 'n>(head: &'a [u8], name: &'n [u8]) -> impl Iterator<Item = &'a [u8]> + use<'a, 'n> {
    head.split(|&b| b == b'\n').skip(1).filter_map(move |line| {
        let colon = memchr(b':', line)?;
        line[..colon].trim_ascii().eq_ignore_ascii_case(name).then(|| line[colon + 1..].trim_ascii())
    })
}

/// A media type without its parameters, in lower case.
pub fn media_type(value: &[u8]) -> Vec<u8> {
    value.split(|&b| b == b';').next().unwrap_or_default().trim_ascii().to_ascii_lowercase()
}

fn ends(text: &[u8], suffix: &[u8]) -> bool {
    text.len() >= suffix.len() && text[text.len() - suffix.len()..].eq_ignore_ascii_case(suffix)
}

/// The size in the line before a chunk.
pub fn chunk_size(line: &[u8]) -> Option<u64> {
    let size = line.split(|&b| b == b';').next().unwrap_or_default().trim_ascii();
    u64::from_str_radix(std::str::from_utf8(size).ok()?, 16).ok()
}

/// A body without chunked encoding; `None` if it has none.
fn unchunked(body: &[u8]) -> Option<(Vec<u8>, BodyEnd)> {
    let mut whole = Vec::with_capacity(body.len());
    let mut rest = body;
    loop {
        // After a first chunk, a size that cannot be read is damage.
        let damaged = |whole: Vec<u8>| (!whole.is_empty()).then_some((whole, BodyEnd::Damage));
        let Some(end) = memchr(b'\n', rest) else { return damaged(whole) };
        let Some(size) = chunk_size(&rest[..end]) else { return damaged(whole) };
        let data = &rest[end + 1..];
        if size == 0 {
            return Some((whole, BodyEnd::Whole));
        }
        // A truncated body ends within a chunk.
        let Some(chunk) = data.get(..usize::try_from(size).unwrap_or(usize::MAX)) else {
            whole.extend_from_slice(data);
            return Some((whole, BodyEnd::Damage));
        };
        whole.extend_from_slice(chunk);
        rest = data[chunk.len()..].trim_ascii_start();
        if rest.is_empty() {
            return Some((whole, BodyEnd::Damage));
        }
    }
}

/// A body without one content encoding.
fn without<'a>(body: Cow<'a, [u8]>, encoding: &[u8], most: u64) -> Body<'a> {
    let found = match Decoded::of(&*body, &body[..body.len().min(PEEKED)], encoding) {
        Decoded::Plain(_) => None,
        Decoded::By(decoder) => Some(inflated(decoder, most)),
        Decoded::Unknown => Some((Vec::new(), BodyEnd::Unknown)),
    };
    match found {
        Some((bytes, end)) => Body { bytes: Cow::Owned(bytes), end },
        None => Body { bytes: body, end: BodyEnd::Whole },
    }
}

/// This many bytes are checked for the encoding that the header names.
pub const PEEKED: usize = 4 << 10;

/// A body, and the decoder of one content encoding.
pub enum Decoded<'b, R> {
    /// It has none.
    Plain(R),
    /// The decoder of what was encoded.
    By(Box<dyn Read + 'b>),
    /// It is unsupported.
    Unknown,
}

impl<'b, R: BufRead + 'b> Decoded<'b, R> {
    /// `first` is the body's beginning.
    #[allow(unreachable_code, unused_variables, reason = "a build has all decoders, some or none")]
    pub fn of(body: R, first: &[u8], encoding: &[u8]) -> Self {
        // A body declared as compressed may no longer be compressed.
        let is_gzip = first.starts_with(b"\x1f\x8b");
        Decoded::By(match encoding.to_ascii_lowercase().as_slice() {
            b"gzip" | b"x-gzip" if !is_gzip => return Decoded::Plain(body),
            b"identity" => return Decoded::Plain(body),
            #[cfg(feature = "gzip")]
            b"gzip" | b"x-gzip" => Box::new(flate2::bufread::MultiGzDecoder::new(body)),
            #[cfg(feature = "gzip")]
            b"deflate" if is_zlib(first) => Box::new(flate2::bufread::ZlibDecoder::new(body)),
            // Without the zlib wrapper that RFC 9110 requires, as many servers send it.
            #[cfg(feature = "gzip")]
            b"deflate" => Box::new(flate2::bufread::DeflateDecoder::new(body)),
            #[cfg(feature = "brotli")]
            b"br" => Box::new(brotli::Decompressor::new(body, 1 << 16)),
            #[cfg(feature = "zstd")]
            b"zstd" => match zstd::Decoder::with_buffer(body).and_then(with_window) {
                Ok(decoder) => Box::new(decoder),
                Err(error) => Box::new(Faulty(error.kind())),
            },
            _ => return Decoded::Unknown,
        })
    }
}

/// Whether the bytes decode with the wrapper of zlib.
#[cfg(feature = "gzip")]
fn is_zlib(first: &[u8]) -> bool {
    flate2::bufread::ZlibDecoder::new(first).read(&mut [0; 32]).is_ok_and(|count| count > 0)
}

/// Nothing except a fault.
pub struct Faulty(pub ErrorKind);

impl Read for Faulty {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(self.0.into())
    }
}

/// A decoder of zstd for bodies of HTTP, whose window has at most 8 MiB (RFC 9659, 3). A number in the body decides how
/// large the window is, and encodings may be nested.
#[cfg(feature = "zstd")]
fn with_window<'a, R: BufRead>(mut decoder: zstd::Decoder<'a, R>) -> io::Result<zstd::Decoder<'a, R>> {
    decoder.window_log_max(23)?;
    Ok(decoder)
}

/// The output of a decoder until it fails, ends or reaches a limit: if the limit is `most`, the output is damaged.
fn inflated(decoder: impl Read, most: u64) -> (Vec<u8>, BodyEnd) {
    let mut text = Vec::new();
    let most = most.min(LONGEST_BODY);
    let end = match decoder.take(most).read_to_end(&mut text) {
        Err(_) => BodyEnd::Damage,
        Ok(_) if text.len() as u64 == LONGEST_BODY => BodyEnd::Limit,
        Ok(_) if text.len() as u64 == most => BodyEnd::Damage,
        Ok(_) => BodyEnd::Whole,
    };
    (text, end)
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
    fn bodies_lose_their_encodings() {
        let packed = gzip(b"text");
        let twice = gzip(&packed);
        let chunked = [
            &b"5\r\n"[..],
            &packed[..5],
            b"\r\n",
            format!("{:x}", packed.len() - 5).as_bytes(),
            b";x=y\r\n",
            &packed[5..],
            b"\r\n0\r\n\r\n",
        ]
        .concat();
        let cut = &packed[..packed.len() - 4];
        use BodyEnd::{Damage, Unknown, Whole};
        // (fields, body, decoded, how far): RFC 9112, 7.1; RFC 9110, 8.4
        let table: &[(&str, &[u8], &[u8], BodyEnd)] = &[
            ("server: x", b"text", b"text", Whole),
            ("Content-Encoding: gzip", &packed, b"text", Whole),
            ("content-encoding: GZIP", b"text", b"text", Whole),
            ("content-encoding: identity", b"text", b"text", Whole),
            ("content-encoding: gzip, gzip", &twice, b"text", Whole),
            ("content-encoding: gzip\r\ncontent-encoding: gzip", &twice, b"text", Whole),
            ("content-encoding: gzip", cut, b"text", Damage),
            ("transfer-encoding: chunked", b"4\r\ntext\r\n0\r\n\r\n", b"text", Whole),
            ("transfer-encoding: chunked", b"9\r\ntext", b"text", Damage),
            ("transfer-encoding: chunked", b"4\r\ntext\r\n", b"text", Damage),
            ("transfer-encoding: chunked", b"4\r\ntext\r\nx\r\n", b"text", Damage),
            ("transfer-encoding: chunked", b"text", b"text", Whole),
            ("transfer-encoding: gzip, chunked\r\ncontent-encoding: gzip", &chunked, b"text", Whole),
            ("content-encoding: compress", b"text", b"", Unknown),
            ("content-encoding: a, b, c, d, e", b"text", b"", Unknown),
            ("content-encoding: br", b"\xff\xff\xff", b"", Damage),
        ];
        for (fields, body, decoded, end) in table {
            let block = [b"HTTP/1.1 200 OK\r\n", fields.as_bytes(), b"\r\n\r\n", body].concat();
            let found = Message::of(&block).expect("an empty line").decoded();
            assert_eq!((&*found.bytes, found.end), (*decoded, *end), "{fields} {}", body.escape_ascii());
        }
    }

    #[test]
    fn heads_end_at_an_empty_line() {
        // (block, the first field location, all fields link): RFC 9110, 5.1 and 5.2
        type Case = (&'static str, Option<&'static str>, &'static [&'static str]);
        let table: &[Case] = &[
            ("HTTP/1.1 301 Moved\r\nLocation: /a\r\n\r\n", Some("/a"), &[]),
            ("HTTP/1.1 301\nLOCATION : /a \nlocation: /b\n\nlocation: /c", Some("/a"), &[]),
            ("HTTP/1.1 200 OK\r\nLink: <a>\r\nlink: <b>\r\n\r\n", None, &["<a>", "<b>"]),
            // The start line is not a field.
            ("location: /a\r\n\r\n", None, &[]),
        ];
        for (block, location, links) in table {
            let message = Message::of(block.as_bytes()).expect("an empty line");
            assert_eq!(message.field(b"location"), location.map(str::as_bytes), "{block}");
            let found: Vec<&[u8]> = message.fields(b"link").collect();
            assert_eq!(found, links.iter().map(|link| link.as_bytes()).collect::<Vec<_>>(), "{block}");
        }
        assert_eq!(Message::of(b"HTTP/1.1 200 OK"), None);
        assert_eq!(media_type(b"Text/HTML ; charset=x"), b"text/html");
    }
}
