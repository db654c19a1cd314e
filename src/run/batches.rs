//! The rows of a run as record batches for its caller. The run has a thread of its own, whose sink hands each batch over
//! through a bounded channel; the caller takes them as an iterator, or as a stream that never blocks.

mod channel;
#[cfg(feature = "futures")]
mod stream;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::threads;
use urimill_write::{Sink, StagedSink, Target, UncommittedOutput, export_schema};

use super::job::{Job, Prepared};
use super::progress::RunProgress;
use super::stats::Stats;
use channel::{Channel, Next, State};
#[cfg(feature = "futures")]
pub use stream::BatchStream;

/// The rows of a run, batch by batch, in the order of the table: see
/// [`Conversion::into_batches`](super::Conversion::into_batches).
///
/// It is an iterator, and a [`RecordBatchReader`] for programs that take Arrow's readers. The run goes on in threads of
/// its own, at most a few batches ahead of the caller: a slow caller slows it down, and memory does not grow. An error
/// that ends the run is the last item. Its iterator wraps it in [`ArrowError::ExternalError`]; [`next_batch`] returns it
/// as it is.
///
/// If this is dropped before the end, the run stops: its threads end by themselves as soon as those that wait for an
/// input have it, and nothing waits for them.
///
/// ```
/// use urimill::arrow_array::{RecordBatchReader, cast::AsArray};
/// use urimill::run::Conversion;
///
/// let upload = std::io::Cursor::new("http://example.com/a/../b\n/c d\n");
/// let mut batches =
///     Conversion::new().inputs_from(upload, "upload").columns(["source", "uri", "error"]).into_batches()?;
/// assert_eq!(batches.schema().field(1).name(), "uri");
/// let mut uris = Vec::new();
/// for batch in &mut batches {
///     let batch = batch?;
///     uris.extend(batch.column(1).as_string_view().iter().flatten().map(str::to_owned));
/// }
/// assert_eq!(uris, ["http://example.com/b", "/c d"]);
/// let stats = batches.stats().expect("the run has ended");
/// assert_eq!((stats.records, stats.rejects), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`next_batch`]: Batches::next_batch
#[must_use = "the run stops when its batches are dropped"]
pub struct Batches {
    receiver: Receiver,
    schema: SchemaRef,
}

impl Batches {
    pub(super) fn of(job: impl Job<Stats = Stats> + Send + 'static) -> Result<Batches> {
        let mut receiver = Receiver::start(job, None)?;
        let schema = receiver.channel.wait(State::schema);
        receiver.opened(schema).map(|schema| Batches { receiver, schema })
    }

    /// The next batch, which has a row at least; `None` after the last one and after an error.
    ///
    /// # Errors
    /// The error that ended the run, once: as of [`Conversion::run`](super::Conversion::run).
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        if self.receiver.is_over {
            return Ok(None);
        }
        let next = self.receiver.channel.wait(State::next);
        let is_end = matches!(next, Next::End(_));
        if let Some(thread) = self.receiver.thread.take_if(|_| is_end) {
            // It has nothing left to do.
            drop(thread.join());
        }
        self.receiver.received(next)
    }

    /// The statistics of the run; `None` until the iterator has ended, and if the run failed.
    pub fn stats(&self) -> Option<&Stats> {
        self.receiver.stats.as_ref()
    }

    /// The same batches as a stream, which does not block the thread that polls it.
    #[cfg(feature = "futures")]
    pub fn into_stream(self) -> BatchStream {
        BatchStream::new(self.receiver, self.schema)
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().map_err(|error| ArrowError::ExternalError(Box::new(error))).transpose()
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

impl fmt::Debug for Batches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batches").field("schema", &self.schema).finish_non_exhaustive()
    }
}

/// Makes the batch that the caller gets out of one of the run's, in a thread of the run.
pub type Finish = Box<dyn Fn(RecordBatch) -> Result<RecordBatch> + Send + Sync>;

/// By the schema of the run's batches, in which texts are views: the schema that the caller gets, and how its batches
/// are made.
type Shape = Box<dyn FnOnce(SchemaRef) -> (SchemaRef, Finish) + Send>;

/// The end of the channel that takes batches. Dropped early, it stops the run.
struct Receiver {
    channel: Arc<Channel>,
    progress: RunProgress,
    thread: Option<JoinHandle<()>>,
    stats: Option<Stats>,
    is_over: bool,
}

impl Receiver {
    /// Starts the run in a thread of its own, which also opens the inputs: that may wait.
    fn start(job: impl Job<Stats = Stats> + Send + 'static, shape: Option<Shape>) -> Result<Receiver> {
        let channel = Arc::new(Channel::default());
        let progress = job.common().progress.clone();
        let sender = Arc::clone(&channel);
        let run = move || {
            let run = || {
                let (mut schema, is_sorted) = (None, job.is_sorted());
                let sink = |inside: SchemaRef| {
                    let as_it_is = |inside: SchemaRef| -> (SchemaRef, Finish) {
                        let schema = if is_sorted { Arc::new(export_schema(&inside)) } else { inside };
                        (schema, Box::new(Ok))
                    };
                    let (shaped, finish) = match shape {
                        Some(shape) => shape(inside),
                        None => as_it_is(inside),
                    };
                    schema = Some(shaped);
                    Ok(Box::new(Sending { channel: Arc::clone(&sender), finish }) as Box<dyn Sink>)
                };
                let prepared = Prepared::new(job, Some(Box::new(sink)))?;
                sender.open(schema);
                prepared.run()
            };
            sender.end(catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err(panicked())));
        };
        let thread = threads::spawn("urimill-run", run)
            .map_err(|error| Error::io("start", "the thread of the run", error))?;
        Ok(Receiver { channel, progress, thread: Some(thread), stats: None, is_over: false })
    }

    /// The schema, or the reason why the run did not begin.
    fn opened(&mut self, schema: Result<SchemaRef>) -> Result<SchemaRef> {
        self.is_over = schema.is_err();
        schema
    }

    fn received(&mut self, next: Next) -> Result<Option<RecordBatch>> {
        let end = match next {
            Next::Batch(batch) => return Ok(Some(batch)),
            Next::End(end) => end,
        };
        self.is_over = true;
        self.stats = Some((*end)?);
        Ok(None)
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        if !self.is_over {
            self.channel.close();
            self.progress.stop();
        }
    }
}

fn panicked() -> Error {
    Error::new(ErrorKind::Internal, "the run panicked: this is a defect of urimill, please report it")
}

/// The sink that hands batches over. It waits in its turn while the channel is full.
struct Sending {
    channel: Arc<Channel>,
    finish: Finish,
}

impl StagedSink for Sending {
    type Prepared = RecordBatch;

    fn prepare(&self, batch: RecordBatch) -> Result<RecordBatch> {
        (self.finish)(batch)
    }

    fn stage_name(&self, _stage: usize) -> String {
        "batches".to_owned()
    }

    fn has_work(&self, _stage: usize, batch: &RecordBatch) -> bool {
        batch.num_rows() > 0
    }

    fn run(&self, _stage: usize, batch: &mut RecordBatch) -> Result<()> {
        self.channel.send(batch.clone())
    }

    fn close(self) -> Result<UncommittedOutput> {
        Ok(Target::nowhere("the batches").into())
    }
}
