//! The destination of a table's rows: a sink that gets them as they come, or a sorter that gives them to its sink when
//! all have come.

use std::sync::atomic::Ordering;

use arrow_array::RecordBatch;
use urimill_base::error::Result;
use urimill_base::threads::Workers;
use urimill_base::timing;
use urimill_base::timing::Step;
use urimill_write::{Sink, Turns, UncommittedOutput};

use super::Progress;
use super::jobs::write_made;
use super::queue::{InOrder, Order};
use crate::sort::{RowSelection, Sorter};

/// The destination of a table's batches.
pub enum Destination {
    /// Rows in the order of the input.
    Sink(Box<dyn Sink>),
    /// Rows in the order of the sorter's keys; the sink is of [`Sorter::schema`].
    Sorted(Box<Sorter>, Box<dyn Sink>),
}

impl From<Box<dyn Sink>> for Destination {
    fn from(sink: Box<dyn Sink>) -> Self {
        Destination::Sink(sink)
    }
}

/// The bits of a row number for its index within a chunk, which has fewer bytes than that.
const CHUNK_BITS: u32 = 30;

/// The number of a row: that of its chunk, and its index there.
pub(super) fn row_number(ticket: u64, row: u64) -> u64 {
    ticket << CHUNK_BITS | row
}

impl Destination {
    /// Number of ordered stages, at least 1. A sorter needs no order, but waiting for earlier chunks needs a stage.
    pub(super) fn stages(&self) -> usize {
        match self {
            Destination::Sink(sink) => sink.stages(),
            Destination::Sorted(..) => 1,
        }
    }

    /// The names of these stages.
    pub fn stage_names(&self) -> Vec<String> {
        match self {
            Destination::Sink(sink) => (0..sink.stages()).map(|stage| sink.stage_name(stage)).collect(),
            Destination::Sorted(..) => vec!["order".to_owned()],
        }
    }

    /// Takes a batch of chunk `ticket` through the stages from number `stage` on. A sorter only waits for its turn.
    pub(super) fn pass(
        &self,
        batch: RecordBatch,
        (order, stage): (&Order, usize),
        ticket: u64,
        is_last: bool,
    ) -> Result<()> {
        let _encode = timing::step(Step::Encode);
        let turns = InOrder { order, first: stage, ticket, is_last, is_timed: true };
        match self {
            Destination::Sink(sink) => sink.write(batch, &turns)?,
            Destination::Sorted(..) => turns.take(0, Some(&mut || Ok(())))?,
        }
        Ok(())
    }

    /// Writes everything that is still buffered, and the file's end. Returns the uncommitted output, and the number of
    /// bytes written to temporary files.
    pub(super) fn close(self, threads: &Workers, progress: &Progress) -> Result<(UncommittedOutput, u64)> {
        match self {
            Destination::Sink(sink) => Ok((sink.close()?, 0)),
            Destination::Sorted(sorter, sink) => {
                let mut merge = sorter.merge()?;
                let next = || {
                    progress.check()?;
                    let rows = merge.next_rows()?;
                    let count = rows.as_ref().map_or(0, RowSelection::rows);
                    progress.sorted.fetch_add(count as u64, Ordering::Relaxed);
                    Ok(rows)
                };
                write_made(threads, sink.as_ref(), next, |rows| sorter.batch(&rows))?;
                drop(merge);
                Ok((sink.close()?, sorter.written()))
            }
        }
    }
}
