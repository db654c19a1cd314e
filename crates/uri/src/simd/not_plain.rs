//! The records of a group that are not plain. Their marks decide most of them: records with a fragment, without a path,
//! without a slash at the beginning, with an authority of another kind, with triplets or with dot segments. A record
//! with a triplet takes 350 instructions here, and 653 in the kernel (AVX2).

use super::block::Block;
use super::kernel::{Bits, path_query_and_fragment};
use super::marks::{BLOCK, Group, MARKED};
use super::newlines::below;
use super::splits::{SlowPath, Split};
use super::text::{Padded, Text};
use crate::grammar::chars::KernelTable;

/// Up to this many faults of a record are handled one by one; for more, path and query are scanned.
const FEW: u32 = 6;

impl Group {
    /// Splits a record that is not plain, and returns its slow-path bits; `None` if only the kernel can decide. The
    /// offsets are those of [`Group::offsets`].
    ///
    /// # Safety
    /// - The record has been marked, and has `PADDING` readable bytes after it.
    /// - The block's instruction set is there.
    #[inline(always)]
    pub(super) unsafe fn not_plain<B: Block>(
        &self,
        buffer: *const u8,
        i: usize,
        (is_split, [scheme_end, host_start, path_start, path_end]): (bool, [u32; 4]),
        table: &'static KernelTable,
    ) -> Option<(Split, SlowPath)> {
        let (len, host, [fault, second_fault]) = (self.lens[i], self.host[i], self.faults(i));
        // SAFETY: the caller's promise.
        let text = Padded(unsafe { buffer.add(self.start[i] as usize) });
        let mut slow_path = SlowPath(0);
        if !is_split {
            if host_start > 0 {
                // SAFETY: the caller's promise.
                return unsafe { self.without_path(text, i, scheme_end, host_start) };
            }
            // No scheme begins the record if one of these comes before a colon.
            let [run, _] = self.runs(i);
            let ends = (self.slash[i] | self.questions[0][i]) & run | fault;
            // SAFETY: a fault is within the record.
            let is_hash = || unsafe { text.byte(ends.trailing_zeros() as usize) } == b'#';
            if !host & run & ends.below() != 0
                || ends == 0 && len > BLOCK
                || ends.lowest() & fault != 0 && !is_hash()
            {
                return None;
            }
        } else if path_start > 0 {
            let authority = below(path_start + 1) & !below(host_start);
            let odd = !host & authority;
            // A byte that no text holds ends the kernel's run. A digit is odd only if it begins the last label.
            // SAFETY: the byte is in the authority.
            let is_digit = || unsafe { text.byte(odd.trailing_zeros() as usize).is_ascii_digit() };
            if fault & authority != 0 || odd != 0 && is_digit() {
                return None;
            }
            slow_path = SlowPath(if odd != 0 { SlowPath::AUTHORITY } else { 0 });
        }
        let path_start = if is_split { path_start } else { 0 };
        let split = |path_end, query_end| Split {
            scheme_end,
            host_start,
            host_end: path_start,
            path_start,
            path_end,
            query_end,
            end: len,
        };
        if len <= MARKED && fault.count_ones() + second_fault.count_ones() <= FEW {
            // SAFETY: the caller's promise.
            let (query_end, found) = unsafe { self.few_faults(text, i, path_end, table) };
            return Some((split(path_end.min(query_end), query_end), SlowPath(slow_path.0 | found.0)));
        }
        // SAFETY: the caller's promises.
        let (ends, found) =
            unsafe { path_query_and_fragment::<B, _>(text, path_start as usize, len as usize, table) };
        Some((split(ends[0], ends[1]), SlowPath(slow_path.0 | found.0)))
    }

    /// Handles the faults of a record one by one; the record is marked to its end. Returns the end of its query, and
    /// the slow-path bits for the faults. `question` is the position of the first question mark, or the record's
    /// length.
    ///
    /// # Safety
    /// The record and [`PADDING`](super::text::PADDING) after it are readable.
    #[inline(always)]
    unsafe fn few_faults(
        &self,
        text: Padded,
        i: usize,
        question: u32,
        table: &'static KernelTable,
    ) -> (u32, SlowPath) {
        let (len, [first, second]) = (self.lens[i], self.faults(i));
        let (mut query_end, mut slow_path) = (len, 0);
        for (base, faults) in [(0, first), (BLOCK, second)] {
            let mut left = faults;
            while left != 0 {
                let place = base + left.trailing_zeros();
                // SAFETY: a fault is within the record, and the padding after it.
                let [byte, high, low] = unsafe { [0, 1, 2].map(|more| text.byte(place as usize + more)) };
                match byte {
                    b'%' => {
                        let is_hex = |byte: u8| table.bytes[usize::from(byte)] & KernelTable::HEX != 0;
                        let is_whole = place + 2 < len && is_hex(high) && is_hex(low);
                        slow_path |= SlowPath::PERCENT | if is_whole { 0 } else { SlowPath::INVALID };
                    }
                    // The byte before the first one may be anything, and after the path dots have no meaning.
                    b'.' if place == 0 || place > question.min(query_end) => {}
                    b'.' => slow_path |= SlowPath::DOTS,
                    b'#' if query_end == len => query_end = place,
                    // The kernel reads no further.
                    _ => return (query_end.min(place), SlowPath(slow_path | SlowPath::INVALID)),
                }
                left &= left - 1;
            }
        }
        (query_end, SlowPath(slow_path))
    }

    /// A record that consists of a scheme and a plain DNS name.
    ///
    /// # Safety
    /// The record is readable.
    #[inline(always)]
    unsafe fn without_path(
        &self,
        text: Padded,
        i: usize,
        scheme_end: u32,
        host_start: u32,
    ) -> Option<(Split, SlowPath)> {
        let (len, [run, _]) = (self.lens[i], self.runs(i));
        let host = run & !below(host_start);
        let others = self.slash[i] | self.questions[0][i] | self.faults(i)[0] | !self.host[i];
        if others & host != 0 || len <= host_start || len > BLOCK {
            return None;
        }
        // SAFETY: the record is not empty.
        let last = unsafe { text.byte(len as usize - 1) };
        let split = Split {
            scheme_end,
            host_start,
            host_end: len,
            path_start: len,
            path_end: len,
            query_end: len,
            end: len,
        };
        last.is_ascii_alphanumeric().then_some((split, SlowPath(SlowPath::EMPTY_PATH)))
    }
}
