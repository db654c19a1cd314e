//! The bytes of one record as the kernel reads them: in blocks of 64, even if fewer are left.

use super::block::Block;

/// The number of readable bytes that the kernels need after a buffer's last record.
pub const PADDING: usize = 128;

/// The offset of the host in a text with these first eight bytes: after `https://`, `http://` or `//`; 0 if there is
/// none of them. Without a branch, so that the compiler computes several together.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub(super) fn host_start(prefix: u64) -> u64 {
    const HTTPS: u64 = u64::from_le_bytes(*b"https://");
    const HTTP: u64 = u64::from_le_bytes(*b"http://\0");
    const SLASHES: u64 = u64::from_le_bytes(*b"//\0\0\0\0\0\0");
    let either = |is: bool, len: u64| if is { len } else { 0 };
    either(prefix == HTTPS, 8) | either(prefix << 8 == HTTP << 8, 7) | either(prefix & 0xffff == SLASHES, 2)
}

/// The source of a record's bytes.
pub(super) trait Text: Copy {
    /// Whether [`PADDING`](super::PADDING) bytes are readable after the record.
    const PADDED: bool;

    /// The block at `at`; the bytes after the record's end are undefined.
    ///
    /// # Safety
    /// `at` is at most the record's length, or 64 of a padded one, and the block's instruction set is there.
    unsafe fn block<B: Block>(self, at: usize) -> B;

    /// The first eight bytes, the first one lowest.
    ///
    /// # Safety
    /// As for the type's construction.
    unsafe fn prefix(self) -> u64;

    /// One byte.
    ///
    /// # Safety
    /// `at` is at most the record's length.
    unsafe fn byte(self, at: usize) -> u8;

    /// The end of the line that contains `at`, without its line ending, and the start of the next one.
    ///
    /// # Safety
    /// `at` is within a line that a newline ends.
    unsafe fn line_end(self, at: usize) -> (usize, usize);
}

/// The number of bytes of a line that are searched for its newline at once: no more than are readable after it.
const LINE_STEP: usize = PADDING;

/// A record with [`PADDING`](super::PADDING) readable bytes after its end.
#[derive(Clone, Copy)]
pub(super) struct Padded(pub(super) *const u8);

impl Text for Padded {
    const PADDED: bool = true;

    #[inline(always)]
    unsafe fn block<B: Block>(self, at: usize) -> B {
        // SAFETY: `at` is at most 64 bytes after the record's end, and 128 bytes are readable there.
        unsafe { B::load(self.0.add(at)) }
    }

    #[inline(always)]
    unsafe fn prefix(self) -> u64 {
        // SAFETY: the padding is readable even where the record is empty.
        u64::from_le_bytes(unsafe { self.0.cast::<[u8; 8]>().read() })
    }

    #[inline(always)]
    unsafe fn byte(self, at: usize) -> u8 {
        // SAFETY: as for `block`.
        unsafe { *self.0.add(at) }
    }

    #[inline(always)]
    unsafe fn line_end(self, at: usize) -> (usize, usize) {
        // SAFETY: the caller vouches for the newline, up to which everything is readable.
        let newline = unsafe {
            let mut chunk = at;
            loop {
                let bytes = core::slice::from_raw_parts(self.0.add(chunk), LINE_STEP);
                match memchr::memchr(b'\n', bytes) {
                    Some(found) => break chunk + found,
                    None => chunk += LINE_STEP,
                }
            }
        };
        // SAFETY: a byte before the newline, if there is one.
        let cut = newline > 0 && unsafe { self.byte(newline - 1) } == b'\r';
        (newline - usize::from(cut), newline + 1)
    }
}

/// A text with nothing readable after it.
#[derive(Clone, Copy)]
pub(super) struct Exact<'a>(pub(super) &'a [u8]);

impl Text for Exact<'_> {
    const PADDED: bool = false;

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
            Some(&bytes) => u64::from_le_bytes(bytes),
            // Shorter than `http://` and a host, so not of the common shape.
            None => 0,
        }
    }

    #[inline(always)]
    unsafe fn byte(self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or(0)
    }

    #[inline(always)]
    unsafe fn line_end(self, _: usize) -> (usize, usize) {
        // A text by itself is not a line: it ends where it ends.
        (self.0.len(), self.0.len())
    }
}
