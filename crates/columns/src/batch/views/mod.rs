//! Arrow string views over the texts of a batch. No byte of a component moves: a view is a length,
//! the first four bytes, a buffer and an offset; or, up to twelve bytes, the text itself.
//!
//! `unsafe` is here for one reason: an array of views is made without another validation of the texts, which are known
//! to be UTF-8. Debug builds validate.
#![allow(unsafe_code)]

mod constants;
mod copied;
mod fitted;

use std::sync::Arc;

use arrow_array::{BinaryViewArray, StringViewArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};
use urimill_base::error::Result;
use urimill_uri::simd;
use urimill_uri::simd::{Isa, Parts, view};

pub(super) use constants::Constants;
pub use copied::{plain_bytes, plain_strings};
pub use fitted::fitted;

use super::memory::{Memory, zeros};
use crate::batch::rows::{IN_ARENA, Rows};

/// The buffers that hold the texts of the rows: the input, then the arena.
pub(super) struct Texts<'a> {
    rows: &'a Rows,
    buffers: Arc<[Buffer]>,
    memory: &'a Memory<u128>,
    isa: Option<Isa>,
}

/// The views of a part of every row, and the rows that have it.
pub(super) struct PartViews {
    /// One for each row; others, of the last use, may follow.
    views: Vec<u128>,
    /// A bit for each row, lowest first.
    given: Vec<u8>,
    /// The number of rows.
    count: usize,
}

impl PartViews {
    fn finish(self, memory: &Memory<u128>) -> (ScalarBuffer<u128>, BooleanBuffer) {
        let PartViews { views, given, count } = self;
        (memory.of(views, count), BooleanBuffer::new(given.into(), 0, count))
    }
}

/// A part of a row's text: offset from the row's start and length, bytes.
pub(super) type Part = (u32, u32);

/// A text by the number of its buffer, its offset there and its length, bytes.
pub(super) type Place = (u32, u32, u32);

/// The arena of a batch as a buffer, if it is not empty.
pub(super) fn arena(rows: &mut Rows, memory: &Memory<u8>) -> Option<Buffer> {
    (!rows.rewritten.is_empty()).then(|| {
        // A view is made from twelve bytes, however short its text is.
        rows.arena.resize(rows.arena.len() + 16, 0);
        memory.lend(std::mem::replace(&mut rows.arena, memory.take()))
    })
}

impl<'a> Texts<'a> {
    pub(super) fn new(
        rows: &'a Rows,
        arena: Option<Buffer>,
        memory: &'a Memory<u128>,
        isa: Option<Isa>,
    ) -> Self {
        let buffers = rows.buffers.iter().cloned().chain(arena).collect();
        Texts { rows, buffers, memory, isa }
    }

    /// The number of the buffer that [`Texts::with`] adds.
    pub(super) fn buffer_count(&self) -> u32 {
        self.buffers.len() as u32
    }

