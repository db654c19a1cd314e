//! Hands out the pieces of an input in order, and gives what is made of them to rayon's consumers.
//!
//! The number of a text's record depends on how many lines the earlier pieces have. So a thread makes the items of a
//! piece as if it were the first, and adds that number when all earlier pieces are counted. A thread that would have to
//! wait for it takes the next piece instead; where too many pieces are unnumbered, it counts the lines of the earliest
//! itself. A pass over the text that counts all lines first would take a tenth of the time of the default table.

use std::collections::BTreeMap;
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

    /// The number of the record at a place, if it does not depend on what is made of the earlier pieces.
    fn number(&self, at: usize) -> Option<i64>;

    /// The number of records in a piece.
    fn count(&self, piece: Range<usize>) -> i64;

    /// Makes the items of a piece and gives them to `take`, until that answers `false`. Returns the number of records
    /// in these. `first` is the number of the first record.
    fn make(&self, piece: Range<usize>, first: i64, take: &mut dyn FnMut(Self::Item) -> bool) -> i64;

    /// Adds `more` to the numbers of an item's records.
    fn renumber(&self, item: &mut Self::Item, more: i64);
}

/// At most so many pieces for each thread have items and no number.
const UNNUMBERED: usize = 2;

/// The number of a piece, from 0.
type Place = usize;

/// Gives all items to a consumer of rayon, in the order of the input.
pub(super) fn drive<P, C>(pieces: &P, consumer: C) -> C::Result
where
    P: Pieces + ?Sized,
    C: UnindexedConsumer<P::Item>,
{
    let threads = rayon::current_num_threads();
    let state = Mutex::new(State {
        consumer,
        at: 0,
        next: 0,
        counted: (0, 1),
        begun: BTreeMap::new(),
        unnumbered: BTreeMap::new(),
        most: threads * UNNUMBERED,
        results: Vec::new(),
    });
    // Each takes pieces until there are no more: if other tasks keep the pool busy, one thread does all.
    (0..threads).into_par_iter().with_max_len(1).for_each(|_| work(pieces, &state));

    let State { consumer, mut results, .. } = into_inner(state);
    results.sort_unstable_by_key(|&(place, _)| place);
    let results = results.into_iter().map(|(_, result)| result);
    let all = results.reduce(|left, right| consumer.to_reducer().reduce(left, right));
    all.unwrap_or_else(|| consumer.into_folder().complete())
}

/// What the threads share. `C` is the consumer of items `I`, and `R` its result.
struct State<I, C, R> {
    /// The consumer of the pieces that nobody has taken.
    consumer: C,
    /// Where these begin, and the number of the first of them.
    at: usize,
    next: Place,
    /// The first piece that is not counted, and the number of its first record.
    counted: (Place, i64),
    /// The pieces whose items are being made.
    begun: BTreeMap<Place, Begun>,
    /// The pieces whose items wait for their numbers, at most `most` of them.
    unnumbered: BTreeMap<Place, Made<I, C>>,
    most: usize,
    results: Vec<(Place, R)>,
}

/// A piece whose items are being made.
struct Begun {
    piece: Range<usize>,
    /// The number of its first record, if the earlier pieces are counted.
    first: Option<i64>,
}

/// The items of a piece whose first record has the number 0, their consumer, and the number of its records.
struct Made<I, C> {
    items: Vec<I>,
    consumer: C,
    records: i64,
}

/// What a thread does next.
enum Task<I, C> {
    /// Makes the items of a piece.
    Make { place: Place, piece: Range<usize>, first: Option<i64>, consumer: C },
    /// Numbers the items of a piece.
    Number { place: Place, made: Made<I, C>, first: i64 },
    /// Counts the records of a piece while another thread makes its items.
    Count { place: Place, piece: Range<usize> },
}

