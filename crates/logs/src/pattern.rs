//! Lines whose fields stand in fixed places, between fixed texts: the notation of definitions, and the engine that
//! reads such lines. It also reads the lines that `--log-format` describes.
//!
//! ```text
//! {time:time} {elb:=name} {client:endpoint} "{:request}"{?} "{user_agent}"
//! ```
//!
//! A field ends where the text after it begins; it may not hold the separator (a space, or a tab if the definition has
//! tabs), unless quotes, brackets or braces enclose it. Quotes with a question mark (`"?{user_agent}"?`) may be missing. A
//! line may end at `{?}`: writers have added fields.
//!
//! A line whose fields lack their forms (`Check`) is of another form. Then only those times, addresses and numbers stay
//! whose places are certain and that no client has written. If fields in quotes hold quotes, `ways` looks for the one
//! way to place the fields.

use memchr::memmem;
use urimill_base::error::{Error, Result};
use urimill_read::format::short_search::{digits_end, find, find2};
use urimill_read::format::span;
use urimill_uri::simd::Span;

use super::check::{Check, separators};
use super::definition::Writer;
use super::notation::Notation;
use super::roles::Slot;
use super::shape::Shape;
use super::step::{End, Step, begins, closing};

/// A form that lines have.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    pub(super) steps: Box<[Step]>,
    /// The text that ends the line.
    pub(super) tail: Box<[u8]>,
    pub(super) separator: u8,
    pub(super) writer: Writer,
    /// How many steps the next form shares with this one, from the first on.
    pub(super) shared: usize,
}

/// A text, and the field after it, as in [`Shape::field`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) lead: String,
    pub(super) field: String,
    pub(super) reach: Reach,
}

/// How far a field reaches that nothing encloses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Reach {
    /// To the text after it; it has no separator in it, unless its kind may.
    #[default]
    Word,
    /// To the text after it, or to the end of the line, whatever it holds.
    Words,
    /// To the text after the second word.
    Pair,
    /// To this byte, with which the next field begins.
    Before(u8),
    /// As `Word`; it may have quotes around it.
    Quotable,
}

impl Part {
    fn new(lead: String, field: &str) -> Part {
        Part { lead, field: field.to_owned(), reach: Reach::Word }
    }
}

/// Where a line stops being of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) at: usize,
    /// The number of the step where it stops.
    pub(super) step: usize,
    /// Where the first step begins that the next form does not share, if the line has been read so far.
    pub(super) next: Option<Place>,
    /// The facts about the fields before it.
    pub(super) read: Read,
}

/// Quotes that may be missing, in the text of a definition.
pub(super) const QUOTABLE: &str = "\"?";

/// A step, and where it begins in the line.
pub(super) type Place = (usize, usize);

/// What follows a field, as far as the next one in quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// The end of the line.
    End,
    /// The text in quotes of this step begins here.
    Quoted(Place),
}

/// The facts about a line that is of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Read {
    /// Whether a field in quotes holds a backslash.
    pub(super) has_backslash: bool,
    /// Whether a field that a client writes lacks the form that it mostly has.
    pub(super) is_odd: bool,
}

/// A place where a line may end: behind so many bytes of the text before a part.
#[derive(Debug, Clone, Copy)]
pub(super) struct MayEnd {
    part: usize,
    behind: usize,
}

impl Pattern {
    /// The pattern of a definition's text; its fields get slots in `shape`.
    ///
    /// # Errors
    /// Usage, if two fields have no text between them, or a brace is not closed.
    pub(super) fn new(text: &str, writer: Writer, shape: &mut Shape) -> Result<Pattern> {
        let (parts, tail, ends) = Pattern::parts(text)?;
        Pattern::of(&parts, &tail, &ends, writer, shape).ok_or_else(|| broken(text))
    }

