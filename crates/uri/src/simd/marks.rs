//! What is known of the records of a group from the masks of the blocks that each begins with.
//!
//! A mask of 64 bits takes two cycles of one port on its way out of the vector unit (Zen 4), so few masks are made.
//! With AVX-512 each byte is looked up as itself and as the one before another ([`KernelTable::pairs`]), and one mask
//! answers what would take four.

use core::arch::x86_64::{_MM_HINT_T0, _bzhi_u64, _mm_prefetch};

use super::block::Block;
use super::kernel::{Bits, path_and_query};
use super::splits::SlowPath;
use super::text::{Padded, Text};
use crate::grammar::chars::KernelTable;

/// How many records are marked before their offsets are computed: so many that the marks have left the processor's
/// queue of stores, from which several cannot be loaded together; so few that they stay in the first cache.
pub(super) const GROUP: usize = 64;
/// How many bytes of every record are marked.
pub(super) const MARKED: u32 = 128;
/// The distance of prefetches, in bytes: they reach the text in which the next group's newlines are searched.
const AHEAD: usize = 8192;

const HTTP: u64 = u64::from_le_bytes(*b"http://\0");
const HTTPS: u64 = u64::from_le_bytes(*b"https://");

/// What the 64 bytes of a block are, whichever record they belong to.
#[derive(Clone, Copy)]
pub(super) struct Marks {
    pub(super) slash: u64,
    pub(super) question: u64,
    /// In an authority, or as the slash behind it: what a plain DNS name does not have ([`KernelTable::ODD`]).
    pub(super) odd: u64,
    /// What a plain path and query do not have ([`KernelTable::FAULT`]).
    pub(super) fault: u64,
}

/// A block of which marks are made.
pub(super) trait Marked: Block {
    /// Whether the second block is marked only for records that have one. The list of these costs less than the marks
    /// where marks take many instructions.
    const MARKS_ON_DEMAND: bool;

    /// The newlines of the 64 bytes at `at`; and bits, any of which are set if one of them is a carriage return.
    ///
    /// # Safety
    /// 64 bytes are readable at `at`, and the block's instruction set is there.
    unsafe fn newlines(at: *const u8) -> (u64, u64);

    /// The marks of the 64 bytes at `at`. `before` is where the byte before them is.
    ///
    /// # Safety
    /// 64 bytes are readable at both, and the block's instruction set is there.
    unsafe fn marks(at: *const u8, before: *const u8, table: &'static KernelTable) -> Marks;
}

/// Where the records of a group are, and their marks.
#[repr(align(64))]
pub(super) struct Group {
    pub(super) len: usize,
    pub(super) start: [u32; GROUP],
    pub(super) lens: [u32; GROUP],
    /// How many bytes of the first block and the second are the record's.
    within: [[u8; GROUP]; 2],
    /// The first eight bytes.
    prefix: [u64; GROUP],
    /// Of the first block.
    slash: [u64; GROUP],
    odd: [u64; GROUP],
    /// Of the first block and the second; the second's within the record.
    questions: [[u64; GROUP]; 2],
    /// Of both blocks, within the record.
    faults: [u64; GROUP],
}

/// The offsets of a record.
pub(super) struct Offsets {
    pub(super) scheme_end: u32,
    pub(super) host_start: u32,
    pub(super) path_start: u32,
    pub(super) path_end: u32,
    /// Whether these are right, if nothing but triplets and dot segments is wrong with path and query.
    pub(super) is_split: bool,
    /// Whether nothing is wrong with authority, path and query.
    pub(super) is_plain: bool,
}

impl Group {
    pub(super) const EMPTY: Group = Group {
        len: 0,
        start: [0; GROUP],
        lens: [0; GROUP],
        within: [[0; GROUP]; 2],
        prefix: [0; GROUP],
        slash: [0; GROUP],
        odd: [0; GROUP],
        questions: [[0; GROUP]; 2],
        faults: [0; GROUP],
    };

    /// The offsets of one record. Without a branch, so that the compiler computes several together.
    #[inline(always)]
    pub(super) fn offsets(&self, i: usize, max_record: u32) -> Offsets {
        let prefix = self.prefix[i];
        let is_https = prefix == HTTPS;
        let is_http = prefix << 8 == HTTP << 8;
        let is_slash = prefix & 0xff == u64::from(b'/');
        let are_slashes = prefix & 0xffff == u64::from(u16::from_le_bytes(*b"//"));
        let has_authority = is_https | is_http | are_slashes;

        let len = self.lens[i];
        let run = below(len);
        let (first, second) = (self.questions[0][i] & run, self.questions[1][i]);
        let scheme_end = if is_https { 5 } else { u32::from(is_http) * 4 };
        let host_start = if are_slashes { 2 } else { scheme_end + 3 };
        let from_host = u64::MAX << host_start;
        let ends = (self.slash[i] & run | first) & from_host;
        let odd = self.odd[i] & from_host & ends.up_to();
        let has_path = ends.lowest() & self.slash[i] != 0;
        // The first byte of a buffer has none before it.
        let is_split = (has_authority & has_path | is_slash & !are_slashes)
            & (len.wrapping_sub(1) < max_record)
            & (self.start[i] != 0);
        let is_plain = is_split & ((odd == 0) | !has_authority) & (self.faults[i] == 0);

        let path_end = if first != 0 { first.trailing_zeros() } else { len };
        Offsets {
            scheme_end,
            host_start: if has_authority { host_start } else { 0 },
            path_start: if has_authority { ends.trailing_zeros() } else { 0 },
            path_end: if (first == 0) & (second != 0) { 64 + second.trailing_zeros() } else { path_end },
            is_split,
            is_plain,
        }
    }

