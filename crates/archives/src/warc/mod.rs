//! WARC, the files of web archives (ISO 28500): records with a header of named fields and a block, which holds what was
//! sent or received. The URI is the field `WARC-Target-URI`. `chunk::framed_records` finds the records, keeps their
//! headers and steps over their blocks; here the headers are read, by the worker that has the chunk.
//!
//! ```text
//! WARC/1.0                                      version
//! WARC-Type: response                           named fields, in any order, names in any case;
//! WARC-Target-URI: http://example.org/          a line that begins with white space goes on with the one before
//! Content-Length: 5243
//!                                               an empty line
//! HTTP/1.1 200 OK …                             the block: as many bytes as Content-Length says
//!                                               two empty lines
//! ```

pub(crate) mod wat;

use std::ops::Range;

use memchr::memchr;
use serde_json::Map;
use urimill_base::error::Result;
use urimill_base::option_name::OptionName;
use urimill_base::temporary::TemporaryPlace;
use urimill_columns::batch::{Cell, ExtraColumns, Kind, Records, Text, TimeForm};
use urimill_read::decode::Wanted;
use urimill_read::format::format_row::{FormatContents, FormatRow, Sure};
use urimill_read::format::framing::{ChunkText, FramedRecord, Framing, Keeps, RecordState};
use urimill_read::format::headers::warc::{
    CONTENT_LENGTH, MAGIC, Named, TARGET, begins_wat, named, trimmed, unfolded,
};
use urimill_read::format::json;
use urimill_read::format::keep::{FieldSpec, SelectedFields};
use urimill_read::format::record_types::RecordTypes;
use urimill_read::format::{Asked, Blocks, Format, RecordFormat, span};
use urimill_read::source::Source;

use wat::Described;

/// The fields of WARC files that pass through. Places are those of [`PLACES`].
const KNOWN: &[FieldSpec] = &[
    FieldSpec::new(0, "warc_type", Kind::Text),
    FieldSpec::new(1, "warc_date", Kind::Time(TimeForm::Iso)),
    FieldSpec::new(2, "warc_record_id", Kind::Text),
    FieldSpec::new(3, "content_length", Kind::Int64),
    FieldSpec::optional(RECORD_OFFSET, "record_offset", Kind::Int64),
    FieldSpec::optional(RECORD_LENGTH, "record_length", Kind::Int64),
    FieldSpec::optional(FILE_NAME, "filename", Kind::Text),
    FieldSpec::optional(IP_ADDRESS, "warc_ip_address", Kind::Text),
    FieldSpec::optional(PAYLOAD_DIGEST, "warc_payload_digest", Kind::Text),
    FieldSpec::optional(IDENTIFIED, "warc_identified_payload_type", Kind::Text),
    FieldSpec::optional(CONTENT_TYPE, "content_type", Kind::Text),
    FieldSpec::optional(HTTP_STATUS, "http_status", Kind::Int32),
    FieldSpec::optional(PAYLOAD_TYPE, "payload_type", Kind::Text),
    FieldSpec::optional(EXTRA, "extra", Kind::Text),
];

/// The fields of WAT files: those of the metadata records themselves, and those of the records that these describe.
const KNOWN_WAT: &[FieldSpec] = &[
    FieldSpec::new(0, "warc_type", Kind::Text),
    FieldSpec::new(1, "warc_date", Kind::Time(TimeForm::Iso)),
    FieldSpec::new(2, "warc_record_id", Kind::Text),
    FieldSpec::new(3, "content_length", Kind::Int64),
    FieldSpec::optional(RECORD_OFFSET, "record_offset", Kind::Int64),
    FieldSpec::optional(RECORD_LENGTH, "record_length", Kind::Int64),
    FieldSpec::optional(FILE_NAME, "filename", Kind::Text),
    FieldSpec::optional(CONTENT_TYPE, "content_type", Kind::Text),
    FieldSpec::optional(CONTAINER_NAME, "container_filename", Kind::Text),
    FieldSpec::optional(CONTAINER_OFFSET, "container_offset", Kind::Int64),
    FieldSpec::optional(CONTAINER_LENGTH, "container_length", Kind::Int64),
    FieldSpec::optional(DESCRIBED_TYPE, "envelope_type", Kind::Text),
    FieldSpec::optional(IP_ADDRESS, "warc_ip_address", Kind::Text),
    FieldSpec::optional(PAYLOAD_DIGEST, "warc_payload_digest", Kind::Text),
    FieldSpec::optional(IDENTIFIED, "warc_identified_payload_type", Kind::Text),
    FieldSpec::optional(HTTP_STATUS, "http_status", Kind::Int32),
    FieldSpec::optional(PAYLOAD_TYPE, "payload_type", Kind::Text),
    FieldSpec::optional(TITLE, "title", Kind::Text),
    FieldSpec::optional(EXTRA, "extra", Kind::Text),
];

