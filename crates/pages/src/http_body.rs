//! The body of an HTTP message as a stream, without its transfer and content encodings: for bodies that are too long to
//! be held. The same faults and limits end it as end a body that is decoded whole ([`urimill_read::http`]).

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::rc::Rc;

use urimill_read::http::{
    BodyEnd, Decoded, Faulty, Message, PEEKED, chunk_size, content_encodings, is_chunked, most_decoded,
};

/// A stream of bytes that a fault or a limit ends like an ordinary end; the cause is known then.
pub struct BodyStream<'b> {
    inner: Box<dyn BufRead + 'b>,
    most: u64,
    /// The number of bytes so far.
    pub len: u64,
    /// Whether all of them are ASCII.
    pub(crate) is_ascii: bool,
    /// The cause of the end.
    pub end: BodyEnd,
}

impl<'b> BodyStream<'b> {
    /// At most this many bytes.
    pub fn new(inner: Box<dyn BufRead + 'b>, most: u64) -> BodyStream<'b> {
        BodyStream { inner, most, len: 0, is_ascii: true, end: BodyEnd::Whole }
    }

    /// The body of this message, whose bytes come from `body`, without its encodings; `None` if one of them is
    /// unsupported.
    pub fn decoded(message: &Message<'_>, body: impl Read + 'b, most: u64) -> Option<BodyStream<'b>> {
        let mut body: Box<dyn BufRead + 'b> = Box::new(BufReader::with_capacity(STEP, body));
        if is_chunked(message) {
            let (first, whole) = peeked(body, LONGEST_SIZE);
            let end = first.iter().position(|&b| b == b'\n');
            body = match end.and_then(|end| chunk_size(&first[..end])) {
                Some(_) => Box::new(BufReader::with_capacity(STEP, Unchunked::new(whole))),
                // Tools that write archives may remove the chunks and leave the field.
                None => whole,
            };
        }
        let read = Rc::new(Cell::new(0));
        body = Box::new(BufReader::with_capacity(STEP, Counted { inner: body, read: read.clone() }));
        for encoding in content_encodings(message)?.into_iter().rev() {
            let decoded = Limited { inner: without(body, encoding)?, made: 0, read: read.clone() };
            body = Box::new(BufReader::with_capacity(STEP, decoded));
        }
        Some(BodyStream::new(body, most))
    }

    /// The first bytes, this many or all that there are; they are read again.
    pub fn beginning(self, len: usize) -> (Vec<u8>, BodyStream<'b>) {
        let (first, again) = peeked(self.inner, len);
        (first, BodyStream::new(again, self.most))
    }
}

/// The first bytes of a stream, this many or all that there are, and the whole stream.
fn peeked<'b>(mut inner: Box<dyn BufRead + 'b>, len: usize) -> (Vec<u8>, Box<dyn BufRead + 'b>) {
    let mut first = Vec::new();
    let fault = (&mut inner).take(len as u64).read_to_end(&mut first).err();
    let again = io::Cursor::new(first.clone());
    let again: Box<dyn BufRead + 'b> = match fault {
        None => Box::new(again.chain(inner)),
        Some(fault) => Box::new(BufReader::new(again.chain(Faulty(fault.kind())))),
    };
    (first, again)
}

/// The number of bytes that are read at once.
const STEP: usize = 64 << 10;

/// Counts the bytes that are read of a stored body.
struct Counted<R> {
    inner: R,
    read: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(out)?;
        self.read.set(self.read.get() + count as u64);
        Ok(count)
    }
}

/// The output of a decoder, with a fault where it is more than [`most_decoded`].
struct Limited<R> {
    inner: R,
    made: u64,
    /// The bytes that were read of the stored body.
    read: Rc<Cell<u64>>,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(out)?;
        self.made += count as u64;
        match self.made > most_decoded(self.read.get()) {
            true => Err(ErrorKind::InvalidData.into()),
            false => Ok(count),
        }
    }
}

impl Read for BodyStream<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.end != BodyEnd::Whole || out.is_empty() {
            return Ok(0);
        }
        let left = usize::try_from(self.most - self.len).unwrap_or(usize::MAX);
        if left == 0 {
            self.end = match self.inner.fill_buf() {
                Ok([]) => BodyEnd::Whole,
                Ok(_) => BodyEnd::Limit,
                Err(_) => BodyEnd::Damage,
            };
            return Ok(0);
        }
        let wanted = out.len().min(left);
        loop {
            match self.inner.read(&mut out[..wanted]) {
                Ok(count) => {
                    self.len += count as u64;
                    self.is_ascii = self.is_ascii && out[..count].is_ascii();
                    return Ok(count);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => {
                    self.end = BodyEnd::Damage;
                    return Ok(0);
                }
            }
        }
    }
}

/// A body without chunked encoding (RFC 9112, 7.1).
struct Unchunked<R> {
    inner: R,
    state: Chunks,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Chunks {
    /// The size of the first chunk follows.
    Before,
    /// This many bytes of a chunk are left.
    Within(u64),
    /// The size of the next chunk follows, after the line end of the one before.
    Between,
    End,
}

/// The longest line with the size of a chunk.
const LONGEST_SIZE: usize = 1 << 10;

impl<R: BufRead> Unchunked<R> {
    fn new(inner: R) -> Self {
        Unchunked { inner, state: Chunks::Before }
    }

