//! The octets of triplets, with AVX2: 32 bytes at a time are processed as if a triplet began at each.

use core::arch::x86_64::*;

use super::triplets::{self, TripletKinds, TripletSurvey};

/// The number of bytes handled together, at each of which a triplet can begin, and the number of bytes after them that
/// these triplets need.
const STEP: usize = 32;
const BEHIND: usize = 2;

/// By the low nibble of a byte: the bit 0x10 if it is a digit with the high nibble 3, 0x20 if it is one with 4 or 6.
const LOW: [u8; 16] = [0x10, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x10, 0x10, 0x10, 0, 0, 0, 0, 0, 0];
/// By the high nibble: the bit that counts.
const HIGH: [u8; 16] = [0, 0, 0, 0x10, 0x20, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0];
/// By the high nibble: the difference between a digit's value and its low nibble.
const MORE: [u8; 16] = [0, 0, 0, 0, 9, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// [`super::triplets::portable`].
///
/// # Safety
/// The processor has the instruction set.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn survey(text: &[u8], kinds: &TripletKinds) -> TripletSurvey {
    let mut found = Found { kinds: 0, lower: 0, suspects: 0, leads: 0 };
    let mut at = 0;
    while at + STEP + BEHIND <= text.len() {
        // SAFETY: this many bytes are left.
        unsafe { found.step(text.as_ptr().add(at), kinds) };
        at += STEP;
    }
    let left = &text[at..];
    if left.len() > BEHIND {
        let mut last = [0; STEP + BEHIND];
        last[..left.len()].copy_from_slice(left);
        // SAFETY: it is as long as one step reads.
        unsafe { found.step(last.as_ptr(), kinds) };
    }
    TripletSurvey {
        kinds: found.kinds,
        has_lower: found.lower != 0,
        has_overlong: found.suspects != 0 && triplets::portable(text, kinds).has_overlong,
    }
}

/// The results so far.
struct Found {
    kinds: u8,
    /// Digits in lower case, one bit for each triplet that has one.
    lower: u32,
    /// Octets that over-long forms begin with, and those of them at the end of the last step that decide in the next.
    suspects: u32,
    leads: u32,
}

impl Found {
    /// The triplets that begin in 32 bytes.
    ///
    /// # Safety
    /// 34 bytes can be read.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    unsafe fn step(&mut self, at: *const u8, kinds: &TripletKinds) {
        // SAFETY: the caller's promise.
        let [signs, high, low] = unsafe { [load(at), load(at.add(1)), load(at.add(2))] };
        let is_sign = _mm256_cmpeq_epi8(signs, _mm256_set1_epi8(b'%' as i8));
        if mask(is_sign) == 0 {
            self.leads = 0;
            return;
        }
        let ([first, is_first], [second, is_second]) = (digits(high), digits(low));
        let no_digit = _mm256_or_si256(
            _mm256_cmpeq_epi8(is_first, _mm256_setzero_si256()),
            _mm256_cmpeq_epi8(is_second, _mm256_setzero_si256()),
        );
        let begins = mask(_mm256_andnot_si256(no_digit, is_sign));
        // Removes the bits that a neighbour that is not a digit shifts in.
        let tens = _mm256_and_si256(_mm256_slli_epi16(first, 4), _mm256_set1_epi8(0xf0_u8 as i8));
        let octets = _mm256_or_si256(tens, second);
        let letters = _mm256_or_si256(
            _mm256_cmpgt_epi8(high, _mm256_set1_epi8(0x60)),
            _mm256_cmpgt_epi8(low, _mm256_set1_epi8(0x60)),
        );
        self.lower |= begins & mask(letters);

        // C0, C1 and from F8 up always; E0 and F0 before an octet below A0, though F0 allows some of these.
        let [pair, wide] = [_mm256_set1_epi8(0xfe_u8 as i8), _mm256_set1_epi8(0xef_u8 as i8)];
        let c0 = _mm256_cmpeq_epi8(_mm256_and_si256(octets, pair), _mm256_set1_epi8(0xc0_u8 as i8));
        let f8 = _mm256_cmpeq_epi8(_mm256_max_epu8(octets, _mm256_set1_epi8(0xf8_u8 as i8)), octets);
        let lead = _mm256_cmpeq_epi8(_mm256_and_si256(octets, wide), _mm256_set1_epi8(0xe0_u8 as i8));
        let low_tail = _mm256_cmpgt_epi8(_mm256_set1_epi8(0xa0_u8 as i8), octets);
        let lead = mask(lead) & begins;
        self.suspects |= begins & (mask(_mm256_or_si256(c0, f8)) | mask(low_tail) & (lead << 3 | self.leads));
        self.leads = lead >> (STEP - 3);

        let mut left = begins & !mask(octets);
        if left != 0 {
            let mut bytes = [0u8; STEP];
            // SAFETY: there is room for 32 bytes.
            unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), octets) };
            while left != 0 {
                // Below 0x80: their highest bit is not set.
                self.kinds |= kinds[usize::from(bytes[left.trailing_zeros() as usize] & 0x7f)];
                left &= left - 1;
            }
        }
    }
}

/// The values of hexadecimal digits, and not 0 for each byte that is one.
#[inline]
#[target_feature(enable = "avx2")]
fn digits(bytes: __m256i) -> [__m256i; 2] {
    let nibble = _mm256_set1_epi8(0x0f);
    let high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble);
    // A look-up uses the low nibble, and finds nothing for bytes from 0x80 up.
    let is_digit =
        _mm256_and_si256(_mm256_shuffle_epi8(table(&LOW), bytes), _mm256_shuffle_epi8(table(&HIGH), high));
    let more = _mm256_shuffle_epi8(table(&MORE), high);
    [_mm256_add_epi8(_mm256_and_si256(bytes, nibble), more), is_digit]
}

#[inline]
#[target_feature(enable = "avx2")]
fn table(entries: &'static [u8; 16]) -> __m256i {
    // SAFETY: there are 16 of them.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(entries.as_ptr().cast()) })
}

/// # Safety
/// 32 bytes can be read.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load(at: *const u8) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe { _mm256_loadu_si256(at.cast()) }
}

/// The sign bits.
#[inline]
#[target_feature(enable = "avx2")]
fn mask(bytes: __m256i) -> u32 {
    _mm256_movemask_epi8(bytes) as u32
}
