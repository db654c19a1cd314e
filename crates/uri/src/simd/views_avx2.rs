//! String views with AVX2: eight records at a time to offsets and lengths, two at a time to views. As with AVX-512, the
//! text is loaded from four bytes before it. A view takes 13 instructions, and 48 made one by one.

use core::arch::x86_64::*;

use super::views::{Given, IN_SECOND, INLINE, Parts, sixteen};

/// The number of records of a group.
pub(super) const GROUP: usize = 8;

/// For each byte of two views the text length above which it is text; the maximum for the four bytes of the length.
const PLACES: [i8; 32] = {
    let mut places = [i8::MAX; 32];
    let mut at = 0;
    while at < 32 {
        if at % 16 >= 4 {
            places[at] = (at % 16 - 4) as i8;
        }
        at += 1;
    }
    places
};

/// The views of whole groups of records from `at` on, up to the first group that is too close to an edge of its text;
/// returns the end.
///
/// # Safety
/// The processor has the instruction set. The arrays of `parts` are of one length, `out` too, and `given` has
/// a bit for each.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn views(
    texts: [&[u8]; 2],
    parts: &Parts<'_>,
    at: usize,
    out: &mut [u128],
    given: &mut [u8],
) -> usize {
    // From here on sixteen bytes would not be readable.
    let Some(limits) = texts[0].len().checked_sub(16).zip(texts[1].len().checked_sub(16)) else { return at };
    let limits = [limits.0, limits.1].map(|limit| _mm256_set1_epi32(limit.min(!IN_SECOND as usize) as i32));
    let bases = texts.map(|text| _mm256_set1_epi64x(text.as_ptr().expose_provenance() as i64));
    let mut at = at;
    while at + GROUP <= parts.len() {
        // SAFETY: the arrays have a group of entries from `at` on.
        unsafe {
            let start = load(parts.start, at);
            let from = parts.from.map_or(_mm256_setzero_si256(), |from| load(from, at));
            let to = load(parts.to, at);
            let is_longer = _mm256_cmpgt_epi32(to, from);
            // These are compared as signed numbers: none may be negative.
            let mut numbers = _mm256_or_si256(from, to);
            let (part, is_given) = match parts.given {
                Given::NotEmpty => (from, is_longer),
                // The mask is -1 where it is set.
                Given::Behind => (_mm256_sub_epi32(from, is_longer), is_longer),
                Given::After(after) => {
                    let after = _mm256_add_epi32(load(after, at), _mm256_set1_epi32(1));
                    numbers = _mm256_or_si256(numbers, after);
                    (from, _mm256_cmpgt_epi32(from, after))
                }
            };
            let len = _mm256_and_si256(is_longer, _mm256_sub_epi32(to, part));
            let offset =
                _mm256_add_epi32(_mm256_and_si256(start, _mm256_set1_epi32(!IN_SECOND as i32)), part);
            // Four bytes earlier: an offset below four then exceeds every limit.
            let loaded = _mm256_sub_epi32(offset, _mm256_set1_epi32(4));
            let limit = blend(limits[0], limits[1], start);
            let is_within = _mm256_cmpeq_epi32(_mm256_max_epu32(loaded, limit), limit);
            if signs(_mm256_andnot_si256(numbers, is_within)) != u8::MAX {
                break;
            }
            let addresses = addresses(bases, start, loaded);
            group(&addresses, start, offset, len, &mut out[at..at + GROUP]);
            given[at / 8] = signs(is_given);
        }
        at += GROUP;
    }
    at
}

/// # Safety
/// The array has a group of entries from `at` on.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load(array: &[u32], at: usize) -> __m256i {
    debug_assert!(at + GROUP <= array.len());
    // SAFETY: the caller's promise.
    unsafe { _mm256_loadu_si256(array.as_ptr().add(at).cast()) }
}

/// The sign bit of each.
#[inline]
#[target_feature(enable = "avx2")]
fn signs(words: __m256i) -> u8 {
    _mm256_movemask_ps(_mm256_castsi256_ps(words)) as u8
}

