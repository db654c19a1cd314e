//! Stands for the reader of Parquet in builds without it.

use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use arrow_array::{RecordBatch, StringArray};
use arrow_schema::SchemaRef;
use urimill_base::error::{Error, Result};
use urimill_base::files::File;
use urimill_base::left_out::PARQUET;

use super::memory_limit::MemoryLimit;
use super::reader::{Batches, Faults, Table};

/// # Errors
/// Always: there is no reader.
pub fn open(
    _: File,
    name: &str,
    faults: &Faults,
    _: &Arc<AtomicU64>,
    _: Option<MemoryLimit>,
) -> Result<Table, String> {
    let what = PARQUET.missing("reader of Parquet");
    faults.put(Error::usage(format!("cannot read {name}: {what}")));
    Err(what)
}

/// A file that is sorted by its first column; this build has none.
pub struct SortedFile(Infallible);

impl SortedFile {
    /// # Errors
    /// Always: there is no reader.
    pub fn open(_: File, name: &str, _: usize) -> Result<SortedFile> {
        let what = PARQUET.missing("reader of Parquet");
        Err(Error::usage(format!("cannot read {name}: {what}")))
    }

    /// The schema.
    pub fn schema(&self) -> &SchemaRef {
        match self.0 {}
    }

    /// Whether there is an entry of this name.
    pub fn has_entry(&self, _: &str) -> bool {
        match self.0 {}
    }

    /// Whether the file says that it is sorted.
    pub fn says_sorted(&self) -> bool {
        match self.0 {}
    }

    /// The rows with this key.
    pub fn find(&self, _: &[u8], _: impl Fn(&[u8]) -> bool) -> Result<Vec<Range<usize>>, String> {
        match self.0 {}
    }

    /// The number of all rows.
    pub fn all(&self) -> usize {
        match self.0 {}
    }

    /// These rows.
    pub fn rows(&self, _: &[Range<usize>], _: &[&str]) -> Result<Batches, String> {
        match self.0 {}
    }
}

/// # Errors
/// Always: there is no table.
pub fn texts(_: &RecordBatch, _: &str) -> Result<StringArray, String> {
    Err(PARQUET.missing("reader of Parquet"))
}
