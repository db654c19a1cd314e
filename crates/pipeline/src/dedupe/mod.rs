//! One row for each distinct normal form, however many there are. Runs the pipeline as `normalize` does, but counts the
//! rows that it makes, and writes a table of the counts.
//!
//! ```text
//! chunks ──> batches ──> tables ──────────> groups ──────────> rows ──────────> batches ──> file
//!                        (hash, in memory)  (merge of runs)    (sort by first)
//!                            └──> runs on disk ──┘   └──> runs on disk ──┘
//! ```
//!
//! Every worker counts its records in the same tables. When they pass the limit, some go to disk as runs: entries
//! sorted by hash and forms. At the end the rows of a table that is wholly in memory are made where its texts are. The
//! runs of the others are merged; there a group's records are adjacent, and become a row without the whole group in
//! memory. Rows are sorted by their first records, on disk too if needed, and written. The output depends only on the input: not on threads, memory, or the size of chunks.

mod batches;
mod entry;
mod groups;
mod limits;
mod merge;
mod rows;
mod rungs;
mod spill;
mod tables;
mod variant;
mod verifier;
mod windows;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use urimill_base::error::{Error, Result};
use urimill_base::locks::lock;
use urimill_base::threads::Workers;
use urimill_columns::batch;
use urimill_columns::batch::{Column, MAX_ROWS};
use urimill_read::RecordSource;
use urimill_write::{OutputSize, Sink};

pub use batches::{schema, schema_by};
pub use rungs::Rungs;
pub use verifier::Verifier;

use crate::{FormatCheck, Look, Looked, Plan, Progress, Totals, each_batch, each_job, write_batches};
use batches::Counts;
use entry::{FreeBlocks, Places};
use limits::Limits;
use rows::Rows;
use spill::Spill;
use tables::{Records, Scratch, Tables};

/// The largest value, in bytes, of `max_record` in [`Options::records`].
pub const MAX_RECORD: usize = 64 << 20;

/// The key that decides which valid records are equal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Key {
    /// The normal form.
    #[default]
    Uri,
    /// One of urimill's columns.
    Column(Column),
    /// A field of the records: the first of those that pass through.
    Field(String),
}

impl Key {
    /// Returns its name.
    pub fn name(&self) -> &str {
        match self {
            Key::Uri => "uri",
            Key::Column(column) => column.as_str(),
            Key::Field(name) => name,
        }
    }
}

/// Options of a run that counts distinct forms.
#[derive(Debug, Clone)]
pub struct Options {
    /// The key that decides which records are equal. A record without a value there is equal to those with the same
    /// normal form.
    pub key: Key,
    /// The options that decide which records are equal: specification, level and repair. Its columns and fields are
    /// ignored.
    pub records: batch::Options,
    /// Bytes of memory for the counts. The process takes more: chunks, the output's buffers, and some for each
    /// thread.
    pub memory: usize,
    /// The directory for temporary files.
    pub temp_dir: PathBuf,
    /// The number of bits in the hashes of the tables. The result is the same with any number; few bits make the
    /// tables slow.
    pub hash_bits: u32,
}

impl Default for Options {
    /// 512 MiB, and the system's directory for temporary files.
    fn default() -> Self {
        Options {
            key: Key::default(),
            records: batch::Options::default(),
            memory: 512 << 20,
            temp_dir: std::env::temp_dir(),
            hash_bits: u64::BITS,
        }
    }
}

/// The counts of a finished run.
#[derive(Debug, Clone)]
pub struct Summary {
    /// The sums of everything read. Each of the `cut` records has a row of its own.
    pub read: Totals,
    /// Rows written.
    pub rows: u64,
    /// Rows of rejects.
    pub rejects: u64,
    /// Rows whose records were merged on each rung, in the order of [`Rungs::NAMES`].
    pub merged: [u64; Rungs::NAMES.len()],
    /// Bytes written to temporary files.
    pub spilled: u64,
    /// The size of the output.
    pub table: OutputSize,
}

/// Checks that temporary files can be created in the directory of `options`, before any work.
///
/// # Errors
/// `Io`, naming the directory.
pub fn check_temp_dir(options: &Options) -> Result<()> {
    Spill::new(options.temp_dir.clone(), 0, Places::new(0)).check()
}

