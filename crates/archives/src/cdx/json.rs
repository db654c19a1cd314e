//! The answers of CDX servers with `output=json`: an array of arrays, the first of which names the fields of the
//! others.
//!
//! ```text
//! [["urlkey","timestamp","original","mimetype","statuscode","digest","length"],
//! ["com,example)/","20020120142510","http://example.com:80/","text/html","200","HT2D…","1792"]]
//! ```
//!
//! A row is a line, as servers write it; the brackets and commas around the inner arrays may be missing, so that `jq -c
//! '.[]'` of an answer is read as well. Fields keep the letters that they have in ` CDX` headers.

use std::str;

use urimill_base::error::{Error, Result};
use urimill_columns::batch::{Cell, Records};
use urimill_read::format::json;
use urimill_read::format::json::Value;
use urimill_read::format::{line_end, span};
use urimill_uri::simd::Span;

use super::{
    Cdx, EXTRA, Form, Forms, KNOWN, Letters, MOST, NO_LETTERS, NOWHERE, TIME, URI, is_other, is_stamp, unfit,
};

/// The names that servers (Wayback, pywb, OutbackCDX) give to the fields with letters.
const NAMES: &[(&str, u8)] = &[
    ("urlkey", b'N'),
    ("timestamp", TIME),
    ("original", URI),
    ("url", URI),
    ("mimetype", b'm'),
    ("mime", b'm'),
    ("statuscode", b's'),
    ("status", b's'),
    ("digest", b'k'),
    ("redirect", b'r'),
    ("redirecturl", b'r'),
    ("robotflags", b'M'),
    ("length", b'S'),
    ("offset", b'V'),
    ("compressedoffset", b'V'),
    ("filename", b'g'),
    ("file", b'g'),
];

/// The letter of a field that has none.
const OTHER: u8 = 1;

/// A longer line is not a header.
const LONGEST_HEADER: usize = 4096;

/// The names of the fields in the first line of a source, and the length of that line in bytes. A header names the
/// time, the key or the URI: the fields of a capture never have these values.
pub(crate) fn header(first: &[u8]) -> Option<(Vec<String>, usize)> {
    let newline = memchr::memchr(b'\n', first).unwrap_or(first.len());
    if newline > LONGEST_HEADER || !is_row(first) {
        return None;
    }
    let end = line_end(first, 0, newline);
    let (from, to) = row(first, 0, end)?;
    let mut names = Vec::new();
    let mut has_text = true;
    json::elements(first, from, to, |value| {
        let text = str::from_utf8(value.written(first));
        has_text &= value.is_text() && text.is_ok();
        names.push(text.unwrap_or_default().to_owned());
    })
    .ok()?;
    let is_known = names.iter().any(|name| matches!(letter(name), URI | TIME | b'N'));
    (has_text && is_known && names.len() <= MOST).then_some((names, (newline + 1).min(first.len())))
}

/// The letters of these fields.
pub(crate) fn letters(names: &[String]) -> Letters {
    let mut letters = NO_LETTERS;
    letters.iter_mut().zip(names).for_each(|(slot, name)| *slot = letter(name));
    letters
}

fn letter(name: &str) -> u8 {
    NAMES.iter().find(|(known, _)| *known == name).map_or(OTHER, |&(_, letter)| letter)
}

/// Whether a source begins as an array of arrays, however it is laid out.
pub(crate) fn begins(first: &[u8]) -> bool {
    let mut begins = first.iter().filter(|byte| !byte.is_ascii_whitespace());
    (begins.next(), begins.next(), begins.next()) == (Some(&b'['), Some(&b'['), Some(&b'"'))
}

/// # Errors
/// Usage, if an array of arrays begins `first` and its rows are not lines.
pub(crate) fn check_lines(first: &[u8], source: &str) -> Result<()> {
    let newline = memchr::memchr(b'\n', first).unwrap_or(first.len());
    let end = line_end(first, 0, newline);
    // A whole row, or several on one line.
    let is_line = row(first, 0, end).is_some_and(|(from, to)| {
        let ends = json::elements(first, from, to, |_| {});
        !ends.is_err_and(|at| first[at..to].starts_with(b","))
    });
    if !begins(first) || is_line {
        return Ok(());
    }
    Err(Error::usage(format!(
        "the arrays in {source} are not on lines of their own, as CDX servers write them: jq -c '.[]' \
         writes one a line"
    )))
}

/// Whether `bytes` begin with a line that is a row of such an answer, or a bracket of the outer array. No key of a
/// capture begins so.
#[inline]
pub(crate) fn is_row(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [b'[', b'"' | b'[' | b']' | b'\r' | b'\n', ..] | [b'['] | [b']', b'\r' | b'\n', ..] | [b']']
    )
}

