//! One URL by the URL Standard as a value of Python.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use urimill::Spec;
use urimill::passwords::masked;
use urimill::whatwg;
use urimill::whatwg::{Disagreement, Failure, OwnedUrl};

use crate::texts::bytes;

/// A URL by the WHATWG URL Standard, as browsers parse it.
///
/// ``base`` is the URL that a relative one is resolved against. A text without a URL raises :class:`ValueError` with
/// the standard's name for the failure. Members have the standard's names and values: ``protocol`` includes its colon,
/// ``search`` its question mark, and missing parts are ``""``. Two URLs are equal if their serializations are.
///
/// >>> from urimill import URL
/// >>> url = URL(r"HTTPS:\\me@EXAMPLE.com:443\a b?q#f")
/// >>> url.href
/// 'https://me@example.com/a%20b?q#f'
/// >>> url.protocol, url.username, url.hostname, url.port, url.pathname, url.search, url.hash
/// ('https:', 'me', 'example.com', '', '/a%20b', '?q', '#f')
/// >>> URL("../c", base=url).href
/// 'https://me@example.com/c'
/// >>> URL.can_parse("http://[::1"), URL.can_parse("http://127.1/")
/// (False, True)
/// >>> URL("http://[::1")
/// Traceback (most recent call last):
///     ...
/// ValueError: 'http://[::1' has no URL: the bracket of the IPv6 address is not closed (IPv6-unclosed, byte 11)
#[pyclass(name = "URL", module = "urimill", frozen)]
pub(crate) struct Url(OwnedUrl);

/// A base, which may be a URL, a str or bytes.
fn base_of(value: &Bound<'_, PyAny>) -> PyResult<OwnedUrl> {
    match value.cast::<Url>() {
        Ok(url) => Ok(url.get().0.clone()),
        Err(_) => parsed(&bytes(value, "base")?, None),
    }
}

fn parsed(text: &[u8], base: Option<&OwnedUrl>) -> PyResult<OwnedUrl> {
    whatwg::Url::parse(text, base).map(whatwg::Url::into_owned).map_err(|failure| refused(text, failure))
}

fn refused(text: &[u8], failure: Failure) -> PyErr {
    let shown = urimill::passwords::Masked::new(text, false).text;
    PyValueError::new_err(format!(
        "'{}' has no URL: {} ({}, byte {})",
        String::from_utf8_lossy(&shown).escape_debug(),
        failure.error.sentence(),
        failure.error,
        failure.offset
    ))
}

#[pymethods]
impl Url {
    #[new]
    #[pyo3(signature = (text, base=None))]
    fn new(text: &Bound<'_, PyAny>, base: Option<&Bound<'_, PyAny>>) -> PyResult<Url> {
        let base = base.map(base_of).transpose()?;
        match text.cast::<Url>() {
            Ok(url) => Ok(Url(url.get().0.clone())),
            Err(_) => parsed(&bytes(text, "text")?, base.as_ref()).map(Url),
        }
    }

    /// Whether a text has a URL, against a base if there is one.
    #[staticmethod]
    #[pyo3(signature = (text, base=None))]
    fn can_parse(text: &Bound<'_, PyAny>, base: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
        let text = bytes(text, "text")?;
        Ok(match base {
            None => whatwg::Url::can_parse(&*text, None),
            Some(base) => match base.cast::<Url>() {
                Ok(base) => whatwg::Url::can_parse(&*text, Some(&base.get().0)),
                // With a base that is not a URL nothing resolves.
                Err(_) => whatwg::Url::parse(&*bytes(base, "base")?, None)
                    .is_ok_and(|base| whatwg::Url::can_parse(&*text, Some(&base))),
            },
        })
    }

    /// The differences between the URL Standard and RFC 3986 for a text: names, as in the column ``disagreement``.
    #[staticmethod]
    #[pyo3(signature = (text, base=None))]
    fn disagreements(
        text: &Bound<'_, PyAny>,
        base: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<&'static str>> {
        let base = base.map(base_of).transpose()?;
        let found = whatwg::disagreements(&*bytes(text, "text")?, base.as_ref(), Spec::Rfc3986);
        Ok(found.iter().map(Disagreement::as_str).collect())
    }

    /// The serialization of the URL.
    #[getter]
    fn href(&self) -> &str {
        self.0.href()
    }

    /// Scheme, host and port, serialized; ``null`` for an opaque origin.
    #[getter]
    fn origin(&self) -> String {
        self.0.origin().into_owned()
    }

    /// The scheme with its colon.
    #[getter]
    fn protocol(&self) -> &str {
        self.0.protocol()
    }

    /// The user name.
    #[getter]
    fn username(&self) -> &str {
        self.0.username()
    }

    /// The password.
    #[getter]
    fn password(&self) -> &str {
        self.0.password()
    }

    /// The host and, if it is not the scheme's default, the port.
    #[getter]
    fn host(&self) -> &str {
        self.0.host()
    }

    /// The host.
    #[getter]
    fn hostname(&self) -> &str {
        self.0.hostname()
    }

    /// The digits of the port; empty for the scheme's default.
    #[getter]
    fn port(&self) -> &str {
        self.0.port()
    }

    /// The path.
    #[getter]
    fn pathname(&self) -> &str {
        self.0.pathname()
    }

    /// The query with its question mark.
    #[getter]
    fn search(&self) -> &str {
        self.0.search()
    }

    /// The fragment with its number sign.
    #[getter]
    fn hash(&self) -> &str {
        self.0.hash()
    }

    fn __str__(&self) -> &str {
        self.0.href()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("URL({})", PyString::new(py, &masked(self.0.href())).repr()?))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Url>().is_ok_and(|other| other.get().0 == self.0)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        PyString::new(py, self.0.href()).hash()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let arguments = PyTuple::new(slf.py(), [slf.get().0.href()])?;
        Ok((slf.get_type().into_any(), arguments))
    }

    fn __copy__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: PyRef<'py, Self>, _memo: Bound<'py, PyAny>) -> PyRef<'py, Self> {
        slf
    }
}
