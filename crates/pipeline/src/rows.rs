//! Rows of a table through a run: like `Run::chunk` for a chunk, except that no records have to be found.

use std::sync::atomic::Ordering;

use urimill_base::error::Result;
use urimill_base::locks::lock;
use urimill_columns::batch::{Normalizer, Origin, Tally};
use urimill_read::TableMorsel;

use super::Run;
use super::accounts::Part;
use super::deliver::{Deliver, Made};
use super::destination::row_number;

impl<D: Deliver> Run<'_, D> {
    /// Makes all batches of some rows, and takes each through all stages before the next is made.
    pub(super) fn rows(&self, normalizer: &mut Normalizer, ticket: u64, morsel: &TableMorsel) -> Result<()> {
        let source = &self.names[morsel.source];
        let mut at = 0;
        let mut bytes = 0;
        let mut tally = Tally::default();
        while at < morsel.count {
            let first_record = morsel.first_record + at as i64;
            let origin = Origin { first_record, offset: 0, source };
            let taken = normalizer.table(&morsel.rows, at, origin).map_err(|error| {
                error.rephrased(|why| format!("cannot go on with {source} from row {first_record}: {why}"))
            })?;
            self.plan.verifier().inspect(|verifier| verifier.made(normalizer));
            at = taken.next;
            bytes += taken.bytes;
            let mut part = taken.tally;
            let batches = self.plan.tables(taken.batch, || normalizer.rejected(), &mut part)?;
            tally.add(&part);
            let first_row = row_number(ticket, (first_record - morsel.first_record) as u64);
            lock(&self.accounts).write(&batches);
            let is_last = at >= morsel.count;
            let source = (&**source, morsel.source);
            let made =
                Made { ticket, first_row, batches, tally: &part, source, normalizer, chunk: None, is_last };
            self.taker.batch(&self.queue.order, self.plan, made)?;
        }
        tally.set_source(source);
        self.queue.progress.records.fetch_add(tally.lines(), Ordering::Relaxed);
        self.queue.progress.bytes.fetch_add(bytes, Ordering::Relaxed);
        let mut accounts = lock(&self.accounts);
        accounts.records_in += morsel.count as u64;
        accounts.read.bytes += bytes;
        // Rows of a table cannot be of another format.
        accounts.read.lines += morsel.count as u64;
        let part = Part::of_rows(morsel.source, tally);
        accounts.add(ticket, part, &self.format_checker()).map_or(Ok(()), Err)
    }
}
