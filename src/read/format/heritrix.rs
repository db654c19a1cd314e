//! The crawl.log of Heritrix: a line for each URI that the crawler was done with, of words with padding between.
//!
//! ```text
//! 2012-05-23T15:06:29.262Z   404   401 http://h/robots.txt P http://h/ text/html #045 20120523150629015+233 sha1:… http://h/ 3t {…}
//! time                    status  size URI            hop path via     mime    thread fetch time, duration  digest source annotations
//! ```

use super::first_lines::{has_scheme, is_of_web};
use super::keep::{FieldSpec, Keep, SelectedFields};
use super::log_line;
use super::words::{begins_with_digits, is_dash, is_number, words};
use crate::batch::{Kind, Records, Text, TimeForm};
use crate::error::Result;
use crate::simd::Span;

/// The places of the URI, from 0, and of words after it.
const URI: usize = 3;
const HOP_PATH: usize = 4;
const VIA: usize = 5;
const MIME: usize = 6;
const THREAD: usize = 7;
const FETCH_TIME: usize = 8;
const DIGEST: usize = 9;
const ANNOTATIONS: usize = 11;
const EXTRA: usize = 12;
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
            if let Some(unfit) = unfit(bytes, &fields[..line.words]) {
                let fault = fields[unfit].start - start as u32;
                records.push_malformed(start as u32, line.whole, fault, false);
                records.mark_mismatch(line.whole);
                continue;
            }
            let uri = fields[URI];
            match is_dash(bytes, uri) {
                true => records.push_null(start as u32, None),
                false => records.push(start as u32, Text::Read(uri), None),
            }
            records.keep(self.chosen.cells(bytes, &fields, line.words));
        }
        at
    }
}

/// The first word of a line that does not fit its place: the line has another format, lacks a word, or has one too
/// many. One of the first three may be broken, if a URI follows them.
fn unfit(bytes: &[u8], fields: &[Span]) -> Option<usize> {
    let text = |at: usize| &bytes[fields[at].start as usize..][..fields[at].len as usize];
    let is_none = |at: usize| text(at) == b"-";
    let first = [is_time(text(0)), is_number(bytes, fields[1]), is_number(bytes, fields[2])];
    let broken = first.iter().position(|&fits| !fits);
    if first.iter().filter(|&&fits| !fits).count() > usize::from(!is_none(URI)) {
        return broken;
    }
    // If the thread is in its place, so is the URI, whatever it looks like.
    let has_thread = broken.is_none() && fields.len() > THREAD && text(THREAD).starts_with(b"#");
    let fits = |at: usize| match at {
        URI => is_none(at) || has_scheme(text(at)) || has_thread,
        HOP_PATH => !has_scheme(text(at)),
        VIA => is_none(at) || has_scheme(text(at)),
        MIME => !matches!(text(at), [b'#', ..]) && !has_scheme(text(at)),
        FETCH_TIME => is_none(at) || begins_with_digits(bytes, fields[at], 14),
        DIGEST => !is_of_web(text(at)),
        EXTRA => matches!(text(at), [b'{', ..] | b"-"),
        ANNOTATIONS => !matches!(text(at), [b'{', ..]),
        _ => true,
    };
    (URI..fields.len()).find(|&at| !fits(at)).map(|at| broken.unwrap_or(at))
}

/// Whether a word has the form of a time: ISO 8601, or digits alone.
fn is_time(word: &[u8]) -> bool {
    match word {
        [a, b, c, d, b'-', rest @ ..] => {
            [a, b, c, d].iter().all(|b| b.is_ascii_digit()) && rest.first().is_some_and(u8::is_ascii_digit)
        }
        b"-" => true,
        _ => word.len() >= 14 && word.iter().all(u8::is_ascii_digit),
    }
}

/// The name of the word with this number, from 0.
pub(in crate::read) fn name_of(number: usize) -> Option<&'static str> {
    if number == URI {
        return Some("uri");
    }
    KNOWN.iter().find(|field| usize::from(field.place) == number).map(|field| field.name)
}
