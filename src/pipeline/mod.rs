//! Drives the way through the house: threads, order, back-pressure, accounts.
//!
//! There are as many workers as threads, and all do the same: take the next chunk from the source (one
//! at a time), make batches of it, and take these through the sink's stages, waiting at each for the
//! worker with the chunk before. While one worker reads or writes the others compute; no thread
//! only passes things on. What is in flight is one chunk a worker, so memory does not grow with
//! the input, and every batch reaches every stage in input order, whatever the number of threads.

mod each;
mod jobs;
mod outlet;
mod queue;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::{BooleanArray, RecordBatch};
use arrow::buffer::Buffer;
use arrow::compute::filter_record_batch;
use arrow::datatypes::SchemaRef;

use crate::batch::{self, Columns, Example, Normalizer, Origin, Records, Tally};
use crate::error::{Error, ErrorKind, Result};
use crate::input::{Chunk, Chunker, Format};
use crate::output::{Finished, Sink};
use crate::uri::Code;
pub use each::each_chunk;
pub use jobs::{Jobs, each_job, write_batches, write_made};
pub use outlet::Outlet;
use outlet::row_number;
use queue::{Queue, Stop, lock};

/// What becomes of a record outside the grammar.
pub enum OnInvalid {
    /// It keeps its row, with its code.
    Keep,
    /// It goes to another sink, of [`Plan::rejects_schema`].
    Reject(Box<dyn Sink>),
    /// It ends the run.
    Fail,
}

/// The columns of a run's batches and how they come apart into two tables.
#[derive(Debug, Clone)]
pub struct Plan {
    options: batch::Options,
    table: Columns,
    rejects: Columns,
    insists: bool,
}

impl Plan {
    /// For a table with the columns of `options`; `splits` where rejects have a table of their own.
    pub fn new(options: batch::Options, splits: bool) -> Plan {
        let table = options.columns.clone();
        let rejects = Columns::rejects();
        let columns = if splits { table.union(&rejects) } else { table.clone() };
        Plan { options: batch::Options { columns, ..options }, table, rejects, insists: false }
    }

    /// The same for inputs whose format is beyond doubt: without it a source whose first 1,000 records do not look
    /// like it ends the run.
    pub fn insisting(self) -> Plan {
        Plan { insists: true, ..self }
    }

    /// The schema of the main table.
    pub fn table_schema(&self) -> SchemaRef {
        self.options.kept.extend(&self.table.schema())
    }

    /// The schema of the table of rejects: where each record stands, what it is and why; then its other fields.
    pub fn rejects_schema(&self) -> SchemaRef {
        self.options.kept.extend(&self.rejects.schema())
    }

    /// The rows of a batch for each of the two tables.
    fn divide(&self, batch: &RecordBatch, rejected: &BooleanArray) -> Result<(RecordBatch, RecordBatch)> {
        let kept = self.options.columns.iter().count()..batch.num_columns();
        let take = |columns: &Columns, rows: &BooleanArray| {
            let own = columns.iter().filter_map(|c| self.options.columns.position(c));
            let places: Vec<usize> = own.chain(kept.clone()).collect();
            batch.project(&places).and_then(|batch| filter_record_batch(&batch, rows))
        };
        let accepted = BooleanArray::from(!rejected.values());
        let tables = take(&self.table, &accepted).and_then(|rows| Ok((rows, take(&self.rejects, rejected)?)));
        tables.map_err(|error| Error::new(ErrorKind::Internal, format!("cannot set rejects apart: {error}")))
    }
}

/// What a run came to.
#[derive(Debug, Clone)]
pub struct Summary {
    /// What became of the records.
    pub tally: Tally,
    /// Bytes read, decompressed.
    pub bytes: u64,
    /// Records of which only the beginning was kept, because they are too long to be held.
    pub cut: u64,
    /// Headers, which are no records.
    pub headers: u64,
    /// The main output.
    pub table: Finished,
    /// The output of rejects.
    pub rejects: Option<Finished>,
    /// Of a sorted table the bytes that went to temporary files.
    pub spilled: Option<u64>,
}

/// How far a run has come: counters that a progress bar may read at any time.
#[derive(Debug, Default)]
pub struct Progress {
    /// Bytes read, decompressed.
    pub bytes: AtomicU64,
    /// Records seen.
    pub records: AtomicU64,
    /// Rows of a sorted table that are on their way out: from then on nothing is read.
    pub sorted: AtomicU64,
}

