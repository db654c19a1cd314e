//! A line of a web server's log from its time on. Each field proves its place: the status is a number of three digits,
//! the size a number, a quote that closes a field has a space or the end after it, and no later text may be one that
//! belongs before. Otherwise the line is malformed, and no later field is moved into an earlier column.

use memchr::{memchr, memchr_iter, memmem, memrchr};
use urimill_columns::batch::{Cell, is_address, is_moment};
use urimill_read::format::short_search::{digits_end, find};
use urimill_read::format::{request, span};
use urimill_uri::simd::Span;

use super::{AGENT, Places, REFERER, REQUEST, REST, SECONDS, SIZE, STATUS, TIME, ZONE, cell, text, word};
use crate::step::{closing, holds_fields};

/// Reads the line from the bracket of the time on; or returns where it stops being of the format.
pub(super) fn tail(bytes: &[u8], bracket: usize, fields: &mut Places) -> Result<(), usize> {
    let mut at = time(bytes, bracket, fields)?;
    if bytes[at..].starts_with(b"(") {
        let digits = bytes[at + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
        let seconds = if digits > 0 { cell(at + 1, at + 1 + digits) } else { Cell::NULL };
        at = expect(bytes, at + 1 + digits, b" s) ")?;
        fields[SECONDS] = seconds;
    }
    let begin = expect(bytes, at, b"\"")?;
    let (close, numbers) = request_end(bytes, begin, fields)?;
    fields[REQUEST] = cell(begin, close);
    let (status, size) = numbers?;
    (fields[STATUS], fields[SIZE]) = (Cell::read(status), Cell::read(size));
    after_size(bytes, (size.start + size.len) as usize, fields)
}

/// The time, in brackets of one kind; `[+0100](11/May/2014:23:59:59)` has its zone before it. Returns where the next
/// field begins.
fn time(bytes: &[u8], bracket: usize, fields: &mut Places) -> Result<usize, usize> {
    let close = match bytes[bracket] {
        b'(' => b')',
        b'<' => b'>',
        b'{' => b'}',
        _ => b']',
    };
    let begin = bracket + 1;
    let end = find(bytes, begin, close).ok_or(bytes.len())?;
    // A crash has cut the line, and another one begins after the gap.
    if end - begin > "17/May/2015:10:05:03 +0000".len()
        && let Some(gap) = memchr(0, &bytes[begin..end])
    {
        return Err(begin + gap);
    }
    if bytes.get(end + 1) == Some(&b'(') {
        let inner = end + 2;
        let stop = inner + memchr(b')', &bytes[inner..]).ok_or(bytes.len())?;
        (fields[ZONE], fields[TIME]) = (cell(begin, end), cell(inner, stop));
        return expect(bytes, stop, b") ");
    }
    fields[TIME] = cell(begin, end);
    expect(bytes, end, &[close, b' '])
}

fn expect(bytes: &[u8], at: usize, text: &[u8]) -> Result<usize, usize> {
    if bytes[at..].starts_with(text) { Ok(at + text.len()) } else { Err(at) }
}

/// The end of the spaces that begin at `at`.
#[inline]
fn spaces(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|&&b| b == b' ').count()
}

/// Status and size.
type Numbers = (Span, Span);

/// The quote that ends the request that begins at `from`, and the numbers after it, or the byte where they are
/// malformed. Requests hold quotes if the server does not escape them: then the only quote between a protocol and
/// numbers ends the request. If there are several, a client has written one that looks like the end, and nothing shows
/// which is the real one.
fn request_end(
    bytes: &[u8],
    from: usize,
    fields: &mut Places,
) -> Result<(usize, Result<Numbers, usize>), usize> {
    let found = closing(bytes, from, &mut false).map(|close| (close, numbers(bytes, close)));
    if let Some((close, Ok(_))) = found
        && has_protocol(&bytes[from..close])
    {
        return found.ok_or(from);
    }
    let ends: Vec<usize> = ends(bytes, from).collect();
    match (found, &ends[..]) {
        (Some((close, _)), []) if !has_form(bytes, &bytes[from..close], fields) => Err(from),
        (Some(found), []) => Ok(found),
        (Some((_, Err(_))) | None, &[close]) => Ok((close, numbers(bytes, close))),
        (None, []) => Err(bytes.len()),
        _ => {
            // Only the method is certain.
            let end = memchr(b' ', &bytes[from..]).map_or(from, |at| from + at);
            fields[REQUEST] = cell(from, end);
            Err(from)
        }
    }
}

/// Whether a line is of the format although its request has no protocol: its time is a time, or the request has a
/// method and a target, or is a dash.
fn has_form(bytes: &[u8], request: &[u8], fields: &Places) -> bool {
    let is_time = |time: &[u8]| time == b"-" || is_moment(time);
    let has_time = || fields[TIME].span().is_some_and(|time| is_time(text(bytes, time)));
    let is_request = || {
        let part = |part: Span| text(request, part);
        request::parts(request, 0, request.len())
            .is_some_and(|found| request::target(part(found.method), part(found.target)).is_some())
    };
    request == b"-" || has_time() || is_request()
}

