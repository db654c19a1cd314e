//! Dumps of Nutch's CrawlDb (`readdb -dump`): a paragraph for each URI.
//!
//! ```text
//! http://example.org/    Version: 7                     a tab stands before Version
//! Status: 2 (db_fetched)
//! Fetch time: Sat Apr 13 10:13:54 UTC 2024
//! Modified time: Thu Jan 01 00:00:00 UTC 1970
//! Retries since fetch: 0
//! Retry interval: 2592000 seconds (30 days)
//! Score: 1.0
//! Signature: null
//! Metadata:
//!     Content-Type=text/html                            a name and its value on each line
//! ```

use memchr::{memchr, memmem};
use serde_json::{Map, Value};
use urimill_columns::batch::{Cell, Kind, Records, Text, TimeForm};
use urimill_read::format::format_row::{FormatRow, Sure};
use urimill_read::format::framed::{Family, Framed};
use urimill_read::format::framed_record::{Cells, Is, Place};
use urimill_read::format::framing::Framing;
use urimill_read::format::json::{add, extra};
use urimill_read::format::keep::FieldSpec;
use urimill_read::format::{line_end, span};

const KNOWN: &[FieldSpec] = &[
    FieldSpec::optional(0, "version", Kind::Int32),
    FieldSpec::optional(1, "status", Kind::Int32),
    FieldSpec::optional(2, "status_name", Kind::Text),
    FieldSpec::optional(3, "fetch_time", Kind::Time(TimeForm::Web)),
    FieldSpec::optional(4, "modified_time", Kind::Time(TimeForm::Web)),
    FieldSpec::optional(5, "retries", Kind::Int32),
    FieldSpec::optional(6, "retry_interval", Kind::Int64),
    FieldSpec::optional(7, "score", Kind::Text),
    FieldSpec::optional(8, "signature", Kind::Text),
    FieldSpec::optional(METADATA, "metadata", Kind::Text),
];

/// The row of the format.
pub const ROW: FormatRow = FormatRow {
    name: FAMILY.name,
    meaning: "Dumps of the CrawlDb of Nutch: the URI of each paragraph",
    fields: KNOWN,
    others: "",
    detect: |first| Sure::Document.when(begins(first)),
    reader: |format, asked| Framed::of(&FAMILY, format, asked),
    ..FormatRow::TEXT
};

static FAMILY: Family = Family { name: "nutch", framing: Framing::Paragraphs, read: record };

const METADATA: u8 = 9;

/// The names of the lines after the first one, and the form of their values.
const LINES: [Line; 7] = [
    (b"Status: ", STATUS, |value| is_named_number(value, b" (")),
    (b"Fetch time: ", 3, |value| !value.is_empty()),
    (b"Modified time: ", 4, |value| !value.is_empty()),
    (b"Retries since fetch: ", 5, is_number),
    (b"Retry interval: ", INTERVAL, |value| is_named_number(value, b" seconds (")),
    (b"Score: ", 7, is_float),
    (b"Signature: ", 8, |value| value == b"null" || value.iter().all(u8::is_ascii_hexdigit)),
];

