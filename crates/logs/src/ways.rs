//! Reads a line as one of several forms, and finds the certain fields of a line that has none of them.
//!
//! Fields in quotes may hold quotes, which not every writer marks. A client may have chosen these quotes and the text
//! between them, so that each field might end at several of them. A line is read if there is exactly one way to place
//! all fields; otherwise its fields are unknown.

use memchr::memchr_iter;
use urimill_read::format::span;
use urimill_uri::simd::Span;

use super::check::{Check, proves, separators};
use super::definition::Writer;
use super::known_forms::Loose;
use super::pattern::{Next, Pattern, Place, Read};
use super::roles::Slot;
use super::step::{End, Step, holds_fields};

impl Pattern {
    /// Reads the line from `start` to the end of `bytes` as the first form that fits. `each` gets the fields in order,
    /// and again those that another form has; `forget` gets the fields that were read of a form that does not fit. If
    /// no form fits, returns the one that the line follows longest, and where the line leaves it.
    pub(super) fn read_first<'a>(
        forms: &'a [Pattern],
        bytes: &[u8],
        start: usize,
        found: &mut impl FnMut(Slot, Option<Span>),
    ) -> Result<Read, Option<(&'a Pattern, usize)>> {
        let mut from = (0, start);
        // The step where the last form stopped, as long as the other forms have that step, too.
        let mut stopped = None;
        // The facts about the fields that are not read again.
        let mut before = Read { has_backslash: false, is_odd: false };
        let mut best: Option<(&Pattern, usize)> = None;
        for form in forms {
            let step = match stopped {
                // This form stops there, too.
                Some(step) => step,
                None => {
                    let read = form.read_from(bytes, from, |slot, span| found(slot, Some(span)));
                    let fault = match read {
                        Ok(read) => {
                            match (read.is_odd || before.is_odd).then(|| form.moved(bytes, start)).flatten() {
                                Some((at, _)) => {
                                    form.steps.iter().for_each(|step| found(step.slot, None));
                                    return Err(Some((form, at)));
                                }
                                None => {
                                    let has_backslash = read.has_backslash || before.has_backslash;
                                    return Ok(Read { has_backslash, ..read });
                                }
                            }
                        }
                        Err(fault) => fault,
                    };
                    if best.is_none_or(|(_, at)| at < fault.at) {
                        best = Some((form, fault.at));
                    }
                    before = Read {
                        has_backslash: before.has_backslash || fault.read.has_backslash,
                        is_odd: before.is_odd || fault.read.is_odd,
                    };
                    from = fault.next.filter(|_| fault.step >= form.shared).unwrap_or((0, start));
                    form.steps[from.0..].iter().for_each(|step| found(step.slot, None));
                    fault.step
                }
            };
            stopped = Some(step).filter(|&step| step < form.shared);
        }
        let Some((form, fields)) = only(forms, bytes, start) else { return Err(best) };
        fields.into_iter().for_each(|(slot, span)| found(slot, Some(span)));
        Ok(Read { has_backslash: form.writer == Writer::Escapes, is_odd: false })
    }

    /// The byte at which a line without a form leaves the form that it follows longest, and the slot of the field
    /// there; there is none after the last field.
    pub(super) fn stop(forms: &[Pattern], line: &[u8]) -> Option<(usize, Option<Slot>)> {
        let faults = forms.iter().map(|form| match form.read_from(line, (0, 0), |_, _| ()) {
            Ok(read) => read.is_odd.then(|| form.moved(line, 0))?.map(|(at, slot)| (at, Some(slot))),
            Err(fault) => Some((fault.at, form.steps.get(fault.step).map(|step| step.slot))),
        });
        // If one form fits, there is no such byte.
        faults.collect::<Option<Vec<_>>>()?.into_iter().max_by_key(|&(at, _)| at)
    }

    /// Whether the line is of one of the forms.
    pub(super) fn fit(forms: &[Pattern], line: &[u8]) -> bool {
        let line = Pattern::trim_end(forms, line, 0);
        let fits = |form: &Pattern| {
            form.read_from(line, (0, 0), |_, _| ())
                .is_ok_and(|read| !read.is_odd || form.moved(line, 0).is_none())
        };
        forms.iter().any(fits) || only(forms, line, 0).is_some()
    }

    /// The line without white space at its end, unless that ends a form or is not a separator.
    #[inline]
    pub(super) fn trim_end<'b>(forms: &[Pattern], bytes: &'b [u8], start: usize) -> &'b [u8] {
        let is_blank = |b: &u8| matches!(b, b' ' | b'\t');
        let ends_so = |form: &Pattern| form.separator != b' ' || form.tail.last().is_some_and(is_blank);
        if !bytes[start..].last().is_some_and(is_blank) || forms.iter().any(ends_so) {
            return bytes;
        }
        let blanks = bytes[start..].iter().rev().take_while(|b| is_blank(b)).count();
        &bytes[..bytes.len() - blanks]
    }

    /// Whether a field lacks quotes that it has in other lines.
    pub(super) fn lacks_quotes(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.check, Check::Form(form) if form.is_none()))
    }

    /// The place and the slot of a field, in a line of this form, that has changed places with another one.
    fn moved(&self, bytes: &[u8], start: usize) -> Option<(usize, Slot)> {
        let mut fields = Vec::new();
        let _ = self.read_from(bytes, (0, start), |slot, span| fields.push((slot, span)));
        let (slot, span) = fields[self.moved_of(bytes, &fields)?];
        Some((span.start as usize, slot))
    }

    /// The number of a field that may have changed places with another one: it lacks the form that it mostly has, and
    /// another one has that form. Clients write those in quotes; among the others only the next one is possible. A list
    /// with more elements than another one has lost or gained some. `fields` are those of the first steps, as they were
    /// read.
    fn moved_of(&self, bytes: &[u8], fields: &[(Slot, Span)]) -> Option<usize> {
        let text = |number: usize| {
            let (_, span) = fields[number];
            &bytes[span.start as usize..][..span.len as usize]
        };
        let is_quoted = |&number: &usize| self.steps[number].is_quoted();
        let quoted: Vec<usize> = (0..fields.len()).filter(is_quoted).collect();
        let mut odd = (0..fields.len()).filter(|&number| self.steps[number].is_odd(text(number)));
        odd.find(|&number| {
            // An address with a port is in its place.
            let is_in_place = |other: usize| {
                matches!(self.steps[other].check, Check::Socket | Check::Endpoint | Check::Address)
            };
            let has_its_form = |other: &&usize| match (&self.steps[number].loose, text(**other)) {
                (_, b"" | b"-") => false,
                _ if is_in_place(**other) => false,
                (Some(loose), text) => loose.alone.has(text),
                (None, text) => proves(text, Check::Request),
            };
            // The lists of one request have as many elements each.
            let is_list = |step: usize| matches!(self.steps[step].end, End::List(_));
            let differs =
                |other: usize| is_list(other) && separators(text(other)) != separators(text(number));
            match is_quoted(&number) {
                false if is_list(number) => (0..fields.len()).any(differs),
                true => quoted.iter().filter(|&&other| other != number).any(|other| has_its_form(&other)),
                false => {
                    let is_own = |loose: &Loose| loose.alone.has(text(number));
                    let is_odd = !self.steps[number].loose.as_ref().is_some_and(is_own);
                    is_odd && number + 1 < fields.len() && has_its_form(&&(number + 1))
                }
            }
        })
    }

    /// The certain fields of a line that is not of this form: times, addresses and numbers, up to the last time,
    /// request or address with a port that is in its place, and before everything that a client has written.
    pub(super) fn certain(&self, bytes: &[u8], start: usize) -> Vec<(Slot, Span)> {
        let mut fields = Vec::new();
        let _ = self.read_from(bytes, (0, start), |slot, span| fields.push((slot, span)));
        let is_free = |step: &Step| match step.end {
            End::Quote | End::Quotable(_) => true,
            End::Text(_) | End::TextIfAny(_) => step.check == Check::None,
            _ => false,
        };
        let first_free = self.steps.iter().position(is_free).unwrap_or(self.steps.len());
        let is_anchor = |&number: &usize| {
            let (step, (_, span)) = (&self.steps[number], fields[number]);
            let text = &bytes[span.start as usize..][..span.len as usize];
            // One of several addresses in a row may be missing, and so may all after it; or a dash is surplus.
            let others = || self.steps[number..].iter().position(|other| other.check != step.check);
            let is_dash = |&(at, &(_, span)): &(usize, &(Slot, Span))| {
                self.steps[at].check == step.check && bytes[span.start as usize..].starts_with(b"- ")
            };
            let is_alone = || {
                others().is_some_and(|count| number + count < fields.len())
                    && !fields[..number].iter().enumerate().any(|field| is_dash(&field))
            };
            match step.check {
                Check::Time | Check::Endpoint => proves(text, step.check) && is_alone(),
                Check::Request => proves(text, step.check),
                _ => false,
            }
        };
        let known = fields.len().min(first_free + 1);
        let taken = (0..known).rev().find(is_anchor).map_or(0, |last| last + 1).min(first_free);
        let is_certain = |step: &Step| match step.check {
            Check::Time | Check::Address | Check::Endpoint => true,
            Check::Number | Check::Signed | Check::Status => true,
            Check::Form(form) => form.is_number,
            _ => false,
        };
        (0..taken).filter(|&number| is_certain(&self.steps[number])).map(|number| fields[number]).collect()
    }
}

