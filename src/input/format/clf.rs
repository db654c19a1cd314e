//! The logs of web servers in Common and Combined Log Format: a line for each request, whose target is the URI
//! reference.
//!
//! ```text
//! 192.0.2.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a.gif HTTP/1.1" 200 2326 "http://h/start" "Mozilla/4.08"
//! client ident user  time                         method target protocol status size referer     user agent
//! ```

use memchr::{memchr, memchr2, memmem};

use super::keep::{Chosen, Keep, Known};
use super::words::is_dash;
use super::{line_end, span};
use crate::batch::{Cell, Kind, Records, Text, TimeForm};
use crate::error::Result;
use crate::simd::Span;

const METHOD: usize = 4;
const PROTOCOL: usize = 5;
const REFERER: usize = 8;
const AGENT: usize = 9;
const REST: usize = 10;
const PLACES: usize = 11;

/// The other fields.
pub(super) const KNOWN: &[Known] = &[
    Known::new(0, "client", Kind::Text),
    Known::new(1, "ident", Kind::Text),
    Known::new(2, "user", Kind::Text),
    Known::new(3, "time", Kind::Time(TimeForm::Clf)),
    Known::optional(METHOD as u8, "method", Kind::Text),
    Known::optional(PROTOCOL as u8, "protocol", Kind::Text),
    Known::new(6, "status", Kind::Int32),
    Known::new(7, "size", Kind::Int64),
    Known::optional(REFERER as u8, "referer", Kind::Text),
    Known::optional(AGENT as u8, "user_agent", Kind::Text),
    Known::optional(REST as u8, "rest", Kind::Text),
];

/// The format.
#[derive(Debug, Clone, Default)]
pub struct Clf {
    pub(super) chosen: Chosen,
}

/// A line, in parts by place; what a line does not have to have may be missing.
struct Parts {
    fields: [Option<Span>; PLACES],
    request: Span,
}

impl Clf {
    /// With these of the other fields.
    ///
    /// # Errors
    /// Usage, where there is no field of a name.
    pub fn new(keep: &Keep) -> Result<Clf> {
        Ok(Clf { chosen: Chosen::of(KNOWN, keep, "clf")? })
    }

    /// See [`super::Format::read`].
    pub(super) fn read(&self, bytes: &[u8], from: usize, most: usize, records: &mut Records) -> usize {
        let mut at = from;
        while at < bytes.len() && records.len() < most {
            let start = at;
            let newline = memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |found| start + found);
            let end = line_end(bytes, start, newline);
            at = (newline + 1).min(bytes.len());
            if end == start {
                records.push_blank();
                continue;
            }
            let mut parts = match parts(&bytes[..end], start) {
                Ok(parts) => parts,
                Err(fault) => {
                    let whole = span(start, end);
                    records.push_malformed(start as u32, whole, (fault - start) as u32, false);
                    records.doubt(whole);
                    continue;
                }
            };
            match target(bytes, &mut parts) {
                Some(target) => {
                    let target = unescaped(bytes, target, records, |_| true);
                    records.push(start as u32, target, None);
                }
                None => records.push_malformed(start as u32, parts.request, 0, false),
            }
            self.keep(bytes, &parts.fields, records);
        }
        at
    }

    fn keep(&self, bytes: &[u8], fields: &[Option<Span>; PLACES], records: &mut Records) {
        let mut cells = [Cell::NULL; PLACES];
        for &(place, absent) in &*self.chosen.places {
            let place = usize::from(place);
            cells[place] = match fields[place] {
                None => absent,
                Some(field) if is_dash(bytes, field) => Cell::NULL,
                Some(field) if place == REFERER || place == AGENT => {
                    unescaped(bytes, field, records, |text| std::str::from_utf8(text).is_ok()).into()
                }
                Some(field) => Cell::read(field),
            };
        }
        records.keep(self.chosen.places.iter().map(|&(place, _)| cells[usize::from(place)]));
    }
}

/// Whether a line is of the format.
pub(super) fn is_line(line: &[u8]) -> bool {
    parts(line, 0).is_ok()
}

