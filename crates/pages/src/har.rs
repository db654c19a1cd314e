//! HAR, a browser's archive of its requests (HTTP Archive 1.2): one JSON document, whose entries are the records.

use urimill_columns::batch::{Cell, Kind, Records, TimeForm, Unit};
use urimill_read::format::format_row::{FormatRow, Sure};
use urimill_read::format::framed::{Family, Framed};
use urimill_read::format::framed_record::{Cells, Is, PLACES, Place};
use urimill_read::format::framing::Framing;
use urimill_read::format::json;
use urimill_read::format::json::{Tree, Value};
use urimill_read::format::keep::FieldSpec;

/// Where the entries are.
const PATH: &[&str] = &["log", "entries"];

const KNOWN: &[FieldSpec] = &[
    FieldSpec::optional(0, "time", Kind::Time(TimeForm::Web)),
    FieldSpec::optional(1, "method", Kind::Text),
    FieldSpec::optional(2, "protocol", Kind::Text),
    FieldSpec::optional(3, "status", Kind::Int32),
    FieldSpec::optional(4, "mime", Kind::Text),
    FieldSpec::optional(5, "size", Kind::Int64),
    FieldSpec::optional(6, "body_size", Kind::Int64),
    FieldSpec::optional(REDIRECT, "redirect", Kind::Text),
    FieldSpec::optional(8, "server_ip", Kind::Text),
    FieldSpec::optional(9, "duration_us", Kind::Micros(Unit::Millis)),
    FieldSpec::optional(10, "page", Kind::Text),
    FieldSpec::optional(11, "resource_type", Kind::Text),
];

/// The row of the format.
pub const ROW: FormatRow = FormatRow {
    name: FAMILY.name,
    meaning: "HAR files, the requests of a browser: the URL of each entry",
    fields: KNOWN,
    others: "",
    detect: |first| Sure::Document.when(is_har(first)),
    reader: |format, asked| Framed::of(&FAMILY, format, asked),
    ..FormatRow::TEXT
};

static FAMILY: Family = Family { name: "har", framing: Framing::Json(PATH, false), read: record };

const REDIRECT: u8 = 7;
const URL: u8 = 12;

const TREE: Tree = Tree::Members(&[
    ("startedDateTime", Tree::Field(0)),
    ("time", Tree::Field(9)),
    ("pageref", Tree::Field(10)),
    ("serverIPAddress", Tree::Field(8)),
    ("_resourceType", Tree::Field(11)),
    (
        "request",
        Tree::Members(&[
            ("url", Tree::Field(URL)),
            ("method", Tree::Field(1)),
            ("httpVersion", Tree::Field(2)),
        ]),
    ),
    (
        "response",
        Tree::Members(&[
            ("status", Tree::Field(3)),
            ("redirectURL", Tree::Field(REDIRECT)),
            ("bodySize", Tree::Field(6)),
            ("content", Tree::Members(&[("size", Tree::Field(5)), ("mimeType", Tree::Field(4))])),
        ]),
    ),
]);

fn record(place: &Place<'_>, cells: &mut Cells, records: &mut Records) -> Is {
    let bytes = place.bytes;
    let mut found: [Option<Value>; PLACES] = [None; PLACES];
    // It is unknown which of two members with one name is meant (RFC 8259, 4).
    let mut twice = None;
    let read =
        json::pick(bytes, place.range.clone(), TREE, &mut |at, value| match &mut found[usize::from(at)] {
            Some(_) => twice = twice.or(Some(value.whole.start as usize)),
            slot => *slot = Some(value),
        });
    if let Some(at) = twice.filter(|_| read.is_ok()) {
        return place.malformed(at, records);
    }
    for field in KNOWN.iter().filter(|field| place.wants(field.place)) {
        let at = usize::from(field.place);
        let Some(value) = found[at] else { continue };
        // An unknown value is -1 there, or an empty text.
        let is_none = match field.kind {
            Kind::Int32 | Kind::Int64 => value.is(bytes, b"-1"),
            _ => value.is(bytes, b""),
        };
        cells[at] = if is_none { Cell::NULL } else { value.cell(bytes, records) };
    }
    let start = place.head.start;
    match (read, found[usize::from(URL)]) {
        (Err(at), _) => return place.malformed(at, records),
        (Ok(()), None) => records.push_absent(place.whole(), None),
        (Ok(()), Some(url)) if url.is_null() => records.push_null(start, None),
        (Ok(()), Some(url)) if url.is_text() => {
            let reference = url.text(bytes, records);
            records.push(start, reference, None);
        }
        (Ok(()), Some(url)) => return place.malformed(url.whole.start as usize, records),
    }
    Is::Row
}

/// `{"log": {`, and the names of its members that are always there.
fn is_har(first: &[u8]) -> bool {
    let after = |rest: &[u8], text: &[u8]| rest.trim_ascii_start().strip_prefix(text).map(<[u8]>::to_vec);
    let log = after(first, b"{").and_then(|rest| after(&rest, b"\"log\""));
    let log = log.and_then(|rest| after(&rest, b":")).and_then(|rest| after(&rest, b"{"));
    let has = |rest: &[u8], name: &[u8]| memchr::memmem::find(rest, name).is_some();
    log.is_some_and(|rest| has(&rest, b"\"creator\"") || has(&rest, b"\"entries\""))
}
