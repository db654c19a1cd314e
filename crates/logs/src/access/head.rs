//! The words before the time in a line of a web server's log. Servers are configured to write several forms, and each
//! line is compared with all of them, so that no value gets into the column of another:
//!
//! ```text
//! 192.0.2.1 - frank                       client, ident, user: Common Log Format
//! example.com:443 192.0.2.1 - frank       virtual host first: Debian's vhost_combined, Gandi, many of nginx
//! 192.0.2.1 example.com frank             virtual host for ident: OVH, lighttpd
//! 192.0.2.1, 198.51.100.7 - frank         the list of X-Forwarded-For for the client, in each of these
//! 203.0.113.5 192.0.2.1 - frank           X-Forwarded-For before the client, a list or one, in quotes or not
//! example.com 192.0.2.1 - 95386da8… frank the id of the request (32 hexadecimal digits) before the user
//! 192.0.2.1 -  -                          Jetty's absent user
//! 192.0.2.1 (198.51.100.7) - frank        X-Forwarded-For in parentheses
//! 192.0.2.1 "-" "frank"                   ident and user in quotes
//! ```
//!
//! The forms differ in their words: an ident is `-` or the name of a user, and never an address; nor is a user. A
//! client after a virtual host is an address, or has the ident `-` after it. An address before another one was sent by
//! a client, so it is not a virtual host. OVH's virtual host is a domain name after an address. A line that could have
//! two forms has neither.

use memchr::{memchr, memchr_iter};
use urimill_columns::batch::{Cell, is_address};
use urimill_read::format::short_search::find;
use urimill_read::format::span;
use urimill_uri::simd::Span;

use super::{CLIENT, CLIENT_PORT, FORWARDED, IDENT, Places, REQUEST_ID, USER, VHOST, cell, text, word};
use crate::check::is_date;
use crate::host;
use crate::host::{endpoint, host_and_port, is_domain};

/// The bracket that begins the time: the first one after a space that is not part of an address.
#[inline]
pub(super) fn time_bracket(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at = find(bytes, at, b'[')?;
        if at > start && bytes[at - 1] == b' ' && !begins_with_literal(&bytes[at..]) {
            return Some(at);
        }
        at += 1;
    }
}

/// Whether the bytes begin with an address in brackets. A time has a slash where an address has none.
fn begins_with_literal(bytes: &[u8]) -> bool {
    if bytes.get(3) == Some(&b'/') {
        return false;
    }
    let inner = memchr(b']', bytes).map_or(&[][..], |end| &bytes[1..end]);
    is_address(inner)
}

/// The fields of the words from `start` to the end of `line`; or where they stop being of a known form. Then a client
/// that is an address stays; other words are uncertain.
#[inline]
pub(super) fn head(line: &[u8], start: usize, fields: &mut Places) -> Result<(), usize> {
    // Nearly all lines: an address of IPv4, without ident and user; a slash in it would change nothing.
    let first = start + line[start..].iter().take_while(|b| (b'.'..=b'9').contains(b)).count();
    if first > start && line[first..] == *b" - -" {
        without_names(start, first, fields);
        return Ok(());
    }
    let read = forms(line, start, fields).and_then(|()| are_hosts(line, fields));
    divide(line, fields);
    if read.is_err() {
        let is_certain = |client: Span| client.start == 0 || line[client.start as usize - 1] != b'"';
        if !has_address(line, fields) || !fields[CLIENT].span().is_some_and(is_certain) {
            (fields[CLIENT], fields[CLIENT_PORT], fields[FORWARDED]) = (Cell::NULL, Cell::NULL, Cell::NULL);
        }
        fields[VHOST] = Cell::NULL;
    }
    read
}

