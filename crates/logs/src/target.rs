//! The URI of a record of a log: of a request line, of a target, or of a path and a query in fields of their own; and
//! its base: scheme, host and port, if the log has them. A client chooses target and host, so both are checked
//! (`request`).

use std::borrow::Cow;

use urimill_columns::batch::{Records, Text};
use urimill_read::format::made_uris::push_made;
use urimill_read::format::{json, quotes, request};
use urimill_uri::simd::Span;

use super::definition::Escapes;
use super::found::Found;
use super::roles::{Roles, Slot};
use super::shape::Shape;
use crate::host;
use crate::host::host_and_port;

/// The line of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// The bytes of the chunk.
    pub(super) chunk: &'a [u8],
    /// The bytes that are read: the chunk, or a text that was unwrapped.
    pub(super) bytes: &'a [u8],
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where `bytes` begin among the unescaped texts, if they are not in the chunk.
    pub(super) shift: Option<u32>,
    /// Where these texts come from, if that is known.
    pub(super) origin: Option<&'a Origin<'a>>,
    /// All of the line in the chunk.
    pub(super) whole: Span,
}

impl Line<'_> {
    /// A part of the line.
    #[inline]
    pub(super) fn text(&self, part: Span) -> Text {
        match self.shift {
            None => Text::Read(part),
            Some(shift) => Text::Unescaped(Span { start: part.start + shift, ..part }),
        }
    }

    /// The byte of the whole line for the byte `at` of `bytes`.
    pub(super) fn fault(&self, at: usize) -> u32 {
        match (self.shift, self.origin) {
            (None, _) => at as u32 - self.whole.start,
            (Some(_), Some(origin)) => origin.place(at) as u32 - self.whole.start,
            // The text does not show where its bytes are in the line: returns the line's beginning.
            (Some(_), None) => 0,
        }
    }
}

/// How a text is written in another one.
#[derive(Debug, Clone, Copy)]
pub(super) enum Written {
    /// As a string of JSON.
    Json,
    /// With doubled quotes.
    Quotes,
}

/// Where a text that was unescaped comes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin<'a> {
    /// The text as it is written.
    pub(super) raw: &'a [u8],
    /// Its place in the text around it, or in the chunk.
    pub(super) at: usize,
    pub(super) how: Written,
    /// Where the text around it comes from, if that was unescaped, too.
    pub(super) outer: Option<&'a Origin<'a>>,
}

impl Origin<'_> {
    /// The place in the chunk of a byte of the text.
    #[cold]
    fn place(&self, at: usize) -> usize {
        let raw = match self.how {
            Written::Json => json::place_of(self.raw, at),
            Written::Quotes => quotes::place_of(self.raw, at),
        };
        self.outer.map_or(self.at + raw, |outer| outer.place(self.at + raw))
    }
}

/// The bases of the last records, which later records often share. All lie in one batch.
#[derive(Debug, Default)]
pub(super) struct LastBases {
    /// The parts of each, and where it was put.
    bases: Vec<(Vec<u8>, Text)>,
    /// The one to replace next.
    oldest: usize,
    /// The one of the last record.
    last: usize,
    written: Vec<u8>,
}

/// The number of bases that are remembered.
const REMEMBERED: usize = 8;

impl LastBases {
    fn find(&mut self, parts: &[&[u8]]) -> Option<Text> {
        let is = |(key, _): &(Vec<u8>, Text)| same(key, parts);
        if !self.bases.get(self.last).is_some_and(is) {
            self.last = self.bases.iter().position(is)?;
        }
        Some(self.bases[self.last].1)
    }

    fn remember(&mut self, key: Vec<u8>, base: Text) {
        if self.bases.len() < REMEMBERED {
            self.bases.push((key, base));
            return;
        }
        self.bases[self.oldest] = (key, base);
        self.oldest = (self.oldest + 1) % REMEMBERED;
    }

    /// The memory of the one that is replaced next.
    fn take_key(&mut self) -> Vec<u8> {
        let mut key = match self.bases.len() {
            REMEMBERED => std::mem::take(&mut self.bases[self.oldest].0),
            _ => Vec::new(),
        };
        key.clear();
        key
    }
}

