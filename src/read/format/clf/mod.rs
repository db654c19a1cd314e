//! The logs of web servers in Common and Combined Log Format, with or without the name of the virtual host before the
//! line or in it: a line for each request, whose target is the URI reference.
//!
//! ```text
//! 192.0.2.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a.gif HTTP/1.1" 200 2326 "http://h/start" "Mozilla/4.08"
//! client ident user  time                         method target protocol status size referer     user agent
//! ```
//!
//! The words before the time have several forms (`head`); the words after it prove their places (`tail`).

pub(crate) mod head;
#[cfg(test)]
mod head_tests;
mod tail;

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memchr3_iter};

use super::host::host_and_port;
use super::json::add;
use super::keep::{FieldSpec, Keep, SelectedFields};
use super::request;
use super::request::Target;
use super::short_search::find;
use super::stop::Stop;
use super::words::is_dash;
use super::{host, json, line_end, log_line, span};
use crate::batch::{Cell, Kind, Records, Text, TimeForm, is_address};
use crate::error::Result;
use crate::simd::Span;
use head::{head, time_bracket};
use tail::tail;

pub(in crate::read) const CLIENT: usize = 0;
pub(in crate::read) const IDENT: usize = 1;
pub(in crate::read) const USER: usize = 2;
const TIME: usize = 3;
const METHOD: usize = 4;
const PROTOCOL: usize = 5;
const STATUS: usize = 6;
const SIZE: usize = 7;
const REFERER: usize = 8;
const AGENT: usize = 9;
const REST: usize = 10;
/// With its port; the columns are made of its parts.
pub(in crate::read) const VHOST: usize = 11;
const PORT: usize = 12;
pub(in crate::read) const FORWARDED: usize = 13;
const EXTRA: usize = 14;
pub(in crate::read) const REQUEST_ID: usize = 15;
const SECONDS: usize = 16;
const CLIENT_PORT: usize = 17;
/// The zone of a time, if it is in brackets of its own.
const ZONE: usize = 18;
const PLACES: usize = 19;

/// The other fields.
pub(in crate::read) const KNOWN: &[FieldSpec] = &[
    FieldSpec::new(CLIENT as u8, "client", Kind::Client),
    // OVH's lines have the virtual host in its place.
    FieldSpec::optional(IDENT as u8, "ident", Kind::Text),
    FieldSpec::new(USER as u8, "user", Kind::Text),
    FieldSpec::new(TIME as u8, "time", Kind::Time(TimeForm::Clf)),
    FieldSpec::optional(METHOD as u8, "method", Kind::Text),
    FieldSpec::optional(PROTOCOL as u8, "protocol", Kind::Text),
    FieldSpec::new(STATUS as u8, "status", Kind::Int32),
    FieldSpec::new(SIZE as u8, "size", Kind::Int64),
    FieldSpec::optional(REFERER as u8, "referer", Kind::Text),
    FieldSpec::optional(AGENT as u8, "user_agent", Kind::Text),
    FieldSpec::optional(REST as u8, "rest", Kind::Text),
    FieldSpec::optional(VHOST as u8, "vhost", Kind::Text),
    FieldSpec::optional(PORT as u8, "vhost_port", Kind::Int32),
    FieldSpec::optional(FORWARDED as u8, "forwarded_for", Kind::Text),
    FieldSpec::optional(EXTRA as u8, "extra", Kind::Text),
    FieldSpec::optional(CLIENT_PORT as u8, "client_port", Kind::Int32),
];

/// The format.
#[derive(Debug, Clone, Default)]
pub(super) struct Clf {
    pub(in crate::read) chosen: SelectedFields,
    pub(in crate::read) keep: Keep,
}

/// Parts of a line by place; optional parts may be missing.
pub(in crate::read) type Places = [Option<Span>; PLACES];

/// A line.
#[derive(Default)]
struct Parts {
    fields: Places,
    /// The text in the first quotes.
    request: Option<Span>,
    /// Whether the line ends inside of quotes.
    is_open: bool,
    /// Where it stops being a line of the format, if it does. The fields that could be read are there.
    fault: Option<usize>,
}

