//! CSV and TSV: a line is a record of fields with separators between them, and a field may be quoted as in RFC 4180,
//! with separators and line ends inside (`quotes`). All bytes between separators belong to the field, spaces too. An
//! empty field is null; an empty text is written in quotes.
//!
//! Separators and line ends are found by masks of 64 bytes, in which all fields that begin there look.

mod empty;
pub mod format;
mod found;
mod resume;
mod widths;

use std::collections::HashMap;

pub use found::Place;
use found::hole;
use memchr::{memchr, memchr_iter};
pub use resume::Resumed;
use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;
use urimill_columns::batch::{Cell, ExtraColumns, Kind, Records, Text};
use urimill_uri::simd::{Either, One, Stops};
use widths::is_prose;

use super::BEGINNING;
use super::comment::Comment;
use super::fields::{Field, Fields, Layout, OF_REQUEST, UriSource, place};
use super::keep::Keep;
use super::made_uris;
use super::quotes::{Rule, quoted};
use super::{QUOTE, RecordFormat, line_end, span};

/// A format of fields with a separator between.
#[derive(Debug, Clone)]
pub(super) struct Delimited {
    separator: u8,
    has_quotes: bool,
    fields: Fields,
    longest: usize,
    comment: Comment,
    keep: Keep,
    /// Columns that the run names beside `keep`: see [`super::Asked`].
    named: Vec<String>,
    /// The fields that pass through, known from [`Delimited::begin`] on; before them the columns that are made of a
    /// request.
    wanted: Vec<Field>,
    of_request: Vec<usize>,
    extra: ExtraColumns,
}

/// The bytes that end fields.
struct Finder<'a> {
    stops: Stops<'a, Either>,
    quotes: Stops<'a, One>,
    /// The first quote from the rest of a record on that was looked at last.
    quote: usize,
}

/// A record as it is read.
struct Row<'a> {
    layout: &'a Layout,
    cells: Vec<Cell>,
    /// The fields that make the URI, if a template names them, and room for it.
    parts: Vec<Option<Text>>,
    made: Vec<u8>,
}

impl Row<'_> {
    fn clear(&mut self) {
        self.cells.fill(Cell::MISSING);
        self.parts.fill(None);
    }

    /// Takes the field of this number.
    fn take(&mut self, number: usize, text: Option<Text>) {
        for (part, _) in self.parts.iter_mut().zip(&*self.layout.parts).filter(|(_, at)| **at == number) {
            *part = text;
        }
    }
}

impl Delimited {
    /// Finds the fields that pass through, and their columns, from the first record of the input: they have the
    /// header's names, or `field_3` without a header.
    fn name_fields(&mut self, first: &[u8], source: &str) -> Result<()> {
        if first.is_empty() {
            return self.begin_empty();
        }
        // A header is the first line, whatever it holds; records begin after blank lines.
        let (begin, _) = self.comment.passed(first, !self.has_header());
        match begin == first.len() {
            true if begin < BEGINNING => return Ok(()),
            true => {
                return Err(Error::usage(format!(
                    "the first {BEGINNING} bytes of {source} are comments, and the fields are named behind them: {} does not \
                     look for these",
                    OptionName::Keep.with("none")
                )));
            }
            false => {}
        }
        let first = &first[begin..];
        let (names, behind) = self.record(first);
        if behind == first.len() && first.len() >= BEGINNING && !first.ends_with(b"\n") {
            return Err(Error::usage(format!(
                "the first record of {source} is longer than {BEGINNING} bytes: is it of this format? {} does \
                 not look at it",
                OptionName::Keep.with("none")
            )));
        }
        let header = self.has_header().then_some(&names[..]);
        // The fields of a template have columns all the same: their text may be nowhere else.
        let uri = if self.fields.uri.template().is_none() { self.fields.uri.fields()? } else { Vec::new() };
        let own = uri.iter().chain(&self.fields.base);
        let own = own.map(|field| place(field, header, source)).collect::<Result<Vec<_>>>()?;
        self.of_request = self.fields.uri.made(&self.keep);
        let places = match &self.keep {
            Keep::Names(wanted) => {
                let find = |name: &String| place(&name.parse()?, header, source);
                wanted
                    .iter()
                    .filter(|name| !self.fields.uri.makes(name))
                    .map(find)
                    .collect::<Result<Vec<_>>>()?
            }
            Keep::AnyOf(_) => {
                let is_wanted =
                    |name: &[u8]| str::from_utf8(name).is_ok_and(|name| self.keep.is_any_of(name));
                let is_named = |&at: &usize| header.is_some_and(|names| is_wanted(&names[at]));
                (0..names.len()).filter(|at| !own.contains(at)).filter(is_named).collect()
            }
            keep => {
                // The field of the base does not count among the others, unless it is named.
                let named = keep.named().iter().map(|name| place(&name.parse()?, header, source));
                let named = named.collect::<Result<Vec<_>>>()?;
                (0..names.len()).filter(|at| !own.contains(at) || named.contains(at)).collect()
            }
        };
        let mut counts: HashMap<&[u8], usize> = HashMap::new();
        names.iter().for_each(|name| *counts.entry(name).or_default() += 1);
        // By name, because another input may have its fields in another order; by number where a name is ambiguous.
        let field = |&at: &usize| match header {
            Some(names) if counts[&names[at][..]] == 1 => {
                Field::Name(String::from_utf8_lossy(&names[at]).into_owned())
            }
            _ => Field::Number(at + 1),
        };
        let column = |&at: &usize| match header {
            Some(names) if !names[at].is_empty() => String::from_utf8_lossy(&names[at]).into_owned(),
            _ => format!("field_{}", at + 1),
        };
        self.wanted = places.iter().map(field).collect();
        let made = self.of_request.iter().map(|&at| OF_REQUEST[at].to_owned());
        self.extra = ExtraColumns::new(made.chain(places.iter().map(column)).map(|name| (name, Kind::Text)));
        Ok(())
    }

