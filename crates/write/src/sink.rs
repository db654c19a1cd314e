//! The traits of sinks: [`StagedSink`] as its author writes it, [`Sink`] as a run uses it, with the one driver that
//! makes the calls in order.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use urimill_base::error::Result;

use super::passthrough::Fit;
use super::publish::atomic::Target;
use super::publish::uncommitted::UncommittedOutput;
use super::sizes::referenced_bytes;
use super::{Format, OutputSize, SinkOptions};

/// Takes batches of one schema and writes them to one [`Target`], or to the files of one
/// [`StagedDirectory`](super::StagedDirectory). A sink dropped without [`finish`](Sink::finish) or
/// [`close`](Sink::close) leaves the target as it was.
///
/// A [`StagedSink`] is one, and its calls come in the order that it needs.
pub trait Sink: Send + Sync {
    /// Number of ordered stages, at least 1.
    fn stages(&self) -> usize;

    /// The name of an ordered stage, for the times of a run.
    fn stage_name(&self, stage: usize) -> String;

    /// Takes a batch through all stages; batches in any number of threads, each at its turn.
    ///
    /// # Errors
    /// The errors of [`StagedSink`], and of `turns`.
    fn write(&self, batch: RecordBatch, turns: &dyn Turns) -> Result<()>;

    /// Writes the end of a file, and returns the output, to be committed.
    ///
    /// # Errors
    /// As [`StagedSink::close`].
    fn close(self: Box<Self>) -> Result<UncommittedOutput>;

    /// [`Sink::close`], and publishes the output.
    ///
    /// # Errors
    /// As [`Sink::close`] and [`UncommittedOutput::commit`]; nothing is published then.
    fn finish(self: Box<Self>) -> Result<OutputSize> {
        self.close()?.commit()
    }
}

/// The turns of one batch at the ordered stages of a sink; `()` is for a caller that writes one batch at a time.
pub trait Turns {
    /// Does the `work` of a stage when all batches before have left it; without work, lets later batches pass.
    ///
    /// # Errors
    /// The errors of `work`; if the run has failed elsewhere.
    fn take(&self, stage: usize, work: Option<&mut dyn FnMut() -> Result<()>>) -> Result<()>;
}

impl Turns for () {
    fn take(&self, _stage: usize, work: Option<&mut dyn FnMut() -> Result<()>>) -> Result<()> {
        work.map_or(Ok(()), |work| work())
    }
}

/// A sink as its author writes it: [`Sink::write`] makes the calls, in this order. `prepare` at any time; then for each
/// batch `ready` and `run` of stage 0, 1, … `stages() - 1`; `run` of one stage in batch order and never two at once,
/// `prepare` and `ready` of any batches at the same time; `close` after the last.
pub trait StagedSink: Send + Sync + Sized {
    /// A batch on its way through the stages.
    type Prepared: Send;

    /// Does everything to a batch that does not depend on other batches.
    ///
    /// # Errors
    /// `Internal` if a batch cannot be encoded.
    fn prepare(&self, batch: RecordBatch) -> Result<Self::Prepared>;

    /// Number of ordered stages, at least 1.
    fn stages(&self) -> usize {
        1
    }

    /// The name of an ordered stage, for the times of a run.
    fn stage_name(&self, _stage: usize) -> String {
        "output".to_owned()
    }

    /// Does the work on a batch between the stages before `stage` and `stage` itself that needs no order: other batches
    /// may be at any stage meanwhile.
    ///
    /// # Errors
    /// As [`StagedSink::run`].
    fn ready(&self, _stage: usize, _prepared: &mut Self::Prepared) -> Result<()> {
        Ok(())
    }

    /// Whether a batch that is [`ready`](StagedSink::ready) for a stage has anything to do there. If it has not, `run`
    /// of that stage may be left out, and later batches do not wait for it.
    fn has_work(&self, _stage: usize, _prepared: &Self::Prepared) -> bool {
        true
    }

    /// One ordered stage of one batch.
    ///
    /// # Errors
    /// `Io` or `ClosedPipe` if writing fails, naming the target; `Internal` if encoding fails.
    fn run(&self, stage: usize, prepared: &mut Self::Prepared) -> Result<()>;

    /// Writes the end of a file, and returns the output, to be committed.
    ///
    /// # Errors
    /// As [`StagedSink::run`] and [`Target::settle`].
    fn close(self) -> Result<UncommittedOutput>;
}

impl<S: StagedSink> Sink for S {
    fn stages(&self) -> usize {
        StagedSink::stages(self)
    }

    fn stage_name(&self, stage: usize) -> String {
        StagedSink::stage_name(self, stage)
    }

    fn write(&self, batch: RecordBatch, turns: &dyn Turns) -> Result<()> {
        drive(self, self.prepare(batch)?, turns)
    }

    fn close(self: Box<Self>) -> Result<UncommittedOutput> {
        StagedSink::close(*self)
    }
}

/// Takes a prepared batch through the ordered stages.
pub(super) fn drive<S: StagedSink>(sink: &S, mut prepared: S::Prepared, turns: &dyn Turns) -> Result<()> {
    for stage in 0..StagedSink::stages(sink) {
        sink.ready(stage, &mut prepared)?;
        let has_work = sink.has_work(stage, &prepared);
        let mut run = || sink.run(stage, &mut prepared);
        turns.take(stage, if has_work { Some(&mut run) } else { None })?;
    }
    Ok(())
}

/// The sink of one file. The batches that it prepares may go to any file of a directory.
pub trait FileSink: StagedSink<Prepared: PreparedRows> + 'static {
    /// The sink with the beginning of the file written.
    ///
    /// # Errors
    /// The errors of [`create`](super::create).
    fn new(fit: Fit, target: Target, options: &SinkOptions) -> Result<Self>;

    /// [`create`](super::create) for a known sink of the format.
    fn create(format: Format, mut target: Target, given: SchemaRef, options: &SinkOptions) -> Result<Self> {
        if options.checksums {
            target.keep_checksum();
        }
        format.check_built_in(options)?;
        Self::new(Fit::new(format, given, options.passthrough, target.name())?, target, options)
    }
}

/// The size of rows in a file.
#[derive(Debug, Clone, Copy)]
pub struct Stored {
    /// The bytes that are known.
    pub(crate) known: usize,
    /// An estimate of the others; `None` if they were not measured.
    pub(crate) others: Option<usize>,
}

/// Rows that a sink has prepared for any file of a directory.
pub trait PreparedRows: Send {
    /// Bytes in the file of these rows, which were made from `batch`. Sizes that take long to compute are measured only
    /// if these rows are a `sample`, which has the file's options.
    ///
    /// # Errors
    /// `Internal` if the rows cannot be encoded.
    fn stored(&self, batch: &RecordBatch, sample: Option<&SinkOptions>) -> Result<Stored>;

    /// Ends the row group after these rows, if rows wait for the end of one; before the first stage.
    fn end_row_group(&mut self) {}

    /// For sinks in which rows wait for the end of a row group: whether one begins with these rows, and the memory that
    /// they take besides their encoded form. Known after the first stage.
    fn row_group(&self) -> Option<(bool, usize)> {
        None
    }
}

impl PreparedRows for Vec<u8> {
    fn stored(&self, _: &RecordBatch, _: Option<&SinkOptions>) -> Result<Stored> {
        Ok(Stored { known: self.len(), others: Some(0) })
    }
}

impl PreparedRows for RecordBatch {
    fn stored(&self, _: &RecordBatch, _: Option<&SinkOptions>) -> Result<Stored> {
        Ok(Stored { known: referenced_bytes(self), others: Some(0) })
    }
}