/// The words of `second` where `sign` is negative, else the words of `first`.
#[inline]
#[target_feature(enable = "avx2")]
fn blend(first: __m256i, second: __m256i, sign: __m256i) -> __m256i {
    let [first, second, sign] = [first, second, sign].map(|words| _mm256_castsi256_ps(words));
    _mm256_castps_si256(_mm256_blendv_ps(first, second, sign))
}

/// The addresses of eight offsets, in the second text where `start` is negative.
#[inline]
#[target_feature(enable = "avx2")]
fn addresses(bases: [__m256i; 2], start: __m256i, offsets: __m256i) -> [usize; GROUP] {
    let mut addresses = [0; GROUP];
    let halves = [
        (_mm256_castsi256_si128(start), _mm256_castsi256_si128(offsets)),
        (_mm256_extracti128_si256(start, 1), _mm256_extracti128_si256(offsets, 1)),
    ];
    for ((start, offsets), addresses) in halves.into_iter().zip(addresses.as_chunks_mut::<4>().0) {
        let sign = _mm256_castsi256_pd(_mm256_cvtepi32_epi64(start));
        let [first, second] = [_mm256_castsi256_pd(bases[0]), _mm256_castsi256_pd(bases[1])];
        let base = _mm256_castpd_si256(_mm256_blendv_pd(first, second, sign));
        let sums = _mm256_add_epi64(base, _mm256_cvtepu32_epi64(offsets));
        // SAFETY: four words of 64 bits each.
        unsafe { _mm256_storeu_si256(addresses.as_mut_ptr().cast(), sums) };
    }
    addresses
}

/// Eight views.
///
/// # Safety
/// At each address sixteen bytes can be read.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn group(addresses: &[usize; GROUP], start: __m256i, offset: __m256i, len: __m256i, out: &mut [u128]) {
    let is_outside = _mm256_cmpgt_epi32(len, _mm256_set1_epi32(INLINE as i32));
    let shown = blend(len, _mm256_set1_epi32(4), is_outside);
    let buffer = _mm256_and_si256(is_outside, _mm256_srli_epi32(start, 31));
    let offset = _mm256_and_si256(is_outside, offset);
    // The first record's and the fifth's next to each other, the second's and the sixth's, and so on.
    let none = _mm256_setzero_si256();
    let heads = [_mm256_unpacklo_epi32(len, none), _mm256_unpackhi_epi32(len, none)];
    let ends = [_mm256_unpacklo_epi32(buffer, offset), _mm256_unpackhi_epi32(buffer, offset)];
    let others = [
        _mm256_unpacklo_epi64(heads[0], ends[0]),
        _mm256_unpackhi_epi64(heads[0], ends[0]),
        _mm256_unpacklo_epi64(heads[1], ends[1]),
        _mm256_unpackhi_epi64(heads[1], ends[1]),
    ];
    // SAFETY: the table has 32 bytes.
    let places = unsafe { _mm256_loadu_si256(PLACES.as_ptr().cast()) };
    for (i, others) in others.into_iter().enumerate() {
        // SAFETY: the caller vouches for the addresses.
        let text = unsafe {
            _mm256_inserti128_si256(
                _mm256_castsi128_si256(sixteen(addresses[i])),
                sixteen(addresses[i + 4]),
                1,
            )
        };
        // The lowest byte of the records' lengths, in all bytes of their views.
        let shown = _mm256_shuffle_epi8(shown, _mm256_set1_epi8(4 * i as i8));
        let text = _mm256_and_si256(text, _mm256_cmpgt_epi8(shown, places));
        let views = _mm256_or_si256(text, others);
        let [first, second] = [_mm256_castsi256_si128(views), _mm256_extracti128_si256(views, 1)];
        // SAFETY: a view has 16 bytes.
        unsafe {
            _mm_storeu_si128((&raw mut out[i]).cast(), first);
            _mm_storeu_si128((&raw mut out[i + 4]).cast(), second);
        }
    }
}
