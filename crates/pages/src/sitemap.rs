//! Sitemaps (sitemaps.org, protocol 0.9) and indexes of sitemaps: `<url>` or `<sitemap>`, each with its `<loc>`. Every
//! element in the root is a record, and one of another name is a broken one.

use serde_json::Map;
use urimill_columns::batch::{Cell, Kind, Records, TimeForm};
use urimill_read::format::first_lines::has_scheme;
use urimill_read::format::format_row::{FormatRow, Sure};
use urimill_read::format::framed::{Family, Framed};
use urimill_read::format::framed_record::{Cells, Is, Place};
use urimill_read::format::framing::{Framing, Root};
use urimill_read::format::json::{add, extra};
use urimill_read::format::keep::FieldSpec;
use urimill_read::format::xml;

const ROOTS: &[Root] = &[
    Root { name: "urlset", record: "url", is_list: true },
    Root { name: "sitemapindex", record: "sitemap", is_list: true },
];

const KNOWN: &[FieldSpec] = &[
    FieldSpec::optional(ELEMENT, "element", Kind::Text),
    FieldSpec::optional(1, "lastmod", Kind::Time(TimeForm::Web)),
    FieldSpec::optional(2, "changefreq", Kind::Text),
    FieldSpec::optional(3, "priority", Kind::Text),
    FieldSpec::optional(EXTRA, "extra", Kind::Text),
];

/// The row of the format.
pub const ROW: FormatRow = FormatRow {
    name: FAMILY.name,
    meaning: "Sitemaps and indexes of sitemaps: the location of each element",
    fields: KNOWN,
    others: "",
    detect: |first| Sure::Document.when(xml::has_root(first, ROOTS)),
    reader: |format, asked| Framed::of(&FAMILY, format, asked),
    ..FormatRow::TEXT
};

static FAMILY: Family = Family { name: "sitemap", framing: Framing::Xml(ROOTS), read: record };

const FIELDS: [(&str, u8); 3] = [("lastmod", 1), ("changefreq", 2), ("priority", 3)];
const ELEMENT: u8 = 0;
const EXTRA: u8 = 4;

fn record(place: &Place<'_>, cells: &mut Cells, records: &mut Records) -> Is {
    let bytes = place.bytes;
    let (mut loc, mut others, mut kind, mut wrong) = (None, Map::new(), None, None);
    let read = xml::children(bytes, place.range.clone(), |record, child| {
        kind = Some(record);
        // The elements of the protocol have the prefix that the record has.
        let prefix = record.find(':').map_or("", |colon| &record[..=colon]);
        let local = child.name.strip_prefix(prefix).unwrap_or(child.name);
        let field = FIELDS.iter().find(|(name, _)| *name == local);
        match field {
            None if local == "loc" && loc.is_none() => {
                // Some sitemaps put the element of the record around the location once more.
                let wrapped = child.has_elements.then(|| child.text_within(record, records)).flatten();
                wrong = Some(child.at).filter(|_| child.has_elements && wrapped.is_none());
                loc = Some(wrapped.or_else(|| child.text(bytes, records)));
            }
            Some(&(_, at)) if cells[usize::from(at)] == Cell::NULL && !child.has_elements => {
                cells[usize::from(at)] = child.cell(bytes, records);
            }
            _ if place.wants(EXTRA) => add(&mut others, child.name, child.json()),
            _ => {}
        }
    });
    let kind = kind.map(|kind| kind.rsplit(':').next().unwrap_or(kind));
    if let Some(kind) = kind {
        cells[usize::from(ELEMENT)] = records.unescape(|out| out.extend_from_slice(kind.as_bytes())).into();
    }
    cells[usize::from(EXTRA)] = extra(others, records);
    let is_known = kind.is_none_or(|kind| ROOTS.iter().any(|root| root.record == kind));
    // Some sitemaps have the location without its element.
    if read.is_err()
        && kind.is_none()
        && let Some((name, text)) = bare(&bytes[place.range.clone()])
    {
        cells[usize::from(ELEMENT)] = records.unescape(|out| out.extend_from_slice(name.as_bytes())).into();
        let text = records.unescape(|out| out.extend_from_slice(text.as_bytes()));
        records.push(place.head.start, text, None);
        return Is::Row;
    }
    match (read.and(wrong.map_or(Ok(()), Err)), loc) {
        (Err(at), _) => place.malformed(at, records),
        // After the bracket comes another name.
        _ if !is_known => place.malformed(place.range.start + 1, records),
        (Ok(()), loc) => place.row(loc, records),
    }
}

/// The name of a record that holds a URI and nothing else, and this URI.
fn bare(record: &[u8]) -> Option<(&'static str, String)> {
    let name = record.strip_prefix(b"<")?;
    let root = ROOTS.iter().find(|root| name.starts_with(root.record.as_bytes()))?;
    let text = xml::text_alone(record)?;
    let is_uri = has_scheme(text.as_bytes()) && !text.contains(|c: char| c.is_ascii_whitespace());
    is_uri.then_some((root.record, text))
}
