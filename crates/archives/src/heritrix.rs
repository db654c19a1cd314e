//! The crawl.log of Heritrix: a line for each URI that the crawler has finished, with padding between its words.
//!
//! ```text
//! 2012-05-23T15:06:29.262Z   404   401 http://h/robots.txt P http://h/ text/html #045 20120523150629015+233 sha1:… http://h/ 3t {…}
//! time                    status  size URI            hop path via     mime    thread fetch time, duration  digest source annotations
//! ```

use urimill_columns::batch::{ExtraColumns, Kind, Records, Text, TimeForm};
use urimill_read::format::first_lines::{has_scheme, is_of_web};
use urimill_read::format::format_row::{FormatRow, Sure};
use urimill_read::format::framing::ChunkText;
use urimill_read::format::keep::{FieldSpec, SelectedFields, is_dash};
use urimill_read::format::{RecordFormat, log_line};
use urimill_uri::simd::Span;

use crate::words;
use crate::words::{begins_with_digits, first_words, is_digest, is_media_type, is_number, word_at};

/// The places of words, from 0.
const STATUS: usize = 1;
const SIZE: usize = 2;
const URI: usize = 3;
const HOP_PATH: usize = 4;
const VIA: usize = 5;
const MIME: usize = 6;
const THREAD: usize = 7;
const FETCH_TIME: usize = 8;
const DIGEST: usize = 9;
const SOURCE_TAG: usize = 10;
const ANNOTATIONS: usize = 11;
const EXTRA: usize = 12;
/// The last may hold spaces: it is JSON.
const FIELDS: usize = 13;

/// The other fields.
pub(crate) const KNOWN: &[FieldSpec] = &[
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

/// The row of the format.
pub const ROW: FormatRow = FormatRow {
    name: "heritrix",
    meaning: "The crawl.log of Heritrix",
    fields: KNOWN,
    detect: |first| Sure::by_lines(first, is_line),
    reader: |format, asked| Ok(Heritrix { chosen: format.selected(asked)? }.into()),
    ..FormatRow::TEXT
};

/// The format.
#[derive(Debug, Clone, Default)]
struct Heritrix {
    chosen: SelectedFields,
}

impl RecordFormat for Heritrix {
    fn name(&self) -> &'static str {
        "heritrix"
    }

    fn extra_columns(&self) -> ExtraColumns {
        self.chosen.extra.clone()
    }

    fn field_at(&self, _: &[u8], line: &str, at: usize) -> Option<String> {
        let number = word_at(line, at);
        let known = KNOWN.iter().find(|field| usize::from(field.place) == number).map(|field| field.name);
        known.or((number == URI).then_some("uri")).map(str::to_owned)
    }

    fn find(&self, chunk: &ChunkText<'_>, (from, most): (usize, usize), records: &mut Records) -> usize {
        let bytes = chunk.text();
        let mut fields = [Span { start: 0, len: 0 }; FIELDS];
        let mut at = from;
        while at < bytes.len() && records.len() < most {
            let (start, _) = log_line(bytes, (at, bytes.len()), records);
            let line = words::words(bytes, start, &mut fields);
            at = line.next;
            if line.is_blank() {
                records.push_blank();
                continue;
            }
            if line.words <= URI {
                records.push_short(line.whole, URI as u32 + 1, false);
                continue;
            }
            // The last of 11 words is a tag, or annotations: old versions have no tag, and a line may lack its end.
            let is_doubtful = line.words == ANNOTATIONS && !is_dash(bytes, fields[SOURCE_TAG]);
            // After a digest, annotations have a known form. The dash is that of the time.
            let dash = Span { start: fields[0].start + 4, len: 1 };
            let has_no_tag = is_doubtful
                && !is_dash(bytes, fields[DIGEST])
                && is_annotation(word_of(bytes, fields[SOURCE_TAG]))
                && is_dash(bytes, dash);
            if has_no_tag {
                (fields[SOURCE_TAG], fields[ANNOTATIONS]) = (dash, fields[SOURCE_TAG]);
            }
            let words = match is_doubtful {
                true if has_no_tag => EXTRA,
                true => SOURCE_TAG,
                false => line.words,
            };
            if let Some(unfit) = unfit(bytes, &fields[..words]) {
                let fault = fields[unfit].start - start as u32;
                records.push_misfit(line.whole, fault);
                continue;
            }
            let uri = fields[URI];
            match is_dash(bytes, uri) {
                true => records.push_null(start as u32, None),
                false => records.push(start as u32, Text::Read(uri), None),
            }
            records.keep(self.chosen.cells(bytes, &fields, words));
        }
        chunk.log_until(at, records)
    }
}

