//! Results in memory: a table, and one of its columns. Both implement the Arrow PyCapsule protocol, so that no other
//! package is needed to make or to read them.

use std::fmt::Write;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{FieldRef, SchemaRef};
use pyo3::exceptions::{PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use pyo3_arrow::ffi::to_schema_pycapsule;
use urimill::batch::fitted;
use urimill::passwords::masked;

use crate::errors::calm;
use crate::export::{arrays_as, batches};
use crate::labels::Labels;
use crate::schema::Schema;
use crate::values::append;

/// A table in memory, in record batches.
///
/// Any reader of Arrow data accepts it: ``pyarrow.table(table)``, ``polars.DataFrame(table)``,
/// ``duckdb.sql("SELECT host FROM table")``.
///
/// >>> import urimill
/// >>> table = urimill.normalize(["HTTP://example.com:80/%7Ea", None, "/a b"], columns="uri,host,error")
/// >>> len(table), table.column_names
/// (3, ['uri', 'host', 'error'])
/// >>> table["uri"].to_pylist()
/// ['http://example.com/~a', None, '/a b']
/// >>> table
/// urimill.Table: 3 rows, 3 columns
/// uri                    host         error
/// http://example.com/~a  example.com  -
/// -                      -            -
/// /a b                   -            path_invalid_char
#[pyclass(module = "urimill", frozen)]
pub(crate) struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
    /// The index of the data that the table was made of, if that is from pandas.
    pub(crate) labels: Option<Labels>,
}

impl Table {
    pub(crate) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Table {
        Table { schema, batches, labels: None }
    }

    /// The table with the index of its rows.
    pub(crate) fn labelled(self, labels: Option<Labels>) -> Table {
        Table { labels, ..self }
    }

    fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    fn at(&self, place: usize) -> Column {
        let chunks = self.batches.iter().map(|batch| batch.column(place).clone()).collect();
        Column { field: self.schema.fields()[place].clone(), chunks, labels: self.labels.clone() }
    }
}

#[pymethods]
impl Table {
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

    /// The number of columns.
    #[getter]
    fn num_columns(&self) -> usize {
        self.schema.fields().len()
    }

    /// The number of rows, as ``len(table)``.
    #[getter]
    fn num_rows(&self) -> usize {
        self.rows()
    }

    fn __len__(&self) -> usize {
        self.rows()
    }

    /// The column with this name, or at this position.
    fn column(&self, name: &Bound<'_, PyAny>) -> PyResult<Column> {
        if let Ok(place) = name.extract::<isize>() {
            let count = self.schema.fields().len() as isize;
            let from_start = if place < 0 { place + count } else { place };
            if !(0..count).contains(&from_start) {
                return Err(PyIndexError::new_err(format!(
                    "there is no column {place}: the table has {count}"
                )));
            }
            return Ok(self.at(from_start as usize));
        }
        let name: String = name.extract()?;
        match self.schema.column_with_name(&name) {
            Some((place, _)) => Ok(self.at(place)),
            None => {
                let names = self.column_names().join(", ");
                Err(PyKeyError::new_err(format!("there is no column {name:?}: the columns are {names}")))
            }
        }
    }

    fn __getitem__(&self, name: &Bound<'_, PyAny>) -> PyResult<Column> {
        self.column(name)
    }

    /// ``length`` rows from ``offset`` on, without copying; all of them if there is no ``length``.
    #[pyo3(signature = (offset, length=None))]
    fn slice(&self, offset: usize, length: Option<usize>) -> Table {
        let (mut skipped, mut left) = (offset, length.unwrap_or(usize::MAX));
        let mut parts = Vec::new();
        for batch in &self.batches {
            let from = skipped.min(batch.num_rows());
            let taken = left.min(batch.num_rows() - from);
            if taken == batch.num_rows() {
                parts.push(batch.clone());
            } else if taken > 0 {
                parts.push(fitted_batch(&batch.slice(from, taken)));
            }
            skipped -= from;
            left -= taken;
        }
        let labels = self.labels.as_ref().map(|labels| labels.after(offset));
        Table::new(self.schema.clone(), parts).labelled(labels)
    }

    /// The first rows.
    #[pyo3(signature = (n=5))]
    fn head(&self, n: usize) -> Table {
        self.slice(0, Some(n))
    }

    /// A ``pyarrow.Table`` with the same memory.
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))
    }

    /// A ``polars.DataFrame``.
    pub(crate) fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.call_method1("DataFrame", (slf,))
    }

    /// A ``pandas.DataFrame``, with the index of the data if that came from pandas; needs pyarrow.
    #[pyo3(signature = (**options))]
    pub(crate) fn to_pandas<'py>(
        slf: &Bound<'py, Self>,
        options: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let frame = Self::to_pyarrow(slf)?.call_method("to_pandas", (), options.as_ref())?;
        slf.get().labels.as_ref().map_or(Ok(frame.clone()), |labels| labels.put(frame))
    }

    /// A dict of lists, by column.
    fn to_pydict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        calm(|| {
            let columns = PyDict::new(py);
            for (place, field) in self.schema.fields().iter().enumerate() {
                columns.set_item(field.name(), self.at(place).to_pylist(py)?)?;
            }
            Ok(columns)
        })
    }

    /// A list of dicts, by row.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        calm(|| {
            let rows = PyList::empty(py);
            for _ in 0..self.rows() {
                rows.append(PyDict::new(py))?;
            }
            for (place, field) in self.schema.fields().iter().enumerate() {
                for (row, value) in rows.iter().zip(self.at(place).to_pylist(py)?) {
                    row.cast::<PyDict>()?.set_item(field.name(), value)?;
                }
            }
            Ok(rows)
        })
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
        batches(py, &self.schema, self.batches.clone().into_iter().map(Ok), requested_schema)
    }

    fn __repr__(&self) -> PyResult<String> {
        calm(|| {
            let (rows, columns) = (self.rows(), self.num_columns());
            let plural = |n: usize| if n == 1 { "" } else { "s" };
            let title =
                format!("urimill.Table: {rows} row{}, {columns} column{}", plural(rows), plural(columns));
            Ok(title + &drawn(&self.head(SHOWN_ROWS).batches, &self.schema, rows))
        })
    }
}

