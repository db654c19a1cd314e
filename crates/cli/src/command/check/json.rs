//! Rejects and differences as JSON Lines. Members have the names of the table's columns if the table has them.

use std::io::Write;

use serde_json::{Map, Value, json};

use urimill::Standard;
use urimill::explain::{Difference, Fault};
use urimill::printable::printable_json;
use urimill::run::Finding;

/// `column` counts characters from 1, `error_offset` bytes from 0. `text` has U+FFFD in place of bytes that are not
/// UTF-8, and `***` in place of a password; `column` and `error_offset` refer to the record without these replacements.
pub(super) fn reject(page: &mut Vec<u8>, place: &Finding<'_>, fault: &Fault) {
    let reject = fault.reject;
    let row = json!({
        "source": place.source,
        "record": place.record,
        "column": fault.chars_before + 1,
        "error": reject.code.as_str(),
        "error_offset": reject.offset,
        "component": reject.component.as_str(),
        "sentence": reject.code.sentence(),
        "text": String::from_utf8_lossy(&place.text.text),
    });
    // Writing to a vector cannot fail.
    let _ = writeln!(page, "{}", printable_json(&row.to_string()));
}

/// `differences` is a list of `{"aspect", "values"}` with one value for each specification.
pub(super) fn differences(
    page: &mut Vec<u8>,
    place: &Finding<'_>,
    specs: &[Standard],
    differences: &[Difference],
) {
    let differences = differences.iter().map(|difference| {
        let by_spec = specs.iter().zip(&difference.values);
        let values: Map<_, _> =
            by_spec.map(|(spec, value)| (spec.as_str().to_owned(), json!(value))).collect();
        json!({ "aspect": difference.aspect.as_str(), "values": values })
    });
    let row = json!({
        "source": place.source,
        "record": place.record,
        "text": String::from_utf8_lossy(&place.text.text),
        "differences": differences.collect::<Vec<Value>>(),
    });
    let _ = writeln!(page, "{}", printable_json(&row.to_string()));
}
