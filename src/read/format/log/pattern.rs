//! Lines whose fields stand in fixed places, between fixed texts: how a definition says so, and the engine that reads
//! them. It also reads what `--log-format` describes.
//!
//! ```text
//! {time:time} {elb} {client:endpoint} "{:request}" {?}"{user_agent}" {rest:rest}
//! ```
//!
//! A field ends where the text after it begins; it may not hold the separator (a space, or a tab where the definition
//! has tabs), unless quotes, brackets or braces stand around it. After `{?}` a line may end before any text.
//!
//! A line whose fields do not prove themselves (`Check`) is of another form. Then those fields stay that stand before
//! the last proof of the place where they stand: a time, an address, a request. Of the others it is not certain what
//! they are.

use memchr::{memchr, memmem};

use super::check::{is_value, proves};
use super::shape::{Check, Shape, Slot};
use crate::error::{Error, Result};
use crate::read::format::near::{find, find2};
use crate::read::format::span;
use crate::simd::Span;

/// A form that lines have.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    steps: Box<[Step]>,
    /// What ends the line.
    tail: Box<[u8]>,
    /// How many steps a line must have.
    required: usize,
    separator: u8,
    /// Whether several separators are as one.
    pads: bool,
    /// How many steps the next form has, too, before its first other one.
    shared: usize,
}

/// A text, and the field after it, as [`Shape::field`] has fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) lead: String,
    pub(super) field: String,
}

/// The same, ready to read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Step {
    lead: Box<[u8]>,
    /// How many bytes of it close the field before.
    closing: usize,
    slot: Slot,
    check: Check,
    end: End,
}

/// Where a field ends.
#[derive(Debug, Clone, PartialEq, Eq)]
enum End {
    /// Before this byte; the separator may not stand in it.
    Word(u8),
    /// The same, and on after each comma at the end of a word.
    List(u8),
    /// Before this text, whatever stands in it.
    Text(Box<[u8]>),
    /// Before the quote, a backslash takes the next byte along.
    Quote,
    /// At the end of the line.
    Line,
}

/// Where a line stops to be of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fault {
    at: usize,
    /// The number of the step where it stops.
    step: usize,
    /// Where the step begins that the next form does not share, if the line has been read so far.
    next: Option<Place>,
}

/// A step, and where it begins in the line.
type Place = (usize, usize);

/// What is known of a line that is of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Read {
    /// Whether there is a backslash in a field with quotes around it.
    pub(super) has_backslash: bool,
}

impl Pattern {
    /// Of the text of a definition, whose fields get slots in `shape`.
    ///
    /// # Errors
    /// Usage, where two fields have no text between them, or a brace is not closed.
    pub(super) fn new(text: &str, shape: &mut Shape) -> Result<Pattern> {
        let mut parts = Vec::new();
        let mut rest = text;
        let (mut required, mut pending) = (None, String::new());
        while let Some(open) = rest.find('{') {
            let (lead, behind) = rest.split_at(open);
            // Braces of the line itself are doubled.
            if let Some(behind) = behind.strip_prefix("{{") {
                let close = behind.find("}}").ok_or_else(|| broken(text))?;
                let (field, after) = behind.split_at(close);
                parts.push(Part { lead: std::mem::take(&mut pending) + lead + "{", field: field.to_owned() });
                rest = &after[1..];
                continue;
            }
            let close = behind.find('}').ok_or_else(|| broken(text))?;
            let field = &behind[1..close];
            rest = &behind[close + 1..];
            let lead = std::mem::take(&mut pending) + lead;
            match field {
                "?" => (required, pending) = (Some(parts.len()), lead),
                field => parts.push(Part { lead, field: field.to_owned() }),
            }
        }
        Pattern::of(&parts, &(pending + rest), required, shape).ok_or_else(|| broken(text))
    }

