//! Slashes and newlines with SSE2, which every x86-64 has: the fallback for finding device names.

use core::arch::x86_64::*;

use super::devices::{ROUND, Window};

/// [`devices::borders`](super::devices::borders), 16 bytes at a time.
#[inline(always)]
pub(super) fn borders(window: &Window) -> u64 {
    let mut borders = 0;
    for i in 0..ROUND / 16 {
        // SAFETY: the window has 16 bytes at the pointer; SSE2 is part of x86-64.
        let found = unsafe {
            let bytes = _mm_loadu_si128(window.as_ptr().add(16 * i).cast());
            let [slash, newline] = [_mm_set1_epi8(b'/' as i8), _mm_set1_epi8(b'\n' as i8)];
            let found = _mm_or_si128(_mm_cmpeq_epi8(bytes, slash), _mm_cmpeq_epi8(bytes, newline));
            _mm_movemask_epi8(found) as u32
        };
        borders |= u64::from(found) << (16 * i);
    }
    borders
}