/// Reads every record, writes a row for each distinct form to `sink`, which is of [`schema`], and publishes it on
/// success. The rows are in the order of their first records. With `verifier` the table is read back before that; its
/// checksums must also get everything that `record_source` reads.
///
/// ```
/// use urimill::dedupe::{self, Options};
/// use urimill::read::{ChunkOptions, Chunker};
/// use urimill::write::{self, Format, SinkOptions, Target};
/// use urimill::pipeline::Progress;
/// use urimill::threads::Workers;
///
/// let dir = tempfile::tempdir()?;
/// let path = dir.path().join("distinct.csv");
/// let list: &[u8] = b"http://example.com\nHTTP://EXAMPLE.COM/\nhttp://example.org/\n";
/// let chunker = Chunker::from_reader("list", Box::new(list), ChunkOptions::default(), Default::default());
/// let sink_options = SinkOptions::default();
/// let sink = write::create(Format::Csv, Target::create(&path, false)?, dedupe::schema(), &sink_options)?;
///
/// let (options, progress) = (Options::default(), Progress::default());
/// let summary = dedupe::run(chunker.begin()?, &options, &Workers::start(2), sink, &progress, None)?;
/// assert_eq!((summary.read.tally.rows, summary.rows), (3, 2));
/// assert_eq!(
///     std::fs::read_to_string(&path)?.lines().nth(1),
///     Some("http://example.com/,2,2,scheme,1,list,,")
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first that occurs; nothing is published then. `Usage` if the limit on records is above [`MAX_RECORD`].
/// `Internal` or `Data` if the records differ from the rows, or the rows from those of the finished table.
pub fn run(
    record_source: RecordSource,
    options: &Options,
    threads: &Workers,
    sink: Box<dyn Sink>,
    progress: &Progress,
    verifier: Option<&Verifier>,
) -> Result<Summary> {
    if options.records.max_record > MAX_RECORD {
        return Err(Error::usage(format!("records of more than {MAX_RECORD} bytes cannot be compared")));
    }
    let sources: Vec<Arc<str>> =
        record_source.sources().iter().map(|source| Arc::from(source.name())).collect();
    let limits = Limits::new(options.memory, threads.count());
    let options = Options {
        records: batch::Options {
            columns: tables::columns(&options.key),
            extra: record_source.extra_columns(),
            batch_rows: MAX_ROWS,
            ..options.records.clone()
        },
        ..options.clone()
    };
    tables::check_keys(&options.records.schema(), &options.key)?;
    let places = Places::new(sources.len());
    let free = Arc::new(FreeBlocks::new(usize::MAX));
    let tables = Tables::new(&options, limits, places, &free);
    let records = verifier.map(Verifier::records);
    let plan = Plan::new(&record_source, options.records.clone(), false)?;
    let plan = plan.check_format(FormatCheck::ByRecords).verified_by(records);
    let counting = Counting { key: &options.key, tables: &tables, verifier, scratches: Mutex::default() };
    let totals = each_batch(record_source, &plan, threads, &counting, progress)?;

    let rows = Rows::new(&options, limits, places, &free);
    let shards = tables.numbers();
    each_job(threads, shards.len(), |jobs| {
        let mut collector = rows.collector(&tables);
        while let Some(job) = jobs.next() {
            groups::of_shard(&tables, shards[job], limits.fan_in, &mut collector)?;
        }
        collector.finish();
        Ok(())
    })?;
    let written = tables.written();
    drop(tables);

    let mut batches = rows.batches(&sources, &options.key)?;
    let next = || {
        progress.check()?;
        let batch = batches.next()?;
        batch.iter().try_for_each(|batch| verifier.map_or(Ok(()), |verifier| verifier.written(batch)))?;
        Ok(batch)
    };
    write_batches(threads, sink.as_ref(), next)?;
    let counts = batches.counts();
    drop(batches);
    check_accounts(&totals, &counts)?;
    let table = sink.close()?;
    if let Some(verifier) = verifier {
        verifier.check(&table, &counts, totals.cut, options.memory)?;
    }
    let table = table.commit()?;
    Ok(Summary {
        read: totals,
        rows: counts.rows,
        rejects: counts.rejects,
        merged: counts.merged,
        spilled: written + rows.written(),
        table,
    })
}

/// Checks that nothing is lost: the rows account for all records that were read.
fn check_accounts(totals: &Totals, counts: &Counts) -> Result<()> {
    if counts.records == totals.tally.rows {
        return Ok(());
    }
    Err(Error::unbalanced(format_args!("{} records read, rows for {}", totals.tally.rows, counts.records)))
}

/// Counts the records of batches.
struct Counting<'a> {
    key: &'a Key,
    tables: &'a Tables<'a>,
    verifier: Option<&'a Verifier>,
    /// Free working memory.
    scratches: Mutex<Vec<Scratch>>,
}

impl Look for Counting<'_> {
    type Seen = ();

    fn batch(&self, looked: &Looked<'_>) -> Result<()> {
        let keys = tables::keys(looked.batch, self.key)?;
        let records = Records::new(looked.batch, keys.as_ref(), looked.is_cut());
        self.verifier.inspect(|verifier| verifier.made(&records));
        let spare = || lock(&self.scratches);
        let mut scratch = spare().pop().unwrap_or_default();
        self.tables.add(&records, looked.source as u32, &mut scratch)?;
        spare().push(scratch);
        Ok(())
    }

    fn then(&self, (): ()) -> Result<()> {
        Ok(())
    }
}
