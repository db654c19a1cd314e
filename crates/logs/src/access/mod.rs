//! The logs of web servers in Common and Combined Log Format, with or without the name of the virtual host before the
//! line or in it: a line for each request, whose target is the URI reference.
//!
//! ```text
//! 192.0.2.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a.gif HTTP/1.1" 200 2326 "http://h/start" "Mozilla/4.08"
//! client ident user  time                         method target protocol status size referer     user agent
//! ```
//!
//! The words before the time have several forms (`head`); the words after it prove their places (`tail`).

mod head;
#[cfg(test)]
mod head_tests;
mod tail;

use memchr::{memchr, memchr_iter, memchr3_iter};
use serde_json::Map;
use urimill_base::error::Result;
use urimill_columns::batch::{Cell, Kind, Records, TimeForm, is_address};
use urimill_read::format::format_row::{FormatRow, Sure};
use urimill_read::format::json;
use urimill_read::format::json::add;
use urimill_read::format::keep::FieldSpec;
use urimill_read::format::short_search::find;
use urimill_read::format::{Stop, line_end, span};
use urimill_uri::simd::Span;

use super::check::Check;
use super::found::Found;
use super::shape::Shape;
use super::target::Line;
use crate::host;
use crate::host::host_and_port;
use head::{head, time_bracket};
use tail::tail;

const CLIENT: usize = 0;
const IDENT: usize = 1;
const USER: usize = 2;
const TIME: usize = 3;
const METHOD: usize = 4;
const PROTOCOL: usize = 5;
const STATUS: usize = 6;
const SIZE: usize = 7;
const REFERER: usize = 8;
const AGENT: usize = 9;
const REST: usize = 10;
const VHOST_NAME: usize = 11;
const VHOST_PORT: usize = 12;
const FORWARDED: usize = 13;
const EXTRA: usize = 14;
const CLIENT_PORT: usize = 15;
/// The text in the first quotes.
const REQUEST: usize = 16;
/// The virtual host with its port.
const VHOST: usize = 17;
/// Members of `extra`.
const REQUEST_ID: usize = 18;
const SECONDS: usize = 19;
/// The zone of a time, if it is in brackets of its own.
const ZONE: usize = 20;
const PLACES: usize = 21;
/// The parts of a line before it is read.
const NOTHING: Places = [Cell::NULL; PLACES];

/// The columns, in the order of their places.
const KNOWN: &[FieldSpec] = &[
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
    FieldSpec::optional(VHOST_NAME as u8, "vhost", Kind::Text),
    FieldSpec::optional(VHOST_PORT as u8, "vhost_port", Kind::Int32),
    FieldSpec::optional(FORWARDED as u8, "forwarded_for", Kind::Text),
    FieldSpec::optional(EXTRA as u8, "extra", Kind::Text),
    FieldSpec::optional(CLIENT_PORT as u8, "client_port", Kind::Int32),
];

/// The row of the format.
pub const ROW: FormatRow = FormatRow {
    name: "clf",
    meaning: "Common or Combined Log Format of web servers, with or without virtual hosts: the target of the request, \
              against the base or the virtual host",
    fields: KNOWN,
    detect: |first| Sure::by_lines(first, |line| is_line(&line[..line_end(line, 0, line.len())])),
    ..super::ROW
};

/// The columns of the format, and what makes its URIs; `is_bare` where nothing stands around the lines: see
/// [`super::shape::Roles::is_bare`].
pub(super) fn shape(is_bare: bool) -> Shape {
    let mut shape = Shape::default();
    KNOWN.iter().for_each(|field| _ = shape.column(field.name, field.kind));
    let (request, vhost) = (shape.field(":request"), shape.field(":host"));
    debug_assert_eq!((request, vhost), (REQUEST, VHOST));
    (VHOST + 1..PLACES).for_each(|_| _ = shape.new_column("", Kind::Text));
    [REFERER, AGENT, REQUEST].iter().for_each(|&slot| shape.columns[slot].is_escaped = true);
    let roles = &mut shape.roles;
    (roles.time, roles.extra, roles.is_bare) = (Some(TIME), Some(EXTRA), is_bare);
    match is_bare {
        true => roles.rest = Some(REST),
        false => [STATUS, SIZE].iter().for_each(|&slot| shape.columns[slot].check = Check::Number),
    }
    shape
}