    /// Reads the line with the size of the chunk that begins here.
    fn next_chunk(&mut self) -> io::Result<()> {
        let mut line = Vec::new();
        (&mut self.inner).take(LONGEST_SIZE as u64).read_until(b'\n', &mut line)?;
        self.state = match line.strip_suffix(b"\n").and_then(chunk_size) {
            Some(0) => Chunks::End,
            Some(size) => Chunks::Within(size),
            None => return Err(ErrorKind::InvalidData.into()),
        };
        Ok(())
    }
}

impl<R: BufRead> Read for Unchunked<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.state {
                Chunks::End => return Ok(0),
                Chunks::Before => self.next_chunk()?,
                Chunks::Between => {
                    loop {
                        let seen = self.inner.fill_buf()?;
                        let blank = seen.iter().take_while(|b| b.is_ascii_whitespace()).count();
                        let is_done = seen.is_empty() || blank < seen.len();
                        self.inner.consume(blank);
                        if is_done {
                            break;
                        }
                    }
                    self.next_chunk()?;
                }
                Chunks::Within(0) => self.state = Chunks::Between,
                Chunks::Within(left) => {
                    let wanted = out.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                    let count = self.inner.read(&mut out[..wanted])?;
                    if count == 0 && wanted > 0 {
                        return Err(ErrorKind::UnexpectedEof.into());
                    }
                    self.state = Chunks::Within(left - count as u64);
                    return Ok(count);
                }
            }
        }
    }
}

/// A body without one content encoding; `None` if that is unsupported.
fn without<'b>(body: Box<dyn BufRead + 'b>, encoding: &[u8]) -> Option<Box<dyn BufRead + 'b>> {
    let (first, body) = peeked(body, PEEKED);
    match Decoded::of(body, &first, encoding) {
        Decoded::Plain(body) => Some(body),
        Decoded::By(decoder) => Some(Box::new(BufReader::with_capacity(STEP, decoder))),
        Decoded::Unknown => None,
    }
}

#[cfg(all(test, feature = "zstd"))]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn windows_of_zstd_have_a_limit() {
        // (size of the window as a power of two, the end of the body): RFC 9659, 3
        for (window, expected) in [(20, BodyEnd::Whole), (23, BodyEnd::Whole), (24, BodyEnd::Damage)] {
            let mut encoder = zstd::Encoder::new(Vec::new(), 3).expect("memory");
            encoder.window_log(window).expect("a window");
            encoder.write_all(b"text").expect("memory");
            // So that the window does not shrink to the text.
            encoder.flush().expect("memory");
            let body = encoder.finish().expect("memory");
            let block = [b"HTTP/1.1 200 OK\r\ncontent-encoding: zstd\r\n\r\n", &body[..]].concat();
            let message = Message::of(&block).expect("an empty line");
            assert_eq!(message.decoded().end, expected, "{window}");
            let mut stream = BodyStream::decoded(&message, message.body, 100).expect("a decoder");
            stream.read_to_end(&mut Vec::new()).expect("a fault ends it");
            assert_eq!(stream.end, expected, "{window}");
        }
    }
}

#[cfg(all(test, feature = "gzip"))]
mod gzip_tests {
    use std::io::Write;

    use super::*;

    /// Nested encodings make no more bytes than one could make of the stored ones.
    #[test]
    fn a_few_bytes_make_no_more_than_many() {
        let gzip = |text: &[u8]| {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(text).expect("memory");
            encoder.finish().expect("memory")
        };
        let long = gzip(&vec![b'a'; 12 << 20]);
        let (twice, thrice) = (gzip(&long), gzip(&gzip(&long)));
        let empty = gzip(&gzip(b"").repeat(1 << 17));
        // (fields, body, its end, and the number of bytes)
        let table: &[(&str, &[u8], BodyEnd, u64)] = &[
            ("content-encoding: gzip", &long, BodyEnd::Whole, 12 << 20),
            ("content-encoding: gzip, gzip", &twice, BodyEnd::Damage, most_decoded(twice.len() as u64)),
            (
                "content-encoding: gzip, gzip, gzip",
                &thrice,
                BodyEnd::Damage,
                most_decoded(thrice.len() as u64),
            ),
            ("content-encoding: gzip, gzip", &empty, BodyEnd::Whole, 0),
        ];
        for (fields, body, end, len) in table {
            let block = [b"HTTP/1.1 200 OK\r\n", fields.as_bytes(), b"\r\n\r\n", body].concat();
            let message = Message::of(&block).expect("an empty line");
            let found = message.decoded();
            assert_eq!((found.bytes.len() as u64, found.end), (*len, *end), "{fields}");
            let mut stream = BodyStream::decoded(&message, message.body, 1 << 30).expect("a decoder");
            stream.read_to_end(&mut Vec::new()).expect("a fault ends it");
            assert_eq!(stream.end, *end, "{fields}");
            // It is known in steps, and what waits in a decoder is lost.
            assert!(stream.len <= *len && (*end == BodyEnd::Damage || stream.len == *len), "{fields}");
        }
    }
}
