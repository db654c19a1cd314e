//! Morsels of the input with their tickets, and the order of the stages: workers take morsels in any order and pass
//! each stage in the order of the tickets; the failure of one worker stops the others.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Condvar, Mutex, PoisonError};

use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::locks::lock;
use urimill_base::threads::Workers;
use urimill_base::timing;
use urimill_base::timing::{Stage, Step};
use urimill_read::Morsel;
use urimill_write::Turns;

use super::Progress;

/// The memory of a chunk as a multiple of its bytes: they are also in its columns, in changed texts, in pages and in
/// their compressed form.
const TIMES: u64 = 12;

/// The approximate memory of a worker, which limits the number of workers if memory is small.
const WORKER: u64 = 24 << 20;
const FEWEST: usize = 4;

/// The minimum memory of some rows of a table, and the memory of each cell.
const ROWS: u64 = 16 << 20;
const CELL: u64 = 64;

/// The number of bytes read for a morsel, as far as the source knows; and the approximate bytes of memory that it
/// takes.
fn sizes(morsel: &Morsel) -> (u64, u64) {
    match morsel {
        Morsel::Chunk(chunk) => (chunk.taken, chunk.len as u64 * TIMES),
        // The worker will report the bytes read.
        Morsel::Table(rows) => (0, ROWS + CELL * (rows.count * rows.rows.passthrough.len()) as u64),
    }
}

/// The error of a worker that stops because another one failed; the other's error is the one that is reported.
pub(super) fn elsewhere() -> Error {
    Error::new(ErrorKind::Stopped, "another worker failed")
}

/// The shared state of the workers: the morsels to come, and the order.
pub(super) struct Queue<'a> {
    record_source: Mutex<Numbered<'a>>,
    pub(super) order: Order,
    pub(super) progress: &'a Progress,
    /// The most bytes in flight at a time.
    most: u64,
}

/// A morsel in flight: its memory is free again when this is returned to [`Queue::take`].
#[derive(Debug, Default)]
pub(super) struct Load(u64);

/// The result of [`RecordSource::next_morsel`](urimill_read::RecordSource::next_morsel).
type NextMorsel<'a> = dyn FnMut() -> Result<Option<Morsel>> + Send + 'a;

struct Numbered<'a> {
    next: Box<NextMorsel<'a>>,
    tickets: u64,
    /// Whether the source has failed: it is not asked again.
    has_failed: bool,
}

impl<'a> Queue<'a> {
    /// `stages` is at least 1.
    pub(super) fn new(next: Box<NextMorsel<'a>>, stages: usize, progress: &'a Progress) -> Self {
        let record_source = Mutex::new(Numbered { next, tickets: 0, has_failed: false });
        let most = progress.memory.load(Ordering::Relaxed) as u64 / 2;
        Queue {
            record_source,
            order: Order::new(stages),
            progress,
            most: if most == 0 { u64::MAX } else { most },
        }
    }

    /// The next morsel and its ticket; `done` is that of the previous morsel, which is finished. May wait until others
    /// have finished and there is memory for it.
    pub(super) fn take(&self, done: &mut Load) -> Result<Option<(u64, Morsel)>> {
        self.order.unload(std::mem::take(done));
        let waits = timing::stage(Stage::SOURCE, Step::Wait);
        let mut record_source = lock(&self.record_source);
        drop(waits);
        let _source = timing::stage(Stage::SOURCE, Step::Other);
        if self.order.has_failed() {
            return Err(elsewhere());
        }
        self.progress.check()?;
        if record_source.has_failed {
            return Ok(None);
        }
        let morsel = match (record_source.next)() {
            Ok(Some(morsel)) => morsel,
            Ok(None) => return Ok(None),
            // Earlier morsels come first, whichever worker has them: their rows are written, and if one fails, its
            // error is the one to report. A later one would take the ticket that the error waits for.
            Err(error) => {
                let ticket = record_source.tickets;
                record_source.has_failed = true;
                drop(record_source);
                self.order.wait(self.order.stages() - 1, ticket)?;
                return Err(error);
            }
        };
        let (taken, weight) = sizes(&morsel);
        *done = self.order.load(weight, self.most)?;
        record_source.tickets += 1;
        self.progress.bytes.fetch_add(taken, Ordering::Relaxed);
        Ok(Some((record_source.tickets - 1, morsel)))
    }

    /// [`Order::work`], in fewer threads if this many would take more memory than morsels may: each worker keeps
    /// working memory.
    pub(super) fn work(&self, threads: &Workers, work: impl Fn() -> Result<()> + Sync) -> Result<()> {
        let most = usize::try_from(self.most / WORKER).unwrap_or(usize::MAX);
        self.order.work(threads, most.max(FEWEST), work)
    }
}

