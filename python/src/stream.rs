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
use crate::schema::Schema;
use crate::table::Table;

type Reader = Box<dyn RecordBatchReader + Send>;

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
    reader: Mutex<Option<Reader>>,
}

impl Stream {
    pub(crate) fn new(reader: Reader) -> Stream {
        Stream { schema: reader.schema(), reader: Mutex::new(Some(reader)) }
    }

    /// The reader, for a consumer that reads to the end.
    fn take(&self, py: Python<'_>) -> PyResult<Reader> {
        let reader = detached(py, || Ok(lock(&self.reader).take()))?;
        reader.ok_or_else(|| PyValueError::new_err("the stream has been read, or closed: make it anew"))
    }

    fn next(&self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        detached(py, || {
            let mut reader = lock(&self.reader);
            let next = reader.as_mut().and_then(Iterator::next).transpose();
            if !matches!(next, Ok(Some(_))) {
                *reader = None;
            }
            next.map_err(Fault::from)
        })
    }
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
        Ok(self.next(py)?.map(|batch| Table::new(self.schema.clone(), vec![batch])))
    }

    /// All remaining rows, as a table in memory.
    fn read_all(&self, py: Python<'_>) -> PyResult<Table> {
        let mut batches = Vec::new();
        while let Some(batch) = self.next(py)? {
            batches.push(batch);
            py.check_signals()?;
        }
        Ok(Table::new(self.schema.clone(), batches))
    }

    /// Closes the stream and its source.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        detached(py, || {
            *lock(&self.reader) = None;
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
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.call_method1("DataFrame", (slf,))
    }

    /// A ``pandas.DataFrame`` of all remaining rows; needs pyarrow.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::to_pyarrow(slf)?.call_method0("read_pandas")
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
        let reader = self.take(py)?;
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

impl<I: Iterator<Item = Result<RecordBatch>>> RecordBatchReader for Batches<I> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
