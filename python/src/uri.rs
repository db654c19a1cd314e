//! One URI reference as a value of Python.

use std::borrow::Cow;

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use urimill::canonical::path_params;
use urimill::explain as told;
use urimill::normalize::DefaultScheme;
use urimill::resolve::parse_base;
use urimill::resolve::{Mode, relativize, resolve};
use urimill::uri::Segment;
use urimill::{HostKind, Level, Rung, Spec, UriRef, compare, normalize};

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
pub(crate) struct Uri(urimill::Uri);

impl Uri {
    fn of(&self, text: &str) -> PyResult<Uri> {
        let uri = urimill::Uri::parse_as(text, self.0.spec());
        uri.map(Uri).map_err(|reject| PyValueError::new_err(reject.to_string()))
    }

    /// A reference that is passed as a URI, a str or bytes.
    fn given(value: &Bound<'_, PyAny>, spec: Spec, name: &str) -> PyResult<Uri> {
        if let Ok(uri) = value.cast::<Uri>() {
            let uri = &uri.get().0;
            if uri.spec() == spec {
                return Ok(Uri(uri.clone()));
            }
            return Uri::parse(value.py(), uri.as_str().as_bytes(), spec);
        }
        Uri::parse(value.py(), &bytes(value, name)?, spec)
    }

    fn parse(py: Python<'_>, text: &[u8], spec: Spec) -> PyResult<Uri> {
        urimill::Uri::parse_as(text, spec).map(Uri).map_err(|reject| rejected(py, text, &reject))
    }

    /// The base, which has a scheme.
    fn base(&self, name: &str) -> PyResult<UriRef<'_>> {
        if self.0.is_uri() {
            return Ok(self.0.as_uri_ref());
        }
        Err(PyValueError::new_err(format!(
            "{name} '{}' has no scheme, so nothing can be resolved against it",
            self.0
        )))
    }
}

/// A copy with another part, or the reason why it is no part.
fn changed(copy: Result<urimill::Uri, urimill::uri::Error>) -> PyResult<Uri> {
    Ok(Uri(copy.map_err(Fault::from)?))
}

