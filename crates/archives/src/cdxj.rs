//! CDXJ, the index of web archives with JSON: `surtkey SP timestamp SP {json}`, a line for each capture. The URI is the
//! member `url`. Servers of such indexes (Common Crawl's, pywb's) answer with objects alone, in which key and timestamp
//! are members, too.

use urimill_columns::batch::{Cell, ExtraColumns, Kind, Records, TimeForm};
use urimill_read::decode::Wanted;
use urimill_read::format::first_lines::trim;
use urimill_read::format::format_row::{FormatRow, Sure};
use urimill_read::format::framing::ChunkText;
use urimill_read::format::json;
use urimill_read::format::json::Value;
use urimill_read::format::keep::{FieldSpec, SelectedFields};
use urimill_read::format::{RecordFormat, log_line};
use urimill_uri::simd::Span;

use crate::cdx::{is_key, is_stamp};
use crate::words::{begins_with_digits, first_words, one_word, word_at, words};

/// The other fields. Places are those of [`PLACES`].
pub(crate) const KNOWN: &[FieldSpec] = &[
    FieldSpec::new(KEY, "urlkey", Kind::Text),
    FieldSpec::new(TIME, "time", Kind::Time(TimeForm::Digits)),
    FieldSpec::optional(2, "mime", Kind::Text),
    FieldSpec::optional(3, "mime_detected", Kind::Text),
    FieldSpec::optional(4, "status", Kind::Int32),
    FieldSpec::optional(5, "digest", Kind::Text),
    FieldSpec::optional(6, "length", Kind::Int64),
    FieldSpec::optional(7, "file_offset", Kind::Int64),
    FieldSpec::optional(8, "filename", Kind::Text),
    FieldSpec::optional(9, "charset", Kind::Text),
    FieldSpec::optional(10, "languages", Kind::Text),
    FieldSpec::optional(11, "redirect", Kind::Text),
    FieldSpec::optional(12, "truncated", Kind::Text),
    FieldSpec::optional(EXTRA, "extra", Kind::Text),
];

/// The members with a column of their own, and their places.
const MEMBERS: &[(&[u8], u8)] = &[
    (b"mime", 2),
    (b"mime-detected", 3),
    (b"status", 4),
    (b"digest", 5),
    (b"length", 6),
    (b"offset", 7),
    (b"filename", 8),
    (b"charset", 9),
    (b"encoding", 9),
    (b"languages", 10),
    (b"redirect", 11),
    (b"truncated", 12),
    (b"warc-truncated", 12),
];

/// Members of an object without key and time before it.
const ALONE: &[(&[u8], u8)] = &[(b"urlkey", KEY), (b"timestamp", TIME)];

const KEY: u8 = 0;
const TIME: u8 = 1;

/// All others, as a JSON object.
const EXTRA: u8 = 13;
const PLACES: usize = 14;

/// The row of the format.
pub const ROW: FormatRow = FormatRow {
    name: "cdxj",
    meaning: "CDXJ: key, timestamp, and a JSON object whose member url is the URI; or the object alone",
    fields: KNOWN,
    detect: |first| {
        let mut lines = first.split(|&b| b == b'\n').map(trim).filter(|line| !line.trim_ascii().is_empty());
        Sure::Begins.when(lines.next().is_some_and(is_object)).max(Sure::by_lines(first, is_line))
    },
    reader: |format, asked| Ok(Cdxj { chosen: format.selected(asked)? }.into()),
    ..FormatRow::TEXT
};

/// The format.
#[derive(Debug, Clone, Default)]
struct Cdxj {
    chosen: SelectedFields,
}

