//! Runs a job on columns: cuts them into slices, works on these in several threads, and returns batches in order.
//! Between `input` and `table` or `stream`.
//! A round takes one slice for each thread from the input and gives them to the pool. A stream is therefore never read
//! further ahead than a round, and memory does not grow with it. Within a round every slice has a worker, which keeps
//! its memory for the next one.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::concat::concat;
use pyo3::prelude::*;
use rayon::prelude::*;
use urimill::Error;
use urimill::batch::{BATCH_ROWS, fitted};
use urimill::locks::lock;

use crate::errors::{Result, caught};
use crate::export::Strings;
use crate::input::{Input, plain};
use crate::pools;
use crate::source::Reading;

/// A job on columns: it has a schema, and makes workers.
pub(crate) trait Job: Send + Sync {
    /// The schema of the workers' batches, in which strings are views.
    fn schema(&self) -> SchemaRef;

    /// A worker, which handles slice after slice.
    fn worker(&self) -> Box<dyn Worker>;

    /// The most rows of a slice.
    fn most_rows(&self) -> usize {
        SLICE_ROWS
    }

    /// A column that passes through, with the parts removed that the job hides.
    fn hidden(&self, column: &ArrayRef) -> Result<ArrayRef> {
        Ok(column.clone())
    }

    /// Whether the output has one row for every row of the input, so that other columns can pass through.
    fn keeps_rows(&self) -> bool {
        true
    }
}

/// Does a job on slices.
pub(crate) trait Worker: Send {
    /// The batch for a slice's columns, which hold texts; `first` is the number of its first row, from 0.
    fn rows(&mut self, columns: &[ArrayRef], first: i64) -> Result<RecordBatch>;
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
    chunks: Vec<ArrayRef>,
    rows: usize,
    name: &'static str,
}

impl Beside {
    /// Reads the whole column.
    pub(crate) fn new(mut input: Input, name: &'static str) -> Result<Beside> {
        let mut chunks = Vec::new();
        while let Some(columns) = input.next()? {
            chunks.push(plain(&columns[0])?);
        }
        let rows = chunks.iter().map(|chunk| chunk.len()).sum();
        Ok(Beside { chunks, rows, name })
    }

    fn slice(&self, mut from: usize, rows: usize) -> Result<ArrayRef> {
        if from + rows > self.rows {
            let sentence =
                format!("{} has {} rows, fewer than the data: give each row its own", self.name, self.rows);
            return Err(Error::usage(sentence).into());
        }
        let mut left = rows;
        let mut parts = Vec::new();
        for chunk in &self.chunks {
            if from < chunk.len() && left > 0 {
                let taken = left.min(chunk.len() - from);
                parts.push(chunk.slice(from, taken));
                left -= taken;
                from = 0;
            } else {
                from = from.saturating_sub(chunk.len());
            }
        }
        Ok(match parts.as_slice() {
            [one] => one.clone(),
            [] => self
                .chunks
                .first()
                .map_or_else(|| arrow_array::new_empty_array(&DataType::Utf8), |c| c.slice(0, 0)),
            many => concat(&many.iter().map(AsRef::as_ref).collect::<Vec<_>>())?,
        })
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

/// A slice on its way to a worker.
struct Slice {
    columns: Vec<ArrayRef>,
    kept: Vec<ArrayRef>,
    first: i64,
}

/// A job on an input. As an iterator it gives batches in the input's order.
pub(crate) struct Run {
    input: Input,
    choice: Choice,
    crew: Arc<Crew>,
    threads: usize,
    /// The columns of the chunk that is being sliced, and the number of its rows taken so far.
    chunk: Option<(Vec<ArrayRef>, usize)>,
    taken: usize,
    ready: VecDeque<RecordBatch>,
    is_over: bool,
}

/// The workers of a job and their schema; shared by threads and by successive runs.
pub(crate) struct Crew {
    job: Arc<dyn Job>,
    strings: Strings,
    schema: SchemaRef,
    idle: Mutex<Vec<Box<dyn Worker>>>,
}

/// The most rows of a slice: enough to make the cost of starting one negligible, and few enough that threads end
/// together.
const SLICE_ROWS: usize = BATCH_ROWS;

/// The most bytes of text of a slice that has more than one row.
const SLICE_BYTES: usize = 64 << 20;

impl Run {
    pub(crate) fn new(
        input: Input,
        job: Arc<dyn Job>,
        choice: Choice,
        strings: Strings,
        threads: Option<usize>,
    ) -> Run {
        let kept =
            choice.kept.iter().map(|(place, name)| input.fields[*place].as_ref().clone().with_name(name));
        let crew = Crew::new(job, strings, kept);
        Run::by(Arc::new(crew), input, choice, threads)
    }

    /// A run with a crew that may have worked before. The crew's schema must have the columns of `choice`.
    pub(crate) fn by(crew: Arc<Crew>, input: Input, choice: Choice, threads: Option<usize>) -> Run {
        let threads = threads.unwrap_or_else(pools::default_threads);
        Run { input, choice, crew, threads, chunk: None, taken: 0, ready: VecDeque::new(), is_over: false }
    }

    /// The batches of the next round; `None` after the last.
    pub(crate) fn round(&mut self, slices: usize) -> Result<Option<Vec<RecordBatch>>> {
        let mut round = Vec::new();
        while round.len() < slices {
            let Some(slice) = self.slice()? else { break };
            round.push(slice);
        }
        if round.is_empty() {
            return Ok(None);
        }
        let crew = &self.crew;
        if round.len() == 1 || self.threads == 1 {
            return round.iter().map(|slice| crew.work(slice)).collect::<Result<_>>().map(Some);
        }
        let pool = pools::of(self.threads)?;
        pool.install(|| round.par_iter().map(|slice| crew.work(slice)).collect::<Result<_>>()).map(Some)
    }

    /// The number of slices in a round of a stream.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    fn slice(&mut self) -> Result<Option<Slice>> {
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
        let rest = columns[0].len() - at;
        let most = self.crew.job.most_rows().clamp(1, SLICE_ROWS).min(rest);
        let used = self.choice.used.iter().map(|&place| plain(&columns[place].slice(at, most)));
        let mut used = used.collect::<Result<Vec<_>>>()?;
        if let Some(beside) = &self.choice.beside {
            used.push(beside.slice(self.taken, most)?);
        }
        let rows = used.iter().map(|column| fitting(column, most)).min().unwrap_or(most);
        used.iter_mut().for_each(|column| *column = column.slice(0, rows));
        let kept = self.choice.kept.iter().map(|&(place, _)| columns[place].slice(at, rows)).collect();
        let slice = Slice { columns: used, kept, first: self.taken as i64 };
        self.taken += rows;
        self.chunk = Some((columns, at + rows));
        Ok(Some(slice))
    }
}

impl Crew {
    /// A crew for a job; fields of `kept` are the columns that pass through.
    pub(crate) fn new(job: Arc<dyn Job>, strings: Strings, kept: impl IntoIterator<Item = Field>) -> Crew {
        let own = strings.schema(&job.schema());
        let fields = own.fields().iter().map(|field| field.as_ref().clone()).chain(kept);
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        Crew { job, strings, schema, idle: Mutex::default() }
    }

