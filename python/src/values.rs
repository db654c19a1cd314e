//! Arrow and JSON values as Python objects.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, FieldRef};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use pyo3_arrow::PyScalar;
use serde_json::Value;

use crate::answers::value;

/// Appends the values of an array to a list.
pub(crate) fn append(list: &Bound<'_, PyList>, array: &ArrayRef, field: &FieldRef) -> PyResult<()> {
    let py = list.py();
    for row in 0..array.len() {
        match array.data_type() {
            _ if array.is_null(row) => list.append(py.None())?,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                let text = value(array, row).unwrap_or_default();
                list.append(String::from_utf8_lossy(text))?;
            }
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView => {
                list.append(PyBytes::new(py, value(array, row).unwrap_or_default()))?;
            }
            DataType::Int32 => list.append(array.as_primitive::<Int32Type>().value(row))?,
            DataType::Int64 => list.append(array.as_primitive::<Int64Type>().value(row))?,
            DataType::Boolean => list.append(array.as_boolean().value(row))?,
            DataType::List(element) => {
                let inner = PyList::empty(py);
                append(&inner, &array.as_list::<i32>().value(row), element)?;
                list.append(inner)?;
            }
            DataType::Struct(fields) => {
                let dict = PyDict::new(py);
                for (field, column) in fields.iter().zip(array.as_struct().columns()) {
                    let one = PyList::empty(py);
                    append(&one, &column.slice(row, 1), field)?;
                    dict.set_item(field.name(), one.get_item(0)?)?;
                }
                list.append(dict)?;
            }
            // Columns that pass through may be of any type.
            _ => {
                let scalar = PyScalar::try_new(array.slice(row, 1), field.clone())?;
                list.append(scalar.into_pyobject(py)?.call_method0("as_py")?)?;
            }
        }
    }
    Ok(())
}

/// JSON as dicts, lists, str, numbers and None.
pub(crate) fn json<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(is) => is.into_pyobject(py)?.to_owned().into_any(),
        Value::Number(number) => match number.as_i64() {
            Some(number) => number.into_pyobject(py)?.into_any(),
            None => number.as_f64().into_pyobject(py)?,
        },
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Array(values) => {
            let list = PyList::empty(py);
            values.iter().try_for_each(|value| list.append(json(py, value)?))?;
            list.into_any()
        }
        Value::Object(members) => {
            let dict = PyDict::new(py);
            members.iter().try_for_each(|(name, value)| dict.set_item(name, json(py, value)?))?;
            dict.into_any()
        }
    })
}