    /// What a record that is split needs the slow path for, and where its path and its query end; `None` where only the
    /// kernel can say.
    ///
    /// # Safety
    /// As for [`mark`]; the offsets are those of the record `i`.
    #[inline(always)]
    pub(super) unsafe fn slow_path<B: Marked>(
        &self,
        buffer: *const u8,
        i: usize,
        [host_start, path_start, path_end]: [u32; 3],
        table: &'static KernelTable,
    ) -> Option<([u32; 2], SlowPath)> {
        // SAFETY: the caller's promises.
        unsafe {
            let (text, len) = (Padded(buffer.add(self.start[i] as usize)), self.lens[i]);
            let mut authority = 0;
            if path_start > 0 {
                let host = below(path_start + 1) & !below(host_start);
                let odd = self.odd[i] & host;
                // What no text holds ends the kernel's run. A digit is odd only if it begins the last label.
                let is_digit = || text.byte(odd.trailing_zeros() as usize).is_ascii_digit();
                if self.faults[i] & host != 0 || odd != 0 && is_digit() {
                    return None;
                }
                authority = if odd != 0 { SlowPath::AUTHORITY } else { 0 };
            }
            if self.faults[i] == 0 && len <= MARKED {
                return Some(([path_end, len], SlowPath(authority)));
            }
            let (from, len) = (path_start as usize, len as usize);
            let (ends, slow_path) = path_and_query::<B, _>(text, from, len, table)?;
            Some((ends, SlowPath(slow_path.0 | authority)))
        }
    }
}

/// The bits below a place.
#[inline(always)]
pub(super) fn below(place: u32) -> u64 {
    if place < 64 { (1 << place) - 1 } else { u64::MAX }
}

/// Marks the records of a group.
///
/// # Safety
/// - Each record has `PADDING` readable bytes behind it.
/// - The block's instruction set is there.
#[inline(always)]
pub(super) unsafe fn mark<B: Marked>(buffer: *const u8, group: &mut Group, table: &'static KernelTable) {
    let [in_first, in_second] = &mut group.within;
    for ((len, first), second) in group.lens.iter().zip(in_first).zip(in_second) {
        *first = (*len).min(64) as u8;
        *second = len.saturating_sub(64).min(64) as u8;
    }
    // The records that have a second block.
    let (mut longer, mut count) = ([0u8; GROUP], 0);
    for i in 0..group.len.min(GROUP) {
        let start = group.start[i] as usize;
        // SAFETY: the caller's promises; the buffer's first byte stands for the one before it. A prefetch of an address
        // that is not readable does nothing.
        unsafe {
            let at = buffer.add(start);
            // Two lines of the cache: records are longer than one, on average.
            _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(AHEAD).cast());
            _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(AHEAD + 64).cast());
            let first = B::marks(at, buffer.add(start.saturating_sub(1)), table);
            group.prefix[i] = at.cast::<u64>().read_unaligned();
            group.slash[i] = first.slash;
            group.odd[i] = first.odd;
            group.questions[0][i] = first.question;
            group.questions[1][i] = 0;
            group.faults[i] = _bzhi_u64(first.fault, group.within[0][i].into());
            if B::MARKS_ON_DEMAND {
                longer[count % GROUP] = i as u8;
                count += usize::from(group.within[1][i] > 0);
            } else {
                mark_second::<B>(buffer, group, i, table);
            }
        }
    }
    for &i in &longer[..count] {
        // SAFETY: the caller's promises.
        unsafe { mark_second::<B>(buffer, group, usize::from(i) % GROUP, table) };
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
        let at = buffer.add(group.start[i] as usize + 64);
        let (marks, within) = (B::marks(at, at.sub(1), table), group.within[1][i].into());
        group.questions[1][i] = _bzhi_u64(marks.question, within);
        group.faults[i] |= _bzhi_u64(marks.fault, within);
    }
}

/// The place of the first question mark behind the bytes that [`mark`] marks, or the record's length; `None` if a fault
/// is there.
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
            let at = buffer.add((start + base) as usize);
            B::marks(at, at.sub(1), table)
        };
        let run = below(len - base);
        if marks.fault & run != 0 {
            return None;
        }
        let question = marks.question & run;
        if question != 0 {
            found = found.min(base + question.trailing_zeros());
        }
        base += 64;
    }
    Some(found)
}