/// A port, which Python has as a number of any size.
fn port_number(port: &Bound<'_, PyAny>) -> PyResult<u16> {
    match port.extract::<u16>() {
        Err(error) if error.is_instance_of::<PyOverflowError>(port.py()) => {
            Err(PyValueError::new_err(format!("the port {port} is not a number from 0 to 65535")))
        }
        port => port,
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

    /// A URI reference from parts. Each part is data, and percent-encoded for its component; a slash in one of the
    /// ``segments`` is data, too. ``host`` is a name, an IPv4 address, or an IP literal in brackets: anything else
    /// raises :class:`ValueError`, and so do parts that make no URI.
    ///
    /// >>> from urimill import URI
    /// >>> str(URI.build(scheme="https", host="example.com", segments=["a b", "AC/DC"], query_pairs=[("q", "x&y")]))
    /// 'https://example.com/a%20b/AC%2FDC?q=x%26y'
    /// >>> URI.build(host="example.com:80")
    /// Traceback (most recent call last):
    ///     ...
    /// ValueError: "example.com:80" is no host: a colon begins a port, ... (byte 11; RFC 3986, 3.2.2)
    #[staticmethod]
    #[pyo3(signature = (
        *, scheme=None, userinfo=None, host=None, port=None, path=None, segments=None, query=None, query_pairs=None,
        fragment=None
    ))]
    // The components of a URI, as keywords.
    #[allow(clippy::too_many_arguments)]
    fn build(
        scheme: Option<&str>,
        userinfo: Option<&str>,
        host: Option<&str>,
        port: Option<&Bound<'_, PyAny>>,
        path: Option<&str>,
        segments: Option<Vec<String>>,
        query: Option<&str>,
        query_pairs: Option<Vec<(String, String)>>,
        fragment: Option<&str>,
    ) -> PyResult<Uri> {
        let mut builder = urimill::Uri::builder();
        macro_rules! set {
            ($($part:ident)*) => {$(
                if let Some($part) = $part {
                    builder = builder.$part($part);
                }
            )*};
        }
        let port = port.map(port_number).transpose()?;
        set!(scheme userinfo host port path segments query fragment);
        for (name, value) in query_pairs.iter().flatten() {
            builder = builder.query_pair(name, value);
        }
        changed(builder.build())
    }

    /// The specification by which the text is valid: ``rfc3986``, ``rfc3986-errata`` or ``rfc2396``.
    #[getter]
    fn spec(&self) -> &'static str {
        self.0.spec().as_str()
    }

    /// The scheme without its colon (3.1).
    #[getter]
    fn scheme(&self) -> Option<&str> {
        self.0.scheme()
    }

    /// User information, host and port as written, without the slashes (3.2).
    #[getter]
    fn authority(&self) -> Option<&str> {
        self.0.authority()
    }

    /// The user information without its ``@`` (3.2.1).
    #[getter]
    fn userinfo(&self) -> Option<&str> {
        self.0.userinfo()
    }

    /// The host; an IPv6 address has its brackets (3.2.2).
    #[getter]
    fn host(&self) -> Option<&str> {
        self.0.host()
    }

    /// ``dns_name``, ``reg_name``, ``ipv4``, ``ipv6`` or ``ipvfuture``; ``None`` without a host.
    #[getter]
    fn host_kind(&self) -> Option<&'static str> {
        self.0.host_kind().map(HostKind::as_str)
    }

    /// The IP address of the host, also for rare forms such as ``0x7f.1``; ``None`` for a name.
    #[getter]
    fn host_address(&self) -> Option<String> {
        self.0.host_address().map(|address| address.to_string())
    }

    /// The registered domain of the host by the public suffix list, in ASCII and lower case; ``None`` for an address and
    /// for a name below no suffix of the registries.
    ///
    /// >>> from urimill import URI
    /// >>> URI("https://www.Example.co.uk/a").registered_domain
    /// 'example.co.uk'
    #[getter]
    fn registered_domain(&self) -> Option<Cow<'_, str>> {
        self.0.registered_domain()
    }

    /// The port as a number; ``None`` if it is missing, empty, or above 65535 (3.2.3).
    #[getter]
    fn port(&self) -> Option<u16> {
        self.0.port_number()
    }

    /// The port that a connection goes to: ``port``, or the scheme's default where there are no digits.
    #[getter]
    fn port_or_default(&self) -> Option<u16> {
        self.0.port_or_default()
    }

    /// The path, which may be empty (3.3).
    #[getter]
    fn path(&self) -> &str {
        self.0.path()
    }

    /// The segments of the path, as written (3.3).
    ///
    /// >>> from urimill import URI
    /// >>> URI("http://example.com/a%2Fb/c/").segments
    /// ['a%2Fb', 'c', '']
    #[getter]
    fn segments(&self) -> Vec<&str> {
        self.0.segments().map(Segment::as_str).collect()
    }

    /// The query without its ``?`` (3.4).
    #[getter]
    fn query(&self) -> Option<&str> {
        self.0.query()
    }

    /// The names and values of the query as written, in order; a value is ``None`` without ``=``. ``query_params`` has
    /// them decoded.
    ///
    /// >>> from urimill import URI
    /// >>> URI("?q=a+b%21&flag").query_pairs
    /// [('q', 'a+b%21'), ('flag', None)]
    #[getter]
    fn query_pairs(&self) -> Vec<(&str, Option<&str>)> {
        self.0.query_pairs().collect()
    }

    /// The parameters of the query by the rules of HTML forms, in order: pairs of key and value, decoded; a value is
    /// ``None`` without ``=``.
    ///
    /// >>> from urimill import URI
    /// >>> URI("?q=a+b%21&q=%C3%BC&flag").query_params
    /// [('q', 'a b!'), ('q', 'ü'), ('flag', None)]
    #[getter]
    fn query_params(&self) -> Vec<(Cow<'_, str>, Option<Cow<'_, str>>)> {
        self.0.query_params().map(|param| (param.name(), param.value())).collect()
    }

    /// The parameters of the path's segments (RFC 2396, 3.3): the number of the segment, key and value, decoded; a
    /// value is ``None`` without ``=``.
    ///
    /// >>> from urimill import URI
    /// >>> URI("/a;v=1;x/b;%C3%BC=").path_params
    /// [(1, 'v', '1'), (1, 'x', None), (2, 'ü', '')]
    #[getter]
    fn path_params(&self) -> Vec<(usize, Cow<'_, str>, Option<Cow<'_, str>>)> {
        path_params(&self.0).map(|param| (param.segment(), param.name(), param.value())).collect()
    }

    /// The fragment without its ``#`` (3.5).
    #[getter]
    fn fragment(&self) -> Option<&str> {
        self.0.fragment()
    }

    /// Whether it is a ``URI``: it has a scheme (3).
    #[getter]
    fn is_uri(&self) -> bool {
        self.0.is_uri()
    }

    /// Whether it is a ``relative-ref``: it has no scheme (4.2).
    #[getter]
    fn is_relative_reference(&self) -> bool {
        self.0.is_relative_reference()
    }

    /// Whether it is an ``absolute-URI``: a scheme, and no fragment (4.3).
    #[getter]
    fn is_absolute_uri(&self) -> bool {
        self.0.is_absolute_uri()
    }

    /// The names of the flags in the row of the normal form; ``urimill.FLAGS`` lists all.
    ///
    /// >>> from urimill import URI
    /// >>> URI("http://user:password@0x7f.1:80/").flags
    /// ['has_userinfo', 'has_password', 'rare_ipv4', 'port_dropped', 'private_address']
    #[getter]
    fn flags(&self) -> Vec<&'static str> {
        let options = told::Options::new().spec(self.0.spec()).max_record(usize::MAX);
        let shown = told::explain(self.0.as_str(), &options);
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
        Ok(Uri(self.0.normalized(named(level)?)))
    }

    /// The target of a reference against this base (5.2); ``resolve`` can also ignore a scheme.
    ///
    /// >>> from urimill import URI
    /// >>> str(URI("http://a/b/c/d;p?q").join("../g"))
    /// 'http://a/b/g'
    fn join(&self, reference: &Bound<'_, PyAny>) -> PyResult<Uri> {
        self.resolve(reference, false)
    }

    /// The target of a reference against this base (5.2). With ``compat`` a scheme equal to the base's is ignored
    /// (5.2.2).
    ///
    /// >>> from urimill import URI
    /// >>> str(URI("http://a/b/c/d;p?q").resolve("../g"))
    /// 'http://a/b/g'
    #[pyo3(signature = (reference, *, compat=false))]
    fn resolve(&self, reference: &Bound<'_, PyAny>, compat: bool) -> PyResult<Uri> {
        let reference = Uri::given(reference, self.0.spec(), "reference")?;
        let mode = if compat { Mode::Compatible } else { Mode::Strict };
        self.of(&resolve(&self.base("the base")?, &reference.0, mode).map_err(no_base)?)
    }

    /// The shortest reference that leads from ``base`` to this URI: ``base.resolve`` of it is this URI.
    ///
    /// >>> from urimill import URI
    /// >>> str(URI("http://example.com/a/x").relative_to("http://example.com/a/b/c"))
    /// '../x'
    fn relative_to(&self, base: &Bound<'_, PyAny>) -> PyResult<Uri> {
        let base = Uri::given(base, self.0.spec(), "base")?;
        let target = self.base("the target")?;
        self.of(&relativize(&base.base("the base")?, &target).map_err(no_base)?)
    }

    /// A copy with another scheme (3.1), without its colon. ``with_*`` raise :class:`ValueError` for what is no such
    /// part.
    ///
    /// >>> from urimill import URI
    /// >>> str(URI("http://example.com/a").with_scheme("https"))
    /// 'https://example.com/a'
    fn with_scheme(&self, scheme: &str) -> PyResult<Uri> {
        changed(self.0.with_scheme(scheme))
    }

    /// A copy with other user information (3.2.1) as a URI has it: percent-encoded.
    fn with_userinfo(&self, userinfo: &str) -> PyResult<Uri> {
        changed(self.0.with_userinfo(userinfo))
    }

    /// A copy with another host (3.2.2): a name, an IPv4 address, or an IP literal in brackets.
    ///
    /// >>> from urimill import URI
    /// >>> str(URI("http://example.com:8080/a").with_host("[2001:db8::1]"))
    /// 'http://[2001:db8::1]:8080/a'
    fn with_host(&self, host: &str) -> PyResult<Uri> {
        changed(self.0.with_host(host))
    }

    /// A copy with another port (3.2.3).
    fn with_port(&self, port: &Bound<'_, PyAny>) -> PyResult<Uri> {
        changed(self.0.with_port(port_number(port)?))
    }

    /// A copy with another path (3.3) as a URI has it: percent-encoded.
    fn with_path(&self, path: &str) -> PyResult<Uri> {
        changed(self.0.with_path(path))
    }

    /// A copy with another query (3.4) as a URI has it: percent-encoded.
    ///
    /// >>> from urimill import URI
    /// >>> str(URI("http://example.com/a#f").with_query("page=2"))
    /// 'http://example.com/a?page=2#f'
    fn with_query(&self, query: &str) -> PyResult<Uri> {
        changed(self.0.with_query(query))
    }

    /// A copy with another fragment (3.5) as a URI has it: percent-encoded.
    fn with_fragment(&self, fragment: &str) -> PyResult<Uri> {
        changed(self.0.with_fragment(fragment))
    }

    /// A copy without user information, which often has a password (7.5).
    fn without_userinfo(&self) -> Uri {
        Uri(self.0.without_userinfo())
    }

    /// A copy without the port.
    fn without_port(&self) -> Uri {
        Uri(self.0.without_port())
    }

    /// A copy without the query.
    fn without_query(&self) -> Uri {
        Uri(self.0.without_query())
    }

    /// A copy without the fragment: what is fetched.
    fn without_fragment(&self) -> Uri {
        Uri(self.0.without_fragment())
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
        let base = base.map(|base| Uri::given(base, self.0.spec(), "base")).transpose()?;
        let base = base.as_ref().map(|base| base.base("the base")).transpose()?;
        let level = named(level)?;
        let options = told::Options::new().spec(self.0.spec()).level(level).base(base).max_record(usize::MAX);
        json(py, &told::explain(self.0.as_str(), &options).to_json())
    }

    fn __str__(&self) -> &str {
        self.0.as_str()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = PyString::new(py, &urimill::passwords::masked(self.0.as_str())).repr()?;
        Ok(match self.0.spec() {
            Spec::Rfc3986 => format!("URI({text})"),
            spec => format!("URI({text}, spec='{spec}')"),
        })
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Uri>() else { return false };
        let (uri, other) = (&self.0, &other.get().0);
        uri.spec() == other.spec() && (uri == other || compare(uri, other) != Rung::Different)
    }

    /// The hash of the normal form as a str. It differs from process to process, so that nobody can choose URIs that
    /// collide.
    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        PyString::new(py, &normalize(&self.0, Level::Scheme)).hash()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (String, &'static str)) {
        let uri = &slf.get().0;
        (slf.get_type().into_any(), (uri.to_string(), uri.spec().as_str()))
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
        Ok(uri) => uri.get().0.as_str().as_bytes().to_vec(),
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
