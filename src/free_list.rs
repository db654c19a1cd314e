//! Things that are used again: buffers that files are read into (`read::pool`), the memory of columns
//! (`batch::memory`), compressors (`write::parquet`). What is dear to make, and fresh memory costs a page fault every 4
//! KiB, waits here for its next use. Under all rooms that have such things.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Things that nobody uses at present, for whoever needs one, in whatever thread that is.
#[derive(Debug)]
pub(crate) struct FreeList<T> {
    free: Mutex<Vec<T>>,
    keep: usize,
}

impl<T> FreeList<T> {
    /// A list that keeps at most so many.
    pub(crate) const fn new(keep: usize) -> Self {
        FreeList { free: Mutex::new(Vec::new()), keep }
    }

    // A list of whole things is whole at every moment, so a panic elsewhere does not spoil it.
    fn list(&self) -> MutexGuard<'_, Vec<T>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The one that was used last, which is in the cache; `None` where none is free.
    pub(crate) fn take(&self) -> Option<T> {
        self.list().pop()
    }

    /// Keeps one for its next use, or drops it where there are enough.
    pub(crate) fn give(&self, thing: T) {
        let mut free = self.list();
        if free.len() < self.keep {
            free.push(thing);
        }
    }

    /// How many are free.
    pub(crate) fn len(&self) -> usize {
        self.list().len()
    }
}
