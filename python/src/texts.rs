//! Percent-encoding of one text at a time: data to a component's text, and back.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use urimill::encode::{FaultKind, Part, encode, encode_rest};
use urimill::{Code, Component, Reject, Spec};

use crate::answers::decoded;
use crate::errors::{Fault, reject_error, rejected};

/// The length from which on a text is not a reference that is read: every change of one has its offsets in 32 bits.
const LONGEST: usize = 512 << 20;
/// The bytes that an error has of such a text.
const SHOWN: usize = 1 << 10;

/// The bytes of a reference, given as str or bytes.
pub(crate) fn bytes(text: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<u8>> {
    let bytes = data(text, name)?;
    match bytes.len() {
        ..LONGEST => Ok(bytes),
        _ => {
            let reject = Reject { code: Code::TooLong, component: Component::Path, offset: LONGEST };
            Err(rejected(text.py(), &bytes[..SHOWN], &reject))
        }
    }
}

/// The bytes of a str or of bytes.
fn data(text: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<u8>> {
    if let Ok(text) = text.cast::<PyString>() {
        if let Ok(text) = text.to_str() {
            return Ok(text.as_bytes().to_vec());
        }
        let bytes = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
        return Ok(bytes.cast::<PyBytes>()?.as_bytes().to_vec());
    }
    if let Ok(bytes) = text.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    let kind = text.get_type().name()?;
    Err(PyTypeError::new_err(format!("{name} must be a str or bytes, not {kind}")))
}

/// The value with this name, or the library's error.
pub(crate) fn named<T: std::str::FromStr<Err: Into<urimill::Error>>>(name: &str) -> PyResult<T> {
    Ok(name.parse().map_err(|error: T::Err| Fault::Own(error.into()))?)
}

/// A text as messages show it: with passwords masked.
#[pyfunction]
pub(crate) fn masked(text: &str) -> String {
    urimill::passwords::masked(text).into_owned()
}

#[pyfunction]
pub(crate) fn encode_text(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    component: &str,
    keep_triplets: bool,
    spec: &str,
) -> PyResult<String> {
    let data = self::data(data, "data")?;
    let (part, spec): (Part, Spec) = (named(component)?, named(spec)?);
    let encode = if keep_triplets { encode_rest } else { encode };
    match encode(&data, part, spec) {
        Ok(encoded) => Ok(encoded.into_owned()),
        Err(fault) => {
            let (kind, offset) = (fault.kind, fault.offset);
            Err(reject_error(py, &data, (kind.as_str(), component, offset, kind.sentence())))
        }
    }
}

#[pyfunction]
pub(crate) fn decode_text<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyAny>,
    component: Option<&str>,
    lenient: bool,
    spec: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let text = data(text, "data")?;
    let (part, spec): (Option<Part>, Spec) = (component.map(named).transpose()?, named(spec)?);
    match decoded(&text, (part, lenient), spec) {
        Ok(data) => Ok(PyBytes::new(py, &data)),
        Err((code, offset)) => {
            let known = Code::ALL.into_iter().find(|known| known.as_str() == code);
            let sentence = known.map_or(FaultKind::OutsidePart.sentence(), Code::sentence);
            Err(reject_error(py, &text, (code, component.unwrap_or("text"), offset, sentence)))
        }
    }
}
