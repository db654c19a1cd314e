//! The result for an input that is a stream: batches, made when the caller asks for them.

use std::sync::Mutex;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::ffi::to_schema_pycapsule;
use urimill::locks::lock;

use crate::errors::{Fault, Result, detached};
use crate::export::batches;
use crate::labels::Labels;
use crate::schema::Schema;
use crate::source::{Reader, Reading, Source};
use crate::table::Table;

/// A stream of record batches, which can be read once; memory does not grow with its length.
///
/// It is an iterator of tables, and any reader of Arrow streams accepts it:
/// ``pyarrow.RecordBatchReader.from_stream(stream)``, ``duckdb.from_arrow(stream)``.
///
/// >>> import urimill
/// >>> texts = iter(["http://example.com/", "/a b"])
/// >>> stream = urimill.normalize(texts, columns="uri,error", stream=True)
/// >>> for table in stream:
/// ...     print(table.to_pylist())
/// [{'uri': 'http://example.com/', 'error': None}, {'uri': '/a b', 'error': 'path_invalid_char'}]
#[pyclass(module = "urimill", frozen)]
pub(crate) struct Stream {
    schema: SchemaRef,
    /// Only threads that have released the interpreter lock this: the source that is read may be written in Python.
    source: Mutex<Progress>,
    /// The index of the source, if that is from pandas.
    labels: Option<Labels>,
}

/// How far a stream has been read.
struct Progress {
    state: State,
    /// The number of rows read.
    rows: usize,
}

enum State {
    Open(Reader),
    /// All batches were read here.
    Over,
    /// Another consumer has the reader.
    Taken,
    Closed,
    Failed(PyErr),
}

impl Stream {
    pub(crate) fn new(reader: Reader) -> Stream {
        let schema = reader.schema();
        let source = Mutex::new(Progress { state: State::Open(reader), rows: 0 });
        Stream { schema, source, labels: None }
    }

    /// The stream with the index of its rows.
    pub(crate) fn labelled(self, labels: Option<Labels>) -> Stream {
        Stream { labels, ..self }
    }

    /// The labels of the rows that are left.
    pub(crate) fn labels(&self, py: Python<'_>) -> Option<Labels> {
        let labels = self.labels.as_ref()?;
        Some(labels.after(py.detach(|| lock(&self.source).rows)))
    }

    /// The reader, for a consumer that reads to the end.
    pub(crate) fn take(&self, py: Python<'_>) -> PyResult<Reader> {
        detached(py, || {
            let state = &mut lock(&self.source).state;
            match std::mem::replace(state, State::Taken) {
                State::Open(reader) => Ok(reader),
                other => {
                    *state = other;
                    Err(state.is_over().unwrap_or_else(taken))
                }
            }
        })
    }

    /// The next batch, and the number of rows before it.
    fn next(&self, py: Python<'_>) -> PyResult<Option<(RecordBatch, usize)>> {
        detached(py, || {
            let source = &mut *lock(&self.source);
            let State::Open(reader) = &mut source.state else {
                return source.state.is_over().map_or(Ok(None), Err);
            };
            match reader.next().transpose().map_err(Fault::from) {
                Ok(Some(batch)) => {
                    let before = source.rows;
                    source.rows += batch.num_rows();
                    Ok(Some((batch, before)))
                }
                Ok(None) => {
                    source.state = State::Over;
                    Ok(None)
                }
                Err(fault) => {
                    source.state = State::Failed(fault.into());
                    Err(source.state.is_over().unwrap_or_else(taken))
                }
            }
        })
    }
}

impl State {
    /// The reason why nothing can be read any more; `None` after the last batch.
    fn is_over(&self) -> Option<Fault> {
        match self {
            State::Open(_) | State::Over => None,
            State::Taken => Some(taken()),
            State::Closed => {
                Some(PyValueError::new_err("the stream was closed before its end: make it anew").into())
            }
            State::Failed(error) => Some(Python::attach(|py| error.clone_ref(py)).into()),
        }
    }
}

fn taken() -> Fault {
    PyValueError::new_err("the stream has been read: make it anew").into()
}

#[pymethods]
impl Stream {
    /// The columns with their types.
    #[getter]
    fn schema(&self) -> Schema {
        Schema::new(self.schema.clone())
    }

    /// The names of the columns, in order.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Table>> {
        Ok(self.next(py)?.map(|(batch, before)| {
            let labels = self.labels.as_ref().map(|labels| labels.after(before));
            Table::new(self.schema.clone(), vec![batch]).labelled(labels)
        }))
    }

    /// All remaining rows, as a table in memory.
    fn read_all(&self, py: Python<'_>) -> PyResult<Table> {
        let labels = self.labels(py);
        let mut batches = Vec::new();
        while let Some((batch, _)) = self.next(py)? {
            batches.push(batch);
            py.check_signals()?;
        }
        Ok(Table::new(self.schema.clone(), batches).labelled(labels))
    }

    /// Closes the stream and its source. If batches are left, reading on is an error.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        detached(py, || {
            let state = &mut lock(&self.source).state;
            if matches!(state, State::Open(_)) {
                *state = State::Closed;
            }
            Ok(())
        })
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_reason))]
    fn __exit__(&self, py: Python<'_>, _reason: &Bound<'_, PyAny>) -> PyResult<()> {
        self.close(py)
    }

    /// A ``pyarrow.RecordBatchReader``.
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.getattr("RecordBatchReader")?.call_method1("from_stream", (slf,))
    }

    /// A ``polars.DataFrame`` of all remaining rows.
    fn to_polars<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Table::to_polars(&Bound::new(py, self.read_all(py)?)?)
    }

    /// A ``pandas.DataFrame`` of all remaining rows, with the index of the data if that came from pandas; needs
    /// pyarrow.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Table::to_pandas(&Bound::new(py, self.read_all(py)?)?, None)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, self.schema.as_ref())?)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let mut reader = self.take(py)?;
        reader.hand_over(py)?;
        batches(py, &self.schema, reader, requested_schema)
    }

    fn __repr__(&self) -> String {
        let names = self.column_names();
        format!("urimill.Stream: {} columns, {}", names.len(), names.join(", "))
    }
}

/// Batches of a known schema, from any source.
pub(crate) struct Batches<I> {
    pub(crate) schema: SchemaRef,
    pub(crate) inner: I,
}

impl<I: Iterator<Item = Result<RecordBatch>>> Iterator for Batches<I> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.inner.next().map(|next| next.map_err(ArrowError::from))
    }
}

impl<I: Source<Result<RecordBatch>>> Reading for Batches<I> {
    fn hand_over(&mut self, py: Python<'_>) -> PyResult<()> {
        self.inner.hand_over(py).map(drop)
    }
}

impl<I: Iterator<Item = Result<RecordBatch>>> RecordBatchReader for Batches<I> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
