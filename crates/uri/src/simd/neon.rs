//! NEON: four registers per block, two four-register look-ups for the 128 entries of the table.

use core::arch::aarch64::*;

use super::block::{Block, Classified};
use super::records;
use super::verdicts::{self, Bytes, Host, Judged, Lines};
use crate::grammar::chars::{Delimiter, KernelTable};

#[derive(Clone, Copy)]
pub(super) struct Neon([uint8x16_t; 4]);

/// The bytes and their entries.
#[derive(Clone, Copy)]
pub(super) struct Entries {
    bytes: [uint8x16_t; 4],
    entries: [uint8x16_t; 4],
}

impl Block for Neon {
    const IS_CHEAP: bool = true;

    type Classified = Entries;

    #[inline(always)]
    unsafe fn load(at: *const u8) -> Self {
        // SAFETY: the caller vouches for 64 readable bytes; NEON is part of aarch64.
        unsafe { Neon([vld1q_u8(at), vld1q_u8(at.add(16)), vld1q_u8(at.add(32)), vld1q_u8(at.add(48))]) }
    }

    #[inline(always)]
    unsafe fn classify(self, table: &'static KernelTable) -> Entries {
        // SAFETY: NEON is part of aarch64; the table has 128 entries.
        unsafe {
            let low = vld1q_u8_x4(table.bytes.as_ptr());
            let high = vld1q_u8_x4(table.bytes.as_ptr().add(64));
            // An index outside a look-up's 64 entries gives zero, so the two add up. Bytes from 0x80 up have no entry:
            // their own highest bit marks them as stops.
            let entries =
                self.0.map(|v| vorrq_u8(vqtbl4q_u8(low, v), vqtbl4q_u8(high, vsubq_u8(v, vdupq_n_u8(64)))));
            Entries { bytes: self.0, entries }
        }
    }
}

impl Classified for Entries {
    #[inline(always)]
    fn is(self, delimiter: Delimiter) -> u64 {
        // SAFETY: NEON is part of aarch64.
        unsafe { gather(self.bytes.map(|v| vceqq_u8(v, vdupq_n_u8(delimiter.byte())))) }
    }

    #[inline(always)]
    fn stops(self) -> u64 {
        let mut stops = self.entries;
        // SAFETY: NEON is part of aarch64.
        unsafe {
            for (entries, bytes) in stops.iter_mut().zip(self.bytes) {
                *entries = vtstq_u8(vorrq_u8(*entries, bytes), vdupq_n_u8(KernelTable::STOP));
            }
            gather(stops)
        }
    }

    #[inline(always)]
    fn class(self, class: u8) -> u64 {
        // SAFETY: NEON is part of aarch64.
        unsafe { gather(self.entries.map(|v| vtstq_u8(v, vdupq_n_u8(class)))) }
    }
}

impl Bytes for Entries {
    #[inline(always)]
    fn equal(self, byte: u8) -> u64 {
        // SAFETY: NEON is part of aarch64.
        unsafe { gather(self.bytes.map(|v| vceqq_u8(v, vdupq_n_u8(byte)))) }
    }

    #[inline(always)]
    fn faults(self) -> u64 {
        let mut faults = self.entries;
        // SAFETY: NEON is part of aarch64.
        unsafe {
            for (entries, bytes) in faults.iter_mut().zip(self.bytes) {
                // Bytes from 0x80 up are faults by themselves.
                let entry = vorrq_u8(*entries, vandq_u8(bytes, vdupq_n_u8(0x80)));
                *entries = vtstq_u8(entry, vdupq_n_u8(KernelTable::STOP | Delimiter::Percent.bits()));
            }
            gather(faults)
        }
    }
}

impl Judged for Neon {
    #[inline(always)]
    unsafe fn host(at: *const u8, table: &'static KernelTable) -> Host {
        // SAFETY: the caller's promises; NEON is part of aarch64.
        unsafe {
            let m = Self::load(at).classify(table);
            Host {
                // Bytes from 0x80 up have no entry.
                plain: m.class(KernelTable::HOST),
                dots: m.is(Delimiter::Dot),
                hyphens: m.is(Delimiter::Hyphen),
                letters: gather(m.bytes.map(|v| vtstq_u8(v, vdupq_n_u8(0x40)))),
            }
        }
    }

    #[inline(always)]
    unsafe fn find_lines(lines: &mut Lines, buffer: *const u8, end: usize, table: &'static KernelTable) {
        // SAFETY: the caller's promises.
        unsafe { find_lines(lines, buffer, end, table) };
    }
}

/// One bit per byte, from bytes that are all ones or all zeros: each keeps the bit of its place among eight, and three
/// rounds of pairwise addition pack eight of them into one byte.
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

verdicts::entry_points!(Neon, "neon");
records::entry_points!(Neon, records, "neon");
