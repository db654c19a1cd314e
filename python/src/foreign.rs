//! Columns of Polars that have no form that is read here: those of a type that Arrow does not have, and those without a
//! type. They are kept apart, so that a call that does not need them never meets them.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, NullArray};
use arrow_schema::{DataType, Field};
use pyo3::prelude::*;

use crate::input::{Free, Input};

/// Types of Polars that Arrow does not have, or whose values no other program can read.
const NOT_IN_ARROW: &[&str] = &["Int128", "UInt128", "Object"];

/// A Series or a DataFrame with such columns; `None` for any other data.
pub(crate) fn read(data: &Bound<'_, PyAny>) -> PyResult<Option<Input>> {
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
    let (names, types) = match is_frame {
        true => (data.getattr("columns")?.extract::<Vec<String>>()?, data.getattr("dtypes")?.extract()?),
        false => (vec![data.getattr("name")?.extract()?], vec![data.getattr("dtype")?]),
    };
    let mut missing = Vec::new();
    for (place, data_type) in types.iter().enumerate() {
        let is_null = class_name(data_type)? == "Null";
        if is_null || is_foreign(data_type)? {
            missing.push((place, (!is_null).then(|| data_type.to_string())));
        }
    }
    if missing.is_empty() {
        return Ok(None);
    }
    let rows = data.len()?;
    let dropped: Vec<&String> = missing.iter().map(|&(place, _)| &names[place]).collect();
    let mut input = match names.len() == dropped.len() {
        true => Input::without_columns(rows, is_frame),
        false => Input::of_arrow(&data.call_method1("drop", (dropped,))?, false)?,
    };
    for (place, _) in &missing {
        input.fields.insert(*place, Arc::new(Field::new(&names[*place], DataType::Null, true)));
    }
    let places: Vec<usize> = missing.iter().map(|&(place, _)| place).collect();
    input.chunks = Box::new(Free(input.chunks.map(move |chunk| Ok(with_nulls(chunk?, &places, rows)))));
    input.refused = missing.into_iter().filter_map(|(place, kind)| Some((place, kind?))).collect();
    Ok(Some(input))
}

/// Columns of nulls at the places of those that are kept apart. A chunk without columns has all `rows`.
fn with_nulls(mut columns: Vec<ArrayRef>, places: &[usize], rows: usize) -> Vec<ArrayRef> {
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
