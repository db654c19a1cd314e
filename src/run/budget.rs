//! How a run divides its memory, and the number of its threads.

use std::sync::Arc;

use urimill_base::threads::Workers;

/// The memory of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    /// All of the memory, in bytes.
    pub(crate) whole: usize,
    threads: usize,
}

impl Budget {
    /// The requested memory, or else 512 MiB, or 64 MiB per thread if that is more.
    pub(crate) fn new(asked: Option<u64>, threads: usize) -> Budget {
        let default = (512 << 20).max(threads as u64 * (64 << 20));
        Budget { whole: usize::try_from(asked.unwrap_or(default)).unwrap_or(usize::MAX), threads }
    }

    /// Bytes for rows that are counted or sorted. The rest is for the program, a chunk per thread with everything made
    /// from it, and the overhead of sorting and of growing tables.
    pub(crate) fn waiting(&self) -> usize {
        let beside = (48 << 20) + self.threads * (16 << 20);
        // A small budget is mostly used up: then runs on disk are short, but not just a few rows.
        let least = (self.whole / 4).max((self.whole / 2).min(1 << 20));
        self.whole.saturating_sub(beside).max(least) / 3 * 2
    }
}

/// The most memory that the state of a report takes, with the program.
const STATE: u64 = 320 << 20;

/// The least memory of a report: its state, and a few records.
pub(super) const LEAST_OF_REPORT: u64 = 512 << 20;

/// The memory of a report: all of it, and the share of the queue of its records, which uses half. By default each
/// thread has 64 MiB in addition to the state.
pub(super) fn of_report(asked: Option<u64>, threads: usize) -> (usize, usize) {
    let default = LEAST_OF_REPORT.max(STATE + threads as u64 * (64 << 20));
    let whole = asked.unwrap_or(default);
    let bytes = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    (bytes(whole), bytes(whole.saturating_sub(STATE).max(1 << 20).saturating_mul(2)))
}

/// The threads of a run: those requested, as far as the system gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Threads {
    /// The number requested, or the number of processors.
    pub wanted: usize,
    /// The number that do the work, at least one.
    pub given: usize,
}

impl Threads {
    /// Starts this number of threads, or the number of processors, or as many of them as the system gives.
    pub(crate) fn start(asked: Option<usize>) -> (Arc<Workers>, Threads) {
        let wanted =
            asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));
        let workers = Arc::new(Workers::start(wanted));
        let threads = Threads { wanted, given: workers.count() };
        (workers, threads)
    }
}

/// A number of bytes, optionally with K, M or G (KiB, MiB, GiB) after it; `None` for other texts. A number that does
/// not fit becomes the greatest one.
///
/// ```
/// use urimill::run::parse_bytes;
///
/// assert_eq!((parse_bytes("65536"), parse_bytes("64K"), parse_bytes("1 MB")), (Some(65536), Some(65536), None));
/// ```
pub fn parse_bytes(text: &str) -> Option<u64> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let factor: u64 = match unit.to_ascii_lowercase().trim_end_matches("ib").trim_end_matches('b') {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        _ => return None,
    };
    if digits.is_empty() {
        return None;
    }
    Some(digits.parse::<u64>().unwrap_or(u64::MAX).saturating_mul(factor))
}
