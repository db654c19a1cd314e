//! WARC, the files of web archives (ISO 28500): records with a header of named fields and a block, which holds
//! what was sent or received. The URI is the field `WARC-Target-URI`. `chunk::heads` finds the records, keeps their
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

use std::ops::Range;

use memchr::memchr;
use serde_json::{Map, Value};

use super::keep::{Chosen, Keep, Known};
use super::span;
use crate::batch::{Cell, Kind, Records, Text, TimeForm};
use crate::error::Result;
use crate::input::chunk::{Chunk, Head, Whole};

/// The fields of WARC files that pass through. Places are of [`PLACES`].
pub(super) const KNOWN: &[Known] = &[
    Known::new(0, "warc_type", Kind::Text),
    Known::new(1, "warc_date", Kind::Time(TimeForm::Iso)),
    Known::new(2, "warc_record_id", Kind::Text),
    Known::new(3, "content_length", Kind::Int64),
    Known::optional(RECORD_OFFSET, "record_offset", Kind::Int64),
    Known::optional(5, "warc_ip_address", Kind::Text),
    Known::optional(6, "warc_payload_digest", Kind::Text),
    Known::optional(7, "warc_identified_payload_type", Kind::Text),
    Known::optional(CONTENT_TYPE, "content_type", Kind::Text),
    Known::optional(HTTP_STATUS, "http_status", Kind::Int32),
    Known::optional(EXTRA, "extra", Kind::Text),
];

/// Those of WAT files, whose blocks are JSON and hold no status.
pub(super) const KNOWN_WAT: &[Known] = &{
    let [a, b, c, d, e, f, g, h, i, _, extra] = *KNOWN.as_array::<PLACES>().expect("one a place");
    [a, b, c, d, e, f, g, h, i, extra]
};

/// The named fields with a column of their own, and where they are put.
const NAMES: &[(&[u8], u8)] = &[
    (b"WARC-Type", 0),
    (b"WARC-Date", 1),
    (b"WARC-Record-ID", 2),
    (CONTENT_LENGTH, 3),
    (b"WARC-IP-Address", 5),
    (b"WARC-Payload-Digest", 6),
    (b"WARC-Identified-Payload-Type", 7),
    (b"Content-Type", CONTENT_TYPE),
];

const TARGET: &[u8] = b"WARC-Target-URI";
const CONTENT_LENGTH: &[u8] = b"Content-Length";
const RECORD_OFFSET: u8 = 4;
const CONTENT_TYPE: u8 = 8;
const HTTP_STATUS: u8 = 9;
/// All other fields, as a JSON object.
const EXTRA: u8 = 10;
const PLACES: usize = 11;

/// What every record begins with; a version follows.
pub(in crate::input) const MAGIC: &[u8] = b"WARC/";

/// The format.
#[derive(Debug, Clone)]
pub struct Warc {
    pub(super) chosen: Chosen,
    pub(super) name: &'static str,
    /// The longest header.
    pub(in crate::input) longest: usize,
}

impl Warc {
    /// WARC files, with these of the other fields, and headers of at most `longest` bytes.
    ///
    /// # Errors
    /// Usage, where there is no field of a name.
    pub fn new(keep: &Keep, longest: usize) -> Result<Warc> {
        Ok(Warc { chosen: Chosen::of(KNOWN, keep, "warc")?, name: "warc", longest })
    }

    /// WAT files, likewise: what was extracted from WARC files, one record of metadata for each of theirs.
    ///
    /// # Errors
    /// Usage, where there is no field of a name.
    pub fn wat(keep: &Keep, longest: usize) -> Result<Warc> {
        Ok(Warc { chosen: Chosen::of(KNOWN_WAT, keep, "wat")?, name: "wat", longest })
    }

    /// See [`super::Format::read`].
    pub(super) fn read(&self, chunk: &Chunk, from: usize, most: usize, records: &mut Records) -> usize {
        let first = chunk.heads.partition_point(|head| (head.start as usize) < from);
        for head in &chunk.heads[first..] {
            if records.len() == most {
                return head.start as usize;
            }
            self.record(&chunk.bytes, head, records);
        }
        chunk.len
    }

