//! JSON Lines: a line is an object, and one of its members is the URI reference.

use urimill_base::error::{Error, Result};
use urimill_columns::batch::{Cell, ExtraColumns, Kind, Records, Text};
use urimill_uri::simd::Span;

use super::fields::{Field, OF_REQUEST, UriSource};
use super::format_row::{FIELDS, FormatRow, MADE};
use super::framing::ChunkText;
use super::json::Value;
use super::keep::Keep;
use super::{Asked, Layout, RecordFormat, line_end, log_line, span};
use super::{beginning, json, made_uris};

/// The column of the members that have none of their own.
const EXTRA: &str = "extra";

/// The row of the format.
pub const ROW: FormatRow = FormatRow {
    name: "jsonl",
    meaning: "A JSON object a line",
    takes: &[FIELDS, MADE],
    needs_uri: true,
    reader: |format, asked| Ok(Jsonl::asked(format, asked)?.into()),
    ..FormatRow::TEXT
};

/// The bits of `seen` stand for at most this many kept members, and as many members of a template.
const MOST_SEEN: usize = 46;
const MOST_PARTS: usize = 16;

/// A member, or one within others.
#[derive(Debug, Clone)]
struct Member {
    name: String,
    /// The names that lead to it, if no member has its whole name.
    path: Vec<String>,
}

impl Member {
    fn new(name: &str) -> Member {
        Member { name: name.to_owned(), path: super::json::path::parts(name) }
    }

    /// Whether a member of the object is it, or holds it.
    fn is(&self, bytes: &[u8], key: Value) -> (bool, bool) {
        let is_outer = self.path.len() > 1 && key.is(bytes, self.path[0].as_bytes());
        (key.is(bytes, self.name.as_bytes()), is_outer)
    }

    /// The value within the member that holds it.
    fn within(&self, bytes: &[u8], outer: Option<Value>) -> Option<Value> {
        let mut value = outer?;
        for name in &self.path[1..] {
            let (start, end) = (value.whole.start as usize, (value.whole.start + value.whole.len) as usize);
            let mut found = None;
            match bytes[start] {
                b'{' => json::members(bytes, start, end, |key, value| {
                    if key.is(bytes, name.as_bytes()) {
                        found = Some(value);
                    }
                }),
                b'[' => {
                    let wanted = name.parse::<usize>().ok()?;
                    let mut number = 0;
                    json::elements(bytes, start, end, |value| {
                        if number == wanted {
                            found = Some(value);
                        }
                        number += 1;
                    })
                }
                _ => return None,
            }
            .ok()?;
            value = found?;
        }
        Some(value)
    }
}

/// The format.
#[derive(Debug, Clone)]
pub(super) struct Jsonl {
    source: UriSource,
    /// The members of the URI; one, unless a template makes it.
    uris: Vec<Member>,
    base: Option<Member>,
    /// The members that have a column, `None` for the column of all others.
    members: Vec<Option<String>>,
    /// Whether a record may lack them.
    is_optional: bool,
    /// The columns that are made of a request, before these.
    of_request: Vec<usize>,
    extra: ExtraColumns,
}

impl RecordFormat for Jsonl {
    fn name(&self) -> &'static str {
        "jsonl"
    }

    fn extra_columns(&self) -> ExtraColumns {
        self.extra.clone()
    }

    fn find(&self, chunk: &ChunkText<'_>, place: (usize, usize), records: &mut Records) -> usize {
        self.lines(chunk.text(), place, records)
    }

    fn field_of_beginning(&self, _: &Layout, text: &[u8]) -> Option<(Vec<u8>, bool)> {
        beginning::field(beginning::object(text), |bytes, records| {
            self.lines(bytes, (0, 1), records);
        })
    }

    // Bit 0 is the reference, bit 1 its base; the last bits are further parts of it.
    fn unseen(&self, seen: u64) -> Option<&str> {
        let base = self.base.as_ref().filter(|_| seen & 2 == 0);
        let uri = self.uris.iter().enumerate().find(|&(at, _)| seen & part_bit(at) == 0);
        let uri = uri.filter(|&(at, _)| at <= MOST_PARTS).map(|(_, member)| member);
        let own = uri.or(base).map(|member| member.name.as_str());
        // `seen` has bits for the first `MOST_SEEN` members only.
        let required = if self.is_optional { &[][..] } else { &self.members };
        let members = required.iter().take(MOST_SEEN).enumerate();
        let mut unseen =
            members.filter(|(at, _)| seen >> (at + 2) & 1 == 0).filter_map(|(_, name)| name.as_deref());
        own.or_else(|| unseen.next())
    }
}

