//! One URI reference as a value of Python.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use urimill::canonical::{path_params, query_params};
use urimill::explain as told;
use urimill::normalize::DefaultScheme;
use urimill::resolve::parse_base;
use urimill::resolve::{Mode, relativize, resolve};
use urimill::{Level, Spec, UriRef};

use crate::errors::{Fault, rejected};
use crate::texts::{bytes, named};
use crate::values::json;

/// A valid URI reference (RFC 3986, 4.1), and its components.
///
/// An invalid text raises :class:`urimill.RejectError`. Components are as written: ``None`` if missing, ``""`` if
/// empty. Two references are equal if their normal forms are.
///
/// >>> from urimill import URI
/// >>> uri = URI("HTTP://user@example.com:8080/over/there?name=ferret#nose")
/// >>> uri.scheme, uri.userinfo, uri.host, uri.port
/// ('HTTP', 'user', 'example.com', 8080)
/// >>> uri.path, uri.query, uri.fragment
/// ('/over/there', 'name=ferret', 'nose')
/// >>> uri == URI("http://user@EXAMPLE.com:8080/over/./there?name=ferret#nose")
/// True
/// >>> URI("http://example.com/a b")
/// Traceback (most recent call last):
///     ...
/// urimill.RejectError: 'http://example.com/a b' is refused: ... (path_invalid_char, byte 20)
#[pyclass(name = "URI", module = "urimill", frozen)]
pub(crate) struct Uri {
    text: Box<str>,
    spec: Spec,
}

impl Uri {
    fn parsed(&self) -> PyResult<UriRef<'_>> {
        // The text was checked when the object was made.
        UriRef::parse_as(&*self.text, self.spec).map_err(|reject| PyValueError::new_err(reject.to_string()))
    }

    fn of(&self, text: &str) -> Uri {
        Uri { text: text.into(), spec: self.spec }
    }

    fn normal(&self, level: Level) -> PyResult<String> {
        Ok(urimill::normalize(&self.parsed()?, level).into_owned())
    }

    fn part<T>(&self, part: impl FnOnce(UriRef<'_>) -> Option<T>) -> PyResult<Option<T>> {
        Ok(part(self.parsed()?))
    }

    /// A reference that is passed as a URI, a str or bytes.
    fn given(value: &Bound<'_, PyAny>, spec: Spec, name: &str) -> PyResult<Uri> {
        if let Ok(uri) = value.cast::<Uri>() {
            let uri = uri.get();
            if uri.spec == spec {
                return Ok(uri.of(&uri.text));
            }
            return Uri::parse(value.py(), uri.text.as_bytes(), spec);
        }
        Uri::parse(value.py(), &bytes(value, name)?, spec)
    }

    fn parse(py: Python<'_>, text: &[u8], spec: Spec) -> PyResult<Uri> {
        match UriRef::parse_as(text, spec) {
            Ok(uri) => Ok(Uri { text: uri.as_str().into(), spec }),
            Err(reject) => Err(rejected(py, text, &reject)),
        }
    }

    /// The base, which has a scheme.
    fn base<'a>(&'a self, name: &str) -> PyResult<UriRef<'a>> {
        let uri = self.parsed()?;
        if uri.is_uri() {
            return Ok(uri);
        }
        Err(PyValueError::new_err(format!(
            "{name} '{}' has no scheme, so nothing can be resolved against it",
            self.text
        )))
    }
}

