//! AVX2: two registers per block, look-ups by nibble: a byte is in a class if the entry of its low nibble has the bit
//! of its high nibble. A URI of `te` (docs/PERFORMANCE.md) takes 19.9 ns with it, and 80.9 ns with the portable kernel
//! (Zen 4).

use core::arch::x86_64::*;

use super::block::{Block, Classified};
use super::groups;
use super::marks::{self, Group, Marked, Marks, Mask};
use super::newlines::Newlines;
use super::records;
use super::verdicts::{self, Bytes, Host, Judged, Lines};
use crate::grammar::chars::{Delimiter, KernelTable};
use crate::grammar::pairs;

#[derive(Clone, Copy)]
pub(super) struct Avx2([__m256i; 2]);

/// The bytes, and the bit that each high nibble has in the entries of a table.
#[derive(Clone, Copy)]
pub(super) struct Nibbles<'a> {
    bytes: [__m256i; 2],
    high: [__m256i; 2],
    table: &'a KernelTable,
}

impl Block for Avx2 {
    const IS_CHEAP: bool = true;

    type Classified = Nibbles<'static>;

    #[inline(always)]
    unsafe fn load(at: *const u8) -> Self {
        // SAFETY: the caller vouches for 64 readable bytes and the instruction set.
        unsafe { Avx2([_mm256_loadu_si256(at.cast()), _mm256_loadu_si256(at.add(32).cast())]) }
    }

    #[inline(always)]
    unsafe fn classify(self, table: &'static KernelTable) -> Nibbles<'static> {
        // SAFETY: the caller vouches for the instruction set.
        unsafe {
            // High nibbles 0 to 7 have a bit each; bytes from 0x80 up have none.
            let bits = _mm256_setr_epi8(
                1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0, //
                1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0,
            );
            let nibble = _mm256_set1_epi8(0x0f);
            let high = [_mm256_srli_epi16(self.0[0], 4), _mm256_srli_epi16(self.0[1], 4)];
            Nibbles {
                bytes: self.0,
                high: [
                    _mm256_shuffle_epi8(bits, _mm256_and_si256(high[0], nibble)),
                    _mm256_shuffle_epi8(bits, _mm256_and_si256(high[1], nibble)),
                ],
                table,
            }
        }
    }
}

// No closures here: the compiler does not inline code with target features into one.
impl Classified for Nibbles<'_> {
    #[inline(always)]
    fn is(self, delimiter: Delimiter) -> u64 {
        // SAFETY: the value comes from `classify`, whose caller vouched for the instruction set.
        unsafe {
            let wanted = _mm256_set1_epi8(delimiter.byte() as i8);
            join(_mm256_cmpeq_epi8(self.bytes[0], wanted), _mm256_cmpeq_epi8(self.bytes[1], wanted))
        }
    }

    #[inline(always)]
    fn stops(self) -> u64 {
        // All requested bits are there; if none is requested, this also holds for bytes from 0x80 up.
        // SAFETY: as for `is`.
        unsafe {
            let [first, second] = self.bits(KernelTable::STOP_NIBBLES);
            join(_mm256_cmpeq_epi8(first, self.high[0]), _mm256_cmpeq_epi8(second, self.high[1]))
        }
    }

    #[inline(always)]
    fn class(self, class: u8) -> u64 {
        // SAFETY: as for `is`.
        unsafe {
            let [first, second] = self.bits(class.trailing_zeros() as usize);
            join(_mm256_cmpeq_epi8(first, self.high[0]), _mm256_cmpeq_epi8(second, self.high[1]))
        }
    }
}

impl Nibbles<'_> {
    /// For each byte the bit of its high nibble, if the byte is in the class.
    ///
    /// # Safety
    /// The instruction set is there.
    #[inline(always)]
    unsafe fn bits(self, class: usize) -> [__m256i; 2] {
        let entries = &self.table.nibbles[class];
        // A look-up uses the low nibble, and finds nothing for bytes from 0x80 up.
        // SAFETY: the caller vouches for the instruction set; the table has 16 entries.
        unsafe {
            let entries = _mm256_broadcastsi128_si256(_mm_loadu_si128(entries.as_ptr().cast()));
            [
                _mm256_and_si256(_mm256_shuffle_epi8(entries, self.bytes[0]), self.high[0]),
                _mm256_and_si256(_mm256_shuffle_epi8(entries, self.bytes[1]), self.high[1]),
            ]
        }
    }
}

