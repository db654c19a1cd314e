//! Which lines are certainly valid, without the offsets of their components: all lines of a block at once.
//!
//! [`records`](super::records) goes from line to line, and each step waits for the one before it. Here the masks of a
//! block are combined without knowing how many lines it holds. Three questions ask what comes first behind a place:
//! which byte ends the letters of a scheme, which delimiter is a line's first, where an authority ends. A sum answers
//! each for all lines together: added to a mask of runs of ones, a bit at a run's beginning is carried to the first
//! zero behind the run, and the run becomes zeros. The carry out of a block goes into the next.
//!
//! 1. A scheme (RFC 3986 section 3.1) is a letter and more bytes of a host's class before a line's first colon; a line
//!    whose first delimiter is another colon is doubtful. By the URL Standard only `http` and `https` are certain.
//! 2. `//` behind it, or at a line's beginning, begins an authority. It is certain where it has only the bytes of a
//!    plain host; by the URL Standard also no empty label or hyphens beside each other, and no label that begins with a
//!    digit, which might be an IPv4 address.
//! 3. Everything else must be text, with two hexadecimal digits behind each `%`, and one `#` at most (3.3 to 3.5).
//!
//! A bit of doubt, which is rare, is traced to its line, and the kernel that splits has its say about that line.

use alloc::vec::Vec;

use super::block::{Block, Classified};
use super::kernel::record;
use super::splits::{SlowPath, Span, Split};
use super::text::Padded;
use crate::grammar::chars::{Charset, Delimiter, KernelTable};

/// A block of which single bytes can be asked for.
pub(super) trait Bytes: Copy {
    /// Which bytes are this one.
    fn equal(self, byte: u8) -> u64;

    /// Which bytes have the bit 0x40: of a host's bytes the letters.
    fn with_0x40(self) -> u64;

    /// At which of the 64 bytes at `at` this word begins.
    ///
    /// # Safety
    /// - 63 bytes and the word's are readable at `at`.
    /// - The processor has the block's instruction set.
    unsafe fn find<const N: usize>(at: *const u8, word: [u8; N]) -> u64;
}

/// What a block hands to the next: bits that continue at its first byte.
#[derive(Clone, Copy, Default)]
struct Carries {
    /// A line begins.
    line: u8,
    /// The letters of a scheme go on, a line's first segment that is no scheme, an authority, a fragment.
    scheme: u8,
    segment: u8,
    authority: u8,
    fragment: u8,
    /// The last byte was a separator of labels, a dot.
    separator: u8,
    dot: u8,
    /// The first bytes of authorities whose slashes the last block has.
    authorities: u64,
    /// The bytes that must be hexadecimal digits.
    hex: u64,
}

/// What a block has.
#[derive(Clone, Copy)]
struct Found {
    newlines: u64,
    /// The first bytes of lines.
    starts: u64,
    /// Bytes for which their line may be none that is valid.
    doubts: u64,
    /// Bytes that are no text, neither newlines nor `#`: faults, or the carriage returns of line ends.
    others: u64,
}

/// The sum, with the carry from the last block, which is replaced by the one for the next.
///
/// With the processor's instruction: for sums in Rust the compiler gathers the carries of several in vectors, which
/// takes half as long again.
#[inline(always)]
fn sum(a: u64, b: u64, carry: &mut u8) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut sum = 0;
        *carry = core::arch::x86_64::_addcarry_u64(*carry, a, b, &mut sum);
        sum
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let (sum, over) = a.overflowing_add(b);
        let (sum, again) = sum.overflowing_add(u64::from(*carry));
        *carry = u8::from(over | again);
        sum
    }
}

/// The bits of `mask` one byte further, with what the last block handed over.
#[inline(always)]
fn next(mask: u64, carry: &mut u8) -> u64 {
    sum(mask, mask, carry)
}

/// Carries each bit of `starts` to the first zero of `runs` at or behind it: these places. No run holds two starts.
#[inline(always)]
fn ends(runs: u64, starts: u64, carry: &mut u8) -> u64 {
    (sum(runs, starts & runs, carry) | starts) & !runs
}