/// A line with more quotes, or more bytes, is not of its format: this bounds the work that may grow with the square of
/// their number.
const MOST_QUOTES: usize = 64;
const LONGEST: usize = 1 << 16;

/// The one way to place the fields of a line, and its form; `None` if there are several ways, or none.
fn only<'a>(forms: &'a [Pattern], bytes: &[u8], start: usize) -> Option<(&'a Pattern, Vec<(Slot, Span)>)> {
    let line = &bytes[start..];
    let all: Vec<usize> = memchr_iter(b'"', line).map(|at| start + at).take(MOST_QUOTES + 1).collect();
    if all.is_empty() || all.len() > MOST_QUOTES || line.len() > LONGEST {
        return None;
    }
    let is_marked = |&at: &usize| {
        let marks = bytes[start..at].iter().rev().take_while(|&&b| b == b'\\').count();
        marks % 2 == 1
    };
    // A marked quote ends no field if the writer marks quotes.
    let escapes = forms.first().is_some_and(|form| form.writer == Writer::Escapes);
    let quotes: Vec<usize> = all.into_iter().filter(|at| !(escapes && is_marked(at))).collect();
    // A form in which a field has no quotes cannot prove that a client's quotes end there.
    let forms: Vec<&Pattern> = forms.iter().filter(|form| !form.lacks_quotes()).collect();
    let counted: Vec<_> = forms.iter().map(|form| Ways::new(form, bytes, start, (&quotes, 0))).collect();
    if counted.iter().map(|ways| ways.total).fold(0, u8::saturating_add) != 1 {
        return None;
    }
    let (&form, ways) = forms.iter().zip(&counted).find(|(_, ways)| ways.total == 1)?;
    let is_accident = Ways::new(form, bytes, start, (&quotes, 2)).total == 1;
    let fields = ways.fields(form, bytes, &quotes);
    let text = |part: &Span| &bytes[part.start as usize..][..part.len as usize];
    let is_torn = |(_, part): &(Slot, Span)| holds_fields(text(part));
    let is_sure = is_accident && form.moved_of(bytes, &fields).is_none() && !fields.iter().any(is_torn);
    is_sure.then_some((form, fields))
}

