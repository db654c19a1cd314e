//! A part of urimill: it carries no promise of stability. Use the package `urimill`.
//!
//! Pages, whose references become records: HTML, style sheets and XML, as files, in web archives and in mail. A record
//! of the source is a page, and it has as many rows as references. Formats of the web whose records are references
//! themselves stand beside it: `sitemap`, `feed`, `robots`, `har`, `burp`.
//!
//! ```text
//! record ──> page ──> charset ──> html, css, xml ──> Links ──> rows ──> Records
//!            kind     UTF-8       references         of one page        raw, base, fields
//! ```
//!
//! A page is read to its end before its references become records, because its base may come after them, and the words
//! of a link after the link. The references are in a buffer of their own (`link`), those of long pages in a file
//! (`spool`), and become records as far as there is room in a batch: the rest waits in the [`PageReader`] of the
//! worker. A page that is too long for a chunk is a stream (`stream`), from a temporary file or from its decoder.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod amplified;
mod attributes;
pub mod burp;
mod charset;
mod codebase;
mod css;
mod entities;
pub mod feed;
mod foreign;
pub mod har;
mod header;
mod html;
#[cfg(test)]
mod html_tests;
pub mod http_body;
mod kind;
mod link;
mod mail;
mod markdown;
pub mod message;
mod meta;
mod page;
mod reference;
pub mod robots;
mod rows;
pub mod sitemap;
mod spool;
mod stream;
#[cfg(all(test, feature = "gzip", feature = "brotli", feature = "zstd"))]
mod stream_tests;
mod values;
mod wat;
mod xml;

use std::path::Path;
use std::sync::Arc;

use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;
use urimill_base::temporary::TemporaryPlace;
use urimill_columns::batch::{ExtraColumns, Kind as FieldKind, Options, Records};
use urimill_read::decode::Wanted;
use urimill_read::format::base::LinkRules;
use urimill_read::format::format_row::{FormatRow, Sure};
use urimill_read::format::framing::{ChunkText, FramedRecord, Framing, RecordState};
use urimill_read::format::headers::{arc, warc};
use urimill_read::format::keep::{FieldSpec, Keep, SelectedFields};
use urimill_read::format::mailbox::{Mail, has_end, mail};
use urimill_read::format::{Beginning, Blocks, First, Format, PageCounts, PageReader, RecordFormat};
use urimill_read::source::Source;

use charset::Markup;
pub use kind::PageKind;
use link::Links;
use page::{Context, Record};
use rows::OpenPage;

/// The fields of a reference that pass through.
pub(crate) const KNOWN: [FieldSpec; 10] = [
    FieldSpec::optional(rows::PAGE, "page", FieldKind::Text),
    FieldSpec::optional(rows::PAGE_RECORD, "page_record", FieldKind::Int64),
    FieldSpec::optional(rows::BASE_KIND, "base_kind", FieldKind::Text),
    FieldSpec::optional(rows::ELEMENT, "element", FieldKind::Text),
    FieldSpec::optional(rows::ATTRIBUTE, "attribute", FieldKind::Text),
    FieldSpec::optional(rows::REL, "rel", FieldKind::Text),
    FieldSpec::optional(rows::TEXT, "text", FieldKind::Text),
    FieldSpec::optional(rows::POSITION, "position", FieldKind::Int64),
    FieldSpec::optional(rows::INTERNAL, "internal", FieldKind::Text),
    FieldSpec::optional(rows::PAGE_FLAGS, "page_flags", FieldKind::Text),
];

/// Their types, in the same order.
const MEANINGS: [&str; KNOWN.len()] = [
    "the URI of the page: of an archive the record's, of a file its file: URI",
    "the number of the page's record in its source; 1 for a file",
    "the rule of RFC 3986 that the base comes from: content (5.1.1), encapsulating (5.1.2), retrieval (5.1.3), default (5.1.4)",
    "the element in lower case (as written in XML); null for header fields and style sheets",
    "the attribute, the header field, or url() and @import of style sheets; null for the text of an element",
    "the relations of the link, in lower case",
    "the words of the link: the text of an anchor, or the alt of an image; white space collapsed, at most 1 KiB",
    "the byte of the decoded page where the attribute's value or the reference begins",
    "whether it leads to the page's own host, or to another in its registered_domain (domain), or to neither (no)",
    "what is odd about the page: charset_unknown, charset_damaged, base_too_long, cut, damaged, undecodable",
];