impl Clf {
    /// Finds records: see [`super::RecordFormat::find`].
    pub(in crate::read) fn read(
        &self,
        bytes: &[u8],
        (from, most): (usize, usize),
        records: &mut Records,
    ) -> usize {
        let mut at = from;
        let mut parts = Parts::default();
        // The lines of a host come together, and each has the base of the line before.
        let mut last: Option<(Span, Text)> = None;
        // Few lines have any.
        let mut backslashes = memchr_iter(b'\\', &bytes[from..]).map(|at| from + at).peekable();
        while at < bytes.len() && records.len() < most {
            let newline = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |found| at + found);
            let end = line_end(bytes, at, newline);
            let (start, first) = log_line(bytes, (at, end), records);
            at = (newline + 1).min(bytes.len());
            if bytes[first..end].trim_ascii_start().is_empty() {
                records.push_blank();
                continue;
            }
            while backslashes.next_if(|&at| at < start).is_some() {}
            let is_plain = backslashes.peek().is_none_or(|&at| at >= end);
            find_parts(&bytes[..end], first, &mut parts);
            let request = parts.request.map(|request| {
                let (from, to) = (request.start as usize, (request.start + request.len) as usize);
                (request, request::parts(bytes, from, to))
            });
            if let Some((_, Some(request))) = request {
                parts.fields[METHOD] = Some(request.method);
                parts.fields[PROTOCOL] = request.protocol;
            }
            match (parts.fault, request) {
                (None, Some((whole, request))) => {
                    match is_dash(bytes, whole) {
                        true => records.push_null(start as u32, None),
                        false => push_target(bytes, start, (whole, request), is_plain, records),
                    }
                    let is_host = |vhost: &Span| {
                        let (name, _) = host_and_port(text(bytes, *vhost));
                        !host::is_none(name) && !host::is_pattern(name)
                    };
                    if let Some(vhost) = parts.fields[VHOST].filter(is_host) {
                        let is_last = |&(other, _): &(Span, Text)| text(bytes, other) == text(bytes, vhost);
                        let base = match last.filter(is_last) {
                            Some((_, base)) => base,
                            None => base_of(text(bytes, vhost), records),
                        };
                        last = Some((vhost, base));
                        records.base_by_default(base);
                    }
                    self.keep(bytes, &parts, is_plain, |absent| absent, records);
                }
                (fault, _) => {
                    let whole = span(start, end);
                    let fault = fault.unwrap_or(end) - start;
                    records.push_malformed(start as u32, whole, fault as u32, false);
                    self.keep(bytes, &parts, is_plain, |_| Cell::NULL, records);
                    records.mark_mismatch(whole);
                }
            }
        }
        at
    }

    /// Keeps the fields of the last record, whose line `is_plain` if it has no backslash; `absent` stands for missing
    /// fields.
    fn keep(
        &self,
        bytes: &[u8],
        parts: &Parts,
        is_plain: bool,
        absent: impl Fn(Cell) -> Cell,
        records: &mut Records,
    ) {
        let fields = &parts.fields;
        let cell = |place: u8, missing: Cell| match fields[usize::from(place)] {
            None if usize::from(place) == PORT => port(bytes, fields).map_or(Cell::NULL, Cell::read),
            None => absent(missing),
            Some(field) if is_dash(bytes, field) => Cell::NULL,
            Some(field) if usize::from(place) == VHOST => match host_and_port(text(bytes, field)) {
                (name, _) if host::is_none(name) => Cell::NULL,
                (name, _) => Cell::read(Span { len: name.len() as u32, ..field }),
            },
            Some(field) => Cell::read(field),
        };
        let places = &*self.chosen.places;
        if is_plain && fields[ZONE].is_none() && !has_extra(fields) {
            return records.keep(places.iter().map(|&(place, missing)| cell(place, missing)));
        }
        let mut cells = [Cell::NULL; PLACES];
        for &(place, missing) in places {
            cells[usize::from(place)] = match (usize::from(place), fields[usize::from(place)]) {
                (EXTRA, _) => extra(bytes, fields, records).map_or(Cell::NULL, Cell::from),
                (at @ (REFERER | AGENT | FORWARDED | USER | IDENT), Some(field)) if !is_plain => {
                    let plain = if matches!(at, USER | IDENT) { request::plain_name } else { request::plain };
                    match plain(text(bytes, field)) {
                        Cow::Owned(plain)
                            if !is_dash(bytes, field) && std::str::from_utf8(&plain).is_ok() =>
                        {
                            records.unescape(|out| out.extend_from_slice(&plain)).into()
                        }
                        _ => cell(place, missing),
                    }
                }
                (TIME, Some(_)) if fields[ZONE].is_some() => {
                    time_with_zone(bytes, fields, records).map_or(Cell::NULL, Cell::from)
                }
                _ => cell(place, missing),
            };
        }
        records.keep(places.iter().map(|&(place, _)| cells[usize::from(place)]));
    }
}