/// A part of a batch that does not name the memory of all of it.
fn fitted_batch(batch: &RecordBatch) -> RecordBatch {
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    let columns = batch.columns().iter().map(fitted).collect();
    RecordBatch::try_new_with_options(batch.schema(), columns, &options).unwrap_or_else(|_| batch.clone())
}

const SHOWN_ROWS: usize = 8;
const SHOWN_CHARS: usize = 40;
const SHOWN_WIDTH: usize = 110;

/// The beginning of a table for people. Columns that do not fit are named after it.
fn drawn(batches: &[RecordBatch], schema: &SchemaRef, rows: usize) -> String {
    let mut lines = vec![String::new(); 1 + batches.iter().map(RecordBatch::num_rows).sum::<usize>()];
    let mut width = 0;
    for (place, field) in schema.fields().iter().enumerate() {
        let mut cells = vec![shortened(field.name())];
        for batch in batches {
            let options = FormatOptions::default().with_null("-").with_display_error(true);
            let Ok(column) = ArrayFormatter::try_new(batch.column(place), &options) else { continue };
            let is_userinfo = field.name().trim_start_matches("field_") == "userinfo";
            let shown = |row| {
                let text = column.value(row).to_string();
                match text.split_once(':') {
                    Some((name, _)) if is_userinfo => shortened(&format!("{name}:***")),
                    _ => shortened(&masked(&text)),
                }
            };
            cells.extend((0..batch.num_rows()).map(shown));
        }
        let own = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
        if width > 0 && width + own > SHOWN_WIDTH {
            let rest = schema.fields()[place..].iter().map(|field| field.name().as_str());
            lines.push(format!("… and the columns {}", rest.collect::<Vec<_>>().join(", ")));
            break;
        }
        for (line, cell) in lines.iter_mut().zip(&cells) {
            // Writing to a string cannot fail.
            let _ = write!(line, "{cell:<own$}  ");
        }
        width += own + 2;
    }
    if rows > SHOWN_ROWS {
        lines.insert(1 + SHOWN_ROWS, format!("… {} more rows", rows - SHOWN_ROWS));
    }
    lines.iter().map(|line| format!("\n{}", line.trim_end())).collect()
}

/// A text without control characters, cut to fit a cell.
fn shortened(text: &str) -> String {
    let escaped = text.chars().flat_map(|c| match c.is_control() {
        true => c.escape_default().collect::<Vec<_>>(),
        false => vec![c],
    });
    let mut shown: String = escaped.take(SHOWN_CHARS + 1).collect();
    if shown.chars().count() > SHOWN_CHARS {
        shown = shown.chars().take(SHOWN_CHARS - 1).chain(['…']).collect();
    }
    shown
}

/// A column of a table, in chunks.
///
/// ``polars.Series(column)``, ``pyarrow.chunked_array(column)`` and ``pandas.Series.from_arrow(column)`` accept it.
///
/// >>> import urimill
/// >>> hosts = urimill.normalize(["http://example.com/", "/a"])["host"]
/// >>> hosts
/// urimill.Column: 'host', 2 rows of Utf8
/// >>> list(hosts)
/// ['example.com', None]
#[pyclass(module = "urimill", frozen)]
pub(crate) struct Column {
    field: FieldRef,
    chunks: Vec<ArrayRef>,
    /// As those of a table.
    pub(crate) labels: Option<Labels>,
}

#[pymethods]
impl Column {
    /// The column's name.
    #[getter]
    fn name(&self) -> &str {
        self.field.name()
    }

    /// The name of the column's Arrow type.
    #[getter]
    fn r#type(&self) -> String {
        self.field.data_type().to_string()
    }

    /// The number of null rows.
    #[getter]
    fn null_count(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.null_count()).sum()
    }

    fn __len__(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum()
    }

    /// The values as Python objects.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        calm(|| {
            let values = PyList::empty(py);
            for chunk in &self.chunks {
                append(&values, chunk, (self.field.name(), values.len()))?;
            }
            Ok(values)
        })
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.to_pylist(py)?.try_iter()?.into_any())
    }

    /// A ``pyarrow.ChunkedArray`` with the same memory.
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("chunked_array", (slf,))
    }

    /// A ``polars.Series``.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.call_method1("Series", (slf.borrow().name(), slf))
    }

    /// A ``pandas.Series``, with the index of the data if that came from pandas; needs pyarrow.
    #[pyo3(signature = (**options))]
    fn to_pandas<'py>(
        slf: &Bound<'py, Self>,
        options: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let series = Self::to_pyarrow(slf)?.call_method("to_pandas", (), options.as_ref())?;
        series.setattr("name", slf.borrow().name())?;
        slf.get().labels.as_ref().map_or(Ok(series.clone()), |labels| labels.put(series))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, self.field.as_ref())?)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        arrays_as(py, self.field.clone(), self.chunks.clone().into_iter().map(Ok), requested_schema)
    }

    fn __repr__(&self) -> String {
        let (name, data_type) = (shortened(self.field.name()), self.field.data_type());
        format!("urimill.Column: '{name}', {} rows of {data_type}", self.__len__())
    }
}