/// The format.
#[derive(Debug, Clone)]
pub struct Pages {
    kind: PageKind,
    chosen: SelectedFields,
    rules: Arc<LinkRules>,
    /// The base of pages that do not say where they were retrieved (RFC 3986, 5.1.4).
    base: Option<Arc<str>>,
    /// The URI of the file that is the page.
    document: Option<Arc<str>>,
    /// Whether its text has been transcoded.
    is_utf8: bool,
    longest: usize,
    temporary: TemporaryPlace,
}

impl Pages {
    /// Pages of this kind, with these of the fields. `options` decide how references are read.
    ///
    /// # Errors
    /// Usage, if no field has one of the names.
    pub fn new(kind: PageKind, keep: &Keep, base: Option<&str>, options: &Options) -> Result<Pages> {
        Ok(Pages {
            kind,
            chosen: SelectedFields::of(&KNOWN, keep, "links")?,
            rules: Arc::new(LinkRules::of(options)),
            base: base.map(Arc::from),
            document: None,
            is_utf8: false,
            longest: options.max_record,
            temporary: TemporaryPlace::default(),
        })
    }

    /// Sets that the texts of files have been transcoded to UTF-8.
    pub fn transcoded(self, is_utf8: bool) -> Pages {
        Pages { is_utf8, ..self }
    }

    /// Puts the temporary files of long pages into this folder; by default into the system's.
    ///
    /// # Errors
    /// `Io`, if none can be made there.
    pub fn temp_dir(self, directory: Option<&Path>) -> Result<Pages> {
        Ok(Pages { temporary: TemporaryPlace::tried(directory)?, ..self })
    }

    /// All fields: the name, the type and the meaning of each.
    pub fn fields() -> impl Iterator<Item = (&'static str, FieldKind, &'static str)> {
        KNOWN.iter().zip(MEANINGS).map(|(field, meaning)| (field.name, field.kind, meaning))
    }

    /// The kind of a source that begins with `first`.
    ///
    /// # Errors
    /// Usage, if it does not look like a page.
    fn detect(&mut self, first: &[u8], source: &str) -> Result<()> {
        let text = first.trim_ascii_start();
        let has_end = |end: &str| has_end(source, end);
        let mail = mail(first, source);
        let is_document = |row: &FormatRow| (row.detect)(first) == Sure::Document;
        self.kind = match () {
            () if text.starts_with(warc::MAGIC) => match warc::begins_wat(first) {
                true => PageKind::Wat,
                false => PageKind::Warc,
            },
            () if first.starts_with(arc::MAGIC) => PageKind::Arc,
            () if mail == Some(Mail::Mailbox) => PageKind::Mbox,
            () if mail == Some(Mail::Message) => PageKind::Mail,
            () if [".md", ".markdown", ".mkd"].iter().any(|end| has_end(end)) => PageKind::Markdown,
            () if [".html", ".htm", ".xhtml"].iter().any(|end| has_end(end)) => PageKind::Html,
            () if [sitemap::ROW, feed::ROW].iter().any(is_document) => PageKind::Xml,
            () => match page::looks_like(text).or_else(|| looks_like_in_utf16(text)) {
                _ if has_end(".css") => PageKind::Css,
                Some(Markup::Xml) => PageKind::Xml,
                Some(_) => PageKind::Html,
                None if first.is_empty() => PageKind::Html,
                None => {
                    return Err(Error::usage(format!(
                        "{source} does not look like a page, a style sheet or a web archive: say {}",
                        OptionName::Format.with_any(&PageKind::ALL.map(PageKind::name)[1..])
                    )));
                }
            },
        };
        Ok(())
    }
}

impl RecordFormat for Pages {
    fn name(&self) -> &'static str {
        self.kind.name()
    }

    fn extra_columns(&self) -> ExtraColumns {
        self.chosen.extra.clone()
    }

    fn find_rows(
        &self,
        chunk: &ChunkText<'_>,
        place: (usize, usize),
        reader: &mut PageReader,
        records: &mut Records,
    ) -> Result<usize> {
        let mut pages: Box<OpenPages> = reader.take();
        let next = pages.read(self, chunk, place, (reader, records));
        reader.keep(pages);
        next
    }

    fn has_many_rows(&self) -> bool {
        true
    }

    fn framing(&self) -> Option<(Framing, usize, TemporaryPlace)> {
        Some((self.kind.framing, self.longest, self.temporary.clone()))
    }

    fn begin(&mut self, beginning: &mut dyn Beginning) -> Result<Option<Format>> {
        let First { bytes, source, .. } = beginning.first()?;
        if self.is_detected() {
            self.detect(bytes, &source)?;
        }
        Ok(None)
    }

    fn is_detected(&self) -> bool {
        self.kind.is_detected()
    }

    fn is_document(&self) -> bool {
        self.kind.is_document()
    }

    fn of_source(&mut self, source: &Source, _: bool) {
        if self.is_document() {
            self.document = source.uri().map(Arc::from);
        }
    }

    fn in_wacz(&self) -> Option<Wanted> {
        self.is_detected().then_some(Wanted::Archives)
    }

    fn is_text(&self) -> bool {
        self.is_document()
    }

    fn blocks(&self) -> Option<Blocks> {
        Some(Blocks::Documents)
    }

    fn may_hold(&self, is_arc: bool, header: &[u8], beginning: &[u8]) -> bool {
        page::may_be_page(is_arc, header, beginning)
    }
}

