//! Texts in pieces: the lines of one, or many of their own.

use std::ops::Range;

use arrow_array::BinaryArray;
use arrow_buffer::{Buffer, OffsetBuffer};
use bytes::Bytes;
use memchr::{memchr, memchr_iter, memrchr};
use urimill_columns::batch::{BOM, Options, Origin, renumber};
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

/// The bytes of a piece of lines: some batches of the default number of rows.
const PIECE: usize = 2 << 20;
/// The same for small texts, so that every thread gets some pieces.
const LEAST_PIECE: usize = 64 << 10;
const PIECES_PER_THREAD: usize = 4;

/// A line that is longer than this is longer than what can be a record.
const LONGEST: usize = 512 << 20;

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

    fn piece(&self) -> usize {
        let fair = self.text.bytes().len() / (PIECES_PER_THREAD * rayon::current_num_threads());
        self.piece.unwrap_or(fair.clamp(LEAST_PIECE, PIECE))
    }
}

impl Pieces for Lines<'_> {
    type Item = Made;

    fn end(&self, at: usize) -> Option<usize> {
        let text = self.text.bytes();
        if at >= text.len() {
            return None;
        }
        let about = at + self.piece();
        let Some(piece) = text.get(at..about) else { return Some(text.len()) };
        let within = memrchr(b'\n', piece).map(|newline| at + newline + 1);
        let behind = || memchr(b'\n', &text[about..]).map(|newline| about + newline + 1);
        Some(within.or_else(behind).unwrap_or(text.len()))
    }

    fn number(&self, _: usize) -> Option<i64> {
        None
    }

    fn count(&self, piece: Range<usize>) -> i64 {
        let text = &self.text.bytes()[piece];
        let unfinished = text.last().is_some_and(|&byte| byte != b'\n');
        memchr_iter(b'\n', text).count() as i64 + i64::from(unfinished)
    }

    fn make(&self, piece: Range<usize>, first: i64, take: &mut dyn FnMut(Made) -> bool) -> i64 {
        let mut normalizer = self.normalizers.take();
        let from = if piece.start == 0 && self.text.bytes().starts_with(BOM) { BOM.len() } else { 0 };
        let origin = Origin { first_record: first, offset: piece.start as u64, ..Origin::default() };
        if piece.len() > LONGEST {
            let beginning = normalizer.options().max_record.min(LONGEST);
            let buffer = self.text.part(piece.start..piece.start + beginning);
            let made = normalizer.overlong(&buffer, beginning, origin);
            let is_made = made.is_ok();
            take(made);
            if is_made {
                self.normalizers.give(normalizer);
            }
            return 1;
        }
        let (buffer, len) = (self.text.part(piece.clone()), piece.len());
        let (mut at, mut lines) = (from, 0);
        while at < len {
            let origin = Origin { first_record: first + lines, ..origin };
            match normalizer.lines(&buffer, (at, len), origin) {
                Ok((batch, tally, next)) => {
                    lines += tally.lines() as i64;
                    at = next;
                    if !take(Ok((batch, tally))) {
                        break;
                    }
                }
                Err(error) => {
                    take(Err(error));
                    return self.count(piece);
                }
            }
        }
        self.normalizers.give(normalizer);
        lines
    }

    fn renumber(&self, item: &mut Made, more: i64) {
        if let Ok((batch, tally)) = item {
            renumber(batch, tally, more);
        }
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

    fn number(&self, at: usize) -> Option<i64> {
        Some(at as i64 + 1)
    }

    fn count(&self, piece: Range<usize>) -> i64 {
        piece.len() as i64
    }

    fn make(&self, piece: Range<usize>, first: i64, take: &mut dyn FnMut(Made) -> bool) -> i64 {
        let texts = &self.texts[piece.clone()];
        let lens = texts.iter().map(|text| text.as_ref().len());
        for slice in slices(lens, TEXT_BYTES) {
            let number = first + slice.start as i64;
            if !take(self.normalizers.values(&Self::array(&texts[slice]), None, number)) {
                break;
            }
        }
        piece.len() as i64
    }

    fn renumber(&self, _: &mut Made, _: i64) {}
}
