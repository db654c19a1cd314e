//! The bytes of one record as the kernel reads them: in blocks of 64, whether or not that many are left.

use super::block::Block;

/// Where a record's bytes come from.
pub(super) trait Text: Copy {
    /// The block at `at`; what stands behind the record's end may be anything.
    ///
    /// # Safety
    /// `at` is at most the record's length, and the block's instruction set is there.
    unsafe fn block<B: Block>(self, at: usize) -> B;

    /// The first eight bytes, in memory order.
    ///
    /// # Safety
    /// As for the type's construction.
    unsafe fn prefix(self) -> u64;

    /// One byte.
    ///
    /// # Safety
    /// `at` is at most the record's length.
    unsafe fn byte(self, at: usize) -> u8;
}

/// A record with at least 64 readable bytes behind its end.
#[derive(Clone, Copy)]
pub(super) struct Padded(pub(super) *const u8);

impl Text for Padded {
    #[inline(always)]
    unsafe fn block<B: Block>(self, at: usize) -> B {
        // SAFETY: `at` is within the record or its end, and 64 bytes are readable behind the end.
        unsafe { B::load(self.0.add(at)) }
    }

    #[inline(always)]
    unsafe fn prefix(self) -> u64 {
        // SAFETY: 64 bytes are readable even at the end.
        u64::from_ne_bytes(unsafe { self.0.cast::<[u8; 8]>().read() })
    }

    #[inline(always)]
    unsafe fn byte(self, at: usize) -> u8 {
        // SAFETY: as for `block`.
        unsafe { *self.0.add(at) }
    }
}

/// A text with nothing readable behind it.
#[derive(Clone, Copy)]
pub(super) struct Exact<'a>(pub(super) &'a [u8]);

impl Text for Exact<'_> {
    #[inline(always)]
    unsafe fn block<B: Block>(self, at: usize) -> B {
        // SAFETY: `at` is at most the length; a full block is read only where 64 bytes are left.
        unsafe {
            let (from, left) = (self.0.as_ptr().add(at), self.0.len() - at);
            if left >= 64 { B::load(from) } else { B::load_partial(from, left) }
        }
    }

    #[inline(always)]
    unsafe fn prefix(self) -> u64 {
        match self.0.first_chunk::<8>() {
            Some(&bytes) => u64::from_ne_bytes(bytes),
            // Shorter than `http://` and a host: not of the common shape.
            None => 0,
        }
    }

    #[inline(always)]
    unsafe fn byte(self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or(0)
    }
}