type Line = (&'static [u8], usize, fn(&[u8]) -> bool);

const STATUS: usize = 1;
const INTERVAL: usize = 6;
const VERSION: &[u8] = b"\tVersion: ";
const BEHIND: &[u8] = b"Metadata:";

fn is_number(value: &[u8]) -> bool {
    !value.is_empty() && value.iter().all(u8::is_ascii_digit)
}

/// A number, and its meaning in parentheses: `2 (db_fetched)`, `2592000 seconds (30 days)`.
fn is_named_number(value: &[u8], open: &[u8]) -> bool {
    let (number, name) = value.split_at(value.iter().take_while(|b| b.is_ascii_digit()).count());
    let name = name.strip_prefix(open).and_then(|name| name.strip_suffix(b")"));
    !number.is_empty() && name.is_some_and(|name| !name.contains(&b')'))
}

/// As Java writes it.
fn is_float(value: &[u8]) -> bool {
    let is_part = |b: &u8| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+' | b'E');
    matches!(value, b"NaN" | b"Infinity" | b"-Infinity")
        || value.iter().any(u8::is_ascii_digit) && value.iter().all(is_part)
}

/// A paragraph whose lines lack their forms is malformed: a value may be that of another line, or another URI's.
fn record(place: &Place<'_>, cells: &mut Cells, records: &mut Records) -> Is {
    let bytes = &place.bytes[..place.range.end];
    let first = next_line(bytes, place.range.start);
    let Some(tab) = memmem::find(&bytes[first.0..first.1], VERSION) else {
        records.push_malformed(place.head.start, place.whole(), 0, false);
        records.mark_mismatch(place.whole());
        return Is::Row;
    };
    let uri = Text::Read(span(first.0, first.0 + tab));
    let cell = |from: usize, to: usize| match &bytes[from..to] {
        b"null" => Cell::NULL,
        _ => Cell::read(span(from, to)),
    };
    let version = first.0 + tab + VERSION.len();
    cells[0] = cell(version, first.1);
    let mut wrong = (!is_number(&bytes[version..first.1])).then_some(version);
    let (mut metadata, mut is_behind, mut seen) = (Map::new(), false, [false; KNOWN.len()]);
    let mut at = first.2;
    while at < bytes.len() && wrong.is_none() {
        let (start, end, next) = next_line(bytes, at);
        at = next;
        let line = &bytes[start..end];
        if is_behind {
            wrong = (!add_metadata(&mut metadata, line)).then_some(start);
            continue;
        }
        if let Some(rest) = line.strip_prefix(BEHIND) {
            wrong = (!rest.trim_ascii().is_empty()).then_some(start + BEHIND.len());
            is_behind = true;
            continue;
        }
        let known = LINES.iter().find(|(name, ..)| line.starts_with(name));
        let Some(&(name, field, _)) =
            known.filter(|&&(name, field, is)| is(&line[name.len()..]) && !seen[field])
        else {
            wrong = Some(start);
            continue;
        };
        seen[field] = true;
        let from = start + name.len();
        let word = memchr(b' ', &bytes[from..end]).map_or(end, |space| from + space);
        cells[field] = cell(from, if matches!(field, STATUS | INTERVAL) { word } else { end });
        if field == STATUS {
            cells[2] = cell(word + 2, end - 1);
        }
    }
    // The lines before have their forms.
    if let Some(at) = wrong {
        return place.malformed(at, records);
    }
    if place.wants(METADATA) {
        cells[usize::from(METADATA)] = extra(metadata, records);
    }
    records.push(place.head.start, uri, None);
    Is::Row
}

/// Reads a line of metadata, a name and its value after white space; false if it is not one.
fn add_metadata(metadata: &mut Map<String, Value>, line: &[u8]) -> bool {
    let text = line.trim_ascii();
    if text.is_empty() {
        return true;
    }
    let is = memchr(b'=', text).filter(|&is| is > 0 && matches!(line[0], b' ' | b'\t'));
    let is_plain = || memmem::find(text, VERSION).is_none() && str::from_utf8(text).is_ok();
    let Some(is) = is.filter(|_| is_plain()) else { return false };
    let [name, value] = [&text[..is], &text[is + 1..]].map(String::from_utf8_lossy);
    add(metadata, &name, value.into_owned().into());
    true
}

/// Where the line that begins at `start` ends, without its line end, and where the next one begins.
fn next_line(bytes: &[u8], start: usize) -> (usize, usize, usize) {
    let newline = memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at);
    (start, line_end(bytes, start, newline), newline + 1)
}

/// Whether an input that begins so is such a dump.
fn begins(first: &[u8]) -> bool {
    let (start, end, next) = next_line(first, 0);
    memmem::find(&first[start..end], VERSION).is_some()
        && first.get(next..).is_some_and(|rest| rest.starts_with(b"Status: "))
}
