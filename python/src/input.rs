//! Inputs: objects with the Arrow PyCapsule protocol, or iterables of texts. First on the data's way; everything after
//! it sees chunks of columns.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Field, FieldRef};
use pyo3::exceptions::{PyImportError, PyStopIteration, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use pyo3_arrow::PySchema;
use pyo3_arrow::input::AnyArray;

use crate::column::Column;
use crate::errors::{Fault, Result};
use crate::foreign::{self, Apart};
use crate::labels::Labels;
use crate::sequences::Texts;
use crate::source::{Chunks, Free, Reader, Source};
use crate::stream::Stream;
use crate::table::Table;

/// Columns in chunks.
pub(crate) struct Input {
    /// The fields of a table's columns, or the only field of an array.
    pub(crate) fields: Vec<FieldRef>,
    pub(crate) is_table: bool,
    /// Whether the input can be read only once, and may be endless.
    pub(crate) is_stream: bool,
    /// The index, if the data is from pandas.
    pub(crate) labels: Option<Labels>,
    /// The columns that cannot be read, and their types.
    pub(crate) refused: Vec<(usize, String)>,
    /// The columns of each chunk.
    pub(crate) chunks: Chunks,
}

impl Input {
    /// Reads any supported `data`; `name` is that of the argument. All values of an iterator are read here.
    pub(crate) fn new(data: &Bound<'_, PyAny>, name: &str) -> PyResult<Input> {
        Input::read(data, name, false)
    }

    /// [`Input::new`]; with `piecewise` an iterator is read when its values are needed.
    pub(crate) fn read(data: &Bound<'_, PyAny>, name: &str, piecewise: bool) -> PyResult<Input> {
        let mut input = Input::unlabelled(data, name, piecewise)?;
        input.labels = input.labels_of(data)?;
        Ok(input)
    }

    /// The index of data from pandas, or of what was made of such data.
    fn labels_of(&self, data: &Bound<'_, PyAny>) -> PyResult<Option<Labels>> {
        if let Ok(table) = data.cast::<Table>() {
            return Ok(table.get().frame.labels.clone());
        }
        if let Ok(column) = data.cast::<Column>() {
            return Ok(column.get().frame.labels.clone());
        }
        match data.cast::<Stream>() {
            Ok(stream) => Ok(stream.get().labels(data.py())),
            Err(_) => Labels::of(data, self.fields.len()),
        }
    }

    fn unlabelled(data: &Bound<'_, PyAny>, name: &str, piecewise: bool) -> PyResult<Input> {
        let has = |attribute| data.hasattr(attribute);
        if let Ok(stream) = data.cast::<Stream>() {
            return Ok(Input::of_stream(stream.get().take(data.py())?));
        }
        if has("read_next_batch")? && has("__arrow_c_stream__")? {
            return Input::of_batches(data);
        }
        if let Some(apart) = foreign::Apart::of(data)? {
            return Input::of_rest(apart);
        }
        let has_array = has("__arrow_c_array__")?;
        if has_array || has("__arrow_c_stream__")? {
            match Input::of_arrow(data, !has_array && !has("__len__")?) {
                // A Series of pandas has the protocol only if pyarrow is installed; otherwise it is read as a sequence.
                Err(error) if error.is_instance_of::<PyImportError>(data.py()) && !has("columns")? => {}
                input => return input,
            }
        }
        Input::of_values(data, name, piecewise)
    }

    /// Data that has the protocol.
    pub(crate) fn of_arrow(data: &Bound<'_, PyAny>, is_stream: bool) -> PyResult<Input> {
        let reader = data.extract::<AnyArray>()?.into_reader()?;
        Ok(Input::of_arrays(reader.field(), reader, is_stream))
    }

    fn of_arrays(
        field: FieldRef,
        arrays: impl Iterator<Item = Result<ArrayRef, ArrowError>> + Send + 'static,
        is_stream: bool,
    ) -> Input {
        let (fields, is_table) = match field.data_type() {
            DataType::Struct(fields) => (fields.iter().cloned().collect(), true),
            _ => (vec![field], false),
        };
        let columns = move |array: ArrayRef| if is_table { columns_of(&array) } else { Ok(vec![array]) };
        let chunks = Box::new(Free(arrays.map(move |array| columns(array?))));
        Input { fields, is_table, is_stream, labels: None, refused: Vec::new(), chunks }
    }

    /// A stream of urimill's own, whose errors stay what they are.
    fn of_stream(reader: Reader) -> Input {
        let fields = reader.schema().fields().iter().cloned().collect();
        let chunks = Box::new(OfStream(reader));
        Input { fields, is_table: true, is_stream: true, labels: None, refused: Vec::new(), chunks }
    }

    /// A reader of pyarrow. Over the protocol an exception of the Python code that makes its batches would be a text.
    fn of_batches(data: &Bound<'_, PyAny>) -> PyResult<Input> {
        let schema = data.getattr("schema")?.extract::<PySchema>()?.into_inner();
        let fields = schema.fields().iter().cloned().collect();
        let chunks = Box::new(Batches { reader: Some(data.clone().unbind()) });
        Ok(Input { fields, is_table: true, is_stream: true, labels: None, refused: Vec::new(), chunks })
    }

    /// Data of Polars without the columns that are kept apart, which are nulls here.
    fn of_rest(apart: Apart<'_>) -> PyResult<Input> {
        let mut input = match &apart.rest {
            Some(rest) => Input::of_arrow(rest, false)?,
            None => Input::without_columns(apart.rows, apart.is_frame),
        };
        for (place, name, _) in &apart.columns {
            input.fields.insert(*place, Arc::new(Field::new(name, DataType::Null, true)));
        }
        let (places, rows): (Vec<_>, _) = (apart.columns.iter().map(|column| column.0).collect(), apart.rows);
        let chunks = input.chunks.map(move |chunk| Ok(foreign::with_nulls(chunk?, &places, rows)));
        input.chunks = Box::new(Free(chunks));
        input.refused =
            apart.columns.into_iter().filter_map(|(place, _, kind)| Some((place, kind?))).collect();
        Ok(input)
    }

    /// A column or a table of which nothing is known but the number of its rows.
    pub(crate) fn without_columns(rows: usize, is_table: bool) -> Input {
        let chunks = Box::new(Free((rows > 0).then(|| Ok(Vec::new())).into_iter()));
        let (fields, refused) = (Vec::new(), Vec::new());
        Input { fields, is_table, is_stream: false, labels: None, refused, chunks }
    }

    fn of_values(data: &Bound<'_, PyAny>, name: &str, piecewise: bool) -> PyResult<Input> {
        let is_text = data.is_instance_of::<PyString>() || data.is_instance_of::<PyBytes>();
        let is_lazy = data.get_type().name()? == "LazyFrame";
        // Iterating over a table of a package without the protocol would give the names of its columns.
        if is_text || is_lazy || data.is_instance_of::<PyDict>() || data.hasattr("columns")? {
            return Err(no_column(data, name));
        }
        let values = data.try_iter().map_err(|_| no_column(data, name))?;
        let mut texts = Texts::of(values, name, data.hasattr("readline")?);
        let chunks: Chunks = match piecewise {
            true => Box::new(texts),
            false => texts.read_all(data.py())?,
        };
        let fields = vec![Arc::new(Field::new("", DataType::LargeBinary, true))];
        Ok(Input { fields, is_table: false, is_stream: false, labels: None, refused: Vec::new(), chunks })
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
        let refused = self.refusal(place);
        if refused.is_none() && holds_texts(field.data_type()) {
            return Ok(());
        }
        let kind = refused.map_or_else(|| field.data_type().to_string(), str::to_owned);
        Err(PyTypeError::new_err(format!(
            "texts cannot be read from the column {:?} of type {kind}: give strings or bytes (Utf8, LargeUtf8, Utf8View, \
             Binary, LargeBinary, BinaryView, or dictionaries of these)",
            field.name()
        )))
    }

    /// The type of a column that cannot be read.
    fn refusal(&self, place: usize) -> Option<&str> {
        self.refused.iter().find(|(refused, _)| *refused == place).map(|(_, kind)| kind.as_str())
    }

    /// Refuses a column that cannot pass through.
    pub(crate) fn check_kept(&self, place: usize) -> PyResult<()> {
        let Some(kind) = self.refusal(place) else { return Ok(()) };
        Err(PyTypeError::new_err(format!(
            "the column {:?} of type {kind} has no type in Arrow: leave it out with keep",
            self.fields[place].name()
        )))
    }

    /// See [`Source::hand_over`].
    pub(crate) fn hand_over(&mut self, py: Python<'_>) -> PyResult<()> {
        if let Some(chunks) = self.chunks.hand_over(py)? {
            self.chunks = chunks;
        }
        Ok(())
    }

    /// The columns of the next chunk.
    pub(crate) fn next(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        self.chunks.next().transpose()
    }
}

/// The columns of a chunk of a table.
fn columns_of(chunk: &ArrayRef) -> Result<Vec<ArrayRef>> {
    let chunk = chunk.as_struct();
    if chunk.null_count() > 0 {
        let sentence = "a row of the table is null as a whole, which no table has: give its columns";
        return Err(Fault::Type(sentence.to_owned()));
    }
    Ok(chunk.columns().to_vec())
}

/// The batches of a reader in Python.
struct Batches {
    reader: Option<Py<PyAny>>,
}

impl Iterator for Batches {
    type Item = Result<Vec<ArrayRef>>;

    fn next(&mut self) -> Option<Self::Item> {
        let reader = self.reader.as_ref()?;
        let next = Python::attach(|py| match reader.bind(py).call_method0("read_next_batch") {
            Ok(batch) => Ok(Some(batch.extract::<AnyArray>()?)),
            Err(error) if error.is_instance_of::<PyStopIteration>(py) => Ok(None),
            Err(error) => Err(error),
        });
        match next {
            Ok(Some(AnyArray::Array(batch))) => Some(columns_of(&batch.into_inner().0)),
            Ok(Some(AnyArray::Stream(_)) | None) => None,
            Err(error) => Some(Err(Fault::Python(error))),
        }
    }
}

impl Source<Result<Vec<ArrayRef>>> for Batches {
    fn hand_over(&mut self, py: Python<'_>) -> PyResult<Option<Chunks>> {
        let Some(reader) = &self.reader else { return Ok(None) };
        Ok(Some(Input::of_arrow(reader.bind(py), true)?.chunks))
    }
}

/// The batches of a stream of urimill's own.
struct OfStream(Reader);

impl Iterator for OfStream {
    type Item = Result<Vec<ArrayRef>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|batch| Ok(batch?.columns().to_vec()))
    }
}

