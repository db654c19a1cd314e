//! Results in memory: a table. It implements the Arrow PyCapsule protocol, so that no other package is needed to make or
//! to read it.

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::SchemaRef;
use pyo3::exceptions::{PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyCapsule, PyDict, PyList, PyRange, PySlice, PyTuple};
use pyo3_arrow::ffi::to_schema_pycapsule;

use crate::column::Column;
use crate::errors::calm;
use crate::export::batches;
use crate::frame::{Frame, Index, Pickled};
use crate::labels::Labels;
use crate::schema::Schema;
use crate::shown::{SHOWN_ROWS, drawn, table_html};

/// A table in memory, in record batches: a row for each row of the data, and a column for each name.
///
/// Any reader of Arrow data accepts it: ``pyarrow.table(table)``, ``polars.DataFrame(table)``,
/// ``duckdb.sql("SELECT host FROM table")``. ``numpy.asarray(table)`` has the shape ``table.shape``. It is immutable, and
/// can be pickled.
///
/// >>> import urimill
/// >>> table = urimill.normalize(["HTTP://example.com:80/%7Ea", None, "/a b"], columns="uri,host,error")
/// >>> len(table), table.column_names
/// (3, ['uri', 'host', 'error'])
/// >>> table["uri"].to_pylist()
/// ['http://example.com/~a', None, '/a b']
/// >>> table.shape, "host" in table, [row["host"] for row in table]
/// ((3, 3), True, ['example.com', None, None])
/// >>> table[1:].to_pylist()
/// [{'uri': None, 'host': None, 'error': None}, {'uri': '/a b', 'host': None, 'error': 'path_invalid_char'}]
/// >>> table
/// urimill.Table: 3 rows, 3 columns
/// uri                    host         error
/// http://example.com/~a  example.com  -
/// -                      -            -
/// /a b                   -            path_invalid_char
#[pyclass(module = "urimill", frozen)]
pub(crate) struct Table {
    pub(crate) frame: Frame,
}

impl Table {
    pub(crate) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Table {
        Table { frame: Frame { schema, batches, labels: None } }
    }

    /// The table with the index of its rows.
    pub(crate) fn labelled(self, labels: Option<Labels>) -> Table {
        Table { frame: Frame { labels, ..self.frame } }
    }

    fn rows(&self) -> usize {
        self.frame.rows()
    }

    fn at(&self, place: usize) -> Column {
        Column { frame: self.frame.column(place) }
    }

    fn title(&self) -> String {
        let (rows, columns) = self.shape();
        let plural = |n: usize| if n == 1 { "" } else { "s" };
        format!("urimill.Table: {rows} row{}, {columns} column{}", plural(rows), plural(columns))
    }

    /// The rows of a batch as dicts.
    fn dicts<'py>(&self, py: Python<'py>, batch: usize) -> PyResult<Bound<'py, PyList>> {
        let first = self.frame.batches[..batch].iter().map(RecordBatch::num_rows).sum();
        let rows = PyList::empty(py);
        for _ in 0..self.frame.batches[batch].num_rows() {
            rows.append(PyDict::new(py))?;
        }
        for (place, field) in self.frame.schema.fields().iter().enumerate() {
            let chunk: ArrayRef = self.frame.batches[batch].column(place).clone();
            for (row, value) in rows.iter().zip(self.at(place).values(py, &[chunk], first)?) {
                row.cast::<PyDict>()?.set_item(field.name(), value)?;
            }
        }
        Ok(rows)
    }
}

#[pymethods]
impl Table {
    /// The columns with their types.
    #[getter]
    fn schema(&self) -> Schema {
        Schema::new(self.frame.schema.clone())
    }

