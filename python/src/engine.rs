//! Runs a job on columns, in several threads, and returns batches in order. Between `input` and `table` or `stream`.
//! A round takes some slices for each thread from the input, and `urimill::par` does the job on them. A stream is
//! therefore never read further ahead than a round, and memory does not grow with it. Workers keep their memory from
//! slice to slice.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema, SchemaRef};
use pyo3::prelude::*;
use rayon::prelude::*;
use urimill::batch::{BATCH_ROWS, fitted};
use urimill::locks::lock;
use urimill::{Error, par};

use crate::errors::Result;
use crate::export::Strings;
use crate::input::{Input, plain};
use crate::pools;
use crate::rounds::{Rounds, Run};

/// A job on columns: it has a schema, and makes workers.
pub(crate) trait Job: Send + Sync {
    /// The schema of the workers' batches, in which strings are views.
    fn schema(&self) -> SchemaRef;

    /// A worker, which handles slice after slice.
    fn worker(&self) -> Box<dyn Worker>;

    /// A column that passes through, with the parts removed that the job hides.
    fn hidden(&self, column: &ArrayRef) -> Result<ArrayRef> {
        Ok(column.clone())
    }

    /// Whether the output has one row for every row of the input, so that other columns can pass through.
    fn keeps_rows(&self) -> bool {
        true
    }

    /// Whether the input is a table that urimill made: then other columns mean what their names say.
    fn keeps_names(&self) -> bool {
        false
    }
}

/// Does a job on slices.
pub(crate) trait Worker: Send {
    /// The batch for a slice's columns, which hold texts; `first` is the number of its first row, from 0.
    fn rows(&mut self, columns: &[ArrayRef], first: i64) -> Result<RecordBatch>;

    /// The most rows of a slice.
    fn most_rows(&self) -> usize {
        SLICE_ROWS
    }
}

/// The columns of the input that a run uses.
pub(crate) struct Choice {
    /// The positions of the columns that the job gets.
    pub(crate) used: Vec<usize>,
    /// A column that is not part of the input; the job gets it last.
    pub(crate) beside: Option<Beside>,
    /// The positions and new names of the columns that pass through.
    pub(crate) kept: Vec<(usize, String)>,
}

/// A column that is not part of the input but has a row for each of its rows.
pub(crate) struct Beside {
    /// The chunks that are left, and the number of rows taken of the first.
    chunks: VecDeque<ArrayRef>,
    at: usize,
    /// The rows of all chunks.
    rows: usize,
    name: &'static str,
}

impl Beside {
    /// Reads the whole column.
    pub(crate) fn new(mut input: Input, name: &'static str) -> Result<Beside> {
        let mut chunks = VecDeque::new();
        while let Some(columns) = input.next()? {
            chunks.push_back(plain(&columns[0])?);
        }
        let rows = chunks.iter().map(|chunk| chunk.len()).sum();
        Ok(Beside { chunks, at: 0, rows, name })
    }

    /// The next rows: one at least, and `most` at most.
    fn take(&mut self, most: usize) -> Result<ArrayRef> {
        while self.chunks.front().is_some_and(|chunk| chunk.len() == self.at) {
            self.chunks.pop_front();
            self.at = 0;
        }
        let Some(chunk) = self.chunks.front() else {
            let sentence =
                format!("{} has {} rows, fewer than the data: give each row its own", self.name, self.rows);
            return Err(Error::usage(sentence).into());
        };
        let part = chunk.slice(self.at, most.min(chunk.len() - self.at));
        self.at += part.len();
        Ok(part)
    }

    fn check_end(&self, rows: usize) -> Result<()> {
        if rows == self.rows {
            return Ok(());
        }
        let sentence =
            format!("{} has {} rows, and the data {rows}: give each row its own", self.name, self.rows);
        Err(Error::usage(sentence).into())
    }
}

/// A job on an input, slice by slice.
pub(crate) struct Slices {
    input: Input,
    choice: Choice,
    crew: Arc<Crew>,
    threads: usize,
    /// The columns of the chunk that is being sliced, and the number of its rows taken so far.
    chunk: Option<(Vec<ArrayRef>, usize)>,
    taken: usize,
}

/// The workers of a job and their schema; shared by threads and by successive runs.
pub(crate) struct Crew {
    job: Arc<dyn Job>,
    strings: Strings,
    schema: SchemaRef,
    /// The most rows of a slice.
    most_rows: usize,
    idle: Mutex<Vec<Box<dyn Worker>>>,
}

/// The most rows of a slice: enough to make the cost of starting one negligible, and few enough that threads end
/// together.
const SLICE_ROWS: usize = BATCH_ROWS;

/// At most this many rows, in however many chunks, are the work of one thread.
const FEW_ROWS: usize = SLICE_ROWS / 2;

impl Slices {
    /// A run of a job on an input.
    pub(crate) fn run(
        input: Input,
        job: Arc<dyn Job>,
        choice: Choice,
        strings: Strings,
        threads: Option<usize>,
    ) -> Run<Slices> {
        let kept =
            choice.kept.iter().map(|(place, name)| input.fields[*place].as_ref().clone().with_name(name));
        let crew = Crew::new(job, strings, kept);
        Slices::by(Arc::new(crew), input, choice, threads)
    }