/// The fault of a base that has a scheme.
fn no_base(error: urimill::resolve::ResolveError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

#[pymethods]
impl Uri {
    #[new]
    #[pyo3(signature = (text, spec="rfc3986"))]
    fn new(text: &Bound<'_, PyAny>, spec: &str) -> PyResult<Uri> {
        Uri::given(text, named(spec)?, "text")
    }

    /// The specification by which the text is valid: ``rfc3986``, ``rfc3986-errata`` or ``rfc2396``.
    #[getter]
    fn spec(&self) -> &'static str {
        self.spec.as_str()
    }

    /// The scheme without its colon (3.1).
    #[getter]
    fn scheme(&self) -> PyResult<Option<&str>> {
        self.part(|uri| uri.scheme().map(str::len)).map(|end| end.map(|end| &self.text[..end]))
    }

    /// User information, host and port as written, without the slashes (3.2).
    #[getter]
    fn authority(&self) -> PyResult<Option<String>> {
        self.part(|uri| uri.authority().map(str::to_owned))
    }

    /// The user information without its ``@`` (3.2.1).
    #[getter]
    fn userinfo(&self) -> PyResult<Option<String>> {
        self.part(|uri| uri.userinfo().map(str::to_owned))
    }

    /// The host; an IPv6 address has its brackets (3.2.2).
    #[getter]
    fn host(&self) -> PyResult<Option<String>> {
        self.part(|uri| uri.host().map(str::to_owned))
    }

    /// ``dns_name``, ``reg_name``, ``ipv4``, ``ipv6`` or ``ipvfuture``; ``None`` without a host.
    #[getter]
    fn host_kind(&self) -> PyResult<Option<&'static str>> {
        self.part(|uri| uri.host_kind().map(|kind| kind.as_str()))
    }

    /// The IP address of the host, also for rare forms such as ``0x7f.1``; ``None`` for a name.
    #[getter]
    fn host_address(&self) -> PyResult<Option<String>> {
        self.part(|uri| uri.host_address().map(|address| address.to_string()))
    }

    /// The port as a number; ``None`` if it is missing, empty, or above 65535 (3.2.3).
    #[getter]
    fn port(&self) -> PyResult<Option<u16>> {
        self.part(|uri| uri.port().and_then(|digits| digits.parse().ok()))
    }

    /// The path, which may be empty (3.3).
    #[getter]
    fn path(&self) -> PyResult<String> {
        Ok(self.parsed()?.path().to_owned())
    }

    /// The query without its ``?`` (3.4).
    #[getter]
    fn query(&self) -> PyResult<Option<String>> {
        self.part(|uri| uri.query().map(str::to_owned))
    }

    /// The parameters of the query by the rules of HTML forms, in order: pairs of key and value, decoded; a value is
    /// ``None`` without ``=``.
    ///
    /// >>> from urimill import URI
    /// >>> URI("?q=a+b%21&q=%C3%BC&flag").query_params
    /// [('q', 'a b!'), ('q', 'ü'), ('flag', None)]
    #[getter]
    fn query_params(&self) -> PyResult<Vec<(String, Option<String>)>> {
        let uri = self.parsed()?;
        let params = query_params(uri.query().unwrap_or_default());
        Ok(params.map(|p| (p.name().into_owned(), p.value().map(|value| value.into_owned()))).collect())
    }

    /// The parameters of the path's segments (RFC 2396, 3.3): the number of the segment, key and value, decoded; a
    /// value is ``None`` without ``=``.
    ///
    /// >>> from urimill import URI
    /// >>> URI("/a;v=1;x/b;%C3%BC=").path_params
    /// [(1, 'v', '1'), (1, 'x', None), (2, 'ü', '')]
    #[getter]
    fn path_params(&self) -> PyResult<Vec<(usize, String, Option<String>)>> {
        let uri = self.parsed()?;
        let own = |p: urimill::canonical::PathParam<'_>| {
            (p.segment(), p.name().into_owned(), p.value().map(|value| value.into_owned()))
        };
        Ok(path_params(&uri).map(own).collect())
    }

    /// The fragment without its ``#`` (3.5).
    #[getter]
    fn fragment(&self) -> PyResult<Option<String>> {
        self.part(|uri| uri.fragment().map(str::to_owned))
    }

    /// The names of the flags in the row of the normal form; ``urimill.FLAGS`` lists all.
    ///
    /// >>> from urimill import URI
    /// >>> URI("http://user:password@0x7f.1:80/").flags
    /// ['has_userinfo', 'has_password', 'rare_ipv4', 'port_dropped', 'private_address']
    #[getter]
    fn flags(&self) -> Vec<&'static str> {
        let options = told::Options::new().spec(self.spec).max_record(usize::MAX);
        let shown = told::explain(&*self.text, &options);
        shown.reference.map(|reference| reference.flags.names().collect()).unwrap_or_default()
    }

    /// The normal form at a level (6.2): ``none``, ``case``, ``percent``, ``syntax`` or ``scheme``; each level includes
    /// those before it.
    ///
    /// >>> from urimill import URI
    /// >>> str(URI("HTTP://www.Example.com:80/%7Esmith/./home.html").normalized())
    /// 'http://www.example.com/~smith/home.html'
    #[pyo3(signature = (level="scheme"))]
    fn normalized(&self, level: &str) -> PyResult<Uri> {
        Ok(self.of(&self.normal(named(level)?)?))
    }

    /// The target of a reference against this base (5.2). With ``compat`` a scheme equal to the base's is ignored
    /// (5.2.2).
    ///
    /// >>> from urimill import URI
    /// >>> str(URI("http://a/b/c/d;p?q").resolve("../g"))
    /// 'http://a/b/g'
    #[pyo3(signature = (reference, *, compat=false))]
    fn resolve(&self, reference: &Bound<'_, PyAny>, compat: bool) -> PyResult<Uri> {
        let reference = Uri::given(reference, self.spec, "reference")?;
        let mode = if compat { Mode::Compatible } else { Mode::Strict };
        let base = self.base("the base")?;
        let target = resolve(&base, &reference.parsed()?, mode).map_err(no_base)?.into_owned();
        Ok(self.of(&target))
    }

    /// The shortest reference that leads from ``base`` to this URI: ``base.resolve`` of it is this URI.
    ///
    /// >>> from urimill import URI
    /// >>> str(URI("http://example.com/a/x").relative_to("http://example.com/a/b/c"))
    /// '../x'
    fn relative_to(&self, base: &Bound<'_, PyAny>) -> PyResult<Uri> {
        let base = Uri::given(base, self.spec, "base")?;
        let target = self.base("the target")?;
        let reference = relativize(&base.base("the base")?, &target).map_err(no_base)?.into_owned();
        Ok(self.of(&reference))
    }

    /// Components, each step to the normal form, and warnings, as ``urimill explain --to json`` prints them, as a dict.
    ///
    /// >>> from urimill import URI
    /// >>> [step["rule"] for step in URI("HTTP://example.com:80").explain()["reference"]["steps"]]
    /// ['scheme_case', 'empty_path', 'default_port']
    #[pyo3(signature = (level="scheme", base=None))]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        level: &str,
        base: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let base = base.map(|base| Uri::given(base, self.spec, "base")).transpose()?;
        let base = base.as_ref().map(|base| base.base("the base")).transpose()?;
        let level = named(level)?;
        let options = told::Options::new().spec(self.spec).level(level).base(base).max_record(usize::MAX);
        json(py, &told::explain(&*self.text, &options).to_json())
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = PyString::new(py, &self.text).repr()?;
        Ok(match self.spec {
            Spec::Rfc3986 => format!("URI({text})"),
            spec => format!("URI({text}, spec='{spec}')"),
        })
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Uri>() else { return Ok(false) };
        let other = other.get();
        Ok(self.spec == other.spec
            && (self.text == other.text || self.normal(Level::Scheme)? == other.normal(Level::Scheme)?))
    }

    /// The hash of the normal form as a str. It differs from process to process, so that nobody can choose URIs that
    /// collide.
    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        PyString::new(py, &self.normal(Level::Scheme)?).hash()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (String, &'static str)) {
        let uri = slf.get();
        (slf.get_type().into_any(), (uri.text.to_string(), uri.spec.as_str()))
    }

    fn __copy__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: PyRef<'py, Self>, _memo: Bound<'py, PyAny>) -> PyRef<'py, Self> {
        slf
    }
}

/// The explanation of a text, valid or not, as a dict.
#[pyfunction]
#[pyo3(signature = (text, **keywords))]
pub(crate) fn explain<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyAny>,
    keywords: Option<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let keywords = crate::options::Keywords::given(py, keywords);
    let text = match text.cast::<Uri>() {
        Ok(uri) => uri.get().text.as_bytes().to_vec(),
        Err(_) => bytes(text, "text")?,
    };
    let (spec, base) = (keywords.spec()?, keywords.text("base")?);
    let default_scheme: Option<DefaultScheme> = keywords.parsed("default_scheme")?;
    let port_rules = keywords.port_rules()?;
    let options = told::Options::new()
        .spec(spec)
        .level(keywords.parsed("level")?.unwrap_or_default())
        .base(base.as_deref().map(|base| parse_base(base, spec)).transpose().map_err(Fault::from)?)
        .mode(keywords.mode()?)
        .repair(keywords.is("repair")?)
        .default_scheme(default_scheme)
        .max_record(usize::MAX)
        .port_rules(&port_rules);
    json(py, &told::explain(text.as_slice(), &options).to_json())
}
