//! The classification of records, written once over [`Block`].
//!
//! Every byte that a path, a query or a fragment can hold is *text*; any other byte stops a run of text. So the first
//! stop in a record is its end, the `#` of its fragment, or a fault:
//!
//! 1. Find the run from the record's start to the first stop, which is the end of most records. Every byte in the run
//!    is then valid text.
//! 2. Recognize `http://` and `https://` by their letters and what follows the optional `s`, and `//` by its slashes.
//!    The first `/` or `?` after them, or the stop, ends the authority. The first `?` from there ends the path.
//!    Positions come from counting trailing zeros; nothing loops over bytes.
//! 3. An authority that is a plain lower-case DNS name is accepted here. Every other authority, every other scheme and
//!    every failure is marked for the full parser.
//! 4. Two hexadecimal digits must follow each `%`.
//! 5. A run longer than the first blocks continues block by block with three carried facts: whether a `?` has been
//!    seen, whether the last byte was a slash, and which triplet is incomplete. A fragment is one more run.
//!
//! The remaining branches are predictable for most data: everything else is arithmetic on masks.

use super::block::{Block, Classified};
use super::splits::{SlowPath, Split};
use super::text::Text;
use crate::grammar::chars::{Delimiter, KernelTable};

/// The start of the schemes recognized here: the first four bytes, and the three after the optional `s`.
const HTTP: u64 = u64::from_le_bytes(*b"http\0\0\0\0");
const SLASHES: u64 = u64::from_le_bytes(*b"://\0\0\0\0\0");

/// No offset: greater than every offset in a record.
const NONE: u32 = u32::MAX;

/// One bit per byte of one block, or of two.
pub(super) trait Bits: Copy {
    /// Only the lowest set bit; none for none.
    fn lowest(self) -> Self;
    /// All bits below the lowest set bit; all bits for none.
    fn below(self) -> Self;
    /// The same including the lowest set bit: cheaper, for when that bit does not matter.
    fn up_to(self) -> Self;
}

macro_rules! bits {
    ($($mask:ty)*) => {$(
        impl Bits for $mask {
            #[inline(always)]
            fn lowest(self) -> Self {
                self & self.wrapping_neg()
            }
            #[inline(always)]
            fn below(self) -> Self {
                self.wrapping_sub(1) & !self
            }
            #[inline(always)]
            fn up_to(self) -> Self {
                self.wrapping_sub(1) ^ self
            }
        }
    )*};
}
bits!(u64 u128);

/// The masks of two blocks as one.
#[inline(always)]
fn join(first: u64, second: u64) -> u128 {
    u128::from(first) | u128::from(second) << 64
}

/// The inverse.
#[inline(always)]
fn halves(mask: u128) -> [u64; 2] {
    [mask as u64, (mask >> 64) as u64]
}

/// Whether a bit of `dots` directly follows one of `slashes`. Works by halves, and moves the bit between them: shifting
/// both halves at once takes a slow instruction.
#[inline(always)]
fn follow(slashes: u128, dots: u128) -> bool {
    let (slashes, dots) = (halves(slashes), halves(dots));
    ((slashes[0] << 1) & dots[0]) | ((slashes[1] << 1) & dots[1]) | (slashes[0] & (dots[1] << 63)) != 0
}

/// A record's head: the offsets of the authority, and the reasons why it needs the slow path.
#[derive(Clone, Copy)]
struct Head {
    scheme_end: u32,
    host_start: u32,
    path_start: u32,
    /// The bits of the first block from the path on.
    tail: u64,
    /// Non-zero if the authority does not have the common shape.
    odd: u64,
    /// The other slow-path bits that the head decides.
    slow_path: u8,
}

