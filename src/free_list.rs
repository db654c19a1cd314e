//! Things that are reused: buffers that files are read into (`read::pool`), the memory of columns (`batch::memory`),
//! compressors (`write::parquet`). They are expensive to make, and fresh memory costs a page fault every 4 KiB, so they
//! wait here for their next use.

use std::sync::Mutex;

use crate::locks::lock;

/// Unused things, for any thread that needs one.
#[derive(Debug)]
pub(crate) struct FreeList<T> {
    free: Mutex<Vec<T>>,
    keep: usize,
}

impl<T> FreeList<T> {
    /// A list that keeps at most this many.
    pub(crate) const fn new(keep: usize) -> Self {
        FreeList { free: Mutex::new(Vec::new()), keep }
    }

    /// The one that was used last, which is in the cache; `None` where none is free.
    pub(crate) fn take(&self) -> Option<T> {
        lock(&self.free).pop()
    }

    /// Keeps one for its next use, or drops it if there are enough.
    pub(crate) fn give(&self, thing: T) {
        let mut free = lock(&self.free);
        if free.len() < self.keep {
            free.push(thing);
        }
    }

    /// How many are free.
    pub(crate) fn len(&self) -> usize {
        lock(&self.free).len()
    }
}