    /// These texts, with more of them in a buffer of their own.
    pub(super) fn with(&self, more: Option<Buffer>) -> Texts<'a> {
        let buffers = self.buffers.iter().cloned().chain(more).collect();
        Texts { buffers, ..*self }
    }

    /// [`Texts::with`] the texts written for one column, in memory that comes back.
    pub(super) fn with_written(&self, mut more: Vec<u8>, memory: &Memory<u8>) -> Texts<'a> {
        // A view is made from twelve bytes, however short its text is.
        more.resize(more.len() + 16, 0);
        self.with(Some(memory.lend(more)))
    }

    /// The number of rows.
    pub(super) fn count(&self) -> usize {
        self.rows.splits.len()
    }

    /// The number of the buffer that holds a row, and its offset there.
    #[inline(always)]
    fn locate(&self, row: usize) -> (u32, u32) {
        let start = self.rows.splits.start[row];
        if start & IN_ARENA != 0 {
            (self.rows.buffers.len() as u32, start & !IN_ARENA)
        } else {
            (self.rows.buffer_of.get(row).copied().unwrap_or(0), start)
        }
    }

    /// A row's text, and the bytes after it in its buffer.
    #[inline(always)]
    pub(super) fn row_and_behind(&self, row: usize) -> &[u8] {
        let (buffer, start) = self.locate(row);
        &self.buffers[buffer as usize].as_slice()[start as usize..]
    }

    /// A part of a row's text.
    pub(super) fn slice(&self, row: usize, (from, len): Part) -> &[u8] {
        let (buffer, start) = self.locate(row);
        &self.buffers[buffer as usize].as_slice()[(start + from) as usize..][..len as usize]
    }

    /// The views of parts of every row. The texts of a block of rows are read for all parts before those of the next
    /// block: they are in the cache by then.
    pub(super) fn parts(&self, parts: &[Parts<'_>]) -> Vec<PartViews> {
        /// Rows of a block, a multiple of eight.
        const BLOCK: usize = 1 << 10;
        let count = self.count();
        let new =
            |_| PartViews { views: self.memory.values(count), given: vec![0; count.div_ceil(8)], count };
        let mut made: Vec<PartViews> = parts.iter().map(new).collect();
        for from in (0..count).step_by(BLOCK) {
            let rows = from..count.min(from + BLOCK);
            for (part, PartViews { views, given, .. }) in parts.iter().zip(&mut made) {
                let given = &mut given[from / 8..rows.end.div_ceil(8)];
                self.fill(&part.range(rows.clone()), from, &mut views[rows.clone()], given);
            }
        }
        made
    }

    /// The views of one part of every row.
    pub(super) fn part(&self, part: Parts<'_>) -> PartViews {
        self.parts(&[part]).pop().expect("a part")
    }

    /// The views of a part of the rows from `first` on, and the rows that have it.
    fn fill(&self, part: &Parts<'_>, first: usize, views: &mut [u128], given: &mut [u8]) {
        if self.rows.buffers.len() == 1 {
            let texts = [0, self.buffers.len() - 1].map(|buffer| self.buffers[buffer].as_slice());
            simd::string_views(texts, part, self.isa, views, given);
            return;
        }
        for (i, slot) in views.iter_mut().enumerate() {
            let (buffer, start) = self.locate(first + i);
            let (from, len, is_given) = part.get(i);
            *slot = view(&self.buffers[buffer as usize], buffer, start + from, len);
            given[i / 8] |= u8::from(is_given) << (i % 8);
        }
    }

    /// A column with a part of every row.
    pub(super) fn column(&self, made: PartViews) -> StringViewArray {
        self.strings(made.finish(self.memory).0, self.rows.nulls.clone())
    }

    /// A column with a part of some rows; missing values are null.
    pub(super) fn nullable_column(&self, made: PartViews) -> StringViewArray {
        let (views, given) = made.finish(self.memory);
        self.present(views, given)
    }

    /// A column with a part of the rows that are `given`; the rows `absent`, by number, have none.
    pub(super) fn column_without(
        &self,
        mut made: PartViews,
        given: BooleanBuffer,
        absent: impl Iterator<Item = u32>,
    ) -> StringViewArray {
        absent.for_each(|row| made.views[row as usize] = 0);
        self.present(made.finish(self.memory).0, given)
    }

    /// A column with a part of every row, except the rows `listed`: their texts are among `listed_texts`, if they have
    /// any.
    pub(super) fn column_but_for(
        &self,
        mut made: PartViews,
        listed_texts: &Texts<'_>,
        listed: impl Iterator<Item = (u32, Option<Place>)>,
    ) -> StringViewArray {
        let count = self.count();
        let mut valid = vec![!0u64; count.div_ceil(64)];
        for (row, place) in listed {
            made.views[row as usize] = place.map_or(0, |place| listed_texts.view_at(place));
            if place.is_none() {
                valid[row as usize / 64] &= !(1 << (row % 64));
            }
        }
        let nulls = Some(nulls(valid, count)).filter(|nulls| nulls.null_count() > 0);
        listed_texts.strings(made.finish(self.memory).0, nulls)
    }

    fn present(&self, views: ScalarBuffer<u128>, given: BooleanBuffer) -> StringViewArray {
        let nulls = Some(NullBuffer::new(given)).filter(|nulls| nulls.null_count() > 0);
        self.strings(views, NullBuffer::union(nulls.as_ref(), self.rows.nulls.as_ref()))
    }

    /// The value of the column `raw` in a row: bytes of the input, by position in the row's buffer.
    pub(super) fn read_at(&self, row: u32, (start, len): Part) -> Place {
        (self.rows.buffer_of.get(row as usize).copied().unwrap_or(0), start, len)
    }

    /// A part of a row's text.
    pub(super) fn part_at(&self, row: u32, (from, len): Part) -> Place {
        let (buffer, start) = self.locate(row as usize);
        (buffer, start + from, len)
    }

    /// A text by its position.
    pub(super) fn text_at(&self, (buffer, start, len): Place) -> &[u8] {
        &self.buffers[buffer as usize].as_slice()[start as usize..][..len as usize]
    }

    /// The view of a text by its position.
    pub(super) fn view_at(&self, (buffer, start, len): Place) -> u128 {
        view(&self.buffers[buffer as usize], buffer, start, len)
    }

    /// A column with one of the texts in each row, by its number from 1; null if that is 0, or not the number of a
    /// text.
    pub(super) fn chosen(
        &self,
        texts: impl Iterator<Item = Option<Place>>,
        numbers: &[u32],
    ) -> StringViewArray {
        let view = |text: Option<Place>| (text.is_some(), text.map_or(0, |place| self.view_at(place)));
        let views: Vec<(bool, u128)> = [(false, 0)].into_iter().chain(texts.map(view)).collect();
        let rows = numbers.iter().map(|&number| views[number as usize]);
        let (views, valid) = filled(self.memory, numbers.len(), rows, |_, _| {});
        self.strings(views, Some(valid).filter(|nulls| nulls.null_count() > 0))
    }

    /// Views that are null except in the rows listed.
    pub(super) fn sparse(
        &self,
        listed: impl Iterator<Item = (u32, Place)>,
    ) -> (ScalarBuffer<u128>, NullBuffer) {
        let count = self.count();
        let mut listed = listed.peekable();
        if listed.peek().is_none() {
            let zeros = ScalarBuffer::new(zeros(count * size_of::<u128>()), 0, count);
            return (zeros, NullBuffer::new_null(count));
        }
        let mut valid = vec![0u64; count.div_ceil(64)];
        let views = self.memory.column(count, |views| {
            views.fill(0);
            for (row, (buffer, start, len)) in listed {
                views[row as usize] = view(&self.buffers[buffer as usize], buffer, start, len);
                valid[row as usize / 64] |= 1 << (row % 64);
            }
        });
        (views, nulls(valid, count))
    }

    /// The views of texts that `write` writes, which become the buffer after these ([`Texts::with_written`]): null if
    /// it returns that there is none, and in rows that are not among `rows`.
    #[inline(always)]
    pub(super) fn written<R>(
        &self,
        texts: &mut WrittenTexts,
        rows: impl Iterator<Item = (u32, R)>,
        mut write: impl FnMut(u32, R, &mut WrittenTexts) -> Result<bool>,
    ) -> Result<(ScalarBuffer<u128>, NullBuffer)> {
        let (count, buffer) = (self.count(), self.buffer_count());
        let mut valid = vec![0u64; count.div_ceil(64)];
        let mut written = Ok(());
        let views = self.memory.column(count, |views| {
            views.fill(0);
            for (row, source) in rows {
                let start = texts.len;
                match write(row, source, texts) {
                    Ok(true) => {
                        let len = texts.len - start;
                        views[row as usize] = u128::from(start as u32) << 32 | u128::from(len as u32);
                        valid[row as usize / 64] |= 1 << (row % 64);
                    }
                    Ok(false) => {}
                    Err(error) => return written = Err(error),
                }
            }
            // Not at once: a load that is wider than the stores before it waits for them.
            for slot in views {
                let (start, len) = ((*slot >> 32) as u32, *slot as u32);
                *slot = view(&texts.bytes, buffer, start, len);
            }
        });
        written.map(|()| (views, nulls(valid, count)))
    }

    /// An array of views of UTF-8.
    pub(super) fn strings(&self, views: ScalarBuffer<u128>, nulls: Option<NullBuffer>) -> StringViewArray {
        strings(views, self.buffers.clone(), nulls)
    }

    /// An array of views of bytes.
    pub(super) fn bytes(&self, views: ScalarBuffer<u128>, nulls: Option<NullBuffer>) -> BinaryViewArray {
        if cfg!(debug_assertions) {
            return BinaryViewArray::new(views, self.buffers.clone(), nulls);
        }
        // SAFETY: `view` made every view from a slice of the buffer that it names.
        unsafe { BinaryViewArray::new_unchecked(views, self.buffers.clone(), nulls) }
    }
}