/// Lists the newline-ended records of `buffer[from..to]` that are not certainly valid; returns how many records there
/// are, which the blank lines are not.
///
/// With `URLS` those are valid that have an absolute URL by the URL Standard. Without `OPAQUE` an opaque part is not
/// certain, nor a reference that begins with its query (RFC 2396 sections 3 and 5).
///
/// # Safety
/// - `buffer` has `PADDING` bytes after `to`, and `buffer[to]` is a newline.
/// - The block's instruction set is there.
#[inline(always)]
pub(super) unsafe fn unsure<B: Block<Classified: Bytes>, const URLS: bool, const OPAQUE: bool>(
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

    let table = charset.table();
    // Not a part of `lines`: so they stay in registers.
    let (mut carries, mut count, mut at) = (Carries { line: 1, ..Carries::default() }, 0, from);
    let mut lines = Lines::<URLS> { buffer, table, blank: 0, judged: from, out };
    // SAFETY: the blocks begin before `end`, which is `to + 1` at most, and the padding is readable behind it. A newline
    // ends what lies before `end`.
    unsafe {
        while at + 64 <= end {
            let found = carries.step::<B, URLS, OPAQUE>(buffer.as_ptr().add(at), u64::MAX, table);
            count += (found.newlines & !found.starts).count_ones() as usize;
            if found.doubts | found.others != 0 {
                lines.judge::<B>(at, u64::MAX, found);
            }
            at += 64;
        }
        if at < end {
            let within = (1 << (end - at)) - 1;
            let found = carries.step::<B, URLS, OPAQUE>(buffer.as_ptr().add(at), within, table);
            count += (found.newlines & !found.starts).count_ones() as usize;
            lines.judge::<B>(at, within, found);
        }
    }
    if is_cut && by_newline < to {
        // SAFETY: the record ends at `to`, and the padding after it is readable.
        let (split, slow_path, _) =
            unsafe { record::<B, _, false>(Padded(buffer.as_ptr().add(by_newline)), to - by_newline, table) };
        lines.say(by_newline, split, slow_path);
        count += 1;
    }
    count - lines.blank
}

/// The lines so far.
struct Lines<'a, const URLS: bool> {
    buffer: &'a [u8],
    table: &'static KernelTable,
    /// How many of them have a carriage return alone.
    blank: usize,
    /// How far they have been judged one by one.
    judged: usize,
    out: &'a mut Vec<Span>,
}

impl<const URLS: bool> Lines<'_, URLS> {
    /// Has the kernel that splits judge the lines of a block that have a doubt.
    ///
    /// # Safety
    /// - 128 bytes are readable at `at`.
    /// - The block's instruction set is there.
    /// - A newline at or behind each byte that counts ends its line, and the padding is readable behind it.
    #[inline(always)]
    unsafe fn judge<B: Block<Classified: Bytes>>(&mut self, at: usize, within: u64, found: Found) {
        // SAFETY: 128 bytes are readable there.
        let returns = unsafe {
            let block = self.buffer.as_ptr().add(at);
            let [returns, newlines] = [(0, b'\r'), (1, b'\n')]
                .map(|(by, byte)| B::load(block.add(by)).classify(self.table).equal(byte));
            returns & newlines & within
        };
        self.blank += (returns & found.starts).count_ones() as usize;
        let is_left = |judged: usize| match judged.saturating_sub(at) {
            by @ ..64 => u64::MAX << by,
            _ => 0,
        };
        let mut doubts = (found.doubts | found.others & !returns) & within & is_left(self.judged);
        while doubts != 0 {
            let before = found.newlines & ((1 << doubts.trailing_zeros()) - 1);
            let start = match before {
                // The line began before the block, or was judged.
                0 => memchr::memrchr(b'\n', &self.buffer[self.judged..at])
                    .map_or(self.judged, |newline| self.judged + newline + 1),
                _ => at + 64 - before.leading_zeros() as usize,
            };
            // SAFETY: a newline ends the line, and the padding behind that is readable.
            let (split, slow_path, next) =
                unsafe { record::<B, _, true>(Padded(self.buffer.as_ptr().add(start)), 0, self.table) };
            self.say(start, split, slow_path);
            self.judged = start + next;
            doubts &= is_left(self.judged);
        }
    }

    /// Lists a line if the kernel that splits is not sure of it. Not a blank one, upon which a triplet that the line
    /// before it cuts short throws doubt.
    #[inline(always)]
    fn say(&mut self, start: usize, split: Split, slow_path: SlowPath) {
        let is_unsure = slow_path.has(SlowPath::UNSURE) | (URLS & (split.scheme_end == 0));
        if is_unsure & (split.end > 0) {
            self.out.push(Span { start: start as u32, len: split.end });
        }
    }
}