    /// A run with a crew that may have worked before. The crew's schema must have the columns of `choice`.
    pub(crate) fn by(crew: Arc<Crew>, input: Input, choice: Choice, threads: Option<usize>) -> Run<Slices> {
        let threads = threads.unwrap_or_else(pools::default_threads);
        Run::new(crew.schema(), Slices { input, choice, crew, threads, chunk: None, taken: 0 })
    }

    /// The next rows, at most `most`, of one chunk: the columns that the job gets, then those that pass through.
    fn columns(&mut self, most: usize) -> Result<Option<Vec<ArrayRef>>> {
        let (columns, at) = loop {
            match self.chunk.take() {
                Some((columns, at)) if at < columns[0].len() => break (columns, at),
                _ => match self.input.next()? {
                    Some(columns) => self.chunk = Some((columns, 0)),
                    None => {
                        let beside = self.choice.beside.as_ref();
                        return beside.map_or(Ok(()), |column| column.check_end(self.taken)).map(|()| None);
                    }
                },
            }
        };
        let most = most.min(columns[0].len() - at);
        let beside = self.choice.beside.as_mut().map(|column| column.take(most)).transpose()?;
        let rows = beside.as_ref().map_or(most, |column| column.len());
        let part = |place: usize| columns[place].slice(at, rows);
        let used = self.choice.used.iter().map(|&place| part(place));
        let kept = self.choice.kept.iter().map(|&(place, _)| part(place));
        let parts = used.chain(beside).chain(kept).collect();
        self.taken += rows;
        self.chunk = Some((columns, at + rows));
        Ok(Some(parts))
    }
}

impl Rounds for Slices {
    fn round(&mut self, slices: usize) -> Result<Option<Vec<RecordBatch>>> {
        let (most, slices) = (self.crew.most_rows, slices * self.threads);
        let (first, mut chunks, mut left) = (self.taken as i64, Vec::new(), slices);
        while left > 0 {
            let Some(columns) = self.columns(left * most)? else { break };
            left -= columns[0].len().div_ceil(most);
            chunks.push(columns);
        }
        if chunks.is_empty() {
            return Ok(None);
        }
        let crew = &self.crew;
        let used = self.choice.used.len() + usize::from(self.choice.beside.is_some());
        let work = |columns: &[ArrayRef], first: i64| crew.work(columns.split_at(used), first - 1);
        let rows = par::rows(chunks, most, work).first(first + 1);
        // The other threads would hardly be awake before the work is done.
        let is_small = slices - left == 1 || self.taken - first as usize <= FEW_ROWS;
        if self.threads == 1 || is_small {
            return rows.in_this_thread().into_iter().collect::<Result<_>>().map(Some);
        }
        pools::of(self.threads)?.install(|| rows.collect::<Result<_>>()).map(Some)
    }

    fn hand_over(&mut self, py: Python<'_>) -> PyResult<()> {
        self.input.hand_over(py)
    }
}

impl Crew {
    /// A crew for a job; fields of `kept` are the columns that pass through.
    pub(crate) fn new(job: Arc<dyn Job>, strings: Strings, kept: impl IntoIterator<Item = Field>) -> Crew {
        let own = strings.schema(&job.schema());
        let fields = own.fields().iter().map(|field| field.as_ref().clone()).chain(kept);
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let first = job.worker();
        let most_rows = first.most_rows().clamp(1, SLICE_ROWS);
        Crew { job, strings, schema, most_rows, idle: Mutex::new(vec![first]) }
    }

    /// The schema of the crew's batches.
    pub(crate) fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// See [`Job::hidden`].
    pub(crate) fn hidden(&self, column: &ArrayRef) -> Result<ArrayRef> {
        self.job.hidden(column)
    }

    /// The batch for a slice: of the columns that the job gets, and of those that pass through.
    fn work(&self, (used, kept): (&[ArrayRef], &[ArrayRef]), first: i64) -> Result<RecordBatch> {
        let used = used.iter().map(plain).collect::<Result<Vec<_>>>()?;
        let idle = || lock(&self.idle);
        let waiting = idle().pop();
        let mut worker = waiting.unwrap_or_else(|| self.job.worker());
        let batch = worker.rows(&used, first)?;
        idle().push(worker);
        let mut columns = self.exit(&batch)?;
        for column in kept {
            columns.push(fitted(&self.hidden(column)?));
        }
        self.batch(columns, batch.num_rows())
    }

    /// The columns of the job's batch in the types that the caller gets.
    fn exit(&self, batch: &RecordBatch) -> Result<Vec<ArrayRef>> {
        let mut columns = self.strings.columns(batch, &self.schema)?;
        if self.strings == Strings::View {
            columns.iter_mut().for_each(|column| *column = fitted(column));
        }
        Ok(columns)
    }

    /// A batch that was made elsewhere, as the caller gets it.
    pub(crate) fn finished(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        self.batch(self.exit(batch)?, batch.num_rows())
    }

    fn batch(&self, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch> {
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)?)
    }
}