/// Pushes the record of a line whose fields were found; the caller knows whether they may hold escapes. Fills in
/// method, protocol, host and port.
#[inline(always)]
pub(super) fn push(
    shape: &Shape,
    line: &Line<'_>,
    (found, may_have_escapes): (&mut Found, bool),
    last: &mut LastBases,
    records: &mut Records,
) {
    let roles = &shape.roles;
    if let Some((template, slots)) = &shape.made {
        // The method and the protocol have columns.
        parts_of_request(roles, line, found, records);
        let parts: Vec<_> = slots.iter().map(|&slot| plain(shape, line, slot, found, records)).collect();
        let begun = (line.whole.start, None);
        push_made(template, &parts, begun, (line.chunk, &mut Vec::new()), records);
        let base = base(roles, line, found, last, records).filter(|_| !template.is_absolute());
        return base.map_or((), |base| records.base_by_default(base));
    }
    let escapes = match roles.is_request_escaped {
        true if may_have_escapes => Escapes::Backslash,
        true => Escapes::None,
        false => shape.escapes,
    };
    let get = |slot: Option<Slot>| slot.and_then(|slot| found.get(slot));
    let target = if let Some(whole) = get(roles.request) {
        request_line(roles, line, whole, found, escapes, records)
    } else if let Some(text) = get(roles.target) {
        Ok((whole_uri(roles, line, text, found, records), text, 0))
    } else {
        get(roles.path).ok_or(Fail::Absent).and_then(|path| path_and_query(roles, line, path, found, records))
    };
    let start = line.whole.start;
    match target {
        Ok(target) => put(roles, line, target, found, records),
        Err(Fail::None) => records.push_null(start, None),
        Err(Fail::Absent) => records.push_short(line.whole, 0, false),
        Err(Fail::Malformed(text)) => records.push_malformed_text(start, text, 0, false),
    }
    // Many logs name no hosts.
    if roles.hosts.iter().any(|&slot| found.get(slot).is_some())
        && let Some(base) = base(roles, line, found, last, records)
    {
        records.base_by_default(base);
    }
}

/// The text of a field, without the escapes that servers write.
fn plain(shape: &Shape, line: &Line<'_>, slot: Slot, found: &Found, records: &mut Records) -> Option<Text> {
    let text = found.get(slot)?;
    if !shape.columns[slot].is_escaped {
        return Some(text);
    }
    match Escapes::Backslash.undo(records.bytes_of(line.chunk, text)) {
        Cow::Borrowed(_) => Some(text),
        Cow::Owned(plain) => Some(records.unescape(|out| out.extend_from_slice(&plain))),
    }
}

/// Puts the method and the protocol of the request, if it is one, in their slots.
#[cold]
pub(super) fn parts_of_request(roles: &Roles, line: &Line<'_>, found: &mut Found, records: &mut Records) {
    if let Some(whole) = roles.request.and_then(|slot| found.get(slot)) {
        let _ = request_line(roles, line, whole, found, Escapes::None, records);
    }
}

/// The text to push, the text that contains it, and its offset there.
type Target = (Text, Text, u32);

enum Fail {
    /// The record marks it as absent.
    None,
    /// It lacks the field.
    Absent,
    /// The text is not a request.
    Malformed(Text),
}

#[inline(always)]
fn request_line(
    roles: &Roles,
    line: &Line<'_>,
    whole: Text,
    found: &mut Found,
    escapes: Escapes,
    records: &mut Records,
) -> Result<Target, Fail> {
    let bytes = records.bytes_of(line.chunk, whole);
    // Load balancers write three dashes for bytes that were not a request of HTTP.
    let is_none = match roles.is_bare {
        true => bytes == b"-",
        false => bytes.iter().all(|&b| b == b'-' || b == b' '),
    };
    if is_none {
        return Err(Fail::None);
    }
    let Some(parts) = request::parts(bytes, 0, bytes.len()) else {
        // Some servers write the target alone, and the method in a field beside it.
        let is_target = bytes.starts_with(b"/") && !bytes.contains(&b' ');
        let has_method = roles.method.is_some_and(|method| found.get(method).is_some());
        return if is_target && has_method { Ok((whole, whole, 0)) } else { Err(Fail::Malformed(whole)) };
    };
    let part = |span: Span| whole.part(span.start, span.len);
    if let Some(method) = roles.method {
        found.set(method, part(parts.method));
    }
    if let Some(protocol) = roles.protocol {
        found.put(protocol, parts.protocol.map(part));
    }
    let target = part(parts.target);
    let at = if matches!(whole, Text::Read(_)) { parts.target.start } else { 0 };
    if escapes == Escapes::None {
        return Ok((target, whole, at));
    }
    let Cow::Owned(plain) = escapes.undo(records.bytes_of(line.chunk, target)) else {
        return Ok((target, whole, at));
    };
    let at = if roles.is_bare { at } else { 0 };
    Ok((records.unescape(|out| out.extend_from_slice(&plain)), whole, at))
}