/// Reads every chunk and writes every row; publishes the outputs when all is well. The rows of `table` are in the order
/// of the input, or of the keys of its sorter; those of rejects always in the order of the input.
///
/// # Errors
/// The first that occurs; nothing is published then.
pub fn run(
    mut chunker: Chunker,
    plan: &Plan,
    threads: usize,
    table: impl Into<Outlet>,
    on_invalid: OnInvalid,
    progress: &Progress,
) -> Result<Summary> {
    chunker.begin()?;
    let names = chunker.sources().iter().map(|source| Arc::from(source.name())).collect();
    let mut outlets = vec![table.into()];
    let fails = matches!(on_invalid, OnInvalid::Fail);
    if let OnInvalid::Reject(sink) = on_invalid {
        outlets.push(Outlet::Sink(sink));
    }
    let stages = outlets.iter().map(Outlet::stages).sum();
    let run = Run {
        plan,
        fails,
        names,
        format: chunker.format().clone(),
        queue: Queue::new(chunker, stages, progress),
        accounts: Mutex::new(Accounts::default()),
        outlets,
    };
    run.queue.work(threads, || run.work())?;
    run.finish(threads)
}

/// What the workers share.
struct Run<'a> {
    plan: &'a Plan,
    fails: bool,
    names: Vec<Arc<str>>,
    format: Format,
    queue: Queue<'a>,
    accounts: Mutex<Accounts>,
    /// The table, then the rejects if they have one of their own.
    outlets: Vec<Outlet>,
}

#[derive(Default)]
struct Accounts {
    tally: Tally,
    /// Of chunks whose turn has not come: the examples are the first in the input.
    waiting: BTreeMap<u64, (usize, Tally)>,
    /// The accounts of the source that `tally` has come to, as far as they are known.
    beginning: (usize, Tally),
    /// How many chunks `tally` has.
    added: u64,
    /// By the reader, which counts newlines.
    records_in: u64,
    /// By the sinks' batches.
    rows_out: u64,
    bytes: u64,
    cut: u64,
    headers: u64,
}

/// What a worker keeps from chunk to chunk.
struct Worker {
    normalizer: Normalizer,
    records: Records,
}

impl Worker {
    /// The batch of the records from `at` on, and where the next one begins.
    fn next(
        &mut self,
        format: &Format,
        chunk: &Chunk,
        buffer: &Buffer,
        at: usize,
        origin: Origin<'_>,
    ) -> Result<(RecordBatch, Tally, usize)> {
        let Worker { normalizer, records } = self;
        let ((batch, tally), next) = match format {
            _ if chunk.overlong.is_some() => (normalizer.overlong(buffer, chunk.len, origin)?, chunk.len),
            Format::Lines => return normalizer.lines(buffer, (at, chunk.len), origin),
            _ => {
                records.clear();
                let next = format.read(chunk, at, normalizer.most_rows(), records);
                (normalizer.records(buffer, records, origin)?, next)
            }
        };
        Ok((batch, tally, next))
    }
}

