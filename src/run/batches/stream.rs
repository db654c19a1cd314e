//! The rows of a run as an asynchronous stream.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use futures_core::Stream;
use urimill_base::error::Result;

use super::channel::State;
use super::{Job, Receiver, Shape, Stats};

/// The rows of a run as an asynchronous stream of record batches, for programs such as servers of Arrow Flight: see
/// [`Conversion::into_stream`](crate::run::Conversion::into_stream) and
/// [`Batches::into_stream`](super::Batches::into_stream).
///
/// The run has threads of its own, which work at most a few batches ahead. Polling and dropping never block: a poll
/// without a batch leaves its waker, which the run wakes. An error that ends the run is the last item. A stream dropped
/// before its end stops the run.
///
/// ```
/// use futures_executor::block_on_stream;
/// use urimill::run::Conversion;
///
/// let upload = std::io::Cursor::new("http://example.com/a/../b\n/c d\n");
/// let opening = Conversion::new().inputs_from(upload, "upload").columns(["uri", "error"]).into_stream();
/// // A server awaits these instead: `opening.await?`, and `stream.next().await` of the crate futures.
/// let stream = futures_executor::block_on(opening)?;
/// assert_eq!(stream.schema().field(1).name(), "error");
/// let rows = block_on_stream(stream).map(|batch| Ok(batch?.num_rows())).sum::<urimill::Result<usize>>()?;
/// assert_eq!(rows, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Where an interface wants errors of its own, such as a server of Arrow Flight, they are mapped:
/// `stream.map_err(|error| FlightError::ExternalError(Box::new(error)))`.
#[must_use = "the run stops when its stream is dropped"]
pub struct BatchStream {
    receiver: Receiver,
    schema: SchemaRef,
}

impl BatchStream {
    pub(super) fn new(receiver: Receiver, schema: SchemaRef) -> BatchStream {
        BatchStream { receiver, schema }
    }

    pub(in crate::run) async fn of(
        job: impl Job<Stats = Stats> + Send + 'static,
        shape: Option<Shape>,
    ) -> Result<BatchStream> {
        let mut receiver = Receiver::start(job, shape)?;
        let schema = poll_fn(|context| receiver.channel.poll(context, State::schema)).await;
        receiver.opened(schema).map(|schema| BatchStream::new(receiver, schema))
    }

    /// The schema of all batches.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The statistics of the run; `None` until the stream has ended, and if the run failed.
    pub fn stats(&self) -> Option<&Stats> {
        self.receiver.stats.as_ref()
    }
}

impl Stream for BatchStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.receiver.is_over {
            return Poll::Ready(None);
        }
        let next = self.receiver.channel.poll(context, State::next);
        next.map(|next| self.receiver.received(next).transpose())
    }
}

impl fmt::Debug for BatchStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchStream").field("schema", &self.schema).finish_non_exhaustive()
    }
}
