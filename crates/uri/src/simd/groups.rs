//! Splits records in groups of 64. Most records of lists and pages are web addresses with a DNS name and a path, or
//! references that begin with a slash: these are split without going from one to the next. Records of another shape go
//! through the kernel one by one.
//!
//! 1. The newlines of the next blocks say where lines are.
//! 2. The blocks that each record begins with become [`Marks`](super::marks::Marks). No record waits for another.
//! 3. From the marks the offsets follow by arithmetic alone, which the compiler does for several records at once.

use super::kernel::record;
use super::marks::{GROUP, Group, MARKED, Marked, below, question_behind};
use super::records::{self, Rows, each_line, each_span};
use super::splits::{Span, Splits};
use super::text::Padded;
use crate::grammar::chars::KernelTable;

/// If more records of a group than this are not plain, the next [`ALONE`] records go through the kernel unmarked.
const MANY: usize = GROUP / 2;
const ALONE: usize = 8 * GROUP;

/// Of each record's facts one bit: those at this place.
#[inline(always)]
fn bits(facts: &[u8; GROUP], place: u32) -> u64 {
    let eight = |facts: &[u8; 8]| {
        let ones = u64::from_le_bytes(*facts) >> place & 0x0101_0101_0101_0101;
        ones.wrapping_mul(0x0102_0408_1020_4080) >> 56
    };
    facts.as_chunks().0.iter().rev().fold(0, |bits, facts| bits << 8 | eight(facts))
}

/// Splits the records of a group, and returns how many of them are not plain.
///
/// # Safety
/// - Each record has `PADDING` readable bytes behind it.
/// - `rows` has room for a whole group, and takes records that are longer than what is marked.
/// - The block's instruction set is there.
#[inline(always)]
unsafe fn split<B: Marked>(
    buffer: *const u8,
    group: &mut Group,
    table: &'static KernelTable,
    rows: &mut Rows<'_>,
) -> usize {
    if group.start[..group.len].contains(&0) {
        // No byte is before the first one of a buffer.
        for (&start, &len) in group.start.iter().zip(&group.lens).take(group.len) {
            // SAFETY: the caller's promises.
            unsafe { each_span::<B>(buffer, &[Span { start, len }], table, rows) };
        }
        return 0;
    }
    // SAFETY: the caller's promises.
    unsafe { B::mark(buffer, group, table) };
    let first_row = rows.len;
    let (mut scheme_end, mut host_start) = ([0; GROUP], [0; GROUP]);
    let (mut path_start, mut path_end) = ([0; GROUP], [0; GROUP]);
    let mut facts = [0; GROUP];
    // All of them, however many there are: for a number that the compiler knows it needs no loop for the last ones.
    for i in 0..GROUP {
        let offsets = group.offsets(i);
        scheme_end[i] = offsets.scheme_end;
        host_start[i] = offsets.host_start;
        path_start[i] = offsets.path_start;
        path_end[i] = offsets.path_end;
        facts[i] = u8::from(offsets.is_split) | u8::from(offsets.is_plain) << 1;
    }
    let are_long = group.lens.map(|len| u8::from(len > MARKED));
    // SAFETY: there is room for a whole group.
    unsafe {
        let (start, end) = (&group.start, &group.lens);
        rows.put_many([start, &scheme_end, &host_start, &path_start, &path_start, &path_end, end, end]);
    }
    rows.len += group.len;

    let within = below(group.len as u32);
    let mut others = !bits(&facts, 1) & within;
    let (are_split, mut long) = (bits(&facts, 0), bits(&are_long, 0) & within);
    while long != 0 {
        let (i, one) = (long.trailing_zeros() as usize, long & long.wrapping_neg());
        let (start, len) = (group.start[i], group.lens[i]);
        if len > rows.max_record {
            others |= one;
        } else if others & one == 0 {
            // SAFETY: the caller's promises; this row was written.
            unsafe {
                match question_behind::<B>(buffer, (start, len), table) {
                    Some(question) => rows.lower_path_end(first_row + i, question),
                    None => others |= one,
                }
            }
        }
        long ^= one;
    }
    let count = others.count_ones() as usize;
    while others != 0 {
        let i = others.trailing_zeros() as usize;
        let offsets = (are_split >> i & 1 != 0, [scheme_end[i], host_start[i], path_start[i], path_end[i]]);
        // SAFETY: the caller's promises; there is room.
        unsafe {
            let (start, len) = (group.start[i], group.lens[i]);
            if let Some((split, slow_path)) = group.not_plain::<B>(buffer, i, offsets, table) {
                rows.put(first_row + i, start, &split, slow_path);
            } else {
                let text = Padded(buffer.add(start as usize));
                let (split, slow_path, _) = record::<B, _, false>(text, len as usize, table);
                rows.put(first_row + i, start, &split, slow_path);
            }
        }
        others &= others - 1;
    }
    count
}

