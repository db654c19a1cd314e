//! Columns of Polars that have no form that is read here: those of a type that Arrow does not have, and those without a
//! type. They are kept apart, so that a call that does not need them never meets them.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, NullArray};
use pyo3::prelude::*;

/// Types of Polars that Arrow does not have, or whose values no other program can read.
const NOT_IN_ARROW: &[&str] = &["Int128", "UInt128", "Object"];

/// A Series or a DataFrame with such columns.
pub(crate) struct Apart<'py> {
    /// The data without them; `None` if it has no others.
    pub(crate) rest: Option<Bound<'py, PyAny>>,
    pub(crate) is_frame: bool,
    pub(crate) rows: usize,
    /// By column its position and its name; and its type, unless all its values are nulls.
    pub(crate) columns: Vec<(usize, String, Option<String>)>,
}

impl<'py> Apart<'py> {
    /// `None` for data without such columns.
    pub(crate) fn of(data: &Bound<'py, PyAny>) -> PyResult<Option<Self>> {
        let class = data.get_type();
        if !class.module()?.to_str()?.starts_with("polars.") {
            return Ok(None);
        }
        let name = class.name()?;
        let is_frame = match name.to_str()? {
            "DataFrame" => true,
            "Series" => false,
            _ => return Ok(None),
        };
        let (names, types): (Vec<String>, Vec<Bound<'py, PyAny>>) = match is_frame {
            true => (data.getattr("columns")?.extract()?, data.getattr("dtypes")?.extract()?),
            false => (vec![data.getattr("name")?.extract()?], vec![data.getattr("dtype")?]),
        };
        let mut columns = Vec::new();
        for (place, (name, data_type)) in names.iter().zip(&types).enumerate() {
            let is_null = class_name(data_type)? == "Null";
            if is_null || is_foreign(data_type)? {
                columns.push((place, name.clone(), (!is_null).then(|| data_type.to_string())));
            }
        }
        if columns.is_empty() {
            return Ok(None);
        }
        let dropped: Vec<&str> = columns.iter().map(|column| column.1.as_str()).collect();
        let has_rest = dropped.len() < names.len();
        let rest = has_rest.then(|| data.call_method1("drop", (dropped,))).transpose()?;
        Ok(Some(Apart { rest, is_frame, rows: data.len()?, columns }))
    }
}

/// Columns of nulls at the places of those that are kept apart. A chunk without columns has all `rows`.
pub(crate) fn with_nulls(mut columns: Vec<ArrayRef>, places: &[usize], rows: usize) -> Vec<ArrayRef> {
    let rows = columns.first().map_or(rows, |column| column.len());
    for &place in places {
        columns.insert(place, Arc::new(NullArray::new(rows)));
    }
    columns
}

/// Whether values of a type, or values in them, cannot be read.
fn is_foreign(data_type: &Bound<'_, PyAny>) -> PyResult<bool> {
    let name = class_name(data_type)?;
    if name == "Null" || NOT_IN_ARROW.contains(&name.as_str()) {
        return Ok(true);
    }
    match name.as_str() {
        "List" | "Array" => is_foreign(&data_type.getattr("inner")?),
        "Struct" => {
            let mut is_any = false;
            for field in data_type.getattr("fields")?.try_iter()? {
                is_any |= is_foreign(&field?.getattr("dtype")?)?;
            }
            Ok(is_any)
        }
        _ => Ok(false),
    }
}

/// The name of a type, which is a class or an object of it.
fn class_name(data_type: &Bound<'_, PyAny>) -> PyResult<String> {
    data_type.call_method0("base_type")?.getattr("__name__")?.extract()
}
