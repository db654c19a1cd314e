//! A long page as a stream of UTF-8: the bytes for a parser, and the part of them that is still needed.

use std::cell::RefCell;
use std::io::{self, BufRead, Read};

use encoding_rs::{CoderResult, Decoder, Encoding};
use html5gum::{IoReader, Reader};

use crate::http_body::BodyStream;

/// A value, or the text of an element, is read up to this length, in bytes, in pages that are streams.
pub(super) const LONGEST_VALUE: usize = 16 << 20;

/// Decodes bytes of an encoding to UTF-8.
pub(super) struct Utf8Stream<'s, 'b> {
    source: &'s mut BodyStream<'b>,
    decoder: Decoder,
    /// Bytes that were read, and how many of them are decoded.
    read: Vec<u8>,
    at: usize,
    /// Text that was decoded, and how much of it was taken.
    text: String,
    taken: usize,
    is_last: bool,
    is_over: bool,
    /// Whether some bytes are not of the encoding; U+FFFD stands for them.
    pub(super) is_damaged: bool,
}

/// The number of bytes that are decoded at once.
const STEP: usize = 64 << 10;

impl<'s, 'b> Utf8Stream<'s, 'b> {
    pub(super) fn new(source: &'s mut BodyStream<'b>, encoding: &'static Encoding) -> Self {
        Utf8Stream {
            source,
            decoder: encoding.new_decoder(),
            read: Vec::new(),
            at: 0,
            text: String::with_capacity(STEP),
            taken: 0,
            is_last: false,
            is_over: false,
            is_damaged: false,
        }
    }
}

impl BufRead for Utf8Stream<'_, '_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.taken == self.text.len() && !self.is_over {
            self.text.clear();
            self.taken = 0;
            if self.at == self.read.len() && !self.is_last {
                self.read.resize(STEP, 0);
                let count = self.source.read(&mut self.read)?;
                self.read.truncate(count);
                (self.at, self.is_last) = (0, count == 0);
            }
            let (result, count, is_damaged) =
                self.decoder.decode_to_string(&self.read[self.at..], &mut self.text, self.is_last);
            self.at += count;
            self.is_damaged |= is_damaged;
            self.is_over = self.is_last && result == CoderResult::InputEmpty;
        }
        Ok(&self.text.as_bytes()[self.taken..])
    }

    fn consume(&mut self, count: usize) {
        self.taken += count;
    }
}

impl Read for Utf8Stream<'_, '_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let seen = self.fill_buf()?;
        let count = seen.len().min(out.len());
        out[..count].copy_from_slice(&seen[..count]);
        self.consume(count);
        Ok(count)
    }
}

/// The bytes of a page that a tokenizer has read and that are still needed: the text of an element, from a place on.
#[derive(Debug, Default)]
pub(super) struct Window {
    bytes: Vec<u8>,
    /// Where in the page they begin.
    start: usize,
    /// How much of the page has been read.
    end: usize,
    /// The place from which on they are needed.
    held: Option<usize>,
    /// Whether there was more than can be held, or a name without an end.
    pub(super) is_cut: bool,
}

/// A tokenizer has read at most this many bytes more than it has reported.
const AHEAD: usize = 32 << 10;

impl Window {
    fn push(&mut self, bytes: &[u8]) {
        let is_gap = self.start + self.bytes.len() < self.end;
        if is_gap && self.held.is_none() {
            self.bytes.clear();
            self.start = self.end;
        }
        let needed = self.held.unwrap_or(self.end.saturating_sub(AHEAD)).saturating_sub(self.start);
        if needed > 4 * AHEAD {
            self.bytes.drain(..needed.min(self.bytes.len()));
            self.start += needed;
        }
        self.end += bytes.len();
        match self.bytes.len() > LONGEST_VALUE + 4 * AHEAD || is_gap && self.held.is_some() {
            true => self.is_cut = true,
            false => self.bytes.extend_from_slice(bytes),
        }
    }

    /// Keeps the bytes from here on.
    pub(super) fn hold(&mut self, from: usize) {
        self.held = Some(from);
    }

    /// The bytes of the page from one place to another, as far as they are there; they are not kept any more.
    pub(super) fn release(&mut self, from: usize, to: usize) -> &[u8] {
        self.held = None;
        let end = self.start + self.bytes.len();
        let (from, to) = (from.clamp(self.start, end), to.clamp(self.start, end));
        &self.bytes[from - self.start..to.max(from) - self.start]
    }
}

/// The input of a tokenizer: each byte passes through the window.
pub(super) struct Windowed<'w, R: Read> {
    inner: IoReader<Tee<'w, R>>,
    window: &'w RefCell<Window>,
    /// The number of letters that were read one by one: the tokenizer keeps those that may be the name of an end tag.
    letters: usize,
}

struct Tee<'w, R> {
    inner: R,
    window: &'w RefCell<Window>,
}

impl<R: Read> Read for Tee<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(out)?;
        self.window.borrow_mut().push(&out[..count]);
        Ok(count)
    }
}

impl<'w, R: Read> Windowed<'w, R> {
    pub(super) fn new(inner: R, window: &'w RefCell<Window>) -> Self {
        Windowed { inner: IoReader::new(Tee { inner, window }), window, letters: 0 }
    }
}

impl<R: Read> Reader for Windowed<'_, R> {
    type Error = io::Error;

    #[inline]
    fn read_byte(&mut self) -> io::Result<Option<u8>> {
        if self.letters > LONGEST_VALUE {
            self.window.borrow_mut().is_cut = true;
            return Ok(None);
        }
        let byte = self.inner.read_byte()?;
        match byte {
            Some(byte) if byte.is_ascii_alphanumeric() => self.letters += 1,
            _ => self.letters = 0,
        }
        Ok(byte)
    }

    #[inline]
    fn try_read_string(&mut self, text: &[u8], case_sensitive: bool) -> io::Result<bool> {
        self.inner.try_read_string(text, case_sensitive)
    }

    #[inline]
    fn read_until<'b>(
        &'b mut self,
        needle: &[u8],
        char_buf: &'b mut [u8; 4],
    ) -> io::Result<Option<&'b [u8]>> {
        if self.letters > LONGEST_VALUE {
            return Ok(None);
        }
        self.letters = 0;
        self.inner.read_until(needle, char_buf)
    }
}

/// A stream that ends where a parser has taken too much of it at once.
pub(super) struct Bounded<R> {
    inner: R,
    /// How much was taken since the parser's last report.
    since: usize,
    /// Whether that was too much.
    pub(super) is_over: bool,
}

impl<R> Bounded<R> {
    pub(super) fn new(inner: R) -> Self {
        Bounded { inner, since: 0, is_over: false }
    }

    /// The parser has reported what it took.
    pub(super) fn told(&mut self) {
        self.since = 0;
    }
}

impl<R: BufRead> BufRead for Bounded<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.is_over |= self.since > LONGEST_VALUE;
        if self.is_over { Ok(&[]) } else { self.inner.fill_buf() }
    }

    fn consume(&mut self, count: usize) {
        self.since += count;
        self.inner.consume(count);
    }
}

impl<R: BufRead> Read for Bounded<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let seen = self.fill_buf()?;
        let count = seen.len().min(out.len());
        out[..count].copy_from_slice(&seen[..count]);
        self.consume(count);
        Ok(count)
    }
}
