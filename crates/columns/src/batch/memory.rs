//! Memory for columns that is reused. A batch's columns are larger than its text, and fresh memory costs a page fault
//! every 4 KiB: more than filling it. A column's memory comes back when its last reader drops it, in whatever thread
//! that is. With fresh memory the table takes nearly twice the time.

use std::fmt;
use std::sync::{Arc, OnceLock};

use arrow_buffer::{ArrowNativeType, Buffer, ScalarBuffer, ToByteSlice};
use bytes::Bytes;
use urimill_base::free_list::FreeList;

use super::MAX_ROWS;

/// More than the columns of the batches that one worker has in flight.
const KEPT: usize = 64;

/// A column larger than any batch of lines makes is returned to the system.
const LARGEST: usize = 4 << 20;

/// Free memory for columns of `T`. Clones share it.
pub(super) struct Memory<T>(Arc<FreeList<Vec<T>>>);

impl<T> Clone for Memory<T> {
    fn clone(&self) -> Self {
        Memory(self.0.clone())
    }
}

impl<T> Default for Memory<T> {
    fn default() -> Self {
        Memory(Arc::new(FreeList::new(KEPT)))
    }
}

impl<T> fmt::Debug for Memory<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Memory").field(&self.0.count()).finish()
    }
}

impl<T: ArrowNativeType + ToByteSliceElement> Memory<T> {
    /// A column of `count` values, which `fill` must write: it starts with the contents of the last use.
    pub(super) fn column(&self, count: usize, fill: impl FnOnce(&mut [T])) -> ScalarBuffer<T> {
        let mut values = self.values(count);
        fill(&mut values[..count]);
        self.of(values, count)
    }

    /// At least `count` values, with the contents of the last use.
    pub(super) fn values(&self, count: usize) -> Vec<T> {
        let mut values = self.0.take().unwrap_or_default();
        if values.len() < count {
            values.resize(count, T::default());
        }
        values
    }

    /// The column of the first `count` values.
    pub(super) fn of(&self, values: Vec<T>, count: usize) -> ScalarBuffer<T> {
        ScalarBuffer::new(self.lend(values), 0, count)
    }

    /// Memory without values.
    pub(super) fn take(&self) -> Vec<T> {
        let mut values = self.0.take().unwrap_or_default();
        values.clear();
        values
    }

    /// Values as a buffer, whose memory comes back when it is dropped.
    pub(super) fn lend(&self, values: Vec<T>) -> Buffer {
        Buffer::from(Bytes::from_owner(Lent { values, memory: self.clone() }))
    }
}

/// Values whose slices can be read as bytes.
pub(super) trait ToByteSliceElement: Send + 'static {
    fn bytes(values: &[Self]) -> &[u8]
    where
        Self: Sized;
}

impl<T: Send + 'static> ToByteSliceElement for T
where
    [T]: ToByteSlice,
{
    fn bytes(values: &[T]) -> &[u8] {
        values.to_byte_slice()
    }
}

/// A column's memory, lent to the column.
struct Lent<T: ToByteSliceElement> {
    values: Vec<T>,
    memory: Memory<T>,
}

impl<T: ToByteSliceElement> AsRef<[u8]> for Lent<T> {
    fn as_ref(&self) -> &[u8] {
        T::bytes(&self.values)
    }
}

impl<T: ToByteSliceElement> Drop for Lent<T> {
    fn drop(&mut self) {
        if size_of_val(self.values.as_slice()) <= LARGEST {
            self.memory.0.give(std::mem::take(&mut self.values));
        }
    }
}

/// Zeros that all columns without values share.
pub(super) fn zeros(bytes: usize) -> Buffer {
    static ZEROS: OnceLock<Buffer> = OnceLock::new();
    const SHARED: usize = MAX_ROWS * size_of::<u128>();
    if bytes > SHARED {
        return Buffer::from_vec(vec![0u128; bytes.div_ceil(size_of::<u128>())]).slice_with_length(0, bytes);
    }
    ZEROS.get_or_init(|| Buffer::from_vec(vec![0u128; MAX_ROWS])).slice_with_length(0, bytes)
}
