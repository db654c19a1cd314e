//! Hands out the pieces of an input in order, and gives what is made of them to rayon's consumers.
//!
//! The number of a text's record depends on how many lines stand before its piece. Each piece tells how many it has as
//! soon as it knows, which is long before its items are made; by then the pieces before it, which were begun earlier,
//! have usually told theirs. Where one has not, its lines are counted instead of waited for. With two threads on two
//! processors this takes half the time of one thread; items that were made without numbers and had to wait for them
//! took 0.56, since their memory left the caches, and a pass that counts all lines first 0.61 (the default table of
//! `te`, repeated to 1 GB).

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Mutex;

use rayon::iter::plumbing::{Folder, Reducer, UnindexedConsumer};
use rayon::prelude::*;
use urimill_base::locks::{into_inner, lock};

/// An input in pieces. Places in it are bytes of a text, or rows of columns.
pub(super) trait Pieces: Sync {
    /// What is made of a piece, for instance a batch; a piece has any number of items.
    type Item: Send;

    /// The end of the piece that begins here; `None` at the end of the input. It is called in the order of the pieces.
    /// Other threads wait for it, so it must be quick.
    fn end(&self, at: usize) -> Option<usize>;

    /// The number of records in a piece.
    fn count(&self, piece: Range<usize>) -> i64;

    /// Makes the items of a piece and gives them to `take`, until that answers `false`. It must call `before` once with
    /// the number of records in the piece, as early as it can, and gets the number of those in the pieces before.
    fn make(
        &self,
        piece: Range<usize>,
        before: &mut dyn FnMut(i64) -> i64,
        take: &mut dyn FnMut(Self::Item) -> bool,
    );
}

/// How far an input has been read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reached {
    /// Where the next piece begins.
    pub(super) at: usize,
    /// The number of records before it.
    records: i64,
}

/// Gives all items to a consumer of rayon, in the order of the input.
pub(super) fn drive<P, C>(pieces: &P, consumer: C) -> C::Result
where
    P: Pieces + ?Sized,
    C: UnindexedConsumer<P::Item>,
{
    drive_some(pieces, usize::MAX, &mut Reached::default(), consumer)
}

/// [`drive`] for the next pieces, at most `most`.
pub(super) fn drive_some<P, C>(pieces: &P, most: usize, reached: &mut Reached, consumer: C) -> C::Result
where
    P: Pieces + ?Sized,
    C: UnindexedConsumer<P::Item>,
{
    let (first, begun, results) = Default::default();
    let Reached { at, records } = *reached;
    let state = Mutex::new(State { consumer, at, left: most, begun, first, records, results });
    // Each takes pieces until there are no more: if other tasks keep the pool busy, one thread does all.
    let threads = 0..rayon::current_num_threads();
    threads.into_par_iter().with_max_len(1).for_each(|_| work(pieces, &state));

    let State { consumer, mut results, at, records, begun, .. } = into_inner(state);
    // Pieces are left where one was not finished.
    let rest = begun.iter().map(|begun| begun.records.unwrap_or_else(|| pieces.count(begun.piece.clone())));
    *reached = Reached { at, records: records + rest.sum::<i64>() };
    results.sort_unstable_by_key(|&(place, _)| place);
    let results = results.into_iter().map(|(_, result)| result);
    let all = results.reduce(|left, right| consumer.to_reducer().reduce(left, right));
    all.unwrap_or_else(|| consumer.into_folder().complete())
}

/// What the threads share. `C` is the consumer of what nobody has taken, and `R` its result.
struct State<C, R> {
    consumer: C,
    /// Where the next piece begins.
    at: usize,
    /// The most pieces that may be begun.
    left: usize,
    /// The pieces that are not numbered, and those begun after them.
    begun: VecDeque<Begun>,
    /// The place of the first of these among all pieces, and the number of records before it.
    first: usize,
    records: i64,
    /// The results of pieces by place.
    results: Vec<(usize, R)>,
}

/// A piece whose items are being made.
struct Begun {
    piece: Range<usize>,
    /// The number of its records, if it is known.
    records: Option<i64>,
    /// Whether it knows the number of those before it.
    is_numbered: bool,
}

impl<C, R> State<C, R> {
    /// The next piece and its place; `None` at the end.
    fn begin(&mut self, end: impl FnOnce(usize) -> Option<usize>) -> Option<(usize, Range<usize>)> {
        self.left = self.left.checked_sub(1)?;
        let piece = self.at..end(self.at)?;
        self.at = piece.end;
        self.begun.push_back(Begun { piece: piece.clone(), records: None, is_numbered: false });
        Some((self.first + self.begun.len() - 1, piece))
    }

    /// Takes note of the number of records in a piece, which several threads may find.
    fn count(&mut self, place: usize, records: i64) {
        if let Some(begun) = place.checked_sub(self.first).and_then(|at| self.begun.get_mut(at)) {
            begun.records = Some(records);
        }
    }

    /// The number of records before a piece that was counted and has not asked yet, or the first piece before it that
    /// was not counted.
    fn before(&mut self, place: usize) -> Result<i64, (usize, Range<usize>)> {
        let mut before = self.records;
        for (at, begun) in self.begun.iter().take(place - self.first).enumerate() {
            before += begun.records.ok_or_else(|| (self.first + at, begun.piece.clone()))?;
        }
        self.begun[place - self.first].is_numbered = true;
        while let Some(Begun { records: Some(records), is_numbered: true, .. }) = self.begun.front() {
            self.records += records;
            self.first += 1;
            self.begun.pop_front();
        }
        Ok(before)
    }
}

/// Takes one piece after the other.
fn work<P, C>(pieces: &P, state: &Mutex<State<C, C::Result>>)
where
    P: Pieces + ?Sized,
    C: UnindexedConsumer<P::Item>,
{
    let begin = || {
        let mut state = lock(state);
        let (place, piece) = (!state.consumer.full()).then(|| state.begin(|at| pieces.end(at)))??;
        Some((place, piece, state.consumer.split_off_left()))
    };
    while let Some((place, piece, consumer)) = begin() {
        let mut before = |records| {
            lock(state).count(place, records);
            loop {
                let before = lock(state).before(place);
                match before {
                    Ok(before) => return before,
                    Err((earlier, piece)) => {
                        let records = pieces.count(piece);
                        lock(state).count(earlier, records);
                    }
                }
            }
        };
        let mut folder = Some(consumer.into_folder());
        pieces.make(piece, &mut before, &mut |item| {
            folder = folder.take().map(|folder| folder.consume(item));
            folder.as_ref().is_some_and(|folder| !folder.full())
        });
        // It is put back after each item.
        if let Some(folder) = folder {
            let result = folder.complete();
            lock(state).results.push((place, result));
        }
    }
}
