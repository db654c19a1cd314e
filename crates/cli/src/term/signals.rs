//! Ctrl-C and `kill`: the temporary files are removed, one sentence is printed, and the exit code has the signal's
//! number. A thread of its own does it, because a worker may be waiting for a pipe.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use urimill::locks::lock;

/// Lets a write beyond the limit of file sizes (`ulimit -f`) fail with its error instead of ending the process.
#[cfg(unix)]
pub(crate) fn outlive_size_limit() {
    use std::sync::Arc;

    // If no handler can be set, the system's own remains.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

#[cfg(not(unix))]
pub(crate) fn outlive_size_limit() {}

/// Waits for the end of the process if a signal is ending it: a run whose files are removed fails, and must not report
/// that.
pub(crate) fn wait_where_one_ends_the_process() {
    while ENDING.load(Ordering::SeqCst) {
        std::thread::park();
    }
}

/// Whether a signal is ending the process.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Removes the temporary files of a run; returns whether the run has published an output.
type Abandon = Box<dyn Fn() -> bool + Send>;

/// The runs of this process.
static RUNS: Mutex<Vec<(u64, Abandon)>> = Mutex::new(Vec::new());

/// A run whose temporary files a signal removes, as long as this guard lives.
#[must_use = "a signal forgets the run when this is dropped"]
pub(crate) struct Watch(u64);

impl Drop for Watch {
    fn drop(&mut self) {
        lock(&RUNS).retain(|(number, _)| *number != self.0);
    }
}

/// Handles signals: calls `abandon`, prints a sentence, and ends the process.
pub(crate) fn watch(abandon: impl Fn() -> bool + Send + 'static) -> Watch {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    lock(&RUNS).push((number, Box::new(abandon)));
    start();
    Watch(number)
}

#[cfg(unix)]
fn start() {
    use super::stderr::say_sentence;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use std::sync::mpsc::{RecvError, channel};
    use urimill::threads;

    static WATCHES: AtomicBool = AtomicBool::new(false);
    if WATCHES.swap(true, Ordering::SeqCst) {
        return;
    }
    let ignored = ignored();
    let watched = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let watched: Vec<_> = watched.collect();
    let (ready, is_ready) = channel();
    // The thread starts first: handlers without it would make Ctrl-C do nothing.
    let thread = threads::spawn("urimill-signals", move || {
        // Without a handler the system ends the process; a temporary file may be left.
        let Ok(mut signals) = Signals::new(watched) else { return };
        drop(ready);
        if let Some(signal) = signals.forever().next() {
            ENDING.store(true, Ordering::SeqCst);
            let published: Vec<bool> = lock(&RUNS).iter().map(|(_, abandon)| abandon()).collect();
            let has_published = published.contains(&true);
            let what = if signal == SIGINT { "interrupted" } else { "terminated" };
            say_sentence(&match has_published {
                false => format!("{what}; nothing was published"),
                true => format!(
                    "{what} after the last step: an output that has its name is complete, any other is unchanged"
                ),
            });
            std::process::exit(128 + signal);
        }
    });
    if thread.is_ok() {
        // The thread sends nothing: it drops its end of the channel when the handlers are set.
        let _: Result<(), RecvError> = is_ready.recv();
    }
}

/// The signals that the parent process asked this one to ignore, as bits from signal 1 on: `nohup` does so with SIGHUP,
/// and a handler would undo it. Only Linux shows this without unsafe code.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(not(unix))]
fn start() {}