impl RecordFormat for Cdxj {
    fn name(&self) -> &'static str {
        "cdxj"
    }

    fn extra_columns(&self) -> ExtraColumns {
        self.chosen.extra.clone()
    }

    fn in_wacz(&self) -> Option<Wanted> {
        Some(Wanted::Indexes)
    }

    fn field_at(&self, _: &[u8], line: &str, at: usize) -> Option<String> {
        ["urlkey", "time", "json"].get(word_at(line, at)).map(|&name| name.to_owned())
    }

    fn find(&self, chunk: &ChunkText<'_>, (from, most): (usize, usize), records: &mut Records) -> usize {
        let bytes = chunk.text();
        let mut fields = [Span { start: 0, len: 0 }; 3];
        let mut others = Vec::new();
        let mut at = from;
        while at < bytes.len() && records.len() < most {
            let (start, _) = log_line(bytes, (at, bytes.len()), records);
            let is_alone = bytes.get(start) == Some(&b'{');
            let line = if is_alone { one_word(bytes, start) } else { words(bytes, start, &mut fields) };
            at = line.next;
            if line.is_blank() {
                records.push_blank();
                continue;
            }
            let whole = line.whole;
            // A line about the file, such as the header of OpenWayback, which sorts before all others.
            let is_note = || matches!(bytes[start], b'!' | b'#' | b'@');
            if line.words < 3 && !is_alone {
                if is_note() {
                    records.push_blank();
                    continue;
                }
                records.push_misfit(whole, whole.len);
                continue;
            }
            let unfit = if is_alone { None } else { unfit(bytes, [fields[0], fields[1]]) };
            if let Some(unfit) = unfit {
                if is_note() {
                    records.push_blank();
                    continue;
                }
                records.push_misfit(whole, unfit - whole.start);
                continue;
            }
            let mut found: [Option<Value>; PLACES] = [None; PLACES];
            let (mut url, mut twice) = (None, None);
            others.clear();
            let json = if is_alone { whole } else { fields[2] };
            let (from, to) = (json.start as usize, (json.start + json.len) as usize);
            let read = json::members(bytes, from, to, |key, value| {
                if key.is(bytes, b"url") {
                    twice = twice.or(url.map(|_| key.whole.start));
                    url = Some(value);
                    return;
                }
                let alone = ALONE.iter().filter(|_| is_alone);
                match MEMBERS.iter().chain(alone).find(|(name, _)| key.is(bytes, name)) {
                    Some(&(_, place)) => found[usize::from(place)] = Some(value),
                    None => others.push((key, value)),
                }
            });
            if let Err(fault) = read {
                records.push_misfit(whole, (fault - start) as u32);
                continue;
            }
            // It is unknown which of two members with one name is meant (RFC 8259, 4).
            if let Some(at) = twice {
                records.push_malformed(start as u32, whole, at - whole.start, false);
                continue;
            }
            match url {
                None => {
                    records.push_short(whole, 0, false);
                    continue;
                }
                Some(url) if url.is_null() || url.is(bytes, b"-") => records.push_null(start as u32, None),
                Some(url) if url.is_text() => {
                    let reference = url.text(bytes, records);
                    records.push(start as u32, reference, None);
                }
                Some(url) => {
                    let at = url.whole.start - whole.start;
                    records.push_malformed(start as u32, whole, at, false);
                    continue;
                }
            }
            let own = (!is_alone).then_some([fields[0], fields[1]]);
            self.keep(bytes, own, &found, &others, records);
            // A server leaves out members that the client did not request.
            let time = found[usize::from(TIME)].map(Value::inner).filter(|_| is_alone);
            if time.is_some_and(|time| !is_stamp(bytes, time)) {
                records.mark_mismatch(whole);
            }
        }
        at
    }
}

impl Cdxj {
    /// `own` are the key and the time before the object.
    fn keep(
        &self,
        bytes: &[u8],
        own: Option<[Span; 2]>,
        found: &[Option<Value>; PLACES],
        others: &[(Value, Value)],
        records: &mut Records,
    ) {
        let mut cells = [Cell::NULL; PLACES];
        for &(place, _) in &*self.chosen.places {
            cells[usize::from(place)] = match (place, own, found[usize::from(place)]) {
                (KEY | TIME, Some(own), _) => Cell::read(own[usize::from(place)]),
                (EXTRA, ..) => json::object(bytes, others, records),
                (_, _, Some(value)) if value.is(bytes, b"-") => Cell::NULL,
                (_, _, Some(value)) => value.cell(bytes, records),
                (_, _, None) => Cell::NULL,
            };
        }
        records.keep(self.chosen.places.iter().map(|&(place, _)| cells[usize::from(place)]));
    }
}

/// Where the key or the time before an object is malformed.
fn unfit(bytes: &[u8], [key, time]: [Span; 2]) -> Option<u32> {
    match is_key(&bytes[key.start as usize..][..key.len as usize]) {
        false => Some(key.start),
        true => (!is_stamp(bytes, time)).then_some(time.start),
    }
}

/// Whether a line is an object with the members by which such an index is detected.
fn is_object(line: &[u8]) -> bool {
    let (mut has_url, mut has_time) = (false, false);
    let read = json::members(line, 0, line.len(), |key, value| {
        has_url |= key.is(line, b"url") && value.is_text();
        // With milliseconds or without.
        let is_time = || {
            [14, 17].iter().any(|&digits| {
                value.inner().len as usize == digits && begins_with_digits(line, value.inner(), digits)
            })
        };
        has_time |= key.is(line, b"timestamp") && value.is_text() && is_time();
    });
    read.is_ok() && has_url && has_time
}

/// Whether a line looks like one of the format.
fn is_line(line: &[u8]) -> bool {
    let (words, count) = first_words(line);
    count >= 3 && begins_with_digits(line, words[1], 14) && line[words[2].start as usize..].starts_with(b"{")
}
