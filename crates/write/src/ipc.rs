//! Arrow IPC, as a file and as a stream: columns in plain types, one message per batch.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::RecordBatch;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use urimill_base::error::{Error, Result};
use urimill_base::locks::{into_inner, lock};

use super::passthrough::Fit;
use super::publish::atomic::write_error;
use super::text::bytes::Encode;
use super::{SinkOptions, StagedSink, Target, UncommittedOutput, encode_error, file_schema, to_plain};

/// The error of a writer: an error of the target keeps its kind.
fn ipc_error(name: &str, error: ArrowError) -> Error {
    match error {
        ArrowError::IoError(_, source) => write_error(name, source),
        other => encode_error(name, other),
    }
}

/// The file format. The footer needs the position of each message, so the ordered stage lets the writer lay the columns
/// out; that is little more than copying them.
pub(super) struct FileSink {
    fit: Fit,
    plain_schema: SchemaRef,
    writer: Mutex<FileWriter<Target>>,
}

impl super::FileSink for FileSink {
    fn new(fit: Fit, target: Target, options: &SinkOptions) -> Result<Self> {
        let plain_schema = file_schema(&fit.fitting, options);
        let writer = FileWriter::try_new(target, &plain_schema).map_err(|e| ipc_error(&fit.name, e))?;
        Ok(FileSink { fit, plain_schema, writer: Mutex::new(writer) })
    }
}

impl StagedSink for FileSink {
    type Prepared = RecordBatch;

    fn prepare(&self, batch: RecordBatch) -> Result<RecordBatch> {
        to_plain(&self.fit.batch(batch)?, &self.plain_schema).map_err(|e| encode_error(&self.fit.name, e))
    }

    fn run(&self, _stage: usize, batch: &mut RecordBatch) -> Result<()> {
        let mut writer = lock(&self.writer);
        writer.write(batch).map_err(|e| ipc_error(&self.fit.name, e))
    }

    fn close(self) -> Result<UncommittedOutput> {
        let writer = into_inner(self.writer);
        let mut target = writer.into_inner().map_err(|e| ipc_error(&self.fit.name, e))?;
        target.settle()?;
        Ok(UncommittedOutput::File(target))
    }
}

/// The stream format: schema message, one message per batch, end of stream.
pub(super) struct StreamEncoder {
    schema: SchemaRef,
    header: Vec<u8>,
    trailer: Vec<u8>,
    /// The length of the last message: the next one is about as long.
    len: AtomicUsize,
}

impl StreamEncoder {
    pub(super) fn new(schema: &Schema, options: &SinkOptions) -> Result<Self> {
        let schema = file_schema(schema, options);
        let parts = |schema: &Schema| {
            let mut writer = StreamWriter::try_new(Vec::new(), schema)?;
            let header = std::mem::take(writer.get_mut());
            Ok((header, writer.into_inner()?))
        };
        let (header, trailer) = parts(&schema).map_err(|e: ArrowError| encode_error("an Arrow stream", e))?;
        Ok(StreamEncoder { schema, header, trailer, len: AtomicUsize::new(0) })
    }

    fn message(&self, batch: &RecordBatch) -> Result<Vec<u8>, ArrowError> {
        // A new writer for each batch: it begins with the schema message, which is discarded.
        let mut writer = StreamWriter::try_new(Vec::new(), &self.schema)?;
        writer.get_mut().clear();
        let batch = to_plain(batch, &self.schema)?;
        // Growing it step by step would copy it several times.
        let last = self.len.load(Ordering::Relaxed);
        writer.get_mut().reserve(last + last / 16);
        writer.write(&batch)?;
        let message = std::mem::take(writer.get_mut());
        self.len.store(message.len(), Ordering::Relaxed);
        Ok(message)
    }
}

impl Encode for StreamEncoder {
    fn is_text(&self) -> bool {
        false
    }

    fn header(&self) -> Vec<u8> {
        self.header.clone()
    }

    fn encode(&self, batch: &RecordBatch) -> Result<Vec<u8>, String> {
        self.message(batch).map_err(|e| e.to_string())
    }

    fn trailer(&self) -> Vec<u8> {
        self.trailer.clone()
    }
}