fn text(bytes: &[u8], part: Span) -> &[u8] {
    &bytes[part.start as usize..][..part.len as usize]
}

/// The fields of a line within another line: by place (`KNOWN` names them), its virtual host with the port, its
/// request, the fields without a column, a time that is in several pieces; and where it stops being of the format.
pub(in crate::read) struct Within {
    pub(in crate::read) fields: Places,
    pub(in crate::read) vhost: Option<Span>,
    pub(in crate::read) request: Option<Span>,
    pub(in crate::read) extra: Option<Text>,
    pub(in crate::read) time: Option<Text>,
    pub(in crate::read) fault: Option<usize>,
}

/// See [`Within`]: for the line from `start` to the end of `bytes`.
pub(in crate::read) fn within(bytes: &[u8], start: usize, records: &mut Records) -> Within {
    let Parts { mut fields, request, fault, .. } = parts(bytes, start);
    let extra = extra(bytes, &fields, records);
    let time = time_with_zone(bytes, &fields, records);
    let vhost = fields[VHOST].take();
    Within { fields, vhost, request, extra, time, fault }
}

/// Whether a line is of the format.
pub(in crate::read) fn is_line(line: &[u8]) -> bool {
    parts(line.trim_ascii_start(), 0).fault.is_none()
}

/// The place from which on a line is not of the format, if there is one.
pub(in crate::read) fn stop(line: &[u8]) -> Option<Stop> {
    const NAMES: [(usize, &str); 5] =
        [(CLIENT, "client"), (TIME, "time"), (METHOD, "request"), (STATUS, "status"), (SIZE, "size")];
    let parts = parts(line, 0);
    let at = parts.fault?;
    // The first required part that this line lacks.
    let is_there = |place| match place {
        METHOD => parts.request.is_some(),
        place => parts.fields[place].is_some(),
    };
    let missing = NAMES.iter().find(|&&(place, _)| !is_there(place));
    Some(Stop::new(line, at, missing.map(|&(_, name)| name.to_owned())))
}

/// The parts of the line from `start` to the end of `bytes`.
fn parts(bytes: &[u8], start: usize) -> Parts {
    let mut parts = Parts::default();
    find_parts(bytes, start, &mut parts);
    parts
}

/// The same, in place of the parts of the line before.
#[inline]
fn find_parts(bytes: &[u8], start: usize, parts: &mut Parts) {
    parts_from(bytes, start, time_bracket(bytes, start), parts);
    if parts.fault.is_some() {
        match rare_parts(bytes, start) {
            Some(rare) => *parts = rare,
            None => keep_certain(bytes, start, parts),
        }
    }
}