/// A column of views, and one bit per row that says whether it has a value; `patch` may change some.
#[inline(always)]
fn filled(
    memory: &Memory<u128>,
    count: usize,
    rows: impl Iterator<Item = (bool, u128)>,
    patch: impl FnOnce(&mut [u128], &mut [u64]),
) -> (ScalarBuffer<u128>, NullBuffer) {
    let mut valid = Vec::with_capacity(count.div_ceil(64));
    let views = memory.column(count, |views| {
        let mut word = 0u64;
        for (row, (slot, (present, view))) in views.iter_mut().zip(rows).enumerate() {
            *slot = view;
            word |= u64::from(present) << (row % 64);
            if row % 64 == 63 {
                valid.push(word);
                word = 0;
            }
        }
        if !count.is_multiple_of(64) {
            valid.push(word);
        }
        patch(views, &mut valid);
    });
    (views, nulls(valid, count))
}

/// The null buffer of `count` rows from a bit per row.
fn nulls(valid: Vec<u64>, count: usize) -> NullBuffer {
    NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(valid), 0, count))
}

/// Texts that are written one after the other. Memory after them need not be cleared before it is written.
pub(super) struct WrittenTexts {
    bytes: Vec<u8>,
    /// The number of bytes written.
    len: usize,
    /// Memory for a text of unknown length.
    one: Vec<u8>,
}

