//! The records that most lists and pages have, in little more than half of the instructions that a record of any kind
//! takes ([`kernel`](super::kernel)): web addresses with a DNS name and a path, and references that begin with a slash.
//!
//! Whatever ends a component of these is the lowest bit of a mask, and what could be wrong with an authority adds up to
//! one test. Triplets, dot segments and fragments, and records longer than the two blocks that are loaded, are left to
//! the kernel's second half. Only where a record has another shape does the kernel begin anew.

use super::block::{Block, Classified};
use super::kernel::{Bits, Run, cut, finish, join};
use super::splits::{SlowPath, Split};
use super::text::{Padded, Text};
use super::verdicts::Bytes;
use crate::grammar::chars::{Delimiter, KernelTable};

const HTTP: u64 = u64::from_le_bytes(*b"http://\0");
const HTTPS: u64 = u64::from_le_bytes(*b"https://");

/// The first two blocks of a record, and what both shapes need of them.
#[derive(Clone, Copy)]
struct Blocks<C> {
    first: C,
    second: C,
    stops: [u64; 2],
    slash: u64,
    dot: u64,
    question: u64,
}

/// [`record`](super::kernel::record) for the common shapes; `None` for others.
///
/// # Safety
/// As for that.
#[inline(always)]
pub(super) unsafe fn record<B: Block<Classified: Bytes>, const LINES: bool>(
    text: Padded,
    known: usize,
    table: &'static KernelTable,
) -> Option<(Split, SlowPath, usize)> {
    // SAFETY: the caller's promise.
    let prefix = unsafe { text.prefix() };
    let is_https = prefix == HTTPS;
    let is_web = is_https | (prefix << 8 == HTTP << 8);
    if !is_web && (prefix as u8 != b'/' || (prefix >> 8) as u8 == b'/' || (!LINES && known == 0)) {
        return None;
    }
    // SAFETY: a padded text has two blocks.
    let (first, second) =
        unsafe { (text.block::<B>(0).classify(table), text.block::<B>(64).classify(table)) };
    let blocks = Blocks {
        first,
        second,
        stops: [cut::<LINES>(first.stops(), known, 0), cut::<LINES>(second.stops(), known, 64)],
        slash: first.is(Delimiter::Slash),
        dot: first.is(Delimiter::Dot),
        question: first.is(Delimiter::Question),
    };
    // SAFETY: the caller's promises.
    unsafe {
        if is_web {
            let s = u32::from(is_https);
            let (path_start, slow_path) = path_of_web(text, blocks, 7 + s)?;
            let head = ([4 + s, 7 + s, path_start], slow_path);
            Some(rest::<B, LINES>(text, known, table, blocks, head))
        } else {
            Some(rest::<B, LINES>(text, known, table, blocks, ([0; 3], SlowPath::default())))
        }
    }
}

/// Where the path of a web address begins, with a slash, and whether a plain DNS name stands before it, as the kernel
/// accepts it. `None` without a path.
///
/// # Safety
/// As for [`record`].
#[inline(always)]
unsafe fn path_of_web<C: Bytes + Classified>(
    text: Padded,
    blocks: Blocks<C>,
    host_start: u32,
) -> Option<(u32, SlowPath)> {
    let Blocks { first: m, stops: [stops, _], slash, dot, question, .. } = blocks;
    // From the slash before the host on.
    let from_before = u64::MAX << (host_start - 1);
    let from_host = from_before << 1;
    let ends = (slash | question) & from_host | stops;
    let end = ends.lowest();
    // The byte behind a text of known length may be a slash too.
    if end & slash & !stops == 0 {
        return None;
    }
    let before_path = from_before & end.wrapping_sub(1);
    let host = before_path & from_host;
    let separators = m.is(Delimiter::Hyphen) | dot | slash;
    let before_last_label = dot & host | from_before.lowest();
    // The last label's first byte is no letter. (If it is a dot or a slash, separators are adjacent.)
    // SAFETY: the position is within the record, or its end if a dot ends it.
    let first_of_last = unsafe { text.byte(64 - before_last_label.leading_zeros() as usize) };
    let number = u64::from(!first_of_last & 0x40);
    let odd = !m.class(KernelTable::HOST) & host | separators & (separators >> 1) & before_path | number;
    let slow_path = if odd == 0 { 0 } else { SlowPath::AUTHORITY };
    Some((end.trailing_zeros(), SlowPath(slow_path)))
}

/// Path, query and fragment.
///
/// # Safety
/// As for [`record`].
#[inline(always)]
unsafe fn rest<B: Block<Classified: Bytes>, const LINES: bool>(
    text: Padded,
    known: usize,
    table: &'static KernelTable,
    blocks: Blocks<B::Classified>,
    ([scheme_end, host_start, path_start], slow_path): ([u32; 3], SlowPath),
) -> (Split, SlowPath, usize) {
    let Blocks { first: m, second: n, stops, slash, dot, question } = blocks;
    let run = [stops[0].below(), if stops[0] == 0 { stops[1].below() } else { 0 }];
    let path_on = u64::MAX << path_start;
    let percent = [m.is(Delimiter::Percent) & run[0] & path_on, n.is(Delimiter::Percent) & run[1]];
    // SAFETY: the byte before the second block, and those of the block, are readable.
    let dotted =
        unsafe { [(slash << 1) & dot & run[0] & path_on, B::Classified::find(text.at(63), *b"/.") & run[1]] };
    let at = lowest(stops[0], stops[1]);
    let path_end = lowest(stops[0] | question, stops[1] | n.is(Delimiter::Question));
    let split =
        Split { scheme_end, host_start, host_end: path_start, path_start, path_end, query_end: at, end: at };
    if percent[0] | percent[1] | dotted[0] | dotted[1] == 0 {
        let at = at as usize;
        // SAFETY: `at` is within the record, or its end, behind which two bytes are readable.
        let next = unsafe {
            match LINES {
                true if text.byte(at) == b'\n' => Some(at + 1),
                true if text.byte(at) == b'\r' && text.byte(at + 1) == b'\n' => Some(at + 2),
                false if at == known => Some(at),
                _ => None,
            }
        };
        if let Some(next) = next {
            return (split, slow_path, next);
        }
    }

    let has_percent = percent[0] | percent[1] != 0;
    let mut seen = Run {
        base: 128,
        open: 0,
        slash: 0,
        question: if path_end < at { path_end } else { u32::MAX },
        percent: has_percent,
        bad: false,
        // Not those of a query.
        dotted: join(dotted[0], dotted[1]).trailing_zeros() < path_end,
    };
    if has_percent {
        let digits = [m.class(KernelTable::HEX) & run[0], n.class(KernelTable::HEX) & run[1]];
        let expected = [
            percent[0] << 1 | percent[0] << 2,
            percent[1] << 1 | percent[1] << 2 | percent[0] >> 63 | percent[0] >> 62,
        ];
        seen.bad = expected[0] & !digits[0] | expected[1] & !digits[1] != 0;
    }
    let mut at = at as usize;
    // SAFETY: the caller's promises.
    unsafe {
        if stops[0] | stops[1] == 0 {
            seen.open = percent[1];
            seen.slash = n.is(Delimiter::Slash);
            at = seen.go_on::<B, Padded, LINES>(text, known, table);
        }
        finish::<B, Padded, LINES>(text, known, table, (at, seen), (split, slow_path))
    }
}

/// The place of the lowest bit of two masks of a block each; 128 if there is none.
#[inline(always)]
fn lowest(first: u64, second: u64) -> u32 {
    match first {
        0 => 64 + second.trailing_zeros(),
        _ => first.trailing_zeros(),
    }
}
