//! Starts all threads. If the system gives fewer than were asked for, the existing ones do the work.
//!
//! The calling thread always works itself, so the work is done even if no thread can be started.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, JoinHandle, scope};

use crate::timing;
use crate::timing::Step;

/// Whether the system has refused a thread.
static REFUSED: AtomicBool = AtomicBool::new(false);

/// Whether the system has refused a thread to this process, so that something took longer than it had to.
pub fn were_refused() -> bool {
    REFUSED.load(Ordering::Relaxed)
}

/// How many of `count` threads the system can give now, including the calling one: at least 1. They all exist at the
/// same time, and end before this returns.
pub(crate) fn available(count: usize) -> usize {
    let gate = Mutex::new(());
    scope(|scope| {
        let closed = gate.lock();
        let wait = || drop(gate.lock().unwrap_or_else(PoisonError::into_inner));
        let more = (1..count).take_while(|_| Builder::new().spawn_scoped(scope, wait).is_ok()).count();
        drop(closed);
        1 + more
    })
}

/// Runs `work` in `count` threads at once, or in fewer if the system gives fewer. The calling thread is one of them.
pub(crate) fn run(count: usize, work: impl Fn() + Sync) {
    // Threads of a timed run are timed.
    let timed = timing::current();
    let timed_work = || {
        let _times = timed.as_ref().map(|(timing, stage)| timing.begin(*stage));
        work();
    };
    scope(|scope| {
        for number in 1..count {
            let builder = Builder::new().name(format!("urimill-{number}"));
            if builder.spawn_scoped(scope, timed_work).is_err() {
                REFUSED.store(true, Ordering::Relaxed);
                break;
            }
        }
        work();
        let _wait = timing::step(Step::Wait);
    });
}

/// A thread of its own for `work`.
///
/// # Errors
/// The system's, where it gives none.
pub fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    let spawned = Builder::new().name(name.to_owned()).spawn(work);
    if spawned.is_err() {
        REFUSED.store(true, Ordering::Relaxed);
    }
    spawned
}
