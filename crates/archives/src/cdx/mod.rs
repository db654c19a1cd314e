//! CDX, the index of web archives: a line for each capture, with spaces between its words. A header names the fields by
//! letter; without a header they are the 11 of ` CDX N b a m s k r M S V g`, or, in lines of 9 or 10 words, those
//! without `M S` or without `S`. CDX servers answer lines of 7 words, those of ` CDX N b a m s k S`, or the same as
//! JSON (`json`).

pub(crate) mod json;
mod proof;

use std::sync::Arc;

use memchr::memmem;
use urimill_base::error::Result;
use urimill_columns::batch::{Cell, ExtraColumns, Kind, Records, Text, TimeForm};
use urimill_read::format::fields::{Letters, MOST_LETTERS as MOST, NO_LETTERS};
use urimill_read::format::first_lines::begins_with_host;
use urimill_read::format::format_row::{FormatRow, Sure};
use urimill_read::format::framing::ChunkText;
use urimill_read::format::keep::{FieldSpec, SelectedFields, is_dash};
use urimill_read::format::{Layout, RecordFormat, line_end, log_line};
use urimill_uri::simd::Span;

use crate::words::{begins_with_digits, first_words, word_at, words};
pub(crate) use proof::is_key;
use proof::unfit;

/// The letter of the URI.
pub(crate) const URI: u8 = b'a';
pub(crate) const TIME: u8 = b'b';

/// The other fields with names of their own; the letters are their places.
pub(crate) const KNOWN: &[FieldSpec] = &[
    FieldSpec::new(b'N', "urlkey", Kind::Text),
    FieldSpec::new(TIME, "time", Kind::Time(TimeForm::Digits)),
    FieldSpec::new(b'm', "mime", Kind::Text),
    FieldSpec::new(b's', "status", Kind::Int32),
    FieldSpec::new(b'k', "digest", Kind::Text),
    FieldSpec::new(b'r', "redirect", Kind::Text),
    FieldSpec::new(b'M', "meta", Kind::Text),
    FieldSpec::new(b'S', "length", Kind::Int64),
    FieldSpec::new(b'V', "file_offset", Kind::Int64),
    FieldSpec::new(b'g', "filename", Kind::Text),
    FieldSpec::optional(EXTRA, "extra", Kind::Text),
];

/// No letter: the fields of other letters, as a JSON object.
pub(crate) const EXTRA: u8 = 0;

/// A longer line is not a header.
const LONGEST_HEADER: usize = 4096;

/// The row of the format.
pub const ROW: FormatRow = FormatRow {
    name: "cdx",
    meaning: "CDX, the index of web archives: a header names the fields by letter, or there are 7, 9, 10 or 11; or arrays of \
              JSON, as servers answer",
    fields: KNOWN,
    detect: |first| {
        let begins = header(first).is_some() || json::begins(first) || json::header(first).is_some();
        Sure::Begins.when(begins).max(Sure::by_lines(first, is_line))
    },
    reader: |format, asked| Ok(Cdx { chosen: format.selected(asked)? }.into()),
    ..FormatRow::TEXT
};

/// The format.
#[derive(Debug, Clone, Default)]
pub(super) struct Cdx {
    chosen: SelectedFields,
}

impl Cdx {
    /// The fields of the lines after `bytes`, if a header is in `bytes` (joined files have several); `layout` are the
    /// fields before it.
    fn reopened(bytes: &[u8], layout: &Layout) -> Option<Layout> {
        let mark: &[u8] = if layout.names.is_empty() { b"CDX " } else { b"[[" };
        // Most chunks have none, and a forward search finds that out fast.
        memmem::find(bytes, mark)?;
        let mut end = bytes.len();
        loop {
            let at = memmem::rfind(&bytes[..end], mark)?;
            let start = at - usize::from(at > 0 && bytes[at - 1] == b' ');
            if (start == 0 || bytes[start - 1] == b'\n')
                && let Some((layout, _)) = next_header(&bytes[start..], layout)
            {
                return Some(layout);
            }
            end = at;
        }
    }
}

