//! One row for each distinct normal form, however many there are. Drives the pipeline as `normalize` does,
//! but what comes out of it is counted, and only what was counted becomes a table.
//!
//! ```text
//! chunks ──> batches ──> tables ──────────> groups ──────────> rows ──────────> batches ──> file
//!                        (hash, in memory)  (merge of runs)    (sort by first)
//!                            └──> runs on disk ──┘   └──> runs on disk ──┘
//! ```
//!
//! Every worker counts its records in the same tables. When they pass the limit, the largest go to disk as
//! runs: entries sorted by hash and forms. At the end the runs of each table are merged; a group's records
//! stand side by side there, and so become a row without the group having to fit anywhere. Rows are sorted
//! by their first records, on disk too if need be, and written. The output depends on the input alone: not
//! on threads, memory, or the size of chunks.

mod entry;
mod groups;
mod limits;
mod merge;
mod proving;
mod rows;
mod rungs;
mod spill;
mod tables;
mod variant;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrow_buffer::Buffer;

pub use proving::Proving;
pub use rows::schema;
pub use rungs::Rungs;

use crate::batch::{self, Normalizer, Origin, Tally};
use crate::error::{Error, ErrorKind, Result};
use crate::input::{Chunk, Chunker};
use crate::output::{Finished, Sink};
use crate::pipeline::{Progress, each_chunk, each_job, write_batches};
use limits::Limits;
use rows::{Counts, Rows};
use spill::Spill;
use tables::{Scratch, Tables};

/// The largest value, in bytes, of `max_record` in [`Options::records`].
pub const MAX_RECORD: usize = 64 << 20;

/// Options of a run that counts distinct forms.
#[derive(Debug, Clone)]
pub struct Options {
    /// The options that decide which records are equal: specification, level and repair. Its columns are ignored.
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
    /// The tally of the records.
    pub tally: Tally,
    /// Bytes read, decompressed.
    pub bytes: u64,
    /// Records of which only the beginning was kept; each has a row of its own.
    pub cut: u64,
    /// Rows written.
    pub rows: u64,
    /// Rows of rejects.
    pub rejects: u64,
    /// Rows whose records were merged on each rung, in the order of [`Rungs::NAMES`].
    pub merged: [u64; Rungs::NAMES.len()],
    /// Bytes written to temporary files.
    pub spilled: u64,
    /// The size of the output.
    pub table: Finished,
}

/// Checks that temporary files can be created in the directory of `options`, before any work.
///
/// # Errors
/// `Io`, naming the directory.
pub fn check_temp_dir(options: &Options) -> Result<()> {
    Spill::new(options.temp_dir.clone(), 0).check()
}

/// Reads every chunk, writes a row for each distinct form to `sink`, which is of [`schema`], and publishes
/// it when all is well. The rows are in the order of their first records.
///
/// ```
/// use urimill::dedupe::{self, Options};
/// use urimill::input::{ChunkOptions, Chunker};
/// use urimill::output::{self, Format, SinkOptions, Target};
/// use urimill::pipeline::Progress;
///
/// let dir = tempfile::tempdir()?;
/// let path = dir.path().join("distinct.csv");
/// let list: &[u8] = b"http://example.com\nHTTP://EXAMPLE.COM/\nhttp://example.org/\n";
/// let chunker = Chunker::from_reader("list", Box::new(list), ChunkOptions::default(), Default::default());
/// let sink_options = SinkOptions::default();
/// let sink = output::create(Format::Csv, Target::create(&path, false)?, dedupe::schema(), &sink_options)?;
///
/// let summary = dedupe::run(chunker, &Options::default(), 2, sink, &Progress::default())?;
/// assert_eq!((summary.tally.rows, summary.rows), (3, 2));
/// assert_eq!(
///     std::fs::read_to_string(&path)?.lines().nth(1),
///     Some("http://example.com/,2,2,scheme,1,list,,")
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first that occurs; nothing is published then. `Usage` where the longest record allowed is above
/// [`MAX_RECORD`].
pub fn run(
    chunker: Chunker,
    options: &Options,
    threads: usize,
    sink: Box<dyn Sink>,
    progress: &Progress,
) -> Result<Summary> {
    run_proving(chunker, options, threads, sink, progress, None)
}

