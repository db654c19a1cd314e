//! Web archives: their index, lookups in it, and the links between the hosts of their pages. The threads of runs are in
//! `files`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use urimill::Error;
use urimill::locks::lock;
use urimill::lookup::{Lookup, Match, Query};
use urimill::run::{Edges, Index, Node, Output, RunProgress};

use crate::conversion::{filled, is_of_output};
use crate::errors::{Result, detached};
use crate::export::Strings;
use crate::files::summarized;
use crate::options::Keywords;
use crate::run_batches::streamed;
use crate::stream::Stream;

/// The index run that the keywords describe, without its output.
fn described(keywords: &Keywords<'_>, inputs: Vec<OsString>, running: &RunProgress) -> Result<Index> {
    keywords.fill(Index::new().inputs(inputs).progress(running), "index", |_| false)
}

/// Makes the index of web archives in a file or directory; returns the summary. `progress` is called as by `convert`.
#[pyfunction]
#[pyo3(signature = (inputs, target, progress, **keywords))]
pub(crate) fn index<'py>(
    py: Python<'py>,
    inputs: Vec<OsString>,
    target: PathBuf,
    progress: Option<Bound<'py, PyAny>>,
    keywords: Option<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let running = RunProgress::default();
    let run = described(&Keywords::given(py, keywords), inputs, &running)?.write_to(target);
    summarized(py, &running, progress.as_ref(), move || Ok(run.run()?.to_json()))
}

/// The rows of an index.
#[pyfunction]
#[pyo3(signature = (inputs, strings, **keywords))]
pub(crate) fn read_index(
    py: Python<'_>,
    inputs: Vec<OsString>,
    strings: &str,
    keywords: Option<Bound<'_, PyDict>>,
) -> PyResult<Stream> {
    let run = described(&Keywords::given(py, keywords), inputs, &RunProgress::default())?;
    streamed(py, run.into_stream_as(Strings::named(strings)?.shape()))
}

/// The run that the keywords describe, which counts links.
fn counted(
    keywords: &Keywords<'_>,
    inputs: Vec<OsString>,
    output: Option<Output>,
    running: &RunProgress,
) -> Result<Edges> {
    let run = Edges::new(Node::Host).inputs(inputs).progress(running);
    match output {
        Some(output) => filled(keywords, run.write_to(output), ("links", true), |_| false),
        None => filled(keywords, run, ("links", true), is_of_output),
    }
}

/// Counts the links of pages into a file or a directory; returns the summary. `progress` is called as by `convert`.
#[pyfunction]
#[pyo3(signature = (inputs, target, progress, **keywords))]
pub(crate) fn edges<'py>(
    py: Python<'py>,
    inputs: Vec<OsString>,
    target: OsString,
    progress: Option<Bound<'py, PyAny>>,
    keywords: Option<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let running = RunProgress::default();
    let keywords = Keywords::given(py, keywords);
    let run = counted(&keywords, inputs, Some(Output::to(target)), &running)?;
    summarized(py, &running, progress.as_ref(), move || Ok(run.run()?.to_json()))
}

/// The counts of links as rows.
#[pyfunction]
#[pyo3(signature = (inputs, strings, **keywords))]
pub(crate) fn read_edges(
    py: Python<'_>,
    inputs: Vec<OsString>,
    strings: &str,
    keywords: Option<Bound<'_, PyDict>>,
) -> PyResult<Stream> {
    let run = counted(&Keywords::given(py, keywords), inputs, None, &RunProgress::default())?;
    streamed(py, run.into_stream_as(Strings::named(strings)?.shape()))
}

/// An index of web archives to search: a sorted CDXJ file, a directory of ZipNum, the list of its blocks (``.idx``), or
/// a table that :func:`urimill.index` made. A search is by bisection: the lines must be sorted by their bytes,
/// otherwise it raises. With ``scan`` all lines are read instead. ``memory`` is the most bytes that lines and pages may
/// take.
///
/// >>> import pathlib, tempfile, urimill
/// >>> path = pathlib.Path(tempfile.mkdtemp()) / "index.cdxj"
/// >>> _ = path.write_text('com,example)/ 20250101000000 {"status": "200"}\ncom,example)/a 20260101000000 {}\n')
/// >>> urimill.Lookup(path).find("http://example.com/")
/// [{'urlkey': 'com,example)/', 'timestamp': '20250101000000', 'status': '200'}]
/// >>> [line["urlkey"] for line in urimill.Lookup(path).find("example.com", match="domain", start="2026")]
/// ['com,example)/a']
#[pyclass(module = "urimill", name = "Lookup", frozen)]
pub(crate) struct PyLookup {
    lookup: Mutex<Lookup>,
}

#[pymethods]
impl PyLookup {
    #[new]
    #[pyo3(signature = (index, *, scan=false, memory=None))]
    fn new(py: Python<'_>, index: PathBuf, scan: bool, memory: Option<u64>) -> PyResult<PyLookup> {
        let lookup = detached(py, || {
            let lookup = match memory {
                Some(bytes) => Lookup::open_within(&index, bytes),
                None => Lookup::open(&index),
            };
            Ok(lookup?.scan(scan))
        })?;
        Ok(PyLookup { lookup: Mutex::new(lookup) })
    }

    /// The lines for a URL, with or without a scheme, or for a key such as ``com,example)/a``, in the order of the
    /// index. ``match`` is ``exact``, ``prefix``, ``host`` or ``domain``; ``start`` and ``end`` are times or their
    /// first digits, both included; ``limit`` is the most lines.
    #[pyo3(signature = (url, *, r#match="exact", start=None, end=None, limit=None))]
    fn find<'py>(
        &self,
        py: Python<'py>,
        url: &str,
        r#match: &str,
        start: Option<&str>,
        end: Option<&str>,
        limit: Option<usize>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let lines: Vec<String> = detached(py, || {
            let how = Match::ALL.into_iter().find(|how| how.as_str() == r#match).ok_or_else(|| {
                let names = Match::ALL.map(Match::as_str).join(", ");
                Error::usage(format!("match cannot be {}: it is one of {names}", r#match))
            })?;
            let mut query = Query::new(url, how)?;
            if let Some(time) = start {
                query = query.from(time)?;
            }
            if let Some(time) = end {
                query = query.to(time)?;
            }
            let mut lines = Vec::new();
            if limit == Some(0) {
                return Ok(lines);
            }
            let mut lookup = lock(&self.lookup);
            lookup.each(&query, |line| {
                lines.push(line.to_json());
                Ok(limit.is_none_or(|limit| lines.len() < limit))
            })?;
            Ok(lines)
        })?;
        // A Python dict keeps the order of members.
        let loads = py.import("json")?.getattr("loads")?;
        lines.iter().map(|line| loads.call1((line,))).collect()
    }
}
