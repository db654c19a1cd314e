//! The parallel iterators of batches, and the table that they make.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use rayon::iter::plumbing::UnindexedConsumer;
use rayon::prelude::*;
use urimill_base::error::Result;
use urimill_columns::batch::Tally;

use super::drive::{Pieces, Reached, drive, drive_some};

/// A batch and its tally.
pub(super) type Made = Result<(RecordBatch, Tally)>;

/// A parallel iterator of record batches, in the order of the input.
///
/// It does nothing until it is driven, by [`collect_table`](Self::collect_table), by [`tally`](Self::tally), or by one
/// of rayon's methods. Batches have at most [`Options::batch_rows`](crate::batch::Options::batch_rows) rows; how many
/// each of them has is not part of the interface.
#[must_use = "batches are made when they are asked for"]
pub struct Batches<'a> {
    schema: SchemaRef,
    pieces: Box<dyn Pieces<Item = Made> + Send + 'a>,
}

/// A parallel iterator of record batches with their tallies: [`Batches::with_tallies`].
#[must_use = "batches are made when they are asked for"]
pub struct Tallied<'a>(Batches<'a>);

/// The batches of an input in order, some at a time: [`Batches::rounds`].
#[derive(Debug)]
pub struct Rounds<'a> {
    batches: Batches<'a>,
    reached: Reached,
}

/// A parallel iterator of some batches of an input: [`Rounds::round`].
#[must_use = "batches are made when they are asked for"]
#[derive(Debug)]
pub struct Round<'r, 'a> {
    rounds: &'r mut Rounds<'a>,
    pieces: usize,
}

/// All batches of an input.
#[derive(Debug, Clone)]
pub struct Table {
    /// The schema of the batches.
    pub schema: SchemaRef,
    /// The batches, in the order of the input.
    pub batches: Vec<RecordBatch>,
    /// What happened to the records.
    pub tally: Tally,
}

impl Table {
    /// The number of rows of all batches.
    pub fn num_rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

impl<'a> Batches<'a> {
    pub(super) fn new(schema: SchemaRef, pieces: impl Pieces<Item = Made> + Send + 'a) -> Batches<'a> {
        Batches { schema, pieces: Box::new(pieces) }
    }

    /// The schema of the batches.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// The same with the tally of each batch.
    pub fn with_tallies(self) -> Tallied<'a> {
        Tallied(self)
    }

    /// The batches some at a time, for callers that take them one after the other and do not keep them.
    ///
    /// ```
    /// use rayon::prelude::*;
    /// use urimill::batch::Options;
    /// use urimill::par;
    ///
    /// let text = "http://example.com/\n".repeat(100_000);
    /// let (mut rounds, mut rows) = (par::lines(&text, &Options::default()).rounds(), 0);
    /// while let Some(round) = rounds.round(rayon::current_num_threads()) {
    ///     for batch in round.collect::<urimill::Result<Vec<_>>>()? {
    ///         rows += batch.num_rows();
    ///     }
    /// }
    /// assert_eq!(rows, 100_000);
    /// # Ok::<(), urimill::Error>(())
    /// ```
    pub fn rounds(self) -> Rounds<'a> {
        Rounds { batches: self, reached: Reached::default() }
    }

    /// Makes all batches and keeps them.
    ///
    /// # Errors
    /// The first error of a batch: see the calls that make a [`Batches`].
    pub fn collect_table(self) -> Result<Table> {
        type All = (Vec<RecordBatch>, Tally);
        fn added((mut batches, mut tally): All, made: Made) -> Result<All> {
            let (batch, more) = made?;
            batches.push(batch);
            tally.add(&more);
            Ok((batches, tally))
        }
        fn joined((mut batches, mut tally): All, (more, later): All) -> Result<All> {
            batches.extend(more);
            tally.add(&later);
            Ok((batches, tally))
        }
        let schema = self.schema();
        let (batches, tally) =
            self.with_tallies().try_fold(All::default, added).try_reduce(All::default, joined)?;
        Ok(Table { schema, batches, tally })
    }

    /// Counts what happens to the records. Each batch is dropped when it is made.
    ///
    /// # Errors
    /// As [`Batches::collect_table`].
    pub fn tally(self) -> Result<Tally> {
        let add = |mut tally: Tally, more: &Tally| {
            tally.add(more);
            Ok(tally)
        };
        let added = |tally, made: Made| made.and_then(|(_, more)| add(tally, &more));
        let tallies = self.with_tallies().try_fold(Tally::default, added);
        tallies.try_reduce(Tally::default, |tally, more| add(tally, &more))
    }
}

impl<'a> Rounds<'a> {
    /// The next batches, of at most `pieces` pieces of the input; `None` at its end. A piece is cut for about one batch.
    /// If the iterator ends early, the batches that it has not made are passed over.
    pub fn round(&mut self, pieces: usize) -> Option<Round<'_, 'a>> {
        let is_over = self.batches.pieces.end(self.reached.at).is_none();
        (!is_over).then(|| Round { rounds: self, pieces: pieces.max(1) })
    }
}

impl ParallelIterator for Round<'_, '_> {
    type Item = Result<RecordBatch>;

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        let Round { rounds: Rounds { batches, reached }, pieces } = self;
        let made = Next { pieces: &*batches.pieces, most: pieces, reached };
        made.map(|made| made.map(|(batch, _)| batch)).drive_unindexed(consumer)
    }
}

/// The next pieces of an input.
struct Next<'r, 'a> {
    pieces: &'r (dyn Pieces<Item = Made> + Send + 'a),
    most: usize,
    reached: &'r mut Reached,
}

impl ParallelIterator for Next<'_, '_> {
    type Item = Made;

    fn drive_unindexed<C: UnindexedConsumer<Made>>(self, consumer: C) -> C::Result {
        drive_some(self.pieces, self.most, self.reached, consumer)
    }
}

impl ParallelIterator for Tallied<'_> {
    type Item = Result<(RecordBatch, Tally)>;

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        drive(&*self.0.pieces, consumer)
    }
}

impl ParallelIterator for Batches<'_> {
    type Item = Result<RecordBatch>;

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        self.with_tallies().map(|made| made.map(|(batch, _)| batch)).drive_unindexed(consumer)
    }
}

impl std::fmt::Debug for Batches<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Batches").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Tallied<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Tallied").field(&self.0).finish()
    }
}