/// The parts of the line from `start` to the end of `bytes`; or where it stops to be one.
fn parts(bytes: &[u8], start: usize) -> Result<Parts, usize> {
    let mut fields = [None; PLACES];
    let word = |from: usize| {
        let end = memchr(b' ', &bytes[from..]).map_or(bytes.len(), |found| from + found);
        if end > from { Ok(end) } else { Err(from) }
    };
    let client = word(start)?;
    let ident = word(expect(bytes, client, b" ")?)?;
    // Names of users may have spaces in them.
    let user = expect(bytes, ident, b" ")?;
    let bracket = user + memmem::find(&bytes[user..], b" [").ok_or(user)?;
    let time = bracket + 2;
    let bracket_end = time + memchr(b']', &bytes[time..]).ok_or(bytes.len())?;
    let request = expect(bytes, bracket_end, b"] \"")?;
    let request_end = closing(bytes, request).ok_or(bytes.len())?;
    let status = expect(bytes, request_end, b"\" ")?;
    let status_end = word(status)?;
    fields[0] = Some(span(start, client));
    fields[1] = Some(span(client + 1, ident));
    fields[2] = Some(span(user, bracket));
    fields[3] = Some(span(time, bracket_end));
    fields[6] = Some(span(status, status_end));
    let mut at = status_end;
    if let Ok(size) = expect(bytes, at, b" ")
        && let Ok(size_end) = word(size)
    {
        fields[7] = Some(span(size, size_end));
        at = size_end;
    }
    for place in [REFERER, AGENT] {
        let Ok(quoted) = expect(bytes, at, b" \"") else { break };
        // A line that was cut off ends inside of quotes.
        let close = closing(bytes, quoted).unwrap_or(bytes.len());
        fields[place] = Some(span(quoted, close));
        at = (close + 1).min(bytes.len());
    }
    let rest = at + bytes[at..].iter().take_while(|&&b| b == b' ').count();
    fields[REST] = (rest < bytes.len()).then(|| span(rest, bytes.len()));
    Ok(Parts { fields, request: span(request, request_end) })
}

fn expect(bytes: &[u8], at: usize, text: &[u8]) -> Result<usize, usize> {
    if bytes[at..].starts_with(text) { Ok(at + text.len()) } else { Err(at) }
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

/// The target of the request, whose method and protocol are put in their places. None where the request is
/// broken, or names no URI: that of CONNECT is an authority, and `*` is the server (RFC 9112, 3.2.3 and 3.2.4).
fn target(bytes: &[u8], parts: &mut Parts) -> Option<Span> {
    let (start, end) = (parts.request.start as usize, (parts.request.start + parts.request.len) as usize);
    let request = &bytes[start..end];
    let method = memchr(b' ', request)?;
    let is_token = |&b: &u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    if method == 0 || !request[..method].iter().all(is_token) {
        return None;
    }
    // HTTP/0.9 names no protocol.
    let protocol = memchr::memrchr(b' ', request).filter(|&at| request[at + 1..].starts_with(b"HTTP/"));
    let until = protocol.unwrap_or(request.len());
    parts.fields[METHOD] = Some(span(start, start + method));
    parts.fields[PROTOCOL] = protocol.map(|at| span(start + at + 1, end));
    let target = request.get(method + 1..until)?;
    let is_uri = !target.is_empty() && target != b"*" && target != b"-" && &request[..method] != b"CONNECT";
    is_uri.then(|| span(start + method + 1, start + until))
}

/// A text in which servers write `\xHH` for bytes that they do not like, and a backslash before quotes; as it is
/// written where `accept` does not want it otherwise.
fn unescaped(bytes: &[u8], text: Span, records: &mut Records, accept: impl Fn(&[u8]) -> bool) -> Text {
    let written = &bytes[text.start as usize..][..text.len as usize];
    if memchr(b'\\', written).is_none() {
        return Text::Read(text);
    }
    let mut plain = Vec::with_capacity(written.len());
    let mut at = 0;
    while at < written.len() {
        let (byte, taken) = match &written[at..] {
            [b'\\', b'x', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                let digit = |b: u8| char::from(b).to_digit(16).unwrap_or(0) as u8;
                (digit(*high) << 4 | digit(*low), 4)
            }
            [b'\\', b'n', ..] => (b'\n', 2),
            [b'\\', b't', ..] => (b'\t', 2),
            [b'\\', b'r', ..] => (b'\r', 2),
            [b'\\', byte @ (b'"' | b'\\'), ..] => (*byte, 2),
            [byte, ..] => (*byte, 1),
            [] => break,
        };
        plain.push(byte);
        at += taken;
    }
    if !accept(&plain) {
        return Text::Read(text);
    }
    records.unescape(|out| out.extend_from_slice(&plain))
}
