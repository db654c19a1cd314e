//! Arrow string views over the texts of a batch. No byte of a component moves: a view is a length,
//! the first four bytes, a buffer and an offset; or, up to twelve bytes, the text itself.
//!
//! `unsafe` stands here for one reason: an array of views is made without looking at the texts
//! again, which are known to be UTF-8. Debug builds look.
#![allow(unsafe_code)]

use std::sync::Arc;

use arrow::array::{BinaryViewArray, StringViewArray};
use arrow::buffer::{BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};

use super::scan::{IN_ARENA, Rows};

/// Views of up to this many bytes hold their text.
const INLINE: u32 = 12;

/// The texts that the rows of a batch lie in: what was read, then the arena.
pub(super) struct Texts {
    buffers: Arc<[Buffer]>,
    arena: u32,
}

/// A part of a row's text: offset from the row's start and length, bytes.
pub(super) type Part = (u32, u32);

impl Texts {
    /// Takes the arena out of the rows.
    pub(super) fn new(rows: &mut Rows) -> Texts {
        let arena = rows.buffers.len() as u32;
        let mut buffers = rows.buffers.clone();
        // A text may have been mended to nothing: then rows lie in an arena of no bytes.
        if !rows.moved.is_empty() {
            // The longest view that holds its text is loaded with 16 bytes at once.
            rows.arena.resize(rows.arena.len() + 16, 0);
            buffers.push(Buffer::from_vec(std::mem::take(&mut rows.arena)));
        }
        Texts { buffers: buffers.into(), arena }
    }

    /// The bytes of the buffer that row `row` lies in, and its place there.
    #[inline(always)]
    fn locate(&self, rows: &Rows, row: usize) -> (u32, u32) {
        let start = rows.splits.start[row];
        if start & IN_ARENA != 0 {
            (self.arena, start & !IN_ARENA)
        } else if rows.buffer_of.is_empty() {
            (0, start)
        } else {
            (rows.buffer_of[row], start)
        }
    }

    /// A part of a row's text.
    pub(super) fn slice(&self, rows: &Rows, row: usize, (from, len): Part) -> &[u8] {
        let (buffer, start) = self.locate(rows, row);
        &self.buffers[buffer as usize].as_slice()[(start + from) as usize..][..len as usize]
    }

    /// A column with a part of every row.
    pub(super) fn column(&self, rows: &Rows, part: impl Fn(usize) -> Part) -> StringViewArray {
        self.build(rows, |row| (true, part(row)), false)
    }

    /// A column with a part of some rows; what is not there is null.
    pub(super) fn nullable_column(
        &self,
        rows: &Rows,
        part: impl Fn(usize) -> (bool, Part),
    ) -> StringViewArray {
        self.build(rows, part, true)
    }

    #[inline(always)]
    fn build(&self, rows: &Rows, part: impl Fn(usize) -> (bool, Part), nullable: bool) -> StringViewArray {
        let slices: Vec<&[u8]> = self.buffers.iter().map(Buffer::as_slice).collect();
        let count = rows.splits.len();
        let mut views = Vec::with_capacity(count);
        let mut valid = Vec::with_capacity(if nullable { count.div_ceil(64) } else { 0 });
        for from in (0..count).step_by(64) {
            let mut word = 0u64;
            for row in from..count.min(from + 64) {
                let (present, (offset, len)) = part(row);
                let (buffer, start) = self.locate(rows, row);
                let view = view(slices[buffer as usize], buffer, start + offset, len);
                views.push(if present { view } else { 0 });
                word |= u64::from(present) << (row - from);
            }
            if nullable {
                valid.push(word);
            }
        }
        let nulls = nullable
            .then(|| NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(valid), 0, count)))
            .filter(|nulls| nulls.null_count() > 0);
        self.strings(views, NullBuffer::union(nulls.as_ref(), rows.nulls.as_ref()))
    }

    /// A column that is null but in the rows listed, which hold these bytes of a buffer.
    pub(super) fn sparse(
        &self,
        rows: &Rows,
        listed: impl Iterator<Item = (u32, Part)>,
    ) -> (Vec<u128>, NullBuffer) {
        let count = rows.splits.len();
        let mut views = vec![0; count];
        let mut valid = vec![0u8; count.div_ceil(8)];
        for (row, (start, len)) in listed {
            let buffer = rows.buffer_of.get(row as usize).copied().unwrap_or(0);
            views[row as usize] = view(&self.buffers[buffer as usize], buffer, start, len);
            valid[row as usize / 8] |= 1 << (row % 8);
        }
        (views, NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(valid), 0, count)))
    }

    /// An array of views of UTF-8.
    pub(super) fn strings(&self, views: Vec<u128>, nulls: Option<NullBuffer>) -> StringViewArray {
        strings(views, self.buffers.clone(), nulls)
    }

    /// An array of views of bytes.
    pub(super) fn bytes(&self, views: Vec<u128>, nulls: Option<NullBuffer>) -> BinaryViewArray {
        let views = ScalarBuffer::from(views);
        if cfg!(debug_assertions) {
            return BinaryViewArray::new(views, self.buffers.clone(), nulls);
        }
        // SAFETY: `view` made every view from a slice of the buffer that it names.
        unsafe { BinaryViewArray::new_unchecked(views, self.buffers.clone(), nulls) }
    }
}

/// A column of constant texts, one of `names` a row, or null.
pub(super) fn constants<'a>(
    names: impl Iterator<Item = Option<u8>>,
    all: impl Iterator<Item = &'a str>,
    outer: Option<&NullBuffer>,
) -> StringViewArray {
    let mut text = Vec::new();
    let places: Vec<(u32, u32)> = all
        .map(|name| {
            text.extend_from_slice(name.as_bytes());
            ((text.len() - name.len()) as u32, name.len() as u32)
        })
        .collect();
    let by_number: Vec<u128> = places.iter().map(|&(start, len)| view(&text, 0, start, len)).collect();
    let mut valid = Vec::new();
    let views: Vec<u128> = names
        .map(|name| {
            valid.push(name.is_some());
            name.map_or(0, |name| by_number[usize::from(name)])
        })
        .collect();
    let nulls = Some(NullBuffer::from(valid)).filter(|nulls| nulls.null_count() > 0);
    let all_inline = places.iter().all(|&(_, len)| len <= INLINE);
    let buffers = if all_inline { vec![] } else { vec![Buffer::from_vec(text)] };
    strings(views, buffers.into(), NullBuffer::union(nulls.as_ref(), outer))
}

fn strings(views: Vec<u128>, buffers: Arc<[Buffer]>, nulls: Option<NullBuffer>) -> StringViewArray {
    let views = ScalarBuffer::from(views);
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
        None => {
            text[from..][..(len as usize).min(16)].iter().rev().fold(0, |word, &b| word << 8 | u128::from(b))
        }
    };
    let inline = (word & LOW[len.min(INLINE) as usize]) << 32;
    let outside = u128::from(word as u32) << 32 | u128::from(buffer) << 64 | u128::from(start) << 96;
    u128::from(len) | if len <= INLINE { inline } else { outside }
}
