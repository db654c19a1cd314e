//! The octets of triplets, with AVX-512 and VBMI: 64 bytes at a time are processed as if a triplet began at each.

use core::arch::x86_64::*;

use super::triplets::{self, TripletKinds, TripletSurvey};
use crate::grammar::chars::HEX_VALUES;

/// [`super::triplets::portable`].
///
/// # Safety
/// The processor has the instruction set.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn survey(text: &[u8], kinds: &TripletKinds) -> TripletSurvey {
    let mut found = _mm512_setzero_si512();
    let mut lower = 0;
    // Octets that over-long forms begin with, and those of them at the end of the last block that decide in the next.
    let (mut suspects, mut leads) = (0, 0);
    let mut at = 0;
    // A triplet needs two bytes after its first.
    while at + 2 < text.len() {
        let left = text.len() - at;
        let wanted = if left >= 66 { u64::MAX } else { (1 << (left - 2)) - 1 };
        // SAFETY: the masked loads read as many bytes as triplets can begin at, from the first, the second and the
        // third on, the last of which is the text's last; the tables have 128 entries and more.
        unsafe {
            let signs = _mm512_maskz_loadu_epi8(wanted, text.as_ptr().add(at).cast());
            let signs = _mm512_cmpeq_epi8_mask(signs, _mm512_set1_epi8(b'%' as i8));
            if signs == 0 {
                (leads, at) = (0, at + 64);
                continue;
            }
            let high = _mm512_maskz_loadu_epi8(wanted, text.as_ptr().add(at + 1).cast());
            let low = _mm512_maskz_loadu_epi8(wanted, text.as_ptr().add(at + 2).cast());
            let digits = [load(HEX_VALUES.as_ptr()), load(HEX_VALUES.as_ptr().add(64))];
            let first = _mm512_permutex2var_epi8(digits[0], high, digits[1]);
            let second = _mm512_permutex2var_epi8(digits[0], low, digits[1]);
            // The look-up uses seven bits: neither the byte nor its entry may have the eighth.
            let either = _mm512_or_si512(_mm512_or_si512(high, low), _mm512_or_si512(first, second));
            let begins = signs & !_mm512_movepi8_mask(either);
            // Removes the bits that a neighbour that is not a digit shifts in.
            let tens = _mm512_and_si512(_mm512_slli_epi16(first, 4), _mm512_set1_epi8(0xf0_u8 as i8));
            let octets = _mm512_or_si512(tens, second);
            let is_ascii = !_mm512_movepi8_mask(octets);
            let kinds = _mm512_maskz_permutex2var_epi8(
                begins & is_ascii,
                load(kinds.as_ptr()),
                octets,
                load(kinds.as_ptr().add(64)),
            );
            found = _mm512_or_si512(found, kinds);
            let a = _mm512_set1_epi8(b'a' as i8);
            lower |= begins & (_mm512_cmpge_epu8_mask(high, a) | _mm512_cmpge_epu8_mask(low, a));

            // C0, C1 and from F8 up always; E0 and F0 before an octet below A0, though F0 allows some of these.
            let pairs = _mm512_and_si512(octets, _mm512_set1_epi8(0xfe_u8 as i8));
            let c0 = _mm512_cmpeq_epi8_mask(pairs, _mm512_set1_epi8(0xc0_u8 as i8));
            let f8 = _mm512_cmpge_epu8_mask(octets, _mm512_set1_epi8(0xf8_u8 as i8));
            let wide = _mm512_and_si512(octets, _mm512_set1_epi8(0xef_u8 as i8));
            let lead = _mm512_cmpeq_epi8_mask(wide, _mm512_set1_epi8(0xe0_u8 as i8)) & begins;
            let low_tail = _mm512_cmplt_epi8_mask(octets, _mm512_set1_epi8(0xa0_u8 as i8));
            suspects |= begins & (c0 | f8 | low_tail & (lead << 3 | leads));
            leads = lead >> 61;
        }
        at += 64;
    }
    let all = [32, 16, 8].iter().fold(_mm512_reduce_or_epi64(found), |all, shift| all | all >> shift);
    TripletSurvey {
        kinds: all as u8,
        has_lower: lower != 0,
        has_overlong: suspects != 0 && triplets::portable(text, kinds).has_overlong,
    }
}

/// # Safety
/// 64 bytes can be read.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load(at: *const u8) -> __m512i {
    // SAFETY: the caller's promise.
    unsafe { _mm512_loadu_si512(at.cast()) }
}
