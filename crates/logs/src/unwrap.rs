//! Reads the lines within wrappers (`wrappers`): takes them off one after another, and keeps the text around the line, its
//! time and its host for the columns `prefix`, `log_time` and `log_host`.

use serde_json::Value as Json;
use urimill_columns::batch::{Records, Text};
use urimill_read::format::csv::Place;
use urimill_read::format::json;
use urimill_read::format::json::Value;
use urimill_read::format::span;
use urimill_uri::simd::Span;

use super::Log;
use super::check::endpoint;
use super::roles::Slot;
use super::state::{State, Surroundings};
use super::target::{Line, Origin, Written};
use super::wrappers::around::Around;
use super::wrappers::column::{Column, Fields};
use super::wrappers::member::{HOSTS, TIMES, first};
use super::wrappers::{DEPTH, Wrapper, sure, trim_end};
use crate::host::is_domain;

impl Log {
    /// The column that holds the lines, if the input is a table.
    pub(super) fn column(&self) -> Option<&Column> {
        match self.wrappers.first() {
            Some(Wrapper::Column(column)) => Some(column),
            _ => None,
        }
    }

    /// The result of reading a line of a web server that was wrapped, or lacks the wrapper: a word before the client may
    /// be a part of one.
    pub(super) fn whole(
        &self,
        line: &Line<'_>,
        read: Result<(), usize>,
        state: &mut State<'_>,
        records: &Records,
    ) -> Result<(), usize> {
        let (found, lacks_wrapper) = (&mut state.found, state.around.lacks_wrapper);
        if !lacks_wrapper && !self.begins_with_client {
            return read;
        }
        let has_host = self.shape.roles.hosts.iter().any(|&slot| found.get(slot).is_some());
        let field = |name: &str| self.shape.find(name).and_then(|slot| found.get(slot));
        let client = field("client").map(|client| records.bytes_of(line.chunk, client)).unwrap_or_default();
        let is_address = endpoint(client).is_some();
        // Logs may have the names of some clients, and addresses that proxies sent before theirs.
        let is_sent = |word: &[u8]| endpoint(word.trim_ascii()).is_some() || word.trim_ascii() == b"unknown";
        let are_sent = field("forwarded_for")
            .is_none_or(|list| records.bytes_of(line.chunk, list).split(|&b| b == b',').all(is_sent));
        let may_be_client = are_sent && (is_address || is_domain(client) || client == b"localhost");
        let is_first = line.bytes[line.start..line.end].starts_with(client);
        let is_proved = is_address && is_first && field("forwarded_for").is_none();
        let is_certain = if lacks_wrapper { is_proved } else { read.is_ok() && may_be_client || is_proved };
        if !has_host && is_certain && (read.is_ok() || !lacks_wrapper) {
            return read;
        }
        found.reset(self.shape.columns.len());
        read.and(Err(line.start))
    }

    /// Whether a column is wanted.
    pub(super) fn wants(&self, slot: Option<Slot>) -> bool {
        slot.is_some() && self.chosen.iter().any(|column| Some(column.slot) == slot)
    }