impl Source<Result<Vec<ArrayRef>>> for OfStream {
    fn hand_over(&mut self, py: Python<'_>) -> PyResult<Option<Chunks>> {
        self.0.hand_over(py).map(|()| None)
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        // A source is closed where it is dropped, and not whenever Python comes to it.
        Python::try_attach(|py| self.reader.take().map(|reader| reader.drop_ref(py)));
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

/// A column of texts in one of the types that the library reads. Numbers stay what they are.
pub(crate) fn plain(column: &ArrayRef) -> Result<ArrayRef> {
    let to = match column.data_type() {
        plain if is_plain(plain) || plain.is_numeric() => return Ok(column.clone()),
        DataType::Dictionary(_, values) => values.as_ref().clone(),
        DataType::RunEndEncoded(_, values) => values.data_type().clone(),
        _ => DataType::Utf8,
    };
    plain(&cast(column, &to)?)
}

fn no_column(data: &Bound<'_, PyAny>, name: &str) -> PyErr {
    let kind = data.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
    if kind == "LazyFrame" {
        return PyTypeError::new_err(format!(
            "{name} is a LazyFrame, which has no rows yet: give {name}.collect()"
        ));
    }
    let hint = if kind == "str" || kind == "bytes" { "; for one URI there is urimill.URI" } else { "" };
    PyTypeError::new_err(format!(
        "{name} is a {kind}: give a column or table of pyarrow, Polars, pandas, DuckDB or whatever speaks the Arrow \
         PyCapsule protocol, a list of str, bytes and None, or an open file of lines{hint}"
    ))
}
