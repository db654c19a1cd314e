//! Finds URIs in the records of inputs: in payloads of web archives, and in texts of fields. `run::extract` searches
//! whole inputs.

use std::io::Read;
use std::sync::Mutex;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use urimill_base::error::{Error, Result};
use urimill_base::locks::lock;
use urimill_pages::http_body::BodyStream;
use urimill_pipeline::{Ahead, Look, Looked, Progress};
use urimill_read::format::{Blocks, RecordTypes};
use urimill_read::http::BodyEnd;
use urimill_read::{Block, Chunk, Format};
use urimill_uri::Code;
use urimill_uri::extract;
use urimill_uri::extract::{Options, each_found, find};
use urimill_uri::printable::printable_json;
use urimill_write::Target;

use super::lines::{Lines, object};
use super::payload;
use super::payload::Payload;
use super::searched::is_markup;
use super::{BEGINNING, LONGEST, Page};
use crate::run::choices::ExtractFormat;

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
    /// The bytes of a long text that are read before it is searched.
    pub(super) window: usize,
    pub(super) counters: &'a Progress,
    pub(super) found: Mutex<Found<'a>>,
}

/// The results so far, in order.
pub(super) struct Found<'a> {
    pub(super) target: &'a mut Target,
    pub(super) page: Page,
}

impl Searcher<'_> {
    /// Searches a text of the record with this number; a record of a web archive also has its page.
    pub(super) fn search(
        &self,
        lines: &mut Lines<'_, '_>,
        text: &[u8],
        place: (usize, i64),
        of: Option<&[u8]>,
    ) {
        let options = if is_markup(text) { self.markup } else { self.options };
        self.search_as(options, lines, text, place, of);
    }

    /// The same, for a text that is known to be markup or not.
    pub(super) fn search_as(
        &self,
        options: &Options,
        lines: &mut Lines<'_, '_>,
        text: &[u8],
        place: (usize, i64),
        of: Option<&[u8]>,
    ) {
        for found in find(text, options) {
            if lines.is_stopped {
                return;
            }
            self.line(lines, (0, &found), place, of);
        }
    }

    /// Searches a text that is too long to be held, up to its end or damage; returns the error that ended it.
    fn search_long(
        &self,
        lines: &mut Lines<'_, '_>,
        stream: BodyStream<'_>,
        place: (usize, i64),
        of: Option<&[u8]>,
    ) -> Result<BodyEnd> {
        let (beginning, mut stream) = stream.beginning(BEGINNING);
        let options = if is_markup(&beginning) { self.markup } else { self.options };
        let read = |buffer: &mut [u8]| {
            self.counters.check().map_err(Some)?;
            stream.read(buffer).map_err(|error| Some(Error::io("read", &self.names[place.0], error)))
        };
        let searched = each_found(read, self.window, options, |at, found| {
            self.line(lines, (at, found), place, of);
            // The run has failed elsewhere, and reports that error.
            if lines.is_stopped { Err(None) } else { Ok(()) }
        });
        match searched {
            Err(Some(error)) => Err(error),
            Ok(()) | Err(None) if stream.end == BodyEnd::Damage && stream.len == 0 => Ok(BodyEnd::Unknown),
            Ok(()) | Err(None) => Ok(stream.end),
        }
    }

    /// Writes the line of a URI; its offset counts from `at`.
    fn line(
        &self,
        lines: &mut Lines<'_, '_>,
        (at, found): (u64, &extract::Found<'_>),
        (source, record): (usize, i64),
        of: Option<&[u8]>,
    ) {
        let bytes = &mut lines.page.bytes;
        match self.format {
            ExtractFormat::Uris => bytes.extend_from_slice(found.uri.as_bytes()),
            ExtractFormat::Jsonl => {
                let of = of.map(|of| serde_json::Value::from(String::from_utf8_lossy(of)).to_string());
                let of = of.as_deref().unwrap_or("null");
                let place = format!(r#""record":{record},"page":{},"#, printable_json(of));
                let line = object(&self.names[source], &place, at, found);
                bytes.extend_from_slice(line.as_bytes());
            }
        }
        lines.end_line();
    }

    /// Searches the records of a web archive.
    fn archive(&self, lines: &mut Lines<'_, '_>, chunk: &Chunk, is_arc: bool) -> Result<()> {
        for block in chunk.blocks() {
            if lines.is_stopped {
                break;
            }
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
            self.record(lines, &block, (chunk.source, is_arc), of)?;
        }
        Ok(())
    }

    fn record(
        &self,
        lines: &mut Lines<'_, '_>,
        block: &Block<'_>,
        (source, is_arc): (usize, bool),
        of: Option<&[u8]>,
    ) -> Result<()> {
        let place = (source, block.record);
        match payload::of(block, is_arc) {
            Payload::Text(text, is_cut) => {
                lines.page.cut += u64::from(is_cut);
                self.search(lines, &text, place, of);
            }
            Payload::Long(stream) => {
                match self.search_long(lines, stream, place, of)? {
                    BodyEnd::Whole => {}
                    BodyEnd::Limit | BodyEnd::Damage => lines.page.cut += 1,
                    BodyEnd::Unknown => lines.page.unread += 1,
                }
                // If the file fails, the decoder reports damage.
                block.long_block.map_or(Ok(()), |long_block| long_block.check())?;
            }
            Payload::None => {}
            Payload::Unread => lines.page.unread += 1,
        }
        Ok(())
    }
}

impl Look for Searcher<'_> {
    type Seen = Result<Page>;

    fn chunk(
        &self,
        chunk: &Chunk,
        format: &Format,
        ahead: &mut Ahead<'_, Result<Page>>,
    ) -> Option<(Result<Page>, u64)> {
        let mut lines = Lines::new(Some(ahead));
        let searched = match format.blocks()? {
            Blocks::Documents => {
                self.messages(&mut lines, chunk);
                Ok(())
            }
            blocks => self.archive(&mut lines, chunk, blocks == Blocks::Arc),
        };
        Some((lines.finish(searched), chunk.records))
    }

    fn batch(&self, looked: &Looked<'_>) -> Result<Result<Page>> {
        let mut lines = Lines::new(None);
        let numbers = looked.batch.column(0).as_primitive::<Int64Type>().values();
        for (original, &record) in looked.normalizer.originals().zip(numbers) {
            let place = (looked.source, record);
            match (original.reject.map(|reject| reject.code), looked.chunk) {
                // The text is the whole record; its other fields are not searched.
                (Some(Code::FieldMissing), Some((_, format))) if !format.is_malformed_without_field() => {}
                (Some(Code::FieldMissing), None) => {}
                (Some(Code::FieldMissing | Code::RecordMalformed), _) => lines.page.malformed += 1,
                (Some(Code::TooLong), Some((chunk, format))) => {
                    let field = format.field_of_beginning(&chunk.layout, original.text);
                    lines.page.cut += u64::from(field.as_ref().is_none_or(|&(_, is_whole)| !is_whole));
                    self.search(&mut lines, &field.unwrap_or_default().0, place, None);
                }
                _ => {
                    let text = &original.text[..original.text.len().min(LONGEST)];
                    lines.page.cut += u64::from(text.len() < original.text.len());
                    self.search(&mut lines, text, place, None);
                }
            }
        }
        Ok(lines.finish(Ok(())))
    }

    fn then(&self, page: Result<Page>) -> Result<()> {
        let page = page?;
        let mut found = lock(&self.found);
        found.target.append(&page.bytes)?;
        found.page.add(&page);
        Ok(())
    }
}
