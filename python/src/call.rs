//! The functions on columns: they read keywords, run a job, and return a table or a stream.

use std::sync::Arc;

use arrow_array::RecordBatch;
use bytes::Bytes;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyString};
use rayon::prelude::*;
use urimill::batch::{Column, Columns, ExtraColumns, Kind, Reading, RfcOptions};
use urimill::encode::Part;
use urimill::{Level, Standard, UriRef, extract as running_text, par};

use crate::answers::{Answers, Question};
use crate::engine::{Beside, Choice, Crew, Job, Slices};
use crate::errors::usage;
use crate::errors::{Result, calm};
use crate::export::Strings;
use crate::found::Extract;
use crate::input::Input;
use crate::jobs::{Components, Normalize, Resolve};
use crate::labels::Labels;
use crate::options::Keywords;
use crate::pools;
use crate::rounds::{Rounds, Run};
use crate::schema::Schema;
use crate::stream::Stream;

/// The base of the references.
enum Base {
    None,
    /// One URI for all rows.
    One(String),
    /// A column of the table.
    Column(usize),
    /// A column that is not part of the table.
    Beside(Beside),
}

impl Base {
    fn given(keywords: &Keywords<'_>, input: &Input) -> PyResult<Base> {
        let Some(base) = keywords.any("base")? else { return Ok(Base::None) };
        let Ok(text) = base.cast::<PyString>() else {
            // A `urimill.URI` gives its text.
            if base.is_instance_of::<crate::uri::Uri>() {
                return Ok(Base::One(base.str()?.extract()?));
            }
            return Ok(Base::Beside(beside(&base, "base")?));
        };
        let text: String = text.extract()?;
        match input.position(&text) {
            Some(place) => {
                input.check_texts(place)?;
                Ok(Base::Column(place))
            }
            None if input.is_table && !UriRef::parse(&text).is_ok_and(|uri| uri.is_uri()) => {
                Err(PyValueError::new_err(format!(
                    "base={text:?} is neither a URI with a scheme nor a column: the columns are {}",
                    input.names()
                )))
            }
            None => Ok(Base::One(text)),
        }
    }

    /// The columns of a job on the references at `place`.
    fn columns(self, place: usize) -> (Vec<usize>, Option<Beside>) {
        match self {
            Base::Column(column) => (vec![place, column], None),
            Base::Beside(column) => (vec![place], Some(column)),
            Base::None | Base::One(_) => (vec![place], None),
        }
    }

    fn one(&self) -> Option<&str> {
        match self {
            Base::One(text) => Some(text),
            _ => None,
        }
    }
}

pub(crate) fn beside(data: &Bound<'_, PyAny>, name: &'static str) -> PyResult<Beside> {
    let input = Input::new(data, name)?;
    if input.fields.len() != 1 {
        return Err(PyValueError::new_err(format!(
            "{name} is a table: give one of its columns, {}",
            input.names()
        )));
    }
    input.check_texts(0)?;
    crate::errors::detached(data.py(), || Beside::new(input, name))
}

/// The other columns that pass through, and their new names.
fn extra_columns(
    keywords: &Keywords<'_>,
    input: &Input,
    job: &dyn Job,
    used: &[usize],
) -> Result<Vec<(usize, String)>> {
    let asked = keywords.names("keep")?.unwrap_or_else(|| vec!["all".to_owned()]);
    let places: Vec<usize> = match asked.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        _ if !input.is_table || !job.keeps_rows() => Vec::new(),
        ["none"] => Vec::new(),
        ["all"] => (0..input.fields.len()).filter(|place| !used.contains(place)).collect(),
        names => {
            let find = |name: &&str| {
                let missing =
                    || usage(format!("there is no column {name:?} to keep: choose from {}", input.names()));
                input.position(name).ok_or_else(missing)
            };
            names.iter().map(find).collect::<Result<_>>()?
        }
    };
    if places.is_empty() {
        return Ok(Vec::new());
    }
    places.iter().try_for_each(|&place| input.check_kept(place))?;
    let own = job.schema();
    let names = places.iter().map(|&place| {
        let name = input.fields[place].name();
        let is_own = own.column_with_name(name).is_some();
        if is_own { format!("field_{name}") } else { name.clone() }
    });
    if job.keeps_names() {
        return Ok(places.iter().copied().zip(names).collect());
    }
    let names = ExtraColumns::new(names.map(|name| (name, Kind::Text)));
    let names = names.fields().iter().map(|field| field.name.clone());
    Ok(places.iter().copied().zip(names).collect())
}