    /// Of its parts; none where two fields have no text between them. Without `required` a line must have all fields.
    pub(super) fn of(
        parts: &[Part],
        tail: &str,
        required: Option<usize>,
        shape: &mut Shape,
    ) -> Option<Pattern> {
        let texts = || parts.iter().skip(1).map(|part| part.lead.as_str()).chain([tail]);
        // What no field has in it, unless something stands around the field.
        let separator = match texts().any(|text| text.contains('\t')) {
            true => b'\t',
            false if texts().any(|text| text.contains(' ')) => b' ',
            false => texts().next().and_then(|text| text.bytes().next()).unwrap_or(b' '),
        };
        let mut steps = Vec::new();
        for (Part { lead, field }, next) in parts.iter().zip(texts()) {
            let slot = shape.field(field);
            let holds = field.split_once(':').map_or("", |(_, holds)| holds);
            let next = next.as_bytes();
            let end = match (lead.as_bytes().last(), next.first()) {
                (_, None) if steps.len() + 1 < parts.len() => return None,
                (Some(b'"'), Some(b'"')) => {
                    shape.columns[slot].is_escaped = true;
                    End::Quote
                }
                _ if holds == "rest" => End::Line,
                (_, None) if holds == "words" => End::Line,
                (_, None) => End::Word(b'\n'),
                (Some(b'['), Some(b']')) | (Some(b'('), Some(b')')) | (Some(b'{'), Some(b'}')) => {
                    End::Text(next[..1].into())
                }
                _ if holds == "words" => End::Text(next.into()),
                (_, Some(&next)) if holds == "list" => End::List(next),
                (_, Some(&next)) => End::Word(next),
            };
            let closing = lead.bytes().take_while(|b| b"\"])}".contains(b)).count();
            let lead = lead.as_bytes().into();
            steps.push(Step { lead, closing, slot, check: shape.columns[slot].check, end });
        }
        // The rest of a line need not be there.
        let rests = steps.last().is_some_and(|step| matches!(step.end, End::Line));
        let required = required.unwrap_or(steps.len() - usize::from(rests));
        Some(Pattern {
            steps: steps.into(),
            tail: tail.as_bytes().into(),
            required,
            separator,
            pads: false,
            shared: 0,
        })
    }

    /// Whether its lines begin with a space.
    pub(super) fn begins_with_space(&self) -> bool {
        self.steps.first().is_some_and(|step| step.lead.starts_with(b" "))
    }

    /// Takes several separators for one.
    pub(super) fn padded(self) -> Pattern {
        Pattern { pads: true, ..self }
    }

    /// Says of each form how many of its first steps the next one has, too: a line is read on from there.
    pub(super) fn share(forms: &mut [Pattern]) {
        for at in 1..forms.len() {
            let (form, next) = (&forms[at - 1], &forms[at]);
            let mut steps = form.steps.iter().zip(&next.steps);
            let same = steps.position(|(a, b)| a != b).unwrap_or(form.steps.len().min(next.steps.len()));
            let is_twice = |form: &Pattern| {
                (1..form.steps.len())
                    .any(|at| form.steps[..at].iter().any(|step| step.slot == form.steps[at].slot))
            };
            let are_alike = (form.pads, form.separator) == (next.pads, next.separator);
            let shared = same.min(form.required).min(next.required);
            forms[at - 1].shared = if are_alike && !is_twice(form) && !is_twice(next) { shared } else { 0 };
        }
    }

