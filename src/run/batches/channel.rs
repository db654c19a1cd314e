//! The bounded channel between a run and the caller who takes its batches. A worker that sends waits for space; the
//! receiver waits for a batch, or leaves a waker that the next one wakes.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
#[cfg(feature = "futures")]
use std::task::{Context, Poll};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::locks::lock;

use crate::run::stats::Stats;

/// The most batches that wait: enough that neither side waits for each single one.
const MOST: usize = 4;

/// What the receiver gets.
pub(super) enum Next {
    Batch(RecordBatch),
    /// The result of the run, after the last batch.
    End(Box<Result<Stats>>),
}

#[derive(Default)]
pub(super) struct Channel {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
pub(super) struct State {
    schema: Option<SchemaRef>,
    batches: VecDeque<RecordBatch>,
    end: Option<Box<Result<Stats>>>,
    /// Whether nobody takes batches any more.
    is_closed: bool,
    waker: Option<Waker>,
}

impl State {
    /// The schema once it is known; the error of a run that ended before.
    pub(super) fn schema(&mut self) -> Option<Result<SchemaRef>> {
        if let Some(schema) = &self.schema {
            return Some(Ok(schema.clone()));
        }
        let no_sink = || Error::new(ErrorKind::Internal, "the run has no table: this is a defect of urimill");
        self.end.take().map(|end| Err(end.err().unwrap_or_else(no_sink)))
    }

    /// The next batch; after the last one the result of the run, once.
    pub(super) fn next(&mut self) -> Option<Next> {
        let batch = self.batches.pop_front().map(Next::Batch);
        batch.or_else(|| self.end.take().map(Next::End))
    }
}

impl Channel {
    /// Tells the receiver the schema of the batches to come.
    pub(super) fn open(&self, schema: Option<SchemaRef>) {
        self.change(|state| state.schema = schema);
    }

    /// Hands a batch over, and waits while too many wait to be taken.
    ///
    /// # Errors
    /// `Stopped`, if nobody takes it any more.
    pub(super) fn send(&self, batch: RecordBatch) -> Result<()> {
        let mut state = lock(&self.state);
        while state.batches.len() >= MOST && !state.is_closed {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.is_closed {
            return Err(Error::new(ErrorKind::Stopped, "stopped: nobody takes the batches"));
        }
        state.batches.push_back(batch);
        self.notify(state);
        Ok(())
    }

    /// The run has ended.
    pub(super) fn end(&self, end: Result<Stats>) {
        self.change(|state| state.end = Some(Box::new(end)));
    }

    /// Nobody takes batches any more.
    pub(super) fn close(&self) {
        self.change(|state| {
            state.is_closed = true;
            state.batches.clear();
            state.waker = None;
        });
    }

    /// Waits for what `take` takes.
    pub(super) fn wait<T>(&self, take: impl Fn(&mut State) -> Option<T>) -> T {
        let mut state = lock(&self.state);
        loop {
            if let Some(taken) = take(&mut state) {
                self.notify(state);
                return taken;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The same without waiting: the context is woken when there may be more to take.
    #[cfg(feature = "futures")]
    pub(super) fn poll<T>(&self, context: &Context<'_>, take: impl Fn(&mut State) -> Option<T>) -> Poll<T> {
        let mut state = lock(&self.state);
        let Some(taken) = take(&mut state) else {
            state.waker = Some(context.waker().clone());
            return Poll::Pending;
        };
        self.notify(state);
        Poll::Ready(taken)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = lock(&self.state);
        change(&mut state);
        self.notify(state);
    }

    /// Wakes the other side, without the lock: a waker is code of the caller's.
    fn notify(&self, mut state: MutexGuard<'_, State>) {
        let waker = state.waker.take();
        drop(state);
        self.changed.notify_all();
        waker.into_iter().for_each(Waker::wake);
    }
}
