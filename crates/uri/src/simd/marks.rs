//! Marks: what the masks of the blocks at the beginning of each record of a group show.
//!
//! A mask takes a step of one port on its way out of the vector unit, or two (64 bits with AVX-512 on Zen 4), and then
//! instructions that cost more than the mask is worth, so few masks are made. Each byte is looked up as itself and as
//! the one before another ([`Pairs`](crate::grammar::pairs::Pairs)), and one mask replaces four.

use super::block::{Block, prefetch};
use super::kernel::Bits;
use super::newlines::{GROUP, Newlines, below, bits};
use super::text::{Padded, Text, host_start};
use crate::grammar::chars::KernelTable;

/// The number of bytes of a block that are used: a shift by at most this many places is one instruction.
pub(super) const BLOCK: u32 = 63;
/// The number of bytes of every record that are marked.
pub(super) const MARKED: u32 = 2 * BLOCK;
/// The distance of prefetches, in bytes: they reach the text in which the next group's newlines are searched.
const AHEAD: usize = 8192;

/// Properties of the 64 bytes of a block, whichever record they belong to.
#[derive(Clone, Copy)]
pub(super) struct Marks<M> {
    pub(super) slash: M,
    pub(super) question: M,
    /// Bytes that a plain DNS name, from the slash before it to the slash after it, can have: not [`Pairs::ODD`].
    ///
    /// [`Pairs::ODD`]: crate::grammar::pairs::Pairs::ODD
    pub(super) host: M,
    /// Faults: bytes that a plain path and query do not have ([`Pairs::FAULT`]).
    ///
    /// [`Pairs::FAULT`]: crate::grammar::pairs::Pairs::FAULT
    pub(super) fault: M,
}

/// A bit for each byte of a block, as an instruction set produces it.
pub(super) trait Mask: Copy {
    /// The bits, the first byte's lowest.
    fn bits(self) -> u64;

    /// Writes the bits.
    fn put(self, to: &mut u64);
}

impl Mask for u64 {
    #[inline(always)]
    fn bits(self) -> u64 {
        self
    }

    #[inline(always)]
    fn put(self, to: &mut u64) {
        *to = self;
    }
}

/// A block for which marks are made.
pub(super) trait Marked: Block {
    /// Whether the second block is marked only for records that have one: on instruction sets where marks take many
    /// instructions, finding these records costs less than the marks.
    const MARKS_ON_DEMAND: bool;

    type Mask: Mask;

    /// The carriage returns so far.
    type Returns: Copy;

    /// No carriage return so far.
    ///
    /// # Safety
    /// The block's instruction set is there.
    unsafe fn no_returns() -> Self::Returns;

    /// Whether there was one.
    ///
    /// # Safety
    /// The block's instruction set is there.
    unsafe fn any(returns: Self::Returns) -> bool;

    /// The newlines of the 64 bytes at `at`, whose carriage returns are added to those so far.
    ///
    /// # Safety
    /// 64 bytes are readable at `at`, and the block's instruction set is there.
    unsafe fn newlines(at: *const u8, returns: &mut Self::Returns) -> u64;

