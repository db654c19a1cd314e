//! The threads of a run: each part of it that has several (reading and writing, syncing files, verifying) has a pool of
//! rayon's, which ends with that part. If the system gives fewer threads than were asked for, those do the work; if it
//! gives none, the calling thread does it alone.
//!
//! Only the workers of a run wait: for their turn, for memory, or on channels. A thread that holds a turn or the lock
//! of a source must not call rayon in the same pool: rayon could give it work that waits for what it holds itself.

use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::locks::{into_inner, lock};
use crate::timing;

/// Whether the system has refused a thread.
static REFUSED: AtomicBool = AtomicBool::new(false);

/// Whether the system has refused a thread to this process, so that something took longer than necessary.
pub fn were_refused() -> bool {
    REFUSED.load(Ordering::Relaxed)
}

/// The number of threads, at most `count`, that the system can give now: at least 1, which may be the calling one. They
/// all exist at the same time, and end before this returns.
pub fn available(count: usize) -> usize {
    if count < 2 { 1 } else { Workers::start(count, "urimill").map_or(1, |workers| workers.count()) }
}

/// Runs `work` in `count` threads at once, or in fewer if the system gives fewer; with one, in the calling thread.
pub fn run(count: usize, work: impl Fn() + Sync) {
    match if count < 2 { None } else { Workers::start(count, "urimill") } {
        Some(workers) => workers.each(work),
        None => work(),
    }
}

/// A pool of threads that have all ended when it is dropped.
#[derive(Debug)]
pub struct Workers {
    /// `None` only while it is dropped.
    pool: Option<ThreadPool>,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    /// Starts `count` threads, or fewer if the system refuses some; `None` if it refuses all. Their names are `name`
    /// and a number.
    pub fn start(count: usize, name: &str) -> Option<Workers> {
        let mut count = count;
        while count > 0 {
            let started = Mutex::new(Vec::new());
            let pool = ThreadPoolBuilder::new()
                .num_threads(count)
                // A task that panicked has not sent a result, which its receiver notices.
                .panic_handler(|_| {})
                .spawn_handler(|thread| {
                    let builder = Builder::new().name(format!("{name}-{}", thread.index()));
                    lock(&started).push(builder.spawn(|| thread.run())?);
                    Ok(())
                })
                .build();
            let threads = into_inner(started);
            match pool {
                Ok(pool) => return Some(Workers { pool: Some(pool), threads }),
                Err(_) => {
                    // The pool is all or nothing. The threads that the system gave have been told to end.
                    REFUSED.store(true, Ordering::Relaxed);
                    count = threads.len().min(count - 1);
                    join(threads);
                }
            }
        }
        None
    }

    /// The number of threads.
    pub fn count(&self) -> usize {
        self.threads.len()
    }

    /// Runs `work` once in each thread, and waits for all of them.
    pub(crate) fn each(&self, work: impl Fn() + Sync) {
        // Threads of a timed run are timed.
        let timed = timing::current();
        let _pause = timing::pause();
        if let Some(pool) = &self.pool {
            pool.broadcast(|_| {
                let _times = timed.as_ref().map(|(timing, stage)| timing.begin(*stage));
                work();
            });
        }
    }

    /// Runs `work` in a thread as soon as one is free, in the order of the calls, without waiting. A panic ends this
    /// work only.
    pub fn spawn(&self, work: impl FnOnce() + Send + 'static) {
        if let Some(pool) = &self.pool {
            pool.spawn_fifo(work);
        }
    }
}

impl Drop for Workers {
    /// The threads finish their work and end.
    fn drop(&mut self) {
        self.pool = None;
        join(std::mem::take(&mut self.threads));
    }
}

fn join(threads: Vec<JoinHandle<()>>) {
    // A thread that panicked sent no result, which is enough.
    threads.into_iter().for_each(|thread| drop(thread.join()));
}

/// A thread of its own for `work` that waits for something outside the run.
///
/// The system's error, if it refuses the thread.
pub fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    let spawned = Builder::new().name(name.to_owned()).spawn(work);
    if spawned.is_err() {
        REFUSED.store(true, Ordering::Relaxed);
    }
    spawned
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Barrier;
    use std::sync::atomic::AtomicUsize;
    use std::sync::mpsc::channel;
    use std::thread::current;

    use super::*;

    /// All threads are at work at the same time, and each once; one alone is the calling one.
    #[test]
    fn work_runs_once_in_each_thread() {
        for count in [1, 2, 3, 64] {
            let (together, names) = (Barrier::new(count), Mutex::new(BTreeSet::new()));
            run(count, || {
                together.wait();
                lock(&names).insert(current().name().unwrap_or_default().to_owned());
            });
            let names = into_inner(names);
            let own = current().name().unwrap_or_default().to_owned();
            assert_eq!((names.len(), names.contains(&own)), (count, count == 1), "{names:?}");
            assert_eq!(available(count), count);
        }
    }

    #[test]
    fn a_panic_ends_the_work_that_panicked_and_reaches_nobody_else() {
        let (sender, receiver) = channel();
        let workers = Workers::start(1, "test").expect("a thread");
        workers.spawn(|| panic!("of no interest"));
        workers.spawn(move || sender.send(1).expect("a receiver"));
        assert_eq!(receiver.recv(), Ok(1));
    }

    /// What was spawned is done before the threads end.
    #[test]
    fn threads_have_ended_when_the_workers_are_dropped() {
        let done = std::sync::Arc::new(AtomicUsize::new(0));
        let workers = Workers::start(3, "test").expect("threads");
        for _ in 0..100 {
            let done = done.clone();
            workers.spawn(move || {
                done.fetch_add(1, Ordering::Relaxed);
            });
        }
        drop(workers);
        assert_eq!(done.load(Ordering::Relaxed), 100);
    }
}