    fn record(&self, bytes: &[u8], head: &Head, records: &mut Records) {
        let start = head.start as usize;
        let whole = span(start, start + head.len as usize);
        let mut fields = Fields::default();
        if !matches!(head.whole, Whole::Junk) {
            fields.find(bytes, start..start + head.len as usize);
        }
        match (head.whole, &fields.target) {
            (Whole::Junk, _) => {
                records.push_malformed(head.start, whole, 0, false);
                records.doubt(whole);
            }
            (Whole::Unmeasured(at), _) => records.push_malformed(head.start, whole, at, false),
            // Longer than a record may be, whatever it is: the kernels say so.
            (Whole::Beginning, _) => records.push(head.start, Text::Read(whole), None),
            (Whole::Yes, Some(target)) => {
                let text = text(bytes, target, records);
                records.push(head.start, text, None);
            }
            (Whole::Yes, None) if fields.has_no_target(bytes) => return records.push_blank(),
            (Whole::Yes, None) => records.push_short(whole, 0, false),
        }
        records.place(head.offset);
        if !self.chosen.places.is_empty() && !matches!(head.whole, Whole::Beginning) {
            self.keep(bytes, head, &fields, records);
        }
    }

    fn keep(&self, bytes: &[u8], head: &Head, fields: &Fields, records: &mut Records) {
        let mut cells = [Cell::NULL; PLACES];
        for &(place, absent) in &*self.chosen.places {
            cells[usize::from(place)] = match (place, &fields.found[usize::from(place)]) {
                (RECORD_OFFSET, _) => head.stored.map_or(Cell::NULL, |stored| {
                    records.unescape(|out| out.extend_from_slice(stored.to_string().as_bytes())).into()
                }),
                (HTTP_STATUS, _) => fields.status(bytes, head),
                (EXTRA, _) => fields.extra(bytes, records),
                (_, Some(value)) => text(bytes, value, records).into(),
                // Bytes between records have nothing that they could lack.
                (_, None) if matches!(head.whole, Whole::Junk) => Cell::NULL,
                (_, None) => absent,
            };
        }
        records.keep(self.chosen.places.iter().map(|&(place, _)| cells[usize::from(place)]));
    }
}

/// The named fields of one header, by place in the chunk. Of several with one name the first counts, the others are
/// among `others`.
#[derive(Default)]
struct Fields {
    target: Option<Range<usize>>,
    found: [Option<Range<usize>>; PLACES],
    others: Vec<Named>,
}

impl Fields {
    fn find(&mut self, bytes: &[u8], head: Range<usize>) {
        for field in named(bytes, head) {
            let name = &bytes[field.name.clone()];
            let place = NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
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
                None => *slot = Some(field.value),
                Some(_) => self.others.push(field),
            }
        }
        // The grammar of WARC 1.0 has the URI in angle brackets, which its own examples leave out.
        if let Some(target) = &mut self.target
            && let [b'<', .., b'>'] = &bytes[target.clone()]
        {
            *target = target.start + 1..target.end - 1;
        }
    }

    /// A warcinfo record describes the records behind it, and no resource (ISO 28500, 6.2).
    fn has_no_target(&self, bytes: &[u8]) -> bool {
        self.found[0].as_ref().is_some_and(|kind| bytes[kind.clone()].eq_ignore_ascii_case(b"warcinfo"))
    }

    /// The status of the HTTP response that the block begins with (RFC 9112, 4).
    fn status(&self, bytes: &[u8], head: &Head) -> Cell {
        let is_http = |kind: &Range<usize>| {
            let kind = &bytes[kind.clone()];
            kind.get(..HTTP.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(HTTP))
        };
        if !self.found[usize::from(CONTENT_TYPE)].as_ref().is_some_and(is_http) {
            return Cell::NULL;
        }
        let from = (head.start + head.len) as usize;
        let block = &bytes[from..from + usize::from(head.block)];
        let line = block.split(|b| matches!(b, b'\r' | b'\n')).next().unwrap_or_default();
        let Some(space) = memchr(b' ', line).filter(|_| line.starts_with(b"HTTP/")) else {
            return Cell::NULL;
        };
        let blank = line[space..].iter().take_while(|&&b| b == b' ').count();
        let digits = line[space + blank..].iter().take_while(|&&b| b != b' ').count();
        let start = from + space + blank;
        if digits == 0 { Cell::NULL } else { Cell::read(span(start, start + digits)) }
    }

    /// The other fields as a JSON object; a name that comes several times has a list.
    fn extra(&self, bytes: &[u8], records: &mut Records) -> Cell {
        if self.others.is_empty() {
            return Cell::NULL;
        }
        let mut object = Map::new();
        for field in &self.others {
            let name = String::from_utf8_lossy(&bytes[field.name.clone()]).into_owned();
            let value =
                Value::from(String::from_utf8_lossy(&unfolded(&bytes[field.value.clone()])).into_owned());
            match object.get_mut(&name) {
                None => drop(object.insert(name, value)),
                Some(Value::Array(values)) => values.push(value),
                Some(first) => *first = Value::Array(vec![first.take(), value]),
            }
        }
        let text = Value::from(object).to_string();
        records.unescape(|out| out.extend_from_slice(text.as_bytes())).into()
    }
}

