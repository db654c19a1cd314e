//! Names of devices with AVX2, as with AVX-512: 32 places at a time, each letter by the halves of its byte.

use std::arch::x86_64::*;

use super::devices::{self, PREFIXES};

/// By half a byte, a bit for each of [`PREFIXES`].
type Names = [u8; 16];

/// Which names have a letter at a place, by the lower half of its byte, and by the higher one in either case.
const fn letters(at: usize) -> [Names; 2] {
    let mut tables = [[0; 16]; 2];
    let mut name = 0;
    while name < PREFIXES.len() {
        let letter = PREFIXES[name][at];
        tables[0][(letter & 15) as usize] |= 1 << name;
        tables[1][(letter >> 4) as usize] |= 1 << name;
        tables[1][(letter >> 4 ^ 2) as usize] |= 1 << name;
        name += 1;
    }
    tables
}

static FIRST: [Names; 2] = letters(0);
static THIRD: [Names; 2] = letters(2);

/// [`devices::portable`] from the text's beginning.
///
/// # Safety
/// The processor has the instruction set.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn find(text: &[u8], places: &mut Vec<u32>) {
    // SAFETY: each table has 16 bytes.
    let [first, third] = unsafe { [tables(&FIRST), tables(&THIRD)] };
    let slash = _mm256_set1_epi8(b'/' as i8);
    let mut at = 0;
    // The slash stands at `at`, the letters behind it.
    while at + 35 <= text.len() {
        // SAFETY: 35 bytes are left.
        let [before, here, behind] = unsafe { [load(text, at), load(text, at + 1), load(text, at + 3)] };
        // SAFETY: the caller's promise.
        let names = unsafe { _mm256_and_si256(names(here, first), names(behind, third)) };
        let none = _mm256_cmpeq_epi8(names, _mm256_setzero_si256());
        let found = _mm256_andnot_si256(none, _mm256_cmpeq_epi8(before, slash));
        let mut found = _mm256_movemask_epi8(found) as u32;
        while found != 0 {
            let place = at + 1 + found.trailing_zeros() as usize;
            if devices::has_prefix(&text[place..]) {
                places.push(place as u32);
            }
            found &= found - 1;
        }
        at += 32;
    }
    devices::portable(text, at, places);
}

/// # Safety
/// The processor has the instruction set.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn tables(tables: &[Names; 2]) -> [__m256i; 2] {
    // SAFETY: each has 16 bytes.
    let load = |table: &Names| unsafe { _mm_loadu_si128(table.as_ptr().cast()) };
    [_mm256_broadcastsi128_si256(load(&tables[0])), _mm256_broadcastsi128_si256(load(&tables[1]))]
}

/// # Safety
/// 32 bytes of the text stand at `at` and behind; the processor has the instruction set.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load(text: &[u8], at: usize) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe { _mm256_loadu_si256(text.as_ptr().add(at).cast()) }
}

/// The names that have each byte.
///
/// # Safety
/// The processor has the instruction set.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn names(bytes: __m256i, tables: [__m256i; 2]) -> __m256i {
    let high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(15));
    // A byte from 0x80 up has no names by its lower half.
    _mm256_and_si256(_mm256_shuffle_epi8(tables[0], bytes), _mm256_shuffle_epi8(tables[1], high))
}