impl RecordFormat for Cdx {
    fn name(&self) -> &'static str {
        "cdx"
    }

    fn extra_columns(&self) -> ExtraColumns {
        self.chosen.extra.clone()
    }

    fn open(&self, first: &[u8], source: &str) -> Result<(Layout, usize)> {
        if let Some((names, header)) = json::header(first) {
            let letters = json::letters(&names);
            return Ok((Layout { letters, names: names.into(), ..Layout::default() }, header));
        }
        json::check_lines(first, source)?;
        Ok(match header(first) {
            Some((letters, header)) => (Layout { letters, ..Layout::default() }, header),
            None => (Layout { fields: fields(first), ..Layout::default() }, 0),
        })
    }

    fn reopen(&self, bytes: &[u8], layout: &Layout) -> Option<Layout> {
        Cdx::reopened(bytes, layout)
    }

    fn field_at(&self, first: &[u8], line: &str, at: usize) -> Option<String> {
        let letters = header(first).map_or(NO_LETTERS, |(letters, _)| letters);
        let forms = Forms::of(&Layout { letters, ..Layout::default() });
        let form = forms.form(word_at(line, line.len()));
        let letter = *form.letters.get(word_at(line, at)).filter(|&&letter| letter != 0)?;
        let known = KNOWN.iter().find(|field| field.place == letter).map(|field| field.name.to_owned());
        known.or_else(|| Some(if letter == URI { "uri".to_owned() } else { char::from(letter).to_string() }))
    }

    fn find(&self, chunk: &ChunkText<'_>, (from, most): (usize, usize), records: &mut Records) -> usize {
        let (bytes, layout) = (chunk.text(), chunk.layout);
        let mut fields = [Span { start: 0, len: 0 }; MOST];
        // A header before this place, in the chunk or before it.
        let mut forms = Forms::of(Cdx::reopened(&bytes[..from], layout).as_ref().unwrap_or(layout));
        let mut values = Vec::new();
        let mut at = from;
        while at < bytes.len() && records.len() < most {
            if matches!(bytes[at], b' ' | b'C' | b'[')
                && let Some((layout, header)) = next_header(&bytes[at..], layout)
            {
                forms = Forms::of(&layout);
                records.push_blank();
                at += header;
                continue;
            }
            let (start, _) = log_line(bytes, (at, bytes.len()), records);
            if json::is_row(&bytes[start..]) {
                at = self.json_row(&forms, bytes, start, &mut values, records);
                continue;
            }
            let line = words(bytes, start, &mut fields);
            at = line.next;
            if line.is_blank() {
                records.push_blank();
                continue;
            }
            let form = forms.form(line.words);
            if line.words > form.count {
                // It is unknown which of the words is the URI; those before it are in their places, if one of them is a
                // time.
                let fault = fields[form.count].start - start as u32;
                records.push_misfit(line.whole, fault);
                let is_timed = fields.get(form.place(TIME)).is_some_and(|&time| is_stamp(bytes, time));
                let before = &fields[..if is_timed { form.place(URI).min(form.count) } else { 0 }];
                self.keep(bytes, before, (form, Cell::NULL), |_| Cell::NULL, records);
                continue;
            }
            let fields = &fields[..line.words];
            let Some(&uri) = fields.get(form.place(URI)) else {
                records.push_short(line.whole, form.place(URI).min(form.count) as u32 + 1, false);
                continue;
            };
            let short = forms.is_short(line.words).then_some(line.whole.len);
            if let Some(fault) =
                unfit(bytes, fields, form).map(|at| fields[at].start - start as u32).or(short)
            {
                records.push_misfit(line.whole, fault);
                continue;
            }
            match is_dash(bytes, uri) {
                true => records.push_null(start as u32, None),
                false => {
                    let text = with_scheme(bytes, uri, records);
                    records.push(start as u32, text, None);
                }
            }
            if !self.chosen.places.is_empty() {
                let extra = self.extra(bytes, fields, form, records);
                self.keep(bytes, fields, (form, extra), |absent| absent, records);
            }
        }
        at
    }
}

