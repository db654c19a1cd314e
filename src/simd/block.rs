//! The 64-byte block that every instruction set presents, so that the algorithm has none in it.

use crate::grammar::chars::KernelTable;

/// One bit a byte of a block, the first byte lowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Masks {
    pub(super) newline: u64,
    pub(super) colon: u64,
    pub(super) slash: u64,
    pub(super) question: u64,
    pub(super) hash: u64,
    pub(super) dot: u64,
    pub(super) percent: u64,
    pub(super) dash: u64,
    /// [`KernelTable::TEXT`]
    pub(super) text: u64,
    /// [`KernelTable::HOST`]
    pub(super) host: u64,
    /// [`KernelTable::HEX`]
    pub(super) hex: u64,
}

/// 64 bytes and the way to their masks.
pub(super) trait Block: Copy {
    /// Loads the 64 bytes at `at`.
    ///
    /// # Safety
    /// - 64 bytes are readable at `at`.
    /// - The processor has the block's instruction set.
    unsafe fn load(at: *const u8) -> Self;

    /// Loads `len` bytes (at most 64) and zeros behind them.
    ///
    /// # Safety
    /// - `len` bytes are readable at `at`.
    /// - The processor has the block's instruction set.
    #[inline(always)]
    unsafe fn load_partial(at: *const u8, len: usize) -> Self {
        let mut bytes = [0u8; 64];
        // SAFETY: the caller vouches for `len` bytes; `bytes` has room for 64.
        unsafe {
            std::ptr::copy_nonoverlapping(at, bytes.as_mut_ptr(), len.min(64));
            Self::load(bytes.as_ptr())
        }
    }

    /// Classifies all bytes.
    ///
    /// # Safety
    /// The processor has the block's instruction set.
    unsafe fn masks(self, table: &KernelTable) -> Masks;
}