/// The newlines that were found and not yet used.
pub(super) struct Newlines {
    /// In order; what is behind `found` of them means nothing.
    places: [u32; 2 * GROUP],
    found: usize,
    /// Where the next block begins.
    at: usize,
    /// Whether a carriage return was in a block.
    have_returns: bool,
}

impl Newlines {
    /// Finds a group of them, or those up to `to`.
    ///
    /// # Safety
    /// - 64 bytes are readable wherever a block begins before `to`.
    /// - The block's instruction set is there.
    #[inline(always)]
    pub(super) unsafe fn find<B: Marked>(&mut self, buffer: *const u8, to: usize) {
        let (mut found, mut at) = (self.found, self.at);
        // SAFETY: the caller's promises.
        unsafe {
            let mut returns = B::no_returns();
            // Whole blocks, and then a part of one.
            while found < GROUP && at + 64 <= to {
                let places = B::newlines(buffer.add(at), &mut returns);
                self.put(found, at, places);
                found += places.count_ones() as usize;
                at += 64;
            }
            if found < GROUP && at < to {
                let places = B::newlines(buffer.add(at), &mut returns) & below((to - at) as u32);
                self.put(found, at, places);
                found += places.count_ones() as usize;
                at += 64;
            }
            self.have_returns |= B::any(returns);
        }
        (self.found, self.at) = (found, at);
    }

    /// Puts those of the block at `at` behind so many others, fewer than [`GROUP`].
    #[inline(always)]
    fn put(&mut self, found: usize, at: usize, places: u64) {
        // Most blocks have no more than two, which are put without asking how many there are. A block has no more than
        // 64: the remainder only spares a check.
        let mut rest = places;
        for put in 0..2 {
            self.places[(found + put) % (2 * GROUP)] = at as u32 + rest.trailing_zeros();
            rest &= rest.wrapping_sub(1);
        }
        let mut put = found + 2;
        while rest != 0 {
            self.places[put % (2 * GROUP)] = at as u32 + rest.trailing_zeros();
            rest &= rest - 1;
            put += 1;
        }
    }

    /// Removes the first ones, at most [`GROUP`].
    #[inline(always)]
    fn remove(&mut self, count: usize) {
        let (first, behind) = self.places.split_at_mut(GROUP);
        match count {
            // As many as the compiler knows.
            GROUP => first.copy_from_slice(behind),
            _ => self.places.copy_within(count..self.found, 0),
        }
        self.found -= count;
    }
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
    out: &mut Splits,
) -> usize {
    if max_record < MARKED as usize {
        // SAFETY: the caller's promises.
        return unsafe { records::lines::<B>(buffer, (from, to), most, max_record, table, out) };
    }
    let mut rows = Rows::new(out, most + GROUP, max_record);
    let bytes = buffer.as_ptr();
    let mut group = Group::EMPTY;
    // The next line's first byte, and how many lines may follow.
    let (mut start, mut left) = (from as u32, most);
    let mut newlines = Newlines { places: [0; 2 * GROUP], found: 0, at: from, have_returns: false };
    while left > 0 {
        // SAFETY: the padding is readable behind `to`.
        unsafe { B::find(&mut newlines, bytes, to) };
        let count = newlines.found.min(GROUP).min(left);
        if count == 0 {
            break;
        }
        let mut has_blank = false;
        for (i, &newline) in newlines.places[..count].iter().enumerate() {
            let start = if i == 0 { start } else { newlines.places[i - 1] + 1 };
            (group.start[i], group.lens[i]) = (start, newline - start);
            has_blank |= newline == start;
        }
        start = newlines.places[count - 1] + 1;
        if newlines.have_returns {
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
        newlines.remove(count);
        // SAFETY: a newline ends each line, and the padding is readable behind all; there is room for `most` lines.
        let others = unsafe { split::<B>(bytes, &mut group, table, &mut rows) };
        if others > MANY {
            let before = rows.len;
            let range = (start as usize, to);
            // SAFETY: as above.
            start = unsafe { each_line::<B, _>(buffer, range, left.min(ALONE), table, &mut rows) } as u32;
            left -= rows.len - before;
            (newlines.found, newlines.at) = (0, start as usize);
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
    out: &mut Splits,
) {
    if max_record < MARKED as usize {
        // SAFETY: the caller's promises.
        return unsafe { records::spans::<B>(buffer, spans, max_record, table, out) };
    }
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
