//! Reports of logs and of tables as `urimill report` makes them, and states, which are stored as bytes and add up. The
//! threads of runs are in `files`.

use std::ffi::OsString;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use arrow_array::{RecordBatch, new_empty_array};
use arrow_schema::{Field, FieldRef, Schema, SchemaRef};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use urimill::locks::lock;
use urimill::read::GivenTable;
use urimill::report::State;
use urimill::run::options::{Job, OF_FILES, READING};
use urimill::run::{Report, RunProgress, Settings};
use urimill::{Error, ErrorKind, OptionName};

use crate::errors::{Fault, Result, caught, detached};
use crate::files::{spawn, wait};
use crate::input::{Input, plain};
use crate::options::Keywords;
use crate::shown::escaped;
use crate::values::json;

/// The run that the keywords describe, without inputs. A table has no options of files.
fn described(keywords: &Keywords<'_>, is_table: bool) -> Result<Report> {
    let is_of_files = |option| READING.iter().chain(OF_FILES).any(|row| row.option == option);
    keywords.refuse_others("report", |option| {
        Job::Report.row(option).is_some() && !(is_table && is_of_files(option))
    })?;
    keywords.fill(Report::new(), "report", |_| false)
}

/// Makes a report; returns its state. `names` are the names of the inputs in it, if these are not their paths;
/// `progress` is called as by `convert`.
#[pyfunction]
#[pyo3(signature = (inputs, names, progress, **keywords))]
pub(crate) fn report(
    py: Python<'_>,
    inputs: Vec<OsString>,
    names: Option<Vec<String>>,
    progress: Option<Bound<'_, PyAny>>,
    keywords: Option<Bound<'_, PyDict>>,
) -> PyResult<ReportState> {
    let running = RunProgress::default();
    let mut run = described(&Keywords::given(py, keywords), false)?.inputs(inputs).progress(&running);
    if let Some(names) = names {
        run = run.names(names);
    }
    let state = state_of(py, &running, progress.as_ref(), move || Ok(run.run()?.state))?;
    Ok(ReportState { state })
}

/// Makes a report of a table, whose texts are in the column `uri`. Messages call the table `name`.
#[pyfunction]
#[pyo3(signature = (data, uri, name, progress, **keywords))]
pub(crate) fn report_table(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    uri: Option<&str>,
    name: &str,
    progress: Option<Bound<'_, PyAny>>,
    keywords: Option<Bound<'_, PyDict>>,
) -> PyResult<ReportState> {
    let running = RunProgress::default();
    let keywords = Keywords::given(py, keywords);
    let mut input = Input::new(data, "data")?;
    let place = input.find(uri, "uri")?;
    input.check_texts(place)?;
    let column = if input.is_table { input.fields[place].name().clone() } else { "uri".to_owned() };
    let field = |(at, field): (usize, &FieldRef)| -> Result<FieldRef> {
        Ok(match at == place {
            true => {
                Field::new(&column, plain(&new_empty_array(field.data_type()))?.data_type().clone(), true)
                    .into()
            }
            false => field.clone(),
        })
    };
    let fields = input.fields.iter().enumerate().map(field).collect::<Result<Vec<_>>>()?;
    let schema: SchemaRef = Arc::new(Schema::new(fields));
    let run = described(&keywords, true)?.progress(&running);
    let run = run.set(OptionName::UriField, [column]).map_err(Fault::from)?;
    // A failure of the data's reader comes back unchanged.
    let failed = Arc::new(Mutex::new(None));
    let failure = Arc::clone(&failed);
    let (of_batches, columns) = (Arc::clone(&schema), std::iter::from_fn(move || input.next().transpose()));
    let batches = columns.map(move |columns| {
        let batch = columns.and_then(|mut columns| {
            columns[place] = plain(&columns[place])?;
            Ok(RecordBatch::try_new(Arc::clone(&of_batches), columns)?)
        });
        batch.map_err(|fault| {
            let error = Error::new(ErrorKind::Data, "the data failed");
            *lock(&failure) = Some(fault);
            error
        })
    });
    let table = GivenTable::new(name, schema, batches);
    let state = state_of(py, &running, progress.as_ref(), move || {
        let run = run.run_table(table);
        match lock(&failed).take() {
            Some(fault) => Err(fault),
            None => Ok(run?.state),
        }
    })?;
    Ok(ReportState { state })
}

/// Waits for the result of a run in a thread of its own.
fn state_of(
    py: Python<'_>,
    running: &RunProgress,
    progress: Option<&Bound<'_, PyAny>>,
    run: impl FnOnce() -> Result<State> + Send + 'static,
) -> PyResult<State> {
    let (done, waiting) = channel();
    spawn(move || {
        // If nobody waits any more the result is dropped.
        let _ = done.send(caught(run));
    })?;
    wait(py, &Mutex::new(waiting), running, progress)
}

/// Raises what [`report`], or [`report_table`] if `is_table`, would raise about options, before anything is read.
#[pyfunction]
#[pyo3(signature = (is_table, **keywords))]
pub(crate) fn check_report(
    py: Python<'_>,
    is_table: bool,
    keywords: Option<Bound<'_, PyDict>>,
) -> PyResult<()> {
    let run = described(&Keywords::given(py, keywords), is_table)?;
    Ok(run.validate().map_err(crate::errors::Fault::from)?)
}

/// The names of the columns that a report reads besides the one with URIs.
#[pyfunction]
pub(crate) fn report_columns() -> Vec<String> {
    urimill::report::fields()
}