impl<I: Send, C: UnindexedConsumer<I>> State<I, C, C::Result> {
    fn task<P: Pieces<Item = I> + ?Sized>(&mut self, pieces: &P) -> Option<Task<I, C>> {
        let (place, first) = self.counted;
        if let Some(made) = self.unnumbered.remove(&place) {
            self.count(place, made.records);
            return Some(Task::Number { place, made, first });
        }
        if self.unnumbered.len() >= self.most
            && let Some(begun) = self.begun.get(&place)
        {
            return Some(Task::Count { place, piece: begun.piece.clone() });
        }
        if self.consumer.full() {
            return None;
        }
        let piece = self.at..pieces.end(self.at)?;
        let place = self.next;
        (self.at, self.next) = (piece.end, place + 1);
        let known = (self.counted.0 == place).then_some(self.counted.1);
        let first = pieces.number(piece.start).or(known);
        self.begun.insert(place, Begun { piece: piece.clone(), first });
        Some(Task::Make { place, piece, first, consumer: self.consumer.split_off_left() })
    }

    /// Takes note of the number of records in a piece; several threads may find it.
    fn count(&mut self, place: Place, records: i64) {
        if self.counted.0 == place {
            self.counted = (place + 1, self.counted.1 + records);
            if let Some(begun) = self.begun.get_mut(&self.counted.0) {
                begun.first.get_or_insert(self.counted.1);
            }
        }
    }

    /// Takes note of items that were made without a number. Returns them if it is known by now.
    fn made(&mut self, place: Place, made: Made<I, C>) -> Option<(Made<I, C>, i64)> {
        match self.begun.remove(&place).and_then(|begun| begun.first) {
            Some(first) => {
                self.count(place, made.records);
                Some((made, first))
            }
            None => {
                self.unnumbered.insert(place, made);
                None
            }
        }
    }
}

/// Takes one piece after the other.
fn work<P, C>(pieces: &P, state: &Mutex<State<P::Item, C, C::Result>>)
where
    P: Pieces + ?Sized,
    C: UnindexedConsumer<P::Item>,
{
    let number = |place, made: Made<P::Item, C>, first| {
        let numbered = made.items.into_iter().map(|mut item| {
            pieces.renumber(&mut item, first);
            item
        });
        let result = made.consumer.into_folder().consume_iter(numbered).complete();
        lock(state).results.push((place, result));
    };
    loop {
        let task = lock(state).task(pieces);
        match task {
            None => return,
            Some(Task::Make { place, piece, first: Some(first), consumer }) => {
                let (result, records) = make(pieces, piece, first, consumer);
                let mut state = lock(state);
                state.results.push((place, result));
                state.begun.remove(&place);
                state.count(place, records);
            }
            Some(Task::Make { place, piece, first: None, consumer }) => {
                let mut items = Vec::new();
                let records = pieces.make(piece, 0, &mut |item| {
                    items.push(item);
                    true
                });
                let made = lock(state).made(place, Made { items, consumer, records });
                if let Some((made, first)) = made {
                    number(place, made, first);
                }
            }
            Some(Task::Number { place, made, first }) => number(place, made, first),
            Some(Task::Count { place, piece }) => {
                let records = pieces.count(piece);
                lock(state).count(place, records);
            }
        }
    }
}

/// Makes the items of a piece with their numbers. Each is consumed before the next is made. Returns the result and the
/// number of records in the piece.
fn make<P, C>(pieces: &P, piece: Range<usize>, first: i64, consumer: C) -> (C::Result, i64)
where
    P: Pieces + ?Sized,
    C: UnindexedConsumer<P::Item>,
{
    let mut folder = Some(consumer.into_folder());
    let records = pieces.make(piece.clone(), first, &mut |item| {
        folder = folder.take().map(|folder| folder.consume(item));
        folder.as_ref().is_some_and(|folder| !folder.full())
    });
    let folder = folder.expect("it is put back after each item");
    // A consumer that has enough of this piece may want the next one.
    let records = if folder.full() { pieces.count(piece) } else { records };
    (folder.complete(), records)
}