    /// Reads the line within wrappers.
    pub(super) fn within<'a>(
        &'a self,
        line: &Line<'_>,
        wrappers: &[Wrapper],
        state: &mut State<'a>,
        records: &mut Records,
    ) {
        let Some((wrapper, rest)) = wrappers.split_first() else { return self.record(line, state, records) };
        let is_first = wrappers.len() == self.wrappers.len();
        let bytes = &line.bytes[line.start..line.end];
        match wrapper {
            Wrapper::Text(row) => match row.find(bytes) {
                Some(around) => self.after_text(line, around, rest, state, records),
                None => self.without_wrapper(line, is_first, state, records),
            },
            Wrapper::Member(member) => match member.find(line.bytes, line.start, line.end) {
                Ok(Some(value)) => self.member(line, value, rest, state, records),
                Err(fault) if bytes.starts_with(b"{") => {
                    state.parts.clear();
                    self.finish(line, Err(fault), state, records);
                }
                _ => self.without_wrapper(line, is_first, state, records),
            },
            Wrapper::Column(_) | Wrapper::Array(_) => self.without_wrapper(line, false, state, records),
        }
    }

    /// A line that lacks the wrapper that most lines have: it may have another one, or none.
    #[cold]
    fn without_wrapper<'a>(
        &'a self,
        line: &Line<'_>,
        is_first: bool,
        state: &mut State<'a>,
        records: &mut Records,
    ) {
        state.around.lacks_wrapper = true;
        match sure(&line.bytes[line.start..line.end]).filter(|_| is_first) {
            Some(wrapper) => self.within(line, &[wrapper], state, records),
            None => self.record(line, state, records),
        }
    }

    /// A line after a text.
    fn after_text<'a>(
        &'a self,
        line: &Line<'_>,
        around: Around,
        rest: &[Wrapper],
        state: &mut State<'a>,
        records: &mut Records,
    ) {
        let at = |place: usize| line.start + place;
        let text = |(from, to): (usize, usize)| line.text(span(at(from), at(to)));
        let surroundings = &mut state.around;
        surroundings.time = around.time.map(text).or(surroundings.time);
        surroundings.host = around.host.map(text).or(surroundings.host);
        let prefix = text((0, around.line));
        surroundings.prefix = Some(joined(line, surroundings.prefix, prefix, records));
        let inner = at(around.line);
        let spaces = line.bytes[inner..line.end].iter().take_while(|&&b| b == b' ').count();
        self.within(&Line { start: inner + spaces, ..*line }, rest, state, records);
    }

    /// A line that is a member of an object.
    fn member<'a>(
        &'a self,
        line: &Line<'_>,
        value: Value,
        rest: &[Wrapper],
        state: &mut State<'a>,
        records: &mut Records,
    ) {
        let (bytes, roles) = (&line.bytes[..line.end], &self.shape.roles);
        let range = (line.start, line.end);
        let found = |slot: Option<Slot>, paths: &[&str], records: &mut Records| {
            self.wants(slot)
                .then(|| first(bytes, range, paths))
                .flatten()
                .map(|value| text_of(line, value, records))
        };
        let time = found(roles.log_time, TIMES, records);
        let host = found(roles.log_host, HOSTS, records);
        (state.around.time, state.around.host) = (time.or(state.around.time), host.or(state.around.host));
        if self.wants(roles.prefix) {
            let others = others(bytes, range, value, records);
            state.around.prefix = Some(joined(line, state.around.prefix, others, records));
        }
        let inner = value.inner();
        let (from, to) = (inner.start as usize, (inner.start + inner.len) as usize);
        let text = value.text(line.bytes, records);
        self.inner(line, (text, from..to, Written::Json), rest, state, records);
    }

    /// A line in a column of a table.
    pub(super) fn in_column<'a>(
        &'a self,
        line: &Line<'_>,
        (column, fields): (&Column, &Fields),
        state: &mut State<'a>,
        records: &mut Records,
    ) {
        let Some(field) = fields.line else {
            state.parts.clear();
            return self.finish(line, Err(line.end), state, records);
        };
        let roles = &self.shape.roles;
        let is_empty = |field: &Place| field.start == field.end;
        let found = |slot: Option<Slot>, field: Option<Place>, records: &mut Records| {
            let field = field.filter(|field| !is_empty(field) && self.wants(slot))?;
            Some(field.text(line.bytes, records))
        };
        state.around.time = found(roles.log_time, fields.time, records);
        state.around.host = found(roles.log_host, fields.host, records);
        if self.wants(roles.prefix) {
            let others =
                Json::from(column.others(&line.bytes[..line.end], line.whole.start as usize)).to_string();
            state.around.prefix = Some(records.unescape(|out| out.extend_from_slice(others.as_bytes())));
        }
        let text = field.text(line.bytes, records);
        let rest = self.wrappers.get(1..).unwrap_or_default();
        self.inner(line, (text, field.start..field.end, Written::Quotes), rest, state, records);
    }

    /// A line that is a part of `line`, or was unescaped from one.
    fn inner<'a>(
        &'a self,
        line: &Line<'_>,
        (text, part, how): (Text, std::ops::Range<usize>, Written),
        rest: &[Wrapper],
        state: &mut State<'a>,
        records: &mut Records,
    ) {
        let read = trim_end(records.bytes_of(line.bytes, text)).len();
        match text {
            Text::Read(span) => {
                let start = span.start as usize;
                self.within(&Line { start, end: start + read, ..*line }, rest, state, records);
            }
            Text::Unescaped(span) => {
                let mut inner = std::mem::take(&mut state.around.texts[rest.len().min(DEPTH - 1)]);
                inner.clear();
                inner.extend_from_slice(&records.bytes_of(line.bytes, text)[..read]);
                let raw = &line.bytes[part.clone()];
                let origin = Origin { raw, at: part.start, how, outer: line.origin };
                let unescaped = Line {
                    bytes: &inner,
                    start: 0,
                    end: read,
                    shift: Some(span.start),
                    origin: Some(&origin),
                    ..*line
                };
                self.within(&unescaped, rest, state, records);
                state.around.texts[rest.len().min(DEPTH - 1)] = inner;
            }
        }
    }

    /// Puts what is around the line into its columns.
    pub(super) fn put_surroundings(&self, state: &mut State<'_>) {
        let roles = &self.shape.roles;
        let Surroundings { prefix, time, host, .. } = state.around;
        for (slot, text) in [(roles.prefix, prefix), (roles.log_time, time), (roles.log_host, host)] {
            if let Some(slot) = slot {
                state.found.put(slot, text);
            }
        }
    }
}