#[inline]
fn forms(line: &[u8], start: usize, fields: &mut Places) -> Result<(), usize> {
    if line.get(start) == Some(&b'"') {
        return quoted(line, start, fields);
    }
    let first = word(line, start)?;
    if line[first..] == *b" - -" && memchr(b',', &line[start..first]).is_none() {
        without_names(start, first, fields);
        return Ok(());
    }
    let second = word(line, first + 1)?;
    let words = (&line[start..first], &line[first + 1..second]);
    if words.1 == b"-" && memchr(b',', words.0).is_none() {
        fields[CLIENT] = cell(start, first);
        return names(line, first + 1, false, fields);
    }
    if words.0.contains(&b',') {
        let behind = list(line, start)?;
        return behind_list(line, (start, behind - 1), behind, fields);
    }
    if words.1.starts_with(b"(") && is_endpoint(words.0) {
        fields[CLIENT] = cell(start, first);
        return in_parentheses(line, first + 1, fields);
    }
    if words.1 == b"\"-\"" {
        fields[CLIENT] = cell(start, first);
        return names(line, first + 1, false, fields);
    }
    let third = word(line, second + 1)?;
    let is_last = third == line.len();
    let is_client = is_endpoint(words.1) || words.1.contains(&b',') || words.1.starts_with(b"\"");
    if !is_last && is_domain(words.1) && host_and_port(words.1).1.is_some() && is_endpoint(words.0) {
        // A name with a port is not a client.
        (fields[CLIENT], fields[VHOST]) = (cell(start, first), cell(first + 1, second));
        return names(line, second + 1, true, fields);
    }
    if !is_last && (is_client || &line[second + 1..third] == b"-") {
        before_client(line, span(start, first), is_client, fields)?;
        let behind = client(line, first + 1, fields)?;
        return names(line, behind, true, fields);
    }
    if is_last && words.1.starts_with(b"[") && is_endpoint(words.1) && is_address(words.0) {
        // lighttpd writes an address so in place of a name.
        (fields[CLIENT], fields[VHOST]) = (cell(start, first), cell(first + 1, second));
        fields[USER] = user(line, second + 1, third)?;
        return Ok(());
    }
    if is_client {
        return Err(first + 1);
    }
    if !is_last {
        return Err(second + 1);
    }
    fields[CLIENT] = cell(start, first);
    names(line, first + 1, false, fields)
}

/// The fields of a client up to `end`, and of the dashes after it.
#[inline]
fn without_names(start: usize, end: usize, fields: &mut Places) {
    let [ident, user] = [end + 1, end + 3].map(|at| cell(at, at + 1));
    (fields[CLIENT], fields[IDENT], fields[USER]) = (cell(start, end), ident, user);
}

/// Reads the list of a proxy in parentheses, or a dash for none, and the names after it.
fn in_parentheses(line: &[u8], open: usize, fields: &mut Places) -> Result<(), usize> {
    let close = memchr(b')', &line[open..]).map(|at| open + at).ok_or(open)?;
    let list = &line[open + 1..close];
    let is_list = list.split(|&b| b == b',').all(|part| is_endpoint(part.trim_ascii()));
    if line.get(close + 1) != Some(&b' ') || !is_list && list != b"-" {
        return Err(open);
    }
    fields[FORWARDED] = if is_list { cell(open + 1, close) } else { Cell::NULL };
    names(line, close + 2, false, fields)
}

/// Checks that a virtual host of one label is not the name of a user that occurs twice, or that has changed places with
/// the host; or returns its place. A client has no quotes either.
#[inline]
fn are_hosts(line: &[u8], fields: &mut Places) -> Result<(), usize> {
    let text = |part: Span| text(line, part);
    if let Some(client) = fields[CLIENT].span().filter(|&client| memchr(b'"', text(client)).is_some()) {
        return Err(client.start as usize);
    }
    let Some(vhost) = fields[VHOST].span().filter(|&vhost| memchr(b'.', text(vhost)).is_none()) else {
        return Ok(());
    };
    let is_moved = |place: usize| {
        fields[place]
            .span()
            .is_some_and(|name| name.len > 1 && (text(name) == text(vhost) || is_domain(text(name))))
    };
    if !is_moved(IDENT) && !is_moved(USER) {
        return Ok(());
    }
    (fields[IDENT], fields[USER]) = (Cell::NULL, Cell::NULL);
    Err(vhost.start as usize)
}

/// Reads words that begin with a quote: around the list of a proxy, a virtual host, or the client itself.
fn quoted(line: &[u8], start: usize, fields: &mut Places) -> Result<(), usize> {
    let close = memchr(b'"', &line[start + 1..]).map(|at| start + 1 + at).ok_or(start)?;
    if line.get(close + 1) != Some(&b' ') {
        return Err(close);
    }
    let (inner, behind) = ((start + 1, close), close + 2);
    let text = &line[inner.0..inner.1];
    if text.contains(&b',') {
        return behind_list(line, inner, behind, fields);
    }
    let next = word(line, behind)?;
    let is_client = is_endpoint(&line[behind..next]);
    if is_client {
        before_client(line, span(inner.0, inner.1), true, fields)?;
        let behind = client(line, behind, fields)?;
        return names(line, behind, true, fields);
    }
    if !is_endpoint(text) {
        return Err(start);
    }
    fields[CLIENT] = cell(inner.0, inner.1);
    names(line, behind, false, fields)
}