    /// The schema of the crew's batches.
    pub(crate) fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// See [`Job::hidden`].
    pub(crate) fn hidden(&self, column: &ArrayRef) -> Result<ArrayRef> {
        self.job.hidden(column)
    }

    fn work(&self, slice: &Slice) -> Result<RecordBatch> {
        let idle = || lock(&self.idle);
        let waiting = idle().pop();
        let mut worker = waiting.unwrap_or_else(|| self.job.worker());
        let batch = worker.rows(&slice.columns, slice.first)?;
        idle().push(worker);
        let mut columns = self.strings.columns(&batch, &self.schema)?;
        if self.strings == Strings::View {
            columns.iter_mut().for_each(|column| *column = fitted(column));
        }
        for column in &slice.kept {
            columns.push(fitted(&self.hidden(column)?));
        }
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Ok(RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)?)
    }
}

impl Iterator for Run {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() && !self.is_over {
            match caught(|| self.round(self.threads)) {
                Ok(Some(batches)) => self.ready.extend(batches),
                Ok(None) => self.is_over = true,
                Err(fault) => {
                    self.is_over = true;
                    return Some(Err(fault.into()));
                }
            }
        }
        self.ready.pop_front().map(Ok)
    }
}

impl Reading for Run {
    fn hand_over(&mut self, py: Python<'_>) -> PyResult<()> {
        self.input.hand_over(py)
    }
}

impl RecordBatchReader for Run {
    fn schema(&self) -> SchemaRef {
        self.crew.schema.clone()
    }
}

/// The number of first rows, at most `most`, that hold at most [`SLICE_BYTES`] of text.
fn fitting(column: &ArrayRef, most: usize) -> usize {
    fn by_offsets<T: Copy + Into<i64>>(offsets: &[T], most: usize) -> usize {
        let first: i64 = offsets[0].into();
        let ends = &offsets[1..=most];
        ends.partition_point(|&end| end.into() - first <= SLICE_BYTES as i64)
    }
    fn by_views(views: &[u128], most: usize) -> usize {
        let mut sum = 0;
        // The low half of a view is the length of its value.
        let too_many = |&view: &u128| {
            sum += view as u32 as usize;
            sum > SLICE_BYTES
        };
        views[..most].iter().position(too_many).unwrap_or(most)
    }
    let rows = match column.data_type() {
        DataType::Utf8 => by_offsets(column.as_string::<i32>().value_offsets(), most),
        DataType::LargeUtf8 => by_offsets(column.as_string::<i64>().value_offsets(), most),
        DataType::Binary => by_offsets(column.as_binary::<i32>().value_offsets(), most),
        DataType::LargeBinary => by_offsets(column.as_binary::<i64>().value_offsets(), most),
        DataType::Utf8View => by_views(column.as_string_view().views(), most),
        DataType::BinaryView => by_views(column.as_binary_view().views(), most),
        _ => most,
    };
    rows.clamp(1, most)
}
