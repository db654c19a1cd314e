//! Lines of names and values: `at=info method=GET path="/"`, and the events of security products in CEF and LEEF. A name
//! has a slot by its definition; other names go to the column `extra`.
//!
//! A text that is neither a name nor the value of one ends the line's form: it may be the rest of a value that had to be
//! in quotes. So does the second of two values with one name, because a client may have written one of them. A form may
//! say what text follows the pairs (`around`).

use std::collections::HashMap;
use std::ops::Range;

use memchr::{memchr, memchr2, memmem};
use serde_json::Map;
use urimill_columns::batch::{Records, Text};
use urimill_read::format::json::add;
use urimill_read::format::span;
use urimill_uri::simd::Span;

use super::around_pairs::{Around, name_length};
use super::definition::{Dialect, Fields, Writer};
use super::found::Found;
use super::pattern::Pattern;
use super::roles::Slot;
use super::shape::Shape;
use super::step::closing;
use super::target::Line;
use crate::Log;

/// The slots of names.
#[derive(Debug, Clone)]
pub(super) struct Pairs {
    dialect: Dialect,
    /// The forms of what is before the first name, and after the last value.
    around: Box<[Around]>,
    members: Vec<Member>,
    places: HashMap<Box<[u8]>, usize>,
    /// A bit for each of the names, or alternatives, by which the format is told.
    told: u32,
}

#[derive(Debug, Clone, Default)]
struct Member {
    name: Box<[u8]>,
    slot: Option<Slot>,
    /// The form of a value that has several fields.
    form: Option<Box<Pattern>>,
    told: u32,
}

/// The pairs of a line that have no slot, and the order of the names in the line before.
#[derive(Debug, Default)]
pub(super) struct OtherPairs {
    others: Vec<(Name, Span)>,
    /// How many of the members this line has had.
    count: usize,
    /// The numbers of the members, in the order of the line before.
    order: Vec<usize>,
    /// For each member, whether this line has had it.
    seen: Vec<bool>,
}

/// The names of the fields in the header of an event.
const CEF: [&str; 7] =
    ["cef.version", "cef.vendor", "cef.product", "cef.device_version", "cef.id", "cef.name", "cef.severity"];
const LEEF: [&str; 5] = ["leef.version", "leef.vendor", "leef.product", "leef.product_version", "leef.id"];

/// The name of a value: a text of the line, or that of a field in a header.
#[derive(Debug, Clone, Copy)]
enum Name {
    At(Span),
    Known(&'static str),
}

impl Name {
    fn text(self, bytes: &[u8]) -> &[u8] {
        match self {
            Name::At(span) => &bytes[range(span)],
            Name::Known(name) => name.as_bytes(),
        }
    }
}

impl Pairs {
    /// The pairs of a definition; `lead` has the forms of what is around them.
    pub(super) fn new(
        (dialect, lead): (Dialect, &[&str]),
        detected_by: &[&str],
        fields: Fields,
        shape: &mut Shape,
    ) -> Pairs {
        let around = lead.iter().filter_map(|form| Around::new(form, shape).ok());
        let mut pairs =
            Pairs { dialect, around: around.collect(), members: Vec::new(), places: HashMap::new(), told: 0 };
        for (name, field) in fields {
            match is_form(field) {
                true => {
                    let form = Pattern::new(field, Writer::Raw, shape).ok();
                    pairs.member(name).form = form.map(Box::new);
                }
                false => {
                    let slot = shape.field(field);
                    pairs.member(name).slot = Some(slot);
                }
            }
        }
        for (number, names) in detected_by.iter().enumerate().take(32) {
            let bit = 1 << number;
            pairs.told |= bit;
            for name in names.split('|') {
                pairs.member(name).told |= bit;
            }
        }
        pairs
    }

    fn member(&mut self, name: &str) -> &mut Member {
        let next = self.members.len();
        let at = *self.places.entry(name.as_bytes().into()).or_insert(next);
        if at == next {
            self.members.push(Member { name: name.as_bytes().into(), ..Member::default() });
        }
        &mut self.members[at]
    }

    /// Whether a line is of the format.
    pub(super) fn fits(&self, bytes: &[u8]) -> bool {
        self.walk(bytes, (0, bytes.len()), &mut OtherPairs::default(), |_, _| true).is_ok()
    }

    /// Reads the fields of a line: `each` gets those with slots, and returns whether it takes the value.
    ///
    /// Returns the byte where the line stops being of the format.
    pub(super) fn read(
        &self,
        line: &Line<'_>,
        others: &mut OtherPairs,
        each: impl FnMut(Slot, Span) -> bool,
    ) -> Result<(), usize> {
        self.walk(line.bytes, (line.start, line.end), others, each)
    }