impl WrittenTexts {
    /// Empty, in memory of the last use.
    pub(super) fn new(memory: &Memory<u8>) -> Self {
        WrittenTexts { bytes: memory.values(0), len: 0, one: Vec::new() }
    }

    /// The number of bytes written.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Space for this many bytes, with undefined contents; [`WrittenTexts::keep`] keeps the first of them.
    #[inline(always)]
    pub(super) fn room(&mut self, len: usize) -> &mut [u8] {
        if self.bytes.len() - self.len < len {
            self.grow(len);
        }
        &mut self.bytes[self.len..]
    }

    #[cold]
    fn grow(&mut self, len: usize) {
        /// The least number of bytes added at once.
        const LEAST: usize = 1 << 16;
        self.bytes.resize(self.len + len + LEAST.max(self.len / 2), 0);
    }

    /// Keeps the first bytes of the space.
    #[inline(always)]
    pub(super) fn keep(&mut self, len: usize) {
        self.len += len;
    }

    /// Appends the bytes that `write` appends; returns its result.
    pub(super) fn append<T>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        let mut one = std::mem::take(&mut self.one);
        one.clear();
        let answer = write(&mut one);
        self.room(one.len())[..one.len()].copy_from_slice(&one);
        self.len += one.len();
        self.one = one;
        answer
    }

    /// The written bytes, as a buffer. The memory after them stays unchanged for the next use: nothing is cleared
    /// twice.
    pub(super) fn into_buffer(mut self, memory: &Memory<u8>) -> Buffer {
        // A view is made from twelve bytes, however short its text is.
        self.room(16)[..16].fill(0);
        memory.lend(self.bytes).slice_with_length(0, self.len + 16)
    }
}

/// Texts of fields, which may be any bytes: the input, unescaped texts, and replacements for texts that are not UTF-8.
pub(super) struct FieldTexts<'a> {
    buffers: &'a [Buffer],
    /// By buffer.
    contents: Vec<Contents<'a>>,
    lossy: Vec<u8>,
}

/// Knowledge about all of a buffer.
enum Contents<'a> {
    Ascii,
    /// Only the ends of a field have to be checked.
    Utf8(&'a str),
    Bytes,
}

/// The buffers of [`FieldTexts`], complete.
pub(super) struct FieldBuffers(Arc<[Buffer]>);

impl<'a> FieldTexts<'a> {
    pub(super) fn new(buffers: &'a [Buffer]) -> Self {
        let contents = |buffer: &'a Buffer| match simdutf8::basic::from_utf8(buffer) {
            Ok(text) if text.is_ascii() => Contents::Ascii,
            Ok(text) => Contents::Utf8(text),
            Err(_) => Contents::Bytes,
        };
        FieldTexts { buffers, contents: buffers.iter().map(contents).collect(), lossy: Vec::new() }
    }

    /// The view of a text, and whether it is UTF-8; if it is not, the view is of a text with U+FFFD in it.
    #[inline(always)]
    pub(super) fn view(&mut self, (buffer, start, len): Place) -> (u128, bool) {
        let (from, to) = (start as usize, (start + len) as usize);
        let bytes = self.buffers[buffer as usize].as_slice();
        let is_utf8 = match self.contents[buffer as usize] {
            Contents::Ascii => to <= bytes.len(),
            Contents::Utf8(text) => text.is_char_boundary(from) && text.is_char_boundary(to),
            Contents::Bytes => std::str::from_utf8(&bytes[from..to]).is_ok(),
        };
        if is_utf8 {
            return (view(bytes, buffer, start, len), true);
        }
        let at = self.lossy.len();
        self.lossy.extend_from_slice(String::from_utf8_lossy(&bytes[from..to]).as_bytes());
        let len = (self.lossy.len() - at) as u32;
        (view(&self.lossy, self.buffers.len() as u32, at as u32, len), false)
    }

    pub(super) fn finish(self) -> FieldBuffers {
        let lossy = (!self.lossy.is_empty()).then(|| Buffer::from_vec(self.lossy));
        FieldBuffers(self.buffers.iter().cloned().chain(lossy).collect())
    }
}

impl FieldBuffers {
    /// A column of views that [`FieldTexts::view`] made, or of zeros.
    pub(super) fn strings(&self, views: ScalarBuffer<u128>, nulls: Option<NullBuffer>) -> StringViewArray {
        strings(views, self.0.clone(), nulls)
    }
}

fn strings(views: ScalarBuffer<u128>, buffers: Arc<[Buffer]>, nulls: Option<NullBuffer>) -> StringViewArray {
    if cfg!(debug_assertions) {
        return StringViewArray::new(views, buffers, nulls);
    }
    // SAFETY: `view` made every view from a slice of the buffer that it names, and the callers pass
    // texts that match the grammar or are canonical forms, which is ASCII, or that are known to be UTF-8.
    unsafe { StringViewArray::new_unchecked(views, buffers, nulls) }
}
