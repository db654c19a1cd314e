//! Inputs: objects with the Arrow PyCapsule protocol, or iterables of texts. First on the data's way; everything after
//! it sees chunks of columns.

use std::sync::Arc;

use arrow_array::builder::LargeBinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Field, FieldRef};
use pyo3::exceptions::{PyImportError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyFloat, PyString};
use pyo3_arrow::input::AnyArray;

use crate::errors::{Fault, Result};

/// Columns in chunks.
pub(crate) struct Input {
    /// The fields of a table's columns, or the only field of an array.
    pub(crate) fields: Vec<FieldRef>,
    pub(crate) is_table: bool,
    /// Whether the input can be read only once, and may be endless.
    pub(crate) is_stream: bool,
    chunks: Box<dyn Iterator<Item = Result<ArrayRef, ArrowError>> + Send>,
}

impl Input {
    /// Reads any supported `data`; `name` is that of the argument.
    pub(crate) fn new(data: &Bound<'_, PyAny>, name: &str) -> PyResult<Input> {
        let has = |attribute| data.hasattr(attribute);
        let has_array = has("__arrow_c_array__")?;
        if has_array || has("__arrow_c_stream__")? {
            match data.extract::<AnyArray>() {
                Ok(any) => return Input::of_arrow(any, !has_array && !has("__len__")?),
                // A Series of pandas has the protocol only if pyarrow is installed; otherwise it is read as a sequence.
                Err(error) if error.is_instance_of::<PyImportError>(data.py()) && !has("columns")? => {}
                Err(error) => return Err(error),
            }
        }
        Input::of_values(data, name)
    }

    fn of_arrow(any: AnyArray, is_stream: bool) -> PyResult<Input> {
        let reader = any.into_reader()?;
        let field = reader.field();
        let chunks: Box<dyn Iterator<Item = _> + Send> = Box::new(reader);
        Ok(match field.data_type() {
            DataType::Struct(fields) => {
                Input { fields: fields.iter().cloned().collect(), is_table: true, is_stream, chunks }
            }
            _ => Input { fields: vec![field], is_table: false, is_stream, chunks },
        })
    }

    fn of_values(data: &Bound<'_, PyAny>, name: &str) -> PyResult<Input> {
        let is_text = data.is_instance_of::<PyString>() || data.is_instance_of::<PyBytes>();
        // Iterating over a table of a package without the protocol would give the names of its columns.
        if is_text || data.is_instance_of::<PyDict>() || data.hasattr("columns")? {
            return Err(no_column(data, name));
        }
        let values = data.try_iter().map_err(|_| no_column(data, name))?;
        let mut texts = LargeBinaryBuilder::new();
        for (row, value) in values.enumerate() {
            append(&mut texts, &value?, row, name)?;
        }
        let chunk: ArrayRef = Arc::new(texts.finish());
        let field = Arc::new(Field::new("", chunk.data_type().clone(), true));
        let chunks = Box::new(std::iter::once(Ok(chunk)));
        Ok(Input { fields: vec![field], is_table: false, is_stream: false, chunks })
    }

    /// The names of the columns, for messages.
    pub(crate) fn names(&self) -> String {
        self.fields.iter().map(|field| field.name().as_str()).collect::<Vec<_>>().join(", ")
    }

    /// The position of the column that holds URIs, or of the texts that `what` names.
    pub(crate) fn find(&self, column: Option<&str>, what: &str) -> PyResult<usize> {
        match column {
            Some(name) => self.position(name).ok_or_else(|| match self.is_table {
                true => PyValueError::new_err(format!(
                    "there is no column {name:?} for {what}: choose from {}",
                    self.names()
                )),
                false => PyValueError::new_err(format!(
                    "{what}={name:?} names a column, and the data is one column without others"
                )),
            }),
            None if self.fields.len() == 1 => Ok(0),
            None if self.fields.is_empty() => Err(PyValueError::new_err("the table has no columns")),
            None => Err(PyValueError::new_err(format!(
                "the table has several columns: say which one holds the texts by {what}, one of {}",
                self.names()
            ))),
        }
    }

    /// The position of the column with this name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name() == name).filter(|_| self.is_table)
    }

    /// Refuses a column that does not hold texts.
    pub(crate) fn check_texts(&self, place: usize) -> PyResult<()> {
        let field = &self.fields[place];
        if holds_texts(field.data_type()) {
            return Ok(());
        }
        Err(PyTypeError::new_err(format!(
            "texts cannot be read from the column {:?} of type {}: give strings or bytes (Utf8, LargeUtf8, Utf8View, \
             Binary, LargeBinary, BinaryView, or dictionaries of these)",
            field.name(),
            field.data_type()
        )))
    }

    /// The columns of the next chunk.
    pub(crate) fn next(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        let Some(chunk) = self.chunks.next().transpose()? else { return Ok(None) };
        if !self.is_table {
            return Ok(Some(vec![chunk]));
        }
        let chunk = chunk.as_struct();
        if chunk.null_count() > 0 {
            let sentence = "a row of the table is null as a whole, which no table has: give its columns";
            return Err(Fault::Type(sentence.to_owned()));
        }
        Ok(Some(chunk.columns().to_vec()))
    }
}

fn holds_texts(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => holds_texts(values),
        DataType::RunEndEncoded(_, values) => holds_texts(values.data_type()),
        other => is_plain(other) || *other == DataType::Null,
    }
}

fn is_plain(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
    )
}

/// A column of texts in one of the types that the library reads.
pub(crate) fn plain(column: &ArrayRef) -> Result<ArrayRef> {
    let to = match column.data_type() {
        plain if is_plain(plain) => return Ok(column.clone()),
        DataType::Dictionary(_, values) => values.as_ref().clone(),
        DataType::RunEndEncoded(_, values) => values.data_type().clone(),
        _ => DataType::Utf8,
    };
    plain(&cast(column, &to)?)
}

fn no_column(data: &Bound<'_, PyAny>, name: &str) -> PyErr {
    let kind = data.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
    let hint = if kind == "str" || kind == "bytes" { "; for one URI there is urimill.URI" } else { "" };
    PyTypeError::new_err(format!(
        "{name} is a {kind}: give a column or table of pyarrow, Polars, pandas, DuckDB or whatever speaks the Arrow \
         PyCapsule protocol, or a list of str, bytes and None{hint}"
    ))
}

fn append(texts: &mut LargeBinaryBuilder, value: &Bound<'_, PyAny>, row: usize, name: &str) -> PyResult<()> {
    if let Ok(text) = value.cast::<PyString>() {
        match text.to_str() {
            Ok(text) => texts.append_value(text),
            // A lone surrogate becomes bytes that are not UTF-8, so that the row has an error code.
            Err(_) => {
                let bytes = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
                texts.append_value(bytes.cast::<PyBytes>()?.as_bytes());
            }
        }
    } else if let Ok(bytes) = value.cast::<PyBytes>() {
        texts.append_value(bytes.as_bytes());
    } else if let Ok(bytes) = value.cast::<PyByteArray>() {
        texts.append_value(bytes.to_vec());
    } else if is_missing(value)? {
        texts.append_null();
    } else {
        let kind = value.get_type().name()?;
        return Err(PyTypeError::new_err(format!("{name}[{row}] is a {kind}: expected str, bytes or None")));
    }
    Ok(())
}

/// Whether a value is None, or what pandas uses for it.
fn is_missing(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_nan = value.cast::<PyFloat>().is_ok_and(|number| number.value().is_nan());
    Ok(value.is_none() || is_nan || value.get_type().name()? == "NAType")
}