impl Cdx {
    /// Keeps fields of the last record; `absent` stands for fields that a shorter line does not have.
    fn keep(
        &self,
        bytes: &[u8],
        fields: &[Span],
        (form, extra): (&Form, Cell),
        absent: impl Fn(Cell) -> Cell,
        records: &mut Records,
    ) {
        records.keep(self.chosen.places.iter().map(|&(letter, missing)| match form.place(letter) {
            _ if letter == EXTRA => extra,
            NOWHERE => Cell::NULL,
            place => match fields.get(place) {
                Some(&field) if is_dash(bytes, field) => Cell::NULL,
                Some(&field) => Cell::read(field),
                None => absent(missing),
            },
        }));
    }

    /// The fields that have no column of their own.
    fn extra(&self, bytes: &[u8], fields: &[Span], form: &Form, records: &mut Records) -> Cell {
        if !form.has_others || !self.keeps_extra() {
            return Cell::NULL;
        }
        let others = fields.iter().zip(&form.letters).filter(|&(_, letter)| is_other(*letter));
        let object: serde_json::Map<_, _> = others
            .map(|(field, &letter)| {
                let text = &bytes[field.start as usize..][..field.len as usize];
                (char::from(letter).to_string(), String::from_utf8_lossy(text).into())
            })
            .collect();
        urimill_read::format::json::extra(object, records)
    }

    pub(crate) fn keeps_extra(&self) -> bool {
        self.chosen.places.iter().any(|&(letter, _)| letter == EXTRA)
    }
}

/// Whether a word is a timestamp, or the beginning of one: a year, perhaps with a month and so on.
pub(crate) fn is_stamp(bytes: &[u8], word: Span) -> bool {
    let len = word.len.min(14) as usize;
    len >= 4 && len.is_multiple_of(2) && begins_with_digits(bytes, word, len)
}

/// The URI of a field. Old indexes write it without its scheme (`www.example.com:80/`); the host would be read as a
/// scheme.
#[inline]
fn with_scheme(bytes: &[u8], uri: Span, records: &mut Records) -> Text {
    let text = &bytes[uri.start as usize..][..uri.len as usize];
    if text.starts_with(b"http") || !begins_with_host(text) {
        return Text::Read(uri);
    }
    records.unescape(|out| {
        out.extend_from_slice(b"http://");
        out.extend_from_slice(text);
    })
}

/// The letters of a source's header, and its length in bytes.
pub(crate) fn header(first: &[u8]) -> Option<(Letters, usize)> {
    let newline = memchr::memchr(b'\n', first).unwrap_or(first.len());
    if newline > LONGEST_HEADER {
        return None;
    }
    let line = &first[..line_end(first, 0, newline)];
    let names = line.strip_prefix(b" ").unwrap_or(line).strip_prefix(b"CDX ")?;
    let mut letters = [0; MOST];
    for (at, name) in names.split(|&b| b == b' ').filter(|name| !name.is_empty()).enumerate() {
        let &[letter] = name else { return None };
        *letters.get_mut(at)? = letter;
    }
    (letters[0] != 0).then_some((letters, (newline + 1).min(first.len())))
}

/// The header at the beginning of `bytes`, if there is one, after fields of `layout`; and its length in bytes.
fn next_header(bytes: &[u8], layout: &Layout) -> Option<(Layout, usize)> {
    if layout.names.is_empty() {
        return header(bytes).map(|(letters, header)| (Layout { letters, ..Layout::default() }, header));
    }
    let (names, header) = bytes.starts_with(b"[[").then(|| json::header(bytes))??;
    Some((Layout { letters: json::letters(&names), names: names.into(), ..Layout::default() }, header))
}

