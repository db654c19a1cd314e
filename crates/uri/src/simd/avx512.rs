//! AVX-512 with VBMI: one register per block, one two-register permutation as the look-up. A URI of `te`
//! (docs/PERFORMANCE.md) takes 14.6 ns with it, 19.9 ns with AVX2, and 80.9 ns with the portable kernel (Zen 4).

use core::arch::x86_64::*;

use super::block::{Block, Classified};
use super::groups;
use super::marks::{self, Group, Marked, Marks};
use super::newlines::Newlines;
use super::records;
use super::verdicts::{self, Bytes, Host, Judged, Lines};
use crate::grammar::chars::{Delimiter, KernelTable};
use crate::grammar::pairs::{Entries as PairEntries, Pairs};

#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512i);

/// The bytes and their entries.
#[derive(Clone, Copy)]
pub(super) struct Entries {
    bytes: __m512i,
    entries: __m512i,
}

impl Block for Avx512 {
    const IS_CHEAP: bool = true;

    type Classified = Entries;

    #[inline(always)]
    unsafe fn load(at: *const u8) -> Self {
        // SAFETY: the caller vouches for 64 readable bytes and the instruction set.
        Avx512(unsafe { _mm512_loadu_si512(at.cast()) })
    }

    #[inline(always)]
    unsafe fn load_partial(at: *const u8, len: usize) -> Self {
        let wanted = if len >= 64 { u64::MAX } else { (1 << len) - 1 };
        // SAFETY: a masked load touches no byte whose bit is clear; the caller vouches for the others.
        Avx512(unsafe { _mm512_maskz_loadu_epi8(wanted, at.cast()) })
    }

    #[inline(always)]
    unsafe fn classify(self, table: &'static KernelTable) -> Entries {
        // SAFETY: the caller vouches for the instruction set; the table has 128 entries at 64-byte alignment.
        unsafe {
            let low = _mm512_load_si512(table.bytes.as_ptr().cast());
            let high = _mm512_load_si512(table.bytes.as_ptr().add(64).cast());
            // The look-up uses seven bits: the entries of bytes from 0x80 up are meaningless.
            Entries { bytes: self.0, entries: _mm512_permutex2var_epi8(low, self.0, high) }
        }
    }
}

// No closures here: the compiler does not inline code with target features into one.
impl Classified for Entries {
    #[inline(always)]
    fn is(self, delimiter: Delimiter) -> u64 {
        // SAFETY: the value comes from `classify`, whose caller vouched for the instruction set.
        unsafe { _mm512_cmpeq_epi8_mask(self.bytes, _mm512_set1_epi8(delimiter.byte() as i8)) }
    }

    #[inline(always)]
    fn stops(self) -> u64 {
        // A stop has the highest bit in its entry; bytes from 0x80 up have it themselves.
        // SAFETY: as for `is`.
        unsafe { _mm512_movepi8_mask(_mm512_or_si512(self.entries, self.bytes)) }
    }

    #[inline(always)]
    fn class(self, class: u8) -> u64 {
        // SAFETY: as for `is`.
        unsafe { _mm512_test_epi8_mask(self.entries, _mm512_set1_epi8(class as i8)) }
    }
}

impl Bytes for Entries {
    #[inline(always)]
    fn equal(self, byte: u8) -> u64 {
        // SAFETY: as for `Classified::is`.
        unsafe { _mm512_cmpeq_epi8_mask(self.bytes, _mm512_set1_epi8(byte as i8)) }
    }

    #[inline(always)]
    fn faults(self) -> u64 {
        // Bytes from 0x80 up are faults by themselves: a | b & c.
        // SAFETY: as for `Classified::is`.
        unsafe {
            let high_bit = _mm512_set1_epi8(i8::MIN);
            let entries = _mm512_ternarylogic_epi64(self.entries, self.bytes, high_bit, 0xf8);
            let faults = KernelTable::STOP | Delimiter::Percent.bits();
            _mm512_test_epi8_mask(entries, _mm512_set1_epi8(faults as i8))
        }
    }
}

