//! Texts in pieces: the lines of one, or many of their own.

use std::ops::Range;

use arrow_array::BinaryArray;
use arrow_buffer::{Buffer, OffsetBuffer};
use bytes::Bytes;
use memchr::{memchr, memchr_iter, memrchr};
use urimill_columns::batch::{Options, Origin};
use urimill_uri::simd::PADDING;

use super::drive::Pieces;
use super::rows::{Normalizers, TEXT_BYTES, slices};
use super::table::{Batches, Made};

/// A text for [`lines`](super::lines): what is in a slice, or in memory that batches can share.
#[derive(Debug, Clone)]
pub enum Text<'a> {
    /// Bytes of somebody else, which are copied piece by piece.
    Slice(&'a [u8]),
    /// Memory that the batches keep alive.
    Buffer(Buffer),
}

impl Text<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Text::Slice(bytes) => bytes,
            Text::Buffer(buffer) => buffer.as_slice(),
        }
    }

    /// A part in a buffer with the padding that kernels need. A part within a text is followed by more of it.
    fn part(&self, part: Range<usize>) -> Buffer {
        let bytes = &self.bytes()[part.clone()];
        if let Text::Buffer(buffer) = self
            && part.end + PADDING <= buffer.len()
            && bytes.ends_with(b"\n")
        {
            return buffer.slice_with_length(part.start, part.len() + PADDING);
        }
        let mut padded = Vec::with_capacity(bytes.len() + PADDING);
        padded.extend_from_slice(bytes);
        padded.push(b'\n');
        padded.resize(bytes.len() + PADDING, 0);
        Buffer::from_vec(padded)
    }
}

/// Conversions of all types that can be a text.
macro_rules! texts {
    ($($from:ty => $text:expr),* $(,)?) => {
        $(impl<'a> From<$from> for Text<'a> {
            fn from(text: $from) -> Text<'a> {
                let as_text: fn($from) -> Text<'a> = $text;
                as_text(text)
            }
        })*
    };
}

texts! {
    &'a [u8] => |text| Text::Slice(text),
    &'a Vec<u8> => |text| Text::Slice(text),
    &'a str => |text| Text::Slice(text.as_bytes()),
    &'a String => |text| Text::Slice(text.as_bytes()),
    Vec<u8> => |text| Text::Buffer(Buffer::from_vec(text)),
    String => |text| Text::Buffer(Buffer::from_vec(text.into_bytes())),
    Bytes => |text| Text::Buffer(Buffer::from(text)),
    Buffer => |text| Text::Buffer(text),
}

impl<'a, const N: usize> From<&'a [u8; N]> for Text<'a> {
    fn from(text: &'a [u8; N]) -> Text<'a> {
        Text::Slice(text)
    }
}

/// The least and the most bytes of a piece of lines.
const PIECE: (usize, usize) = (16 << 10, 8 << 20);

/// Every thread gets some pieces of a small text.
const PIECES_PER_THREAD: usize = 4;

/// The bytes from which the length of the lines behind them is guessed.
const SAMPLE: usize = 16 << 10;

/// A line that is longer than this is longer than what can be a record.
const LONGEST: usize = 512 << 20;

/// A UTF-8 byte-order mark begins a text, and is no part of its first line.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// The lines of a text.
pub(super) struct Lines<'a> {
    text: Text<'a>,
    /// The bytes of a piece, if they do not depend on the text.
    piece: Option<usize>,
    normalizers: Normalizers,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: Text<'a>, options: &Options) -> Lines<'a> {
        Lines { text, piece: None, normalizers: Normalizers::new(options) }
    }

    pub(super) fn batches(self) -> Batches<'a> {
        Batches::new(self.normalizers.schema(), self)
    }

    /// The same in pieces of about this many bytes.
    #[cfg(test)]
    pub(super) fn in_pieces(self, bytes: usize) -> Lines<'a> {
        Lines { piece: Some(bytes), ..self }
    }

    /// About how many bytes the piece has that begins here: the lines of a batch, so that their number is known before
    /// its columns are made.
    fn piece(&self, at: usize) -> usize {
        let text = self.text.bytes();
        let sample = &text[at..text.len().min(at + SAMPLE)];
        let lines = memchr_iter(b'\n', sample).count().max(1);
        let batch = self.normalizers.most_rows() * sample.len() / lines;
        let fair = text.len() / (PIECES_PER_THREAD * rayon::current_num_threads());
        // Where the guess is a little wrong, there are fewer lines than a batch may have rather than more.
        self.piece.unwrap_or((batch - batch / 8).min(fair).clamp(PIECE.0, PIECE.1))
    }
}

