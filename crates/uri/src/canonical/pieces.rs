//! The pieces of a query at the end of a buffer, between ampersands: sorted and filtered in place.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;

use crate::simd::Places;

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

/// Stable sort of the pieces of `out[from..]` by name, then value: a name alone precedes the same name with `=`.
pub(super) fn sort_by_name_and_value(out: &mut Vec<u8>, from: usize) {
    sort(out, from, |a, b| name_and_value(a).cmp(&name_and_value(b)));
}

/// At most this many pieces are sorted by insertion.
const FEW: usize = 16;

/// The places of a query's pieces, in the order of [`sort_by_name_and_value`].
pub(super) struct Sorted {
    places: [(u32, u32); FEW],
    count: usize,
    have_moved: bool,
}

impl Sorted {
    /// `None` where there are more than a few.
    pub(super) fn by_name_and_value(query: &[u8]) -> Option<Self> {
        let mut sorted = Sorted { places: [(0, 0); FEW], count: 0, have_moved: false };
        let mut start = 0;
        for end in Places::of(b'&', query, (0, query.len())).chain([query.len()]) {
            let piece = &query[start..end];
            let mut to = sorted.count;
            if to == FEW {
                return None;
            }
            while to > 0 {
                let (from, end) = sorted.places[to - 1];
                if !is_less(piece, &query[from as usize..end as usize]) {
                    break;
                }
                sorted.places[to] = sorted.places[to - 1];
                to -= 1;
            }
            sorted.have_moved |= to < sorted.count;
            sorted.places[to] = (start as u32, end as u32);
            sorted.count += 1;
            start = end + 1;
        }
        Some(sorted)
    }

    /// Whether the order is not the one in the query.
    pub(super) fn have_moved(&self) -> bool {
        self.have_moved
    }

    /// The places.
    pub(super) fn places(&self) -> impl Iterator<Item = Range<usize>> {
        self.places[..self.count].iter().map(|&(start, end)| start as usize..end as usize)
    }
}

/// Whether a piece precedes another by name, then value. The first byte in which they differ decides; an `=` that ends
/// a name is less than any other byte.
fn is_less(a: &[u8], b: &[u8]) -> bool {
    let mut is_in_name = true;
    for (&a, &b) in a.iter().zip(b) {
        if a != b {
            return match is_in_name {
                true => b != b'=' && (a == b'=' || a < b),
                false => a < b,
            };
        }
        is_in_name &= a != b'=';
    }
    a.len() < b.len()
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
