//! Rejects and differences as lines for people and editors.

use std::io::Write;

use crate::term::colour::{Paint, Style};
use crate::term::marked::{Marked, found, mark, mark_apart};
use crate::term::stderr::printable;
use urimill::Standard;
use urimill::explain::{Difference, Fault, Found};
use urimill::passwords::userinfos;
use urimill::run::Finding;
use urimill::uri::{Code, Component};

/// Writes `FILE:RECORD:COLUMN: CODE: SENTENCE`, the record, and a caret under the byte. The column counts characters
/// from 1, as editors do.
pub(super) fn reject(page: &mut Vec<u8>, place: &Finding<'_>, fault: &Fault, paint: Paint) {
    let code = fault.reject.code;
    let found = match (code, fault.found) {
        (Code::TooLong, _) | (Code::NotUtf8, Found::Char(_) | Found::End) => String::new(),
        // The fault is not in the text, so no caret is shown.
        (Code::FieldMissing | Code::BaseNotAbsolute | Code::BaseInvalid, _) => String::new(),
        // A single character of a password is masked, too.
        _ if place.text.hides(fault.reject.offset) => String::new(),
        // The character at the offset is right; the fault is before it.
        _ if fault.until_there.is_some() => String::new(),
        (_, what) => format!(": {}", found(what)),
    };
    let at = format!("{}:{}:{}:", printable(place.source), place.record, fault.chars_before + 1);
    let marked = shown(&place.text.text, place.text.at(fault.reject.offset), paint);
    // Writing to a vector cannot fail.
    let _ = writeln!(
        page,
        "{} {}: {}{found}\n  {}\n  {:caret$}{}",
        paint.text(Style::Place, &at),
        paint.text(Style::Fault, code.as_str()),
        code.sentence(),
        marked.line,
        "",
        paint.text(Style::Fault, "^"),
        caret = marked.caret,
    );
}

/// A record with its user information in a colour of its own (RFC 3986, 3.2.1).
fn shown(text: &[u8], offset: usize, paint: Paint) -> Marked {
    let apart = |userinfo: &str| paint.text(Style::Component(Component::Userinfo), userinfo);
    mark_apart(text, offset, &userinfos(text), apart)
}

/// Writes `FILE:RECORD: ASPECTS`, the record, and under each aspect one line per specification.
pub(super) fn differences(
    page: &mut Vec<u8>,
    place: &Finding<'_>,
    specs: &[Standard],
    differences: &[Difference],
    paint: Paint,
) {
    let at = format!("{}:{}:", printable(place.source), place.record);
    let aspects: Vec<_> = differences.iter().map(|difference| difference.aspect.as_str()).collect();
    let _ = writeln!(
        page,
        "{} {}\n  {}",
        paint.text(Style::Place, &at),
        aspects.join(", "),
        shown(&place.text.text, 0, paint).line
    );
    let width = specs.iter().map(|spec| spec.as_str().len()).max().unwrap_or(0);
    for difference in differences {
        let mut name = difference.aspect.as_str();
        for (spec, value) in specs.iter().zip(&difference.values) {
            let value = match value.as_deref() {
                None => "-".to_owned(),
                Some("") => "(empty)".to_owned(),
                Some(value) => mark(value.as_bytes(), 0).line,
            };
            let _ = writeln!(page, "    {name:<13} {:<width$}  {value}", spec.as_str());
            name = "";
        }
    }
}
