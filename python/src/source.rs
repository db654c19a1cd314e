//! Iterators of what is read, as the library and other languages call them.

use arrow_array::{ArrayRef, RecordBatchReader};
use pyo3::prelude::*;

use crate::errors::Result;

/// The columns of chunk after chunk.
pub(crate) type Chunks = Box<dyn Source<Result<Vec<ArrayRef>>>>;

/// An iterator that may take the interpreter lock, until it is handed over.
///
/// Another library may call it in a thread of which our own module believes that it has the lock, because one of its
/// functions is on the stack, while that library has released it. So what is handed over takes the lock no more.
pub(crate) trait Source<T>: Iterator<Item = T> + Send {
    /// Prepares for a consumer in another language; returns a replacement if there has to be one.
    fn hand_over(&mut self, py: Python<'_>) -> PyResult<Option<Box<dyn Source<T>>>>;
}

/// An iterator that never takes the lock.
pub(crate) struct Free<I>(pub(crate) I);

impl<I: Iterator> Iterator for Free<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.0.next()
    }
}

impl<I: Iterator + Send> Source<I::Item> for Free<I> {
    fn hand_over(&mut self, _: Python<'_>) -> PyResult<Option<Box<dyn Source<I::Item>>>> {
        Ok(None)
    }
}

/// The batches of a stream.
pub(crate) trait Reading: RecordBatchReader + Send {
    /// See [`Source::hand_over`].
    fn hand_over(&mut self, py: Python<'_>) -> PyResult<()>;
}

pub(crate) type Reader = Box<dyn Reading>;
