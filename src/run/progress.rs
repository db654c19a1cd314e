//! The progress of a run, and the way to stop it: the caller's handle while the run is going on.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use urimill_pipeline::Progress;
use urimill_write::Temporaries;

/// Counters of a run that another thread may read at any time, and the switch that stops it. Clones share one run.
///
/// ```
/// use urimill::run::{Conversion, Output, RunProgress};
///
/// let folder = tempfile::tempdir()?;
/// let list = folder.path().join("list.txt");
/// std::fs::write(&list, "http://example.com/\n")?;
/// let progress = RunProgress::default();
/// let run = Conversion::new().inputs([list]).write_to(Output::to(folder.path().join("list.csv"))).progress(&progress);
/// let thread = std::thread::spawn(|| run.run());
/// // Another thread may look at `progress.records()` here, or call `progress.stop()`.
/// let stats = thread.join().expect("no panic")?;
/// assert_eq!((stats.records, progress.records()), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct RunProgress {
    pub(crate) counters: Arc<Progress>,
    pub(crate) stored: Arc<AtomicU64>,
    pub(super) total: Arc<OnceLock<Option<u64>>>,
    pub(super) temporaries: Temporaries,
    pub(super) guess: Arc<OnceLock<String>>,
}

impl RunProgress {
    /// The number of records so far.
    pub fn records(&self) -> u64 {
        self.counters.records.load(Ordering::Relaxed)
    }

    /// Bytes of the inputs read so far, as stored.
    pub fn stored_bytes(&self) -> u64 {
        self.stored.load(Ordering::Relaxed)
    }

    /// The number of stored bytes in all; `None` before it is known, and if it cannot be known, as for a pipe.
    pub fn total_bytes(&self) -> Option<u64> {
        self.total.get().copied().flatten()
    }

    /// The number of complete files, if the table is a directory of files.
    pub fn files(&self) -> u64 {
        self.counters.files.load(Ordering::Relaxed)
    }

    /// What the members of JSON of an unknown shape were taken for, once the inputs are open:
    /// `url = "request.url", status = "code"`.
    pub fn guess(&self) -> Option<&str> {
        self.guess.get().map(String::as_str)
    }

    /// The number of rows of a sorted table that are written so far; while it grows nothing is read.
    pub fn sorted_rows(&self) -> u64 {
        self.counters.sorted.load(Ordering::Relaxed)
    }

    /// Ends the run with [`ErrorKind::Stopped`](crate::ErrorKind::Stopped) as soon as it notices: nothing is published.
    pub fn stop(&self) {
        self.counters.stop.store(true, Ordering::Relaxed);
    }

    /// Removes the temporary files of the run now, for a caller that ends the process without waiting for it; the run
    /// can publish nothing afterwards. Returns whether it has published an output before.
    pub fn abandon(&self) -> bool {
        self.stop();
        self.temporaries.remove()
    }
}
