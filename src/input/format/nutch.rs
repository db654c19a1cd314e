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
use serde_json::Map;

use super::framed::{Cells, Is, Place};
use super::keep::Known;
use super::xml::{add, extra};
use super::{line_end, span};
use crate::batch::{Cell, Kind, Records, Text, TimeForm};

pub(super) const KNOWN: &[Known] = &[
    Known::optional(0, "version", Kind::Int32),
    Known::optional(1, "status", Kind::Int32),
    Known::optional(2, "status_name", Kind::Text),
    Known::optional(3, "fetch_time", Kind::Time(TimeForm::Web)),
    Known::optional(4, "modified_time", Kind::Time(TimeForm::Web)),
    Known::optional(5, "retries", Kind::Int32),
    Known::optional(6, "retry_interval", Kind::Int64),
    Known::optional(7, "score", Kind::Text),
    Known::optional(8, "signature", Kind::Text),
    Known::optional(METADATA, "metadata", Kind::Text),
];

const METADATA: u8 = 9;

/// What the lines say behind the first one.
const LINES: [(&[u8], usize); 7] = [
    (b"Status: ", 1),
    (b"Fetch time: ", 3),
    (b"Modified time: ", 4),
    (b"Retries since fetch: ", 5),
    (b"Retry interval: ", 6),
    (b"Score: ", 7),
    (b"Signature: ", 8),
];

const VERSION: &[u8] = b"\tVersion: ";

pub(super) fn record(place: &Place<'_>, cells: &mut Cells, records: &mut Records) -> Is {
    let bytes = &place.bytes[..place.range.end];
    let first = next_line(bytes, place.range.start);
    let Some(tab) = memmem::find(&bytes[first.0..first.1], VERSION) else {
        records.push_malformed(place.head.start, place.whole(), 0, false);
        records.doubt(place.whole());
        return Is::Row;
    };
    let uri = Text::Read(span(first.0, first.0 + tab));
    let cell = |from: usize, to: usize| match &bytes[from..to] {
        b"" | b"null" => Cell::NULL,
        _ => Cell::read(span(from, to)),
    };
    cells[0] = cell(first.0 + tab + VERSION.len(), first.1);
    let (mut metadata, mut wrong, mut is_behind) = (Map::new(), None, false);
    let mut at = first.2;
    while at < bytes.len() {
        let (start, end, next) = next_line(bytes, at);
        at = next;
        let line = &bytes[start..end];
        if is_behind || line.starts_with(b"Metadata:") && line[b"Metadata:".len()..].trim_ascii().is_empty() {
            if is_behind {
                let text = line.trim_ascii();
                let (name, value) = text.split_at(memchr(b'=', text).unwrap_or(text.len()));
                let value = String::from_utf8_lossy(value.strip_prefix(b"=").unwrap_or(value)).into_owned();
                add(&mut metadata, &String::from_utf8_lossy(name), value.into());
            }
            is_behind = true;
            continue;
        }
        let Some(&(name, field)) = LINES.iter().find(|(name, _)| line.starts_with(name)) else {
            wrong.get_or_insert(start);
            continue;
        };
        let from = start + name.len();
        // `2 (db_fetched)`, `2592000 seconds (30 days)`
        let word = memchr(b' ', &bytes[from..end]).map_or(end, |space| from + space);
        match field {
            1 => {
                cells[1] = cell(from, word);
                let name = bytes[word..end].strip_prefix(b" (").and_then(|name| name.strip_suffix(b")"));
                cells[2] = name.map_or(Cell::NULL, |name| cell(word + 2, word + 2 + name.len()));
            }
            6 => cells[6] = cell(from, word),
            _ => cells[field] = cell(from, end),
        }
    }
    if place.wants(METADATA) {
        cells[usize::from(METADATA)] = extra(metadata, records);
    }
    match wrong {
        Some(at) => return place.malformed(at, records),
        None => records.push(place.head.start, uri, None),
    }
    Is::Row
}

/// Where the line that begins at `start` ends, without its line end, and where the next one begins.
fn next_line(bytes: &[u8], start: usize) -> (usize, usize, usize) {
    let newline = memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at);
    (start, line_end(bytes, start, newline), newline + 1)
}

/// Whether an input that begins so is such a dump.
pub(super) fn begins(first: &[u8]) -> bool {
    let (start, end, next) = next_line(first, 0);
    memmem::find(&first[start..end], VERSION).is_some()
        && first.get(next..).is_some_and(|rest| rest.starts_with(b"Status: "))
}
