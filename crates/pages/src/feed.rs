//! Feeds: RSS 2.0 and its forerunners, RSS 1.0 (RDF), Atom (RFC 4287). A record is an entry, and the URI its link to
//! its subject.

use serde_json::Map;
use urimill_columns::batch::{Cell, Kind, Records, Text, TimeForm};
use urimill_read::format::base::TooLong;
use urimill_read::format::format_row::{FormatRow, Sure};
use urimill_read::format::framed::{Family, Framed};
use urimill_read::format::framed_record::{Cells, Is, Place};
use urimill_read::format::framing::{Framing, Root};
use urimill_read::format::json::{add, extra};
use urimill_read::format::keep::FieldSpec;
use urimill_read::format::xml;
use urimill_read::format::xml::Child;

const ROOTS: &[Root] = &[
    Root { name: "rss", record: "item", is_list: false },
    Root { name: "feed", record: "entry", is_list: false },
    Root { name: "RDF", record: "item", is_list: false },
];

const KNOWN: &[FieldSpec] = &[
    FieldSpec::optional(0, "title", Kind::Text),
    FieldSpec::optional(ID, "id", Kind::Text),
    FieldSpec::optional(2, "published", Kind::Time(TimeForm::Web)),
    FieldSpec::optional(3, "updated", Kind::Time(TimeForm::Web)),
    FieldSpec::optional(4, "author", Kind::Text),
    FieldSpec::optional(EXTRA, "extra", Kind::Text),
];

/// The row of the format.
pub const ROW: FormatRow = FormatRow {
    name: FAMILY.name,
    meaning: "Feeds (RSS, Atom): the link of each entry",
    fields: KNOWN,
    others: "",
    detect: |first| Sure::Document.when(xml::has_root(first, ROOTS)),
    reader: |format, asked| Framed::of(&FAMILY, format, asked),
    ..FormatRow::TEXT
};

static FAMILY: Family = Family { name: "feed", framing: Framing::Xml(ROOTS), read: record };

/// The elements with a column of their own. RSS has them under the first names, Atom under the others; `issued` and
/// `modified` come from Atom 0.3.
const FIELDS: [(&str, u8); 12] = [
    ("title", 0),
    ("guid", ID),
    ("id", ID),
    ("pubDate", 2),
    ("published", 2),
    ("issued", 2),
    ("dc:date", 2),
    ("dcterms:issued", 2),
    ("updated", 3),
    ("modified", 3),
    ("dcterms:modified", 3),
    ("dc:creator", 4),
];
const ID: u8 = 1;
const EXTRA: u8 = 5;

fn record(place: &Place<'_>, cells: &mut Cells, records: &mut Records) -> Is {
    let bytes = place.bytes;
    let (mut link, mut guid, mut others, mut wrong) = (None, None, Map::new(), None);
    // Their own `xml:base`.
    let (mut base_of_link, mut base_of_guid) = (None, None);
    let read = xml::children(bytes, place.range.clone(), |record, child| {
        let prefix = record.find(':').map_or("", |colon| &record[..=colon]);
        let local = child.name.strip_prefix(prefix).unwrap_or(child.name);
        let field = FIELDS.iter().find(|(name, _)| *name == local).map(|&(_, at)| usize::from(at));
        let is_atom = record.ends_with("entry");
        if local == "link" && link.is_none() && is_alternate(&child, is_atom) {
            base_of_link = child.attribute(xml::BASE);
            link = Some(match child.attribute("href").filter(|_| is_atom) {
                Some(href) => Some(records.unescape(|out| out.extend_from_slice(href.trim().as_bytes()))),
                None => {
                    let text = child.text(bytes, records);
                    // In Atom an attribute must be there.
                    wrong = Some(child.at).filter(|_| child.has_elements || is_atom && text.is_none());
                    text
                }
            });
            return;
        }
        let is_permalink = || child.attribute("isPermaLink").is_none_or(|is| is != "false");
        if local == "guid" && guid.is_none() && !child.has_elements && is_permalink() {
            guid = child.text(bytes, records);
            base_of_guid = child.attribute(xml::BASE);
        }
        match field {
            Some(at) if cells[at] == Cell::NULL && !child.has_elements => {
                cells[at] = child.cell(bytes, records)
            }
            _ if place.wants(EXTRA) => add(&mut others, child.name, child.json()),
            _ => {}
        }
    });
    cells[usize::from(EXTRA)] = extra(others, records);
    let of_element = if link.is_some() { base_of_link } else { base_of_guid };
    let uri: Option<Option<Text>> = link.or(guid.map(Some));
    if let Err(at) = read.and(wrong.map_or(Ok(()), Err)) {
        return place.malformed(at, records);
    }
    let has_text = matches!(uri, Some(Some(_)));
    let base = if has_text { base(place, of_element.as_deref()) } else { Ok(None) };
    let Ok(base) = base else { return place.malformed(place.range.start, records) };
    let is = place.row(uri, records);
    if let Some(base) = base {
        let base = records.unescape(|out| out.extend_from_slice(base.as_bytes()));
        records.base_of_document(base);
    }
    is
}

/// The base of a link (RFC 4287, 2): from `xml:base` of the elements around the entry, of the entry, and of the link.
fn base(place: &Place<'_>, of_element: Option<&str>) -> Result<Option<String>, TooLong> {
    let around = place.head.bases.clone().transpose()?;
    let around = around.iter().flat_map(|bases| bases.iter().map(String::as_str));
    let own = xml::base_of_tag(&place.bytes[place.range.clone()]);
    place.within.base(around.chain(own.as_deref()).chain(of_element))
}

/// Whether a link leads to the subject of the entry (RFC 4287, 4.2.7.2). RSS has no other links.
fn is_alternate(link: &Child<'_>, is_atom: bool) -> bool {
    !is_atom || link.attribute("rel").is_none_or(|rel| rel == "alternate")
}
