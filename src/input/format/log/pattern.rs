//! Lines whose fields stand in fixed places, between fixed texts: how a definition says so, and the engine that reads
//! them. It also reads what `--log-format` describes.
//!
//! ```text
//! {time:time} {elb} {client:endpoint} "{:request}" {?}"{user_agent}" {rest:rest}
//! ```
//!
//! A field ends where the text behind it begins; it may not hold the separator (a space, or a tab where the definition
//! has tabs), unless quotes, brackets or braces stand around it. Behind `{?}` a line may end before any text.
//!
//! A line whose fields do not prove themselves (`Check`) is of another form. Then those fields stay that stand before
//! the last proof of the place where they stand: a time, an address, a request. Of the others it is not certain what
//! they are.

use memchr::{memchr, memchr2, memmem};

use super::check::{is_value, proves};
use super::shape::{Check, Shape, Slot};
use crate::error::{Error, Result};
use crate::input::format::span;
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
}

/// A text, and the field behind it, as [`Shape::field`] has fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) lead: String,
    pub(super) field: String,
}

/// The same, ready to read.
#[derive(Debug, Clone)]
struct Step {
    lead: Box<[u8]>,
    /// How many bytes of it close the field before.
    closing: usize,
    slot: Slot,
    check: Check,
    end: End,
}

/// Where a field ends.
#[derive(Debug, Clone)]
enum End {
    /// Before this byte; the separator may not stand in it.
    Word(u8),
    /// The same, and on behind each comma at the end of a word.
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
pub(super) struct Fault {
    pub(super) at: usize,
    /// How many fields are certain.
    pub(super) certain: usize,
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
        Some(Pattern { steps: steps.into(), tail: tail.as_bytes().into(), required, separator, pads: false })
    }

    /// Takes several separators for one.
    pub(super) fn padded(self) -> Pattern {
        Pattern { pads: true, ..self }
    }

    /// Reads the line from `start` to the end of `bytes`: `each` gets the fields in order.
    #[inline]
    pub(super) fn read(
        &self,
        bytes: &[u8],
        start: usize,
        mut each: impl FnMut(Slot, Span),
    ) -> Result<(), Fault> {
        let mut at = start;
        let mut certain = 0;
        for (number, step) in self.steps.iter().enumerate() {
            let fault = |at: usize| Fault { at: at.min(bytes.len()), certain };
            if number >= self.required && bytes[at..] == step.lead[..step.closing] {
                return Ok(());
            }
            if !bytes[at..].starts_with(&step.lead) {
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
                    let len = match memchr2(*stop, self.separator, rest) {
                        Some(len) if rest[len] == *stop => len,
                        Some(len) => return Err(fault(at + len)),
                        None => rest.len(),
                    };
                    if len == 0 && self.separator == b' ' {
                        return Err(fault(at));
                    }
                    at + len
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
                    [byte] => at + memchr(*byte, rest).ok_or(fault(bytes.len()))?,
                    text => at + memmem::find(rest, text).ok_or(fault(bytes.len()))?,
                },
                End::Quote => closing(bytes, at).ok_or(fault(bytes.len()))?,
                End::Line => bytes.len(),
            };
            let field = &bytes[at..end];
            if step.check != Check::None && !is_value(field, step.check) {
                return Err(fault(at));
            }
            each(step.slot, span(at, end));
            if proves(field, step.check) {
                certain = number + 1;
            }
            at = end;
        }
        match bytes[at..] == *self.tail {
            true => Ok(()),
            false => Err(Fault { at, certain }),
        }
    }
}

/// The quote that ends what begins at `from`; a backslash takes the next byte along.
fn closing(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

fn broken(text: &str) -> Error {
    Error::usage(format!(
        "the form {text:?} of a line has fields without a text between them, or an open brace"
    ))
}