/// The parts of a line, in the slots of [`shape`]; optional ones may be missing.
type Places = [Cell; PLACES];

/// The part from `from` to `to`.
#[inline]
fn cell(from: usize, to: usize) -> Cell {
    Cell::read(span(from, to))
}

#[inline]
fn text(bytes: &[u8], part: Span) -> &[u8] {
    &bytes[part.start as usize..][..part.len as usize]
}

/// Puts the fields of a line in the slots of [`shape`], or returns the place where the line leaves the format. Then only
/// the certain fields are there.
#[inline]
pub(super) fn read(
    line: &Line<'_>,
    is_bare: bool,
    found: &mut Found,
    records: &mut Records,
) -> Result<(), usize> {
    let bytes = &line.bytes[..line.end];
    let Some(fields) = found.first() else { return Ok(()) };
    let read = parts(bytes, line.start, fields);
    // `target` fills in the columns of a virtual host that has a name, with the base.
    if let Some(vhost) = fields[VHOST].span().filter(|_| is_bare)
        && (read.is_err() || !text(bytes, vhost).first().is_some_and(u8::is_ascii_alphanumeric))
    {
        divide_vhost(bytes, vhost, fields);
    }
    if [REQUEST_ID, SECONDS, ZONE].iter().any(|&place| fields[place] != Cell::NULL) {
        join(bytes, fields, records);
    }
    if line.shift.is_some() {
        let shift = |field: &mut Cell| *field = field.span().map_or(*field, |part| line.text(part).into());
        fields.iter_mut().for_each(shift);
    }
    read
}

/// Fills in the columns of a virtual host with its port.
#[cold]
fn divide_vhost(bytes: &[u8], vhost: Span, fields: &mut Places) {
    let (name, port) = host_and_port(text(bytes, vhost));
    if !host::is_none(name) {
        fields[VHOST_NAME] = Cell::read(Span { len: name.len() as u32, ..vhost });
    }
    let end = (vhost.start + vhost.len) as usize;
    fields[VHOST_PORT] = port.map_or(Cell::NULL, |port| cell(end - port.len(), end));
}

/// Whether a line is of the format.
pub(super) fn is_line(line: &[u8]) -> bool {
    parts(line.trim_ascii_start(), 0, &mut { NOTHING }).is_ok()
}

/// The place from which on a line is not of the format, if there is one.
pub(super) fn stop(line: &[u8]) -> Option<Stop> {
    const NAMES: [(usize, &str); 5] =
        [(CLIENT, "client"), (TIME, "time"), (REQUEST, "request"), (STATUS, "status"), (SIZE, "size")];
    let mut fields = NOTHING;
    let at = parts(line, 0, &mut fields).err()?;
    // The first required part that this line lacks.
    let missing = NAMES.iter().find(|&&(place, _)| fields[place] == Cell::NULL);
    Some(Stop::new(line, at, missing.map(|&(_, name)| name.to_owned())))
}

/// Reads the parts of the line from `start` to the end of `bytes`, or returns the place where it leaves the format.
#[inline]
fn parts(bytes: &[u8], start: usize, fields: &mut Places) -> Result<(), usize> {
    let read = parts_from(bytes, start, time_bracket(bytes, start), fields);
    if read.is_ok() {
        return read;
    }
    if let Some(rare) = rare_parts(bytes, start) {
        *fields = rare;
        return Ok(());
    }
    keep_certain(bytes, start, fields);
    read
}

/// Removes the uncertain fields of a malformed line: if the first bracket does not begin a time, the words before it
/// are not all the words before the time; and if quotes come before it, texts in quotes may have changed places.
#[cold]
fn keep_certain(bytes: &[u8], start: usize, fields: &mut Places) {
    let bracket = time_bracket(bytes, start).unwrap_or(bytes.len());
    if !is_time(bytes, bracket) {
        (fields[IDENT], fields[USER]) = (Cell::NULL, Cell::NULL);
    }
    if memchr(b'"', &bytes[start..bracket]).is_some() {
        (fields[REFERER], fields[AGENT]) = (Cell::NULL, Cell::NULL);
    }
}

