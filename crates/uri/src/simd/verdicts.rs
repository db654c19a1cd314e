//! Lines that are certainly valid, without the offsets of their components. A line of `te` (docs/PERFORMANCE.md) takes
//! 11.0 ns, and 18.2 ns if it is also split (AVX2, Zen 3).
//!
//! 1. Blocks without a fault are not examined: only their newlines are collected. In a block with a fault, each `%`
//!    must be followed by two hexadecimal digits, and a line may have one `#` (RFC 3986 sections 2.1 and 3.5); every
//!    other byte that is not text makes its line uncertain.
//! 2. A line's head is certain if it is `http://`, `https://`, `//` or nothing and the bytes of a plain host after that
//!    end with a path, a query, a fragment or the line (3.2.2; 4.2: no colon is in the first segment of a relative
//!    reference). So is another scheme (3.1), with an authority of that kind or with an opaque part, and letters of
//!    either case and a port (3.2.3). By the URL Standard only `http` and `https` are certain, with a host without
//!    empty labels, adjacent hyphens or hyphens at the edge of a label, and labels that begin with a digit, which might
//!    be part of an IPv4 address.
//!
//! Uncertain lines are rare: the kernel that splits decides about them. Lines of `te-dirty` take 1.5 times as long as
//! those of `te`; 2.5 times when upper-case letters and ports were uncertain.

use alloc::vec::Vec;

use super::block::{Block, Classified, prefetch};
use super::kernel::{Bits, record};
use super::newlines::{GROUP, Newlines, below, bits};
use super::splits::{SlowPath, Span, Split};
use super::text::{Padded, Text, host_start};
use crate::grammar::chars::{self, Charset, Class, Delimiter, KernelTable, is};

