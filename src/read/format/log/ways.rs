//! Lines with quotes inside fields with quotes around them, which not every writer marks. A client may have chosen these
//! quotes, and what stands between them, so that each field might end at several of them. A line is read if there is
//! one way alone to place all fields; otherwise nobody knows what its fields are.

use memchr::memchr_iter;

use super::pattern::{Next, Pattern, Place};
use super::shape::Slot;
use super::table::Writer;
use crate::read::format::span;
use crate::simd::Span;

/// A line with more quotes, or more bytes, is not of its format: what may take the square of their number is bounded.
const MOST_QUOTES: usize = 64;
const LONGEST: usize = 1 << 16;

/// The one way to place the fields of a line, and the form that it is of; none where there are several, or none.
pub(super) fn only<'a>(
    forms: &'a [Pattern],
    bytes: &[u8],
    start: usize,
) -> Option<(&'a Pattern, Vec<(Slot, Span)>)> {
    let line = &bytes[start..];
    let all: Vec<usize> = memchr_iter(b'"', line).map(|at| start + at).take(MOST_QUOTES + 1).collect();
    if all.is_empty() || all.len() > MOST_QUOTES || line.len() > LONGEST {
        return None;
    }
    let is_marked = |&at: &usize| {
        let marks = bytes[start..at].iter().rev().take_while(|&&b| b == b'\\').count();
        marks % 2 == 1
    };
    // Where writers mark quotes, no marked one ends a field.
    let escapes = forms.first().is_some_and(|form| form.writer == Writer::Escapes);
    let quotes: Vec<usize> = all.into_iter().filter(|at| !(escapes && is_marked(at))).collect();
    // Where writers leave out quotes, they leave out what would prove that those of a client end there.
    let forms: Vec<&Pattern> = forms.iter().filter(|form| !form.lacks_quotes()).collect();
    let counted: Vec<_> = forms.iter().map(|form| Ways::new(form, bytes, start, (&quotes, 0))).collect();
    if counted.iter().map(|ways| ways.total).fold(0, u8::saturating_add) != 1 {
        return None;
    }
    let (&form, ways) = forms.iter().zip(&counted).find(|(_, ways)| ways.total == 1)?;
    let is_accident = Ways::new(form, bytes, start, (&quotes, 2)).total == 1;
    let fields = ways.fields(form, bytes, &quotes);
    (is_accident && !form.have_moved(bytes, &fields)).then_some((form, fields))
}

/// In how many ways the fields of a line can be placed.
struct Ways {
    start: usize,
    /// For each field with quotes around it and each quote: the ways to read on where it ends there; two stand for more.
    after: Vec<Vec<u8>>,
    total: u8,
}

/// So many fields behind a quote that have their forms are no accident, even if the line does not go on as it should:
/// something else may be wrong with it.
const NO_ACCIDENT: usize = 3;

impl Ways {
    /// What nearly reads on counts for `near` ways.
    fn new(form: &Pattern, bytes: &[u8], start: usize, (quotes, near): (&[usize], u8)) -> Ways {
        let quoted: Vec<usize> = (0..form.steps.len()).filter(|&step| form.steps[step].is_quoted()).collect();
        let mut ways = Ways { start, after: vec![vec![0; quotes.len()]; quoted.len()], total: 0 };
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
        if let Some(Next::Quoted(place)) = form.next_quoted(bytes, (0, start), |_, _| ()) {
            ways.total = ways.count(form, bytes, quotes, (0, place));
        }
        ways
    }

    /// The quotes at which a field may end that begins at a place, so that what follows it can be read.
    fn ends<'a>(
        &'a self,
        form: &'a Pattern,
        bytes: &'a [u8],
        quotes: &'a [usize],
        (number, (step, from)): (usize, Place),
    ) -> impl Iterator<Item = (usize, u8)> + 'a {
        let after = quotes.iter().copied().zip(self.after[number].iter().copied());
        let is_end = move |&(quote, count): &(usize, u8)| {
            quote >= from && count > 0 && form.steps[step].is_value(&bytes[from..quote])
        };
        after.filter(is_end)
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
