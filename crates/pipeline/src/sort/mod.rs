//! Rows in the order of a key, however many there are. Sits between the workers' batches, which come in any order, and
//! a sink: takes all rows, then returns all rows.
//!
//! ```text
//! batches ──> pieces ───────────────────────> merge ──> batches ──> sink
//!             (sorted alone, in memory)          │
//!                └──> runs on disk ──────────────┘
//! ```
//!
//! Every worker sorts its batches itself, into new columns that keep no chunk of the input alive. When these pieces
//! pass the limit, workers merge shares of them into runs on disk. At the end the remaining pieces and the runs, which
//! may first have to be merged among themselves, are read as one. Each row has its number in the input: rows with equal
//! keys stay in that order, so the result depends neither on threads nor on chunks nor on memory.

mod codes;
mod keys;
mod merge;
mod piece;
mod runs;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema, SchemaRef};
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::locks::lock;
use urimill_write::{SortKey, export_schema};

pub use merge::RowSelection;

use crate::spill::file::SpillFile;
use keys::Keyer;
use merge::Merging;
use piece::{SortedRows, numbered};
use runs::{DiskRun, Writer};

/// Options of a sorter.
#[derive(Debug, Clone)]
pub struct Options {
    /// The columns to compare, in this order; at least one.
    pub keys: Vec<SortKey>,
    /// The number of keys, at the beginning, that partition the rows among directories. For these keys an empty text
    /// equals a null, because names of directories cannot distinguish the two; so the rows of one directory are in
    /// the order of the other keys.
    pub dividing: usize,
    /// Bytes of memory for waiting rows. The process takes more: chunks, the output's buffers, and some for each
    /// thread.
    pub memory: usize,
    /// The directory for temporary files.
    pub temp_dir: PathBuf,
    /// The number of threads; the result is the same with any number.
    pub threads: usize,
}

impl Default for Options {
    /// No keys yet, 512 MiB, the system's directory for temporary files, one thread.
    fn default() -> Self {
        Options {
            keys: Vec::new(),
            dividing: 0,
            memory: 512 << 20,
            temp_dir: std::env::temp_dir(),
            threads: 1,
        }
    }
}

/// The number of rows, or bytes in memory, at which a batch or block ends.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    rows: usize,
    bytes: usize,
}

/// The bounds of the resulting batches: they depend only on the rows.
const BATCH: Bounds = Bounds { rows: 1 << 16, bytes: 4 << 20 };

/// At most this many threads write runs at a time: each has its share of the memory.
const SPILLING: usize = 4;

/// Sorts rows in bounded memory: takes them in any order and returns them sorted.
///
/// ```
/// use arrow_array::cast::AsArray;
/// use arrow_array::{RecordBatch, StringArray};
/// use std::sync::Arc;
/// use urimill::write::SortKey;
/// use urimill::sort::{Options, Sorter};
///
/// let hosts = |hosts: [&str; 2]| {
///     RecordBatch::try_from_iter([("host", Arc::new(StringArray::from(hosts.to_vec())) as _)])
/// };
/// let batch = hosts(["c.example", "a.example"])?;
/// let keys = vec![SortKey { column: 0, descending: false }];
/// let sorter = Sorter::new(&batch.schema(), &Options { keys, ..Options::default() })?;
/// // Rows 2 and 3 of the input come before rows 0 and 1: a worker was faster.
/// sorter.push(&hosts(["b.example", "a.example"])?, 2)?;
/// sorter.push(&batch, 0)?;
///
/// let mut merge = sorter.merge()?;
/// let rows = merge.next_rows()?.ok_or("four rows fit into one batch")?;
/// let batch = sorter.batch(&rows)?;
/// let hosts: Vec<_> = batch.column(0).as_string::<i32>().iter().flatten().collect();
/// assert_eq!(hosts, ["a.example", "a.example", "b.example", "c.example"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Sorter {
    plain_schema: SchemaRef,
    /// The schema with the rows' numbers at the end.
    numbered: SchemaRef,
    keyer: Keyer,
    memory: usize,
    /// The bytes that become one run.
    share: usize,
    block: Bounds,
    in_memory: Mutex<InMemory>,
    freed: Condvar,
    scratch: SpillFile,
    runs: Mutex<VecDeque<DiskRun>>,
    rows: AtomicU64,
    /// The next number for rows whose order does not matter.
    unordered: AtomicU64,
}