/// The same as [`page::looks_like`], for a text in UTF-16, which begins with a mark.
fn looks_like_in_utf16(text: &[u8]) -> Option<Markup> {
    let text = text.strip_prefix(b"\xff\xfe").or_else(|| text.strip_prefix(b"\xfe\xff"))?;
    // Tags are in ASCII.
    let ascii: Vec<u8> = text.iter().copied().filter(|&b| b != 0).collect();
    page::looks_like(&ascii)
}

/// The worker's state of the page whose references become records.
#[derive(Debug, Default)]
struct OpenPages {
    links: Links,
    open: Option<OpenPage>,
}

impl OpenPages {
    /// Finds the references of the pages of a chunk that begin at `from` or after it, at most `most`; returns where the
    /// first unfinished page begins. It is called again with that place, until the chunk ends.
    ///
    /// # Errors
    /// `Io`, if a temporary file cannot be written or read.
    fn read(
        &mut self,
        pages: &Pages,
        chunk: &ChunkText<'_>,
        (from, most): (usize, usize),
        (reader, records): (&mut PageReader, &mut Records),
    ) -> Result<usize> {
        let first = chunk.framed_records.partition_point(|head| (head.start as usize) < from);
        for (head, number) in chunk.framed_records.iter().zip(chunk.first_record..).skip(first) {
            if self.open.as_ref().is_none_or(|open| open.start != head.start) {
                self.begin(pages, chunk, (head, number), &mut reader.counts)?;
            }
            let before = records.len();
            let is_done = match &mut self.open {
                Some(open) => open.put(&mut self.links, (&pages.chosen, &pages.rules), most, records)?,
                None => true,
            };
            reader.rows += (records.len() - before) as u64;
            if !is_done {
                return Ok(head.start as usize);
            }
            self.open = None;
        }
        Ok(chunk.len)
    }

    /// Reads a page.
    fn begin(
        &mut self,
        pages: &Pages,
        chunk: &ChunkText<'_>,
        (head, number): (&FramedRecord, i64),
        counts: &mut PageCounts,
    ) -> Result<()> {
        self.links.clear();
        self.links.set_place(&pages.temporary);
        let start = head.start as usize;
        let header = &chunk.bytes[start..start + head.len as usize];
        let context = Context {
            kind: pages.kind.record,
            rules: &pages.rules,
            base: pages.base.as_deref(),
            document: pages.document.as_deref(),
        };
        let found = match head.whole {
            RecordState::Yes => {
                let block = &chunk.bytes[head.block()];
                // A byte-order mark was removed if the text does not begin with the source.
                let is_utf8 = pages.is_utf8 || head.offset > 0;
                let long_block = head.long_block.as_deref();
                let record = Record { header, block, long_block, is_cut: head.is_cut, is_utf8 };
                page::read(record, &context, &mut self.links)?
            }
            // There is no record there.
            RecordState::Junk | RecordState::Beginning | RecordState::Unmeasured(_) => {
                let uri = Some(header[..header.len().min(120)].to_vec());
                Some(page::Page { uri, fault: Some(0), ..page::Page::default() })
            }
        };
        let Some(page) = found else {
            counts.others += 1;
            return Ok(());
        };
        counts.pages += 1;
        counts.based_on_files += u64::from(pages.base.is_none() && pages.document.is_some());
        counts.base_too_long += u64::from(page.has("base_too_long"));
        counts.charset_unknown += u64::from(page.has("charset_unknown"));
        counts.charset_damaged += u64::from(page.has("charset_damaged"));
        let links = self.links.count();
        counts.links += links as u64;
        match (links == 0, page.fault) {
            (false, _) => counts.with_links += 1,
            (true, None) => counts.without_links += 1,
            (true, Some(_)) => counts.unread += 1,
        }
        counts.partial += u64::from(page.is_cut || page.fault.is_some() && links > 0);
        let place = (number, head.start, head.offset);
        self.open = Some(OpenPage::new(page, place, &pages.rules));
        Ok(())
    }
}
