//! Rows of columns in record batches, with the index that they have in pandas: what a table is made of, and a column,
//! which is a table of one. Parts of them, and their bytes for pickle.

use std::io::Cursor;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{Schema, SchemaRef};
use arrow_select::interleave::interleave_record_batch;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PySlice};
use urimill::batch::{BATCH_ROWS, fitted};

use crate::errors::{Fault, Result, detached};
use crate::labels::Labels;

/// An index of pandas, and the names of the columns that it is made of.
pub(crate) type Index<'py> = (Bound<'py, PyAny>, Vec<String>);

/// Rows in Arrow's format of streams, and their index.
pub(crate) type Pickled<'py> = (Bound<'py, PyBytes>, Option<Index<'py>>);

#[derive(Clone)]
pub(crate) struct Frame {
    pub(crate) schema: SchemaRef,
    pub(crate) batches: Vec<RecordBatch>,
    /// The index of the data that the rows were made of, if that is from pandas.
    pub(crate) labels: Option<Labels>,
}

impl Frame {
    pub(crate) fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// One of its columns.
    pub(crate) fn column(&self, place: usize) -> Frame {
        let schema = Arc::new(Schema::new(vec![self.schema.fields()[place].clone()]));
        let batches =
            self.batches.iter().map(|batch| batch_of(&schema, vec![batch.column(place).clone()], batch));
        Frame { batches: batches.collect(), schema, labels: self.labels.clone() }
    }

    /// The rows from one on, at most `most`, without a copy.
    pub(crate) fn slice(&self, from: usize, most: usize) -> Frame {
        let (mut skipped, mut left) = (from, most);
        let mut batches = Vec::new();
        for batch in &self.batches {
            let from = skipped.min(batch.num_rows());
            let taken = left.min(batch.num_rows() - from);
            if taken == batch.num_rows() {
                batches.push(batch.clone());
            } else if taken > 0 {
                let part = batch.slice(from, taken);
                batches.push(batch_of(&self.schema, part.columns().iter().map(fitted).collect(), &part));
            }
            skipped -= from;
            left -= taken;
        }
        let labels = self.labels.as_ref().map(|labels| labels.after(from));
        Frame { schema: self.schema.clone(), batches, labels }
    }

    /// The rows that a slice of Python selects; those of one with steps are copied.
    pub(crate) fn sliced(&self, slice: &Bound<'_, PySlice>) -> PyResult<Frame> {
        let rows = self.rows();
        let chosen = slice.indices(rows as isize)?;
        let (first, count) = (chosen.start.max(0) as usize, chosen.slicelength);
        if chosen.step == 1 {
            return Ok(self.slice(first, count));
        }
        let mut ends = Vec::with_capacity(self.batches.len());
        for batch in &self.batches {
            ends.push(ends.last().copied().unwrap_or(0) + batch.num_rows());
        }
        let place = |number: usize| {
            let row = (chosen.start + number as isize * chosen.step) as usize;
            let batch = ends.partition_point(|&end| end <= row);
            (batch, row - (ends[batch] - self.batches[batch].num_rows()))
        };
        let all: Vec<&RecordBatch> = self.batches.iter().collect();
        let part = |from: usize| -> Result<RecordBatch> {
            let places: Vec<_> = (from..count.min(from + BATCH_ROWS)).map(place).collect();
            Ok(interleave_record_batch(&all, &places)?)
        };
        let batches = detached(slice.py(), || (0..count).step_by(BATCH_ROWS).map(part).collect())?;
        let labels = self.labels.as_ref().map(|labels| labels.sliced(slice, rows)).transpose()?;
        Ok(Frame { schema: self.schema.clone(), batches, labels })
    }

    /// Its bytes, in Arrow's format of streams, and its labels.
    pub(crate) fn pickled<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
        let bytes = detached(py, || written(&self.schema, &self.batches))?;
        let labels = self.labels.as_ref().map(|labels| labels.pickled(py, self.rows())).transpose()?;
        Ok((PyBytes::new(py, &bytes), labels))
    }

    /// What [`Frame::pickled`] was called on.
    pub(crate) fn unpickled(py: Python<'_>, data: &[u8], labels: Option<Index<'_>>) -> PyResult<Frame> {
        let labels = labels.map(|(index, names)| Labels::unpickled(index, names));
        let (schema, batches) = detached(py, || read(data))?;
        Ok(Frame { schema, batches, labels })
    }
}

/// A batch with as many rows as another.
fn batch_of(schema: &SchemaRef, columns: Vec<ArrayRef>, like: &RecordBatch) -> RecordBatch {
    let options = RecordBatchOptions::new().with_row_count(Some(like.num_rows()));
    // Its columns are those of a batch.
    RecordBatch::try_new_with_options(schema.clone(), columns, &options).unwrap_or_else(|_| like.clone())
}

/// Batches in Arrow's format of streams.
pub(crate) fn written(schema: &SchemaRef, batches: &[RecordBatch]) -> Result<Vec<u8>> {
    let mut writer = StreamWriter::try_new(Vec::new(), schema)?;
    batches.iter().try_for_each(|batch| writer.write(batch))?;
    Ok(writer.into_inner()?)
}

/// The batches of a stream in Arrow's format.
pub(crate) fn read(data: &[u8]) -> Result<(SchemaRef, Vec<RecordBatch>)> {
    let reader = StreamReader::try_new(Cursor::new(data), None)?;
    let schema = reader.schema();
    let batches = reader.collect::<std::result::Result<_, _>>().map_err(Fault::from)?;
    Ok((schema, batches))
}