/// The pieces in memory.
#[derive(Debug, Default)]
struct InMemory {
    pieces: VecDeque<SortedRows>,
    /// The bytes of the pieces, and of those that a worker took away and is writing.
    bytes: usize,
}

/// Pieces that a worker took out of memory; dropped, it gives their memory back.
struct Taken<'a> {
    sorter: &'a Sorter,
    pieces: Vec<SortedRows>,
    bytes: usize,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.pieces.clear();
        lock(&self.sorter.in_memory).bytes -= self.bytes;
        self.sorter.freed.notify_all();
    }
}

impl Sorter {
    /// Creates a sorter for batches of `schema`. Nulls come last, ascending and descending.
    ///
    /// # Errors
    /// `Usage` if there are no keys, the schema has no such column, or the column no order.
    pub fn new(schema: &Schema, options: &Options) -> Result<Sorter> {
        let plain_schema = export_schema(schema);
        let keyer = Keyer::new(schema, &options.keys, options.dividing)?;
        let block = Bounds { rows: 1 << 16, bytes: (options.memory / 512).clamp(1 << 10, 1 << 20) };
        Ok(Sorter {
            numbered: numbered(&plain_schema),
            plain_schema: Arc::new(plain_schema),
            keyer,
            memory: options.memory,
            share: options.memory / options.threads.clamp(1, SPILLING),
            block,
            in_memory: Mutex::default(),
            freed: Condvar::new(),
            scratch: SpillFile::new(options.temp_dir.clone()),
            runs: Mutex::default(),
            rows: AtomicU64::new(0),
            unordered: AtomicU64::new(0),
        })
    }

    /// Returns the schema of the sorted batches: that of the input with plain types.
    pub fn schema(&self) -> SchemaRef {
        self.plain_schema.clone()
    }

    /// Checks that temporary files can be created, before any work.
    ///
    /// # Errors
    /// `Io`, naming the directory.
    pub fn check(&self) -> Result<()> {
        self.scratch.check()
    }

    /// Adds rows. The first has the number `first`, the others the following numbers; no two rows may have one
    /// number.
    ///
    /// # Errors
    /// `Io` if temporary files cannot be written, naming their directory; `Internal` if the batch is of another schema,
    /// or has 2 GiB in one column.
    pub fn push(&self, batch: &RecordBatch, first: u64) -> Result<()> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let piece = SortedRows::sort(batch, first, &self.keyer, (&self.plain_schema, &self.numbered))
            .map_err(internal)?;
        self.rows.fetch_add(piece.rows() as u64, Ordering::Relaxed);
        let mut in_memory = lock(&self.in_memory);
        in_memory.bytes += piece.memory;
        in_memory.pieces.push_back(piece);
        while in_memory.bytes > self.memory {
            let Some(taken) = self.take(&mut in_memory) else {
                // Other workers are writing all pieces.
                in_memory = self.freed.wait(in_memory).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(in_memory);
            self.spill(taken)?;
            in_memory = lock(&self.in_memory);
        }
        Ok(())
    }

    /// Adds rows whose order among equal keys does not matter. A sorter gets either all its rows this way, or none.
    ///
    /// # Errors
    /// Fails as [`push`](Self::push) does.
    pub fn push_unordered(&self, batch: &RecordBatch) -> Result<()> {
        let rows = batch.num_rows() as u64;
        self.push(batch, self.unordered.fetch_add(rows, Ordering::Relaxed))
    }

