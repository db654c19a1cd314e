//! An explanation as JSON, for the command line and for programs in other languages. The names are stable; fields that
//! do not apply are null or empty lists.

use alloc::string::String;
use alloc::string::ToString;
use alloc::vec::Vec;
use serde_json::{Value, json};

use super::{Explanation, Fault, Found, Reference, Resolution, UrlReading};
use crate::audit::FLAGS;
use crate::resolve::Mode;
use crate::whatwg::{Disagreement, State};

impl Explanation {
    /// The whole explanation. Invalid UTF-8 becomes U+FFFD; offsets count bytes of the input text.
    ///
    /// ```
    /// use urimill_uri::explain::{Options, explain};
    ///
    /// let told = explain("HTTP://example.com/", &Options::default()).to_json();
    /// assert_eq!(told["reference"]["normal_form"], "http://example.com/");
    /// assert_eq!(told["reference"]["steps"][0]["rule"], "scheme_case");
    /// ```
    pub fn to_json(&self) -> Value {
        json!({
            "text": String::from_utf8_lossy(&self.text),
            "spec": self.spec.as_str(),
            "level": self.level.as_str(),
            "valid": self.fault.is_none(),
            "error": self.fault.as_ref().map(error),
            "mended": self.mended,
            "repaired": self.is_repaired(),
            "reference": self.reference.as_ref().map(reference),
            "whatwg": self.url.as_ref().map(url),
        })
    }
}

fn url(url: &UrlReading) -> Value {
    let failure = url.href.as_ref().err().map(|failure| {
        json!({
            "error": failure.error.as_str(), "sentence": failure.error.sentence(), "offset": failure.offset,
            "state": url.failed_in.map(State::as_str),
        })
    });
    let errors = url.errors.iter().map(|traced| {
        json!({
            "error": traced.error.as_str(), "sentence": traced.error.sentence(), "offset": traced.offset,
            "state": traced.state.map(State::as_str),
        })
    });
    json!({
        "href": url.href.as_ref().ok(),
        "host": url.host,
        "failure": failure,
        "disagreement": url.disagreements.iter().map(Disagreement::as_str).collect::<Vec<_>>(),
        "validation_errors": errors.collect::<Vec<_>>(),
    })
}

fn error(fault: &Fault) -> Value {
    let reject = fault.reject;
    let found = match fault.found {
        Found::Char(c) => Some(c.to_string()),
        Found::Byte(_) | Found::End => None,
    };
    let rule =
        fault.rule.map(|rule| json!({ "name": rule.name(), "line": rule.line, "section": rule.section }));
    json!({
        "code": reject.code.as_str(),
        "sentence": reject.code.sentence(),
        "component": reject.component.as_str(),
        "offset": reject.offset,
        "column": fault.chars_before + 1,
        "found": found,
        "until_there": fault.until_there,
        "rule": rule,
    })
}

fn reference(reference: &Reference) -> Value {
    let components = reference.parts.iter().map(|part| {
        json!({
            "name": part.component.as_str(), "start": part.start, "end": part.end, "text": part.text,
        })
    });
    let steps = reference.steps.iter().map(|step| {
        json!({
            "level": step.level.as_str(), "rule": step.rule.as_str(), "sentence": step.rule.sentence(),
            "section": step.section, "before": step.before, "after": step.after,
        })
    });
    let params = reference
        .path_params
        .iter()
        .map(|param| json!({ "segment": param.segment, "key": param.key, "value": param.value }));
    let flags = FLAGS.iter().filter(|flag| reference.flags.0 & flag.bit != 0);
    json!({
        "text": reference.text,
        "form": reference.form.as_str(),
        "components": components.collect::<Vec<_>>(),
        "path_params": params.collect::<Vec<_>>(),
        "host_kind": reference.host.map(|kind| kind.as_str()),
        "host_address": reference.address.map(|address| address.to_string()),
        "resolution": reference.resolution.as_ref().map(resolution),
        "steps": steps.collect::<Vec<_>>(),
        "normal_form": reference.normal,
        "flags": flags
            .map(|flag| json!({ "name": flag.name, "meaning": flag.meaning.trim() }))
            .collect::<Vec<_>>(),
    })
}

fn resolution(resolution: &Resolution) -> Value {
    let path = resolution.path.iter().map(|change| {
        json!({
            "rule": change.rule.as_str(), "sentence": change.rule.sentence(), "section": change.section,
            "before": change.before, "after": change.after,
        })
    });
    json!({
        "base": resolution.base,
        "mode": match resolution.mode {
            Mode::Strict => "strict",
            Mode::Compatible => "compatible",
        },
        "branch": resolution.branch.as_str(),
        "sentence": resolution.branch.sentence(),
        "section": resolution.section,
        "path": path.collect::<Vec<_>>(),
        "target": resolution.target,
        "same_document": resolution.same_document,
    })
}
