//! Splits records in groups of 64. Most records of lists and pages are web addresses with a DNS name and a path, or
//! references that begin with a slash: these are split without going from one to the next. The others are split one by
//! one: if their marks leave something open, by the kernel. Compared with one record after the other this takes 11.9
//! instead of 16.4 ns a URI of `te` (docs/PERFORMANCE.md), and 11.2 instead of 20.2 ns a reference of pages (AVX-512,
//! Zen 4).
//!
//! 1. The newlines of the next blocks give the lines.
//! 2. The blocks at each record's beginning become [`Marks`](super::marks::Marks). No record waits for another.
//! 3. The offsets follow from the marks by arithmetic alone, which the compiler does for several records at once.

use super::kernel::record;
use super::marks::{Group, MARKED, Marked, question_behind};
use super::newlines::{GROUP, Newlines, below, bits};
use super::records::{self, Rows, each_line, each_span};
use super::splits::{SlowPath, Span, Splits};
use super::text::Padded;
use crate::grammar::chars::KernelTable;

/// If the marks of more records of a group than this are useless, the next [`ALONE`] records go through the kernel
/// unmarked.
const MANY: usize = GROUP / 2;
const ALONE: usize = 8 * GROUP;
/// Fewer texts than this go through the kernel one by one: a group takes the same time for any number of texts.
const LEAST: usize = 8;
/// Slow-path bits that only a pass over the record finds.
const WALKED: u8 = SlowPath::PERCENT | SlowPath::INVALID | SlowPath::DOTS;

/// Splits the records of a group, and returns the number of records whose marks were useless: those that went through
/// the kernel, and those with something that only a pass over them finds.
///
/// # Safety
/// - Each record has `PADDING` readable bytes after it.
/// - `rows` has room for a whole group, and takes records that are longer than what is marked.
/// - The block's instruction set is there.
#[inline(always)]
unsafe fn split<B: Marked>(
    buffer: *const u8,
    group: &mut Group,
    table: &'static KernelTable,
    rows: &mut Rows<'_>,
) -> usize {
    // No byte precedes the first one of a buffer: records that begin there are marked as if they began one byte later,
    // and go through the kernel.
    let mut at_first = 0;
    if group.start[..group.len].contains(&0) {
        at_first = bits(&group.start.map(|start| u8::from(start == 0)), 0);
        group.start = group.start.map(|start| start.max(1));
    }
    // SAFETY: the caller's promises.
    unsafe { B::mark(buffer, group, table) };
    let mut left = at_first;
    while left != 0 {
        group.start[left.trailing_zeros() as usize] = 0;
        left &= left - 1;
    }
    let first_row = rows.len;
    let (mut scheme_end, mut host_start) = ([0; GROUP], [0; GROUP]);
    let (mut path_start, mut path_end) = ([0; GROUP], [0; GROUP]);
    let mut facts = [0; GROUP];
    // All of them, whatever their number: with a number that the compiler knows there is no loop for the last ones.
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
    let mut others = (!bits(&facts, 1) | at_first) & within;
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
    let mut count = 0;
    while others != 0 {
        let i = others.trailing_zeros() as usize;
        let offsets = (are_split >> i & 1 != 0, [scheme_end[i], host_start[i], path_start[i], path_end[i]]);
        // SAFETY: the caller's promises; there is room.
        unsafe {
            let (start, len) = (group.start[i], group.lens[i]);
            let found = match at_first >> i & 1 {
                0 => group.not_plain::<B>(buffer, i, offsets, table),
                _ => None,
            };
            if let Some((split, slow_path)) = found {
                rows.put(first_row + i, start, &split, slow_path);
                count += usize::from(slow_path.has(WALKED));
            } else {
                let text = Padded(buffer.add(start as usize));
                let (split, slow_path, _) = record::<B, _, false>(text, len as usize, table);
                rows.put(first_row + i, start, &split, slow_path);
                count += 1;
            }
        }
        others &= others - 1;
    }
    count
}

/// Finds a group of newlines, or those up to `to`. Returns whether a carriage return was in a block.
///
/// # Safety
/// - 64 bytes are readable wherever a block begins before `to`.
/// - The block's instruction set is there.
#[inline(always)]
pub(super) unsafe fn find_newlines<B: Marked>(newlines: &mut Newlines, buffer: *const u8, to: usize) -> bool {
    let (mut found, mut at) = (newlines.found, newlines.at);
    // SAFETY: the caller's promises.
    let have_returns = unsafe {
        let mut returns = B::no_returns();
        // Whole blocks, and then a part of one.
        while found < GROUP && at + 64 <= to {
            let places = B::newlines(buffer.add(at), &mut returns);
            newlines.put(found, at, places);
            found += places.count_ones() as usize;
            at += 64;
        }
        if found < GROUP && at < to {
            let places = B::newlines(buffer.add(at), &mut returns) & below((to - at) as u32);
            newlines.put(found, at, places);
            found += places.count_ones() as usize;
            at += 64;
        }
        B::any(returns)
    };
    (newlines.found, newlines.at) = (found, at);
    have_returns
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
    // The number of lines that may follow.
    let mut left = most;
    let (mut newlines, mut have_returns) = (Newlines::from(from), false);
    while left > 0 {
        // SAFETY: the padding is readable after `to`.
        have_returns |= unsafe { B::find_newlines(&mut newlines, bytes, to) };
        let count = newlines.found.min(GROUP).min(left);
        if count == 0 {
            break;
        }
        let mut has_blank = newlines.lines(&mut group.start, &mut group.lens);
        if have_returns {
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
        // SAFETY: a newline ends each line, and the padding is readable after all; there is room for `most` lines.
        let others = unsafe { split::<B>(bytes, &mut group, table, &mut rows) };
        if others > MANY {
            let before = rows.len;
            let range = (newlines.start(), to);
            // SAFETY: as above.
            let start = unsafe { each_line::<B, _>(buffer, range, left.min(ALONE), table, &mut rows) };
            left -= rows.len - before;
            newlines = Newlines::from(start);
        }
    }
    let mut start = newlines.start();
    if left > 0 && start < to {
        // The last line has the padding's newline, for which a carriage return at its end is a byte of its own.
        (group.len, group.start[0], group.lens[0]) = (1, start as u32, (to - start) as u32);
        start = to + usize::from(buffer[to - 1] != b'\r');
        // SAFETY: as above.
        unsafe { split::<B>(bytes, &mut group, table, &mut rows) };
    }
    // SAFETY: `rows` counts what was written.
    unsafe { rows.finish() };
    start
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
    if max_record < MARKED as usize || spans.len() < LEAST {
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
        // SAFETY: the caller vouches for the spans and the padding after them; there is room.
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
