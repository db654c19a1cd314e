//! Reused objects: buffers that files are read into (`pool`), the memory of columns (urimill-columns),
//! compressors (`write::parquet`). They are expensive to make, and fresh memory costs a page fault every 4 KiB, so they
//! are kept for their next use.

use std::sync::Mutex;

use crate::locks::lock;

/// Free objects, for any thread that needs one.
#[derive(Debug)]
pub struct FreeList<T> {
    free: Mutex<Vec<T>>,
    keep: usize,
}

impl<T> FreeList<T> {
    /// A list that keeps at most this many objects.
    pub const fn new(keep: usize) -> Self {
        FreeList { free: Mutex::new(Vec::new()), keep }
    }

    /// The object that was used last, which is in the cache; `None` if none is free.
    pub fn take(&self) -> Option<T> {
        lock(&self.free).pop()
    }

    /// Keeps an object for its next use, or drops it if there are enough.
    pub fn give(&self, thing: T) {
        let mut free = lock(&self.free);
        if free.len() < self.keep {
            free.push(thing);
        }
    }

    /// The number of free objects.
    pub fn count(&self) -> usize {
        lock(&self.free).len()
    }
}