/// The number of ways in which the fields of a line can be placed.
struct Ways {
    start: usize,
    /// For each field in quotes and each quote: the number of ways to read on if the field ends there, at most two.
    after: Vec<Vec<u8>>,
    total: u8,
    /// The number of ways that counts for one that may be an accident.
    near: u8,
}

/// If this number of fields after a quote have their forms, that is not an accident, even if the line does not go on as
/// it should: something else may be wrong with it.
const NO_ACCIDENT: usize = 3;

impl Ways {
    /// A quote from which on nearly all of the line can be read counts for `near` ways.
    fn new(form: &Pattern, bytes: &[u8], start: usize, (quotes, near): (&[usize], u8)) -> Ways {
        let quoted: Vec<usize> = (0..form.steps.len()).filter(|&step| form.steps[step].is_quoted()).collect();
        let mut ways = Ways { start, after: vec![vec![0; quotes.len()]; quoted.len()], total: 0, near };
        // Most lines are of none of the forms, and end before their first quote.
        let Some(Next::Quoted(first)) = form.next_quoted(bytes, (0, start), |_, _| ()) else { return ways };
        for (number, &step) in quoted.iter().enumerate().rev() {
            for (at, &quote) in quotes.iter().enumerate() {
                let mut proofs = 0;
                let next = form.next_quoted(bytes, (step + 1, quote), |_, span| {
                    proofs += usize::from(bytes[span.start as usize..][..span.len as usize] != *b"-");
                });
                ways.after[number][at] = match next {
                    None if proofs >= NO_ACCIDENT => near,
                    None => 0,
                    Some(Next::End) => 1,
                    Some(Next::Quoted(place)) => ways.count(form, bytes, quotes, (number + 1, place)),
                };
            }
        }
        ways.total = ways.count(form, bytes, quotes, (0, first));
        ways
    }

