//! A column of a table. It implements the Arrow PyCapsule protocol.

use arrow_array::{Array, ArrayRef};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PySlice, PyTuple};
use pyo3_arrow::ffi::to_schema_pycapsule;

use crate::errors::calm;
use crate::export::arrays_as;
use crate::frame::{Frame, Index, Pickled};
use crate::shown::{SHOWN_ROWS, shortened, table_html};
use crate::values::append;

/// A column of a table: one value for each row, in chunks.
///
/// ``polars.Series(column)``, ``pyarrow.chunked_array(column)`` and ``pandas.Series.from_arrow(column)`` accept it.
/// ``column[0]`` is a value, ``column[2:5]`` a column of three rows; ``numpy.asarray(column)`` has as many elements as
/// the column has rows, with the types that pyarrow chooses: objects for texts.
///
/// >>> import urimill
/// >>> hosts = urimill.normalize(["http://example.com/", "/a"])["host"]
/// >>> hosts
/// urimill.Column: 'host', 2 rows of Utf8
/// >>> list(hosts), hosts[0], hosts[-1]
/// (['example.com', None], 'example.com', None)
/// >>> "example.com" in hosts, len(hosts[1:])
/// (True, 1)
#[pyclass(module = "urimill", frozen)]
pub(crate) struct Column {
    /// A frame with one column.
    pub(crate) frame: Frame,
}

impl Column {
    pub(crate) fn chunks(&self) -> impl Iterator<Item = &ArrayRef> {
        self.frame.batches.iter().map(|batch| batch.column(0))
    }

    /// The values of some of the chunks, before which there are `first` rows.
    pub(crate) fn values<'py>(
        &self,
        py: Python<'py>,
        chunks: &[ArrayRef],
        first: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let values = PyList::empty(py);
        for chunk in chunks {
            append(&values, chunk, (self.name(), first + values.len()))?;
        }
        Ok(values)
    }
}

#[pymethods]
impl Column {
    /// The column's name.
    #[getter]
    pub(crate) fn name(&self) -> &str {
        self.frame.schema.field(0).name()
    }

    /// The name of the column's Arrow type.
    #[getter]
    fn r#type(&self) -> String {
        self.frame.schema.field(0).data_type().to_string()
    }

    /// The number of null rows.
    #[getter]
    fn null_count(&self) -> usize {
        self.chunks().map(|chunk| chunk.null_count()).sum()
    }

    fn __len__(&self) -> usize {
        self.frame.rows()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(slice) = key.cast::<PySlice>() {
            let column = Column { frame: self.frame.sliced(slice)? };
            return Ok(column.into_pyobject(py)?.into_any());
        }
        let (asked, rows) = (key.extract::<isize>()?, self.frame.rows() as isize);
        let row = if asked < 0 { asked + rows } else { asked };
        if !(0..rows).contains(&row) {
            return Err(PyIndexError::new_err(format!("there is no row {asked}: the column has {rows}")));
        }
        calm(|| {
            let one: Vec<_> = self.frame.slice(row as usize, 1).batches;
            self.values(py, &[one[0].column(0).clone()], row as usize)?.get_item(0)
        })
    }

    /// The values as Python objects: a list with one for each row, ``None`` for a null.
    pub(crate) fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        calm(|| self.values(py, &self.chunks().cloned().collect::<Vec<_>>(), 0))
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
        slf.py().import("polars")?.call_method1("Series", (slf.get().name(), slf))
    }

    /// A ``pandas.Series``, with the index of the data if that came from pandas; needs pyarrow.
    #[pyo3(signature = (**options))]
    fn to_pandas<'py>(
        slf: &Bound<'py, Self>,
        options: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let series = Self::to_pyarrow(slf)?.call_method("to_pandas", (), options.as_ref())?;
        series.setattr("name", slf.get().name())?;
        slf.get().frame.labels.as_ref().map_or(Ok(series.clone()), |labels| labels.put(series))
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
        Ok(to_schema_pycapsule(py, self.frame.schema.field(0))?)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let chunks: Vec<_> = self.chunks().cloned().map(Ok).collect();
        arrays_as(py, self.frame.schema.fields()[0].clone(), chunks.into_iter(), requested_schema)
    }

    fn __copy__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: PyRef<'py, Self>, _memo: Bound<'py, PyAny>) -> PyRef<'py, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        Ok((py.import("urimill._urimill")?.getattr("column_of")?, self.frame.pickled(py)?))
    }

    fn __repr__(&self) -> String {
        let (name, data_type) = (shortened(self.name()), self.frame.schema.field(0).data_type());
        format!("urimill.Column: '{name}', {} rows of {data_type}", self.__len__())
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        calm(|| {
            let head = self.frame.slice(0, SHOWN_ROWS);
            table_html(py, (&self.__repr__(), &head.batches, self.__len__()), &head.schema)
        })
    }
}

/// A column that was pickled.
#[pyfunction]
pub(crate) fn column_of(py: Python<'_>, data: &[u8], labels: Option<Index<'_>>) -> PyResult<Column> {
    calm(|| Ok(Column { frame: Frame::unpickled(py, data, labels)? }))
}