/// The list from `from` to `to`, and the client after it, or the list alone, whose first address is the client.
fn behind_list(
    line: &[u8],
    (from, to): (usize, usize),
    behind: usize,
    fields: &mut Places,
) -> Result<(), usize> {
    let next = word(line, behind)?;
    if is_endpoint(&line[behind..next]) && next < line.len() {
        first_of_list(line, (from, to), fields)?;
        fields[CLIENT] = cell(behind, next);
        return names(line, next + 1, true, fields);
    }
    first_of_list(line, (from, to), fields)?;
    names(line, behind, false, fields)
}

/// Reads the word before a client: an address is that of `X-Forwarded-For`, and another word the virtual host if it may
/// be a host. An address before a name is neither.
fn before_client(line: &[u8], found: Span, is_client: bool, fields: &mut Places) -> Result<(), usize> {
    let text = text(line, found);
    let (name, _) = host_and_port(text);
    if is_endpoint(text) {
        if !is_client {
            return Err((found.start + found.len) as usize + 1);
        }
        fields[FORWARDED] = Cell::read(found);
    } else if text.eq_ignore_ascii_case(b"unknown") {
        fields[FORWARDED] = Cell::read(found);
    } else if !host::is_none(name) && !is_host(text) {
        return Err(found.start as usize);
    } else {
        fields[VHOST] = Cell::read(found);
    }
    Ok(())
}

/// The start of the word that follows a list.
fn list(line: &[u8], start: usize) -> Result<usize, usize> {
    let mut end = word(line, start)?;
    while line[end - 1] == b',' {
        end = word(line, end + 1)?;
    }
    Ok(end + 1)
}

fn first_of_list(line: &[u8], (from, to): (usize, usize), fields: &mut Places) -> Result<(), usize> {
    let whole = &line[from..to];
    let len = memchr(b',', whole).unwrap_or(whole.len());
    if len == 0 {
        return Err(from);
    }
    fields[CLIENT] = cell(from, from + len);
    fields[FORWARDED] = cell(from, to);
    Ok(())
}

/// Reads the client, or a proxy's list of addresses, in quotes or not, and the client after it. The first address of a
/// list without a client is the client. Returns the start of the next word.
fn client(line: &[u8], start: usize, fields: &mut Places) -> Result<usize, usize> {
    let (from, to, behind) = match line.get(start) {
        Some(b'"') => {
            let close = memchr(b'"', &line[start + 1..]).map(|at| start + 1 + at).ok_or(start)?;
            let inner = &line[start + 1..close];
            if line.get(close + 1) != Some(&b' ') || !inner.contains(&b',') && !is_endpoint(inner) {
                return Err(start);
            }
            (start + 1, close, close + 2)
        }
        _ => list(line, start).map(|behind| (start, behind - 1, behind))?,
    };
    if !line[from..to].contains(&b',') {
        fields[CLIENT] = cell(from, to);
        return Ok(behind);
    }
    if fields[FORWARDED].span().is_some() {
        return Err(start);
    }
    let next = word(line, behind)?;
    if is_endpoint(&line[behind..next]) && next < line.len() {
        first_of_list(line, (from, to), fields)?;
        fields[CLIENT] = cell(behind, next);
        return Ok(next + 1);
    }
    first_of_list(line, (from, to), fields)?;
    Ok(behind)
}

