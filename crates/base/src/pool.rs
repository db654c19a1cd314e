//! Buffers that are reused. A chunk's buffer is as large as a chunk, and fresh memory for each (page faults, zeroing)
//! costs as much as splitting its URIs.
//!
//! A buffer goes from the [`Pool`] to the chunker, which fills it, from there as `Bytes` through
//! workers and columns, and comes back by itself when the last view into it is dropped, in
//! whatever thread that is.

use std::fmt;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

use crate::free_list::FreeList;

/// A stock of free buffers. Clones share it.
#[derive(Clone)]
pub struct Pool(Arc<Shared>);

struct Shared {
    free: FreeList<Vec<u8>>,
    largest: usize,
    allocations: AtomicUsize,
}

impl Pool {
    /// A pool that keeps at most `keep` free buffers, none of them larger than `largest` bytes.
    pub fn new(keep: usize, largest: usize) -> Self {
        Pool(Arc::new(Shared { free: FreeList::new(keep), largest, allocations: AtomicUsize::new(0) }))
    }

    /// A buffer of at least `capacity` bytes. It contains what its last use left.
    pub fn take(&self, capacity: usize) -> PooledBuffer {
        let bytes = self.0.free.take().unwrap_or_default();
        let mut buffer = PooledBuffer { bytes, pool: self.clone() };
        buffer.grow(capacity);
        buffer
    }

    /// How many times memory was requested from the system: new buffers and grown ones.
    pub fn allocations(&self) -> usize {
        self.0.allocations.load(Ordering::Relaxed)
    }

    /// How many buffers wait to be used.
    pub fn free(&self) -> usize {
        self.0.free.count()
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (free, allocations) = (self.free(), self.allocations());
        f.debug_struct("Pool").field("free", &free).field("allocations", &allocations).finish()
    }
}

/// A buffer that goes back to its pool when it is dropped.
#[derive(Debug)]
pub struct PooledBuffer {
    // Its length stays as it is when the buffer is used again: no byte is zeroed twice.
    bytes: Vec<u8>,
    pool: Pool,
}

impl PooledBuffer {
    /// Makes it at least `len` bytes long. The contents stay.
    pub fn grow(&mut self, len: usize) {
        if len > self.bytes.len() {
            self.pool.0.allocations.fetch_add(1, Ordering::Relaxed);
            self.bytes.reserve_exact(len - self.bytes.len());
            self.bytes.resize(len, 0);
        }
    }

    /// The first `len` bytes, for any number of readers. The buffer returns to the pool after the last of them.
    ///
    /// # Panics
    /// If the buffer is shorter than `len`.
    pub fn freeze(self, len: usize) -> Bytes {
        Bytes::from_owner(self).slice(..len)
    }
}

impl AsRef<[u8]> for PooledBuffer {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl AsMut<[u8]> for PooledBuffer {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

impl Drop for PooledBuffer {
    fn drop(&mut self) {
        let shared = &self.pool.0;
        if !self.bytes.is_empty() && self.bytes.len() <= shared.largest {
            shared.free.give(mem::take(&mut self.bytes));
        }
    }
}
