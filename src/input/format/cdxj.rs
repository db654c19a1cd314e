//! CDXJ, the index of web archives with JSON: `surtkey SP timestamp SP {json}`, a line for each capture. The URI is
//! the member `url`.

use super::json::{self, Value};
use super::keep::{Chosen, Keep, Known};
use super::words::{begins_with_digits, words};
use crate::batch::{Cell, Kind, Records, TimeForm};
use crate::error::Result;
use crate::simd::Span;

/// The other fields. Places are of [`PLACES`].
pub(super) const KNOWN: &[Known] = &[
    Known::new(0, "urlkey", Kind::Text),
    Known::new(1, "time", Kind::Time(TimeForm::Digits)),
    Known::optional(2, "mime", Kind::Text),
    Known::optional(3, "mime_detected", Kind::Text),
    Known::optional(4, "status", Kind::Int32),
    Known::optional(5, "digest", Kind::Text),
    Known::optional(6, "length", Kind::Int64),
    Known::optional(7, "file_offset", Kind::Int64),
    Known::optional(8, "filename", Kind::Text),
    Known::optional(9, "charset", Kind::Text),
    Known::optional(10, "languages", Kind::Text),
    Known::optional(11, "redirect", Kind::Text),
    Known::optional(12, "truncated", Kind::Text),
    Known::optional(EXTRA, "extra", Kind::Text),
];

/// The members with a column of their own, and where they are put.
const MEMBERS: &[(&[u8], u8)] = &[
    (b"mime", 2),
    (b"mime-detected", 3),
    (b"status", 4),
    (b"digest", 5),
    (b"length", 6),
    (b"offset", 7),
    (b"filename", 8),
    (b"charset", 9),
    (b"languages", 10),
    (b"redirect", 11),
    (b"truncated", 12),
    (b"warc-truncated", 12),
];

/// All others, as a JSON object.
const EXTRA: u8 = 13;
const PLACES: usize = 14;

/// The format.
#[derive(Debug, Clone, Default)]
pub struct Cdxj {
    pub(super) chosen: Chosen,
}

impl Cdxj {
    /// With these of the other fields.
    ///
    /// # Errors
    /// Usage, where there is no field of a name.
    pub fn new(keep: &Keep) -> Result<Cdxj> {
        Ok(Cdxj { chosen: Chosen::of(KNOWN, keep, "cdxj")? })
    }

    /// See [`super::Format::read`].
    pub(super) fn read(&self, bytes: &[u8], from: usize, most: usize, records: &mut Records) -> usize {
        let mut fields = [Span { start: 0, len: 0 }; 3];
        let mut others = Vec::new();
        let mut at = from;
        while at < bytes.len() && records.len() < most {
            let start = at;
            let line = words(bytes, start, &mut fields);
            at = line.next;
            if line.is_blank() {
                records.push_blank();
                continue;
            }
            let whole = line.whole;
            if line.words < 3 {
                records.push_malformed(start as u32, whole, whole.len, false);
                records.doubt(whole);
                continue;
            }
            let mut found: [Option<Value>; PLACES] = [None; PLACES];
            let mut url = None;
            others.clear();
            let json = fields[2].start as usize;
            let read = json::members(bytes, json, json + fields[2].len as usize, |key, value| {
                if key.is(bytes, b"url") {
                    url = Some(value);
                    return;
                }
                match MEMBERS.iter().find(|(name, _)| key.is(bytes, name)) {
                    Some(&(_, place)) => found[usize::from(place)] = Some(value),
                    None => others.push((key, value)),
                }
            });
            if let Err(fault) = read {
                records.push_malformed(start as u32, whole, (fault - start) as u32, false);
                records.doubt(whole);
                continue;
            }
            let Some(url) = url.filter(|url| url.is_text()) else {
                records.push_short(whole, 0, false);
                continue;
            };
            let reference = url.text(bytes, records);
            records.push(start as u32, reference, None);
            self.keep(bytes, &fields, &found, &others, records);
            if !begins_with_digits(bytes, fields[1], 4) {
                records.doubt(whole);
            }
        }
        at
    }

    fn keep(
        &self,
        bytes: &[u8],
        fields: &[Span; 3],
        found: &[Option<Value>; PLACES],
        others: &[(Value, Value)],
        records: &mut Records,
    ) {
        let mut cells = [Cell::NULL; PLACES];
        for &(place, _) in &*self.chosen.places {
            cells[usize::from(place)] = match (place, found[usize::from(place)]) {
                (0 | 1, _) => Cell::read(fields[usize::from(place)]),
                (EXTRA, _) => json::object(bytes, others, records),
                (_, Some(value)) if value.is(bytes, b"-") => Cell::NULL,
                (_, Some(value)) => value.cell(bytes, records),
                (_, None) => Cell::NULL,
            };
        }
        records.keep(self.chosen.places.iter().map(|&(place, _)| cells[usize::from(place)]));
    }
}