    fn walk(
        &self,
        bytes: &[u8],
        (start, end): (usize, usize),
        state: &mut OtherPairs,
        mut each: impl FnMut(Slot, Span) -> bool,
    ) -> Result<(), usize> {
        state.reset(self.members.len());
        let (mut told, mut at, mut tail) = (0, start, None);
        match self.dialect {
            Dialect::Words { assign, .. } if !self.around.is_empty() => {
                (at, tail) = self.lead(bytes, (start, end), assign, &mut each)?;
            }
            Dialect::Words { .. } => {}
            Dialect::Cef | Dialect::Leef => {
                let (mark, names): (&[u8], &[&'static str]) = match self.dialect {
                    Dialect::Cef => (b"CEF:", &CEF),
                    _ => (b"LEEF:", &LEEF),
                };
                at += memmem::find(&bytes[start..end], mark).ok_or(start)?;
                // In an object of JSON the end of the object would be part of the last value.
                if memmem::find(&bytes[start..at], b"{\"").is_some() {
                    return Err(start);
                }
                at += mark.len();
                for name in names {
                    let stop = bar(&bytes[..end], at).ok_or(end)?;
                    told |= self.pair(Name::Known(name), (bytes, span(at, stop)), state, &mut each)?;
                    at = stop + 1;
                }
            }
        }
        let mut tokens = Tokens::new(self.dialect, &bytes[..end], at);
        tokens.closing = tail.map_or(&[], Around::closing);
        loop {
            let after = tokens.at;
            match (tokens.next(), tail) {
                (Ok(Some((name, value))), _) => {
                    told |= self.pair(Name::At(name), (bytes, value), state, &mut each)?;
                }
                (Ok(None), None) => break,
                (Err(at), None) => return Err(at),
                (next, Some(tail)) => {
                    let read = tail.read_tail(&bytes[..end], after, &mut each);
                    read.map_err(|at| at.max(next.err().unwrap_or(at)))?;
                    break;
                }
            }
        }
        if told == self.told { Ok(()) } else { Err(start) }
    }

    /// Reads what is before the first name; returns where that is, and the form of what follows the pairs.
    fn lead(
        &self,
        bytes: &[u8],
        (start, end): (usize, usize),
        assign: u8,
        each: &mut impl FnMut(Slot, Span) -> bool,
    ) -> Result<(usize, Option<&Around>), usize> {
        let (mut found, mut fault) = (Vec::new(), start);
        for form in &self.around {
            match form.read_head(&bytes[..end], (start, assign), &mut found) {
                Ok(from) => {
                    found.iter().for_each(|&(slot, value)| {
                        each(slot, value);
                    });
                    return Ok((from, Some(form).filter(|form| form.is_marked())));
                }
                Err(other) => fault = fault.max(other),
            }
        }
        Err(fault)
    }

    /// Reads a pair; returns the bits of the names by which the format is told.
    fn pair(
        &self,
        name: Name,
        (bytes, value): (&[u8], Span),
        state: &mut OtherPairs,
        each: &mut impl FnMut(Slot, Span) -> bool,
    ) -> Result<u32, usize> {
        let key = name.text(bytes);
        let expected = state.order.get(state.count).copied().filter(|&at| *self.members[at].name == *key);
        let Some(at) = expected.or_else(|| self.places.get(key).copied()) else {
            state.others.push((name, value));
            return Ok(0);
        };
        match state.order.get_mut(state.count) {
            Some(last) => *last = at,
            None => state.order.push(at),
        }
        state.count += 1;
        if std::mem::replace(&mut state.seen[at], true) {
            return Err(value.start as usize);
        }
        let member = &self.members[at];
        // An empty value is none.
        let is_taken = match (&member.form, member.slot) {
            (None, None) => false,
            _ if value.len == 0 => true,
            (Some(form), _) => parts(form, (bytes, value), each),
            (None, Some(slot)) => each(slot, value),
        };
        if !is_taken {
            state.others.push((name, value));
        }
        Ok(member.told)
    }
}

impl Log {
    /// The fields of a line of names and values. If it is none of the format, no field is certain.
    pub(super) fn pairs(
        &self,
        pairs: &Pairs,
        line: &Line<'_>,
        (found, others): (&mut Found, &mut OtherPairs),
        records: &Records,
    ) -> Result<(), usize> {
        let prefix = self.shape.roles.prefix.and_then(|slot| found.get(slot));
        let read = pairs.read(line, others, |slot, value| {
            if found.get(slot).is_some() {
                return false;
            }
            let text = line.text(value);
            let bytes = records.bytes_of(line.chunk, text);
            let is_right = self.is_right(slot, bytes);
            match is_right {
                true => found.set(slot, text),
                false => found.refuse(slot),
            }
            is_right && self.holds(slot, bytes) && !self.shape.is_hint(slot)
        });
        if read.is_err() {
            found.reset(self.shape.columns.len());
            self.shape.roles.prefix.into_iter().for_each(|slot| found.put(slot, prefix));
        }
        read
    }
}

impl OtherPairs {
    fn reset(&mut self, members: usize) {
        self.others.clear();
        self.count = 0;
        self.seen.clear();
        self.seen.resize(members, false);
    }