/// Runs a job on an input; returns a table, or a stream if the input is one.
fn run<'py>(
    py: Python<'py>,
    keywords: &Keywords<'_>,
    mut input: Input,
    job: Arc<dyn Job>,
    (used, beside): (Vec<usize>, Option<Beside>),
) -> PyResult<Bound<'py, PyAny>> {
    let strings = match keywords.text("strings")? {
        Some(name) => Strings::named(&name)?,
        None => Strings::like(input.fields[used[0]].data_type()),
    };
    let threads = keywords.number("threads", (1, 1024))?;
    let streams = keywords.flag("stream")?.unwrap_or(input.is_stream);
    let kept = extra_columns(keywords, &input, job.as_ref(), &used)?;
    let labels = input.labels.take().filter(|_| job.keeps_rows()).map(|labels| {
        let of_index = |(place, _): &&(usize, String)| labels.holds(*place, input.fields.len());
        let names: Vec<_> = kept.iter().filter(of_index).map(|(_, name)| name.clone()).collect();
        labels.named(names.into_iter())
    });
    let run = Slices::run(input, job, Choice { used, beside, kept }, strings, threads);
    answered(py, run, streams, labels)
}

/// The rows of a run as a stream or as a table.
fn answered<'py>(
    py: Python<'py>,
    run: Run<impl Rounds + 'static>,
    streams: bool,
    labels: Option<Labels>,
) -> PyResult<Bound<'py, PyAny>> {
    match streams {
        true => Ok(Stream::new(Box::new(run)).labelled(labels).into_pyobject(py)?.into_any()),
        false => Ok(run.gather(py)?.labelled(labels).into_pyobject(py)?.into_any()),
    }
}

/// The input, and the position of its column of texts.
fn texts(data: &Bound<'_, PyAny>, keywords: &Keywords<'_>) -> PyResult<(Input, usize)> {
    let input = Input::read(data, "data", keywords.is("stream")?)?;
    let place = input.find(keywords.text("uri")?.as_deref(), "uri")?;
    input.check_texts(place)?;
    Ok((input, place))
}

#[pyfunction]
#[pyo3(signature = (data, **keywords))]
pub(crate) fn normalize<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    keywords: Option<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    calm(|| {
        let keywords = Keywords::given(py, keywords);
        if let Some(text) = data.cast::<PyBytes>().ok().filter(|text| text.as_bytes().contains(&b'\n')) {
            return lines(py, text, &keywords);
        }
        let (input, place) = texts(data, &keywords)?;
        let base = Base::given(&keywords, &input)?;
        let own = matches!(base, Base::Column(_) | Base::Beside(_));
        let options = keywords.options("normalize", base.one(), own)?;
        run(py, &keywords, input, Arc::new(Normalize { options }), base.columns(place))
    })
}

/// The table of the lines of a text, as `urimill normalize` makes it of a file.
fn lines<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyBytes>,
    keywords: &Keywords<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let input = Input::without_columns(0, false);
    if let Some(name) = keywords.text("uri")? {
        input.find(Some(&name), "uri")?;
    }
    let base = Base::given(keywords, &input)?;
    if matches!(base, Base::Beside(_)) {
        let sentence =
            "base is a column, and lines of bytes are no rows: give data.splitlines(), or one base";
        return Err(PyValueError::new_err(sentence));
    }
    let options = keywords.options("normalize", base.one(), false)?;
    let strings = Strings::named(&keywords.text("strings")?.unwrap_or_else(|| "string".to_owned()))?;
    let threads = keywords.number("threads", (1, 1024))?.unwrap_or_else(pools::default_threads);
    let crew = Crew::new(Arc::new(Normalize { options: options.clone() }), strings, []);
    let (schema, text) = (crew.schema(), Bytes::from_owner(PyBackedBytes::from(text.clone())));
    let lines = Lines { lines: par::lines(text, &options).rounds(), crew, threads };
    answered(py, Run::new(schema, lines), keywords.is("stream")?, None)
}

