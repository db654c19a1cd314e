//! The references of a page as the records of a batch: the raw reference is the record's URI, its base the record's
//! own, and the rest are fields that pass through. All later steps are the same as for every other format.

use std::collections::VecDeque;
use std::io::Write;

use urimill_base::error::Result;
use urimill_columns::batch::{Cell, Records, Text};
use urimill_read::format::base::{BATCH_BYTES, BaseKind, LinkRules, Site};
use urimill_read::format::keep::SelectedFields;
use urimill_uri::simd::Span;

use super::KNOWN;
use super::link::Links;
use super::page::Page;
use super::reference::{Against, Link};

/// The places of the fields, in the order of [`KNOWN`].
pub(super) const PAGE: u8 = 0;
pub(super) const PAGE_RECORD: u8 = 1;
pub(super) const BASE_KIND: u8 = 2;
pub(super) const ELEMENT: u8 = 3;
pub(super) const ATTRIBUTE: u8 = 4;
pub(super) const REL: u8 = 5;
pub(super) const TEXT: u8 = 6;
pub(super) const POSITION: u8 = 7;
pub(super) const INTERNAL: u8 = 8;
pub(super) const PAGE_FLAGS: u8 = 9;

/// A page whose references become records, perhaps in several batches.
#[derive(Debug)]
pub(super) struct OpenPage {
    pub(super) page: Page,
    /// The number of its record, and where that begins: in the chunk, in the source.
    pub(super) number: i64,
    pub(super) start: u32,
    pub(super) offset: u64,
    /// The number of its rows that have been made.
    next: usize,
    /// Its own host, and how far the host of its document's base is the same, once a row needs it.
    site: Option<Site>,
    relation: Option<Option<&'static str>>,
    /// The last hosts of references, and how far they are the same as the page's own.
    hosts: VecDeque<(String, Option<&'static str>)>,
}

/// Hosts whose relation a page remembers: most of its references are to a few hosts.
const MOST_HOSTS: usize = 8;

/// Texts of a page that its rows share within a batch.
struct Shared {
    page: Cell,
    number: Cell,
    flags: Cell,
    outer: Option<(Text, Cell)>,
    document: Option<(Text, Cell)>,
    element: Option<(u32, Text, Cell)>,
}

/// The last text that was written, for the next rows that have it.
#[derive(Default)]
struct Last(Option<(Span, Cell)>);

impl Last {
    fn cell(&mut self, span: Option<Span>, links: &Links, records: &mut Records) -> Cell {
        let Some(span) = span else { return Cell::NULL };
        match self.0 {
            Some((last, cell)) if last == span => cell,
            _ => {
                let cell = written(links.get(span), records).into();
                self.0 = Some((span, cell));
                cell
            }
        }
    }
}

fn written(text: &[u8], records: &mut Records) -> Text {
    records.unescape(|out| out.extend_from_slice(text))
}

impl OpenPage {
    pub(super) fn new(page: Page, (number, start, offset): (i64, u32, u64), rules: &LinkRules) -> OpenPage {
        let site = page.outer().and_then(|outer| rules.site(outer));
        OpenPage { page, number, start, offset, next: 0, site, relation: None, hosts: VecDeque::new() }
    }

    /// The number of its rows.
    pub(super) fn rows(&self, links: &Links) -> usize {
        links.count() + usize::from(self.page.fault.is_some())
    }

    /// Adds records until `most` are there; returns whether all of the page are.
    ///
    /// # Errors
    /// `Io`, if a temporary file cannot be read.
    pub(super) fn put(
        &mut self,
        links: &mut Links,
        (chosen, rules): (&SelectedFields, &LinkRules),
        most: usize,
        records: &mut Records,
    ) -> Result<bool> {
        let mut shared = self.shared(links, records);
        let [mut elements, mut attributes, mut rels] = [Last::default(), Last::default(), Last::default()];
        let mut part = None;
        while self.next < self.rows(links) {
            if records.len() == most || !records.is_empty() && records.bytes() > BATCH_BYTES {
                return Ok(false);
            }
            let mut cells = [Cell::NULL; KNOWN.len()];
            (cells[usize::from(PAGE)], cells[usize::from(PAGE_RECORD)]) = (shared.page, shared.number);
            cells[usize::from(PAGE_FLAGS)] = shared.flags;
            if let Some((link, own)) = links.link(self.next)? {
                if part.replace(own) != Some(own) {
                    // Their texts are no longer there.
                    [elements, attributes, rels] = [Last::default(), Last::default(), Last::default()];
                }
                let raw = written(links.get(link.raw), records);
                records.push(self.start, raw, None);
                let base = if self.page.is_baseless { None } else { shared.base(&link, links, records) };
                if let Some((base, kind)) = base {
                    records.base_by_default(base);
                    cells[usize::from(BASE_KIND)] = kind;
                }
                cells[usize::from(ELEMENT)] = elements.cell(link.element, links, records);
                cells[usize::from(ATTRIBUTE)] = attributes.cell(link.attribute, links, records);
                cells[usize::from(REL)] = rels.cell(link.rel, links, records);
                if let Some(text) = link.text {
                    cells[usize::from(TEXT)] = written(links.get(text), records).into();
                }
                cells[usize::from(POSITION)] = number(link.position, records);
                if let Some(relation) = self.internal(&link, links, rules) {
                    cells[usize::from(INTERNAL)] = shared_name(relation, records);
                }
            } else {
                let text = written(self.page.uri.as_deref().unwrap_or_default(), records);
                records.push_malformed_text(self.start, text, 0, false);
                cells[usize::from(POSITION)] = number(self.page.fault.map(|at| at as u32), records);
            }
            records.number(self.number);
            records.place(self.offset);
            if !chosen.places.is_empty() {
                records.keep(chosen.places.iter().map(|&(place, _)| cells[usize::from(place)]));
            }
            self.next += 1;
        }
        Ok(true)
    }