/// The state that a reader keeps from object to object.
#[derive(Default)]
pub(crate) struct Scratch {
    found: Vec<Option<Value>>,
    others: Vec<(Value, Value)>,
    /// The members of the URI, and the members around them.
    uris: Vec<Option<Value>>,
    around: Vec<Option<Value>>,
    parts: Vec<Option<Text>>,
    made: Vec<u8>,
    cells: Vec<Cell>,
    /// The slots of the previous object's members, by their places in it: most objects of an input have the same
    /// members.
    known: Vec<Known>,
}

/// A member that was seen: its name as it is written, with quotes and escapes, and the slot of its value.
#[derive(Default)]
struct Known {
    name: Vec<u8>,
    places: Vec<Place>,
}

/// The slot of a member's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It is this part of the URI, or holds it.
    Uri(usize),
    AroundUri(usize),
    Base,
    AroundBase,
    /// It has this column.
    Member(usize),
}

impl Jsonl {
    /// Reads the reference from the requested field, and its base from the member `base`. [`Keep::All`] is one column,
    /// `extra`, with the other members as an object; a member that is named gets a column of text.
    ///
    /// # Errors
    /// Usage, if URI and base are the same member.
    pub(super) fn asked(format: &FormatRow, asked: &Asked) -> Result<Jsonl> {
        let named = asked.uri_name.as_ref().map(|name| UriSource::Field(Field::Name(name.clone())));
        let source = named.or_else(|| asked.uri.clone()).ok_or_else(|| format.no_uri_field())?;
        let (base, keep) = (asked.base.as_deref(), &asked.keep);
        let uris: Vec<Member> = match &source {
            UriSource::Template(template) => template.names().map(Member::new).collect(),
            UriSource::Field(field) | UriSource::RequestLine(field) => vec![Member::new(&field.name())],
        };
        if let Some(base) = base
            && uris.iter().any(|uri| uri.name == base)
        {
            return Err(Error::usage(format!("the member {base:?} cannot be both the URI and its base")));
        }
        let named = |name: &String| (name != EXTRA).then(|| name.clone());
        let members: Vec<Option<String>> = match keep {
            Keep::All => vec![None],
            Keep::None => Vec::new(),
            Keep::Names(names) | Keep::AnyOf(names) => {
                names.iter().filter(|name| !source.makes(name)).map(named).collect()
            }
            Keep::AllWith(names) | Keep::AllWithOptional(names) => {
                names.iter().filter(|name| !source.makes(name)).map(named).chain([None]).collect()
            }
        };
        let of_request = source.made(keep);
        let made = of_request.iter().map(|&at| OF_REQUEST[at]);
        let names = made.chain(members.iter().map(|member| member.as_deref().unwrap_or(EXTRA)));
        let extra = ExtraColumns::new(names.map(|name| (name.to_owned(), Kind::Text)));
        let is_optional = matches!(keep, Keep::AllWithOptional(_) | Keep::AnyOf(_));
        Ok(Jsonl { source, uris, base: base.map(Member::new), members, is_optional, of_request, extra })
    }

