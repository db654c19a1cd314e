//! The batches of a run as a stream for Python. The run has threads of its own, and the one that reads the stream
//! notices Ctrl-C while it waits for them.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use futures_core::Stream as _;
use pyo3::prelude::*;
use urimill::run::BatchStream;

use crate::errors::{Fault, Result};
use crate::source::Source;
use crate::stream::{Batches, Stream};

/// The time between two checks for progress and Ctrl-C.
pub(crate) const LOOK: Duration = Duration::from_millis(100);

/// The stream of a run that is being opened.
pub(crate) fn streamed(
    py: Python<'_>,
    opening: impl Future<Output = urimill::Result<BatchStream>> + Send,
) -> PyResult<Stream> {
    let mut opening = pin!(opening);
    let batches = loop {
        let poll = |context: &mut Context<'_>| opening.as_mut().poll(context);
        match py.detach(|| within(LOOK, poll)) {
            Some(opened) => break opened.map_err(Fault::from)?,
            None => py.check_signals()?,
        }
    };
    let (schema, inner) = (batches.schema(), Taking { batches, is_ours: true });
    Ok(Stream::new(Box::new(Batches { schema, inner })))
}

/// The batches of a run, which stops when they are dropped.
struct Taking {
    batches: BatchStream,
    /// Whether the consumer is this module, so that the interpreter lock can be taken.
    is_ours: bool,
}

impl Iterator for Taking {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(next) = within(LOOK, |context| Pin::new(&mut self.batches).poll_next(context)) {
                return next.map(|batch| batch.map_err(Fault::from));
            }
            if self.is_ours
                && let Err(error) = Python::attach(|py| py.check_signals())
            {
                return Some(Err(error.into()));
            }
        }
    }
}

impl Source<Result<RecordBatch>> for Taking {
    fn hand_over(&mut self, _: Python<'_>) -> PyResult<Option<Box<dyn Source<Result<RecordBatch>>>>> {
        self.is_ours = false;
        Ok(None)
    }
}

/// What polls give in this thread within some time.
fn within<T>(time: Duration, mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>) -> Option<T> {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let (mut context, until) = (Context::from_waker(&waker), Instant::now() + time);
    loop {
        if let Poll::Ready(ready) = poll(&mut context) {
            return Some(ready);
        }
        match until.saturating_duration_since(Instant::now()) {
            Duration::ZERO => return None,
            left => thread::park_timeout(left),
        }
    }
}

/// Wakes a thread that waits in [`within`].
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