/// The named fields with a column of their own, and their places. A WAT has the fields at the end of the list in its
/// blocks.
const NAMES: &[(&[u8], u8)] = &[
    (b"WARC-Type", 0),
    (b"WARC-Date", 1),
    (b"WARC-Record-ID", 2),
    (CONTENT_LENGTH, 3),
    (b"Content-Type", CONTENT_TYPE),
    (b"WARC-IP-Address", IP_ADDRESS),
    (b"WARC-Payload-Digest", PAYLOAD_DIGEST),
    (b"WARC-Identified-Payload-Type", IDENTIFIED),
];
const NAMES_OF_WAT: usize = 5;

const RECORD_OFFSET: u8 = 4;
pub(crate) const IP_ADDRESS: u8 = 5;
pub(crate) const PAYLOAD_DIGEST: u8 = 6;
pub(crate) const IDENTIFIED: u8 = 7;
const CONTENT_TYPE: u8 = 8;
pub(crate) const HTTP_STATUS: u8 = 9;
/// All other fields, as a JSON object.
const EXTRA: u8 = 10;
const RECORD_LENGTH: u8 = 11;
const FILE_NAME: u8 = 12;
pub(crate) const PAYLOAD_TYPE: u8 = 13;
pub(crate) const CONTAINER_NAME: u8 = 14;
pub(crate) const CONTAINER_OFFSET: u8 = 15;
pub(crate) const CONTAINER_LENGTH: u8 = 16;
pub(crate) const DESCRIBED_TYPE: u8 = 17;
pub(crate) const TITLE: u8 = 18;
pub(crate) const PLACES: usize = 19;

/// The row of WARC files.
pub const WARC: FormatRow = FormatRow {
    name: "warc",
    meaning: "The files of web archives: the target of each record; blocks are skipped",
    fields: KNOWN,
    contents: FormatContents::Archive,
    others: "warcinfo",
    takes: &[&[OptionName::Records]],
    detect: |first| Sure::Magic.when(first.trim_ascii_start().starts_with(MAGIC) && !begins_wat(first)),
    reader: Warc::asked,
    ..FormatRow::TEXT
};

/// The row of WAT files.
pub const WAT: FormatRow = FormatRow {
    name: "wat",
    meaning: "Metadata records extracted from web archives",
    fields: KNOWN_WAT,
    detect: |first| Sure::Magic.when(first.trim_ascii_start().starts_with(MAGIC) && begins_wat(first)),
    ..WARC
};

/// The row of archives in a WACZ file.
pub const WACZ: FormatRow = FormatRow {
    name: "wacz",
    meaning: "WACZ files: the archives in them; cdxj reads their indexes",
    fields: &[],
    detect: |_| Sure::No,
    ..WARC
};

/// The format.
#[derive(Debug, Clone)]
struct Warc {
    pub(crate) chosen: SelectedFields,
    pub(crate) name: &'static str,
    /// The longest header.
    pub(crate) longest: usize,
    is_wat: bool,
    only: RecordTypes,
    /// The folder for blocks that are too long for a chunk, if chunks hold the blocks.
    pub(crate) blocks: Option<TemporaryPlace>,
    /// The parts of blocks that chunks hold instead, if an index is made.
    pub(crate) indexes: Option<Keeps>,
}

impl Warc {
    fn asked(format: &FormatRow, asked: &Asked) -> Result<Format> {
        let is_wat = format.name == WAT.name;
        let chosen = if is_wat { &WAT } else { &WARC }.selected(asked)?;
        let (name, longest, only) = (format.name, asked.longest, asked.records.clone());
        Ok(Warc { chosen, name, longest, is_wat, only, blocks: None, indexes: None }.into())
    }

