//! Batches in rounds: some are made at a time, in parallel, when the caller asks for them. Between what makes them,
//! `engine` or the lines of a text, and the table or stream that the caller gets.

use std::collections::VecDeque;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::prelude::*;

use crate::errors::{Result, caught, detached};
use crate::source::Reading;
use crate::table::Table;

/// The slices of a table for each thread between two checks whether Ctrl-C was pressed.
const ROUND: usize = 64;

/// Makes batches in the order of its input.
pub(crate) trait Rounds: Send {
    /// The batches of the next round, of about so many slices for each thread; `None` after the last.
    fn round(&mut self, slices: usize) -> Result<Option<Vec<RecordBatch>>>;

    /// See [`Source::hand_over`](crate::source::Source::hand_over).
    fn hand_over(&mut self, py: Python<'_>) -> PyResult<()>;
}

/// The batches of a schema, one after the other: the reader of a stream.
pub(crate) struct Run<R> {
    schema: SchemaRef,
    rounds: R,
    ready: VecDeque<RecordBatch>,
    is_over: bool,
}

impl<R: Rounds> Run<R> {
    pub(crate) fn new(schema: SchemaRef, rounds: R) -> Run<R> {
        Run { schema, rounds, ready: VecDeque::new(), is_over: false }
    }

    /// All rows as a table.
    pub(crate) fn gather(mut self, py: Python<'_>) -> PyResult<Table> {
        let mut batches = Vec::new();
        while let Some(round) = detached(py, || self.rounds.round(ROUND))? {
            batches.extend(round);
            py.check_signals()?;
        }
        let schema = self.schema.clone();
        // What it holds of other libraries goes without the interpreter.
        detached(py, || {
            drop(self);
            Ok(())
        })?;
        Ok(Table::new(schema, batches))
    }
}

impl<R: Rounds> Iterator for Run<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() && !self.is_over {
            match caught(|| self.rounds.round(1)) {
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

impl<R: Rounds> Reading for Run<R> {
    fn hand_over(&mut self, py: Python<'_>) -> PyResult<()> {
        self.rounds.hand_over(py)
    }
}

impl<R: Rounds> RecordBatchReader for Run<R> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
