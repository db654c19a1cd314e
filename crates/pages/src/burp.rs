//! Items that Burp Suite saves as XML: the requests of a browser or a scanner, each with its `<url>`. They also hold
//! whole requests and responses, which are skipped.

use memchr::memmem;
use urimill_columns::batch::{Cell, Kind, Records, TimeForm};
use urimill_read::format::format_row::{FormatRow, Sure};
use urimill_read::format::framed::{Family, Framed};
use urimill_read::format::framed_record::{Cells, Is, Place};
use urimill_read::format::framing::{Framing, Root};
use urimill_read::format::keep::FieldSpec;
use urimill_read::format::xml;

const ROOTS: &[Root] = &[Root { name: "items", record: "item", is_list: true }];

const KNOWN: &[FieldSpec] = &[
    FieldSpec::optional(0, "time", Kind::Time(TimeForm::Web)),
    FieldSpec::optional(1, "method", Kind::Text),
    FieldSpec::optional(2, "status", Kind::Int32),
    FieldSpec::optional(3, "size", Kind::Int64),
    FieldSpec::optional(4, "mime", Kind::Text),
    FieldSpec::optional(5, "comment", Kind::Text),
    FieldSpec::optional(SERVER, "server_ip", Kind::Text),
];

/// The row of the format.
pub const ROW: FormatRow = FormatRow {
    name: FAMILY.name,
    meaning: "Items that Burp Suite saves as XML: the URL of each",
    fields: KNOWN,
    others: "",
    detect: |first| {
        let is_of_burp = || memmem::find(first, b"burpVersion=").is_some();
        Sure::Document.when(xml::has_root(first, ROOTS) && is_of_burp())
    },
    reader: |format, asked| Framed::of(&FAMILY, format, asked),
    ..FormatRow::TEXT
};

static FAMILY: Family = Family { name: "burp", framing: Framing::Xml(ROOTS), read: record };

/// The elements with a column of their own; the others are parts of the URL, the request and the response.
const FIELDS: [(&str, u8); 6] =
    [("time", 0), ("method", 1), ("status", 2), ("responselength", 3), ("mimetype", 4), ("comment", 5)];
const SERVER: u8 = 6;

fn record(place: &Place<'_>, cells: &mut Cells, records: &mut Records) -> Is {
    let (bytes, mut url, mut is_item) = (place.bytes, None, true);
    let read = xml::children(bytes, place.range.clone(), |record, child| {
        is_item = record == ROOTS[0].record;
        let field = FIELDS.iter().find(|(name, _)| *name == child.name);
        match (child.name, field) {
            ("url", _) if url.is_none() => url = Some(child.text(bytes, records)),
            ("host", _) => {
                let address = child.attribute("ip").unwrap_or_default();
                if !address.is_empty() {
                    let address = records.unescape(|out| out.extend_from_slice(address.as_bytes()));
                    cells[usize::from(SERVER)] = address.into();
                }
            }
            (_, Some(&(_, at))) if cells[usize::from(at)] == Cell::NULL => {
                cells[usize::from(at)] = child.cell(bytes, records);
            }
            _ => {}
        }
    });
    match read {
        Err(at) => place.malformed(at, records),
        // After the bracket is another name.
        Ok(()) if !is_item => place.malformed(place.range.start + 1, records),
        Ok(()) => place.row(url, records),
    }
}
