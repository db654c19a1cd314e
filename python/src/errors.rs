//! Failures as Python's exceptions: the kind of an error chooses the class, and a panic is a `RuntimeError`.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_schema::ArrowError;
use pyo3::exceptions::{PyBrokenPipeError, PyOSError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use urimill::option_name::Mention;
use urimill::run::options::is_switch;
use urimill::{Error, ErrorKind, Reject};

/// The result of this module's functions, before it becomes Python's.
pub(crate) type Result<T, E = Fault> = std::result::Result<T, E>;

/// The reason why a call failed.
#[derive(Debug)]
pub(crate) enum Fault {
    /// An error of urimill.
    Own(Error),
    /// A column of a type that cannot hold URIs.
    Type(String),
    /// An exception of Python: from a callback, or an interrupt.
    Python(PyErr),
    /// An error of Arrow, or of the program that wrote the stream.
    Arrow(ArrowError),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        Fault::Own(error)
    }
}

impl From<urimill::uri::Error> for Fault {
    fn from(error: urimill::uri::Error) -> Fault {
        Fault::Own(error.into())
    }
}

impl From<PyErr> for Fault {
    fn from(error: PyErr) -> Fault {
        Fault::Python(error)
    }
}

/// A fault of urimill that went through a stream of Arrow data comes back unchanged.
impl From<ArrowError> for Fault {
    fn from(error: ArrowError) -> Fault {
        match error {
            ArrowError::ExternalError(inner) => match inner.downcast::<Carried>() {
                Ok(carried) => carried.0,
                Err(other) => Fault::Arrow(ArrowError::ExternalError(other)),
            },
            other => Fault::Arrow(other),
        }
    }
}

impl From<Fault> for ArrowError {
    fn from(fault: Fault) -> ArrowError {
        ArrowError::ExternalError(Box::new(Carried(fault)))
    }
}

/// A fault on its way through Arrow's interfaces, whose callers may be written in any language.
#[derive(Debug)]
struct Carried(Fault);

impl std::fmt::Display for Carried {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Fault::Own(error) => error.fmt(f),
            Fault::Type(sentence) => f.write_str(sentence),
            Fault::Python(error) => error.fmt(f),
            Fault::Arrow(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Carried {}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> PyErr {
        match fault {
            Fault::Own(error) => own(&error),
            Fault::Type(sentence) => PyTypeError::new_err(sentence),
            Fault::Python(error) => error,
            // The C data interface passes on only the text of a foreign stream's error.
            Fault::Arrow(ArrowError::CDataInterface(text)) => {
                PyRuntimeError::new_err(format!("the stream that was read failed: {text}"))
            }
            Fault::Arrow(ArrowError::IoError(text, _)) => PyOSError::new_err(text),
            Fault::Arrow(error) => PyValueError::new_err(error.to_string()),
        }
    }
}

fn own(error: &Error) -> PyErr {
    let sentence = error.in_words(keyword).into_owned();
    match error.kind() {
        ErrorKind::Usage | ErrorKind::InvalidRecord => PyValueError::new_err(sentence),
        ErrorKind::ClosedPipe => PyBrokenPipeError::new_err(sentence),
        ErrorKind::Io | ErrorKind::Data => match (error.io_error().and_then(number), error.file()) {
            // Given a number and a file, Python makes the subclass, such as FileNotFoundError.
            (Some(number), Some(file)) => {
                let what = io::Error::from_raw_os_error(number).to_string();
                let what = what.split(" (os error").next().unwrap_or_default().to_owned();
                PyOSError::new_err((number, what, file.as_os_str().to_owned()))
            }
            _ => PyOSError::new_err(sentence),
        },
        _ => PyRuntimeError::new_err(sentence),
    }
}

/// The system's number for an error. If urimill found that a file is missing without asking the system, the number that
/// the system has for it.
fn number(error: &io::Error) -> Option<i32> {
    const NO_SUCH_FILE: i32 = 2;
    error.raw_os_error().or((error.kind() == io::ErrorKind::NotFound).then_some(NO_SUCH_FILE))
}

/// An option as a keyword argument: `format="csv"`.
pub(crate) fn keyword(mention: &Mention<'_>) -> String {
    let name = mention.option.keyword();
    let is_number = |value: &str| value.bytes().all(|b| b.is_ascii_digit());
    let written = |value: &str| match mention.option {
        option if is_switch(option) => "True".to_owned(),
        // A word in capitals is a placeholder for a value.
        _ if mention.is_placeholder() || is_number(value) => value.to_owned(),
        _ => format!("{value:?}"),
    };
    match mention.values(written) {
        None => name.to_owned(),
        Some(values) => format!("{name}={values}"),
    }
}

/// A text that is not a URI reference, as `urimill.RejectError`.
pub(crate) fn rejected(py: Python<'_>, text: &[u8], reject: &Reject) -> PyErr {
    let details = (reject.code.as_str(), reject.component.as_str(), reject.offset, reject.code.sentence());
    reject_error(py, text, details)
}

/// `urimill.RejectError` with code, component, offset and sentence.
pub(crate) fn reject_error(py: Python<'_>, text: &[u8], details: (&str, &str, usize, &str)) -> PyErr {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class = CLASS.get_or_try_init(py, || -> PyResult<_> {
        Ok(py.import("urimill._errors")?.getattr("RejectError")?.unbind())
    });
    let (code, component, offset, sentence) = details;
    let arguments = (String::from_utf8_lossy(text).into_owned(), code, component, offset, sentence);
    match class.and_then(|class| class.bind(py).call1(arguments)) {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// Runs `work` while other threads of Python continue.
pub(crate) fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    py.detach(|| caught(work)).map_err(PyErr::from)
}

/// Runs `work`; a panic, which is a defect, does not end the interpreter.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or(panic.downcast_ref::<&str>().copied()).unwrap_or("it gave no reason");
        let sentence = format!("this is a defect of urimill, please report it: {said}");
        Err(Fault::Own(Error::new(ErrorKind::Internal, sentence)))
    })
}

/// Runs a body whose panic becomes a Python exception.
pub(crate) fn calm<T>(body: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    caught(|| Ok(body()?)).map_err(PyErr::from)
}

/// The fault of urimill in an error, if it holds one.
pub(crate) fn usage(sentence: impl Into<String>) -> Fault {
    Fault::Own(Error::usage(sentence))
}