/// Does the same as [`run`]; with a `proving` it also reads the table back before it is published. The chunker must
/// have the ledger of that `proving`.
///
/// # Errors
/// Those of [`run`]; `Internal` or `Data` where records and rows, or the rows and those of the finished table, are not
/// the same.
pub fn run_proving(
    chunker: Chunker,
    options: &Options,
    threads: usize,
    sink: Box<dyn Sink>,
    progress: &Progress,
    books: Option<&Proving>,
) -> Result<Summary> {
    if options.records.max_record > MAX_RECORD {
        return Err(Error::usage(format!("records of more than {MAX_RECORD} bytes cannot be compared")));
    }
    let sources: Vec<Arc<str>> = chunker.sources().iter().map(|source| Arc::from(source.name())).collect();
    let limits = Limits::new(options.memory, threads);
    let options = Options {
        records: batch::Options { columns: tables::columns(), ..options.records.clone() },
        ..options.clone()
    };
    let tables = Tables::new(&options, limits);
    let accounts = count(chunker, &tables, (&options, &sources), threads, (progress, books))?;

    let rows = Rows::new(&options, limits);
    each_job(threads, tables.shards(), |jobs| {
        let mut collector = rows.collector(&tables);
        while let Some(shard) = jobs.next() {
            groups::of_shard(&tables, shard, limits.fan_in, &mut collector)?;
        }
        collector.finish();
        Ok(())
    })?;
    let written = tables.written();
    drop(tables);

    let mut batches = rows.batches(&sources)?;
    let next = || {
        progress.check()?;
        let batch = batches.next()?;
        batch.iter().try_for_each(|batch| books.map_or(Ok(()), |books| books.written(batch)))?;
        Ok(batch)
    };
    write_batches(threads, sink.as_ref(), next)?;
    let counts = batches.counts();
    drop(batches);
    accounts.check(&counts)?;
    let table = sink.close()?;
    if let Some(books) = books {
        books.check(&table, &counts, accounts.cut, options.memory)?;
    }
    let table = table.commit()?;
    Ok(Summary {
        tally: accounts.tally,
        bytes: accounts.bytes,
        cut: accounts.cut,
        rows: counts.rows,
        rejects: counts.rejects,
        merged: counts.merged,
        spilled: written + rows.written(),
        table,
    })
}

/// What was read.
#[derive(Debug, Default)]
struct Accounts {
    tally: Tally,
    /// By the reader, which counts newlines.
    lines: u64,
    bytes: u64,
    cut: u64,
}

impl Accounts {
    /// Nothing lost: what the reader counted is what the kernels found, and that is what the rows stand for.
    fn check(&self, counts: &Counts) -> Result<()> {
        let (found, blank) = (self.tally.lines(), self.tally.blank);
        if self.lines == found && counts.records + blank == found {
            return Ok(());
        }
        let sentence = format!(
            "the accounts do not add up: {} records read, {found} found, rows for {} and {blank} blank lines; \
             this is a defect of urimill, please report it; nothing was published",
            self.lines, counts.records
        );
        Err(Error::new(ErrorKind::Internal, sentence))
    }
}

fn count(
    chunker: Chunker,
    tables: &Tables<'_>,
    (options, sources): (&Options, &[Arc<str>]),
    threads: usize,
    (progress, books): (&Progress, Option<&Proving>),
) -> Result<Accounts> {
    let mut accounts = Accounts::default();
    let worker = || {
        let mut normalizer = Normalizer::new(options.records.clone());
        let mut scratch = Scratch::default();
        move |chunk: &Chunk| {
            let source = &sources[chunk.source];
            let mut tally = count_chunk((chunk, source), &mut normalizer, tables, &mut scratch, books)?;
            tally.set_source(source);
            progress.records.fetch_add(tally.lines(), Ordering::Relaxed);
            Ok((tally, chunk.records, chunk.taken, u64::from(chunk.overlong.is_some())))
        }
    };
    each_chunk(chunker, threads, progress, worker, |(tally, lines, bytes, cut)| {
        accounts.tally.add(&tally);
        accounts.lines += lines;
        accounts.bytes += bytes;
        accounts.cut += cut;
        Ok(())
    })?;
    Ok(accounts)
}

fn count_chunk(
    (chunk, source): (&Chunk, &str),
    normalizer: &mut Normalizer,
    tables: &Tables<'_>,
    scratch: &mut Scratch,
    books: Option<&Proving>,
) -> Result<Tally> {
    let buffer = Buffer::from(chunk.bytes.clone());
    let is_cut = chunk.overlong.is_some();
    let mut at = 0;
    let mut tally = Tally::default();
    while at < chunk.len {
        let first_record = chunk.first_record + tally.lines() as i64;
        let origin = Origin { first_record, offset: chunk.offset, source };
        let (batch, part) = if is_cut {
            at = chunk.len;
            normalizer.overlong(&buffer, chunk.len, origin)?
        } else {
            let (batch, part, next) = normalizer.lines(&buffer, (at, chunk.len), origin)?;
            at = next;
            (batch, part)
        };
        books.inspect(|books| books.made(normalizer, &batch));
        tables.add(&batch, chunk.source as u32, is_cut, scratch)?;
        tally.add(&part);
    }
    Ok(tally)
}
