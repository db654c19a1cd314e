//! Lists and iterators of texts, and files as their lines. All values are read at once for a table, and a batch at a
//! time for a stream, which may be endless.

use std::sync::Arc;

use arrow_array::{ArrayRef, LargeBinaryArray};
use arrow_buffer::{BooleanBufferBuilder, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyFloat, PyIterator, PyString};
use urimill::batch::BATCH_ROWS;

use crate::errors::{Fault, Result};
use crate::source::{Chunks, Free, Source};

/// The number of values after which other threads may go on and Ctrl-C counts: an iterator may run no code of Python.
const LOOK: usize = 1024;

/// The texts of an iterator.
pub(crate) struct Texts {
    iterator: Option<Py<PyIterator>>,
    /// The name of the argument, for messages.
    name: String,
    /// The number of values read.
    row: usize,
    /// Whether each is a line, with the line end.
    are_lines: bool,
}

impl Texts {
    pub(crate) fn of(values: Bound<'_, PyIterator>, name: &str, are_lines: bool) -> Texts {
        Texts { iterator: Some(values.unbind()), name: name.to_owned(), row: 0, are_lines }
    }

    /// All that are left, at most `most`; `None` if there are none.
    pub(crate) fn read(&mut self, py: Python<'_>, most: usize) -> PyResult<Option<ArrayRef>> {
        let Some(iterator) = &self.iterator else { return Ok(None) };
        let mut values = iterator.bind(py).clone();
        let mut column = Column::default();
        while column.rows() < most {
            let Some(value) = values.next() else {
                self.iterator = None;
                break;
            };
            self.append(&mut column, &value?)?;
            self.row += 1;
            if self.row.is_multiple_of(LOOK) {
                // Other threads of Python go on.
                py.detach(|| ());
                py.check_signals()?;
            }
        }
        (column.rows() > 0).then(|| column.finish()).transpose()
    }

    /// The column of all that are left.
    pub(crate) fn read_all(&mut self, py: Python<'_>) -> PyResult<Chunks> {
        let column = self.read(py, usize::MAX)?;
        Ok(Box::new(Free(column.into_iter().map(|column| Ok(vec![column])))))
    }

    fn append(&self, column: &mut Column, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let taken = if let Ok(text) = value.cast::<PyString>() {
            match text.to_str() {
                Ok(text) => column.append(Some(self.trimmed(text.as_bytes()))),
                // A lone surrogate becomes bytes that are not UTF-8, so that the row has an error code.
                Err(_) => {
                    let bytes = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
                    column.append(Some(self.trimmed(bytes.cast::<PyBytes>()?.as_bytes())))
                }
            }
        } else if let Ok(bytes) = value.cast::<PyBytes>() {
            column.append(Some(self.trimmed(bytes.as_bytes())))
        } else if let Ok(bytes) = value.cast::<PyByteArray>() {
            column.append(Some(&bytes.to_vec()))
        } else if is_missing(value)? {
            column.append(None)
        } else {
            let (name, row, kind) = (&self.name, self.row, value.get_type().name()?);
            return Err(PyTypeError::new_err(format!(
                "{name}[{row}] is a {kind}: expected str, bytes or None"
            )));
        };
        taken.map_err(|_| {
            let (name, row) = (&self.name, self.row);
            PyMemoryError::new_err(format!(
                "there is no memory for {name}[{row}] after the texts before it: stream=True reads them piece by piece"
            ))
        })
    }

    fn trimmed<'t>(&self, line: &'t [u8]) -> &'t [u8] {
        match line {
            [line @ .., b'\r', b'\n'] | [line @ .., b'\n'] if self.are_lines => line,
            _ => line,
        }
    }
}

impl Iterator for Texts {
    type Item = Result<Vec<ArrayRef>>;

    fn next(&mut self) -> Option<Self::Item> {
        let read = Python::attach(|py| self.read(py, BATCH_ROWS));
        read.map(|column| column.map(|column| vec![column])).map_err(Fault::from).transpose()
    }
}

impl Source<Result<Vec<ArrayRef>>> for Texts {
    fn hand_over(&mut self, py: Python<'_>) -> PyResult<Option<Chunks>> {
        self.read_all(py).map(Some)
    }
}

impl Drop for Texts {
    fn drop(&mut self) {
        // An iterator is closed where it is dropped, and not whenever Python comes to it.
        Python::try_attach(|py| self.iterator.take().map(|iterator| iterator.drop_ref(py)));
    }
}

/// A column of bytes that is being filled, without an end of the process where memory ends.
struct Column {
    offsets: Vec<i64>,
    bytes: Vec<u8>,
    valid: BooleanBufferBuilder,
}

impl Default for Column {
    fn default() -> Self {
        Column { offsets: vec![0], bytes: Vec::new(), valid: BooleanBufferBuilder::new(0) }
    }
}

impl Column {
    fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    fn append(&mut self, text: Option<&[u8]>) -> std::result::Result<(), std::collections::TryReserveError> {
        let bytes = text.unwrap_or_default();
        self.bytes.try_reserve(bytes.len())?;
        self.offsets.try_reserve(1)?;
        self.bytes.extend_from_slice(bytes);
        self.offsets.push(self.bytes.len() as i64);
        self.valid.append(text.is_some());
        Ok(())
    }

    fn finish(mut self) -> PyResult<ArrayRef> {
        let offsets = OffsetBuffer::new(ScalarBuffer::from(self.offsets));
        let (bytes, nulls) = (Buffer::from_vec(self.bytes), NullBuffer::new(self.valid.finish()));
        let array = LargeBinaryArray::try_new(offsets, bytes, Some(nulls));
        Ok(Arc::new(array.map_err(Fault::from)?))
    }
}

/// Whether a value is None, or what pandas uses for it.
fn is_missing(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_nan = value.cast::<PyFloat>().is_ok_and(|number| number.value().is_nan());
    Ok(value.is_none() || is_nan || value.get_type().name()? == "NAType")
}