    fn rule(&self) -> Rule<'_> {
        let (separator, has_quotes) = (self.separator, self.has_quotes);
        Rule { separator, has_quotes, longest: self.longest, comment: self.comment.bytes() }
    }

    /// Whether a line with spaces may be prose: the input has no header, and the field is not a request line.
    fn may_be_prose(&self) -> bool {
        !self.has_header() && !matches!(self.fields.uri, UriSource::RequestLine(_))
    }

    /// The number of cells that are made of a request, and the fields of the cells after them.
    fn cells(&self) -> (usize, &[Field]) {
        (self.of_request.len(), &self.wanted)
    }

    /// The fields of the first record, and where the next one begins.
    fn record(&self, first: &[u8]) -> (Vec<Vec<u8>>, usize) {
        let mut fields = Vec::new();
        let mut at = hole(first);
        loop {
            let field = self.field(first, at);
            let mut text = Vec::new();
            field.write(first, &mut text);
            fields.push(text);
            match self.behind(first, field.stop) {
                Ok(next) => at = next,
                Err(next) => return (fields, next),
            }
        }
    }

    /// How many fields the first record has, and where the next one begins.
    fn width(&self, first: &[u8]) -> (usize, usize) {
        let (mut at, mut fields) = (hole(first), 1);
        loop {
            match self.behind(first, self.field(first, at).stop) {
                Ok(next) => (at, fields) = (next, fields + 1),
                Err(next) => return (fields, next),
            }
        }
    }

    /// Finds records with these places of their fields.
    fn rows(
        &self,
        layout: &Layout,
        bytes: &[u8],
        (from, most): (usize, usize),
        records: &mut Records,
    ) -> usize {
        let mut at = from;
        let (cells, parts) = (vec![Cell::MISSING; layout.width], vec![None; layout.parts.len()]);
        let mut row = Row { layout, cells, parts, made: Vec::new() };
        let mut finder = Finder {
            stops: Stops::at(Either(self.separator, b'\n'), bytes),
            quotes: Stops::at(One(QUOTE), bytes),
            quote: 0,
        };
        while at < bytes.len() && records.len() < most {
            if bytes[at] == 0 {
                let nuls = hole(&bytes[at..]);
                records.pass_nul_bytes(nuls);
                at += nuls;
            }
            if self.comment.begins(&bytes[at..]) {
                at += memchr(b'\n', &bytes[at..]).map_or(bytes.len() - at, |newline| newline + 1);
                records.push_blank();
                continue;
            }
            at = self.next_record(&mut row, (bytes, &mut finder), at, records);
        }
        at.min(bytes.len())
    }

    /// Reads the record that begins at `start`; returns where the next one begins.
    #[inline]
    fn next_record(
        &self,
        row: &mut Row<'_>,
        (bytes, finder): (&[u8], &mut Finder<'_>),
        start: usize,
        records: &mut Records,
    ) -> usize {
        let layout = row.layout;
        row.clear();
        let (mut uri, mut base) = (None, None);
        let (mut at, mut number, furthest) = (start, 0, layout.furthest());
        // The separator after the last field that a record has, and whether a text follows it. Empty fields are not
        // surplus: some programs end each row with separators.
        let (mut behind_last, mut is_long) = (start, false);
        // A URI in quotes is whole, whatever comes after it.
        let mut is_whole = false;
        loop {
            let field = self.field_at((bytes, finder), at);
            if layout.most > 0 && number >= layout.most {
                behind_last = if number == layout.most { at - 1 } else { behind_last };
                is_long |= !field.is_null();
            }
            if number <= furthest {
                if number == layout.uri {
                    uri = Some(field.text(bytes, records)).filter(|_| !field.is_null());
                    is_whole = field.is_quoted && !self.has_header();
                }
                if layout.base == Some(number) {
                    base = Some(field.text(bytes, records));
                }
                if !row.parts.is_empty() && layout.parts.contains(&number) {
                    let text = (!field.is_null()).then(|| field.text(bytes, records));
                    row.take(number, text);
                }
                if let Some(cell) =
                    layout.slots.get(number).and_then(|&slot| row.cells.get_mut(slot as usize))
                {
                    *cell = if field.is_null() { Cell::NULL } else { field.text(bytes, records).into() };
                }
            }
            number += 1;
            let (mut end, mut stop) = (field.end + usize::from(field.is_quoted), field.stop);
            if bytes.get(stop) == Some(&self.separator) {
                at = stop + 1;
                let is_first = number == furthest + 1;
                let Some(newline) = is_first
                    .then(|| self.plain_rest(layout, (bytes, &mut finder.quote), at, number))
                    .flatten()
                else {
                    continue;
                };
                (end, stop) = (line_end(bytes, at, newline), newline);
            }
            let whole = span(start, end);
            match layout.missing(number) {
                _ if whole.len == 0 && !layout.is_single => records.push_blank(),
                _ if is_long && !is_whole => {
                    records.push_long(whole, (behind_last - start) as u32, layout.base.is_some());
                }
                Some(missing) => records.push_short(whole, missing as u32, layout.base.is_some()),
                None => {
                    self.push(row, uri, (start as u32, base), bytes, records);
                    // Without a separator or a header a table cannot be distinguished from prose.
                    if at == start && !field.is_quoted && self.may_be_prose() && is_prose(bytes, whole) {
                        records.mark_mismatch(whole);
                    }
                }
            }
            return stop + 1;
        }
    }

    /// Where a record ends of which no field is wanted from `at` on, after `number` of them: if the rest of its line has
    /// neither a quote nor a surplus field.
    #[inline]
    fn plain_rest(
        &self,
        layout: &Layout,
        (bytes, quote): (&[u8], &mut usize),
        at: usize,
        number: usize,
    ) -> Option<usize> {
        let find = |byte| memchr(byte, &bytes[at..]).map_or(bytes.len(), |found| at + found);
        let newline = find(b'\n');
        if self.has_quotes && *quote < at {
            *quote = find(QUOTE);
        }
        let has_quote = self.has_quotes && *quote < newline;
        let fields = || number + 1 + memchr_iter(self.separator, &bytes[at..newline]).count();
        (!has_quote && (layout.most == 0 || fields() <= layout.most)).then_some(newline)
    }

    /// The field that begins at `start`; it stops at a separator, a newline or the end of the bytes.
    #[inline(always)]
    fn field_at(&self, (bytes, finder): (&[u8], &mut Finder<'_>), start: usize) -> Place {
        if self.has_quotes && bytes.get(start) == Some(&QUOTE) {
            let is_stop = |at: usize| bytes.get(at).is_some_and(|&b| b == self.separator || b == b'\n');
            // Most fields hold no quote.
            if let Some(close) = finder.quotes.next(start + 1)
                && is_stop(close + 1)
                && close - start - 1 <= self.longest
            {
                let (start, stop) = (start + 1, close + 1);
                return Place { start, end: close, is_escaped: false, is_quoted: true, stop };
            }
            if let Some((close, is_escaped)) = quoted(bytes, start, self.rule()) {
                // A carriage return may stand between.
                let stop = finder.stops.next(close + 1).unwrap_or(bytes.len());
                return Place { start: start + 1, end: close, is_escaped, is_quoted: true, stop };
            }
        }
        let stop = finder.stops.next(start).unwrap_or(bytes.len());
        let end = if bytes.get(stop) == Some(&b'\n') { line_end(bytes, start, stop) } else { stop };
        Place { start, end, is_escaped: false, is_quoted: false, stop }
    }

    /// Pushes a record with all of its fields.
    #[inline]
    fn push(
        &self,
        row: &mut Row<'_>,
        uri: Option<Text>,
        (start, base): made_uris::Begun,
        bytes: &[u8],
        records: &mut Records,
    ) {
        match (&self.fields.uri, uri) {
            (UriSource::Field(_), Some(uri)) => records.push(start, uri, base),
            (UriSource::Field(_), None) => records.push_null(start, base),
            (UriSource::RequestLine(_), line) => {
                let made = made_uris::push_request(line, (start, base), bytes, records);
                for (cell, &at) in row.cells.iter_mut().zip(&self.of_request) {
                    *cell = made[at].map_or(Cell::NULL, Cell::from);
                }
            }
            (UriSource::Template(template), _) => {
                made_uris::push_made(template, &row.parts, (start, base), (bytes, &mut row.made), records);
            }
        }
        records.keep(row.cells.iter().copied());
    }

    /// The field that begins at `start`.
    #[inline]
    fn field(&self, bytes: &[u8], start: usize) -> Place {
        self.rule().field(bytes, start)
    }

    /// After a field that ends at `stop`: where the next field of the record begins, or else the next record.
    #[inline]
    fn behind(&self, bytes: &[u8], stop: usize) -> Result<usize, usize> {
        self.rule().behind(bytes, stop)
    }
}
