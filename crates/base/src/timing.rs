//! Measures where the time of a run goes.
//!
//! A thread of a timed run is in one step of one stage at any time, and its time by the clock counts there and nowhere
//! else: the times of a thread add up to its life. Code that takes time says which step it is ([`step`]) and knows
//! neither the stage nor whether the run is timed; in a run that is not, it looks at one flag of its thread.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::locks::lock;

/// A step: the kind of work that a thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Everything that no other step names.
    Other,
    /// Reading from files.
    Read,
    /// Inflating the bytes read.
    Inflate,
    /// Finding the fields of records that are not lines.
    Parse,
    /// Splitting texts into components, and validating them, by the kernels.
    Split,
    /// Rows that the kernels leave to the full parser: see `batch::slow_path`.
    SlowPath,
    /// Making columns.
    Columns,
    /// Encoding columns in the format of the output.
    Encode,
    /// Compressing the encoded bytes.
    Compress,
    /// Writing to files.
    Write,
    /// Asking the system to write files to the disk, and waiting for it.
    Sync,
    /// Waiting for another thread.
    Wait,
}

/// The names of the steps but the last.
const WORK: [&str; Step::Wait as usize] = [
    "other",
    "read",
    "inflate",
    "parse",
    "split",
    "slow_path",
    "columns",
    "encode",
    "compress",
    "write",
    "sync",
];

/// The number of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stage(usize);

impl Stage {
    /// Before there are workers.
    pub const BEGIN: Stage = Stage(0);
    /// The next records of the source, one thread at a time.
    pub const SOURCE: Stage = Stage(1);
    /// Work that needs no order.
    pub const WORKERS: Stage = Stage(2);
    /// After the workers.
    pub const END: Stage = Stage(3);

    /// The ordered stage `number` of the sinks.
    pub fn ordered(number: usize) -> Stage {
        Stage(Stage::END.0 + 1 + number)
    }
}

/// The times of one stage of a run, of all threads together.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StageTimes {
    /// Its name: `begin`, `source`, `workers`, those of the sinks' ordered stages, `end`.
    pub name: String,
    /// Whether it handles one part of the input at a time: then more threads do not make it shorter.
    pub is_ordered: bool,
    /// Time by the clock during which threads worked in it.
    pub busy: Duration,
    /// Time by the clock during which threads waited for their turn in it, or for others to end.
    pub waited: Duration,
    /// `busy` by kinds of work, without those that took no time: `read`, `inflate`, `parse`, `split`, `slow_path`,
    /// `columns`, `encode`, `compress`, `write`, `sync`, `other`.
    pub steps: Vec<(&'static str, Duration)>,
}

/// The times of a run, to which each thread adds.
#[derive(Debug, Clone, Default)]
pub struct Timing(Arc<Mutex<BTreeMap<(Stage, Step), Duration>>>);

impl Timing {
    /// Times this thread from now on; it begins in `stage`.
    pub fn begin(&self, stage: Stage) -> TimedThread {
        let at = (stage, Step::Other);
        CLOCK.set(Some(Clock { timing: self.clone(), at, since: Instant::now() }));
        IS_TIMED.set(true);
        TimedThread(())
    }

    /// Adds a time that was measured elsewhere.
    pub fn add(&self, stage: Stage, time: Duration) {
        self.count((stage, Step::Other), time);
    }

    fn count(&self, at: (Stage, Step), time: Duration) {
        *lock(&self.0).entry(at).or_default() += time;
    }

    /// The times of the steps that have ended; `ordered` names the sinks' stages.
    pub fn stages(&self, ordered: &[String]) -> Vec<StageTimes> {
        let times = lock(&self.0);
        let of_stage = |(name, stage): (&str, Stage)| {
            let own = times.range((stage, Step::Other)..(stage, Step::Wait));
            let steps = own.filter(|(_, time)| !time.is_zero());
            let steps: Vec<_> = steps.map(|((_, step), time)| (WORK[*step as usize], *time)).collect();
            let busy = steps.iter().map(|(_, time)| *time).sum();
            let waited = times.get(&(stage, Step::Wait)).copied().unwrap_or_default();
            StageTimes { name: name.to_owned(), is_ordered: stage != Stage::WORKERS, busy, waited, steps }
        };
        let first = [("begin", Stage::BEGIN), ("source", Stage::SOURCE), ("workers", Stage::WORKERS)];
        let ordered = ordered.iter().enumerate();
        let ordered = ordered.map(|(number, name)| (name.as_str(), Stage::ordered(number)));
        first.into_iter().chain(ordered).chain([("end", Stage::END)]).map(of_stage).collect()
    }
}

/// The stage and step of this thread, and since when.
struct Clock {
    timing: Timing,
    at: (Stage, Step),
    since: Instant,
}

