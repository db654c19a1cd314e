//! AVX2: two registers a block, look-ups by nibble: a byte is in a class where the entry of its low
//! nibble has the bit that belongs to its high nibble.

use std::arch::x86_64::*;

use super::block::{Block, Masks};
use super::records;
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
        // SAFETY: the caller vouches for the instruction set.
        unsafe {
            let nibbles = self.nibbles();
            Masks {
                newline: self.is(b'\n'),
                colon: self.is(b':'),
                slash: self.is(b'/'),
                question: self.is(b'?'),
                hash: self.is(b'#'),
                dot: self.is(b'.'),
                percent: self.is(b'%'),
                dash: self.is(b'-'),
                text: nibbles.class(&table.nibbles[0]),
                host: nibbles.class(&table.nibbles[1]),
                hex: nibbles.class(&table.nibbles[2]),
            }
        }
    }
}

/// The low nibble of each byte, and the bit that its high nibble has in the entries of a table.
#[derive(Clone, Copy)]
struct Nibbles {
    low: [__m256i; 2],
    high: [__m256i; 2],
}

// No closures in here: the compiler does not inline instructions of a set into one.
impl Avx2 {
    #[inline(always)]
    unsafe fn is(self, byte: u8) -> u64 {
        // SAFETY: as for `Block::masks`.
        unsafe {
            let wanted = _mm256_set1_epi8(byte as i8);
            join(_mm256_cmpeq_epi8(self.0, wanted), _mm256_cmpeq_epi8(self.1, wanted))
        }
    }

    #[inline(always)]
    unsafe fn nibbles(self) -> Nibbles {
        // SAFETY: as for `Block::masks`.
        unsafe {
            // High nibbles 0 to 7 have a bit each; bytes from 0x80 up have none and so are in no class.
            let bits = _mm256_setr_epi8(
                1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0, //
                1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0,
            );
            let nibble = _mm256_set1_epi8(0x0f);
            let high = [_mm256_srli_epi16(self.0, 4), _mm256_srli_epi16(self.1, 4)];
            Nibbles {
                low: [_mm256_and_si256(self.0, nibble), _mm256_and_si256(self.1, nibble)],
                high: [
                    _mm256_shuffle_epi8(bits, _mm256_and_si256(high[0], nibble)),
                    _mm256_shuffle_epi8(bits, _mm256_and_si256(high[1], nibble)),
                ],
            }
        }
    }
}

impl Nibbles {
    #[inline(always)]
    unsafe fn class(self, entries: &[u8; 16]) -> u64 {
        // SAFETY: as for `Block::masks`; the table has 16 entries.
        unsafe {
            let entries = _mm256_broadcastsi128_si256(_mm_loadu_si128(entries.as_ptr().cast()));
            let first = _mm256_and_si256(_mm256_shuffle_epi8(entries, self.low[0]), self.high[0]);
            let second = _mm256_and_si256(_mm256_shuffle_epi8(entries, self.low[1]), self.high[1]);
            let zero = _mm256_setzero_si256();
            !join(_mm256_cmpeq_epi8(first, zero), _mm256_cmpeq_epi8(second, zero))
        }
    }
}

/// The sign bits of two registers.
#[inline(always)]
unsafe fn join(first: __m256i, second: __m256i) -> u64 {
    // SAFETY: as for `Block::masks`.
    let (first, second) = unsafe { (_mm256_movemask_epi8(first), _mm256_movemask_epi8(second)) };
    u64::from(first as u32) | u64::from(second as u32) << 32
}

records::entry_points!(Avx2, "avx2,bmi1,bmi2,lzcnt,popcnt");