impl Judged for Avx512 {
    #[inline(always)]
    unsafe fn host(at: *const u8, table: &'static KernelTable) -> Host {
        // SAFETY: the caller's promises.
        unsafe {
            let m = Self::load(at).classify(table);
            Host {
                plain: m.class(KernelTable::HOST) & !_mm512_movepi8_mask(m.bytes),
                dots: m.is(Delimiter::Dot),
                hyphens: m.is(Delimiter::Hyphen),
                letters: _mm512_test_epi8_mask(m.bytes, _mm512_set1_epi8(0x40)),
            }
        }
    }

    #[inline(always)]
    unsafe fn find_lines(lines: &mut Lines, buffer: *const u8, end: usize, table: &'static KernelTable) {
        // SAFETY: the caller's promises.
        unsafe { find_lines(lines, buffer, end, table) };
    }
}

/// The entries of these bytes without their highest bit.
///
/// # Safety
/// The instruction set is there.
#[inline(always)]
unsafe fn look_up(entries: &'static PairEntries, bytes: __m512i) -> __m512i {
    // SAFETY: the caller vouches for the instruction set; there are 128 entries at 64-byte alignment.
    unsafe {
        let low = _mm512_load_si512(entries.0.as_ptr().cast());
        let high = _mm512_load_si512(entries.0.as_ptr().add(64).cast());
        _mm512_permutex2var_epi8(low, bytes, high)
    }
}

impl Marked for Avx512 {
    const MARKS_ON_DEMAND: bool = false;

    type Mask = u64;

    type Returns = u64;

    #[inline(always)]
    unsafe fn no_returns() -> u64 {
        0
    }

    #[inline(always)]
    unsafe fn any(returns: u64) -> bool {
        returns != 0
    }

    #[inline(always)]
    unsafe fn newlines(at: *const u8, returns: &mut u64) -> u64 {
        // SAFETY: the caller's promises.
        unsafe {
            let bytes = Self::load(at).0;
            *returns |= _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(b'\r' as i8));
            _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(b'\n' as i8))
        }
    }

    #[inline(always)]
    unsafe fn marks(at: *const u8, table: &'static KernelTable) -> Marks<u64> {
        // SAFETY: the caller's promises; the tables have 128 entries.
        unsafe {
            let bytes = Self::load(at).0;
            let pairs = _mm512_and_si512(
                look_up(&table.pairs.before, Self::load(at.sub(1)).0),
                look_up(&table.pairs.byte, bytes),
            );
            // The look-ups use seven bits; bytes from 0x80 up are faults by themselves: a | b & c.
            let high_bit = _mm512_set1_epi8(i8::MIN);
            let faults = _mm512_ternarylogic_epi64(pairs, bytes, high_bit, 0xf8);
            Marks {
                slash: _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(b'/' as i8)),
                question: _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(b'?' as i8)),
                host: _mm512_testn_epi8_mask(pairs, _mm512_set1_epi8(Pairs::ODD as i8)),
                fault: _mm512_test_epi8_mask(faults, _mm512_set1_epi8((Pairs::FAULT | 0x80) as i8)),
            }
        }
    }

    #[inline(always)]
    unsafe fn find_newlines(newlines: &mut Newlines, buffer: *const u8, to: usize) -> bool {
        // SAFETY: the caller's promises.
        unsafe { groups::find_newlines::<Self>(newlines, buffer, to) }
    }

    #[inline(always)]
    unsafe fn mark(buffer: *const u8, group: &mut Group, table: &'static KernelTable) {
        // SAFETY: the caller's promises.
        unsafe { marks::mark::<Self>(buffer, group, table) };
    }
}

verdicts::entry_points!(Avx512, "avx512f,avx512bw,avx512vbmi,avx512cd,bmi1,bmi2,lzcnt,popcnt");
records::entry_points!(Avx512, groups, "avx512f,avx512bw,avx512vbmi,avx512cd,bmi1,bmi2,lzcnt,popcnt");
