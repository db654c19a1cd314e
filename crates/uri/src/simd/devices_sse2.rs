//! Slashes with SSE2, which every x86-64 has: the fallback for finding device names.

use core::arch::x86_64::*;

use super::devices::{ROUND, Window};

/// [`devices::slashes`](super::devices::slashes), 16 bytes at a time.
#[inline(always)]
pub(super) fn slashes(window: &Window) -> u64 {
    let mut slashes = 0;
    for i in 0..ROUND / 16 {
        // SAFETY: the window has 16 bytes at the pointer; SSE2 is part of x86-64.
        let found = unsafe {
            let bytes = _mm_loadu_si128(window.as_ptr().add(16 * i).cast());
            _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'/' as i8))) as u32
        };
        slashes |= u64::from(found) << (16 * i);
    }
    slashes
}
