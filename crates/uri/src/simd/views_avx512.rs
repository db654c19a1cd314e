//! String views with AVX-512: sixteen records at a time to offsets and lengths, four at a time to views. With it the
//! default table of `te` (docs/PERFORMANCE.md) takes 35 instead of 44 ns a row.
//!
//! A view's text begins four bytes into the view, so sixteen bytes are loaded from four before the text, and the length
//! overwrites the first four of them. Excess bytes are masked off.

use core::arch::x86_64::*;

use super::views::{Given, IN_SECOND, INLINE, Parts, sixteen};

/// The number of records of a group.
pub(super) const GROUP: usize = 16;

/// For each byte of four views the text length above which it is text; the maximum for the four bytes of the length.
const PLACES: [u8; 64] = {
    let mut places = [u8::MAX; 64];
    let mut at = 0;
    while at < 64 {
        if at % 16 >= 4 {
            places[at] = (at % 16 - 4) as u8;
        }
        at += 1;
    }
    places
};

/// For each byte of four views, the byte of sixteen lengths that belongs to its view.
const LIMITS: [[u8; 64]; 4] = {
    let mut limits = [[0; 64]; 4];
    let mut at = 0;
    while at < 256 {
        limits[at / 64][at % 64] = (at / 16 * 4) as u8;
        at += 1;
    }
    limits
};

/// For each word of four views, the word of sixteen lengths, then sixteen offsets, that it takes, if it takes one.
const WORDS: [[u32; 16]; 4] = {
    let mut words = [[0; 16]; 4];
    let mut at = 0;
    while at < 64 {
        words[at / 16][at % 16] = (at / 4 + if at % 4 == 3 { 16 } else { 0 }) as u32;
        at += 1;
    }
    words
};

/// The first and the last word of each of four views; below, the third.
const ENDS: u16 = 0x9999;
const THIRD: u16 = 0x4444;

/// The views of whole groups of records from `at` on, up to the first group that is too close to an edge of its text;
/// returns the end.
///
/// # Safety
/// The processor has the instruction set. The arrays of `parts` are of one length, `out` too, and `given` has
/// a bit for each.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn views(
    texts: [&[u8]; 2],
    parts: &Parts<'_>,
    at: usize,
    out: &mut [u128],
    given: &mut [u8],
) -> usize {
    // From here on sixteen bytes would not be readable.
    let Some(limits) = texts[0].len().checked_sub(16).zip(texts[1].len().checked_sub(16)) else { return at };
    let limits = [limits.0, limits.1].map(|limit| limit.min(IN_SECOND as usize) as i32);
    let bases = texts.map(|text| text.as_ptr().expose_provenance() as i64);
    let mut at = at;
    while at + GROUP <= parts.len() {
        // SAFETY: the arrays have a group of entries from `at` on.
        unsafe {
            let start = load(parts.start, at);
            let from = parts.from.map_or(_mm512_setzero_si512(), |from| load(from, at));
            let to = load(parts.to, at);
            let one = _mm512_set1_epi32(1);
            let is_longer = _mm512_cmpgt_epu32_mask(to, from);
            let (from, is_given) = match parts.given {
                Given::NotEmpty => (from, is_longer),
                Given::Behind => (_mm512_mask_add_epi32(from, is_longer, from, one), is_longer),
                Given::After(after) => {
                    let after = _mm512_add_epi32(load(after, at), one);
                    (from, _mm512_cmpgt_epu32_mask(from, after))
                }
            };
            let len = _mm512_maskz_sub_epi32(is_longer, to, from);
            let second = _mm512_cmplt_epi32_mask(start, _mm512_setzero_si512());
            let start = _mm512_and_si512(start, _mm512_set1_epi32(!IN_SECOND as i32));
            let offset = _mm512_add_epi32(start, from);
            // Four bytes earlier: an offset below four then exceeds every limit.
            let loaded = _mm512_sub_epi32(offset, _mm512_set1_epi32(4));
            let limit =
                _mm512_mask_blend_epi32(second, _mm512_set1_epi32(limits[0]), _mm512_set1_epi32(limits[1]));
            if _mm512_cmpgt_epu32_mask(loaded, limit) != 0 {
                break;
            }
            let addresses = addresses(bases, second, loaded);
            group(&addresses, second, offset, len, &mut out[at..at + GROUP]);
            given[at / 8..][..GROUP / 8].copy_from_slice(&is_given.to_le_bytes());
        }
        at += GROUP;
    }
    at
}

