//! NEON: four registers a block, two four-register look-ups for the 128 entries of the table.

use std::arch::aarch64::*;

use super::block::{Block, Masks};
use super::records;
use crate::grammar::chars::KernelTable;

#[derive(Clone, Copy)]
pub(super) struct Neon([uint8x16_t; 4]);

impl Block for Neon {
    #[inline(always)]
    unsafe fn load(at: *const u8) -> Self {
        // SAFETY: the caller vouches for 64 readable bytes; NEON is part of aarch64.
        unsafe { Neon([vld1q_u8(at), vld1q_u8(at.add(16)), vld1q_u8(at.add(32)), vld1q_u8(at.add(48))]) }
    }

    #[inline(always)]
    unsafe fn masks(self, table: &KernelTable) -> Masks {
        // SAFETY: NEON is part of aarch64; the table has 128 entries.
        unsafe {
            let entries = table.bytes.as_ptr();
            let low = vld1q_u8_x4(entries);
            let high = vld1q_u8_x4(entries.add(64));
            // An index out of a look-up's 64 entries gives zero, so the two add up, and bytes from
            // 0x80 up are in no class.
            let classes =
                self.0.map(|v| vorrq_u8(vqtbl4q_u8(low, v), vqtbl4q_u8(high, vsubq_u8(v, vdupq_n_u8(64)))));
            let is = |byte: u8| gather(self.0.map(|v| vceqq_u8(v, vdupq_n_u8(byte))));
            let class = |bit: u8| gather(classes.map(|v| vtstq_u8(v, vdupq_n_u8(bit))));
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

/// One bit a byte from bytes that are all ones or all zeros: each keeps the bit of its place among
/// eight, and three rounds of adding neighbours put eight of them into one byte.
///
/// # Safety
/// None beyond NEON, which is part of aarch64.
#[inline(always)]
unsafe fn gather(bytes: [uint8x16_t; 4]) -> u64 {
    const PLACES: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
    // SAFETY: NEON is part of aarch64; PLACES has 16 bytes.
    unsafe {
        let places = vld1q_u8(PLACES.as_ptr());
        let [a, b, c, d] = bytes.map(|v| vandq_u8(v, places));
        let sums = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
        vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)))
    }
}

records::entry_points!(Neon, "neon");