/// Removes the uncertain fields of a malformed line: if the first bracket does not begin a time, the words before it
/// are not all the words before the time; and if quotes come before it, texts in quotes may have changed places.
#[cold]
fn keep_certain(bytes: &[u8], start: usize, parts: &mut Parts) {
    let bracket = time_bracket(bytes, start).unwrap_or(bytes.len());
    if !is_time(bytes, bracket) {
        (parts.fields[IDENT], parts.fields[USER]) = (None, None);
    }
    if memchr(b'"', &bytes[start..bracket]).is_some() {
        (parts.fields[REFERER], parts.fields[AGENT]) = (None, None);
    }
}

/// Whether a time follows the bracket at `at`, and a space precedes it.
fn is_time(bytes: &[u8], at: usize) -> bool {
    let Some(time) = bytes.get(at + 1..).filter(|_| at > 0 && bytes[at - 1] == b' ') else { return false };
    let is = |place: usize, byte: u8| time.get(place) == Some(&byte);
    is(2, b'/') && is(6, b'/') && is(11, b':') || is(4, b'-') && is(7, b'-')
}

#[inline]
fn parts_from(bytes: &[u8], start: usize, bracket: Option<usize>, parts: &mut Parts) {
    *parts = Parts::default();
    let Some(bracket) = bracket else {
        parts.fault = Some(bytes.len());
        return;
    };
    let before = head(&bytes[..bracket - 1], start, &mut parts.fields);
    let behind = tail(bytes, bracket, parts);
    parts.fault = before.and(behind).and_then(|()| are_names(bytes, &mut parts.fields)).err();
    if parts.fault.is_some() && !parts.fields[CLIENT].is_some_and(|client| is_address(text(bytes, client))) {
        (parts.fields[IDENT], parts.fields[USER]) = (None, None);
    }
}

/// Checks that client, ident and user are not the status or the size, if these are not numbers; or returns the place of
/// the bad one. A user may be a number if there is no size, an ident may not.
#[inline]
fn are_names(bytes: &[u8], fields: &mut Places) -> Result<(), usize> {
    let part = |place: usize| fields[place].map_or(&b"-"[..], |field| text(bytes, field));
    let is_number = |word: &[u8]| !word.is_empty() && word.iter().all(u8::is_ascii_digit);
    let begins = |place: usize| part(place)[0].is_ascii_digit();
    let any = |places: &[usize]| places.iter().any(|&at| is_number(part(at)));
    let moved = match (begins(STATUS), begins(SIZE)) {
        (true, true) => return Ok(()),
        (false, _) if part(STATUS) == b"-" => {
            let may_be_status = |&at: &usize| part(at).len() == 3 && is_number(part(at));
            [IDENT, USER, SIZE].iter().any(may_be_status).then_some(STATUS)
        }
        (false, _) => any(&[CLIENT, IDENT, USER]).then_some(STATUS),
        (true, false) if part(SIZE) == b"-" => any(&[IDENT]).then_some(SIZE),
        (true, false) => any(&[CLIENT, IDENT, USER]).then_some(SIZE),
    };
    let Some(at) = moved.and_then(|place| fields[place]) else { return Ok(()) };
    for place in [IDENT, USER, STATUS, SIZE] {
        fields[place] = None;
    }
    Err(at.start as usize)
}

/// The parts of a line that is in quotes as a whole, whose time is in brackets of another kind, or whose user is in
/// brackets; `None` for other lines.
#[cold]
fn rare_parts(bytes: &[u8], start: usize) -> Option<Parts> {
    let read = |bytes: &[u8], start: usize, bracket: Option<usize>| {
        let mut parts = Parts::default();
        parts_from(bytes, start, bracket, &mut parts);
        Some(parts).filter(|parts| parts.fault.is_none() && !parts.is_open)
    };
    let whole = &bytes[start..];
    if whole.len() > 2 && whole.starts_with(b"\"") && whole.ends_with(b"\"") {
        let inner = &bytes[..bytes.len() - 1];
        return read(inner, start + 1, time_bracket(inner, start + 1));
    }
    let is_time = |at: &usize| is_time(bytes, *at);
    let first = time_bracket(bytes, start).filter(|first| !is_time(first));
    if let Some(first) = first
        && let Some(bracket) = memchr_iter(b'[', &bytes[first + 1..]).map(|at| first + 1 + at).find(is_time)
        && memchr(b'"', &bytes[start..bracket]).is_none()
    {
        let is_users = |user: Span| (user.start..user.start + user.len).contains(&(first as u32));
        let has_user = |parts: &Parts| parts.fields[USER].is_some_and(is_users);
        return read(bytes, start, Some(bracket)).filter(has_user);
    }
    let mut others = memchr3_iter(b'(', b'<', b'{', whole).map(|at| start + at).filter(|&at| at > start);
    let bracket = others.find(is_time)?;
    read(bytes, start, Some(bracket))
}