impl Carries {
    /// The lines of a block, of whose bytes those of `within` count.
    ///
    /// # Safety
    /// - 128 bytes are readable at `block`.
    /// - The block's instruction set is there.
    #[inline(always)]
    unsafe fn step<B: Block<Classified: Bytes>, const URLS: bool, const OPAQUE: bool>(
        &mut self,
        block: *const u8,
        within: u64,
        table: &'static KernelTable,
    ) -> Found {
        // SAFETY: the caller's promises.
        let m = unsafe { B::load(block).classify(table) };
        let newlines = m.equal(b'\n') & within;
        let starts = next(newlines, &mut self.line);
        let (stops, host, letters) = (m.stops(), m.class(KernelTable::HOST), m.with_0x40());
        let (colon, question) = (m.is(Delimiter::Colon), m.is(Delimiter::Question));
        let ends_segment = m.is(Delimiter::Slash) | question | stops;

        let behind_letters = ends(host, starts & letters, &mut self.scheme);
        let scheme = behind_letters & colon;
        // SAFETY: 66 bytes are read.
        let absolute = scheme & unsafe { B::Classified::find(block.add(1), *b"//") };
        let mut authority = absolute << 3 | self.authorities;
        self.authorities = absolute >> 61;
        let mut doubts;
        if URLS {
            // SAFETY: 70 bytes are read.
            let web = unsafe {
                let behind = block.add(4);
                B::Classified::find(block, *b"http")
                    & (B::Classified::find(behind, *b":") | B::Classified::find(behind, *b"s:"))
            };
            doubts = starts & !(web | newlines) | scheme & !absolute;
        } else {
            doubts = if OPAQUE { 0 } else { scheme & !absolute };
            let segment = behind_letters & !(scheme | ends_segment);
            let others = starts & !(letters | newlines);
            // Lists have references without a scheme in nearly every block, or in none.
            if segment | others | u64::from(self.segment) != 0 {
                let segment = segment | others & !ends_segment;
                let ended = ends(!(colon | ends_segment), segment, &mut self.segment);
                doubts |= ended & colon;
                if !OPAQUE {
                    doubts |= others & question;
                }
                // SAFETY: 65 bytes are read.
                let relative = others & unsafe { B::Classified::find(block, *b"//") };
                authority |= relative << 2;
                self.authorities |= relative >> 62;
            }
        }

        let name = !ends_segment & !sum(!ends_segment, authority & !ends_segment, &mut self.authority);
        doubts |= name & !host;
        if URLS {
            let dots = m.is(Delimiter::Dot) & name;
            let separators = m.is(Delimiter::Hyphen) & name | dots;
            let behind = next(separators, &mut self.separator);
            doubts |= (separators | ends_segment) & (behind | authority);
            doubts |= (next(dots, &mut self.dot) | authority) & name & !letters;
        }

        // A second `#`: what the first one carries to the end of its run leaves the bit of each further one.
        let hash = m.equal(b'#');
        let ends_line = stops & !hash;
        doubts |= sum(!ends_line, hash, &mut self.fragment) & hash;

        let percent = m.is(Delimiter::Percent);
        doubts |= (percent << 1 | percent << 2 | self.hex) & !m.class(KernelTable::HEX);
        self.hex = percent >> 63 | percent >> 62;

        Found { newlines, starts, doubts, others: ends_line & !newlines }
    }
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
    };
}
pub(super) use entry_points;
