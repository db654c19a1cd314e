//! The threads of a run: one pool of rayon's, made when the run is prepared, whose threads have ended when the run has.
//! Every part of the run that has several threads (reading and writing, syncing files, verifying) runs in it. If the
//! system gives fewer threads than were asked for, those do the work; if it gives none, the calling thread does it
//! alone.
//!
//! Workers wait: for their turn, for memory, on channels. No wait can be for ever, because
//! - the pool gets no other tasks than workers ([`Workers`] only broadcasts), so a thread that waits is never given
//!   work that needs what it holds, and each worker has a thread of its own: all run at the same time;
//! - parts of a run come one after the other. The thread that the run was called in starts each part and waits for it,
//!   without a turn or a lock. A worker that starts a part itself does it alone, for the others may wait for its turn;
//! - what a worker waits for under the lock of a source, members inflated ahead, is the work of [`Helpers`], a second
//!   pool, whose tasks wait for nothing;
//! - the last owner of [`Workers`] is the run, or a sink that it closes, never a worker: it joins the threads.

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

/// The threads that do the work of a run; by default the calling thread alone.
#[derive(Debug, Default)]
pub struct Workers(Option<Pool>);

impl Workers {
    /// Starts `count` threads, or fewer if the system refuses some; for one, or if it refuses all, the calling thread
    /// does the work.
    pub fn start(count: usize) -> Workers {
        Workers(if count < 2 { None } else { Pool::start(count, "urimill") })
    }

    /// The number of threads: at least 1, which may be the calling one.
    pub fn count(&self) -> usize {
        self.0.as_ref().map_or(1, |pool| pool.threads.0.len())
    }

    /// Runs `work` once in each thread, but in at most `most` of them, all at the same time, and waits for all.
    pub fn each(&self, most: usize, work: impl Fn() + Sync) {
        let pool = self.0.as_ref().map(|pool| &pool.rayon);
        let Some(pool) = pool.filter(|pool| most > 1 && pool.current_thread_index().is_none()) else {
            return work();
        };
        // Threads of a timed run are timed.
        let timed = timing::current();
        let _pause = timing::pause();
        pool.broadcast(|thread| {
            if thread.index() < most {
                let _times = timed.as_ref().map(|(timing, stage)| timing.begin(*stage));
                work();
            }
        });
    }
}

/// Threads that do tasks ahead of the workers.
#[derive(Debug)]
pub struct Helpers(Pool);

impl Helpers {
    /// Starts `count` threads, or fewer if the system refuses some; `None` if it refuses all. Their names are `name`
    /// and a number.
    pub fn start(count: usize, name: &str) -> Option<Helpers> {
        Pool::start(count, name).map(Helpers)
    }

    /// The number of threads.
    pub fn count(&self) -> usize {
        self.0.threads.0.len()
    }

    /// Runs `task`, which waits for nothing, as soon as a thread is free, in the order of the calls, without waiting.
    /// A panic ends this task only.
    pub fn spawn(&self, task: impl FnOnce() + Send + 'static) {
        self.0.rayon.spawn_fifo(task);
    }
}

/// A pool of rayon's. When it is dropped its threads finish their work, and have all ended.
#[derive(Debug)]
struct Pool {
    rayon: ThreadPool,
    /// Dropped after the pool, which tells them to end.
    threads: Joined,
}

impl Pool {
    fn start(mut count: usize, name: &str) -> Option<Pool> {
        while count > 0 {
            let started = Mutex::new(Joined::default());
            let pool = ThreadPoolBuilder::new()
                .num_threads(count)
                // A task that panicked has not sent a result, which its receiver notices.
                .panic_handler(|_| {})
                .spawn_handler(|thread| {
                    let builder = Builder::new().name(format!("{name}-{}", thread.index()));
                    lock(&started).0.push(builder.spawn(|| thread.run())?);
                    Ok(())
                })
                .build();
            let threads = into_inner(started);
            match pool {
                Ok(rayon) => return Some(Pool { rayon, threads }),
                Err(_) => {
                    // The pool is all or nothing. The threads that the system gave have been told to end.
                    REFUSED.store(true, Ordering::Relaxed);
                    count = threads.0.len().min(count - 1);
                }
            }
        }
        None
    }
}

/// Threads that are waited for when this is dropped.
#[derive(Debug, Default)]
struct Joined(Vec<JoinHandle<()>>);

impl Drop for Joined {
    fn drop(&mut self) {
        // A thread that panicked sent no result, which is enough.
        self.0.drain(..).for_each(|thread| drop(thread.join()));
    }
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

    /// All threads are at work at the same time, and each once, in every part; one alone is the calling one.
    #[test]
    fn work_runs_once_in_each_thread() {
        for count in [1, 2, 3, 64] {
            let workers = Workers::start(count);
            assert_eq!(workers.count(), count);
            for most in [usize::MAX, 2, 1] {
                let expected = count.min(most);
                let (together, names) = (Barrier::new(expected), Mutex::new(BTreeSet::new()));
                workers.each(most, || {
                    together.wait();
                    lock(&names).insert(current().name().unwrap_or_default().to_owned());
                });
                let names = into_inner(names);
                let own = current().name().unwrap_or_default().to_owned();
                assert_eq!((names.len(), names.contains(&own)), (expected, expected == 1), "{names:?}");
            }
        }
    }

    /// The others may wait for its turn, as they do here until it has ended.
    #[test]
    fn a_worker_does_a_part_of_its_own_alone() {
        let workers = Workers::start(3);
        let (together, parts) = (Barrier::new(3), Mutex::new(Vec::new()));
        workers.each(usize::MAX, || {
            let thread = current().id();
            workers.each(usize::MAX, || lock(&parts).push((thread, current().id())));
            together.wait();
        });
        let parts = into_inner(parts);
        assert!(parts.len() == 3 && parts.iter().all(|(outer, inner)| outer == inner), "{parts:?}");
    }

    /// All of the part has run by then.
    #[test]
    fn a_panic_in_a_part_reaches_the_caller_and_the_next_part_runs() {
        let workers = Workers::start(3);
        let done = AtomicUsize::new(0);
        let part = || {
            done.fetch_add(1, Ordering::Relaxed);
            panic!("of no interest");
        };
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| workers.each(usize::MAX, part)));
        assert!(ended.is_err() && done.load(Ordering::Relaxed) == 3);
        workers.each(usize::MAX, || {
            done.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(done.load(Ordering::Relaxed), 6);
    }

    #[test]
    fn a_panic_ends_the_task_that_panicked_and_reaches_nobody_else() {
        let (sender, receiver) = channel();
        let helpers = Helpers::start(1, "test").expect("a thread");
        helpers.spawn(|| panic!("of no interest"));
        helpers.spawn(move || sender.send(1).expect("a receiver"));
        assert_eq!(receiver.recv(), Ok(1));
    }

    /// What was spawned is done before the threads end.
    #[test]
    fn threads_have_ended_when_the_helpers_are_dropped() {
        let done = std::sync::Arc::new(AtomicUsize::new(0));
        let helpers = Helpers::start(3, "test").expect("threads");
        for _ in 0..100 {
            let done = done.clone();
            helpers.spawn(move || {
                done.fetch_add(1, Ordering::Relaxed);
            });
        }
        drop(helpers);
        assert_eq!(done.load(Ordering::Relaxed), 100);
    }
}
