//! The trait of jobs, and the driver of all jobs: checks options, opens inputs and outputs, then works.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use urimill_base::error::Result;
use urimill_base::option_name::OptionName;
use urimill_base::threads::Workers;
use urimill_read::{Damages, Source};

use super::budget::{Budget, Threads};
use super::common::Common;
use super::options;
use super::output::MakeSink;

/// A job: options that become a run. [`Prepared`] calls its methods in their order.
pub trait Job: Sized {
    /// Its name, which selects the rows of its options.
    const NAME: options::Job;
    /// Its inputs, whose beginnings have been read, and its outputs, which are empty.
    type Opened;
    /// Its result.
    type Stats;

    /// The options that all jobs have.
    fn common(&self) -> &Common;

    /// Checks that its options make sense together; the rows go to a sink of the caller's, or to its outputs.
    ///
    /// # Errors
    /// Usage, with one sentence that names the options.
    fn check(&self, has_sink: bool) -> Result<()>;

    /// The job for a caller who takes the rows of its table.
    ///
    /// # Errors
    /// Usage, if something else than a table is to be made.
    fn into_table(self) -> Result<Self> {
        Ok(self)
    }

    /// Whether the rows of its table come sorted, with the types of [`export_schema`](crate::write::export_schema).
    fn is_sorted(&self) -> bool {
        false
    }

    /// Opens its inputs and outputs; `sink` takes the rows of a job that can give them to its caller.
    ///
    /// # Errors
    /// If the beginning of an input cannot be read, or an output cannot be created.
    fn open(
        &self,
        sources: Vec<Source>,
        running: &Running,
        sink: Option<MakeSink<'_>>,
    ) -> Result<Self::Opened>;

    /// Reads everything, with a [`Look`](crate::pipeline::Look) at each batch. Publishes its outputs on success.
    ///
    /// # Errors
    /// The first that occurs; nothing is published then.
    fn work(self, opened: Self::Opened, running: Running) -> Result<Self::Stats>;
}

/// The state of a run besides its options.
pub struct Running {
    pub(super) begun: Instant,
    /// All of its parts run in these.
    pub(super) workers: Arc<Workers>,
    /// Their number.
    pub(super) threads: Threads,
    pub(super) budget: Budget,
    /// The memory that is requested or given by default, in bytes; `None` for jobs without a limit.
    pub(super) memory: Option<usize>,
    pub(super) common: Common,
    /// The damage found in the inputs.
    pub(super) damages: Damages,
}

impl Running {
    pub(super) fn new<J: Job>(job: &J, begun: Instant) -> Running {
        let common = job.common().clone();
        let (workers, threads) = Threads::start(common.threads);
        let budget = Budget::new(common.memory, threads.given);
        let memory = J::NAME.row(OptionName::Memory).map(|_| budget.whole);
        common.progress.counters.memory.store(memory.unwrap_or(0), Ordering::Relaxed);
        Running { begun, workers, threads, budget, memory, common, damages: Damages::default() }
    }
}

/// A run that can begin: its options make sense, the beginnings of its inputs are right, and its outputs can be
/// written. If it is dropped without [`run`](Self::run), no files remain.
#[must_use = "a prepared run does nothing until it is run"]
pub struct Prepared<J: Job> {
    pub(super) job: J,
    pub(super) running: Running,
    pub(super) opened: J::Opened,
}

impl<J: Job> Prepared<J> {
    pub(super) fn new(job: J, sink: Option<MakeSink<'_>>) -> Result<Prepared<J>> {
        let begun = Instant::now();
        let job = if sink.is_some() { job.into_table()? } else { job };
        job.check(sink.is_some())?;
        let sources = job.common().inputs.expand()?;
        let running = Running::new(&job, begun);
        let opened = job.open(sources, &running, sink)?;
        Ok(Prepared { job, running, opened })
    }

    /// The threads that the run has.
    pub fn threads(&self) -> Threads {
        self.running.threads
    }

    /// Reads everything, and publishes the outputs on success.
    ///
    /// # Errors
    /// Fails as [`Conversion::run`](super::Conversion::run) does.
    pub fn run(self) -> Result<J::Stats> {
        self.job.work(self.opened, self.running)
    }
}
