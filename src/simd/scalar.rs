//! The reference, in portable Rust: always built, and what the others are compared with.
//!
//! One look-up a byte gives eight bits; eight such bytes in a word give up one bit each to a
//! multiplication that gathers them, and the delimiters' masks are made from the four bits of
//! their number.

use super::block::{Block, Masks};
use crate::grammar::chars::KernelTable;

#[derive(Clone, Copy)]
pub(super) struct Scalar([u8; 64]);

impl Block for Scalar {
    #[inline(always)]
    unsafe fn load(at: *const u8) -> Self {
        // SAFETY: the caller vouches for 64 readable bytes; an array of bytes has no alignment.
        Scalar(unsafe { at.cast::<[u8; 64]>().read() })
    }

    #[inline(always)]
    unsafe fn masks(self, table: &KernelTable) -> Masks {
        let mut bits = [0u64; 8];
        for (word, bytes) in self.0.chunks_exact(8).enumerate() {
            let mut found = 0u64;
            for (i, &byte) in bytes.iter().enumerate() {
                found |= u64::from(table.bytes[usize::from(byte)]) << (8 * i);
            }
            for (bit, mask) in bits.iter_mut().enumerate() {
                *mask |= gather(found >> bit) << (8 * word);
            }
        }
        let [text, host, hex, _, n0, n1, n2, n3] = bits;
        Masks {
            newline: n0 & !n1 & !n2,
            colon: !n0 & n1 & !n2,
            slash: n0 & n1 & !n2,
            question: !n0 & !n1 & n2,
            hash: n0 & !n1 & n2,
            dot: !n0 & n1 & n2,
            percent: n0 & n1 & n2,
            dash: n3,
            text,
            host,
            hex,
        }
    }
}

/// The lowest bit of each of eight bytes as one byte.
#[inline(always)]
fn gather(word: u64) -> u64 {
    (word & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}