/// Ident and user, or their placeholders.
#[inline]
fn names(line: &[u8], start: usize, has_vhost: bool, fields: &mut Places) -> Result<(), usize> {
    let ident = word(line, start)?;
    let name = &line[start..ident];
    // Jetty writes spaces for an absent user, or around the dash.
    let end = line.trim_ascii_end().len();
    let begin = ident + line[ident..].iter().take_while(|&&b| b == b' ').count();
    if name == b"-" && begin == line.len() && begin > ident {
        (fields[IDENT], fields[USER]) = (cell(start, ident), cell(start, ident));
        return Ok(());
    }
    let line = &line[..end.max(ident)];
    let user_end = word(line, begin)?;
    let is_one_word = user_end == line.len();
    if name != b"-" {
        if name == b"\"-\"" {
            return in_quotes(line, ident + 1, span(start + 1, ident - 1), fields);
        }
        if is_endpoint(name) || name[0] == b'"' {
            return Err(start);
        }
        if !has_vhost && is_one_word && is_domain(name) && has_address(line, fields) {
            (fields[VHOST], fields[USER]) = (cell(start, ident), user(line, begin, user_end)?);
            return Ok(());
        }
        // It would be the virtual host of a word that is not a client.
        if is_domain(name) {
            return Err(start);
        }
    }
    if is_one_word {
        (fields[IDENT], fields[USER]) = (cell(start, ident), user(line, begin, user_end)?);
        return Ok(());
    }
    let is_id = user_end - begin == 32 && line[begin..user_end].iter().all(u8::is_ascii_hexdigit);
    if is_id && word(line, user_end + 1) == Ok(line.len()) {
        let user = user(line, user_end + 1, line.len())?;
        fields[REQUEST_ID] = cell(begin, user_end);
        (fields[IDENT], fields[USER]) = (cell(start, ident), user);
        return Ok(());
    }
    // Names of users may have spaces in them, but these words may also be other fields, or the same one twice.
    let text = &line[begin..];
    let is_twice = text.len() == 2 * (user_end - begin) + 1 && text.ends_with(&line[begin..user_end]);
    let has_address =
        || text.split(|&b| b == b' ').any(|word| is_endpoint(word.strip_suffix(b",").unwrap_or(word)));
    // Apache marks the parts of a name.
    let has_bare_quote =
        || memchr_iter(b'"', text).any(|at| at.checked_sub(1).is_none_or(|before| text[before] != b'\\'));
    if has_vhost
        || name != b"-"
        || has_address()
        || text.starts_with(b"- ")
        || text.ends_with(b" -")
        || has_bare_quote()
        || is_twice
    {
        return Err(begin);
    }
    (fields[IDENT], fields[USER]) = (cell(start, ident), cell(begin, line.len()));
    Ok(())
}

/// The user after an ident in quotes, in quotes as well.
#[cold]
fn in_quotes(line: &[u8], from: usize, ident: Span, fields: &mut Places) -> Result<(), usize> {
    let to = line.trim_ascii_end().len();
    let text = line.get(from..to).unwrap_or_default();
    let inner = text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\"")).ok_or(from)?;
    // A referer or a user agent, which are in quotes everywhere, is not a user.
    if inner.is_empty() || inner.iter().any(|b| b"\"/".contains(b)) || is_endpoint(inner) {
        return Err(from);
    }
    (fields[IDENT], fields[USER]) = (Cell::read(ident), cell(from + 1, to - 1));
    Ok(())
}

/// The user: not an address, and not a text in quotes, except the dash and an empty name, which are null.
#[inline]
fn user(line: &[u8], from: usize, to: usize) -> Result<Cell, usize> {
    let may_be_address = line[from].is_ascii_digit() || memchr(b':', &line[from..to]).is_some();
    if matches!(&line[from..to], b"\"-\"" | b"\"\"") {
        return Ok(cell(from + 1, to - 1));
    }
    match line[from] == b'"' || may_be_address && is_endpoint(&line[from..to]) {
        true => Err(from),
        false => Ok(cell(from, to)),
    }
}

/// Takes the port off the client.
#[inline]
fn divide(line: &[u8], fields: &mut Places) {
    let Some(found) = fields[CLIENT].span() else { return };
    let text = text(line, found);
    if memchr(b':', text).is_none() || is_address(text) {
        return;
    }
    if let Some((address, port)) = endpoint(text).filter(|(_, port)| !port.is_empty()) {
        fields[CLIENT] = Cell::read(Span { len: address.len() as u32, ..found });
        let end = (found.start + found.len) as usize;
        fields[CLIENT_PORT] = cell(end - port.len(), end);
    }
}

/// Whether the client is an address.
fn has_address(line: &[u8], fields: &Places) -> bool {
    fields[CLIENT].span().is_some_and(|client| is_endpoint(text(line, client)))
}

/// Whether a word that is not an address may be a host with a port: it has no byte that would end one in a URI, and is
/// neither a number nor a time, which some loggers put before a line. The grammar checks the rest.
fn is_host(word: &[u8]) -> bool {
    let allowed = |&b: &u8| b.is_ascii_alphanumeric() || b >= 0x80 || b"-._~%!$&'()*+;=:".contains(&b);
    let is_number = || word.iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b':'));
    word.iter().all(allowed) && !is_number() && !word.get(..10).is_some_and(is_date)
}

/// Whether a word is an address, perhaps with a port.
fn is_endpoint(word: &[u8]) -> bool {
    endpoint(word).is_some()
}