/// The lines of a text.
struct Lines {
    lines: par::Rounds<'static>,
    crew: Crew,
    threads: usize,
}

impl Rounds for Lines {
    fn round(&mut self, slices: usize) -> Result<Option<Vec<RecordBatch>>> {
        let Lines { lines, crew, threads } = self;
        let pool = pools::of(*threads)?;
        let made = pool.install(|| {
            let round = lines.round(slices * *threads)?;
            Some(round.map(|batch| crew.finished(&batch?)).collect::<Result<_>>())
        });
        made.transpose()
    }

    fn hand_over(&mut self, _: Python<'_>) -> PyResult<()> {
        Ok(())
    }
}

#[pyfunction]
#[pyo3(signature = (data, **keywords))]
pub(crate) fn components<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    keywords: Option<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    calm(|| {
        let keywords = Keywords::given(py, keywords);
        let input = Input::read(data, "data", keywords.is("stream")?)?;
        let find = |column: Column| input.find(Some(column.as_str()), "components");
        let used = Columns::positions().iter().map(find).collect::<PyResult<Vec<_>>>()?;
        input.check_texts(used[0])?;
        run(py, &keywords, input, Arc::new(Components), (used, None))
    })
}

fn answer<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    keywords: &Keywords<'py>,
    question: Question,
) -> PyResult<Bound<'py, PyAny>> {
    let (input, place) = texts(data, keywords)?;
    let spec = keywords.spec()?;
    let answers = Answers { question, spec, base: None };
    run(py, keywords, input, Arc::new(answers), (vec![place], None))
}

/// Runs the job on references that `job` makes of their base, if all rows have the same.
fn against_base<'py, J: Job + 'static>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    keywords: &Keywords<'py>,
    standard: Standard,
    job: impl FnOnce(Option<String>) -> J,
) -> PyResult<Bound<'py, PyAny>> {
    let (input, place) = texts(data, keywords)?;
    let base = Base::given(keywords, &input)?;
    if matches!(base, Base::None) {
        return Err(PyTypeError::new_err(
            "base is missing: give a URI, a column of the table or one from elsewhere",
        ));
    }
    if let Some(base) = base.one() {
        standard.check_base(base).map_err(crate::errors::Fault::from)?;
    }
    let one = base.one().map(str::to_owned);
    run(py, keywords, input, Arc::new(job(one)), base.columns(place))
}

#[pyfunction]
#[pyo3(signature = (data, **keywords))]
pub(crate) fn resolve<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    keywords: Option<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    calm(|| {
        let keywords = Keywords::given(py, keywords);
        let plain = RfcOptions { level: Level::None, ..RfcOptions::default() };
        let level = keywords.parsed("level")?.unwrap_or(plain.level);
        let rfc = RfcOptions { level, mode: keywords.mode()?, repair: keywords.is("repair")?, ..plain };
        let reading = match keywords.standard()? {
            Standard::Rfc(spec) => Reading::Rfc(RfcOptions { spec, ..rfc }),
            Standard::Whatwg if rfc == plain => Reading::Whatwg,
            Standard::Whatwg => {
                return Err(usage(
                    "level, compat and repair are for the RFCs, and spec=\"whatwg\" reads as browsers do: drop one",
                )
                .into());
            }
        };
        let job = |base| Resolve::new(reading, base);
        against_base(py, data, &keywords, reading.standard(), job)
    })
}