/// The turns of a batch that has a ticket.
pub(super) struct InOrder<'a> {
    pub(super) order: &'a Order,
    /// The number of the sink's first stage.
    pub(super) first: usize,
    pub(super) ticket: u64,
    /// Whether no other batch of the ticket follows.
    pub(super) is_last: bool,
    /// Whether the time of its work counts at its stages.
    pub(super) is_timed: bool,
}

impl Turns for InOrder<'_> {
    fn take(&self, stage: usize, work: Option<&mut dyn FnMut() -> Result<()>>) -> Result<()> {
        let stage = self.first + stage;
        if let Some(work) = work {
            self.order.wait(stage, self.ticket)?;
            let _ordered = self.is_timed.then(|| timing::stage(Stage::ordered(stage), Step::Encode));
            work()?;
            if self.is_last {
                self.order.advance(stage);
            }
        } else if self.is_last {
            self.order.pass(stage, self.ticket)?;
        }
        Ok(())
    }
}

/// The tickets whose turn it is at each stage.
pub(super) struct Order {
    state: Mutex<State>,
    /// Signals, by stage, that the turn has changed.
    turned: Vec<Condvar>,
    /// Signals that fewer morsels are in flight.
    unloaded: Condvar,
}

struct State {
    /// By stage.
    turns: Vec<Turn>,
    /// Bytes of morsels in flight.
    loaded: u64,
    /// The error of the worker that failed first.
    error: Option<Error>,
}

/// The turn at one stage.
#[derive(Clone, Default)]
struct Turn {
    /// The ticket that may enter.
    next: u64,
    /// The number of tickets right after that one that have already passed, because they had nothing to do there.
    passed: u64,
}

impl Turn {
    fn advance(&mut self) {
        self.next += 1 + self.passed;
        self.passed = 0;
    }
}

impl Order {
    pub(super) fn new(stages: usize) -> Order {
        let turns = vec![Turn::default(); stages];
        let state = State { turns, loaded: 0, error: None };
        let turned = (0..stages).map(|_| Condvar::new()).collect();
        Order { state: Mutex::new(state), turned, unloaded: Condvar::new() }
    }

    /// Runs `work` in at most `most` of these threads. A panic is a bug, but must not leave the others waiting.
    ///
    /// # Errors
    /// The first error of a worker, by the order of the chunks.
    pub(super) fn work(
        &self,
        threads: &Workers,
        most: usize,
        work: impl Fn() -> Result<()> + Sync,
    ) -> Result<()> {
        let panicked = || {
            Error::new(
                ErrorKind::Internal,
                "a worker panicked: this is a defect of urimill, please report it",
            )
        };
        threads.each(most, || {
            let done = catch_unwind(AssertUnwindSafe(&work));
            if let Err(error) = done.unwrap_or_else(|_| Err(panicked())) {
                self.fail(error);
            }
        });
        let error = lock(&self.state).error.take();
        error.map_or(Ok(()), Err)
    }

    pub(super) fn stages(&self) -> usize {
        lock(&self.state).turns.len()
    }

