//! Files to a file or a stream, as `urimill normalize` does it. The library works in threads of its own; the thread of
//! Python waits, calls `progress`, and notices Ctrl-C.

use std::ffi::OsString;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;
use urimill::locks::lock;
use urimill::run::{Output, RunProgress};
use urimill::{Error, ErrorKind};

use crate::conversion::conversion;
use crate::errors::{Fault, Result, caught};
use crate::export::Strings;
use crate::options::Keywords;
use crate::run_batches::{LOOK, streamed};
use crate::stream::Stream;
use crate::values::json;

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
    let function = if of_pages { "links" } else { "read" };
    let run = conversion(&Keywords::given(py, keywords), inputs, None, (function, of_pages))?;
    streamed(py, run.into_stream_as(Strings::named(strings)?.shape()))
}
