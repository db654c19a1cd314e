//! Ctrl-C and `kill`: the temporary files go, one sentence is said, and the exit code tells which
//! signal it was. A thread of its own does it, because a worker may be waiting for a pipe.

#[cfg(unix)]
pub(super) fn watch() {
    use crate::output::remove_live_temporaries;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) else {
        // Without a handler the system's own ends the process; a temporary file may stay.
        return;
    };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            remove_live_temporaries();
            let what = if signal == SIGINT { "interrupted" } else { "terminated" };
            // The progress bar may stand in the line.
            eprintln!("\r\x1b[Kurimill: {what}; nothing was published");
            std::process::exit(128 + signal);
        }
    });
}

#[cfg(not(unix))]
pub(super) fn watch() {}