    fn shared(&self, links: &Links, records: &mut Records) -> Shared {
        let mut base = |text: &[u8], kind: BaseKind| {
            let kind = written(kind.as_str().as_bytes(), records).into();
            (written(text, records), kind)
        };
        let outer = self.page.outer.as_ref().map(|(text, kind)| base(text, *kind));
        let document = links.document.as_ref().map(|text| base(text.as_bytes(), BaseKind::Content));
        Shared {
            outer,
            document: document.or(outer),
            element: None,
            page: self.page.uri.as_ref().map_or(Cell::NULL, |uri| written(uri, records).into()),
            number: written(self.number.to_string().as_bytes(), records).into(),
            flags: match self.page.flags.as_str() {
                "" => Cell::NULL,
                flags => written(flags.as_bytes(), records).into(),
            },
        }
    }

    /// How far the host of a reference is that of the page; `None` if one of the two has no host.
    fn internal(&mut self, link: &Link, links: &Links, rules: &LinkRules) -> Option<&'static str> {
        let site = self.site.as_ref()?;
        let outer = self.page.outer();
        let base = match link.against {
            Against::Outer => outer,
            Against::Document => links.document.as_deref().map(str::as_bytes).or(outer),
            Against::Element(number) => links.bases.get(number as usize).map(|(base, _)| base.as_bytes()),
        };
        let raw = rules.without_scheme(links.get(link.raw), base);
        if rules.says_host(raw) {
            let host = match raw.first() {
                // The scheme says nothing about the host; the URL Standard needs one.
                Some(b'/' | b'\\') => rules.host(&[&b"http:"[..], raw].concat())?,
                _ => rules.host(raw)?,
            };
            if let Some((_, known)) = self.hosts.iter().find(|(known, _)| *known == host) {
                return *known;
            }
            let found = rules.site_of(&host).map(|other| site.relation(&other));
            self.hosts.truncate(MOST_HOSTS - 1);
            self.hosts.push_front((host, found));
            return found;
        }
        if self.page.is_baseless {
            return None;
        }
        let relation = |base: Option<&[u8]>| Some(site.relation(&rules.site(base?)?));
        match link.against {
            Against::Outer => Some("host"),
            Against::Element(_) => relation(base),
            Against::Document => match (&self.relation, &links.document) {
                (Some(known), _) => *known,
                (None, None) => Some("host"),
                (None, Some(_)) => {
                    let found = relation(base);
                    self.relation = Some(found);
                    found
                }
            },
        }
    }
}

impl Shared {
    fn base(&mut self, link: &Link, links: &Links, records: &mut Records) -> Option<(Text, Cell)> {
        match link.against {
            Against::Outer => self.outer,
            Against::Document => self.document,
            Against::Element(number) => {
                if let Some((of, text, kind)) = self.element
                    && of == number
                {
                    return Some((text, kind));
                }
                let (base, kind) = links.bases.get(number as usize).filter(|(base, _)| !base.is_empty())?;
                let base = written(base.as_bytes(), records);
                let kind = written(kind.as_str().as_bytes(), records).into();
                self.element = Some((number, base, kind));
                Some((base, kind))
            }
        }
    }
}

fn shared_name(name: &'static str, records: &mut Records) -> Cell {
    written(name.as_bytes(), records).into()
}

fn number(number: Option<u32>, records: &mut Records) -> Cell {
    let Some(number) = number else { return Cell::NULL };
    // Writing to memory does not fail.
    let digits = |out: &mut Vec<u8>| drop(write!(out, "{number}"));
    records.unescape(digits).into()
}