    /// The marks of the 64 bytes at `at`.
    ///
    /// # Safety
    /// These bytes and the one before them are readable, and the block's instruction set is there.
    unsafe fn marks(at: *const u8, table: &'static KernelTable) -> Marks<Self::Mask>;

    /// [`groups::find_newlines`](super::groups::find_newlines); a separate function, so that its constants stay in
    /// registers. So is the next one.
    ///
    /// # Safety
    /// As for that.
    unsafe fn find_newlines(newlines: &mut Newlines, buffer: *const u8, to: usize) -> bool;

    /// [`mark`].
    ///
    /// # Safety
    /// As for that.
    unsafe fn mark(buffer: *const u8, group: &mut Group, table: &'static KernelTable);
}

/// The positions of the records of a group, and their marks.
#[repr(align(64))]
pub(super) struct Group {
    pub(super) len: usize,
    pub(super) start: [u32; GROUP],
    pub(super) lens: [u32; GROUP],
    /// The first eight bytes.
    prefix: [u64; GROUP],
    /// The slashes of the first block.
    pub(super) slash: [u64; GROUP],
    /// The bytes of the first block that a plain host can have.
    pub(super) host: [u64; GROUP],
    /// The question marks of the first and the second block. The second mask is undefined for records that do not reach
    /// that block.
    pub(super) questions: [[u64; GROUP]; 2],
    /// The faults of the same two blocks.
    faults: [[u64; GROUP]; 2],
}

/// The offsets of a record.
pub(super) struct Offsets {
    pub(super) scheme_end: u32,
    pub(super) host_start: u32,
    pub(super) path_start: u32,
    pub(super) path_end: u32,
    /// Whether these are right, unless path and query have faults other than triplets and dot segments, or a question
    /// mark follows the marked bytes.
    pub(super) is_split: bool,
    /// Whether authority, path and query have no fault in the marked bytes.
    pub(super) is_plain: bool,
}

impl Group {
    pub(super) const EMPTY: Group = Group {
        len: 0,
        start: [0; GROUP],
        lens: [0; GROUP],
        prefix: [0; GROUP],
        slash: [0; GROUP],
        host: [0; GROUP],
        questions: [[0; GROUP]; 2],
        faults: [[0; GROUP]; 2],
    };

    /// The marked bytes of the first block and the second that are the record's.
    #[inline(always)]
    pub(super) fn runs(&self, i: usize) -> [u64; 2] {
        let len = self.lens[i];
        [!(u64::MAX << len.min(BLOCK)), !(u64::MAX << (len.clamp(BLOCK, MARKED) - BLOCK))]
    }

    /// The faults of the first block and the second, within the record.
    #[inline(always)]
    pub(super) fn faults(&self, i: usize) -> [u64; 2] {
        let [first, second] = self.runs(i);
        [self.faults[0][i] & first, self.faults[1][i] & second]
    }

    /// The offsets of one record. Without a branch, so that the compiler computes several together, and in numbers as
    /// wide as the masks, so that it does not have to change their width in between.
    #[inline(always)]
    pub(super) fn offsets(&self, i: usize) -> Offsets {
        let host_start = host_start(self.prefix[i]);
        let [run, second_run] = self.runs(i);
        let (slash, first, second) =
            (self.slash[i] & run, self.questions[0][i] & run, self.questions[1][i] & second_run);
        let from_host = u64::MAX << host_start;
        // Without an authority the path begins at the first byte, which must be a slash.
        let ends = if host_start > 0 { (slash | first) & from_host } else { 1 };
        let is_split = ends.lowest() & slash != 0;
        let odd = !self.host[i] & from_host & ends.up_to();
        let [fault, second_fault] = self.faults(i);

        let (question, base) = if first != 0 { (first, 0) } else { (second, u64::from(BLOCK)) };
        let question_at = base + u64::from(question.trailing_zeros());
        Offsets {
            // After `://`; or after `//`, or at the beginning.
            scheme_end: (host_start as u32).saturating_sub(3),
            host_start: host_start as u32,
            path_start: ends.trailing_zeros(),
            path_end: if question != 0 { question_at as u32 } else { self.lens[i] },
            is_split,
            is_plain: is_split & (odd | fault | second_fault == 0),
        }
    }
}

/// Marks the records of a group.
///
/// # Safety
/// - Each record has a byte before it and `PADDING` readable bytes after it.
/// - The block's instruction set is there.
#[inline(always)]
pub(super) unsafe fn mark<B: Marked>(buffer: *const u8, group: &mut Group, table: &'static KernelTable) {
    for i in 0..group.len.min(GROUP) {
        let start = group.start[i] as usize;
        // SAFETY: the caller's promises.
        unsafe {
            let at = buffer.add(start);
            // Loaded before the block: otherwise the compiler would extract it from the block's registers.
            group.prefix[i] = Padded(at).prefix();
            // Two cache lines: records are longer than one, on average.
            prefetch(at.wrapping_add(AHEAD));
            prefetch(at.wrapping_add(AHEAD + 64));
            let first = B::marks(at, table);
            first.slash.put(&mut group.slash[i]);
            first.host.put(&mut group.host[i]);
            first.question.put(&mut group.questions[0][i]);
            first.fault.put(&mut group.faults[0][i]);
            if !B::MARKS_ON_DEMAND {
                mark_second::<B>(buffer, group, i, table);
            }
        }
    }
    if B::MARKS_ON_DEMAND {
        let have_second = group.lens.map(|len| u8::from(len > BLOCK));
        let mut left = bits(&have_second, 0) & below(group.len as u32);
        while left != 0 {
            // SAFETY: the caller's promises.
            unsafe { mark_second::<B>(buffer, group, left.trailing_zeros() as usize, table) };
            left &= left - 1;
        }
    }
}

/// Marks the second block of a record.
///
/// # Safety
/// As for [`mark`].
#[inline(always)]
unsafe fn mark_second<B: Marked>(
    buffer: *const u8,
    group: &mut Group,
    i: usize,
    table: &'static KernelTable,
) {
    // SAFETY: the caller's promises.
    unsafe {
        let at = buffer.add(group.start[i] as usize + BLOCK as usize);
        let marks = B::marks(at, table);
        marks.question.put(&mut group.questions[1][i]);
        marks.fault.put(&mut group.faults[1][i]);
    }
}

/// The position of the first question mark after the bytes that [`mark`] marks, or the record's length; `None` if there
/// is a fault.
///
/// # Safety
/// As for [`mark`].
#[inline(always)]
pub(super) unsafe fn question_behind<B: Marked>(
    buffer: *const u8,
    (start, len): (u32, u32),
    table: &'static KernelTable,
) -> Option<u32> {
    let (mut found, mut base) = (len, MARKED);
    while base < len {
        // SAFETY: `base` is within the record, which has bytes before it.
        let marks = unsafe {
            let at = buffer.add(start as usize + base as usize);
            B::marks(at, table)
        };
        let run = below(len - base);
        if marks.fault.bits() & run != 0 {
            return None;
        }
        let question = marks.question.bits() & run;
        if question != 0 {
            found = found.min(base + question.trailing_zeros());
        }
        base += 64;
    }
    Some(found)
}