/// A block from which masks of single bytes can be made, and whose instruction set judges lines.
pub(super) trait Judged: Block<Classified: Bytes> {
    /// The properties, in a host, of 32 bytes or more at `at`.
    ///
    /// # Safety
    /// 64 bytes are readable at `at`, and the block's instruction set is there.
    unsafe fn host(at: *const u8, table: &'static KernelTable) -> Host;

    /// [`Lines::find`], a separate function, so that its constants stay in registers.
    ///
    /// # Safety
    /// As for that.
    unsafe fn find_lines(lines: &mut Lines, buffer: *const u8, end: usize, table: &'static KernelTable);
}

/// The bytes of a block.
pub(super) trait Bytes: Classified {
    /// The bytes that are this one.
    fn equal(self, byte: u8) -> u64;

    /// The bytes that are stops or `%`.
    fn faults(self) -> u64;
}

/// Bytes that may be a host: a bit for each.
#[derive(Clone, Copy)]
pub(super) struct Host {
    /// The bytes of a plain host among those examined. The last of 64 does not count.
    pub(super) plain: u64,
    pub(super) dots: u64,
    pub(super) hyphens: u64,
    /// Bytes with the bit 0x40: among a host's bytes the letters.
    pub(super) letters: u64,
}

impl Host {
    /// The first byte after it.
    #[inline(always)]
    fn end(self) -> u64 {
        (!self.plain | 1 << 63).lowest()
    }

    /// Its length.
    #[inline(always)]
    fn len(self) -> u32 {
        self.end().trailing_zeros()
    }

    /// Whether the URL Standard leaves it unchanged: no label is empty, has a hyphen at an edge, may be punycode or
    /// begins with a digit.
    #[inline(always)]
    fn has_plain_labels(self) -> bool {
        let end = self.end();
        let within = end.below();
        let (dots, separators) = (self.dots & within, (self.dots | self.hyphens) & within);
        let odd = (separators << 1 | 1) & (separators | end) | (dots << 1 | 1) & !(self.letters | end);
        odd == 0
    }
}

/// The distance of prefetches, in bytes.
const AHEAD: usize = 4096;

/// Bytes that may follow a host, and a first segment: of a path, a query, a fragment or the next line.
static ENDS_HEAD: [bool; 256] = {
    let mut ends = [false; 256];
    let mut i = 0;
    while i < 4 {
        ends[b"/?#\n"[i] as usize] = true;
        i += 1;
    }
    ends
};

/// The lines of the next blocks.
pub(super) struct Lines {
    newlines: Newlines,
    /// 1 for lines that a byte makes uncertain; the last one has no end yet.
    doubtful: [u8; 2 * GROUP + 1],
    /// The first bytes of the next block that must be hexadecimal digits.
    hex: u64,
    /// Whether the last line has a fragment.
    fragment: u8,
}

impl Lines {
    /// Finds a group of lines, or those that end before `end`.
    ///
    /// # Safety
    /// - `PADDING` bytes are readable wherever a block begins before `end`.
    /// - The block's instruction set is there.
    #[inline(always)]
    pub(super) unsafe fn find<B: Judged>(
        &mut self,
        buffer: *const u8,
        end: usize,
        table: &'static KernelTable,
    ) {
        let (mut found, mut at) = (self.newlines.found, self.newlines.at);
        // SAFETY: the caller's promises.
        unsafe {
            // Whole blocks, and then a part of one.
            while found < GROUP && at + 64 <= end {
                found += self.step::<B>(buffer, at, u64::MAX, found, table);
                at += 64;
            }
            if found < GROUP && at < end {
                found += self.step::<B>(buffer, at, (1 << (end - at)) - 1, found, table);
                at += 64;
            }
        }
        (self.newlines.found, self.newlines.at) = (found, at);
    }

    /// Finds the newlines of a block, of whose bytes only those in `within` count, and puts them after the first
    /// `found`.
    ///
    /// # Safety
    /// As for [`Lines::find`].
    #[inline(always)]
    unsafe fn step<B: Judged>(
        &mut self,
        buffer: *const u8,
        at: usize,
        within: u64,
        found: usize,
        table: &'static KernelTable,
    ) -> usize {
        // SAFETY: the caller's promises.
        let m = unsafe { B::load(buffer.add(at)).classify(table) };
        prefetch(buffer.wrapping_add(at + AHEAD));
        let (newlines, faults) = (m.equal(b'\n') & within, m.faults() & within);
        if (faults ^ newlines) | self.hex | u64::from(self.fragment) != 0 {
            // SAFETY: the caller's promises.
            let next = unsafe { B::load(buffer.add(at + 1)).classify(table) };
            self.look(m, next.equal(b'\n'), (newlines, faults, within), found);
        }
        self.newlines.put(found, at, newlines);
        newlines.count_ones() as usize
    }

    /// Examines a block with bytes that are not text, or with bytes whose meaning depends on the last block. `found`
    /// lines end before the block.
    #[inline(always)]
    fn look<M: Bytes>(&mut self, m: M, ends: u64, (newlines, faults, within): (u64, u64, u64), found: usize) {
        let (percent, hash) = (m.is(Delimiter::Percent) & within, m.equal(b'#') & within);
        // A carriage return that ends a line with the newline after it.
        let returns = m.equal(b'\r') & ends;
        let must_be_hex = (percent << 1 | percent << 2 | self.hex) & within;
        // A second `#`: the first one's carry to the end of its line leaves the bit of each further one.
        let second = sum(!newlines, hash, &mut self.fragment) & hash;
        self.hex = percent >> 63 | percent >> 62;
        let mut doubts = faults & !(newlines | percent | hash | returns)
            | must_be_hex & !m.class(KernelTable::HEX)
            | second;
        while doubts != 0 {
            let before = newlines & doubts.below();
            self.doubtful[found + before.count_ones() as usize] = 1;
            let end = newlines & !doubts.below();
            doubts &= if end == 0 { 0 } else { !end.up_to() };
        }
    }

    /// Removes the first ones, at most [`GROUP`].
    #[inline(always)]
    fn remove(&mut self, count: usize) {
        self.doubtful.copy_within(count..=self.newlines.found, 0);
        self.doubtful[self.newlines.found + 1 - count..].fill(0);
        self.newlines.remove(count);
    }
}

/// The sum, with the carry from the last block, which is replaced by the one for the next.
#[inline(always)]
fn sum(a: u64, b: u64, carry: &mut u8) -> u64 {
    let (sum, over) = a.overflowing_add(b);
    let (sum, again) = sum.overflowing_add(u64::from(*carry));
    *carry = u8::from(over | again);
    sum
}

/// Whether the head of the line at `at` is certain.
///
/// # Safety
/// - `PADDING` bytes are readable at `at`.
/// - The block's instruction set is there.
#[inline(always)]
unsafe fn has_plain_head<B: Judged, const URLS: bool, const OPAQUE: bool>(
    at: *const u8,
    table: &'static KernelTable,
) -> bool {
    // SAFETY: the caller's promises; a host begins after eight bytes at most.
    unsafe {
        let prefix = Padded(at).prefix();
        let host_start = host_start(prefix) as usize;
        let host = B::host(at.add(host_start), table);
        let behind = *at.add(host_start + host.len() as usize);
        let is_plain = ENDS_HEAD[usize::from(behind)];
        if URLS {
            // After a scheme, not `//` alone.
            return is_plain & (host_start > 2) & host.has_plain_labels();
        }
        is_plain & (OPAQUE | (prefix as u8 != b'?'))
    }
}

/// Whether the head of the line at `at` is certain: the same, byte by byte, after any scheme, in letters of either
/// case, with a port. All bytes of the line are text, with whole triplets.
///
/// # Safety
/// A newline ends the line.
#[inline(always)]
unsafe fn has_named_head<const OPAQUE: bool>(at: *const u8) -> bool {
    // SAFETY: a newline is in none of the classes and follows none of the bytes that are skipped.
    unsafe {
        let run = |mut from: usize, class: Class| {
            while is(*at.add(from), class) {
                from += 1;
            }
            from
        };
        let scheme_end = run(0, chars::SCHEME);
        let has_scheme = *at.add(scheme_end) == b':';
        let hierarchical = if has_scheme { scheme_end + 1 } else { 0 };
        if *at.add(hierarchical) != b'/' || *at.add(hierarchical + 1) != b'/' {
            return OPAQUE & has_scheme & is(*at, chars::ALPHA);
        }
        let host_end = run(hierarchical + 2, chars::LDH);
        let end = if *at.add(host_end) == b':' { run(host_end + 1, chars::DIGIT) } else { host_end };
        (!has_scheme | is(*at, chars::ALPHA)) & ENDS_HEAD[usize::from(*at.add(end))]
    }
}

/// Lists the newline-ended records of `buffer[from..to]` that are not certainly valid; returns the number of records,
/// without blank lines.
///
/// With `URLS`, lines with an absolute URL by the URL Standard are valid. Without `OPAQUE` an opaque part is not
/// certain, nor is a reference that begins with its query (RFC 2396 sections 3 and 5).
///
/// # Safety
/// - `buffer` has `PADDING` bytes after `to`, and `buffer[to]` is a newline.
/// - The block's instruction set is there.
#[inline(always)]
pub(super) unsafe fn unsure<B: Judged, const URLS: bool, const OPAQUE: bool>(
    buffer: &[u8],
    (from, to): (usize, usize),
    charset: Charset,
    out: &mut Vec<Span>,
) -> usize {
    // A carriage return without a newline after it is a byte of the last record, whatever the padding begins with.
    let is_cut = buffer[from..to].ends_with(b"\r");
    let cut =
        || buffer[from..to].iter().rposition(|&b| b == b'\n').map_or(from, |newline| from + newline + 1);
    let by_newline = if is_cut { cut() } else { to };
    // The newline of the padding ends the last line, unless that has its own.
    let end = by_newline + usize::from(!is_cut && from < to && buffer[to - 1] != b'\n');

    let (table, bytes) = (charset.table(), buffer.as_ptr());
    let newlines = Newlines::from(from);
    let mut lines = Lines { newlines, doubtful: [0; 2 * GROUP + 1], hex: 0, fragment: 0 };
    let (mut starts, mut lens) = ([0; GROUP], [0; GROUP]);
    let mut count = 0;
    // Lists a line if the kernel that splits is not sure of it. Returns whether it is blank.
    let mut say = |start: u32, split: Split, slow_path: SlowPath| {
        let is_unsure = slow_path.has(SlowPath::UNSURE) | (URLS & (split.scheme_end == 0));
        if is_unsure & (split.end > 0) {
            out.push(Span { start, len: split.end });
        }
        split.end == 0
    };
    loop {
        // SAFETY: the blocks begin before `end`, which is `to + 1` at most, and the padding is readable after it.
        unsafe { B::find_lines(&mut lines, bytes, end, table) };
        let found = lines.newlines.found.min(GROUP);
        if found == 0 {
            break;
        }
        lines.newlines.lines(&mut starts, &mut lens);
        let mut odd_heads = [0; GROUP];
        for (&start, odd_head) in starts[..found].iter().zip(&mut odd_heads) {
            // SAFETY: the padding is readable after the line.
            *odd_head =
                u8::from(unsafe { !has_plain_head::<B, URLS, OPAQUE>(bytes.add(start as usize), table) });
        }
        count += lens[..found].iter().filter(|len| **len > 0).count();
        let doubtful = lines.doubtful.first_chunk().map_or(0, |doubtful| bits(doubtful, 0));
        let mut left = (bits(&odd_heads, 0) | doubtful) & below(found as u32);
        while left != 0 {
            let (i, one) = (left.trailing_zeros() as usize, left.lowest());
            left ^= one;
            // SAFETY: a newline ends the line, and the padding after that is readable.
            unsafe {
                let at = bytes.add(starts[i] as usize);
                let is_named = !URLS && doubtful & one == 0 && has_named_head::<OPAQUE>(at);
                if lens[i] > 0 && !is_named {
                    let (split, slow_path, _) = record::<B, _, true>(Padded(at), 0, table);
                    count -= usize::from(say(starts[i], split, slow_path));
                }
            }
        }
        lines.remove(found);
    }
    if is_cut && by_newline < to {
        // SAFETY: the record ends at `to`, and the padding after it is readable.
        let (split, slow_path, _) =
            unsafe { record::<B, _, false>(Padded(bytes.add(by_newline)), to - by_newline, table) };
        say(by_newline as u32, split, slow_path);
        count += 1;
    }
    count
}

/// The entry point of one instruction set.
macro_rules! entry_points {
    ($block:ty, $features:literal) => {
        /// See [`verdicts::unsure`].
        #[target_feature(enable = $features)]
        pub(super) unsafe fn unsure(
            buffer: &[u8],
            range: (usize, usize),
            charset: crate::grammar::chars::Charset,
            out: &mut alloc::vec::Vec<super::Span>,
        ) -> usize {
            use crate::grammar::chars::Charset;
            // SAFETY: the caller's promises are the function's.
            unsafe {
                match charset {
                    Charset::Urls => verdicts::unsure::<$block, true, true>(buffer, range, charset, out),
                    Charset::Rfc3986 => verdicts::unsure::<$block, false, true>(buffer, range, charset, out),
                    Charset::Rfc2396 => verdicts::unsure::<$block, false, false>(buffer, range, charset, out),
                }
            }
        }

        /// See [`verdicts::Judged::find_lines`].
        #[target_feature(enable = $features)]
        #[inline(never)]
        unsafe fn find_lines(
            lines: &mut verdicts::Lines,
            buffer: *const u8,
            end: usize,
            table: &'static crate::grammar::chars::KernelTable,
        ) {
            // SAFETY: the caller's promises are the function's.
            unsafe { lines.find::<$block>(buffer, end, table) };
        }
    };
}
pub(super) use entry_points;
