//! The index of data from pandas, which rows have again when they go back there. Arrow has no index.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice};

/// The labels of rows, from one of them on.
#[derive(Clone)]
pub(crate) struct Labels {
    /// A ``pandas.Index``.
    index: Arc<Py<PyAny>>,
    /// The row of the index that the first row has.
    from: usize,
    /// The number of the last columns of the data that have the index.
    columns: usize,
    /// The names that those of them have that pass through.
    names: Arc<[String]>,
}

impl Labels {
    /// The labels of a Series or a DataFrame. `fields` is the number of its columns in Arrow.
    pub(crate) fn of(data: &Bound<'_, PyAny>, fields: usize) -> PyResult<Option<Labels>> {
        // Data of pandas is there only if somebody has imported it.
        let modules = data.py().import("sys")?.getattr("modules")?;
        let Some(pandas) = modules.cast::<PyDict>()?.get_item("pandas")? else { return Ok(None) };
        let is = |class| -> PyResult<bool> {
            match pandas.getattr(class) {
                Ok(class) => data.is_instance(&class),
                // It is being imported.
                Err(_) => Ok(false),
            }
        };
        let columns = match (is("Series")?, is("DataFrame")?) {
            (true, _) => 0,
            (_, true) => fields.saturating_sub(data.getattr("columns")?.len()?),
            _ => return Ok(None),
        };
        let index = Arc::new(data.getattr("index")?.unbind());
        Ok(Some(Labels { index, from: 0, columns, names: Arc::default() }))
    }

    /// Whether a column of the data, which has `fields`, holds the index.
    pub(crate) fn holds(&self, place: usize, fields: usize) -> bool {
        place >= fields - self.columns.min(fields)
    }

    /// The same, for a table whose columns with these names have the index.
    pub(crate) fn named(self, names: impl Iterator<Item = String>) -> Labels {
        Labels { columns: 0, names: names.collect(), ..self }
    }

    /// The labels from a later row on.
    pub(crate) fn after(&self, rows: usize) -> Labels {
        Labels { from: self.from + rows, ..self.clone() }
    }

    /// The labels of the rows that a slice selects, of `rows` in all.
    pub(crate) fn sliced(&self, slice: &Bound<'_, PySlice>, rows: usize) -> PyResult<Labels> {
        let index = self.own(slice.py(), rows)?.get_item(slice)?;
        Ok(Labels { index: Arc::new(index.unbind()), from: 0, ..self.clone() })
    }

    /// The part of the index that these rows have.
    fn own<'py>(&self, py: Python<'py>, rows: usize) -> PyResult<Bound<'py, PyAny>> {
        let (from, to) = (self.from as isize, (self.from + rows) as isize);
        self.index.bind(py).get_item(PySlice::new(py, from, to, 1))
    }

    /// The index of so many rows and the names of columns, for pickle.
    pub(crate) fn pickled<'py>(
        &self,
        py: Python<'py>,
        rows: usize,
    ) -> PyResult<(Bound<'py, PyAny>, Vec<String>)> {
        Ok((self.own(py, rows)?, self.names.to_vec()))
    }

    /// What [`Labels::pickled`] was called on.
    pub(crate) fn unpickled(index: Bound<'_, PyAny>, names: Vec<String>) -> Labels {
        Labels { index: Arc::new(index.unbind()), from: 0, columns: 0, names: names.into() }
    }

    /// Gives the rows of a Series or a DataFrame their labels.
    pub(crate) fn put<'py>(&self, frame: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = frame.py();
        let frame = match self.names.is_empty() || !frame.hasattr("columns")? {
            true => frame,
            false => {
                let columns = PyDict::new(py);
                columns.set_item("columns", &*self.names)?;
                columns.set_item("errors", "ignore")?;
                frame.call_method("drop", (), Some(&columns))?
            }
        };
        frame.setattr("index", self.own(py, frame.len()?)?)?;
        Ok(frame)
    }
}
