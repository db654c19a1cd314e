//! Sizes in bytes as arguments, and reports of runs that get fewer threads than they asked for.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::term::stderr::say_sentence;
use urimill::run::{Threads, parse_bytes};
use urimill::threads;

/// A number of bytes, optionally followed by K, M or G, from the first limit to the second. `range` states the limits
/// in words.
pub(crate) fn bytes_within(text: &str, (least, most): (u64, u64), range: &str) -> Result<u64, String> {
    match parse_bytes(text) {
        None => Err("give a number of bytes, such as 65536, 64K or 1M".to_owned()),
        Some(n) if !(least..=most).contains(&n) => Err(format!("give a number of bytes from {range}")),
        Some(n) => Ok(n),
    }
}

/// Reports that a run has fewer threads than `--threads` asks for.
pub(crate) fn say_threads(threads: Threads) {
    if threads.given < threads.wanted {
        let Threads { given, wanted, .. } = threads;
        say_sentence(&format!("the system gives {given} of {wanted} threads, which do all the work"));
        SAID.store(true, Ordering::Relaxed);
    }
}

/// Whether that was reported already.
static SAID: AtomicBool = AtomicBool::new(false);

/// Reports threads that the system refused during the run.
pub(crate) fn say_refused_threads() {
    if threads::were_refused() && !SAID.swap(true, Ordering::Relaxed) {
        say_sentence("the system gave fewer threads than were asked for");
    }
}