impl Run<'_> {
    fn work(&self) -> Result<(), Stop> {
        let normalizer = Normalizer::new(self.plan.options.clone());
        let mut worker = Worker { normalizer, records: Records::default() };
        while let Some((ticket, chunk)) = self.queue.take()? {
            self.chunk(&mut worker, ticket, &chunk)?;
        }
        Ok(())
    }

    /// All batches of one chunk, each through all stages before the next is made. There is one at least, or the
    /// chunks behind would wait for it: of a chunk that is nothing but a header it has no rows.
    fn chunk(&self, worker: &mut Worker, ticket: u64, chunk: &Chunk) -> Result<(), Stop> {
        let buffer = Buffer::from(chunk.bytes.clone());
        let source = &self.names[chunk.source];
        let mut at = chunk.header;
        let mut first_record = chunk.first_record;
        let mut tally = Tally::default();
        let mut is_last = false;
        while !is_last {
            let origin = Origin { first_record, offset: chunk.offset, source };
            let (batch, part, next) = worker.next(&self.format, chunk, &buffer, at, origin)?;
            at = next;
            first_record += part.lines() as i64;
            is_last = at >= chunk.len;
            let first_row = row_number(ticket, tally.rows);
            self.batch((ticket, first_row), batch, &worker.normalizer, (&part, source), is_last)?;
            tally.add(&part);
        }
        tally.set_source(source);
        self.queue.progress.records.fetch_add(tally.lines(), Ordering::Relaxed);
        let mut accounts = lock(&self.accounts);
        accounts.records_in += chunk.records;
        accounts.bytes += chunk.taken;
        accounts.cut += u64::from(chunk.overlong.is_some());
        accounts.headers += u64::from(chunk.header > 0);
        if let Some((source, strange)) = accounts.add(ticket, chunk.source, tally)
            && !self.plan.insists
        {
            return Err(Stop::Failed(another_format(&strange, &self.names[source])));
        }
        Ok(())
    }

    fn batch(
        &self,
        (ticket, first_row): (u64, u64),
        batch: RecordBatch,
        normalizer: &Normalizer,
        (tally, source): (&Tally, &str),
        is_last: bool,
    ) -> Result<(), Stop> {
        if self.fails && tally.rejects() > 0 {
            // The first in the input is the one to report: those before must have had their say.
            self.queue.order.wait(0, ticket)?;
            return Err(Stop::Failed(first_invalid(tally, source)));
        }
        let batches = match self.outlets.len() {
            1 => vec![batch],
            _ => {
                let (accepted, rejected) = self.plan.divide(&batch, &normalizer.rejected())?;
                vec![accepted, rejected]
            }
        };
        lock(&self.accounts).rows_out += batches.iter().map(|batch| batch.num_rows() as u64).sum::<u64>();
        let mut stage = 0;
        let mut to_sort = None;
        for (outlet, batch) in self.outlets.iter().zip(batches) {
            if let Outlet::Sorted(sorter, _) = outlet {
                to_sort = Some((sorter, batch.clone()));
            }
            outlet.pass(batch, (&self.queue.order, stage), ticket, is_last)?;
            stage += outlet.stages();
        }
        // Last of all: it may take long, and nobody need wait for it.
        match to_sort {
            Some((sorter, batch)) => Ok(sorter.push(&batch, first_row)?),
            None => Ok(()),
        }
    }

    fn finish(self, threads: usize) -> Result<Summary> {
        let Run { accounts, outlets, queue, .. } = self;
        let progress = queue.progress;
        // Its buffers are memory that sorted rows can have.
        drop(queue);
        let accounts = accounts.into_inner().unwrap_or_else(PoisonError::into_inner);
        accounts.check()?;
        let sorts = outlets.iter().any(|outlet| matches!(outlet, Outlet::Sorted(..)));
        // Both outputs are complete before one of them is published.
        let mut spilled = 0;
        let mut targets = Vec::new();
        for outlet in outlets {
            let (target, bytes) = outlet.close(threads, progress)?;
            targets.push(target);
            spilled += bytes;
        }
        let mut finished = Vec::new();
        for target in targets {
            finished.push(Finished { bytes: target.commit()? });
        }
        let rejects = if finished.len() > 1 { finished.pop() } else { None };
        let table = finished.pop().unwrap_or(Finished { bytes: 0 });
        let Accounts { tally, bytes, cut, headers, .. } = accounts;
        let spilled = sorts.then_some(spilled);
        Ok(Summary { tally, bytes, cut, headers, table, rejects, spilled })
    }
}

impl Accounts {
    /// Answers the source, and its accounts, that has turned out to be of another format.
    fn add(&mut self, ticket: u64, source: usize, tally: Tally) -> Option<(usize, Tally)> {
        self.waiting.insert(ticket, (source, tally));
        let mut strange = None;
        while let Some((source, next)) = self.waiting.remove(&self.added) {
            self.tally.add(&next);
            self.added += 1;
            if self.beginning.0 != source {
                self.beginning = (source, Tally::default());
            }
            let beginning = &mut self.beginning.1;
            // Once a record has looked right there is nothing to learn.
            if beginning.unlike == beginning.rows {
                beginning.add(&next);
                if beginning.unlike >= DOUBTED {
                    strange.get_or_insert_with(|| self.beginning.clone());
                }
            }
        }
        strange
    }

    /// Nothing lost: what the reader counted is what the kernels found, and that is what the sinks got.
    fn check(&self) -> Result<()> {
        let (found, blank) = (self.tally.lines(), self.tally.blank);
        if self.records_in == found && self.rows_out + blank == found {
            return Ok(());
        }
        let sentence = format!(
            "the accounts do not add up: {} records read, {found} found, {} rows written and {blank} blank lines; \
             nothing was published, please report this",
            self.records_in, self.rows_out
        );
        Err(Error::new(ErrorKind::Internal, sentence))
    }
}

/// So many records at the beginning of a source, none of which looks like the format, are no accident.
const DOUBTED: u64 = 1000;

fn another_format(beginning: &Tally, source: &str) -> Error {
    let sentence = format!(
        "the first {DOUBTED} records of {source} are not of the format that was asked for, as in {:?}: check --from, \
         or insist with --on-invalid keep or reject",
        beginning.unlike_example().unwrap_or_default()
    );
    Error::usage(sentence)
}

/// The sentence for `--on-invalid fail`.
fn first_invalid(tally: &Tally, source: &str) -> Error {
    let first = tally.by_code().filter_map(|(code, _, example)| Some((code, example?)));
    let sentence = match first.min_by_key(|(_, example)| example.record) {
        Some((_, Example { record, field: Some(field), text, .. })) => {
            format!("record {record} of {source} has no field {field}: {text:?}")
        }
        Some((Code::BaseNotAbsolute, Example { record, text, .. })) => {
            format!("record {record} of {source} has no base that is a URI with a scheme: {text:?}")
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
    Error::new(ErrorKind::InvalidRecord, sentence)
}
