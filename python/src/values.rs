//! Arrow and JSON values as Python objects.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, DurationNanosecondType, Int16Type, Int32Type, Int64Type, IntervalDayTimeType,
    IntervalMonthDayNanoType, IntervalYearMonthType, RunEndIndexType, Time64NanosecondType,
    TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, UnionArray};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use pyo3::exceptions::{PyException, PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use pyo3_arrow::PyScalar;
use serde_json::Value;

/// The text of a row in a column that `input::plain` made.
pub(crate) fn value(column: &dyn Array, row: usize) -> Option<&[u8]> {
    if column.is_null(row) {
        return None;
    }
    Some(match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).as_bytes(),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).as_bytes(),
        DataType::Utf8View => column.as_string_view().value(row).as_bytes(),
        DataType::Binary => column.as_binary::<i32>().value(row),
        DataType::LargeBinary => column.as_binary::<i64>().value(row),
        _ => column.as_binary_view().value(row),
    })
}

/// Appends the values of an array to a list. In messages it is the part of a column from row `first` on.
pub(crate) fn append(
    list: &Bound<'_, PyList>,
    array: &ArrayRef,
    (column, first): (&str, usize),
) -> PyResult<()> {
    let py = list.py();
    for row in 0..array.len() {
        let is_of_value = |error: &PyErr| {
            error.is_instance_of::<PyException>(py) && !error.is_instance_of::<PyMemoryError>(py)
        };
        let value = object(py, array, row).map_err(|error| match is_of_value(&error) {
            true => PyValueError::new_err(format!(
                "row {} of the column {column:?} has no value in Python, {}: to_pyarrow() has the column as it is",
                first + row,
                error.value(py)
            )),
            false => error,
        })?;
        list.append(value)?;
    }
    Ok(())
}

/// A value as an object.
fn object<'py>(py: Python<'py>, array: &ArrayRef, row: usize) -> PyResult<Bound<'py, PyAny>> {
    let list = |values: ArrayRef| -> PyResult<Bound<'py, PyAny>> {
        let all = (0..values.len()).map(|row| object(py, &values, row)).collect::<PyResult<Vec<_>>>()?;
        Ok(PyList::new(py, all)?.into_any())
    };
    if array.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    Ok(match array.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            String::from_utf8_lossy(value(array, row).unwrap_or_default()).into_pyobject(py)?.into_any()
        }
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => {
            PyBytes::new(py, value(array, row).unwrap_or_default()).into_any()
        }
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).into_pyobject(py)?.into_any(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).into_pyobject(py)?.into_any(),
        DataType::Boolean => array.as_boolean().value(row).into_pyobject(py)?.to_owned().into_any(),
        DataType::List(_) => list(array.as_list::<i32>().value(row))?,
        DataType::LargeList(_) => list(array.as_list::<i64>().value(row))?,
        DataType::ListView(_) => list(array.as_list_view::<i32>().value(row))?,
        DataType::LargeListView(_) => list(array.as_list_view::<i64>().value(row))?,
        DataType::FixedSizeList(..) => list(array.as_fixed_size_list().value(row))?,
        DataType::Struct(fields) => {
            let dict = PyDict::new(py);
            for (field, column) in fields.iter().zip(array.as_struct().columns()) {
                dict.set_item(field.name(), object(py, column, row)?)?;
            }
            dict.into_any()
        }
        DataType::Map(..) => {
            let entries = array.as_map().value(row);
            let pair = |row| -> PyResult<_> {
                let [key, value] = [0, 1].map(|column| object(py, entries.column(column), row));
                PyTuple::new(py, [key?, value?])
            };
            let pairs = (0..entries.len()).map(pair).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, pairs)?.into_any()
        }
        DataType::Dictionary(..) => {
            let one = array.slice(row, 1);
            let dictionary = one.as_any_dictionary();
            object(py, dictionary.values(), dictionary.normalized_keys()[0])?
        }
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => of_run::<Int16Type>(py, array, row)?,
            DataType::Int32 => of_run::<Int32Type>(py, array, row)?,
            _ => of_run::<Int64Type>(py, array, row)?,
        },
        DataType::Union(..) => match array.as_any().downcast_ref::<UnionArray>() {
            Some(union) => object(py, &union.value(row), 0)?,
            None => scalar(py, array, row)?,
        },
        DataType::Interval(unit) => interval(py, array, row, *unit)?,
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            whole_microseconds::<TimestampNanosecondType>(array, row)?;
            scalar(py, array, row)?
        }
        DataType::Time64(TimeUnit::Nanosecond) => {
            whole_microseconds::<Time64NanosecondType>(array, row)?;
            scalar(py, array, row)?
        }
        DataType::Duration(TimeUnit::Nanosecond) => {
            whole_microseconds::<DurationNanosecondType>(array, row)?;
            scalar(py, array, row)?
        }
        // Columns that pass through may be of any type.
        _ => scalar(py, array, row)?,
    })
}

/// A value of a type without values inside.
fn scalar<'py>(py: Python<'py>, array: &ArrayRef, row: usize) -> PyResult<Bound<'py, PyAny>> {
    let scalar = PyScalar::try_from_array_ref(array.slice(row, 1))?;
    let value = scalar.into_pyobject(py)?.call_method0("as_py")?;
    match value.is_none() && *array.data_type() != DataType::Null {
        true => Err(PyValueError::new_err("it is outside the range of its class")),
        false => Ok(value),
    }
}

fn of_run<'py, R: RunEndIndexType>(
    py: Python<'py>,
    array: &ArrayRef,
    row: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let runs = array.as_run::<R>();
    object(py, runs.values(), runs.get_physical_index(row))
}

/// Refuses a time whose class would cut it.
fn whole_microseconds<T: ArrowPrimitiveType<Native = i64>>(array: &ArrayRef, row: usize) -> PyResult<()> {
    match array.as_primitive::<T>().value(row) % 1000 {
        0 => Ok(()),
        _ => Err(PyValueError::new_err("it has nanoseconds")),
    }
}

/// An interval as months, days and nanoseconds.
fn interval<'py>(
    py: Python<'py>,
    array: &ArrayRef,
    row: usize,
    unit: IntervalUnit,
) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class = CLASS.get_or_try_init(py, || -> PyResult<_> {
        Ok(py.import("urimill._types")?.getattr("MonthDayNano")?.unbind())
    })?;
    let parts = match unit {
        IntervalUnit::YearMonth => (array.as_primitive::<IntervalYearMonthType>().value(row), 0, 0),
        IntervalUnit::DayTime => {
            let value = array.as_primitive::<IntervalDayTimeType>().value(row);
            (0, value.days, i64::from(value.milliseconds) * 1_000_000)
        }
        IntervalUnit::MonthDayNano => {
            let value = array.as_primitive::<IntervalMonthDayNanoType>().value(row);
            (value.months, value.days, value.nanoseconds)
        }
    };
    class.bind(py).call1(parts)
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
