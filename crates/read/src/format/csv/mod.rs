//! CSV and TSV: a line is a record of fields with separators between them, and a field may be quoted as in RFC 4180,
//! with separators and line ends inside (`quotes`). All bytes between separators belong to the field, spaces too. An
//! empty field is null; an empty text is written in quotes.
//!
//! A record without quotes, as most are, takes one search per field up to the last that is asked for, and one for its
//! end.

mod empty;
pub mod format;
mod found;
mod resume;
mod widths;

use std::collections::HashMap;

pub use found::Place;
use found::hole;
use memchr::{memchr, memchr2};
pub use resume::Resumed;
use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;
use urimill_columns::batch::{Cell, ExtraColumns, Kind, Records, Text};
use widths::is_prose;

use super::BEGINNING;
use super::comment::Comment;
use super::fields::{Field, Fields, Layout, OF_REQUEST, UriSource, place};
use super::keep::Keep;
use super::made_uris;
use super::quotes::{QUOTE, Rule};
use super::{RecordFormat, line_end, span};

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
        // The first quote from `at` on.
        let mut quote = (!self.has_quotes).then_some(bytes.len());
        while at < bytes.len() && records.len() < most {
            if bytes[at] == 0 {
                let nuls = hole(&bytes[at..]);
                records.pass_nul_bytes(nuls);
                at += nuls;
            }
            if self.comment.begins(&bytes[at..]) {
                at += memchr(b'\n', &bytes[at..]).map_or(bytes.len() - at, |newline| newline + 1);
                quote = quote.filter(|&quote| quote >= at);
                records.push_blank();
                continue;
            }
            let next = *quote
                .get_or_insert_with(|| memchr(QUOTE, &bytes[at..]).map_or(bytes.len(), |found| at + found));
            at = match self.plain_record(&mut row, bytes, at, next, records) {
                Some(behind) => behind,
                None => self.quoted_record(&mut row, bytes, at, records),
            };
            quote = Some(next).filter(|&next| next >= at);
        }
        at.min(bytes.len())
    }

    /// Reads a record of one line without quotes; `quote` is the first quote from the record on. Returns where the next
    /// record begins, and does nothing if this record is of another kind.
    #[inline]
    fn plain_record(
        &self,
        row: &mut Row<'_>,
        bytes: &[u8],
        start: usize,
        quote: usize,
        records: &mut Records,
    ) -> Option<usize> {
        let layout = row.layout;
        let (mut uri, mut base) = (span(start, start), None);
        let (mut from, mut number, last) = (start, 0, layout.furthest());
        row.clear();
        loop {
            let stop =
                memchr2(self.separator, b'\n', &bytes[from..]).map_or(bytes.len(), |found| from + found);
            let is_ended = stop == bytes.len() || bytes[stop] == b'\n';
            let end = if is_ended { line_end(bytes, from, stop) } else { stop };
            if number == layout.uri {
                uri = span(from, end);
            }
            if layout.base == Some(number) {
                base = Some(Text::Read(span(from, end)));
            }
            if !row.parts.is_empty() {
                row.take(number, (from < end).then(|| Text::Read(span(from, end))));
            }
            if let Some(cell) = layout.slots.get(number).and_then(|&slot| row.cells.get_mut(slot as usize)) {
                *cell = if from == end { Cell::NULL } else { Cell::read(span(from, end)) };
            }
            number += 1;
            let newline = match is_ended {
                true => stop,
                false if number <= last => {
                    from = stop + 1;
                    continue;
                }
                false => memchr(b'\n', &bytes[stop..]).map_or(bytes.len(), |found| stop + found),
            };
            if quote < newline {
                return None;
            }
            let whole = span(start, line_end(bytes, start, newline));
            let line = &bytes[start..][..whole.len as usize];
            let may_be_long = !is_ended || number > layout.most;
            let excess = may_be_long.then(|| self.excess(layout, line, (stop - start, number))).flatten();
            match layout.missing(number) {
                _ if end == start && is_ended && !layout.is_single => records.push_blank(),
                _ if let Some(at) = excess => records.push_long(whole, at as u32, layout.base.is_some()),
                Some(missing) if is_ended => {
                    records.push_short(span(start, end), missing as u32, layout.base.is_some());
                }
                _ => {
                    let uri = (uri.len > 0).then_some(Text::Read(uri));
                    self.push(row, uri, (start as u32, base), bytes, records);
                    // Without a separator or a header a table cannot be distinguished from prose.
                    if is_ended && number == 1 && self.may_be_prose() && is_prose(bytes, whole) {
                        records.mark_mismatch(whole);
                    }
                }
            }
            return Some(newline + 1);
        }
    }

    /// A record with a quote in its first line; returns where the next one begins.
    fn quoted_record(&self, row: &mut Row<'_>, bytes: &[u8], start: usize, records: &mut Records) -> usize {
        let layout = row.layout;
        row.clear();
        let (mut uri, mut base) = (None, None);
        let (mut at, mut number) = (start, 0);
        // The separator after the record's last field, and whether a text follows it.
        let (mut behind_last, mut is_long) = (start, false);
        // A URI in quotes is whole, whatever comes after it.
        let mut is_whole = false;
        loop {
            let field = self.field(bytes, at);
            if layout.most > 0 && number >= layout.most {
                behind_last = if number == layout.most { at - 1 } else { behind_last };
                is_long |= !field.is_null();
            }
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
            if let Some(cell) = layout.slots.get(number).and_then(|&slot| row.cells.get_mut(slot as usize)) {
                *cell = if field.is_null() { Cell::NULL } else { field.text(bytes, records).into() };
            }
            number += 1;
            match self.behind(bytes, field.stop) {
                Ok(next) => at = next,
                Err(next) => {
                    match layout.missing(number) {
                        _ if is_long && !is_whole => {
                            let whole = span(start, field.stop);
                            let at = (behind_last - start) as u32;
                            records.push_long(whole, at, layout.base.is_some());
                        }
                        None => self.push(row, uri, (start as u32, base), bytes, records),
                        Some(missing) => {
                            let whole = span(start, field.stop);
                            records.push_short(whole, missing as u32, layout.base.is_some());
                        }
                    }
                    return next;
                }
            }
        }
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