    /// The parts of a block that a chunk holds.
    pub(crate) fn keeps(&self) -> Keeps {
        let is_kept = |place: u8| self.chosen.places.iter().any(|&(kept, _)| kept == place);
        if let Some(keeps) = self.indexes {
            return keeps;
        }
        match self.is_wat {
            _ if self.blocks.is_some() => Keeps::Text,
            true if !self.only.is_all() || wat::PLACES_OF_BLOCKS.iter().any(|&place| is_kept(place)) => {
                Keeps::Json
            }
            false if is_kept(PAYLOAD_TYPE) => Keeps::HttpHeader,
            _ => Keeps::Status,
        }
    }
}

impl RecordFormat for Warc {
    fn name(&self) -> &'static str {
        self.name
    }

    fn extra_columns(&self) -> ExtraColumns {
        self.chosen.extra.clone()
    }

    fn framing(&self) -> Option<(Framing, usize, TemporaryPlace)> {
        Some((Framing::Warc(self.keeps()), self.longest, self.blocks.clone().unwrap_or_default()))
    }

    fn in_wacz(&self) -> Option<Wanted> {
        (self.name == "wacz").then_some(Wanted::Archives)
    }

    fn of_source(&mut self, _: &Source, is_part: bool) {
        if is_part {
            self.name = "wacz";
        }
    }

    fn is_text(&self) -> bool {
        false
    }

    fn blocks(&self) -> Option<Blocks> {
        self.blocks.as_ref().map(|_| Blocks::Warc)
    }

    fn hold_blocks(&mut self, place: &TemporaryPlace) {
        self.blocks = Some(place.clone());
    }

    fn hold_index(&mut self, posts: bool) {
        self.indexes = Some(Keeps::Index { posts });
    }

    fn find(&self, chunk: &ChunkText<'_>, (from, most): (usize, usize), records: &mut Records) -> usize {
        let first = chunk.framed_records.partition_point(|head| (head.start as usize) < from);
        let name = chunk.file_name.filter(|_| self.keeps_name());
        let name = name.map(|name| records.unescape(|out| out.extend_from_slice(name)));
        for head in &chunk.framed_records[first..] {
            if records.len() == most {
                return head.start as usize;
            }
            self.record(chunk.bytes, head, name, records);
        }
        chunk.len
    }
}

impl Warc {
    fn keeps_name(&self) -> bool {
        self.chosen.places.iter().any(|&(place, _)| place == FILE_NAME)
    }

    fn record(&self, bytes: &[u8], head: &FramedRecord, name: Option<Text>, records: &mut Records) {
        let start = head.start as usize;
        let whole = span(start, start + head.len as usize);
        let mut fields = Fields::default();
        if !matches!(head.whole, RecordState::Junk) {
            fields.find(bytes, start..start + head.len as usize, self.is_wat);
        }
        let described = match self.is_wat && head.block > 0 {
            true => Described::of(bytes, head),
            false => Described::default(),
        };
        match (head.whole, &fields.target) {
            (RecordState::Junk, _) => {
                records.push_malformed(head.start, whole, 0, false);
                records.mark_mismatch(whole);
            }
            (RecordState::Unmeasured(at), _) => records.push_malformed(head.start, whole, at, false),
            // Longer than a record may be, whatever it is: the kernels say so.
            (RecordState::Beginning, _) => records.push(head.start, Text::Read(whole), None),
            (RecordState::Yes, _) if !self.only.has(described.kind(bytes).or(fields.kind(bytes))) => {
                return records.push_blank();
            }
            (RecordState::Yes, _) if described.fault.is_some() => {
                let whole = span(start, head.block().end);
                let fault = described.fault.unwrap_or_default() - start;
                records.push_malformed(head.start, whole, fault as u32, false);
            }
            (RecordState::Yes, _) if fields.fault.is_some() => {
                let fault = fields.fault.unwrap_or_default() - start;
                records.push_malformed(head.start, whole, fault as u32, false);
            }
            (RecordState::Yes, Some(target)) => {
                let text = text(bytes, target, records);
                records.push(head.start, text, None);
            }
            (RecordState::Yes, None) if fields.has_no_target(bytes) => return records.push_blank(),
            (RecordState::Yes, None) => records.push_short(whole, 0, false),
        }
        records.place(head.offset);
        if !self.chosen.places.is_empty() && !matches!(head.whole, RecordState::Beginning) {
            self.keep(bytes, head, (&fields, &described, name), records);
        }
    }