    /// The parts of a definition's text, the text after them, and the places where a line may end.
    pub(super) fn parts(text: &str) -> Result<(Vec<Part>, String, Vec<MayEnd>)> {
        let mut parts = Vec::new();
        let mut rest = text;
        let (mut ends, mut pending) = (Vec::new(), String::new());
        while let Some(open) = rest.find('{') {
            let (lead, behind) = rest.split_at(open);
            // Braces of the line itself are doubled.
            if let Some(behind) = behind.strip_prefix("{{") {
                let close = behind.find("}}").ok_or_else(|| broken(text))?;
                let (field, after) = behind.split_at(close);
                parts.push(Part::new(std::mem::take(&mut pending) + lead + "{", field));
                rest = &after[1..];
                continue;
            }
            let close = behind.find('}').ok_or_else(|| broken(text))?;
            let field = &behind[1..close];
            rest = &behind[close + 1..];
            let lead = std::mem::take(&mut pending) + lead;
            if field == "?" {
                if ends.iter().any(|end: &MayEnd| end.part == parts.len()) {
                    return Err(Error::usage(format!(
                        "a text between two fields has one {{?}}, not two as in {text:?}"
                    )));
                }
                // Spaces at the end of a line are no part of it.
                ends.push(MayEnd { part: parts.len(), behind: lead.trim_end_matches(' ').len() });
                pending = lead;
                continue;
            }
            let mut part = Part::new(lead, field);
            if let (Some(lead), Some(after)) = (part.lead.strip_suffix(QUOTABLE), rest.strip_prefix(QUOTABLE))
            {
                (rest, part.reach) = (after, Reach::Quotable);
                part.lead.truncate(lead.len());
            }
            if part.lead.contains(QUOTABLE) || rest.starts_with(QUOTABLE) {
                return Err(Error::usage(format!(
                    "quotes that may be missing are on both sides of a field: \"?{{{field}}}\"?, not in {text:?}"
                )));
            }
            parts.push(part);
        }
        let tail = pending + rest;
        if ends.last().is_some_and(|end| end.part == parts.len()) && !tail.is_empty() {
            return Err(Error::usage(format!("a field follows {{?}}, and not only a text as in {text:?}")));
        }
        Ok((parts, tail, ends))
    }

    /// The form with these parts; `None` if two fields have no text between them. A line may end at each place of
    /// `ends`.
    pub(super) fn of(
        parts: &[Part],
        tail: &str,
        ends: &[MayEnd],
        writer: Writer,
        shape: &mut Shape,
    ) -> Option<Pattern> {
        let texts = || parts.iter().skip(1).map(|part| part.lead.as_str()).chain([tail]);
        // The bytes that no field holds, unless it is enclosed.
        let has = |byte: &u8| texts().any(|text| text.as_bytes().contains(byte));
        let separator = b"\t |;".iter().copied().find(has);
        let separator = separator.or_else(|| texts().find_map(|text| text.bytes().next())).unwrap_or(b' ');
        let until = |part: usize| ends.iter().find(|end| end.part == part).map(|end| end.behind);
        let mut steps = Vec::new();
        for (Part { lead, field, reach }, next) in parts.iter().zip(texts()) {
            let slot = shape.field(field);
            let Notation { kind: holds, may_be_empty, is_required, .. } = shape.notation(field);
            let next = next.as_bytes();
            // The text after a moment is more than a space, or the moment has two words.
            let is_pair = *reach == Reach::Pair || holds == "moment" && matches!(next, b"" | b" ");
            let is_words = matches!(holds, "words" | "moment") && !is_pair || *reach == Reach::Words;
            let end = match (lead.as_bytes().last(), next.first()) {
                _ if let Reach::Before(byte) = reach => End::Word(*byte),
                (_, next)
                    if *reach == Reach::Quotable && (next.is_some() || steps.len() + 1 == parts.len()) =>
                {
                    shape.columns[slot].is_escaped = writer == Writer::Escapes;
                    End::Quotable(next.copied().unwrap_or(b'\n'))
                }
                (_, None) if steps.len() + 1 < parts.len() => return None,
                (Some(b'"'), Some(b'"')) => {
                    shape.columns[slot].is_escaped = writer == Writer::Escapes;
                    End::Quote
                }
                _ if holds == "rest" => End::Line,
                (_, None) if is_words => End::Line,
                (_, None) if !is_pair => End::Word(b'\n'),
                (Some(b'['), Some(b']')) | (Some(b'('), Some(b')')) | (Some(b'{'), Some(b'}')) => {
                    End::Text(next[..1].into())
                }
                (_, next) if is_pair && separator == b' ' => End::Pair(next.copied().unwrap_or(b'\n')),
                _ if is_words => match until(steps.len() + 1) {
                    Some(0) => End::TextIfAny(next.into()),
                    Some(text) => End::Text(next[..text].into()),
                    None => End::Text(next.into()),
                },
                (_, Some(&next)) if holds == "list" => End::List(next),
                (_, next) => End::Word(next.copied().unwrap_or(b'\n')),
            };
            let (number, (check, loose)) = (steps.len(), shape.alone(field));
            let may_end = until(number);
            let closing = || lead.bytes().take_while(|b| b"\"])}".contains(b)).count();
            let is_raw = writer != Writer::Escapes && matches!(end, End::Quote);
            steps.push(Step {
                lead: lead.as_bytes().into(),
                closing: may_end.unwrap_or_else(closing),
                // The rest of a line may be missing.
                ends: may_end.is_some() || matches!(end, End::Line) && number + 1 == parts.len(),
                slot,
                check,
                takes_digits: Step::takes_digits(check),
                is_any: matches!(check, Check::Form(form) if is_raw && form.is_any_but_quotes()),
                loose,
                may_be_empty: may_be_empty || separator != b' ',
                is_required,
                nulls: shape.nulls,
                end,
            });
        }
        Some(Pattern { steps: steps.into(), tail: tail.as_bytes().into(), separator, writer, shared: 0 })
    }