/// # Safety
/// The array has a group of entries from `at` on.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load(array: &[u32], at: usize) -> __m512i {
    debug_assert!(at + GROUP <= array.len());
    // SAFETY: the caller's promise.
    unsafe { _mm512_loadu_si512(array.as_ptr().add(at).cast()) }
}

/// The addresses of sixteen offsets.
#[inline]
#[target_feature(enable = "avx512f")]
fn addresses(bases: [i64; 2], second: __mmask16, offsets: __m512i) -> [usize; GROUP] {
    let halves = [_mm512_castsi512_si256(offsets), _mm512_extracti64x4_epi64(offsets, 1)];
    let [first_base, second_base] = bases.map(|base| _mm512_set1_epi64(base));
    let mut addresses = [0; GROUP];
    for (half, (offsets, addresses)) in halves.into_iter().zip(addresses.as_chunks_mut::<8>().0).enumerate() {
        let base = _mm512_mask_blend_epi64((second >> (8 * half)) as u8, first_base, second_base);
        let sums = _mm512_add_epi64(base, _mm512_cvtepu32_epi64(offsets));
        // SAFETY: eight words of 64 bits each.
        unsafe { _mm512_storeu_si512(addresses.as_mut_ptr().cast(), sums) };
    }
    addresses
}

/// Sixteen views.
///
/// # Safety
/// At each address sixteen bytes can be read.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn group(
    addresses: &[usize; GROUP],
    second: __mmask16,
    offset: __m512i,
    len: __m512i,
    out: &mut [u128],
) {
    let is_outside = _mm512_cmpgt_epu32_mask(len, _mm512_set1_epi32(INLINE as i32));
    let shown = _mm512_mask_mov_epi32(len, is_outside, _mm512_set1_epi32(4));
    let offset = _mm512_maskz_mov_epi32(is_outside, offset);
    let buffer = _mm512_maskz_set1_epi32(is_outside & second, 1);
    // SAFETY: the tables have 64 bytes each.
    let places = unsafe { _mm512_loadu_si512(PLACES.as_ptr().cast()) };
    for (four, (addresses, out)) in
        addresses.as_chunks::<4>().0.iter().zip(out.as_chunks_mut::<4>().0).enumerate()
    {
        // SAFETY: the caller vouches for the addresses; the tables and four views are of 64 bytes each.
        unsafe {
            let text = _mm512_castsi128_si512(sixteen(addresses[0]));
            let text = _mm512_inserti32x4(text, sixteen(addresses[1]), 1);
            let text = _mm512_inserti32x4(text, sixteen(addresses[2]), 2);
            let text = _mm512_inserti32x4(text, sixteen(addresses[3]), 3);
            let limits = _mm512_permutexvar_epi8(_mm512_loadu_si512(LIMITS[four].as_ptr().cast()), shown);
            let text = _mm512_maskz_mov_epi8(_mm512_cmpgt_epu8_mask(limits, places), text);
            let words = _mm512_loadu_si512(WORDS[four].as_ptr().cast());
            let ends = _mm512_maskz_permutex2var_epi32(ENDS, len, words, offset);
            let third = _mm512_maskz_permutexvar_epi32(THIRD, words, buffer);
            let views = _mm512_or_si512(text, _mm512_or_si512(ends, third));
            _mm512_storeu_si512(out.as_mut_ptr().cast(), views);
        }
    }
}
