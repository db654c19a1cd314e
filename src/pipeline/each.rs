//! Chunks to whatever a command makes of them: for commands that answer something else than a table.

use super::Progress;
use super::queue::{Load, Queue, lock};
use crate::error::Result;
use crate::input::{Chunk, Chunker};
use std::sync::Mutex;

/// Maps each chunk with this many threads, and passes the results to `then` in the order of the chunks, one at a
/// time. `worker` is called once a thread, for the state of that thread. One chunk a thread is in flight.
///
/// # Errors
/// The first that occurs: of reading, of a worker, of `then`. Nothing is handed over after it.
pub fn each_chunk<T, W: FnMut(&Chunk) -> Result<T>>(
    mut chunker: Chunker,
    threads: usize,
    progress: &Progress,
    worker: impl Fn() -> W + Sync,
    then: impl FnMut(T) -> Result<()> + Send,
) -> Result<()> {
    chunker.begin()?;
    let queue = Queue::new(chunker, 1, progress);
    let then = Mutex::new(then);
    queue.work(threads, || {
        let mut work = worker();
        let mut load = Load::default();
        while let Some((ticket, chunk)) = queue.take(&mut load)? {
            let made = work(&chunk)?;
            queue.order.wait(0, ticket)?;
            lock(&then)(made)?;
            queue.order.advance(0);
        }
        Ok(())
    })
}