    fn lines(&self, bytes: &[u8], (from, most): (usize, usize), records: &mut Records) -> usize {
        let mut scratch = Scratch::default();
        let mut at = from;
        while at < bytes.len() && records.len() < most {
            let newline = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |found| at + found);
            let end = line_end(bytes, at, newline);
            let (start, first) = log_line(bytes, (at, end), records);
            at = (newline + 1).min(bytes.len());
            if bytes[first..end].trim_ascii_start().is_empty() {
                records.push_blank();
                continue;
            }
            self.record(bytes, span(start, end), &mut scratch, records);
        }
        at
    }

    pub(crate) fn record(&self, bytes: &[u8], whole: Span, scratch: &mut Scratch, records: &mut Records) {
        let (start, end) = (whole.start as usize, (whole.start + whole.len) as usize);
        let Scratch { found, others, uris, around, parts, made, cells, known } = scratch;
        let (mut base, mut around_base, mut seen) = (None, None, 0);
        reset(found, self.members.len());
        reset(uris, self.uris.len());
        reset(around, self.uris.len());
        others.clear();
        // The members of a template are among the others, too: their text may be nowhere else.
        let is_template = self.source.template().is_some();
        let keeps_others = self.members.contains(&None);
        // It is unknown which of two members with one name is meant (RFC 8259, 4).
        let (mut twice, mut number) = (None, 0);
        let read = json::members(bytes, start, end, |key, value| {
            if number == known.len() {
                known.push(Known::default());
            }
            let known = &mut known[number];
            number += 1;
            if !known.is(bytes, key) {
                self.learn(bytes, key, known);
            }
            let mut is_own = false;
            for place in &known.places {
                let slot = match *place {
                    Place::Uri(at) => {
                        is_own |= !is_template;
                        seen |= part_bit(at);
                        &mut uris[at]
                    }
                    Place::AroundUri(at) => &mut around[at],
                    Place::Base => {
                        is_own = true;
                        seen |= 2;
                        &mut base
                    }
                    Place::AroundBase => &mut around_base,
                    Place::Member(at) => {
                        is_own = true;
                        seen |= if at < MOST_SEEN { 4 << at } else { 0 };
                        &mut found[at]
                    }
                };
                if slot.replace(value).is_some() {
                    twice.get_or_insert(key.whole.start as usize);
                }
            }
            if !is_own && keeps_others {
                others.push((key, value));
            }
        });
        let has_base = self.base.is_some();
        if let Err(fault) = read {
            records.push_malformed(whole.start, whole, (fault - start) as u32, has_base);
            return records.mark_mismatch(whole);
        }
        for (at, member) in self.uris.iter().enumerate() {
            if let Some(value) = member.within(bytes, around[at].filter(|_| uris[at].is_none())) {
                uris[at] = Some(value);
                seen |= part_bit(at);
            }
        }
        if let Some(member) = &self.base
            && let Some(value) = member.within(bytes, around_base.filter(|_| base.is_none()))
        {
            base = Some(value);
            seen |= 2;
        }
        records.saw(seen);
        if let Some(fault) = twice {
            return records.push_malformed(whole.start, whole, (fault - start) as u32, has_base);
        }
        let none = Text::Read(Span { start: whole.start, len: 0 });
        let base = base.filter(|base| base.is_text()).map_or(none, |base| base.text(bytes, records));
        let begun = (whole.start, has_base.then_some(base));
        let mut of_request = [None; OF_REQUEST.len()];
        // A member that holds members, or a number where a text is required.
        let is_wrong = |value: &&Value| match is_template {
            true => matches!(bytes[value.whole.start as usize], b'{' | b'['),
            false => !value.is_text() && !value.is_null(),
        };
        if let Some(wrong) = uris.iter().flatten().find(is_wrong) {
            records.push_malformed(whole.start, whole, wrong.whole.start - whole.start, has_base);
            records.mark_mismatch(whole);
        } else if let UriSource::Template(template) = &self.source {
            parts.clear();
            let texts = uris.iter().map(|value| value.filter(|value| !value.is_null()));
            parts.extend(texts.map(|value| value.map(|value| value.text(bytes, records))));
            made_uris::push_made(template, parts, begun, (bytes, made), records);
        } else {
            match uris[0] {
                None => records.push_absent(whole, begun.1),
                Some(uri) if uri.is_null() => records.push_null(whole.start, begun.1),
                Some(uri) => {
                    let text = uri.text(bytes, records);
                    match &self.source {
                        UriSource::RequestLine(_) => {
                            of_request = made_uris::push_request(Some(text), begun, bytes, records);
                        }
                        _ => records.push(whole.start, text, begun.1),
                    }
                }
            }
        }
        let made = self.of_request.iter().map(|&at| of_request[at].map_or(Cell::NULL, Cell::from));
        cells.clear();
        cells.extend(made);
        cells.extend(self.members.iter().zip(found).map(|(member, value)| match (member, value) {
            (None, _) => json::object(bytes, others, records),
            (Some(_), Some(value)) => value.cell(bytes, records),
            (Some(_), None) => Cell::NULL,
        }));
        records.keep(cells.iter().copied());
    }

    /// Finds the slot of a member's value.
    fn learn(&self, bytes: &[u8], key: Value, known: &mut Known) {
        known.name.clear();
        known.name.extend_from_slice(text(bytes, key));
        let places = &mut known.places;
        places.clear();
        for (at, member) in self.uris.iter().enumerate() {
            match member.is(bytes, key) {
                (true, _) => places.push(Place::Uri(at)),
                (_, true) => places.push(Place::AroundUri(at)),
                _ => {}
            }
        }
        match self.base.as_ref().map(|member| member.is(bytes, key)) {
            Some((true, _)) => places.push(Place::Base),
            Some((_, true)) => places.push(Place::AroundBase),
            _ => {}
        }
        for (at, member) in self.members.iter().enumerate() {
            if member.as_ref().is_some_and(|name| key.is(bytes, name.as_bytes())) {
                places.push(Place::Member(at));
            }
        }
    }
}

impl Known {
    /// Whether a member is written like this one. Its slot depends on the letters of the name alone, escaped or not.
    #[inline]
    fn is(&self, bytes: &[u8], key: Value) -> bool {
        self.name == text(bytes, key)
    }
}

/// A key as it is written, with its quotes.
#[inline]
fn text(bytes: &[u8], key: Value) -> &[u8] {
    &bytes[key.whole.start as usize..][..key.whole.len as usize]
}

/// Makes `values` a list of `count` values, all of them missing.
fn reset(values: &mut Vec<Option<Value>>, count: usize) {
    values.clear();
    values.resize(count, None);
}

/// The bit of a part of the URI.
fn part_bit(at: usize) -> u64 {
    match at {
        0 => 1,
        at if at <= MOST_PARTS => 1 << (64 - at),
        _ => 0,
    }
}