#[pyfunction]
#[pyo3(signature = (data, **keywords))]
pub(crate) fn relativize<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    keywords: Option<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    calm(|| {
        let keywords = Keywords::given(py, keywords);
        let spec = keywords.spec()?;
        let job = |base| Answers { question: Question::Relativize, spec, base };
        against_base(py, data, &keywords, spec.into(), job)
    })
}

#[pyfunction]
#[pyo3(signature = (a, b, **keywords))]
pub(crate) fn compare<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    keywords: Option<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    calm(|| {
        let keywords = Keywords::given(py, keywords);
        let input = Input::read(a, "a", keywords.is("stream")?)?;
        // Either both are columns of one table, by name, or each is a column itself.
        let (used, other) = match (keywords.text("uri")?, b.cast::<PyString>()) {
            (uri, Ok(name)) if input.is_table => {
                let name: String = name.extract()?;
                (vec![input.find(uri.as_deref(), "uri")?, input.find(Some(&name), "b")?], None)
            }
            (uri, _) => (vec![input.find(uri.as_deref(), "uri")?], Some(beside(b, "b")?)),
        };
        used.iter().try_for_each(|&place| input.check_texts(place))?;
        let level = keywords.parsed("level")?.unwrap_or_default();
        let (base, spec) = (keywords.text("base")?, keywords.spec()?);
        if let Some(base) = &base {
            urimill::resolve::parse_base(base, spec).map_err(crate::errors::Fault::from)?;
        }
        let options = urimill::compare::CompareOptions::new()
            .ignore_fragments(keywords.is("ignore_fragments")?)
            .absolute_only(keywords.is("absolute_only")?);
        let job = Answers { question: Question::Compare { level, options }, spec, base };
        run(py, &keywords, input, Arc::new(job), (used, other))
    })
}

#[pyfunction]
#[pyo3(signature = (data, **keywords))]
pub(crate) fn encode<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    keywords: Option<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    calm(|| {
        let keywords = Keywords::given(py, keywords);
        let part = keywords.parsed("component")?.unwrap_or(Part::Unreserved);
        let question = Question::Encode { part, keeps_triplets: keywords.is("keep_triplets")? };
        answer(py, data, &keywords, question)
    })
}

#[pyfunction]
#[pyo3(signature = (data, **keywords))]
pub(crate) fn decode<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    keywords: Option<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    calm(|| {
        let keywords = Keywords::given(py, keywords);
        let question =
            Question::Decode { part: keywords.parsed("component")?, lenient: keywords.is("lenient")? };
        answer(py, data, &keywords, question)
    })
}

#[pyfunction]
#[pyo3(signature = (data, **keywords))]
pub(crate) fn extract<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    keywords: Option<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    calm(|| {
        let keywords = Keywords::given(py, keywords);
        let (input, place) = texts(data, &keywords)?;
        let scheme = keywords.text("default_scheme")?.unwrap_or_else(|| "http".to_owned());
        let probe = format!("{scheme}://h");
        if UriRef::parse(&probe).ok().and_then(|uri| uri.scheme()) != Some(&scheme) {
            let sentence = format!(
                "default_scheme {scheme:?} is no scheme: give a name such as https, without the colon"
            );
            return Err(PyValueError::new_err(sentence));
        }
        let options = running_text::Options::new()
            .spec(keywords.spec()?)
            .level(keywords.parsed("level")?.unwrap_or(Level::None))
            .suffix_scheme((!keywords.is("no_suffix")?).then_some(scheme))
            .refang(keywords.is("refang")?);
        run(py, &keywords, input, Arc::new(Extract { options }), (vec![place], None))
    })
}

/// The schema that `normalize` makes for one column with these keywords.
#[pyfunction]
#[pyo3(signature = (**keywords))]
pub(crate) fn schema(py: Python<'_>, keywords: Option<Bound<'_, PyDict>>) -> PyResult<Schema> {
    calm(|| {
        let keywords = Keywords::given(py, keywords);
        let strings = Strings::named(&keywords.text("strings")?.unwrap_or_else(|| "string".to_owned()))?;
        let options = keywords.options("schema", None, false)?;
        Ok(Schema::new(strings.schema(&options.schema())))
    })
}