    /// Waits until `ticket` may enter `stage`.
    pub(super) fn wait(&self, stage: usize, ticket: u64) -> Result<()> {
        let _wait = timing::stage(Stage::ordered(stage), Step::Wait);
        let mut state = lock(&self.state);
        while state.turns[stage].next != ticket && state.error.is_none() {
            state = self.turned[stage].wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.error.is_some() { Err(elsewhere()) } else { Ok(()) }
    }

    /// Passes a stage in which `ticket` has nothing to do, instead of [`Order::wait`] and [`Order::advance`]. It does
    /// not wait for the ticket whose turn it is, only for those between: at most one ticket may be at work there while
    /// others come to need the stage.
    pub(super) fn pass(&self, stage: usize, ticket: u64) -> Result<()> {
        let _wait = timing::stage(Stage::ordered(stage), Step::Wait);
        let mut state = lock(&self.state);
        loop {
            if state.error.is_some() {
                return Err(elsewhere());
            }
            let turn = &mut state.turns[stage];
            if turn.next == ticket {
                turn.advance();
                break;
            }
            if turn.next + turn.passed + 1 == ticket {
                turn.passed += 1;
                break;
            }
            state = self.turned[stage].wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        self.turned[stage].notify_all();
        Ok(())
    }

    /// Waits until there is memory for a morsel; a single one never waits.
    fn load(&self, weight: u64, most: u64) -> Result<Load> {
        let _wait = timing::step(Step::Wait);
        let mut state = lock(&self.state);
        while state.loaded > 0 && state.loaded.saturating_add(weight) > most && state.error.is_none() {
            state = self.unloaded.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.error.is_some() {
            return Err(elsewhere());
        }
        state.loaded = state.loaded.saturating_add(weight);
        Ok(Load(weight))
    }

    fn unload(&self, Load(weight): Load) {
        if weight > 0 {
            lock(&self.state).loaded -= weight;
            self.unloaded.notify_all();
        }
    }

    pub(super) fn advance(&self, stage: usize) {
        lock(&self.state).turns[stage].advance();
        self.turned[stage].notify_all();
    }

    /// Stops all workers; the first error is reported.
    pub(super) fn fail(&self, error: Error) {
        let mut state = lock(&self.state);
        state.error.get_or_insert(error);
        drop(state);
        self.turned.iter().chain([&self.unloaded]).for_each(Condvar::notify_all);
    }

    pub(super) fn has_failed(&self) -> bool {
        lock(&self.state).error.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::thread::{scope, sleep};
    use std::time::Duration;

    use arrow_array::new_null_array;
    use arrow_schema::DataType;

    use super::*;
    use urimill_base::locks::into_inner;
    use urimill_columns::batch::{OddRows, TableRows};
    use urimill_read::TableMorsel;

    fn is_ok(done: Result<()>) -> bool {
        done.is_ok()
    }

    /// Tickets that pass a stage without work, in the order of their coming: whether each has to wait while ticket 0 is
    /// at work there, and 3, which has work too, waits.
    #[test]
    fn a_stage_without_work_is_passed_while_another_ticket_works_there() {
        let cases: &[(u64, bool, &str)] = &[
            (1, false, "right after the one at work"),
            (2, false, "all before it but the one at work have passed"),
            (4, true, "3 is to work: only one may while others come to need the stage"),
        ];
        let order = Order::new(1);
        assert!(is_ok(order.wait(0, 0)));
        let passed = Mutex::new(Vec::new());
        scope(|scope| {
            for &(ticket, waits, why) in cases {
                let (order, passed) = (&order, &passed);
                let thread = scope.spawn(move || {
                    assert!(is_ok(order.pass(0, ticket)));
                    lock(passed).push(ticket);
                });
                while !waits && !thread.is_finished() {
                    sleep(Duration::from_millis(1));
                }
                sleep(Duration::from_millis(20));
                assert_eq!(!thread.is_finished(), waits, "{why}");
            }
            let third = scope.spawn(|| {
                assert!(is_ok(order.wait(0, 3)));
                lock(&passed).push(3);
                order.advance(0);
            });
            sleep(Duration::from_millis(20));
            assert!(!third.is_finished());
            order.advance(0);
        });
        let passed = into_inner(passed);
        assert_eq!(passed[..2], [1, 2]);
        assert!(passed.len() == 4 && is_ok(order.wait(0, 5)), "{passed:?}");
    }

    /// The worker that gets the error waits for the morsels before it. Another worker that asks meanwhile gets none: it
    /// would take the turn of the error, which would wait for ever.
    #[test]
    fn a_source_is_not_asked_again_after_an_error() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let progress = Progress::default();
        let mut asked = 0;
        let next = || {
            asked += 1;
            if asked == 2 {
                sender.send(()).map_err(|_| Error::new(ErrorKind::Internal, "nobody listens"))?;
                return Err(Error::new(ErrorKind::Data, "damaged"));
            }
            let uris = new_null_array(&DataType::Utf8, 0);
            let rows = TableRows { uris, bases: None, odd: OddRows::default(), passthrough: Vec::new() };
            Ok(Some(Morsel::Table(TableMorsel { rows, count: 0, source: 0, first_record: 1 })))
        };
        let queue = Queue::new(Box::new(next), 1, &progress);
        let mut load = Load::default();
        let first = queue.take(&mut load);
        assert!(matches!(first, Ok(Some((0, _)))));
        scope(|scope| {
            let failed = scope.spawn(|| queue.take(&mut Load::default()));
            assert!(receiver.recv().is_ok());
            assert!(matches!(queue.take(&mut load), Ok(None)));
            assert!(!failed.is_finished());
            queue.order.advance(0);
            assert!(matches!(failed.join(), Ok(Err(error)) if error.kind() == ErrorKind::Data));
        });
    }

    /// A ticket that passes before the current ticket has come leaves the turn to it.
    #[test]
    fn a_failed_run_lets_nobody_pass() {
        let order = Order::new(2);
        assert!(is_ok(order.pass(1, 1)) && is_ok(order.wait(1, 0)));
        order.advance(1);
        assert!(is_ok(order.wait(1, 2)));
        order.fail(elsewhere());
        assert!(!is_ok(order.pass(1, 3)) && !is_ok(order.pass(1, 2)) && !is_ok(order.wait(0, 1)));
    }
}
