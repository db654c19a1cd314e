//! Arrow string views over the texts of a batch. No byte of a component moves: a view is a length,
//! the first four bytes, a buffer and an offset; or, up to twelve bytes, the text itself.
//!
//! `unsafe` stands here for one reason: an array of views is made without looking at the texts
//! again, which are known to be UTF-8. Debug builds look.
#![allow(unsafe_code)]

use std::sync::Arc;

use arrow::array::{BinaryViewArray, StringViewArray};
use arrow::buffer::{BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};

use super::memory::{Memory, zeros};
use super::scan::{IN_ARENA, Rows};

/// Views of up to this many bytes hold their text.
const INLINE: u32 = 12;

/// The texts that the rows of a batch lie in: what was read, then the arena.
pub(super) struct Texts<'a> {
    rows: &'a Rows,
    buffers: Arc<[Buffer]>,
    memory: &'a Memory<u128>,
}

/// A part of a row's text: offset from the row's start and length, bytes.
pub(super) type Part = (u32, u32);

/// The arena of a batch as a buffer, if anything is in it.
pub(super) fn arena(rows: &mut Rows) -> Option<Buffer> {
    // A text may have been mended to nothing: then rows lie in an arena of no bytes.
    (!rows.moved.is_empty()).then(|| {
        // A view that holds its text is loaded with 16 bytes at once.
        rows.arena.resize(rows.arena.len() + 16, 0);
        Buffer::from_vec(std::mem::take(&mut rows.arena))
    })
}

impl<'a> Texts<'a> {
    pub(super) fn new(rows: &'a Rows, arena: Option<Buffer>, memory: &'a Memory<u128>) -> Self {
        let buffers = rows.buffers.iter().cloned().chain(arena).collect();
        Texts { rows, buffers, memory }
    }

    fn count(&self) -> usize {
        self.rows.splits.len()
    }

    /// The buffer that a row lies in, by number, and its place there.
    #[inline(always)]
    fn locate(&self, row: usize) -> (u32, u32) {
        let start = self.rows.splits.start[row];
        if start & IN_ARENA != 0 {
            (self.rows.buffers.len() as u32, start & !IN_ARENA)
        } else {
            (self.rows.buffer_of.get(row).copied().unwrap_or(0), start)
        }
    }

    /// A part of a row's text.
    pub(super) fn slice(&self, row: usize, (from, len): Part) -> &[u8] {
        let (buffer, start) = self.locate(row);
        &self.buffers[buffer as usize].as_slice()[(start + from) as usize..][..len as usize]
    }

    /// A column with a part of every row.
    pub(super) fn column(&self, part: impl Fn(usize) -> Part) -> StringViewArray {
        self.build(|row| (true, part(row)), false)
    }

    /// A column with a part of some rows; what is not there is null, and its part of no length.
    pub(super) fn nullable_column(&self, part: impl Fn(usize) -> (bool, Part)) -> StringViewArray {
        self.build(part, true)
    }

    #[inline(always)]
    fn build(&self, part: impl Fn(usize) -> (bool, Part), nullable: bool) -> StringViewArray {
        let count = self.count();
        let mut valid = Vec::with_capacity(if nullable { count.div_ceil(64) } else { 0 });
        let views = self.memory.column(count, |views| {
            // One buffer and an arena are by far the commonest case, and worth a loop without look-ups.
            if self.rows.buffers.len() == 1 {
                let (read, written) =
                    (self.buffers[0].as_slice(), self.buffers.last().map_or(&[][..], |b| b.as_slice()));
                let start = &self.rows.splits.start[..count];
                fill(views, &mut valid, nullable, |row| {
                    let (present, (offset, len)) = part(row);
                    let in_arena = start[row] & IN_ARENA != 0;
                    let at = (start[row] & !IN_ARENA) + offset;
                    (present, view(if in_arena { written } else { read }, u32::from(in_arena), at, len))
                });
            } else {
                fill(views, &mut valid, nullable, |row| {
                    let (present, (offset, len)) = part(row);
                    let (buffer, start) = self.locate(row);
                    (present, view(&self.buffers[buffer as usize], buffer, start + offset, len))
                });
            }
        });
        let nulls = nullable.then(|| nulls(valid, count)).filter(|nulls| nulls.null_count() > 0);
        self.strings(views, NullBuffer::union(nulls.as_ref(), self.rows.nulls.as_ref()))
    }

    /// A column that is null but in the rows listed, which hold these bytes of what was read.
    pub(super) fn sparse(
        &self,
        listed: impl Iterator<Item = (u32, Part)>,
    ) -> (ScalarBuffer<u128>, NullBuffer) {
        let mut listed = listed.peekable();
        let count = self.count();
        if listed.peek().is_none() {
            return (
                ScalarBuffer::new(zeros(count * size_of::<u128>()), 0, count),
                NullBuffer::new_null(count),
            );
        }
        let mut valid = vec![0u64; count.div_ceil(64)];
        let views = self.memory.column(count, |views| {
            views.fill(0);
            for (row, (start, len)) in listed {
                let buffer = self.rows.buffer_of.get(row as usize).copied().unwrap_or(0);
                views[row as usize] = view(&self.buffers[buffer as usize], buffer, start, len);
                valid[row as usize / 64] |= 1 << (row % 64);
            }
        });
        (views, nulls(valid, count))
    }