    /// Reads the line from `start` to the end of `bytes` as the first of the forms that it is of; `each` gets the
    /// fields in order, and those again that another form has; `forget` gets the fields that were read of a form that
    /// it is not. Returns the form that it has longest, and where it stops, if it is of none.
    pub(super) fn read_first<'a>(
        forms: &'a [Pattern],
        bytes: &[u8],
        start: usize,
        found: &mut impl FnMut(Slot, Option<Span>),
    ) -> Result<Read, Option<(&'a Pattern, usize)>> {
        let mut from = (0, start);
        // The step where the last form stopped that was read, as long as the others have that step, too.
        let mut stopped = None;
        let mut best: Option<(&Pattern, usize)> = None;
        for form in forms {
            let step = match stopped {
                // This one stops there, too.
                Some(step) => step,
                None => {
                    let read = form.read_from(bytes, from, |slot, span| found(slot, Some(span)));
                    let Err(fault) = read else { return read.map_err(|_| None) };
                    if best.is_none_or(|(_, at)| at < fault.at) {
                        best = Some((form, fault.at));
                    }
                    from = fault.next.filter(|_| fault.step >= form.shared).unwrap_or((0, start));
                    form.steps[from.0..].iter().for_each(|step| found(step.slot, None));
                    fault.step
                }
            };
            stopped = Some(step).filter(|&step| step < form.shared);
        }
        Err(best)
    }

    /// Where a line stops that is of none of the forms: at the byte that the one reaches which it has longest, and in the
    /// field of this slot; behind the last one there is none.
    pub(super) fn stop(forms: &[Pattern], line: &[u8]) -> Option<(usize, Option<Slot>)> {
        let faults = forms.iter().map(|form| {
            let read = form.read_from(line, (0, 0), |_, _| ());
            read.err().map(|fault| (fault.at, form.steps.get(fault.step).map(|step| step.slot)))
        });
        // One that it is of makes it none of these.
        faults.collect::<Option<Vec<_>>>()?.into_iter().max_by_key(|&(at, _)| at)
    }

    /// Whether the line is of this form.
    pub(super) fn fits(&self, line: &[u8]) -> bool {
        self.read_from(line, (0, 0), |_, _| ()).is_ok()
    }

    /// The fields of a line that is not of this form which are certain: those up to the last that proves its place.
    pub(super) fn certain(&self, bytes: &[u8], start: usize) -> Vec<(Slot, Span)> {
        let mut fields = Vec::new();
        let _ = self.read_from(bytes, (0, start), |slot, span| fields.push((slot, span)));
        let is_proof = |(step, (_, span)): (&Step, &(Slot, Span))| {
            proves(&bytes[span.start as usize..][..span.len as usize], step.check)
        };
        let certain = self.steps[..fields.len()].iter().zip(&fields).rposition(is_proof);
        fields.truncate(certain.map_or(0, |last| last + 1));
        fields
    }

    /// Reads the line on from a step and the place where it begins, to the end of `bytes`; `each` gets the fields in
    /// order.
    #[inline]
    fn read_from(
        &self,
        bytes: &[u8],
        (first, mut at): Place,
        mut each: impl FnMut(Slot, Span),
    ) -> Result<Read, Fault> {
        let mut read = Read { has_backslash: false };
        let mut next = None;
        for (number, step) in self.steps.iter().enumerate().skip(first) {
            if number == self.shared {
                next = Some((number, at));
            }
            let fault = |at: usize| Fault { at: at.min(bytes.len()), step: number, next };
            if number >= self.required && bytes[at..] == step.lead[..step.closing] {
                return Ok(read);
            }
            if !begins(&bytes[at..], &step.lead) {
                let same = bytes[at..].iter().zip(&step.lead[..]).take_while(|(a, b)| a == b).count();
                return Err(fault(at + same));
            }
            at += step.lead.len();
            while self.pads && bytes.get(at) == Some(&self.separator) {
                at += 1;
            }
            let rest = &bytes[at..];
            let end = match &step.end {
                End::Word(stop) => {
                    if step.check == Check::Number {
                        // Digits alone need no other look.
                        let len = rest.iter().take_while(|b| b.is_ascii_digit()).count();
                        if len > 0 && rest.get(len).is_none_or(|b| b == stop) {
                            each(step.slot, span(at, at + len));
                            at += len;
                            continue;
                        }
                    }
                    let end = match find2(bytes, at, *stop, self.separator) {
                        Some(end) if bytes[end] == *stop => end,
                        Some(end) => return Err(fault(end)),
                        None => bytes.len(),
                    };
                    if end == at && self.separator == b' ' {
                        return Err(fault(at));
                    }
                    end
                }
                End::List(stop) => {
                    let mut end = at;
                    loop {
                        let begin = end;
                        end += memchr(*stop, &bytes[end..]).unwrap_or(bytes.len() - end);
                        if end == begin {
                            return Err(fault(at));
                        }
                        if bytes[end - 1] != b',' || end == bytes.len() {
                            break;
                        }
                        end += 1;
                    }
                    end
                }
                End::Text(text) => match &text[..] {
                    [byte] => find(bytes, at, *byte).ok_or(fault(bytes.len()))?,
                    text => at + memmem::find(rest, text).ok_or(fault(bytes.len()))?,
                },
                End::Quote => closing(bytes, at, &mut read.has_backslash).ok_or(fault(bytes.len()))?,
                End::Line => bytes.len(),
            };
            if step.check != Check::None && !is_value(&bytes[at..end], step.check) {
                return Err(fault(at));
            }
            each(step.slot, span(at, end));
            at = end;
        }
        if self.shared == self.steps.len() {
            next = Some((self.shared, at));
        }
        match bytes[at..] == *self.tail {
            true => Ok(read),
            false => Err(Fault { at, step: self.steps.len(), next }),
        }
    }
}

/// Whether a text begins so. Most leads are of one to three bytes, for which a call costs more than it does.
#[inline(always)]
fn begins(text: &[u8], lead: &[u8]) -> bool {
    text.len() >= lead.len() && text.iter().zip(lead).all(|(a, b)| a == b)
}

/// The quote that ends what begins at `from`; a backslash takes the next byte along.
#[inline]
fn closing(bytes: &[u8], from: usize, has_backslash: &mut bool) -> Option<usize> {
    let mut at = from;
    loop {
        at = find2(bytes, at, b'"', b'\\')?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        *has_backslash = true;
        at += 2;
    }
}

fn broken(text: &str) -> Error {
    Error::usage(format!(
        "the form {text:?} of a line has fields without a text between them, or an open brace"
    ))
}
