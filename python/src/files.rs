//! Files to a file or a stream, as `urimill normalize` does it. The library works in threads of its own; the thread of
//! Python waits, calls `progress`, and notices Ctrl-C.

use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;
use urimill::locks::lock;
use urimill::run::{MakeSink, Output, RunProgress};
use urimill::write::{Sink, StagedSink, Target, UncommittedOutput};
use urimill::{Error, ErrorKind};

use crate::conversion::conversion;
use crate::errors::{Fault, Result, caught, detached};
use crate::export::Strings;
use crate::options::Keywords;
use crate::source::Source;
use crate::stream::{Batches, Stream};
use crate::values::json;

/// The time between two checks for progress and Ctrl-C.
const LOOK: Duration = Duration::from_millis(100);
/// The longest time that a stopped run may take to notice.
const PATIENCE: Duration = Duration::from_secs(10);

fn lost() -> Fault {
    Error::new(ErrorKind::Internal, "the thread of a run ended without an answer").into()
}

/// Starts a thread for a run: Python's own has to notice Ctrl-C meanwhile.
pub(crate) fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<JoinHandle<T>> {
    let spawned = Builder::new().name("urimill".to_owned()).spawn(work);
    spawned.map_err(|error| Error::io("start", "a thread", error).into())
}

fn stopped() -> Error {
    Error::new(ErrorKind::Stopped, "nobody reads the stream any more")
}

/// Writes a table; returns the summary. `progress` is called with the stored bytes read, the number of bytes in all or
/// None, and the number of records. With `of_pages` rows are the references in pages.
#[pyfunction]
#[pyo3(signature = (inputs, target, progress, of_pages, **keywords))]
pub(crate) fn convert<'py>(
    py: Python<'py>,
    inputs: Vec<OsString>,
    target: OsString,
    progress: Option<Bound<'py, PyAny>>,
    of_pages: bool,
    keywords: Option<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let keywords = Keywords::given(py, keywords);
    let running = RunProgress::default();
    let function = if of_pages { "links" } else { "convert" };
    let output = Some(Output::to(target));
    let run = conversion(&keywords, inputs, output, (function, of_pages))?.progress(&running);
    summarized(py, &running, progress.as_ref(), move || Ok(run.run()?.to_json()))
}

/// Runs a job with a summary in a thread of its own; calls `progress` meanwhile, as [`convert`] describes.
pub(crate) fn summarized<'py>(
    py: Python<'py>,
    running: &RunProgress,
    progress: Option<&Bound<'py, PyAny>>,
    run: impl FnOnce() -> urimill::Result<Value> + Send + 'static,
) -> PyResult<Bound<'py, PyAny>> {
    let (done, waiting) = channel();
    spawn(move || {
        // If nobody waits any more the result is dropped.
        let _ = done.send(caught(|| Ok(run()?)));
    })?;
    let summary = wait(py, &Mutex::new(waiting), running, progress)?;
    json(py, &summary)
}

/// Waits for the result of a run in a thread of its own; calls `progress` meanwhile, as [`convert`] describes.
pub(crate) fn wait<T: Send>(
    py: Python<'_>,
    waiting: &Mutex<Receiver<Result<T>>>,
    running: &RunProgress,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<T> {
    let look = |within| py.detach(|| waiting_for(waiting, within));
    let tell = || {
        let told = (running.stored_bytes(), running.total_bytes(), running.records());
        progress.map_or(Ok(()), |progress| progress.call1(told).map(drop))
    };
    loop {
        if let Some(result) = look(LOOK) {
            let summary = result?;
            tell()?;
            return Ok(summary);
        }
        if let Err(error) = tell().and_then(|()| py.check_signals()) {
            running.stop();
            // The run removes its temporary files before it ends, unless it waits for a pipe. Another Ctrl-C ends the
            // waiting.
            let begun = Instant::now();
            while look(LOOK).is_none() && begun.elapsed() < PATIENCE && py.check_signals().is_ok() {}
            return Err(error);
        }
    }
}

/// Does some work in a thread of its own, which Ctrl-C stops: the work looks at its argument from time to time.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let (done, waiting) = channel();
    let is_stopped = Arc::new(AtomicBool::new(false));
    let stop = Arc::clone(&is_stopped);
    spawn(move || {
        // If nobody waits any more the result is dropped.
        let _ = done.send(caught(|| work(&is_stopped)));
    })?;
    let waiting = Mutex::new(waiting);
    loop {
        if let Some(result) = py.detach(|| waiting_for(&waiting, LOOK)) {
            return Ok(result?);
        }
        if let Err(error) = py.check_signals() {
            stop.store(true, Ordering::Relaxed);
            return Err(error);
        }
    }
}

