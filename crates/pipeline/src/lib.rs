//! A part of urimill: it carries no promise of stability. Use the package `urimill`.
//!
//! Runs the data through all stages: threads, order, back-pressure, accounts.
//!
//! All workers do the same, one for each thread: take the next chunk from the source, or some rows of a table (one at a
//! time), make batches of it, and take these through the sink's stages, waiting at each for the worker with the chunk
//! before. While one worker reads or writes the others compute; no thread only passes things on. One chunk per worker
//! is in flight, so memory does not grow with the input, and every batch reaches every stage in input order, whatever
//! the number of threads.
//!
//! Beside it stand the jobs on its batches (`dedupe`, `edges`), rows in order (`sort`, with temporary files in `spill`),
//! and the comparison of outputs with inputs (`verify`).

#![cfg_attr(docsrs, feature(doc_cfg))]

mod accounts;
pub mod dedupe;
mod deliver;
mod destination;
mod each;
pub mod edges;
mod jobs;
mod plan;
mod queue;
mod rows;
pub mod sort;
pub mod spill;
mod uncommitted;
pub mod verify;

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::locks::{into_inner, lock};
use urimill_base::threads::Workers;
use urimill_base::timing;
use urimill_base::timing::{Stage, Step};
use urimill_columns::batch;
use urimill_columns::batch::{Example, Normalizer, Origin, Records, Tally};
use urimill_read::{Chunk, Format, Morsel, PageReader, RecordSource};
use urimill_uri::Code;
use urimill_write::{OutputSize, Sink, UncommittedOutput};

use crate::verify::Verifier;
use accounts::{Accounts, FormatChecker, Part, sample};
pub use deliver::{Ahead, Look, Looked};
use deliver::{Deliver, Made, ToDestinations};
pub use destination::Destination;
use destination::row_number;
pub use each::{Totals, each_batch};
pub use jobs::{Jobs, each_job, write_batches, write_made};
pub use plan::{Divided, ForeignTable, FormatCheck, Plan, with_rejects};
use queue::{Load, Queue};
pub use uncommitted::UncommittedRun;

/// The treatment of a record outside the grammar.
pub enum OnInvalid {
    /// It keeps its row, with its code.
    Keep,
    /// It goes to another sink, of [`Plan::rejects_schema`].
    Reject(Box<dyn Sink>),
    /// It is dropped: the plan splits, and its rows have no sink.
    Drop,
    /// It ends the run.
    Fail,
}

impl OnInvalid {
    /// The names of the ordered stages that come after those of the table.
    pub fn stage_names(&self) -> Vec<String> {
        match self {
            OnInvalid::Reject(sink) => {
                (0..sink.stages()).map(|stage| format!("rejects: {}", sink.stage_name(stage))).collect()
            }
            OnInvalid::Keep | OnInvalid::Drop | OnInvalid::Fail => Vec::new(),
        }
    }
}

/// The counts of a finished run.
#[derive(Debug, Clone)]
pub struct Summary {
    /// The sums of everything read.
    pub read: Totals,
    /// Rows of the table.
    pub rows: u64,
    /// Rows of the table of rejects, if these have one.
    pub rejected_rows: u64,
    /// The main output.
    pub table: OutputSize,
    /// The output of rejects, if they have one.
    pub rejects: Option<OutputSize>,
    /// Bytes of a sorted table that went to temporary files.
    pub spilled: Option<u64>,
}

/// The progress of a run, which a progress bar may read at any time, and a way to stop it.
#[derive(Debug, Default)]
pub struct Progress {
    /// Bytes read so far, as [`Totals::bytes`].
    pub bytes: AtomicU64,
    /// Records so far.
    pub records: AtomicU64,
    /// Files written, if the table is a directory of files.
    pub files: Arc<AtomicU64>,
    /// Rows of a sorted table written so far; while it grows nothing is read.
    pub sorted: AtomicU64,
    /// Bytes of memory for the run, half of it for chunks in flight; 0 sets no limit.
    pub memory: AtomicUsize,
    /// Once it is set nothing more is read, sorted or published, and the run ends with [`ErrorKind::Stopped`].
    pub stop: AtomicBool,
}

impl Progress {
    /// # Errors
    /// [`ErrorKind::Stopped`] if the run is to stop.
    pub fn check(&self) -> Result<()> {
        match self.stop.load(Ordering::Relaxed) {
            true => Err(Error::new(ErrorKind::Stopped, "stopped; nothing was published")),
            false => Ok(()),
        }
    }
}