/// A URI that may lack its scheme, or have its query in a field of its own: adds them.
fn whole_uri(roles: &Roles, line: &Line<'_>, text: Text, found: &Found, records: &mut Records) -> Text {
    let get = |slot: Option<Slot>| {
        let text = slot.and_then(|slot| found.get(slot)).map(|text| records.bytes_of(line.chunk, text));
        text.filter(|text| !is_none(text))
    };
    let uri = records.bytes_of(line.chunk, text);
    if !roles.may_lack_scheme || is_none(uri) {
        return text;
    }
    let ends = |b: &u8| matches!(b, b'/' | b'?' | b'#');
    let authority = &uri[..uri.iter().position(ends).unwrap_or(uri.len())];
    let scheme = match host::is_domain(authority) || host::endpoint(authority).is_some() {
        true if is_secure(roles, line, found, records) => &b"https"[..],
        true => get(roles.scheme).unwrap_or_else(|| {
            let port = host_and_port(authority).1.or_else(|| get(roles.port));
            host::scheme_of(port.unwrap_or_default())
        }),
        false => b"",
    };
    let query = get(roles.query).filter(|_| !uri.contains(&b'?'));
    if scheme.is_empty() && query.is_none() {
        return text;
    }
    let mut whole = scheme.to_vec();
    whole.extend_from_slice(if scheme.is_empty() { b"" } else { b"://" });
    match query {
        Some(query) => write_whole(uri, query, &mut whole),
        None => whole.extend_from_slice(uri),
    }
    records.unescape(|out| out.extend_from_slice(&whole))
}

fn path_and_query(
    roles: &Roles,
    line: &Line<'_>,
    path: Text,
    found: &Found,
    records: &mut Records,
) -> Result<Target, Fail> {
    if is_none(records.bytes_of(line.chunk, path)) {
        return Err(Fail::None);
    }
    let query = roles.query.and_then(|slot| found.get(slot));
    let query = query.filter(|&query| !is_none(records.bytes_of(line.chunk, query)));
    let has_it = |query: Text| {
        let (path, query) = (records.bytes_of(line.chunk, path), records.bytes_of(line.chunk, query));
        path.strip_suffix(query).is_some_and(|before| before.ends_with(b"?"))
    };
    let Some(query) = query.filter(|&query| !(roles.may_have_query && has_it(query))) else {
        return Ok((path, path, 0));
    };
    let whole = match (path, query) {
        (Text::Read(path), Text::Read(query)) => {
            let bytes = |span: Span| &line.chunk[span.start as usize..][..span.len as usize];
            records.unescape(|out| write_whole(bytes(path), bytes(query), out))
        }
        _ => {
            let (path, query) = (records.bytes_of(line.chunk, path), records.bytes_of(line.chunk, query));
            let (path, query) = (path.to_vec(), query.to_vec());
            records.unescape(|out| write_whole(&path, &query, out))
        }
    };
    Ok((whole, whole, 0))
}

fn write_whole(path: &[u8], query: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(path);
    // Some servers write the question mark, too.
    if !query.starts_with(b"?") {
        out.push(b'?');
    }
    out.extend_from_slice(query);
}