/// The text of a value of `line`.
fn text_of(line: &Line<'_>, value: Value, records: &mut Records) -> Text {
    match value.text(line.bytes, records) {
        Text::Read(span) => line.text(span),
        unescaped => unescaped,
    }
}

/// Two texts around a line, the outer one first: one text if they are next to each other, otherwise with a space
/// between.
fn joined(line: &Line<'_>, outer: Option<Text>, inner: Text, records: &mut Records) -> Text {
    let next = |outer: Span, inner: Span| {
        let end = inner.start + inner.len;
        (outer.start + outer.len <= inner.start).then(|| Span { start: outer.start, len: end - outer.start })
    };
    match (outer, inner) {
        (None, inner) => return inner,
        (Some(Text::Read(outer)), Text::Read(inner)) => {
            if let Some(whole) = next(outer, inner) {
                return Text::Read(whole);
            }
        }
        _ => {}
    }
    let texts = outer.into_iter().chain([inner]).map(|text| records.bytes_of(line.chunk, text));
    let whole = texts.map(<[u8]>::trim_ascii_end).collect::<Vec<_>>().join(&b' ');
    records.unescape(|out| out.extend_from_slice(&whole))
}

/// The members beside the line, as an object; those of the objects around it have the names of these and a dot before
/// theirs.
fn others(bytes: &[u8], range: (usize, usize), line: Value, records: &mut Records) -> Text {
    let mut members = Vec::new();
    collect(bytes, range, line, &[], &mut members);
    let members = members.iter().map(|(before, key, value)| ([&before[..], key.written(bytes)], *value));
    json::write_object(bytes, members, records)
}

fn collect(
    bytes: &[u8],
    (start, end): (usize, usize),
    line: Value,
    before: &[u8],
    members: &mut Vec<(Vec<u8>, Value, Value)>,
) {
    let is_around = |value: Value| {
        let (outer, inner) = (value.whole, line.whole);
        outer.start <= inner.start && inner.start + inner.len <= outer.start + outer.len
    };
    // The object has been read before.
    let _ = json::members(bytes, start, end, |key, value| {
        if !is_around(value) {
            members.push((before.to_vec(), key, value));
        } else if bytes[value.whole.start as usize] == b'{' {
            let before = [before, key.written(bytes), b"."].concat();
            let range = (value.whole.start as usize, (value.whole.start + value.whole.len) as usize);
            collect(bytes, range, line, &before, members);
        }
    });
}