/// The first word of a line that does not fit its place: the line has another format, lacks a word, has a surplus one,
/// or has two in each other's place. One of the first three may be broken, if a URI follows them.
fn unfit(bytes: &[u8], fields: &[Span]) -> Option<usize> {
    let text = |at: usize| fields.get(at).map_or(&b"-"[..], |&field| word_of(bytes, field));
    let is_none = |at: usize| text(at) == b"-";
    let first = [is_time(text(0)), is_number(bytes, fields[1]), is_number(bytes, fields[2])];
    let broken = first.iter().position(|&fits| !fits);
    if first.iter().filter(|&&fits| !fits).count() > usize::from(!is_none(URI)) {
        return broken;
    }
    // A broken or missing word may stand further on.
    let is_fetched = || !text(STATUS).starts_with(b"-");
    let lacking = broken.or_else(|| (0..URI).find(|&at| is_none(at) && (at != SIZE || is_fetched())));
    if let Some(at) = lacking
        && (is_of_another(text(at)) || [MIME, SOURCE_TAG, ANNOTATIONS].iter().any(|&at| is_counted(text(at))))
    {
        return Some(at);
    }
    // If the thread is in its place, so is the URI, whatever it looks like, unless another URI stands further on.
    let has_thread = || {
        let has = broken.is_none() && fields.len() > THREAD && text(THREAD).starts_with(b"#");
        has && !is_of_web(text(SOURCE_TAG))
    };
    let fits = |at: usize| match (at, text(at)) {
        (STATUS, status) => broken.is_some() || are_status_and_size(status, text(SIZE)),
        (URI, uri) => is_of_web(uri) || has_scheme(uri) || is_none(at) || has_thread(),
        (HOP_PATH, path) => is_none(at) || is_hop_path(path),
        (EXTRA, extra) => extra.starts_with(b"{"),
        (_, b"-") => true,
        (VIA, via) => is_of_web(via) || has_scheme(via) && !is_digest(via) && !is_annotation(via),
        (MIME, mime) => {
            is_usual_type(mime)
                || is_media_type(mime)
                || !is_counted(mime) && !is_of_another(mime) && !has_scheme(mime)
        }
        (THREAD, thread) => {
            let digits = thread.strip_prefix(b"#").unwrap_or(thread);
            !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
        }
        (FETCH_TIME, _) => begins_with_digits(bytes, fields[at], 14),
        (DIGEST, digest) => digest.len() == 37 && digest.starts_with(b"sha1:") || is_digest(digest),
        (SOURCE_TAG, tag) if is_of_web(tag) => is_none(HOP_PATH) || !is_none(VIA),
        (SOURCE_TAG, tag) => {
            !is_moved(tag, &text) && (!is_annotation(tag) || is_annotation(text(ANNOTATIONS)))
        }
        (ANNOTATIONS, notes) => {
            let is_uri = || is_of_web(notes) || notes.starts_with(b"dns:");
            !notes.starts_with(b"{") && !is_uri() && !is_moved(notes, &text)
        }
        _ => true,
    };
    let unfit = (STATUS..=STATUS).chain(URI..fields.len()).find(|&at| !fits(at))?;
    Some(broken.unwrap_or(unfit))
}

fn word_of(bytes: &[u8], field: Span) -> &[u8] {
    &bytes[field.start as usize..][..field.len as usize]
}

/// Whether two numbers are a status and a size, in this order: a status is that of HTTP, 0 or 1, or a negative one of
/// Heritrix. A number of no such form may be a broken status, if the other number has no such form either.
fn are_status_and_size(status: &[u8], size: &[u8]) -> bool {
    let is_status = match status {
        [b'-', digits @ ..] => (1..5).contains(&digits.len()),
        _ => status.len() == 3 || matches!(status, b"0" | b"1"),
    };
    let is_size = || size.len() != 3 && !matches!(size, [b'-', _, ..]);
    is_status || (status == b"-" || status.len() > 9) && is_size()
}

/// Whether a word is a path of hops: a letter for each, the first of a long one as their number (`12+LLL`).
fn is_hop_path(word: &[u8]) -> bool {
    let digits = word.iter().take_while(|b| b.is_ascii_digit()).count();
    let letters = if digits > 0 { word[digits..].strip_prefix(b"+") } else { Some(word) };
    letters.is_some_and(|letters| !letters.is_empty() && letters.iter().all(u8::is_ascii_uppercase))
}

/// Whether a word is a thread, a media type, a digest, a URI, or the time of a fetch.
fn is_of_another(word: &[u8]) -> bool {
    word.starts_with(b"#") || is_of_web(word) || is_fetch_time(word) || is_digest(word) || is_media_type(word)
}

/// Whether a word has a slash where most media types have it.
fn is_usual_type(word: &[u8]) -> bool {
    [4, 5, 11].iter().any(|&at| word.get(at) == Some(&b'/') && word[at - 1] != b':')
}

fn is_fetch_time(word: &[u8]) -> bool {
    word.len() > 14 && word[..14].iter().all(u8::is_ascii_digit) && word.contains(&b'+')
}

/// Whether a word is a number, a time, or the number of tries (`3t`).
fn is_counted(word: &[u8]) -> bool {
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    let digits = digits.strip_suffix(b"t").unwrap_or(digits);
    let is_count = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    word != b"-" && (is_count || is_time(word) || is_fetch_time(word))
}

/// Whether a word without a form of its own looks like another field, which is not in its place.
fn is_moved<'b>(word: &[u8], text: &impl Fn(usize) -> &'b [u8]) -> bool {
    word.starts_with(b"#")
        || is_fetch_time(word)
        || is_digest(word) && !is_digest(text(DIGEST))
        || text(HOP_PATH) == b"-" && is_hop_path(word)
        || (is_media_type(word) || matches!(word, b"no-type")) && !is_media_type(text(MIME))
}

/// Whether a word begins as annotations of Heritrix do, or has commas between.
fn is_annotation(word: &[u8]) -> bool {
    const BEGINNINGS: [&[u8]; 8] = [
        b"content-size:",
        b"duplicate:",
        b"Q:",
        b"ip:",
        b"geo:",
        b"err=",
        b"launchTimestamp:",
        b"usingCharset",
    ];
    let first = word.split(|&b| b == b',').next().unwrap_or_default();
    let is_count = first.ends_with(b"t") && is_counted(first);
    first.len() < word.len() || is_count || BEGINNINGS.iter().any(|begin| word.starts_with(begin))
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

/// Whether a line looks like one of the format.
fn is_line(line: &[u8]) -> bool {
    let (words, count) = first_words(line);
    count >= 10
        && begins_with_digits(line, words[0], 4)
        && is_number(line, words[1])
        && is_number(line, words[2])
        && has_scheme(word_of(line, words[3]))
}