/// Reads every record and writes every row; publishes the outputs on success. The rows of `table` are in the order of
/// the input, or of the keys of its sorter; those of rejects always in the order of the input.
///
/// # Errors
/// The first that occurs; nothing is published then.
pub fn run(
    record_source: RecordSource,
    plan: &Plan,
    threads: &Workers,
    table: impl Into<Destination>,
    on_invalid: OnInvalid,
    progress: &Progress,
) -> Result<Summary> {
    complete(record_source, plan, threads, table, on_invalid, progress)?.publish()
}

/// Does the same as [`run`], but stops before publishing, so that the caller can add files to the directory first.
///
/// # Errors
/// The first that occurs.
pub fn complete(
    record_source: RecordSource,
    plan: &Plan,
    threads: &Workers,
    table: impl Into<Destination>,
    on_invalid: OnInvalid,
    progress: &Progress,
) -> Result<UncommittedRun> {
    let mut destinations = vec![table.into()];
    let (fails, drops) = (matches!(on_invalid, OnInvalid::Fail), matches!(on_invalid, OnInvalid::Drop));
    if let OnInvalid::Reject(sink) = on_invalid {
        destinations.push(Destination::Sink(sink));
    }
    let stages = destinations.iter().map(Destination::stages).sum();
    let taker = ToDestinations { fails, drops, destinations };
    let run = Run::new(record_source, plan, taker, stages, progress);
    run.queue.work(threads, || run.work())?;
    run.finish(threads)
}

/// The data that the workers share.
struct Run<'a, D> {
    plan: &'a Plan,
    names: Vec<Arc<str>>,
    format: Format,
    /// Whether the formats of the sources were detected.
    is_detected: bool,
    queue: Queue<'a>,
    accounts: Mutex<Accounts>,
    /// The receiver of the batches.
    taker: D,
}

/// The memory that a worker reuses from chunk to chunk.
struct Worker {
    normalizer: Normalizer,
    records: Records,
    pages: PageReader,
}

impl Worker {
    /// The batch of the records from `at` on, and the offset of the next one.
    fn next(
        &mut self,
        format: &Format,
        chunk: &Chunk,
        buffer: &Buffer,
        at: usize,
        origin: Origin<'_>,
        verifier: Option<&Verifier>,
    ) -> Result<(RecordBatch, Tally, usize)> {
        let Worker { normalizer, records, pages } = self;
        let ((batch, tally), next) = if chunk.overlong.is_some() {
            verifier.inspect(|verifier| verifier.found_beginning(chunk, format));
            (normalizer.overlong(buffer, chunk.len, origin)?, chunk.len)
        } else if format.is_plain_list() {
            let (batch, tally, next) = normalizer.lines(buffer, (at, chunk.len), origin)?;
            ((batch, tally), next)
        } else {
            records.clear();
            let parses = timing::step(Step::Parse);
            let next = format.find_rows(&chunk.text(), (at, normalizer.most_rows()), pages, records)?;
            drop(parses);
            verifier.inspect(|verifier| verifier.found(records, chunk));
            if let Some(remap) = chunk.remap() {
                records.remap(remap, buffer);
            }
            (normalizer.records(buffer, records, origin)?, next)
        };
        verifier.inspect(|verifier| verifier.made(normalizer));
        Ok((batch, tally, next))
    }
}

