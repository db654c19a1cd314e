//! Memory between two pages that nobody may touch: a read or write one byte before it or after it ends the process. The
//! only file of the tests with `unsafe`, because only the system's calls give such pages.
#![allow(unsafe_code)]

use std::io::Error;
use std::ptr::{self, NonNull};

/// Whole pages that can be read and written, with one before and one after that cannot.
pub(crate) struct Guarded {
    base: NonNull<u8>,
    page: usize,
    len: usize,
}

impl Guarded {
    /// Room for at least `len` bytes, all zero.
    pub(crate) fn new(len: usize) -> Guarded {
        // SAFETY: a question without pointers.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let page = usize::try_from(page).expect("the system knows the size of its pages");
        let len = len.next_multiple_of(page);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping, wherever there is room for it.
        let base = unsafe { libc::mmap(ptr::null_mut(), len + 2 * page, libc::PROT_NONE, flags, -1, 0) };
        assert!(base != libc::MAP_FAILED, "no memory for pages: {}", Error::last_os_error());
        let base = NonNull::new(base.cast::<u8>()).expect("a mapping is not at zero");
        let guarded = Guarded { base, page, len };
        // SAFETY: the pages between the first and the last of the mapping, to which there is no reference yet.
        let failed = unsafe {
            let inner = guarded.base.as_ptr().add(page).cast();
            libc::mprotect(inner, len, libc::PROT_READ | libc::PROT_WRITE)
        };
        assert_eq!(failed, 0, "pages cannot be made writable: {}", Error::last_os_error());
        guarded
    }

    /// All of the memory: both ends of the slice are edges of pages.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: these pages are readable and writable, initialized by the system, and borrowed as `self` is.
        unsafe { std::slice::from_raw_parts_mut(self.base.as_ptr().add(self.page), self.len) }
    }

    /// Reads the byte before the first one or after the last one, which ends the process.
    pub(crate) fn touch(&mut self, before: bool) {
        let at = if before { self.page - 1 } else { self.page + self.len };
        // SAFETY: within the mapping. The read ends the process, which the test expects.
        let byte = unsafe { self.base.as_ptr().add(at).read_volatile() };
        println!("the guard let {byte} pass");
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping of `new`, to which there is no reference left.
        let failed = unsafe { libc::munmap(self.base.as_ptr().cast(), self.len + 2 * self.page) };
        assert_eq!(failed, 0, "pages cannot be given back: {}", Error::last_os_error());
    }
}