/// The time and its zone, if the zone precedes it.
fn time_with_zone(bytes: &[u8], fields: &Places, records: &mut Records) -> Option<Text> {
    let (time, zone) = fields[TIME].zip(fields[ZONE])?;
    Some(records.unescape(|out| {
        out.extend_from_slice(text(bytes, time));
        out.push(b' ');
        out.extend_from_slice(text(bytes, zone));
    }))
}

/// The end of the word that begins at `from`, which is not empty.
#[inline]
pub(in crate::read) fn word(bytes: &[u8], from: usize) -> Result<usize, usize> {
    match find(bytes, from, b' ').unwrap_or(bytes.len()) {
        end if end > from => Ok(end),
        end => Err(end),
    }
}

/// Puts the record of the line at `start`, whose request is `whole`, as it is read where it can be. The line `is_plain`
/// if it has no backslash.
fn push_target(
    bytes: &[u8],
    start: usize,
    (whole, request): (Span, Option<request::Request>),
    is_plain: bool,
    records: &mut Records,
) {
    let Some(request) = request else {
        return records.push_malformed(start as u32, whole, 0, false);
    };
    let written = text(bytes, request.target);
    let plain = if is_plain { Cow::Borrowed(written) } else { request::plain(written) };
    let form = match request::target(text(bytes, request.method), &plain) {
        Some(Target::Reference) => None,
        Some(Target::Form(form)) => Some(form),
        Some(Target::Server) => return records.push_null(start as u32, None),
        None => {
            let fault = request.target.start - whole.start;
            return records.push_malformed(start as u32, whole, fault, false);
        }
    };
    let target = match plain {
        Cow::Borrowed(_) => Text::Read(request.target),
        Cow::Owned(plain) => records.unescape(|out| out.extend_from_slice(&plain)),
    };
    records.push(start as u32, target, None);
    if let Some(form) = form {
        records.read_as(form);
    }
}

/// The URI of a virtual host's root: `https` if its port is 443.
fn base_of(vhost: &[u8], records: &mut Records) -> Text {
    let (name, port) = host_and_port(vhost);
    let port = port.unwrap_or_default();
    records.unescape(|out| host::write_root(host::scheme_of(port), name, port, out))
}

/// The place of the virtual host's port.
fn port(bytes: &[u8], fields: &Places) -> Option<Span> {
    let vhost = fields[VHOST]?;
    let (_, port) = host_and_port(text(bytes, vhost));
    port.map(|port| {
        let end = (vhost.start + vhost.len) as usize;
        span(end - port.len(), end)
    })
}

/// Whether a line has fields without a column of their own.
fn has_extra(fields: &Places) -> bool {
    fields[REQUEST_ID].is_some() || fields[SECONDS].is_some()
}

/// The fields without a column of their own, as a JSON object.
fn extra(bytes: &[u8], fields: &Places, records: &mut Records) -> Option<Text> {
    let members = [("request_id", fields[REQUEST_ID]), ("seconds", fields[SECONDS])];
    let mut object = serde_json::Map::new();
    for (name, field) in members.into_iter().filter_map(|(name, field)| Some((name, field?))) {
        add(&mut object, name, String::from_utf8_lossy(text(bytes, field)).into());
    }
    json::extra(object, records).text()
}