    /// Whether its lines begin with a space.
    pub(super) fn begins_with_space(&self) -> bool {
        self.steps.first().is_some_and(|step| step.lead.starts_with(b" "))
    }

    /// Sets for each form how many of its first steps the next form shares: a line is read on from there.
    pub(super) fn share(forms: &mut [Pattern]) {
        for at in 1..forms.len() {
            let (form, next) = (&forms[at - 1], &forms[at]);
            let mut steps = form.steps.iter().zip(&next.steps);
            let same = steps.position(|(a, b)| a != b).unwrap_or(form.steps.len().min(next.steps.len()));
            let is_twice = |form: &Pattern| {
                (1..form.steps.len())
                    .any(|at| form.steps[..at].iter().any(|step| step.slot == form.steps[at].slot))
            };
            let are_alike = (form.writer, form.separator) == (next.writer, next.separator);
            let required = |form: &Pattern| form.steps.iter().position(|step| step.ends);
            let shared = [form, next].into_iter().filter_map(required).fold(same, usize::min);
            forms[at - 1].shared = if are_alike && !is_twice(form) && !is_twice(next) { shared } else { 0 };
        }
    }

    /// Reads the line on from a step and the place where it begins, to the end of `bytes`; `each` gets the fields in
    /// order.
    #[inline]
    pub(super) fn read_from(
        &self,
        bytes: &[u8],
        (first, mut at): Place,
        mut each: impl FnMut(Slot, Span),
    ) -> Result<Read, Fault> {
        let mut read = Read { has_backslash: false, is_odd: false };
        let mut shared = None;
        // The lists of one request have as many elements each.
        let mut lists = None;
        for (number, step) in self.steps.iter().enumerate().skip(first) {
            if number == self.shared {
                shared = Some(at);
            }
            let before = read;
            let fault = |at: usize| self.fault((number, at.min(bytes.len())), shared, before);
            if step.ends && bytes[at..] == step.lead[..step.closing] {
                return Ok(read);
            }
            at = self.begin_of(step, bytes, at).map_err(fault)?;
            let end = match (&step.end, self.writer) {
                (End::Quotable(stop), _) if bytes.get(at) == Some(&b'"') => {
                    let end = self.quotable(step, *stop, (bytes, at), &mut read).ok_or(fault(at))?;
                    each(step.slot, span(at + 1, end));
                    at = end + 1;
                    continue;
                }
                (End::Quote, Writer::Escapes) => closing(bytes, at, &mut read.has_backslash),
                (End::Quote, _) => find(bytes, at, b'"'),
                (End::List(stop), _) => {
                    let (end, own) = list_end(bytes, at, *stop).map_err(fault)?;
                    if !step.is_value(&bytes[at..end]) {
                        return Err(fault(at));
                    }
                    let own = if *stop == b' ' { own } else { separators(&bytes[at..end]) };
                    read.is_odd |= *lists.get_or_insert(own) != own;
                    Some(end)
                }
                _ => Some(self.end_of(step, bytes, at).map_err(fault)?),
            };
            let end = end.ok_or(fault(bytes.len()))?;
            if matches!(step.end, End::Quote) {
                read.is_odd |= step.quoted(&bytes[at..end]).ok_or(fault(at))?;
            } else if step.loose.is_some() {
                read.is_odd |= step.is_odd(&bytes[at..end]);
            }
            each(step.slot, span(at, end));
            at = end;
        }
        if self.shared == self.steps.len() {
            shared = Some(at);
        }
        match bytes[at..] == *self.tail {
            true => Ok(read),
            false => Err(self.fault((self.steps.len(), at), shared, read)),
        }
    }

    /// The fault in a step of a line; `shared` is where the step begins that the next form does not share.
    #[cold]
    fn fault(&self, (step, at): Place, shared: Option<usize>, read: Read) -> Fault {
        Fault { at, step, next: shared.map(|at| (self.shared, at)), read }
    }

    /// The start of the field whose step begins at `at`; or the byte that differs from its lead.
    #[inline(always)]
    fn begin_of(&self, step: &Step, bytes: &[u8], at: usize) -> Result<usize, usize> {
        if !begins(&bytes[at..], &step.lead) {
            let same = bytes[at..].iter().zip(&step.lead[..]).take_while(|(a, b)| a == b).count();
            return Err(at + same);
        }
        let mut at = at + step.lead.len();
        while self.writer == Writer::Pads && bytes.get(at) == Some(&self.separator) {
            at += 1;
        }
        Ok(at)
    }