const HTTP: &[u8] = b"application/http";

/// A value: as it lies there, but for folded lines.
fn text(bytes: &[u8], value: &Range<usize>, records: &mut Records) -> Text {
    match memchr(b'\n', &bytes[value.clone()]) {
        None => Text::Read(span(value.start, value.end)),
        Some(_) => records.unescape(|out| out.extend_from_slice(&unfolded(&bytes[value.clone()]))),
    }
}

/// Line ends with white space around them are one space.
fn unfolded(value: &[u8]) -> Vec<u8> {
    value.split(|&b| b == b'\n').map(<[u8]>::trim_ascii).collect::<Vec<_>>().join(&b' ')
}

/// A named field: where its name and its value stand.
pub(in crate::input) struct Named {
    name: Range<usize>,
    value: Range<usize>,
}

/// The named fields of the header that stands at `head`. Lines without a colon are none.
fn named(bytes: &[u8], head: Range<usize>) -> impl Iterator<Item = Named> {
    let mut at = line_end(bytes, head.start, head.end) + 1;
    std::iter::from_fn(move || {
        while at < head.end {
            let start = at;
            let mut end = line_end(bytes, start, head.end);
            while end + 1 < head.end && matches!(bytes[end + 1], b' ' | b'\t') {
                end = line_end(bytes, end + 1, head.end);
            }
            at = end + 1;
            if let Some(colon) = memchr(b':', &bytes[start..end]) {
                let name = trimmed(bytes, start..start + colon);
                return Some(Named { name, value: trimmed(bytes, start + colon + 1..end) });
            }
        }
        None
    })
}

/// Where the line ends that has `from` in it.
fn line_end(bytes: &[u8], from: usize, end: usize) -> usize {
    memchr(b'\n', &bytes[from..end]).map_or(end, |newline| from + newline)
}

fn trimmed(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let text = &bytes[range.clone()];
    let start = range.start + (text.len() - text.trim_ascii_start().len());
    start..start + text.trim_ascii().len()
}

/// How long the block is behind a header.
///
/// # Errors
/// The byte of the header where no length stands: that of the field's value, or the end.
pub(in crate::input) fn block_length(head: &[u8]) -> std::result::Result<u64, usize> {
    let mut fields = named(head, 0..head.len());
    let field = fields.find(|field| head[field.name.clone()].eq_ignore_ascii_case(CONTENT_LENGTH));
    let Some(Named { value, .. }) = field else { return Err(head.len()) };
    let digits = &head[value.clone()];
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    // A file is no longer than that on any system.
    let length = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<i64>().ok());
    length.filter(|_| is_number).map(i64::cast_unsigned).ok_or(value.start)
}
