//! The positions of a byte that is frequent in a text, such as the separator of a line's fields: a mask for 64 bytes at
//! a time, where a search would start again after each position. With it a line of a W3C log takes 6 % less time to
//! columns, and a line of Zeek 7 %.

const ROUND: usize = 64;

/// The positions of a byte in a part of a text, in order.
#[derive(Debug, Clone)]
pub struct Places<'a> {
    text: &'a [u8],
    byte: u8,
    /// The start of the mask's bytes, and the end of the part.
    at: usize,
    end: usize,
    mask: u64,
}

impl<'a> Places<'a> {
    /// The positions of `byte` in `text[start..end]`.
    ///
    /// # Panics
    /// If the text is shorter.
    #[inline]
    #[must_use]
    pub fn of(byte: u8, text: &'a [u8], (start, end): (usize, usize)) -> Places<'a> {
        assert!(start <= end && end <= text.len(), "a part of the text");
        let mut places = Places { text, byte, at: start, end, mask: 0 };
        places.look();
        places
    }

    /// Makes the mask of the bytes from `at` on.
    #[inline]
    fn look(&mut self) {
        let left = self.end - self.at;
        let window = match self.text[self.at..].first_chunk::<ROUND>() {
            Some(window) => equal(window, self.byte),
            None => match self.text.last_chunk::<ROUND>() {
                // Without a copy: these bytes begin before the part.
                Some(window) => {
                    let before = self.at + ROUND - self.text.len();
                    equal(window, self.byte).unbounded_shr(before as u32)
                }
                None => {
                    let mut window = [0; ROUND];
                    window[..left].copy_from_slice(&self.text[self.at..self.end]);
                    equal(&window, self.byte)
                }
            },
        };
        self.mask = if left < ROUND { window & ((1 << left) - 1) } else { window };
    }
}

impl Iterator for Places<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.mask == 0 {
            if self.end - self.at <= ROUND {
                return None;
            }
            self.at += ROUND;
            self.look();
        }
        let place = self.at + self.mask.trailing_zeros() as usize;
        self.mask &= self.mask - 1;
        Some(place)
    }
}

/// A bit for each byte of a window of up to 64 that is `byte`, the first byte lowest; 16 bytes at a time.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[must_use]
pub fn equal<const N: usize>(window: &[u8; N], byte: u8) -> u64 {
    use core::arch::x86_64::*;
    const { assert!(N <= ROUND && N.is_multiple_of(16), "so many bits") };
    let mut mask = 0;
    for i in 0..N / 16 {
        // SAFETY: the window has 16 bytes at the pointer; SSE2 is part of x86-64.
        let found = unsafe {
            let bytes = _mm_loadu_si128(window.as_ptr().add(16 * i).cast());
            _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte as i8))) as u32
        };
        mask |= u64::from(found) << (16 * i);
    }
    mask
}

/// A bit for each byte of a window of up to 64 that is `byte`, the first byte lowest.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
#[must_use]
pub fn equal<const N: usize>(window: &[u8; N], byte: u8) -> u64 {
    portable(window, byte)
}

/// The same, eight bytes at a time.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn portable<const N: usize>(window: &[u8; N], byte: u8) -> u64 {
    by_words(window, |word| zeros(word ^ (ONES * u64::from(byte))))
}

/// A one in each byte.
#[cfg(any(test, not(target_arch = "x86_64")))]
pub(super) const ONES: u64 = u64::MAX / 0xff;

/// The highest bit of each zero byte, and no other bit.
#[cfg(any(test, not(target_arch = "x86_64")))]
pub(super) fn zeros(word: u64) -> u64 {
    const LOW: u64 = ONES * 0x7f;
    !(((word & LOW) + LOW) | word | LOW)
}

/// A bit for each byte of a window, the first byte lowest: set if `marks` sets the byte's highest bit in its word.
/// `marks` must set no other bits.
#[cfg(any(test, not(target_arch = "x86_64")))]
pub(super) fn by_words(window: &[u8], marks: impl Fn(u64) -> u64) -> u64 {
    let mut mask = 0;
    for (i, &word) in window.as_chunks::<8>().0.iter().enumerate() {
        // Each bit is moved to its position in the highest byte.
        let marks = marks(u64::from_le_bytes(word)) >> 7;
        mask |= (marks.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * i);
    }
    mask
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn they_are_those_that_a_look_at_each_byte_finds() {
        let alphabet = [b' ', b'!', 0x00, 0x20, 0x80, 0xa0, 0xff, b'a'];
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as usize
        };
        for length in [0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 200] {
            for round in 0..40 {
                let text: Vec<u8> =
                    (0..length).map(|_| if round % 4 == 0 { b' ' } else { alphabet[next() % 8] }).collect();
                for (window, byte) in text.windows(ROUND).zip(alphabet.iter().cycle()) {
                    let window = window.first_chunk::<ROUND>().expect("so many bytes");
                    assert_eq!(equal(window, *byte), portable(window, *byte), "{byte} in {window:?}");
                }
                let (a, b) = (next() % (length + 1), next() % (length + 1));
                for part in [(0, length), (a.min(b), a.max(b)), (a, length), (0, b), (a, a)] {
                    for byte in alphabet {
                        let found: Vec<usize> = Places::of(byte, &text, part).collect();
                        let expected: Vec<usize> = (part.0..part.1).filter(|&at| text[at] == byte).collect();
                        assert_eq!(found, expected, "{byte} in {part:?} of {text:?}");
                    }
                }
            }
        }
    }
}
