//! The crawl.log of Heritrix: a line for each URI that the crawler was done with, of words with padding between.
//!
//! ```text
//! 2012-05-23T15:06:29.262Z   404   401 http://h/robots.txt P http://h/ text/html #045 20120523150629015+233 sha1:… http://h/ 3t {…}
//! time                    status  size URI            hop path via     mime    thread fetch time, duration  digest source annotations
//! ```

use super::first_lines::has_scheme;
use super::keep::{FieldSpec, Keep, SelectedFields};
use super::log_line;
use super::words::{begins_with_digits, is_dash, is_number, words};
use crate::batch::{Kind, Records, Text, TimeForm};
use crate::error::Result;
use crate::simd::Span;

/// Where the URI stands, from 0.
const URI: usize = 3;
/// The last may hold spaces: it is JSON.
const FIELDS: usize = 13;

/// The other fields.
pub(in crate::read) const KNOWN: &[FieldSpec] = &[
    FieldSpec::new(0, "time", Kind::Time(TimeForm::Iso)),
    FieldSpec::new(1, "status", Kind::Int32),
    FieldSpec::new(2, "size", Kind::Int64),
    FieldSpec::new(4, "hop_path", Kind::Text),
    FieldSpec::new(5, "via", Kind::Text),
    FieldSpec::new(6, "mime", Kind::Text),
    FieldSpec::new(7, "thread", Kind::Numbered),
    FieldSpec::new(8, "fetch_time", Kind::Time(TimeForm::Digits)),
    FieldSpec::new(8, "fetch_ms", Kind::Duration),
    FieldSpec::new(9, "digest", Kind::Text),
    FieldSpec::new(10, "source_tag", Kind::Text),
    FieldSpec::new(11, "annotations", Kind::Text),
    FieldSpec::optional(12, "extra", Kind::Text),
];

/// The format.
#[derive(Debug, Clone, Default)]
pub struct Heritrix {
    pub(in crate::read) chosen: SelectedFields,
}

impl Heritrix {
    /// With these of the other fields.
    ///
    /// # Errors
    /// Usage, where there is no field of a name.
    pub fn new(keep: &Keep) -> Result<Heritrix> {
        Ok(Heritrix { chosen: SelectedFields::of(KNOWN, keep, "heritrix")? })
    }

    /// See [`super::Format::read`].
    pub(in crate::read) fn read(
        &self,
        bytes: &[u8],
        from: usize,
        most: usize,
        records: &mut Records,
    ) -> usize {
        let mut fields = [Span { start: 0, len: 0 }; FIELDS];
        let mut at = from;
        while at < bytes.len() && records.len() < most {
            let (start, _) = log_line(bytes, (at, bytes.len()), records);
            let line = words(bytes, start, &mut fields);
            at = line.next;
            if line.is_blank() {
                records.push_blank();
                continue;
            }
            if line.words <= URI {
                records.push_short(line.whole, URI as u32 + 1, false);
                continue;
            }
            let uri = fields[URI];
            let is_null = is_dash(bytes, uri);
            match is_null {
                true => records.push_null(start as u32, None),
                false => records.push(start as u32, Text::Read(uri), None),
            }
            records.keep(self.chosen.cells(bytes, &fields, line.words));
            // A year, in either form of the time, a number and a whole URI.
            let is_like = begins_with_digits(bytes, fields[0], 4)
                && (is_number(bytes, fields[1]) || is_number(bytes, fields[2]))
                && (is_null || has_scheme(&bytes[uri.start as usize..][..uri.len as usize]));
            if !is_like {
                records.mark_mismatch(line.whole);
            }
        }
        at
    }
}