    /// Where the quotes close that stand around a field which may lack them, if it is a value of its step.
    fn quotable(&self, step: &Step, stop: u8, (bytes, at): (&[u8], usize), read: &mut Read) -> Option<usize> {
        let close = match self.writer {
            Writer::Escapes => closing(bytes, at + 1, &mut read.has_backslash),
            _ => find(bytes, at + 1, b'"'),
        }?;
        let text = &bytes[at + 1..close];
        read.is_odd |= step.loose.is_some() && step.is_odd(text);
        let is_closed = bytes.get(close + 1).is_none_or(|&next| next == stop);
        (is_closed && step.is_value(text)).then_some(close)
    }

    /// The end of a field without quotes, if it is a value of its step; or the byte from which on it is not.
    #[inline(always)]
    fn end_of(&self, step: &Step, bytes: &[u8], at: usize) -> Result<usize, usize> {
        let end = match &step.end {
            End::Word(stop) | End::Quotable(stop) => {
                if step.takes_digits {
                    let end = digits_end(bytes, at);
                    if end > at && bytes.get(end).is_none_or(|b| b == stop) {
                        return Ok(end);
                    }
                }
                let found = match *stop == self.separator {
                    true => find(bytes, at, *stop),
                    false => find2(bytes, at, *stop, self.separator),
                };
                let end = match found {
                    Some(end) if bytes[end] == *stop => end,
                    Some(end) => return Err(end),
                    None => bytes.len(),
                };
                if end == at && !step.may_be_empty {
                    return Err(at);
                }
                end
            }
            End::List(stop) => list_end(bytes, at, *stop)?.0,
            End::Pair(stop) => {
                let second = find(bytes, at, self.separator).map_or(bytes.len(), |space| space + 1);
                find2(bytes, second, *stop, self.separator).unwrap_or(bytes.len())
            }
            End::TextIfAny(text) => memmem::find(&bytes[at..], text).map_or(bytes.len(), |found| at + found),
            End::Text(text) => match &text[..] {
                [byte] => find(bytes, at, *byte).ok_or(bytes.len())?,
                text => at + memmem::find(&bytes[at..], text).ok_or(bytes.len())?,
            },
            End::Line | End::Quote => bytes.len(),
        };
        match step.is_value(&bytes[at..end]) {
            true => Ok(end),
            false => Err(at),
        }
    }

    /// Reads on from a step to the next field in quotes; `None` if the line is not of the form.
    pub(super) fn next_quoted(
        &self,
        bytes: &[u8],
        (first, mut at): Place,
        mut each: impl FnMut(Slot, Span),
    ) -> Option<Next> {
        for (number, step) in self.steps.iter().enumerate().skip(first) {
            if step.ends && bytes[at..] == step.lead[..step.closing] {
                return Some(Next::End);
            }
            at = self.begin_of(step, bytes, at).ok()?;
            if step.is_quoted() {
                return Some(Next::Quoted((number, at)));
            }
            if let (End::Quotable(stop), Some(b'"')) = (&step.end, bytes.get(at)) {
                let mut read = Read { has_backslash: false, is_odd: false };
                let end = self.quotable(step, *stop, (bytes, at), &mut read)?;
                each(step.slot, span(at + 1, end));
                at = end + 1;
                continue;
            }
            let end = self.end_of(step, bytes, at).ok()?;
            each(step.slot, span(at, end));
            at = end;
        }
        (bytes[at..] == *self.tail).then_some(Next::End)
    }
}

/// The end of the list that begins at `at`, and the number of commas and colons between its elements: nginx writes a
/// colon between the servers of two groups. Or the byte from which on it is not a list.
#[inline(always)]
fn list_end(bytes: &[u8], at: usize, stop: u8) -> Result<(usize, (usize, usize)), usize> {
    let (mut end, mut commas, mut colons) = (at, 0, 0);
    loop {
        let begin = end;
        end = find(bytes, end, stop).unwrap_or(bytes.len());
        match &bytes[end..] {
            _ if end == begin => return Err(at),
            [_, ..] if bytes[end - 1] == b',' => (end, commas) = (end + 1, commas + 1),
            [b' ', b':', b' ', ..] => (end, colons) = (end + 3, colons + 1),
            _ => return Ok((end, (commas, colons))),
        }
    }
}

fn broken(text: &str) -> Error {
    Error::usage(format!(
        "the form {text:?} of a line has fields without a text between them, or an open brace"
    ))
}
