//! Device names with AVX2: checks 32 places in ten instructions for the letters of a name after a slash or a newline,
//! each letter by a table of the names that have it there. Searching `te` (docs/PERFORMANCE.md) took 3.3 ns a URI with
//! this pass, and 8.2 ns with a call of `memchr` at every slash.

use alloc::vec::Vec;
use core::arch::x86_64::*;

use super::devices::{self, PREFIXES};

/// By the lower half of a byte, a bit for each of [`PREFIXES`]: both cases of a letter share it, and few letters
/// collide. Bytes from 0x80 up have no bits.
type Names = [u8; 16];

/// The names that have a given letter at a place.
const fn letters(at: usize) -> Names {
    let mut table = [0; 16];
    let mut name = 0;
    while name < PREFIXES.len() {
        table[(PREFIXES[name][at] & 15) as usize] |= 1 << name;
        name += 1;
    }
    table
}

static LETTERS: [Names; 3] = [letters(0), letters(1), letters(2)];

/// How many places are checked per round, 32 at a time.
const ROUND: usize = 256;

/// [`devices::portable`] from the text's beginning.
///
/// # Safety
/// The processor has the instruction set.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn find(text: &[u8], places: &mut Vec<u32>) {
    // SAFETY: the caller's promise.
    let [a, b, c] = unsafe { [table(&LETTERS[0]), table(&LETTERS[1]), table(&LETTERS[2])] };
    let [slash, newline] = [_mm256_set1_epi8(b'/' as i8), _mm256_set1_epi8(b'\n' as i8)];
    let mut at = 0;
    while text.len() - at >= ROUND + 3 {
        for i in 0..ROUND / 32 {
            // SAFETY: the bytes of the round are there, and three after them.
            let [here, first, second, third] = unsafe {
                let from = text.as_ptr().add(at + 32 * i);
                [load(from), load(from.add(1)), load(from.add(2)), load(from.add(3))]
            };
            let names = _mm256_and_si256(_mm256_shuffle_epi8(a, first), _mm256_shuffle_epi8(b, second));
            let names = _mm256_and_si256(_mm256_shuffle_epi8(c, third), names);
            let borders = _mm256_or_si256(_mm256_cmpeq_epi8(here, slash), _mm256_cmpeq_epi8(here, newline));
            if _mm256_testz_si256(names, borders) == 0 {
                let none = _mm256_cmpeq_epi8(names, _mm256_setzero_si256());
                let found = _mm256_movemask_epi8(_mm256_andnot_si256(none, borders)) as u32;
                devices::note(text, at + 32 * i + 1, found.into(), places);
            }
        }
        at += ROUND;
    }
    devices::portable(text, at, places);
}

/// # Safety
/// 32 bytes are readable at `from`; the processor has the instruction set.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load(from: *const u8) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe { _mm256_loadu_si256(from.cast()) }
}

/// # Safety
/// The processor has the instruction set.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn table(table: &Names) -> __m256i {
    // SAFETY: the table has 16 bytes.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(table.as_ptr().cast()) })
}
