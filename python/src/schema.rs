//! Names, types and meanings of columns, flags and codes.

use arrow_schema::{FieldRef, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict};
use pyo3_arrow::ffi::to_schema_pycapsule;
use urimill::Code;
use urimill::audit::FLAGS;

use crate::errors::detached;
use crate::frame::{read, written};
use crate::shown::escaped;

/// The columns of a table with their types; ``pyarrow.schema(schema)`` accepts it.
///
/// >>> import urimill
/// >>> urimill.schema(columns="uri,port")
/// urimill.Schema:
///   uri   Utf8
///   port  Int32
#[pyclass(module = "urimill", frozen)]
pub(crate) struct Schema(SchemaRef);

impl Schema {
    pub(crate) fn new(schema: SchemaRef) -> Schema {
        Schema(schema)
    }
}

#[pymethods]
impl Schema {
    /// The names of the columns, in order.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The names of their Arrow types.
    #[getter]
    fn types(&self) -> Vec<String> {
        self.0.fields().iter().map(|field| field.data_type().to_string()).collect()
    }

    fn __len__(&self) -> usize {
        self.0.fields().len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.names().into_pyobject(py)?.try_iter()?.into_any())
    }

    fn __contains__(&self, name: &Bound<'_, PyAny>) -> bool {
        name.extract::<String>().is_ok_and(|name| self.0.column_with_name(&name).is_some())
    }

    fn __copy__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: PyRef<'py, Self>, _memo: Bound<'py, PyAny>) -> PyRef<'py, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = detached(py, || written(&self.0, &[]))?;
        Ok((py.import("urimill._urimill")?.getattr("schema_of")?, (PyBytes::new(py, &bytes),)))
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let row = |field: &FieldRef| {
            let (name, kind) = (escaped(py, field.name())?, escaped(py, &field.data_type().to_string())?);
            let mark = if field.is_nullable() { "" } else { "not null" };
            Ok(format!("<tr><th>{name}</th><td>{kind}</td><td>{mark}</td></tr>\n"))
        };
        let rows = self.0.fields().iter().map(row).collect::<PyResult<String>>()?;
        Ok(format!("<div>urimill.Schema<table>\n<tbody>\n{rows}</tbody>\n</table></div>"))
    }

    fn __eq__(&self, other: &Schema) -> bool {
        self.0 == other.0
    }

    /// A ``pyarrow.Schema``.
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("schema", (slf,))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, self.0.as_ref())?)
    }

    fn __repr__(&self) -> String {
        let fields = self.0.fields();
        let width = fields.iter().map(|field| field.name().chars().count()).max().unwrap_or(0);
        let lines = fields.iter().map(|field| {
            let mark = if field.is_nullable() { "" } else { " not null" };
            format!("\n  {:<width$}  {}{mark}", field.name(), field.data_type())
        });
        std::iter::once("urimill.Schema:".to_owned()).chain(lines).collect()
    }
}

/// A schema that was pickled.
#[pyfunction]
pub(crate) fn schema_of(py: Python<'_>, data: &[u8]) -> PyResult<Schema> {
    Ok(Schema(detached(py, || read(data))?.0))
}

/// Every column that ``normalize`` can make: its name and its meaning.
#[pyfunction]
pub(crate) fn columns(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    dict(py, urimill::batch::Column::ALL.map(|column| (column.as_str(), column.meaning())))
}

/// The bits of the column ``flags``: their names and numbers.
#[pyfunction]
pub(crate) fn flags(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    dict(py, FLAGS.iter().map(|flag| (flag.name, flag.bit)))
}

/// The codes of the column ``error``, and what they mean.
#[pyfunction]
pub(crate) fn codes(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    dict(py, Code::ALL.map(|code| (code.as_str(), code.sentence())))
}

fn dict<'py, T: IntoPyObject<'py>>(
    py: Python<'py>,
    pairs: impl IntoIterator<Item = (&'static str, T)>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in pairs {
        dict.set_item(name, value)?;
    }
    Ok(dict)
}