impl Clock {
    fn count(&mut self) {
        let now = Instant::now();
        self.timing.count(self.at, now - self.since);
        self.since = now;
    }
}

thread_local! {
    static IS_TIMED: Cell<bool> = const { Cell::new(false) };
    static CLOCK: RefCell<Option<Clock>> = const { RefCell::new(None) };
}

/// Ends the times of a thread when it is dropped.
#[must_use]
pub struct TimedThread(());

impl Drop for TimedThread {
    fn drop(&mut self) {
        IS_TIMED.set(false);
        if let Some(mut clock) = CLOCK.take() {
            clock.count();
        }
    }
}

/// The timing of this thread's run, and the thread's stage, for the threads that it starts.
pub(crate) fn current() -> Option<(Timing, Stage)> {
    CLOCK.with_borrow(|clock| clock.as_ref().map(|clock| (clock.timing.clone(), clock.at.0)))
}

/// Returns to the previous step and stage when it is dropped.
#[must_use]
pub struct Within(Option<(Stage, Step)>);

impl Drop for Within {
    fn drop(&mut self) {
        if let Some(before) = self.0 {
            go_on(|_| before);
        }
    }
}

/// From now on this thread is in the step `next` of its stage.
fn go_on(next: impl FnOnce((Stage, Step)) -> (Stage, Step)) -> Option<(Stage, Step)> {
    CLOCK.with_borrow_mut(|clock| {
        let clock = clock.as_mut()?;
        clock.count();
        let before = clock.at;
        clock.at = next(before);
        Some(before)
    })
}

/// Sets the step of this thread until the returned guard is dropped.
#[inline]
pub fn step(step: Step) -> Within {
    Within(if IS_TIMED.get() { go_on(|(stage, _)| (stage, step)) } else { None })
}

/// Sets the stage and step of this thread until the returned guard is dropped.
#[inline]
pub fn stage(stage: Stage, step: Step) -> Within {
    Within(if IS_TIMED.get() { go_on(|_| (stage, step)) } else { None })
}

/// A guard during which the thread's time does not count: others work for it.
#[must_use]
pub(crate) struct Paused(());

impl Drop for Paused {
    fn drop(&mut self) {
        CLOCK.with_borrow_mut(|clock| {
            if let Some(clock) = clock {
                clock.since = Instant::now();
            }
        });
    }
}

/// Stops counting this thread's time until the returned guard is dropped.
pub(crate) fn pause() -> Paused {
    go_on(|at| at);
    Paused(())
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use super::*;

    const SHORT: Duration = Duration::from_millis(5);

    /// (stage, busy at least, waited at least) of a thread that sleeps in known places; all its time is somewhere.
    #[test]
    fn time_counts_where_it_is_spent_and_once() {
        let timing = Timing::default();
        let begun = Instant::now();
        {
            let _thread = timing.begin(Stage::BEGIN);
            sleep(SHORT);
            let _workers = stage(Stage::WORKERS, Step::Other);
            {
                let _encode = step(Step::Encode);
                sleep(SHORT);
                let _compress = step(Step::Compress);
                sleep(SHORT);
            }
            let _ordered = stage(Stage::ordered(1), Step::Wait);
            sleep(SHORT);
        }
        let life = begun.elapsed();
        let stages = timing.stages(&["first".to_owned(), "second".to_owned()]);
        let expected = [
            ("begin", 1, 0),
            ("source", 0, 0),
            ("workers", 2, 0),
            ("first", 0, 0),
            ("second", 0, 1),
            ("end", 0, 0),
        ];
        let names: Vec<_> = stages.iter().map(|stage| stage.name.as_str()).collect();
        assert_eq!(names, expected.map(|(name, ..)| name));
        for (stage, (name, busy, waited)) in stages.iter().zip(expected) {
            assert!(stage.busy >= SHORT * busy && (busy > 0 || stage.busy < SHORT), "{name}: {stage:?}");
            assert!(
                stage.waited >= SHORT * waited && (waited > 0 || stage.waited.is_zero()),
                "{name}: {stage:?}"
            );
            assert_eq!(stage.busy, stage.steps.iter().map(|(_, time)| *time).sum(), "{name}");
        }
        let kinds: Vec<_> = stages[2].steps.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, ["other", "encode", "compress"]);
        let all: Duration = stages.iter().map(|stage| stage.busy + stage.waited).sum();
        assert!(all <= life && all >= SHORT * 4, "{all:?} of {life:?}");
    }

    #[test]
    fn threads_that_are_not_timed_count_nothing() {
        let timing = Timing::default();
        drop(timing.begin(Stage::BEGIN));
        let before = timing.stages(&[]);
        let _step = stage(Stage::END, Step::Write);
        sleep(SHORT);
        assert_eq!((timing.stages(&[]), current().is_none()), (before, true));
    }
}