    fn keep(
        &self,
        bytes: &[u8],
        head: &FramedRecord,
        (fields, described, name): (&Fields, &Described, Option<Text>),
        records: &mut Records,
    ) {
        let mut cells = [Cell::NULL; PLACES];
        let number = |number: Option<u64>, records: &mut Records| {
            number.map_or(Cell::NULL, |number| {
                records.unescape(|out| out.extend_from_slice(number.to_string().as_bytes())).into()
            })
        };
        for &(place, absent) in &*self.chosen.places {
            cells[usize::from(place)] = match (place, &fields.found[usize::from(place)]) {
                (RECORD_OFFSET, _) => number(head.stored, records),
                (RECORD_LENGTH, _) => number(head.stored_len, records),
                (FILE_NAME, _) => name.map_or(Cell::NULL, Cell::from),
                (EXTRA, _) => fields.extra(bytes, records),
                (_, None) if self.is_wat && wat::PLACES_OF_BLOCKS.contains(&place) => {
                    described.cell(bytes, place, records)
                }
                (HTTP_STATUS, _) => fields.status(bytes, head),
                (PAYLOAD_TYPE, _) => fields.payload_type(bytes, head),
                (_, Some(value)) => text(bytes, value, records).into(),
                // Bytes between records cannot lack anything.
                (_, None) if matches!(head.whole, RecordState::Junk) => Cell::NULL,
                (_, None) => absent,
            };
        }
        records.keep(self.chosen.places.iter().map(|&(place, _)| cells[usize::from(place)]));
    }
}

/// The named fields of one header, by place in the chunk. The first of several with one name counts; the rest are among
/// `others`.
#[derive(Default)]
struct Fields {
    target: Option<Range<usize>>,
    found: [Option<Range<usize>>; PLACES],
    others: Vec<Named>,
    /// Where a line begins that is not a field: it may be the rest of one.
    fault: Option<usize>,
}

impl Fields {
    fn find(&mut self, bytes: &[u8], head: Range<usize>, is_wat: bool) {
        let names = if is_wat { &NAMES[..NAMES_OF_WAT] } else { NAMES };
        for field in named(bytes, head) {
            let name = &bytes[field.name.clone()];
            if name.is_empty() {
                self.fault = self.fault.or(Some(field.name.start));
                continue;
            }
            let place = names.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
            let slot = match place {
                Some(&(_, place)) => &mut self.found[usize::from(place)],
                None if name.eq_ignore_ascii_case(TARGET) => &mut self.target,
                None => {
                    self.others.push(field);
                    continue;
                }
            };
            match slot {
                None if field.value.is_empty() => {}
                None if place.is_some_and(|&(_, place)| !has_form(&bytes[field.value.clone()], place)) => {
                    self.others.push(field);
                }
                None => *slot = Some(field.value),
                Some(_) => self.others.push(field),
            }
        }
        // The grammar of WARC 1.0 has the URI in angle brackets; its own examples leave them out.
        if let Some(target) = &mut self.target
            && let [b'<', .., b'>'] = &bytes[target.clone()]
        {
            *target = target.start + 1..target.end - 1;
        }
    }

    /// A warcinfo record describes the records after it, and is not a resource (ISO 28500, 6.2).
    fn has_no_target(&self, bytes: &[u8]) -> bool {
        self.kind(bytes).is_some_and(|kind| kind.eq_ignore_ascii_case(b"warcinfo"))
    }

