//! Runs that make no table: a command examines each batch itself.

use urimill_base::error::Result;
use urimill_base::locks::lock;
use urimill_base::threads::Workers;
use urimill_columns::batch::Tally;
use urimill_read::{PageCounts, RecordSource};

use super::deliver::{Look, ToLook};
use super::{Plan, Progress, Run};

/// The counts of a run.
#[derive(Debug, Clone, Default)]
pub struct Totals {
    /// The tally of the records.
    pub tally: Tally,
    /// Bytes read, decompressed; for tables, those of the references and their bases.
    pub bytes: u64,
    /// Records that were too long and were kept only in part.
    pub cut: u64,
    /// Header lines, which are not records.
    pub headers: u64,
    /// Lines, without headers.
    pub lines: u64,
    /// Pages, if references in pages are the records.
    pub pages: PageCounts,
}

/// Makes batches of everything in `record_source`, as a run with this plan does, and lets `look` examine each, with
/// these threads. One piece of the input for each thread is in flight.
///
/// The first that occurs: of reading, of `look`; and usage if an input is not of its format.
pub fn each_batch<L: Look>(
    record_source: RecordSource,
    plan: &Plan,
    threads: &Workers,
    look: &L,
    progress: &Progress,
) -> Result<Totals> {
    let run = Run::new(record_source, plan, ToLook(look), 1, progress);
    run.queue.work(threads, || run.work())?;
    let checker = run.format_checker();
    let accounts = lock(&run.accounts);
    accounts.check(&checker)?;
    Ok(accounts.read.clone())
}
