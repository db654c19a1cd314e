//! Work without chunks: numbered jobs in any order, and batches from one producer through a sink's stages.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::RecordBatch;
use urimill_base::error::Result;
use urimill_base::locks::lock;
use urimill_base::threads::Workers;
use urimill_write::Sink;

use super::queue::{InOrder, Order, elsewhere};

/// The numbered jobs that no thread has taken yet.
pub struct Jobs<'a> {
    next: AtomicUsize,
    count: usize,
    order: &'a Order,
}

impl Jobs<'_> {
    /// Takes the next job; `None` if there are no more, or a worker has failed.
    pub fn next(&self) -> Option<usize> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number < self.count && !self.order.has_failed()).then_some(number)
    }
}

/// Runs `work` in each of these threads, which together take the jobs from 0 to below `count`.
///
/// # Errors
/// The first error of a worker.
pub fn each_job(
    threads: &Workers,
    count: usize,
    work: impl Fn(&Jobs<'_>) -> Result<()> + Sync,
) -> Result<()> {
    let order = Order::new(1);
    let jobs = Jobs { next: AtomicUsize::new(0), count, order: &order };
    order.work(threads, usize::MAX, || work(&jobs))
}

/// Writes the batches of `next`, until it returns none, to a sink: one batch is made at a time, while others are
/// encoded. One batch a thread is in flight.
///
/// # Errors
/// The first of `next` and of the sink.
pub fn write_batches(
    threads: &Workers,
    sink: &dyn Sink,
    next: impl FnMut() -> Result<Option<RecordBatch>> + Send,
) -> Result<()> {
    write_made(threads, sink, next, Ok)
}

/// Does the same as [`write_batches`], for batches of which only part of the making needs order: `make` does the rest,
/// several at a time.
///
/// The first of `next`, of `make` and of the sink. `next` is not called again once it has failed or ended: the source
/// that it reads from may be in an undefined state.
pub fn write_made<T>(
    threads: &Workers,
    sink: &dyn Sink,
    next: impl FnMut() -> Result<Option<T>> + Send,
    make: impl Fn(T) -> Result<RecordBatch> + Sync,
) -> Result<()> {
    let order = Order::new(sink.stages());
    let record_source = Mutex::new(NextBatch { tickets: 0, next: Some(next) });
    order.work(threads, usize::MAX, || {
        loop {
            let taken = lock(&record_source).take(&order)?;
            let Some((ticket, taken)) = taken else { return Ok(()) };
            let turns = InOrder { order: &order, first: 0, ticket, is_last: true, is_timed: false };
            sink.write(make(taken)?, &turns)?;
        }
    })
}

/// The producer of [`write_made`]; dropped once `next` has failed or ended.
struct NextBatch<F> {
    tickets: u64,
    next: Option<F>,
}

impl<F> NextBatch<F> {
    fn take<T>(&mut self, order: &Order) -> Result<Option<(u64, T)>>
    where
        F: FnMut() -> Result<Option<T>>,
    {
        if order.has_failed() {
            return Err(elsewhere());
        }
        let Some(next) = &mut self.next else { return Ok(None) };
        let taken = next();
        if !matches!(taken, Ok(Some(_))) {
            self.next = None;
        }
        let ticket = self.tickets;
        self.tickets += 1;
        Ok(taken?.map(|taken| (ticket, taken)))
    }
}