/// Whether a time follows the bracket at `at`, and a space precedes it.
fn is_time(bytes: &[u8], at: usize) -> bool {
    let Some(time) = bytes.get(at + 1..).filter(|_| at > 0 && bytes[at - 1] == b' ') else { return false };
    let is = |place: usize, byte: u8| time.get(place) == Some(&byte);
    is(2, b'/') && is(6, b'/') && is(11, b':') || is(4, b'-') && is(7, b'-')
}

#[inline]
fn parts_from(bytes: &[u8], start: usize, bracket: Option<usize>, fields: &mut Places) -> Result<(), usize> {
    let bracket = bracket.ok_or(bytes.len())?;
    let before = head(&bytes[..bracket - 1], start, fields);
    let behind = tail(bytes, bracket, fields);
    let read = before.and(behind).and_then(|()| are_names(bytes, fields));
    if read.is_err() && !fields[CLIENT].span().is_some_and(|client| is_address(text(bytes, client))) {
        (fields[IDENT], fields[USER]) = (Cell::NULL, Cell::NULL);
    }
    read
}

/// Checks that client, ident and user are not the status or the size, if these are not numbers; or returns the place of
/// the bad one. A user may be a number if there is no size, an ident may not.
#[inline]
fn are_names(bytes: &[u8], fields: &mut Places) -> Result<(), usize> {
    let part = |place: usize| fields[place].span().map_or(&b"-"[..], |field| text(bytes, field));
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
    let Some(at) = moved.and_then(|place| fields[place].span()) else { return Ok(()) };
    for place in [IDENT, USER, STATUS, SIZE] {
        fields[place] = Cell::NULL;
    }
    Err(at.start as usize)
}

/// The parts of a line that is in quotes as a whole, whose time is in brackets of another kind, or whose user is in
/// brackets; `None` for other lines.
#[cold]
fn rare_parts(bytes: &[u8], start: usize) -> Option<Places> {
    let read = |bytes: &[u8], start: usize, bracket: Option<usize>| {
        let mut fields = NOTHING;
        parts_from(bytes, start, bracket, &mut fields).ok()?;
        // A line that was cut off ends inside quotes.
        let ends = |place: usize| {
            fields[place].span().is_some_and(|text| (text.start + text.len) as usize == bytes.len())
        };
        (!ends(REFERER) && !ends(AGENT)).then_some(fields)
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
        let has_user = |fields: &Places| fields[USER].span().is_some_and(is_users);
        return read(bytes, start, Some(bracket)).filter(has_user);
    }
    let mut others = memchr3_iter(b'(', b'<', b'{', whole).map(|at| start + at).filter(|&at| at > start);
    let bracket = others.find(is_time)?;
    read(bytes, start, Some(bracket))
}

/// The end of the word that begins at `from`, which is not empty.
#[inline(always)]
fn word(bytes: &[u8], from: usize) -> Result<usize, usize> {
    match find(bytes, from, b' ').unwrap_or(bytes.len()) {
        end if end > from => Ok(end),
        end => Err(end),
    }
}

/// Joins parts: the members of `extra` to a JSON object, and a time with its zone.
#[cold]
fn join(bytes: &[u8], fields: &mut Places, records: &mut Records) {
    let members = [("request_id", REQUEST_ID), ("seconds", SECONDS)];
    let mut object = Map::new();
    for (name, field) in members.into_iter().filter_map(|(name, place)| Some((name, fields[place].span()?))) {
        add(&mut object, name, String::from_utf8_lossy(text(bytes, field)).into());
    }
    fields[EXTRA] = json::extra(object, records);
    if let Some((time, zone)) = fields[TIME].span().zip(fields[ZONE].span()) {
        let whole = [text(bytes, time), b" ", text(bytes, zone)].concat();
        fields[TIME] = records.unescape(|out| out.extend_from_slice(&whole)).into();
    }
}