/// The quotes from `from` on that may end a request: between a protocol and two numbers.
fn ends(bytes: &[u8], from: usize) -> impl Iterator<Item = usize> {
    let quotes = memchr_iter(b'"', &bytes[from..]).map(move |at| from + at);
    quotes.filter(move |&at| has_protocol(&bytes[from..at]) && numbers(bytes, at).is_ok())
}

/// Whether a text ends with a protocol, as requests do.
#[inline]
fn has_protocol(text: &[u8]) -> bool {
    if request::usual_protocol(text).is_some() {
        return true;
    }
    let last = &text[text.len().saturating_sub(MOST_PROTOCOL)..];
    let last = last.trim_ascii_end();
    memrchr(b' ', last).is_some_and(|at| request::is_protocol(&last[at + 1..]))
}

/// The most bytes of a protocol with spaces around it.
const MOST_PROTOCOL: usize = 16;

/// Status and size after the quote at `close`: three digits, and a number, or dashes for them. If one of them is not a
/// number at all, a quote or the end after both proves their places.
#[inline(always)]
fn numbers(bytes: &[u8], close: usize) -> Result<Numbers, usize> {
    // Nearly all are three digits and a number, after one space each.
    if let Some([b' ', b'1'..=b'9', b'0'..=b'9', b'0'..=b'9', b' ']) =
        bytes.get(close + 1..).and_then(<[u8]>::first_chunk::<5>)
    {
        let (status, size) = (close + 2, close + 6);
        let end = digits_end(bytes, size);
        if end > size && bytes.get(end).is_none_or(|&b| b == b' ') {
            return Ok((span(status, status + 3), span(size, end)));
        }
    }
    unusual_numbers(bytes, close)
}

fn unusual_numbers(bytes: &[u8], close: usize) -> Result<Numbers, usize> {
    let status = spaces(bytes, expect(bytes, close + 1, b" ")?);
    let status_end = word(bytes, status)?;
    let is_status = match &bytes[status..status_end] {
        [b'1'..=b'9', b, c] if b.is_ascii_digit() && c.is_ascii_digit() => true,
        b"-" | b"000" | b"0" => true,
        [first, ..] if first.is_ascii_digit() => return Err(status),
        _ => false,
    };
    let size = spaces(bytes, expect(bytes, status_end, b" ")?);
    let size_end = word(bytes, size)?;
    let digits = &bytes[size..size_end];
    let digits = digits.strip_prefix(b"-").unwrap_or(digits);
    let is_size = digits.iter().all(u8::is_ascii_digit);
    let is_proved = || {
        let next = spaces(bytes, size_end);
        !bytes[status..size_end].contains(&b'"') && (next == bytes.len() || bytes[next] == b'"')
    };
    match is_status && is_size || is_status != is_size && is_proved() {
        true => Ok((span(status, status_end), span(size, size_end))),
        false => Err(if is_status { size } else { status }),
    }
}

/// A text in quotes, and the place after it.
struct Quoted {
    inner: Span,
    end: usize,
    /// Whether a quote closes it: a line that was cut off may end inside the text.
    is_closed: bool,
}

/// The text in quotes at `at`, after spaces, if there is one.
#[inline(always)]
fn quoted(bytes: &[u8], at: usize) -> Result<Option<Quoted>, usize> {
    let open = spaces(bytes, at);
    let Ok(begin) = expect(bytes, open, b"\"") else { return Ok(None) };
    if open == at {
        return Err(at);
    }
    let Some(close) = closing(bytes, begin, &mut false) else {
        return Ok(Some(Quoted { inner: span(begin, bytes.len()), end: bytes.len(), is_closed: false }));
    };
    match bytes.get(close + 1) {
        None | Some(b' ' | b'\t') => {
            Ok(Some(Quoted { inner: span(begin, close), end: close + 1, is_closed: true }))
        }
        Some(_) => Err(close + 1),
    }
}

/// Reads referer and user agent, and the rest of the line after the size, which ends at `at`.
#[inline]
fn after_size(bytes: &[u8], at: usize, fields: &mut Places) -> Result<(), usize> {
    let read = marked(bytes, at, fields);
    // A quote that closes no field.
    let is_open = |rest: Span| memchr_iter(b'"', text(bytes, rest)).count() % 2 == 1;
    if read.is_err() || fields[REST].span().is_some_and(is_open) {
        return unmarked(bytes, at, fields).map_or(read, Ok);
    }
    read
}