/// Reads `//` and a plain DNS name: labels of letters, digits and hyphens, with neither dot nor hyphen at an edge, the
/// last one not a number, and none that may be punycode. The lowest of `stops` is the run's end.
///
/// # Safety
/// As for [`record`].
#[inline(always)]
unsafe fn authority<T: Text, C: Classified>(
    text: T,
    m: C,
    stops: u64,
    scheme_end: u32,
    host_start: u32,
) -> Head {
    let from_host = u64::MAX << host_start;
    let slash = m.is(Delimiter::Slash);
    let end = (((slash | m.is(Delimiter::Question)) & from_host) | stops).lowest();
    let host = from_host & end.below();
    let dots = m.is(Delimiter::Dot) & host;
    let before_host = 1 << (host_start - 1);
    // Between two of these is a label, or a part of one. If two are adjacent, the host is empty, a dot or a hyphen is
    // at an edge of a label, or they are the `--` of punycode.
    let separators = (m.is(Delimiter::Hyphen) & host) | dots | before_host | end;
    let before_last_label = dots | before_host;
    // SAFETY: the position is within the record, or its end if a dot ends it.
    let first_of_last = unsafe { text.byte(64 - before_last_label.leading_zeros() as usize) };
    let odd = (!m.class(KernelTable::HOST) & host)
        | (separators & (separators >> 1))
        // Among a host's bytes only digits have the one class bit and not the other.
        | u64::from(first_of_last & !(first_of_last >> 2) & 0x10);
    // A path after an authority begins with the slash that ended it, or is empty.
    let empty_path = end & (!slash | stops) != 0;
    Head {
        scheme_end,
        host_start,
        path_start: end.trailing_zeros(),
        tail: !end.below(),
        odd,
        slow_path: if empty_path { SlowPath::EMPTY_PATH } else { 0 }
            | if end == 0 { SlowPath::FAR } else { 0 },
    }
}

/// Reads records that do not begin with `http://` or `https://`: references with an authority, those without, and other
/// schemes, which are left to the full parser.
///
/// # Safety
/// As for [`record`].
#[inline(always)]
unsafe fn other_head<T: Text, C: Classified>(text: T, m: C, stops: u64) -> Head {
    let run = stops.below();
    let slash = m.is(Delimiter::Slash) & run;
    if slash & 3 == 3 {
        // SAFETY: the caller's promise.
        return unsafe { authority(text, m, stops, 0, 2) };
    }
    let colon = m.is(Delimiter::Colon) & run;
    let first = (colon | slash | m.is(Delimiter::Question) & run).lowest();
    let slow_path = if first & colon != 0 { SlowPath::SCHEME } else { 0 }
        | if (first | stops) == 0 { SlowPath::FAR } else { 0 };
    Head { scheme_end: 0, host_start: 0, path_start: 0, tail: u64::MAX, odd: 0, slow_path }
}

/// A record's first block and, if it is loaded, its second. (No closures around blocks: the compiler does not inline
/// code with target features into one.)
#[derive(Clone, Copy)]
struct Blocks<C> {
    first: C,
    second: C,
    is_wide: bool,
}

impl<C: Classified> Blocks<C> {
    #[inline(always)]
    fn is(self, delimiter: Delimiter) -> u128 {
        join(self.first.is(delimiter), if self.is_wide { self.second.is(delimiter) } else { 0 })
    }

    #[inline(always)]
    fn class(self, class: u8) -> u128 {
        join(self.first.class(class), if self.is_wide { self.second.class(class) } else { 0 })
    }
}

/// The state carried from block to block of a run, and the bits found in it.
#[derive(Clone, Copy)]
struct Run {
    /// The start of the next block.
    base: usize,
    /// The incomplete triplets of the last block.
    open: u64,
    /// The slashes of the last block.
    slash: u64,
    /// The offset of the first `?`, or [`NONE`].
    question: u32,
    percent: bool,
    bad: bool,
    dotted: bool,
}

impl Run {
    /// A run from `base` on in which queries and dot segments are ignored.
    #[inline(always)]
    fn of_text(base: usize) -> Self {
        Run { base, open: 0, slash: 0, question: 0, percent: false, bad: false, dotted: false }
    }

    /// The slow-path bits found so far.
    #[inline(always)]
    fn slow_path(&self) -> SlowPath {
        let bit = |set: bool, bit: u8| if set { bit } else { 0 };
        SlowPath(
            bit(self.bad, SlowPath::INVALID)
                | bit(self.percent, SlowPath::PERCENT)
                | bit(self.dotted, SlowPath::DOTS),
        )
    }

