//! An engine for callers that pass batches one after the other, as Spark does: it reads options and makes workers once,
//! and keeps their memory from batch to batch. `call` makes all of it for each call.

use std::sync::Arc;

use arrow_array::RecordBatch;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::beside;
use crate::engine::{Choice, Crew, Slices};
use crate::errors::{Fault, Result, calm};
use crate::export::Strings;
use crate::input::Input;
use crate::jobs::Normalize;
use crate::options::Keywords;
use crate::schema::Schema;
use crate::table::Table;

/// ``normalize`` for batch after batch. ``own_bases`` says whether each comes with a column of bases.
#[pyclass(module = "urimill._urimill", frozen)]
pub(crate) struct Engine {
    crew: Arc<Crew>,
    threads: Option<usize>,
    own_bases: bool,
    /// Whether user information is hidden.
    #[pyo3(get)]
    hides: bool,
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (**keywords))]
    fn new(py: Python<'_>, keywords: Option<Bound<'_, PyDict>>) -> PyResult<Engine> {
        calm(|| {
            let keywords = Keywords::given(py, keywords);
            let own_bases = keywords.is("own_bases")?;
            let base = keywords.text("base")?;
            let options = keywords.options("normalize", base.as_deref(), own_bases)?;
            let threads = keywords.number("threads", (1, 1024))?;
            let hides = options.hide != urimill::passwords::Hide::Nothing;
            let crew = Crew::new(Arc::new(Normalize { options }), Strings::Plain, []);
            Ok(Engine { crew: Arc::new(crew), threads, own_bases, hides })
        })
    }

    /// The columns of the tables that the engine makes.
    #[getter]
    fn schema(&self) -> Schema {
        Schema::new(self.crew.schema())
    }

    /// Columns that pass through, with the user information removed that the options hide.
    fn hidden(&self, columns: &Bound<'_, PyAny>) -> PyResult<Table> {
        calm(|| {
            let mut input = Input::new(columns, "columns")?;
            let schema = Arc::new(arrow_schema::Schema::new(input.fields.clone()));
            let mut batches = Vec::new();
            while let Some(columns) = input.next()? {
                let columns = columns.iter().map(|column| self.crew.hidden(column)).collect::<Result<_>>()?;
                batches.push(RecordBatch::try_new(schema.clone(), columns).map_err(Fault::from)?);
            }
            Ok(Table::new(schema, batches))
        })
    }

    /// The table for a column of texts, and for a column of their bases if ``own_bases``.
    #[pyo3(signature = (texts, bases=None))]
    fn table(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        bases: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Table> {
        calm(|| {
            if bases.is_some() != self.own_bases {
                return Err(PyTypeError::new_err(match self.own_bases {
                    true => "a second column is missing, the bases: base=True says that there is one",
                    false => "there is a second column: for one of bases say base=True",
                }));
            }
            let input = Input::new(texts, "data")?;
            if input.is_table {
                return Err(PyValueError::new_err("data is a table: give one of its columns"));
            }
            input.check_texts(0)?;
            let beside = bases.map(|bases| beside(bases, "base")).transpose()?;
            let choice = Choice { used: vec![0], beside, kept: Vec::new() };
            Slices::by(self.crew.clone(), input, choice, self.threads).gather(py)
        })
    }
}