    /// [`Texts::sparse`] for parts of the rows' texts as they are now.
    pub(super) fn sparse_parts(&self, listed: impl Iterator<Item = (u32, Part)>) -> StringViewArray {
        let mut listed = listed.peekable();
        let count = self.count();
        if listed.peek().is_none() {
            let zeros = ScalarBuffer::new(zeros(count * size_of::<u128>()), 0, count);
            return self.strings(zeros, Some(NullBuffer::new_null(count)));
        }
        let mut valid = vec![0u64; count.div_ceil(64)];
        let views = self.memory.column(count, |views| {
            views.fill(0);
            for (row, (from, len)) in listed {
                let (buffer, start) = self.locate(row as usize);
                views[row as usize] = view(&self.buffers[buffer as usize], buffer, start + from, len);
                valid[row as usize / 64] |= 1 << (row % 64);
            }
        });
        self.strings(views, Some(nulls(valid, count)))
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

/// Writes a view a row, and a bit a row that says whether it is there.
#[inline(always)]
fn fill(views: &mut [u128], valid: &mut Vec<u64>, nullable: bool, at: impl Fn(usize) -> (bool, u128)) {
    for (number, block) in views.chunks_mut(64).enumerate() {
        let mut word = 0u64;
        for (i, slot) in block.iter_mut().enumerate() {
            let (present, view) = at(number * 64 + i);
            *slot = view;
            word |= u64::from(present) << i;
        }
        if nullable {
            valid.push(word);
        }
    }
}

/// The null buffer of `count` rows from a bit a row.
fn nulls(valid: Vec<u64>, count: usize) -> NullBuffer {
    NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(valid), 0, count))
}

/// Constant texts that a column chooses from.
pub(super) struct Constants {
    text: Vec<u8>,
    views: Vec<u128>,
}

impl Constants {
    pub(super) fn new<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut text = Vec::new();
        let places: Vec<Part> = texts
            .map(|one| {
                text.extend_from_slice(one.as_bytes());
                ((text.len() - one.len()) as u32, one.len() as u32)
            })
            .collect();
        let views = places.iter().map(|&(start, len)| view(&text, 0, start, len)).collect();
        Constants { text, views }
    }

    /// A column with one of the texts in every row, or none, by number.
    pub(super) fn column(
        self,
        memory: &Memory<u128>,
        count: usize,
        number: impl Fn(usize) -> Option<u8>,
        patches: impl Iterator<Item = (u32, u8)>,
        outer: Option<&NullBuffer>,
    ) -> StringViewArray {
        let mut valid = Vec::with_capacity(count.div_ceil(64));
        let views = memory.column(count, |views| {
            fill(views, &mut valid, true, |row| {
                let number = number(row);
                (number.is_some(), number.map_or(0, |number| self.views[usize::from(number)]))
            });
            for (row, number) in patches {
                views[row as usize] = self.views[usize::from(number)];
                valid[row as usize / 64] |= 1 << (row % 64);
            }
        });
        let nulls = Some(nulls(valid, count)).filter(|nulls| nulls.null_count() > 0);
        let is_inline = self.views.iter().all(|&view| view as u32 <= INLINE);
        let buffers = if is_inline { vec![] } else { vec![Buffer::from_vec(self.text)] };
        strings(views, buffers.into(), NullBuffer::union(nulls.as_ref(), outer))
    }
}

fn strings(views: ScalarBuffer<u128>, buffers: Arc<[Buffer]>, nulls: Option<NullBuffer>) -> StringViewArray {
    if cfg!(debug_assertions) {
        return StringViewArray::new(views, buffers, nulls);
    }
    // SAFETY: `view` made every view from a slice of the buffer that it names, and the callers pass
    // texts that match the grammar, which is ASCII, or that have been checked to be UTF-8.
    unsafe { StringViewArray::new_unchecked(views, buffers, nulls) }
}

/// The lowest `len` bytes of a word.
const LOW: [u128; INLINE as usize + 1] = {
    let mut masks = [0; INLINE as usize + 1];
    let mut len = 0;
    while len <= INLINE as usize {
        masks[len] = (1 << (8 * len)) - 1;
        len += 1;
    }
    masks
};

/// The view of `text[start..start + len]`, where `text` is the buffer of number `buffer`.
#[inline(always)]
fn view(text: &[u8], buffer: u32, start: u32, len: u32) -> u128 {
    let from = start as usize;
    let word = match text.get(from..from + 16) {
        Some(bytes) => u128::from_le_bytes(bytes.try_into().unwrap_or([0; 16])),
        // Only the last values of an array without padding come here.
        None => short_word(&text[from..][..(len as usize).min(16)]),
    };
    let word = word & LOW[len.min(INLINE) as usize];
    // Both kinds begin alike; which the second half is must not be a branch, because lengths vary.
    let inline = (word >> 32) as u64;
    let outside = u64::from(buffer) | u64::from(start) << 32;
    let is_outside = u64::from(len > INLINE).wrapping_neg();
    let second = (inline & !is_outside) | (outside & is_outside);
    u128::from(u64::from(len) | u64::from(word as u32) << 32) | u128::from(second) << 64
}

#[cold]
fn short_word(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u128::from(byte))
}
