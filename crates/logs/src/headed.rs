//! The fields of a line whose header names them: whether each has the form that its name requires, and which fields
//! stay if the line does not fit its header.

use std::borrow::Cow;

use urimill_columns::batch::{Records, Text};
use urimill_read::format::json::add;

use super::check::{Check, is_value};
use super::definition::{Fields, HeaderKind};
use super::forms::{ANY, kind_of};
use super::found::Found;
use super::known_forms::Loose;
use super::named::{Part, Slots, undoubled};
use super::roles::Slot;
use super::shape::Shape;
use super::target::Line;

/// The fields of the header in force.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) names: Vec<String>,
    slots: Vec<Option<Slot>>,
    /// Those that have a form, in order.
    proofs: Vec<Proof>,
    /// Those that clients or servers write freely, by number, and the forms that some of these mostly have.
    free: Vec<(usize, Option<Loose>)>,
    /// Those that stay if a line does not fit the header, each with the last field that proves its place.
    certain: Vec<(usize, usize)>,
    /// Words that mean that a field has no value.
    nulls: &'static [&'static str],
    /// Whether a quote in a field is doubled, and stands between others.
    is_csv: bool,
    /// Whether one has no slot.
    has_others: bool,
    /// Whether a line may have more.
    has_more: bool,
}

/// The form of a field.
#[derive(Debug)]
struct Proof {
    at: usize,
    /// The kinds of bytes that it begins and ends with.
    first: u32,
    last: u32,
    /// Its further conditions.
    check: Check,
}

impl Proof {
    fn new(at: usize, check: Check) -> Option<Proof> {
        let (first, last, is_more) = match check {
            Check::None => return None,
            Check::Form(form) => form.ends(),
            _ => (ANY, ANY, true),
        };
        Some(Proof { at, first, last, check: if is_more { check } else { Check::None } })
    }

    #[inline]
    fn has(&self, text: &[u8]) -> bool {
        match (text, self.check) {
            ([] | [b'-'], _) => true,
            (&[first, ..], Check::None) => {
                kind_of(first) & self.first != 0 && kind_of(text[text.len() - 1]) & self.last != 0
            }
            (_, Check::Form(form)) => form.has(text),
            (_, check) => is_value(text, check),
        }
    }
}

impl Header {
    pub(super) fn new(
        names: Vec<String>,
        slots: &Slots,
        (shape, fields): (&Shape, Fields),
        head: HeaderKind,
    ) -> Header {
        let slots = slots.of(&names);
        let column = |slot: Option<Slot>| slot.map(|slot| &shape.columns[slot]);
        // A field without a column proves its place, too.
        let alone = |name: &String| {
            let known = fields.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
            known.map_or(Check::None, |(_, field)| shape.alone(field).0)
        };
        let check = |(&slot, name)| column(slot).map_or_else(|| alone(name), |column| column.check);
        let checks: Vec<Check> = slots.iter().zip(&names).map(check).collect();
        let is_known = |name: &String| fields.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
        let loose = |at: usize| column(slots[at]).and_then(|column| column.loose);
        // Nearly any text can be the name of a user.
        let is_free = |at: &usize| matches!(checks[*at], Check::None | Check::User) && is_known(&names[*at]);
        let has_addresses = |at: usize| {
            let addresses = Loose::find("addresses", &[]);
            matches!(checks[at], Check::Address | Check::Endpoint) || loose(at) == addresses
        };
        let is_alone = |at: &usize| {
            let is_same =
                |other: &usize| checks[*other] == checks[*at] || has_addresses(*at) && has_addresses(*other);
            (0..names.len()).filter(is_same).count() == 1
        };
        let is_kept = |at: &usize| {
            let check = checks[*at];
            matches!(check, Check::Date | Check::Clock | Check::Time | Check::Address | Check::Endpoint)
        };
        // If each of the first fields has another form than the one before it, an inserted or lost field shows at once.
        let is_strict = |at: &usize| !matches!(checks[*at], Check::None | Check::User);
        let strict = (0..names.len()).take_while(is_strict).count();
        let in_row = (1..strict).take_while(|&at| checks[at] != checks[at - 1]).count();
        let proof = |at: usize| match at {
            at if is_alone(&at) => Some((at, at)),
            at => (at < in_row).then_some((at, at + 1)),
        };
        Header {
            proofs: checks.iter().enumerate().filter_map(|(at, &check)| Proof::new(at, check)).collect(),
            free: (0..names.len()).filter(is_free).map(|at| (at, loose(at))).collect(),
            certain: (0..names.len()).filter(is_kept).filter_map(proof).collect(),
            nulls: shape.nulls,
            is_csv: head.is_csv(),
            has_others: slots.iter().any(|&slot| is_other(slot, shape)),
            has_more: head.header().is_list(&names) && head.header().is_longest(names.len()),
            names,
            slots,
        }
    }