    /// The quotes at which a field that begins at a place may end, so that the text after it can be read.
    fn ends<'a>(
        &'a self,
        form: &'a Pattern,
        bytes: &'a [u8],
        quotes: &'a [usize],
        (number, (step, from)): (usize, Place),
    ) -> impl Iterator<Item = (usize, u8)> + 'a {
        let after = quotes.iter().copied().zip(self.after[number].iter().copied());
        let way = move |(quote, count): (usize, u8)| {
            let step = &form.steps[step];
            let text = bytes.get(from..quote).filter(|text| count > 0 && step.is_value(text))?;
            // A request has one protocol, at its end.
            let is_long = step.check == Check::Request && has_protocol_inside(text);
            Some((quote, if is_long { count.max(self.near) } else { count }))
        };
        after.filter_map(way)
    }

    fn count(&self, form: &Pattern, bytes: &[u8], quotes: &[usize], field: (usize, Place)) -> u8 {
        self.ends(form, bytes, quotes, field).fold(0, |sum, (_, count)| (sum + count).min(2))
    }

    /// The fields of the one way.
    fn fields(&self, form: &Pattern, bytes: &[u8], quotes: &[usize]) -> Vec<(Slot, Span)> {
        let mut fields = Vec::new();
        let mut next = form.next_quoted(bytes, (0, self.start), |slot, span| fields.push((slot, span)));
        let mut number = 0;
        while let Some(Next::Quoted((step, from))) = next {
            let Some((quote, _)) = self.ends(form, bytes, quotes, (number, (step, from))).next() else {
                break;
            };
            fields.push((form.steps[step].slot, span(from, quote)));
            next = form.next_quoted(bytes, (step + 1, quote), |slot, span| fields.push((slot, span)));
            number += 1;
        }
        fields
    }
}

/// Whether a quote inside a request follows a protocol.
fn has_protocol_inside(request: &[u8]) -> bool {
    memchr_iter(b'"', request).any(|at| {
        let before = &request[..at];
        let protocol = before.iter().rev().take_while(|&&b| b != b' ').count();
        before[before.len() - protocol..].starts_with(b"HTTP/")
    })
}
