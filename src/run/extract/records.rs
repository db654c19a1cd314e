//! Searches the records of inputs for URIs: the payloads of web archives, and the texts of fields. Whole texts are
//! searched elsewhere, each input from its beginning to its end.

use std::sync::{Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;

use super::payload;
use super::payload::Payload;
use super::searched::is_markup;
use super::{ExtractFormat, Page};
use crate::error::Result;
use crate::extract::{Options, find};
use crate::pipeline::{Look, Looked};
use crate::printable::printable_json;
use crate::read::format::RecordTypes;
use crate::read::{Chunk, Format};
use crate::write::Target;

/// Looks for URIs in records, in several threads.
pub(super) struct Searcher<'a> {
    pub(super) options: &'a Options,
    /// The same for texts that are markup.
    pub(super) markup: &'a Options,
    pub(super) format: ExtractFormat,
    /// The names of the sources, in JSON.
    pub(super) names: &'a [String],
    /// The record types of a web archive that are searched.
    pub(super) types: &'a RecordTypes,
    pub(super) found: Mutex<Found<'a>>,
}

/// What has been found, in order.
pub(super) struct Found<'a> {
    pub(super) target: &'a mut Target,
    pub(super) page: Page,
}

impl Searcher<'_> {
    /// Searches a text of the record with this number; a record of a web archive also has its page.
    pub(super) fn search(&self, page: &mut Page, text: &[u8], place: (usize, i64), of: Option<&[u8]>) {
        let options = if is_markup(text) { self.markup } else { self.options };
        self.search_as(options, page, text, place, of);
    }

    /// The same, where it is known whether the text is markup.
    pub(super) fn search_as(
        &self,
        options: &Options,
        page: &mut Page,
        text: &[u8],
        (source, record): (usize, i64),
        of: Option<&[u8]>,
    ) {
        for found in find(text, options) {
            match self.format {
                ExtractFormat::Uris => page.bytes.extend_from_slice(found.uri.as_bytes()),
                ExtractFormat::Jsonl => {
                    let of = of.map(|of| serde_json::Value::from(String::from_utf8_lossy(of)).to_string());
                    let of = of.as_deref().unwrap_or("null");
                    let place = format!(r#""record":{record},"page":{},"#, printable_json(of));
                    let line = super::object(&self.names[source], &place, 0, &found);
                    page.bytes.extend_from_slice(line.as_bytes());
                }
            }
            page.bytes.push(b'\n');
            page.found += 1;
        }
    }
}

impl Look for Searcher<'_> {
    type Seen = Page;

    fn chunk(&self, chunk: &Chunk, format: &Format) -> Option<(Page, u64)> {
        if matches!(format, Format::Pages(_)) {
            return Some((self.messages(chunk), chunk.records));
        }
        if !format.has_blocks() {
            return None;
        }
        let is_arc = format.name() == "arc";
        let mut page = Page::default();
        for block in chunk.blocks() {
            let of = match is_arc {
                true => block.header.split(|&b| b == b' ').next(),
                false => block.field(b"warc-target-uri"),
            };
            let kind = if is_arc { None } else { block.field(b"warc-type") };
            let describes_file = kind.is_some_and(|kind| kind.eq_ignore_ascii_case(b"warcinfo"))
                || of.is_some_and(|of| of.starts_with(b"filedesc:"));
            if describes_file || !self.types.has(kind) {
                continue;
            }
            let of = of.map(|of| of.strip_prefix(b"<").and_then(|of| of.strip_suffix(b">")).unwrap_or(of));
            match payload::of(block.header, block.bytes, is_arc) {
                Payload::Text(text, is_cut) => {
                    page.cut += u64::from(is_cut || block.is_cut);
                    self.search(&mut page, &text, (chunk.source, block.record), of);
                }
                Payload::None => {}
                Payload::Unread => page.unread += 1,
            }
        }
        Some((page, chunk.records))
    }

    fn batch(&self, looked: &Looked<'_>) -> Result<Page> {
        let mut page = Page { cut: u64::from(looked.is_cut), ..Page::default() };
        let numbers = looked.batch.column(0).as_primitive::<Int64Type>().values();
        for (original, &record) in looked.normalizer.originals().zip(numbers) {
            self.search(&mut page, original.text, (looked.source, record), None);
        }
        Ok(page)
    }

    fn then(&self, page: Page) -> Result<()> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.target.append(&page.bytes)?;
        found.page.add(&page);
        Ok(())
    }
}
