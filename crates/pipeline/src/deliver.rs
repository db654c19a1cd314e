//! The receivers of a run's batches: the outputs, or a caller that examines them and makes no table.

use super::destination::Destination;
use super::queue::Order;
use super::{Plan, first_invalid};
use arrow_array::RecordBatch;
use urimill_base::error::Result;
use urimill_columns::batch::{Normalizer, Tally};
use urimill_read::{Chunk, Format};
use urimill_uri::Code;

/// A batch, divided by table, and its origin.
pub(super) struct Made<'m> {
    pub(super) ticket: u64,
    /// The number of its first row.
    pub(super) first_row: u64,
    pub(super) batches: Vec<RecordBatch>,
    pub(super) tally: &'m Tally,
    /// The name and index of its source.
    pub(super) source: (&'m str, usize),
    pub(super) normalizer: &'m Normalizer,
    /// The chunk that it was made from, and its format; rows of tables have none.
    pub(super) chunk: Option<(&'m Chunk, &'m Format)>,
    /// Whether it is the last of its morsel.
    pub(super) is_last: bool,
}

/// A receiver of the batches of a run.
pub(super) trait Deliver: Sync {
    /// A chunk that needs no batches; returns the number of its records.
    fn chunk(&self, _: &Order, _ticket: u64, _: (&Chunk, &Format)) -> Result<Option<u64>> {
        Ok(None)
    }

    /// Takes batches with their ticket.
    fn batch(&self, order: &Order, plan: &Plan, made: Made<'_>) -> Result<()>;
}

/// Writes batches to the outputs.
pub(super) struct ToDestinations {
    /// Whether an invalid record ends the run.
    pub(super) fails: bool,
    /// Whether invalid records are dropped.
    pub(super) drops: bool,
    /// The table, then the rejects if they have a table of their own.
    pub(super) destinations: Vec<Destination>,
}

impl Deliver for ToDestinations {
    fn batch(&self, order: &Order, plan: &Plan, made: Made<'_>) -> Result<()> {
        let Made { ticket, first_row, batches, tally, source: (source, _), is_last, .. } = made;
        // Rows that the table cannot hold can only go to the rejects.
        let has_no_place = self.destinations.len() == 1 && !self.drops;
        let fails = |code| self.fails || has_no_place && code == Code::FieldUnfit;
        if tally.by_code().any(|(code, ..)| fails(code)) {
            // The error is about the first one in the input: earlier chunks must have had their turn.
            order.wait(0, ticket)?;
            return Err(first_invalid(tally, source, fails, plan));
        }
        plan.verifier().map_or(Ok(()), |verifier| verifier.written(&batches))?;
        let mut stage = 0;
        let mut to_sort = None;
        for (destination, batch) in self.destinations.iter().zip(batches) {
            if let Destination::Sorted(sorter, _) = destination {
                to_sort = Some((sorter, batch.clone()));
            }
            destination.pass(batch, (order, stage), ticket, is_last)?;
            stage += destination.stages();
        }
        // Last of all: it may take long, and nothing waits for it.
        match to_sort {
            Some((sorter, batch)) => Ok(sorter.push(&batch, first_row)?),
            None => Ok(()),
        }
    }
}

/// A batch for a caller that makes no table.
pub struct Looked<'a> {
    /// The batch, with the columns of the options.
    pub batch: &'a RecordBatch,
    /// The normalizer that made it, which has its records.
    pub normalizer: &'a Normalizer,
    /// The index of its source.
    pub source: usize,
    /// The chunk that it was made from, and its format; rows of tables have none.
    pub chunk: Option<(&'a Chunk, &'a Format)>,
}

impl Looked<'_> {
    /// Whether it is a record that was kept only in part.
    pub fn is_cut(&self) -> bool {
        self.chunk.is_some_and(|(chunk, _)| chunk.overlong.is_some())
    }
}

/// Takes a part of a chunk's result before the rest of it is known: waits for the chunk's turn, and passes the part to
/// [`Look::then`]. Returns false if the run has failed: then nothing more is needed.
pub type Ahead<'a, S> = dyn FnMut(S) -> bool + 'a;

/// Examines the batches of a run: see [`each_batch`](super::each_batch).
pub trait Look: Sync {
    /// Its result for a batch.
    type Seen: Send;

    /// Examines a chunk itself, and counts its records without blank lines; `None` if it needs batches. Results that
    /// are too large to hold go `ahead`, part by part.
    fn chunk(
        &self,
        _chunk: &Chunk,
        _format: &Format,
        _ahead: &mut Ahead<'_, Self::Seen>,
    ) -> Option<(Self::Seen, u64)> {
        None
    }

    /// Examines a batch, in any order.
    ///
    /// # Errors
    /// Its own, which end the run.
    fn batch(&self, looked: &Looked<'_>) -> Result<Self::Seen>;

    /// Gets the results in the order of the input, one at a time.
    ///
    /// # Errors
    /// Its own, which end the run.
    fn then(&self, seen: Self::Seen) -> Result<()>;
}

/// Passes batches to a [`Look`].
pub(super) struct ToLook<'a, L>(pub(super) &'a L);

impl<L: Look> Deliver for ToLook<'_, L> {
    fn chunk(&self, order: &Order, ticket: u64, (chunk, format): (&Chunk, &Format)) -> Result<Option<u64>> {
        let mut stop = None;
        let mut ahead = |seen| {
            if stop.is_none() {
                stop = order.wait(0, ticket).and_then(|()| self.0.then(seen)).err();
            }
            stop.is_none()
        };
        let seen = self.0.chunk(chunk, format, &mut ahead);
        stop.map_or(Ok(()), Err)?;
        let Some((seen, records)) = seen else { return Ok(None) };
        order.wait(0, ticket)?;
        self.0.then(seen)?;
        order.advance(0);
        Ok(Some(records))
    }

    fn batch(&self, order: &Order, _: &Plan, made: Made<'_>) -> Result<()> {
        let Made { ticket, batches, source: (_, source), normalizer, chunk, is_last, .. } = made;
        for batch in &batches {
            let seen = self.0.batch(&Looked { batch, normalizer, source, chunk })?;
            order.wait(0, ticket)?;
            self.0.then(seen)?;
        }
        if is_last {
            order.wait(0, ticket)?;
            order.advance(0);
        }
        Ok(())
    }
}
