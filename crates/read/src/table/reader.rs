//! The interface of the readers of tables: the methods of an open table, and the distinction between a damaged file and
//! a bug. `parquet` and `arrow` open files, and `Tables` reads them one after the other.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::locks::lock;

/// A table that is open.
pub struct Table {
    /// Its columns.
    pub schema: SchemaRef,
    /// The number of rows that it declares.
    pub(crate) rows: Option<u64>,
    /// Reads the columns with these numbers, which ascend; others are read only if unavoidable.
    pub read: Box<ReadColumns>,
}

type ReadColumns = dyn FnOnce(&[usize]) -> Result<Batches, String> + Send;

/// The rows of a table, some at a time; an error describes the fault of the data.
pub type Batches = Box<dyn Iterator<Item = Result<RecordBatch, String>> + Send>;

/// The error of the system: the libraries that read tables pass on only its text.
#[derive(Debug, Clone, Default)]
pub struct Faults(Arc<Mutex<Option<Error>>>);

impl Faults {
    pub(crate) fn put(&self, error: Error) -> io::Error {
        let copy = io::Error::other(error.to_string());
        lock(&self.0).get_or_insert(error);
        copy
    }

    /// The system's error if there is one, or else the error that `name` is damaged.
    pub fn or_damage(&self, name: &str, what: &str) -> Error {
        let error = lock(&self.0).take();
        error.unwrap_or_else(|| Error::new(ErrorKind::Data, format!("cannot read {name}: {what}")))
    }
}

/// A reader that counts the bytes it returns and remembers why it failed.
pub struct Counted<R> {
    pub(crate) inner: R,
    pub(crate) name: String,
    pub(crate) faults: Faults,
    pub(crate) progress: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match self.inner.read(buffer) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                return Err(self.faults.put(Error::io("read", &self.name, error)));
            }
            read => read?,
        };
        self.progress.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl<R: Seek> Seek for Counted<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

/// The bytes of a source, decompressed, for a library that reads.
pub struct Stream {
    /// What reads the file.
    pub reader: crate::Reader,
    /// Where faults of the file go.
    pub faults: Faults,
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer).map_err(|error| self.faults.put(error))
    }
}
