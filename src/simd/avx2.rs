//! AVX2: two registers a block, look-ups by nibble: a byte is in a class where the entry of its low
//! nibble has the bit that belongs to its high nibble.

use std::arch::x86_64::*;

use super::block::{Block, Masks};
use super::kernel;
use crate::grammar::chars::KernelTable;

#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256i, __m256i);

impl Block for Avx2 {
    #[inline(always)]
    unsafe fn load(at: *const u8) -> Self {
        // SAFETY: the caller vouches for 64 readable bytes and the instruction set.
        unsafe { Avx2(_mm256_loadu_si256(at.cast()), _mm256_loadu_si256(at.add(32).cast())) }
    }

    #[inline(always)]
    unsafe fn masks(self, table: &KernelTable) -> Masks {
        // SAFETY: the caller vouches for the instruction set; each nibble table has 16 entries.
        unsafe {
            let join = |a: __m256i, b: __m256i| {
                u64::from(_mm256_movemask_epi8(a) as u32) | u64::from(_mm256_movemask_epi8(b) as u32) << 32
            };
            let is = |byte: u8| {
                let wanted = _mm256_set1_epi8(byte as i8);
                join(_mm256_cmpeq_epi8(self.0, wanted), _mm256_cmpeq_epi8(self.1, wanted))
            };
            // High nibbles 0 to 7 have a bit each; bytes from 0x80 up have none and so are in no class.
            let bit_of_high = _mm256_setr_epi8(
                1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0, //
                1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0,
            );
            let nibble = _mm256_set1_epi8(0x0f);
            let low = |v| _mm256_and_si256(v, nibble);
            let high =
                |v| _mm256_shuffle_epi8(bit_of_high, _mm256_and_si256(_mm256_srli_epi16(v, 4), nibble));
            let (low0, low1) = (low(self.0), low(self.1));
            let (high0, high1) = (high(self.0), high(self.1));
            let class = |bit: u8| {
                let entries = table.nibbles[bit.trailing_zeros() as usize].as_ptr();
                let entries = _mm256_broadcastsi128_si256(_mm_loadu_si128(entries.cast()));
                let zero = _mm256_setzero_si256();
                let outside = |low, high| {
                    _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(entries, low), high), zero)
                };
                !join(outside(low0, high0), outside(low1, high1))
            };
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

kernel::entry_points!(Avx2, "avx2,bmi1,bmi2,lzcnt,popcnt");
