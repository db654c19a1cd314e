//! AVX-512 with VBMI: one register a block, one two-register permutation as the look-up.

use std::arch::x86_64::*;

use super::block::{Block, Masks};
use super::kernel;
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
            let class = |bit: u8| _mm512_test_epi8_mask(classes, _mm512_set1_epi8(bit as i8));
            let is = |byte: u8| _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte as i8));
            Masks {
                newline: is(b'\n'),
                colon: is(b':'),
                slash: is(b'/'),
                question: is(b'?'),
                hash: is(b'#'),
                dot: is(b'.'),
                percent: is(b'%'),
                dash: is(b'-'),
                text: class(KernelTable::TEXT),
                host: class(KernelTable::HOST),
                hex: class(KernelTable::HEX),
            }
        }
    }
}

kernel::entry_points!(Avx512, "avx512f,avx512bw,avx512vbmi,bmi1,bmi2,lzcnt,popcnt");
