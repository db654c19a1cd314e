//! What a job is, and the driver of all jobs: options, then inputs and outputs, then the work.

use std::sync::atomic::Ordering;
use std::time::Instant;

use super::budget::{Budget, Threads};
use super::common::Common;
use super::options;
use super::output::MakeSink;
use crate::error::Result;
use crate::option_name::OptionName;
use crate::read::{Damages, Source, expand};

/// A job: options that become a run. [`Prepared`] calls its methods in their order.
pub trait Job: Sized {
    /// Its name, and with it the rows of its options.
    const NAME: options::Job;
    /// Its inputs, of which the beginning has been read, and its outputs, which are empty.
    type Opened;
    /// What it answers.
    type Stats;

    /// The options that all jobs have.
    fn common(&self) -> &Common;

    /// Whether its options make sense together, where its rows go to a sink of the caller's, or to its outputs.
    ///
    /// # Errors
    /// Usage, in one sentence that names the options.
    fn check(&self, has_sink: bool) -> Result<()>;

    /// Opens its inputs and outputs; `sink` takes the rows of a job that can give them to its caller.
    ///
    /// # Errors
    /// Where the beginning of an input cannot be read, or an output cannot be created.
    fn open(
        &self,
        sources: Vec<Source>,
        running: &Running,
        sink: Option<MakeSink<'_>>,
    ) -> Result<Self::Opened>;

    /// Reads everything: what it makes of a batch is its [`Look`](crate::pipeline::Look). Publishes its outputs when
    /// all is well.
    ///
    /// # Errors
    /// The first that occurs; nothing is published then.
    fn work(self, opened: Self::Opened, running: Running) -> Result<Self::Stats>;
}

/// What a run has beside its options.
pub struct Running {
    pub(super) begun: Instant,
    pub(super) threads: Threads,
    pub(super) budget: Budget,
    /// The memory that is asked for or given by default, in bytes; `None` for jobs that have no limit.
    pub(super) memory: Option<usize>,
    pub(super) common: Common,
    /// What was found to be damaged in the inputs.
    pub(super) damages: Damages,
}

impl Running {
    pub(super) fn new<J: Job>(job: &J, begun: Instant) -> Running {
        let common = job.common().clone();
        let threads = Threads::new(common.threads);
        let budget = Budget::new(common.memory, threads.given);
        let memory = J::NAME.row(OptionName::Memory).map(|_| budget.whole);
        common.progress.counters.memory.store(memory.unwrap_or(0), Ordering::Relaxed);
        Running { begun, threads, budget, memory, common, damages: Damages::default() }
    }
}

/// A run that can begin: its options make sense, its inputs begin as they should, and its outputs can be written.
/// Dropped without [`run`](Self::run) it leaves nothing after.
#[must_use = "a prepared run does nothing until it is run"]
pub struct Prepared<J: Job> {
    pub(super) job: J,
    pub(super) running: Running,
    pub(super) opened: J::Opened,
}

impl<J: Job> Prepared<J> {
    pub(super) fn new(job: J, sink: Option<MakeSink<'_>>) -> Result<Prepared<J>> {
        let begun = Instant::now();
        job.check(sink.is_some())?;
        let sources = expand(&job.common().inputs)?;
        let running = Running::new(&job, begun);
        let opened = job.open(sources, &running, sink)?;
        Ok(Prepared { job, running, opened })
    }

    /// The threads that the run has.
    pub fn threads(&self) -> Threads {
        self.running.threads
    }

    /// Reads everything, and publishes the outputs when all is well.
    ///
    /// # Errors
    /// Fails as [`Conversion::run`](super::Conversion::run) does.
    pub fn run(self) -> Result<J::Stats> {
        self.job.work(self.opened, self.running)
    }
}