#[inline(always)]
fn put(roles: &Roles, line: &Line<'_>, (target, whole, at): Target, found: &Found, records: &mut Records) {
    let start = line.whole.start;
    let bytes = records.bytes_of(line.chunk, target);
    if is_none(bytes) && !roles.is_bare || roles.has_errors && bytes.starts_with(b"error:") {
        return records.push_null(start, None);
    }
    let method = roles.method.and_then(|slot| found.get(slot));
    let method = method.map_or(&b"GET"[..], |method| records.bytes_of(line.chunk, method));
    let form = match request::target(method, bytes) {
        Some(request::Target::Reference) => None,
        Some(request::Target::Form(form)) => Some(form),
        Some(request::Target::Server) => return records.push_null(start, None),
        // Without the method, user information would look like a scheme, and a password could not be found.
        None if method == b"CONNECT" && target == whole && bytes.contains(&b'@') => {
            let line = [b"CONNECT ", bytes].concat();
            let line = records.unescape(|out| out.extend_from_slice(&line));
            return records.push_malformed_text(start, line, 8, false);
        }
        None => return records.push_malformed_text(start, whole, at, false),
    };
    records.push(start, target, None);
    if let Some(form) = form {
        records.read_as(form);
    }
}

fn is_none(text: &[u8]) -> bool {
    matches!(text, b"" | b"-")
}

/// Whether a field shows that the connection was encrypted.
fn is_secure(roles: &Roles, line: &Line<'_>, found: &Found, records: &Records) -> bool {
    let mut fields = roles.secure.iter().filter_map(|&(slot, how)| Some((found.get(slot)?, how)));
    fields.any(|(text, how)| how.is_shown(records.bytes_of(line.chunk, text)))
}

/// The base of the record's reference, and its columns.
fn base(
    roles: &Roles,
    line: &Line<'_>,
    found: &mut Found,
    last: &mut LastBases,
    records: &mut Records,
) -> Option<Text> {
    let get = |slot: Option<Slot>, found: &Found| {
        let text = slot.and_then(|slot| found.get(slot));
        text.filter(|&text| !is_none(records.bytes_of(line.chunk, text)))
    };
    let mut known = None;
    for &slot in &roles.hosts {
        let Some(host) = get(Some(slot), found) else { continue };
        let (name, port) = host_and_port(records.bytes_of(line.chunk, host));
        if host::is_none(name) {
            continue;
        }
        let is_pattern = host::is_pattern(name);
        let is_second = known.replace((host, name, port, is_pattern, slot)).is_some();
        // The host that the client asked for is preferred to a pattern.
        if !is_pattern || is_second {
            break;
        }
    }
    let (host, name, own_port, is_pattern, slot) = known?;
    // It is unknown whose address it is.
    let is_doubtful = roles.doubtful_host == Some(slot)
        && get(roles.client, found).is_none()
        && host::endpoint(name).is_some();
    let (scheme, port) = (get(roles.scheme, found), get(roles.port, found));
    let bytes = |text: Option<Text>| text.map_or(&b""[..], |text| records.bytes_of(line.chunk, text));
    let (name_len, host_len) = (name.len() as u32, bytes(Some(host)).len() as u32);
    if let Some(slot) = roles.vhost {
        found.set(slot, host.part(0, name_len));
    }
    if let Some(slot) = roles.vhost_port {
        let len = own_port.map(|port| port.len() as u32);
        found.put(slot, len.map(|len| host.part(host_len - len, len)).or(port));
    }
    if is_pattern || is_doubtful {
        return None;
    }
    let servers_port = bytes(port);
    let port = own_port.unwrap_or(servers_port);
    let scheme = match bytes(scheme) {
        b"" if is_secure(roles, line, found, records) => b"https",
        // The server's own port counts, too: the client may name another port.
        b"" if servers_port == b"443" => b"https",
        b"" => host::scheme_of(port),
        scheme => scheme,
    };
    let parts = [scheme, name, port];
    if let Some(base) = last.find(&parts) {
        return Some(base);
    }
    let mut key = last.take_key();
    for part in parts {
        key.extend_from_slice(part);
        key.push(0);
    }
    last.written.clear();
    host::write_root(scheme, name, port, &mut last.written);
    let base = records.unescape(|out| out.extend_from_slice(&last.written));
    last.remember(key, base);
    Some(base)
}

/// Whether a key has these parts.
fn same(key: &[u8], parts: &[&[u8]]) -> bool {
    let mut rest = key;
    parts.iter().all(|part| match rest.strip_prefix(*part) {
        Some([0, behind @ ..]) => {
            rest = behind;
            true
        }
        _ => false,
    }) && rest.is_empty()
}