impl Pieces for Lines<'_> {
    type Item = Made;

    fn end(&self, at: usize) -> Option<usize> {
        let text = self.text.bytes();
        if at >= text.len() {
            return None;
        }
        let about = at + self.piece(at);
        let Some(piece) = text.get(at..about) else { return Some(text.len()) };
        let within = memrchr(b'\n', piece).map(|newline| at + newline + 1);
        let behind = || memchr(b'\n', &text[about..]).map(|newline| about + newline + 1);
        Some(within.or_else(behind).unwrap_or(text.len()))
    }

    fn count(&self, piece: Range<usize>) -> i64 {
        let text = &self.text.bytes()[piece];
        let unfinished = text.last().is_some_and(|&byte| byte != b'\n');
        memchr_iter(b'\n', text).count() as i64 + i64::from(unfinished)
    }

    fn make(
        &self,
        piece: Range<usize>,
        before: &mut dyn FnMut(i64) -> i64,
        take: &mut dyn FnMut(Made) -> bool,
    ) {
        let mut normalizer = self.normalizers.take();
        let origin = Origin { offset: piece.start as u64, ..Origin::default() };
        if piece.len() > LONGEST {
            let origin = Origin { first_record: 1 + before(1), ..origin };
            let beginning = normalizer.options().max_record.min(LONGEST);
            let buffer = self.text.part(piece.start..piece.start + beginning);
            take(normalizer.overlong(&buffer, beginning, origin));
            return;
        }
        let (buffer, len) = (self.text.part(piece.clone()), piece.len());
        let mut at = if piece.start == 0 && buffer.starts_with(BOM) { BOM.len() } else { 0 };
        let mut first = None;
        loop {
            let made = normalizer.lines_from(&buffer, (at, len), |lines, next| {
                let rest = piece.start + next.min(len)..piece.end;
                let number = first.unwrap_or_else(|| 1 + before(lines as i64 + self.count(rest)));
                first = Some(number + lines as i64);
                Origin { first_record: number, ..origin }
            });
            match made {
                Ok((batch, tally, next)) => {
                    at = next;
                    if !take(Ok((batch, tally))) || at >= len {
                        break;
                    }
                }
                Err(error) => {
                    take(Err(error));
                    return;
                }
            }
        }
        self.normalizers.give(normalizer);
    }
}

/// Texts that each have memory of their own.
pub(super) struct Strings<'a, T> {
    texts: &'a [T],
    normalizers: Normalizers,
}

impl<'a, T: AsRef<[u8]> + Sync> Strings<'a, T> {
    pub(super) fn new(texts: &'a [T], options: &Options) -> Strings<'a, T> {
        Strings { texts, normalizers: Normalizers::new(options) }
    }

    pub(super) fn batches(self) -> Batches<'a>
    where
        T: 'a,
    {
        Batches::new(self.normalizers.schema(), self)
    }

    /// A copy of the first of these texts, in an array with padding behind its values.
    fn array(texts: &[T]) -> BinaryArray {
        let texts = texts.iter().map(AsRef::as_ref);
        let bytes: usize = texts.clone().map(<[u8]>::len).sum();
        let mut values = Vec::with_capacity(bytes + PADDING);
        texts.clone().for_each(|text| values.extend_from_slice(text));
        values.resize(bytes + PADDING, 0);
        let offsets = OffsetBuffer::from_lengths(texts.map(<[u8]>::len));
        BinaryArray::new(offsets, Buffer::from_vec(values), None)
    }
}

impl<T: AsRef<[u8]> + Sync> Pieces for Strings<'_, T> {
    type Item = Made;

    fn end(&self, at: usize) -> Option<usize> {
        (at < self.texts.len()).then(|| self.texts.len().min(at + self.normalizers.most_rows()))
    }

    fn count(&self, piece: Range<usize>) -> i64 {
        piece.len() as i64
    }

    fn make(
        &self,
        piece: Range<usize>,
        before: &mut dyn FnMut(i64) -> i64,
        take: &mut dyn FnMut(Made) -> bool,
    ) {
        let first = 1 + before(piece.len() as i64);
        let texts = &self.texts[piece.clone()];
        let lens = texts.iter().map(|text| text.as_ref().len());
        for slice in slices(lens, TEXT_BYTES) {
            let number = first + slice.start as i64;
            if !take(self.normalizers.values(&Self::array(&texts[slice]), None, number)) {
                break;
            }
        }
    }
}