    /// The type of the record.
    fn kind<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        self.found[0].as_ref().map(|kind| &bytes[kind.clone()])
    }

    fn is_http(&self, bytes: &[u8]) -> bool {
        self.found[usize::from(CONTENT_TYPE)].as_ref().is_some_and(|kind| {
            let kind = &bytes[kind.clone()];
            kind.get(..HTTP.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(HTTP))
        })
    }

    /// The media type of the transferred body: an HTTP response has it in its header (RFC 9110, 8.3), other records in
    /// theirs. Parameters are left out.
    fn payload_type(&self, bytes: &[u8], head: &FramedRecord) -> Cell {
        let value = match self.is_http(bytes) {
            false => self.found[usize::from(CONTENT_TYPE)].clone(),
            true => {
                let block = head.block();
                let is_whole = |field: &Named| !head.is_cut || field.value.end < block.end;
                let found = named(bytes, block.clone()).filter(is_whole);
                let mut found = found
                    .filter(|field| bytes[field.name.clone()].eq_ignore_ascii_case(b"content-type"))
                    .filter(|field| !field.value.is_empty());
                found.next().map(|field| field.value)
            }
        };
        value.map_or(Cell::NULL, |value| media_type(bytes, value))
    }

    /// The status of the HTTP response that the block begins with (RFC 9112, 4).
    fn status(&self, bytes: &[u8], head: &FramedRecord) -> Cell {
        if self.is_http(bytes) { status_of(bytes, head.block()) } else { Cell::NULL }
    }

    /// The other fields as a JSON object; a name that comes several times has a list.
    fn extra(&self, bytes: &[u8], records: &mut Records) -> Cell {
        if self.others.is_empty() {
            return Cell::NULL;
        }
        let is_text = |range: &Range<usize>| std::str::from_utf8(&bytes[range.clone()]).is_ok();
        // The column already shows the fault.
        if let Some(wrong) = self.others.iter().find(|field| !is_text(&field.name) || !is_text(&field.value))
        {
            return Cell::read(span(wrong.name.start, wrong.value.end));
        }
        let mut object = Map::new();
        for field in &self.others {
            let name = String::from_utf8_lossy(&bytes[field.name.clone()]);
            let value = unfolded(&bytes[field.value.clone()]);
            json::add(&mut object, &name, String::from_utf8_lossy(&value).into());
        }
        json::extra(object, records)
    }
}

/// Whether a value has the form of its field: where a line end is lost, the value contains the next field, too.
fn has_form(value: &[u8], place: u8) -> bool {
    match place {
        0 | 2 | PAYLOAD_DIGEST => !value.iter().any(u8::is_ascii_whitespace),
        IP_ADDRESS => value.iter().all(|b| b.is_ascii_hexdigit() || matches!(b, b'.' | b':')),
        // A parameter is a name and a value with `=` between.
        CONTENT_TYPE | IDENTIFIED => memchr::memmem::find(value, b": ").is_none(),
        // Numbers and times are read where their columns are made.
        _ => true,
    }
}

const HTTP: &[u8] = b"application/http";

/// The status of the HTTP response that `bytes[block]` begin with.
pub(crate) fn status_of(bytes: &[u8], block: Range<usize>) -> Cell {
    let from = block.start;
    let line = bytes[block].split(|b| matches!(b, b'\r' | b'\n')).next().unwrap_or_default();
    let Some(space) = memchr(b' ', line).filter(|_| line.starts_with(b"HTTP/")) else { return Cell::NULL };
    let blank = line[space..].iter().take_while(|&&b| b == b' ').count();
    let digits = line[space + blank..].iter().take_while(|&&b| b != b' ').count();
    let start = from + space + blank;
    if digits == 0 { Cell::NULL } else { Cell::read(span(start, start + digits)) }
}

/// A media type without its parameters; `None` if there is none.
pub(crate) fn media_type(bytes: &[u8], value: Range<usize>) -> Cell {
    let end = memchr(b';', &bytes[value.clone()]).map_or(value.end, |at| value.start + at);
    let value = trimmed(bytes, value.start..end);
    if value.is_empty() { Cell::NULL } else { Cell::read(span(value.start, value.end)) }
}

/// A value as it lies there, except for folded lines.
fn text(bytes: &[u8], value: &Range<usize>, records: &mut Records) -> Text {
    match memchr(b'\n', &bytes[value.clone()]) {
        None => Text::Read(span(value.start, value.end)),
        Some(_) => records.unescape(|out| out.extend_from_slice(&unfolded(&bytes[value.clone()]))),
    }
}
