//! Web archives: their index, lookups in it, and the links between the hosts of their pages. Runs stand in `files`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use urimill::Error;
use urimill::lookup::{Lookup, Match, Query};
use urimill::run::{Edges, Index, IndexForm, InputFormat, Like, Node, RecordTypes, RunProgress};

use crate::conversion::{links, named, on_damage, output};
use crate::errors::{Result, detached};
use crate::files::{streamed, summarized};
use crate::options::{Keywords, OF_RECORDS};
use crate::stream::Stream;

/// What runs over archives take.
const OF_RUNS: &[&str] = &["format", "on_damage", "temp_dir", "memory", "threads", "chunk"];
/// What `index` takes beside.
const OF_INDEXES: &[&str] = &[
    "to",
    "like",
    "records",
    "no_post",
    "unsorted",
    "shards",
    "block_lines",
    "root",
    "skip_bodies",
    "force",
];
/// What `links` takes beside, where it counts edges.
const OF_EDGES: &[&str] = &[
    "edges",
    "graph",
    "base",
    "encoding",
    "to",
    "compression",
    "row_group_rows",
    "delta_texts",
    "csv_safe",
    "force",
    "verify",
];

/// The index that the keywords describe, without its output.
fn described(keywords: &Keywords<'_>, inputs: Vec<OsString>, running: &RunProgress) -> Result<Index> {
    keywords.check("index", &[OF_RUNS, OF_INDEXES])?;
    let mut run = Index::new()
        .inputs(inputs)
        .no_post(keywords.is("no_post")?)
        .unsorted(keywords.is("unsorted")?)
        .skip_bodies(keywords.is("skip_bodies")?)
        .force(keywords.is("force")?)
        .progress(running);
    if let Some(format) = keywords.parsed::<InputFormat>("format")? {
        run = run.format(format);
    }
    if let Some(form) = named(keywords, "to", &IndexForm::ALL, IndexForm::as_str)? {
        run = run.form(form);
    }
    if let Some(like) = named(keywords, "like", &Like::ALL, Like::as_str)? {
        run = run.like(like);
    }
    if let Some(names) = keywords.list("records")? {
        run = run.records(names.join(",").parse::<RecordTypes>()?);
    }
    if let Some(shards) = keywords.number("shards", (1, 1 << 16))? {
        run = run.shards(shards as u64);
    }
    if let Some(lines) = keywords.number("block_lines", (1, u32::MAX as usize))? {
        run = run.block_lines(lines as u64);
    }
    if let Some(path) = keywords.path("root")? {
        run = run.root(path);
    }
    if let Some(on_damage) = on_damage(keywords)? {
        run = run.on_damage(on_damage);
    }
    if let Some(path) = keywords.path("temp_dir")? {
        run = run.temp_dir(path);
    }
    if let Some(bytes) = keywords.bytes("memory")? {
        run = run.memory(bytes);
    }
    if let Some(bytes) = keywords.bytes("chunk")? {
        run = run.chunk(usize::try_from(bytes).unwrap_or(usize::MAX));
    }
    Ok(match keywords.number("threads", (1, 1024))? {
        Some(threads) => run.threads(threads),
        None => run,
    })
}

/// Makes the index of web archives in a file or directory; answers the summary. `progress` is called as `convert` does.
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
    let running = RunProgress::default();
    let run = described(&Keywords::given(py, keywords), inputs, &running)?;
    streamed(py, strings, running, move |sink| run.run_into(sink).map(drop))
}

/// The count of links that the keywords describe, without its output.
fn counted(keywords: &Keywords<'_>, inputs: Vec<OsString>, running: &RunProgress) -> Result<Edges> {
    keywords.check("links", &[OF_RECORDS, OF_RUNS, OF_EDGES])?;
    let node = named(keywords, "edges", &Node::ALL, Node::as_str)?.unwrap_or(Node::Host);
    let mut run = Edges::new(node)
        .inputs(inputs)
        .links(links(keywords, keywords.text("base")?)?)
        .normalize(keywords.normalize_options(None)?)
        .graph(keywords.is("graph")?)
        .verify(keywords.is("verify")?)
        .progress(running);
    if let Some(on_damage) = on_damage(keywords)? {
        run = run.on_damage(on_damage);
    }
    if let Some(path) = keywords.path("temp_dir")? {
        run = run.temp_dir(path);
    }
    if let Some(bytes) = keywords.bytes("memory")? {
        run = run.memory(bytes);
    }
    if let Some(bytes) = keywords.bytes("chunk")? {
        run = run.chunk(usize::try_from(bytes).unwrap_or(usize::MAX));
    }
    Ok(match keywords.number("threads", (1, 1024))? {
        Some(threads) => run.threads(threads),
        None => run,
    })
}

/// Counts the links of pages into a file or a directory; answers the summary. `progress` is called as `convert` does.
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
    let run = counted(&keywords, inputs, &running)?.write_to(output(&keywords, target)?);
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
    let running = RunProgress::default();
    let run = counted(&Keywords::given(py, keywords), inputs, &running)?;
    streamed(py, strings, running, move |sink| run.run_into(sink).map(drop))
}

/// An index of web archives that is searched, and not read: a sorted CDXJ file, a directory of ZipNum, the list of its
/// blocks (``.idx``), or a table that :func:`urimill.index` made. A search needs lines that are sorted by their bytes, and
/// raises where they are not; with ``scan`` all lines are read instead. ``memory`` is what lines and pages may take, in
/// bytes.
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

    /// The lines that a URL, with a scheme or without, or a key such as ``com,example)/a`` means, in the order of the
    /// index. ``match`` is ``exact``, ``prefix``, ``host`` or ``domain``; ``start`` and ``end`` are the first digits of a
    /// time, which is within the captures; ``limit`` is the number of lines at most.
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
            let mut lookup = self.lookup.lock().unwrap_or_else(PoisonError::into_inner);
            lookup.each(&query, |line| {
                lines.push(line.to_json());
                Ok(limit.is_none_or(|limit| lines.len() < limit))
            })?;
            Ok(lines)
        })?;
        // Python keeps the order of members.
        let loads = py.import("json")?.getattr("loads")?;
        lines.iter().map(|line| loads.call1((line,))).collect()
    }
}