impl<'a, D: Deliver> Run<'a, D> {
    /// `stages` is at least 1.
    fn new(
        mut record_source: RecordSource,
        plan: &'a Plan,
        taker: D,
        stages: usize,
        progress: &'a Progress,
    ) -> Run<'a, D> {
        let names = record_source.sources().iter().map(|source| Arc::from(source.name())).collect();
        let format = record_source.format().clone();
        let is_detected = matches!(&record_source, RecordSource::Chunks(chunks) if chunks.is_detected());
        let queue = Queue::new(Box::new(move || record_source.next_morsel()), stages, progress);
        Run { plan, names, format, is_detected, queue, accounts: Mutex::default(), taker }
    }

    fn work(&self) -> Result<()> {
        let _workers = timing::stage(Stage::WORKERS, Step::Other);
        let options = self.plan.options().clone();
        let normalizer = Normalizer::new(batch::Options { drops_indents: true, ..options });
        let mut worker = Worker { normalizer, records: Records::default(), pages: PageReader::default() };
        let mut load = Load::default();
        while let Some((ticket, morsel)) = self.queue.take(&mut load)? {
            match morsel {
                Morsel::Chunk(chunk) => self.chunk(&mut worker, ticket, &chunk)?,
                Morsel::Table(rows) => self.rows(&mut worker.normalizer, ticket, &rows)?,
            }
        }
        Ok(())
    }

    /// Makes all batches of one chunk, and takes each through all stages before the next is made. There is at least
    /// one, or later chunks would wait for it: a chunk with only a header gives a batch without rows.
    fn chunk(&self, worker: &mut Worker, ticket: u64, chunk: &Chunk) -> Result<()> {
        let buffer = Buffer::from(chunk.bytes.clone());
        let source = &self.names[chunk.source];
        let format = chunk.format(&self.format);
        if chunk.overlong.is_none()
            && let Some(rows) = self.taker.chunk(&self.queue.order, ticket, (chunk, format))?
        {
            let mut tally = Tally::default();
            (tally.rows, tally.blank) = (rows, chunk.records - rows);
            lock(&self.accounts).rows_out += rows;
            return self.end_chunk(ticket, (chunk, chunk.records), tally, format);
        }
        let mut at = chunk.header;
        let mut first_record = chunk.first_record;
        let mut tally = Tally::default();
        let mut is_last = false;
        while !is_last {
            let origin = Origin { first_record, offset: chunk.offset, source };
            let begin = at;
            let (mut batch, mut part, next) =
                worker.next(format, chunk, &buffer, begin, origin, self.plan.verifier())?;
            at = next;
            if tally.lines() == 0
                && chunk.first_record == 1
                && self.judge(worker, ticket, chunk, (&buffer, at), &part)?
            {
                (batch, part, _) = worker.next(format, chunk, &buffer, begin, origin, None)?;
            }
            let rows = tally.rows + part.rows;
            if let Some(error) = self.format_checker().fills(rows, chunk.taken, chunk.source) {
                self.queue.order.wait(0, ticket)?;
                return Err(error);
            }
            let batches = self.plan.tables(batch, || worker.normalizer.rejected(), &mut part)?;
            first_record += part.lines() as i64;
            is_last = at >= chunk.len;
            // The lines before it, each with at most one row.
            let first_row = row_number(ticket, tally.lines());
            lock(&self.accounts).write(&batches);
            let (tally_of_batch, normalizer) = (&part, &worker.normalizer);
            let source = (&**source, chunk.source);
            let made = Made {
                ticket,
                first_row,
                batches,
                tally: tally_of_batch,
                source,
                normalizer,
                chunk: Some((chunk, format)),
                is_last,
            };
            self.taker.batch(&self.queue.order, self.plan, made)?;
            tally.add(&part);
        }
        self.plan.verifier().inspect(|verifier| verifier.returned(chunk, format));
        tally.set_source(source);
        let mut records = chunk.records;
        if format.has_many_rows() {
            let (pages, rows) = worker.pages.take_counts();
            let mut accounts = lock(&self.accounts);
            accounts.read.pages.add(&pages);
            accounts.page_records += chunk.records;
            records = rows;
        }
        self.end_chunk(ticket, (chunk, records), tally, format)
    }

    /// Checks the format of a source by its first chunk, before any of its rows is written; `part` are the counts of
    /// the chunk's first batch, which ends at `at`. Returns whether it made other batches with the worker.
    fn judge(
        &self,
        worker: &mut Worker,
        ticket: u64,
        chunk: &Chunk,
        (buffer, mut at): (&Buffer, usize),
        part: &Tally,
    ) -> Result<bool> {
        let checker = self.format_checker();
        let (format, source) = (chunk.format(&self.format), &self.names[chunk.source]);
        let mut tally = Cow::Borrowed(part);
        // The other batches are read, and later read again, only if the first one leaves a doubt.
        while at < chunk.len && checker.is_doubtful(format, &tally) {
            let first_record = chunk.first_record + tally.lines() as i64;
            let origin = Origin { first_record, offset: chunk.offset, source };
            let (_, next_part, next) = worker.next(format, chunk, buffer, at, origin, None)?;
            at = next;
            tally.to_mut().add(&next_part);
        }
        let found = match (at >= chunk.len, chunk.is_whole) {
            (true, true) => checker.ended(format, source, &tally, sample(chunk)),
            (true, false) => checker.begun(format, source, &tally, sample(chunk)),
            (false, _) => None,
        };
        let Some(error) = found else { return Ok(matches!(tally, Cow::Owned(_))) };
        self.queue.order.wait(0, ticket)?;
        Err(error)
    }

    /// Adds a chunk to the accounts, with the number of records that its reader found in it.
    fn end_chunk(
        &self,
        ticket: u64,
        (chunk, records): (&Chunk, u64),
        mut tally: Tally,
        format: &Format,
    ) -> Result<()> {
        tally.nul_bytes += chunk.nul_bytes;
        self.queue.progress.records.fetch_add(tally.lines(), Ordering::Relaxed);
        let lines = chunk.line_count(format);
        let part = Part::of_chunk(chunk, tally, format);
        let mut accounts = lock(&self.accounts);
        accounts.records_in += records;
        accounts.read.lines += lines;
        accounts.read.bytes += chunk.taken;
        accounts.read.cut += u64::from(chunk.overlong.is_some());
        accounts.read.headers += u64::from(chunk.header > 0);
        accounts.add(ticket, part, &self.format_checker()).map_or(Ok(()), Err)
    }

    fn format_checker(&self) -> FormatChecker<'_> {
        FormatChecker {
            format: &self.format,
            names: &self.names,
            format_check: self.plan.format_check(),
            is_detected: self.is_detected,
            columns: self.plan.options().extra.width(),
        }
    }
}