/// The inner array of the line from `start` to `end`, with its brackets; `None` for a line that is only a bracket of
/// the outer array.
fn row(bytes: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let line = bytes[start..end].trim_ascii_end();
    let from = start + usize::from(line.starts_with(b"[["));
    let line = &bytes[from..start + line.len()];
    let line = line.strip_suffix(b",").unwrap_or(line).trim_ascii_end();
    // No field of a capture is an array.
    let line = line.strip_suffix(b"]").filter(|rest| rest.trim_ascii_end().ends_with(b"]")).unwrap_or(line);
    let line = line.trim_ascii_end();
    let is_bracket = line.iter().all(|b| matches!(b, b'[' | b']' | b',' | b' '));
    (!is_bracket).then(|| (from, from + line.len()))
}

impl Cdx {
    /// Reads the row that begins at `start`; returns where the next line begins.
    pub(crate) fn json_row(
        &self,
        forms: &Forms,
        bytes: &[u8],
        start: usize,
        values: &mut Vec<Value>,
        records: &mut Records,
    ) -> usize {
        let newline = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |found| start + found);
        let next = (newline + 1).min(bytes.len());
        let end = line_end(bytes, start, newline);
        let whole = span(start, end);
        let Some((from, to)) = row(bytes, start, end) else {
            records.push_blank();
            return next;
        };
        values.clear();
        let read = json::elements(bytes, from, to, |value| values.push(value));
        let form = forms.form(values.len());
        let fault = match read {
            Err(fault) => Some(fault),
            // It is unknown which of the values is the URI.
            Ok(()) => values.get(form.count).map(|value| value.whole.start as usize),
        };
        if let Some(fault) = fault {
            records.push_misfit(whole, (fault - start) as u32);
            // The values before the URI are in their places, if one of them is a time.
            let is_timed = values.get(form.place(TIME)).is_some_and(|time| is_stamp(bytes, time.inner()));
            if read.is_ok() {
                values.truncate(if is_timed { form.place(URI).min(form.count) } else { 0 });
            }
            self.keep_values(bytes, values, (form, Cell::NULL), |_| Cell::NULL, records);
            return next;
        }
        // A value that is null is an empty word.
        let word = |value: &Value| if value.is_null() { span(start, start) } else { value.inner() };
        let mut fields = [Span { start: 0, len: 0 }; MOST];
        fields.iter_mut().zip(&*values).for_each(|(field, value)| *field = word(value));
        let has_uri = form.place(URI) < values.len();
        if let Some(unfit) = unfit(bytes, &fields[..values.len()], form).filter(|_| has_uri) {
            let fault = values[unfit].whole.start - start as u32;
            records.push_misfit(whole, fault);
            return next;
        }
        match values.get(form.place(URI)) {
            None => {
                records.push_short(whole, form.place(URI).min(form.count) as u32 + 1, false);
                return next;
            }
            Some(uri) if uri.is_null() || uri.is(bytes, b"-") => records.push_null(start as u32, None),
            Some(uri) if uri.is_text() => {
                let reference = uri.text(bytes, records);
                records.push(start as u32, reference, None);
            }
            Some(uri) => {
                records.push_malformed(start as u32, whole, uri.whole.start - whole.start, false);
                return next;
            }
        }
        let extra =
            if self.keeps_extra() { extra(bytes, values, (form, forms), records) } else { Cell::NULL };
        self.keep_values(bytes, values, (form, extra), |absent| absent, records);
        next
    }

    /// Keeps values of the last record; `absent` stands for values that a shorter array does not have.
    fn keep_values(
        &self,
        bytes: &[u8],
        values: &[Value],
        (form, extra): (&Form, Cell),
        absent: impl Fn(Cell) -> Cell,
        records: &mut Records,
    ) {
        let mut cells = [Cell::NULL; KNOWN.len()];
        for (cell, &(letter, missing)) in cells.iter_mut().zip(&*self.chosen.places) {
            *cell = match form.place(letter) {
                _ if letter == EXTRA => extra,
                NOWHERE => Cell::NULL,
                place => match values.get(place) {
                    Some(value) if value.is(bytes, b"-") => Cell::NULL,
                    Some(value) => value.cell(bytes, records),
                    None => absent(missing),
                },
            };
        }
        records.keep(cells[..self.chosen.places.len()].iter().copied());
    }
}

/// The fields without a column of their own, by the names in the header.
fn extra(bytes: &[u8], values: &[Value], (form, forms): (&Form, &Forms), records: &mut Records) -> Cell {
    if !form.has_others {
        return Cell::NULL;
    }
    let others = values.iter().zip(&form.letters).zip(forms.names.iter());
    // Names are as they are escaped in the header.
    let others = others.filter(|((_, letter), _)| is_other(**letter));
    let others = others.map(|((value, _), name)| ([&b""[..], name.as_bytes()], *value));
    json::write_object(bytes, others, records).into()
}