    /// Continues to the first stop and returns its offset. With `LINES` a newline stops every run; without, the
    /// record's length `known` does.
    ///
    /// # Safety
    /// As for [`record`].
    #[inline(always)]
    unsafe fn go_on<B: Block, T: Text, const LINES: bool>(
        &mut self,
        text: T,
        known: usize,
        table: &'static KernelTable,
    ) -> usize {
        loop {
            // SAFETY: no stop precedes `base`, so it is within the record.
            let m = unsafe { text.block::<B>(self.base).classify(table) };
            let stops = cut::<LINES>(m.stops(), known, self.base);
            let run = stops.below();
            let percent = m.is(Delimiter::Percent) & run;
            // Without branches: none of this is predictable in long records.
            let must_be_hex = (percent << 1) | (percent << 2) | (self.open >> 63) | (self.open >> 62);
            self.bad |= must_be_hex & !(m.class(KernelTable::HEX) & run) != 0;
            self.percent |= percent != 0;
            let slash = m.is(Delimiter::Slash);
            let question = m.is(Delimiter::Question) & run;
            let dots = m.is(Delimiter::Dot) & run & question.up_to();
            let behind = ((slash << 1) & dots) | ((dots << 63) & self.slash);
            self.dotted |= (self.question == NONE) & (behind != 0);
            let at = if question != 0 { self.base as u32 + question.trailing_zeros() } else { NONE };
            self.question = self.question.min(at);
            if stops != 0 {
                return self.base + stops.trailing_zeros() as usize;
            }
            self.open = percent;
            self.slash = slash;
            self.base += 64;
        }
    }
}

/// The end of a path that begins at `from`, and of its query, and the slow-path bits of these and of the fragment.
///
/// # Safety
/// As for [`record`]; `from` is within the record.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn path_query_and_fragment<B: Block, T: Text>(
    text: T,
    from: usize,
    known: usize,
    table: &'static KernelTable,
) -> ([u32; 2], SlowPath) {
    let mut seen = Run { question: NONE, ..Run::of_text(from) };
    // SAFETY: the caller's promise; a run ends in the record or at its end.
    let (query_end, stopped_by) = unsafe {
        let end = seen.go_on::<B, T, false>(text, known, table);
        (end, text.byte(end))
    };
    if query_end < known && stopped_by == b'#' {
        let mut fragment = Run::of_text(query_end + 1);
        // SAFETY: the `#` is within the record.
        let end = unsafe { fragment.go_on::<B, T, false>(text, known, table) };
        seen.percent |= fragment.percent;
        seen.bad |= fragment.bad | (end < known);
    } else {
        seen.bad |= query_end < known;
    }
    ([seen.question.min(query_end as u32), query_end as u32], seen.slow_path())
}

/// The length of the prefix of `text` that is text with whole triplets; 0 if a triplet in it is broken.
///
/// # Safety
/// As for [`record`].
#[inline(always)]
pub(super) unsafe fn run<B: Block, T: Text>(text: T, known: usize, table: &'static KernelTable) -> usize {
    let mut run = Run::of_text(0);
    // SAFETY: the caller's promise.
    let stop = unsafe { run.go_on::<B, T, false>(text, known, table) };
    if run.bad { 0 } else { stop }
}

/// Adds the end of a record of known length to the stops of the block at `base`, and removes those after it.
#[inline(always)]
fn cut<const LINES: bool>(stops: u64, known: usize, base: usize) -> u64 {
    match known.saturating_sub(base) {
        left if !LINES && left < 64 => stops & (1 << left).below() | 1 << left,
        _ => stops,
    }
}

