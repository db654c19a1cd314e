//! ARC, the files of web archives before WARC: a line, and a block whose length the line gives. The first record
//! describes the file.
//!
//! ```text
//! filedesc://a.arc 0.0.0.0 20080430204825 text/plain 1301                   version 1: URI, address, time, media type,
//! http://www.archive.org/ 207.241.229.39 20080430204826 text/html 680      length
//! http://a/ 192.0.2.1 20080430204826 text/html 200 CHECK - 680 a.arc 300   version 2: status, checksum, location, offset
//!                                                                          and file name before the length
//! ```

use std::ops::Range;

use serde_json::{Map, Value};
use urimill_columns::batch::{Cell, Kind, Records, Text, TimeForm};
use urimill_read::format::format_row::{FormatContents, FormatRow, Sure};
use urimill_read::format::framed::{Family, Framed};
use urimill_read::format::framed_record::{Cells, Is, Place, number};
use urimill_read::format::framing::{Framing, Keeps};
use urimill_read::format::headers::arc::{Header, MAGIC};
use urimill_read::format::keep::FieldSpec;
use urimill_read::format::span;

use crate::warc::status_of;

const KNOWN: &[FieldSpec] = &[
    FieldSpec::new(0, "time", Kind::Time(TimeForm::Digits)),
    FieldSpec::new(1, "ip_address", Kind::Text),
    FieldSpec::new(2, "mime", Kind::Text),
    FieldSpec::new(3, "content_length", Kind::Int64),
    FieldSpec::optional(4, "record_offset", Kind::Int64),
    FieldSpec::optional(5, "record_length", Kind::Int64),
    FieldSpec::optional(6, "filename", Kind::Text),
    FieldSpec::optional(7, "http_status", Kind::Int32),
    FieldSpec::optional(8, "result_code", Kind::Int32),
    FieldSpec::optional(9, "checksum", Kind::Text),
    FieldSpec::optional(10, "location", Kind::Text),
    FieldSpec::optional(EXTRA, "extra", Kind::Text),
];

/// The row of the format.
pub const ROW: FormatRow = FormatRow {
    name: FAMILY.name,
    meaning: "ARC, the files of web archives before WARC: the target of each record",
    fields: KNOWN,
    contents: FormatContents::Archive,
    others: "filedesc",
    detect: |first| Sure::Document.when(first.starts_with(MAGIC)),
    reader: |format, asked| Framed::of(&FAMILY, format, asked),
    ..FormatRow::TEXT
};

static FAMILY: Family = Family { name: "arc", framing: Framing::Arc(Keeps::Status), read: record };

const EXTRA: u8 = 11;

fn record(place: &Place<'_>, cells: &mut Cells, records: &mut Records) -> Is {
    let (bytes, start) = (place.bytes, place.range.start);
    let line = &bytes[place.range.clone()];
    let header = match Header::of(line) {
        Ok(header) => header,
        Err(at) => return place.malformed(start + at, records),
    };
    let part = |range: &Range<usize>| span(start + range.start, start + range.end);
    if line.starts_with(MAGIC) {
        return Is::NoRow;
    }
    records.push(place.head.start, Text::Read(part(&header.url)), None);
    let cell = |range: &Range<usize>| match &line[range.clone()] {
        b"-" | b"" => Cell::NULL,
        _ => Cell::read(part(range)),
    };
    let own = [&header.time, &header.address, &header.mime, &header.digits];
    own.into_iter().zip(cells.iter_mut()).for_each(|(range, slot)| *slot = cell(range));
    if place.wants(4) {
        cells[4] = number(place.head.stored, records);
    }
    if place.wants(5) {
        cells[5] = number(place.head.stored_len, records);
    }
    cells[6] = place.name.map_or(Cell::NULL, Cell::from);
    cells[7] = status_of(bytes, place.head.block());
    if let Some([code, checksum, location, offset, name]) = &header.more {
        (cells[8], cells[9], cells[10]) = (cell(code), cell(checksum), cell(location));
        if place.wants(EXTRA) {
            let mut object = Map::new();
            for (key, range) in [("offset", offset), ("filename", name)] {
                object.insert(key.into(), String::from_utf8_lossy(&line[range.clone()]).into());
            }
            let text = Value::from(object).to_string();
            let wrong =
                [offset, name].into_iter().find(|range| str::from_utf8(&line[(*range).clone()]).is_err());
            cells[usize::from(EXTRA)] = match wrong {
                Some(range) => Cell::read(part(range)),
                None => records.unescape(|out| out.extend_from_slice(text.as_bytes())).into(),
            };
        }
    }
    Is::Row
}