/// The figures of a report: sums and sketches, of a size that does not grow with the input. Immutable.
///
/// States add up: those of days to the state of a month, those of files to the state of a folder. Sums equal those of
/// one run over everything, and sketches stay within their bounds. :func:`report` makes states.
///
/// >>> import pathlib, tempfile, urimill
/// >>> folder = pathlib.Path(tempfile.mkdtemp())
/// >>> _ = (folder / "monday.txt").write_text("http://example.com/\nhttp://example.org/\n")
/// >>> _ = (folder / "tuesday.txt").write_text("http://example.com/a\nhttp://[/\n")
/// >>> days = [urimill.report(folder / name) for name in ["monday.txt", "tuesday.txt"]]
/// >>> both = urimill.ReportState.merge(days)
/// >>> both
/// urimill.ReportState: 4 records = 3 URI references + 1 reject
/// >>> both.to_dict()["figures"]["host"]["top"]
/// [{'sum': 2, 'text': 'example.com'}, {'sum': 1, 'text': 'example.org'}]
/// >>> urimill.ReportState.from_bytes(both.to_bytes()) == both
/// True
#[pyclass(module = "urimill", frozen)]
pub(crate) struct ReportState {
    state: State,
}

/// The bytes of a stored state: readers of tables have them as bytes, bytearray or memoryview.
fn stored<'py>(state: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    if let Ok(bytes) = state.cast::<PyBytes>() {
        return Ok(bytes.clone());
    }
    let view = state.py().import("builtins")?.getattr("memoryview")?.call1((state,));
    let Ok(view) = view else {
        let kind = state.get_type().name()?;
        return Err(PyTypeError::new_err(format!("a state is a ReportState or bytes, not {kind}")));
    };
    Ok(view.call_method0("tobytes")?.cast_into()?)
}

#[pymethods]
impl ReportState {
    /// Reads a state from the bytes of :meth:`to_bytes`, or of a file that ``urimill report --state`` wrote: bytes, or
    /// any object with such a buffer.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<ReportState> {
        let data = stored(data)?;
        let data = data.as_bytes();
        let state = detached(py, || Ok(State::from_bytes(data, "the bytes")?))?;
        Ok(ReportState { state })
    }

    /// Adds up states, which may be objects or bytes-like, in order.
    #[staticmethod]
    #[pyo3(signature = (states, *, force=false))]
    fn merge(py: Python<'_>, states: &Bound<'_, PyAny>, force: bool) -> PyResult<ReportState> {
        let mut all = detached(py, || Ok(State::new()?))?;
        let mut add =
            |other: &State| Ok(if force { all.merge_all_the_same(other) } else { all.merge(other) }?);
        for state in states.try_iter()? {
            let state = state?;
            if let Ok(other) = state.cast::<ReportState>() {
                let other = &other.get().state;
                detached(py, || add(other))?;
            } else {
                let data = stored(&state)?;
                let data = data.as_bytes();
                detached(py, || add(&State::from_bytes(data, "the bytes")?))?;
            }
        }
        Ok(ReportState { state: all })
    }

    /// The state as bytes, in the form of the files of ``urimill report --state``.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = detached(py, || Ok(self.state.to_bytes()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Every figure as ``urimill report --json`` writes it, with at most ``most`` texts for each.
    #[pyo3(signature = (most=1000))]
    fn to_dict<'py>(&self, py: Python<'py>, most: usize) -> PyResult<Bound<'py, PyAny>> {
        let figures = detached(py, || Ok(self.state.to_json(most)))?;
        json(py, &figures)
    }

    /// The page of the report: one HTML file that needs no network.
    fn to_html(&self, py: Python<'_>, title: &str) -> PyResult<String> {
        detached(py, || Ok(self.state.page(title)))
    }

    /// Counts of records by name: ``records = valid + rejects + nulls``, and others.
    #[getter]
    fn accounts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let accounts = PyDict::new(py);
        for (name, count) in self.state.accounts().all() {
            accounts.set_item(name, count)?;
        }
        Ok(accounts)
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<ReportState>() else { return Ok(false) };
        let other = &other.get().state;
        // Sketches may hold the same sums in a different order.
        detached(py, || Ok(self.state.to_json(usize::MAX) == other.to_json(usize::MAX)))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let py = slf.py();
        Ok((slf.get_type().getattr("from_bytes")?, (slf.get().to_bytes(py)?,)))
    }

    fn __copy__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: PyRef<'py, Self>, _memo: Bound<'py, PyAny>) -> PyRef<'py, Self> {
        slf
    }

    /// The page, in a frame of its own.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let page = escaped(py, &self.to_html(py, "urimill")?)?;
        let style = "width: 100%; height: 40em; border: 0";
        Ok(format!("<iframe sandbox=\"allow-scripts\" style=\"{style}\" srcdoc=\"{page}\"></iframe>"))
    }

    fn __repr__(&self) -> String {
        let accounts = self.state.accounts();
        let counted = |count: u64, what: &str| match count {
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        };
        let mut text = format!(
            "urimill.ReportState: {} = {} + {}",
            counted(accounts.records, "record"),
            counted(accounts.valid, "URI reference"),
            counted(accounts.rejects, "reject"),
        );
        if accounts.nulls > 0 {
            text.push_str(&format!(" + {} without a URI", accounts.nulls));
        }
        text
    }
}
