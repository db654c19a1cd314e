//! Names, types and meanings of columns, flags and codes.

use arrow_schema::SchemaRef;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use pyo3_arrow::ffi::to_schema_pycapsule;
use urimill::Code;
use urimill::audit::FLAGS;

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
