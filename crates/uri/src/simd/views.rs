//! String views of parts of many records, in Arrow's layout: a view is a length, the first four bytes, the number of a
//! buffer and an offset there; or, up to twelve bytes, the text itself. The portable implementation; `dispatch` has the
//! entry point for all of them.

use core::ops::Range;

/// Views of up to this many bytes hold their text.
pub const INLINE: u32 = 12;

/// The bit of a record's start that marks it as in the second of two texts.
pub const IN_SECOND: u32 = 1 << 31;

/// A part of every record. All arrays have one entry per record.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    /// The starts of the records in their text, with [`IN_SECOND`] for the second one.
    pub start: &'a [u32],
    /// The starts of the parts, in bytes from their record's first; without an array, at the record's start.
    pub from: Option<&'a [u32]>,
    /// The end of each part.
    pub to: &'a [u32],
    /// The records that have the part.
    pub given: Given<'a>,
}

/// The rule for which records have a part.
#[derive(Debug, Clone, Copy)]
pub enum Given<'a> {
    /// Records in which it is not empty.
    NotEmpty,
    /// Records in which it is not empty: its first byte is a delimiter, which is left out.
    Behind,
    /// Records in which it begins more than one byte after these offsets: a host, by the end of its scheme.
    After(&'a [u32]),
}

impl<'a> Parts<'a> {
    /// The part of the records of a range.
    ///
    /// # Panics
    /// If there are fewer records.
    #[must_use]
    pub fn range(&self, range: Range<usize>) -> Parts<'a> {
        let given = match self.given {
            Given::After(after) => Given::After(&after[range.clone()]),
            given => given,
        };
        let from = self.from.map(|from| &from[range.clone()]);
        Parts { start: &self.start[range.clone()], from, to: &self.to[range], given }
    }

    /// The number of records.
    pub(super) fn len(&self) -> usize {
        self.start.len()
    }

    /// Whether all arrays have the same length.
    pub(super) fn is_whole(&self) -> bool {
        let after = match self.given {
            Given::After(after) => after.len(),
            Given::NotEmpty | Given::Behind => self.len(),
        };
        [self.to.len(), self.from.map_or(self.len(), <[u32]>::len), after] == [self.len(); 3]
    }

    /// The part of one record by offset and length, and whether it exists.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, i: usize) -> (u32, u32, bool) {
        let (from, to) = (self.from.map_or(0, |from| from[i]), self.to[i]);
        match self.given {
            Given::NotEmpty => (from, to - from, to > from),
            Given::Behind => (from + u32::from(to > from), (to - from).saturating_sub(1), to > from),
            Given::After(after) => (from, to - from, from > after[i] + 1),
        }
    }
}

/// Makes the views of whole groups of records from `at` on, up to the first group that is too close to an edge of its
/// text; returns the end.
#[cfg(target_arch = "x86_64")]
pub(super) type Groups = unsafe fn([&[u8]; 2], &Parts<'_>, usize, &mut [u128], &mut [u8]) -> usize;

/// Sixteen bytes of a text whose pointer has been exposed.
///
/// Sixteen bytes can be read at the address.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn sixteen(address: usize) -> core::arch::x86_64::__m128i {
    // SAFETY: the caller's promise; SSE2 is part of x86-64.
    unsafe { core::arch::x86_64::_mm_loadu_si128(core::ptr::with_exposed_provenance(address)) }
}

/// The views of the records of `range`; `given` has a bit per record, lowest first.
#[inline]
pub(super) fn portable(
    texts: [&[u8]; 2],
    parts: &Parts<'_>,
    range: Range<usize>,
    out: &mut [u128],
    given: &mut [u8],
) {
    for i in range {
        let start = parts.start[i];
        let (from, len, is_given) = parts.get(i);
        let in_second = start & IN_SECOND != 0;
        let text = if in_second { texts[1] } else { texts[0] };
        out[i] = view(text, u32::from(in_second), (start & !IN_SECOND) + from, len);
        let byte = &mut given[i / 8];
        *byte = if i % 8 == 0 { 0 } else { *byte } | u8::from(is_given) << (i % 8);
    }
}

/// Masks by length: for the first four bytes of a text, as the upper half of a word, and for the next eight.
const MASKS: [(u64, u64); INLINE as usize + 1] = {
    let mut masks = [(0, 0); INLINE as usize + 1];
    let mut len = 0;
    while len <= INLINE as usize {
        let bytes = if len < 4 { len } else { 4 };
        masks[len] = (((1 << (8 * bytes)) - 1) << 32, ((1u128 << (8 * (len - bytes))) - 1) as u64);
        len += 1;
    }
    masks
};

/// The view of `text[start..start + len]`, where `text` is the buffer of number `buffer`.
///
/// # Panics
/// If the text ends before.
#[inline(always)]
#[must_use]
pub fn view(text: &[u8], buffer: u32, start: u32, len: u32) -> u128 {
    let from = start as usize;
    // Two overlapping loads, instead of one that has to be shifted.
    let (first, next) = match text.get(from..from + 12).and_then(|bytes| bytes.first_chunk::<12>()) {
        Some(&[a, b, c, d, e, f, g, h, i, j, k, l]) => {
            (u64::from(u32::from_le_bytes([a, b, c, d])), u64::from_le_bytes([e, f, g, h, i, j, k, l]))
        }
        // Only the last values of an array without padding get here.
        None => short_words(&text[from..][..(len as usize).min(12)]),
    };
    let (first_mask, next_mask) = MASKS[len.min(INLINE) as usize];
    let outside = u64::from(buffer) | u64::from(start) << 32;
    // No branch to choose the second half, because lengths vary.
    let is_outside = u64::from(len > INLINE).wrapping_neg();
    let second_half = (next & next_mask & !is_outside) | (outside & is_outside);
    u128::from(u64::from(len) | first << 32 & first_mask) | u128::from(second_half) << 64
}

#[cold]
fn short_words(bytes: &[u8]) -> (u64, u64) {
    let word = bytes.iter().rev().fold(0u128, |word, &byte| word << 8 | u128::from(byte));
    (word as u64 & 0xffff_ffff, (word >> 32) as u64)
}
