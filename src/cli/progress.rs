//! The progress bar: bytes, rate, records and time left, on a terminal only.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use clap::ValueEnum;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};

use crate::pipeline::Progress;

/// When to show the bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum When {
    /// On a terminal
    Auto,
    /// Nowhere
    Never,
    /// Everywhere
    Always,
}

/// A bar that looks at the counters ten times a second until it is dropped.
pub(super) struct Bar {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Bar {
    /// Starts a bar, if one is wanted. `stored` counts the bytes of the inputs as they are stored, of
    /// which there are `total`, where that is known.
    pub(super) fn start(
        when: When,
        total: Option<u64>,
        stored: &Arc<AtomicU64>,
        progress: &Arc<Progress>,
    ) -> Option<Bar> {
        let shown = match when {
            When::Auto => std::io::stderr().is_terminal(),
            When::Never => false,
            When::Always => true,
        };
        if !shown {
            return None;
        }
        let template = match total {
            Some(_) => "{bar:32} {bytes} of {total_bytes}, {bytes_per_sec}, {msg}, {eta} left",
            None => "{spinner} {bytes}, {bytes_per_sec}, {msg}, {elapsed}",
        };
        let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        bar.set_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        let (stop, stopped) = channel();
        let (stored, progress) = (stored.clone(), progress.clone());
        let thread = std::thread::spawn(move || {
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(Duration::from_millis(100)) {
                bar.set_position(stored.load(Ordering::Relaxed));
                bar.set_message(format!("{} records", HumanCount(progress.records.load(Ordering::Relaxed))));
                bar.tick();
            }
            bar.finish_and_clear();
        });
        Some(Bar { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A bar that panicked is no reason to lose a table.
            let _ = thread.join();
        }
    }
}
