//! The 64-byte block that every instruction set implements, so that the algorithm does not depend on any.

use crate::grammar::chars::{Delimiter, KernelTable};

/// 64 bytes, from which masks are made.
pub(super) trait Block: Copy {
    /// Whether the masks of a block cost less than a mispredicted branch.
    const IS_CHEAP: bool;

    /// The same bytes with their classes.
    type Classified: Classified;

    /// Loads the 64 bytes at `at`.
    ///
    /// # Safety
    /// - 64 bytes are readable at `at`.
    /// - The processor has the block's instruction set.
    unsafe fn load(at: *const u8) -> Self;

    /// Loads `len` bytes (at most 64) and zeros after them.
    ///
    /// # Safety
    /// - `len` bytes are readable at `at`.
    /// - The processor has the block's instruction set.
    #[inline(always)]
    unsafe fn load_partial(at: *const u8, len: usize) -> Self {
        let mut bytes = [0u8; 64];
        // SAFETY: the caller vouches for `len` bytes; `bytes` has room for 64.
        unsafe {
            core::ptr::copy_nonoverlapping(at, bytes.as_mut_ptr(), len.min(64));
            Self::load(bytes.as_ptr())
        }
    }

    /// Looks every byte up.
    ///
    /// # Safety
    /// The processor has the block's instruction set.
    unsafe fn classify(self, table: &'static KernelTable) -> Self::Classified;
}

/// 64 bytes with their classes. A mask has one bit per byte, the first byte lowest, and is made on demand.
///
/// Values come from [`Block::classify`], whose caller has vouched for the instruction set.
pub(super) trait Classified: Copy {
    /// The bytes that are this delimiter.
    fn is(self, delimiter: Delimiter) -> u64;

    /// The bytes that are stops: [`KernelTable::STOP`].
    fn stops(self) -> u64;

    /// The bytes in another class: one bit of [`KernelTable`]. For bytes from 0x80 up, which are stops, the bit may be
    /// anything.
    fn class(self, class: u8) -> u64;
}

/// Asks for memory that will be read soon. The address need not be readable.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub(super) fn prefetch(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of x86-64; a prefetch of an address that is not readable does nothing.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}