fn waiting_for<T>(receiver: &Mutex<Receiver<Result<T>>>, within: Duration) -> Option<Result<T>> {
    let receiver = lock(receiver);
    match receiver.recv_timeout(within) {
        Ok(result) => Some(result),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => Some(Err(lost())),
    }
}

/// Reads files as a stream of batches. With `of_pages` rows are the references in pages.
#[pyfunction]
#[pyo3(signature = (inputs, strings, of_pages, **keywords))]
pub(crate) fn read(
    py: Python<'_>,
    inputs: Vec<OsString>,
    strings: &str,
    of_pages: bool,
    keywords: Option<Bound<'_, PyDict>>,
) -> PyResult<Stream> {
    let running = RunProgress::default();
    let function = if of_pages { "links" } else { "read" };
    let run =
        conversion(&Keywords::given(py, keywords), inputs, None, (function, of_pages))?.progress(&running);
    streamed(py, strings, running, move |sink| run.run_into(sink).map(drop))
}

/// The rows of a run in a thread of its own, whose sink sends them.
pub(crate) fn streamed(
    py: Python<'_>,
    strings: &str,
    running: RunProgress,
    run: impl FnOnce(MakeSink<'static>) -> urimill::Result<()> + Send + 'static,
) -> PyResult<Stream> {
    let strings = Strings::named(strings)?;
    let (schemas, schema) = channel();
    let (batches, received) = sync_channel(2);
    let thread = spawn(move || {
        caught(|| {
            let sink = Box::new(move |schema| {
                Ok(Box::new(Handing::new(schema, strings, &schemas, batches)) as Box<dyn Sink>)
            });
            Ok(run(sink)?)
        })
    })?;
    let schema = Mutex::new(schema);
    let next = || lock(&schema).recv_timeout(LOOK);
    let schema = loop {
        match py.detach(next) {
            Ok(schema) => break schema,
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                detached(py, || thread.join().unwrap_or_else(|_| Err(lost())))?;
                return Err(lost().into());
            }
        }
    };
    let inner = Taking { received, running, thread: Some(thread), is_ours: true };
    Ok(Stream::new(Box::new(Batches { schema, inner })))
}

/// A sink that sends batches to the reader of the stream.
struct Handing {
    strings: Strings,
    schema: SchemaRef,
    batches: SyncSender<RecordBatch>,
}

impl Handing {
    fn new(
        inside: SchemaRef,
        strings: Strings,
        schemas: &Sender<SchemaRef>,
        batches: SyncSender<RecordBatch>,
    ) -> Handing {
        let schema = strings.schema(&inside);
        // The reader may have dropped the stream already.
        let _ = schemas.send(schema.clone());
        Handing { strings, schema, batches }
    }

    fn exit(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let columns = self.strings.columns(batch, &self.schema)?;
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Ok(RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)?)
    }
}

impl StagedSink for Handing {
    type Prepared = RecordBatch;

    fn prepare(&self, batch: RecordBatch) -> urimill::Result<RecordBatch> {
        self.exit(&batch).map_err(|fault| {
            Error::new(
                ErrorKind::Internal,
                format!("cannot hand rows over: {}", arrow_schema::ArrowError::from(fault)),
            )
        })
    }

    fn run(&self, _stage: usize, batch: &mut RecordBatch) -> urimill::Result<()> {
        match batch.num_rows() {
            0 => Ok(()),
            _ => self.batches.send(batch.clone()).map_err(|_| stopped()),
        }
    }

    fn close(self) -> urimill::Result<UncommittedOutput> {
        Ok(UncommittedOutput::File(Target::nowhere("a stream")))
    }
}

/// The receiving end of [`Handing`].
struct Taking {
    received: Receiver<RecordBatch>,
    running: RunProgress,
    thread: Option<JoinHandle<Result<()>>>,
    /// Whether the consumer is this module, so that the interpreter lock can be taken.
    is_ours: bool,
}

impl Iterator for Taking {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.received.recv_timeout(LOOK) {
                Ok(batch) => return Some(Ok(batch)),
                Err(RecvTimeoutError::Disconnected) => {
                    let result = self.thread.take()?.join();
                    return result.unwrap_or_else(|_| Err(lost())).err().map(Err);
                }
                Err(RecvTimeoutError::Timeout) if !self.is_ours => {}
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(error) = Python::attach(|py| py.check_signals()) {
                        return Some(Err(error.into()));
                    }
                }
            }
        }
    }
}

impl Source<Result<RecordBatch>> for Taking {
    fn hand_over(&mut self, _: Python<'_>) -> PyResult<Option<Box<dyn Source<Result<RecordBatch>>>>> {
        self.is_ours = false;
        Ok(None)
    }
}

impl Drop for Taking {
    fn drop(&mut self) {
        self.running.stop();
    }
}