    /// The pairs without a slot, as a JSON object.
    pub(super) fn object(&self, line: &Line<'_>, shape: &Shape, records: &mut Records) -> Option<Text> {
        let mut object = Map::new();
        for &(name, value) in &self.others {
            let written = &line.bytes[range(value)];
            if matches!(written, b"" | b"-") || shape.is_null(written) {
                continue;
            }
            let plain = shape.escapes.undo(written);
            let name = String::from_utf8_lossy(name.text(line.bytes));
            add(&mut object, &name, String::from_utf8_lossy(&plain).into());
        }
        if object.is_empty() {
            return None;
        }
        let text = serde_json::Value::from(object).to_string();
        Some(records.unescape(|out| out.extend_from_slice(text.as_bytes())))
    }
}

/// The pairs after what stands before them.
struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The byte between pairs, and that between name and value.
    separator: u8,
    assign: u8,
    /// Whether a value may have separators: it ends before the next name.
    is_open: bool,
    /// What may follow the quote of the last value.
    closing: &'a [u8],
}

impl<'a> Tokens<'a> {
    fn new(dialect: Dialect, bytes: &'a [u8], at: usize) -> Tokens<'a> {
        let tokens = Tokens { bytes, at, separator: b' ', assign: b'=', is_open: false, closing: b"" };
        match dialect {
            Dialect::Words { separator, assign } => Tokens { separator, assign, ..tokens },
            Dialect::Cef => Tokens { is_open: true, ..tokens },
            Dialect::Leef => {
                let (separator, at) = leef_separator(bytes, at);
                Tokens { separator, at, ..tokens }
            }
        }
    }

    /// The next name and value; or the byte that is neither.
    fn next(&mut self) -> Result<Option<(Span, Span)>, usize> {
        let is_between = |b: &&u8| **b == self.separator || **b == b' ';
        self.at += self.bytes[self.at..].iter().take_while(is_between).count();
        if self.at == self.bytes.len() {
            return Ok(None);
        }
        let begin = self.at;
        let length = name_length(&self.bytes[begin..]);
        let from = begin + length + 1;
        if length == 0 || self.bytes.get(from - 1) != Some(&self.assign) {
            return Err(begin);
        }
        let name = span(begin, from - 1);
        let rest = &self.bytes[from..];
        if rest.first() == Some(&b'"') && !self.is_open {
            let close = closing(self.bytes, from + 1, &mut false).ok_or(self.bytes.len())?;
            self.at = close + 1;
            return match self.bytes.get(self.at) {
                None => Ok(Some((name, span(from + 1, close)))),
                Some(&b) if b == self.separator || b == b' ' || self.is_closing() => {
                    Ok(Some((name, span(from + 1, close))))
                }
                Some(_) => Err(self.at),
            };
        }
        let mut end = from + memchr(self.separator, rest).unwrap_or(rest.len());
        while self.is_open && end < self.bytes.len() && !self.begins_pair(end + 1) {
            end = end
                + 1
                + memchr(self.separator, &self.bytes[end + 1..]).unwrap_or(self.bytes.len() - end - 1);
        }
        self.at = end;
        let value = self.bytes[from..end].trim_ascii_end();
        Ok(Some((name, span(from, from + value.len()))))
    }

    /// Whether the text after the pairs begins here.
    fn is_closing(&self) -> bool {
        !self.closing.is_empty() && self.bytes[self.at..].starts_with(self.closing)
    }

    fn begins_pair(&self, at: usize) -> bool {
        let length = name_length(&self.bytes[at..]);
        length > 0 && self.bytes.get(at + length) == Some(&self.assign)
    }
}

/// Whether a field of a definition is a form of values with several fields: `{client:addr}:{client_port:int}`.
pub(super) fn is_form(field: &str) -> bool {
    field.contains('{')
}

/// Reads the fields of a value; returns whether each has been taken. A value of another form has none.
fn parts(form: &Pattern, (bytes, value): (&[u8], Span), each: &mut impl FnMut(Slot, Span) -> bool) -> bool {
    let Range { start, end } = range(value);
    let mut found = Vec::new();
    let read = form.read_from(&bytes[..end], (0, start), |slot, part| found.push((slot, part)));
    let mut are_taken = read.is_ok();
    if are_taken {
        for (slot, part) in found.into_iter().filter(|(_, part)| part.len > 0) {
            are_taken &= each(slot, part);
        }
    }
    are_taken
}

/// The next bar without a backslash before it.
fn bar(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr2(b'|', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'|' {
            return Some(at);
        }
        at += 2;
    }
}

/// The byte between the pairs of an event in LEEF, and where they begin: version 2 may name the byte in a further field.
fn leef_separator(bytes: &[u8], at: usize) -> (u8, usize) {
    let named =
        memchr(b'|', &bytes[at..]).filter(|&length| length < 6 && !bytes[at..at + length].contains(&b'='));
    let Some(length) = named else { return (b'\t', at) };
    let text = &bytes[at..at + length];
    let digits = text.strip_prefix(b"0x").or_else(|| text.strip_prefix(b"x"));
    let number = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
    let separator = number.or_else(|| text.first().copied().filter(|_| text.len() == 1)).unwrap_or(b'\t');
    (separator, at + length + 1)
}

fn range(span: Span) -> Range<usize> {
    span.start as usize..(span.start + span.len) as usize
}