/// The sign bits of two registers.
#[inline(always)]
unsafe fn join(first: __m256i, second: __m256i) -> u64 {
    // SAFETY: the caller vouches for the instruction set.
    let (first, second) = unsafe { (_mm256_movemask_epi8(first), _mm256_movemask_epi8(second)) };
    u64::from(first as u32) | u64::from(second as u32) << 32
}

impl Bytes for Nibbles<'_> {
    #[inline(always)]
    fn equal(self, byte: u8) -> u64 {
        // SAFETY: as for `Classified::is`.
        unsafe {
            let wanted = _mm256_set1_epi8(byte as i8);
            join(_mm256_cmpeq_epi8(self.bytes[0], wanted), _mm256_cmpeq_epi8(self.bytes[1], wanted))
        }
    }

    #[inline(always)]
    fn faults(self) -> u64 {
        // As for stops.
        // SAFETY: as for `Classified::is`.
        unsafe {
            let [first, second] = self.bits(KernelTable::FAULT_NIBBLES);
            join(_mm256_cmpeq_epi8(first, self.high[0]), _mm256_cmpeq_epi8(second, self.high[1]))
        }
    }
}

impl Judged for Avx2 {
    #[inline(always)]
    unsafe fn host(at: *const u8, table: &'static KernelTable) -> Host {
        // Half of a block, which most hosts do not fill.
        // SAFETY: the caller's promises.
        unsafe {
            let first = _mm256_loadu_si256(at.cast());
            let m = Avx2([first; 2]).classify(table);
            let [plain, _] = m.bits(KernelTable::HOST.trailing_zeros() as usize);
            let [dot, hyphen] = [_mm256_set1_epi8(b'.' as i8), _mm256_set1_epi8(b'-' as i8)];
            Host {
                // The `high` of bytes from 0x80 up is 0, so they look as if they were in each class.
                plain: sign_bits(_mm256_andnot_si256(first, _mm256_cmpeq_epi8(plain, m.high[0]))).into(),
                dots: sign_bits(_mm256_cmpeq_epi8(first, dot)).into(),
                hyphens: sign_bits(_mm256_cmpeq_epi8(first, hyphen)).into(),
                // The bit next to the highest becomes the highest; bits that come from the neighbouring byte do not.
                letters: sign_bits(_mm256_slli_epi16(first, 1)).into(),
            }
        }
    }

    #[inline(always)]
    unsafe fn find_lines(lines: &mut Lines, buffer: *const u8, end: usize, table: &'static KernelTable) {
        // SAFETY: the caller's promises.
        unsafe { find_lines(lines, buffer, end, table) };
    }
}

impl Marked for Avx2 {
    const MARKS_ON_DEMAND: bool = true;

    type Mask = Halves;

    type Returns = __m256i;

    #[inline(always)]
    unsafe fn no_returns() -> __m256i {
        // SAFETY: the caller vouches for the instruction set.
        unsafe { _mm256_setzero_si256() }
    }

    #[inline(always)]
    unsafe fn any(returns: __m256i) -> bool {
        // SAFETY: the caller vouches for the instruction set.
        unsafe { _mm256_movemask_epi8(returns) != 0 }
    }

    #[inline(always)]
    unsafe fn newlines(at: *const u8, returns: &mut __m256i) -> u64 {
        // SAFETY: the caller's promises.
        unsafe {
            let Avx2([first, second]) = Self::load(at);
            let [newline, end] = [_mm256_set1_epi8(b'\n' as i8), _mm256_set1_epi8(b'\r' as i8)];
            let ends = _mm256_or_si256(_mm256_cmpeq_epi8(first, end), _mm256_cmpeq_epi8(second, end));
            *returns = _mm256_or_si256(*returns, ends);
            join(_mm256_cmpeq_epi8(first, newline), _mm256_cmpeq_epi8(second, newline))
        }
    }

    #[inline(always)]
    unsafe fn marks(at: *const u8, table: &'static KernelTable) -> Marks<Halves> {
        // SAFETY: the caller's promises.
        unsafe {
            let (first, second) = (Half::marks(at, table), Half::marks(at.add(32), table));
            Marks {
                slash: Halves { low: first.slash, high: second.slash },
                question: Halves { low: first.question, high: second.question },
                host: Halves { low: first.host, high: second.host },
                fault: Halves { low: first.fault, high: second.fault },
            }
        }
    }

    #[inline(always)]
    unsafe fn find_newlines(newlines: &mut Newlines, buffer: *const u8, to: usize) -> bool {
        // SAFETY: the caller's promises.
        unsafe { find_newlines(newlines, buffer, to) }
    }