/// Splits one record; also returns where the next one begins, relative to this one.
///
/// # Safety
/// - `text` is readable as its type promises: with `LINES`, a newline ends it; without, it is
///   `known` bytes long.
/// - The block's instruction set is there.
#[inline(always)]
pub(super) unsafe fn record<B: Block, T: Text, const LINES: bool>(
    text: T,
    known: usize,
    table: &'static KernelTable,
) -> (Split, SlowPath, usize) {
    // Most records end in the first block or the second, unpredictably: if a block is cheap, loading both always costs
    // less than a misprediction.
    let is_wide = B::IS_CHEAP && T::PADDED;
    // SAFETY: the first block is readable, and a padded text has a second, however short it is.
    let (prefix, m, n) = unsafe {
        let n = if is_wide { text.block::<B>(64) } else { text.block::<B>(0) };
        (text.prefix(), text.block::<B>(0).classify(table), n.classify(table))
    };
    let blocks = Blocks { first: m, second: n, is_wide };
    let first_stops = cut::<LINES>(m.stops(), known, 0);
    let second_stops = if is_wide { cut::<LINES>(n.stops(), known, 64) } else { 0 };
    let stops = join(first_stops, second_stops);
    let run = stops.below() & if is_wide { u128::MAX } else { u128::from(u64::MAX) };

    // Without a branch on the `s`, which is unpredictable.
    let s = u32::from(prefix >> 32 & 0xff == u64::from(b's'));
    let is_web = prefix & 0xffff_ffff == HTTP && prefix >> (32 + 8 * s) & 0xff_ffff == SLASHES;
    // With a known length the prefix may extend past the end.
    let is_within = LINES || run >> (6 + s) & 1 != 0;
    // SAFETY: the caller's promise.
    let head = unsafe {
        if is_web & is_within {
            authority(text, m, first_stops, 4 + s, 7 + s)
        } else {
            other_head(text, m, first_stops)
        }
    };

    let tail = run & join(head.tail, u64::MAX);
    let question = blocks.is(Delimiter::Question) & tail;
    let slashes = blocks.is(Delimiter::Slash);
    let percent = blocks.is(Delimiter::Percent) & tail;
    let mut seen = Run {
        base: if is_wide { 128 } else { 64 },
        open: 0,
        slash: 0,
        question: if question != 0 { question.trailing_zeros() } else { NONE },
        percent: percent != 0,
        bad: false,
        dotted: follow(slashes, blocks.is(Delimiter::Dot) & tail & question.up_to()),
    };
    if percent != 0 {
        let hex = blocks.class(KernelTable::HEX) & run;
        let window = if is_wide { u128::MAX } else { u128::from(u64::MAX) };
        seen.bad = ((percent << 1) | (percent << 2)) & !hex & window != 0;
    }
    let mut at = stops.trailing_zeros() as usize;
    if stops == 0 {
        let top = seen.base - 64;
        seen.open = (percent >> top) as u64;
        seen.slash = (slashes >> top) as u64;
        // SAFETY: the caller's promise.
        at = unsafe { seen.go_on::<B, T, LINES>(text, known, table) };
    }

    // SAFETY: `at` is within the record or its end.
    let stopped_by = unsafe { text.byte(at) };
    let query_end = at;
    let (mut end, mut next) = (at, at + usize::from(LINES));
    // The way in which most records end is tested first, by itself.
    if if LINES { stopped_by != b'\n' } else { at != known } {
        // SAFETY: as above.
        let mut ending = unsafe { ending::<T, LINES>(text, at, known) };
        if ending.is_none() && stopped_by == b'#' {
            // A `?` after the `#` begins no query, and dots after it are not segments.
            let mut fragment = Run::of_text(at + 1);
            // SAFETY: the `#` is within the record, so what follows it is, or is its end.
            unsafe {
                at = fragment.go_on::<B, T, LINES>(text, known, table);
                ending = self::ending::<T, LINES>(text, at, known);
            }
            seen.percent |= fragment.percent;
            seen.bad |= fragment.bad;
        }
        (end, next) = ending.unwrap_or_else(|| {
            seen.bad = true;
            // SAFETY: `at` is within the record.
            if LINES { unsafe { text.line_end(at) } } else { (known, known) }
        });
    }

    let split = Split {
        scheme_end: head.scheme_end,
        host_start: head.host_start,
        host_end: head.path_start,
        path_start: head.path_start,
        path_end: seen.question.min(query_end as u32),
        query_end: query_end as u32,
        end: end as u32,
    };
    let mut slow_path = SlowPath(head.slow_path);
    if (head.odd != 0) | seen.bad | seen.percent | seen.dotted {
        slow_path.0 |= seen.slow_path().0 | if head.odd != 0 { SlowPath::AUTHORITY } else { 0 };
    }
    (split, slow_path, next)
}

/// The record's length and the start of the next one, if the stop at `at` is the record's end: its newline, the
/// carriage return before it, or the known length.
///
/// # Safety
/// `at` is within the record or its end.
#[inline(always)]
unsafe fn ending<T: Text, const LINES: bool>(text: T, at: usize, known: usize) -> Option<(usize, usize)> {
    if !LINES {
        return (at == known).then_some((known, known));
    }
    // SAFETY: the end of a line is readable, and the bytes after it.
    unsafe {
        match text.byte(at) {
            b'\n' => Some((at, at + 1)),
            b'\r' if text.byte(at + 1) == b'\n' => Some((at, at + 2)),
            _ => None,
        }
    }
}