    /// The names of the columns, in order.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.frame.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The names of the columns, as ``column_names``.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.column_names()
    }

    /// The number of rows and the number of columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.rows(), self.frame.schema.fields().len())
    }

    /// The number of columns.
    #[getter]
    fn num_columns(&self) -> usize {
        self.frame.schema.fields().len()
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
            let count = self.frame.schema.fields().len() as isize;
            let from_start = if place < 0 { place + count } else { place };
            if !(0..count).contains(&from_start) {
                return Err(PyIndexError::new_err(format!(
                    "there is no column {place}: the table has {count}"
                )));
            }
            return Ok(self.at(from_start as usize));
        }
        let name: String = name.extract()?;
        match self.frame.schema.column_with_name(&name) {
            Some((place, _)) => Ok(self.at(place)),
            None => {
                let names = self.column_names().join(", ");
                Err(PyKeyError::new_err(format!("there is no column {name:?}: the columns are {names}")))
            }
        }
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match key.cast::<PySlice>() {
            Ok(slice) => Table { frame: self.frame.sliced(slice)? }.into_pyobject(py)?.into_any(),
            Err(_) => self.column(key)?.into_pyobject(py)?.into_any(),
        })
    }

    fn __contains__(&self, name: &Bound<'_, PyAny>) -> bool {
        let Ok(name) = name.extract::<String>() else { return false };
        self.frame.schema.column_with_name(&name).is_some()
    }

    /// Rows as dicts, made for one batch after the other.
    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, table) = (slf.py(), Table { frame: slf.get().frame.clone() });
        let count = table.frame.batches.len() as isize;
        let dicts = PyCFunction::new_closure(py, None, None, move |arguments, _| {
            let batch = arguments.get_item(0)?.extract()?;
            calm(|| Ok(table.dicts(arguments.py(), batch)?.unbind()))
        })?;
        let lists = py.import("builtins")?.getattr("map")?.call1((dicts, PyRange::new(py, 0, count)?))?;
        py.import("itertools")?.getattr("chain")?.call_method1("from_iterable", (lists,))
    }

    /// ``length`` rows from ``offset`` on, without copying; all of them if there is no ``length``. ``table[2:5]`` is the
    /// same.
    #[pyo3(signature = (offset, length=None))]
    fn slice(&self, offset: usize, length: Option<usize>) -> Table {
        Table { frame: self.frame.slice(offset, length.unwrap_or(usize::MAX)) }
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
        slf.get().frame.labels.as_ref().map_or(Ok(frame.clone()), |labels| labels.put(frame))
    }

    /// A dict of lists, by column: each has a value for each row, ``None`` for a null.
    fn to_pydict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        calm(|| {
            let columns = PyDict::new(py);
            for (place, field) in self.frame.schema.fields().iter().enumerate() {
                columns.set_item(field.name(), self.at(place).to_pylist(py)?)?;
            }
            Ok(columns)
        })
    }

    /// A list of dicts, by row.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        calm(|| {
            let rows = PyList::empty(py);
            for batch in 0..self.frame.batches.len() {
                rows.call_method1("extend", (self.dicts(py, batch)?,))?;
            }
            Ok(rows)
        })
    }

    #[pyo3(signature = (*arguments, **keywords))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        arguments: &Bound<'py, PyTuple>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::to_pyarrow(slf)?.call_method("__array__", arguments.clone(), keywords)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, self.frame.schema.as_ref())?)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let own = self.frame.batches.clone();
        batches(py, &self.frame.schema, own.into_iter().map(Ok), requested_schema)
    }

    fn __copy__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: PyRef<'py, Self>, _memo: Bound<'py, PyAny>) -> PyRef<'py, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        Ok((py.import("urimill._urimill")?.getattr("table_of")?, self.frame.pickled(py)?))
    }

    fn __repr__(&self) -> PyResult<String> {
        calm(|| {
            let head = self.frame.slice(0, SHOWN_ROWS);
            Ok(self.title() + &drawn(&head.batches, &head.schema, self.rows()))
        })
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        calm(|| {
            let head = self.frame.slice(0, SHOWN_ROWS);
            table_html(py, (&self.title(), &head.batches, self.rows()), &head.schema)
        })
    }
}

/// A table that was pickled.
#[pyfunction]
pub(crate) fn table_of(py: Python<'_>, data: &[u8], labels: Option<Index<'_>>) -> PyResult<Table> {
    calm(|| Ok(Table { frame: Frame::unpickled(py, data, labels)? }))
}
