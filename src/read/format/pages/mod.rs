//! Pages, whose references become records: HTML, style sheets and XML, as files, in web archives and in mail. A record of the
//! source is a page, and it has as many rows as references.
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

mod attributes;
mod charset;
mod codebase;
mod css;
mod entities;
mod foreign;
mod header;
mod html;
#[cfg(test)]
mod html_tests;
mod kind;
mod link;
mod mail;
mod markdown;
mod meta;
mod page;
mod reference;
mod rows;
mod spool;
mod stream;
#[cfg(all(test, feature = "gzip", feature = "brotli", feature = "zstd"))]
mod stream_tests;
mod values;
mod wat;
mod xml;

use std::path::Path;
use std::sync::Arc;

use super::base::LinkRules;
use super::detect::{Mail, has_end, mail};
use super::framing::{ChunkText, Framing, RecordState};
use super::keep::{FieldSpec, Keep, SelectedFields};
use super::{Beginning, Blocks, First, Format, RecordFormat};
use crate::batch::{ExtraColumns, Kind as FieldKind, Options, Records};
use crate::error::{Error, Result};
use crate::option_name::OptionName;
use crate::read::decode::wacz::Wanted;
use crate::read::source::Source;
use crate::read::temporary::TemporaryPlace;
use charset::Markup;
pub use kind::PageKind;
use link::Links;
pub(in crate::read) use page::may_be_page;
use page::{Context, Record};
use rows::OpenPage;

/// The fields of a reference that pass through.
pub(in crate::read) const KNOWN: [FieldSpec; 10] = [
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

/// The number of pages, and their results: each page is in one of the counts after the first two.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageCounts {
    /// Pages.
    pub pages: u64,
    /// References in them.
    pub links: u64,
    /// Those that have references.
    pub with_links: u64,
    /// Those that have none.
    pub without_links: u64,
    /// Pages that could not be read: each has a row that says so.
    pub unread: u64,
    /// Pages of which only a beginning was read: those with damage have a row that says so.
    pub partial: u64,
    /// Records of archives that are not pages.
    pub others: u64,
    /// Pages whose base from outside is the URI of their file, because their own URI is unknown.
    pub based_on_files: u64,
    /// Pages with the flag `base_too_long`: their references that need a base are not resolved.
    pub base_too_long: u64,
    /// Pages with the flag `charset_unknown`.
    pub charset_unknown: u64,
    /// Pages with the flag `charset_damaged`.
    pub charset_damaged: u64,
}

impl PageCounts {
    /// Adds the counts of another part.
    pub fn add(&mut self, other: &PageCounts) {
        self.pages += other.pages;
        self.links += other.links;
        self.with_links += other.with_links;
        self.without_links += other.without_links;
        self.unread += other.unread;
        self.partial += other.partial;
        self.others += other.others;
        self.based_on_files += other.based_on_files;
        self.base_too_long += other.base_too_long;
        self.charset_unknown += other.charset_unknown;
        self.charset_damaged += other.charset_damaged;
    }
}

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
        self.kind = match super::detect::framed(first).map(|format| format.name) {
            _ if text.starts_with(super::warc::MAGIC) => match super::warc::wat::begins(first) {
                true => PageKind::Wat,
                false => PageKind::Warc,
            },
            Some("arc") => PageKind::Arc,
            _ if mail == Some(Mail::Mailbox) => PageKind::Mbox,
            _ if mail == Some(Mail::Message) => PageKind::Mail,
            _ if [".md", ".markdown", ".mkd"].iter().any(|end| has_end(end)) => PageKind::Markdown,
            _ if [".html", ".htm", ".xhtml"].iter().any(|end| has_end(end)) => PageKind::Html,
            Some("sitemap" | "feed") => PageKind::Xml,
            _ => match page::looks_like(text).or_else(|| looks_like_in_utf16(text)) {
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
        pages: &mut PageReader,
        records: &mut Records,
    ) -> Result<usize> {
        pages.read(self, chunk, place, records)
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
            self.document = source.file_uri().map(Arc::from);
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
pub struct PageReader {
    links: Links,
    open: Option<OpenPage>,
    counts: PageCounts,
    rows: u64,
}

impl PageReader {
    /// The counts, and the number of records that were made, since the last call.
    pub fn take_counts(&mut self) -> (PageCounts, u64) {
        (std::mem::take(&mut self.counts), std::mem::take(&mut self.rows))
    }

    /// Finds the references of the pages of a chunk that begin at `from` or after it, at most `most`; returns where the
    /// first unfinished page begins. It is called again with that place, until the chunk ends.
    ///
    /// # Errors
    /// `Io`, if a temporary file cannot be written or read.
    pub(in crate::read) fn read(
        &mut self,
        pages: &Pages,
        chunk: &ChunkText<'_>,
        (from, most): (usize, usize),
        records: &mut Records,
    ) -> Result<usize> {
        let first = chunk.framed_records.partition_point(|head| (head.start as usize) < from);
        for (head, number) in chunk.framed_records.iter().zip(chunk.first_record..).skip(first) {
            if self.open.as_ref().is_none_or(|open| open.start != head.start) {
                self.begin(pages, chunk, (head, number))?;
            }
            let before = records.len();
            let is_done = match &mut self.open {
                Some(open) => open.put(&mut self.links, (&pages.chosen, &pages.rules), most, records)?,
                None => true,
            };
            self.rows += (records.len() - before) as u64;
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
        (head, number): (&super::framing::FramedRecord, i64),
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
            self.counts.others += 1;
            return Ok(());
        };
        let counts = &mut self.counts;
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
