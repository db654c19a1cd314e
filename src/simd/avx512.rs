//! AVX-512 with VBMI: one register a block, one two-register permutation as the look-up.

use std::arch::x86_64::*;

use super::block::{Block, Masks};
use super::records;
use crate::grammar::chars::KernelTable;

#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512i);

impl Block for Avx512 {
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
    unsafe fn masks(self, table: &KernelTable) -> Masks {
        // SAFETY: the caller vouches for the instruction set; the table has 128 entries at 64-byte alignment.
        unsafe {
            let bytes = self.0;
            let low = _mm512_load_si512(table.bytes.as_ptr().cast());
            let high = _mm512_load_si512(table.bytes.as_ptr().add(64).cast());
            // The look-up takes seven bits: bytes from 0x80 up are in no class.
            let ascii = !_mm512_movepi8_mask(bytes);
            let classes = _mm512_maskz_permutex2var_epi8(ascii, low, bytes, high);
            Masks {
                newline: self.is(b'\n'),
                colon: self.is(b':'),
                slash: self.is(b'/'),
                question: self.is(b'?'),
                hash: self.is(b'#'),
                dot: self.is(b'.'),
                percent: self.is(b'%'),
                dash: self.is(b'-'),
                text: class(classes, KernelTable::TEXT),
                host: class(classes, KernelTable::HOST),
                hex: class(classes, KernelTable::HEX),
            }
        }
    }
}

// No closures in here: the compiler does not inline instructions of a set into one.
impl Avx512 {
    #[inline(always)]
    unsafe fn is(self, byte: u8) -> u64 {
        // SAFETY: as for `Block::masks`.
        unsafe { _mm512_cmpeq_epi8_mask(self.0, _mm512_set1_epi8(byte as i8)) }
    }
}

#[inline(always)]
unsafe fn class(classes: __m512i, bit: u8) -> u64 {
    // SAFETY: as for `Block::masks`.
    unsafe { _mm512_test_epi8_mask(classes, _mm512_set1_epi8(bit as i8)) }
}

records::entry_points!(Avx512, "avx512f,avx512bw,avx512vbmi,bmi1,bmi2,lzcnt,popcnt");