impl Run<'_, ToDestinations> {
    fn finish(self, threads: &Workers) -> Result<UncommittedRun> {
        let _end = timing::stage(Stage::END, Step::Encode);
        lock(&self.accounts).check(&self.format_checker())?;
        let Run { accounts, taker: ToDestinations { destinations, .. }, queue, .. } = self;
        let progress = queue.progress;
        // The memory of its buffers is needed for sorted rows.
        drop(queue);
        let accounts = into_inner(accounts);
        let sorts = destinations.iter().any(|destination| matches!(destination, Destination::Sorted(..)));
        // Both outputs are complete before one of them is published.
        let mut spilled = 0;
        let mut outputs = Vec::new();
        for destination in destinations {
            let (settled, bytes) = destination.close(threads, progress)?;
            outputs.push(settled);
            spilled += bytes;
        }
        let mut outputs = outputs.into_iter();
        let missing =
            || Error::new(ErrorKind::Internal, "a run without a table: this is a defect of urimill");
        let table = outputs.next().ok_or_else(missing)?;
        let rejects = outputs.next();
        let Accounts { read, rows, rows_out, .. } = accounts;
        let summary = Summary {
            read,
            rows,
            rejected_rows: rows_out - rows,
            table: table.finished(),
            rejects: rejects.as_ref().map(UncommittedOutput::finished),
            spilled: sorts.then_some(spilled),
        };
        Ok(UncommittedRun { summary, table, rejects })
    }
}

/// An error whose sentence quotes an example, with passwords masked unless the options show them.
fn quoting(plan: &Plan, kind: ErrorKind, sentence: String) -> Error {
    if plan.options().show_passwords { Error::showing(kind, sentence) } else { Error::new(kind, sentence) }
}

/// The sentence for the first record that ends a run, among those whose codes do.
fn first_invalid(tally: &Tally, source: &str, fails: impl Fn(Code) -> bool, plan: &Plan) -> Error {
    let first = tally.by_code().filter(|(code, ..)| fails(*code));
    let first = first.filter_map(|(code, _, example)| Some((code, example?)));
    let first = first.min_by_key(|(_, example)| example.record);
    let ways_out = plan.ways_out(first.and_then(|(_, example)| example.column));
    let sentence = match first {
        Some((_, Example { record, field: Some(field), text, .. })) => {
            format!("record {record} of {source} has no field {field}: {text:?}")
        }
        Some((_, Example { record, column: Some((column, reason)), text, .. })) => {
            format!("record {record} of {source} has no value that fits {column} ({reason}): {text:?}")
        }
        Some((Code::BaseNotAbsolute, Example { record, text, .. })) => {
            format!("record {record} of {source} has no base that is a URI with a scheme: {text:?}")
        }
        Some((Code::BaseInvalid, Example { record, text, .. })) => {
            format!("record {record} of {source} has a base that is no URI: {text:?}")
        }
        Some((Code::FieldMissing, Example { record, text, .. })) => {
            format!("record {record} of {source} has no URI where its format has it: {text:?}")
        }
        Some((code @ Code::RecordMalformed, Example { record, offset, text, .. })) => {
            format!("record {record} of {source}: {} ({code}, byte {offset}): {text:?}", code.sentence())
        }
        Some((code, example)) => format!(
            "record {} of {source} is no URI reference: {} ({code}, byte {}): {:?}",
            example.record,
            code.sentence(),
            example.offset,
            example.text
        ),
        None => format!("a record of {source} is no URI reference"),
    };
    quoting(plan, ErrorKind::InvalidRecord, format!("{sentence}{ways_out}"))
}