    /// Returns all rows added so far, in order. Rows that are added later are not among them.
    ///
    /// # Errors
    /// `Io` if temporary files cannot be written or read.
    pub fn merge(&self) -> Result<Merge<'_>> {
        let mut in_memory = lock(&self.in_memory);
        // If there are runs, reading them takes the other half.
        while in_memory.bytes > self.memory / 2 && !lock(&self.runs).is_empty() {
            let Some(taken) = self.take(&mut in_memory) else { break };
            drop(in_memory);
            self.spill(taken)?;
            in_memory = lock(&self.in_memory);
        }
        let pieces = std::mem::take(&mut in_memory.pieces);
        in_memory.bytes = 0;
        drop(in_memory);
        let runs = std::mem::take(&mut *lock(&self.runs));
        let merging = self.merging(pieces, self.reduce(runs)?)?;
        Ok(Merge { sorter: self, merging, rows: 0 })
    }

    /// Returns the number of rows added so far.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Returns the number of bytes written to temporary files so far.
    pub fn written(&self) -> u64 {
        self.scratch.written()
    }

    /// A share of the pieces in memory, at least one; `None` if there are none.
    fn take(&self, in_memory: &mut InMemory) -> Option<Taken<'_>> {
        let mut pieces = vec![in_memory.pieces.pop_front()?];
        let mut bytes = pieces[0].memory;
        while let Some(piece) = in_memory.pieces.pop_front_if(|piece| bytes + piece.memory <= self.share) {
            bytes += piece.memory;
            pieces.push(piece);
        }
        Some(Taken { sorter: self, pieces, bytes })
    }

    fn spill(&self, mut taken: Taken<'_>) -> Result<()> {
        let run = self.write(self.merging(std::mem::take(&mut taken.pieces), [])?)?;
        lock(&self.runs).push_back(run);
        Ok(())
    }

    fn merging(
        &self,
        pieces: impl IntoIterator<Item = SortedRows>,
        runs: impl IntoIterator<Item = DiskRun>,
    ) -> Result<Merging<'_>> {
        Merging::new(pieces, runs, &self.scratch, &self.keyer, &self.numbered)
    }

    fn write(&self, mut merging: Merging<'_>) -> Result<DiskRun> {
        let mut writer = Writer::new(&self.scratch)?;
        while let Some(gather) = merging.next(self.block)? {
            writer.push(&gather.batch(&self.numbered)?, gather.memory)?;
        }
        Ok(writer.finish())
    }

    /// Merges runs into longer ones until their blocks fit into half the memory.
    fn reduce(&self, mut runs: VecDeque<DiskRun>) -> Result<VecDeque<DiskRun>> {
        loop {
            let mut bytes = 0;
            let fits = runs.iter().take_while(|run| {
                bytes += run.largest;
                bytes <= self.memory / 2
            });
            let fan_in = fits.count().max(2);
            if runs.len() <= fan_in {
                return Ok(runs);
            }
            // The new run counts too.
            let count = (runs.len() - fan_in + 1).clamp(2, fan_in);
            let run = self.write(self.merging([], runs.drain(..count))?)?;
            runs.push_back(run);
        }
    }
}

/// An iterator over sorted rows.
pub struct Merge<'a> {
    sorter: &'a Sorter,
    merging: Merging<'a>,
    rows: u64,
}

impl Merge<'_> {
    /// Returns the rows of the next batch; `None` at the end.
    ///
    /// # Errors
    /// `Io` if temporary files cannot be read; `Internal` if rows are missing at the end.
    pub fn next_rows(&mut self) -> Result<Option<RowSelection>> {
        let gather = self.merging.next(BATCH)?;
        match &gather {
            Some(gather) => self.rows += gather.rows() as u64,
            None if self.rows != self.sorter.rows() => {
                let (given, taken) = (self.rows, self.sorter.rows());
                return Err(Error::new(
                    ErrorKind::Internal,
                    format!("{taken} rows went into the sort, and {given} came out; please report this"),
                ));
            }
            None => {}
        }
        Ok(gather)
    }
}

impl Sorter {
    /// Copies the rows that a merge found into a batch of [`Sorter::schema`]. This takes most of the time, and needs no
    /// order.
    ///
    /// # Errors
    /// `Internal` alone.
    pub fn batch(&self, rows: &RowSelection) -> Result<RecordBatch> {
        rows.batch(&self.plain_schema)
    }
}

/// The types were checked: an error is a bug, or a column of 2 GiB.
fn internal(error: ArrowError) -> Error {
    Error::new(ErrorKind::Internal, format!("cannot sort rows: {error}"))
}
