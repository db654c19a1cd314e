//! Names of devices with AVX-512 and VBMI: at 64 places at a time it is looked whether the first and the third letter of
//! one name stand behind a slash, each by a table of the names that have it there.

use std::arch::x86_64::*;

use super::devices::{self, PREFIXES};

/// By the lowest six bits of a byte, which letters of both cases share with few bytes else, a bit for each of [`PREFIXES`].
type Names = [u8; 64];

/// Which names have a letter at a place.
const fn letters(at: usize) -> Names {
    let mut table = [0; 64];
    let mut name = 0;
    while name < PREFIXES.len() {
        let letter = PREFIXES[name][at] & 63;
        table[letter as usize] |= 1 << name;
        table[(letter ^ 0x20) as usize] |= 1 << name;
        name += 1;
    }
    table
}

static FIRST: Names = letters(0);
static THIRD: Names = letters(2);

/// The place two behind each.
static TWO_BEHIND: Names = {
    let mut places = [0; 64];
    let mut at = 0;
    while at < 64 {
        places[at] = (at as u8 + 2) & 63;
        at += 1;
    }
    places
};

/// How far one look is from the next: the slash before the first place, and the letters behind the last, must be in sight.
const STEP: usize = 60;

/// [`devices::portable`] from the text's beginning.
///
/// # Safety
/// The processor has the instruction set.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn find(text: &[u8], places: &mut Vec<u32>) {
    // SAFETY: each table has 64 bytes.
    let (first, third, two_behind) = unsafe {
        (
            _mm512_loadu_si512(FIRST.as_ptr().cast()),
            _mm512_loadu_si512(THIRD.as_ptr().cast()),
            _mm512_loadu_si512(TWO_BEHIND.as_ptr().cast()),
        )
    };
    let slash = _mm512_set1_epi8(b'/' as i8);
    let mut at = 0;
    while at + 64 <= text.len() {
        // SAFETY: 64 bytes are left.
        let bytes = unsafe { _mm512_loadu_si512(text.as_ptr().add(at).cast()) };
        let here = _mm512_permutexvar_epi8(bytes, first);
        let behind = _mm512_permutexvar_epi8(two_behind, _mm512_permutexvar_epi8(bytes, third));
        let mut found =
            _mm512_test_epi8_mask(here, behind) & _mm512_cmpeq_epi8_mask(bytes, slash) << 1 & (u64::MAX >> 2);
        while found != 0 {
            let place = at + found.trailing_zeros() as usize;
            if devices::has_prefix(&text[place..]) {
                places.push(place as u32);
            }
            found &= found - 1;
        }
        at += STEP;
    }
    devices::portable(text, at, places);
}
