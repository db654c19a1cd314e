//! The pieces of a query at the end of a buffer, between ampersands: sorted and filtered in place.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;

/// Up to this many pieces of a query are sorted without allocation.
pub const MANY: usize = 64;

/// Stable sort of the pieces of `out[from..]`.
pub(super) fn sort(out: &mut Vec<u8>, from: usize, compare: impl Fn(&[u8], &[u8]) -> Ordering) {
    let query = &out[from..];
    if split(query).is_sorted_by(|a, b| compare(a, b) != Ordering::Greater) {
        return;
    }
    let count = 1 + memchr::memchr_iter(b'&', query).count();
    let (mut few, mut many) = ([const { 0..0 }; MANY], Vec::new());
    let ranges: &mut [Range<usize>] = match few.get_mut(..count) {
        Some(ranges) => ranges,
        None => {
            many.resize(count, 0..0);
            &mut many
        }
    };
    let mut start = 0;
    for (range, piece) in ranges.iter_mut().zip(split(query)) {
        *range = start..start + piece.len();
        start = range.end + 1;
    }
    // Not the stable sort, which allocates: equal pieces are ordered by their place.
    ranges.sort_unstable_by(|a, b| compare(&query[a.clone()], &query[b.clone()]).then(a.start.cmp(&b.start)));
    let end = out.len();
    for (i, range) in ranges.iter().enumerate() {
        if i > 0 {
            out.push(b'&');
        }
        out.extend_from_within(from + range.start..from + range.end);
    }
    out.copy_within(end.., from);
    out.truncate(end);
}

/// Removes the pieces of `out[from..]` for which `keep` is false; returns whether there were any.
pub(super) fn retain(out: &mut Vec<u8>, from: usize, mut keep: impl FnMut(&[u8]) -> bool) -> bool {
    let (mut read, mut write, mut is_first) = (from, from, true);
    loop {
        let end = memchr::memchr(b'&', &out[read..]).map_or(out.len(), |at| read + at);
        if keep(&out[read..end]) {
            if !is_first {
                out[write] = b'&';
                write += 1;
            }
            out.copy_within(read..end, write);
            write += end - read;
            is_first = false;
        }
        if end == out.len() {
            break;
        }
        read = end + 1;
    }
    let has_removed = write < out.len();
    out.truncate(write);
    has_removed
}

/// The pieces of a query.
pub(super) fn split(query: &[u8]) -> impl Iterator<Item = &[u8]> {
    query.split(|&byte| byte == b'&')
}

/// The name of a piece, and the text after its first `=`.
pub(super) fn name_and_value(piece: &[u8]) -> (&[u8], Option<&[u8]>) {
    match memchr::memchr(b'=', piece) {
        Some(at) => (&piece[..at], Some(&piece[at + 1..])),
        None => (piece, None),
    }
}
