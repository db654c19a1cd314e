//! Device names with AVX-512, as with AVX2: 64 places in a few instructions.

use alloc::vec::Vec;
use core::arch::x86_64::*;

use super::devices_avx2::{LETTERS, Names};
use super::{devices, devices_sse2};

/// How many places are checked per round, 64 at a time.
const ROUND: usize = 256;

/// [`devices::portable`] from the text's beginning.
///
/// # Safety
/// The processor has the instruction set.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn find(text: &[u8], places: &mut Vec<u32>) {
    // SAFETY: the caller's promise.
    let [a, b, c] = unsafe { [table(&LETTERS[0]), table(&LETTERS[1]), table(&LETTERS[2])] };
    let [slash, newline] = [_mm512_set1_epi8(b'/' as i8), _mm512_set1_epi8(b'\n' as i8)];
    let mut at = 0;
    while text.len() - at >= ROUND + 3 {
        for i in 0..ROUND / 64 {
            // SAFETY: the bytes of the round are there, and three after them.
            let [here, first, second, third] = unsafe {
                let from = text.as_ptr().add(at + 64 * i);
                [load(from), load(from.add(1)), load(from.add(2)), load(from.add(3))]
            };
            let names = _mm512_and_si512(_mm512_shuffle_epi8(a, first), _mm512_shuffle_epi8(b, second));
            let borders = _mm512_cmpeq_epi8_mask(here, slash) | _mm512_cmpeq_epi8_mask(here, newline);
            let found = _mm512_mask_test_epi8_mask(borders, names, _mm512_shuffle_epi8(c, third));
            if found != 0 {
                devices::note(text, at + 64 * i + 1, found, places);
            }
        }
        at += ROUND;
    }
    devices::portable(text, at, devices_sse2::borders, places);
}

/// # Safety
/// 64 bytes are readable at `from`; the processor has the instruction set.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load(from: *const u8) -> __m512i {
    // SAFETY: the caller's promise.
    unsafe { _mm512_loadu_si512(from.cast()) }
}

/// # Safety
/// The processor has the instruction set.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn table(table: &Names) -> __m512i {
    // SAFETY: the table has 16 bytes.
    _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(table.as_ptr().cast()) })
}