    #[inline(always)]
    unsafe fn mark(buffer: *const u8, group: &mut Group, table: &'static KernelTable) {
        // SAFETY: the caller's promises.
        unsafe { mark(buffer, group, table) };
    }
}

/// See [`Marked::find_newlines`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
unsafe fn find_newlines(newlines: &mut Newlines, buffer: *const u8, to: usize) -> bool {
    // SAFETY: the caller's promises.
    unsafe { groups::find_newlines::<Avx2>(newlines, buffer, to) }
}

/// See [`Marked::mark`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
unsafe fn mark(buffer: *const u8, group: &mut Group, table: &'static KernelTable) {
    // SAFETY: the caller's promises.
    unsafe { marks::mark::<Avx2>(buffer, group, table) };
}

/// The bits of two registers, which are written one after the other: joining them takes two instructions more.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Halves {
    low: u32,
    high: u32,
}

impl Mask for Halves {
    #[inline(always)]
    fn bits(self) -> u64 {
        u64::from(self.low) | u64::from(self.high) << 32
    }

    #[inline(always)]
    fn put(self, to: &mut u64) {
        // SAFETY: two halves are as long as the whole and need no more alignment; the lower one comes first.
        unsafe { core::ptr::from_mut(to).cast::<Halves>().write(self) };
    }
}

/// Half of a block: the bytes, and for them and for the bytes before them the positions in [`Nibbles`](pairs::Nibbles).
#[derive(Clone, Copy)]
struct Half {
    bytes: __m256i,
    high: __m256i,
    before: __m256i,
}

impl Half {
    /// The marks of the 32 bytes at `at`.
    ///
    /// # Safety
    /// As for [`Marked::marks`].
    #[inline(always)]
    unsafe fn marks(at: *const u8, table: &'static KernelTable) -> Marks<u32> {
        // SAFETY: the caller's promises.
        unsafe {
            let (bytes, before) = (_mm256_loadu_si256(at.cast()), _mm256_loadu_si256(at.sub(1).cast()));
            let half = Half {
                bytes,
                high: _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(0x0f)),
                before: _mm256_subs_epu8(_mm256_set1_epi8(0x30), before),
            };
            let no_host = half.look_up(&table.pairs.odd);
            let fault = _mm256_adds_epu8(half.look_up(&table.pairs.fault), _mm256_set1_epi8(0x7f));
            let [slash, question] = [_mm256_set1_epi8(b'/' as i8), _mm256_set1_epi8(b'?' as i8)];
            Marks {
                slash: sign_bits(_mm256_cmpeq_epi8(bytes, slash)),
                question: sign_bits(_mm256_cmpeq_epi8(bytes, question)),
                host: sign_bits(_mm256_cmpeq_epi8(no_host, _mm256_setzero_si256())),
                // Bytes from 0x80 up are faults by themselves.
                fault: sign_bits(_mm256_or_si256(fault, bytes)),
            }
        }
    }

    /// Not 0 for bytes below 0x80 with one of these properties.
    ///
    /// # Safety
    /// The instruction set is there.
    #[inline(always)]
    unsafe fn look_up(self, nibbles: &'static pairs::Nibbles) -> __m256i {
        // A look-up uses the low nibble, and finds nothing for bytes from 0x80 up.
        // SAFETY: the caller's promise; the tables have 16 entries.
        unsafe {
            let [before, low, high] = [&nibbles.before, &nibbles.low, &nibbles.high];
            let before = _mm256_broadcastsi128_si256(_mm_loadu_si128(before.as_ptr().cast()));
            let low = _mm256_broadcastsi128_si256(_mm_loadu_si128(low.as_ptr().cast()));
            let high = _mm256_broadcastsi128_si256(_mm_loadu_si128(high.as_ptr().cast()));
            let byte =
                _mm256_and_si256(_mm256_shuffle_epi8(low, self.bytes), _mm256_shuffle_epi8(high, self.high));
            _mm256_and_si256(byte, _mm256_shuffle_epi8(before, self.before))
        }
    }
}

/// # Safety
/// The instruction set is there.
#[inline(always)]
unsafe fn sign_bits(bytes: __m256i) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { _mm256_movemask_epi8(bytes) as u32 }
}

verdicts::entry_points!(Avx2, "avx2,bmi1,bmi2,lzcnt,popcnt");
records::entry_points!(Avx2, groups, "avx2,bmi1,bmi2,lzcnt,popcnt");
