//! Splits records in groups of 64. Most records of lists and pages are web addresses with a DNS name and a path, or
//! references that begin with a slash: these are split without going from one to the next. Records of another shape go
//! through the kernel one by one.
//!
//! 1. The newlines of the next blocks say where lines are.
//! 2. The blocks that each record begins with become [`Marks`](super::marks::Marks). No record waits for another.
//! 3. From the marks the offsets follow by arithmetic alone, which the compiler does for several records at once.

use super::kernel::record;
use super::marks::{GROUP, Group, MARKED, Marked, below, mark, question_behind};
use super::records::{Rows, each_line, each_span};
use super::splits::{Span, Splits};
use super::text::Padded;
use crate::grammar::chars::KernelTable;

/// If more records of a group than this are not plain, the next [`ALONE`] records go through the kernel unmarked.
const MANY: usize = GROUP / 2;
const ALONE: usize = 8 * GROUP;

/// A bit for each byte, all of which are 0 or 1.
#[inline(always)]
fn bits(ones: &[u8; GROUP]) -> u64 {
    let eight = |ones: &[u8; 8]| u64::from_le_bytes(*ones).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    ones.as_chunks().0.iter().rev().fold(0, |bits, ones| bits << 8 | eight(ones))
}

/// Splits the records of a group, and returns how many of them are not plain.
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
    let (count, are_split) = (others.count_ones() as usize, bits(&is_split));
    while others != 0 {
        let i = others.trailing_zeros() as usize;
        // SAFETY: the caller's promises; there is room, and what is right of the row was written.
        unsafe {
            let offsets = [host_start[i], path_start[i], path_end[i]];
            let found = match are_split >> i & 1 {
                1 => group.slow_path::<B>(buffer, i, offsets, table),
                _ => None,
            };
            if let Some((ends, slow_path)) = found {
                rows.set_slow_path(first_row + i, ends, slow_path);
            } else {
                let (start, len) = (group.start[i], group.lens[i]);
                let text = Padded(buffer.add(start as usize));
                let (split, slow_path, _) = record::<B, _, false>(text, len as usize, table);
                rows.put(first_row + i, start, &split, slow_path);
            }
        }
        others &= others - 1;
    }
    count
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
    out: &mut Splits,
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