    /// The number of the field where a line stops fitting the header.
    #[inline]
    pub(super) fn stop(&self, bytes: &[u8], parts: &[Part]) -> Option<usize> {
        let is_wrong = |proof: &&Proof| {
            let text = parts.get(proof.at).map(|part| part.text(bytes));
            text.is_some_and(|text| {
                !proof.has(text) && !self.nulls.iter().any(|word| word.as_bytes() == text)
            })
        };
        let wrong = self.proofs.iter().find(is_wrong).map(|proof| proof.at);
        let is_unclosed = |part: &Part| {
            let text = part.text(bytes);
            !part.is_doubled && (text.starts_with(b"\"") || text.ends_with(b"\""))
        };
        let unclosed = if self.is_csv {
            parts.iter().position(is_unclosed).or_else(|| lacks_last(bytes, parts))
        } else {
            None
        };
        let is_count = parts.len() == self.slots.len() || self.has_more && parts.len() > self.slots.len();
        let count = (!is_count).then_some(parts.len().min(self.slots.len()));
        let first = [wrong, unclosed, count].into_iter().flatten().min();
        first.or_else(|| self.moved(bytes, parts))
    }

    /// The number of a field that lacks the form that it mostly has, while another one has that form: the two may have
    /// changed places.
    #[inline]
    fn moved(&self, bytes: &[u8], parts: &[Part]) -> Option<usize> {
        let is_moved = |&&(at, loose): &&(usize, Option<Loose>)| {
            loose.is_some_and(|loose| {
                let text = parts[at].text(bytes);
                !self.is_none(text) && !loose.own.has(text) && self.has_taken(bytes, parts, (at, loose))
            })
        };
        self.free.iter().find(is_moved).map(|&(at, _)| at)
    }

    /// Whether another field, without a form or without its own, has the form of an odd one.
    #[cold]
    fn has_taken(&self, bytes: &[u8], parts: &[Part], (odd, own): (usize, Loose)) -> bool {
        self.free.iter().filter(|&&(at, _)| at != odd).any(|&(at, loose)| {
            let text = parts[at].text(bytes);
            !self.is_none(text) && own.alone.has(text) && loose.is_none_or(|loose| !loose.own.has(text))
        })
    }

    fn is_none(&self, text: &[u8]) -> bool {
        matches!(text, b"" | b"-") || self.nulls.iter().any(|word| word.as_bytes() == text)
    }

    /// Puts the fields of a line in their slots; or returns where the line stops fitting the header. Then only times
    /// and addresses before that place stay, if no other field has their form, or if they are among the first fields,
    /// whose forms follow each other in no other way.
    pub(super) fn place(
        &self,
        (bytes, line): (&[u8], &Line<'_>),
        parts: &mut Vec<Part>,
        found: &mut Found,
        records: &mut Records,
    ) -> Result<(), usize> {
        let Some(stop) = self.stop(bytes, parts) else {
            for (part, slot) in parts.iter().zip(&self.slots) {
                let Some(slot) = *slot else { continue };
                match part.is_doubled {
                    false => found.set(slot, line.text(part.inner)),
                    true => found.set(slot, undoubled(bytes, *part, records)),
                }
            }
            return Ok(());
        };
        for &(at, _) in self.certain.iter().filter(|&&(_, proof)| proof < stop) {
            if let Some(slot) = self.slots[at] {
                found.set(slot, line.text(parts[at].inner));
            }
        }
        let fault = parts.get(stop).map_or(line.end, |part| part.inner.start as usize);
        parts.clear();
        Err(fault)
    }

    /// The fields without a column, as a JSON object.
    pub(super) fn extra(
        &self,
        line: &Line<'_>,
        (shape, parts): (&Shape, &[Part]),
        records: &mut Records,
    ) -> Option<Text> {
        if !self.has_others && parts.len() <= self.names.len() {
            return None;
        }
        let mut object = serde_json::Map::new();
        let named = self.names.iter().map(|name| Cow::Borrowed(&**name));
        // Fields after the last name: their numbers name them.
        let names = named.chain((self.names.len() + 1..).map(|number| format!("field_{number}").into()));
        let slots = self.slots.iter().copied().chain(std::iter::repeat(None));
        let fields = parts.iter().zip(slots).zip(names);
        for ((part, _), name) in fields.filter(|((_, slot), _)| is_other(*slot, shape)) {
            // The column already shows the fault.
            let Ok(text) = std::str::from_utf8(part.text(line.bytes)) else {
                return Some(line.text(part.inner));
            };
            if text == "-" || shape.is_null(text.as_bytes()) {
                continue;
            }
            let text = if part.is_doubled { text.replace("\"\"", "\"") } else { text.to_owned() };
            let plain = match shape.escapes.undo(text.as_bytes()) {
                Cow::Owned(plain) => String::from_utf8(plain).unwrap_or(text),
                Cow::Borrowed(_) => text,
            };
            add(&mut object, &name, plain.into());
        }
        if object.is_empty() {
            return None;
        }
        let text = serde_json::Value::from(object).to_string();
        Some(records.unescape(|out| out.extend_from_slice(text.as_bytes())))
    }
}

/// The number of the last field, if a line with quotes around its first field ends after a comma: it was cut.
fn lacks_last(bytes: &[u8], parts: &[Part]) -> Option<usize> {
    let is_quoted = |part: &Part| bytes[..part.inner.start as usize].ends_with(b"\"");
    let is_cut = parts.first().is_some_and(is_quoted) && !parts.last().is_some_and(is_quoted);
    is_cut.then(|| parts.len() - 1)
}

/// Whether the field of a slot has no column.
fn is_other(slot: Option<Slot>, shape: &Shape) -> bool {
    slot.is_none_or(|slot| shape.roles.later.contains(&slot))
}
