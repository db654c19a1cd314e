//! Records in groups of 64: what most lists and pages have, web addresses with a DNS name and a path, and references
//! that begin with a slash, is split without going from one to the next. Only what has another shape is left to the
//! kernel, one by one.
//!
//! 1. The newlines of the next blocks say where lines are.
//! 2. The blocks that each record begins with become [`Marks`]. No record waits for another.
//! 3. From the marks the offsets follow by arithmetic alone, which the compiler does for several records at once.
//!
//! Half of what a record costs is to move masks from the vector unit to the others. So a byte is looked up twice, as
//! itself and as the one before another ([`KernelTable::pairs`]), and one mask answers what would take four.

use core::arch::x86_64::{_MM_HINT_T0, _bzhi_u64, _mm_prefetch};

use super::block::Block;
use super::kernel::{Bits, path_and_query, record};
use super::records::{Rows, each_line, each_span};
use super::splits::{SlowPath, Span};
use super::text::{Padded, Text};
use crate::grammar::chars::KernelTable;

/// How many records are marked before their offsets are computed: so many that the marks have left the processor's
/// queue of stores, from which several cannot be loaded together; so few that they stay in the first cache.
const GROUP: usize = 64;
/// How many bytes of every record are marked.
const MARKED: u32 = 128;
/// If more of a group than these are not plain, so many of the next records are left to the kernel at once.
const MANY: usize = 24;
const ALONE: usize = 4 * GROUP;
/// How far behind a record the memory is asked for: what the next group's newlines are looked for in.
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
    /// Whether marks are so dear that the second block is marked only where a record has one, which the processor
    /// cannot predict.
    const ARE_DEAR: bool;

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
struct Group {
    len: usize,
    start: [u32; GROUP],
    lens: [u32; GROUP],
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
struct Offsets {
    scheme_end: u32,
    host_start: u32,
    path_start: u32,
    path_end: u32,
    /// Whether these are right, if nothing but triplets and dot segments is wrong with path and query.
    is_split: bool,
    /// Whether nothing is wrong with authority, path and query.
    is_plain: bool,
}

impl Group {
    const EMPTY: Group = Group {
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
    fn offsets(&self, i: usize, max_record: u32) -> Offsets {
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

    /// What a record that is split needs the slow path for, and where its path ends; `None` where only the kernel can
    /// say.
    ///
    /// # Safety
    /// As for [`split`]; the offsets are those of the record `i`.
    #[inline(always)]
    unsafe fn slow_path<B: Marked>(
        &self,
        buffer: *const u8,
        i: usize,
        [host_start, path_start, path_end]: [u32; 3],
        table: &'static KernelTable,
    ) -> Option<(u32, SlowPath)> {
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
                return Some((path_end, SlowPath(authority)));
            }
            let (from, len) = (path_start as usize, len as usize);
            let (path_end, slow_path) = path_and_query::<B, _>(text, from, len, table)?;
            Some((path_end, SlowPath(slow_path.0 | authority)))
        }
    }
}

/// The bits below a place.
#[inline(always)]
fn below(place: u32) -> u64 {
    if place < 64 { (1 << place) - 1 } else { u64::MAX }
}

/// A bit for each byte, all of which are 0 or 1.
#[inline(always)]
fn bits(ones: &[u8; GROUP]) -> u64 {
    let eight = |ones: &[u8; 8]| u64::from_le_bytes(*ones).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    ones.as_chunks().0.iter().rev().fold(0, |bits, ones| bits << 8 | eight(ones))
}

/// Splits the records of a group, and returns how many of them were left to the kernel.
///
/// # Safety
/// - Each record has `PADDING` readable bytes behind it.
/// - `rows` has room for a whole group.
/// - The block's instruction set is there.
#[inline(always)]
unsafe fn split<B: Marked>(
    buffer: *const u8,
    group: &mut Group,
    table: &'static KernelTable,
    rows: &mut Rows<'_>,
) -> usize {
    // SAFETY: the caller's promises.
    unsafe { mark::<B>(buffer, group, table) };
    let (first_row, max_record) = (rows.len, rows.max_record);
    let (mut scheme_end, mut host_start) = ([0; GROUP], [0; GROUP]);
    let (mut path_start, mut path_end) = ([0; GROUP], [0; GROUP]);
    let (mut is_split, mut is_plain, mut is_long) = ([0; GROUP], [0; GROUP], [0; GROUP]);
    // All of them, however many there are: for a number that the compiler knows it needs no loop for the last ones.
    for i in 0..GROUP {
        let offsets = group.offsets(i, max_record);
        scheme_end[i] = offsets.scheme_end;
        host_start[i] = offsets.host_start;
        path_start[i] = offsets.path_start;
        path_end[i] = offsets.path_end;
        is_split[i] = u8::from(offsets.is_split);
        is_plain[i] = u8::from(offsets.is_plain);
        is_long[i] = u8::from(group.lens[i] > MARKED);
    }
    // SAFETY: there is room for a whole group.
    unsafe {
        let (start, end) = (&group.start, &group.lens);
        rows.put_many([start, &scheme_end, &host_start, &path_start, &path_start, &path_end, end, end]);
    }
    rows.len += group.len;

    let within = below(group.len as u32);
    let mut others = !bits(&is_plain) & within;
    let mut long = bits(&is_long) & within & !others;
    while long != 0 {
        let i = long.trailing_zeros() as usize;
        // SAFETY: the caller's promises; this row was written.
        unsafe {
            match question_behind::<B>(buffer, (group.start[i], group.lens[i]), table) {
                Some(question) => rows.lower_path_end(first_row + i, question),
                None => others |= 1 << i,
            }
        }
        long &= long - 1;
    }
    let (mut left_to_kernel, are_split) = (0, bits(&is_split));
    while others != 0 {
        let i = others.trailing_zeros() as usize;
        // SAFETY: the caller's promises; there is room, and what is right of the row was written.
        unsafe {
            let offsets = [host_start[i], path_start[i], path_end[i]];
            let found = match are_split >> i & 1 {
                1 => group.slow_path::<B>(buffer, i, offsets, table),
                _ => None,
            };
            if let Some((path_end, slow_path)) = found {
                rows.set_slow_path(first_row + i, path_end, slow_path);
            } else {
                let (start, len) = (group.start[i], group.lens[i]);
                let text = Padded(buffer.add(start as usize));
                let (split, slow_path, _) = record::<B, _, false>(text, len as usize, table);
                rows.put(first_row + i, start, &split, slow_path);
                left_to_kernel += 1;
            }
        }
        others &= others - 1;
    }
    left_to_kernel
}

/// Marks the records of a group.
///
/// # Safety
/// As for [`split`].
#[inline(always)]
unsafe fn mark<B: Marked>(buffer: *const u8, group: &mut Group, table: &'static KernelTable) {
    let [in_first, in_second] = &mut group.within;
    for ((len, first), second) in group.lens.iter().zip(in_first).zip(in_second) {
        *first = (*len).min(64) as u8;
        *second = len.saturating_sub(64).min(64) as u8;
    }
    // The records that have a second block.
    let (mut longer, mut count) = ([0u8; GROUP], 0);
    for i in 0..group.len.min(GROUP) {
        let start = group.start[i] as usize;
        // SAFETY: the caller's promises; the buffer's first byte stands for the one before it. Memory may be asked for
        // wherever it is.
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
            if B::ARE_DEAR {
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
/// As for [`split`].
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
/// As for [`split`].
#[inline(always)]
unsafe fn question_behind<B: Marked>(
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

/// See [`records::lines`](super::records::lines).
///
/// # Safety
/// As for that.
#[inline(always)]
pub(super) unsafe fn lines<B: Marked>(
    buffer: &[u8],
    (from, to): (usize, usize),
    most: usize,
    max_record: usize,
    table: &'static KernelTable,
    out: &mut super::Splits,
) -> usize {
    let mut rows = Rows::new(out, most + GROUP, max_record);
    let bytes = buffer.as_ptr();
    let mut group = Group::EMPTY;
    // The next line's first byte, and how many lines may follow.
    let (mut start, mut left) = (from as u32, most);
    let mut newlines = [0; 2 * GROUP];
    let (mut found, mut at, mut returns) = (0, from, 0);
    while left > 0 {
        while found < GROUP && at < to {
            // SAFETY: the padding is readable behind `to`.
            let (places, more_returns) = unsafe { B::newlines(bytes.add(at)) };
            let places = places & below((to - at) as u32);
            returns |= more_returns;
            // Most blocks have no more than two newlines, which are put without asking how many there are. Fewer than
            // `GROUP` were found, and a block has no more than 64: the remainder only spares a check.
            let mut rest = places;
            for put in 0..2 {
                newlines[found + put] = at as u32 + rest.trailing_zeros();
                rest &= rest.wrapping_sub(1);
            }
            let mut put = found + 2;
            while rest != 0 {
                newlines[put % (2 * GROUP)] = at as u32 + rest.trailing_zeros();
                rest &= rest - 1;
                put += 1;
            }
            found += places.count_ones() as usize;
            at += 64;
        }
        let count = found.min(GROUP).min(left);
        if count == 0 {
            break;
        }
        let mut has_blank = false;
        for (i, &newline) in newlines[..count].iter().enumerate() {
            let start = if i == 0 { start } else { newlines[i - 1] + 1 };
            (group.start[i], group.lens[i]) = (start, newline - start);
            has_blank |= newline == start;
        }
        start = newlines[count - 1] + 1;
        if returns != 0 {
            for (start, len) in
                group.start.iter().zip(&mut group.lens).take(count).filter(|(_, len)| **len > 0)
            {
                *len -= u32::from(buffer[(*start + *len - 1) as usize] == b'\r');
                has_blank |= *len == 0;
            }
        }
        group.len = count;
        if has_blank {
            group.len = 0;
            for i in 0..count {
                if group.lens[i] == 0 {
                    rows.out.blank.push((rows.len + group.len) as u32);
                } else {
                    (group.start[group.len], group.lens[group.len]) = (group.start[i], group.lens[i]);
                    group.len += 1;
                }
            }
        }
        left -= group.len;
        let (_, behind) = newlines.split_at(count);
        if let Some(&behind) = behind.first_chunk::<GROUP>() {
            newlines[..GROUP].copy_from_slice(&behind);
        }
        found -= count;
        // SAFETY: a newline ends each line, and the padding is readable behind all; there is room for `most` lines.
        let others = unsafe { split::<B>(bytes, &mut group, table, &mut rows) };
        if others > MANY {
            let before = rows.len;
            let range = (start as usize, to);
            // SAFETY: as above.
            start = unsafe { each_line::<B, _>(buffer, range, left.min(ALONE), table, &mut rows) } as u32;
            left -= rows.len - before;
            (found, at) = (0, start as usize);
        }
    }
    if left > 0 && (start as usize) < to {
        // The last line has the padding's newline, for which a carriage return at its end is a byte of its own.
        (group.len, group.start[0], group.lens[0]) = (1, start, to as u32 - start);
        start = to as u32 + u32::from(buffer[to - 1] != b'\r');
        // SAFETY: as above.
        unsafe { split::<B>(bytes, &mut group, table, &mut rows) };
    }
    // SAFETY: `rows` counts what was written.
    unsafe { rows.finish() };
    start as usize
}

/// See [`records::spans`](super::records::spans).
///
/// # Safety
/// As for that.
#[inline(always)]
pub(super) unsafe fn spans<B: Marked>(
    buffer: &[u8],
    spans: &[Span],
    max_record: usize,
    table: &'static KernelTable,
    out: &mut super::Splits,
) {
    let mut rows = Rows::new(out, spans.len() + GROUP, max_record);
    let mut group = Group::EMPTY;
    let mut left = spans;
    while !left.is_empty() {
        let (spans, behind) = left.split_at(left.len().min(GROUP));
        group.len = spans.len();
        for (span, (start, len)) in spans.iter().zip(group.start.iter_mut().zip(&mut group.lens)) {
            (*start, *len) = (span.start, span.len);
        }
        // SAFETY: the caller vouches for the spans and the padding behind them; there is room.
        let others = unsafe { split::<B>(buffer.as_ptr(), &mut group, table, &mut rows) };
        left = behind;
        if others > MANY {
            let (spans, behind) = left.split_at(left.len().min(ALONE));
            // SAFETY: as above.
            unsafe { each_span::<B>(buffer.as_ptr(), spans, table, &mut rows) };
            left = behind;
        }
    }
    // SAFETY: `rows` counts what was written.
    unsafe { rows.finish() };
}
