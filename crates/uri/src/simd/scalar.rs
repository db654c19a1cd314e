//! The reference kernel, in portable Rust: always built; the others are compared with it.
//!
//! One look-up per byte gives eight bytes, one for each bit of the table's entry, with that bit lowest. The look-ups of
//! eight bytes, each shifted by its place, add up to eight masks of eight bits; eight such words, with their bytes
//! transposed, are eight masks of 64 bits.

use super::block::{Block, Classified};
use crate::grammar::chars::{Delimiter, KernelTable};

#[derive(Clone, Copy)]
pub(super) struct Scalar([u8; 64]);

/// A mask for each bit of the table's entries.
#[derive(Clone, Copy)]
pub(super) struct Entries([u64; 8]);

impl Block for Scalar {
    const IS_CHEAP: bool = false;

    type Classified = Entries;

    #[inline(always)]
    unsafe fn load(at: *const u8) -> Self {
        // SAFETY: the caller vouches for 64 readable bytes; an array of bytes has no alignment.
        Scalar(unsafe { at.cast::<[u8; 64]>().read() })
    }

    #[inline(always)]
    unsafe fn classify(self, table: &'static KernelTable) -> Entries {
        Entries(masks(&self.0, &table.spread))
    }
}

/// The masks of a block. A separate function, because as part of a kernel its code would depend on what the compiler
/// does with the code around it.
#[inline(never)]
fn masks(block: &[u8; 64], spread: &[u64; 256]) -> [u64; 8] {
    let mut words = [0; 8];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(8)) {
        for (i, &byte) in bytes.iter().enumerate() {
            *word |= spread[usize::from(byte)] << i;
        }
    }
    transpose(words)
}

/// Byte `j` of word `i` becomes byte `i` of word `j`: halves, then quarters, then bytes change places.
#[inline(always)]
fn transpose(mut words: [u64; 8]) -> [u64; 8] {
    let mut swap = |distance: usize, shift: u32, mask: u64| {
        for i in (0..8).filter(|i| i & distance == 0) {
            let differing = ((words[i] >> shift) ^ words[i + distance]) & mask;
            words[i + distance] ^= differing;
            words[i] ^= differing << shift;
        }
    };
    swap(4, 32, 0x0000_0000_ffff_ffff);
    swap(2, 16, 0x0000_ffff_0000_ffff);
    swap(1, 8, 0x00ff_00ff_00ff_00ff);
    words
}

impl Classified for Entries {
    #[inline(always)]
    fn is(self, delimiter: Delimiter) -> u64 {
        let of = |delimiter: Delimiter| self.class(delimiter.bits());
        match delimiter {
            Delimiter::Colon => of(Delimiter::Dot) & of(Delimiter::Hyphen),
            Delimiter::Dot => of(Delimiter::Dot) & !of(Delimiter::Hyphen),
            Delimiter::Hyphen => of(Delimiter::Hyphen) & !of(Delimiter::Dot),
            other => of(other),
        }
    }

    #[inline(always)]
    fn stops(self) -> u64 {
        self.class(KernelTable::STOP)
    }

    #[inline(always)]
    fn class(self, class: u8) -> u64 {
        self.0[class.trailing_zeros() as usize]
    }
}
