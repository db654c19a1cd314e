//! Names of devices with AVX-512 and VBMI: at 64 places at a time it is looked whether a slash stands there and letters
//! of one name behind it, each by a table of the names that have it there.

use std::arch::x86_64::*;

use super::devices::{self, PREFIXES, Paths};

/// By the lowest six bits of a byte, which letters of both cases share with few bytes else, a bit for each of [`PREFIXES`].
type Names = [u8; 64];

/// Which names have a letter at one of the first three places.
const LETTERS: [Names; 3] = {
    let mut tables = [[0; 64]; 3];
    let mut at = 0;
    while at < 3 {
        let mut name = 0;
        while name < PREFIXES.len() {
            let letter = PREFIXES[name][at] & 63;
            tables[at][letter as usize] |= 1 << name;
            tables[at][(letter ^ 0x20) as usize] |= 1 << name;
            name += 1;
        }
        at += 1;
    }
    tables
};

/// Which names go on with a byte: CON, PRN, AUX and NUL end (with the path, too: a zero), or are CONIN$ and CONOUT$;
/// COM and LPT have a digit, CLOCK$ a letter.
const FOURTH: Names = {
    let mut table = [0; 64];
    let ends = *b".:;/\0";
    let mut at = 0;
    while at < ends.len() {
        table[(ends[at] & 63) as usize] |= 0b001_1101;
        at += 1;
    }
    let (in_out, mut digit) = (*b"iIoO", b'1');
    at = 0;
    while at < in_out.len() {
        table[(in_out[at] & 63) as usize] |= 0b000_0001;
        at += 1;
    }
    while digit <= b'9' {
        table[(digit & 63) as usize] |= 0b010_0010;
        digit += 1;
    }
    table[(b'c' & 63) as usize] |= 0b100_0000;
    table[(b'C' & 63) as usize] |= 0b100_0000;
    table
};

/// How far one look is from the next: the last places of each have not all of a name's letters in sight.
const STEP: usize = 60;

/// [`devices::portable`], with fewer records.
///
/// # Safety
/// The processor has the instruction set.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn find(paths: &Paths<'_>, out: &mut Vec<u32>) {
    // SAFETY: each table has 64 bytes.
    let (first, second, third, fourth) = unsafe {
        (
            _mm512_loadu_si512(LETTERS[0].as_ptr().cast()),
            _mm512_loadu_si512(LETTERS[1].as_ptr().cast()),
            _mm512_loadu_si512(LETTERS[2].as_ptr().cast()),
            _mm512_loadu_si512(FOURTH.as_ptr().cast()),
        )
    };
    for i in 0..paths.splits.len() {
        let path = paths.get(i);
        // Of references without a scheme the path may begin with a segment.
        if paths.splits.scheme_end[i] == 0 {
            if devices::may_have_device(path) {
                out.push(i as u32);
            }
            continue;
        }
        let mut at = 0;
        loop {
            let left = path.len() - at;
            let wanted = _bzhi_u64(u64::MAX, left.min(64) as u32);
            // SAFETY: the masked loads read the path's bytes alone, from each place and the four behind it on.
            let found = unsafe {
                let from = path.as_ptr().add(at).cast::<i8>();
                let behind = |by: usize| _mm512_maskz_loadu_epi8(wanted >> by, from.wrapping_add(by));
                let slashes = _mm512_cmpeq_epi8_mask(behind(0), _mm512_set1_epi8(b'/' as i8));
                let names = _mm512_ternarylogic_epi64::<0x80>(
                    _mm512_permutexvar_epi8(behind(1), first),
                    _mm512_permutexvar_epi8(behind(2), second),
                    _mm512_permutexvar_epi8(behind(3), third),
                );
                _mm512_mask_test_epi8_mask(slashes, names, _mm512_permutexvar_epi8(behind(4), fourth))
            };
            if found != 0 {
                out.push(i as u32);
                break;
            }
            if left <= 64 {
                break;
            }
            at += STEP;
        }
    }
}