/// Reads a referer and a user agent with quotes as a client sent them, if there is only one way to do so.
#[cold]
fn unmarked(bytes: &[u8], at: usize, fields: &mut Places) -> Option<()> {
    let begin = spaces(bytes, at) + 1;
    let close = begin + memrchr(b'"', bytes.get(begin..)?)?;
    let (inner, rest) = (&bytes[begin..close], &bytes[close + 1..]);
    let seam = memmem::find(inner, b"\" \"")?;
    let is_quoted = begin > at + 1 && bytes[begin - 1] == b'"' && (rest.is_empty() || rest[0] == b' ');
    let (referer, agent) = (span(begin, begin + seam), span(begin + seam + 3, close));
    let are_whole = !holds_fields(text(bytes, referer)) && !holds_fields(text(bytes, agent));
    let is_other = memmem::find(&inner[seam + 1..], b"\" \"").is_some() || ends(bytes, at).next().is_some();
    if !is_quoted || !are_whole || is_other || fields[STATUS].span().is_none() {
        return None;
    }
    let quoted = |inner: Span| Quoted { inner, end: (inner.start + inner.len) as usize + 1, is_closed: true };
    are_in_order(bytes, &quoted(referer), &quoted(agent)).ok()?;
    (fields[REFERER], fields[AGENT]) = (Cell::read(referer), Cell::read(agent));
    let behind = spaces(bytes, close + 1);
    fields[REST] = if behind < bytes.len() { cell(behind, bytes.len()) } else { Cell::NULL };
    Some(())
}

/// The same if every quote inside has a mark. A single text in quotes may be either of them, so it is neither.
fn marked(bytes: &[u8], at: usize, fields: &mut Places) -> Result<(), usize> {
    if at == bytes.len() {
        return Ok(());
    }
    let mut end = at;
    if let Some(referer) = quoted(bytes, at)? {
        let agent = if referer.is_closed { quoted(bytes, referer.end)? } else { None };
        match agent {
            Some(agent) => {
                are_in_order(bytes, &referer, &agent)?;
                (fields[REFERER], fields[AGENT]) = (Cell::read(referer.inner), Cell::read(agent.inner));
                end = agent.end;
            }
            None if !referer.is_closed => {
                fields[REFERER] = Cell::read(referer.inner);
                end = referer.end;
            }
            None => {}
        }
    } else if let Some((status, size)) = fields[STATUS].span().zip(fields[SIZE].span()) {
        // The status twice moves the size.
        let next = bytes[at..].strip_prefix(b" ").unwrap_or_default();
        let len = memchr(b' ', next).unwrap_or(next.len());
        let is_size = next.starts_with(b"-") || len > 0 && next[..len].iter().all(u8::is_ascii_digit);
        let is_last = len == next.len() || next[len..].starts_with(b" \"");
        let is_moved = text(bytes, status) == b"-" || text(bytes, status) == text(bytes, size);
        if size.len == 3 && is_moved && is_size && is_last {
            (fields[STATUS], fields[SIZE]) = (Cell::NULL, Cell::NULL);
            return Err(size.start as usize);
        }
    }
    let rest = end + bytes[end..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    if rest == bytes.len() {
        return Ok(());
    }
    if ends(bytes, at).next().is_some() {
        // Nothing shows which of them ended the request.
        for place in [STATUS, SIZE, REFERER, AGENT] {
            fields[place] = Cell::NULL;
        }
        return Err(end);
    }
    if rest == end {
        return Err(end);
    }
    fields[REST] = cell(rest, bytes.len());
    Ok(())
}

/// Checks the places of referer and user agent. Neither is an address. A product (`curl/8`) is not a referer if the
/// user agent is null or a URI. If a third text follows, a URI is not a user agent, and the two texts differ.
#[inline]
fn are_in_order(bytes: &[u8], referer: &Quoted, agent: &Quoted) -> Result<(), usize> {
    let (first, second) = (text(bytes, referer.inner), text(bytes, agent.inner));
    let is_none = |text: &[u8]| matches!(text, b"" | b"-");
    let are_swapped = (is_none(second) || second.starts_with(b"http")) && is_product(first);
    let is_third = bytes[agent.end..].starts_with(b" \"");
    let is_uri = || second.starts_with(b"http://") || second.starts_with(b"https://");
    let are_moved = is_third && (is_uri() || !is_none(first) && first == second);
    let is_list = |text: &[u8]| {
        let may_be = matches!(text, [b'0'..=b'9' | b'a'..=b'f' | b':', ..]);
        may_be && is_address(text.split(|&b| b == b',').next().unwrap_or_default())
    };
    match are_swapped || are_moved || is_list(first) || is_list(second) {
        true => Err(referer.inner.start as usize),
        false => Ok(()),
    }
}

/// Whether a text begins with a product and its version (RFC 9110, 10.1.5), as user agents do.
fn is_product(text: &[u8]) -> bool {
    let is_token = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'+');
    let name = text.iter().take_while(|b| is_token(b)).count();
    name > 0 && text.get(name) == Some(&b'/') && text.get(name + 1).is_some_and(u8::is_ascii_digit)
}