/// The number of fields in the line at the beginning of `first`; 0 if the line has no known form.
fn fields(first: &[u8]) -> usize {
    let mut fields = [Span { start: 0, len: 0 }; MOST];
    let count = if first.is_empty() { 0 } else { words(first, 0, &mut fields).words };
    if matches!(count, 7 | 9..=11) && is_stamp(first, fields[1]) { count } else { 0 }
}

fn named_by(text: &str) -> Letters {
    let mut letters = [0; MOST];
    letters.iter_mut().zip(text.bytes()).for_each(|(slot, letter)| *slot = letter);
    letters
}

pub(crate) fn is_other(letter: u8) -> bool {
    letter != URI && KNOWN.iter().all(|field| field.place != letter)
}

/// Where the fields of a source's lines stand.
pub(crate) struct Forms {
    /// By its header.
    named: Option<Form>,
    /// The names of the fields in that header, if they are not letters.
    pub(crate) names: Arc<[String]>,
    /// Without a header, for lines of up to 7, 9, 10 and 11 fields.
    assumed: [Form; 4],
    /// The number of fields in the first line.
    first: usize,
}

impl Forms {
    fn of(layout: &Layout) -> Forms {
        let named = (layout.letters[0] != 0).then(|| Form::of(&layout.letters));
        let assumed = ["NbamskS", "NbamskrVg", "NbamskrMVg", "NbamskrMSVg"];
        let assumed = assumed.map(|letters| Form::of(&named_by(letters)));
        Forms { named, names: layout.names.clone(), assumed, first: layout.fields }
    }

    /// The form of a line with this number of fields. All forms begin with the same six fields, which are also those of
    /// a shorter line. No form has 8 fields: the last field of such a line is in doubt.
    pub(crate) fn form(&self, fields: usize) -> &Form {
        let at = match fields {
            7 | 8 => 0,
            ..=9 => 1,
            10 => 2,
            _ => 3,
        };
        self.named.as_ref().unwrap_or(&self.assumed[at])
    }

    /// Whether a line with this many fields, no more than its form has, lacks one. Without a header, a line of 10
    /// fields may be one of 11 without its length, and a line of 9 to 11 may be one of 10: the first line of the input
    /// decides it.
    fn is_short(&self, fields: usize) -> bool {
        match (&self.named, self.first) {
            (Some(named), _) => fields < named.count,
            (None, 10) => matches!(fields, 9 | 11),
            (None, first) => fields == 10 && first != 0,
        }
    }
}

/// Where the fields of a line stand.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    pub(crate) letters: Letters,
    /// By letter.
    places: [u8; 128],
    pub(crate) count: usize,
    pub(crate) has_others: bool,
}

/// The place of a letter that the header does not have.
pub(crate) const NOWHERE: usize = u8::MAX as usize;

impl Form {
    fn of(letters: &Letters) -> Form {
        let count = letters.iter().take_while(|&&letter| letter != 0).count();
        let mut places = [NOWHERE as u8; 128];
        // The first of two fields with one letter counts.
        for (at, &letter) in letters[..count].iter().enumerate().rev() {
            if let Some(place) = places.get_mut(usize::from(letter)) {
                *place = at as u8;
            }
        }
        let has_others = letters[..count].iter().any(|&letter| is_other(letter));
        Form { letters: *letters, places, count, has_others }
    }

    #[inline]
    pub(crate) fn place(&self, letter: u8) -> usize {
        usize::from(self.places[usize::from(letter & 127)])
    }
}

/// Whether a line looks like one of the format.
fn is_line(line: &[u8]) -> bool {
    let (words, count) = first_words(line);
    // Fourteen digits, or seventeen with milliseconds.
    let digits = words[1].len as usize;
    matches!(count, 7 | 9..=11) && matches!(digits, 14 | 17) && begins_with_digits(line, words[1], digits)
}
